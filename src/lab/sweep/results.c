#define _POSIX_C_SOURCE 200809L
#include "lab/sweep/sweep_internal.h"

#include "sagbend/base/number_text.h"
#include "os/files/json_read.h"
#include "lab/sweep/summary_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
int results_column_count(const struct results *r) {
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

struct results_cell results_column(const struct results *r, int column) {
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
  } else if ((column -= own + 1) < RESULTS_OF_VERDICT * r->verdict_count) {
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
