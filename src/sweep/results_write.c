// The results as files.
#include "sweep/results.h"

#include "io/files/output_file.h"

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
    if (r->row[number - 1].outcome == POINT_PASSED)
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
  return status == STATUS_OK ? write_table(r, "failures.csv", write_failures, why) : status;
}
