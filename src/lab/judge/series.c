#include "lab/judge/series.h"

#include "os/files/output_file.h"
#include "lab/judge/run_record.h"

#include <math.h>
#include <unistd.h>

static const double ROW_S = 1e-6; // a row at the end of a time belongs to it

static void list(int quantity, int out[RUN_SERIES], int *count) {
  int k = 0;
  while (k < *count && out[k] != quantity)
    k++;
  if (k == *count && k < RUN_SERIES)
    out[(*count)++] = quantity;
}

// What stays of each run whatever the plan reads: where the vessel was, and with which thrust and power.
static const int EVIDENCE[] = {QUANTITY_OFFSET,         QUANTITY_HEADING_ERROR, QUANTITY_POWER,
                               QUANTITY_THRUSTER_SURGE, QUANTITY_THRUSTER_SWAY, QUANTITY_THRUSTER_YAW};

static int list_quantities(const struct trial_plan *p, int out[RUN_SERIES]) {
  int count = 0;
  for (int i = 0; i < p->expectation_count; i++)
    list(p->expectation[i].quantity, out, &count);
  for (int i = 0; i < p->limit_count; i++)
    if (p->limit[i].mean_s > 0)
      list(p->limit[i].quantity, out, &count);
  for (size_t i = 0; i < sizeof EVIDENCE / sizeof *EVIDENCE; i++)
    list(EVIDENCE[i], out, &count);
  for (int i = 0; i < p->limit_count; i++)
    list(p->limit[i].quantity, out, &count);
  return count;
}

static const double *values_of(const struct run_record *r, int quantity) {
  int k = 0;
  while (k < r->series && r->quantity[k] != quantity)
    k++;
  return k < r->series ? r->value[k] : NULL;
}

// As a record: names and values of sagbend run --record.
static enum status write_series(const struct run_record *r, const char *path, struct reason *why) {
  struct output_file file;
  enum status status = output_file_open_atomic(&file, path, why);
  if (status != STATUS_OK)
    return status;
  fputs("time_s", file.stream);
  for (int k = 0; k < r->series; k++)
    fprintf(file.stream, ",%s", quantity_table[r->quantity[k]].name);
  for (int i = 0; i < r->rows; i++) {
    fprintf(file.stream, "\n%.12g", r->time_s[i]);
    for (int k = 0; k < r->series; k++)
      fprintf(file.stream, ",%.9g", r->value[k][i] / run_record_factor(r->quantity[k]));
  }
  fputs("\n", file.stream);
  return output_file_close(&file, why);
}

struct span { // rows of a series
  const double *value;
  int count;
};

static double deviation(struct span s) {
  double sum = 0, squares = 0;
  for (int i = 0; i < s.count; i++)
    sum += s.value[i];
  for (int i = 0; i < s.count; i++)
    squares += (s.value[i] - sum / s.count) * (s.value[i] - sum / s.count);
  return sqrt(squares / s.count);
}

static double take_of_changes(enum trial_take take, struct span s, double every_s) {
  double sum = 0, largest = 0;
  for (int i = 1; i < s.count; i++) {
    const double change = fabs(s.value[i] - s.value[i - 1]) / every_s;
    sum += change;
    largest = fmax(largest, change);
  }
  return s.count < 2 ? (double)NAN : take == TAKE_RATE ? largest : sum / (s.count - 1);
}

static double take_of(enum trial_take take, struct span s) {
  double sum = 0, squares = 0, least = HUGE_VAL, largest = 0;
  for (int i = 0; i < s.count; i++) {
    sum += s.value[i];
    squares += s.value[i] * s.value[i];
    least = fmin(least, s.value[i]);
    largest = fabs(s.value[i]) > fabs(largest) ? s.value[i] : largest;
  }
  const struct span first = {s.value, s.count / 3}, last = {s.value + s.count - s.count / 3, s.count / 3};
  switch (take) {
  case TAKE_LARGEST:
    return largest;
  case TAKE_LEAST:
    return least;
  case TAKE_MEAN:
    return sum / s.count;
  case TAKE_RMS:
    return sqrt(squares / s.count);
  case TAKE_GROWTH:
    return s.count < 6 ? (double)NAN : deviation(last) / deviation(first);
  default:
    return NAN;
  }
}

static double measure(const struct trial_plan *p, const struct run_record *r,
                      const struct trial_expectation *e) {
  const double from_s = isnan(e->from_s) ? p->settle_s : e->from_s;
  const double *value = values_of(r, e->quantity);
  int first = 0, end;
  while (first < r->rows && r->time_s[first] < from_s - ROW_S)
    first++;
  for (end = first; end < r->rows && !(r->time_s[end] > e->to_s + ROW_S); end++)
    ;
  if (!value || end == first)
    return NAN;
  const struct span span = {value + first, end - first};
  for (int i = 0; i < span.count; i++)
    if (!isfinite(span.value[i]))
      return NAN;
  if (e->take == TAKE_TRAVEL || e->take == TAKE_RATE)
    return take_of_changes((enum trial_take)e->take, span,
                           r->time_s[first + 1 < end ? first + 1 : first] - r->time_s[first]);
  return take_of((enum trial_take)e->take, span);
}

// The largest magnitude, from a time on, of the mean over the latest mean_s. NaN: a value is missing.
static double largest_mean(const struct run_record *r, const double *value, double from_s, double mean_s) {
  double largest = NAN;
  for (int end = 0; value && end < r->rows; end++) {
    double sum = 0, count = 0;
    for (int k = end; k >= 0 && r->time_s[k] > r->time_s[end] - mean_s; k--, count++)
      sum += value[k];
    if (r->time_s[end] < from_s)
      continue;
    if (isnan(sum))
      return NAN;
    largest = fmax(largest, fabs(sum / count));
  }
  return largest;
}

enum status series_take(const struct trial_plan *p, const struct sweep_folder *folder, int point,
                        double expected[TRIAL_EXPECTATIONS], double circled[TRIAL_LIMITS],
                        struct reason *why) {
  int quantity[RUN_SERIES];
  const int count = list_quantities(p, quantity);
  const struct sweep_path record = sweep_point_path(folder, point, "record.csv"),
                          series = sweep_point_path(folder, point, "series.csv");
  struct run_record r;
  for (int i = 0; i < TRIAL_EXPECTATIONS; i++)
    expected[i] = NAN;
  const int is_new = access(record.text, F_OK) == 0;
  enum status status = run_record_read(quantity, count, is_new ? record.text : series.text, &r);
  if (status != STATUS_OK)
    status = fail(why, status, "out of memory for the time series of point %d", point);
  else if (is_new && r.rows)
    status = write_series(&r, series.text, why);
  for (int i = 0; status == STATUS_OK && i < p->expectation_count; i++)
    expected[i] = measure(p, &r, &p->expectation[i]);
  for (int i = 0; status == STATUS_OK && i < p->limit_count; i++) {
    const struct trial_limit *limit = &p->limit[i];
    if (limit->mean_s > 0)
      circled[i] = largest_mean(&r, values_of(&r, limit->quantity), p->settle_s, limit->mean_s);
  }
  run_record_free(&r);
  return status;
}
