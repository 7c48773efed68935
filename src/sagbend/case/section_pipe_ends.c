// The sections pipe.lower_end and pipe.hangoff.
#include "sagbend/case/case_internal.h"

#include "sagbend/base/number_text.h"

static const struct key_def KEYS[] = {
    {"pipe.lower_end", AS_SECTION, .doc = "Lower end of the pipe: where and how it is held on the seabed."},
    {"pipe.lower_end.kind", AS_WORD, .words = {"clamped", "anchored"}, WORD_AT(out.sim.pipe.lower),
     .doc = "Support of the lower end. clamped: position and rotation held. anchored: position held, "
            "rotation free."},
    {"pipe.lower_end.position_m", AS_VECTOR, .size = 2, AT(out.sim.pipe.anchor_n_m), .unit = "m",
     .doc = "Horizontal position of the lower end: north, east (x, y)."},
    {"pipe.lower_end.height_m", AS_NUMBER | AS_WORD, .range = LIMITED, .low = -10, .high = 1000,
     .optional = 1, .words = {"resting", "ground"}, .word_first = 1, WORD_AT(out.sim.pipe.lower_height),
     AT(out.sim.pipe.lower_height_m), .unit = "m",
     .doc = "Height of the pipe axis above the seabed at the lower end, normal to the seabed. resting: where "
            "the laid pipe rests. ground: 0. Absent: resting, or ground where seabed_contact is axis."},
    {"pipe.lower_end.azimuth_deg", AS_NUMBER, .degrees = 1, AT(out.sim.pipe.lay_azimuth_rad), .unit = "deg",
     .doc = "Lay azimuth: direction of the pipe axis at the lower end, towards the vessel, clockwise from "
            "north."},
    {"pipe.hangoff", AS_SECTION, .doc = "Hang-off: how the vessel holds the upper end of the pipe."},
    {"pipe.hangoff.kind", AS_WORD, .words = {"pinned", "clamped", "free", "moved"},
     WORD_AT(out.sim.pipe.hangoff),
     .doc = "Support of the upper end. pinned: ball joint on the vessel. clamped: rotation held as well. "
            "free: no support. moved: ball joint on a prescribed path instead of the vessel."},
    {"pipe.hangoff.motion", AS_SECTION, .optional = 1,
     .doc = "Prescribed motion of a moved hang-off about its static position: a horizontal circle or a table "
            "of offsets."},
    {"pipe.hangoff.motion.radius_m", AS_NUMBER, .range = NOT_NEGATIVE, .optional = 1,
     AT(out.sim.pipe.motion.radius_m), .unit = "m",
     .doc = "Radius of the circle. Exactly one of radius_m and table."},
    {"pipe.hangoff.motion.period_s", AS_NUMBER, .range = POSITIVE, .optional = 1,
     AT(out.sim.pipe.motion.period_s), .unit = "s",
     .doc = "Period of one turn on the circle. Required beside radius_m."},
    {"pipe.hangoff.motion.start_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     AT(out.sim.pipe.motion.start_s), .unit = "s",
     .doc = "Simulated time at which the circular motion starts."},
    {"pipe.hangoff.motion.stop_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     AT(out.sim.pipe.motion.stop_s), .unit = "s",
     .doc = "Simulated time at which the circular motion stops. 0: never."},
    {"pipe.hangoff.motion.ramp_s", AS_NUMBER, .range = POSITIVE, .fallback = "10",
     AT(out.sim.pipe.motion.ramp_s), .unit = "s",
     .doc =
         "Duration over which the radius grows after start_s and shrinks before stop_s, by half a cosine."},
    {"pipe.hangoff.motion.table", AS_ITEMS, .size = TABLE_ROWS_MAX, .optional = 1,
     ITEMS_IN(config_draft, out.sim.pipe.motion.table, table_row, out.sim.pipe.motion.rows),
     .doc = "Table of offsets over time, from zero, joined by a cubic spline that is at rest at both ends. "
            "Exactly one of radius_m and table."},
    {"pipe.hangoff.motion.table[].time_s", AS_NUMBER, .range = NOT_NEGATIVE, IN(table_row, time_s),
     .unit = "s", .doc = "Simulated time of the row. Times increase from row to row."},
    {"pipe.hangoff.motion.table[].north_m", AS_NUMBER, IN(table_row, value), .unit = "m",
     .doc = "Offset of the hang-off to the north at this time."},
    {"pipe.hangoff.motion.table[].east_m", AS_NUMBER, IN(table_row, value) + sizeof(double), .unit = "m",
     .doc = "Offset of the hang-off to the east at this time."},
    {"pipe.hangoff.motion.table[].down_m", AS_NUMBER, IN(table_row, value) + 2 * sizeof(double), .unit = "m",
     .doc = "Offset of the hang-off downwards at this time."},
    {"pipe.hangoff.end_load", AS_SECTION, .optional = 1,
     .doc = "Dead load on a free upper end. The statics apply it in full."},
    {"pipe.hangoff.end_load.force_n", AS_VECTOR, .size = 3, AT(out.sim.pipe.end_force_n), .unit = "N",
     .doc = "Force on the upper end: north, east, down."},
    {"pipe.hangoff.end_load.moment_nm", AS_VECTOR, .size = 3, AT(out.sim.pipe.end_moment_nm), .unit = "N m",
     .doc = "Moment on the upper end about north, east and down."},
    {"pipe.hangoff.angle_deg", AS_NUMBER | AS_WORD, .range = LIMITED, .low = -180, .high = 180, .optional = 1,
     .degrees = 1, .words = {"auto"}, .word_first = 1, WORD_AT(out.sim.pipe.hangoff_angle_auto),
     AT(out.sim.pipe.hangoff_angle_rad), .unit = "deg",
     .doc = "Inclination of a clamped pipe axis above the vessel's x axis, in its x-z plane. auto: the angle "
            "of the pinned pipe in equilibrium."},
    {"pipe.hangoff.tower", AS_ITEMS, .size = TABLE_ROWS_MAX, .optional = 1,
     ITEMS_IN(config_draft, out.sim.pipe.tower.table, table_row, out.sim.pipe.tower.rows),
     .doc = "Turn of the J-lay tower: angles of the clamp over time since the static equilibrium, from zero, "
            "joined by a cubic spline that is at rest at both ends. Absent: the tower stays."},
    {"pipe.hangoff.tower[].time_s", AS_NUMBER, .range = NOT_NEGATIVE, IN(table_row, time_s), .unit = "s",
     .doc = "Simulated time of the row. Times increase from row to row."},
    {"pipe.hangoff.tower[].turn_deg", AS_NUMBER, .degrees = 1, .range = LIMITED, .low = -90, .high = 90,
     IN(table_row, value), .unit = "deg",
     .doc = "Angle by which the clamped axis is turned upwards at this time; negative: downwards."},
};

static void check_motion(const struct check *c) {
  static const char *const circle[] = {"period_s", "start_s", "stop_s", "ramp_s"};
  const char *section = "pipe.hangoff.motion", *period = "pipe.hangoff.motion.period_s";
  const struct motion_def *motion = &c->draft->out.sim.pipe.motion;

  check_one_of(c, section, "radius_m", "table");
  if (given(c, "pipe.hangoff.motion.table")) {
    const double *first = motion->table[0].value;
    check_excluded_by_table(c, section, circle, 4);
    check_rows(c, section, motion->table, motion->rows);
    if (motion->rows > 0 && (first[0] != 0 || first[1] != 0 || first[2] != 0))
      report_found(c, "pipe.hangoff.motion.table.0", "others",
                   "offsets of 0 in the first row, at the static position, expected");
  } else if (given(c, "pipe.hangoff.motion.radius_m") && !given(c, period)) {
    report(c, period, "the time of a turn beside radius_m expected");
  }
}

static void check_hangoff_kind(const struct check *c) {
  const char *angle = "pipe.hangoff.angle_deg", *motion = "pipe.hangoff.motion";
  enum hangoff_kind kind = c->draft->out.sim.pipe.hangoff;

  check_allowed(c, angle, kind == HANGOFF_CLAMPED, "kind is clamped");
  check_allowed(c, motion, kind == HANGOFF_MOVED, "kind is moved");
  check_allowed(c, "pipe.hangoff.end_load", kind == HANGOFF_FREE, "kind is free");
  if (kind == HANGOFF_CLAMPED && !given(c, angle))
    report(c, angle, "an angle or auto for a clamped hang-off expected");
  if (kind == HANGOFF_MOVED && !given(c, motion))
    report(c, motion, "a section for a moved hang-off expected");
}

static void check_tower(const struct check *c) {
  const struct pipe_def *pipe = &c->draft->out.sim.pipe;
  const struct tower_def *tower = &pipe->tower;
  if (is_given_well(c, "pipe.hangoff.kind"))
    check_allowed(c, "pipe.hangoff.tower", pipe->hangoff == HANGOFF_CLAMPED, "kind is clamped");
  check_allowed(c, "pipe.hangoff.tower", !given(c, "pipe.stinger"), "pipe.stinger is absent");
  if (pipe->line.yield_moment_nm > 0)
    report(c, "pipe.hangoff.tower", "pipe.yield_moment_nm of 0 beside it expected");
  if (!is_readable(c, "pipe.hangoff.tower"))
    return;
  if (tower->rows < 2)
    report(c, "pipe.hangoff.tower", "at least 2 rows expected");
  if (tower->rows > 0 && is_readable(c, "pipe.hangoff.tower.0.turn_deg") && tower->table[0].value[0] != 0)
    report(c, "pipe.hangoff.tower.0.turn_deg", "0 in the first row expected");
  for (int i = 1; i < tower->rows; i++) {
    const struct key_path path = key_path("pipe.hangoff.tower.%d.time_s", i);
    if (is_readable(c, path.text) && tower->table[i].time_s <= tower->table[i - 1].time_s)
      report(c, path.text, "a time after %s s (the row before) expected",
             number_text(tower->table[i - 1].time_s).text);
  }
}

static void check_pipe_ends(const struct check *c) {
  if (!given(c, "pipe"))
    return;
  if (is_given_well(c, "pipe.hangoff.kind"))
    check_hangoff_kind(c);
  if (given(c, "pipe.hangoff.motion"))
    check_motion(c);
  if (given(c, "pipe.hangoff.tower"))
    check_tower(c);
  if (given(c, "pipe.hangoff.end_load"))
    check_profile(c, "pipe.hangoff.end_load", &c->draft->out.sim.pipe.end_profile);
}

static void resolve_pipe_ends(const struct check *c, struct config *out) {
  if (given(c, "pipe") && !given(c, "pipe.lower_end.height_m"))
    out->sim.pipe.lower_height = out->sim.env.seabed_contact == CONTACT_AXIS ? HEIGHT_GROUND : HEIGHT_RESTING;
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {
    {.rows = &ROWS, .prefix = ""},
    {.rows = &PROFILE_ROWS,
     .prefix = "pipe.hangoff.end_load",
     .offset = offsetof(struct config_draft, out.sim.pipe.end_profile)},
};
const struct config_section PIPE_ENDS_SECTION = {GROUPS, 2, check_pipe_ends, resolve_pipe_ends, NULL};
