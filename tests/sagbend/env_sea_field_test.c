// The water's motion under a sea: regular waves against the closed form, derivatives against differences, the
// bed, the surface, and the exponential that they use.

#include "sagbend/env/env.h"
#include "sagbend/math/math.h"

#include "suite.h"

#include <math.h>
#include <stdlib.h>

static struct sea_field *field_in(const struct waves_def *def, double depth_m) {
  static _Alignas(64) unsigned char block[128 * 1024];
  struct arena a;
  struct sea sea;
  arena_init(&a, block, sizeof block);
  struct sea_field *field = arena_take(&a, 1, sizeof *field);
  sea_create(&sea, def, 9.80665, depth_m, &a);
  sea_field_create(field, def, &sea, depth_m, &a);
  ck_assert(!arena_is_overflowed(&a));
  return field;
}

START_TEST(exponential_is_that_of_the_library) {
  double worst = 0;
  for (int i = 0; i < 200000; i++) {
    lanes x = {-600 + 0.003 * i, -1e-7 * i, -0.3 - 1e-5 * i, 1e-5 * i}, y;
    lanes_exp(&y, &x);
    for (int k = 0; k < LANES; k++)
      worst = fmax(worst, fabs(y[k] / exp(x[k]) - 1));
  }
  ck_assert_double_lt(worst, 1e-12);
}
END_TEST

// H 4 m, T 12 s in 90 m, from the east, at constant stretching.
START_TEST(regular_wave_has_the_closed_form) {
  const struct waves_def def = {.present = 1,
                                .on_pipe = 1,
                                .spectrum = WAVES_REGULAR,
                                .height_m = 4,
                                .period_s = 12,
                                .direction_rad = 0.5 * TRIG_PI,
                                .stretching = STRETCH_CONSTANT};
  const struct sea_field *field = field_in(&def, 90);
  const double k = waves_wavenumber(2 * TRIG_PI / 12, 9.80665, 90), w = 2 * TRIG_PI / 12, a = 2;
  ck_assert_double_eq_tol(k, 0.028301082, 1e-9);
  for (double z = -3; z <= 95; z += 3.7)
    for (double t = 0; t < 12; t += 0.7) {
      const vec3 at = {30, 55, z};
      const struct sea_column c = sea_column_at(field, t, at);
      const double phase = w * t + k * at.y, height = z < 0 ? 0 : z > 90 ? -90 : -z; // it travels to the west
      const double ch = cosh(k * (height + 90)) / sinh(k * 90), sh = sinh(k * (height + 90)) / sinh(k * 90);
      ck_assert_double_eq_tol(c.surface, a * cos(phase), 1e-9);
      ck_assert_double_eq_tol(c.velocity[0], 0, 1e-9);
      ck_assert_double_eq_tol(c.velocity[1], -a * w * ch * cos(phase), 1e-9);
      ck_assert_double_eq_tol(c.velocity[2], a * w * sh * sin(phase), 1e-9);
      ck_assert_double_eq_tol(c.rate[1], a * w * w * ch * sin(phase), 1e-9);
      ck_assert_double_eq_tol(c.rate[2], a * w * w * sh * cos(phase), 1e-9);
    }
}
END_TEST

static struct waves_def storm(enum waves_stretching stretching) {
  return (struct waves_def){.present = 1,
                            .on_pipe = 1,
                            .height_m = 5,
                            .period_s = 9,
                            .gamma = 3.3,
                            .direction_rad = 0.4,
                            .spreading = 6,
                            .components = 97,
                            .seed = 5,
                            .stretching = stretching};
}

static double *numbers(struct sea_column *c) {
  return (double *)c;
}

// Rate, gradient, rate and slope of the surface are the derivatives of velocity and surface: with short
// differences they agree to their square.
START_TEST(derivatives_are_those_of_the_stretched_motion) {
  const double e = 1e-4;
  for (int stretching = 0; stretching < 2; stretching++)
    for (int depth = 0; depth < 2; depth++) {
      const struct waves_def def = storm(stretching ? STRETCH_CONSTANT : STRETCH_WHEELER);
      const struct sea_field *field = field_in(&def, depth ? 40 : 900);
      for (int n = 0; n < 200; n++) {
        const double t = 1 + 3.3 * n, x[3] = {17.0 * n, -11.0 * n, 4 + 0.15 * n};
        const struct sea_column c = sea_column_at(field, t, vec3_of(x));
        for (int j = 0; j < 4; j++) {
          double low[3] = {x[0], x[1], x[2]}, high[3] = {x[0], x[1], x[2]};
          if (j < 3)
            low[j] -= e, high[j] += e;
          const double dt = j == 3 ? e : 0;
          struct sea_column a = sea_column_at(field, t - dt, vec3_of(low)),
                            b = sea_column_at(field, t + dt, vec3_of(high));
          for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol((numbers(&b)[i] - numbers(&a)[i]) / (2 * e),
                                    j == 3 ? c.rate[i] : c.gradient[i][j], 2e-6);
          ck_assert_double_eq_tol((b.surface - a.surface) / (2 * e),
                                  j == 3  ? c.surface_rate
                                  : j < 2 ? c.slope[j]
                                          : 0,
                                  2e-6);
        }
      }
    }
}
END_TEST

// No water flows through bed or surface.
START_TEST(bed_and_surface_are_tight) {
  const struct waves_def def = storm(STRETCH_WHEELER);
  const struct sea_field *field = field_in(&def, 40);
  for (int n = 0; n < 100; n++) {
    struct sea_column c = sea_column_at(field, n, (vec3){7.0 * n, 3, 40});
    ck_assert_double_eq_tol(c.velocity[2], 0, 1e-12);
    c = sea_column_at(field, n, (vec3){7.0 * n, 3, -c.surface});
    c = sea_column_at(field, n, (vec3){7.0 * n, 3, -c.surface});
    ck_assert_double_eq_tol(-c.velocity[2], c.surface_rate, 1e-9);
  }
}
END_TEST

START_TEST(without_the_key_there_is_no_field) {
  struct waves_def def = storm(STRETCH_WHEELER);
  def.on_pipe = 0;
  ck_assert_int_eq(field_in(&def, 40)->sea.count, 0);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("the motion of the water");
  TCase *c = add_case(suite, "field", 60);
  tcase_add_test(c, exponential_is_that_of_the_library);
  tcase_add_test(c, regular_wave_has_the_closed_form);
  tcase_add_test(c, derivatives_are_those_of_the_stretched_motion);
  tcase_add_test(c, bed_and_surface_are_tight);
  tcase_add_test(c, without_the_key_there_is_no_field);
  return run_suite(suite);
}
