// The results of a sweep: the table of its points, its columns, the limits, as CSV.
#include "lab/sweep/sweep.h"
#include "lab/sweep/sweep_internal.h"

#include "os/files/files.h"
#include "sagbend/base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The value of a path ("energy.closure_rel") or of an output quantity, which stands in one of the sections.
// NULL: there is none.
static const cJSON *summary_find(const cJSON *root, const char *path) {
  const cJSON *node = root;
  char step[PLAN_NAME];
  if (!strchr(path, '.')) {
    const cJSON *found = json_item(root, path);
    for (node = root ? root->child : NULL; node && !found; node = node->next)
      if (cJSON_IsObject(node))
        found = json_item(node, path);
    return found;
  }
  while (node && *path) {
    size_t size = strcspn(path, ".");
    snprintf(step, sizeof step, "%.*s", (int)size, path);
    char *end;
    long index = strtol(step, &end, 10);
    node = cJSON_IsArray(node) ? (*end ? NULL : cJSON_GetArrayItem(node, (int)index)) : json_item(node, step);
    path += size + (path[size] == '.');
  }
  return node;
}

// What the summary calls them, and the columns.
static const char *const VALUES[RESULTS_OF_VERDICT - 1] = {"worst_value", "mean_value", "rms_value"};
static const char *const SUFFIXES[RESULTS_OF_VERDICT] = {"", ".worst", ".mean", ".rms"};

static int find_verdict(struct results *r, const char *name) {
  for (int i = 0; i < r->verdict_count; i++)
    if (!strcmp(r->verdict[i], name))
      return i;
  char **names = realloc(r->verdict, ((size_t)r->verdict_count + 1) * sizeof *names);
  if (!names)
    return -1;
  r->verdict = names;
  names[r->verdict_count] = strdup(name);
  return names[r->verdict_count] ? r->verdict_count++ : -1;
}

static enum status take_verdict(struct results *r, struct results_row *row, const cJSON *item) {
  int index = find_verdict(r, json_string(item, "name"));
  if (index < 0)
    return STATUS_NO_MEMORY;
  if (index >= row->verdict_count) {
    struct verdict_cell *cells = realloc(row->verdict, ((size_t)index + 1) * sizeof *cells);
    if (!cells)
      return STATUS_NO_MEMORY;
    row->verdict = cells;
    for (; row->verdict_count <= index; row->verdict_count++)
      cells[row->verdict_count] = (struct verdict_cell){"", {NAN, NAN, NAN}};
  }
  struct verdict_cell *cell = &row->verdict[index];
  snprintf(cell->result, sizeof cell->result, "%s", json_string(item, "result"));
  for (int i = 0; i < RESULTS_OF_VERDICT - 1; i++)
    cell->value[i] = json_number(item, VALUES[i]);
  return STATUS_OK;
}

static char *value_text(const cJSON *value) {
  if (cJSON_IsNumber(value))
    return strdup(number_text(value->valuedouble).text);
  if (cJSON_IsString(value))
    return strdup(value->valuestring);
  if (!value || cJSON_IsNull(value))
    return strdup("");
  char *printed = cJSON_PrintUnformatted(value), *text = printed ? strdup(printed) : NULL;
  cJSON_free(printed);
  return text;
}

static enum status take_summary(struct results *r, struct results_row *row, const cJSON *root) {
  const cJSON *verdict;
  enum status status = STATUS_OK;
  snprintf(row->state_hash, sizeof row->state_hash, "%s", json_string(root, "state_hash"));
  cJSON_ArrayForEach(verdict, json_item(root, "verdicts")) {
    if (status == STATUS_OK)
      status = take_verdict(r, row, verdict);
  }
  for (int i = 0; i < r->plan->quantity_count && status == STATUS_OK; i++) {
    row->quantity[i] = value_text(summary_find(root, r->plan->quantity[i]));
    if (!row->quantity[i])
      status = STATUS_NO_MEMORY;
  }
  return status;
}

static enum status read_row(struct results *r, int point, struct reason *why) {
  struct results_row *row = &r->row[point - 1];
  struct point_record record;
  enum status status = point_record_read(r->folder, point, &record, why);
  if (status != STATUS_OK) {
    point_record_free(&record);
    return status;
  }
  row->outcome = record.outcome;
  row->reason = strdup(record.outcome == POINT_MISSING ? "it has not run yet" : record.reason);
  point_record_free(&record);
  row->quantity = calloc((size_t)r->plan->quantity_count + 1, sizeof *row->quantity);
  int *const counts[] = {&r->missing, &r->passed, &r->failed, &r->broken};
  row->is_unneeded =
      record.outcome == POINT_MISSING && r->limit && !r->limit[limits_group_of(r->plan, point)].next;
  ++*(row->is_unneeded ? &r->unneeded : counts[row->outcome]);
  if (!row->reason || !row->quantity)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the results");
  if (row->outcome != POINT_PASSED && row->outcome != POINT_FAILED)
    return STATUS_OK;

  struct sweep_path path = sweep_point_path(r->folder, point, "summary.json");
  cJSON *root = summary_open(path.text);
  if (!root)
    return fail(why, STATUS_IO,
                "%s: missing or damaged; remove point.json beside it, so that the point runs again",
                path.text);
  if (take_summary(r, row, root) != STATUS_OK)
    status = fail(why, STATUS_NO_MEMORY, "out of memory for the results");
  cJSON_Delete(root);
  return status;
}

static enum status find_limits(struct results *r, struct reason *why) {
  const int count = limits_group_count(r->plan);
  enum status status = STATUS_OK;
  r->limit = count ? calloc((size_t)count, sizeof *r->limit) : NULL;
  if (count && !r->limit)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the results");
  for (; r->limit_count < count && status == STATUS_OK; r->limit_count++) {
    status = limits_find(r->plan, r->folder, r->limit_count, &r->limit[r->limit_count], why);
    r->open_limits += r->limit[r->limit_count].next != 0;
  }
  return status;
}

enum status results_read(struct results *r, const struct plan *plan, const struct sweep_folder *folder,
                         struct reason *why) {
  *r = (struct results){.plan = plan, .folder = folder};
  r->row = calloc((size_t)plan->point_count, sizeof *r->row);
  if (!r->row)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the results");
  enum status status = find_limits(r, why);
  for (int point = 1; point <= plan->point_count && status == STATUS_OK; point++)
    status = read_row(r, point, why);
  return status;
}

void results_free(struct results *r) {
  for (int i = 0; r->row && i < r->plan->point_count; i++) {
    for (int k = 0; r->row[i].quantity && k < r->plan->quantity_count; k++)
      free(r->row[i].quantity[k]);
    free(r->row[i].quantity);
    free(r->row[i].verdict);
    free(r->row[i].reason);
  }
  for (int i = 0; i < r->verdict_count; i++)
    free(r->verdict[i]);
  free(r->verdict);
  free(r->limit);
  free(r->row);
  *r = (struct results){.row = NULL};
}

static int limit_columns(const struct results *r) {
  const struct plan_axis *axis = limits_axis(r->plan);
  return axis ? axis->column_count : 0;
}

static int first_limit_column(const struct results *r) {
  return 3 + plan_column_count(r->plan) + RESULTS_OF_VERDICT * r->verdict_count + r->plan->quantity_count;
}

int results_is_limit(const struct results *r, int column) {
  return column >= first_limit_column(r);
}

// The columns: point, those of the plan, outcome, verdicts, quantities, state_hash, limits.
static int results_column_count(const struct results *r) {
  return first_limit_column(r) + limit_columns(r);
}

// Only the row that stands for the limit of its group has it: the last that holds, or the first of all.
static struct results_cell limit_cell(const struct results *r, const struct plan_point *point, int index) {
  struct results_cell cell = {""};
  const int group = limits_group_of(r->plan, point->number);
  const struct limit *limit = &r->limit[group];
  const int row = limit->held < 0 ? 0 : limit->held;
  if (!limit->next && point->number == limits_point(r->plan, group, row))
    snprintf(cell.text, sizeof cell.text, "%s",
             limit->held < 0 ? "0" : limits_axis(r->plan)->level[row].cell[index]);
  return cell;
}

static struct results_cell results_column(const struct results *r, int column) {
  struct results_cell name = {"point"};
  int own = plan_column_count(r->plan);
  if (column == 0)
    return name;
  if (results_is_limit(r, column)) {
    snprintf(name.text, sizeof name.text, "limit.%s",
             limits_axis(r->plan)->column[column - first_limit_column(r)]);
    return name;
  }
  column--;
  if (column < own) {
    snprintf(name.text, sizeof name.text, "%s", plan_column(r->plan, column));
  } else if (column == own) {
    snprintf(name.text, sizeof name.text, "outcome");
  } else if ((column -= own + 1) < RESULTS_OF_VERDICT * r->verdict_count && r->verdict) {
    snprintf(name.text, sizeof name.text, "%s%s", r->verdict[column / RESULTS_OF_VERDICT],
             SUFFIXES[column % RESULTS_OF_VERDICT]);
  } else if ((column -= RESULTS_OF_VERDICT * r->verdict_count) < r->plan->quantity_count) {
    snprintf(name.text, sizeof name.text, "%s", r->plan->quantity[column]);
  } else {
    snprintf(name.text, sizeof name.text, "state_hash");
  }
  return name;
}

int results_has_column(const struct plan *plan, const char *verdict, const char *name) {
  char *names[] = {(char *)verdict};
  const struct results table = {.plan = plan, .verdict = names, .verdict_count = verdict != NULL};
  return results_find_column(&table, name) >= 0;
}

int results_find_column(const struct results *r, const char *name) {
  for (int i = 0; i < results_column_count(r); i++)
    if (!strcmp(results_column(r, i).text, name))
      return i;
  return -1;
}

struct results_cell results_cell(const struct results *r, const struct plan_point *point, int column) {
  const struct results_row *row = &r->row[point->number - 1];
  struct results_cell cell = {""};
  int own = plan_column_count(r->plan);
  if (column == 0) {
    snprintf(cell.text, sizeof cell.text, "%d", point->number);
    return cell;
  }
  if (results_is_limit(r, column))
    return limit_cell(r, point, column - first_limit_column(r));
  column--;
  const char *text;
  if (column < own) {
    text = point->cell[column];
  } else if (column == own) {
    text = row->is_unneeded ? "not needed" : point_outcome_word(row->outcome);
  } else if ((column -= own + 1) < RESULTS_OF_VERDICT * r->verdict_count) {
    if (column / RESULTS_OF_VERDICT >= row->verdict_count)
      return cell;
    const struct verdict_cell *verdict = &row->verdict[column / RESULTS_OF_VERDICT];
    int value = column % RESULTS_OF_VERDICT - 1;
    if (value >= 0 && !isnan(verdict->value[value]))
      snprintf(cell.text, sizeof cell.text, "%s", number_text(verdict->value[value]).text);
    text = value >= 0 ? NULL : verdict->result;
  } else if ((column -= RESULTS_OF_VERDICT * r->verdict_count) < r->plan->quantity_count) {
    text = row->quantity[column];
  } else {
    text = row->state_hash;
  }
  if (text)
    snprintf(cell.text, sizeof cell.text, "%s", text);
  return cell;
}

// ------------------------------------------------------------
// The results as files.

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

// Writes limits.csv: for each group the columns of the other axes, the rows held, the values of the last of
// them, and for each verdict its worst value there and in the first row that is lost. results_write calls it.
static enum status results_write_limits(const struct results *r, FILE *out) {
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
