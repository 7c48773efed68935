// What all runs show together: counts, and the sentences of the report that follow from them.
#include "lab/judge/judge.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static const double SETTLED_SHARE = 0.1;    // of the narrowest bound of the offset
static const double EXERCISING_SHARE = 0.5; // of the static capability after the declared failures

int tally_is_judged(const struct judged_run *run) {
  return run->state == RUN_PASSED || run->state == RUN_FAILED;
}

static int is_declared(const struct trial_plan *p, const struct failure *f) {
  for (int i = 0; i < p->worst_case_count; i++)
    if (!strcmp(f->id, p->worst_case[i].id))
      return 1;
  return 0;
}

int tally_is_beyond(const struct judged_run *run) {
  return run->failure->group == FAILURE_SINGLE &&
         (run->grade == 'A' || run->criterion[CRITERION_WORST_CASE].result == CRITERION_FAIL);
}

// Whether a run is compared with the declared failures.
static int is_compared(const struct judgement *j, const struct judged_run *run) {
  return run->failure->group == FAILURE_SINGLE && tally_is_judged(run) && run->seen.is_there &&
         isfinite(run->seen.offset_m) && isfinite(j->declared_m[run->condition]) &&
         !is_declared(j->plan, run->failure);
}

int tally_is_larger(const struct judgement *j, const struct judged_run *run) {
  return is_compared(j, run) && run->seen.offset_m >= j->declared_m[run->condition] + j->plan->spread_m;
}

// The largest drift and decay of a vessel that has settled.
static double tally_settled_m(const struct trial_plan *p) {
  double bound = p->return_offset_m;
  for (int i = 0; i < p->limit_count; i++)
    if (p->limit[i].quantity == QUANTITY_OFFSET)
      bound = fmin(fmin(bound, p->limit[i].circle), fabs(p->limit[i].range[1]));
  return SETTLED_SHARE * bound;
}

// Whether the run without a failure still drifts or decays when the failures begin.
static int tally_is_unsettled(const struct judgement *j, int condition) {
  const double most_m = tally_settled_m(j->plan);
  const struct settling *s = &j->settling[condition];
  return judgement_run(j, condition, 0)->seen.is_there && !(s->drift_m <= most_m && s->decay_m <= most_m);
}

// Whether the declared failures add less to it than spread_m.
static int tally_is_idle(const struct judgement *j, int condition) {
  const struct observation *without = &judgement_run(j, condition, 0)->seen;
  return without->is_there && j->declared_m[condition] - without->offset_m < j->plan->spread_m;
}

// Whether the mean weather takes less than half of what the vessel holds after each declared failure.
static int tally_is_calm(const struct judgement *j, int condition) {
  return j->exercise[condition].largest < EXERCISING_SHARE; // NaN: not known
}

// Whether that share is not known.
static int tally_is_unknown(const struct judgement *j, int condition) {
  return j->plan->worst_case_count > 0 && *j->exercise[condition].why;
}

static void count_run(const struct judgement *j, const struct judged_run *run, struct tally *t) {
  const int is_judged = tally_is_judged(run), is_urgent = run->grade == 'A' || run->grade == 'B';
  t->state[run->state]++;
  t->judged += is_judged;
  t->open += is_urgent && !*run->accepted;
  t->accepted += is_urgent && *run->accepted;
  if (is_declared(j->plan, run->failure)) {
    t->declared_runs++;
    t->judged_declared += is_judged;
  }
  if (run->failure->group == FAILURE_SINGLE) {
    t->single++;
    t->judged_single += is_judged;
    t->passing += run->grade == 'A';
    t->beyond += tally_is_beyond(run);
    t->compared += is_compared(j, run);
    t->larger += tally_is_larger(j, run);
  } else if (run->failure->group != FAILURE_NONE) {
    t->others++;
    t->judged_others += is_judged;
    t->urgent_others += is_urgent;
  }
}

struct tally tally_of(const struct judgement *j) {
  struct tally t = {.runs = j->run_count,
                    .declared = j->plan->worst_case_count,
                    .conditions = j->plan->condition_count,
                    .strangers = *j->stranger != '\0',
                    .has_alarms =
                        j->plan->alarms_from != ALARMS_NONE &&
                        !(j->plan->mode != RUN_LOCKSTEP && j->plan->alarms_from == ALARMS_OF_OUTPUT)};
  for (int i = 0; i < j->run_count; i++)
    count_run(j, &j->run[i], &t);
  for (int i = 1; i < j->failures->count; i++)
    t.tried += j->failures->item[i].group != FAILURE_OPERATION;
  t.listed = t.tried;
  for (int i = 0; i < j->failures->excluded_count; i++)
    t.listed += j->failures->excluded[i].is_by_plan;
  for (int c = 0; c < t.conditions; c++) {
    int judged = 0;
    for (int i = 0; i < j->failures->count; i++)
      judged += tally_is_judged(judgement_run(j, c, i));
    t.whole_conditions += judged == j->failures->count;
    t.unsettled += tally_is_unsettled(j, c);
    t.unexercised += tally_is_idle(j, c) || tally_is_calm(j, c);
  }
  return t;
}

// Texts of the sentences, valid until the next call: why the first run in a state is in it; what is left out,
// by equipment; from when on the vessel has settled.
static const char *tally_first(const struct judgement *j, enum run_state state) {
  static char text[320];
  char id[FAILURE_ID + 32];
  *text = '\0';
  for (int i = 0; i < j->run_count; i++)
    if (j->run[i].state == state) {
      judgement_id(j, &j->run[i], id, sizeof id);
      snprintf(text, sizeof text, "%.110s, %.200s", id, j->run[i].criterion[CRITERION_JUDGED].text);
      break;
    }
  return text;
}

// "bus-port 2 of 2, gnss-1 3 of 14".
static const char *tally_left_out(const struct judgement *j) {
  enum { NAMED = 12 };
  static char text[400];
  const struct failures *all = j->failures;
  size_t used = 0;
  int named = 0, more = 0;
  *text = '\0';
  for (int i = 0; i < all->excluded_count; i++) {
    const char *id = all->excluded[i].id;
    const size_t size = strcspn(id, "/");
    int is_first = all->excluded[i].is_by_plan, out = 0, whole = 0;
    for (int k = 0; k < all->excluded_count; k++) {
      const int is_same = all->excluded[k].is_by_plan && !strncmp(all->excluded[k].id, id, size) &&
                          strcspn(all->excluded[k].id, "/") == size;
      is_first &= !(is_same && k < i);
      out += is_same;
    }
    for (int k = 1; k < all->count; k++)
      whole += !strncmp(all->item[k].id, id, size) && strcspn(all->item[k].id, "/") == size;
    if (!is_first)
      continue;
    if (named < NAMED && used < sizeof text - 60)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s %d of %d", named ? ", " : "",
                               (int)(size < 32 ? size : 32), id, out, out + whole);
    else
      more++;
    named++;
  }
  if (more)
    snprintf(text + used, sizeof text - used, " and of %d more", more);
  return text;
}

static const char *tally_advice(const struct judgement *j, int condition) {
  static char text[120];
  const double from_s = j->settling[condition].from_s;
  if (isfinite(from_s))
    snprintf(text, sizeof text, "It has from %.6g s on: take settle_s: %.6g.", from_s, from_s);
  else
    snprintf(text, sizeof text, "It does not settle in this run.");
  return text;
}

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static void add(struct statements *s, enum statement_kind kind, const char *id, const char *format, ...) {
  va_list args;
  if (s->count == MOST_STATEMENTS)
    return;
  struct statement *item = &s->item[s->count++];
  item->kind = kind;
  item->id = id;
  va_start(args, format);
  vsnprintf(item->text, sizeof item->text, format, args);
  va_end(args);
}

#define ARE(count) ((count) == 1 ? "was" : "were")

void statements_make(const struct judgement *j, struct statements *out) {
  const struct tally tally = tally_of(j), *t = &tally;
  *out = (struct statements){.count = 0};
#define HEADLINE(id, good, condition, ...)                                                                   \
  if (!out->count && (condition)) {                                                                          \
    add(out, STATEMENT_HEADLINE, #id, __VA_ARGS__);                                                          \
    out->grade = good;                                                                                       \
  }
#define SHOWN(id, condition, ...)                                                                            \
  if (condition)                                                                                             \
    add(out, STATEMENT_SHOWN, #id, __VA_ARGS__);
#define MISSING(id, condition, ...)                                                                          \
  if (condition)                                                                                             \
    add(out, STATEMENT_MISSING, #id, __VA_ARGS__);
#define MISSING_IN(id, condition, ...)                                                                       \
  for (int c = 0; c < t->conditions; c++)                                                                    \
    if (condition)                                                                                           \
      add(out, STATEMENT_MISSING, #id, __VA_ARGS__);
#include "lab/judge/statements.inc"
#undef HEADLINE
#undef SHOWN
#undef MISSING
#undef MISSING_IN
}

// The offset of the run without a failure in the time before the failures: how far its mean drifts, and its
// largest value decays, from the first half to the second.
static void look_back(const struct run_record *r, double end_s, double span_s, double *drift_m,
                      double *decay_m) {
  double sum[2] = {0, 0}, largest[2] = {0, 0};
  int count[2] = {0, 0};
  for (int i = 0; i < r->rows; i++) {
    const double before_s = end_s - r->time_s[i];
    const int half = before_s <= span_s / 2;
    if (before_s < 0 || before_s > span_s)
      continue;
    sum[half] += r->value[0][i];
    largest[half] = fmax(largest[half], fabs(r->value[0][i]));
    count[half]++;
  }
  *drift_m = count[0] && count[1] ? fabs(sum[1] / count[1] - sum[0] / count[0]) : (double)NAN;
  *decay_m = count[0] && count[1] ? fmax(largest[0] - largest[1], 0) : (double)NAN;
}

enum status settling_read(const struct trial_plan *p, const struct sweep_folder *folder, int point,
                          struct settling *out, struct reason *why) {
  static const int OFFSET[] = {QUANTITY_OFFSET};
  const double step_s = 10, most_m = tally_settled_m(p);
  struct run_record r;
  *out = (struct settling){.span_s = fmin(60, p->settle_s), .drift_m = NAN, .decay_m = NAN, .from_s = NAN};
  enum status status = run_record_read(OFFSET, 1, sweep_point_path(folder, point, "record.csv").text, &r);
  if (status != STATUS_OK)
    return fail(why, status, "out of memory for the record of point %d", point);
  look_back(&r, p->settle_s, out->span_s, &out->drift_m, &out->decay_m);
  for (double end_s = p->settle_s + step_s; r.rows && end_s <= r.time_s[r.rows - 1] && isnan(out->from_s);
       end_s += step_s) {
    double drift_m, decay_m;
    look_back(&r, end_s, out->span_s, &drift_m, &decay_m);
    if (drift_m <= most_m && decay_m <= most_m)
      out->from_s = end_s;
  }
  run_record_free(&r);
  return STATUS_OK;
}
