// The sampled DP controller: the PID law with start time, bumpless take-over, approach to the set-point or to
// the route that it follows, bounded integral, feed-forward of tension and wind, observer and thrust
// allocation. sagbend-dp runs it behind the protocol and `controller: sampled` runs it inside the simulator:
// the same code, the same bits. It knows only what the sensors report. docs/controller.md.
#pragma once

#include "sagbend/dp/track.h"
#include "sagbend/dp/navigation.h"
#include "sagbend/dp/allocation.h"
#include "sagbend/dp/consequence.h"
#include "sagbend/base/nonblocking.h"
#include "sagbend/signals/signals.h"
#include "sagbend/signals/dp_alarm.h"
#include "sagbend/signals/pid.h"

// Definition of the controller, as a DP file gives it.
struct dp_def {
  struct pid_def pid; // with a route its set-point is the pose at the route's begin
  struct track_def track;
  struct navigation_def navigation; // for vessels with instruments
  struct observer_def observer;
  struct wind_force_def wind;
  struct allocation_def allocation;
  struct consequence_def consequence;
};

// One sample of the sensors. With instruments the readings are all that is known: the exact values are zero,
// except step, time and wrench.
struct dp_sensors {
  uint64_t step;
  double time_s;
  double position_n_m[3];
  double euler_rad[3];
  double velocity_n_mps[3];
  double euler_rate_radps[3];
  double applied_wrench_b[6];     // acts now in addition to the thrusters, N, N m
  uint64_t command_based_on_step; // step that the command in use answers; 0: unknown, or none is in use

  // The pipe at the hang-off; zero without a pipe.
  double hangoff_tension_n;
  double hangoff_angle_rad; // of the axis in the lay plane, from the lay direction; beyond pi/2 it leans back
  double hangoff_lean_rad;  // of the axis out of the lay plane; 0 with instruments
  double hangoff_azimuth_rad; // direction in which the pipe pulls the vessel, clockwise from north
  int has_tensioner;          // the vessel has no instruments, and has a tensioner that follows orders:
  double paid_out_m;          // length since the start
  int tensioner_mode;         // in effect, enum tensioner_mode
  struct readings readings;
};

// The controller's time. The clock in the messages may jump, the steps beside it do not.
struct dp_clock {
  int heard;       // 1: a sample has arrived
  uint64_t step;   // of the latest sample
  double time_s;   // of the latest sample, as sent
  double step_s;   // s per step, from the first two samples; 0: not known yet
  double offset_s; // sum of the jumps so far
  uint64_t jumps;  // their number
};

// What the samples show of the link, by the controller's time.
struct dp_link {
  uint64_t acting_step; // command_based_on_step of the latest sample
  double acting_s;      // since when it is that, while the controller is active
  double sampled_s;     // of the latest sample
  double gap_s;         // end of the latest gap between samples that was too long; 0: none
};

// A set-point that an operator has ordered. It replaces that of the definition.
struct dp_move {
  int ordered;         // 1: an operator has ordered one
  int moving;          // 1: the reference moves, or has moved, to it from the one at begin_s
  double reference[6]; // the set-point, like pid_def.reference
  double from[6], from_rate[6], begin_s;
};

struct dp_state {
  struct dp_clock clock;
  struct dp_link link;
  int active;         // 1: the controller has taken over
  double last_time_s; // of the latest sample that was integrated
  double last_error[6];
  double start_time_s;       // of the take-over
  double start_reference[6]; // start of the reference: the pose at take-over
  double offset_b[6];        // remainder of the preloaded integral, fades within approach_s; N, N m
  double integral[6];        // m s, rad s
  uint64_t sequence;         // of the last command
  struct dp_move move;
  struct track_state track;
  double beside_b[6]; // acted in addition to the thrusters at take-over, moves to them within hand_over_s; N,
                      // N m
  double allocated_s; // time of the latest allocation
  struct navigation_state navigation;
  struct allocation_state allocation;
  struct consequence_state consequence;
};

// Scratch of a sample: no part of the state.
struct dp_work {
  struct thrust_left_work thrust_left;
};

void dp_init(struct dp_state *state);

// Returns 1 if a state read from a file is possible under this definition. Otherwise returns 0 and fills why
// (sagbend/base/base.h).
int dp_state_is_valid(const struct dp_def *def, const struct dp_state *state, struct reason *why);

// Computes the command for one sample of the sensors. The command is standby before pid.start_s, while the
// position is unknown, and if a sensor is not finite; in the last case only the sequence changes in the
// state. A time that is not later than the last one is not integrated; a jump of the time relative to the
// steps is removed. With actuators in def the command contains their set-points, otherwise a wrench.
void dp_sample(struct dp_state *state, const struct dp_def *def, const struct dp_sensors *sensors,
               struct dp_work *work, struct command *out) NONBLOCKING;

// The alarms after a sample: a pure function of the state, so that a controller inside reports the same ones.
void dp_alarms(const struct dp_state *state, const struct dp_def *def, struct dp_alarm_list *out) NONBLOCKING;

// What a person reads when an alarm of dp_alarms is over.
void dp_alarm_end_text(const struct dp_alarm *alarm, char out[DP_ALARM_TEXT]);

// Replaces the set-point by north, east (m) and heading (rad). After take-over the reference moves there
// within approach_s, from the latest sample on. It leaves a route for good.
void dp_set_setpoint(struct dp_state *state, const struct dp_def *def, const double setpoint[3]) NONBLOCKING;

// What operators have ordered for the route; before take-over as well.
void dp_set_track(struct dp_state *state, const struct track_orders *orders) NONBLOCKING;

// Set-point to which the reference moves: as configured or ordered; on a route the end of the present move.
void dp_target(const struct dp_state *state, const struct dp_def *def, double target[6]) NONBLOCKING;

// Reference at time_s and its rate: from the pose at take-over, or from the reference at which another
// set-point was ordered, to the set-point, with continuous second derivative, within approach_s, yaw by the
// shorter turn; then along the route. A move that begins during another keeps its rate. Before take-over: the
// set-point. m, rad, n frame.
void dp_reference(const struct dp_state *state, const struct dp_def *def, double time_s, double reference[6],
                  double rate[6]) NONBLOCKING;

// Tension feed-forward: the body wrench opposite to the pipe's horizontal pull, N.
void dp_tension_feedforward(const struct dp_sensors *sensors, double wrench_b[6]) NONBLOCKING;
