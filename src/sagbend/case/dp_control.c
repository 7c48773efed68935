// DP file: names and endpoint, pid, wind_feedforward.
#include "sagbend/case/case_internal.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

static const struct key_def CONTROL_KEYS[] = {
    {"name", AS_TEXT, .size = 64, IN(dp_draft, out.name), .doc = "Name of the controller in messages."},
    {"extends", AS_TEXT, .size = 256, .optional = 1, IN(dp_draft, extends),
     .doc = "Path of the DP file that this file extends, relative to this file's folder. Sections are merged "
            "key by key; a list or a value replaces the inherited one."},
    {"connect", AS_TEXT, .size = 128, .fallback = "tcp://127.0.0.1:47700", IN(dp_draft, out.connect[0]),
     .doc = "Command endpoint of the simulator to which the controller connects."},
    {"connect_b", AS_TEXT, .size = 128, .optional = 1, IN(dp_draft, out.connect[1]),
     .doc = "Command endpoint of the simulator on network B: the controller connects to both. Absent: there "
            "is none."},
    {"pair", AS_SECTION, .optional = 1,
     .doc =
         "Link between the two controllers of a pair in hot standby: each sends its state at every sample, "
         "and the one that stands by follows (docs/redundancy.md)."},
    {"pair.listen", AS_TEXT, .size = 128, IN(dp_draft, out.pair_listen),
     .doc =
         "Endpoint at which this controller sends its state. Beyond the loopback interface and ipc it needs "
         "pair.key and pair.other_key."},
    {"pair.other", AS_TEXT, .size = 128, IN(dp_draft, out.pair_other),
     .doc = "Endpoint at which the other controller sends its state: its pair.listen. Beyond this machine it "
            "needs keys, too."},
    {"pair.key", AS_TEXT, .size = 256, .optional = 1, IN(dp_draft, out.pair_key),
     .doc = "Path of this controller's secret key (sagbend keygen --role controller FILE), relative to this "
            "file's folder: the link is encrypted and admits the other controller only. Needs "
            "pair.other_key."},
    {"pair.other_key", AS_TEXT, .size = 256, .optional = 1, IN(dp_draft, out.pair_other_key),
     .doc = "Path of the other controller's public key, FILE.pub. Needs pair.key."},
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

static int is_of_this_machine(const char *endpoint, enum endpoint_use use) {
  struct endpoint_parts parts;
  struct reason why;
  if (endpoint_read(endpoint, use, &parts, &why) != STATUS_OK)
    return 0;
  const int is_address = strspn(parts.host, "0123456789.") == strlen(parts.host); // not 127.example.org
  return parts.is_ipc || (is_address && !strncmp(parts.host, "127.", 4)) || !strcmp(parts.host, "localhost");
}

static void check_pair_endpoint(const struct check *c, const char *key, const char *endpoint,
                                enum endpoint_use use) {
  struct reason why;
  if (!is_given_well(c, key))
    return;
  if (endpoint_check(endpoint, use, &why) != STATUS_OK)
    report_text(c, key, why.text);
  else if (!given(c, "pair.key") && !is_of_this_machine(endpoint, use))
    report(c, key,
           "an endpoint of this machine, tcp://127.0.0.1:PORT or ipc://PATH, or pair.key and pair.other_key "
           "expected");
}

// The link between the two controllers of a pair. It has keys if other machines can reach it.
static void check_pair(const struct check *c) {
  const struct dp_config *dp = &c->dp->out;
  if (!given(c, "pair"))
    return;
  check_pair_endpoint(c, "pair.listen", dp->pair_listen, ENDPOINT_LISTEN);
  check_pair_endpoint(c, "pair.other", dp->pair_other, ENDPOINT_CONNECT);
  if (is_readable(c, "pair.other") && is_readable(c, "pair.listen") &&
      !strcmp(dp->pair_other, dp->pair_listen))
    report(c, "pair.other", "an endpoint different from pair.listen expected");
  if (given(c, "pair.key") && !given(c, "pair.other_key"))
    report_found(c, "pair.key", "nothing", "needs pair.other_key");
  if (given(c, "pair.other_key") && !given(c, "pair.key"))
    report_found(c, "pair.other_key", "nothing", "needs pair.key");
}

static void check_control(const struct check *c) {
  struct reason why;

  check_one_of(c, "pid.setpoint", "attitude_deg", "attitude_rad");
  if (is_readable(c, "connect") && endpoint_check(c->dp->out.connect[0], ENDPOINT_CONNECT, &why) != STATUS_OK)
    report_text(c, "connect", why.text);
  if (is_given_well(c, "connect_b") &&
      endpoint_check(c->dp->out.connect[1], ENDPOINT_CONNECT, &why) != STATUS_OK)
    report_text(c, "connect_b", why.text);
  check_pair(c);
  check_wind(c);
}

static void resolve_control(const struct check *c, struct dp_config *out) {
  out->def.pid.start_s *= c->dp->event_time_scale;
  out->def.pid.approach_s *= c->dp->event_time_scale;
}

static const struct key_rows CONTROL_ROWS = KEY_ROWS(CONTROL_KEYS);
static const struct key_group CONTROL_GROUPS[] = {
    {.rows = &CONTROL_ROWS, .prefix = ""},
    {.rows = &PID_ROWS, .prefix = "pid", .offset = offsetof(struct dp_draft, out.def.pid)}};
const struct dp_section DP_CONTROL_SECTION = {CONTROL_GROUPS, 2, check_control, resolve_control};

// ------------------------------------------------------------
// DP file: route.

static const struct key_def ROUTE_KEYS[] = {
    {"route", AS_SECTION, .optional = 1,
     .doc = "Route that the controller follows (track mode), instead of holding the set-point "
            "(docs/controller.md)."},
    {"route.waypoints", AS_ITEMS, .size = MAX_WAYPOINTS,
     ITEMS_IN(dp_draft, waypoint, waypoint, waypoint_count),
     .doc = "Waypoints, joined by straight legs. An arc rounds each corner."},
    {"route.waypoints[].position_m", AS_VECTOR, .size = 2, .range = LIMITED, .low = -1e7, .high = 1e7,
     IN(waypoint, position_m), .unit = "m", .doc = "Position of the waypoint: north, east (x, y)."},
    {"route.waypoints[].radius_m", AS_NUMBER, .range = POSITIVE, .optional = 1, IN(waypoint, radius_m),
     .unit = "m", .doc = "Radius of the arc at the corner. Required where the route turns."},
    {"route.point_b_m", AS_VECTOR, .size = 2, .fallback = "0", IN(dp_draft, out.def.track.point_b_m),
     .unit = "m",
     .doc = "Point of the vessel that follows the route, from the reference point: forward, to starboard. To "
            "lay pipe: the hang-off."},
    {"route.speed_mps", AS_NUMBER, .range = LIMITED, .low = TRACK_SPEED_MIN, .high = TRACK_SPEED_MAX,
     IN(dp_draft, out.def.track.speed_mps), .unit = "m/s", .doc = "Speed along the route."},
    {"route.ramp_s", AS_NUMBER, .range = LIMITED, .low = 1, .high = 3600, .fallback = "30",
     IN(dp_draft, out.def.track.ramp_s), .unit = "s",
     .doc = "Time in which a move reaches its speed, and in which it comes to rest."},
    {"route.stop_s", AS_NUMBER, .range = LIMITED, .low = 1, .high = 3600, .optional = 1,
     IN(dp_draft, out.def.track.stop_s), .unit = "s",
     .doc = "Time in which a stop within a move brings the reference to rest. Absent: ramp_s."},
    {"route.start_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(dp_draft, out.def.track.start_s),
     .unit = "s",
     .doc =
         "Earliest simulated time of the first move. It also waits until the approach of pid.approach_s is "
         "over."},
    {"route.heading_offset_deg", AS_NUMBER, .range = LIMITED, .low = -180, .high = 180, .degrees = 1,
     .fallback = "0", IN(dp_draft, out.def.track.heading_offset_rad), .unit = "deg",
     .doc = "Heading less the course of the route. 0: the bow points along the route."},
    {"route.joint_m", AS_NUMBER, .range = POSITIVE, .optional = 1, IN(dp_draft, out.def.track.joint_m),
     .unit = "m",
     .doc = "Length of a joint: the vessel moves on by this length, holds, and moves on again. Absent: the "
            "vessel moves without a halt."},
    {"route.hold_s", AS_NUMBER, .range = NOT_NEGATIVE, .optional = 1, IN(dp_draft, out.def.track.hold_s),
     .unit = "s", .doc = "Time of a hold between two joints. Required beside joint_m."},
    {"route.tension_n", AS_NUMBER, .range = POSITIVE, .optional = 1, IN(dp_draft, out.def.track.tension_n),
     .unit = "N",
     .doc = "Set-point of the tension that the controller orders at the tensioner. Absent: it gives the "
            "tensioner no "
            "orders."},
    {"route.tension_limits_n", AS_VECTOR, .size = 2, .range = POSITIVE, .optional = 1,
     IN(dp_draft, out.def.track.tension_low_n), .unit = "N",
     .doc = "Lowest and highest tension: outside of them the reference stops; it moves on when the tension "
            "has been within them for ramp_s. Absent: it never stops for this."},
    {"route.payout", AS_SECTION, .optional = 1,
     .doc =
         "Moves of the vessel wait for the tensioner: a joint begins once the pipe of the one before is paid "
         "out, and the reference stops where the tensioner does not pay out. Absent: it moves by the clock."},
    {"route.payout.first_m", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(dp_draft, out.def.track.payout.first_m), .unit = "m",
     .doc = "Pipe of a joint that is paid out before the vessel moves. 0: the vessel moves first, for a "
            "tensioner "
            "that holds a tension. For one that pays out a joint at a speed: a little less than joint_m, or "
            "than "
            "what is to hang slack."},
    {"route.payout.behind_m", AS_NUMBER, .range = LIMITED, .low = 0.1, .high = 1000, .fallback = "10",
     IN(dp_draft, out.def.track.payout.behind_m), .unit = "m",
     .doc =
         "Length by which the pay-out may be short of the way in a joint. In waves a tensioner that holds a "
         "tension pays out late by some metres."},
    {"route.deviation_limit_m", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0",
     IN(dp_draft, out.def.track.away_m), .unit = "m",
     .doc =
         "Distance of the vessel's point from its reference at which the reference stops; it moves on when "
         "half of it is left. 0: it never stops."},
};

static int are_waypoints_readable(const struct check *c) {
  for (int i = 0; i < c->dp->waypoint_count; i++)
    if (!is_item_readable(c, "route.waypoints", i) ||
        !given(c, key_path("route.waypoints.%d.position_m", i).text))
      return 0;
  return is_given_well(c, "route.waypoints");
}

static void check_geometry(const struct check *c, struct route *route) {
  int at = 0, last = c->dp->waypoint_count - 1;
  double most_m = 0;
  if (c->dp->waypoint_count < 2) {
    report(c, "route.waypoints", "at least two waypoints expected");
    return;
  }
  check_allowed(c, "route.waypoints.0.radius_m", 0, "needs a waypoint between two others");
  check_allowed(c, key_path("route.waypoints.%d.radius_m", last).text, 0,
                "needs a waypoint between two others");
  enum route_fault fault = route_build(c->dp->waypoint, c->dp->waypoint_count, route, &at, &most_m);
  struct key_path radius = key_path("route.waypoints.%d.radius_m", at);
  if (fault == ROUTE_SAME_POSITION)
    report(c, key_path("route.waypoints.%d.position_m", at).text,
           "a position other than that of the waypoint before expected");
  else if (fault == ROUTE_SHARP_CORNER)
    report(c, radius.text, "a radius expected: the route turns here");
  else if (fault == ROUTE_WIDE_CORNER)
    report(c, radius.text, "at most %s m expected: the legs beside the corner are too short for more",
           number_text(floor(1e3 * most_m) / 1e3).text);
}

// The set-point is the pose at the begin of the route, to the rounding of a text.
static void check_begin(const struct check *c, const struct route *route) {
  struct track_def track = c->dp->out.def.track;
  const double *setpoint = c->dp->out.def.pid.reference;
  double pose[3];
  track.route = *route;
  track_pose(&track, 0, pose);
  if (is_given_well(c, "pid.setpoint.position_m") &&
      !(fabs(setpoint[0] - pose[0]) <= 0.1 && fabs(setpoint[1] - pose[1]) <= 0.1))
    report(
        c, "pid.setpoint.position_m",
        "north %.2f m, east %.2f m, within 0.1 m, expected: there route.point_b_m lies at the first waypoint",
        pose[0], pose[1]);
  if (is_readable(c, "pid.setpoint.attitude_deg") && is_readable(c, "pid.setpoint.attitude_rad") &&
      !(fabs(trig_wrap(setpoint[5] - pose[2])) <= 2e-3))
    report_found(c, "pid.setpoint", "another one",
                 "a heading of %.2f deg, that at the begin of the route, expected", pose[2] * 180 / TRIG_PI);
}

static void check_payout(const struct check *c) {
  const struct dp_config *dp = &c->dp->out;
  const struct track_def *track = &dp->def.track;
  int encoders = 0;
  if (is_given_well(c, "route.tension_limits_n") && !(track->tension_low_n < track->tension_high_n))
    report(c, "route.tension_limits_n", "the lowest and then the highest tension expected");
  if (!given(c, "route.payout"))
    return;
  if (!given(c, "route.joint_m"))
    report(c, "route.joint_m", "a length expected: route.payout needs it");
  else if (is_readable(c, "route.joint_m") && is_readable(c, "route.payout.first_m") &&
           !(track->payout.first_m <= track->joint_m))
    report(c, "route.payout.first_m", "at most %s m, joint_m, expected", number_text(track->joint_m).text);
  for (int i = 0; i < dp->def.navigation.count; i++)
    encoders += dp->def.navigation.instrument[i].kind == INSTRUMENT_PAYOUT;
  if (given(c, "instruments") && !encoders)
    report_found(c, "instruments", "none", "one of the kind payout expected: route.payout needs it");
}

static void check_route(const struct check *c) {
  const struct track_def *track = &c->dp->out.def.track;
  struct route route;
  int errors_before = c->errors->count;
  if (!given(c, "route"))
    return;
  if (given(c, "route.joint_m") && !given(c, "route.hold_s"))
    report(c, "route.hold_s", "a time expected: joint_m needs it");
  check_allowed(c, "route.hold_s", given(c, "route.joint_m") != NULL, "needs joint_m");
  if (is_given_well(c, "route.joint_m") && is_given_well(c, "route.speed_mps") &&
      is_readable(c, "route.ramp_s") && !(track->joint_m >= track->speed_mps * track->ramp_s))
    report(c, "route.joint_m", "at least %s m, speed_mps times ramp_s, expected",
           number_text(track->speed_mps * track->ramp_s).text);
  check_payout(c);
  if (!are_waypoints_readable(c))
    return;
  check_geometry(c, &route);
  if (c->errors->count == errors_before && is_readable(c, "route.point_b_m") &&
      is_readable(c, "route.heading_offset_deg"))
    check_begin(c, &route);
}

static void resolve_route(const struct check *c, struct dp_config *out) {
  struct track_def *track = &out->def.track;
  int at;
  double most_m, pose[3];
  track->start_s *= c->dp->event_time_scale;
  if (!given(c, "route"))
    return;
  route_build(c->dp->waypoint, c->dp->waypoint_count, &track->route, &at, &most_m);
  track_pose(track, 0, pose);
  out->def.pid.reference[0] = pose[0];
  out->def.pid.reference[1] = pose[1];
  out->def.pid.reference[5] = pose[2];
  track->payout.is_followed = given(c, "route.payout") != NULL;
  if (!given(c, "route.stop_s"))
    track->stop_s = track->ramp_s;
  keep_place(c, "route.payout", out->route_places.payout_at);
  keep_place(c, "route.tension_n", out->route_places.tension_at);
  keep_place(c, "route.speed_mps", out->route_places.speed_at);
  for (int i = 0; i < c->dp->waypoint_count; i++)
    keep_place(c, key_path("route.waypoints.%d.radius_m", i).text, out->route_places.radius_at[i]);
}

static const struct key_rows ROUTE_ROWS = KEY_ROWS(ROUTE_KEYS);
static const struct key_group ROUTE_GROUPS[] = {{.rows = &ROUTE_ROWS, .prefix = ""}};
const struct dp_section DP_ROUTE_SECTION = {ROUTE_GROUPS, 1, check_route, resolve_route};
