// The law of the tensioner by itself: its balance and its losses over random steps, its derivative, the
// brake, slip, a bound that shrinks, the limits of speed and power.
#include "sagbend/pipeline/pipeline.h"
#include "suite.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

static double noise(uint64_t *seed) { // in (-1, 1)
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)*seed / 9223372036854775808.0;
}

// A random step; the stretch may lie beyond the bound, as after the bound has shrunk.
static struct tensioner_step step_of(uint64_t *seed) {
  struct tensioner_step x = {.step_s = 0.001 * pow(200, 0.5 + 0.5 * noise(seed)),
                             .mass_kg = 1e5 * (1.1 + noise(seed)),
                             .speed_mps = 2 * noise(seed),
                             .set_n = 1e6 * noise(seed),
                             .stiffness_npm = 1e8 * (1.1 + noise(seed)),
                             .damping_nspm = 1e5 * (1 + noise(seed))};
  x.power_w = noise(seed) > 0 ? 0 : 5e5;
  x.bound_n = noise(seed) > 0.8 ? 0 : 5e5 * (1 + noise(seed));
  x.travel_m = noise(seed) > 0 ? 0 : x.step_s * noise(seed);
  x.stretch_m = 2 * x.bound_n / x.stiffness_npm * noise(seed) + 1e-3 * noise(seed);
  x.stop_speed_mps = 1 + noise(seed), x.stop_nspm = noise(seed) > 0 ? 0 : 1e7;
  return x;
}

START_TEST(test_balance) {
  uint64_t seed = 5;
  double worst = 0;
  for (int k = 0; k < 100000; k++) {
    struct tensioner_step x = step_of(&seed);
    double length = 3 * x.step_s * noise(&seed);
    struct tensioner_force f = tensioner_force_of(&x, length);
    double before = tensioner_energy(x.mass_kg, x.stiffness_npm, x.speed_mps, x.stretch_m),
           after = tensioner_energy(x.mass_kg, x.stiffness_npm, f.end_speed_mps, f.end_stretch_m);
    double scale = before + after + fabs(f.force_n * length) + fabs(f.work_j) + f.loss_j;
    worst = fmax(worst, fabs(f.force_n * length - (after - before - f.work_j + f.loss_j)) / scale);
    ck_assert_double_ge(f.loss_j, 0);
    ck_assert_double_le(fabs(f.end_stretch_m), x.bound_n / x.stiffness_npm);
  }
  printf("balance of 100000 random steps: %.1e\n", worst);
  ck_assert_double_le(worst, 1e-14);
}
END_TEST

START_TEST(test_slope) {
  uint64_t seed = 9;
  int kinks = 0;
  for (int k = 0; k < 10000; k++) {
    struct tensioner_step x = step_of(&seed);
    double length = 3 * x.step_s * noise(&seed), epsilon = 1e-7 * x.step_s;
    struct tensioner_force f = tensioner_force_of(&x, length), up = tensioner_force_of(&x, length + epsilon),
                           down = tensioner_force_of(&x, length - epsilon);
    double slope = (up.force_n - down.force_n) / (2 * epsilon), rounding = 1e-9 * fabs(f.force_n) / epsilon;
    kinks += !(fabs(slope - f.slope_npm) <= 1e-5 * fabs(f.slope_npm) + rounding);
  }
  ck_assert_int_le(kinks, 5); // a difference across a kink
}
END_TEST

// A brake that holds is a spring; pulled beyond the bound it lets the pipe slip at that force.
START_TEST(test_brake) {
  struct tensioner_step x = {.step_s = 0.1, .mass_kg = 0, .bound_n = 1e6, .stiffness_npm = 1e8};
  struct tensioner_force holds = tensioner_force_of(&x, 4e-3);
  ck_assert_double_eq_tol(holds.force_n, 2e5, 1e-6); // mean of 0 and 4e5
  ck_assert_double_eq(holds.loss_j, 0);
  x.stretch_m = 0.01;
  struct tensioner_force slips = tensioner_force_of(&x, 0.5);
  ck_assert_double_eq_tol(slips.force_n, 1e6, 1e-6);
  // From rest to slip within a step: the elastic part of the way has the mean of both forces.
  x.stretch_m = 0;
  ck_assert_double_eq_tol(tensioner_force_of(&x, 0.04).force_n, (0.01 * 5e5 + 0.03 * 1e6) / 0.04, 1e-6);
  x.stretch_m = 0.01;
  ck_assert_double_eq_tol(slips.loss_j, 5e5, 1e-3);
  ck_assert_double_eq_tol(slips.end_stretch_m, 0.01, 1e-15);
  // Brake gone: nothing holds, and the energy of the spring is the loss, whichever way the pipe goes.
  x.bound_n = 0;
  struct tensioner_force back = tensioner_force_of(&x, -0.5);
  ck_assert_double_eq(back.force_n, 0);
  ck_assert_double_eq_tol(back.loss_j, 5e3, 1e-9);
  ck_assert_double_eq(back.end_stretch_m, 0);
}
END_TEST

// Tracks that move take the pipe along with the force of the grip; the work is theirs.
START_TEST(test_speed) {
  struct tensioner_step x = {.step_s = 0.1,
                             .stretch_m = 5e-3,
                             .travel_m = 0.02,
                             .bound_n = 1e6,
                             .stiffness_npm = 1e8,
                             .damping_nspm = 1e5};
  struct tensioner_force f = tensioner_force_of(&x, 0.02);
  ck_assert_double_eq_tol(f.force_n, 5e5, 1e-6);
  ck_assert_double_eq_tol(f.work_j, -1e4, 1e-6);
  ck_assert_double_eq_tol(f.loss_j, 0, 1e-9);
}
END_TEST

START_TEST(test_limits) {
  struct tensioner_step x = {.step_s = 0.1, .set_n = 1e6, .power_w = 5e5, .stiffness_npm = 1e8};
  ck_assert_double_eq_tol(tensioner_force_of(&x, 0.04).force_n, 1e6, 1e-6);
  x.speed_mps = 1; // no mass: the speed at the start limits the force alone
  ck_assert_double_eq_tol(tensioner_force_of(&x, 0.1).force_n, 5e5, 1e-6);
  ck_assert_double_eq_tol(tensioner_force_of(&x, -0.1).force_n, 5e5, 1e-6);
  x.speed_mps = -1.6;
  x.stop_speed_mps = 1.5, x.stop_nspm = 1e7;
  struct tensioner_force f = tensioner_force_of(&x, 0.16);
  ck_assert_double_eq_tol(f.force_n, 5e5 / 1.6 + 1e6, 1e-6);
  ck_assert_double_eq_tol(f.loss_j, 1.6e5, 1e-6);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("core_top_tensioner");
  TCase *t = add_case(suite, "tensioner", 20);
  tcase_add_test(t, test_balance);
  tcase_add_test(t, test_slope);
  tcase_add_test(t, test_brake);
  tcase_add_test(t, test_speed);
  tcase_add_test(t, test_limits);
  return run_suite(suite);
}
