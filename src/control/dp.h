// The sampled DP controller: the PID law with switch-on, bumpless take-over, approach of the set-point, bounded
// integral and tension feed-forward. Used by sagbend-dp (over the protocol) and by `controller: sampled` (inside):
// the same code, the same bits. Knows only what the sensors say.
#pragma once

#include "control/command.h"
#include "control/pid.h"

struct dp_sensors {
  uint64_t step;
  double time_s;
  double position_n_m[3];
  double euler_rad[3];
  double velocity_n_mps[3];
  double euler_rate_radps[3];
  double applied_wrench_b[6];  // what acts now
  double hangoff_tension_n;    // 0 without pipe
  double hangoff_angle_rad;
  double hangoff_azimuth_rad;  // direction in which the pipe pulls the vessel, clockwise from north
};

struct dp_state {
  int active;
  double last_time_s;
  double start_time_s;       // when it took over
  double start_reference[6]; // pose at take-over
  double integral[6];        // m s, rad s
  uint64_t sequence;
};

void dp_init(struct dp_state *state);

// One sample: the command that answers these sensors (standby before start_s).
void dp_sample(struct dp_state *state, const struct pid_def *def, const struct dp_sensors *sensors, struct command *out);
