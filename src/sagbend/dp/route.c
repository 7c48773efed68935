// A move along the route begins at from_m with from_mps at begin_s, reaches speed_mps within ramp_s, and
// gives it up within ramp_s so that it comes to rest at to_m. A stop, speed_mps 0, takes stop_s. Speeds
// change by the blend s(u) of dp_blend; its integral is I(u) = 2.5 u^4 - 3 u^5 + u^6, I(1) = 1/2.
#include "sagbend/dp/track.h"

#include "sagbend/dp/dp_parts.h"
#include "sagbend/base/base.h"
#include "sagbend/math/trig.h"

#include <math.h>

static double blend_integral(double u) {
  return u * u * u * u * (2.5 + u * (u - 3));
}

// Way and speed of a change from v0 to v1 at the share u of the ramp.
static double ramp_way(double v0, double v1, double ramp_s, double u, double *speed_mps) {
  *speed_mps = v0 + (v1 - v0) * dp_blend(u);
  return ramp_s * (v0 * u + (v1 - v0) * blend_integral(u));
}

double track_way(const struct track_state *s, const struct track_def *def, double time_s, double *speed_mps) {
  double v = s->speed_mps, ramp_s = v > 0 ? def->ramp_s : def->stop_s, since_s = time_s - s->begin_s;
  *speed_mps = s->from_mps;
  if (!(since_s > 0))
    return s->from_m;
  if (since_s < ramp_s)
    return s->from_m + ramp_way(s->from_mps, v, ramp_s, since_s / ramp_s, speed_mps);
  *speed_mps = 0;
  if (!(v > 0))
    return s->to_m;
  double reached_m = s->from_m + 0.5 * ramp_s * (s->from_mps + v), given_up_m = s->to_m - 0.5 * ramp_s * v;
  double steady_s = (given_up_m - reached_m) / v;
  since_s -= ramp_s;
  if (since_s < steady_s) {
    *speed_mps = v;
    return reached_m + v * since_s;
  }
  since_s -= steady_s;
  return since_s < ramp_s ? given_up_m + ramp_way(v, 0, ramp_s, since_s / ramp_s, speed_mps) : s->to_m;
}

void track_pose(const struct track_def *def, double way_m, double pose[3]) {
  struct route_point p = route_at(&def->route, way_m);
  pose[2] = trig_wrap(p.course_rad + def->heading_offset_rad);
  double c = trig_cos(pose[2]), s = trig_sin(pose[2]);
  pose[0] = p.position_m[0] - (c * def->point_b_m[0] - s * def->point_b_m[1]);
  pose[1] = p.position_m[1] - (s * def->point_b_m[0] + c * def->point_b_m[1]);
}

void track_reference(const struct track_state *s, const struct track_def *def, double time_s, double pose[3],
                     double rate[3]) {
  double speed, way = track_way(s, def, time_s, &speed);
  struct route_point p = route_at(&def->route, way);
  track_pose(def, way, pose);
  rate[2] = speed * p.curvature_1pm;
  // The reference point turns about the point on the route.
  rate[0] = speed * trig_cos(p.course_rad) - rate[2] * (pose[1] - p.position_m[1]);
  rate[1] = speed * trig_sin(p.course_rad) + rate[2] * (pose[0] - p.position_m[0]);
}

void track_point(const struct track_def *def, const double position_m[2], double heading_rad,
                 double point_m[2]) {
  double c = trig_cos(heading_rad), s = trig_sin(heading_rad);
  point_m[0] = position_m[0] + c * def->point_b_m[0] - s * def->point_b_m[1];
  point_m[1] = position_m[1] + s * def->point_b_m[0] + c * def->point_b_m[1];
}

static void enter(struct track_state *s, enum track_phase phase, double time_s) {
  s->phase = phase;
  s->since_s = time_s;
}

static double speed_of(const struct track_state *s, const struct track_def *def) {
  return s->orders.speed_mps > 0 ? s->orders.speed_mps : def->speed_mps;
}

void track_begin(struct track_state *s, const struct track_def *def, const double position_m[2],
                 double heading_rad, double time_s) {
  double point_m[2], way_m, cross_m;
  *s = (struct track_state){.phase = TRACK_NONE, .orders = s->orders};
  if (!def->route.count)
    return;
  track_point(def, position_m, heading_rad, point_m);
  route_nearest(&def->route, point_m, &way_m, &cross_m);
  s->from_m = s->to_m = s->target_m = s->joint_from_m = fmin(fmax(way_m, 0), def->route.length_m);
  s->begin_s = time_s;
  enter(s, TRACK_WAITING, time_s);
}

// Moves on from where the reference is, at rest, to the target.
static void move_on(struct track_state *s, const struct track_def *def, double time_s) {
  s->from_m = s->to_m;
  s->from_mps = 0;
  s->begin_s = time_s;
  s->to_m = s->target_m;
  s->planned_mps = speed_of(s, def);
  s->speed_mps = fmin(s->planned_mps, (s->to_m - s->from_m) / def->ramp_s); // a short rest of a joint
  enter(s, TRACK_MOVING, time_s);
}

// End of the joint that begins at the present target.
static double next_target(const struct track_state *s, const struct track_def *def) {
  double length_m = def->route.length_m;
  return def->joint_m > 0 ? fmin(s->target_m + def->joint_m, length_m) : length_m;
}

static void next_joint(struct track_state *s, const struct track_def *def, const struct track_pipe *pipe,
                       double time_s) {
  track_count_joint(s, pipe);
  s->joint_from_m = s->target_m;
  s->target_m = next_target(s, def);
  move_on(s, def, time_s);
}

// Brakes the reference to rest from where it is, unless it comes to rest there anyway.
static void stop(struct track_state *s, const struct track_def *def, double time_s) {
  double speed, way = track_way(s, def, time_s, &speed);
  double to_m = way + 0.5 * speed * def->stop_s;
  if (to_m >= s->to_m)
    return;
  s->from_m = way;
  s->from_mps = speed;
  s->begin_s = time_s;
  s->speed_mps = 0;
  s->to_m = to_m;
  enter(s, TRACK_STOPPED, time_s);
}

// Another speed in a move, where enough of it is left: it reaches the speed, and gives it up.
static void change_speed(struct track_state *s, const struct track_def *def, double time_s) {
  double now_mps, way = track_way(s, def, time_s, &now_mps), speed_mps = speed_of(s, def);
  double most_mps = (s->to_m - way - 0.5 * def->ramp_s * now_mps) / def->ramp_s;
  s->planned_mps = speed_mps;
  if (!(most_mps > 0) || most_mps < fmin(speed_mps, now_mps))
    return;
  s->from_m = way;
  s->from_mps = now_mps;
  s->begin_s = time_s;
  s->speed_mps = fmin(speed_mps, most_mps);
}

static int is_at_rest(const struct track_state *s, const struct track_def *def, double time_s) {
  double speed, way = track_way(s, def, time_s, &speed);
  return !(way < s->to_m) && !(speed > 0);
}

// Distance of the vessel's point from the reference, ahead and to starboard.
static void measure(struct track_state *s, const struct track_def *def, const double position_m[2],
                    double heading_rad, double time_s) {
  double point_m[2], speed;
  struct route_point p = route_at(&def->route, track_way(s, def, time_s, &speed));
  track_point(def, position_m, heading_rad, point_m);
  double north = point_m[0] - p.position_m[0], east = point_m[1] - p.position_m[1];
  double c = trig_cos(p.course_rad), t = trig_sin(p.course_rad);
  s->along_m = north * c + east * t;
  s->cross_m = east * c - north * t;
  if (s->phase != TRACK_WAITING)
    s->cross_most_m = fmax(s->cross_most_m, fabs(s->cross_m));
}

static void end_joint(struct track_state *s, const struct track_def *def, double time_s) {
  s->joints += def->joint_m > 0;
  s->wait = TRACK_GOES;
  enter(s, s->target_m < def->route.length_m ? TRACK_HOLDING : TRACK_ENDED, time_s);
}

// Begins the next joint, or the first one, unless something has to be waited for.
static void begin_if_free(struct track_state *s, const struct track_def *def, const struct track_pipe *pipe,
                          double time_s) {
  if (s->target_m >= def->route.length_m) { // a controller that starts at the end
    s->wait = TRACK_GOES;
    enter(s, TRACK_ENDED, time_s);
    return;
  }
  s->wait = track_wait_for(s, def, pipe, s->to_m, next_target(s, def), time_s);
  if (s->wait == TRACK_GOES)
    next_joint(s, def, pipe, time_s);
}

static void advance_move(struct track_state *s, const struct track_def *def, const struct track_pipe *pipe,
                         double time_s) {
  double speed;
  if (is_at_rest(s, def, time_s)) {
    end_joint(s, def, time_s);
    return;
  }
  s->wait = track_wait_for(s, def, pipe, track_way(s, def, time_s, &speed), s->target_m, time_s);
  if (s->wait != TRACK_GOES)
    stop(s, def, time_s);
  else if (s->planned_mps != speed_of(s, def))
    change_speed(s, def, time_s);
}

// A stop ends with its reason. Where hardly anything of the joint is left, it is complete.
static void advance_stop(struct track_state *s, const struct track_def *def, const struct track_pipe *pipe,
                         double time_s) {
  double left_m = s->target_m - s->to_m;
  if (is_at_rest(s, def, time_s) && def->payout.is_followed && left_m <= TRACK_SHORT_SHARE * def->joint_m) {
    end_joint(s, def, time_s);
    return;
  }
  s->wait = track_wait_for(s, def, pipe, s->to_m, s->target_m, time_s);
  if (s->wait == TRACK_GOES && is_at_rest(s, def, time_s))
    move_on(s, def, time_s);
}

void track_advance(struct track_state *s, const struct track_def *def, const double position_m[2],
                   double heading_rad, const struct track_pipe *pipe, double ready_s, double time_s) {
  if (s->phase == TRACK_NONE || s->phase == TRACK_LEFT)
    return;
  measure(s, def, position_m, heading_rad, time_s);
  switch ((enum track_phase)s->phase) {
  case TRACK_WAITING:
    if (time_s >= fmax(ready_s, def->start_s))
      begin_if_free(s, def, pipe, time_s);
    break;
  case TRACK_MOVING:
    advance_move(s, def, pipe, time_s);
    break;
  case TRACK_HOLDING:
    if (time_s - s->since_s >= def->hold_s)
      begin_if_free(s, def, pipe, time_s);
    break;
  case TRACK_STOPPED:
    advance_stop(s, def, pipe, time_s);
    break;
  case TRACK_NONE:
  case TRACK_ENDED:
  case TRACK_LEFT:
  case TRACK_PHASE_COUNT:
    break;
  }
}

struct tensioner_setpoint track_tensioner(const struct track_state *s, const struct track_def *def) {
  struct tensioner_setpoint order = {0};
  if (!(def->tension_n > 0) || s->phase == TRACK_NONE)
    return order;
  order.given = 1;
  order.mode = TENSIONER_TENSION;
  order.tension_n = def->tension_n;
  return order;
}

int track_state_is_valid(const struct track_def *def, const struct track_state *s, struct reason *why) {
  if (!def->route.count && s->phase != TRACK_NONE)
    return valid_fail(why, "phase: %d expected without a route, got %d", (int)TRACK_NONE, (int)s->phase);
  double most_m = def->route.length_m * (1 + 1e-9), most_mps = fmax(def->speed_mps, TRACK_SPEED_MAX);
  const double numbers[] = {s->since_s,      s->begin_s,     s->along_m,       s->cross_m,
                            s->cross_most_m, s->paid_from_m, s->tension_good_s};
  return valid_index(s->phase, 0, TRACK_PHASE_COUNT - 1, "phase", why) &&
         valid_index(s->wait, 0, TRACK_WAIT_COUNT - 1, "wait", why) &&
         valid_flag(s->is_paid_known, "is_paid_known", why) && track_orders_are_valid(&s->orders, why) &&
         valid_range(s->joints, 0, INT32_MAX, "joints", why) &&
         valid_range(s->from_m, 0, most_m, "from_m", why) && valid_range(s->to_m, 0, most_m, "to_m", why) &&
         valid_range(s->target_m, 0, most_m, "target_m", why) &&
         valid_range(s->joint_from_m, 0, most_m, "joint_from_m", why) &&
         valid_range(s->from_mps, 0, most_mps, "from_mps", why) &&
         valid_range(s->speed_mps, 0, most_mps, "speed_mps", why) &&
         valid_range(s->planned_mps, 0, most_mps, "planned_mps", why) &&
         valid_finite(numbers, sizeof numbers / sizeof *numbers,
                      "since_s, begin_s, along_m, cross_m, cross_most_m, paid_from_m, tension_good_s", why);
}
