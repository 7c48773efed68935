// Quantities without a rate of their own, each against what it was before, and the pull of the pipe against
// its angle. instrument_watch.h
//
// For a catenary the tension at the hang-off is T = H + w z, with the horizontal pull H = T cos(angle), the
// weight w per length and the depth z below: T (1 - cos(angle)) = w z does not change as the vessel moves. So
// the angle follows from the tension, and where the two part, the one that has left its own level is wrong.
#include "sagbend/dp/dp_internal.h"

#include "sagbend/math/trig.h"

#include <math.h>

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

void instruments_check_levels(struct navigation_sampling *nav) {
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
