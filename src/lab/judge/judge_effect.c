// Performance, protection and recovery: limits, the effect of a failure, and what the plan expects.
#include "lab/judge/judge_internal.h"
#include "lab/judge/report_values.h"

#include <math.h>
#include <stdlib.h>

// Whether a run goes beyond a limit, or has no value of its quantity.
static int limit_passed(const struct trial_plan *p, const struct observation *o, int i) {
  return !(o->high[i] <= p->limit[i].range[1] && o->low[i] >= p->limit[i].range[0]);
}

static int circle_left(const struct trial_plan *p, const struct observation *o, int i) {
  return isfinite(p->limit[i].circle) && !(o->circled[i] <= p->limit[i].circle);
}

double judgement_share(const struct trial_limit *limit, const struct observation *seen, int i) {
  double scale = 0, beyond = -HUGE_VAL;
  for (int k = 0; k < 2; k++)
    if (isfinite(limit->range[k]))
      scale = fmax(scale, fabs(limit->range[k]));
  if (isfinite(limit->range[1]))
    beyond = fmax(beyond, seen->high[i] - limit->range[1]);
  if (isfinite(limit->range[0]))
    beyond = fmax(beyond, limit->range[0] - seen->low[i]);
  return scale > 0 && isfinite(beyond) ? 1 + beyond / scale : 0;
}

static int is_shown_equal(int quantity, double value, double bound, int finer) {
  return strtod(value_text_finer(quantity, value, finer).text, NULL) ==
         strtod(value_text_finer(quantity, bound, finer).text, NULL);
}

// "position reaches 23.4 m, limit 10 m". A value beyond its bound reads so.
static int say(const struct trial_limit *limit, double value, const char *what, double bound, char *out,
               size_t size) {
  int finer = 0;
  while (finer < 6 && value != bound && is_shown_equal(limit->quantity, value, bound, finer))
    finer++;
  return snprintf(out, size, "%s reaches %s, %s %s", limit->name,
                  value_text_finer(limit->quantity, value, finer).text, what,
                  value_text(limit->quantity, bound).text);
}

static const char *circle_of(const struct trial_limit *limit) {
  return limit->mean_s > 0 ? "in the mean, circle" : "circle";
}

static int say_limit(const struct trial_limit *limit, const struct observation *o, int i, char *out,
                     size_t size) {
  int is_low = !(o->low[i] >= limit->range[0]);
  return say(limit, is_low ? o->low[i] : o->high[i], "limit", limit->range[!is_low], out, size);
}

static void join(char *out, size_t size, size_t *used) {
  *used += (size_t)snprintf(out + *used, size - *used, "%s", *used ? "; " : "");
}

void judge_limits(const struct judging *x) {
  const struct trial_plan *p = x->plan;
  char passed[200] = "";
  size_t used = 0;
  for (int i = 0; i < p->limit_count; i++)
    if (limit_passed(p, &x->run->seen, i) && !limit_passed(p, x->without, i) && used < sizeof passed - 3) {
      join(passed, sizeof passed, &used);
      used += (size_t)say_limit(&p->limit[i], &x->run->seen, i, passed + used, sizeof passed - used);
    }
  criterion_decide(x->run, CRITERION_LIMITS, !*passed, 'A', "%s", *passed ? passed : "within all limits");
}

void judge_circle(const struct judging *x) {
  const struct trial_plan *p = x->plan;
  char left[200] = "";
  size_t used = 0;
  for (int i = 0; i < p->limit_count; i++)
    if (circle_left(p, &x->run->seen, i) && used < sizeof left - 3) {
      join(left, sizeof left, &used);
      used += (size_t)say(&p->limit[i], x->run->seen.circled[i], circle_of(&p->limit[i]), p->limit[i].circle,
                          left + used, sizeof left - used);
    }
  criterion_decide(x->run, CRITERION_CIRCLE, !*left, 'B', "%s", *left ? left : "within");
}

int judge_first_limit(const struct trial_plan *p, const struct observation *seen, char *out, size_t size) {
  for (int i = 0; i < p->limit_count; i++) {
    if (limit_passed(p, seen, i))
      return say_limit(&p->limit[i], seen, i, out, size) > 0;
    if (circle_left(p, seen, i))
      return say(&p->limit[i], seen->circled[i], circle_of(&p->limit[i]), p->limit[i].circle, out, size) > 0;
  }
  return 0;
}

void judge_added(const struct judging *x) {
  const double added_m = x->run->seen.offset_m - x->without->offset_m;
  if (x->run->failure->has_spare && x->run->failure->group == FAILURE_SINGLE)
    criterion_decide(x->run, CRITERION_ADDED, added_m <= x->plan->added_m, 'B',
                     "offset %.2f m more than without a failure, at most %.3g m", added_m, x->plan->added_m);
  else
    criterion_skip(x->run, CRITERION_ADDED, "no spare of its kind");
}

void judge_worst_case(const struct judging *x) {
  struct judged_run *run = x->run;
  const double declared_m = x->j->worst_case_m[run->condition];
  if (isnan(declared_m))
    criterion_skip(run, CRITERION_WORST_CASE, "no worst-case failure is declared");
  else if (run->failure->group != FAILURE_SINGLE)
    criterion_skip(run, CRITERION_WORST_CASE, "not a single failure");
  else
    criterion_decide(run, CRITERION_WORST_CASE, run->seen.offset_m <= declared_m, 'B',
                     "offset %.2f m, at most %.2f m", run->seen.offset_m, declared_m);
}

void judge_power(const struct judging *x) {
  const double limited_s = x->run->seen.limited_s - x->without->limited_s;
  if (isnan(limited_s))
    criterion_skip(x->run, CRITERION_POWER, "the vessel has no buses");
  else
    criterion_decide(
        x->run, CRITERION_POWER, limited_s <= x->plan->power_limited_s, 'B',
        "thrusters limited by the power supply for %.1f s more than without a failure, at most %.3g s",
        limited_s, x->plan->power_limited_s);
}

void judge_return(const struct judging *x) {
  const double most_m = fmax(x->plan->return_offset_m, x->without->return_m);
  criterion_decide(x->run, CRITERION_RETURN, x->run->seen.return_m <= most_m, 'B',
                   "offset %.2f m from %.3g s after the end of the failure, at most %.2f m",
                   x->run->seen.return_m, x->plan->return_s, most_m);
}

double expectation_margin(const struct trial_expectation *e, double value) {
  double least = HUGE_VAL;
  for (int k = 0; k < 2; k++) {
    const double bound = e->range[k], distance = k ? bound - value : value - bound;
    if (isfinite(bound))
      least = fmin(least, distance / (bound ? fabs(bound) : 1));
  }
  return isnan(value) ? -HUGE_VAL : least;
}

// "footprint: rms of offset 1.3 m, bound 1.1 m"
static int say_expected(const struct trial_expectation *e, double value, char *out, size_t size) {
  const int is_low = value < e->range[0];
  if (e->take == TAKE_GROWTH)
    return snprintf(out, size, "%s: growth %.3g, bound %.3g", e->name, value, e->range[!is_low]);
  return snprintf(out, size, "%s: %s %s, bound %s", e->name, trial_take_name(e->take),
                  value_text(e->quantity, value).text, value_text(e->quantity, e->range[!is_low]).text);
}

void judge_expected(const struct judging *x) {
  const struct trial_plan *p = x->plan;
  struct judged_run *run = x->run;
  char beyond[200] = "", nearest[120] = "";
  size_t used = 0;
  int count = 0;
  double least = HUGE_VAL;
  for (int i = 0; i < p->expectation_count; i++) {
    const struct trial_expectation *e = &p->expectation[i];
    const double value = run->seen.expected[i], margin = expectation_margin(e, value);
    if (!expectation_is_of(e, run->failure, p->condition[run->condition].id))
      continue;
    if (margin < least)
      say_expected(e, value, nearest, sizeof nearest);
    least = fmin(least, margin);
    count++;
    if (margin < 0 && used < sizeof beyond - 3) {
      used += (size_t)snprintf(beyond + used, sizeof beyond - used, "%s", used ? "; " : "");
      used += (size_t)say_expected(e, value, beyond + used, sizeof beyond - used);
    }
  }
  if (!count)
    criterion_skip(run, CRITERION_EXPECTED, "the plan expects nothing of this run");
  else if (*beyond)
    criterion_decide(run, CRITERION_EXPECTED, 0, 'B', "%s", beyond);
  else
    criterion_decide(run, CRITERION_EXPECTED, 1, 0, "%d hold; the nearest with %.0f %% of its bound left: %s",
                     count, 100 * least, nearest);
}
