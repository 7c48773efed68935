// DP file: names and endpoint, pid, wind_feedforward.
#include "sagbend/case/dp_sections.h"
#include "sagbend/base/endpoint_text.h"

static const struct key_def KEYS[] = {
    {"name", AS_TEXT, .size = 64, IN(dp_draft, out.name), .doc = "Name of the controller in messages."},
    {"extends", AS_TEXT, .size = 256, .optional = 1, IN(dp_draft, extends),
     .doc = "Path of the DP file that this file extends, relative to this file's folder. Sections are merged "
            "key by key; a list or a value replaces the inherited one."},
    {"connect", AS_TEXT, .size = 128, .fallback = "tcp://127.0.0.1:47700", IN(dp_draft, out.connect),
     .doc = "Command endpoint of the simulator to which the controller connects."},
    {"event_time_scale", AS_NUMBER, .range = POSITIVE, .fallback = "1", IN(dp_draft, event_time_scale),
     .doc = "Factor on pid.start_s, pid.approach_s and route.start_s. A factor below 1 runs the same "
            "scenario in a shorter "
            "time."},
    {"pid", AS_SECTION, .doc = "Nonlinear PID controller and its take-over."},
    {"pid.bumpless", AS_FLAG, .fallback = "true", IN(dp_draft, out.def.pid.bumpless),
     .doc = "Bumpless take-over. true: the controller continues from the wrench that acts at switch-on. "
            "false: its wrench may jump."},
    {"pid.approach_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(dp_draft, out.def.pid.approach_s), .unit = "s",
     .doc = "Time over which the reference moves smoothly from the pose at switch-on to the set-point."},
    {"pid.tension_feedforward", AS_FLAG, .fallback = "false", IN(dp_draft, out.def.pid.tension_feedforward),
     .doc = "Feed-forward of the pipe's horizontal tension to the wrench."},
    {"wind_feedforward", AS_SECTION, .optional = 1,
     .doc = "Wind feed-forward: adds the wind load computed from the wind sensors to the wrench."},
    {"wind_feedforward.frontal_area_m2", AS_NUMBER, .range = POSITIVE,
     IN(dp_draft, out.def.wind.frontal_area_m2), .unit = "m2",
     .doc = "Frontal projected area A_F above the waterline."},
    {"wind_feedforward.lateral_area_m2", AS_NUMBER, .range = POSITIVE,
     IN(dp_draft, out.def.wind.lateral_area_m2), .unit = "m2",
     .doc = "Lateral projected area A_L above the waterline."},
    {"wind_feedforward.length_m", AS_NUMBER, .range = POSITIVE, IN(dp_draft, out.def.wind.length_m),
     .unit = "m", .doc = "Length overall L of the vessel."},
    {"wind_feedforward.air_density_kgpm3", AS_NUMBER, .range = POSITIVE, .fallback = "1.225",
     IN(dp_draft, out.def.wind.air_density_kgpm3), .unit = "kg/m3", .doc = "Density of the air."},
    {"wind_feedforward.speed_factor", AS_NUMBER, .range = POSITIVE, .fallback = "1",
     IN(dp_draft, out.def.wind.speed_factor),
     .doc = "Ratio of the wind speed at the reference height of the coefficients to that at the sensors."},
    {"wind_feedforward.filter_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "10",
     IN(dp_draft, out.def.wind.filter_s), .unit = "s",
     .doc = "Time constant of the low-pass filter on the wind."},
    {"wind_feedforward.coefficients", AS_ITEMS, .size = MAX_WIND_FORCE_ROWS,
     ITEMS_IN(dp_draft, out.def.wind.row, wind_force_row, out.def.wind.row_count),
     .doc = "Wind coefficients by increasing angle, from 0 to 180 degrees with the other side mirrored, or "
            "from 0 to below 360; linear between rows."},
    {"wind_feedforward.coefficients[].angle_deg", AS_NUMBER, .range = LIMITED, .low = 0, .high = 360,
     .degrees = 1, IN(wind_force_row, angle_rad), .unit = "deg",
     .doc = "Direction from which the relative wind comes, clockwise from the bow."},
    {"wind_feedforward.coefficients[].c", AS_VECTOR, .size = 3, IN(wind_force_row, c),
     .doc = "Coefficients CX, CY, CN of surge, sway and yaw."},
};

static void check_wind(const struct check *c) {
  const struct wind_force_def *wind = &c->dp->out.def.wind;
  const char *path = "wind_feedforward.coefficients";
  int increase = wind->row_count >= 2 && wind->row[0].angle_rad == 0;

  if (!is_given_well(c, path))
    return;
  for (int i = 1; i < wind->row_count; i++)
    increase &= wind->row[i].angle_rad > wind->row[i - 1].angle_rad;
  if (!increase || wind->row[wind->row_count - 1].angle_rad > 6.28318)
    report(c, path,
           "at least two rows, of angles that increase from 0 to 180 or to below 360 degrees, expected");
}

static void check_control(const struct check *c) {
  struct reason why;

  check_one_of(c, "pid.setpoint", "attitude_deg", "attitude_rad");
  if (is_readable(c, "connect") && endpoint_check(c->dp->out.connect, ENDPOINT_CONNECT, &why) != STATUS_OK)
    report_text(c, "connect", why.text);
  check_wind(c);
}

static void resolve_control(const struct check *c, struct dp_config *out) {
  out->def.pid.start_s *= c->dp->event_time_scale;
  out->def.pid.approach_s *= c->dp->event_time_scale;
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {
    {.rows = &ROWS, .prefix = ""},
    {.rows = &PID_ROWS, .prefix = "pid", .offset = offsetof(struct dp_draft, out.def.pid)}};
const struct dp_section DP_CONTROL_SECTION = {GROUPS, 2, check_control, resolve_control};
