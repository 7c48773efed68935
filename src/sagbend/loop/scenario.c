// The scenario: its state as a whole, and verdicts.
#include "sagbend/loop/loop.h"

#include "sagbend/base/base.h"

#include <math.h>
#include <string.h>

void scenario_begin(struct scenario *s, const struct scenario_def *def) {
  link_begin(&s->link, def->seed);
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
    return valid_fail(why, "name: the name of event %d, %s, expected, got another", (int)by, defs[by].name);
  return valid_whole(s->event[by].begun, 1, 1, "begun (of its event)", why) &&
         valid_whole(s->event[by].over, 0, 0, "over (of its event)", why);
}

// True if a state from a file is possible with these definitions at this step (sagbend/base/base.h).
static int events_is_valid(const struct events *s, const struct event_def *defs, int count,
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

// True if a state from a file is possible at this step (sagbend/base/base.h).
static int link_is_valid(const struct link *l, const struct command_def *def, uint64_t step,
                         struct reason *why) {
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

// True if a state from a file is possible at this step (sagbend/base/base.h).
static int restart_is_valid(const struct restart *r, uint64_t step, double step_s, struct reason *why) {
  double longest = fault_parameter_def(PARAMETER_RESTART)->high / step_s;
  uint64_t steps = longest < (double)VALID_MOST_STEPS ? (uint64_t)longest + 1 : VALID_MOST_STEPS;
  for (int i = 0; i < MAX_BUSES; i++)
    if (!valid_whole(r->back_step[i], 0, step + 1 + MAX_BUSES * steps, "back_step", why))
      return valid_fail_in(why, "bus[%d].", i);
  return 1;
}

// True if a state from a file is possible at this step (sagbend/base/base.h).
static int verdict_is_valid(const struct verdict *v, uint64_t step, struct reason *why) {
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

// ------------------------------------------------------------
// Step from which the times of a verdict count.
static uint64_t zero_of(const struct verdict_def *def, const struct events *events) {
  return def->after >= 0 ? events->event[def->after].begun_step : 0;
}

static int is_judged(const struct verdict_def *def, const struct events *events, uint64_t step,
                     double step_s) {
  if (def->after >= 0 && !events->event[def->after].begun)
    return 0;
  uint64_t zero = zero_of(def, events);
  return step >= zero + steps_nearest_to(def->from_s, step_s) &&
         (def->to_s == 0 || step <= zero + steps_nearest_to(def->to_s, step_s));
}

static int is_meant(const struct alarm_filter *filter, const struct dp_alarm *alarm) {
  int found = !filter->source_count;
  for (int i = 0; i < filter->source_count && !found; i++)
    found = !strcmp(filter->source[i], alarm->source);
  return found && alarm->severity != SEVERITY_MESSAGE && (!filter->kinds || filter->kinds >> alarm->kind & 1);
}

// An alarm that must come counts by the Sensors that it answers. Its command comes later.
static double count_alarms(const struct verdict_def *def, const struct events *events,
                           const struct loop_view *view) {
  const struct dp_alarm_state *alarms = view->alarms;
  uint64_t zero = zero_of(def, events), first = zero + steps_nearest_to(def->from_s, view->target->step_s),
           last = zero + steps_nearest_to(def->alarm.within_s, view->target->step_s);
  int count = 0;
  for (int i = 0; alarms && i < alarms->list.count; i++)
    count += is_meant(&def->alarm, &alarms->list.alarm[i]) &&
             (!(def->alarm.within_s > 0) || (alarms->step[i] >= first && alarms->step[i] <= last));
  return count;
}

static double value_of(const struct verdict_def *def, const struct events *events,
                       const struct loop_view *view) {
  return def->alarm.is_used ? count_alarms(def, events, view) : quantity_shown(def->quantity, view);
}

double verdict_margin(const struct verdict_def *def, double value) {
  double below = value - def->low, above = def->high - value;
  return value != value ? -(double)INFINITY : below < above ? below : above;
}

// Updates the worst value. True if this state completes a time outside that is longer than the grace.
static int update_worst(struct verdict *v, const struct verdict_def *def, const struct loop_view *view,
                        double value) {
  uint64_t step = view->truth->step;
  double margin = verdict_margin(def, value);
  if (!v->judged_steps || margin < v->worst_margin) {
    v->worst_margin = margin;
    v->worst_value = value;
    v->worst_step = step;
  }
  if (margin >= 0)
    v->outside_since = 0;
  else if (!v->outside_since)
    v->outside_since = step + 1;
  return margin < 0 && step - (v->outside_since - 1) == steps_nearest_to(def->grace_s, view->target->step_s);
}

static void count_violation(struct verdict *v, uint64_t step) {
  v->violations++;
  if (!v->violated_step) {
    v->violated_step = step + 1;
    v->first_step = v->outside_since - 1;
  }
}

// The mean begins with the run, so that it has settled when the verdict judges. Without a value it begins
// again.
static void update_mean(struct verdict *v, const struct verdict_def *def, double value, double step_s) {
  const double share = step_s < def->mean_s ? step_s / def->mean_s : 1;
  v->mean = !v->mean_steps || isnan(v->mean) ? value : v->mean + share * (value - v->mean);
  v->mean_steps++;
}

void verdict_judge(struct verdict *v, const struct verdict_def *def, const struct events *events,
                   const struct loop_view *view) {
  uint64_t step = view->truth->step;
  if (def->mean_s > 0)
    update_mean(v, def, value_of(def, events, view), view->target->step_s);
  if (!is_judged(def, events, step, view->target->step_s)) {
    v->outside_since = 0;
    return;
  }
  double value = def->mean_s > 0 ? v->mean : value_of(def, events, view);
  int too_long = update_worst(v, def, view, value);
  v->sum += value;
  v->square_sum += value * value;
  v->judged_steps++;
  if (too_long)
    count_violation(v, step);
}

void verdict_judge_end(struct verdict *v, const struct verdict_def *def, const struct events *events,
                       const struct loop_view *view) {
  uint64_t step = view->truth->step, before = v->outside_since;
  if (quantity_is_of_clock(def->quantity) && !(def->mean_s > 0) && v->judged_steps &&
      is_judged(def, events, step, view->target->step_s) &&
      update_worst(v, def, view, value_of(def, events, view)) && before != v->outside_since)
    count_violation(v, step);
}

enum verdict_result verdict_result(const struct verdict *v, const struct verdict_def *def) {
  if (!v->judged_steps)
    return VERDICT_NOT_JUDGED;
  return !v->violated_step == !def->expect_violated ? VERDICT_PASSED : VERDICT_FAILED;
}
