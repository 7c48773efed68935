#define _GNU_SOURCE // sched_getaffinity
#include "lab/sweep/sweep_sweep.h"

#include "sagbend/base/shown_text.h"

#include "os/cli/console.h"
#include "os/process/process.h"
#include "lab/sweep/limits.h"
#include "lab/sweep/sweep_internal.h"
#include "lab/sweep/sweep_parts.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

static int processor_count(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

static enum status collect_table(const struct plan *plan, const struct sweep_folder *folder,
                                 struct reason *why) {
  struct results results;
  enum status status = results_read(&results, plan, folder, why);
  if (status == STATUS_OK)
    status = results_write(&results, why);
  if (status == STATUS_OK)
    status = results_plot(&results, why);
  if (status == STATUS_OK) {
    const int is_bisected = results.limit_count > 0;
    printf("%-20s %d: %d passed, %d failed, %d broken, %d missing", "points", plan->point_count,
           results.passed, results.failed, results.broken, results.missing);
    printf(is_bisected ? ", %d not needed\n" : "\n", results.unneeded);
    printf("%-20s %s/results.csv\n", "results", shown(folder->path).text);
    if (is_bisected)
      printf("%-20s %s/limits.csv: %d, %d not found\n", "limits", shown(folder->path).text,
             results.limit_count, results.open_limits);
    if (results.passed + results.unneeded < plan->point_count)
      printf("%-20s %s/failures.csv\n", "failures", shown(folder->path).text);
    // Rows that are lost belong to a limit.
    if (is_bisected ? results.open_limits : results.passed < plan->point_count)
      status = STATUS_IO;
  }
  results_free(&results);
  return status;
}

enum status sweep_collect_nothing(const struct plan *plan, const struct sweep_folder *folder, void *context,
                                  struct reason *why) {
  (void)plan, (void)folder, (void)context, (void)why;
  return STATUS_OK;
}

static enum status collect(const struct sweep_options *o, const struct plan *plan,
                           const struct sweep_folder *folder, struct reason *why) {
  return o->collect ? o->collect(plan, folder, o->context, why) : collect_table(plan, folder, why);
}

// The numbers of the points that have no result yet.
static int *list_missing(const struct sweep_options *o, const struct plan *plan, const char *done,
                         int *count) {
  const int asked = o->order ? o->order_count : plan->point_count;
  int *points = malloc(((size_t)asked + 1) * sizeof *points);
  *count = 0;
  for (int i = 0; points && i < asked; i++) {
    const int point = o->order ? o->order[i] : i + 1;
    if (!done[point - 1])
      points[(*count)++] = point;
  }
  return points;
}

static int jobs_of(const struct sweep_options *o, const struct plan *plan) {
  const int jobs = o->jobs ? o->jobs : processor_count(),
            points = o->order ? o->order_count : plan->point_count;
  return jobs < points ? jobs : points;
}

static enum status run_missing(const struct sweep_options *o, const struct plan *plan,
                               const struct sweep_folder *folder, const char *done, struct reason *why) {
  int count, stopped = 0, jobs = jobs_of(o, plan);
  int *points = list_missing(o, plan, done, &count);
  if (!points)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  jobs = jobs < count ? jobs : count;
  struct console console;
  console_init(&console);
  const int asked = o->order ? o->order_count : plan->point_count, groups = limits_group_count(plan);
  if (groups)
    console_line(&console, "%s: %d limits, by bisection of %d rows each, in %s", plan->name, groups,
                 plan->point_count / groups, folder->path);
  else if (count < asked)
    console_line(&console, "%s: %d of %d points have run before", plan->name, asked - count, asked);
  if (count && !groups)
    console_line(&console, "%s: %d points, %d at a time, in %s", plan->name, count, jobs, folder->path);
  enum status status = groups  ? limits_run(plan, folder, jobs, &stopped, why)
                       : count ? sweep_run_points(plan, folder, points, count, o->needs, jobs, &stopped, why)
                               : STATUS_OK;
  free(points);
  if (status != STATUS_OK)
    return status;
  status = collect(o, plan, folder, why);
  if (stopped && !*why->text)
    status = fail(why, STATUS_IO, "stopped by a signal; the same command continues");
  return status;
}

// Checks points, and the folder if it is there already, before anything is written.
static enum status check(const struct plan *plan, const char *path, int first, int last, int jobs,
                         struct reason *why) {
  struct sweep_folder folder;
  enum status status = STATUS_OK;
  int exists = sweep_folder_exists(path);
  if (exists)
    status = sweep_folder_read(&folder, path, plan, stderr, why);
  return status == STATUS_OK ? sweep_check_points(plan, first, last, first == 1 && last == plan->point_count,
                                                  jobs, exists ? &folder : NULL, why)
                             : status;
}

static enum status run_all(const struct sweep_options *o, const struct plan *plan, const char *path,
                           struct reason *why) {
  struct sweep_folder folder = {.lock = -1};
  char *done = calloc((size_t)plan->point_count, 1);
  if (!done)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  enum status status = check(plan, path, 1, plan->point_count, jobs_of(o, plan), why);
  if (status == STATUS_OK)
    status = sweep_folder_open(&folder, path, plan, SWEEP_ALONE, stderr, why);
  if (status == STATUS_OK)
    status = sweep_find_done(plan, &folder, done, why);
  if (status == STATUS_OK)
    status = run_missing(o, plan, &folder, done, why);
  sweep_folder_close(&folder);
  free(done);
  return status;
}

static enum status run_point(const struct plan *plan, const char *path, int point, struct reason *why) {
  struct sweep_folder folder = {.lock = -1};
  struct point_record record = {.outcome = POINT_MISSING};
  int stopped = 0;
  if (point > plan->point_count)
    return fail(why, STATUS_BAD_INPUT, "--point: a number from 1 to %d expected, got %d", plan->point_count,
                point);
  enum status status = check(plan, path, point, point, 1, why);
  if (status == STATUS_OK)
    status = sweep_folder_open(&folder, path, plan, SWEEP_WITH_OTHER_POINTS, stderr, why);
  if (status == STATUS_OK)
    status = point_record_read(&folder, point, &record, why);
  if (status == STATUS_OK && (record.outcome == POINT_MISSING || record.outcome == POINT_BROKEN)) {
    point_record_free(&record);
    status = sweep_run_points(plan, &folder, &point, 1, NULL, 1, &stopped, why);
    if (status == STATUS_OK && stopped)
      status = fail(why, STATUS_IO, "point %d: stopped by a signal", point);
    if (status == STATUS_OK)
      status = point_record_read(&folder, point, &record, why);
  }
  if (status == STATUS_OK) {
    printf("point %d %s%s%s\n", point, point_outcome_word(record.outcome), *record.reason ? ": " : "",
           shown(record.reason).text);
    status = record.outcome == POINT_PASSED ? STATUS_OK : STATUS_IO;
  }
  point_record_free(&record);
  sweep_folder_close(&folder);
  return status;
}

static enum status collect_folder(const struct sweep_options *o, const struct plan *plan, const char *path,
                                  struct reason *why) {
  struct sweep_folder folder = {.lock = -1};
  enum status status = sweep_folder_read(&folder, path, plan, stderr, why);
  if (status == STATUS_OK)
    status = sweep_check_points(plan, 1, plan->point_count, 0, 1, &folder, why);
  return status == STATUS_OK ? collect(o, plan, &folder, why) : status;
}

static enum status list_points(const struct plan *plan, struct reason *why) {
  enum status status = sweep_check_points(plan, 1, plan->point_count, 1, 1, NULL, why);
  if (status == STATUS_OK && results_list(plan, stdout) != STATUS_OK)
    status = fail(why, STATUS_NO_MEMORY, "out of memory");
  return status;
}

char *sweep_folder_name(const char *path, const char *suffix) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  size_t length = dot && dot != name ? (size_t)(dot - name) : strlen(name),
         bytes = length + strlen(suffix) + 1;
  char *folder = malloc(bytes);
  if (folder)
    snprintf(folder, bytes, "%.*s%s", (int)length, name, suffix);
  return folder;
}

// Without an option: "capability" for "plans/capability.yaml"; "sweep" for a plan without an extension, whose
// name is taken.
static char *folder_name(const char *plan_path) {
  const char *slash = strrchr(plan_path, '/');
  char *name = sweep_folder_name(plan_path, "");
  if (!name || strcmp(name, slash ? slash + 1 : plan_path) != 0)
    return name;
  free(name);
  return strdup("sweep");
}

enum status sweep_plan(const struct plan *plan, const struct sweep_options *o, struct reason *why) {
  os_survive_file_limits();
  switch (o->action) {
  case SWEEP_RUN:
    return run_all(o, plan, o->folder, why);
  case SWEEP_LIST:
    return list_points(plan, why);
  case SWEEP_POINT:
    return run_point(plan, o->folder, o->point, why);
  case SWEEP_COLLECT:
    return collect_folder(o, plan, o->folder, why);
  }
  return STATUS_OK;
}

enum status sweep(const struct sweep_options *o, struct reason *why) {
  struct plan plan;
  struct sweep_options options = *o;
  enum status status = plan_read(o->plan, &plan, stderr);
  if (status == STATUS_OK)
    status = plan_override(&plan, o->overrides, o->override_count, why);
  char *folder = o->folder ? strdup(o->folder) : folder_name(o->plan);
  options.folder = folder;
  if (status == STATUS_OK && !folder)
    status = fail(why, STATUS_NO_MEMORY, "out of memory");
  if (status == STATUS_OK)
    status = sweep_plan(&plan, &options, why);
  free(folder);
  plan_free(&plan);
  return status;
}
