// The sampled DP controller: the PID law with switch-on, bumpless take-over, approach of the set-point,
// bounded integral and tension feed-forward. Used by sagbend-dp (over the protocol) and by `controller:
// sampled` (inside): the same code, the same bits. Knows only what the sensors say.
#pragma once

#include "control/allocation.h"
#include "control/navigation.h"
#include "core/base/nonblocking.h"
#include "core/signals/command.h"
#include "core/signals/pid.h"

// What a DP file says.
struct dp_def {
  struct pid_def pid;
  struct navigation_def navigation; // used where the vessel has instruments
  struct observer_def observer;
  struct wind_force_def wind;
  struct allocation_def allocation;
};

struct dp_sensors {
  uint64_t step;
  double time_s;
  double position_n_m[3];
  double euler_rad[3];
  double velocity_n_mps[3];
  double euler_rate_radps[3];
  double applied_wrench_b[6]; // what acts now, beside the thrusters
  double hangoff_tension_n;   // 0 without pipe
  double hangoff_angle_rad;   // of the pipe's axis there in the lay plane, from 0 along the lay direction;
                              // beyond pi/2 leaning back
  double hangoff_lean_rad;    // and out of it; 0 where only an instrument tells
  double hangoff_azimuth_rad; // direction in which the pipe pulls the vessel, clockwise from north
  struct readings readings;   // with instruments they are all that is known: the exact values above but step,
                              // time and wrench are zero
};

// Time as the controller counts it: the clock in the messages may jump, the steps beside it do not.
struct dp_clock {
  int heard;       // a sample has come
  uint64_t step;   // of the newest
  double time_s;   // as sent with it
  double step_s;   // seconds a step, of the first two samples; 0: not known yet
  double offset_s; // how far the clock has jumped
  uint64_t jumps;
};

struct dp_state {
  struct dp_clock clock;
  int active;
  double last_time_s; // of the newest sample that was integrated
  double last_error[6];
  double start_time_s;       // when it took over
  double start_reference[6]; // where the reference starts: the pose at take-over
  double offset_b[6];        // N, N m: what the preloaded integral could not carry at take-over; fades within
                             // approach_s
  double integral[6];        // m s, rad s
  uint64_t sequence;         // of the last command
  double beside_b[6]; // N, N m: acted beside the thrusters at take-over; goes over to them within hand_over_s
  double allocated_s; // time of the newest allocation
  struct navigation_state navigation;
  struct allocation_state allocation;
};

void dp_init(struct dp_state *state);

// Whether a state from a file is one that this definition can have led to (core/base/valid.h).
int dp_state_is_valid(const struct dp_def *def, const struct dp_state *state, struct reason *why);

// One sample: the command that answers these sensors. Standby before start_s, and when a sensor is not finite
// (then nothing of the state but the sequence changes). A time stamp not after the last one does not
// integrate. A time stamp that jumps against the steps is taken back by the jump. With thrusters in def the
// command is their set-points.
void dp_sample(struct dp_state *state, const struct dp_def *def, const struct dp_sensors *sensors,
               struct command *out) NONBLOCKING;

// The reference at this time: from the pose at take-over to the set-point by a C2 blend within approach_s,
// yaw the shorter way round; rate is its derivative. Before take-over: the set-point.
void dp_reference(const struct dp_state *state, const struct pid_def *def, double time_s, double reference[6],
                  double rate[6]);

// Feed-forward against the pipe: body wrench opposite to the horizontal pull, N.
void dp_tension_feedforward(const struct dp_sensors *sensors, double wrench_b[6]);
