#include "sagbend/rig/verdict.h"

#include "sagbend/base/steps.h"

#include <math.h>
#include <string.h>

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
