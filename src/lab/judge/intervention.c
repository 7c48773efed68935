#define _POSIX_C_SOURCE 200809L
#include "lab/judge/intervention.h"

#include "lab/sweep/sweep_sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// So long after an alarm that comes detected_s after the failure; NaN: never.
static double stop_time_s(const struct trial_plan *p, const struct judged_run *run, double detected_s) {
  const double stop_s = p->settle_s + detected_s + p->stop_after_alarm_s;
  const int is_stopped = run->failure->runs_wild && p->stop_after_alarm_s > 0 && run->seen.is_there;
  return is_stopped && stop_s < p->settle_s + p->failure_s ? stop_s : (double)NAN;
}

double intervention_time_s(const struct trial_plan *p, const struct judged_run *run) {
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
