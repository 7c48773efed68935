// The element whose unstressed length changes over a step: work against energy on random elements, agreement
// with the element of constant length, tangent against differences.
#include "sagbend/growing/growing.h"
#include "sagbend/math/math.h"
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipe/pipe_internal.h"
#include "sagbend/pipeline/pipeline.h"
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

// An element with the increments of its nodes.
struct sample {
  struct growing_element x;
  vec3 dr[2], theta[2]; // of the lower and the upper node
};

static void set_increments(struct sample *s) {
  struct growing_element *x = &s->x;
  x->chord_change = vec3_sub(s->dr[1], s->dr[0]);
  for (int k = 0; k < 3; k++) {
    x->a_change[k] = cayley_increment(s->theta[0], x->a[k]);
    x->b_change[k] = cayley_increment(s->theta[1], x->b[k]);
  }
}

static struct sample sample_of(uint64_t *seed, double bend, double move) {
  struct sample s = {.x = {.start_m = 2 + noise(seed)}};
  struct growing_element *x = &s.x;
  x->grown_m = 0.3 * x->start_m * noise(seed);
  mat3 a = quat_matrix(quat_cayley(noise3(seed, 3))), turn = quat_matrix(quat_cayley(noise3(seed, bend)));
  mat3 b = mat3_product(&turn, &a);
  for (int k = 0; k < 3; k++) {
    x->a[k] = mat3_column(&a, k), x->b[k] = mat3_column(&b, k);
    x->stiffness[k] = 1e3 * (1.5 + noise(seed)), x->stiffness[3 + k] = 1e3 * (1.5 + noise(seed));
    x->rest_strain[k] = 0.01 * noise(seed), x->rest_strain[3 + k] = 0.1 * noise(seed);
  }
  x->damping_over_h = 0.5 * (1 + noise(seed));
  x->chord = vec3_scale(x->start_m, vec3_add(x->a[0], noise3(seed, 0.2)));
  for (int n = 0; n < 2; n++)
    s.dr[n] = noise3(seed, move), s.theta[n] = noise3(seed, move);
  set_increments(&s);
  return s;
}

// Gives it a part of another kind: at its start, at its end, at both or at neither.
static void add_next_kind(struct growing_element *x, uint64_t *seed) {
  x->has_next = 1;
  x->own_m = x->start_m * (1 + 0.3 * noise(seed));
  for (int k = 0; k < 6; k++) {
    x->next_stiffness[k] = x->stiffness[k] * pow(10, noise(seed));
    x->next_rest_strain[k] = (k < 3 ? 0.01 : 0.1) * noise(seed);
  }
  x->boundary_n = 20 * noise(seed), x->boundary_npm = 20 * noise(seed);
}

// Half of the samples are wires, a quarter of these hinged at an end.
static void choose_kind(struct growing_element *x, int number, uint64_t *seed) {
  if (number % 2)
    add_next_kind(x, seed);
  x->is_wire = number / 2 % 2;
  for (int n = 0; n < 2; n++)
    x->hinged[n] = x->is_wire && noise(seed) > 0.75;
}

// The same element at the end of the step.
static struct growing_element end_of(const struct growing_element *x) {
  struct growing_element e = *x;
  e.start_m = x->start_m + x->grown_m;
  e.chord = vec3_add(x->chord, x->chord_change);
  for (int k = 0; k < 3; k++) {
    e.a[k] = vec3_add(x->a[k], x->a_change[k]);
    e.b[k] = vec3_add(x->b[k], x->b_change[k]);
  }
  return e;
}

static double work_of(const struct sample *s, const struct growing_forces *f) {
  return vec3_dot(f->force_n, vec3_sub(s->dr[0], s->dr[1])) + vec3_dot(f->moment_lower, s->theta[0]) +
         vec3_dot(f->moment_upper, s->theta[1]);
}

START_TEST(test_work_is_change_of_energy) {
  uint64_t seed = 7;
  for (int k = 0; k < 2000; k++) {
    struct sample s = sample_of(&seed, 1, 0.3);
    choose_kind(&s.x, k, &seed);
    struct growing_element end = end_of(&s.x);
    struct growing_forces f = growing_element_forces(&s.x);
    double before = growing_element_energy(&s.x), after = growing_element_energy(&end);
    // The work of the forces on the nodes leaves the element.
    double defect = after - before + work_of(&s, &f) - f.length_force_n * s.x.grown_m + f.loss_j;
    ck_assert_double_le(fabs(defect), 2e-14 * (before + after + fabs(work_of(&s, &f)) + f.loss_j));
    ck_assert_double_ge(f.loss_j, 0);
  }
}
END_TEST

// Puts node n of a pipe with one element into its fields.
static void put_node(struct pipe_state *state, struct pipe_work *w, int n, const struct sample *s) {
  vec3 r = n ? s->x.chord : (vec3){0, 0, 0};
  pipe_set3(state->r_n, n, r);
  pipe_set3(w->dr_n, n, s->dr[n]);
  for (int k = 0; k < 3; k++) {
    pipe_set3(w->d0 + 3 * k, n, n ? s->x.b[k] : s->x.a[k]);
    pipe_set3(w->dd + 3 * k, n, n ? s->x.b_change[k] : s->x.a_change[k]);
  }
}

START_TEST(test_constant_length_is_the_element) {
  struct env_def env = {.depth_m = 100};
  struct pipe_def def = {.elements = 1, .length_m = 1};
  struct pipe p = {0};
  struct pipe_mesh mesh = {0};
  struct pipe_state state = {0};
  struct pipe_work w = {0};
  struct arena memory;
  arena_init(&memory, NULL, 0);
  for (int pass = 0; pass < 2; pass++) {
    pipe_create(&p, &def, &env, &memory);
    pipe_mesh_create(&mesh, &p, &def, &memory);
    pipe_state_create(&state, &p, &memory);
    pipe_work_create(&w, &p, &memory);
    if (pass == 0)
      arena_init(&memory, aligned_alloc(64, (memory.used + 63) / 64 * 64), memory.used);
  }

  uint64_t seed = 3;
  for (int k = 0; k < 200; k++) {
    struct sample s = sample_of(&seed, 1, 0.3);
    s.x.grown_m = 0;
    struct growing_forces f = growing_element_forces(&s.x);
    mesh.length_m[0] = s.x.start_m;
    for (int c = 0; c < 6; c++)
      mesh.stiffness[c][0] = s.x.stiffness[c], mesh.rest_strain[c][0] = s.x.rest_strain[c];
    put_node(&state, &w, 0, &s), put_node(&state, &w, 1, &s);
    pipe_element_strains(&mesh, &state, &w);
    pipe_element_forces(&mesh, &w, s.x.damping_over_h);
    double scale = 1e4;
    ck_assert_double_le(vec3_norm(vec3_sub(f.force_n, pipe_get3(w.force_n, 0))), 1e-14 * scale);
    ck_assert_double_le(vec3_norm(vec3_sub(f.moment_lower, pipe_get3(w.moment_lower, 0))), 1e-14 * scale);
    ck_assert_double_le(vec3_norm(vec3_sub(f.moment_upper, pipe_get3(w.moment_upper, 0))), 1e-14 * scale);
  }
  free(memory.block);
}
END_TEST

// Minus the forces on both nodes.
static void balance_of(const struct sample *s, double balance[12]) {
  struct growing_forces f = growing_element_forces(&s->x);
  vec3_to(vec3_scale(-1, f.force_n), balance);
  vec3_to(vec3_scale(-1, f.moment_lower), balance + 3);
  vec3_to(f.force_n, balance + 6);
  vec3_to(vec3_scale(-1, f.moment_upper), balance + 9);
}

static struct sample nudged(const struct sample *s, int unknown, double epsilon) {
  struct sample to = *s;
  double unit[3] = {0};
  int node = unknown / 6;
  unit[unknown % 3] = epsilon;
  if (unknown % 6 < 3) {
    to.dr[node] = vec3_add(s->dr[node], vec3_of(unit));
  } else {
    quat q = quat_mul(quat_cayley(vec3_of(unit)), quat_cayley(s->theta[node]));
    to.theta[node] = (vec3){2 * q.x / q.w, 2 * q.y / q.w, 2 * q.z / q.w};
  }
  set_increments(&to);
  return to;
}

START_TEST(test_tangent) {
  const double epsilon = 1e-6;
  uint64_t seed = 11;
  for (int n = 0; n < 100; n++) {
    struct sample s = sample_of(&seed, 1, 0.3);
    choose_kind(&s.x, n, &seed);
    struct growing_forces f = growing_element_forces(&s.x);
    double k[12][12], plus[12], minus[12], size = 0, worst = 0;
    growing_element_tangent(&s.x, &f, k);
    for (int j = 0; j < 12; j++) {
      struct sample up = nudged(&s, j, epsilon), down = nudged(&s, j, -epsilon);
      balance_of(&up, plus), balance_of(&down, minus);
      for (int i = 0; i < 12; i++) {
        worst = fmax(worst, fabs(k[i][j] - (plus[i] - minus[i]) / (2 * epsilon)));
        size = fmax(size, fabs(k[i][j]));
      }
    }
    ck_assert_double_le(worst, 1e-8 * size);
  }
}
END_TEST

// The length at the end as one more unknown.
START_TEST(test_length_tangent) {
  const double epsilon = 1e-6;
  uint64_t seed = 13;
  for (int n = 0; n < 100; n++) {
    struct sample s = sample_of(&seed, 1, 0.3);
    choose_kind(&s.x, n, &seed);
    struct sample longer = s, shorter = s;
    struct growing_length_tangent t = growing_element_length_tangent(&s.x);
    double plus[12], minus[12], size = fabs(t.own_npm), worst;
    longer.x.grown_m += epsilon, shorter.x.grown_m -= epsilon;
    balance_of(&longer, plus), balance_of(&shorter, minus);
    double own =
        growing_element_forces(&longer.x).length_force_n - growing_element_forces(&shorter.x).length_force_n;
    worst = fabs(t.own_npm - own / (2 * epsilon));
    for (int i = 0; i < 12; i++) {
      struct sample up = nudged(&s, i, epsilon), down = nudged(&s, i, -epsilon);
      double row =
          growing_element_forces(&up.x).length_force_n - growing_element_forces(&down.x).length_force_n;
      worst = fmax(worst, fabs(t.row[i] - row / (2 * epsilon)));
      worst = fmax(worst, fabs(t.column[i] - (plus[i] - minus[i]) / (2 * epsilon)));
      size = fmax(size, fmax(fabs(t.row[i]), fabs(t.column[i])));
    }
    ck_assert_double_le(worst, 1e-8 * size);
  }
}
END_TEST

// In a straight stretched element the grip holds N + N^2/(2 EA).
START_TEST(test_grip) {
  struct growing_element x = {.start_m = 10, .grown_m = 1, .stiffness = {1e6, 4e5, 4e5, 1e4, 1e4, 1e4}};
  mat3 axes = quat_matrix(quat_cayley((vec3){0.3, 0.2, -0.5}));
  for (int k = 0; k < 3; k++)
    x.a[k] = x.b[k] = mat3_column(&axes, k);
  x.chord = vec3_scale(10.1, x.a[0]);
  ck_assert_double_eq_tol(growing_element_grip_n(&x), 1e4 + 1e8 / 2e6, 1e-7);
}
END_TEST

// Two kinds in series are as soft as two springs in series.
START_TEST(test_two_kinds) {
  struct growing_element x = {.start_m = 11, .stiffness = {1e6, 4e5, 4e5, 1e4, 1e4, 1e4}};
  x.has_next = 1, x.own_m = 10;
  mat3 axes = quat_matrix(quat_cayley((vec3){0.3, 0.2, -0.5}));
  for (int k = 0; k < 3; k++)
    x.a[k] = x.b[k] = mat3_column(&axes, k);
  for (int k = 0; k < 6; k++)
    x.next_stiffness[k] = 0.05 * x.stiffness[k];
  x.chord = vec3_scale(11.3, x.a[0]); // 10/1e6 + 1/5e4 = 3e-5 m/N
  ck_assert_double_eq_tol(growing_element_forces(&x).stress[0], 1e4, 1e-7);
  ck_assert_double_eq_tol(growing_element_energy(&x), 0.5 * 1e4 * 0.3, 1e-8);
  ck_assert_double_eq_tol(growing_element_grip_n(&x), 1e4 + 1e8 / 1e5, 1e-7); // the material at the grip
}
END_TEST

// A weight F between two springs: T/1e5 + (T + F)/5e4 = 0.3. The nodes carry F by the lever of the lengths.
START_TEST(test_boundary) {
  struct growing_element x = {.start_m = 11, .stiffness = {1e6, 4e5, 4e5, 1e4, 1e4, 1e4}};
  x.has_next = 1, x.own_m = 10;
  x.boundary_n = 2500, x.boundary_npm = 500; // 3000 in all
  for (int k = 0; k < 3; k++)
    x.a[k] = x.b[k] = (vec3){k == 0, k == 1, k == 2};
  for (int k = 0; k < 6; k++)
    x.next_stiffness[k] = 0.05 * x.stiffness[k];
  x.chord = (vec3){11.3, 0, 0};
  ck_assert_double_eq_tol(growing_element_forces(&x).stress[0], 8000 + 3000 / 11.0, 1e-7);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("core_top_growing_element");
  TCase *t = add_case(suite, "element", 20);
  tcase_add_test(t, test_work_is_change_of_energy);
  tcase_add_test(t, test_constant_length_is_the_element);
  tcase_add_test(t, test_tangent);
  tcase_add_test(t, test_length_tangent);
  tcase_add_test(t, test_grip);
  tcase_add_test(t, test_two_kinds);
  tcase_add_test(t, test_boundary);
  return run_suite(suite);
}
