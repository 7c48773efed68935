// Exact splitting of the vessel against an independent integration (tests/reference/vessel_pid.csv): orders,
// exact energy balance, and the action of the matrix exponential on which it is based.
#include "sagbend/math/math.h"
#include "sagbend/rigid/rigid.h"
#include "sagbend/rigid/rigid_internal.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t stream = 3;
static double noise(void) { // in (-1, 1)
  stream = stream * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)stream / 9223372036854775808.0;
}

// ---- the exponential ----

START_TEST(exponential_of_an_oscillator) { // x'' + 2 d x' + w^2 x = c, from rest at x = 1
  for (int i = 0; i < 200; i++) {
    double w = 3 + 2.9 * noise(), d = 0.5 * noise(), c = noise(), h = 12 * noise();
    double a[PHI_MAX][PHI_MAX] = {{0, 1, 0}, {-w * w, -2 * d, c}, {0, 0, 0}}, x[3] = {1, 0, 1};
    double speed_squared = 0, away = sqrt(w * w > d * d ? w * w - d * d : 0);
    if (away < 0.1)
      continue;
    int parts = phi_part_count(3, (const double (*)[PHI_MAX])a, h);
    for (int k = 0; k < parts; k++) {
      struct phi_path path;
      double row[3] = {0, 1, 0}, speed[PHI_TERMS];
      phi_path_of(3, (const double (*)[PHI_MAX])a, h / parts, x, &path);
      phi_row(&path, row, speed);
      speed_squared += phi_product(&path, speed, speed);
      phi_end(&path, x);
    }
    double rest = c / (w * w), grown = exp(-d * h), size = 1 + fabs(grown), e = exp(-2 * d * h);
    double position = rest + (1 - rest) * grown * (cos(away * h) + d / away * sin(away * h));
    double speed = -(1 - rest) * grown * w * w / away * sin(away * h);
    ck_assert_double_eq_tol(x[0], position, 2e-14 * size * (1 + fabs(h)));
    ck_assert_double_eq_tol(x[1], speed, 2e-13 * size * (1 + fabs(h)));
    // the energy says what the integral of x'^2 is: d/dt (x'^2 + w^2 (x - rest)^2)/2 = -2 d x'^2
    double change = 0.5 * (x[1] * x[1] + w * w * ((x[0] - rest) * (x[0] - rest) - (1 - rest) * (1 - rest)));
    ck_assert_double_eq_tol(-2 * d * speed_squared, change, 1e-12 * w * w * (1 + e) * (1 + fabs(h)));
  }
  double bad[PHI_MAX][PHI_MAX] = {{(double)INFINITY}};
  ck_assert_int_eq(phi_part_count(1, (const double (*)[PHI_MAX])bad, 1), 0);
}
END_TEST

// ---- the vessel of Celledoni, Hoiseth, Ramzina (2018), Appendix D ----

static struct split_vessel paper_vessel(void) {
  const double g = 9.81;
  struct split_vessel v = {.mass_kg = 6.3622085e6,
                           .moment_kgm2 = {2.873071e8, 2.726143e9, 2.90000e9},
                           .damping = {3.53933789e1, 1.1781388e2, 1.4566249e6, 9.329153987e2,
                                       6.514979127508227e8, 3.15094664584e4},
                           .heave_npm = 1025 * g * 1383.4};
  v.inertia = rigid_inertia_of(v.moment_kgm2);
  v.tilt_nm[0] = v.mass_kg * g * 103.628;
  v.tilt_nm[1] = v.mass_kg * g * 2.1440;
  return v;
}

static const struct split_pid paper_pid = {
    {4e5, 4e5, 0, 0, 0, 1e8}, {4e6, 4e6, 0, 0, 0, 1e9}, {1e3, 1e3, 0, 0, 0, 2e5}, {780, 20, 0, 0, 0, 0.54}};
static const struct {
  const struct scheme *scheme;
  enum rigid_attitude how;
} methods[] = {{&scheme_v2, RIGID_MAGNUS_2}, {&scheme_s4_6, RIGID_MAGNUS_4}, {&scheme_s6_10, RIGID_MAGNUS_6}};

static struct split_state paper_start(void) {
  const double euler[3] = {0.05, -0.02, 0.10};
  return (struct split_state){.x_n = {723, 0, 0}, .q_nb = quat_of_euler(euler)};
}

struct reference {
  double t, p[3], m[3], q[9], x[3];
};
static int read_reference(const char *name, struct reference *rows, int most) {
  FILE *f = fopen(TEST_SOURCE_DIR "/tests/reference/vessel_pid.csv", "r");
  ck_assert_ptr_nonnull(f);
  char line[2048];
  int count = 0;
  size_t length = strlen(name);
  while (count < most && fgets(line, sizeof line, f)) {
    if (strncmp(line, name, length) != 0)
      continue;
    double v[19];
    char *at = line + length;
    for (int k = 0; k < 19; k++)
      v[k] = strtod(at + 1, &at);
    memcpy(&rows[count++], v, sizeof v);
  }
  fclose(f);
  return count;
}

struct errors { // relative, of m, p; absolute, of q and x
  double m, p, q, x;
};
static struct errors errors_of(const struct split_vessel *v, const struct split_state *s,
                               const struct reference *r) {
  double m = 0, m2 = 0, p = 0, p2 = 0, q = 0;
  mat3 attitude = quat_matrix(s->q_nb);
  for (int i = 0; i < 3; i++) {
    m += pow(v->moment_kgm2[i] * s->nu[3 + i] - r->m[i], 2), m2 += r->m[i] * r->m[i];
    p += pow(v->mass_kg * s->nu[i] - r->p[i], 2), p2 += r->p[i] * r->p[i];
    for (int j = 0; j < 3; j++)
      q += pow(attitude.m[i][j] - r->q[3 * i + j], 2) / 2;
  }
  return (struct errors){sqrt(m / m2), sqrt(p / p2), sqrt(q), vec3_norm(vec3_sub(s->x_n, vec3_of(r->x)))};
}

START_TEST(orders_against_the_reference) {
  struct split_vessel v = paper_vessel();
  struct reference r;
  ck_assert_int_eq(read_reference("pid_from_0", &r, 1), 1);
  struct errors e[2];
  for (int fine = 0; fine < 2; fine++) {
    struct split_state s = paper_start();
    int steps = _i == 0 ? 16 << fine : 4 << fine;
    struct split_step k = {
        .vessel = &v, .scheme = methods[_i].scheme, .how = methods[_i].how, .pid = &paper_pid};
    for (int i = 0; i < steps; i++)
      ck_assert(split_vessel_step(&k, &s, NULL, 1.0 / steps).solved);
    e[fine] = errors_of(&v, &s, &r);
  }
  const double slope[4] = {log2(e[0].m / e[1].m), log2(e[0].p / e[1].p), log2(e[0].q / e[1].q),
                           log2(e[0].x / e[1].x)};
  // the correction of attitude and tilt improves momentum and position more on the coarser step
  for (int c = 0; c < 4; c++)
    ck_assert_msg(slope[c] > 2 * _i + 2 - 0.12 && slope[c] < 2 * _i + 2 + 1.05,
                  "order %d, component %d: slope %.3f", 2 * _i + 2, c, slope[c]);
}
END_TEST

START_TEST(long_steps_follow_the_published_run) { // SP4, steps of 1 s, controller from 50 s
  struct split_vessel v = paper_vessel();
  struct reference rows[16];
  int count = read_reference("pid_from_50", rows, 16);
  ck_assert_int_ge(count, 6);
  struct split_state s = paper_start();
  struct split_step k = {.vessel = &v, .scheme = &scheme_s4_6, .how = RIGID_MAGNUS_4};
  int row = 1;
  for (int second = 1; second <= 200; second++) {
    k.pid = second > 50 ? &paper_pid : NULL;
    ck_assert(split_vessel_step(&k, &s, NULL, 1).solved);
    if (row < count && rows[row].t == second) {
      struct errors e = errors_of(&v, &s, &rows[row++]);
      ck_assert_msg(e.x < 2e-6 && e.q < 5e-6, "at %d s: %g m, %g rad", second, e.x, e.q);
    }
  }
  ck_assert_int_eq(row, count);
}
END_TEST

// ---- energy ----

static void held_wrench(const void *of, const mat3 *q_nb, double wrench_b[6]) NONBLOCKING {
  const double *w = of; // a force in n, a moment in b
  vec3_to(mat3_tmul(q_nb, vec3_of(w)), wrench_b);
  memcpy(wrench_b + 3, w + 3, 3 * sizeof *w);
}

// Random starts, wrenches, controllers and steps: the change of energy is work minus loss to rounding; with
// SP2 the loss is never negative, so that no step gains more than its ports give.
START_TEST(balance_is_exact) {
  struct split_vessel v = paper_vessel();
  for (int i = 0; i < 2000; i++) {
    double euler[3] = {0.6 * noise(), 0.3 * noise(), 3 * noise()}, load[6], tilt[2];
    struct split_state s = {.x_n = {700 + 100 * noise(), 50 * noise(), 3 * noise()},
                            .q_nb = quat_of_euler(euler)};
    for (int c = 0; c < 6; c++) {
      s.nu[c] = (c < 3 ? 5 : 0.1) * noise();
      s.integral[c] = 10 * noise();
      load[c] = (c < 3 ? 1e6 : 3e7) * noise();
    }
    double h = pow(10, -0.35 + 1.65 * noise()); // 0.01 to 20 s
    struct split_step k = {.vessel = &v,
                           .scheme = methods[i % 3].scheme,
                           .how = methods[i % 3].how,
                           .load = held_wrench,
                           .load_of = load,
                           .pid = i % 2 ? &paper_pid : NULL};
    split_tilt_of(s.q_nb, tilt);
    double before = split_energy_j(&v, &s, tilt), turnover = before;
    for (int n = 0; n < 5; n++) {
      struct split_account a = split_vessel_step(&k, &s, NULL, h);
      if (!a.solved)
        break; // capsized: reported, and the state no longer advances
      split_tilt_of(s.q_nb, tilt);
      double after = split_energy_j(&v, &s, tilt);
      turnover += fabs(a.control_j) + fabs(a.load_j) + fabs(a.loss_j) + after;
      ck_assert_double_eq_tol(after - before, a.control_j + a.load_j - a.loss_j, 3e-13 * turnover);
      if (i % 3 == 0)
        ck_assert_double_ge(a.loss_j, 0);
      before = after;
    }
  }
}
END_TEST

// Inconsistency between the attitude and the tilt from which the moment is computed, over an hour of wave
// moments. Without the correction it accumulates; with it, each step removes what it has caused.
START_TEST(attitude_and_tilt_stay_together) {
  struct split_vessel v = paper_vessel();
  v.damping[3] = 2e7; // with the paper's 933 N m s the vessel capsizes by resonance
  double left_open = 0, closed = 0, load[6] = {0};
  for (int kept = 0; kept < 2; kept++) {
    struct split_state s = paper_start();
    double tilt[2], now[2];
    split_tilt_of(s.q_nb, tilt);
    struct split_step k = {.vessel = &v,
                           .scheme = &scheme_v2,
                           .how = RIGID_MAGNUS_2,
                           .keep_tilt = kept,
                           .load = held_wrench,
                           .load_of = load};
    for (int i = 0; i < 7200; i++) {
      load[3] = 2e7 * sin(0.35 * i), load[4] = 4e8 * sin(0.41 * i), load[5] = 5e6 * sin(0.05 * i);
      struct split_account a = split_vessel_step(&k, &s, tilt, 0.5);
      ck_assert(a.solved);
      split_tilt_of(s.q_nb, now);
      if (kept)
        left_open = fmax(left_open, hypot(now[0] - tilt[0], now[1] - tilt[1]));
      closed = fmax(closed, a.correction_rad);
    }
  }
  ck_assert_msg(left_open > 4 * closed && closed > 0, "left open %g, closed %g", left_open, closed);
}
END_TEST

START_TEST(what_cannot_be_solved_is_told) {
  struct split_vessel v = paper_vessel();
  struct split_state s = paper_start(), before;
  s.nu[3] = 1e300;
  before = s;
  struct split_step k = {.vessel = &v, .scheme = &scheme_v2, .how = RIGID_MAGNUS_2};
  struct split_account a = split_vessel_step(&k, &s, NULL, 1);
  ck_assert_int_eq(a.solved, 0);
  ck_assert_mem_eq(&s, &before, sizeof s);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("rigid_vessel");
  TCase *t = add_case(suite, "vessel", 60);
  tcase_add_test(t, exponential_of_an_oscillator);
  tcase_add_loop_test(t, orders_against_the_reference, 0, 3);
  tcase_add_test(t, long_steps_follow_the_published_run);
  tcase_add_test(t, balance_is_exact);
  tcase_add_test(t, attitude_and_tilt_stay_together);
  tcase_add_test(t, what_cannot_be_solved_is_told);
  return run_suite(suite);
}
