// The sections environment.wind and environment.waves.
#include "sagbend/case/config_sections.h"

#include "sagbend/env/sea_limits.h"

static const struct key_def WIND_KEYS[] = {
    {"environment.wind", AS_SECTION, .optional = 1,
     .doc = "Wind. Instruments measure it; it acts on a vessel that has a section vessel.wind."},
    {"environment.wind.speed_mps", AS_NUMBER, .range = LIMITED, .low = 0, .high = 100,
     AT(out.sim.env.wind.speed_mps), .unit = "m/s",
     .doc = "Mean wind speed over one hour at 10 m above the sea."},
    {"environment.wind.direction_deg", AS_NUMBER, .degrees = 1, AT(out.sim.env.wind.direction_rad),
     .unit = "deg", .doc = "Direction from which the wind blows, clockwise from north (x)."},
    {"environment.wind.gusts", AS_WORD, .fallback = "none", .words = {"none", "norsok", "api"},
     WORD_AT(out.sim.env.wind.gusts),
     .doc = "Gust spectrum and growth of the mean speed with height. norsok: Froya spectrum. api: API RP 2A, "
            "20th edition. none: steady wind with the mean profile of norsok."},
    {"environment.wind.gust_height_m", AS_NUMBER, .range = LIMITED, .low = 1, .high = 300, .fallback = "10",
     AT(out.sim.env.wind.gust_height_m), .unit = "m",
     .doc = "Height at which the gust spectrum is evaluated. The same gusts act at every height."},
    {"environment.wind.seed", AS_INTEGER, .range = LIMITED, .low = 0, .high = 999999999, .fallback = "1",
     AT(out.sim.env.wind.seed), .doc = "Seed of the random phases of the gusts."},
    {"environment.wind.turn_deg", AS_NUMBER, .range = LIMITED, .low = 0, .high = 180, .degrees = 1,
     .fallback = "0", AT(out.sim.env.wind.turn_rad), .unit = "deg",
     .doc = "Amplitude of a slow sinusoidal change of the wind direction."},
    {"environment.wind.turn_period_s", AS_NUMBER, .range = POSITIVE, .fallback = "600",
     AT(out.sim.env.wind.turn_period_s), .unit = "s", .doc = "Period of the change of the wind direction."},
    {"environment.wind.air_density_kgpm3", AS_NUMBER, .range = POSITIVE, .fallback = "1.225",
     AT(out.sim.env.wind.air_density_kgpm3), .unit = "kg/m3", .doc = "Density of the air."},
};

static const struct key_def WAVES_KEYS[] = {
    {"environment.waves", AS_SECTION, .optional = 1,
     .doc = "Waves. They act on a vessel that has a section vessel.waves."},
    {"environment.waves.spectrum", AS_WORD, .fallback = "jonswap", .words = {"jonswap", "regular"},
     WORD_AT(out.sim.env.waves.spectrum),
     .doc = "Wave spectrum. jonswap: irregular sea. regular: a single sinusoidal wave."},
    {"environment.waves.significant_height_m", AS_NUMBER, .range = NOT_NEGATIVE,
     AT(out.sim.env.waves.height_m), .unit = "m",
     .doc = "Significant wave height (four standard deviations of the elevation). For a regular wave: its "
            "height from trough to crest."},
    {"environment.waves.peak_period_s", AS_NUMBER, .range = LIMITED, .low = 1, .high = 60,
     AT(out.sim.env.waves.period_s), .unit = "s",
     .doc = "Peak period of the spectrum, or the period of the regular wave."},
    {"environment.waves.gamma", AS_NUMBER, .range = LIMITED, .low = 1, .high = 10, .fallback = "3.3",
     AT(out.sim.env.waves.gamma),
     .doc = "Peak enhancement factor of the JONSWAP spectrum. 1: Pierson-Moskowitz."},
    {"environment.waves.direction_deg", AS_NUMBER, .degrees = 1, AT(out.sim.env.waves.direction_rad),
     .unit = "deg", .doc = "Direction from which the waves come, clockwise from north (x)."},
    {"environment.waves.spreading", AS_NUMBER, .range = LIMITED, .low = 0, .high = 200, .fallback = "0",
     AT(out.sim.env.waves.spreading),
     .doc = "Exponent s of the directional spreading cos^2s(angle/2) about the mean direction. 0: "
            "long-crested waves without spreading."},
    {"environment.waves.components", AS_INTEGER, .range = LIMITED, .low = 8, .high = MAX_WAVES,
     .fallback = "64", AT(out.sim.env.waves.components),
     .doc = "Number of sinusoidal components that represent the sea."},
    {"environment.waves.seed", AS_INTEGER, .range = LIMITED, .low = 0, .high = 999999999, .fallback = "1",
     AT(out.sim.env.waves.seed), .doc = "Seed of the random phases of the wave components."},
    {"environment.waves.pipe", AS_FLAG, .fallback = "false", AT(out.sim.env.waves.on_pipe),
     .doc = "Waves on the pipe: drag, the force of the accelerating water, and the buoyancy under the moving "
            "surface (docs/model-sea.md). Needs pipe.water_inertia, or pipe.buoyancy submerged. At least 100 "
            "components are advised. false: the waves move the vessel only."},
    {"environment.waves.stretching", AS_WORD, .fallback = "wheeler", .words = {"wheeler", "constant"},
     WORD_AT(out.sim.env.waves.stretching),
     .doc =
         "Continuation of the motion of linear waves to the moving surface, with waves on the pipe. wheeler: "
         "the depth is stretched to it. constant: above the mean surface it is that of the mean surface."},
};

static void check_sea(const struct check *c) {
  static const char *const keys[] = {"environment.waves.significant_height_m",
                                     "environment.waves.peak_period_s", "environment.depth_m",
                                     "environment.gravity_mps2"};
  const struct env_def *env = &c->draft->out.sim.env;
  struct waves_def sea = env->waves;
  struct reason why;

  for (int i = 0; i < 4; i++)
    if (!is_readable(c, keys[i]))
      return;
  sea.present = given(c, "environment.waves") != NULL;
  if (sea_limit_of(&sea, env->gravity_mps2, env->depth_m, &why) == SEA_BREAKS)
    report_text(c, keys[0], why.text);
}

static void check_waves_on_pipe(const struct check *c) {
  static const char *const key = "environment.waves.pipe", *const ramp = "environment.waves.ramp_s";
  const struct sim_def *sim = &c->draft->out.sim;
  const struct time_profile *profile = &sim->env.waves.profile;
  const int jumps =
      profile->rows == 0 && profile->ramp_s == 0 && (profile->start_s > 0 || profile->stop_s > 0);
  check_allowed(c, "environment.waves.stretching", sim->env.waves.on_pipe, "environment.waves.pipe is true");
  if (!is_given_well(c, key) || !sim->env.waves.on_pipe || !given(c, "pipe"))
    return; // without a pipe a notice says that the key has no effect (run/setup/notices_sea.c)
  if (is_readable(c, "pipe.water_inertia") && is_readable(c, "pipe.buoyancy") && !sim->pipe.water_inertia &&
      sim->pipe.buoyancy == BUOYANCY_BY_DEPTH)
    report(c, key,
           "pipe.water_inertia, or pipe.buoyancy submerged, expected: the pressure of a moving surface acts "
           "with "
           "the force of the accelerating water only");
  if (is_readable(c, ramp) && is_readable(c, "environment.waves.start_s") &&
      is_readable(c, "environment.waves.stop_s") && jumps)
    report(c, ramp,
           "a positive time expected where waves on the pipe begin or end during a run: water that begins to "
           "move "
           "at once pushes with any force");
}

static void check_weather(const struct check *c) {
  check_sea(c);
  check_waves_on_pipe(c);
  check_profile(c, "environment.wind", &c->draft->out.sim.env.wind.profile);
  check_profile(c, "environment.waves", &c->draft->out.sim.env.waves.profile);
}

static void resolve_weather(const struct check *c, struct config *out) {
  out->sim.env.wind.present = given(c, "environment.wind") != NULL;
  out->sim.env.waves.present = given(c, "environment.waves") != NULL;
}

static const struct key_rows WIND_ROWS = KEY_ROWS(WIND_KEYS), WAVES_ROWS = KEY_ROWS(WAVES_KEYS);
static const struct key_group GROUPS[] = {
    {.rows = &WIND_ROWS, .prefix = ""},
    {.rows = &PROFILE_ROWS,
     .prefix = "environment.wind",
     .offset = offsetof(struct config_draft, out.sim.env.wind.profile)},
    {.rows = &WAVES_ROWS, .prefix = ""},
    {.rows = &PROFILE_ROWS,
     .prefix = "environment.waves",
     .offset = offsetof(struct config_draft, out.sim.env.waves.profile)},
};
const struct config_section WEATHER_SECTION = {GROUPS, 4, check_weather, resolve_weather, NULL};
