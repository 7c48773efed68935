// Wind and waves as functions of time: spectra of long realisations against the formulas, coefficients and
// transfer functions against closed forms and limits; the same seed gives the same bits.

#include "sagbend/env/env_internal.h"
#include "sagbend/math/math.h"

#include "scenes.h"
#include "suite.h"

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
  ck_assert(!arena_is_overflowed(&a));
  return s;
}

static struct waves_def jonswap(double height, double period, double gamma, int seed) {
  return (struct waves_def){
      .present = 1, .height_m = height, .period_s = period, .gamma = gamma, .components = 64, .seed = seed};
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

// Moments of the elevation measured over 36 hours, up to the cut-off; of the realisation's lines at once and
// the formula, integrated here by Simpson's rule in another variable.
START_TEST(jonswap_moments) {
  struct waves_def def = jonswap(seas[_i].height, seas[_i].period, seas[_i].gamma, seas[_i].seed);
  struct sea *sea = sea_in(&def, 900);
  double peak = 2 * TRIG_PI / def.period_s, low = WAVES_LOWEST * peak, high = WAVES_HIGHEST * peak,
         step = 0.04 * 2 * TRIG_PI / peak;
  double *z = calloc(FFT, sizeof *z), wanted[5] = {0}, measured[5] = {0}, best = 0, best_at = 0;
  for (int i = 0; i < FFT; i++)
    z[i] = sea_elevation(sea, i * step, 0, 0);
  double *density = periodogram(z, step), df = 1 / (FFT * step);
  for (int i = 0; i <= 20000; i++) {
    double w = low + (high - low) * i / 20000, weight = (i == 0 || i == 20000 ? 1
                                                         : i % 2              ? 4
                                                                              : 2) *
                                                        (high - low) / 60000;
    for (int n = 0; n < 5; n++)
      wanted[n] += weight * pow(w, n) * jonswap_shape(&def, w);
  }
  double scale = def.height_m * def.height_m / 16 / wanted[0];
  for (int n = 0; n < 5; n++)
    wanted[n] *= scale;
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
  printf("Hs %.3f of %.3f, peak %.3f of %.3f, m1..m4 off by", 4 * sqrt(measured[0]), def.height_m, best_at,
         peak);
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
  return (struct wind_def){.present = 1,
                           .speed_mps = speed,
                           .gusts = gusts,
                           .gust_height_m = height,
                           .seed = seed,
                           .air_density_kgpm3 = 1.225,
                           .turn_period_s = 600};
}

static const struct {
  enum wind_gusts gusts;
  double speed, height;
} winds[] = {{GUSTS_NORSOK, 15, 10}, {GUSTS_NORSOK, 25, 40}, {GUSTS_API, 15, 10}, {GUSTS_API, 30, 40}};

// The formulas again, written differently and with libm.
static double gust_formula(int i, double f) {
  double u = winds[i].speed, z = winds[i].height;
  if (winds[i].gusts == GUSTS_NORSOK) {
    double x = 172 * f * cbrt(z * z / 100) / pow(u / 10, 0.75);
    return 320 * pow(u / 10, 2) * pow(z / 10, 0.45) * pow(1 + pow(x, 0.468), -5 / 1.404);
  }
  double mean = u * pow(z / 10, 0.125),
         sigma = 0.15 * mean * (z <= 20 ? pow(z / 20, -0.125) : pow(z / 20, -0.275));
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
    // the edge of a band may lie within the band of a sinusoid
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
  struct wind_sample now = wind_at(&w, 0);
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
  struct waves_def def = {
      .present = 1, .spectrum = WAVES_REGULAR, .height_m = 2, .period_s = 10, .direction_rad = TRIG_PI};
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

// The vessel of the box: Froude-Krylov alone, so that its forces are integrals of the undisturbed pressure.
static struct vessel_def boxed(const struct env_def *env) {
  struct vessel_def v = {
      .waves = {.present = 1, .first_order = 1, .drift = 1, .length_m = 80, .beam_m = 18, .draft_m = 5}};
  double area = 80 * 18, mass = env->water_density_kgpm3 * area * 5, weight = mass * env->gravity_mps2;
  v.mass_kg = mass;
  v.waterplane_area_m2 = area;
  v.gm_transverse_m = env->water_density_kgpm3 * env->gravity_mps2 * 80 * 18 * 18 * 18 / 12 / weight;
  v.gm_longitudinal_m = env->water_density_kgpm3 * env->gravity_mps2 * 18 * 80.0 * 80 * 80 / 12 / weight;
  for (int i = 0; i < 3; i++)
    v.inertia[i][i] = mass;
  return v;
}

// Pressure rho g a e^-kz cos(phi - kx x - ky y) on the bottom, its gradient through the volume, at a phase.
static void pressure_on_box(const struct env_def *env, double k, double chi, double phi, double force[6]) {
  enum { N = 200, M = 60, DEEP = 40 };
  double c = env->water_density_kgpm3 * env->gravity_mps2, kx = k * cos(chi), ky = k * sin(chi), depth = 0;
  memset(force, 0, 6 * sizeof *force);
  for (int l = 0; l < DEEP; l++)
    depth += exp(-k * 5 * (l + 0.5) / DEEP) * 5 / DEEP;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      double x = 80 * ((i + 0.5) / N - 0.5), y = 18 * ((j + 0.5) / M - 0.5), area = 80.0 * 18 / N / M;
      double at = phi - kx * x - ky * y, up = c * exp(-k * 5) * cos(at) * area;
      double fx = -c * kx * sin(at) * depth * area, fy = -c * ky * sin(at) * depth * area;
      force[0] += fx, force[1] += fy, force[2] -= up;
      force[3] -= y * up, force[4] += x * up;
      force[5] += x * fy - y * fx;
    }
}

START_TEST(box_is_integrated_pressure) {
  struct env_def env = {.gravity_mps2 = 9.81, .water_density_kgpm3 = 1025};
  struct vessel_def v = boxed(&env);
  for (int p = 0; p < 5; p++)
    for (int h = 0; h < 12; h++) {
      double omega = 0.3 + 0.3 * p, k = omega * omega / 9.81, chi = 0.1 + h * TRIG_PI / 6, re[6], im[6],
             wanted[6];
      wave_transfer(&v, &env, omega, k, chi, re, im);
      for (double phi = 0; phi < 6; phi += 1.1) {
        pressure_on_box(&env, k, chi, phi, wanted);
        for (int i = 0; i < 6; i++) {
          double scale = i < 3    ? 1025 * 9.81 * 1440
                         : i == 3 ? 1025 * 9.81 * 1440 * 9
                                  : 1025 * 9.81 * 1440 * 40;
          ck_assert_double_eq_tol((re[i] * cos(phi) - im[i] * sin(phi)) / scale, wanted[i] / scale, 2e-4);
        }
      }
    }
}
END_TEST

// Rows made from the forces of the box reproduce them; the other side is the mirror image.
START_TEST(rows_repeat_the_box) {
  struct env_def env = {.gravity_mps2 = 9.81, .water_density_kgpm3 = 1025};
  static struct vessel_def v, rows;
  v = rows = boxed(&env);
  for (int f = 0; f < 20; f++)
    for (int h = 0; h <= 36; h++) {
      struct force_row *row = &rows.waves.force[rows.waves.force_count++];
      struct drift_row *drift = &rows.waves.drift_rows[rows.waves.drift_count++];
      double re[6], im[6];
      row->omega_radps = drift->omega_radps = 0.3 + 0.05 * f;
      row->heading_rad = drift->heading_rad = TRIG_PI * h / 36;
      double k = row->omega_radps * row->omega_radps / 9.81;
      wave_transfer(&v, &env, row->omega_radps, k, row->heading_rad, re, im);
      wave_drift(&v, &env, row->omega_radps, wave_reflection(&v, k), row->heading_rad, drift->c);
      for (int i = 0; i < 6; i++)
        row->amplitude[i] = hypot(re[i], im[i]), row->phase_rad[i] = atan2(im[i], re[i]);
    }
  for (int f = 0; f < 19; f += 3)
    for (double heading = -3.1; heading < 6; heading += 0.37) {
      double omega = 0.3 + 0.05 * f, k = omega * omega / 9.81, a[6], b[6], c[6], d[6], x[3], y[3];
      wave_transfer(&v, &env, omega, k, heading, a, b);
      wave_transfer(&rows, &env, omega, k, heading, c, d);
      wave_drift(&v, &env, omega, wave_reflection(&v, k), heading, x);
      wave_drift(&rows, &env, omega, wave_reflection(&rows, k), heading, y);
      for (int i = 0; i < 6; i++) {
        double scale = 1025 * 9.81 * 1440 * (i < 3 ? 1 : i == 3 ? 9 : 40);
        ck_assert_double_eq_tol(a[i] / scale, c[i] / scale, 0.01);
        ck_assert_double_eq_tol(b[i] / scale, d[i] / scale, 0.01);
      }
      for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(x[i] / 4e5, y[i] / 4e5, 0.01);
    }
  double re[6], im[6];
  wave_transfer(&rows, &env, 1.3, 0.2, 1, re, im); // above the highest frequency
  for (int i = 0; i < 6; i++)
    ck_assert(re[i] == 0 && im[i] == 0);
}
END_TEST

static struct sim_def supply_vessel(void) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "vessels/osv-83m-published", 0, NULL);
  def.vessel.waves = (struct wave_response_def){
      .present = 1, .first_order = 1, .length_m = 76, .beam_m = 18, .draft_m = 5, .centre_x_b_m = -0.5};
  return def;
}

// In a long head wave the motion of the water solves the undamped equations of motion.
START_TEST(long_waves_carry_the_vessel) {
  struct sim_def def = supply_vessel();
  const struct vessel_def *v = &def.vessel;
  double omega = 0.2, k = omega * omega / 9.81, re[6], im[6], force[6], motion[6] = {0}, rest[6];
  wave_transfer(v, &def.env, omega, k, 0, re, im); // travels forward
  for (int quarter = 0; quarter < 2; quarter++) {  // at a crest, and a quarter of a period on
    // surface a cos(wt - kx): the water's surge is sin, its heave (down) -cos, the vessel pitches as the
    // slope k sin
    motion[0] = quarter ? 1 : 0;
    motion[2] = quarter ? 0 : -1;
    motion[4] = quarter ? k : 0;
    for (int i = 0; i < 6; i++)
      force[i] = quarter ? -im[i] : re[i];
    double heave = 1025 * 9.81 * v->waterplane_area_m2 * (motion[2] + 0.5 * motion[4]);
    mat6_mul(v->inertia, motion, rest);
    for (int i = 0; i < 6; i++)
      rest[i] *= -omega * omega;
    rest[2] += heave;
    rest[4] += 0.5 * heave + v->mass_kg * 9.81 * v->gm_longitudinal_m * motion[4];
    const double scale[6] = {v->inertia[0][0] * omega * omega,
                             1,
                             1025 * 9.81 * v->waterplane_area_m2,
                             1,
                             v->mass_kg * 9.81 * v->gm_longitudinal_m * k,
                             1};
    for (int i = 0; i < 6; i += 2)
      ck_assert_msg(fabs(force[i] - rest[i]) < 0.05 * scale[i], "row %d: %g of %g, scale %g", i, force[i],
                    rest[i], scale[i]);
  }
}
END_TEST

// At the origin, heading north: Newman's double sum, pair by pair.
static double drift_by_pairs(const struct sim_def *def, const struct sea *sea, double time_s, int component) {
  double sum = 0;
  for (int k = 0; k < sea->count; k++)
    for (int l = 0; l < sea->count; l++) {
      double one[3], other[3],
          turn = 2 * TRIG_PI *
                 ((sea->frequency_hz[k] - sea->frequency_hz[l]) * time_s + sea->phase[k] - sea->phase[l]);
      wave_drift(&def->vessel, &def->env, sea->omega_radps[k],
                 wave_reflection(&def->vessel, sea->wavenumber_1pm[k]), sea->direction_rad[k], one);
      wave_drift(&def->vessel, &def->env, sea->omega_radps[l],
                 wave_reflection(&def->vessel, sea->wavenumber_1pm[l]), sea->direction_rad[l], other);
      double product = one[component] * other[component];
      if (product > 0)
        sum += (one[component] > 0 ? 1 : -1) * sqrt(product) * sea->amplitude_m[k] * sea->amplitude_m[l] *
               cos(turn);
    }
  return sum;
}

// The mean of the slow drift over a long time is the sum of D a^2; at any time it is the double sum.
START_TEST(slow_drift) {
  struct sim_def def = supply_vessel();
  def.vessel.waves.first_order = 0;
  def.vessel.waves.drift = 1;
  def.env.waves = jonswap(3, 9, 3.3, 8);
  def.env.waves.direction_rad = 0.8;
  struct sim *s = shipped_create(&def);
  const struct model *m = s->model;
  double wanted[3] = {0}, mean[6] = {0};
  for (int k = 0; k < m->sea.count; k++) {
    double d[3];
    wave_drift(&def.vessel, &def.env, m->sea.omega_radps[k],
               wave_reflection(&def.vessel, m->sea.wavenumber_1pm[k]), m->sea.direction_rad[k], d);
    for (int i = 0; i < 3; i++)
      wanted[i] += d[i] * m->sea.amplitude_m[k] * m->sea.amplitude_m[k];
  }
  enum { COUNT = 200000 };
  for (int i = 0; i < COUNT; i++) {
    double wrench[6];
    wave_response_wrench(&m->wave_response, &m->sea, i * 0.7, &s->state.vessel, wrench);
    for (int c = 0; c < 6; c++)
      mean[c] += wrench[c] / COUNT;
    if (i % 20000 == 0)
      ck_assert_double_eq_tol(wrench[1] / wanted[1], drift_by_pairs(&def, &m->sea, i * 0.7, 1) / wanted[1],
                              1e-3);
  }
  printf("slow drift: mean sway %.0f of %.0f N\n", mean[1], wanted[1]);
  ck_assert_double_eq_tol(mean[0] / wanted[0], 1, 0.01);
  ck_assert_double_eq_tol(mean[1] / wanted[1], 1, 0.01);
  ck_assert(wanted[0] < 0 && wanted[1] < 0); // in the direction in which the waves travel
  shipped_free(s);
}
END_TEST

// The table by heading against the transfer functions, between its rows, for a tilted vessel.
START_TEST(heading_table) {
  struct sim_def def = supply_vessel();
  def.env.waves = jonswap(3, 9, 3.3, 9);
  def.env.waves.spreading = 6;
  struct sim *s = shipped_create(&def);
  const struct sea *sea = &s->model->sea;
  double worst = 0, most = 0;
  for (int n = 0; n < 50; n++) {
    double euler[3] = {0.1, -0.05, -3 + 0.12 * n}, level[6] = {0}, wrench[6], world[3];
    struct vessel_state at = {.x_n = {40 + n, -7 * n, 0}, .q_nb = quat_of_euler(euler)};
    wave_response_wrench(&s->model->wave_response, sea, 31.3 * n, &at, wrench);
    for (int k = 0; k < sea->count; k++) {
      double re[6], im[6],
          phase = sea->omega_radps[k] * 31.3 * n -
                  sea->wavenumber_1pm[k] *
                      (cos(sea->direction_rad[k]) * at.x_n.x + sin(sea->direction_rad[k]) * at.x_n.y) +
                  2 * TRIG_PI * sea->phase[k];
      if (sea->amplitude_m[k] == 0)
        continue;
      wave_transfer(&def.vessel, &def.env, sea->omega_radps[k], sea->wavenumber_1pm[k],
                    sea->direction_rad[k] - euler[2], re, im);
      for (int i = 0; i < 6; i++)
        level[i] += sea->amplitude_m[k] * (re[i] * cos(phase) - im[i] * sin(phase));
    }
    mat3 q = quat_matrix(at.q_nb);
    vec3_to(mat3_mul(&q, vec3_of(wrench)), world);
    double c = cos(euler[2]), d = sin(euler[2]);
    worst = fmax(worst, fabs(world[0] - (c * level[0] - d * level[1])));
    worst = fmax(worst, fabs(world[1] - (d * level[0] + c * level[1])));
    worst = fmax(worst, fabs(world[2] - level[2]));
    most = fmax(most, fabs(level[2]));
  }
  printf("heading table: %.2e of the largest force off\n", worst / most);
  ck_assert(worst < 5e-3 * most);
  shipped_free(s);
}
END_TEST

// Signs, mirror image, continuity at the seam, exact values at the rows, quadratic law, the vessel's own
// motion.
START_TEST(wind_coefficients) {
  struct windage_def def = {.present = 1,
                            .frontal_area_m2 = 360,
                            .lateral_area_m2 = 950,
                            .length_m = 83,
                            .height_m = 10,
                            .drag_transverse = 0.9,
                            .drag_bow = 0.55,
                            .drag_stern = 0.8,
                            .cross_force = 0.55,
                            .rolling = 1.2,
                            .centroid_forward_m = 6,
                            .centroid_height_m = 7};
  struct windage w = windage_of(&def, 1.2);
  double c[4], d[4];
  windage_coefficients(&w, 0, c);
  ck_assert_double_eq_tol(c[0], -0.55, 1e-12);
  ck_assert(c[1] == 0 && c[2] == 0 && c[3] == 0);
  windage_coefficients(&w, TRIG_PI, c);
  ck_assert_double_eq_tol(c[0], 0.8, 1e-12);
  windage_coefficients(&w, TRIG_PI / 2,
                       c); // from starboard: to port, heels to port, turns about the centroid
  ck_assert_double_eq_tol(c[1], -0.9, 1e-12);
  ck_assert_double_eq_tol(c[2], -0.9 * 1.2 * 7 * 83 / 950, 1e-12);
  ck_assert_double_eq_tol(c[3], -0.9 * 6 / 83, 1e-12);
  for (double a = 0.01; a < 3.1; a += 0.07) {
    windage_coefficients(&w, a, c);
    windage_coefficients(&w, -a, d);
    for (int k = 0; k < 4; k++)
      ck_assert_double_eq_tol(c[k], k ? -d[k] : d[k], 1e-12);
    double drag = a <= TRIG_PI / 2 ? 0.55 : 0.8, along = drag * 360 / 950 / 0.9,
           divisor = 1 - 0.275 * (1 - along) * pow(sin(2 * a), 2);
    if (fabs(a - TRIG_PI / 2) > 0.2) { // the drags of bow and stern join there with a kink
      ck_assert_double_eq_tol(c[0], -drag * cos(a) / divisor, 2e-3);
      ck_assert_double_eq_tol(c[1], -0.9 * sin(a) / divisor, 2e-3);
    }
  }
  windage_coefficients(&w, 2 * TRIG_PI - 1e-9, c);
  windage_coefficients(&w, 1e-9, d);
  for (int k = 0; k < 4; k++)
    ck_assert_double_eq_tol(c[k], d[k], 1e-8);
  double still[6] = {0}, ahead[6] = {3}, a[6], b[6];
  windage_wrench(&w, (vec3){-10, 0, 0}, still, a); // head wind
  ck_assert_double_eq_tol(a[0], -0.5 * 1.2 * 100 * 360 * 0.55, 1e-6);
  windage_wrench(&w, (vec3){-7, 0, 0}, ahead, b); // the same, by the vessel's own speed
  ck_assert_double_eq_tol(a[0], b[0], 1e-6);
  def.point_b_m[0] = 10; // at a point ahead: sway causes yaw, and the rate of turn has an effect
  w = windage_of(&def, 1.2);
  windage_wrench(&w, (vec3){0, -10, 0}, still, a);
  ck_assert_double_eq_tol(a[5], 0.5 * 1.2 * 100 * 950 * (-0.9 * 6 / 83 * 83 - 0.9 * 10), 1e-3);
  double turning[6] = {0, 0, 0, 0, 0, 0.1};
  windage_wrench(&w, (vec3){0, -9, 0}, turning, b);
  ck_assert_double_eq_tol(a[1], b[1], 1e-6);
  def = (struct windage_def){.present = 1,
                             .frontal_area_m2 = 1,
                             .lateral_area_m2 = 1,
                             .length_m = 1,
                             .height_m = 10,
                             .row_count = 4,
                             .rows = {{0, {-1, 0, 0, 0}},
                                      {0.3, {-0.9, -0.2, 0.1, 0.3}},
                                      {2, {0.1, -1, 0.4, -0.2}},
                                      {4, {0.5, 0.7, -0.3, 0.1}}}};
  w = windage_of(&def, 1); // all around, uneven
  for (int i = 0; i < 4; i++) {
    windage_coefficients(&w, def.rows[i].angle_rad, c);
    for (int k = 0; k < 4; k++)
      ck_assert_double_eq_tol(c[k], def.rows[i].c[k], 1e-12);
  }
}
END_TEST

// With current_acts a vessel drifting in a current comes to rest relative to the water; without it the vessel
// does not move.
START_TEST(current_carries_the_vessel) {
  for (int acts = 0; acts < 2; acts++) {
    struct sim_def def = supply_vessel();
    def.vessel.plant.thruster_count = 0;
    def.step_s = 0.1;
    def.env.current.surface_mps = 0.8;
    def.env.current.direction_rad = 0.6;
    def.vessel.current_acts = acts;
    struct sim *s = shipped_create(&def);
    for (int k = 0; k < 40000; k++)
      sim_step(s, &scene_no_command);
    struct sim_output o;
    sim_get_output(s, &o);
    ck_assert_double_eq_tol(o.velocity_n_mps[0], acts * 0.8 * cos(0.6), 1e-6);
    ck_assert_double_eq_tol(o.velocity_n_mps[1], acts * 0.8 * sin(0.6), 1e-6);
    ck_assert((s->run.ledger.total_work_j[PORT_CURRENT] > 1e6) == acts);
    ck_assert(ledger_closure_rel(&s->run.ledger) < 1e-8);
    shipped_free(s);
  }
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
  tcase_add_test(t, box_is_integrated_pressure);
  tcase_add_test(t, rows_repeat_the_box);
  tcase_add_test(t, long_waves_carry_the_vessel);
  tcase_add_test(t, slow_drift);
  tcase_add_test(t, heading_table);
  tcase_add_test(t, wind_coefficients);
  tcase_add_test(t, current_carries_the_vessel);
  return run_suite(suite);
}
