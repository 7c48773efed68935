#include "lab/capability/level2.h"

#include "sagbend/math/trig.h"
#include "sagbend/vessel/wave_response.h"

#include <math.h>
#include <string.h>

static const double LOWEST_RADPS = 0.15, HIGHEST_RADPS = 12, AIR_KGPM3 = 1.226;

void level2_of(const struct config *config, struct level2 *out) {
  memset(out, 0, sizeof *out);
  out->def = &config->sim;
  out->wind = config->sim.env.wind;
  const struct env_def *env = &config->sim.env;
  struct vessel_def acting = config->sim.vessel;
  acting.current_acts = 1; // the weather has a current, whether the case has one or not
  out->vessel = vessel_of(&acting, env);
  double air = env->wind.air_density_kgpm3 > 0 ? env->wind.air_density_kgpm3 : AIR_KGPM3;
  out->windage = windage_of(&config->sim.vessel.windage, air);
  out->gamma = env->waves.present && env->waves.spectrum == WAVES_JONSWAP ? env->waves.gamma : 1;
  double ratio = pow(HIGHEST_RADPS / LOWEST_RADPS, 1.0 / DRIFT_STEPS);
  for (int i = 0; i < DRIFT_STEPS; i++) {
    double low = LOWEST_RADPS * pow(ratio, i), omega = low * sqrt(ratio);
    out->omega_radps[i] = omega;
    out->width_radps[i] = low * (ratio - 1);
    out->reflection[i] =
        wave_reflection(&config->sim.vessel, waves_wavenumber(omega, env->gravity_mps2, env->depth_m));
  }
}

void level2_drift_of(const struct level2 *level, double direction_rad, struct level2_drift *out) {
  memset(out, 0, sizeof *out);
  if (!level->def->vessel.waves.present || !level->def->vessel.waves.drift)
    return;
  for (int i = 0; i < DRIFT_STEPS; i++)
    wave_drift(&level->def->vessel, &level->def->env, level->omega_radps[i], level->reflection[i],
               trig_wrap(direction_rad + TRIG_PI), out->c[i]);
}

// Integral of 2 S D over the frequency, with the JONSWAP spectrum between the simulator's limits, scaled to
// the wave height.
static void force_of_waves(const struct level2 *level, const struct level2_drift *drift,
                           const struct weather *weather, double force[3]) {
  double peak = 2 * TRIG_PI / weather->peak_period_s, variance = 0, sum[3] = {0, 0, 0};
  for (int i = 0; i < DRIFT_STEPS; i++) {
    double x = level->omega_radps[i] / peak, sigma = x <= 1 ? 0.07 : 0.09;
    if (x < WAVES_LOWEST || x > WAVES_HIGHEST)
      continue;
    double z = (x - 1) / sigma, inverse = 1 / (x * x * x * x);
    double enhanced = level->gamma > 1 ? pow(level->gamma, exp(-0.5 * z * z)) : 1;
    double s = inverse / x * exp(-1.25 * inverse) * enhanced * level->width_radps[i];
    variance += s;
    for (int k = 0; k < 3; k++)
      sum[k] += 2 * s * drift->c[i][k];
  }
  double scale = variance > 0 ? weather->wave_height_m * weather->wave_height_m / (16 * variance) : 0;
  for (int k = 0; k < 3; k++)
    force[k] = scale * sum[k];
}

static void force_of_wind(const struct level2 *level, double speed_mps, double direction_rad,
                          double force[3]) {
  static const double rest[6];
  struct wind wind = {.def = level->wind};
  wind.def.speed_mps = speed_mps;
  double speed = wind_mean(&wind, level->windage.height_m), wrench[6] = {0};
  if (level->windage.present)
    windage_wrench(&level->windage,
                   (vec3){-speed * trig_cos(direction_rad), -speed * trig_sin(direction_rad), 0}, rest,
                   wrench);
  force[0] = wrench[0], force[1] = wrench[1], force[2] = wrench[5];
}

static void force_of_current(const struct vessel *vessel, double speed_mps, double direction_rad,
                             double force[3]) {
  static const double rest[6];
  vec3 water = {-speed_mps * trig_cos(direction_rad), -speed_mps * trig_sin(direction_rad), 0};
  double through[6] = {-water.x, -water.y}, munk[6], drag[3][3];
  const int at[3] = {0, 1, 5};
  vessel_current_wrench(vessel, rest, water, munk);
  hull_drag_matrix(&vessel->hull, through, drag);
  for (int i = 0; i < 3; i++) {
    double v = through[at[i]];
    force[i] = munk[at[i]] - vessel->damping_quadratic[at[i]] * fabs(v) * v;
    for (int k = 0; k < 6; k++)
      force[i] -= vessel->damping_linear[at[i]][k] * through[k];
    for (int k = 0; k < 3; k++)
      force[i] -= drag[i][k] * through[at[k]];
  }
}

struct level2_loads level2_loads_of(const struct level2 *level, const struct level2_drift *drift,
                                    const struct weather *weather, double direction_rad, double current_rad) {
  struct level2_loads loads;
  force_of_wind(level, weather->wind_mps, direction_rad, loads.wind);
  force_of_current(&level->vessel, weather->current_mps, current_rad, loads.current);
  force_of_waves(level, drift, weather, loads.waves);
  return loads;
}
