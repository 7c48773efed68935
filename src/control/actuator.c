#include "control/actuator.h"

#include "core/math/explog.h"
#include "core/math/trig.h"

#include <math.h>
#include <string.h>

static double turn_from(double from_rad, double to_rad) { // clockwise, in [0, 2 pi)
  double turn = trig_wrap(to_rad - from_rad);
  return turn < 0 ? turn + 2 * TRIG_PI : turn;
}

// Between neighbouring sectors, in the order in which their ends are met; sectors may overlap.
int actuator_arcs(const struct actuator_def *a, struct allowed_arc arcs[MAX_FORBIDDEN]) {
  if (a->forbidden_count == 0) {
    arcs[0] = (struct allowed_arc){0, TRIG_PI};
    return 1;
  }
  int count = 0;
  for (int i = 0; i < a->forbidden_count; i++) { // the arc that begins where sector i ends
    double start = a->forbidden[i].to_rad, width = 2 * TRIG_PI;
    for (int j = 0; j < a->forbidden_count && width > 0; j++) {
      const struct forbidden_sector *f = &a->forbidden[j];
      double to_from = turn_from(start, f->from_rad);
      double sector = turn_from(f->from_rad, f->to_rad), in = turn_from(f->from_rad, start);
      if (in > 0 && in < sector)
        width = 0; // within another sector
      else if (to_from < width)
        width = to_from;
    }
    if (width > 0)
      arcs[count++] = (struct allowed_arc){trig_wrap(start + 0.5 * width), 0.5 * width};
  }
  return count;
}

double arc_offset(const struct allowed_arc *arc, double azimuth_rad) {
  return trig_wrap(azimuth_rad - arc->middle_rad);
}

int actuator_arc_of(const struct allowed_arc *arcs, int count, double azimuth_rad) {
  int nearest = 0;
  double least = 1e9;
  for (int i = 0; i < count; i++) {
    double beyond = fabs(arc_offset(&arcs[i], azimuth_rad)) - arcs[i].half_rad;
    if (beyond < least) {
      least = beyond;
      nearest = i;
    }
  }
  return nearest;
}

double actuator_rudder_direction(const struct actuator_def *a, double rudder_rad, double *size) {
  double s = trig_sin(rudder_rad), ahead = 1 - a->rudder_drag * s * s, across = a->rudder_lift * s;
  *size = sqrt(ahead * ahead + across * across);
  return trig_atan2(across, ahead);
}

// tan(direction) (1 - drag s^2) = lift s
double actuator_rudder_for(const struct actuator_def *a, double direction_rad) {
  double limit = a->rudder_max_rad;
  double tangent = trig_sin(direction_rad) / trig_cos(direction_rad);
  double root =
      a->rudder_lift + sqrt(a->rudder_lift * a->rudder_lift + 4 * a->rudder_drag * tangent * tangent);
  double s = root > 0 ? 2 * tangent / root : 0;
  if (!(fabs(s) < 1))
    return s < 0 ? -limit : limit;
  double angle = trig_atan2(s, sqrt(1 - s * s));
  return angle > limit ? limit : angle < -limit ? -limit : angle;
}

// The least size of the force of a thrust of 1 ahead, of all rudder angles: (1 - d u)^2 + l^2 u over u = s^2.
static double least_rudder_size(const struct actuator_def *a) {
  double size, largest = trig_sin(a->rudder_max_rad), d = a->rudder_drag, l = a->rudder_lift;
  actuator_rudder_direction(a, a->rudder_max_rad, &size);
  double least = size < 1 ? size : 1;
  double u = d > 0 ? (2 * d - l * l) / (2 * d * d) : 0;
  if (u > 0 && u < largest * largest) {
    double inner = sqrt((1 - d * u) * (1 - d * u) + l * l * u);
    least = inner < least ? inner : least;
  }
  return least;
}

int actuator_parts(const struct actuator_def *a, double share, struct force_part parts[MAX_FORCE_PARTS]) {
  double thrust = share * a->thrust_max_n, astern = thrust * a->thrust_astern;
  int count = 0;
  memset(parts, 0, MAX_FORCE_PARTS * sizeof *parts);
  if (a->kind == ACTUATOR_TUNNEL) {
    parts[count++].set = force_segment(TRIG_PI / 2, -astern, thrust);
  } else if (a->kind == ACTUATOR_MAIN && !(a->rudder_max_rad > 0 && a->rudder_lift > 0)) {
    parts[count++].set = force_segment(0, -astern, thrust);
  } else if (a->kind == ACTUATOR_MAIN) {
    double size, half = actuator_rudder_direction(a, a->rudder_max_rad, &size);
    parts[count++].set = force_sector(0, half, thrust * least_rudder_size(a));
    parts[count].astern = 1;
    parts[count++].set = force_segment(0, -astern, 0);
  } else if (a->forbidden_count == 0) {
    parts[count++].set = force_disc(thrust);
  } else {
    struct allowed_arc arcs[MAX_FORBIDDEN];
    int arc_count = actuator_arcs(a, arcs);
    for (int i = 0; i < arc_count; i++) { // an arc of more than half a turn in two
      int halves = arcs[i].half_rad > TRIG_PI / 2 ? 2 : 1;
      double half = arcs[i].half_rad / halves;
      for (int k = 0; k < halves; k++) {
        double middle = arcs[i].middle_rad + (halves == 1 ? 0 : k ? half : -half);
        parts[count].arc = i;
        parts[count++].set = force_sector(middle, half, thrust);
      }
    }
  }
  return count;
}

double actuator_thrust(const struct actuator_def *a, double revolutions_rpm, double pitch) {
  double stroke = revolutions_rpm / a->revolutions_max_rpm;
  if (a->controllable_pitch)
    stroke *= pitch;
  return a->thrust_max_n * (stroke < 0 ? a->thrust_astern : 1) * stroke * fabs(stroke);
}

void actuator_setpoint(const struct actuator_def *a, double thrust_n, double azimuth_rad,
                       struct thruster_command *out) {
  double full = a->thrust_max_n * (thrust_n < 0 ? a->thrust_astern : 1);
  double stroke = full > 0 ? sqrt(fabs(thrust_n) / full) : 0;
  if (stroke > 1) // rounding
    stroke = 1;
  if (thrust_n < 0)
    stroke = -stroke;
  memset(out, 0, sizeof *out);
  memcpy(out->name, a->name, sizeof out->name);
  out->enable = 1;
  out->revolutions_rpm =
      a->controllable_pitch ? a->revolutions_max_rpm : stroke * a->revolutions_max_rpm + 0.0;
  out->pitch = a->controllable_pitch ? stroke + 0.0 : 0;
  out->azimuth_rad = a->kind == ACTUATOR_TUNNEL ? 0 : azimuth_rad + 0.0;
}

double actuator_power_share(double thrust_share) {
  double s = fabs(thrust_share);
  return s * sqrt(s);
}

double actuator_share_of_power(double power_share) {
  return power_share > 0 ? explog_exp(2.0 / 3 * explog_log(power_share)) : 0;
}
