// One step as every mode does it: latch the command, step, take the output. No clock, no I/O, no allocation.
#pragma once

#include "control/dp.h"
#include "hil/frame.h"
#include "hil/scenario.h"
#include "hil/sensor_suite.h"

// The state of the closed loop beside the simulator's and the instruments'. Plain data.
struct closed_loop_state {
  struct command_latch latch;
  struct dp_state dp; // of the controller inside
  uint64_t inside_accepted, inside_refused;
  struct scenario scenario;
};

// What a state from a file is checked against.
struct closed_loop_rules {
  const struct command_def *command;
  const struct dp_def *dp; // of the controller inside; NULL: none
  const struct scenario_def *scenario;
};

struct closed_loop {
  struct sim *sim;
  struct sensor_suite *suite;
  struct command_def command_def;
  const struct dp_def
      *inside; // the sampled controller inside; NULL: commands come from outside, or not at all
  const struct scenario_def *scenario_def;
  struct loop_target target;
  struct dp_state dp;
  struct command_latch latch;
  struct scenario scenario;
  int has_sent;                             // a command came to the last step:
  struct command sent;                      // this one, before the faults on its way
  uint64_t inside_accepted, inside_refused; // commands of the controller inside; refused: beyond wrench_limit
  struct frame frame;                       // after the last step; its timing is the caller's
};

// setpoint: north and east in m, heading in rad; NULL: none but the start's pose.
void closed_loop_init(struct closed_loop *s, struct sim *sim, struct sensor_suite *suite,
                      const struct command_def *def, const struct dp_def *inside,
                      const struct scenario_def *scenario, const double setpoint[3]);

// True if a controller samples the present state: the step is a multiple of the control period.
int closed_loop_at_sample(const struct closed_loop *s);

// True if the controllers get the Sensors of the present state.
int closed_loop_sends_sensors(const struct closed_loop *s);

// Before a step: an operator's order, in effect from this step on.
void closed_loop_order(struct closed_loop *s, const struct order *order);

// Advances one step with the newest command that has come since the last call, or NULL.
void closed_loop_step(struct closed_loop *s, const struct command *newest);

// After the last step, with its final timing in the frame: verdicts of the clock see it.
void closed_loop_end(struct closed_loop *s);

// The closed_loop's own state out and in; those of the simulator and of the rig go beside it
// (io/checkpoint/checkpoint.h).
void closed_loop_save(const struct closed_loop *s, struct closed_loop_state *out);
struct closed_loop_rules
closed_loop_rules(const struct closed_loop *s); // what such a state is checked against
void closed_loop_resume(struct closed_loop *s, const struct closed_loop_state *from); // after those are in
