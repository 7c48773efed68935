// Voting among instruments of one kind, and what it marks.
#include "sagbend/navigation/navigation.h"
#include "sagbend/navigation/navigation_internal.h"

#include "sagbend/math/math.h"

#include <math.h>

void instrument_suspect(struct navigation_sampling *nav, int i, enum instrument_doubt doubt) {
  struct instrument_watch *w = &nav->state->watch[i];
  if (doubt >= (enum instrument_doubt)w->doubt) {
    w->doubt = (int32_t)doubt;
    w->doubt_s = nav->time_s;
  }
}

void instrument_reject(struct navigation_sampling *nav, int instrument) {
  nav->state->use[instrument] = USE_REJECTED;
  nav->state->rejected += (uint64_t)nav->state->fresh[instrument];
}

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
