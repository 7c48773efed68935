// Level 2: the simulator's own loads on the vessel at rest, and its own thrusters. Body frame: x forward, y
// to starboard, moments clockwise, about the reference point; directions of the weather clockwise from the
// bow, where it comes from.
#pragma once

#include "lab/capability/weather.h"
#include "sagbend/base/status.h"
#include "sagbend/power/power_left.h"
#include "sagbend/dp/reach.h"
#include "sagbend/vessel/windage.h"
#include "sagbend/case/config.h"

enum { DRIFT_STEPS = 160 };

struct level2 {
  const struct sim_def *def;
  struct vessel vessel;
  struct windage windage;
  struct wind_def wind; // of 1 m/s
  double gamma;         // peak enhancement of the sea
  double omega_radps[DRIFT_STEPS], width_radps[DRIFT_STEPS];
  double reflection[DRIFT_STEPS];
};

void level2_of(const struct config *config, struct level2 *out);

// Mean drift over the frequencies in one direction: surge, sway N/m2, yaw N m/m2 per squared amplitude.
struct level2_drift {
  double c[DRIFT_STEPS][3];
};
void level2_drift_of(const struct level2 *level, double direction_rad, struct level2_drift *out);

struct level2_loads {
  double wind[3], current[3], waves[3];
};
// Wind and waves come from direction_rad, the current from current_rad.
struct level2_loads level2_loads_of(const struct level2 *level, const struct level2_drift *drift,
                                    const struct weather *weather, double direction_rad, double current_rad);

// What is left of the power after these buses and generators are lost; bit i of each: their index. A plant
// without generators has what each bus has available. The thrusters that it leaves without a live bus: bit i
// of thruster i.
unsigned level2_left_after(const struct plant_def *plant, unsigned buses, unsigned generators,
                           struct power_left *out);

// The thrusters that run, at this speed of the current, with the limits of their islands; stopped: bit i of
// thruster i. Unit j is thruster unit_of[j]; bus b of the set is the island whose first bus is b.
// STATUS_BAD_INPUT: a thruster has too many parts.
enum status level2_thrust(const struct plant_def *plant, unsigned stopped, const struct power_left *power,
                          double current_mps, struct reach *out, int unit_of[REACH_UNITS],
                          struct reason *why);

// Force of the pipe on the vessel: surge N, sway N, yaw N m, where a current of this speed comes from a
// direction, with the hang-off where still water leaves it.
struct level2_pipe {
  struct sim_def *def; // owned
  void *memory;        // owned
  size_t size;
};
enum status level2_pipe_open(const struct config *config, struct level2_pipe *pipe, struct reason *why);
enum status level2_pipe_force(const struct level2_pipe *pipe, double current_mps, double direction_rad,
                              double force_b[3], struct reason *why);
void level2_pipe_close(struct level2_pipe *pipe);
