// A roller under the pipe: work, force and angular momentum of random steps, also where a node passes the
// roller; the overlap against a search along the axis; tangents against differences.
#include "sagbend/stinger/stinger.h"
#include "suite.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static double noise(uint64_t *seed) { // in (-1, 1)
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)*seed / 9223372036854775808.0;
}

static vec3 noise3(uint64_t *seed, double size) {
  double x = size * noise(seed), y = size * noise(seed);
  return (vec3){x, y, size * noise(seed)};
}

static vec3 unit(vec3 v) {
  return vec3_scale(1 / vec3_norm(v), v);
}

// A step of pipe and vessel with a roller.
struct sample {
  struct roller roller;
  struct roller_step x;
  struct roller_poses poses;
  vec3 theta[ROLLER_NODES];
};

static void set_changes(struct sample *s) {
  for (int i = 0; i < s->x.nodes; i++)
    s->poses.axis_change[i] = cayley_increment(s->theta[i], s->poses.axis[i]);
  memset(s->x.start, 0, ROLLER_LENGTH * sizeof(double));
  memset(s->x.change, 0, ROLLER_LENGTH * sizeof(double));
  s->x.roller = &s->roller;
  roller_take_start(&s->x, &s->poses);
  roller_take_changes(&s->x, &s->poses);
}

static struct roller_grip grip_of(const struct roller_step *x, struct roller_passage *passage) {
  memset(passage, 0, sizeof *passage);
  roller_begin(x, passage);
  return roller_grip_of(x, 1, passage);
}

static struct roller roller_of(uint64_t *seed, int holds) {
  struct roller r = {.at_b_m = noise3(seed, 40), .reach_m = 0.5 + 0.2 * noise(seed), .holds = holds};
  r.axis_b = unit((vec3){0.3 * noise(seed), 1, 0.3 * noise(seed)});
  r.up_b = (vec3){0.2, 0, -1};
  r.spring = (struct seabed_spring){1e7, 0.004};
  r.friction = 0.1 * (1 + noise(seed)), r.friction_stiffness_npm = 1e6;
  return r;
}

// Nodes along an arc over the roller, in b; at: place of the closest point, in elements from the lowest node.
static void make_sample(struct sample *to, uint64_t *seed, double at, double move, int holds) {
  struct sample s = {.roller = roller_of(seed, holds)};
  mat3 q = quat_matrix(quat_cayley(noise3(seed, 2)));
  s.x.nodes = 4, s.x.growing = noise(seed) > 0.5 ? (int)at : -1;
  const double l = 1.5 + 0.5 * noise(seed), radius = 60 + 20 * noise(seed), up = 0.005 * (noise(seed) + 1.5);
  s.poses.q = q, s.poses.vessel_n = noise3(seed, 100);
  s.poses.vessel_change_n = noise3(seed, move), s.poses.turn = noise3(seed, 0.1 * move);
  for (int i = 0; i < 4; i++) {
    const double along = (i - at) * l, dip = along * along / (2 * radius);
    vec3 y = {along, 0.1 * noise(seed), -(s.roller.reach_m - up) + dip};
    vec3 t = unit((vec3){1, 0.05 * noise(seed), along / radius + 0.01 * noise(seed)});
    s.poses.r[i] = vec3_add(s.poses.vessel_n, mat3_mul(&q, vec3_add(s.roller.at_b_m, y)));
    s.poses.axis[i] = mat3_mul(&q, t);
    // With the vessel, and beside that.
    vec3 d = vec3_sub(s.poses.r[i], s.poses.vessel_n);
    s.poses.dr[i] =
        vec3_add(vec3_add(s.poses.vessel_change_n, cayley_increment(s.poses.turn, d)), noise3(seed, move));
    s.theta[i] = vec3_add(s.poses.turn, noise3(seed, 0.1 * move));
  }
  for (int e = 0; e < 3; e++)
    s.x.length_m[e] = l;
  if (s.x.growing >= 0)
    s.x.start[ROLLER_LENGTH] = l, s.x.change[ROLLER_LENGTH] = move * noise(seed);
  s.x.elongation_m = 0.01 * noise(seed);
  *to = s;
  set_changes(to);
}

// The radius changes along the pipe: an arrestor passes.
static void make_uneven(struct sample *s, uint64_t seed) {
  for (int i = 0; i < s->x.nodes; i++)
    s->x.wider_m[i] = 0.004 * noise(&seed);
}

static double friction_energy(const struct roller *r, double s) {
  return 0.5 * r->friction_stiffness_npm * s * s;
}

START_TEST(test_work_force_and_momentum) {
  uint64_t seed = 5;
  int passing = 0, lifting = 0, near = 0;
  double worst_work = 0, worst_moment = 0, worst_force = 0;
  for (int k = 0; k < 6000; k++) {
    const double size = k % 3 == 0 ? 0.1 : k % 3 == 1 ? 0.01 : 1e-4;
    struct sample s;
    make_sample(&s, &seed, k % 2 ? 1 + 0.015 * noise(&seed) : 1.5 + 0.5 * noise(&seed), size, k % 5 == 0);
    if (k % 7 == 0)
      make_uneven(&s, (uint64_t)k);
    struct roller_passage passage;
    struct roller_grip grip = grip_of(&s.x, &passage);
    ck_assert_int_eq(grip.is_lost, 0);
    if (!grip.is_near)
      continue;
    struct roller_touch before, after;
    double end[ROLLER_PLACES];
    for (int a = 0; a < ROLLER_PLACES; a++)
      end[a] = s.x.start[a] + s.x.change[a];
    ck_assert(roller_touch_of(&s.x, s.x.start, NULL, &before) && roller_touch_of(&s.x, end, NULL, &after));
    near++, passing += before.element != after.element;
    lifting += (before.overlap_m > 0) != (after.overlap_m > 0);

    struct roller_balance b = roller_balance_of(&s.x, &s.poses, grip.push);
    const struct roller *r = &s.roller;
    double work = vec3_dot(b.vessel_force_n, s.poses.vessel_change_n) +
                  vec3_dot(b.vessel_moment_nm, s.poses.turn) -
                  grip.push[ROLLER_LENGTH] * s.x.change[ROLLER_LENGTH];
    vec3 force = b.vessel_force_n, moment = {0, 0, 0};
    // Angular momentum about the world's origin: arms are the means of start and end.
    moment =
        vec3_add(b.vessel_moment_nm,
                 vec3_cross(vec3_axpy(0.5, s.poses.vessel_change_n, s.poses.vessel_n), b.vessel_force_n));
    for (int i = 0; i < s.x.nodes; i++) {
      work -= vec3_dot(b.force_n[i], s.poses.dr[i]) + vec3_dot(b.moment_nm[i], s.theta[i]);
      force = vec3_sub(force, b.force_n[i]);
      moment =
          vec3_sub(moment, vec3_add(vec3_cross(vec3_axpy(0.5, s.poses.dr[i], s.poses.r[i]), b.force_n[i]),
                                    b.moment_nm[i]));
    }
    double stored = roller_energy(r, after.overlap_m) - roller_energy(r, before.overlap_m) +
                    friction_energy(r, grip.elongation_m) - friction_energy(r, s.x.elongation_m);
    double scale = fabs(grip.force_n) + fabs(grip.end_n) + 1e6 * 0.01;
    ck_assert_double_ge(grip.loss_j, 0);
    worst_work = fmax(worst_work, fabs(work + stored + grip.loss_j) / scale);
    worst_force = fmax(worst_force, vec3_norm(force) / scale);
    worst_moment = fmax(worst_moment, vec3_norm(moment) / scale);
  }
  ck_assert_int_gt(near, 3000);
  ck_assert_int_gt(passing, 400);
  ck_assert_int_gt(lifting, 100);
  ck_assert_double_lt(worst_work, 3e-13); // positions of some 200 m round at 3e-14 m
  ck_assert_double_lt(worst_force, 1e-14);
  ck_assert_double_lt(worst_moment, 1e-12);
}
END_TEST

// Distance of a point of the axis to the roller's line.
static double distance(const struct sample *s, int e, double x) {
  const double y = 1 - x, l = e == s->x.growing ? s->x.start[ROLLER_LENGTH] : s->x.length_m[e];
  const double h[4] = {(1 + 2 * x) * y * y, l * x * y * y, x * x * (3 - 2 * x), -l * x * x * y};
  vec3 r = {0, 0, 0};
  for (int k = 0; k < 4; k++)
    r = vec3_axpy(h[k], vec3_of(s->x.start + 6 * e + 3 * k), r);
  return vec3_norm(vec3_cross(s->roller.axis_b, r));
}

START_TEST(test_overlap_is_at_the_closest_point) {
  uint64_t seed = 17;
  for (int k = 0; k < 300; k++) {
    struct sample s;
    make_sample(&s, &seed, 1.5 + 0.9 * noise(&seed), 0.01, 0);
    struct roller_touch touch;
    double least = 1e9;
    ck_assert(roller_touch_of(&s.x, s.x.start, NULL, &touch));
    for (int e = 0; e < 3; e++)
      for (int n = 0; n <= 4000; n++)
        least = fmin(least, distance(&s, e, n / 4000.0));
    ck_assert_double_eq_tol(touch.overlap_m, s.roller.reach_m - least, 2e-6);
  }
}
END_TEST

// Balance of all unknowns as roller_balance_tangent orders them.
static void balance_of(const struct sample *s, double to[ROLLER_UNKNOWNS]) {
  struct roller_passage passage;
  struct roller_grip grip = grip_of(&s->x, &passage);
  struct roller_balance b = roller_balance_of(&s->x, &s->poses, grip.push);
  for (int i = 0; i < ROLLER_NODES; i++) {
    vec3_to(b.force_n[i], to + 6 * i);
    vec3_to(b.moment_nm[i], to + 6 * i + 3);
  }
  vec3_to(vec3_scale(-1, b.vessel_force_n), to + 6 * ROLLER_NODES);
  vec3_to(vec3_scale(-1, b.vessel_moment_nm), to + 6 * ROLLER_NODES + 3);
  to[ROLLER_UNKNOWNS - 1] = grip.push[ROLLER_LENGTH];
}

// Their derivatives: rows, unknowns. What the tangent does not write is 0.
static void tangent_of(const struct sample *s, const struct roller_passage *passage,
                       const double push[ROLLER_PLACES], double to[ROLLER_UNKNOWNS][ROLLER_UNKNOWNS]) {
  struct roller_stiffness stiffness;
  struct roller_tangent tangent;
  memset(&tangent, 0, sizeof tangent);
  roller_stiffness_of(&s->x, 1, passage, &stiffness);
  roller_balance_tangent(&s->x, &s->poses, push, &stiffness, &tangent);
  for (int u = 0; u < ROLLER_UNKNOWNS; u++)
    for (int a = 0; a < ROLLER_UNKNOWNS; a++)
      to[a][u] = tangent.to[u][a];
}

static void nudge(const struct sample *from, int unknown, double size, struct sample *to) {
  struct sample s = *from;
  const int c = unknown % 6, node = unknown / 6;
  const double step[3] = {size * (c % 3 == 0), size * (c % 3 == 1), size * (c % 3 == 2)};
  if (unknown == ROLLER_UNKNOWNS - 1) {
    s.x.change[ROLLER_LENGTH] += size;
  } else if (c < 3) {
    vec3 *v = node < ROLLER_NODES ? &s.poses.dr[node] : &s.poses.vessel_change_n;
    *v = vec3_add(*v, vec3_of(step));
  } else {
    vec3 *v = node < ROLLER_NODES ? &s.theta[node] : &s.poses.turn;
    *v = vec3_add(*v, cayley_derivative_inverse(*v, vec3_of(step)));
  }
  *to = s;
  set_changes(to);
}

START_TEST(test_tangent) {
  uint64_t seed = 23;
  int sticking = 0, slipping = 0, passing = 0;
  for (int k = 0; k < 60; k++) {
    struct sample s;
    make_sample(&s, &seed, k % 3 ? 1.5 + 0.4 * noise(&seed) : 1 + 0.01 * noise(&seed), 0.02, k % 2);
    const double tolerance = k % 5 ? 1e-5 : 1e-3; // the second derivative of x* is left out
    if (k % 5 == 0)
      make_uneven(&s, (uint64_t)k);
    s.x.elongation_m *= 0.3;
    s.roller.friction *= k % 4 < 2 ? 1 : 100;
    struct roller_passage passage;
    struct roller_grip grip = grip_of(&s.x, &passage);
    if (!grip.is_near || grip.overlap_m[0] < 1e-4 || grip.overlap_m[1] < 1e-4)
      continue; // the spring has breaks there
    double bound = s.roller.friction * fabs(grip.end_n) / 1e6;
    *(fabs(grip.elongation_m) < 0.999 * bound ? &sticking : &slipping) += 1;
    struct roller_touch before, after;
    double end[ROLLER_PLACES];
    for (int a = 0; a < ROLLER_PLACES; a++)
      end[a] = s.x.start[a] + s.x.change[a];
    ck_assert(roller_touch_of(&s.x, s.x.start, NULL, &before) && roller_touch_of(&s.x, end, NULL, &after));
    passing += before.element != after.element;
    static double exact[ROLLER_UNKNOWNS][ROLLER_UNKNOWNS];
    tangent_of(&s, &passage, grip.push, exact);
    double scale = 0;
    for (int a = 0; a < ROLLER_UNKNOWNS; a++)
      for (int b = 0; b < ROLLER_UNKNOWNS; b++)
        scale = fmax(scale, fabs(exact[a][b]));
    for (int u = 0; u < ROLLER_UNKNOWNS - (s.x.growing < 0); u++) {
      double more[ROLLER_UNKNOWNS], less[ROLLER_UNKNOWNS];
      const double size = 1e-7;
      struct sample up, down;
      nudge(&s, u, size, &up), nudge(&s, u, -size, &down);
      balance_of(&up, more), balance_of(&down, less);
      for (int a = 0; a < ROLLER_UNKNOWNS; a++)
        ck_assert_msg(fabs((more[a] - less[a]) / (2 * size) - exact[a][u]) < tolerance * scale,
                      "sample %d row %d column %d: %g, difference %g, scale %g", k, a, u, exact[a][u],
                      (more[a] - less[a]) / (2 * size), scale);
    }
  }
  ck_assert_int_gt(sticking, 3);
  ck_assert_int_gt(slipping, 3);
  ck_assert_int_gt(passing, 3);
}
END_TEST

START_TEST(test_clear_and_lost) {
  uint64_t seed = 31;
  struct sample s;
  struct roller_passage passage;
  make_sample(&s, &seed, 1.5, 0.01, 0);
  s.x.elongation_m = 0;
  s.roller.reach_m -= 0.1; // the pipe is above
  ck_assert_int_eq(grip_of(&s.x, &passage).is_near, 0);
  s.roller.reach_m += 0.1;
  for (int i = 0; i < 4; i++) // the pipe slides off the nodes in one step
    s.x.change[6 * i] += 10;
  ck_assert_int_eq(grip_of(&s.x, &passage).is_lost, 1);
  for (int i = 0; i < 4; i++)
    s.x.start[6 * i] += 10;
  ck_assert_int_eq(grip_of(&s.x, &passage).is_near, 0);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("roller");
  TCase *c = add_case(suite, "roller", 60);
  tcase_add_test(c, test_work_force_and_momentum);
  tcase_add_test(c, test_overlap_is_at_the_closest_point);
  tcase_add_test(c, test_tangent);
  tcase_add_test(c, test_clear_and_lost);
  return run_suite(suite) ? EXIT_FAILURE : EXIT_SUCCESS;
}
