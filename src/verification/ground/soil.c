// Rainflow counting and Miner's sum, against the example of the standard and the closed forms of narrow
// bands.
#include "sagbend/steel/rainflow.h"
#include "sagbend/math/random.h"
#include "sagbend/math/trig.h"
#include "verification/harness/case_functions.h"
#include "verification/harness/result.h"

#include <math.h>

// Counts the same stress at all points.
static void count(struct fatigue_element *e, const struct sn_curve *curve, double stress_pa) {
  double stress[FATIGUE_POINTS];
  for (int q = 0; q < FATIGUE_POINTS; q++)
    stress[q] = stress_pa;
  rainflow_sample(e, curve, 0, stress);
}

static double ended(const struct fatigue_element *e, const struct sn_curve *curve) {
  double total[FATIGUE_POINTS];
  rainflow_ended(e, curve, total);
  return total[0];
}

// N = 10^log_a S^-m.
static struct sn_curve one_slope(double m, double log_a) {
  const struct sn_curve_def def = {
      .name = SN_OWN, .m = {m, m}, .log_a = log_a, .knee = 1e6, .scf = 1, .reference_m = 1};
  return sn_curve_of(&def, 0.02);
}

// Figure 6 of the standard. The damages of six exponents set the six ranges apart.
void verify_fatigue_standard(const struct verify_setup *setup, struct verify_result *r) {
  static const double history[] = {-2, 1, -3, 5, -1, 3, -4, 4, -2};                   // its loads, as MPa
  static const double cycles[][2] = {{3, 0.5}, {4, 1.5}, {6, 0.5}, {8, 1}, {9, 0.5}}; // range, count
  (void)setup;
  verify_run_with(r, "the nine loads of figure 6 as stresses in MPa, four samples from each to the next");
  for (double m = 1; m <= 6; m++) {
    const struct sn_curve curve = one_slope(m, 1);
    struct fatigue_element e = {0};
    double sum = 0, before = history[0];
    for (size_t i = 0; i < sizeof history / sizeof *history; i++) {
      for (int part = 1; part <= 4; part++)
        count(&e, &curve, 1e6 * (before + 0.25 * part * (history[i] - before)));
      before = history[i];
    }
    for (size_t k = 0; k < sizeof cycles / sizeof *cycles; k++)
      sum += cycles[k][1] * pow(cycles[k][0], m);
    verify_add(r, VERIFY_RELATIVE, "", 10 * ended(&e, &curve), sum, 1e-12,
               "sum of counts times range^%g of its table", m);
  }
}

enum { BANDS = 20, CURVES = 4, PARTS = 1000 };
static const double CARRIER_RADPS = 0.7, KNOT_S = 200, DEVIATION_MPA[CURVES] = {20, 20, 20, 35};

// A Gaussian record of a narrow band: a carrier whose cosine and sine parts turn from one pair of random
// numbers to the next. Adds the damages; the stress of curve k has the standard deviation DEVIATION_MPA[k]
// over the record.
static void count_band(struct random_stream *stream, const struct sn_curve curve[CURVES], int knots,
                       double damage[CURVES]) {
  const struct random_stream again = *stream;
  struct fatigue_element e[CURVES] = {{0}};
  double squares = 0, from[PARTS], to[PARTS], c[PARTS], s[PARTS];
  for (int i = 0; i < PARTS; i++) {
    const double turn = 0.5 * TRIG_PI * i / PARTS, phase = CARRIER_RADPS * KNOT_S * i / PARTS;
    from[i] = cos(turn), to[i] = sin(turn), c[i] = cos(phase), s[i] = sin(phase);
  }
  for (int pass = 0; pass < 2; pass++) { // the first finds the deviation
    const double scale = pass ? 1e6 / sqrt(squares / ((double)knots * PARTS)) : 0;
    *stream = again;
    double c0 = random_normal(stream), s0 = random_normal(stream);
    for (int k = 0; k < knots; k++) {
      const double c1 = random_normal(stream), s1 = random_normal(stream);
      for (int i = 0; i < PARTS; i++) {
        const double x = (from[i] * c0 + to[i] * c1) * c[i] - (from[i] * s0 + to[i] * s1) * s[i];
        squares += pass ? 0 : x * x;
        for (int j = 0; j < CURVES && pass; j++)
          count(&e[j], &curve[j], scale * DEVIATION_MPA[j] * x);
      }
      const double end = CARRIER_RADPS * KNOT_S; // the phase goes on
      c0 = c1 * cos(end) - s1 * sin(end), s0 = c1 * sin(end) + s1 * cos(end);
    }
  }
  for (int j = 0; j < CURVES; j++)
    damage[j] += ended(&e[j], &curve[j]);
}

// Damage of a cycle of curve D in sea water with protection, whose range is twice s times a peak of
// Rayleigh's distribution, by the integral over the peaks.
static double two_slopes(double s_mpa) {
  const double knee = pow(10, (11.764 - 6) / 3), log_a2 = 6 + 5 * log10(knee), dx = 1e-3;
  double sum = 0;
  for (double x = 0.5 * dx; x < 12; x += dx) {
    const double range = 2 * s_mpa * x;
    sum += dx * x * exp(-0.5 * x * x) *
           (range < knee ? pow(10, 5 * log10(range) - log_a2) : pow(10, 3 * log10(range) - 11.764));
  }
  return sum;
}

void verify_fatigue_bands(const struct verify_setup *setup, struct verify_result *r) {
  const int knots = setup->extended ? 20000 : 2000;
  struct random_stream stream = random_stream_of(6);
  struct sn_curve curve[CURVES];
  double damage[CURVES] = {0};
  const double cycles = BANDS * knots * KNOT_S * CARRIER_RADPS / (2 * TRIG_PI);
  const struct sn_curve_def d = {
      .name = SN_D, .environment = SN_PROTECTED, .scf = 1, .reference_m = 0.025, .exponent = -1};
  for (int m = 3; m <= 5; m++)
    curve[m - 3] = one_slope(m, 12);
  curve[3] = sn_curve_of(&d, 0.02);
  verify_run_with(r,
                  "%d records of %g h of a Gaussian stress at 0.7 rad/s that turns over in 200 s, sampled "
                  "at 0.2 s",
                  BANDS, knots * KNOT_S / 3600);
  for (int k = 0; k < BANDS; k++)
    count_band(&stream, curve, knots, damage);
  for (int m = 3; m <= 5; m++)
    verify_add(r, VERIFY_RELATIVE, "", damage[m - 3] / cycles,
               pow(2 * sqrt(2.0) * DEVIATION_MPA[m - 3], m) * tgamma(1 + 0.5 * m) / 1e12, 0.03,
               "one slope, m = %d: damage of a cycle", m);
  verify_add(r, VERIFY_RELATIVE, "", damage[3] / cycles, two_slopes(DEVIATION_MPA[3]), 0.02,
             "curve D with protection, most peaks about its knee: damage of a cycle");
}
