// A quantity against its own mean. The mean follows with LEVEL_MEAN_S, but by no more than half of the limit:
// a value that stays far away becomes the new level after minutes, one that comes and goes never does.
#include "sagbend/navigation/navigation.h"
#include "sagbend/navigation/navigation_internal.h"

#include "sagbend/math/math.h"

#include <math.h>

static const double WARM_S = 100, MEAN_S = 120, SMOOTH_S = 10, VARIANCE_S = 600, CUT = 3;

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

// ------------------------------------------------------------
// Roll and pitch, the pipe's pull and the wind, each a mean over the instruments that the vote leaves.

void update_attitude(struct navigation_sampling *nav) {
  struct navigation_state *state = nav->state;
  int used[MAX_INSTRUMENTS];
  instrument_vote(nav, INSTRUMENT_MOTION, 0, nav->def->angle_limit_rad, 1, used);
  if (!instrument_vote(nav, INSTRUMENT_MOTION, 1, nav->def->angle_limit_rad, 1, used))
    return; // keeps the last values

  for (int k = 0; k < 2; k++) {
    state->attitude[k] = trig_wrap(instrument_mean(nav, used, k, 1));
    state->attitude_rate[k] = instrument_mean(nav, used, 3 + k, 0);
  }
}

void update_pull(struct navigation_sampling *nav) {
  struct navigation_state *state = nav->state;
  int used[MAX_INSTRUMENTS];
  const struct navigation_def *def = nav->def;
  if (instrument_vote(nav, INSTRUMENT_LOAD_CELL, 0, def->tension_limit_n, 0, used)) {
    state->tension_n = instrument_mean(nav, used, 0, 0);
    state->tension_known = 1;
    state->tension_lost = 0;
  } else {
    state->tension_lost = state->tension_known || def->fallback == TENSION_FIXED;
    if (def->fallback == TENSION_FIXED)
      state->tension_n = def->fallback_n;
    else if (def->fallback == TENSION_NONE)
      state->tension_n = 0;
  }

  if (instrument_vote(nav, INSTRUMENT_HANGOFF_ANGLE, 0, def->angle_limit_rad, 1, used)) {
    state->inclination_rad = instrument_mean(nav, used, 0, 1);
    state->azimuth_rad = trig_wrap(instrument_mean(nav, used, 1, 1));
    state->angle_known = 1;
  } else if (!state->angle_known) {
    state->inclination_rad = def->fallback_inclination_rad;
    state->azimuth_rad = def->fallback_azimuth_rad;
  }
}

void update_payout(struct navigation_sampling *nav) {
  enum { LENGTH = 0, BRAKE = 2 };
  struct navigation_state *state = nav->state;
  int used[MAX_INSTRUMENTS];
  state->payout_known = instrument_vote(nav, INSTRUMENT_PAYOUT, LENGTH, 0, 0, used) > 0;
  if (state->payout_known)
    state->paid_out_m = instrument_mean(nav, used, LENGTH, 0);
  state->is_braked = instrument_vote(nav, INSTRUMENT_TENSIONER, BRAKE, 0, 0, used) > 0 &&
                     instrument_mean(nav, used, BRAKE, 0) > 0.5;
}

// Votes on the velocity of the air, forward and to starboard.
static int vote_wind(struct navigation_sampling *nav, int used[], double air_mps[2][MAX_INSTRUMENTS]) {
  int left = 0;
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < nav->def->count; i++) {
      used[i] = nav->def->instrument[i].kind == INSTRUMENT_WIND && nav->state->use[i] == USE_IN_USE;
      const double *v = used[i] ? nav->reading[i]->value : NULL; // speed and direction from which it comes
      air_mps[k][i] = v ? -v[0] * (k ? trig_sin(v[1]) : trig_cos(v[1])) : 0;
    }
    left = instrument_vote_on(nav, INSTRUMENT_WIND, air_mps[k], nav->def->wind_limit_mps, used);
  }
  return left;
}

void update_wind(struct navigation_sampling *nav, double filter_s) {
  struct navigation_state *state = nav->state;
  int used[MAX_INSTRUMENTS];
  double sum[2] = {0, 0}, air_mps[2][MAX_INSTRUMENTS] = {{0}};
  int count = vote_wind(nav, used, air_mps);
  for (int i = 0; i < nav->def->count; i++)
    for (int k = 0; k < 2 && used[i]; k++)
      sum[k] += air_mps[k][i] / count;

  double share = !state->wind_known ? 1 : filter_s > 0 ? nav->dt_s / (nav->dt_s + filter_s) : 1;
  for (int k = 0; k < 2 && count; k++) // without a sensor the last value is kept
    state->wind_b[k] += share * (sum[k] - state->wind_b[k]);
  state->wind_known |= count > 0;
}
