// Events of a scenario and orders of an operator: they begin and end faults. A pure function of the steps,
// the true state and the orders, so that a session can be replayed. No clock, no I/O, no allocation; the
// state is plain data.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/rig/fault.h"
#include "sagbend/rig/names.h"
#include "sagbend/rig/rig.h"
#include "sagbend/rig/quantity.h"

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

void events_init(struct events *s);

// True if a state from a file is possible with these definitions at this step (sagbend/base/base.h).
int events_is_valid(const struct events *s, const struct event_def *defs, int count,
                    const struct hil_names *names, uint64_t step, struct reason *why);

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
