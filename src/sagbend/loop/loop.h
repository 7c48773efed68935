// The closed loop and its scenario: what begins and ends faults, what is judged, and the order of a step.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/dp/dp.h"
#include "sagbend/faults/faults.h"
#include "sagbend/instruments/instruments.h"
#include "sagbend/link/link.h"
#include "sagbend/monitor/monitor.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"
#include "sagbend/sim/sim.h"

#include <stdint.h>

// Events of a scenario and orders of an operator: they begin and end faults. A pure function of the steps,
// the true state and the orders, so that a session can be replayed. No clock, no I/O, no allocation; the
// state is plain data.

enum { MAX_EVENTS = 48, MAX_ORDERS = 16 }; // MAX_ORDERS: ordered faults active at a time
_Static_assert(MAX_EVENTS + MAX_ORDERS + MAX_THRUSTERS == MAX_FAULTS, "and each thruster stopped");

// What began a fault that no event began.
enum { MADE_BY_ORDER = -1, MADE_BY_STOP = -2 };

struct condition {
  enum quantity quantity;
  int above; // 1: above the bound, 0: below it
  double bound;
  double for_s; // the condition must hold this long without interruption
};

// An event begins once: at_s after the start of the session, or after the beginning of another event; with a
// condition, as soon after that as the condition holds.
struct event_def {
  char name[SIGNAL_NAME];
  double at_s;
  int after; // index of the other event; -1: none
  int has_condition;
  struct condition when;
  double duration_s;  // 0: to the end
  struct fault fault; // its name and since_s are not used
};

struct event_state {
  uint64_t begun, over; // flags
  uint64_t begun_step;
  uint64_t condition_since; // 1 + the step since which the condition has held; 0: it does not hold
};

struct events {
  uint64_t started, ended; // faults so far
  uint64_t last_order;     // number of the newest order
  uint64_t orders_refused; // because MAX_ORDERS were active
  struct event_state event[MAX_EVENTS];
  struct fault_set faults;       // active faults, the newest last
  uint64_t end_step[MAX_FAULTS]; // at which each of them ends; UINT64_MAX: none
  int64_t made_by[MAX_FAULTS];   // index of the event that began it, or MADE_BY_
};

// Ends and begins the faults that are due at this state. Called after each step, and once before the first.
// The faults then active act on the readings of this state and on the next step.
void events_update(struct events *s, const struct event_def *defs, int count,
                   const struct loop_view *view) NONBLOCKING;

// What an order begins and ends before the step that begins at this state. 0: refused, because MAX_ORDERS
// ordered faults are active; the refusal is counted.
int events_begin_ordered(struct events *s, const struct order *order, uint64_t step,
                         double step_s) NONBLOCKING;
void events_stop_ordered(struct events *s, const struct order *order, uint64_t step,
                         double step_s) NONBLOCKING;
void events_clear(struct events *s, const struct order *order) NONBLOCKING;

// The emergency stops of a command, before the step that uses it. Each is an active fault of the kind
// emergency_stop with the name of its thruster, until an order clears it; a thruster that is stopped already
// stays as it is.
void events_stop_thrusters(struct events *s, const struct thruster_stops *stops,
                           const struct hil_names *names, uint64_t step, double step_s) NONBLOCKING;

int events_active_orders(const struct events *s) NONBLOCKING;

// ------------------------------------------------------------
// Verdicts: conditions that must hold in a scenario, judged in every step. A pure function of the states;
// plain data.

// Alarms of a controller of which a verdict speaks; messages are none.
enum { MAX_ALARM_SOURCES = 8 };
struct alarm_filter {
  int is_used;      // 0: the verdict is of its quantity
  int source_count; // 0: of any source
  char source[MAX_ALARM_SOURCES][SIGNAL_NAME];
  uint32_t kinds;  // one bit for each enum dp_alarm_kind; 0: of any kind
  double within_s; // from the same time as from_s: until when the alarm must come; 0: none may be active
};

struct verdict_def {
  char name[SIGNAL_NAME];
  enum quantity quantity;
  double low, high; // bounds of the quantity; infinite: none on that side
  double from_s,
      to_s;  // judged in this time, both included; to_s 0: to the end. Counted from after, if there is one
  int after; // index of the event from whose beginning the times count; -1: the start of the session
  double mean_s;       // judges a first-order mean of the quantity with this time constant; 0: the quantity
  double grace_s;      // a shorter time outside the bounds is no violation
  int expect_violated; // nonzero: the verdict passes if it is violated
  struct alarm_filter alarm;
};

// Distance to the nearer bound, positive within; minus infinity where the quantity has no value.
double verdict_margin(const struct verdict_def *def, double value) NONBLOCKING;

void verdict_judge(struct verdict *v, const struct verdict_def *def, const struct events *events,
                   const struct loop_view *view) NONBLOCKING;

// Judges a verdict on a clock quantity once more after the last step: the end of that step may have been
// late, which no later state contains.
void verdict_judge_end(struct verdict *v, const struct verdict_def *def, const struct events *events,
                       const struct loop_view *view);

// Result so far. Not judged: its time or event has not come, which is a failure at the end of a run.
enum verdict_result { VERDICT_PASSED, VERDICT_FAILED, VERDICT_NOT_JUDGED };
enum verdict_result verdict_result(const struct verdict *v, const struct verdict_def *def);

// ------------------------------------------------------------
// A scenario: events, orders, link and verdicts as one state, beside the simulator's.

struct scenario_def {
  double step_s;
  uint64_t seed;
  int event_count, verdict_count;
  struct event_def event[MAX_EVENTS];
  struct verdict_def verdict[MAX_VERDICTS];
  struct hil_names names;
  struct track_def track; // of the DP file, for quantities of the group ROUTE
  int controller_inside;  // nonzero: the controller runs inside the program
  int controller_outside; // nonzero: it is outside, or in fast mode takes the place of one outside
  struct controllers_def controllers;
};

// Plain data: saved, restored and compared as bytes.
struct scenario {
  struct events events;
  struct link link;
  struct restart restart;
  struct verdict verdict[MAX_VERDICTS];
  uint64_t sensors_lost; // nonzero: the Sensors of this state do not reach the controllers
};

void scenario_begin(struct scenario *s, const struct scenario_def *def); // *s: zeros

// True if a state from a file is possible with this definition at this step (sagbend/base/base.h).
int scenario_is_valid(const struct scenario_def *def, const struct command_def *command,
                      const struct scenario *s, uint64_t step, struct reason *why);

// Begins and ends faults. Called after each step, and once before the first, before the readings are made:
// the faults then active act on the readings of this state.
void scenario_update(struct scenario *s, const struct scenario_def *def,
                     const struct loop_view *view) NONBLOCKING;
// Judges the verdicts, after the readings. sends: Sensors are due at this state.
void scenario_judge(struct scenario *s, const struct scenario_def *def, const struct loop_view *view,
                    int sends) NONBLOCKING;

// Judges verdicts on clock quantities once more, with the lateness of the last step.
void scenario_judge_end(struct scenario *s, const struct scenario_def *def, const struct loop_view *view);

uint32_t scenario_violated(const struct scenario *s,
                           const struct scenario_def *def) NONBLOCKING; // one bit each, so far

// ------------------------------------------------------------
// The closed loop: controller, command gate, faults, simulator and instruments, advanced one step at a time.
// Every mode of a run, a replay and the tests call closed_loop_step. No I/O, no allocation; a clock only if
// the caller provides one, to measure stages.

// What orders leave in effect after the step in which they were given: saved and restored as a whole. Plain
// data; what is 0 is as configured.
struct order_effects {
  uint64_t setpoint_order;          // number of the order that set the target
  double setpoint[3];               // of that order: north, east in m, heading in rad
  struct tensioner_input tensioner; // orders for the next step; its failures are not used
  struct track_orders track_orders; // of operators for the route
  uint64_t track_order;             // number of the newest of them
};

// State of the closed loop beside those of the simulator and of the instruments. Plain data.
struct closed_loop_state {
  struct command_latch latch;
  struct dp_state dp;                       // of the controller inside
  uint64_t inside_accepted, inside_refused; // commands of the controller inside
  struct scenario scenario;
  struct order_effects ordered;
  uint64_t silences; // times that the tensioner braked because its controller was silent
  struct command_monitor monitor;
  struct link_energy link_energy;
  struct bump bump;
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
  struct dp_work *work; // of the controller inside
  struct command_latch latch;
  struct scenario scenario;
  struct command_monitor monitor;
  struct link_energy link_energy; // zero unless the configuration's controller is outside
  struct bump bump;               // zero unless the case lists controllers
  struct dp_alarm_list brought;   // alarms that come with the command for the next step
  struct dp_alarm_state alarms;   // of the newest command, whatever the link does with it
  struct order_effects ordered;
  int has_sent;                             // nonzero: the last step received a command, which is in sent
  struct command sent;                      // as the controller sent it, before the faults of the link
  uint64_t inside_accepted, inside_refused; // commands of the controller inside; refused: out of range
  uint64_t silences;       // times that the tensioner braked because its controller was silent
  struct step_clock clock; // the caller's; without one nothing is measured
  struct frame frame;      // after the last step; the caller writes its timing
};

// Sets up the loop around a simulator and a sensor suite at the same step, and measures the initial state.
// sim, suite, inside and scenario must outlive the loop.
// setpoint: north and east in m, heading in rad; NULL: the initial pose is the target. work: scratch of the
// controller inside, which belongs to the caller; NULL without one.
void closed_loop_init(struct closed_loop *loop, struct sim *sim, struct sensor_suite *suite,
                      const struct command_def *def, const struct dp_def *inside, struct dp_work *work,
                      const struct scenario_def *scenario, const double setpoint[3]);
// The same in memory of zeros, of which it touches what is not zero.
void closed_loop_begin(struct closed_loop *loop, struct sim *sim, struct sensor_suite *suite,
                       const struct command_def *def, const struct dp_def *inside, struct dp_work *work,
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
