// All thrusters and their power: set-points latched at the step's start, motion, forces. docs/thrusters.md.
#pragma once

#include "core/base/valid.h"
#include "core/math/vec3.h"
#include "core/vessel/thruster.h"

struct bus_state {
  double available_w; // in this step; 0: its breaker is open
  uint64_t closed;
  uint64_t limited;       // set-points are scaled down in this step
  uint64_t limited_count; // times that this began
};

struct plant_state { // 8-byte members only
  struct thruster_state thruster[MAX_THRUSTERS];
  struct bus_state bus[MAX_BUSES];
};

// Whether a state from a file is one that these thrusters and buses can have (core/base/valid.h).
int plant_state_is_valid(const struct plant_def *def, const struct plant_state *s, struct reason *why);

// As failures set them; zero: in order.
struct thruster_switches {
  int not_ready; // takes no commands and stops
  int stuck;     // revolutions, pitch and azimuth stay where they are
  double slowed; // share taken off its rates of change, 0 to below 1
};
struct bus_switches {
  int lost;        // its breaker is open
  double withheld; // share of its available power that it cannot give, 0 to 1
};

// What commands may ask of these thrusters, into a command_def.
void plant_command_rules(const struct plant_def *def, double step_s, struct command_def *out);

struct plant_state plant_at_rest(const struct plant_def *def);

// The step's set-points, one for each thruster: bounded to what the thruster can do, out of forbidden
// sectors, scaled down to the power that its bus has. Counts start-up times down by step_s.
void plant_latch(const struct plant_def *def, struct plant_state *s, const struct thruster_setpoint *setpoint,
                 const struct thruster_switches *thruster, const struct bus_switches *bus, double step_s);

void plant_flow(const struct plant_def *def, struct plant_state *s, double duration_s);

// As if these set-points had been there for long: everything running and at rest.
void plant_settle(const struct plant_def *def, struct plant_state *s,
                  const struct thruster_setpoint *setpoint);

// Set-points that make surge, sway and yaw of this wrench (N, N m about the reference point), with the least
// sum of squares of thrust over largest thrust; within limits and sectors as near as they get. water_b:
// velocity of the water relative to each thruster. Rudders stay amidships.
void plant_hold(const struct plant_def *def, const double wrench_b[6], const vec3 *water_b,
                struct thruster_setpoint *setpoint);

double plant_power_w(const struct plant_def *def, const struct plant_state *s, int thruster); // drawn now
double plant_bus_power_w(const struct plant_def *def, const struct plant_state *s, int bus);
