// Mean profile and gusts of NORSOK N-003 (Froya spectrum), U0 the mean over an hour at 10 m, z the height:
//   U(z) = U0 (1 + C ln(z/10)),  C = 0.0573 sqrt(1 + 0.15 U0),
//   S(f) = 320 (U0/10)^2 (z/10)^0.45 / (1 + x^n)^(5/(3n)),
//   x = 172 f (z/10)^(2/3) (U0/10)^(-3/4),  n = 0.468.
// Of API RP 2A (20th edition):
//   U(z) = U0 (z/10)^0.125,  f S(f)/sigma^2 = (f/fp) / (1 + 1.5 f/fp)^(5/3),  fp = 0.025 U(z)/z,
//   sigma = 0.15 U(z) (z/20)^-0.125 up to 20 m, 0.15 U(z) (z/20)^-0.275 above.
#include "sagbend/env/wind.h"

#include "sagbend/env/env_internal.h"
#include "sagbend/math/explog.h"
#include "sagbend/math/lanes_trig.h"

static const double LOWEST_HEIGHT_M = 1; // the profiles are not valid below

static double power(double x, double exponent) {
  return explog_exp(exponent * explog_log(x));
}

double wind_mean(const struct wind *wind, double height_m) {
  double z = height_m > LOWEST_HEIGHT_M ? height_m : LOWEST_HEIGHT_M, u0 = wind->def.speed_mps;
  if (wind->def.gusts == GUSTS_API)
    return u0 * power(z / 10, 0.125);
  return u0 * (1 + 0.0573 * sqrt(1 + 0.15 * u0) * explog_log(z / 10));
}

// A spectrum of gusts: what its density has of wind and height.
struct gust_law {
  enum wind_gusts gusts;
  double scale;    // of the density
  double place[2]; // of f
};

static struct gust_law gust_law_of(const struct wind_def *def) {
  struct gust_law law = {.gusts = def->speed_mps > 0 ? def->gusts : GUSTS_NONE};
  if (law.gusts == GUSTS_API) {
    double z = def->gust_height_m, u = def->speed_mps * power(z / 10, 0.125);
    double sigma = 0.15 * u * power(z / 20, z <= 20 ? -0.125 : -0.275), peak = 0.025 * u / z;
    law.scale = sigma * sigma / peak;
    law.place[0] = peak;
  } else if (law.gusts != GUSTS_NONE) {
    double u = def->speed_mps / 10, z = def->gust_height_m / 10;
    law.scale = 320 * u * u * power(z, 0.45);
    law.place[0] = power(z, 2.0 / 3);
    law.place[1] = power(u, -0.75);
  }
  return law;
}

static double density_at(const void *gust_law, double f) {
  const struct gust_law *law = gust_law;
  const double n = 0.468;
  if (law->gusts == GUSTS_NONE)
    return 0;
  if (law->gusts == GUSTS_API)
    return law->scale * power(1 + 1.5 * f / law->place[0], -5.0 / 3);
  double x = 172 * f * law->place[0] * law->place[1];
  return law->scale * power(1 + power(x, n), -5 / (3 * n));
}

double wind_density(const struct wind_def *def, double frequency_hz) {
  struct gust_law law = gust_law_of(def);
  return density_at(&law, frequency_hz);
}

struct wind wind_of(const struct wind_def *def) {
  struct wind wind = {.def = *def};
  if (!def->present || def->gusts == GUSTS_NONE || !(def->speed_mps > 0))
    return wind;

  struct gust_law law = gust_law_of(def);
  struct spectrum spectrum = {density_at, &law, WIND_LOWEST_HZ, WIND_HIGHEST_HZ};
  struct random_stream stream = random_stream_of(random_seed((uint64_t)def->seed, "environment.wind"));
  spectrum_realise(&spectrum, WIND_GUSTS, &stream, wind.amplitude_mps, wind.frequency_hz);

  for (int k = 0; k < WIND_GUSTS; k++)
    wind.phase[k] = random_uniform(&stream);

  return wind;
}

KERNEL_CLONES
static double gust_at(const struct wind *wind, double time_s) {
  lanes sum = {0};
  for (int k = 0; k < WIND_GUSTS; k += LANES) {
    lanes amplitude, frequency, phase, sine, cosine;
    lanes_load(&amplitude, wind->amplitude_mps + k);
    lanes_load(&frequency, wind->frequency_hz + k);
    lanes_load(&phase, wind->phase + k);
    phase = phase + time_s * frequency;
    lanes_sincos_turns(&phase, &sine, &cosine);
    sum = sum + amplitude * cosine;
  }

  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

struct wind_sample wind_at(const struct wind *wind, double time_s) {
  struct wind_sample sample = {.factor = time_profile_at(&wind->def.profile, time_s),
                               .direction_rad = wind->def.direction_rad};
  if (wind->def.turn_rad != 0)
    sample.direction_rad += wind->def.turn_rad * trig_sin(2 * TRIG_PI / wind->def.turn_period_s * time_s);
  sample.towards_n = (vec3){-trig_cos(sample.direction_rad), -trig_sin(sample.direction_rad), 0};
  if (wind->def.gusts != GUSTS_NONE && sample.factor != 0)
    sample.gust_mps = sample.factor * gust_at(wind, time_s);
  return sample;
}

vec3 wind_velocity(const struct wind *wind, const struct wind_sample *sample, double height_m) {
  return vec3_scale(sample->factor * wind_mean(wind, height_m) + sample->gust_mps, sample->towards_n);
}
