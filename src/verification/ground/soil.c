// The soil that remembers: against the law of Randolph and Quiggin (2009, OMAE 79453) where that has closed
// forms, and the whole simulator on it.
#include "sagbend/math/math.h"
#include "sagbend/steel/steel.h"
#include "verification/harness/harness.h"

#include <math.h>

static const struct soil_def CLAY = {.model = SOIL_CLAY,
                                     .strength_pa = 2000,
                                     .gradient_papm = 1000,
                                     .stiffness = 200,
                                     .suction = 0.6,
                                     .suction_depth = 1};
static const double DIAMETER_M = 0.5;

// Uplift from virgin soil at z0: P0 - H (P0 - Ps), H = x/(A + x), x = (z0 - z) Kmax/D, A = (P0 - Ps)/Pu(z0),
// Ps = -suction Pu(z).
static double uplift(double z0, double z) {
  const double y = z0 * CLAY.stiffness / DIAMETER_M, most = soil_resistance(&CLAY, DIAMETER_M, z0);
  const double p0 = y / (1 + y) * most, pull = -CLAY.suction * soil_resistance(&CLAY, DIAMETER_M, z),
               x = (z0 - z) * CLAY.stiffness / DIAMETER_M;
  return p0 - x / ((p0 - pull) / most + x) * (p0 - pull);
}

void verify_soil_law(const struct verify_setup *setup, struct verify_result *r) {
  (void)setup;
  struct soil_column column;
  struct reason why = {""};
  verify_run_with(r, "pipe of 0.5 m, su = 2 + 1 z kPa, Kmax 200, suction 0.6; the column has 8 layers");
  if (soil_column_create(&column, &CLAY, DIAMETER_M, &why) != STATUS_OK) {
    verify_fail(r, "%s", why.text);
    return;
  }
  struct verify_plot *plot =
      verify_plot(r, "Penetration and uplift", "penetration over diameter", "reaction, N/m");
  struct verify_series *virgin = verify_series(r, plot, VERIFY_LINE, "law, penetration"),
                       *own = verify_series(r, plot, VERIFY_POINTS, "bed of layers");
  double worst = 0;
  for (double z = 0.02 * DIAMETER_M; z < 0.5 * DIAMETER_M; z *= 1.06) {
    const double y = z * CLAY.stiffness / DIAMETER_M,
                 law = y / (1 + y) * soil_resistance(&CLAY, DIAMETER_M, z),
                 force = soil_slow(&column, 0, z).force_npm;
    worst = fmax(worst, fabs(force / law - 1));
    verify_point(r, virgin, z / DIAMETER_M, law), verify_point(r, own, z / DIAMETER_M, force);
  }
  verify_add(r, VERIFY_ABSOLUTE, "", worst, 0, 0.016,
             "penetration of virgin soil, z/D 0.02 to 0.5: largest relative error");
  for (int k = 0; k < 3; k++) {
    const double z0 = DIAMETER_M * (const double[]){0.05, 0.1, 0.3}[k];
    struct verify_series *law =
        verify_series(r, plot, VERIFY_DASHED, "law, uplift from z/D %g", z0 / DIAMETER_M);
    double error = 0;
    for (int i = 0; i <= 30; i++) {
      const double z = z0 - 0.0005 * i * DIAMETER_M, force = soil_slow(&column, z0, z).force_npm;
      error = fmax(error, fabs(force - uplift(z0, z)));
      verify_point(r, law, z / DIAMETER_M, uplift(z0, z)), verify_point(r, own, z / DIAMETER_M, force);
    }
    verify_add(r, VERIFY_ABSOLUTE, "", error / uplift(z0, z0), 0, 0.09,
               "uplift from z/D %g by 0.015: largest error over the force at its start", z0 / DIAMETER_M);
  }
}

// ---- Softening ----

static const double UPPER_M = 0.3, LOWER_M = 0.45; // of the cycles
enum { CYCLES = 12 };

// Cycles between the two depths, from virgin soil. Returns the force at the lower depth over that of soil
// that does not soften, after each arrival there.
static void cycle_down_and_up(const struct soil_column *column, double hard_npm, double step_m,
                              double ratio[CYCLES]) {
  struct soil_memory memory = {.deepest_m = 0};
  double z = 0;
  for (int turn = 0; turn < 2 * CYCLES - 1; turn++) {
    const double from = z, to = turn % 2 ? UPPER_M : LOWER_M;
    const int count = (int)ceil(fabs(to - from) / step_m);
    for (int i = 1; i <= count; i++) {
      const struct soil_start start = soil_begin(column, &memory, z);
      z = i < count ? from + (to - from) * i / count : to;
      const struct soil_way way = soil_over(column, &memory, &start, z, &memory);
      if (i == count && turn % 2 == 0)
        ratio[turn / 2] = way.end_force_npm / hard_npm;
    }
  }
}

// The way that fully mobilised clay slides until the arrival n. Down, each layer first goes from the bound
// above, b, to that below, a: the sum of k a (a + b) of h(y) = y/(1 + y) is 2 l ln(1 + 60) without suction
// and (1 + suction) times that with one. Up, the pull is suction z/zm of the resistance, its bound grows by
// 1 + suction a/zm per way, and a layer first goes the way a + b.
static double slid_until(int n, double suction, double left, double unit_m) {
  const double down = LOWER_M - UPPER_M, turn = 2 * unit_m * log(61);
  const double up =
      suction * ((LOWER_M * LOWER_M - UPPER_M * UPPER_M) / (2 * LOWER_M) - left * turn * (1 + suction));
  return LOWER_M - 0.5 * turn + n * (down - left * turn * (1 + suction * UPPER_M / LOWER_M) + up);
}

void verify_soil_softening(const struct verify_setup *setup, struct verify_result *r) {
  (void)setup;
  struct soil_def clay = CLAY;
  clay.stiffness = 2000;
  struct soil_column hard, soft;
  verify_run_with(
      r,
      "pipe of 0.5 m, su = 2 + 1 z kPa, Kmax 2000, sensitivity 4, softening_m 2, %d cycles between "
      "%g and %g m",
      CYCLES, UPPER_M, LOWER_M);
  struct verify_plot *plot =
      verify_plot(r, "Resistance that is left", "cycle", "over that of undisturbed clay");
  for (int k = 0; k < 2; k++) {
    clay.suction = k ? 0.6 : 0, clay.sensitivity = 1;
    if (soil_column_create(&hard, &clay, DIAMETER_M, NULL) != STATUS_OK)
      return;
    clay.sensitivity = 4, clay.softening_m = 2;
    if (soil_column_create(&soft, &clay, DIAMETER_M, NULL) != STATUS_OK)
      return;
    const double full = soil_slow(&hard, 0, LOWER_M).force_npm;
    struct verify_series *law = verify_series(r, plot, VERIFY_LINE, "law, suction %g", clay.suction),
                         *own =
                             verify_series(r, plot, VERIFY_POINTS, "bed of layers, suction %g", clay.suction);
    double ratio[CYCLES], worst = 0, left = 1;
    cycle_down_and_up(&soft, full, 1e-4, ratio);
    for (int n = 0; n < CYCLES; n++) {
      const double u = slid_until(n, clay.suction, left, DIAMETER_M / clay.stiffness);
      left = 0.25 + 0.75 * exp(-3 * u / clay.softening_m);
      worst = fmax(worst, fabs(ratio[n] / left - 1));
      verify_point(r, law, n, left), verify_point(r, own, n, ratio[n]);
    }
    verify_add(r, VERIFY_ABSOLUTE, "", worst, 0, 0.001,
               "suction %g: resistance after each of the cycles, largest relative error", clay.suction);
  }
}

void verify_soil_steps(const struct verify_setup *setup, struct verify_result *r) {
  struct random_stream stream = random_stream_of(31);
  struct soil_column column;
  const int count = setup->extended ? 12000000 : 1000000;
  double least = 0, defect = 0, z = 0;
  struct soil_memory memory = {.deepest_m = 0};
  verify_run_with(r, "%d random steps of 1e-6 to 1 m, across the mudline, pipe of 0.5 m", count);
  if (soil_column_create(&column, &CLAY, DIAMETER_M, NULL) != STATUS_OK)
    return;
  for (int i = 0; i < count; i++) {
    const double step = exp(log(1e-6) * random_uniform(&stream)) * (random_uniform(&stream) < 0.5 ? -1 : 1);
    const double to = z + step > 1.5 || z + step < -0.3 ? z - step : z + step;
    const struct soil_start start = soil_begin(&column, &memory, z);
    const struct soil_way way = soil_over(&column, &memory, &start, to, &memory);
    const double after = soil_begin(&column, &memory, to).energy_jpm, work = way.force_npm * (to - z);
    const double terms = start.energy_jpm + after + way.loss_jpm + fabs(way.force_npm) * (fabs(z) + fabs(to));
    least = fmin(least, way.loss_jpm);
    defect = fmax(defect, fabs(after - start.energy_jpm + way.loss_jpm - work) / (terms + 1e-9));
    z = to;
  }
  verify_add(r, VERIFY_ABSOLUTE, "J/m", least, 0, 0, "least loss of a step");
  verify_add(r, VERIFY_ABSOLUTE, "", defect, 0, 1e-14,
             "change of energy plus loss less work, over their terms");
}

void verify_soil_lay(const struct verify_setup *setup, struct verify_result *r) {
  static const double steps_s[] = {0.005, 0.01, 0.02, 0.05, 0.1};
  verify_run_with(r, "jlay-900m on clay with friction that breaks out, 60 s: a side force of 600 kN and a "
                     "current from 10 s on");
  for (size_t k = 0; k < sizeof steps_s / sizeof *steps_s; k++) {
    const char *const sets[] = {"environment.seabed=soil", "environment.seabed_friction_axial=0.4",
                                "environment.seabed_friction_lateral=0.6",
                                "environment.soil={model: clay, strength_pa: 3000, strength_gradient_papm: "
                                "1500, unit_weight_npm3: 5000, "
                                "lateral_peak: 1.2, lateral_residual_m: 0.6, lateral_passive: true}"};
    struct sim_def def;
    if (!scene_load(setup, "jlay-900m", sizeof sets / sizeof *sets, sets, &def, r))
      return;
    def.step_s = steps_s[k];
    struct sim *s = scene_create(&def, r);
    if (!s)
      return;
    for (int i = 0; i < (int)(60 / steps_s[k]); i++)
      sim_step(s, NULL);
    const struct ledger *ledger = &s->run.ledger;
    double least = 0;
    for (int i = 0; i < LOSS_COUNT; i++)
      least = fmin(least, ledger->total_loss_j[i]);
    verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(ledger), 0, 1e-12, "steps of %g ms: ledger closure",
               1e3 * steps_s[k]);
    verify_add(r, VERIFY_ABSOLUTE, "J", least, 0, 0, "steps of %g ms: least loss", 1e3 * steps_s[k]);
    verify_add(r, VERIFY_ABSOLUTE, "", (double)s->run.not_converged_count, 0, 0,
               "steps of %g ms: steps without a solution", 1e3 * steps_s[k]);
    scene_free(s);
  }
}

// ------------------------------------------------------------
// Rainflow counting and Miner's sum, against the example of the standard and the closed forms of narrow
// bands.

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
