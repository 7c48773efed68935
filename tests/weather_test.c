// Wind and waves as functions of time: spectra of long realisations against the formulas, coefficients and transfer
// functions against closed forms and limits, same seed same bits.
#include "scenes.h"
#include "suite.h"

#include "env/spectrum.h"
#include "math/lanes_trig.h"
#include "math/trig.h"

enum { FFT = 1 << 17 };

// In place, radix 2, of FFT complex numbers.
static void transform(double *re, double *im) {
  for (int i = 1, j = 0; i < FFT; i++) {
    int bit = FFT >> 1;
    for (; j & bit; bit >>= 1)
      j ^= bit;
    j ^= bit;
    if (i < j) {
      double a = re[i], b = im[i];
      re[i] = re[j], im[i] = im[j], re[j] = a, im[j] = b;
    }
  }
  for (int size = 2; size <= FFT; size *= 2)
    for (int k = 0; k < size / 2; k++) {
      double c = cos(-2 * TRIG_PI * k / size), s = sin(-2 * TRIG_PI * k / size);
      for (int i = k; i < FFT; i += size) {
        int j = i + size / 2;
        double x = c * re[j] - s * im[j], y = c * im[j] + s * re[j];
        re[j] = re[i] - x, im[j] = im[i] - y;
        re[i] += x, im[i] += y;
      }
    }
}

// One-sided density per Hz by a Hann window over all samples; bin k at k / (FFT * step).
static double *periodogram(const double *sample, double step_s) {
  double *re = calloc(FFT, sizeof *re), *im = calloc(FFT, sizeof *im), mean = 0;
  for (int i = 0; i < FFT; i++)
    mean += sample[i] / FFT;
  for (int i = 0; i < FFT; i++)
    re[i] = (sample[i] - mean) * sqrt(8.0 / 3) * 0.5 * (1 - cos(2 * TRIG_PI * i / FFT));
  transform(re, im);
  for (int k = 0; k < FFT / 2; k++)
    re[k] = 2 * (re[k] * re[k] + im[k] * im[k]) * step_s / FFT;
  free(im);
  return re;
}

static struct sea *sea_in(const struct waves_def *def, double depth_m) {
  struct arena a;
  static _Alignas(64) unsigned char block[64 * 1024];
  arena_init(&a, block, sizeof block);
  struct sea *s = arena_take(&a, 1, sizeof *s);
  sea_create(s, def, 9.81, depth_m, &a);
  ck_assert(!arena_overflowed(&a));
  return s;
}

static struct waves_def jonswap(double height, double period, double gamma, int seed) {
  return (struct waves_def){.present = 1, .height_m = height, .period_s = period, .gamma = gamma, .components = 64, .seed = seed};
}

START_TEST(trigonometry_of_lanes) {
  double worst = 0;
  for (int i = -4000; i <= 4000; i++) {
    lanes turns = {i / 1000.0, i / 997.0 + 1e4, i / 8.0, 1e7 + i / 64.0}, s, c;
    lanes_sincos_turns(&turns, &s, &c);
    for (int k = 0; k < LANES; k++) {
      double angle = 2 * TRIG_PI * (turns[k] - floor(turns[k]));
      worst = fmax(worst, fmax(fabs(s[k] - sin(angle)), fabs(c[k] - cos(angle))));
      if (turns[k] == floor(turns[k])) // whole turns are exact
        ck_assert(s[k] == 0 && c[k] == 1);
    }
  }
  printf("sin and cos of lanes: %.1e off\n", worst);
  ck_assert(worst < 2e-15);
}
END_TEST

static double jonswap_shape(const struct waves_def *d, double w) {
  double peak = 2 * TRIG_PI / d->period_s, width = w <= peak ? 0.07 : 0.09;
  return pow(w, -5) * exp(-1.25 * pow(peak / w, 4)) * pow(d->gamma, exp(-pow((w / peak - 1) / width, 2) / 2));
}

static const struct {
  double height, period, gamma;
  int seed;
} seas[] = {{3, 9, 3.3, 1}, {6, 12, 1, 2}, {1.5, 6, 5, 3}, {3, 9, 3.3, 77}};

// Moments of the elevation measured over 36 hours, up to the cut-off; of the realisation's lines at once and the
// formula, integrated here by Simpson's rule in another variable.
START_TEST(jonswap_moments) {
  struct waves_def def = jonswap(seas[_i].height, seas[_i].period, seas[_i].gamma, seas[_i].seed);
  struct sea *sea = sea_in(&def, 900);
  double peak = 2 * TRIG_PI / def.period_s, low = WAVES_LOWEST * peak, high = WAVES_HIGHEST * peak, step = 0.04 * 2 * TRIG_PI / peak;
  double *z = calloc(FFT, sizeof *z), wanted[5] = {0}, measured[5] = {0}, best = 0, best_at = 0;
  for (int i = 0; i < FFT; i++)
    z[i] = sea_elevation(sea, i * step, 0, 0);
  double *density = periodogram(z, step), df = 1 / (FFT * step);
  for (int i = 0; i <= 20000; i++) {
    double w = low + (high - low) * i / 20000, weight = (i == 0 || i == 20000 ? 1 : i % 2 ? 4 : 2) * (high - low) / 60000;
    for (int n = 0; n < 5; n++)
      wanted[n] += weight * pow(w, n) * jonswap_shape(&def, w);
  }
  double scale = def.height_m * def.height_m / 16 / wanted[0];
  for (int n = 0; n < 5; n++)
    wanted[n] *= scale;
  for (double w = 0.5 * peak; w < 3 * peak; w += 0.5 * peak)
    ck_assert_double_eq_tol(waves_density(&def, w) / (scale * jonswap_shape(&def, w)), 1, 1e-4);
  for (int k = 1; k < FFT / 2; k++)
    for (int n = 0; n < 5 && 2 * TRIG_PI * k * df <= high; n++)
      measured[n] += density[k] * df * pow(2 * TRIG_PI * k * df, n);
  int half = (int)(0.03 * peak / (2 * TRIG_PI) / df); // smoothed over 6 % of the peak's frequency
  for (int k = half; 2 * TRIG_PI * k * df < high; k++) {
    double sum = 0;
    for (int j = k - half; j <= k + half; j++)
      sum += density[j];
    if (sum > best)
      best = sum, best_at = 2 * TRIG_PI * k * df;
  }
  printf("Hs %.3f of %.3f, peak %.3f of %.3f, m1..m4 off by", 4 * sqrt(measured[0]), def.height_m, best_at, peak);
  for (int n = 1; n < 5; n++)
    printf(" %.4f", measured[n] / wanted[n] - 1);
  printf("\n");
  ck_assert_double_eq_tol(4 * sqrt(measured[0]), def.height_m, 0.005 * def.height_m);
  for (int n = 0; n < 5; n++)
    ck_assert_double_eq_tol(measured[n] / wanted[n], 1, 0.02);
  ck_assert_double_eq_tol(best_at / peak, 1, 0.05);
  free(z), free(density);
}
END_TEST

static struct wind_def windy(enum wind_gusts gusts, double speed, double height, int seed) {
  return (struct wind_def){.present = 1, .speed_mps = speed, .gusts = gusts, .gust_height_m = height, .seed = seed, .air_density_kgpm3 = 1.225, .turn_period_s = 600};
}

static const struct {
  enum wind_gusts gusts;
  double speed, height;
} winds[] = {{GUSTS_NORSOK, 15, 10}, {GUSTS_NORSOK, 25, 40}, {GUSTS_API, 15, 10}, {GUSTS_API, 30, 40}};

// The formulas once more, written differently and with libm.
static double gust_formula(int i, double f) {
  double u = winds[i].speed, z = winds[i].height;
  if (winds[i].gusts == GUSTS_NORSOK) {
    double x = 172 * f * cbrt(z * z / 100) / pow(u / 10, 0.75);
    return 320 * pow(u / 10, 2) * pow(z / 10, 0.45) * pow(1 + pow(x, 0.468), -5 / 1.404);
  }
  double mean = u * pow(z / 10, 0.125), sigma = 0.15 * mean * (z <= 20 ? pow(z / 20, -0.125) : pow(z / 20, -0.275));
  double fp = 0.025 * mean / z;
  return sigma * sigma / f * (f / fp) / pow(1 + 1.5 * f / fp, 5.0 / 3);
}

static double gust_integral(int i, double from, double to) {
  double sum = 0;
  for (int k = 0; k <= 4000; k++) {
    double f = from * pow(to / from, k / 4000.0);
    sum += (k == 0 || k == 4000 ? 1 : k % 2 ? 4 : 2) * f * gust_formula(i, f) * log(to / from) / 12000;
  }
  return sum;
}

// Variance, and its share by bands of a factor of about three in frequency, over 36 hours.
START_TEST(gust_spectra) {
  struct wind_def def = windy(winds[_i].gusts, winds[_i].speed, winds[_i].height, 1 + _i);
  struct wind w = wind_of(&def);
  double step = 1, *u = calloc(FFT, sizeof *u), mean = 0;
  for (int i = 0; i < FFT; i++)
    mean += (u[i] = wind_at(&w, i * step).gust_mps) / FFT;
  double *density = periodogram(u, step), df = 1 / (FFT * step), all = 0;
  for (int k = 0; k < FFT / 2; k++)
    all += density[k] * df;
  double wanted = gust_integral(_i, WIND_LOWEST_HZ, WIND_HIGHEST_HZ);
  printf("gusts: mean %.4f, variance %.4f of %.4f, bands", mean, all, wanted);
  ck_assert_double_eq_tol(mean, 0, 0.01 * sqrt(wanted));
  ck_assert_double_eq_tol(all / wanted, 1, 0.02);
  static const double edge[] = {1.0 / 2400, 0.0015, 0.005, 0.015, 0.05, 0.15, 0.5};
  for (int b = 0; b < 6; b++) {
    double sum = 0, part = gust_integral(_i, edge[b], edge[b + 1]);
    for (int k = (int)(edge[b] / df); k < (int)(edge[b + 1] / df); k++)
      sum += density[k] * df;
    printf(" %.3f", sum / part);
    // a band's edge may cut one of our lines' bands
    ck_assert_double_eq_tol(sum / part, 1, 0.3);
  }
  printf("\n");
  free(u), free(density);
}
END_TEST

START_TEST(wind_profiles) {
  struct wind_def def = windy(GUSTS_NORSOK, 20, 10, 1);
  struct wind w = wind_of(&def);
  ck_assert_double_eq(wind_mean(&w, 10), 20);
  ck_assert_double_eq_tol(wind_mean(&w, 40), 20 * (1 + 0.0573 * sqrt(1 + 0.15 * 20) * log(4)), 1e-12);
  def.gusts = GUSTS_API;
  w = wind_of(&def);
  ck_assert_double_eq_tol(wind_mean(&w, 40), 20 * pow(4, 0.125), 1e-12);
  def.gusts = GUSTS_NONE;
  def.direction_rad = TRIG_PI / 2; // from the east: towards the west
  def.turn_rad = 0.1;
  def.turn_period_s = 100;
  w = wind_of(&def);
  struct wind_now now = wind_at(&w, 0);
  vec3 v = wind_velocity(&w, &now, 10);
  ck_assert_double_eq_tol(v.y, -20, 1e-12);
  ck_assert_double_eq_tol(v.x, 0, 1e-12);
  ck_assert_double_eq_tol(wind_at(&w, 25).direction_rad, TRIG_PI / 2 + 0.1, 1e-12);
}
END_TEST

// Autocorrelation at every lag up to six hours stays far from 1: it does not repeat.
START_TEST(realisations_do_not_repeat) {
  struct waves_def def = jonswap(3, 9, 3.3, 4);
  struct sea *sea = sea_in(&def, 900);
  struct wind_def wind = windy(GUSTS_NORSOK, 15, 10, 4);
  struct wind w = wind_of(&wind);
  double most[2] = {0, 0};
  for (double lag = 60; lag < 4 * 3600; lag += 0.5) { // exact for a sum of lines
    double sum[2] = {0}, all[2] = {0};
    for (int k = 0; k < sea->count; k++) {
      double e = sea->amplitude_m[k] * sea->amplitude_m[k];
      sum[0] += e * cos(sea->omega_radps[k] * lag), all[0] += e;
    }
    most[0] = fmax(most[0], sum[0] / all[0]);
    for (int k = 0; k < WIND_GUSTS; k++) {
      double e = w.amplitude_mps[k] * w.amplitude_mps[k];
      sum[1] += e * cos(2 * TRIG_PI * w.frequency_hz[k] * lag), all[1] += e;
    }
    if (lag > 3600)
      most[1] = fmax(most[1], sum[1] / all[1]);
  }
  printf("largest correlation with itself: waves %.2f, gusts %.2f\n", most[0], most[1]);
  ck_assert(most[0] < 0.75 && most[1] < 0.75);
}
END_TEST

START_TEST(seeds) {
  struct waves_def def = jonswap(3, 9, 3.3, 5);
  def.spreading = 10;
  double first[3], again[3];
  struct sea *sea = sea_in(&def, 900);
  for (int i = 0; i < 3; i++)
    first[i] = sea_elevation(sea, 1e5 + i, 300, -70);
  sea = sea_in(&def, 900);
  for (int i = 0; i < 3; i++)
    again[i] = sea_elevation(sea, 1e5 + i, 300, -70);
  ck_assert_mem_eq(first, again, sizeof first);
  def.seed = 6;
  sea = sea_in(&def, 900);
  ck_assert(fabs(sea_elevation(sea, 1e5, 300, -70) - first[0]) > 1e-3);
  struct wind_def wind = windy(GUSTS_API, 15, 10, 5), other = windy(GUSTS_API, 15, 10, 6);
  struct wind a = wind_of(&wind), b = wind_of(&wind), c = wind_of(&other);
  ck_assert(wind_at(&a, 777).gust_mps == wind_at(&b, 777).gust_mps);
  ck_assert(fabs(wind_at(&a, 777).gust_mps - wind_at(&c, 777).gust_mps) > 1e-3);
}
END_TEST

// Dispersion, travel of a regular wave, spreading's mean and width.
START_TEST(wave_kinematics) {
  struct waves_def def = {.present = 1, .spectrum = WAVES_REGULAR, .height_m = 2, .period_s = 10, .direction_rad = TRIG_PI};
  struct sea *sea = sea_in(&def, 900); // from the south, towards the north
  double k = sea->wavenumber_1pm[0], w = 2 * TRIG_PI / 10;
  ck_assert_double_eq_tol(9.81 * k * tanh(k * 900), w * w, 1e-14);
  ck_assert_double_eq_tol(sea_elevation(sea, 0, 0, 0), 1, 1e-14);
  ck_assert_double_eq_tol(sea_elevation(sea, 3, 3 * w / k, 55), 1, 1e-12); // a crest moves north
  const double depths[] = {2, 20, 200};
  for (int i = 0; i < 3; i++) {
    k = sea_in(&def, depths[i])->wavenumber_1pm[0];
    ck_assert_double_eq_tol(9.81 * k * tanh(k * depths[i]), w * w, 1e-12);
  }
  def = jonswap(3, 9, 3.3, 1);
  def.components = 256;
  def.spreading = 5;
  sea = sea_in(&def, 900);
  double c = 0, s = 0, one = 0, two = 0, total = 0;
  for (int i = 0; i < 256; i++) {
    c += cos(sea->direction_rad[i] - TRIG_PI) / 256;
    s += sin(sea->direction_rad[i] - TRIG_PI) / 256;
  }
  for (int i = 0; i < 10000; i++) { // first moments of cos^10(a/2)
    double a = -TRIG_PI + 2 * TRIG_PI * (i + 0.5) / 10000, d = pow(cos(a / 2), 10);
    one += d * cos(a), two += d * sin(a), total += d;
  }
  printf("spreading: mean direction's length %.4f of %.4f\n", c, one / total);
  ck_assert_double_eq_tol(c, one / total, 2e-3);
  ck_assert_double_eq_tol(s, two / total, 2e-3);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("weather");
  TCase *t = add_case(suite, "weather", 60);
  tcase_add_test(t, trigonometry_of_lanes);
  tcase_add_loop_test(t, jonswap_moments, 0, 4);
  tcase_add_loop_test(t, gust_spectra, 0, 4);
  tcase_add_test(t, wind_profiles);
  tcase_add_test(t, realisations_do_not_repeat);
  tcase_add_test(t, seeds);
  tcase_add_test(t, wave_kinematics);
  return run_suite(suite);
}
