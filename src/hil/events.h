// Events of a scenario and orders of an operator: they switch faults on and off. A pure function of the
// steps, of the true state and of the orders, so that a session replays. No clock, no I/O, no allocation; the
// state is plain data.
#pragma once

#include "core/base/nonblocking.h"
#include "hil/fault.h"
#include "hil/names.h"
#include "hil/quantity.h"

enum { MAX_EVENTS = 48, MAX_ORDERS = MAX_FAULTS - MAX_EVENTS }; // orders: active at a time

struct condition {
  enum quantity quantity;
  int above; // 1: above the bound, 0: below it
  double bound;
  double for_s; // without a break
};

// Begins at_s after the start, or after another event's beginning; with a condition, as soon after that as it
// holds. Once.
struct event_def {
  char name[SIGNAL_NAME];
  double at_s;
  int after; // index of that other event; -1: none
  int has_condition;
  struct condition when;
  double duration_s;  // 0: to the end
  struct fault fault; // its name and since_s are not used
};

enum order_kind { ORDER_FAULT, ORDER_CLEAR, ORDER_CLEAR_ALL };

// Checked on arrival (hil/names.h).
struct order {
  uint64_t number; // counts a session's orders, from 1
  enum order_kind kind;
  char name[SIGNAL_NAME]; // of the fault that it makes, or of those that it clears
  double duration_s;      // 0: until cleared
  struct fault fault;     // its name and since_s are not used
};

struct event_state {
  uint64_t begun, over; // flags
  uint64_t begun_step;
  uint64_t condition_since; // 1 + the step since which it has held; 0: it does not
};

struct events {
  uint64_t started, ended; // faults so far
  uint64_t last_order;     // number of the newest
  uint64_t orders_refused; // no room
  struct event_state event[MAX_EVENTS];
  struct fault_set faults;       // active now, the newest last
  uint64_t end_step[MAX_FAULTS]; // of each of them; UINT64_MAX: none
  int64_t made_by[MAX_FAULTS];   // index of its event; -1: an order
};

void events_init(struct events *s);

// Whether a state from a file is one that these definitions can have led to at this step (core/base/valid.h).
int events_is_valid(const struct events *s, const struct event_def *defs, int count,
                    const struct hil_names *names, uint64_t step, struct reason *why);

// After a step, and once before the first: ends and begins what is due at this state. What is active then
// acts on the readings of this state and on the next step.
void events_update(struct events *s, const struct event_def *defs, int count,
                   const struct loop_view *view) NONBLOCKING;

// Before a step that begins at this state. 0: there was no room for it, and it has been counted.
int events_apply_order(struct events *s, const struct order *order, uint64_t step, double step_s) NONBLOCKING;

int events_active_orders(const struct events *s) NONBLOCKING;
