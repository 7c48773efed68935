// Inside of the thrust allocation, for the files of its stages.
#pragma once

#include "sagbend/thrust/thrust.h"

#include <math.h>

// ---- One thruster (actuator.c) ----

// Whether any forbidden zone is in force.
int actuator_is_confined(const struct actuator_def *def, unsigned lifted) NONBLOCKING;

// Angle from the middle of an arc, in (-pi, pi].
double actuator_arc_offset(const struct allowed_arc *arc, double azimuth_rad) NONBLOCKING;

// Index of the arc that contains an azimuth, or of the nearest one.
int actuator_arc_of(const struct allowed_arc *arcs, int count, double azimuth_rad) NONBLOCKING;

// The forces from low to high along a direction.
struct force_set force_segment(double direction_rad, double low_n, double high_n) NONBLOCKING;

// ---- One sample ----

// How often a stage is repeated with less thrust on buses without power.
enum { POWER_ROUNDS = 4 };

// Share of full thrust below which an azimuth thruster may cross a forbidden zone.
static const double NO_THRUST = 0.02;

// One sample in progress.
struct allocation_sampling {
  struct allocation_state *state;
  const struct allocation_def *def;
  const struct readings *readings;
  const double *demand;                                    // surge, sway N, yaw N m
  double time_s, dt_s;                                     // dt_s: since the last sample, >= 0
  const struct thruster_feedback *feedback[MAX_THRUSTERS]; // NULL: the vessel has no thruster of that name
  unsigned lifted[MAX_THRUSTERS]; // bits of the forbidden zones that are not in force
  struct allocated_arcs {
    struct allowed_arc arc[MAX_FORBIDDEN];
    int count;
  } arcs[MAX_THRUSTERS];            // azimuth thrusters
  double share[MAX_THRUSTERS];      // share of the largest thrust that power allows
  struct allocation_plan plan;      // result of stage 1
  struct allocation_plan healthy;   // plan as if the deviating thrusters followed
  double error;                     // by which plan misses the demand, weighted
  int is_useful[MAX_THRUSTERS];     // deviates, but its set-point may help: it is of healthy
  int crosses[MAX_THRUSTERS];       // 1: its direction in plan lies across a sector; it is to cross
  int is_crossed;                   // 1: any of them does
  struct allocation_plan meanwhile; // then: what the others do while those that cross give nothing
  int is_handing_over;              // 1: others still turn to where they make up for those that cross
  int crossing[MAX_THRUSTERS];      // 1: on the way to another arc, without thrust
};

// By how much a plan misses the demand, weighted.
double allocation_error_of(const struct allocation_sampling *run,
                           const struct allocation_plan *plan) NONBLOCKING;

// Stage 1 within the power of the buses. Returns 1 if that limits the plan.
int allocation_plan_in_power(struct allocation_sampling *run, struct allocation_wish *wish,
                             struct allocation_plan *plan) NONBLOCKING;

// The plan that the thrusters work to in this sample.
static inline const struct allocation_plan *allocation_plan_now(const struct allocation_sampling *run) {
  return run->is_crossed ? &run->meanwhile : &run->plan;
}

// Whether an azimuth crosses a sector, without thrust, on its way to a direction.
int allocation_crosses(const struct allocation_sampling *run, int i, double wanted_rad) NONBLOCKING;

int allocation_is_on_bus(const struct allocation_def *def, int actuator, int bus) NONBLOCKING;

// Power that the thrusters of a bus may use now, W.
double allocation_bus_power_w(const struct allocation_state *state, const struct allocation_def *def,
                              int bus) NONBLOCKING;

// Power that a bus has left as far as it is known where power is missing, W.
double allocation_bus_left_w(const struct allocation_state *state, const struct allocation_def *def,
                             int bus) NONBLOCKING;

// Turns azimuths and rudders towards the plan within their rates (allocation_turn.c).
void allocation_turn(struct allocation_sampling *run) NONBLOCKING;

// Stage 2: sets the thrusts along the present directions (allocation_turn.c).
void allocation_set_thrusts(struct allocation_sampling *run) NONBLOCKING;

// Reduces share where forces of these sizes exceed the power of a bus. Returns 1 if it did.
int allocation_power_is_limited(struct allocation_sampling *run, const double *size_n) NONBLOCKING;

static inline double bounded(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

static inline double force_size(const double force[2]) {
  return sqrt(force[0] * force[0] + force[1] * force[1]);
}
