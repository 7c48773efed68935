// The free rigid body against 28-digit references in all regimes, the orders of its approximate attitudes,
// and conservation; compositions against the free algebra and by their slopes.
#include "sagbend/math/math.h"
#include "sagbend/rigid/rigid.h"
#include "sagbend/rigid/rigid_internal.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t stream = 7;
static double noise(void) { // in (-1, 1)
  stream = stream * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)stream / 9223372036854775808.0;
}

// ---- elliptic functions: identities that tie the modulus, and values of Abramowitz and Stegun's tables ----

START_TEST(functions_obey_their_identities) {
  for (int i = 0; i < 20000; i++) {
    double kc2 = i % 3 ? pow(10, -12 * fabs(noise())) : fabs(noise()), u = 20 * noise(), v = 3 * noise();
    struct elliptic_agm agm = elliptic_agm_of(kc2);
    struct elliptic_functions f = elliptic_sncndn(&agm, u), g = elliptic_sncndn(&agm, v),
                              sum = elliptic_sncndn(&agm, u + v);
    ck_assert_double_eq_tol(f.sn * f.sn + f.cn * f.cn, 1, 1e-15);
    ck_assert_double_eq_tol(f.dn * f.dn + (1 - kc2) * f.sn * f.sn, 1, 2e-15);
    double scale = f.cn * f.cn + f.sn * f.sn * g.dn * g.dn;
    ck_assert_double_eq_tol(sum.cn * scale, f.cn * g.cn - f.sn * f.dn * g.sn * g.dn, 2e-14);
  }
  struct elliptic_agm half = elliptic_agm_of(0.5);
  ck_assert_double_eq_tol(elliptic_quarter_period(&half), 1.8540746773013719184, 1e-15);
  struct elliptic_functions f = elliptic_sncndn(&half, 0.5); // 40-digit arithmetic, as the integrals below
  ck_assert_double_eq_tol(f.sn, 0.47075047365565736, 2e-16);
}
END_TEST

START_TEST(integrals_agree_with_published_values) { // Carlson 1995, section 5
  ck_assert_double_eq_tol(elliptic_rf(1, 2, 0), 1.3110287771461, 1e-13);
  ck_assert_double_eq_tol(elliptic_rf(2, 3, 4), 0.58408284167715, 1e-14);
  ck_assert_double_eq_tol(elliptic_rc(0, 0.25), 3.1415926535898, 1e-13);
  ck_assert_double_eq_tol(elliptic_rc(2.25, 2), 0.69314718055995, 1e-14);
  ck_assert_double_eq_tol(elliptic_rj(0, 1, 2, 3), 0.77688623778582, 1e-14);
  ck_assert_double_eq_tol(elliptic_rj(2, 3, 4, 5), 0.14297579667157, 1e-14);
}
END_TEST

// ---- the free body ----

static double largest_difference(quat a, quat b) {
  double sign = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0 ? -1 : 1;
  return fmax(fmax(fabs(a.w - sign * b.w), fabs(a.x - sign * b.x)),
              fmax(fabs(a.y - sign * b.y), fabs(a.z - sign * b.z)));
}

START_TEST(all_regimes_agree_with_the_reference) {
  FILE *f = fopen(TEST_SOURCE_DIR "/tests/reference/rigid_free.csv", "r");
  ck_assert_ptr_nonnull(f);
  char line[2048];
  int cases = 0;
  while (fgets(line, sizeof line, f)) {
    if (line[0] == '#' || strncmp(line, "case,", 5) == 0)
      continue;
    double v[14];
    char *at = strchr(line, ',');
    for (int k = 0; k < 14; k++)
      v[k] = strtod(at + 1, &at);
    cases++;
    struct rigid_inertia inertia = rigid_inertia_of(v);
    double norm = sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
    for (int how = RIGID_EXACT_FRAME; how <= RIGID_EXACT_QUATERNION; how++) {
      double m[3] = {v[3], v[4], v[5]};
      quat q = {1, 0, 0, 0};
      rigid_free_flow(&inertia, (enum rigid_attitude)how, v[6], m, &q);
      for (int k = 0; k < 3; k++)
        ck_assert_msg(fabs(m[k] - v[7 + k]) <= 3e-14 * norm, "momentum %g, case %s", m[k] - v[7 + k], line);
      double off = largest_difference(q, (quat){v[10], v[11], v[12], v[13]});
      ck_assert_msg(off <= 3e-13, "attitude %g by way %d, case %s", off, how, line);
    }
  }
  fclose(f);
  ck_assert_int_eq(cases, 74);
}
END_TEST

// Random bodies, steps of any size and sign, momenta near all six axes: |m|, energy and spatial momentum are
// conserved, and the flow of -h reverses that of h.
START_TEST(what_is_conserved_stays) {
  for (int i = 0; i < 20000; i++) {
    double moments[3], m[3], before[3], spatial[3];
    for (int k = 0; k < 3; k++)
      moments[k] = pow(10, noise()), m[k] = noise() * (i % 4 ? 1 : pow(10, 9 * (noise() - 1)));
    if (i % 7 == 0)
      moments[1] = moments[0] * (1 + 1e-9 * noise());
    if (i % 11 == 0)
      moments[2] = moments[1];
    struct rigid_inertia inertia = rigid_inertia_of(moments);
    memcpy(before, m, sizeof m);
    quat q = quat_unit((quat){noise(), noise(), noise(), noise()}), start = q;
    mat3 r = quat_matrix(q);
    vec3_to(mat3_mul(&r, vec3_of(m)), spatial);
    double h = pow(10, 2 * noise()) * (i % 2 ? 1 : -1), norm = vec3_norm(vec3_of(m));
    enum rigid_attitude how = (enum rigid_attitude)(i % RIGID_ATTITUDES);
    rigid_free_flow(&inertia, how, h, m, &q);
    ck_assert_double_eq_tol(vec3_norm(vec3_of(m)), norm, 1e-15 * norm);
    double energy = rigid_free_energy_j(&inertia, before),
           turned = 1 + fabs(h) * norm / inertia.moment_kgm2[0];
    ck_assert_double_eq_tol(rigid_free_energy_j(&inertia, m), energy, 2e-15 * turned * energy);
    r = quat_matrix(q);
    if (how >= RIGID_GAUSS_6) // a Magnus series conserves it to its order only
      ck_assert_double_lt(vec3_norm(vec3_sub(mat3_mul(&r, vec3_of(m)), vec3_of(spatial))), 4e-15 * norm);
    rigid_free_flow(&inertia, how, -h, m, &q);
    if (i % 4 == 0)
      continue; // near the middle axis each reversal doubles the error
    ck_assert_double_lt(vec3_norm(vec3_sub(vec3_of(m), vec3_of(before))), 1e-13 * turned * norm);
    if (how >= RIGID_EXACT_FRAME)
      ck_assert_double_lt(largest_difference(q, start), 2e-13 * turned);
  }
}
END_TEST

START_TEST(many_momenta_equal_single_flows) {
  const double moments[3] = {3, 1, 2}, m[3] = {0.4, -0.3, 0.2}, h[3] = {0.3, -2, 40};
  struct rigid_inertia inertia = rigid_inertia_of(moments);
  double out[3][3];
  rigid_free_momenta(&inertia, m, h, 3, out);
  for (int k = 0; k < 3; k++) {
    double single[3] = {m[0], m[1], m[2]};
    quat q = {1, 0, 0, 0};
    rigid_free_flow(&inertia, RIGID_MAGNUS_2, h[k], single, &q);
    ck_assert_mem_eq(single, out[k], sizeof single);
  }
}
END_TEST

// Mean error of the attitude at t = 8 over 200 random bodies with |m| = 1. The error of a single body changes
// sign with the step, so the slopes of the quadratures scatter upwards.
static const struct {
  enum rigid_attitude how;
  int coarse, fine; // steps
  double low, high; // slope
} orders[] = {{RIGID_MAGNUS_2, 256, 512, 1.95, 2.05}, {RIGID_MAGNUS_4, 128, 256, 3.95, 4.05},
              {RIGID_MAGNUS_6, 64, 128, 5.95, 6.05},  {RIGID_GAUSS_6, 4, 16, 5.7, 7.5},
              {RIGID_GAUSS_8, 4, 16, 7.7, 9.5},       {RIGID_GAUSS_10, 4, 16, 9.7, 11.5}};

static double mean_attitude_error(enum rigid_attitude how, int steps) {
  enum { BODIES = 200 };
  double sum = 0;
  stream = 11;
  for (int body = 0; body < BODIES; body++) {
    double moments[3], m[3], exact[3], norm = 0;
    for (int k = 0; k < 3; k++)
      moments[k] = 0.6 + 0.4 * noise(), m[k] = noise(), norm += m[k] * m[k];
    for (int k = 0; k < 3; k++)
      exact[k] = m[k] /= sqrt(norm);
    struct rigid_inertia inertia = rigid_inertia_of(moments);
    quat q = {1, 0, 0, 0}, r = q;
    for (int k = 0; k < steps; k++)
      rigid_free_flow(&inertia, how, 8.0 / steps, m, &q);
    rigid_free_flow(&inertia, RIGID_EXACT_QUATERNION, 8, exact, &r);
    sum += largest_difference(q, r) / BODIES;
  }
  return sum;
}

START_TEST(attitudes_have_their_orders) {
  double coarse = mean_attitude_error(orders[_i].how, orders[_i].coarse);
  double fine = mean_attitude_error(orders[_i].how, orders[_i].fine);
  double slope = log2(coarse / fine) / log2((double)orders[_i].fine / orders[_i].coarse);
  ck_assert_msg(slope > orders[_i].low && slope < orders[_i].high, "way %d: slope %.2f, errors %g, %g",
                orders[_i].how, slope, coarse, fine);
}
END_TEST

// ---- compositions ----

enum { DEGREE = 6, WORDS = (1 << (DEGREE + 1)) - 1 }; // words of A and B; of n letters: 2^n - 1 + bits

struct series {
  double of[WORDS];
};

static void times_exponential(struct series *s, int letter, double h) {
  struct series product = {{0}};
  for (int n = 0; n <= DEGREE; n++)
    for (int bits = 0; bits < 1 << n; bits++) {
      double factor = 1;
      int word = bits;
      for (int more = 0; n + more <= DEGREE; more++) {
        product.of[(1 << (n + more)) - 1 + word] += factor * s->of[(1 << n) - 1 + bits];
        word = 2 * word + letter;
        factor *= h / (more + 1);
      }
    }
  *s = product;
}
static void letter_a(void *s, double h) {
  times_exponential(s, 0, h);
}
static void letter_b(void *s, double h) {
  times_exponential(s, 1, h);
}

static const struct scheme *const schemes[] = {&scheme_v2, &scheme_s4_6, &scheme_s6_10, &scheme_rkn4b_6,
                                               &scheme_rkn6a_14};

// Each word of n letters in exp(A + B) has the coefficient 1/n!. A Nystroem scheme need not meet those that
// vanish for it.
START_TEST(words_have_their_coefficients) {
  const struct scheme *s = schemes[_i];
  struct series product = {{1}};
  compose(s, letter_a, letter_b, &product, 1);
  double factorial = 1, beyond = 0;
  for (int n = 0; n <= DEGREE; n++) {
    factorial *= n ? n : 1;
    double worst = 0;
    for (int bits = 0; bits < 1 << n; bits++)
      worst = fmax(worst, fabs(product.of[(1 << n) - 1 + bits] - 1 / factorial));
    if (_i <= 2 && n <= s->order)
      ck_assert_msg(worst < 2e-15, "%s, %d letters: %g", s->name, n, worst);
    if (n > s->order)
      beyond = fmax(beyond, worst);
  }
  if (s->order < DEGREE)
    ck_assert_double_gt(beyond, 1e-6);
}
END_TEST

struct pendulum {
  double angle, speed;
};
static void drift(void *p, double h) {
  ((struct pendulum *)p)->angle += h * ((struct pendulum *)p)->speed;
}
static void kick(void *p, double h) {
  ((struct pendulum *)p)->speed -= h * sin(((struct pendulum *)p)->angle);
}

static struct pendulum swing(const struct scheme *s, compose_flow *a, compose_flow *b, int steps) {
  struct pendulum p = {1, 0.7};
  compose_steps(s, a, b, &p, 20.0 / steps, steps);
  return p;
}
static double pendulum_slope(const struct scheme *s, compose_flow *a, compose_flow *b, int steps) {
  struct pendulum exact = swing(&scheme_s6_10, drift, kick, 2048), coarse = swing(s, a, b, steps),
                  fine = swing(s, a, b, 2 * steps);
  return log2(hypot(coarse.angle - exact.angle, coarse.speed - exact.speed) /
              hypot(fine.angle - exact.angle, fine.speed - exact.speed));
}

START_TEST(compositions_have_their_orders) {
  static const int steps[] = {1024, 400, 160, 400, 80};
  double slope = pendulum_slope(schemes[_i], drift, kick, steps[_i]);
  double scatter =
      schemes[_i] == &scheme_rkn6a_14 ? 0.5 : 0.05; // its error is within two decades of rounding there
  ck_assert_msg(fabs(slope - schemes[_i]->order) < scatter, "%s: slope %.3f", schemes[_i]->name, slope);
}
END_TEST

START_TEST(exchanged_nystroem_scheme_is_of_order_four) { // a is the drift: the coefficients do not serve the
                                                         // other way round
  double slope = pendulum_slope(&scheme_rkn6a_14, kick, drift, 256);
  ck_assert_msg(fabs(slope - 4) < 0.05, "slope %.3f", slope);
}
END_TEST

START_TEST(steps_together_equal_steps_apart) {
  struct pendulum together = swing(&scheme_rkn4b_6, drift, kick, 10), apart = {1, 0.7};
  for (int k = 0; k < 10; k++)
    compose(&scheme_rkn4b_6, drift, kick, &apart, 2);
  ck_assert_double_eq_tol(together.angle, apart.angle, 1e-14);
  ck_assert_double_eq_tol(together.speed, apart.speed, 1e-14);
}
END_TEST

START_TEST(dissipation_bounds_are_the_published_ones) {
  ck_assert_double_eq_tol(scheme_dissipation_bound(&scheme_s4_6, SCHEME_A), 12.886, 1e-3);
  ck_assert_double_eq_tol(scheme_dissipation_bound(&scheme_s4_6, SCHEME_B), 4.476, 1e-3);
  ck_assert_double_eq_tol(scheme_dissipation_bound(&scheme_s6_10, SCHEME_A), 1.908, 1e-3);
  ck_assert_double_eq_tol(scheme_dissipation_bound(&scheme_s6_10, SCHEME_B), 4.360, 1e-3);
  ck_assert(isinf(scheme_dissipation_bound(&scheme_v2, SCHEME_A)));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("rigid_free");
  TCase *t = add_case(suite, "elliptic", 60);
  tcase_add_test(t, functions_obey_their_identities);
  tcase_add_test(t, integrals_agree_with_published_values);
  t = add_case(suite, "free body", 60);
  tcase_add_test(t, all_regimes_agree_with_the_reference);
  tcase_add_test(t, what_is_conserved_stays);
  tcase_add_test(t, many_momenta_equal_single_flows);
  tcase_add_loop_test(t, attitudes_have_their_orders, 0, 6);
  t = add_case(suite, "compositions", 60);
  tcase_add_loop_test(t, words_have_their_coefficients, 0, 5);
  tcase_add_loop_test(t, compositions_have_their_orders, 0, 5);
  tcase_add_test(t, exchanged_nystroem_scheme_is_of_order_four);
  tcase_add_test(t, steps_together_equal_steps_apart);
  tcase_add_test(t, dissipation_bounds_are_the_published_ones);
  return run_suite(suite);
}
