// Rainflow counting and S-N curves: ASTM E1049, published points, closed forms for narrow bands.
#include "sagbend/math/math.h"
#include "sagbend/steel/steel.h"

#include "suite.h"

#include <math.h>
#include <string.h>

static const struct sn_curve_def OF_D = {
    .name = SN_D, .environment = SN_PROTECTED, .scf = 1, .reference_m = 0.025, .exponent = -1};

static struct sn_curve curve_of(double m1, double m2, double log_a, double knee) {
  const struct sn_curve_def def = {
      .name = SN_OWN, .m = {m1, m2}, .log_a = log_a, .knee = knee, .scf = 1, .reference_m = 1, .exponent = 0};
  return sn_curve_of(&def, 0.02);
}

static void feed(struct fatigue_element *e, const struct sn_curve *curve, double gate, double x) {
  double stress[FATIGUE_POINTS];
  for (int q = 0; q < FATIGUE_POINTS; q++)
    stress[q] = q % 2 ? -x : x;
  rainflow_sample(e, curve, gate, stress);
}

static double total_of(const struct fatigue_element *e, const struct sn_curve *curve) {
  double total[FATIGUE_POINTS];
  rainflow_ended(e, curve, total);
  for (int q = 1; q < FATIGUE_POINTS; q++)
    ck_assert_double_eq(total[q], total[0]);
  return total[0];
}

// ASTM E1049, figure 6. With N = a S^-m and a = 1 the damage is sum count range^m; six exponents tell the six
// ranges.
START_TEST(counts_are_those_of_the_standard) {
  static const double history[] = {-2, 1, -3, 5, -1, 3, -4, 4, -2};
  static const double cycles[][2] = {{3, 0.5}, {4, 1.5}, {6, 0.5}, {8, 1}, {9, 0.5}};
  for (double m = 1; m <= 6; m++) {
    const struct sn_curve curve = curve_of(m, m, 1, 1e3);
    struct fatigue_element e = {0};
    double damage = 0;
    for (size_t i = 0; i < sizeof history / sizeof *history; i++)
      for (int part = 0; part < 4; part++) { // samples on the way are no turns
        const double before = history[i > 0 ? i - 1 : 0];
        feed(&e, &curve, 0, 1e6 * (before + (history[i] - before) * (part + 1) / 4));
      }
    for (size_t k = 0; k < sizeof cycles / sizeof *cycles; k++)
      damage += cycles[k][1] * pow(cycles[k][0], m) / 10;
    ck_assert_double_eq_tol(total_of(&e, &curve), damage, 1e-9 * damage);
  }
}
END_TEST

START_TEST(curves_are_the_published_ones) {
  const struct sn_curve_def air = {
      .name = SN_B1, .environment = SN_AIR, .scf = 1, .reference_m = 0.025, .exponent = -1};
  const struct sn_curve_def sea = {
      .name = SN_C, .environment = SN_PROTECTED, .scf = 1, .reference_m = 0.025, .exponent = -1};
  const struct sn_curve b1 = sn_curve_of(&air, 0.02), c = sn_curve_of(&sea, 0.02),
                        d = sn_curve_of(&OF_D, 0.02);
  ck_assert_double_eq_tol(b1.knee_mpa, 106.967, 0.02);
  ck_assert_double_eq_tol(1 / sn_damage(&c, 73.114e6), 1e7, 2e4);
  ck_assert_double_eq_tol(1 / sn_damage(&d, 100e6), pow(10, 11.764 - 6), 1);
  for (int k = 0; k < 2; k++) { // continuous at the knee
    const struct sn_curve *x = k ? &b1 : &d;
    ck_assert_double_eq_tol(sn_damage(x, x->knee_mpa * 1e6 * (1 - 1e-9)),
                            sn_damage(x, x->knee_mpa * 1e6 * (1 + 1e-9)),
                            1e-7 * sn_damage(x, x->knee_mpa * 1e6));
  }
  ck_assert_double_eq_tol(sn_curve_of(&OF_D, 0.05).factor_per_pa, 1e-6 * pow(2, 0.2), 1e-15);
  ck_assert_double_eq(sn_damage(&d, 0), 0);
}
END_TEST

enum { COMPONENTS = 60, RECORDS = 200, CURVES = 4 };

// Adds the damage of a Gaussian record of a band of 2 % about 0.7 rad/s, standard deviation s[k] for curve k,
// and its number of cycles.
static void add_record(struct random_stream *stream, const struct sn_curve curve[CURVES],
                       const double s[CURVES], double damage[CURVES], double *cycles) {
  double c[COMPONENTS], q[COMPONENTS], dc[COMPONENTS], dq[COMPONENTS], moment2 = 0;
  struct fatigue_element e[CURVES] = {{0}};
  const double dt = 0.15, duration = 12000;
  for (int k = 0; k < COMPONENTS; k++) {
    const double w = 0.7 * (1 + 0.02 * (2 * (k + random_uniform(stream)) / COMPONENTS - 1));
    c[k] = random_normal(stream), q[k] = random_normal(stream), dc[k] = cos(w * dt), dq[k] = sin(w * dt);
    moment2 += w * w;
  }
  for (double t = 0; t < duration; t += dt) {
    double sum = 0;
    for (int k = 0; k < COMPONENTS; k++) {
      const double x = c[k] * dc[k] - q[k] * dq[k];
      q[k] = q[k] * dc[k] + c[k] * dq[k], c[k] = x;
      sum += x;
    }
    for (int k = 0; k < CURVES; k++)
      feed(&e[k], &curve[k], 0, s[k] * sum / sqrt(COMPONENTS));
  }
  for (int k = 0; k < CURVES; k++)
    damage[k] += total_of(&e[k], &curve[k]);
  *cycles += sqrt(moment2 / COMPONENTS) / (2 * TRIG_PI) * duration;
}

// Narrow band: the peaks are Rayleigh's. Damage per cycle (2 sqrt 2 s)^m Gamma(1 + m/2)/a; of two slopes the
// integral.
START_TEST(narrow_bands_give_the_closed_form) {
  struct random_stream stream = random_stream_of(4);
  struct sn_curve curve[CURVES] = {[CURVES - 1] = sn_curve_of(&OF_D, 0.02)};
  double s[CURVES] = {20e6, 20e6, 20e6, 35e6}, per_cycle[CURVES] = {0}, damage[CURVES] = {0}, cycles = 0;
  for (int m = 3; m <= 5; m++) {
    curve[m - 3] = curve_of(m, m, 12, 1e6);
    per_cycle[m - 3] = pow(2 * sqrt(2.0) * 20, m) * tgamma(1 + 0.5 * m) / 1e12;
  }
  for (double x = 0.005; x < 12; x += 0.01) // most peaks about the knee of 83 MPa
    per_cycle[3] += 0.01 * x * exp(-0.5 * x * x) * sn_damage(&curve[3], 2 * s[3] * x);
  for (int k = 0; k < RECORDS; k++)
    add_record(&stream, curve, s, damage, &cycles);
  for (int k = 0; k < CURVES; k++)
    ck_assert_double_eq_tol(damage[k] / (cycles * per_cycle[k]), 1, k < 3 ? 0.03 : 0.02);
}
END_TEST

START_TEST(a_full_residue_counts_its_oldest_range) {
  const struct sn_curve curve = curve_of(3, 3, 12, 1e6);
  struct fatigue_element e = {0};
  double all = 0;
  for (int k = 0; k < 100; k++) // falling ranges never close
    feed(&e, &curve, 0, (k % 2 ? -1e6 : 1e6) * (200 - k));
  for (int k = 0; k + 1 < 100; k++)
    all += 0.5 * pow(400 - 2 * k - 1, 3) / 1e12;
  ck_assert_double_eq_tol(total_of(&e, &curve), all, 1e-9 * all);
  ck_assert(rainflow_is_valid(&e, NULL));
  e.length[3] = FATIGUE_RESIDUE + 1;
  ck_assert(!rainflow_is_valid(&e, NULL));
}
END_TEST

START_TEST(totals_grow_and_the_gate_is_a_hysteresis) {
  struct random_stream stream = random_stream_of(2);
  const struct sn_curve curve = curve_of(5, 5, 12, 1e6);
  struct fatigue_element with = {0}, without = {0};
  double last = 0, x = 0;
  for (int k = 0; k < 200000; k++) {
    x = 0.98 * x + 2e6 * random_normal(&stream);
    feed(&with, &curve, 1e6, x), feed(&without, &curve, 0, x);
    ck_assert_double_ge(with.total[0], last);
    last = with.total[0];
  }
  ck_assert_double_eq_tol(total_of(&with, &curve) / total_of(&without, &curve), 1, 0.01);
}
END_TEST

START_TEST(rate_and_standby_are_those_of_the_window) {
  const struct sn_curve curve = curve_of(3, 3, 12, 1e6);
  struct fatigue_element e = {0};
  const double per_cycle = pow(100, 3) / 1e12;
  for (int k = 0; k <= 400000; k++) { // a cycle of 100 MPa in 10 s
    feed(&e, &curve, 0, 50e6 * ((k / 50) % 2 ? 1 : -1));
    if (k % 1000 == 0)
      rainflow_tick(&e, 0.1 * k, 0.1);
  }
  ck_assert_double_eq_tol(e.rate_1ps, per_cycle / 10, 0.02 * per_cycle / 10);
  ck_assert_double_eq_tol(e.standby_s, (0.1 - e.total[0]) / e.rate_1ps, 1e-3 * e.standby_s);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("fatigue");
  TCase *t = add_case(suite, "rainflow", 120);
  tcase_add_test(t, counts_are_those_of_the_standard);
  tcase_add_test(t, curves_are_the_published_ones);
  tcase_add_test(t, narrow_bands_give_the_closed_form);
  tcase_add_test(t, a_full_residue_counts_its_oldest_range);
  tcase_add_test(t, totals_grow_and_the_gate_is_a_hysteresis);
  tcase_add_test(t, rate_and_standby_are_those_of_the_window);
  return run_suite(suite);
}
