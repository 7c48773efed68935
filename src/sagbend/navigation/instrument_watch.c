// Timing, range, rate and copies of each instrument. navigation.h
#include "sagbend/navigation/navigation_internal.h"

#include "sagbend/math/math.h"

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

// 1 if its main value is the same for longer than limit_s, although it has changed from one measurement to
// the next before; one of the tensioner, if it did while the pipe was held.
static int instrument_repeats(const struct navigation_sampling *nav, int i, double limit_s) NONBLOCKING {
  return changes_as_a_rule(nav, i) && nav->time_s - nav->state->watch[i].main_changed_s > limit_s;
}

// 1 if all its numbers are the same for longer than limit_s and in more measurements in a row than chance
// gives, although its main value changes from one measurement to the next as a rule.
static int instrument_has_stopped(const struct navigation_sampling *nav, int i, double limit_s) NONBLOCKING {
  enum { CERTAIN = 20 }; // by chance once in 1e14
  return changes_as_a_rule(nav, i) && nav->state->watch[i].repeats >= CERTAIN &&
         nav->time_s - nav->state->changed_s[i] > limit_s;
}

// Passes a new measurement through the tests of navigation.h, before its values are stored. passed:
// measurements since the one before.
static void instrument_watch(struct navigation_sampling *nav, int i, uint64_t passed) NONBLOCKING {
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

// Ends a doubt that has not been confirmed for a while.
static void instrument_forget_doubt(struct navigation_sampling *nav, int i) NONBLOCKING {
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

// 1 if an instrument in use must not be used for its doubt: a copy and a late one only where another of their
// kind is left.
static int instrument_is_refused(const struct navigation_sampling *nav, int i) NONBLOCKING {
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

// ------------------------------------------------------------
// Which instruments are used.

static const struct reading *find_reading(const struct readings *readings,
                                          const struct dp_instrument *instrument) {
  for (int i = 0; i < readings->instrument_count; i++) {
    const struct reading *reading = &readings->instrument[i];
    if (reading->kind == instrument->kind && strncmp(reading->name, instrument->name, SIGNAL_NAME) == 0)
      return reading;
  }
  return NULL;
}

static int values_are_finite(const struct reading *reading) {
  for (int k = 0; k < instrument_channel_count(reading->kind); k++)
    if (!isfinite(reading->value[k]))
      return 0;
  return isfinite(reading->time_s);
}

static const double STOPPED = 0.25; // of frozen_s, for numbers that chance does not repeat so often

// Whether an instrument repeats the same numbers for too long while another one's change. If none changes,
// the vessel may be at rest. Those of the tensioner do so while it holds the pipe.
static int is_frozen(const struct navigation_sampling *nav, int i) {
  double limit = nav->def->frozen_s;
  enum instrument kind = nav->def->instrument[i].kind;
  if (limit <= 0)
    return 0;
  int may_rest = kind == INSTRUMENT_PAYOUT || kind == INSTRUMENT_TENSIONER ||
                 nav->time_s - nav->state->changed_s[i] <= limit;
  if (may_rest && !instrument_repeats(nav, i, limit) && !instrument_has_stopped(nav, i, STOPPED * limit))
    return 0;
  for (int k = 0; k < nav->def->count; k++)
    if (k != i && nav->state->sequence[k] && nav->time_s - nav->state->changed_s[k] <= limit)
      return 1;
  return 0;
}

// Status of an instrument by itself; notes whether its measurement is new.
static enum instrument_use check_instrument(struct navigation_sampling *nav, int i) {
  struct navigation_state *state = nav->state;
  const struct reading *reading = nav->reading[i];
  state->fresh[i] = 0;
  if (!reading)
    return USE_ABSENT;
  if (reading->sequence == 0)
    return USE_OLD;
  if (!values_are_finite(reading))
    return USE_INVALID;

  if (reading->sequence != state->sequence[i]) {
    state->fresh[i] = 1;
    const int is_first =
        !state->sequence[i] || nav->time_s - state->new_s[i] > nav->def->old_s; // or after a gap
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are compared, all are finite
    if (is_first || memcmp(reading->value, state->value[i], sizeof state->value[i]) != 0)
      state->changed_s[i] = nav->time_s;
    uint64_t passed = reading->sequence > state->sequence[i] ? reading->sequence - state->sequence[i] : 1;
    instrument_watch(nav, i, passed);
    memcpy(state->watch[i].before, state->value[i], sizeof state->watch[i].before);
    state->sequence[i] = reading->sequence;
    state->new_s[i] = nav->time_s;
    memcpy(state->value[i], reading->value, sizeof state->value[i]);
  }

  if (!reading->valid || instrument_is_slack(nav->def->instrument[i].kind, reading->value))
    return USE_INVALID;
  if (nav->time_s - state->new_s[i] > nav->def->old_s || nav->time_s - reading->time_s > 2 * nav->def->old_s)
    return USE_OLD;
  return is_frozen(nav, i) ? USE_FROZEN : USE_IN_USE;
}

// Refuses doubtful instruments: first those that are wrong by themselves, then those that others replace.
static void refuse_doubtful(struct navigation_sampling *nav) {
  for (int graver = 1; graver >= 0; graver--)
    for (int i = 0; i < nav->def->count; i++) {
      int is_grave = nav->state->watch[i].doubt >= DOUBT_RANGE;
      if (is_grave == graver && nav->state->use[i] == USE_IN_USE && instrument_is_refused(nav, i))
        instrument_reject(nav, i);
    }
}

// ------------------------------------------------------------
// A quantity against its own mean. The mean follows with LEVEL_MEAN_S, but by no more than half of the limit:
// a value that stays far away becomes the new level after minutes, one that comes and goes never does.

static const double WARM_S = 100, MEAN_S = 120, SMOOTH_S = 10;

static double within(double x, double limit) {
  return x > limit ? limit : x < -limit ? -limit : x;
}

static void follow_variance(double *variance, double off, double limit, double h_s) {
  double most = fmax(CUT * CUT * *variance, 0.01 * limit * limit);
  *variance += h_s / VARIANCE_S * (fmin(off * off, most) - *variance);
}

// Follows a quantity over h seconds. sigmas: of the limit, which is at least smallest. Nothing departs within
// the first LEVEL_WARM_S.
static struct level_departure level_follow(struct level *level, double x, double h_s, double sigmas,
                                           double smallest) NONBLOCKING {
  struct level_departure out = {0, 0};
  double off = x - level->mean;
  if (!(h_s > 0))
    return out;
  if (level->seen_s < WARM_S) {
    if (level->seen_s <= 0)
      level->mean = level->smooth = x, off = 0;
    level->seen_s += h_s;
    double share = h_s / level->seen_s;
    level->mean += share * off;
    level->smooth += fmin(1, h_s / SMOOTH_S) * (x - level->smooth);
    double slow = level->smooth - level->mean;
    level->variance += share * (off * off - level->variance);
    level->smooth_variance += share * (slow * slow - level->smooth_variance);
    return out;
  }
  double limit = fmax(sigmas * sqrt(level->variance), smallest),
         smooth_limit = fmax(sigmas * sqrt(level->smooth_variance), 0.5 * smallest);
  out.jumps = fabs(off) > limit;
  level->smooth +=
      fmin(1, h_s / SMOOTH_S) * (within(x - level->mean, 2 * limit) + level->mean - level->smooth);
  double slow = level->smooth - level->mean;
  out.shifts = fabs(slow) > smooth_limit;
  follow_variance(&level->variance, off, limit, h_s);
  follow_variance(&level->smooth_variance, slow, smooth_limit, h_s);
  level->mean += h_s / MEAN_S * within(off, 0.5 * limit);
  return out;
}

// ------------------------------------------------------------
// Quantities without a rate of their own, each against what it was before, and the pull of the pipe against
// its angle. navigation.h
//
// For a catenary the tension at the hang-off is T = H + w z, with the horizontal pull H = T cos(angle), the
// weight w per length and the depth z below: T (1 - cos(angle)) = w z does not change as the vessel moves. So
// the angle follows from the tension, and where the two part, the one that has left its own level is wrong.

static const double LOG_SMALLEST_MPS = 0.5, TOUCHDOWN_SMALLEST_M = 15; // of a step

static int is_new(const struct navigation_sampling *nav, int i, enum instrument kind) {
  return nav->def->instrument[i].kind == kind && nav->state->use[i] == USE_IN_USE && nav->state->fresh[i] &&
         nav->state->watch[i].doubt != DOUBT_RANGE;
}

static double period_of(const struct navigation_sampling *nav, int i) {
  return nav->state->watch[i].arrival_s;
}

static double tension_of(const struct navigation_sampling *nav, int i) {
  const struct dp_instrument *instrument = &nav->def->instrument[i];
  return nav->reading[i]->value[0] / (instrument->kind == INSTRUMENT_LOAD_CELL ? instrument->share : 1);
}

static int shows_tension(const struct navigation_sampling *nav, int i) {
  enum instrument kind = nav->def->instrument[i].kind;
  return (kind == INSTRUMENT_LOAD_CELL || kind == INSTRUMENT_TENSIONER) && nav->state->use[i] == USE_IN_USE &&
         nav->state->watch[i].doubt < DOUBT_RANGE;
}

// Others that show a tension, and those of them that show the same one.
static int count_others(const struct navigation_sampling *nav, int i, int *agree) {
  int others = 0;
  *agree = 0;
  for (int k = 0; k < nav->def->count; k++) {
    int is_other = k != i && shows_tension(nav, k);
    others += is_other;
    *agree += is_other && fabs(tension_of(nav, k) - tension_of(nav, i)) <= nav->def->tension_limit_n;
  }
  return others;
}

static enum instrument_doubt doubt_tension(const struct navigation_sampling *nav, int i,
                                           struct level_departure d) {
  int agree, others = count_others(nav, i, &agree), departs = d.jumps || (others && d.shifts);
  if (agree == others)
    return departs && !others ? DOUBT_LEVEL : DOUBT_NONE;
  return departs && !agree ? DOUBT_LEVEL : departs || !agree ? DOUBT_DIFFERS : DOUBT_NONE;
}

// Load cells and tensioner. What all agree on is the tension, however far from before. Where one stands alone
// it is wrong if it has left its level; otherwise those that differ are named.
static void check_tensions(struct navigation_sampling *nav) {
  double limit_n = nav->def->tension_limit_n;
  enum instrument_doubt doubt[MAX_INSTRUMENTS] = {DOUBT_NONE};
  for (int i = 0; i < nav->def->count && limit_n > 0; i++) {
    if (!shows_tension(nav, i) || !nav->state->fresh[i])
      continue;
    struct level_departure d = level_follow(&nav->state->watch[i].level[0], tension_of(nav, i),
                                            period_of(nav, i), nav->def->sigma_limit, limit_n);
    doubt[i] = doubt_tension(nav, i, d);
  }
  for (int i = 0; i < nav->def->count; i++)
    if (doubt[i] != DOUBT_NONE)
      instrument_suspect(nav, i, doubt[i]);
}

// The second level of the angle is the weight that it and the tension show.
static void check_angle(struct navigation_sampling *nav, int i) {
  struct navigation_state *state = nav->state;
  struct level *own = &state->watch[i].level[0], *left = &state->watch[i].level[1];
  double angle = nav->reading[i]->value[0], smallest = 2 * nav->def->angle_limit_rad;
  if (!(smallest > 0) || !state->tension_known || state->tension_lost || !(state->tension_n > 0))
    return;
  struct level_departure a = level_follow(own, angle, period_of(nav, i), nav->def->sigma_limit, smallest);
  double weight_n = state->tension_n * (1 - trig_cos(angle)),
         per_rad = state->tension_n * fabs(trig_sin(own->mean));
  struct level_departure w =
      level_follow(left, weight_n, period_of(nav, i), nav->def->sigma_limit, smallest * per_rad);
  if ((a.jumps && w.jumps) || (a.shifts && w.shifts))
    instrument_suspect(nav, i, DOUBT_LEVEL);
}

// The water moves slowly past the earth: what the log shows less the vessel's own velocity, in north and
// east.
static void check_log(struct navigation_sampling *nav, int i) {
  const struct observer_state *o = &nav->state->observer;
  if (!nav->observer->present || !nav->state->ready)
    return;
  double c = trig_cos(o->eta[2]), s = trig_sin(o->eta[2]);
  const double *v = nav->reading[i]->value, off[2] = {v[0] - o->nu[0], v[1] - o->nu[1]};
  const double n[2] = {c * off[0] - s * off[1], s * off[0] + c * off[1]};
  for (int k = 0; k < 2; k++) {
    struct level_departure d = level_follow(&nav->state->watch[i].level[k], n[k], period_of(nav, i),
                                            nav->def->sigma_limit, LOG_SMALLEST_MPS);
    if (d.jumps || d.shifts)
      instrument_suspect(nav, i, DOUBT_LEVEL);
  }
}

// What changes slowly from one measurement to the next: the touchdown follows the vessel, and jumps to and
// fro in the sea; the wind grows.
static void check_steps(struct navigation_sampling *nav, int i, int channels, double smallest) {
  struct instrument_watch *w = &nav->state->watch[i];
  for (int k = 0; k < channels && w->count > 1 && smallest > 0; k++) {
    struct level_departure d = level_follow(&w->level[k], nav->reading[i]->value[k] - w->before[k],
                                            period_of(nav, i), nav->def->sigma_limit, smallest);
    if (d.jumps)
      instrument_suspect(nav, i, DOUBT_LEVEL);
  }
}

static void instruments_check_levels(struct navigation_sampling *nav) {
  check_tensions(nav);
  for (int i = 0; i < nav->def->count; i++) {
    if (is_new(nav, i, INSTRUMENT_HANGOFF_ANGLE))
      check_angle(nav, i);
    if (is_new(nav, i, INSTRUMENT_SPEED_LOG))
      check_log(nav, i);
    if (is_new(nav, i, INSTRUMENT_TOUCHDOWN))
      check_steps(nav, i, 2, TOUCHDOWN_SMALLEST_M);
    if (is_new(nav, i, INSTRUMENT_WIND))
      check_steps(nav, i, 1, nav->def->wind_limit_mps);
  }
}

// ------------------------------------------------------------

void instruments_check(struct navigation_sampling *nav, const struct readings *readings) {
  for (int i = 0; i < nav->def->count; i++) {
    nav->reading[i] = find_reading(readings, &nav->def->instrument[i]);
    instrument_forget_doubt(nav, i);
  }
  for (int i = 0; i < nav->def->count; i++)
    nav->state->use[i] = check_instrument(nav, i);
  if (!(nav->def->sigma_limit > 0))
    return;
  instruments_check_levels(nav);
  refuse_doubtful(nav);
}
