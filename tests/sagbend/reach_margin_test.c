// The ray cast of the thrusters: properties that every answer must have. tests/program/reach_test.py compares
// it with linear programmes.

#include "sagbend/math/math.h"
#include "sagbend/reach/reach.h"

#include "suite.h"

#include <math.h>
#include <string.h>

static struct reach set;
static struct reach_answer answer;

static double draw(uint64_t *seed, double low, double high) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(*seed >> 11) * 0x1p-53;
}

// Two tunnels and some azimuth thrusters with a forbidden zone each; with buses if limit_w > 0.
static void random_vessel(uint64_t *seed, int azimuths, double limit_w) {
  reach_clear(&set);
  if (limit_w > 0)
    reach_add_bus(&set, limit_w), reach_add_bus(&set, 0.7 * limit_w);
  for (int i = 0; i < azimuths + 2; i++) {
    double thrust = draw(seed, 1e5, 7e5), power = thrust * draw(seed, 5, 8);
    int bus = limit_w > 0 ? i % 2 : -1;
    struct reach_unit *unit = reach_add_unit(&set, draw(seed, -45, 45), draw(seed, -9, 9), power, bus);
    if (i < 2) {
      reach_add_segment(unit, TRIG_PI / 2, thrust, thrust * draw(seed, 0.6, 1));
    } else {
      double from = draw(seed, -3, 3);
      reach_add_sector(unit, from, from + draw(seed, 4, 6.2), thrust);
    }
  }
}

static void random_load(uint64_t *seed, double load[3]) {
  load[0] = draw(seed, -1e5, 1e5), load[1] = draw(seed, -1e5, 1e5), load[2] = draw(seed, -4e6, 4e6);
}

static void sum_of(const struct reach_answer *a, double w[3]) {
  w[0] = w[1] = w[2] = 0;
  for (int i = 0; i < set.unit_count; i++) {
    const double *f = a->force_n[i], *p = set.unit[i].place_m;
    w[0] += f[0], w[1] += f[1], w[2] += p[0] * f[1] - p[1] * f[0];
  }
}

// The answer attains its margin with forces that the thrusters can give, and no support proves less than its
// bound.
START_TEST(the_forces_attain_the_margin) {
  uint64_t seed = (uint64_t)_i + 1;
  random_vessel(&seed, 1 + _i % 8, _i % 3 ? 2e6 : 0);
  double load[3], w[3], bus_w[2] = {0, 0};
  random_load(&seed, load);
  reach_solve(&set, NULL, load, 1e-10, &answer);
  ck_assert_int_eq(answer.end, REACH_FOUND);
  ck_assert(answer.margin > 0);
  ck_assert(answer.bound >= answer.margin && answer.bound <= answer.margin * (1 + 1e-9));
  sum_of(&answer, w);
  for (int i = 0; i < 3; i++)
    ck_assert(fabs(w[i] - answer.margin * load[i]) <=
              1e-8 * answer.margin * (fabs(load[i]) + (i < 2 ? 1e4 : 1e5)));
  for (int i = 0; i < set.unit_count; i++) {
    double share = reach_share(&set.unit[i], answer.force_n[i]);
    ck_assert(share <= 1 + 1e-8);
    if (set.unit[i].bus >= 0)
      bus_w[set.unit[i].bus] += reach_power_w(&set.unit[i], answer.force_n[i]);
  }
  for (int b = 0; b < set.bus_count; b++)
    ck_assert(bus_w[b] <= set.limit_w[b] * (1 + 1e-8));
}
END_TEST

// No direction of the dual proves a smaller bound than the margin.
START_TEST(no_dual_is_below_the_margin) {
  uint64_t seed = (uint64_t)_i + 77;
  random_vessel(&seed, 3, _i % 2 ? 2e6 : 0);
  double load[3], force_n[REACH_UNITS][2];
  random_load(&seed, load);
  reach_solve(&set, NULL, load, 1e-10, &answer);
  for (int i = 0; i < 300; i++) {
    double l[3] = {draw(&seed, -1, 1), draw(&seed, -1, 1), draw(&seed, -1, 1) / 45};
    double along = l[0] * load[0] + l[1] * load[1] + l[2] * load[2];
    if (along > 1e3)
      ck_assert(reach_support(&set, NULL, l, force_n) / along >= answer.margin * (1 - 1e-9));
  }
}
END_TEST

START_TEST(the_margin_scales_and_mirrors) {
  uint64_t seed = (uint64_t)_i + 5;
  random_vessel(&seed, 2, 0);
  double load[3];
  random_load(&seed, load);
  reach_solve(&set, NULL, load, 1e-10, &answer);
  double margin = answer.margin, twice[3] = {2 * load[0], 2 * load[1], 2 * load[2]};
  reach_solve(&set, NULL, twice, 1e-10, &answer);
  ck_assert_double_eq_tol(2 * answer.margin, margin, 1e-9 * margin);
  // Forward and aft exchanged: places and sectors mirrored, the moment of the load changes its sign.
  static struct reach mirrored;
  mirrored = set;
  for (int i = 0; i < set.unit_count; i++) {
    struct reach_unit *unit = &mirrored.unit[i];
    const struct reach_unit *from = &set.unit[i];
    unit->place_m[1] = -from->place_m[1];
    for (int p = 0; p < from->piece_count; p++) {
      unit->piece[p] = from->piece[from->piece_count - 1 - p];
      int first = unit->piece[p].first, last = first + unit->piece[p].count - 1;
      for (int j = first; j <= last; j++) {
        unit->point_n[j][0] = from->point_n[first + last - j][0];
        unit->point_n[j][1] = -from->point_n[first + last - j][1];
      }
    }
  }
  double other[3] = {load[0], -load[1], -load[2]};
  reach_solve(&mirrored, NULL, other, 1e-10, &answer);
  ck_assert_double_eq_tol(answer.margin, margin, 1e-8 * margin);
}
END_TEST

START_TEST(a_load_of_zero_has_no_limit) {
  uint64_t seed = 3;
  random_vessel(&seed, 2, 0);
  reach_solve(&set, NULL, (double[3]){0, 0, 0}, 1e-10, &answer);
  ck_assert_int_eq(answer.end, REACH_WITHOUT_LOAD);
  ck_assert(isinf(answer.margin));
}
END_TEST

START_TEST(nothing_holds_without_a_thruster) {
  reach_clear(&set);
  reach_solve(&set, NULL, (double[3]){1e3, 0, 0}, 1e-10, &answer);
  ck_assert_int_eq(answer.end, REACH_FOUND);
  ck_assert(answer.margin == 0 && answer.bound == 0);
  reach_solve(&set, (double[3]){1, 0, 0}, (double[3]){1e3, 0, 0}, 1e-10, &answer);
  ck_assert_int_eq(answer.end, REACH_NOT_HELD);
}
END_TEST

// Tunnels alone give no surge, at any side force beside it.
START_TEST(a_direction_that_none_gives_has_margin_zero) {
  uint64_t seed = 3;
  random_vessel(&seed, 0, 0);
  for (int i = 0; i < 2; i++) {
    reach_solve(&set, NULL, (double[3]){1e3, i * 1e4, 0}, 1e-10, &answer);
    ck_assert_int_eq(answer.end, REACH_FOUND);
    ck_assert(answer.margin == 0 && answer.bound < 1e-5);
  }
}
END_TEST

// A propeller on the centre line pushes ahead with all its thrust, although it gives nothing else.
START_TEST(a_single_propeller_pushes_ahead) {
  reach_clear(&set);
  reach_add_segment(reach_add_unit(&set, -40, 0, 1e6, -1), 0, 5e5, 3e5);
  reach_solve(&set, NULL, (double[3]){1e5, 0, 0}, 1e-10, &answer);
  ck_assert_double_eq_tol(answer.margin, 5, 1e-9);
  reach_solve(&set, NULL, (double[3]){-1e5, 0, 0}, 1e-10, &answer);
  ck_assert_double_eq_tol(answer.margin, 3, 1e-9);
  reach_solve(&set, (double[3]){2e5, 0, 0}, (double[3]){1e5, 0, 0}, 1e-10, &answer);
  ck_assert_double_eq_tol(answer.margin, 3, 1e-8);
  reach_solve(&set, (double[3]){6e5, 0, 0}, (double[3]){-1e5, 0, 0}, 1e-10, &answer);
  ck_assert_int_eq(answer.end, REACH_NOT_HELD);
}
END_TEST

// A thruster that gives next to nothing, and one that may not push along the load, take no part. The margin
// is that of the others, and not what a disturbance of the load would give.
START_TEST(next_to_nothing_adds_nothing) {
  static const double CORNER = TRIG_PI / 18;
  reach_clear(&set);
  reach_add_sector(reach_add_unit(&set, 38.2, 7.6, 1e6, -1), TRIG_PI / 3, TRIG_PI * 5 / 3, 1.95e6);
  reach_add_sector(reach_add_unit(&set, 32.5, 7.6, 1e6, -1), 0, 2 * TRIG_PI, pow(10, -_i));
  for (int i = 0; i < 2; i++) { // circles as polygons, in two pieces
    struct reach_unit *unit = reach_add_unit(&set, -124, 0, 1e6, -1);
    double thrust = i ? 7e5 : 5.1e6;
    for (int j = 0; j <= 36; j += j == 18 && unit->piece_count == 1 ? 0 : 1) {
      if (j % 18 == 0 && unit->piece_count < 2)
        reach_begin_piece(unit);
      reach_add_point(unit, thrust * trig_cos(j * CORNER), thrust * trig_sin(j * CORNER));
    }
  }
  reach_solve(&set, NULL, (double[3]){5.8e6, 0, 0}, 1e-10, &answer);
  ck_assert_int_eq(answer.end, REACH_FOUND);
  ck_assert_double_eq_tol(answer.margin, 1, 1e-6);
  ck_assert(answer.bound >= answer.margin && answer.bound < 1 + 1e-6);
  for (int i = 0; i < set.unit_count; i++)
    ck_assert(reach_share(&set.unit[i], answer.force_n[i]) >= 0);
}
END_TEST

// Two equal thrusters share a bus equally: each gives (1/2)^(2/3) of its thrust on half the power.
START_TEST(a_bus_limits_the_power_of_its_thrusters) {
  reach_clear(&set);
  int bus = reach_add_bus(&set, 1e6);
  for (int i = 0; i < 2; i++)
    reach_add_sector(reach_add_unit(&set, 0, 0, 1e6, bus), 0, 2 * TRIG_PI, 1e5);
  reach_solve(&set, NULL, (double[3]){0, 1e5, 0}, 1e-10, &answer);
  ck_assert_double_eq_tol(answer.margin, 2 * pow(0.5, 2.0 / 3), 1e-9);
  ck_assert_double_eq_tol(reach_power_w(&set.unit[0], answer.force_n[0]), 5e5, 1);
}
END_TEST

START_TEST(fixed_forces_shift_the_start) {
  uint64_t seed = (uint64_t)_i + 31;
  random_vessel(&seed, 3, _i % 2 ? 3e6 : 0);
  double load[3], fixed[3], all[3];
  random_load(&seed, load);
  random_load(&seed, fixed);
  for (int i = 0; i < 3; i++)
    fixed[i] *= 0.2;
  reach_solve(&set, fixed, load, 1e-10, &answer);
  ck_assert(answer.end == REACH_FOUND || answer.end == REACH_NOT_HELD);
  if (answer.end == REACH_NOT_HELD)
    return;
  ck_assert(answer.bound <= answer.margin * (1 + 1e-8));
  double margin = answer.margin; // at the margin the sum is just held
  for (int i = 0; i < 3; i++)
    all[i] = fixed[i] + margin * load[i];
  reach_solve(&set, NULL, all, 1e-10, &answer);
  ck_assert_double_eq_tol(answer.margin, 1, 1e-8);
}
END_TEST

START_TEST(what_is_not_finite_gives_no_number) {
  uint64_t seed = 9;
  random_vessel(&seed, 2, 0);
  reach_solve(&set, NULL, (double[3]){(double)NAN, 0, 0}, 1e-10, &answer);
  ck_assert_int_eq(answer.end, REACH_FAILED);
  reach_solve(&set, (double[3]){HUGE_VAL, 0, 0}, (double[3]){1, 0, 0}, 1e-10, &answer);
  ck_assert_int_eq(answer.end, REACH_FAILED);
}
END_TEST

START_TEST(cube_roots) {
  uint64_t seed = 4;
  for (int i = 0; i < 2000; i++) {
    double x = draw(&seed, -1, 1) * pow(10, draw(&seed, -25, 25)), r = reach_cube_root(x);
    ck_assert(fabs(r - cbrt(x)) <= 1e-15 * fabs(r));
  }
  ck_assert(reach_cube_root(0) == 0 && reach_cube_root(8) == 2 && reach_cube_root(-27) == -3);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("reach");
  TCase *t = add_case(suite, "reach", 60);
  tcase_add_loop_test(t, the_forces_attain_the_margin, 0, 200);
  tcase_add_loop_test(t, no_dual_is_below_the_margin, 0, 30);
  tcase_add_loop_test(t, the_margin_scales_and_mirrors, 0, 30);
  tcase_add_test(t, a_load_of_zero_has_no_limit);
  tcase_add_test(t, nothing_holds_without_a_thruster);
  tcase_add_test(t, a_direction_that_none_gives_has_margin_zero);
  tcase_add_test(t, a_single_propeller_pushes_ahead);
  tcase_add_loop_test(t, next_to_nothing_adds_nothing, 0, 10);
  tcase_add_test(t, a_bus_limits_the_power_of_its_thrusters);
  tcase_add_loop_test(t, fixed_forces_shift_the_start, 0, 40);
  tcase_add_test(t, what_is_not_finite_gives_no_number);
  tcase_add_test(t, cube_roots);
  return run_suite(suite);
}
