// Mean profile and gusts after NORSOK N-003 (Froya): U0 the mean over an hour at 10 m, z the height,
//   U(z) = U0 (1 + C ln(z/10)),  C = 0.0573 sqrt(1 + 0.15 U0),
//   S(f) = 320 (U0/10)^2 (z/10)^0.45 / (1 + x^n)^(5/(3n)),  x = 172 f (z/10)^(2/3) (U0/10)^(-3/4),  n =
//   0.468.
// After API RP 2A (20th edition):
//   U(z) = U0 (z/10)^0.125,  f S(f)/sigma^2 = (f/fp) / (1 + 1.5 f/fp)^(5/3),  fp = 0.025 U(z)/z,
//   sigma = 0.15 U(z) (z/20)^-0.125 up to 20 m, 0.15 U(z) (z/20)^-0.275 above.
#include "core/env/wind.h"

#include "core/env/spectrum.h"
#include "core/math/explog.h"
#include "core/math/lanes_trig.h"

static const double LOWEST_HEIGHT_M = 1; // below, the laws of the height mean nothing

static double power(double x, double exponent) {
  return explog_exp(exponent * explog_log(x));
}

double wind_mean(const struct wind *w, double height_m) {
  double z = height_m > LOWEST_HEIGHT_M ? height_m : LOWEST_HEIGHT_M, u0 = w->def.speed_mps;
  if (w->def.gusts == GUSTS_API)
    return u0 * power(z / 10, 0.125);
  return u0 * (1 + 0.0573 * sqrt(1 + 0.15 * u0) * explog_log(z / 10));
}

static double norsok_density(const struct wind_def *d, double f) {
  const double n = 0.468;
  double u = d->speed_mps / 10, z = d->gust_height_m / 10;
  double x = 172 * f * power(z, 2.0 / 3) * power(u, -0.75);
  return 320 * u * u * power(z, 0.45) * power(1 + power(x, n), -5 / (3 * n));
}

static double api_density(const struct wind_def *d, double f) {
  double z = d->gust_height_m, u = d->speed_mps * power(z / 10, 0.125);
  double sigma = 0.15 * u * power(z / 20, z <= 20 ? -0.125 : -0.275), peak = 0.025 * u / z;
  return sigma * sigma / peak * power(1 + 1.5 * f / peak, -5.0 / 3);
}

double wind_density(const struct wind_def *def, double frequency_hz) {
  if (def->gusts == GUSTS_NONE || !(def->speed_mps > 0))
    return 0;
  return def->gusts == GUSTS_API ? api_density(def, frequency_hz) : norsok_density(def, frequency_hz);
}

static double density_at(const void *def, double frequency_hz) {
  return wind_density(def, frequency_hz);
}

struct wind wind_of(const struct wind_def *def) {
  struct wind w = {.def = *def};
  if (!def->present || def->gusts == GUSTS_NONE || !(def->speed_mps > 0))
    return w;
  struct spectrum s = {density_at, def, WIND_LOWEST_HZ, WIND_HIGHEST_HZ};
  struct random_stream stream = random_stream_of(random_seed((uint64_t)def->seed, "environment.wind"));
  spectrum_realise(&s, WIND_GUSTS, &stream, w.amplitude_mps, w.frequency_hz);
  for (int k = 0; k < WIND_GUSTS; k++)
    w.phase[k] = random_uniform(&stream);
  return w;
}

KERNEL_CLONES
static double gust_at(const struct wind *w, double time_s) {
  lanes sum = {0};
  for (int k = 0; k < WIND_GUSTS; k += LANES) {
    lanes amplitude, frequency, phase, sine, cosine;
    lanes_load(&amplitude, w->amplitude_mps + k);
    lanes_load(&frequency, w->frequency_hz + k);
    lanes_load(&phase, w->phase + k);
    phase = phase + time_s * frequency;
    lanes_sincos_turns(&phase, &sine, &cosine);
    sum = sum + amplitude * cosine;
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

struct wind_sample wind_at(const struct wind *w, double time_s) {
  struct wind_sample now = {.factor = time_profile_at(&w->def.profile, time_s),
                            .direction_rad = w->def.direction_rad};
  if (w->def.turn_rad != 0)
    now.direction_rad += w->def.turn_rad * trig_sin(2 * TRIG_PI / w->def.turn_period_s * time_s);
  now.towards_n = (vec3){-trig_cos(now.direction_rad), -trig_sin(now.direction_rad), 0};
  if (w->def.gusts != GUSTS_NONE && now.factor != 0)
    now.gust_mps = now.factor * gust_at(w, time_s);
  return now;
}

vec3 wind_velocity(const struct wind *w, const struct wind_sample *now, double height_m) {
  return vec3_scale(now->factor * wind_mean(w, height_m) + now->gust_mps, now->towards_n);
}
