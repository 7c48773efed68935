// The vessel with full inertia and its thrusters, without a pipe, against an independent code:
// tests/reference/osv_vessel.py.
#include "sagbend/base/base.h"
#include "sagbend/env/env.h"
#include "verification/harness/harness.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
  const char *name;
  double period_s, shape[3]; // heave m, roll, pitch rad
} MODES[] = {{"heave against pitch", 5.1497362869, {-1, 0, 0.0477145876}},
             {"heave with pitch", 7.6326402115, {1, 0, 0.0427693354}},
             {"roll", 10.1807666026, {0, 1, 0}}};

// Period over whole swings, between passages through zero from below, linear between steps.
static double period_of(struct sim *s, int heave, int coordinate, int swings, struct verify_result *r,
                        struct verify_series *line) {
  double before = 0, first = 0, last = 0;
  struct sim_output o;
  int passed = 0;
  while (passed <= swings) {
    sim_get_output(s, &o);
    double x = heave ? o.position_n_m[2] : o.euler_rad[coordinate];
    if (o.step > 0 && before < 0 && x >= 0) {
      last = o.time_s - s->def->step_s * x / (x - before);
      first = passed++ == 0 ? last : first;
    }
    if (o.step % 10 == 0 && o.time_s < 60)
      verify_point(r, line, o.time_s, x);
    before = x;
    if (o.time_s > 1000)
      return (double)NAN;
    sim_step(s, NULL);
  }
  return (last - first) / swings;
}

void verify_osv_decay(const struct verify_setup *setup, struct verify_result *r) {
  struct sim_def def;
  verify_run_with(
      r, "configs/vessels/osv-83m-published.yaml: damping off, 1 cm or 1e-4 rad, steps of 10 ms, 20 swings");
  if (!scene_load(setup, "vessels/osv-83m-published", 0, NULL, &def, r))
    return;
  scene_conservative(&def);
  def.vessel.plant.thruster_count = 0;
  struct verify_plot *plot =
      verify_plot(r, "Free oscillation of the 83 m vessel", "time, s", "heave, m, or roll, rad x 100");
  for (int k = 0; k < 3; k++) {
    double size = k < 2 ? 0.01 : 1e-4;
    int coordinate = k < 2 ? 1 : 0;
    def.vessel.position_n_m[2] = size * MODES[k].shape[0];
    def.vessel.euler_rad[0] = size * MODES[k].shape[1];
    def.vessel.euler_rad[1] = size * MODES[k].shape[2];
    struct sim *s = scene_create(&def, r);
    if (!s)
      return;
    struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "%s", MODES[k].name);
    double period = period_of(s, k < 2, coordinate, 20, r, line);
    for (int i = 0; line && k == 2 && i < line->count; i++)
      line->y[i] *= 100;
    verify_add(r, VERIFY_RELATIVE, "s", period, MODES[k].period_s, 4e-5, "period, %s", MODES[k].name);
    struct verify_series *closed = verify_series(r, plot, VERIFY_POINTS, "%s, mode", MODES[k].name);
    for (int i = 0; i <= 60; i += 2)
      verify_point(r, closed, i,
                   (k < 2 ? size * MODES[k].shape[0] : 100 * size) *
                       cos(2 * acos(-1) * i / MODES[k].period_s));
    scene_free(s);
  }
}

// From rest, bow tunnels at 70 and -50 rpm, azimuths at 120 rpm and 0.4 rad, 90 rpm and -0.3 rad.
static const double THRUST_RUN[][10] = {
    // time s; north, east, down m; roll, pitch, yaw rad; surge, sway, heave m/s
    {20, 7.359550126, 1.458798447, -0.0006772755286, -0.00394696495, 0.0002722374077, 0.001486661055,
     0.8819410663, 0.1674791951, 0.000920715759},
    {40, 33.27739554, 6.367953197, -0.0006898438991, -0.002850047162, 0.0002406174561, -0.0008393058661,
     1.64749807, 0.3123781091, 0.00128575564},
    {60, 71.17002338, 13.53642185, -0.0007313288634, -0.002396226871, 0.0002181634556, -0.007459162657,
     2.096134455, 0.4142953384, 0.001447939822},
    {80, 115.9179067, 22.08078051, -0.0007577023857, -0.002160928745, 0.0002052240279, -0.01738968048,
     2.342305804, 0.4919073888, 0.001542225367},
    {100, 164.4337855, 31.42600162, -0.0007786226915, -0.002018201394, 0.0001982105132, -0.02975183616,
     2.471857383, 0.5539887656, 0.001607001448},
    {120, 214.9997674, 41.18032126, -0.0007960191736, -0.001923067501, 0.0001945795114, -0.0439137228,
     2.537930466, 0.6048763062, 0.001656245772},
    {140, 266.7023024, 51.05937113, -0.0008105861131, -0.001855329098, 0.0001927717737, -0.05943565654,
     2.570541481, 0.6470517088, 0.00169535971},
    {160, 319.0680728, 60.84448675, -0.0008226645326, -0.001804622384, 0.0001919141293, -0.07600910438,
     2.585877688, 0.6821695081, 0.001726780351},
    {180, 371.8552075, 70.36033591, -0.0008325575531, -0.001765244048, 0.0001915395463, -0.09341223533,
     2.59245731, 0.7114625112, 0.001752019844},
    {200, 424.9401595, 79.46264045, -0.000840585378, -0.001733873379, 0.000191404377, -0.1114807336,
     2.594699029, 0.7359096453, 0.001772252814},
};

void verify_osv_thrust(const struct verify_setup *setup, struct verify_result *r) {
  static const char *const what[] = {"north", "east",  "down", "roll", "pitch",
                                     "yaw",   "surge", "sway", "heave"};
  static const char *const unit[] = {"m", "m", "m", "rad", "rad", "rad", "m/s", "m/s", "m/s"};
  static const double limit[] = {1e-2, 1e-2, 1e-5, 1e-6, 1e-7, 1e-5, 1e-4, 1e-4, 1e-6};
  const struct thruster_setpoint setpoint[MAX_THRUSTERS] = {
      {1, 70, 0, 0}, {1, -50, 0, 0}, {1, 120, 0, 0.4}, {1, 90, 0, -0.3}};
  const struct sim_input input = {.setpoint = setpoint};
  struct sim_def def;
  struct sim_output o;
  verify_run_with(
      r,
      "configs/vessels/osv-83m-published.yaml: steps of 20 ms, 200 s, set-points of the thrusters constant");
  if (!scene_load(setup, "vessels/osv-83m-published", 0, NULL, &def, r))
    return;
  def.step_s = 0.02;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  struct verify_plot *plot =
      verify_plot(r, "Track under constant set-points, plan view", "east, m", "north, m");
  struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "the program"),
                       *other = verify_series(r, plot, VERIFY_POINTS, "Runge-Kutta, independent code");
  const int rows = (int)(sizeof THRUST_RUN / sizeof *THRUST_RUN);
  for (int k = 0; k < rows; k++) {
    const double *ref = THRUST_RUN[k];
    for (sim_get_output(s, &o); o.time_s < ref[0] - 0.5 * def.step_s; sim_get_output(s, &o)) {
      if (o.step % 50 == 0)
        verify_point(r, line, o.position_n_m[1], o.position_n_m[0]);
      sim_step(s, &input);
    }
    verify_point(r, other, ref[2], ref[1]);
    for (int c = 0; c < 9 && (k == 0 || k == rows / 2 || k == rows - 1); c++) {
      double found = c < 3 ? o.position_n_m[c] : c < 6 ? o.euler_rad[c - 3] : o.velocity_b[c - 6];
      verify_add(r, VERIFY_ABSOLUTE, unit[c], found, ref[1 + c], limit[c], "%s at %g s", what[c], ref[0]);
    }
  }
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-11, "ledger closure");
  scene_free(s);
}

// ------------------------------------------------------------
// Spectra of wind and waves, and the profile of the wind, against their formulas.

static const double PI = 3.14159265358979323846;
#define J ((double complex)I) // in double precision
enum { SAMPLES = 1 << 17 };

static void transform(double complex *x) { // in place, radix 2
  for (int i = 1, j = 0; i < SAMPLES; i++) {
    int bit = SAMPLES >> 1;
    for (; j & bit; bit >>= 1)
      j ^= bit;
    j ^= bit;
    if (i < j) {
      double complex held = x[i];
      x[i] = x[j], x[j] = held;
    }
  }
  for (int size = 2; size <= SAMPLES; size *= 2) {
    double complex turn = cexp(-2 * PI * J / size);
    for (int start = 0; start < SAMPLES; start += size) {
      double complex at = 1;
      for (int k = start; k < start + size / 2; k++, at *= turn) {
        double complex other = at * x[k + size / 2];
        x[k + size / 2] = x[k] - other;
        x[k] += other;
      }
    }
  }
}

// One-sided density per Hz in x[k], real, at k / (SAMPLES step), of samples in x; Hann's window.
static void to_density(double complex *x, double step_s) {
  for (int i = 0; i < SAMPLES; i++)
    x[i] *= 1 - cos(2 * PI * i / SAMPLES);
  transform(x);
  for (int k = 0; k < SAMPLES / 2; k++)
    x[k] = 2 * (2.0 / 3) * creal(x[k] * conj(x[k])) * step_s / SAMPLES;
}

static double moment(const double complex *density, double df, double low, double high, int power) {
  double sum = 0;
  for (int k = 1; k < SAMPLES / 2; k++)
    if (k * df >= low && k * df < high)
      sum += creal(density[k]) * df * pow(2 * PI * k * df, power);
  return sum;
}

typedef double formula(const void *def, double frequency);

static double integral(formula *f, const void *def, double low, double high,
                       int power) { // Simpson's, over the logarithm
  enum { CELLS = 4000 };
  double sum = 0;
  for (int i = 0; i <= CELLS; i++) {
    double x = low * pow(high / low, (double)i / CELLS);
    sum += (i == 0 || i == CELLS ? 1 : i % 2 ? 4 : 2) * pow(x, power + 1) * f(def, x);
  }
  return sum * log(high / low) / (3 * CELLS);
}

static void draw_density(struct verify_result *r, const double complex *density, double df, double low,
                         double high, formula *f, const void *def, const char *title) {
  struct verify_plot *p = verify_plot(r, title, "frequency, Hz", "density");
  struct verify_series *a = verify_series(r, p, VERIFY_POINTS, "realisation, by frequency bands"),
                       *b = verify_series(r, p, VERIFY_LINE, "formula");
  for (double edge = low; edge < high; edge *= 1.15) {
    double top = fmin(1.15 * edge, high);
    verify_point(r, a, sqrt(edge * top), moment(density, df, edge, top, 0) / (top - edge));
    verify_point(r, b, sqrt(edge * top), f(def, sqrt(edge * top)));
  }
}

static double jonswap(const void *def, double w) { // not scaled
  const struct waves_def *d = def;
  double peak = 2 * PI / d->period_s, width = w <= peak ? 0.07 : 0.09;
  return pow(w, -5) * exp(-1.25 * pow(peak / w, 4)) *
         pow(d->gamma, exp(-0.5 * pow((w / peak - 1) / width, 2)));
}

struct scaled {
  const struct waves_def *def;
  double scale;
};
static double jonswap_hz(const void *def, double f) {
  const struct scaled *s = def;
  return 2 * PI * s->scale * jonswap(s->def, 2 * PI * f);
}

static double peak_of(const double complex *density, double df, double width,
                      double high) { // of bands of this width
  double best = 0, at = 0;
  for (double f = 2 * width; f < high; f += 0.1 * width) {
    double m = moment(density, df, f - width / 2, f + width / 2, 0);
    if (m > best)
      best = m, at = f;
  }
  return at;
}

void verify_wave_spectrum(const struct verify_setup *setup, struct verify_result *r) {
  (void)setup;
  const struct waves_def def = {
      .present = 1, .height_m = 3, .period_s = 9, .gamma = 3.3, .components = 64, .seed = 1};
  double complex *x = calloc(SAMPLES, sizeof *x);
  void *block = aligned_alloc(64, 65536);
  struct arena memory;
  struct sea sea;
  arena_init(&memory, block, block ? 65536 : 0);
  sea_create(&sea, &def, 9.81, 900, &memory);
  if (!x || !block || arena_is_overflowed(&memory)) {
    verify_fail(r, "out of memory");
    free(x), free(block);
    return;
  }
  const double step = 0.35, df = 1 / (SAMPLES * step), peak = 2 * PI / def.period_s;
  const double low = WAVES_LOWEST * peak, high = WAVES_HIGHEST * peak;
  verify_run_with(r, "Hs 3 m, Tp 9 s, gamma 3.3, 64 components, %.1f hours sampled every %g s",
                  SAMPLES * step / 3600, step);
  for (int i = 0; i < SAMPLES; i++)
    x[i] = sea_elevation(&sea, i * step, 0, 0);
  to_density(x, step);
  double scale = def.height_m * def.height_m / 16 / integral(jonswap, &def, low, high, 0);
  double m0 = moment(x, df, 0, 0.5 / step, 0);
  verify_add(r, VERIFY_RELATIVE, "m", 4 * sqrt(m0), def.height_m, 1e-6, "significant height");
  verify_add(r, VERIFY_RELATIVE, "s", 1 / peak_of(x, df, 0.08 / def.period_s, 3 / def.period_s), def.period_s,
             1e-3, "peak period");
  static const double slack[] = {0, 1e-6, 1e-3, 3e-3, 1e-2}; // a component has one frequency for its band
  for (int n = 1; n <= 4; n++)
    verify_add(r, VERIFY_RELATIVE, "", moment(x, df, 0, 0.5 / step, n),
               scale * integral(jonswap, &def, low, high, n), slack[n],
               "moment m%d up to %g times the peak frequency", n, WAVES_HIGHEST);
  struct scaled shown = {&def, scale};
  draw_density(r, x, df, 0.06, 0.4, jonswap_hz, &shown, "JONSWAP, m2/Hz");
  free(x), free(block);
}

static double norsok(const void *def, double f) {
  const struct wind_def *d = def;
  double z = d->gust_height_m, u = d->speed_mps, x = 172 * f * cbrt(z * z / 100) / pow(u / 10, 0.75);
  return 3.2 * u * u * pow(z / 10, 0.45) * pow(1 + pow(x, 0.468), -5 / 1.404);
}

static double api(const void *def, double f) {
  const struct wind_def *d = def;
  double z = d->gust_height_m, mean = d->speed_mps * pow(z / 10, 0.125), fp = 0.025 * mean / z;
  double sigma = 0.15 * mean * pow(z / 20, z <= 20 ? -0.125 : -0.275);
  return sigma * sigma / fp * pow(1 + 1.5 * f / fp, -5.0 / 3);
}

static void gusts(struct verify_result *r, double complex *x, enum wind_gusts kind, formula *f,
                  const char *name) {
  const struct wind_def def = {.present = 1, .speed_mps = 15, .gusts = kind, .gust_height_m = 10, .seed = 1};
  const double step = 0.9, df = 1 / (SAMPLES * step);
  struct wind wind = wind_of(&def);
  for (int i = 0; i < SAMPLES; i++)
    x[i] = wind_at(&wind, i * step).gust_mps;
  to_density(x, step);
  double wanted = integral(f, &def, WIND_LOWEST_HZ, WIND_HIGHEST_HZ, 0);
  verify_add(r, VERIFY_RELATIVE, "m2/s2", moment(x, df, 0, 1, 0), wanted, 1e-4, "%s: variance", name);
  static const double edge[] = {1.0 / 2400, 0.004, 0.04, 0.5};
  for (int b = 0; b < 3; b++)
    verify_add(r, VERIFY_RELATIVE, "m2/s2", moment(x, df, edge[b], edge[b + 1], 0),
               integral(f, &def, edge[b], edge[b + 1], 0), 0.08, "%s: variance from %.4g to %.4g Hz", name,
               edge[b], edge[b + 1]);
  char title[64];
  snprintf(title, sizeof title, "Gusts, %s, m2/s2/Hz", name);
  draw_density(r, x, df, WIND_LOWEST_HZ, WIND_HIGHEST_HZ, f, &def, title);
}

void verify_wind_spectrum(const struct verify_setup *setup, struct verify_result *r) {
  (void)setup;
  double complex *x = calloc(SAMPLES, sizeof *x);
  verify_run_with(r, "15 m/s at 10 m, %d sinusoids, 33 hours sampled every 0.9 s", WIND_GUSTS);
  if (x) {
    gusts(r, x, GUSTS_NORSOK, norsok, "NORSOK");
    gusts(r, x, GUSTS_API, api, "API");
  } else {
    verify_fail(r, "out of memory");
  }
  free(x);
}

// Wind profile and gust spectrum, number by number. The realisations of wind-spectrum average over them too
// widely to reveal a constant that is wrong by 1 %.
//   NORSOK N-003:  U = U0 (1 + 0.0573 sqrt(1 + 0.15 U0) ln(z/10)),
//                  S = 320 (U0/10)^2 (z/10)^0.45 (1 + x^n)^(-5/(3 n)),  x = 172 f (z/10)^(2/3)
//                  (U0/10)^(-3/4),  n = 0.468;
//   API RP 2A:     U = U0 (z/10)^0.125,  S = sigma^2/fp (1 + 1.5 f/fp)^(-5/3),  fp = 0.025 U/z,
//                  sigma = 0.15 U (z/20)^-0.125 up to 20 m, 0.15 U (z/20)^-0.275 above.
static double mean_of(enum wind_gusts law, double u0, double z) {
  return law == GUSTS_API ? u0 * pow(0.1 * z, 0.125) : u0 + 0.0573 * u0 * sqrt(1 + 0.15 * u0) * log(0.1 * z);
}

static double density_of(enum wind_gusts law, double u0, double z, double f) {
  if (law == GUSTS_API) {
    double mean = mean_of(law, u0, z), deviation = 0.15 * mean / pow(0.05 * z, z <= 20 ? 0.125 : 0.275),
           peak = 0.025 * mean / z;
    return deviation * deviation / (peak * cbrt(pow(1 + 1.5 * f / peak, 5)));
  }
  double x = 172 * f * cbrt(z * z / 100) / pow(0.1 * u0, 0.75);
  return 3.2 * u0 * u0 * pow(0.1 * z, 0.45) / pow(1 + pow(x, 0.468), 5 / 1.404);
}

void verify_wind_profile(const struct verify_setup *setup, struct verify_result *r) {
  static const double height[] = {5, 30, 80}, frequency[] = {0.001, 0.02, 0.3};
  (void)setup;
  verify_run_with(r, "20 m/s at 10 m, one hour's mean");
  struct verify_plot *plot = verify_plot(r, "Mean wind", "mean wind, m/s", "height, m");
  for (int k = 0; k < 2; k++) {
    const char *name = k ? "API" : "NORSOK";
    enum wind_gusts law = k ? GUSTS_API : GUSTS_NORSOK;
    struct wind_def def = {.present = 1, .speed_mps = 20, .gusts = law, .gust_height_m = 10, .seed = 1};
    struct wind wind = wind_of(&def);
    for (int i = 0; i < 3; i++)
      verify_add(r, VERIFY_RELATIVE, "m/s", wind_mean(&wind, height[i]), mean_of(law, 20, height[i]), 1e-12,
                 "%s: mean at %g m", name, height[i]);
    for (int i = 0; i < 9; i++) {
      double z = def.gust_height_m = height[i / 3], f = frequency[i % 3];
      verify_add(r, VERIFY_RELATIVE, "m2/s", wind_density(&def, f), density_of(law, 20, z, f), 1e-12,
                 "%s: density at %g m, %g Hz", name, z, f);
    }
    struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "%s", name);
    struct verify_series *closed = verify_series(r, plot, VERIFY_POINTS, "%s, formula", name);
    for (int z = 2; z <= 100; z += 2) {
      verify_point(r, line, wind_mean(&wind, z), z);
      if (z % 10 == 0)
        verify_point(r, closed, mean_of(law, 20, z), z);
    }
  }
}
