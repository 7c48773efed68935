// Timing, range, rate and copies of each instrument. instrument_watch.h
#include "sagbend/dp/dp_internal.h"

#include "sagbend/math/trig.h"

#include <math.h>
#include <string.h>

enum { FIRST_MEASUREMENTS = 10, APART_MEASUREMENTS = 5, COPY_MEASUREMENTS = 8, MOST_COUNTED = 1000000 };
static const double RATE_S = 60, RATE_WARM_S = 60, VARIANCE_S = 600, CUT = 3;
static const double GAP_S = 0.6;            // in which a rate is straight enough
static const double LATE_S = 1;             // beside half a period
static const double MISSING_ALLOWED = 0.25; // per measurement
static const double MISSING_LIMIT = 2;
static const double DOUBT_S = 20; // without confirmation until an instrument is trusted again

#define DOUBT(id, text) [id] = (text),
static const char *const DOUBTS[] = {INSTRUMENT_DOUBT_TABLE(DOUBT)};
#undef DOUBT

const char *instrument_doubt_name(enum instrument_doubt doubt) {
  return (unsigned)doubt < DOUBT_COUNT ? DOUBTS[doubt] : "unknown";
}

// A value and its rate, by channels; the smallest limit of their agreement is a share of that of the kind.
static const struct rate_pair {
  enum instrument kind;
  int value, rate, is_angle;
} PAIRS[] = {
    {INSTRUMENT_GNSS, 0, 3, 0},   {INSTRUMENT_GNSS, 1, 4, 0},   {INSTRUMENT_GYRO, 0, 1, 1},
    {INSTRUMENT_MOTION, 0, 3, 1}, {INSTRUMENT_MOTION, 1, 4, 1}, {INSTRUMENT_PAYOUT, 0, 1, 0},
};

// What a kind can measure at all, by channels.
static const struct range {
  enum instrument kind;
  int channel;
  double low, high;
} RANGES[] = {
    {INSTRUMENT_MOTION, 0, -1.2, 1.2},         {INSTRUMENT_MOTION, 1, -1.2, 1.2},
    {INSTRUMENT_GYRO, 1, -0.5, 0.5},           {INSTRUMENT_WIND, 0, 0, 100},
    {INSTRUMENT_SPEED_LOG, 0, -20, 20},        {INSTRUMENT_SPEED_LOG, 1, -20, 20},
    {INSTRUMENT_HANGOFF_ANGLE, 0, 0, TRIG_PI}, {INSTRUMENT_TENSIONER, 2, 0, 1},
};

static int32_t count_one(int32_t count) {
  return count < MOST_COUNTED ? count + 1 : count;
}

static double smallest_limit(const struct navigation_def *def, enum instrument kind) {
  switch (kind) {
  case INSTRUMENT_GNSS:
    return 0.1 * def->position_limit_m;
  case INSTRUMENT_GYRO:
    return 0.1 * def->heading_limit_rad;
  case INSTRUMENT_MOTION:
    return 0.1 * def->angle_limit_rad;
  case INSTRUMENT_PAYOUT:
    return 0.1;
  default:
    return 0;
  }
}

void instrument_suspect(struct navigation_sampling *nav, int i, enum instrument_doubt doubt) {
  struct instrument_watch *w = &nav->state->watch[i];
  if (doubt >= (enum instrument_doubt)w->doubt) {
    w->doubt = (int32_t)doubt;
    w->doubt_s = nav->time_s;
  }
}

// Interval and age. The interval counts by measurements: what the link loses is missing in the sequence too.
static void check_timing(struct navigation_sampling *nav, int i, uint64_t passed) {
  struct instrument_watch *w = &nav->state->watch[i];
  const struct reading *r = nav->reading[i];
  double age_s = nav->time_s - r->time_s, interval_s = (r->time_s - w->time_s) / (double)passed;
  if (w->count <= FIRST_MEASUREMENTS) {
    if (w->count > 1) {
      w->period_s += (interval_s - w->period_s) / (w->count - 1);
      w->arrival_s += (r->time_s - w->time_s - w->arrival_s) / (w->count - 1);
    }
    w->age_s = fmax(w->age_s, age_s);
    return;
  }
  if (!(w->period_s > 0))
    return;
  w->missing = fmin(fmax(0, w->missing + interval_s / w->period_s - 1 - MISSING_ALLOWED), 2 * MISSING_LIMIT);
  if (w->missing > MISSING_LIMIT)
    instrument_suspect(nav, i, DOUBT_SPARSE);
  if (age_s > w->age_s + LATE_S + 0.5 * w->period_s)
    instrument_suspect(nav, i, DOUBT_LATE);
}

static void check_range(struct navigation_sampling *nav, int i) {
  const struct reading *r = nav->reading[i];
  for (size_t k = 0; k < sizeof RANGES / sizeof *RANGES; k++)
    if (RANGES[k].kind == r->kind &&
        !(r->value[RANGES[k].channel] >= RANGES[k].low && r->value[RANGES[k].channel] <= RANGES[k].high))
      instrument_suspect(nav, i, DOUBT_RANGE);
}

// s is the value less the integral of its rate, and fades: white noise of the value and of the rate keep it
// within bounds, a step is seen at once, and a drift d becomes d RATE_S.
static void check_rate(struct navigation_sampling *nav, int i, double h_s) {
  struct instrument_watch *w = &nav->state->watch[i];
  const struct reading *r = nav->reading[i];
  const double *before = nav->state->value[i];
  double smallest = smallest_limit(nav->def, r->kind), sigmas = nav->def->sigma_limit;
  int at = 0;
  if (!(smallest > 0) || !(h_s > 0) || h_s > fmax(1.5 * w->arrival_s, GAP_S)) // longer, waves are lost in it
    return;
  w->rate_seen_s += h_s;
  for (size_t k = 0; k < sizeof PAIRS / sizeof *PAIRS; k++) {
    if (PAIRS[k].kind != r->kind)
      continue;
    double *sum = &w->rate_sum[at], *variance = &w->rate_variance[at];
    double change = r->value[PAIRS[k].value] - before[PAIRS[k].value],
           by_rate = 0.5 * h_s * (r->value[PAIRS[k].rate] + before[PAIRS[k].rate]);
    at++;
    *sum += (PAIRS[k].is_angle ? trig_wrap(change) : change) - by_rate - h_s / RATE_S * *sum;
    if (w->rate_seen_s < RATE_WARM_S) {
      *variance += h_s / w->rate_seen_s * (*sum * *sum - *variance);
      continue;
    }
    double limit = fmax(sigmas * sqrt(*variance), smallest);
    if (fabs(*sum) > limit)
      instrument_suspect(nav, i, DOUBT_RATE);
    *sum = fmin(fmax(*sum, -1.2 * limit), 1.2 * limit); // what was a step is over when it fades
    double most = fmax(CUT * CUT * *variance, 0.01 * limit * limit);
    *variance += h_s / VARIANCE_S * (fmin(*sum * *sum, most) - *variance);
  }
}

static int are_equal(const double a[], const double b[]) {
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are compared, all are finite
  return memcmp(a, b, READING_CHANNELS * sizeof *a) == 0;
}

// The one of its kind whose numbers these are, now or one measurement ago; -1: none. Two that have never been
// seen to differ may be ideal ones.
static int find_twin(struct navigation_sampling *nav, int i) {
  struct instrument_watch *w = &nav->state->watch[i];
  const double *value = nav->reading[i]->value;
  int twin = -1;
  for (int k = 0; k < nav->def->count; k++) {
    const struct reading *other = nav->reading[k];
    if (k == i || nav->def->instrument[k].kind != nav->def->instrument[i].kind || !other ||
        nav->state->use[k] == USE_OLD || nav->state->use[k] == USE_FROZEN)
      continue;
    int same = are_equal(value, other->value), equal = same ||
                                                       are_equal(value, nav->state->watch[k].before) ||
                                                       are_equal(value, nav->state->value[k]);
    if (!equal && w->count > APART_MEASUREMENTS)
      w->apart |= 1u << k;
    if (equal && !(same && k > i) && w->apart & 1u << k &&
        (twin < 0 || k == w->twin)) // of a pair the later one
      twin = k;
  }
  return twin;
}

// Noise makes two instruments equal by chance in a tenth of the measurements of a channel at most.
static void check_copies(struct navigation_sampling *nav, int i) {
  struct instrument_watch *w = &nav->state->watch[i];
  int twin = find_twin(nav, i);
  if (twin < 0 || twin != w->twin)
    w->twin_run = 0;
  w->twin = twin < 0 ? 0 : twin;
  if (twin >= 0)
    w->twin_run = count_one(w->twin_run);
  if (w->twin_run < COPY_MEASUREMENTS)
    return;
  w->copy_of = w->twin;
  instrument_suspect(nav, i, DOUBT_COPY);
}

static void count_changes(struct navigation_sampling *nav, int i) {
  enum { LONG_REPEAT = 3 };
  struct instrument_watch *w = &nav->state->watch[i];
  int held = nav->state->is_braked;
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are compared, all are finite
  int changes = memcmp(nav->reading[i]->value, nav->state->value[i], sizeof(double)) != 0;
  const int is_after_gap =
      nav->time_s - nav->state->new_s[i] > nav->def->old_s; // what changed in it is unknown
  if (changes || is_after_gap || w->count == 0)
    w->main_changed_s = nav->time_s;
  w->repeats = changes || is_after_gap ? 0 : count_one(w->repeats);
  if (changes)
    w->changes[held] = count_one(w->changes[held]);
  else if (w->repeats <= LONG_REPEAT)
    w->same[held] = count_one(w->same[held]);
  w->count = count_one(w->count);
}

// Whether its main value changes from one measurement to the next as a rule: the same comes in a fifth at
// most.
static int changes_as_a_rule(const struct navigation_sampling *nav, int i) {
  const struct instrument_watch *w = &nav->state->watch[i];
  enum instrument kind = nav->def->instrument[i].kind;
  int only_held = kind == INSTRUMENT_PAYOUT || kind == INSTRUMENT_TENSIONER;
  int changes = w->changes[1] + (only_held ? 0 : w->changes[0]),
      same = w->same[1] + (only_held ? 0 : w->same[0]);
  return changes >= 20 && changes > 4 * same;
}

int instrument_repeats(const struct navigation_sampling *nav, int i, double limit_s) {
  return changes_as_a_rule(nav, i) && nav->time_s - nav->state->watch[i].main_changed_s > limit_s;
}

int instrument_has_stopped(const struct navigation_sampling *nav, int i, double limit_s) {
  enum { CERTAIN = 20 }; // by chance once in 1e14
  return changes_as_a_rule(nav, i) && nav->state->watch[i].repeats >= CERTAIN &&
         nav->time_s - nav->state->changed_s[i] > limit_s;
}

void instrument_watch(struct navigation_sampling *nav, int i, uint64_t passed) {
  struct instrument_watch *w = &nav->state->watch[i];
  const struct reading *r = nav->reading[i];
  double h_s = w->count ? r->time_s - w->time_s : 0;
  if (nav->def->sigma_limit > 0) {
    count_changes(nav, i);
    check_timing(nav, i, passed);
    check_range(nav, i);
    if (w->count > 1)
      check_rate(nav, i, h_s);
    check_copies(nav, i);
  }
  w->time_s = r->time_s;
}

void instrument_forget_doubt(struct navigation_sampling *nav, int i) {
  struct instrument_watch *w = &nav->state->watch[i];
  if (w->doubt == DOUBT_NONE || nav->time_s - w->doubt_s <= DOUBT_S)
    return;
  int is_copy = w->twin_run >= COPY_MEASUREMENTS && w->doubt != DOUBT_COPY; // which a graver doubt has hidden
  w->doubt = is_copy ? DOUBT_COPY : DOUBT_NONE;
  w->doubt_s = nav->time_s;
}

// Whether another one of its kind is in use, and not late itself.
static int has_better(const struct navigation_sampling *nav, int i) {
  for (int k = 0; k < nav->def->count; k++)
    if (k != i && nav->def->instrument[k].kind == nav->def->instrument[i].kind &&
        nav->state->use[k] == USE_IN_USE && nav->state->watch[k].doubt == DOUBT_NONE)
      return 1;
  return 0;
}

int instrument_is_refused(const struct navigation_sampling *nav, int i) {
  enum instrument_doubt doubt = (enum instrument_doubt)nav->state->watch[i].doubt;
  int is_second_to_others = doubt == DOUBT_LATE || doubt == DOUBT_COPY;
  return doubt >= DOUBT_RANGE || (is_second_to_others && has_better(nav, i));
}

int instrument_watch_is_valid(const struct instrument_watch *w, struct reason *why) {
  const double numbers[] = {w->main_changed_s, w->time_s,  w->period_s,    w->age_s,
                            w->missing,        w->doubt_s, w->rate_seen_s, w->arrival_s};
  for (int k = 0; k < WATCH_LEVELS; k++)
    if (!valid_finite(&w->level[k].seen_s, sizeof w->level[k] / sizeof(double), "level", why))
      return 0;
  const int32_t counts[] = {w->count,   w->repeats, w->changes[0], w->changes[1],
                            w->same[0], w->same[1], w->twin_run};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
    if (!valid_range(counts[k], 0, MOST_COUNTED, "count", why))
      return 0;
  return valid_index(w->doubt, 0, DOUBT_COUNT - 1, "doubt", why) &&
         valid_index(w->copy_of, 0, MAX_INSTRUMENTS - 1, "copy_of", why) &&
         valid_index(w->twin, 0, MAX_INSTRUMENTS - 1, "twin", why) &&
         valid_finite(numbers, sizeof numbers / sizeof *numbers,
                      "main_changed_s, time_s, period_s, age_s, missing, doubt_s, rate_seen_s, arrival_s",
                      why) &&
         valid_finite(w->before, READING_CHANNELS, "before", why) &&
         valid_finite(w->rate_sum, WATCH_RATES, "rate_sum", why) &&
         valid_finite(w->rate_variance, WATCH_RATES, "rate_variance", why);
}
