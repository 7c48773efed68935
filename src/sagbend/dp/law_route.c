// Geometry of a route. At a corner with the turn a an arc of radius R touches both legs at the distance
// R tan(a/2) from the waypoint, and is R |a| long.
#include "sagbend/dp/route.h"

#include "sagbend/math/trig.h"

#include <math.h>
#include <string.h>

static const double NO_TURN_RAD = 1e-9;

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
