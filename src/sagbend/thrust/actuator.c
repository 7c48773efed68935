// The forces that one thruster can give: the arcs in which it may point, its set-points, and the sets of
// forces among which the plan chooses.
#include "sagbend/thrust/thrust.h"
#include "sagbend/thrust/thrust_internal.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

// Clockwise turn from one direction to another, in [0, 2 pi).
static double turn_from(double from_rad, double to_rad) {
  double turn = trig_wrap(to_rad - from_rad);
  return turn < 0 ? turn + 2 * TRIG_PI : turn;
}

int actuator_is_confined(const struct actuator_def *def, unsigned lifted) {
  int in_force = 0;
  for (int i = 0; i < def->forbidden_count; i++)
    in_force += !(lifted >> i & 1);
  return in_force > 0;
}

int actuator_arcs(const struct actuator_def *def, unsigned lifted, struct allowed_arc arcs[MAX_FORBIDDEN]) {
  if (!actuator_is_confined(def, lifted)) {
    arcs[0] = (struct allowed_arc){0, TRIG_PI};
    return 1;
  }
  int count = 0;
  // Each arc begins where a sector ends, unless that end lies in another sector.
  for (int i = 0; i < def->forbidden_count; i++) {
    double start = def->forbidden[i].to_rad, width = 2 * TRIG_PI;
    if (lifted >> i & 1)
      continue;
    for (int j = 0; j < def->forbidden_count && width > 0; j++) {
      const struct forbidden_sector *sector = &def->forbidden[j];
      if (lifted >> j & 1)
        continue;
      double to_from = turn_from(start, sector->from_rad);
      double width_of_sector = turn_from(sector->from_rad, sector->to_rad),
             inside = turn_from(sector->from_rad, start);
      if (inside > 0 && inside < width_of_sector)
        width = 0;
      else if (to_from < width)
        width = to_from;
    }
    if (width > 0)
      arcs[count++] = (struct allowed_arc){trig_wrap(start + 0.5 * width), 0.5 * width};
  }
  return count;
}

double actuator_arc_offset(const struct allowed_arc *arc, double azimuth_rad) {
  return trig_wrap(azimuth_rad - arc->middle_rad);
}

int actuator_arc_of(const struct allowed_arc *arcs, int count, double azimuth_rad) {
  int nearest = 0;
  double least = 1e9;
  for (int i = 0; i < count; i++) {
    double beyond = fabs(actuator_arc_offset(&arcs[i], azimuth_rad)) - arcs[i].half_rad;
    if (beyond < least) {
      least = beyond;
      nearest = i;
    }
  }
  return nearest;
}

int actuator_sector_is_between(const struct actuator_def *def, unsigned lifted, double from_rad,
                               double to_rad) {
  struct allowed_arc arcs[MAX_FORBIDDEN];
  int count = actuator_is_confined(def, lifted) ? actuator_arcs(def, lifted, arcs) : 0;
  if (count == 0)
    return 0;
  int from = actuator_arc_of(arcs, count, from_rad), to = actuator_arc_of(arcs, count, to_rad);
  return from != to ||
         fabs(actuator_arc_offset(&arcs[to], to_rad) - actuator_arc_offset(&arcs[from], from_rad)) > TRIG_PI;
}

double actuator_rudder_direction(const struct actuator_def *def, double rudder_rad, double *size) {
  double s = trig_sin(rudder_rad), ahead = 1 - def->rudder_drag * s * s, across = def->rudder_lift * s;
  *size = sqrt(ahead * ahead + across * across);
  return trig_atan2(across, ahead);
}

// Solves tan(direction) (1 - drag s^2) = lift s for the sine s of the rudder angle.
double actuator_rudder_for(const struct actuator_def *def, double direction_rad) {
  double limit = def->rudder_max_rad;
  double tangent = trig_sin(direction_rad) / trig_cos(direction_rad);
  double root =
      def->rudder_lift + sqrt(def->rudder_lift * def->rudder_lift + 4 * def->rudder_drag * tangent * tangent);
  double s = root > 0 ? 2 * tangent / root : 0;
  if (!(fabs(s) < 1))
    return s < 0 ? -limit : limit;
  double angle = trig_atan2(s, sqrt(1 - s * s));
  return angle > limit ? limit : angle < -limit ? -limit : angle;
}

// Least size of the force per thrust ahead over all rudder angles: the minimum of (1 - d u)^2 + l^2 u over u
// = s^2.
static double least_rudder_size(const struct actuator_def *def) {
  double size, largest = trig_sin(def->rudder_max_rad), d = def->rudder_drag, l = def->rudder_lift;
  actuator_rudder_direction(def, def->rudder_max_rad, &size);
  double least = size < 1 ? size : 1;
  double u = d > 0 ? (2 * d - l * l) / (2 * d * d) : 0;
  if (u > 0 && u < largest * largest) {
    double inner = sqrt((1 - d * u) * (1 - d * u) + l * l * u);
    least = inner < least ? inner : least;
  }
  return least;
}

static struct force_set force_disc(double radius_n);

static struct force_set force_sector(double middle_rad, double half_width_rad, double radius_n);

int actuator_parts(const struct actuator_def *def, double share, unsigned lifted,
                   struct force_part parts[MAX_FORCE_PARTS]) {
  double thrust = share * def->thrust_max_n, astern = thrust * def->thrust_astern;
  int count = 0;
  memset(parts, 0, MAX_FORCE_PARTS * sizeof *parts);
  const enum thruster_steering steering = thruster_steering(def->kind);
  const int has_rudder = steering == STEERING_RUDDER && def->rudder_max_rad > 0 && def->rudder_lift > 0;
  if (steering != STEERING_TURNS && !has_rudder) {
    parts[count++].set = force_segment(thruster_axis_rad(def->kind), -astern, thrust);
  } else if (has_rudder) {
    double size, half = actuator_rudder_direction(def, def->rudder_max_rad, &size);
    parts[count++].set = force_sector(0, half, thrust * least_rudder_size(def));
    parts[count].astern = 1;
    parts[count++].set = force_segment(0, -astern, 0);
  } else if (!actuator_is_confined(def, lifted)) {
    parts[count++].set = force_disc(thrust);
  } else {
    struct allowed_arc arcs[MAX_FORBIDDEN];
    int arc_count = actuator_arcs(def, lifted, arcs);
    for (int i = 0; i < arc_count; i++) { // an arc of more than half a turn gives two convex parts
      int halves = arcs[i].half_rad > TRIG_PI / 2 ? 2 : 1;
      double half = arcs[i].half_rad / halves;
      for (int k = 0; k < halves; k++) {
        double middle = arcs[i].middle_rad + (halves == 1 ? 0 : k ? half : -half);
        parts[count++].set = force_sector(middle, half, thrust);
      }
    }
  }
  return count;
}

double actuator_thrust(const struct actuator_def *def, double revolutions_rpm, double pitch) {
  double stroke = revolutions_rpm / def->revolutions_max_rpm;
  if (def->controllable_pitch)
    stroke *= pitch;
  return def->thrust_max_n * (stroke < 0 ? def->thrust_astern : 1) * stroke * fabs(stroke);
}

void actuator_setpoint(const struct actuator_def *def, double thrust_n, double azimuth_rad,
                       struct thruster_command *out) {
  double full = def->thrust_max_n * (thrust_n < 0 ? def->thrust_astern : 1);
  double stroke = full > 0 ? sqrt(fabs(thrust_n) / full) : 0;
  if (stroke > 1) // rounding
    stroke = 1;
  if (thrust_n < 0)
    stroke = -stroke;
  memset(out, 0, sizeof *out);
  memcpy(out->name, def->name, sizeof out->name);
  out->enable = 1;
  out->revolutions_rpm =
      def->controllable_pitch ? def->revolutions_max_rpm : stroke * def->revolutions_max_rpm + 0.0;
  out->pitch = def->controllable_pitch ? stroke + 0.0 : 0;
  out->azimuth_rad = thruster_steering(def->kind) == STEERING_NONE ? 0 : azimuth_rad + 0.0;
}

double actuator_power_share(double thrust_share) {
  double s = fabs(thrust_share);
  return s * sqrt(s);
}

double actuator_share_of_power(double power_share) {
  return power_share > 0 ? explog_exp(2.0 / 3 * explog_log(power_share)) : 0;
}

// ------------------------------------------------------------
// Convex sets of the force of one thruster, and the nearest point of each.

// The segment from low_n to high_n along a direction, rad clockwise from the bow. low_n may be negative.
struct force_set force_segment(double direction_rad, double low_n, double high_n) {
  return (struct force_set){.shape = FORCE_SEGMENT,
                            .axis = {trig_cos(direction_rad), trig_sin(direction_rad)},
                            .low_n = low_n,
                            .high_n = high_n};
}

// The disc about zero.
static struct force_set force_disc(double radius_n) {
  return (struct force_set){.shape = FORCE_DISC, .axis = {1, 0}, .high_n = radius_n};
}

// The sector about a direction. half_width_rad is at most pi/2, because a wider sector is not convex.
static struct force_set force_sector(double middle_rad, double half_width_rad, double radius_n) {
  return (struct force_set){.shape = FORCE_SECTOR,
                            .axis = {trig_cos(middle_rad), trig_sin(middle_rad)},
                            .edge = {trig_cos(half_width_rad), trig_sin(half_width_rad)},
                            .high_n = radius_n};
}

static void nearest_on_segment(const double axis[2], double low, double high, const double p[2], double q[2],
                               double d[2][2]) {
  double along = axis[0] * p[0] + axis[1] * p[1];
  double kept = along < low ? low : along > high ? high : along;
  int inside = along > low && along < high;
  for (int i = 0; i < 2; i++) {
    q[i] = kept * axis[i];
    for (int j = 0; j < 2; j++)
      d[i][j] = inside ? axis[i] * axis[j] : 0;
  }
}

static void nearest_in_disc(double radius, const double p[2], double q[2], double d[2][2]) {
  double norm = sqrt(p[0] * p[0] + p[1] * p[1]);
  double shrink = norm > radius ? radius / norm : 1;
  double across[2] = {0, 0};
  if (norm > radius) {
    across[0] = -p[1] / norm;
    across[1] = p[0] / norm;
  }
  for (int i = 0; i < 2; i++) {
    q[i] = shrink * p[i];
    for (int j = 0; j < 2; j++)
      d[i][j] = norm > radius ? shrink * across[i] * across[j] : i == j;
  }
}

// Seen from the sector's axis: beyond an edge the nearest point lies on that edge.
static void nearest_in_sector(const struct force_set *s, const double p[2], double q[2], double d[2][2]) {
  const double *a = s->axis;
  double along = a[0] * p[0] + a[1] * p[1], across = a[0] * p[1] - a[1] * p[0];
  double side = across < 0 ? -1 : 1;
  if (s->edge[0] * side * across <= s->edge[1] * along) {
    nearest_in_disc(s->high_n, p, q, d);
    return;
  }
  double edge[2] = {s->edge[0] * a[0] - side * s->edge[1] * a[1],
                    s->edge[0] * a[1] + side * s->edge[1] * a[0]};
  nearest_on_segment(edge, 0, s->high_n, p, q, d);
}

void force_nearest(const struct force_set *set, const double p[2], double nearest[2],
                   double derivative[2][2]) {
  switch (set->shape) {
  case FORCE_SEGMENT:
    nearest_on_segment(set->axis, set->low_n, set->high_n, p, nearest, derivative);
    break;
  case FORCE_DISC:
    nearest_in_disc(set->high_n, p, nearest, derivative);
    break;
  case FORCE_SECTOR:
    nearest_in_sector(set, p, nearest, derivative);
    break;
  }
}
