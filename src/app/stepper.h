// One step as every mode does it: latch the command, step, take the output. No clock, no I/O, no allocation.
#pragma once

#include "control/dp.h"
#include "io/checkpoint.h"
#include "io/server.h"
#include "rig/rig.h"

struct stepper {
  struct sim *sim;
  struct rig *rig;
  struct command_def command_def;
  const struct dp_def
      *inside; // the sampled controller inside; NULL: commands come from outside, or not at all
  const struct scenario_def *scenario_def;
  struct rig_target target;
  struct dp_state dp;
  struct command_latch latch;
  struct scenario scenario;
  int has_sent;                             // a command came to the last step:
  struct command sent;                      // this one, before the faults on its way
  uint64_t inside_accepted, inside_refused; // commands of the controller inside; refused: beyond wrench_limit
  struct frame frame;                       // after the last step; its timing is the caller's
};

// setpoint: north and east in m, heading in rad; NULL: none but the start's pose.
void stepper_init(struct stepper *s, struct sim *sim, struct rig *rig, const struct command_def *def,
                  const struct dp_def *inside, const struct scenario_def *scenario, const double setpoint[3]);

// True if a controller samples the present state: the step is a multiple of the control period.
int stepper_at_sample(const struct stepper *s);

// True if the controllers get the Sensors of the present state.
int stepper_sends_sensors(const struct stepper *s);

// Before a step: an operator's order, in effect from this step on.
void stepper_order(struct stepper *s, const struct order *order);

// Advances one step with the newest command that has come since the last call, or NULL.
void stepper_step(struct stepper *s, const struct command *newest);

// After the last step, with its final timing in the frame: verdicts of the clock see it.
void stepper_end(struct stepper *s);

// The stepper's own state out and in; those of the simulator and of the rig go beside it (io/checkpoint.h).
void stepper_save(const struct stepper *s, struct checkpoint_controls *out);
struct checkpoint_rules stepper_rules(const struct stepper *s); // what such a state is checked against
void stepper_resume(struct stepper *s, const struct checkpoint_controls *from); // after those are in
