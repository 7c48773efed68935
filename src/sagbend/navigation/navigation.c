// One sample of the navigation.
#include "sagbend/navigation/navigation.h"
#include "sagbend/navigation/navigation_internal.h"

#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

const char *instrument_use_name(enum instrument_use use) {
  static const char *const names[] = {"in use", "absent", "invalid", "old", "frozen", "rejected"};
  return (unsigned)use < USE_COUNT ? names[use] : "unknown";
}

int navigation_instrument_count(const struct navigation_state *state, const struct navigation_def *def,
                                enum instrument kind, enum instrument_use use) {
  int count = 0;
  for (int i = 0; i < def->count; i++)
    count += def->instrument[i].kind == kind && state->use[i] == (int32_t)use;
  return count;
}

// Whether no gyro has shown a heading for longer than the prediction is good for: the next ones replace it.
static int heading_is_overdue(const struct navigation_sampling *nav) {
  return nav->state->is_blind || nav->time_s - nav->state->heading_s > OBSERVER_LONGEST_GAP_S;
}

// Corrects the heading by the gyros that agree with the prediction.
static void update_heading(struct navigation_sampling *nav) {
  struct navigation_state *state = nav->state;
  int used[MAX_INSTRUMENTS],
      count = instrument_vote(nav, INSTRUMENT_GYRO, 0, nav->def->heading_limit_rad, 1, used);
  double sum = 0, rate = 0, first = heading_now(nav), limit = nav->def->heading_limit_rad;
  const int is_overdue = heading_is_overdue(nav);
  if (!state->ready && count)
    first = instrument_mean(nav, used, 0, 1);
  int left = 0;
  for (int i = 0; i < nav->def->count; i++) {
    double predicted[3] = {0, 0, first};
    if (!used[i])
      continue;
    const struct reading *reading = nav->reading[i];
    if (state->ready)
      predicted_at(nav, reading->time_s, predicted);
    double off = trig_wrap(reading->value[0] - predicted[2]);
    int is_far = state->ready && limit > 0 && fabs(off) > limit;
    if (!is_overdue || !is_far)
      state->heading_s = nav->time_s;
    if (is_far && !is_overdue) {
      instrument_reject(nav, i);
      continue;
    }
    double sigma = nav->def->instrument[i].sigma_rad > 0 ? nav->def->instrument[i].sigma_rad
                                                         : nav->observer->heading_sigma_rad;
    if (state->ready && nav->observer->present && state->fresh[i])
      observer_correct_heading(&state->observer, nav->observer, off, sigma);
    sum += trig_wrap(reading->value[0] + reading->value[1] * (nav->time_s - reading->time_s) - first);
    rate += reading->value[1];
    left++;
  }
  if (left) {
    state->eta[2] = trig_wrap(first + sum / left);
    state->heading_rate = rate / left;
  } else {
    state->heading_rate = 0;
  }
}

// Sets the velocity without observer and position: from a speed log in still water, otherwise zero.
static void dead_reckon(struct navigation_sampling *nav) {
  struct navigation_state *state = nav->state;
  int used[MAX_INSTRUMENTS], n = instrument_vote(nav, INSTRUMENT_SPEED_LOG, 0, 0, 0, used);
  double u = n ? instrument_mean(nav, used, 0, 0) : 0, v = n ? instrument_mean(nav, used, 1, 0) : 0;
  double c = trig_cos(state->eta[2]), s = trig_sin(state->eta[2]);
  state->velocity_n[0] = c * u - s * v;
  state->velocity_n[1] = s * u + c * v;
}

// Starts, or starts again, at the mean of the fixes.
static void start_at_fix(struct navigation_sampling *nav, const struct fixes *fixes) {
  struct navigation_state *state = nav->state;
  double position[3];
  fixes_mean(nav, fixes, position, state->velocity_n);
  state->eta[0] = position[0];
  state->eta[1] = position[1];
  if (nav->observer->present)
    observer_start(&state->observer, nav->observer, state->eta, nav->time_s);
  state->ready = 1;
}

// Corrects the position by the fixes, or continues by dead reckoning.
static void update_position(struct navigation_sampling *nav, const struct fixes *fixes) {
  struct navigation_state *state = nav->state;
  double position[3], velocity[2], predicted[3];
  state->dead_reckoning = fixes->count == 0;
  if (fixes->count) {
    fixes_mean(nav, fixes, position, velocity);
    if (prediction_is_overdue(nav)) {
      start_at_fix(nav, fixes);
    } else if (!nav->observer->present) {
      memcpy(state->eta, position, 2 * sizeof *position);
      memcpy(state->velocity_n, velocity, sizeof state->velocity_n);
    }
    state->down_m = position[2];
    state->position_s = nav->time_s;
    state->is_blind = 0;
  } else if (!nav->observer->present) {
    dead_reckon(nav);
  }
  for (int i = 0; i < nav->def->count && nav->observer->present; i++) {
    if (!fixes->used[i] || !state->fresh[i])
      continue;
    predicted_at(nav, nav->reading[i]->time_s, predicted);
    const double off[2] = {fixes->position[i][0] - predicted[0], fixes->position[i][1] - predicted[1]};
    if (nav->def->principle_count > 0)
      observer_correct_fix(&state->observer, nav->observer, off, fixes->covariance[i]);
    else
      observer_correct_position(&state->observer, nav->observer, off, fixes->sigma[i]);
  }
}

static void set_output(const struct navigation_sampling *nav, const struct wind_force_def *wind,
                       struct navigation *out) {
  const struct navigation_state *state = nav->state;
  const struct observer_state *observer = &state->observer;
  memset(out, 0, sizeof *out);
  out->position_n_m[2] = state->down_m;
  memcpy(out->euler_rad, state->attitude, sizeof state->attitude);
  memcpy(out->euler_rate_radps, state->attitude_rate, sizeof state->attitude_rate);
  if (nav->observer->present) {
    double c = trig_cos(observer->eta[2]), s = trig_sin(observer->eta[2]);
    out->position_n_m[0] = observer->eta[0];
    out->position_n_m[1] = observer->eta[1];
    out->euler_rad[2] = observer->eta[2];
    out->velocity_n_mps[0] = c * observer->nu[0] - s * observer->nu[1];
    out->velocity_n_mps[1] = s * observer->nu[0] + c * observer->nu[1];
    out->euler_rate_radps[2] = observer->nu[2];
  } else {
    memcpy(out->position_n_m, state->eta, 2 * sizeof(double));
    out->euler_rad[2] = state->eta[2];
    memcpy(out->velocity_n_mps, state->velocity_n, sizeof state->velocity_n);
    out->euler_rate_radps[2] = state->heading_rate;
  }
  out->tension_n = state->tension_n;
  out->inclination_rad = state->inclination_rad;
  out->azimuth_n_rad = trig_wrap(state->azimuth_rad + out->euler_rad[2]);
  if (wind->row_count > 0 && state->wind_known)
    wind_force(wind, state->wind_b[0], state->wind_b[1], out->wind);
}

// Predicts to the present sample under the wrench tau and the wind.
static void predict(struct navigation_sampling *nav, const struct wind_force_def *wind, const double tau[3]) {
  struct navigation_state *state = nav->state;
  if (nav->observer->present) {
    double all[3] = {tau[0], tau[1], tau[2]}, wind_tau[3] = {0, 0, 0};
    if (wind->row_count > 0 && state->wind_known)
      wind_force(wind, state->wind_b[0], state->wind_b[1], wind_tau);
    for (int k = 0; k < 3; k++)
      all[k] += wind_tau[k];
    observer_predict(&state->observer, nav->observer, all, nav->time_s);
  } else {
    state->eta[0] += nav->dt_s * state->velocity_n[0];
    state->eta[1] += nav->dt_s * state->velocity_n[1];
    state->eta[2] = trig_wrap(state->eta[2] + nav->dt_s * state->heading_rate);
  }
}

static void update_attitude(struct navigation_sampling *nav);

static void update_pull(struct navigation_sampling *nav);

static void update_payout(struct navigation_sampling *nav);

static void update_wind(struct navigation_sampling *nav, double filter_s);

enum status navigation_sample(struct navigation_state *state, const struct navigation_def *def,
                              const struct observer_def *observer, const struct wind_force_def *wind,
                              const struct readings *readings, const double tau[3], double time_s,
                              struct navigation *out) {
  struct navigation_sampling nav = {.state = state, .def = def, .observer = observer, .time_s = time_s};
  nav.dt_s = state->ready && time_s > state->now_s ? time_s - state->now_s : 0;
  if (state->ready && !(time_s > state->now_s)) { // a repeated sample, or one out of order
    set_output(&nav, wind, out);
    return STATUS_OK;
  }

  if (nav.dt_s > OBSERVER_LONGEST_GAP_S)
    state->is_blind = 1;
  state->now_s = time_s;
  instruments_check(&nav, readings);
  update_attitude(&nav);
  update_pull(&nav);
  update_payout(&nav);
  update_wind(&nav, wind->filter_s);
  if (state->ready)
    predict(&nav, wind, tau);

  int gyros = navigation_instrument_count(state, def, INSTRUMENT_GYRO, USE_IN_USE);
  if (!state->ready && !gyros)
    return STATUS_BAD_INPUT;
  update_heading(&nav);

  struct fixes fixes;
  fixes_find(&nav, &fixes);
  if (!state->ready && !fixes.count)
    return STATUS_BAD_INPUT;
  if (!state->ready) {
    start_at_fix(&nav, &fixes);
    state->position_s = time_s;
  } else {
    references_note(&nav, &fixes);
    update_position(&nav, &fixes);
    if (observer->present)
      observer_remember(&state->observer, time_s);
  }
  set_output(&nav, wind, out);
  return STATUS_OK;
}

void navigation_position(const struct navigation_state *state, const struct observer_def *observer,
                         double position_n_m[2]) {
  memcpy(position_n_m, observer->present ? state->observer.eta : state->eta, 2 * sizeof *position_n_m);
}

static int use_is_valid(const struct navigation_state *s, int i, struct reason *why) {
  return valid_index(s->use[i], 0, USE_COUNT - 1, "use", why) && valid_flag(s->fresh[i], "fresh", why) &&
         valid_whole(s->sequence[i], 0, VALID_MOST_STEPS, "sequence", why) &&
         valid_finite(&s->new_s[i], 1, "new_s", why) && valid_finite(&s->changed_s[i], 1, "changed_s", why) &&
         valid_finite(s->value[i], READING_CHANNELS, "value", why) &&
         instrument_watch_is_valid(&s->watch[i], why);
}

int navigation_state_is_valid(const struct observer_def *observer, const struct navigation_state *s,
                              struct reason *why) {
  for (int i = 0; i < MAX_INSTRUMENTS; i++)
    if (!use_is_valid(s, i, why))
      return valid_fail_in(why, "instrument[%d].", i);
  for (int i = 0; i < MAX_INSTRUMENTS; i++)
    if (!reference_use_is_valid(&s->reference[i], why) || !reference_note_is_valid(&s->note[i], why))
      return valid_fail_in(why, "reference[%d].", i);
  if (!observer_state_is_valid(&s->observer, observer->present && s->ready, why))
    return valid_fail_in(why, "observer.");
  const double numbers[] = {s->now_s,       s->heading_rate, s->down_m,    s->tension_n, s->inclination_rad,
                            s->azimuth_rad, s->position_s,   s->heading_s, s->paid_out_m};
  return valid_whole(s->ready, 0, 1, "ready", why) && valid_flag(s->is_blind, "is_blind", why) &&
         valid_finite(&s->differ_s, 1, "differ_s", why) && valid_finite(s->eta, 3, "eta", why) &&
         valid_finite(s->velocity_n, 2, "velocity_n", why) && valid_finite(s->attitude, 2, "attitude", why) &&
         valid_finite(s->attitude_rate, 2, "attitude_rate", why) &&
         valid_finite(s->wind_b, 2, "wind_b", why) &&
         valid_finite(numbers, sizeof numbers / sizeof *numbers,
                      "now_s, heading_rate, down_m, tension_n, inclination_rad, azimuth_rad, position_s, "
                      "heading_s, paid_out_m",
                      why) &&
         valid_flag(s->wind_known, "wind_known", why) && valid_flag(s->tension_known, "tension_known", why) &&
         valid_flag(s->angle_known, "angle_known", why) &&
         valid_flag(s->dead_reckoning, "dead_reckoning", why) &&
         valid_flag(s->tension_lost, "tension_lost", why) &&
         valid_flag(s->payout_known, "payout_known", why) && valid_flag(s->is_braked, "is_braked", why) &&
         valid_whole(s->rejected, 0, VALID_MOST_STEPS * MAX_INSTRUMENTS, "rejected", why);
}

// ------------------------------------------------------------
// The wrench of the wind.

// Linear interpolation in a table that ends at half a turn (mirrored) or repeats after a full one.
static void coefficients(const struct wind_force_def *def, double from_rad, double c[3]) {
  const struct wind_force_row *rows = def->row;
  int n = def->row_count, half = rows[n - 1].angle_rad <= TRIG_PI + 1e-9;
  double angle = from_rad < 0 && !half ? from_rad + 2 * TRIG_PI : half ? fabs(from_rad) : from_rad;
  int i = 0;
  while (i + 1 < n && rows[i + 1].angle_rad <= angle)
    i++;
  int next = i + 1 < n ? i + 1 : half ? i : 0;
  double end = i + 1 < n ? rows[next].angle_rad : rows[0].angle_rad + 2 * TRIG_PI;
  double share = next == i ? 0 : (angle - rows[i].angle_rad) / (end - rows[i].angle_rad);
  for (int k = 0; k < 3; k++) {
    c[k] = rows[i].c[k] + share * (rows[next].c[k] - rows[i].c[k]);
    if (half && from_rad < 0 && k > 0)
      c[k] = -c[k];
  }
}

void wind_force(const struct wind_force_def *def, double along_mps, double across_mps, double wrench[3]) {
  double c[3], x = def->speed_factor * along_mps, y = def->speed_factor * across_mps;
  double pressure = 0.5 * def->air_density_kgpm3 * (x * x + y * y);
  coefficients(def, trig_atan2(-y, -x), c);
  wrench[0] = pressure * def->frontal_area_m2 * c[0];
  wrench[1] = pressure * def->lateral_area_m2 * c[1];
  wrench[2] = pressure * def->lateral_area_m2 * def->length_m * c[2];
}

// ------------------------------------------------------------
// Roll and pitch, the pipe's pull and the wind, each a mean over the instruments that the vote leaves.

// roll and pitch, and their rates
static void update_attitude(struct navigation_sampling *nav) {
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

// tension and direction of the pipe
static void update_pull(struct navigation_sampling *nav) {
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

// length paid out, brake of the tensioner
static void update_payout(struct navigation_sampling *nav) {
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

// filtered relative wind
static void update_wind(struct navigation_sampling *nav, double filter_s) {
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
