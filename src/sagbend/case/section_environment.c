// The section environment.current.
#include "sagbend/case/case.h"
#include "sagbend/case/case_internal.h"

#include "sagbend/env/env.h"

static const struct key_def CURRENT_KEYS[] = {
    {"environment.current", AS_SECTION, .optional = 1,
     .doc = "Current: a table of points over depth, or a speed at the surface that falls linearly to zero at "
            "the seabed."},
    {"environment.current.surface_mps", AS_NUMBER, .range = NOT_NEGATIVE, .optional = 1,
     AT(out.sim.env.current.surface_mps), .unit = "m/s",
     .doc = "Current speed at the surface. It falls linearly to zero at the seabed. Exactly one of "
            "surface_mps and points."},
    {"environment.current.direction_deg", AS_NUMBER, .optional = 1, .degrees = 1,
     AT(out.sim.env.current.direction_rad), .unit = "deg",
     .doc =
         "Direction towards which the current flows, clockwise from north (x). Required beside surface_mps."},
    {"environment.current.points", AS_ITEMS, .size = MAX_CURRENT_POINTS, .optional = 1,
     ITEMS_IN(config_draft, out.sim.env.current.points, current_point, out.sim.env.current.point_count),
     .doc = "Current profile: velocities at increasing depths, linear between the points and constant beyond "
            "them. Exactly one of surface_mps and points."},
    {"environment.current.points[].depth_m", AS_NUMBER, .range = NOT_NEGATIVE, IN(current_point, depth_m),
     .unit = "m", .doc = "Depth of the point below the surface."},
    {"environment.current.points[].speed_mps", AS_NUMBER, .range = NOT_NEGATIVE, IN(current_point, speed_mps),
     .unit = "m/s", .doc = "Current speed at this depth."},
    {"environment.current.points[].direction_deg", AS_NUMBER, .degrees = 1, IN(current_point, direction_rad),
     .unit = "deg",
     .doc = "Direction towards which the current flows at this depth, clockwise from north (x)."},
    {"environment.current.table[].direction_offset_deg", AS_NUMBER, .degrees = 1, .fallback = "0",
     IN(table_row, value) + sizeof(double), .unit = "deg",
     .doc = "Angle added to the current directions at this time, clockwise."},
};

static void check_current(const struct check *c) {
  const char *section = "environment.current", *direction = "environment.current.direction_deg";
  const char *points = "environment.current.points";
  const struct current_def *current = &c->draft->out.sim.env.current;
  int by_points = given(c, points) != NULL;

  check_profile(c, section, &current->profile);
  if (!given(c, section))
    return;

  check_one_of(c, section, "surface_mps", "points");
  check_allowed(c, direction, !by_points, "is not allowed with points, which have directions of their own");
  if (!by_points && !given(c, direction))
    report(c, direction, "the direction towards which the current flows expected");
  for (int i = 1; i < current->point_count; i++)
    if (!(current->points[i].depth_m > current->points[i - 1].depth_m)) {
      report(c, points, "depths that increase from point to point expected");
      return;
    }
}

static const struct key_rows CURRENT_ROWS = KEY_ROWS(CURRENT_KEYS);
static const struct key_group CURRENT_GROUPS[] = {
    {.rows = &CURRENT_ROWS, .prefix = ""},
    {.rows = &PROFILE_ROWS,
     .prefix = "environment.current",
     .offset = offsetof(struct config_draft, out.sim.env.current.profile)},
};
const struct config_section CURRENT_SECTION = {CURRENT_GROUPS, 2, check_current, NULL, NULL};

// ------------------------------------------------------------
// The sections environment.wind and environment.waves.

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
  check_allowed(c, "environment.waves.stretching", sim->env.waves.on_pipe,
                "needs environment.waves.pipe true");
  if (!is_given_well(c, key) || !sim->env.waves.on_pipe || !given(c, "pipe"))
    return; // without a pipe a notice reports that the key has no effect (run/setup/notices.c)
  if (is_readable(c, "pipe.water_inertia") && is_readable(c, "pipe.buoyancy") && !sim->pipe.water_inertia &&
      sim->pipe.buoyancy == BUOYANCY_BY_DEPTH)
    report(c, key,
           "needs pipe.water_inertia or pipe.buoyancy submerged: the pressure of a moving surface acts with "
           "the force of the accelerating water only");
  if (is_readable(c, ramp) && is_readable(c, "environment.waves.start_s") &&
      is_readable(c, "environment.waves.stop_s") && jumps)
    report(c, ramp,
           "a positive time expected: waves on the pipe begin or end during the run, and water that begins "
           "to move at once pushes with any force");
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
static const struct key_group WEATHER_GROUPS[] = {
    {.rows = &WIND_ROWS, .prefix = ""},
    {.rows = &PROFILE_ROWS,
     .prefix = "environment.wind",
     .offset = offsetof(struct config_draft, out.sim.env.wind.profile)},
    {.rows = &WAVES_ROWS, .prefix = ""},
    {.rows = &PROFILE_ROWS,
     .prefix = "environment.waves",
     .offset = offsetof(struct config_draft, out.sim.env.waves.profile)},
};
const struct config_section WEATHER_SECTION = {WEATHER_GROUPS, 4, check_weather, resolve_weather, NULL};

// ------------------------------------------------------------
// The section loads.

static const struct key_def LOADS_KEYS[] = {
    {"loads", AS_ITEMS, .size = MAX_LOADS, .optional = 1,
     ITEMS_IN(config_draft, loads, load_draft, out.sim.env.load_count),
     .doc = "External forces and moments on the vessel at its reference point."},
    {"loads[].name", AS_TEXT, .size = 64, .optional = 1, IN(load_draft, name),
     .doc = "Name of the load for the reader. The program does not use it."},
    {"loads[].frame", AS_WORD, .words = {"world", "body"}, WORD_IN(load_draft, def.frame),
     .doc = "Frame of the wrench. world: north, east, down. body: forward, starboard, down."},
    {"loads[].wrench", AS_VECTOR, .size = 6, IN(load_draft, def.wrench), .unit = "N, N m",
     .doc = "Force (x, y, z) and moment (about x, y, z) of the load."},
};

static void check_loads(const struct check *c) {
  for (int i = 0; i < c->draft->out.sim.env.load_count; i++)
    check_profile(c, key_path("loads.%d", i).text, &c->draft->loads[i].def.profile);
}

static void resolve_loads(const struct check *c, struct config *out) {
  for (int i = 0; i < out->sim.env.load_count; i++)
    out->sim.env.loads[i] = c->draft->loads[i].def;
}

static const struct key_rows LOADS_ROWS = KEY_ROWS(LOADS_KEYS);
static const struct key_group LOADS_GROUPS[] = {
    {.rows = &LOADS_ROWS, .prefix = ""},
    {.rows = &PROFILE_ROWS, .prefix = "loads[]", .offset = offsetof(struct load_draft, def.profile)}};
const struct config_section LOADS_SECTION = {LOADS_GROUPS, 2, check_loads, resolve_loads, NULL};
