// One thruster: the motion of its drives in time, and its force. docs/thrusters.md gives formulas and
// sources.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/math/math.h"
#include "sagbend/vessel/plant_def.h"

#include <stdint.h>

// State of a thruster: hashed and part of snapshots. 8-byte members only. Azimuths are thrust directions in
// rad clockwise from the bow, in (-pi, pi]; with a rudder: its angle; without
// either: the constant direction of the axis.
struct thruster_state {
  double revolutions_rpm, pitch, azimuth_rad; // actual values; pitch: share of full pitch, -1 to 1
  double revolutions_set_rpm, pitch_set, azimuth_set_rad; // set-points, latched at the start of the step
  double asked_azimuth_rad;                               // commanded azimuth, before sectors moved it
  double start_left_s;                                    // remaining start-up time
  double rate_share; // factor on the rates of change; 1 unless a failure slows the thruster
  uint64_t ready, running, stuck;
  uint64_t moved_count; // number of commands whose azimuth lay in a forbidden sector
};

// Axis of the thrust that nothing turns, a unit vector, b.
static inline vec3 thruster_axis_b(const struct thruster_def *def) {
  return thruster_axis(def->kind) == AXIS_ACROSS ? (vec3){0, 1, 0} : (vec3){1, 0, 0};
}

// A stopped thruster; one that turns points along its axis, or to the nearest allowed direction.
struct thruster_state thruster_at_rest(const struct thruster_def *def);

// Moves revolutions, pitch and azimuth towards their set-points for duration_s. The solution is exact:
// flow(a + b) = flow(b) after flow(a). A stuck thruster keeps its values.
void thruster_flow(const struct thruster_def *def, struct thruster_state *state,
                   double duration_s) NONBLOCKING;

// Remaining distance to the target after duration_s under dx/dt = (target - x) / lag, with |dx/dt| at most
// rate_1ps. lag_s 0: no lag; rate_1ps 0: unlimited. Unit and sign are those of distance.
double thruster_approach(double distance, double lag_s, double rate_1ps, double duration_s);

// Distance from an edge within which a direction counts as on it.
static const double SECTOR_EDGE_RAD = 1e-12;

// Index of the forbidden sector that contains this thrust direction, more than margin_rad from its edges; -1:
// none. Sectors whose bit is set in lifted do not count.
int thruster_sector_at(const struct thruster_def *def, double azimuth_rad, double margin_rad,
                       unsigned lifted) NONBLOCKING;

// The edge of a forbidden sector that is nearest to a thrust direction inside it, rad.
double thruster_sector_edge(const struct sector *sector, double azimuth_rad) NONBLOCKING;

// The given thrust direction, or the nearest edge of the forbidden sector that contains it, rad, with all
// sectors in force.
double thruster_allowed_azimuth(const struct thruster_def *def, double azimuth_rad) NONBLOCKING;

// Power drawn at these revolutions and this pitch, W.
double thruster_power_w(const struct thruster_def *def, double revolutions_rpm, double pitch) NONBLOCKING;

// Revolutions and pitch as one number, the stroke: the signed square root of the share of full thrust that
// they give in still water, -1 to 1.
double thruster_stroke(const struct thruster_def *def, double revolutions_rpm, double pitch) NONBLOCKING;

// The stroke that gives thrust_n along the thruster's direction. inflow_mps: speed of the thruster through
// the water along that direction; ahead_mps: speed ahead. Not limited to -1 to 1; 0 if no stroke gives the
// thrust.
double thruster_stroke_for(const struct thruster_def *def, double thrust_n, double inflow_mps,
                           double ahead_mps);

// The part of a thruster's force that does not depend on the vessel's velocity.
struct thruster_jet {
  vec3 direction_b, place_b_m; // unit vector of positive thrust; position
  double bollard_n;            // thrust in still water, signed
  double inflow_nspm;          // loss of thrust per m/s of speed along the direction
  double speed_half_mps;       // in a tunnel: speed that halves the thrust; 0: no such loss
  double rudder_sine, rudder_lift, rudder_drag;
};
struct thruster_jet thruster_jet_of(const struct thruster_def *def,
                                    const struct thruster_state *state) NONBLOCKING;

// Thrust along the jet's direction without the rudder, N, and the force with the rudder, b, N. velocity_b:
// velocity of the thruster relative to the water, b, m/s.
double thruster_thrust(const struct thruster_jet *jet, vec3 velocity_b) NONBLOCKING;
vec3 thruster_force(const struct thruster_jet *jet, vec3 velocity_b) NONBLOCKING;
