// The limits of a plan with a bisecting axis.
#include "lab/sweep/sweep.h"
#include "lab/sweep/sweep_internal.h"

#include "os/files/files.h"
#include "sagbend/vessel/vessel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

const struct plan_axis *limits_axis(const struct plan *plan) {
  for (int i = 0; i < plan->axis_count; i++)
    if (plan->axis[i].verdict_count)
      return &plan->axis[i];
  return NULL;
}

// Points from one row of the axis to the next.
static int stride(const struct plan *plan) {
  int points = plan->draws;
  for (int i = plan->axis_count - 1; i >= 0 && !plan->axis[i].verdict_count; i--)
    points *= plan->axis[i].level_count;
  return points;
}

int limits_group_count(const struct plan *plan) {
  const struct plan_axis *axis = limits_axis(plan);
  return axis ? plan->point_count / axis->level_count : 0;
}

int limits_point(const struct plan *plan, int group, int row) {
  const int step = stride(plan), rows = limits_axis(plan)->level_count;
  return group / step * step * rows + row * step + group % step + 1;
}

int limits_group_of(const struct plan *plan, int point) {
  const int step = stride(plan), rows = limits_axis(plan)->level_count;
  return (point - 1) / (step * rows) * step + (point - 1) % step;
}

enum row { ROW_UNKNOWN, ROW_HELD, ROW_LOST };

static int is_judged_by(const struct plan_axis *axis, const char *verdict) {
  for (int i = 0; i < axis->verdict_count; i++)
    if (!strcmp(axis->verdict[i], verdict))
      return 1;
  return 0;
}

// A run that failed holds if it reached its end and all verdicts of the axis have passed: others do not
// count.
static enum status read_failed(const struct plan_axis *axis, const struct sweep_folder *folder, int point,
                               enum row *out, struct reason *why) {
  struct sweep_path path = sweep_point_path(folder, point, "summary.json");
  cJSON *root = summary_open(path.text);
  const cJSON *verdict;
  int held = 0;
  if (!root)
    return fail(why, STATUS_IO,
                "%s: missing or damaged; remove point.json beside it, so that the point runs again",
                path.text);
  cJSON_ArrayForEach(verdict, json_item(root, "verdicts")) held +=
      is_judged_by(axis, json_string(verdict, "name")) && !strcmp(json_string(verdict, "result"), "passed");
  *out = held == axis->verdict_count && cJSON_IsTrue(json_item(root, "complete")) ? ROW_HELD : ROW_LOST;
  cJSON_Delete(root);
  return STATUS_OK;
}

static enum status read_row(const struct plan *plan, const struct sweep_folder *folder, int point,
                            enum row *out, struct reason *why) {
  struct point_record record;
  enum status status = point_record_read(folder, point, &record, why);
  *out = record.outcome == POINT_PASSED ? ROW_HELD : ROW_UNKNOWN;
  if (status == STATUS_OK && record.outcome == POINT_FAILED)
    status = read_failed(limits_axis(plan), folder, point, out, why);
  point_record_free(&record);
  return status;
}

enum status limits_find(const struct plan *plan, const struct sweep_folder *folder, int group,
                        struct limit *out, struct reason *why) {
  enum status status = STATUS_OK;
  *out = (struct limit){.held = -1, .lost = limits_axis(plan)->level_count};
  while (status == STATUS_OK && out->lost - out->held > 1) {
    const int row = (out->held + out->lost) / 2, point = limits_point(plan, group, row);
    enum row found;
    status = read_row(plan, folder, point, &found, why);
    if (status == STATUS_OK && found == ROW_UNKNOWN) {
      out->next = point;
      return STATUS_OK;
    }
    *(found == ROW_HELD ? &out->held : &out->lost) = row;
  }
  return status;
}

// The next point of each group, without those that this call has run.
static enum status list_next(const struct plan *plan, const struct sweep_folder *folder, const char *is_run,
                             int *points, int *count, struct reason *why) {
  enum status status = STATUS_OK;
  *count = 0;
  for (int group = 0; status == STATUS_OK && group < limits_group_count(plan); group++) {
    struct limit limit;
    status = limits_find(plan, folder, group, &limit, why);
    if (status == STATUS_OK && limit.next && !is_run[limit.next - 1])
      points[(*count)++] = limit.next;
  }
  return status;
}

enum status limits_run(const struct plan *plan, const struct sweep_folder *folder, int jobs, int *stopped,
                       struct reason *why) {
  const int groups = limits_group_count(plan);
  if (groups == 0)
    return STATUS_OK;
  int *points = malloc((size_t)groups * sizeof *points), count = 0;
  char *is_run = calloc((size_t)plan->point_count, 1);
  enum status status = points && is_run ? list_next(plan, folder, is_run, points, &count, why)
                                        : fail(why, STATUS_NO_MEMORY, "out of memory");
  while (status == STATUS_OK && count && !*stopped) {
    for (int i = 0; i < count; i++)
      is_run[points[i] - 1] = 1;
    status = sweep_run_points(plan, folder, points, count, NULL, jobs < count ? jobs : count, stopped, why);
    if (status == STATUS_OK)
      status = list_next(plan, folder, is_run, points, &count, why);
  }
  free(points);
  free(is_run);
  return status;
}

int limits_check_verdicts(const struct plan *plan, const char (*verdict)[PLAN_NAME], int verdict_count,
                          FILE *errors) {
  const struct plan_axis *axis = limits_axis(plan);
  int missing = 0;
  for (int i = 0; axis && i < axis->verdict_count; i++) {
    int found = 0;
    for (int k = 0; k < verdict_count; k++)
      found |= !strcmp(verdict[k], axis->verdict[i]);
    if (!found)
      fprintf(errors, "%s: error: verdict: the name of a verdict of the configuration expected, got '%s'\n",
              axis->place, axis->verdict[i]);
    missing += !found;
  }
  return missing;
}
