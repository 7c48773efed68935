#include "sagbend/dp/navigation.h"

#include "sagbend/dp/dp_internal.h"
#include "sagbend/math/trig.h"

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

double heading_now(const struct navigation_sampling *nav) {
  return nav->observer->present && nav->state->ready
             ? trig_wrap(nav->state->observer.eta[2] + nav->state->observer.xi2[2])
             : nav->state->eta[2];
}

void predicted_at(const struct navigation_sampling *nav, double time_s, double y[3]) {
  const struct navigation_state *state = nav->state;
  if (nav->observer->present) {
    observer_measured_at(&state->observer, time_s, y);
    return;
  }
  double back = time_s - nav->time_s;
  y[0] = state->eta[0] + back * state->velocity_n[0];
  y[1] = state->eta[1] + back * state->velocity_n[1];
  y[2] = state->eta[2] + back * state->heading_rate;
}

int prediction_is_overdue(const struct navigation_sampling *nav) {
  return nav->state->is_blind ||
         (nav->def->reaccept_s > 0 && nav->time_s - nav->state->position_s > nav->def->reaccept_s);
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
