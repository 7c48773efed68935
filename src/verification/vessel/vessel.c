// Spectra of wind and waves, and the profile of the wind, against their formulas.
#include "sagbend/base/arena.h"
#include "sagbend/env/waves.h"
#include "sagbend/env/wind.h"
#include "verification/harness/case_functions.h"
#include "verification/harness/result.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
  struct verify_plot *plot = verify_plot(r, "Mean wind", "m/s", "height, m");
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
