// Which instruments are used: availability, and voting among instruments of one kind.
#include "sagbend/dp/dp_internal.h"
#include "sagbend/math/trig.h"

#include <math.h>
#include <string.h>

double vote_median(const double *value, const int *used, int count) {
  double sorted[VOTE_MOST];
  int used_count = 0;
  for (int i = 0; i < count; i++) {
    if (!used[i])
      continue;
    int at = used_count++;
    for (; at > 0 && sorted[at - 1] > value[i]; at--)
      sorted[at] = sorted[at - 1];
    sorted[at] = value[i];
  }
  if (used_count == 0)
    return 0;
  return 0.5 * (sorted[(used_count - 1) / 2] + sorted[used_count / 2]);
}

int vote_exclude(const double *value, int *used, int count, double limit) {
  int used_count = 0, excluded = 0;
  for (int i = 0; i < count; i++)
    used_count += used[i] != 0;
  if (used_count < 3 || limit <= 0)
    return 0;
  double middle = vote_median(value, used, count);
  for (int i = 0; i < count; i++)
    if (used[i] && fabs(value[i] - middle) > limit) {
      used[i] = 0;
      excluded++;
    }
  return excluded;
}

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

void instrument_reject(struct navigation_sampling *nav, int instrument) {
  nav->state->use[instrument] = USE_REJECTED;
  nav->state->rejected += (uint64_t)nav->state->fresh[instrument];
}

// Value of a channel; a load cell measures only a share of the tension.
static double value_of(const struct navigation_sampling *nav, int i, int channel) {
  const struct dp_instrument *instrument = &nav->def->instrument[i];
  return nav->reading[i]->value[channel] / (instrument->kind == INSTRUMENT_LOAD_CELL ? instrument->share : 1);
}

int instrument_vote_on(struct navigation_sampling *nav, enum instrument kind, const double value[],
                       double limit, int used[]) {
  int remaining = 0, odd = 0;
  double sum = 0;
  vote_exclude(value, used, nav->def->count, limit);
  for (int i = 0; i < nav->def->count; i++) {
    if (nav->def->instrument[i].kind == kind && nav->state->use[i] == USE_IN_USE && !used[i])
      instrument_reject(nav, i);
    if (used[i])
      sum += remaining++ ? -value[i] : value[i];
  }
  odd = remaining == 2 && limit > 0 && nav->def->sigma_limit > 0 && fabs(sum) > limit;
  for (int i = 0; i < nav->def->count && odd; i++)
    if (used[i])
      instrument_suspect(nav, i, DOUBT_DIFFERS);
  return remaining;
}

int instrument_vote(struct navigation_sampling *nav, enum instrument kind, int channel, double limit,
                    int angle, int used[]) {
  double value[MAX_INSTRUMENTS], first = 0; // angles relative to the first one do not wrap
  int any = 0;
  for (int i = 0; i < nav->def->count; i++) {
    used[i] = nav->def->instrument[i].kind == kind && nav->state->use[i] == USE_IN_USE;
    value[i] = used[i] ? value_of(nav, i, channel) : 0;
    if (used[i] && angle && !any++)
      first = value[i];
    if (angle)
      value[i] = trig_wrap(value[i] - first);
  }
  return instrument_vote_on(nav, kind, value, limit, used);
}

double instrument_mean(const struct navigation_sampling *nav, const int used[], int channel, int angle) {
  double sum = 0, first = 0; // differences from the first one: angles do not wrap
  int count = 0;
  for (int i = 0; i < nav->def->count; i++) {
    if (!used[i])
      continue;
    double x = value_of(nav, i, channel);
    if (count++ == 0)
      first = x;
    sum += angle ? trig_wrap(x - first) : x - first;
  }
  return count ? first + sum / count : 0;
}
