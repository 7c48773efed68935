// The check of all points before any of them runs.
#define _POSIX_C_SOURCE 200809L
#include "os/cli/console.h"
#include "lab/sweep/limits.h"
#include "lab/sweep/point_check.h"
#include "lab/sweep/sweep_internal.h"
#include "lab/sweep/sweep_parts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
  FILE *out = open_memstream(&lines, &size);
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
  if (out && fclose(out) == 0 && lines) // without memory for the text it closes, too
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

enum status sweep_check_points(const struct plan *plan, int first, int last, int with_plots, int jobs,
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

enum status sweep_find_done(const struct plan *plan, const struct sweep_folder *folder, char *done,
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
