// Events of a scenario: they begin and end faults.
#include "sagbend/loop/loop.h"

#include "sagbend/base/base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void end_fault(struct events *s, int i) {
  int behind = --s->faults.count - i;
  if (s->made_by[i] >= 0)
    s->event[s->made_by[i]].over = 1;
  memmove(&s->faults.fault[i], &s->faults.fault[i + 1], (size_t)behind * sizeof *s->faults.fault);
  memmove(&s->end_step[i], &s->end_step[i + 1], (size_t)behind * sizeof *s->end_step);
  memmove(&s->made_by[i], &s->made_by[i + 1], (size_t)behind * sizeof *s->made_by);
  memset(&s->faults.fault[s->faults.count], 0, sizeof *s->faults.fault); // equal states have equal bytes
  s->end_step[s->faults.count] = 0;
  s->made_by[s->faults.count] = 0;
  s->ended++;
}

// Ends the emergency stops of a thruster, or of all (target -1).
static void reset_thruster(struct events *s, int target) {
  for (int i = s->faults.count - 1; i >= 0; i--)
    if (s->faults.fault[i].kind == FAULT_EMERGENCY_STOP &&
        (target < 0 || s->faults.fault[i].target == target))
      end_fault(s, i);
}

// An operator's action: it is over at once, whatever its duration.
static int is_action(enum fault_kind kind) {
  return kind == FAULT_EMERGENCY_RESET || kind == FAULT_TAKE_OVER || fault_target_of(kind) == TARGET_SETPOINT;
}

static void begin_fault(struct events *s, const struct fault *fault, const char *name, double duration_s,
                        int64_t made_by, uint64_t step, double step_s) {
  if (fault->kind == FAULT_EMERGENCY_RESET)
    reset_thruster(s, fault->target);
  int i = s->faults.count++;
  struct fault *f = &s->faults.fault[i];
  *f = *fault;
  memset(f->name, 0, sizeof f->name);
  memcpy(f->name, name, strlen(name));
  f->since_s = (double)step * step_s;
  s->end_step[i] = is_action(fault->kind) ? step + 1
                   : duration_s > 0       ? step + steps_nearest_to(duration_s, step_s)
                                          : UINT64_MAX;
  s->made_by[i] = made_by;
  s->started++;
}

static int condition_holds(const struct condition *c, const struct loop_view *view) {
  double value = quantity_shown(c->quantity, view);
  return c->above ? value > c->bound : value < c->bound; // false where the quantity has no value
}

static int is_due(struct events *s, const struct event_def *def, struct event_state *e,
                  const struct loop_view *view) {
  uint64_t step = view->truth->step, from = steps_nearest_to(def->at_s, view->target->step_s);
  if (def->after >= 0) {
    if (!s->event[def->after].begun)
      return 0;
    from += s->event[def->after].begun_step;
  }
  if (step < from)
    return 0;
  if (!def->has_condition)
    return 1;
  if (!condition_holds(&def->when, view)) {
    e->condition_since = 0;
    return 0;
  }
  if (!e->condition_since)
    e->condition_since = step + 1;
  return step - (e->condition_since - 1) >= steps_nearest_to(def->when.for_s, view->target->step_s);
}

void events_update(struct events *s, const struct event_def *defs, int count, const struct loop_view *view) {
  uint64_t step = view->truth->step;
  for (int i = s->faults.count - 1; i >= 0; i--)
    if (step >= s->end_step[i])
      end_fault(s, i);
  for (int i = 0; i < count; i++) {
    struct event_state *e = &s->event[i];
    if (e->begun || !is_due(s, &defs[i], e, view))
      continue;
    e->begun = 1;
    e->begun_step = step;
    begin_fault(s, &defs[i].fault, defs[i].name, defs[i].duration_s, i, step, view->target->step_s);
  }
}

int events_active_orders(const struct events *s) {
  int count = 0;
  for (int i = 0; i < s->faults.count; i++)
    count += s->made_by[i] == MADE_BY_ORDER;
  return count;
}

static void stop_thruster(struct events *s, int thruster, const char *name, uint64_t step, double step_s) {
  const struct fault stop = {.kind = FAULT_EMERGENCY_STOP, .target = thruster};
  if (!fault_find(&s->faults, FAULT_EMERGENCY_STOP, thruster))
    begin_fault(s, &stop, name, 0, MADE_BY_STOP, step, step_s);
}

void events_stop_thrusters(struct events *s, const struct thruster_stops *stops,
                           const struct hil_names *names, uint64_t step, double step_s) {
  for (int i = 0; i < stops->count; i++)
    for (int k = 0; k < names->thruster_count; k++)
      if (!strcmp(names->thruster[k], stops->name[i]))
        stop_thruster(s, k, stops->name[i], step, step_s);
}

int events_begin_ordered(struct events *s, const struct order *order, uint64_t step, double step_s) {
  if (events_active_orders(s) >= MAX_ORDERS) {
    s->orders_refused++;
    return 0;
  }
  begin_fault(s, &order->fault, order->name, order->duration_s, MADE_BY_ORDER, step, step_s);
  return 1;
}

void events_stop_ordered(struct events *s, const struct order *order, uint64_t step, double step_s) {
  stop_thruster(s, order->fault.target, order->name, step, step_s);
}

void events_clear(struct events *s, const struct order *order) {
  const int all = !strcmp(order->name, ALL_FAULTS);
  for (int i = s->faults.count - 1; i >= 0; i--)
    if (all || !strcmp(s->faults.fault[i].name, order->name))
      end_fault(s, i);
}
