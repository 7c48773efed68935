// What a run reports: its verdicts' worst values, and the lines of its controller that are alarms.
#include "lab/judge/judge.h"
#include "lab/judge/judge_internal.h"

#include "lab/plan/plan.h"
#include "lab/sweep/sweep.h"
#include "os/files/files.h"

#include <math.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

// Measures that are a statistic of a quantity over a time: each is a verdict that nothing fails.
static const struct statistic {
  const char *value; // of the verdict in the summary; NULL: the measure is none of these
  enum quantity quantity;
  int is_before; // 1: of the time before the failure
} STATISTICS[MEASURE_COUNT] = {
#define AFTER(quantity, value)                          {#value, QUANTITY_##quantity, 0}
#define BEFORE(quantity, value)                         {#value, QUANTITY_##quantity, 1}
#define OTHER                                           {.value = NULL}
#define MEASURE(id, key, text, share, floor, statistic) [MEASURE_##id] = statistic,
#include "lab/judge/measures.inc"
#undef MEASURE
#undef AFTER
#undef BEFORE
#undef OTHER
};

static const char OFFSET[] = "offset", BACK[] = "back", POWER[] = "power limited";

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static void add(char *out, size_t size, size_t *used, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (*used < size)
    *used += (size_t)vsnprintf(out + *used, size - *used, format, args);
  va_end(args);
}

// A bound that nothing reaches, and from which the distance of a value still has nine digits.
static double far_from(const double range[2]) {
  double largest = 1;
  for (int k = 0; k < 2; k++)
    if (isfinite(range[k]))
      largest = fmax(largest, fabs(range[k]));
  return 1e6 * largest;
}

// The worst value of a verdict with such a bound is the largest, or the least, of its quantity.
void observation_write_verdicts(const struct trial_plan *p, double late_s, char *out, size_t size) {
  size_t used = 0;
  double begin_s = p->settle_s + late_s, end_s = begin_s + p->failure_s + p->recover_s,
         back_s = fmin(begin_s + p->failure_s + p->return_s, end_s);
  add(out, size, &used, "[{name: %s, quantity: offset_m, below: 1e6, from_s: %.12g}", OFFSET, begin_s);
  add(out, size, &used, ", {name: %s, quantity: offset_m, below: 1e6, from_s: %.12g}", BACK, back_s);
  add(out, size, &used, ", {name: %s, quantity: buses_limited, below: 1e6, from_s: %.12g}", POWER, begin_s);
  for (int i = 0; i < p->limit_count; i++) {
    const char *quantity = quantity_shown_name(p->limit[i].quantity);
    double bound = far_from(p->limit[i].range);
    add(out, size, &used, ", {name: 'high %d', quantity: %s, below: %.12g, from_s: %.12g}", i, quantity,
        bound, begin_s);
    add(out, size, &used, ", {name: 'low %d', quantity: %s, above: %.12g, from_s: %.12g}", i, quantity,
        -bound, begin_s);
  }
  for (int is_before = 1; is_before >= 0; is_before--)
    for (int m = 0; m < MEASURE_COUNT; m++)
      if (STATISTICS[m].value && STATISTICS[m].is_before == is_before)
        add(out, size, &used, ", {name: %s, quantity: %s, below: %s: %.12g}", measure_key((enum measure)m),
            quantity_shown_name((int)STATISTICS[m].quantity), is_before ? "1e6, to_s" : "1e12, from_s",
            begin_s);
  add(out, size, &used, "]");
}

static const cJSON *verdict_of(const cJSON *summary, const char *name) {
  const cJSON *verdict;
  cJSON_ArrayForEach(verdict, json_item(summary, "verdicts")) {
    if (!strcmp(json_string(verdict, "name"), name))
      return verdict;
  }
  return NULL;
}

static double worst(const cJSON *summary, const char *name) {
  return json_number(verdict_of(summary, name), "worst_value");
}

static void take_summary(const struct trial_plan *p, const cJSON *summary, struct observation *out) {
  const cJSON *power = verdict_of(summary, POWER);
  char name[32];
  out->offset_m = worst(summary, OFFSET);
  out->return_m = worst(summary, BACK);
  out->feedback_error = json_number(json_item(summary, "faults"), "feedback_error_mean");
  out->limited_s = json_number(power, "mean_value") * json_number(power, "judged_s");
  for (int i = 0; i < p->limit_count; i++) {
    snprintf(name, sizeof name, "high %d", i);
    out->high[i] = worst(summary, name);
    snprintf(name, sizeof name, "low %d", i);
    out->low[i] = worst(summary, name);
    out->circled[i] = fmax(fabs(out->high[i]), fabs(out->low[i]));
  }
  out->measure[MEASURE_OFFSET_RMS] = json_number(verdict_of(summary, OFFSET), "rms_value");
  for (int m = 0; m < MEASURE_COUNT; m++)
    if (STATISTICS[m].value)
      out->measure[m] = json_number(verdict_of(summary, measure_key((enum measure)m)), STATISTICS[m].value);
  snprintf(out->state_hash, sizeof out->state_hash, "%s", json_string(summary, "state_hash"));
}

static void take_changeovers(const cJSON *summary, struct observation *out) {
  const cJSON *all = json_item(summary, "changeovers");
  out->changeover.count = json_number(all, "changeovers");
  out->changeover.step_n = json_number(all, "changeover_step_n");
  out->changeover.step_nm = json_number(all, "changeover_step_nm");
  out->changeover.usual_n = json_number(all, "changeover_usual_n");
  out->changeover.usual_nm = json_number(all, "changeover_usual_nm");
  out->changeover.claims = json_number(json_item(summary, "commands"), "split_brain");
}

static void take_log(const cJSON *summary, struct observation *out) {
  const cJSON *log = json_item(summary, "log");
  snprintf(out->log_digest, sizeof out->log_digest, "%s", json_string(log, "digest"));
  out->log_is_signed = cJSON_IsTrue(json_item(log, "signed"));
}

static enum status add_alarm(struct observation *o, double time_s, double to_s, const char *source,
                             const char *kind, const char *text, size_t size) {
  struct trial_alarm *more = realloc(o->alarm, ((size_t)o->alarm_count + 1) * sizeof *more);
  if (!more)
    return STATUS_NO_MEMORY;
  o->alarm = more;
  more[o->alarm_count].time_s = time_s;
  more[o->alarm_count].to_s = isnan(to_s) ? HUGE_VAL : to_s;
  snprintf(more[o->alarm_count].source, sizeof more->source, "%s", source);
  snprintf(more[o->alarm_count].kind, sizeof more->kind, "%s", kind);
  snprintf(more[o->alarm_count].text, sizeof more->text, "%.*s", (int)size, text);
  o->alarm_count++;
  return STATUS_OK;
}

// Takes the alarms of the commands, as the summary lists them. Messages are none.
static enum status take_commanded_alarms(const cJSON *summary, struct observation *out) {
  const cJSON *alarm, *alarms = json_item(summary, "alarms");
  cJSON_ArrayForEach(alarm, json_item(alarms, "list")) {
    const char *text = json_string(alarm, "text");
    if (strcmp(json_string(alarm, "severity"), "message") != 0 &&
        add_alarm(out, json_number(alarm, "from_s"), json_number(alarm, "to_s"), json_string(alarm, "source"),
                  json_string(alarm, "kind"), text, strlen(text)) != STATUS_OK)
      return STATUS_NO_MEMORY;
  }
  if (json_number(alarms, "left_out") > 0) {
    out->is_there = 0;
    out->cause = CAUSE_RUN;
    snprintf(out->reason, sizeof out->reason, "more alarms came than the summary of a run lists");
  }
  return STATUS_OK;
}

// Takes the alarms from the lines of the controller.
static enum status take_alarms(const struct trial_plan *p, char *text, struct observation *out) {
  regex_t match, ends;
  enum status status = STATUS_OK;
  if (regcomp(&match, p->alarm, REG_EXTENDED))
    return STATUS_NO_MEMORY;
  if (regcomp(&ends, p->alarm_ends, REG_EXTENDED)) {
    regfree(&match);
    return STATUS_NO_MEMORY;
  }
  char *rest = NULL;
  for (char *line = strtok_r(text, "\n", &rest); line && status == STATUS_OK;
       line = strtok_r(NULL, "\n", &rest)) {
    regmatch_t group[3];
    if (regexec(&match, line, 3, group, 0) || group[1].rm_so < 0 || group[2].rm_so < 0)
      continue;
    const char *said = line + group[2].rm_so;
    const double time_s = strtod(line + group[1].rm_so, NULL);
    if (regexec(&ends, said, 0, NULL, 0))
      status = add_alarm(out, time_s, time_s, "", "", said, (size_t)(group[2].rm_eo - group[2].rm_so));
  }
  regfree(&match);
  regfree(&ends);
  return status;
}

static enum status series_take(const struct trial_plan *p, const struct sweep_folder *folder, int point,
                               double expected[TRIAL_EXPECTATIONS], double circled[TRIAL_LIMITS],
                               struct reason *why);

enum status observation_read(const struct trial_plan *plan, const struct sweep_folder *folder, int point,
                             struct observation *out, struct reason *why) {
  struct point_record record;
  int error;
  *out = (struct observation){.offset_m = NAN, .return_m = NAN, .limited_s = NAN, .feedback_error = NAN};
  out->changeover.count = out->changeover.claims = NAN;
  for (int m = 0; m < MEASURE_COUNT; m++)
    out->measure[m] = NAN;
  enum status status = point_record_read(folder, point, &record, why);
  if (status != STATUS_OK)
    return status;
  out->is_there = record.outcome == POINT_PASSED;
  out->is_missing = record.outcome == POINT_MISSING;
  out->cause = record.cause;
  if (out->is_missing)
    snprintf(out->reason, sizeof out->reason, "it has not run");
  else
    snprintf(out->reason, sizeof out->reason, "%s", record.reason);
  if (record.is_foreign && !out->is_missing) {
    snprintf(out->reason, sizeof out->reason, "the files in its folder are not those that its run wrote");
    out->cause = CAUSE_MACHINE;
    out->is_there = 0;
  }
  point_record_free(&record);
  cJSON *summary = summary_open(sweep_point_path(folder, point, "summary.json").text);
  if (summary) {
    take_summary(plan, summary, out);
    take_changeovers(summary, out);
    take_log(summary, out);
  }
  if (out->is_there && !summary) {
    snprintf(out->reason, sizeof out->reason, "its summary cannot be read");
    out->cause = CAUSE_MACHINE;
    out->is_there = 0;
  }
  if (summary && plan->alarms_from == ALARMS_OF_COMMAND)
    status = take_commanded_alarms(summary, out);
  cJSON_Delete(summary);
  if (status == STATUS_OK && out->is_there)
    status = series_take(plan, folder, point, out->expected, out->circled, why);
  if (status != STATUS_OK)
    return status;
  char *text = plan->mode == RUN_LOCKSTEP
                   ? sweep_read_text(sweep_point_path(folder, point, "controller.txt").text, &error)
                   : NULL;
  out->has_printed = text && *text;
  if (status == STATUS_OK && text && plan->alarms_from == ALARMS_OF_OUTPUT)
    status = take_alarms(plan, text, out);
  free(text);
  return status == STATUS_OK ? status : fail(why, status, "out of memory for the result of point %d", point);
}

// As bits: a value that is missing twice is equal.
static int differs(double a, double b) {
  uint64_t bits[2];
  memcpy(&bits[0], &a, sizeof a);
  memcpy(&bits[1], &b, sizeof b);
  return bits[0] != bits[1] && !(isnan(a) && isnan(b));
}

static int find_difference(const struct observation *a, const struct observation *b, char *why, size_t size) {
  if (!b->is_there)
    snprintf(why, size, "it has no result: %.180s", b->reason);
  else if (strcmp(a->state_hash, b->state_hash) != 0 || differs(a->offset_m, b->offset_m) ||
           differs(a->return_m, b->return_m) || differs(a->limited_s, b->limited_s))
    snprintf(why, size, "state hash %s, then %s; offset %.17g m, then %.17g m", a->state_hash, b->state_hash,
             a->offset_m, b->offset_m);
  else if (a->alarm_count != b->alarm_count)
    snprintf(why, size, "%d alarms, then %d", a->alarm_count, b->alarm_count);
  return *why != '\0';
}

int observation_is_equal(const struct trial_plan *plan, const struct observation *a,
                         const struct observation *b, char *why, size_t size) {
  *why = '\0';
  if (find_difference(a, b, why, size))
    return 0;
  for (int i = 0; !*why && i < plan->limit_count; i++)
    if (differs(a->high[i], b->high[i]) || differs(a->low[i], b->low[i]))
      snprintf(why, size, "%s to %.17g, then %.17g", plan->limit[i].name, a->high[i], b->high[i]);
  for (int i = 0; !*why && i < a->alarm_count; i++)
    if (differs(a->alarm[i].time_s, b->alarm[i].time_s) || strcmp(a->alarm[i].text, b->alarm[i].text) != 0)
      snprintf(why, size, "at %.3f s %.80s, then at %.3f s %.80s", a->alarm[i].time_s, a->alarm[i].text,
               b->alarm[i].time_s, b->alarm[i].text);
  return !*why;
}

void observation_free(struct observation *o) {
  free(o->alarm);
  o->alarm = NULL;
}

// ------------------------------------------------------------
static const double DEGREE = 57.29577951308232;

// Of a value as people read it over that in a record.
static double run_record_factor(int quantity) {
  const struct quantity_info *q = &quantity_table[quantity];
  return strcmp(q->name, q->shown_name) ? DEGREE : 1; // recorded in radians
}

// The field of a column; NULL: the line has fewer.
static const char *field_at(const char *line, int column) {
  for (; column > 0 && line; column--) {
    line = strchr(line, ',');
    line = line ? line + 1 : NULL;
  }
  return line;
}

static double number_at(const char *line, int column) {
  const char *field = column < 0 ? NULL : field_at(line, column);
  char *end = NULL;
  double value = field ? strtod(field, &end) : 0;
  return field && end != field ? value : (double)NAN;
}

static int make_room(struct run_record *r, int capacity) {
  double *time = realloc(r->time_s, (size_t)capacity * sizeof *time);
  if (!time)
    return 0;
  r->time_s = time;
  for (int i = 0; i < r->series; i++) {
    double *more = realloc(r->value[i], (size_t)capacity * sizeof *more);
    if (!more)
      return 0;
    r->value[i] = more;
  }
  return 1;
}

static enum status read_rows(FILE *file, struct run_record *out) {
  int time = -1, column[RUN_SERIES], capacity = 0;
  double factor[RUN_SERIES];
  enum status status = STATUS_OK;
  char *line = NULL;
  size_t size = 0;
  ssize_t got;
  do
    got = getline(&line, &size, file);
  while (got > 0 && *line == '#');
  if (got > 0)
    time = record_column(line, "time_s");
  for (int i = 0; i < out->series && got > 0; i++) {
    column[i] = record_column(line, quantity_table[out->quantity[i]].name);
    factor[i] = run_record_factor(out->quantity[i]);
  }
  while (status == STATUS_OK && time >= 0 && getline(&line, &size, file) > 0) {
    if (out->rows == capacity && !make_room(out, capacity = capacity ? 2 * capacity : 256)) {
      status = STATUS_NO_MEMORY;
      break;
    }
    out->time_s[out->rows] = number_at(line, time);
    for (int i = 0; i < out->series; i++)
      out->value[i][out->rows] = factor[i] * number_at(line, column[i]);
    out->rows += isfinite(out->time_s[out->rows]) != 0;
  }
  free(line);
  return status;
}

enum status run_record_read(const int *quantities, int count, const char *path, struct run_record *out) {
  *out = (struct run_record){.series = count < RUN_SERIES ? count : RUN_SERIES};
  for (int i = 0; i < out->series; i++)
    out->quantity[i] = quantities[i];
  FILE *file = fopen(path, "r");
  if (!file)
    return STATUS_OK;
  enum status status = read_rows(file, out);
  fclose(file);
  return status;
}

void run_record_free(struct run_record *r) {
  free(r->time_s);
  for (int i = 0; i < r->series; i++)
    free(r->value[i]);
  *r = (struct run_record){.rows = 0};
}

// ------------------------------------------------------------
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
  double every_s; // between them
};

// The value of the largest magnitude, with its sign.
static double take_largest(struct span s) {
  double largest = 0;
  for (int i = 0; i < s.count; i++)
    largest = fabs(s.value[i]) > fabs(largest) ? s.value[i] : largest;
  return largest;
}

static double take_least(struct span s) {
  double least = HUGE_VAL;
  for (int i = 0; i < s.count; i++)
    least = fmin(least, s.value[i]);
  return least;
}

static double take_mean(struct span s) {
  double sum = 0;
  for (int i = 0; i < s.count; i++)
    sum += s.value[i];
  return sum / s.count;
}

static double take_rms(struct span s) {
  double squares = 0;
  for (int i = 0; i < s.count; i++)
    squares += s.value[i] * s.value[i];
  return sqrt(squares / s.count);
}

// Mean magnitude of its change in a second, as of wear.
static double take_travel(struct span s) {
  double sum = 0;
  for (int i = 1; i < s.count; i++)
    sum += fabs(s.value[i] - s.value[i - 1]) / s.every_s;
  return s.count < 2 ? (double)NAN : sum / (s.count - 1);
}

// Largest magnitude of its change in a second, as of a jump.
static double take_rate(struct span s) {
  double largest = 0;
  for (int i = 1; i < s.count; i++)
    largest = fmax(largest, fabs(s.value[i] - s.value[i - 1]) / s.every_s);
  return s.count < 2 ? (double)NAN : largest;
}

static double deviation(const double *value, int count) {
  double sum = 0, squares = 0;
  for (int i = 0; i < count; i++)
    sum += value[i];
  for (int i = 0; i < count; i++)
    squares += (value[i] - sum / count) * (value[i] - sum / count);
  return sqrt(squares / count);
}

// Standard deviation in the last third of the time over that in the first third.
static double take_growth(struct span s) {
  const int third = s.count / 3;
  return s.count < 6 ? (double)NAN : deviation(s.value + s.count - third, third) / deviation(s.value, third);
}

static double (*const TAKES[TAKE_COUNT])(struct span s) = {
#define TAKE(id, name, unit, doc, value) value,
#include "lab/judge/takes.inc"
#undef TAKE
};

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
  const struct span span = {value + first, end - first,
                            r->time_s[first + 1 < end ? first + 1 : first] - r->time_s[first]};
  for (int i = 0; i < span.count; i++)
    if (!isfinite(span.value[i]))
      return NAN;
  return TAKES[e->take](span);
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

// One value for each expectation of the plan, and the largest mean of each limit whose circle is judged on
// one (the others keep theirs); NaN: no value. The quantities that these name, those of the limits, position,
// heading, thrust and power stay in series.csv beside the record, which goes if the run passes. STATUS_IO:
// that cannot be written.
static enum status series_take(const struct trial_plan *p, const struct sweep_folder *folder, int point,
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
