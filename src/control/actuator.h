// One thruster as the controller knows it: what forces it can make, and the set-points that make them. The DP
// file's view; the plant has its own (core/vessel/thruster.h), with losses that a controller does not see.
#pragma once

#include "control/force_set.h"
#include "core/base/nonblocking.h"
#include "core/signals/command.h"

enum actuator_kind { ACTUATOR_TUNNEL, ACTUATOR_AZIMUTH, ACTUATOR_MAIN };
enum { MAX_FORBIDDEN = 4, MAX_FORCE_PARTS = 2 * MAX_FORBIDDEN };

struct forbidden_sector { // directions of the thrust, clockwise from one edge to the other; the edges are
                          // allowed
  double from_rad, to_rad;
};

struct actuator_def {
  char name[SIGNAL_NAME];
  enum actuator_kind kind; // tunnel: positive to starboard; main: ahead, with a rudder
  int controllable_pitch;
  double position_b_m[3];
  double thrust_max_n;
  double thrust_astern;       // of that, the share astern; an azimuth is not used astern
  double revolutions_max_rpm; // of a drive by pitch: its constant revolutions
  double thrust_rate_nps;     // of the set-point; 0: unlimited
  double azimuth_rate_radps;  // of the set-point, of a rudder too; 0: unlimited
  double rudder_max_rad;      // main: 0 without a rudder
  double rudder_lift,
      rudder_drag;     // N per N of thrust ahead, at the sine of its angle and at the sine's square
  int forbidden_count; // azimuth
  struct forbidden_sector forbidden[MAX_FORBIDDEN];
  double price;       // of its force beside the others', 1: as theirs
  double bias_n[2];   // force where nothing is asked for: pairs against each other
  double power_max_w; // at full thrust; 0: not counted
  char bus[SIGNAL_NAME];
};

// The allowed arcs of an azimuth: a full turn (half_rad pi) without sectors. Returns how many, 0: all is
// forbidden.
struct allowed_arc {
  double middle_rad, half_rad;
};
int actuator_arcs(const struct actuator_def *a, struct allowed_arc arcs[MAX_FORBIDDEN]) NONBLOCKING;
int actuator_arc_of(const struct allowed_arc *arcs, int count,
                    double azimuth_rad) NONBLOCKING; // the nearest, if in none
double arc_offset(const struct allowed_arc *arc,
                  double azimuth_rad) NONBLOCKING; // from its middle, in (-pi, pi]

// The convex parts of the forces that it can make in the long run, at this share of its thrust.
struct force_part {
  struct force_set set;
  int arc;    // azimuth: in which it lies
  int astern; // main
};
int actuator_parts(const struct actuator_def *a, double share,
                   struct force_part parts[MAX_FORCE_PARTS]) NONBLOCKING;

// Thrust (signed, without the rudder) of drives in this position, and back. Thrust goes with the square.
double actuator_thrust(const struct actuator_def *a, double revolutions_rpm, double pitch) NONBLOCKING;
void actuator_setpoint(const struct actuator_def *a, double thrust_n, double azimuth_rad,
                       struct thruster_command *out) NONBLOCKING;

// Main: direction and size of the force of a thrust of 1 ahead, by the rudder's angle; and the angle of a
// direction.
double actuator_rudder_direction(const struct actuator_def *a, double rudder_rad, double *size) NONBLOCKING;
double actuator_rudder_for(const struct actuator_def *a, double direction_rad) NONBLOCKING;

// Share of its power at this share of its thrust: |share|^(3/2); and the thrust's share for a share of power.
double actuator_power_share(double thrust_share) NONBLOCKING;
double actuator_share_of_power(double power_share) NONBLOCKING;
