// One thruster: its drives' motion in time, exactly, and the force that it makes. Formulas and sources:
// docs/thrusters.md.
#pragma once

#include "core/math/vec3.h"
#include "core/vessel/plant_def.h"

#include <stdint.h>

// 8-byte members only: part of what is hashed and snapshotted.
struct thruster_state {
  double revolutions_rpm, pitch, azimuth_rad; // now; azimuth of a rudder: its angle, of a tunnel: pi/2
  double revolutions_set_rpm, pitch_set, azimuth_set_rad; // what they go for, latched at the step's start
  double asked_azimuth_rad;                               // as commanded, before sectors moved it
  double start_left_s;                                    // of the start-up
  double rate_share;                                      // of its drives' speed, 1 unless a failure slows it
  uint64_t ready, running, stuck;
  uint64_t moved_count; // commands that lay in a forbidden sector
};

// At rest: standing still, its direction the middle of what it can do.
struct thruster_state thruster_at_rest(const struct thruster_def *def);

// Advances revolutions, pitch and azimuth to their set-points: the exact flow, flow(a + b) = flow(b) o
// flow(a).
void thruster_flow(const struct thruster_def *def, struct thruster_state *s, double duration_s);

// What is left of a distance to the target after the duration: dx/dt = (target - x)/lag, bounded by rate; 0:
// no lag, no bound.
double thruster_approach(double distance, double lag_s, double rate_1ps, double duration_s);

// The angle, or the nearest edge if it lies in a forbidden sector.
double thruster_allowed_azimuth(const struct thruster_def *def, double azimuth_rad);

double thruster_power_w(const struct thruster_def *def, double revolutions_rpm, double pitch);

// Revolutions and pitch as one number: the signed root of the share of full thrust that they make at rest.
double thruster_stroke(const struct thruster_def *def, double revolutions_rpm, double pitch);
// The stroke whose force along the thruster's direction is thrust_n in this water; not bounded.
double thruster_stroke_for(const struct thruster_def *def, double thrust_n, double inflow_mps,
                           double ahead_mps);

// The part of a force that does not depend on the vessel's velocity.
struct thruster_jet {
  vec3 direction_b, place_b_m;
  double bollard_n;   // signed thrust in water at rest
  double inflow_nspm; // lost per m/s along the direction
  double speed_half_mps;
  double rudder_sine, rudder_lift, rudder_drag;
};
struct thruster_jet thruster_jet_of(const struct thruster_def *def, const struct thruster_state *s);
// velocity_b: of the thruster's place relative to the water.
double thruster_thrust(const struct thruster_jet *jet,
                       vec3 velocity_b); // along its direction, without the rudder
vec3 thruster_force(const struct thruster_jet *jet, vec3 velocity_b);
