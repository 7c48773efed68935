// The closed loop: controller, command gate, faults, simulator and instruments, advanced one step at a time.
// Every mode of a run, a replay and the tests call closed_loop_step. No I/O, no allocation; a clock only if
// the caller provides one, to measure stages.
#pragma once

#include "sagbend/dp/dp.h"
#include "sagbend/base/nonblocking.h"
#include "sagbend/rig/command_monitor.h"
#include "sagbend/rig/frame.h"
#include "sagbend/rig/sensor_suite.h"
#include "sagbend/rig/link_energy.h"
#include "sagbend/rig/scenario.h"

// State of the closed loop beside those of the simulator and of the instruments. Plain data.
struct closed_loop_state {
  struct command_latch latch;
  struct dp_state dp;                       // of the controller inside
  uint64_t inside_accepted, inside_refused; // commands of the controller inside
  struct scenario scenario;
  uint64_t setpoint_order;          // number of the order that set the target; 0: as configured
  double setpoint[3];               // of that order: north, east in m, heading in rad; 0: as configured
  struct tensioner_input tensioner; // orders for the next step; its failures are not used
  struct track_orders track_orders; // of operators for the route
  uint64_t track_order;             // number of the newest of them; 0: none
  uint64_t silences;                // times that the tensioner braked because its controller was silent
  struct command_monitor monitor;
  struct link_energy link_energy;
  struct dp_alarm_state alarms;
};

// Definitions against which a closed_loop_state from a file is checked.
struct closed_loop_rules {
  const struct command_def *command;
  const struct dp_def *dp; // of the controller inside; NULL: none
  const struct scenario_def *scenario;
};

struct closed_loop {
  struct sim *sim;
  struct sensor_suite *suite;
  struct command_def command_def;
  const struct dp_def *inside; // sampled controller inside; NULL: commands come from outside or not at all
  const struct scenario_def *scenario_def;
  struct loop_target target;
  double configured[3]; // target without an order: north, east in m, heading in rad
  struct dp_state dp;
  struct dp_work work;
  struct command_latch latch;
  struct scenario scenario;
  struct command_monitor monitor;
  struct link_energy link_energy;           // zero unless the configuration's controller is outside
  struct dp_alarm_list brought;             // alarms that come with the command for the next step
  struct dp_alarm_state alarms;             // of the newest command, whatever the link does with it
  struct tensioner_input tensioner;         // for the next step
  int has_sent;                             // nonzero: the last step received a command, which is in sent
  struct command sent;                      // as the controller sent it, before the faults of the link
  uint64_t inside_accepted, inside_refused; // commands of the controller inside; refused: over wrench_limit
  uint64_t silences;       // times that the tensioner braked because its controller was silent
  struct step_clock clock; // the caller's; without one nothing is measured
  struct frame frame;      // after the last step; the caller writes its timing
};

// Sets up the loop around a simulator and a sensor suite at the same step, and measures the initial state.
// sim, suite, inside and scenario must outlive the loop.
// setpoint: north and east in m, heading in rad; NULL: the initial pose is the target.
void closed_loop_init(struct closed_loop *loop, struct sim *sim, struct sensor_suite *suite,
                      const struct command_def *def, const struct dp_def *inside,
                      const struct scenario_def *scenario, const double setpoint[3]);

// True if controllers receive the Sensors of the present state: the step is a multiple of the control period,
// and no fault of the link loses them.
int closed_loop_sends_sensors(const struct closed_loop *loop);

// Applies an operator's order before a step; it is in effect from that step on. Orders that concern the run
// and not the loop (pause, rate, stop and others) are counted only.
void closed_loop_apply_order(struct closed_loop *loop, const struct order *order) NONBLOCKING;

// Copies to a frame what orders have changed since the last step: faults, counts of orders, target.
void closed_loop_show_orders(const struct closed_loop *loop, struct frame *out) NONBLOCKING;
void closed_loop_copy_orders(const struct frame *from, struct frame *out) NONBLOCKING; // the same, of a frame

// The alarms that come with the command of the next step; without this call it brings none. A controller
// inside brings its own.
void closed_loop_bring_alarms(struct closed_loop *loop, const struct dp_alarm_list *alarms) NONBLOCKING;

// Advances one step with the newest command that has arrived since the last call; NULL: none has.
// With a controller inside, newest is ignored. A simulator that has latched a fault does not advance.
void closed_loop_step(struct closed_loop *loop, const struct command *newest) NONBLOCKING;

// Judges the verdicts on clock quantities once more after the last step, whose final timing the caller has
// written to the frame.
void closed_loop_judge_end(struct closed_loop *loop);

// Checkpoints: the state of the loop. The states of simulator and sensor suite are saved beside it
// (sagbend/engine/engine.h). Resume after restoring those two: the next step gives the same bits as in the
// saved session.
void closed_loop_save(const struct closed_loop *loop, struct closed_loop_state *out) NONBLOCKING;
void closed_loop_resume(struct closed_loop *loop, const struct closed_loop_state *from);
struct closed_loop_rules closed_loop_rules(const struct closed_loop *loop);
