// A sweep: its points are checked, run and collected.
#define _GNU_SOURCE // sched_getaffinity
#include "lab/sweep/sweep.h"
#include "lab/sweep/sweep_internal.h"

#include "os/cli/cli.h"
#include "os/process/process.h"
#include "sagbend/base/base.h"

#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

// ---- the check of all points before any of them runs ----

// The first file whose hash differs between two lists of lines "hash path".
static void name_difference(const char *then, const char *now, char *out, size_t size) {
  while (*then && *now) {
    size_t a = strcspn(then, "\n"), b = strcspn(now, "\n");
    if (a != b || memcmp(then, now, a) != 0) {
      const char *space = memchr(now, ' ', b);
      snprintf(out, size, "%.*s", space ? (int)(now + b - space - 1) : (int)b, space ? space + 1 : now);
      return;
    }
    then += a + (then[a] == '\n');
    now += b + (now[b] == '\n');
  }
  snprintf(out, size, "the list of files");
}

// Whether a finished point ran with the files that are there now.
static enum status compare(const struct sweep_folder *folder, int point, const struct point_facts *facts,
                           struct reason *why) {
  struct point_record record;
  enum status status = point_record_read(folder, point, &record, why);
  int has_result = record.outcome == POINT_PASSED || record.outcome == POINT_FAILED;
  if (status == STATUS_OK && has_result && strcmp(record.inputs, facts->inputs) != 0) {
    char name[160];
    name_difference(record.inputs, facts->inputs, name, sizeof name);
    status = fail(why, STATUS_BAD_INPUT,
                  "%.60s: %s has changed since point %d ran; take another folder (--out), or remove this one",
                  folder->path, name, point);
  }
  point_record_free(&record);
  return status;
}

// Which columns of the plots the results will have: bit 4 n + k for column k of plot n.
enum { COLUMNS_OF_PLOT = 4 };
struct plot_columns {
  int is_asked; // else they are not looked for
  uint64_t found;
};

static const char *column_of(const struct plan_plot *plot, int k) {
  const char *const names[COLUMNS_OF_PLOT] = {plot->x, plot->y, plot->by, plot->value};
  return names[k];
}

static void find_columns(const struct plan *plan, const char *verdict, struct plot_columns *columns) {
  for (int bit = 0; bit < COLUMNS_OF_PLOT * plan->plot_count; bit++) {
    const char *name = column_of(&plan->plot[bit / COLUMNS_OF_PLOT], bit % COLUMNS_OF_PLOT);
    if (!(columns->found >> bit & 1) && (!*name || results_has_column(plan, verdict, name)))
      columns->found |= (uint64_t)1 << bit;
  }
}

static int report_columns(const struct plan *plan, const struct plot_columns *columns) {
  int missing = 0;
  for (int bit = 0; columns->is_asked && bit < COLUMNS_OF_PLOT * plan->plot_count; bit++) {
    const struct plan_plot *plot = &plan->plot[bit / COLUMNS_OF_PLOT];
    if (columns->found >> bit & 1)
      continue;
    fprintf(stderr, "%s: error: plot %s: a column of the results expected, got '%s'\n", plot->place,
            plot->name, column_of(plot, bit % COLUMNS_OF_PLOT));
    missing++;
  }
  return missing;
}

static enum status check_port(const struct plan *plan, const struct point_facts *facts, int jobs, FILE *out) {
  if (jobs < 2 || !*facts->fixed_port)
    return STATUS_OK;
  fprintf(out, "%s: error: %s, because %d runs are made at a time (set it in the plan; --jobs 1 keeps it)\n",
          plan->base_path, facts->fixed_port, jobs);
  return STATUS_BAD_INPUT;
}

static enum status check_point(const struct plan *plan, int number, int jobs,
                               const struct sweep_folder *folder, struct plot_columns *columns,
                               struct point_errors *errors, struct reason *why) {
  struct plan_point point;
  struct point_facts facts = {.inputs = NULL};
  char *lines = NULL;
  size_t size;
  FILE *out = text_stream_open(&lines, &size);
  enum status status = plan_point_make(plan, number, &point);
  if (!out || status != STATUS_OK)
    status = fail(why, STATUS_NO_MEMORY, "out of memory");
  else
    status = point_check(plan, &point, &facts, out);
  if (out && status == STATUS_OK)
    status = check_port(plan, &facts, jobs, out);
  if (out && status == STATUS_OK &&
      limits_check_verdicts(plan, (const char (*)[PLAN_NAME])facts.verdict, facts.verdict_count, out))
    status = STATUS_BAD_INPUT;
  if (out && fclose(out) == 0)
    point_errors_add(errors, number, lines);
  else
    status = fail(why, STATUS_NO_MEMORY, "out of memory");
  if (status == STATUS_OK && folder)
    status = compare(folder, number, &facts, why);
  for (int i = 0; columns->is_asked && i < facts.verdict_count; i++)
    find_columns(plan, facts.verdict[i], columns);
  point_facts_free(&facts);
  plan_point_free(&point);
  free(lines);
  return status;
}

// Checks the configurations of points first to last and prints every error. STATUS_BAD_INPUT: there was one.
// With a folder (NULL: none) also whether the files are those with which its finished points ran. with_plots:
// also whether the results of these points will have the columns of the plots. jobs: points at a time, of
// which none may need a port that another has.
static enum status check_points(const struct plan *plan, int first, int last, int with_plots, int jobs,
                                const struct sweep_folder *folder, struct reason *why) {
  struct point_errors errors = {.item = NULL};
  struct plot_columns columns = {.is_asked = with_plots};
  struct console console;
  enum status status = STATUS_OK;
  console_init(&console);
  find_columns(plan, NULL, &columns);
  for (int number = first; number <= last && (status == STATUS_OK || errors.count); number++) {
    struct reason here = {""};
    if (number % 1000 == 0)
      console_status(&console, "%d of %d points checked", number, last);
    enum status found = check_point(plan, number, jobs, folder, &columns, &errors, &here);
    if (found != STATUS_OK && status == STATUS_OK) {
      status = found;
      *why = here;
    }
  }
  console_end(&console);
  point_errors_print(&errors, stderr);
  if (errors.count)
    status = fail(why, STATUS_BAD_INPUT, "%s: %d error%s in its points; nothing has run", plan->path,
                  errors.count, errors.count == 1 ? "" : "s");
  else if (status == STATUS_OK && report_columns(plan, &columns))
    status = fail(why, STATUS_BAD_INPUT, "%s: a plot has no column; nothing has run", plan->path);
  point_errors_free(&errors);
  return status;
}

// Sets done[point - 1] for each point that has a result.
static enum status find_done(const struct plan *plan, const struct sweep_folder *folder, char *done,
                             struct reason *why) {
  enum status status = STATUS_OK;
  for (int point = 1; point <= plan->point_count && status == STATUS_OK; point++) {
    struct point_record record;
    status = point_record_read(folder, point, &record, why);
    done[point - 1] = record.outcome == POINT_PASSED || record.outcome == POINT_FAILED;
    point_record_free(&record);
  }
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
  return status == STATUS_OK ? check_points(plan, first, last, first == 1 && last == plan->point_count, jobs,
                                            exists ? &folder : NULL, why)
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
    status = find_done(plan, &folder, done, why);
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
    status = check_points(plan, 1, plan->point_count, 0, 1, &folder, why);
  return status == STATUS_OK ? collect(o, plan, &folder, why) : status;
}

static enum status list_points(const struct plan *plan, struct reason *why) {
  enum status status = check_points(plan, 1, plan->point_count, 1, 1, NULL, why);
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
