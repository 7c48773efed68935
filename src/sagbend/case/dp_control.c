// DP file: route.
#include "sagbend/case/dp_sections.h"

#include "sagbend/base/number_text.h"
#include "sagbend/math/trig.h"

#include <math.h>
#include <string.h>

static const struct key_def KEYS[] = {
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
  check_allowed(c, "route.waypoints.0.radius_m", 0, "the waypoint stands between two others");
  check_allowed(c, key_path("route.waypoints.%d.radius_m", last).text, 0,
                "the waypoint stands between two others");
  enum route_fault fault = route_build(c->dp->waypoint, c->dp->waypoint_count, route, &at, &most_m);
  struct key_path radius = key_path("route.waypoints.%d.radius_m", at);
  if (fault == ROUTE_SAME_POSITION)
    report(c, key_path("route.waypoints.%d.position_m", at).text,
           "another position than that of the waypoint before expected");
  else if (fault == ROUTE_SHARP_CORNER)
    report(c, radius.text, "a radius expected, because the route turns here");
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
        "north %.2f m, east %.2f m expected, within 0.1 m: there route.point_b_m lies at the first waypoint",
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
    report(c, "route.joint_m", "a length expected beside route.payout");
  else if (is_readable(c, "route.joint_m") && is_readable(c, "route.payout.first_m") &&
           !(track->payout.first_m <= track->joint_m))
    report(c, "route.payout.first_m", "at most %s m, joint_m, expected", number_text(track->joint_m).text);
  for (int i = 0; i < dp->def.navigation.count; i++)
    encoders += dp->def.navigation.instrument[i].kind == INSTRUMENT_PAYOUT;
  if (given(c, "instruments") && !encoders)
    report_found(c, "instruments", "none", "one of the kind payout expected beside route.payout");
}

static void check_route(const struct check *c) {
  const struct track_def *track = &c->dp->out.def.track;
  struct route route;
  int errors_before = c->errors->count;
  if (!given(c, "route"))
    return;
  if (given(c, "route.joint_m") && !given(c, "route.hold_s"))
    report(c, "route.hold_s", "a time expected beside joint_m");
  check_allowed(c, "route.hold_s", given(c, "route.joint_m") != NULL, "joint_m is given");
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

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct dp_section DP_ROUTE_SECTION = {GROUPS, 1, check_route, resolve_route};
