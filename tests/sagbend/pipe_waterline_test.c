// Pipe at the surface: the circle's segment, its means along an element, the work of a step against the
// change of energy, tangents against differences.
#include "sagbend/math/math.h"
#include "sagbend/pipe/pipe_internal.h"
#include "suite.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static double noise(uint64_t *seed) { // in (-1, 1)
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)*seed / 9223372036854775808.0;
}

// Ends of an element at a place: level, slanted, long and steep.
static void random_ends(uint64_t *seed, double u[2]) {
  static const double slants[] = {0, 1e-3, 0x1p-6, 0.1, 1, 30};
  double slant = slants[(int)(fabs(noise(seed)) * 6)];
  u[0] = 1.3 * noise(seed), u[1] = u[0] + slant * noise(seed);
}

START_TEST(area_of_the_segment_is_that_of_the_circle) {
  // Half in the water at u = 0; the segment above half the radius has 1/3 - sqrt(3)/(4 pi) of the area.
  ck_assert_double_eq_tol(waterline_of(0, 0).gradient[0], -0.25, 1e-15);
  double dry = -2 * waterline_of(0.5, 0.5).gradient[0];
  ck_assert_double_eq_tol(dry, 1.0 / 3 - sqrt(3) / (4 * TRIG_PI), 1e-15);
  ck_assert_double_eq_tol(waterline_of(0, 0).energy, 2 / (3 * TRIG_PI), 1e-15);
  struct waterline wet = waterline_of(1, 70), air = waterline_of(-1, -70);
  ck_assert(wet.energy == 0 && wet.gradient[0] == 0 && wet.gradient[1] == 0);
  ck_assert(air.energy == 35.5 && air.gradient[0] == -0.5 && air.gradient[1] == -0.5);
}
END_TEST

// A straight element through the surface, long or steep: exactly its dry length counts.
START_TEST(long_element_carries_its_dry_length) {
  struct waterline x = waterline_of(30, -10);
  ck_assert_double_eq_tol(x.gradient[0] + x.gradient[1], -0.25, 1e-12);
  ck_assert_double_eq_tol(x.energy, (0.5 * 10 * 10 + 0.125) / 40, 1e-12);
}
END_TEST

START_TEST(derivatives_are_those_of_the_energy) {
  uint64_t seed = 3;
  for (int k = 0; k < 4000; k++) {
    const double step = 1e-6;
    double u[2];
    random_ends(&seed, u);
    struct waterline x = waterline_of(u[0], u[1]);
    for (int i = 0; i < 2; i++) {
      double a[2] = {u[0], u[1]}, b[2] = {u[0], u[1]};
      a[i] -= step, b[i] += step;
      struct waterline low = waterline_of(a[0], a[1]), high = waterline_of(b[0], b[1]);
      ck_assert_double_eq_tol(x.gradient[i], (high.energy - low.energy) / (2 * step), 2e-8);
      for (int j = 0; j < 2; j++)
        ck_assert_double_eq_tol(x.curvature[i + j], (high.gradient[j] - low.gradient[j]) / (2 * step), 2e-3);
    }
  }
}
END_TEST

// From steps of rounding to steps through the whole section and beyond.
START_TEST(work_of_a_step_is_the_change_of_energy) {
  uint64_t seed = 5;
  for (int k = 0; k < 20000; k++) {
    double u[2], size = pow(10, -8 + 9 * fabs(noise(&seed))), end[2];
    random_ends(&seed, u);
    for (int i = 0; i < 2; i++)
      end[i] = u[i] + size * noise(&seed);
    struct waterline_step step = waterline_over(u, end);
    double change = waterline_of(end[0], end[1]).energy - waterline_of(u[0], u[1]).energy,
           work = step.gradient[0] * (end[0] - u[0]) + step.gradient[1] * (end[1] - u[1]);
    ck_assert_double_eq_tol(work, change, 2e-12);
    struct waterline_step back = waterline_over(end, u);
    for (int i = 0; i < 2; i++) // symmetric in time
      ck_assert_double_eq_tol(step.gradient[i], back.gradient[i], 1e-11);
  }
}
END_TEST

START_TEST(tangent_is_that_of_the_mean_gradient) {
  uint64_t seed = 7;
  for (int k = 0; k < 4000; k++) {
    double u[2], end[2];
    random_ends(&seed, u);
    for (int i = 0; i < 2; i++)
      end[i] = u[i] + 0.3 * noise(&seed);
    struct waterline_step step = waterline_over(u, end);
    for (int j = 0; j < 2; j++) {
      const double small = 1e-5;
      double a[2] = {end[0], end[1]}, b[2] = {end[0], end[1]};
      a[j] -= small, b[j] += small;
      struct waterline_step low = waterline_over(u, a), high = waterline_over(u, b);
      for (int i = 0; i < 2; i++)
        ck_assert_double_eq_tol(step.tangent[i][j], (high.gradient[i] - low.gradient[i]) / (2 * small), 3e-3);
    }
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("core_pipe_waterline");
  TCase *t = add_case(suite, "waterline", 20);
  tcase_add_test(t, area_of_the_segment_is_that_of_the_circle);
  tcase_add_test(t, long_element_carries_its_dry_length);
  tcase_add_test(t, derivatives_are_those_of_the_energy);
  tcase_add_test(t, work_of_a_step_is_the_change_of_energy);
  tcase_add_test(t, tangent_is_that_of_the_mean_gradient);
  return run_suite(suite);
}
