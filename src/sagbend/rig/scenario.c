#include "sagbend/rig/scenario.h"

#include <math.h>
#include <string.h>

void scenario_init(struct scenario *s, const struct scenario_def *def) {
  memset(s, 0, sizeof *s);
  events_init(&s->events);
  link_init(&s->link, def->seed);
}

void scenario_update(struct scenario *s, const struct scenario_def *def, const struct loop_view *view) {
  events_update(&s->events, def->event, def->event_count, view);
  restart_update(&s->restart, &s->events.faults, def->names.bus_count, view->truth->step, def->step_s);
}

void scenario_judge(struct scenario *s, const struct scenario_def *def, const struct loop_view *view,
                    int sends) {
  s->sensors_lost = sends && link_loses_sensors(&s->link, &s->events.faults);
  for (int i = 0; i < def->verdict_count; i++)
    verdict_judge(&s->verdict[i], &def->verdict[i], &s->events, view);
}

void scenario_judge_end(struct scenario *s, const struct scenario_def *def, const struct loop_view *view) {
  for (int i = 0; i < def->verdict_count; i++)
    verdict_judge_end(&s->verdict[i], &def->verdict[i], &s->events, view);
}

uint32_t scenario_violated(const struct scenario *s, const struct scenario_def *def) {
  uint32_t bits = 0;
  for (int i = 0; i < def->verdict_count; i++)
    bits |= (uint32_t)(s->verdict[i].violated_step > 0) << i;
  return bits;
}

// Checks of a scenario's state from a file.
static int event_state_is_valid(const struct event_state *e, uint64_t step, struct reason *why) {
  return valid_whole(e->begun, 0, 1, "begun", why) && valid_whole(e->over, 0, e->begun, "over", why) &&
         valid_whole(e->begun_step, 0, step, "begun_step", why) &&
         valid_whole(e->condition_since, 0, step + 1, "condition_since", why);
}

// A fault that an event began belongs to that event alone, and the event is not over: so there is room for
// every event that has yet to begin.
static int made_by_is_valid(const struct events *s, int i, const struct event_def *defs, int count,
                            struct reason *why) {
  int64_t by = s->made_by[i];
  const struct fault *f = &s->faults.fault[i];
  if (!valid_index(by, MADE_BY_STOP, count - 1, "made_by", why))
    return 0;
  if (by == MADE_BY_STOP && (f->kind != FAULT_EMERGENCY_STOP || f->target < 0))
    return valid_fail(why, "kind: the emergency stop of a thruster expected, got %s", fault_name(f->kind));
  for (int k = 0; by == MADE_BY_STOP && k < i; k++)
    if (s->made_by[k] == by && s->faults.fault[k].target == f->target)
      return valid_fail(why, "target: a thruster that is stopped once expected, got %d", f->target);
  if (by < 0)
    return valid_text(f->name, sizeof f->name, "name", why);
  for (int k = 0; k < i; k++)
    if (s->made_by[k] == by)
      return valid_fail(why, "made_by: an event that has made no other expected, got %d", (int)by);
  if (strncmp(f->name, defs[by].name, sizeof f->name) != 0)
    return valid_fail(why, "name: that of event %d expected, %s", (int)by, defs[by].name);
  return valid_whole(s->event[by].begun, 1, 1, "begun (of its event)", why) &&
         valid_whole(s->event[by].over, 0, 0, "over (of its event)", why);
}

int events_is_valid(const struct events *s, const struct event_def *defs, int count,
                    const struct hil_names *names, uint64_t step, struct reason *why) {
  if (!valid_index(s->faults.count, 0, MAX_FAULTS, "faults.count", why))
    return 0;
  for (int i = 0; i < MAX_EVENTS; i++)
    if (!event_state_is_valid(&s->event[i], step, why))
      return valid_fail_in(why, "event[%d].", i);
  for (int i = 0; i < s->faults.count; i++)
    if (!fault_is_valid(names, &s->faults.fault[i], why) || !made_by_is_valid(s, i, defs, count, why) ||
        !valid_whole(s->end_step[i], step, UINT64_MAX, "end_step", why))
      return valid_fail_in(why, "faults[%d].", i);
  return valid_index(events_active_orders(s), 0, MAX_ORDERS, "faults (made by orders)", why) &&
         valid_whole(s->started, (uint64_t)s->faults.count, VALID_MOST_STEPS, "started", why) &&
         valid_whole(s->ended, s->started - (uint64_t)s->faults.count, s->started - (uint64_t)s->faults.count,
                     "ended", why);
}

int link_is_valid(const struct link *l, const struct command_def *def, uint64_t step, struct reason *why) {
  if (!random_stream_is_valid(&l->random, why))
    return valid_fail_in(why, "random.");
  if (!valid_whole(l->count, 0, LINK_QUEUE, "count", why))
    return 0;
  for (uint64_t i = 0; i < l->count; i++)
    if (!valid_whole(l->queue[i].due_step, step, UINT64_MAX, "due_step", why) ||
        !command_is_valid(def, &l->queue[i].command, why))
      return valid_fail_in(why, "queue[%d].", (int)i);
  return 1;
}

int restart_is_valid(const struct restart *r, uint64_t step, double step_s, struct reason *why) {
  double longest = fault_parameter_def(PARAMETER_RESTART)->high / step_s;
  uint64_t steps = longest < (double)VALID_MOST_STEPS ? (uint64_t)longest + 1 : VALID_MOST_STEPS;
  for (int i = 0; i < MAX_BUSES; i++)
    if (!valid_whole(r->back_step[i], 0, step + 1 + MAX_BUSES * steps, "back_step", why))
      return valid_fail_in(why, "bus[%d].", i);
  return 1;
}

int verdict_is_valid(const struct verdict *v, uint64_t step, struct reason *why) {
  if (isnan(v->worst_margin)) // the value may be no number, then it is minus infinity
    return valid_fail(why, "worst_margin: a number expected, got nan");
  return valid_whole(v->judged_steps, 0, step + 1, "judged_steps", why) &&
         valid_whole(v->outside_since, 0, step + 1, "outside_since", why) &&
         valid_whole(v->violated_step, 0, step + 1, "violated_step", why) &&
         valid_whole(v->first_step, 0, step, "first_step", why) &&
         valid_whole(v->mean_steps, 0, step + 1, "mean_steps", why) &&
         valid_whole(v->violations, 0, step + 1, "violations", why) &&
         valid_whole(v->worst_step, 0, step, "worst_step", why);
}

int scenario_is_valid(const struct scenario_def *def, const struct command_def *command,
                      const struct scenario *s, uint64_t step, struct reason *why) {
  if (!events_is_valid(&s->events, def->event, def->event_count, &def->names, step, why))
    return valid_fail_in(why, "events.");
  if (!link_is_valid(&s->link, command, step, why))
    return valid_fail_in(why, "link.");
  if (!restart_is_valid(&s->restart, step, def->step_s, why))
    return valid_fail_in(why, "restart.");
  for (int i = 0; i < MAX_VERDICTS; i++)
    if (!verdict_is_valid(&s->verdict[i], step, why))
      return valid_fail_in(why, "verdict[%d].", i);
  return valid_whole(s->sensors_lost, 0, 1, "sensors_lost", why);
}
