// The results as files.
#include "lab/sweep/sweep_internal.h"

#include "os/files/output_file.h"

#include <string.h>

static void put_cell(FILE *out, const char *text, int is_first) {
  if (!is_first)
    fputc(',', out);
  if (!strpbrk(text, ",\"\n\r")) {
    fputs(text, out);
    return;
  }
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"')
      fputc('"', out);
    fputc(*text, out);
  }
  fputc('"', out);
}

static enum status write_results(const struct results *r, FILE *out) {
  int count = results_column_count(r);
  enum status status = STATUS_OK;
  for (int i = 0; i < count; i++)
    put_cell(out, results_column(r, i).text, i == 0);
  fputc('\n', out);
  for (int number = 1; number <= r->plan->point_count && status == STATUS_OK; number++) {
    struct plan_point point;
    status = plan_point_make(r->plan, number, &point);
    for (int i = 0; i < count && status == STATUS_OK; i++)
      put_cell(out, results_cell(r, &point, i).text, i == 0);
    fputc('\n', out);
    plan_point_free(&point);
  }
  return status;
}

static enum status write_failures(const struct results *r, FILE *out) {
  int own = plan_column_count(r->plan);
  enum status status = STATUS_OK;
  for (int i = 0; i < own + 2; i++)
    put_cell(out, results_column(r, i).text, i == 0);
  fputs(",reason,folder\n", out);
  for (int number = 1; number <= r->plan->point_count && status == STATUS_OK; number++) {
    struct plan_point point;
    if (r->row[number - 1].outcome == POINT_PASSED || r->row[number - 1].is_unneeded)
      continue;
    status = plan_point_make(r->plan, number, &point);
    for (int i = 0; i < own + 2 && status == STATUS_OK; i++)
      put_cell(out, results_cell(r, &point, i).text, i == 0);
    put_cell(out, r->row[number - 1].reason, 0);
    fprintf(out, ",points/%06d\n", number);
    plan_point_free(&point);
  }
  return status;
}

// Cells of a row of a group that have run; row -1 or beyond the last: empty ones.
static enum status put_group_cells(const struct results *r, int group, int row, const int *columns, int count,
                                   FILE *out) {
  struct plan_point point;
  const int is_there = row >= 0 && row < limits_axis(r->plan)->level_count;
  enum status status = plan_point_make(r->plan, limits_point(r->plan, group, is_there ? row : 0), &point);
  for (int i = 0; i < count && status == STATUS_OK; i++)
    put_cell(out, is_there ? results_cell(r, &point, columns[i]).text : "", 0);
  plan_point_free(&point);
  return status;
}

// The columns of the plan: those of the bisecting axis, or the others.
static int list_columns(const struct results *r, int of_limit, int *columns) {
  int count = 0, column = 1;
  for (int i = 0; i < r->plan->axis_count; i++)
    for (int k = 0; k < r->plan->axis[i].column_count; k++, column++)
      if ((r->plan->axis[i].verdict_count > 0) == of_limit)
        columns[count++] = column;
  for (; !of_limit && column <= plan_column_count(r->plan); column++)
    columns[count++] = column;
  return count;
}

enum status results_write_limits(const struct results *r, FILE *out) {
  enum { MOST = PLAN_MAX_AXES * PLAN_MAX_KEYS + PLAN_MAX_RANDOM };
  int others[MOST], keys[MOST], worst[256], worst_count = 0;
  const int other_count = list_columns(r, 0, others), key_count = list_columns(r, 1, keys),
            rows = limits_axis(r->plan)->level_count;
  enum status status = STATUS_OK;
  for (int i = 0; i < r->verdict_count && worst_count < 256; i++)
    worst[worst_count++] = 2 + plan_column_count(r->plan) + RESULTS_OF_VERDICT * i + 1;
  fputs("limit", out);
  for (int i = 0; i < other_count; i++)
    put_cell(out, results_column(r, others[i]).text, 0);
  fputs(",rows_held,rows", out);
  for (int i = 0; i < key_count; i++)
    put_cell(out, results_column(r, keys[i]).text, 0);
  for (int i = 0; i < worst_count; i++)
    fprintf(out, ",%s.held,%s.lost", r->verdict[i], r->verdict[i]);
  fputc('\n', out);
  for (int g = 0; g < r->limit_count && status == STATUS_OK; g++) {
    const struct limit *limit = &r->limit[g];
    fputs(limit->next ? "not found" : limit->held < 0 ? "none" : limit->lost == rows ? "all" : "found", out);
    status = put_group_cells(r, g, 0, others, other_count, out);
    fprintf(out, ",%d,%d", limit->held + 1, rows);
    if (status == STATUS_OK)
      status = put_group_cells(r, g, limit->held, keys, key_count, out);
    for (int i = 0; i < worst_count && status == STATUS_OK; i++) {
      status = put_group_cells(r, g, limit->held, &worst[i], 1, out);
      if (status == STATUS_OK)
        status = put_group_cells(r, g, limit->lost, &worst[i], 1, out);
    }
    fputc('\n', out);
  }
  return status;
}

enum status results_list(const struct plan *plan, FILE *out) {
  const struct results none = {.plan = plan};
  int count = plan_column_count(plan) + 1;
  enum status status = STATUS_OK;
  for (int i = 0; i < count; i++)
    put_cell(out, results_column(&none, i).text, i == 0);
  fputc('\n', out);
  for (int number = 1; number <= plan->point_count && status == STATUS_OK; number++) {
    struct plan_point point;
    status = plan_point_make(plan, number, &point);
    fprintf(out, "%d", number);
    for (int i = 0; i + 1 < count && status == STATUS_OK; i++)
      put_cell(out, point.cell[i], 0);
    fputc('\n', out);
    plan_point_free(&point);
  }
  return status;
}

static enum status write_table(const struct results *r, const char *name,
                               enum status (*write)(const struct results *, FILE *), struct reason *why) {
  char path[SWEEP_PATH + 64];
  struct output_file file;
  snprintf(path, sizeof path, "%s/%s", r->folder->path, name);
  enum status status = output_file_open_atomic(&file, path, why);
  if (status != STATUS_OK)
    return status;
  if (write(r, file.stream) == STATUS_OK)
    return output_file_close(&file, why);
  output_file_abandon(&file);
  return fail(why, STATUS_NO_MEMORY, "%s: out of memory", path);
}

enum status results_write(const struct results *r, struct reason *why) {
  enum status status = write_table(r, "results.csv", write_results, why);
  if (status == STATUS_OK)
    status = write_table(r, "failures.csv", write_failures, why);
  return status == STATUS_OK && r->limit ? write_table(r, "limits.csv", results_write_limits, why) : status;
}
