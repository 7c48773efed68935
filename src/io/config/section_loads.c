// The section loads, and the keys of a time profile, which loads, current, wind, waves and end load share.
#include "io/config/config_sections.h"

static const struct key_def PROFILE_KEYS[] = {
    {"start_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(time_profile, start_s), .unit = "s",
     .doc = "Simulated time at which the quantity switches on. It is zero before."},
    {"stop_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(time_profile, stop_s), .unit = "s",
     .doc = "Simulated time from which the quantity is zero again. 0: never."},
    {"ramp_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(time_profile, ramp_s), .unit = "s",
     .doc = "Duration of the smooth ramps after start_s and before stop_s. 0: a jump."},
    {"variation", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(time_profile, variation),
     .doc = "Amplitude of a sinusoidal variation about the value, as a fraction of the value. Requires "
            "period_s."},
    {"period_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(time_profile, period_s), .unit = "s",
     .doc = "Period of the sinusoidal variation. 0: no variation."},
    {"table", AS_ITEMS, .size = MAX_PROFILE_ROWS, .optional = 1,
     ITEMS_IN(time_profile, table, table_row, rows),
     .doc = "Table of factors over time, in place of start_s, stop_s, ramp_s, variation and period_s. The "
            "factor is constant before the first and after the last row."},
    {"table[].time_s", AS_NUMBER, .range = NOT_NEGATIVE, IN(table_row, time_s), .unit = "s",
     .doc = "Simulated time of the row. Times increase from row to row."},
    {"table[].factor", AS_NUMBER, IN(table_row, value), .doc = "Factor on the quantity at this time."},
    {"interpolation", AS_WORD, .fallback = "linear", .words = {"linear", "spline"},
     WORD_IN(time_profile, kind),
     .doc = "Interpolation between the rows of table. linear: straight lines. spline: cubic spline with zero "
            "slope at both ends, which may overshoot the rows."},
};
const struct key_rows PROFILE_ROWS = KEY_ROWS(PROFILE_KEYS);

static const struct key_def KEYS[] = {
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

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {
    {.rows = &ROWS, .prefix = ""},
    {.rows = &PROFILE_ROWS, .prefix = "loads[]", .offset = offsetof(struct load_draft, def.profile)}};
const struct config_section LOADS_SECTION = {GROUPS, 2, check_loads, resolve_loads};
