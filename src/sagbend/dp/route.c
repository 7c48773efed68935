// Geometry of a route: legs and arcs, the way along them.
//
// Geometry of a route. At a corner with the turn a an arc of radius R touches both legs at the distance
// R tan(a/2) from the waypoint, and is R |a| long.
#include "sagbend/dp/dp.h"
#include "sagbend/dp/dp_internal.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

static const double NO_TURN_RAD = 1e-9;

double dp_blend(double u) {
  if (u <= 0)
    return 0;
  return u >= 1 ? 1 : u * u * u * (10 + u * (6 * u - 15));
}

struct leg {
  double length_m, course_rad, direction[2];
};

static struct leg leg_between(const double from[2], const double to[2]) {
  double north = to[0] - from[0], east = to[1] - from[1];
  struct leg leg = {.length_m = sqrt(north * north + east * east), .course_rad = trig_atan2(east, north)};
  leg.direction[0] = trig_cos(leg.course_rad);
  leg.direction[1] = trig_sin(leg.course_rad);
  return leg;
}

// tan(a/2) of the turn from one leg to the next, as a magnitude; infinite where the route turns back.
static double half_tangent(const struct leg *from, const struct leg *to) {
  double turn = fabs(trig_wrap(to->course_rad - from->course_rad));
  double c = 1 + trig_cos(turn);
  return c > 1e-12 ? trig_sin(turn) / c : (double)INFINITY;
}

static void add_part(struct route *route, const struct route_part *part) {
  if (!(part->length_m > 0))
    return;
  route->part[route->count] = *part;
  route->part[route->count].begin_m = route->length_m;
  route->count++;
  route->length_m += part->length_m;
}

// The leg of waypoint i to i + 1, less what the corners at its ends take; then the corner at its end.
static void add_leg_and_corner(const struct waypoint *waypoint, const struct leg *leg, double taken_m,
                               double takes_m, const struct leg *next, struct route *route) {
  struct route_part straight = {.length_m = leg->length_m - taken_m - takes_m, .course_rad = leg->course_rad};
  for (int k = 0; k < 2; k++)
    straight.start_m[k] = waypoint[0].position_m[k] + taken_m * leg->direction[k];
  add_part(route, &straight);
  if (!(takes_m > 0))
    return;
  double turn = trig_wrap(next->course_rad - leg->course_rad), radius = waypoint[1].radius_m;
  struct route_part arc = {.length_m = radius * fabs(turn),
                           .course_rad = leg->course_rad,
                           .curvature_1pm = (turn > 0 ? 1 : -1) / radius};
  for (int k = 0; k < 2; k++)
    arc.start_m[k] = waypoint[1].position_m[k] - takes_m * leg->direction[k];
  add_part(route, &arc);
}

// What the corner at waypoint i takes of both its legs, m; 0: no turn. left_m: of the leg before it.
static enum route_fault corner_of(const struct waypoint *waypoint, const struct leg *leg,
                                  const struct leg *next, double left_m, double *takes_m, double *most_m) {
  double tangent = half_tangent(leg, next);
  *takes_m = 0;
  if (tangent < NO_TURN_RAD)
    return ROUTE_GOOD;
  if (!(waypoint->radius_m > 0))
    return ROUTE_SHARP_CORNER;
  *takes_m = waypoint->radius_m * tangent;
  *most_m = fmin(left_m, next->length_m) / tangent;
  return *takes_m <= fmin(left_m, next->length_m) ? ROUTE_GOOD : ROUTE_WIDE_CORNER;
}

enum route_fault route_build(const struct waypoint *waypoint, int count, struct route *route, int *at,
                             double *most_m) {
  double taken_m = 0, takes_m = 0;
  memset(route, 0, sizeof *route);
  route->waypoint_count = count;
  memcpy(route->waypoint, waypoint, (size_t)count * sizeof *waypoint);
  for (int i = 0; i + 1 < count; i++) {
    struct leg leg = leg_between(waypoint[i].position_m, waypoint[i + 1].position_m), next = leg;
    *at = i + 1;
    if (!(leg.length_m > 0))
      return ROUTE_SAME_POSITION;
    takes_m = 0;
    if (i + 2 < count) {
      next = leg_between(waypoint[i + 1].position_m, waypoint[i + 2].position_m);
      enum route_fault fault = next.length_m > 0 ? corner_of(&waypoint[i + 1], &leg, &next,
                                                             leg.length_m - taken_m, &takes_m, most_m)
                                                 : ROUTE_GOOD; // found at the next waypoint
      if (fault != ROUTE_GOOD)
        return fault;
    }
    add_leg_and_corner(&waypoint[i], &leg, taken_m, takes_m, &next, route);
    taken_m = takes_m;
  }
  return ROUTE_GOOD;
}

// A point of a part, at a way from its begin.
static struct route_point point_of(const struct route_part *part, double along_m) {
  double k = part->curvature_1pm, course = part->course_rad;
  struct route_point point = {.course_rad = course, .curvature_1pm = k};
  if (k == 0) {
    point.position_m[0] = part->start_m[0] + along_m * trig_cos(course);
    point.position_m[1] = part->start_m[1] + along_m * trig_sin(course);
    return point;
  }
  point.course_rad = trig_wrap(course + k * along_m);
  point.position_m[0] = part->start_m[0] + (trig_sin(point.course_rad) - trig_sin(course)) / k;
  point.position_m[1] = part->start_m[1] - (trig_cos(point.course_rad) - trig_cos(course)) / k;
  return point;
}

// The point behind the end of a part, straight on; along_m from the end.
static struct route_point straight_on(struct route_point from, double along_m) {
  from.position_m[0] += along_m * trig_cos(from.course_rad);
  from.position_m[1] += along_m * trig_sin(from.course_rad);
  from.curvature_1pm = 0;
  return from;
}

struct route_point route_at(const struct route *route, double way_m) {
  const struct route_part *last = &route->part[route->count - 1];
  if (way_m < 0)
    return straight_on(point_of(&route->part[0], 0), way_m);
  if (way_m > route->length_m)
    return straight_on(point_of(last, last->length_m), way_m - route->length_m);
  int i = 0;
  while (i + 1 < route->count && way_m >= route->part[i + 1].begin_m)
    i++;
  return point_of(&route->part[i], way_m - route->part[i].begin_m);
}

// Way along a part, from its begin, of the nearest point; beyond the part where it is open to that side.
static double nearest_of(const struct route_part *part, const double position_m[2], int open_begin,
                         int open_end) {
  double north = position_m[0] - part->start_m[0], east = position_m[1] - part->start_m[1];
  double c = trig_cos(part->course_rad), s = trig_sin(part->course_rad), k = part->curvature_1pm;
  double along = north * c + east * s;
  if (k != 0) { // the centre lies 1/k to starboard of the begin
    double right = east * c - north * s, side = k > 0 ? 1 : -1;
    double angle = trig_atan2(along, side * (1 / k - right)) / fabs(k);
    double turn = 2 * TRIG_PI / fabs(k), middle = 0.5 * part->length_m;
    along = angle < middle - 0.5 * turn ? angle + turn : angle;
  }
  if (along < 0 && !(open_begin && k == 0))
    return 0;
  return along > part->length_m && !(open_end && k == 0) ? part->length_m : along;
}

void route_nearest(const struct route *route, const double position_m[2], double *way_m, double *cross_m) {
  double least = INFINITY;
  *way_m = *cross_m = 0;
  for (int i = 0; i < route->count; i++) {
    const struct route_part *part = &route->part[i];
    double along = nearest_of(part, position_m, i == 0, i == route->count - 1);
    struct route_point p = along < 0 ? straight_on(point_of(part, 0), along)
                           : along > part->length_m
                               ? straight_on(point_of(part, part->length_m), along - part->length_m)
                               : point_of(part, along);
    double north = position_m[0] - p.position_m[0], east = position_m[1] - p.position_m[1];
    double distance = sqrt(north * north + east * east);
    if (!(distance < least))
      continue;
    least = distance;
    *way_m = part->begin_m + along;
    *cross_m = east * trig_cos(p.course_rad) - north * trig_sin(p.course_rad) < 0 ? -distance : distance;
  }
}

// ------------------------------------------------------------
// A move along the route begins at from_m with from_mps at begin_s, reaches speed_mps within ramp_s, and
// gives it up within ramp_s so that it comes to rest at to_m. A stop, speed_mps 0, takes stop_s. Speeds
// change by the blend s(u) of dp_blend; its integral is I(u) = 2.5 u^4 - 3 u^5 + u^6, I(1) = 1/2.

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

static void track_count_joint(struct track_state *s, const struct track_pipe *pipe) NONBLOCKING;

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

static enum track_wait track_wait_for(struct track_state *s, const struct track_def *def,
                                      const struct track_pipe *pipe, double at_m, double next_m,
                                      double time_s) NONBLOCKING;

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

// ------------------------------------------------------------
// What the reference of a route waits for: an operator, the vessel, the tension, the tensioner.
//
// While pipe is laid, a joint's pay-out is counted from paid_from_m. A joint begins once the one before is
// paid out and, of its own pipe, payout.first_m. In the move the reference stops where the way in the joint
// exceeds its pay-out by more than payout.behind_m, which a stuck encoder does as well, and at once where the
// tensioner holds pipe that the move needs.

static int is_tension_good(struct track_state *s, const struct track_def *def, const struct track_pipe *pipe,
                           double time_s) {
  if (!(def->tension_high_n > 0) || !pipe->is_tension_known)
    return 1;
  if (pipe->tension_n < def->tension_low_n || pipe->tension_n > def->tension_high_n)
    s->tension_good_s = time_s + def->ramp_s;
  return time_s >= s->tension_good_s;
}

// Pipe that is paid out of the joint that begins at joint_from_m.
static double paid_of_joint(const struct track_state *s, const struct track_pipe *pipe) {
  return s->is_paid_known ? pipe->paid_out_m - s->paid_from_m : 0;
}

static enum track_wait wait_for_tensioner(const struct track_state *s, const struct track_def *def,
                                          const struct track_pipe *pipe, double at_m, double next_m) {
  const struct track_payout_def *payout = &def->payout;
  double paid_m = paid_of_joint(s, pipe), way_m = at_m - s->joint_from_m, needed_m = next_m - s->joint_from_m;
  int is_between = next_m > s->target_m || s->phase == TRACK_WAITING; // two joints
  if (!pipe->is_length_known)
    return TRACK_WAITS_FOR_LENGTH;
  if (is_between && paid_m < s->target_m - s->joint_from_m - payout->behind_m)
    return TRACK_WAITS_FOR_PAYOUT;
  if (is_between) { // as track_count_joint will count
    needed_m = next_m - s->target_m;
    paid_m = fmax(paid_m - (s->target_m - s->joint_from_m), 0);
    way_m = 0;
    if (paid_m < payout->first_m && payout->first_m > 0)
      return pipe->is_braked ? TRACK_WAITS_FOR_BRAKE : TRACK_WAITS_FOR_PAYOUT;
  }
  if (pipe->is_braked && needed_m - paid_m > TRACK_SHORT_SHARE * def->joint_m)
    return TRACK_WAITS_FOR_BRAKE;
  return way_m - paid_m > payout->behind_m ? TRACK_WAITS_FOR_PAYOUT : TRACK_GOES;
}

// Why the reference may not move on at a sample (route.c). at_m: way of the reference; next_m: end of
// the joint that would begin, where the reference rests between two; otherwise that of the present one.
static enum track_wait track_wait_for(struct track_state *s, const struct track_def *def,
                                      const struct track_pipe *pipe, double at_m, double next_m,
                                      double time_s) NONBLOCKING {
  double away_m = sqrt(s->along_m * s->along_m + s->cross_m * s->cross_m);
  double limit_m =
      s->phase == TRACK_STOPPED && s->wait == TRACK_WAITS_FOR_VESSEL ? 0.5 * def->away_m : def->away_m;
  if (s->phase == TRACK_WAITING && def->payout.is_followed && pipe->is_length_known && !s->is_paid_known) {
    s->paid_from_m = pipe->paid_out_m;
    s->is_paid_known = 1;
  }
  if (s->orders.is_stopped)
    return TRACK_WAITS_FOR_OPERATOR;
  if (def->away_m > 0 && away_m > limit_m && (s->phase == TRACK_MOVING || s->phase == TRACK_STOPPED))
    return TRACK_WAITS_FOR_VESSEL;
  if (!is_tension_good(s, def, pipe, time_s))
    return TRACK_WAITS_FOR_TENSION;
  return def->payout.is_followed ? wait_for_tensioner(s, def, pipe, at_m, next_m) : TRACK_GOES;
}

// Counts the pay-out of the joint that begins now. A shortfall of the one before within the limit is
// forgiven, as on a curve, where the laid pipe is shorter than the way; a surplus is kept.
static void track_count_joint(struct track_state *s, const struct track_pipe *pipe) NONBLOCKING {
  if (!s->is_paid_known)
    return;
  s->paid_from_m += fmin(s->target_m - s->joint_from_m, paid_of_joint(s, pipe));
}
