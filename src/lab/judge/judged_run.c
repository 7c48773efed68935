// One run that is judged: its name, the decision on a criterion, what it is measured by, values as text.
#include "lab/judge/judge.h"
#include "lab/judge/judge_internal.h"

#include "os/files/files.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void judgement_measures(const struct judged_run *run, double out[MEASURE_COUNT]) {
  memcpy(out, run->seen.measure, sizeof run->seen.measure);
  out[MEASURE_OFFSET] = run->seen.offset_m;
  out[MEASURE_BACK] = run->seen.return_m;
  out[MEASURE_LIMITED] = run->seen.limited_s;
  out[MEASURE_DETECTED] = run->detected_s;
  out[MEASURE_ALARMS] = run->seen.alarm_count;
}

void criterion_decide(struct judged_run *run, enum criterion c, int holds, char grade, const char *format,
                      ...) {
  struct judged_criterion *out = &run->criterion[c];
  va_list args;
  va_start(args, format);
  vsnprintf(out->text, sizeof out->text, format, args);
  va_end(args);
  out->result = holds ? CRITERION_PASS : CRITERION_FAIL;
  out->grade = holds ? 0 : grade;
}

void criterion_skip(struct judged_run *run, enum criterion c, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(run->criterion[c].text, sizeof run->criterion[c].text, format, args);
  va_end(args);
  run->criterion[c].result = CRITERION_NOT_APPLICABLE;
}

struct judged_run *judgement_run(const struct judgement *j, int condition, int failure) {
  return &j->run[condition * j->failures->count + failure];
}

void judgement_id(const struct judgement *j, const struct judged_run *run, char *out, size_t size) {
  snprintf(out, size, "%s@%s", run->failure->id, j->plan->condition[run->condition].id);
}

// ---- measures ----

static const struct {
  const char *key, *text;
  double share, floor;
} TABLE[MEASURE_COUNT] = {
#define MEASURE(id, key, text, share, floor, statistic) {key, text, share, floor},
#include "lab/judge/measures.inc"
#undef MEASURE
};

const char *measure_key(enum measure m) {
  return TABLE[m].key;
}

void measures_read(const cJSON *run, double out[MEASURE_COUNT]) {
  const cJSON *metrics = json_item(run, "metrics");
  for (int m = 0; m < MEASURE_COUNT; m++) {
    const char *was = former_name_of(FORMER_MEASURE, TABLE[m].key); // in results of an earlier program
    out[m] = json_number(metrics, was && !json_item(metrics, TABLE[m].key) ? was : TABLE[m].key);
  }
}

enum measure measures_worse(const double now[MEASURE_COUNT], const double then[MEASURE_COUNT], int from) {
  for (int m = from; m < MEASURE_COUNT; m++) {
    int is_silent = m == MEASURE_DETECTED && isnan(now[m]) && !isnan(then[m]);
    if (is_silent || now[m] > TABLE[m].share * then[m] + TABLE[m].floor)
      return (enum measure)m;
  }
  return MEASURE_COUNT;
}

struct measure_text measures_text(enum measure m, const double now[MEASURE_COUNT],
                                  const double then[MEASURE_COUNT]) {
  struct measure_text out;
  if (isnan(now[m]))
    snprintf(out.text, sizeof out.text, "%s: none, there %.4g", TABLE[m].text, then[m]);
  else
    snprintf(out.text, sizeof out.text, "%s: %.4g, there %.4g", TABLE[m].text, now[m], then[m]);
  return out;
}

// ---- values as text ----

static int takes_prefix(const char *unit) {
  return *unit == 'N' || *unit == 'W' || *unit == 'J' || *unit == 'P';
}

// Forces and powers of vessels have thousands and millions of their units.
struct value_text value_text_finer(int quantity, double value, int finer) {
  const char *unit = quantity_table[quantity].shown_unit;
  struct value_text out;
  int is_large = takes_prefix(unit) && fabs(value) >= 1e3,
      is_huge = takes_prefix(unit) && fabs(value) >= 9.9995e6;
  if (!isfinite(value)) {
    snprintf(out.text, sizeof out.text, "none");
    return out;
  }
  double scaled = value / (is_huge ? 1e6 : is_large ? 1e3 : 1);
  int is_whole = fabs(scaled - round(scaled)) < 1e-9 * fmax(1, fabs(scaled)),
      decimals = is_whole || fabs(scaled) >= 99.95 ? 0
                 : fabs(scaled) >= 9.995           ? 1
                                                   : 2;
  decimals += finer;
  snprintf(out.text, sizeof out.text, "%.*f%s%s%s", decimals, scaled, *unit ? " " : "",
           is_huge    ? "M"
           : is_large ? "k"
                      : "",
           !strcmp(unit, "deg") ? "\xc2\xb0" : unit);
  if (!strcmp(unit, "deg")) // no space before the sign of degrees
    snprintf(out.text, sizeof out.text, "%.*f\xc2\xb0", decimals, scaled);
  return out;
}

struct value_text value_text(int quantity, double value) {
  return value_text_finer(quantity, value, 0);
}
