// The watch of the tension: made series of tensions.
#include "sagbend/sim/sim.h"

#include "suite.h"

#include <math.h>

static const double MEAN_N = 1.4e6, LEAST_N = 3e3;
enum { STEPS = 400 };

// Deviation d of step n of an alternation about the mean.
static double alternating(int n, double deviation_n) {
  return MEAN_N + (n % 2 ? 0.5 : -0.5) * deviation_n;
}

// First step at which the watch speaks; 0: none.
static int raised_at(double (*tension_n)(int n, double parameter), double parameter, double least_n) {
  struct tension_watch watch = {0};
  for (int n = 1; n <= STEPS; n++)
    if (tension_watch_step(&watch, tension_n(n, parameter), least_n))
      return n;
  return 0;
}

// Ten deviations beyond 0.1 %, of which the first can be known one step after the start that is not judged.
START_TEST(test_limit) {
  ck_assert_int_eq(raised_at(alternating, 1.001e-3 * MEAN_N, LEAST_N), TENSION_START + TENSION_ALTERNATIONS);
  ck_assert_int_eq(raised_at(alternating, 0.999e-3 * MEAN_N, LEAST_N), 0);
}
END_TEST

static double beginning(int n, double parameter) {
  return n <= TENSION_START ? alternating(n, parameter) : MEAN_N;
}

// Seven tensions that alternate, which are nine deviations, then rest, again and again.
static double interrupted(int n, double parameter) {
  return n % 12 < 5 ? MEAN_N : alternating(n, parameter);
}

static double jumping(int n, double parameter) {
  return MEAN_N + (n / 50 % 2 ? parameter : 0);
}

// A wave of a number of steps.
static double waving(int n, double steps) {
  return MEAN_N + 0.5 * MEAN_N * sin(2 * 3.14159265358979 * n / steps);
}

START_TEST(test_other_motions) {
  ck_assert_int_eq(raised_at(beginning, 0.1 * MEAN_N, LEAST_N), 0);
  ck_assert_int_eq(raised_at(interrupted, 0.1 * MEAN_N, LEAST_N), 0);
  ck_assert_int_eq(raised_at(jumping, 0.1 * MEAN_N, LEAST_N), 0);
  for (double steps = 3; steps < 50; steps += 0.37)
    ck_assert_int_eq(raised_at(waving, steps, LEAST_N), 0);
  ck_assert_int_gt(raised_at(waving, 2.05, LEAST_N), TENSION_START); // not resolved by the step
}
END_TEST

static double growing(int n, double parameter) {
  return MEAN_N + (n % 2 ? 1 : -1) * 1e-3 * pow(parameter, n);
}

// What a shock leaves, by the share that a step keeps.
static double decaying(int n, double parameter) {
  return MEAN_N + (n % 2 ? 1 : -1) * (n < 200 ? 0 : 0.2 * MEAN_N * pow(parameter, n - 200));
}

static double slack(int n, double parameter) {
  return n % 2 ? parameter : -parameter;
}

START_TEST(test_growth_and_slack) {
  const int at = raised_at(growing, 1.1, LEAST_N); // amplitude 700 N after 141 steps
  ck_assert(at > 141 && at <= 141 + TENSION_ALTERNATIONS + 1);
  ck_assert_int_eq(raised_at(decaying, 0.9, LEAST_N), 0);
  ck_assert_int_gt(raised_at(decaying, 0.97, LEAST_N), 200);
  ck_assert_int_eq(raised_at(slack, 1, LEAST_N), 0);
  ck_assert_int_gt(raised_at(slack, 2, LEAST_N), 0);
}
END_TEST

// What it knows is all that it needs: a copy goes on alike.
START_TEST(test_copy) {
  struct tension_watch watch = {0};
  int n = 1;
  while (n <= TENSION_START + 4)
    tension_watch_step(&watch, alternating(n++, 0.01 * MEAN_N), LEAST_N);
  struct tension_watch copy = watch;
  for (; n < STEPS; n++) {
    const int one = tension_watch_step(&watch, alternating(n, 0.01 * MEAN_N), LEAST_N),
              other = tension_watch_step(&copy, alternating(n, 0.01 * MEAN_N), LEAST_N);
    ck_assert(one == other && one == (n % 9 == 2 && n > TENSION_START + 9));
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("core_sim_tension_watch");
  TCase *t = add_case(suite, "watch", 10);
  tcase_add_test(t, test_limit);
  tcase_add_test(t, test_other_motions);
  tcase_add_test(t, test_growth_and_slack);
  tcase_add_test(t, test_copy);
  return run_suite(suite);
}
