// Performance, protection and recovery: limits, the effect of a failure, changeovers, and what the plan
// expects.
#include "lab/judge/judge.h"
#include "lab/judge/judge_internal.h"

#include "lab/capability/capability.h"
#include "lab/failures/failures.h"
#include "lab/plan/plan.h"
#include "lab/sweep/sweep.h"
#include "net/case/case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

int expectation_text(const struct trial_expectation *e, double value, char *out, size_t size) {
  const int is_low =
      isfinite(e->range[0]) && (!isfinite(e->range[1]) || value - e->range[0] < e->range[1] - value);
  if (trial_take_is_ratio(e->take))
    return snprintf(out, size, "%s %.3g, bound %.3g", trial_take_name(e->take), value, e->range[!is_low]);
  return snprintf(out, size, "%s %s, bound %s", trial_take_name(e->take), value_text(e->quantity, value).text,
                  value_text(e->quantity, e->range[!is_low]).text);
}

// "footprint: rms 1.3 m, bound 1.1 m"
static size_t say_expected(const struct trial_expectation *e, double value, char *out, size_t size) {
  const int used = snprintf(out, size, "%s: ", e->name);
  return (size_t)(used +
                  expectation_text(e, value, out + used, (size_t)used < size ? size - (size_t)used : 0));
}

// "; also footprint, thrust and 3 more": those that hold beside the nearest one.
static void say_others(const struct judging *x, int nearest, char *out, size_t size) {
  const struct trial_plan *p = x->plan;
  size_t used = 0;
  int left = 0;
  for (int i = 0; i < p->expectation_count; i++) {
    const struct trial_expectation *e = &p->expectation[i];
    if (i == nearest || !expectation_is_of(e, x->run->failure, p->condition[x->run->condition].id))
      continue;
    if (used + strlen(e->name) + sizeof ", and 999 more" < size)
      used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "; also ", e->name);
    else
      left++;
  }
  if (left)
    snprintf(out + used, size - used, " and %d more", left);
}

void judge_expected(const struct judging *x) {
  const struct trial_plan *p = x->plan;
  struct judged_run *run = x->run;
  char beyond[200] = "", nearest[120] = "", others[100] = "";
  size_t used = 0;
  int count = 0, at = -1;
  double least = HUGE_VAL;
  for (int i = 0; i < p->expectation_count; i++) {
    const struct trial_expectation *e = &p->expectation[i];
    const double value = run->seen.expected[i], margin = expectation_margin(e, value);
    if (!expectation_is_of(e, run->failure, p->condition[run->condition].id))
      continue;
    if (margin < least) {
      say_expected(e, value, nearest, sizeof nearest);
      at = i;
    }
    least = fmin(least, margin);
    count++;
    if (margin < 0 && used < sizeof beyond - 3) {
      used += (size_t)snprintf(beyond + used, sizeof beyond - used, "%s", used ? "; " : "");
      used += say_expected(e, value, beyond + used, sizeof beyond - used);
    }
  }
  if (!count)
    criterion_skip(run, CRITERION_EXPECTED, "the plan expects nothing of this run");
  else if (*beyond)
    criterion_decide(run, CRITERION_EXPECTED, 0, 'B', "%s", beyond);
  else {
    say_others(x, at, others, sizeof others);
    criterion_decide(run, CRITERION_EXPECTED, 1, 0,
                     "%d hold; the nearest with %.0f %% of its bound left: %s%s", count, 100 * least, nearest,
                     others);
  }
}

// ---- redundant controllers: who commands, and the step of the thrust at a changeover ----

static const double MOST_STEPS = 2; // of the usual ones

void judge_split_brain(const struct judging *x) {
  const double claims = x->run->seen.changeover.claims;
  if (isnan(claims))
    criterion_skip(x->run, CRITERION_SPLIT, "the case lists no controllers");
  else
    criterion_decide(
        x->run, CRITERION_SPLIT, claims == 0, 'B',
        "%.0f commands of a controller that stands by were refused; the one in command was obeyed", claims);
}

void judge_bumpless(const struct judging *x) {
  const double count = x->run->seen.changeover.count, step_n = x->run->seen.changeover.step_n,
               usual_n = x->run->seen.changeover.usual_n, step_nm = x->run->seen.changeover.step_nm,
               usual_nm = x->run->seen.changeover.usual_nm;
  if (isnan(count))
    criterion_skip(x->run, CRITERION_BUMPLESS, "the case lists no controllers");
  else if (count == 0)
    criterion_skip(x->run, CRITERION_BUMPLESS, "there was no changeover");
  else
    criterion_decide(
        x->run, CRITERION_BUMPLESS, step_n <= MOST_STEPS * usual_n && step_nm <= MOST_STEPS * usual_nm, 'B',
        "the thrust asked for steps by %.3g kN and %.3g kN m, at most %.3g kN and %.3g kN m", 1e-3 * step_n,
        1e-3 * step_nm, MOST_STEPS * 1e-3 * usual_n, MOST_STEPS * 1e-3 * usual_nm);
}

// ------------------------------------------------------------
struct config *exercise_config(const struct trial_plan *p, int condition) {
  const char *text[2 * PLAN_MAX_SETTINGS];
  const struct plan_settings *sets[] = {&p->set, &p->condition[condition].settings};
  struct config *config = malloc(sizeof *config);
  int count = 0;
  for (int s = 0; s < 2; s++)
    for (int i = 0; i < sets[s]->count && count < 2 * PLAN_MAX_SETTINGS; i++)
      text[count++] = sets[s]->item[i].text;
  if (config && config_load(p->base_path, text, count, config, NULL) == STATUS_OK)
    return config;
  free(config);
  return NULL;
}

// What a failure takes for good; nothing: no bus, no thruster and no set is lost by it.
static struct present_loss loss_of(const struct plant_def *plant, const struct failure *f) {
  static const char *const STOPS[] = {"tripped", "to_zero"}, *const TRIPS[] = {"trip", "fuel_loss"};
  struct present_loss loss = {0, 0, 0};
  for (int b = 0; b < plant->bus_count; b++)
    if (!strncmp(f->equipment, "bus-", 4) && !strcmp(f->equipment + 4, plant->bus[b].name) &&
        !strcmp(f->mode, "lost"))
      loss.buses |= 1u << b;
  for (int i = 0; i < plant->thruster_count; i++)
    for (int k = 0; k < 2; k++)
      if (!strcmp(f->equipment, plant->thruster[i].name) && !strcmp(f->mode, STOPS[k]))
        loss.thrusters |= 1u << i;
  for (int i = 0; i < plant->power.generator_count; i++)
    for (int k = 0; k < 2; k++)
      if (!strcmp(f->equipment, plant->power.generator[i].name) && !strcmp(f->mode, TRIPS[k]))
        loss.generators |= 1u << i;
  return loss;
}

static void find(const struct judgement *j, const struct config *config, struct exercise *out) {
  const struct trial_plan *p = j->plan;
  struct present_loss loss[1 + TRIAL_RULES] = {{0, 0, 0}};
  double share[1 + TRIAL_RULES];
  int count = 1, of[1 + TRIAL_RULES] = {0};
  struct reason why = {""};
  for (int i = 0; i < p->worst_case_count; i++) {
    const int at = failures_find(j->failures, p->worst_case[i].id);
    const struct present_loss lost =
        at < 0 ? loss[0] : loss_of(&config->sim.vessel.plant, &j->failures->item[at]);
    if (lost.buses || lost.thrusters || lost.generators) {
      of[count] = i;
      loss[count++] = lost;
    }
  }
  if (present_shares(config, loss, count, share, &why) != STATUS_OK) {
    snprintf(out->why, sizeof out->why, "%.180s", why.text);
    return;
  }
  out->intact = share[0];
  for (int i = 1; i < count; i++) {
    out->after[of[i]] = share[i];
    if (!(share[i] <= out->largest)) {
      out->largest = share[i];
      out->of_declared = of[i];
    }
  }
  if (p->worst_case_count && isnan(out->largest))
    snprintf(out->why, sizeof out->why, "no declared failure takes a thruster, a bus or a set");
}

void exercise_find(struct judgement *j) {
  for (int c = 0; c < j->plan->condition_count; c++) {
    struct exercise *out = &j->exercise[c];
    *out = (struct exercise){.intact = NAN, .largest = NAN, .of_declared = -1};
    for (int i = 0; i < TRIAL_RULES; i++)
      out->after[i] = NAN;
    struct config *config = exercise_config(j->plan, c);
    if (config)
      find(j, config, out);
    else
      snprintf(out->why, sizeof out->why, "the configuration cannot be read");
    if (config)
      config_free(config);
    free(config);
  }
}

// ------------------------------------------------------------
// So long after an alarm that comes detected_s after the failure; NaN: never.
static double stop_time_s(const struct trial_plan *p, const struct judged_run *run, double detected_s) {
  const double stop_s = p->settle_s + detected_s + p->stop_after_alarm_s;
  const int is_stopped = run->failure->runs_wild && p->stop_after_alarm_s > 0 && run->seen.is_there;
  return is_stopped && stop_s < p->settle_s + p->failure_s ? stop_s : (double)NAN;
}

// When the operator stops what has failed in a run that is judged, s; NaN: never.
static double intervention_time_s(const struct trial_plan *p, const struct judged_run *run) {
  if (run->stop_point)
    return run->stop_s;
  return run->is_outside ? (double)NAN : stop_time_s(p, run, run->detected_s);
}

static int count_stops(const struct judgement *j) {
  int count = 0;
  for (int i = 0; i < j->run_count; i++)
    count += !isnan(intervention_time_s(j->plan, &j->run[i]));
  return count;
}

// The failure, and the stop from its time to the end of the failure.
static int add_level(const struct judgement *j, const struct judged_run *run, double stop_s,
                     struct plan_level *level) {
  const struct trial_plan *p = j->plan;
  char text[FAILURE_EVENTS + 256], name[FAILURE_ID + 32];
  judgement_id(j, run, name, sizeof name);
  snprintf(text, sizeof text,
           "events=%.*s, {name: stop, at_s: %.12g, duration_s: %.12g, fault: emergency_stop, target: %s}]",
           (int)strlen(run->failure->events) - 1, run->failure->events, stop_s,
           p->settle_s + p->failure_s - stop_s, run->failure->equipment);
  level->record_every_s = 1;
  return (level->cell[0] = strdup(name)) &&
         plan_settings_copy(&level->settings, &p->condition[run->condition].settings) &&
         plan_settings_add(&level->settings, text, p->path);
}

// The stops of all runs, or only that of one, where it is given. Release with plan_free in every case.
static enum status make_plan(const struct judgement *j, const struct plan *from,
                             const struct judged_run *only, double only_stop_s, struct plan *out,
                             struct reason *why) {
  const int count = only ? 1 : count_stops(j);
  int at = 0;
  *out = (struct plan){.mode = from->mode,
                       .draws = 1,
                       .controller_timeout_s = from->controller_timeout_s,
                       .has_log = j->plan->logs != LOGS_NONE,
                       .axis_count = 1,
                       .point_count = count};
  memcpy(out->name, from->name, sizeof out->name);
  memcpy(out->base, from->base, sizeof out->base);
  out->path = strdup(from->path);
  out->base_path = strdup(from->base_path);
  out->log_key = from->log_key ? strdup(from->log_key) : NULL;
  int ok = out->path && out->base_path && !from->log_key == !out->log_key &&
           plan_controller_copy(&from->controller, &out->controller) == STATUS_OK &&
           plan_settings_copy(&out->set, &from->set) && plan_axis_make(&out->axis[0], "run", count);
  if (ok && only)
    ok = add_level(j, only, only_stop_s, &out->axis[0].level[0]);
  for (int i = 0; ok && !only && i < j->run_count; i++) {
    const double stop_s = intervention_time_s(j->plan, &j->run[i]);
    ok = isnan(stop_s) || add_level(j, &j->run[i], stop_s, &out->axis[0].level[at++]);
  }
  return ok ? STATUS_OK : fail(why, STATUS_NO_MEMORY, "out of memory for the runs with a stop");
}

static enum status folder_below(const struct sweep_folder *folder, struct sweep_folder *out,
                                struct reason *why) {
  *out = (struct sweep_folder){.lock = -1};
  return snprintf(out->path, sizeof out->path, "%.*s/" TRIALS_INTERVENTION, SWEEP_PATH - 80, folder->path) <
                 SWEEP_PATH - 64
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "%.100s...: the path is too long", folder->path);
}

enum status intervention_run(const struct judgement *j, const struct plan *plan,
                             const struct sweep_folder *folder, int jobs, int *count, struct reason *why) {
  struct sweep_folder below;
  struct plan stops = {.path = NULL};
  *count = count_stops(j);
  if (*count == 0)
    return STATUS_OK;
  enum status status = folder_below(folder, &below, why);
  if (status == STATUS_OK)
    status = make_plan(j, plan, NULL, NAN, &stops, why);
  const struct sweep_options options = {
      .folder = below.path, .action = SWEEP_RUN, .jobs = jobs, .collect = sweep_collect_nothing};
  if (status == STATUS_OK)
    status = sweep_plan(&stops, &options, why);
  plan_free(&stops);
  return status;
}

enum status intervention_run_alone(const struct judgement *j, const struct plan *plan,
                                   const struct sweep_folder *folder, int point, struct reason *why) {
  const struct judged_run *run = &j->run[point - 1];
  const double stop_s = stop_time_s(j->plan, run, judgement_detected_s(j, run));
  char path[SWEEP_PATH];
  struct plan stops = {.path = NULL};
  if (isnan(stop_s))
    return STATUS_OK;
  if (snprintf(path, sizeof path, "%.*s/" TRIALS_INTERVENTION "-%06d", SWEEP_PATH - 80, folder->path,
               point) >= SWEEP_PATH - 64)
    return fail(why, STATUS_BAD_INPUT, "%.100s...: the path is too long", folder->path);
  const struct sweep_options options = {.folder = path, .action = SWEEP_POINT, .point = 1};
  printf("with the operator's stop at %.12g s, in %s: ", stop_s, path);
  enum status status = make_plan(j, plan, run, stop_s, &stops, why);
  if (status == STATUS_OK)
    status = sweep_plan(&stops, &options, why);
  plan_free(&stops);
  return status;
}

enum status intervention_read(struct judgement *j, const struct sweep_folder *folder, struct reason *why) {
  struct sweep_folder below;
  int point = 0;
  enum status status = folder_below(folder, &below, why);
  for (int i = 0; i < j->run_count && status == STATUS_OK; i++) {
    struct judged_run *run = &j->run[i];
    const double stop_s = intervention_time_s(j->plan, run);
    if (isnan(stop_s))
      continue;
    struct observation seen;
    status = observation_read(j->plan, &below, ++point, &seen, why);
    if (status != STATUS_OK || seen.is_missing) {
      observation_free(&seen);
      continue;
    }
    run->unstopped = run->seen;
    run->seen = seen;
    run->stop_s = stop_s;
    run->stop_point = point;
  }
  return status;
}
