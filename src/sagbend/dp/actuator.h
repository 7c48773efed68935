// One thruster as the controller knows it: the forces that it can give, and the set-points for them. The DP
// file defines it. The plant has its own model (sagbend/vessel/thruster.h), with losses that the controller does
// not know. Body frame b: x forward, y starboard. Directions clockwise from the bow, rad.
#pragma once

#include "sagbend/dp/force_set.h"
#include "sagbend/base/nonblocking.h"
#include "sagbend/signals/signals.h"
#include "sagbend/signals/thruster_kind.h"

enum { MAX_FORBIDDEN = 4, MAX_FORCE_PARTS = 2 * MAX_FORBIDDEN };

// A forbidden range of thrust directions, clockwise from one edge to the other. The edges are allowed.
struct forbidden_sector {
  double from_rad, to_rad;
  char
      against[SIGNAL_NAME]; // thruster that it protects, in force while that one runs; empty: always in force
};

struct actuator_def {
  char name[SIGNAL_NAME];
  enum thruster_kind kind;
  int controllable_pitch; // 1: controllable-pitch propeller; 0: fixed-pitch propeller
  double position_b_m[3];
  double thrust_max_n;
  double thrust_astern; // largest thrust astern as a share of thrust_max_n; not used for azimuth thrusters
  double revolutions_max_rpm; // controllable pitch: the constant revolutions
  double thrust_rate_nps;     // largest rate of the thrust set-point; 0: unlimited
  double azimuth_rate_radps;  // largest rate of the azimuth or rudder set-point; 0: unlimited
  double response_s;          // longest lag with which the drives follow, > 0
  double stroke_s;            // longest time in which revolutions or pitch go from zero to full, > 0
  double rudder_max_rad;      // main propeller; 0: no rudder
  double rudder_lift;         // N per N of thrust ahead, times the sine of the rudder angle
  double rudder_drag;         // N per N of thrust ahead, times the square of that sine
  int forbidden_count;        // azimuth thrusters
  struct forbidden_sector forbidden[MAX_FORBIDDEN];
  double price;       // cost of its force relative to the other thrusters; 1: equal
  double bias_n[2];   // force at zero demand, b: thrusters biased against each other
  double power_max_w; // at full thrust; 0: not counted
  char bus[SIGNAL_NAME];
};

// An allowed arc of azimuths; a full turn (half_rad pi) without forbidden sectors.
struct allowed_arc {
  double middle_rad, half_rad;
};

// Fills the allowed arcs and returns their number; 0: all directions are forbidden. Sectors may overlap.
// Sectors whose bit is set in lifted are not in force.
int actuator_arcs(const struct actuator_def *def, unsigned lifted,
                  struct allowed_arc arcs[MAX_FORBIDDEN]) NONBLOCKING;

// Whether any forbidden sector is in force.
int actuator_is_confined(const struct actuator_def *def, unsigned lifted) NONBLOCKING;

// Index of the arc that contains an azimuth, or of the nearest one.
int actuator_arc_of(const struct allowed_arc *arcs, int count, double azimuth_rad) NONBLOCKING;

// Whether a sector in force lies between two allowed directions, on the shorter way from one to the other.
int actuator_sector_is_between(const struct actuator_def *def, unsigned lifted, double from_rad,
                               double to_rad) NONBLOCKING;

// Angle from the middle of the arc, in (-pi, pi].
double arc_offset(const struct allowed_arc *arc, double azimuth_rad) NONBLOCKING;

// A convex part of the forces that a thruster can give in steady state.
struct force_part {
  struct force_set set;
  int astern; // main propeller: 1 for thrust astern
};

// Fills the convex parts at this share of the largest thrust and returns their number. lifted: as for
// actuator_arcs.
int actuator_parts(const struct actuator_def *def, double share, unsigned lifted,
                   struct force_part parts[MAX_FORCE_PARTS]) NONBLOCKING;

// Thrust at these revolutions and this pitch, without the rudder, N, signed. It grows with the square of
// both.
double actuator_thrust(const struct actuator_def *def, double revolutions_rpm, double pitch) NONBLOCKING;

// The command that gives this thrust and azimuth (main propeller: rudder angle).
void actuator_setpoint(const struct actuator_def *def, double thrust_n, double azimuth_rad,
                       struct thruster_command *out) NONBLOCKING;

// Main propeller: direction of the force at a rudder angle, and its size per thrust ahead.
double actuator_rudder_direction(const struct actuator_def *def, double rudder_rad, double *size) NONBLOCKING;

// Main propeller: the rudder angle for a direction of the force, within the rudder's range.
double actuator_rudder_for(const struct actuator_def *def, double direction_rad) NONBLOCKING;

// Share of the largest power at a share of the largest thrust, |share|^(3/2), and the inverse.
double actuator_power_share(double thrust_share) NONBLOCKING;
double actuator_share_of_power(double power_share) NONBLOCKING;
