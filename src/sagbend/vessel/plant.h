// The plant: all thrusters and their power supply. Each step latches the set-points (plant_latch); the drives
// then move towards them (plant_flow), and the model takes the forces (sagbend/model/thrust.c).
// docs/thrusters.md.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/base.h"
#include "sagbend/math/math.h"
#include "sagbend/power/power.h"
#include "sagbend/vessel/thruster.h"

// State of a bus. 8-byte members only.
struct bus_state {
  double available_w;     // power available in this step; 0 with an open breaker
  uint64_t closed;        // 1: the breaker is closed
  uint64_t limited;       // 1: this step scales the set-points down to the available power
  uint64_t limited_count; // number of times that such a limitation began
};

// State of the plant: hashed and part of snapshots. 8-byte members only.
struct plant_state {
  struct thruster_state thruster[MAX_THRUSTERS];
  struct bus_state bus[MAX_BUSES];
};

// Failures of a thruster and of a bus. Zero: no failure.
struct thruster_switches {
  int not_ready; // the thruster stops and ignores commands
  int stuck;     // revolutions, pitch and azimuth keep their values
  double slowed; // share by which its rates of change are reduced, 0 to below 1
};
struct bus_switches {
  int lost;        // the breaker is open
  double withheld; // share of the available power that is missing, 0 to 1
};

// The plant with every thruster stopped (thruster_at_rest) and every breaker closed.
struct plant_state plant_at_rest(const struct plant_def *def);

// Returns 1 if a state read from a file is possible for this plant. Otherwise returns 0 and fills why
// (sagbend/base/base.h).
int plant_state_is_valid(const struct plant_def *def, const struct plant_state *state, struct reason *why);

// Fills thruster_count and thruster of out: which commands these thrusters accept. step_s: the simulation's
// step, which converts time-outs to steps.
void plant_command_rules(const struct plant_def *def, double step_s, struct command_def *out);

// Latches the set-points of a step: limits them to the thruster's range, moves azimuths out of the forbidden
// sectors in force and scales them down to the power of their bus. Reduces the remaining start-up times by
// step_s; a thruster into which another one thrusts waits at the end of its own.
// setpoint, thruster: one for each thruster; bus: one for each bus. power: of the power plant, which takes
// what the set-points ask for and gives what each bus may use; not read without one.
void plant_latch(const struct plant_def *def, struct plant_state *state,
                 const struct thruster_setpoint *setpoint, const struct thruster_switches *thruster,
                 const struct bus_switches *bus, struct power_state *power, double step_s) NONBLOCKING;

// Advances the power plant by duration_s under what the thrusters draw now.
void plant_power_flow(const struct plant_def *def, const struct plant_state *state, struct power_state *power,
                      const struct power_switches *switches, double duration_s) NONBLOCKING;

// The power plant at the beginning, under what the thrusters draw in this state.
void plant_power_begin(const struct plant_def *def, const struct plant_state *state,
                       struct power_state *power);

// Moves all drives towards their latched set-points for duration_s (thruster_flow).
void plant_flow(const struct plant_def *def, struct plant_state *state, double duration_s) NONBLOCKING;

// Sets the steady state under these set-points: all thrusters run, all drives are at their set-points, the
// sets of the power plant share their load.
void plant_set_steady(const struct plant_def *def, struct plant_state *state, struct power_state *power,
                      const struct thruster_setpoint *setpoint);

// State of one thruster that runs steadily at a set-point within its range; one that is not enabled stands.
struct thruster_state thruster_steady(const struct thruster_def *def,
                                      const struct thruster_setpoint *setpoint) NONBLOCKING;

// Finds set-points whose thrust gives surge, sway and yaw of wrench_b (N, N m about the reference point) with
// the least sum of (thrust / thrust_max)^2. What limits and forbidden sectors do not allow remains undone.
// water_b: velocity of the water relative to each thruster, b, m/s. Rudders stay amidships.
void plant_hold_setpoints(const struct plant_def *def, const double wrench_b[6], const vec3 *water_b,
                          struct thruster_setpoint *setpoint);

// Power that a thruster, or all thrusters of a bus, draw now, W.
double plant_power_w(const struct plant_def *def, const struct plant_state *state, int thruster) NONBLOCKING;
double plant_bus_power_w(const struct plant_def *def, const struct plant_state *state, int bus) NONBLOCKING;
