// The law of the DP controller: reference, PID law, feed-forward, and take-over without a jump of the wrench.
//
// At take-over the terms of the law are made to sum to the wrench that acts:
//   Ki integral = f - Kp e,  J' f = -(applied - feed-forward)  (e = 0 unless approach_s = 0),
// with the integral within its bound. The remainder (components without Ki, a bound reached, the damping of
// the present motion) is carried as an offset wrench. It fades with the same blend that moves the reference.
#include "sagbend/dp/dp_parts.h"

#include "sagbend/math/so3.h"
#include "sagbend/math/trig.h"

#include <string.h>

// Time without sensors in which the error is not taken for that of a vessel under control.
static const double LONGEST_GAP_S = 5;

double dp_clamp(double value, double limit) {
  if (limit <= 0)
    return value;
  return value > limit ? limit : value < -limit ? -limit : value;
}

double dp_blend(double u) {
  if (u <= 0)
    return 0;
  return u >= 1 ? 1 : u * u * u * (10 + u * (6 * u - 15));
}

static double blend_rate(double u) {
  return u <= 0 || u >= 1 ? 0 : 30 * u * u * (1 - u) * (1 - u);
}

double dp_approach_progress(const struct dp_state *state, const struct pid_def *def, double time_s) {
  if (!state->active || def->approach_s <= 0)
    return 1;
  return (time_s - state->start_time_s) / def->approach_s;
}

// Carries an initial rate: h'(0) = 1, and h, h', h'' are zero otherwise at both ends.
static double carry(double u) {
  return u <= 0 || u >= 1 ? 0 : u * (1 + u * u * (-6 + u * (8 - 3 * u)));
}

static double carry_rate(double u) {
  return u < 0 || u >= 1 ? 0 : 1 + u * u * (-18 + u * (32 - 15 * u));
}

static void moving_reference(const struct dp_move *move, double approach_s, double time_s,
                             double reference[6], double rate[6]) {
  double u = approach_s > 0 ? (time_s - move->begin_s) / approach_s : 1;
  double left = 1 - dp_blend(u), speed = approach_s > 0 ? blend_rate(u) / approach_s : 0;
  for (int i = 0; i < 6; i++) {
    double distance = move->reference[i] - move->from[i];
    if (i >= 3)
      distance = trig_wrap(distance);
    reference[i] = move->reference[i] - left * distance + approach_s * move->from_rate[i] * carry(u);
    rate[i] = speed * distance + move->from_rate[i] * carry_rate(u);
  }
}

void dp_set_setpoint(struct dp_state *state, const struct dp_def *def, const double setpoint[3]) {
  struct dp_move *move = &state->move;
  double from[6], from_rate[6];
  if (state->active) {
    dp_reference(state, def, state->last_time_s, from, from_rate);
    memcpy(move->from, from, sizeof move->from);
    memcpy(move->from_rate, from_rate, sizeof move->from_rate);
    move->begin_s = state->last_time_s;
    move->moving = 1;
  }
  memcpy(move->reference, def->pid.reference, sizeof move->reference);
  move->reference[0] = setpoint[0];
  move->reference[1] = setpoint[1];
  move->reference[YAW] = setpoint[2];
  move->ordered = 1;
  if (state->active)
    consequence_wait(&state->consequence, &def->consequence, state->last_time_s);
  if (def->track.route.count) {
    state->track.phase = TRACK_LEFT;
    state->track.since_s = state->last_time_s;
  }
}

void dp_set_track(struct dp_state *state, const struct track_orders *orders) {
  state->track.orders = *orders;
}

static int is_on_route(const struct dp_state *state) {
  return state->track.phase != TRACK_NONE && state->track.phase != TRACK_LEFT;
}

void dp_target(const struct dp_state *state, const struct dp_def *def, double target[6]) {
  double pose[3];
  memcpy(target, state->move.ordered ? state->move.reference : def->pid.reference, 6 * sizeof *target);
  if (!is_on_route(state))
    return;
  track_pose(&def->track, state->track.to_m, pose);
  target[0] = pose[0];
  target[1] = pose[1];
  target[YAW] = pose[2];
}

static void approaching_reference(const struct dp_state *state, const struct dp_def *def, double time_s,
                                  double reference[6], double rate[6]) {
  double target[6], approach_s = def->pid.approach_s;
  double u = dp_approach_progress(state, &def->pid, time_s);
  double left = 1 - dp_blend(u), speed = approach_s > 0 ? blend_rate(u) / approach_s : 0;
  dp_target(state, def, target);
  for (int i = 0; i < 6; i++) {
    double distance = target[i] - state->start_reference[i];
    if (i >= 3)
      distance = trig_wrap(distance);
    reference[i] = target[i] - left * distance;
    rate[i] = speed * distance;
  }
}

void dp_reference(const struct dp_state *state, const struct dp_def *def, double time_s, double reference[6],
                  double rate[6]) {
  double pose[3], pose_rate[3];
  if (state->move.moving) {
    moving_reference(&state->move, def->pid.approach_s, time_s, reference, rate);
    return;
  }
  approaching_reference(state, def, time_s, reference, rate);
  if (!is_on_route(state) || state->track.phase == TRACK_WAITING)
    return;
  track_reference(&state->track, &def->track, time_s, pose, pose_rate);
  for (int k = 0; k < 3; k++) {
    reference[k < 2 ? k : YAW] = pose[k];
    rate[k < 2 ? k : YAW] = pose_rate[k];
  }
}

void dp_tension_feedforward(const struct dp_sensors *sensors, double wrench_b[6]) {
  double up = trig_sin(sensors->hangoff_angle_rad) *
              trig_cos(sensors->hangoff_lean_rad); // upward component of the axis
  double level = 1 - up * up, horizontal = level > 0 ? sensors->hangoff_tension_n * sqrt(level) : 0;
  double bearing = sensors->hangoff_azimuth_rad - sensors->euler_rad[2]; // clockwise from the bow
  memset(wrench_b, 0, 6 * sizeof *wrench_b);
  wrench_b[0] = -horizontal * trig_cos(bearing);
  wrench_b[1] = -horizontal * trig_sin(bearing);
}

// Inverse of pid_to_body: the force along eta that has this body wrench.
static void force_of_body(const double euler_rad[3], const double wrench_b[6], double force_eta[6]) {
  mat3 attitude = quat_matrix(quat_of_euler(euler_rad));
  double sr = trig_sin(euler_rad[0]), cr = trig_cos(euler_rad[0]);
  double sp = trig_sin(euler_rad[1]), cp = trig_cos(euler_rad[1]);
  vec3 moment = vec3_of(wrench_b + 3);
  // omega_b = W d(euler)/dt; the generalised moment is W' times the body moment.
  mat3 w = {{{1, 0, -sp}, {0, cr, sr * cp}, {0, -sr, cr * cp}}};
  vec3_to(mat3_mul(&attitude, vec3_of(wrench_b)), force_eta);
  vec3_to(mat3_tmul(&w, moment), force_eta + 3);
}

struct law_sample dp_law_sample(const struct dp_state *state, const struct dp_def *def,
                                const struct dp_sensors *estimate, const double wind[3]) {
  struct law_sample sample = {0};
  double reference[6], rate[6];
  dp_reference(state, def, estimate->time_s, reference, rate);
  for (int i = 0; i < 3; i++) {
    sample.error[i] = estimate->position_n_m[i] - reference[i];
    sample.error_rate[i] = estimate->velocity_n_mps[i] - rate[i];
    sample.error[3 + i] = trig_wrap(estimate->euler_rad[i] - reference[3 + i]);
    sample.error_rate[3 + i] = estimate->euler_rate_radps[i] - rate[3 + i];
  }

  if (def->pid.tension_feedforward)
    dp_tension_feedforward(estimate, sample.feedforward_b);
  sample.feedforward_b[0] -= wind[0];
  sample.feedforward_b[1] -= wind[1];
  sample.feedforward_b[YAW] -= wind[2];
  return sample;
}

static void bound_integral(struct dp_state *state, const struct pid_def *def) {
  for (int i = 0; i < 6; i++)
    if (def->ki[i] > 0 && def->integral_limit[i] > 0)
      state->integral[i] = dp_clamp(state->integral[i], def->integral_limit[i] / def->ki[i]);
}

void dp_law_wrench(const struct dp_state *state, const struct pid_def *def, const struct dp_sensors *estimate,
                   const struct law_sample *sample, double wrench_b[6]) {
  pid_wrench(def, sample->error, sample->error_rate, state->integral, estimate->euler_rad, wrench_b);
  for (int i = 0; i < 6; i++)
    wrench_b[i] += sample->feedforward_b[i];
}

void dp_law_take_over(struct dp_state *state, const struct dp_def *def, const struct dp_sensors *estimate,
                      const double wind[3], const double acting_b[6]) {
  const struct pid_def *pid = &def->pid;
  state->active = 1;
  state->start_time_s = state->last_time_s = estimate->time_s;
  memcpy(state->start_reference, estimate->position_n_m, sizeof estimate->position_n_m);
  memcpy(state->start_reference + 3, estimate->euler_rad, sizeof estimate->euler_rad);
  memset(state->integral, 0, sizeof state->integral);
  memset(state->offset_b, 0, sizeof state->offset_b);

  if (!state->move.ordered)
    track_begin(&state->track, &def->track, estimate->position_n_m, estimate->euler_rad[2], estimate->time_s);

  struct law_sample sample = dp_law_sample(state, def, estimate, wind);
  memcpy(state->last_error, sample.error, sizeof sample.error);
  if (!pid->bumpless)
    return;

  double wanted_b[6], force[6], law_b[6];
  for (int i = 0; i < 6; i++)
    wanted_b[i] = acting_b[i] - sample.feedforward_b[i];
  force_of_body(estimate->euler_rad, wanted_b, force);
  for (int i = 0; i < 6; i++)
    if (pid->ki[i] > 0)
      state->integral[i] = (-force[i] - pid->kp[i] * sample.error[i]) / pid->ki[i];
  bound_integral(state, pid);

  dp_law_wrench(state, pid, estimate, &sample, law_b);
  for (int i = 0; i < 6; i++)
    state->offset_b[i] = acting_b[i] - law_b[i];
}

void dp_law_integrate(struct dp_state *state, const struct pid_def *def, double time_s, const double error[6],
                      int holds) {
  double dt = time_s - state->last_time_s;
  if (!(dt > 0))
    return;
  for (int i = 0; i < 6 && !holds && dt < LONGEST_GAP_S; i++)
    state->integral[i] += 0.5 * dt * (state->last_error[i] + error[i]);
  bound_integral(state, def);
  state->last_time_s = time_s;
  memcpy(state->last_error, error, sizeof state->last_error);
}
