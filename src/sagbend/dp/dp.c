// The DP controller: a sample of it, its law, where it is to go, and its state.
#include "sagbend/dp/dp.h"
#include "sagbend/dp/dp_internal.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

void dp_init(struct dp_state *state) {
  memset(state, 0, sizeof *state);
}

void dp_stand_by(struct dp_state *state) {
  state->active = state->move.moving = 0;
}

// The wrench that acts now: in addition to the thrusters, and by them according to their feedback.
static void acting_wrench(const struct dp_def *def, const struct dp_sensors *sensors, double wrench_b[6]) {
  double thrusters[3];
  memcpy(wrench_b, sensors->applied_wrench_b, 6 * sizeof *wrench_b);
  if (!def->allocation.actuator_count)
    return;
  allocation_feedback_wrench(&def->allocation, &sensors->readings, ALL_THRUSTERS, thrusters);
  wrench_b[0] += thrusters[0];
  wrench_b[1] += thrusters[1];
  wrench_b[YAW] += thrusters[2];
}

// The thrusters hold the pull of the pipe, which is known.
static void analyse(struct dp_state *state, const struct dp_def *def, const struct dp_sensors *sensors,
                    int first, struct dp_work *work, struct command *out) {
  double pull[6];
  dp_tension_feedforward(sensors, pull);
  const struct consequence_sample sample = {.allocation = &def->allocation,
                                            .state = &state->allocation,
                                            .readings = &sensors->readings,
                                            .fixed_b = {pull[0], pull[1], pull[YAW]},
                                            .time_s = sensors->time_s,
                                            .work = &work->thrust_left};
  if (first)
    consequence_start(&state->consequence, &def->consequence, &sample);
  else
    consequence_step(&state->consequence, &def->consequence, &sample);
  consequence_report_of(&state->consequence, &def->consequence, &out->consequence);
}

// Gives the wrench to the thrusters. The wrench that acted beside them at take-over moves to them gradually.
static void allocate(struct dp_state *state, const struct dp_def *def, const struct dp_sensors *sensors,
                     const double wrench_b[6], struct command *out) {
  double hand_over_s = def->allocation.hand_over_s, since_s = sensors->time_s - state->start_time_s;
  double left = hand_over_s > 0 ? 1 - dp_blend(since_s / hand_over_s) : 0;
  for (int i = 0; i < 6; i++)
    out->wrench_b[i] = left * state->beside_b[i] + 0.0;
  const double demand[3] = {wrench_b[0] - out->wrench_b[0], wrench_b[1] - out->wrench_b[1],
                            wrench_b[YAW] - out->wrench_b[YAW]};
  allocation_sample(&state->allocation, &def->allocation, &sensors->readings, demand, sensors->time_s,
                    sensors->time_s - state->allocated_s, out);
  state->allocated_s = sensors->time_s;
}

static int wrench_is_finite(const double wrench_b[6]) {
  for (int i = 0; i < 6; i++)
    if (!isfinite(wrench_b[i]))
      return 0;
  return 1;
}

static double dp_approach_progress(const struct dp_state *state, const struct pid_def *def,
                                   double time_s) NONBLOCKING;

static double dp_clamp(double value, double limit) NONBLOCKING;

static void dp_clock_follow(struct dp_clock *clock, struct dp_sensors *sensors) NONBLOCKING;

static enum status dp_estimate(struct dp_state *state, const struct dp_def *def, const double acting_b[6],
                               struct dp_sensors *sensors, double wind[3]) NONBLOCKING;

static void dp_law_integrate(struct dp_state *state, const struct pid_def *def, double time_s,
                             const double error[6], int holds) NONBLOCKING;

static struct law_sample dp_law_sample(const struct dp_state *state, const struct dp_def *def,
                                       const struct dp_sensors *estimate, const double wind[3]) NONBLOCKING;

static void dp_law_take_over(struct dp_state *state, const struct dp_def *def,
                             const struct dp_sensors *estimate, const double wind[3],
                             const double acting_b[6]) NONBLOCKING;

static void dp_law_wrench(const struct dp_state *state, const struct pid_def *def,
                          const struct dp_sensors *estimate, const struct law_sample *sample,
                          double wrench_b[6]) NONBLOCKING;

static struct track_pipe dp_pipe(const struct dp_state *state, const struct dp_sensors *sensors) NONBLOCKING;

static int dp_sensors_are_finite(const struct dp_sensors *sensors) NONBLOCKING;

static struct dp_sensors dp_sensors_as_sent(const struct dp_sensors *sensors) NONBLOCKING;

void dp_sample(struct dp_state *state, const struct dp_def *def, const struct dp_sensors *sensors,
               struct dp_work *work, struct command *out) {
  const struct pid_def *pid = &def->pid;
  struct dp_sensors sent = dp_sensors_as_sent(sensors), *estimate = &sent;
  memset(out, 0, sizeof *out);
  out->sequence = ++state->sequence;
  out->based_on_step = estimate->step;
  out->standby = 1;
  out->consequence.given = def->consequence.present;
  if (!dp_sensors_are_finite(estimate))
    return;
  dp_clock_follow(&state->clock, estimate);
  dp_link_follow(&state->link, estimate, state->active);

  if (state->active && def->allocation.actuator_count)
    allocation_watch(&state->allocation, &def->allocation, &estimate->readings,
                     estimate->command_based_on_step, estimate->time_s);
  double acting_b[6], wind[3];
  acting_wrench(def, estimate, acting_b);
  if (dp_estimate(state, def, acting_b, estimate, wind) != STATUS_OK || estimate->time_s < pid->start_s)
    return;

  int first = !state->active;
  if (first) {
    memcpy(state->beside_b, estimate->applied_wrench_b, sizeof state->beside_b);
    allocation_start(&state->allocation, &def->allocation, &estimate->readings, estimate->time_s);
    state->allocated_s = estimate->time_s;
    dp_law_take_over(state, def, estimate, wind, acting_b);
  }

  const struct track_pipe pipe = dp_pipe(state, estimate);
  track_advance(&state->track, &def->track, estimate->position_n_m, estimate->euler_rad[2], &pipe,
                state->start_time_s + pid->approach_s, estimate->time_s);
  struct law_sample sample = dp_law_sample(state, def, estimate, wind);
  dp_law_integrate(state, pid, estimate->time_s, sample.error, dp_link_is_unheard(&state->link));
  double wrench_b[6];
  dp_law_wrench(state, pid, estimate, &sample, wrench_b);

  // The first sample carries the whole offset, even without an approach.
  double fade = first ? 1 : 1 - dp_blend(dp_approach_progress(state, pid, estimate->time_s));
  int is_cut = 0; // by wrench_limit
  for (int i = 0; i < 6; i++) {
    const double asked = wrench_b[i] + fade * state->offset_b[i];
    wrench_b[i] = dp_clamp(asked, pid->wrench_limit[i]);
    is_cut |= wrench_b[i] != asked;
  }
  if (!wrench_is_finite(wrench_b)) // gains or a set-point without bounds
    return;

  unsign_zeros(wrench_b, 6);
  out->standby = 0;
  out->tensioner = track_tensioner(&state->track, &def->track);
  if (def->allocation.actuator_count)
    allocate(state, def, estimate, wrench_b, out);
  else {
    memcpy(out->wrench_b, wrench_b, sizeof out->wrench_b);
    state->allocation.saturated = 0;
  }
  state->allocation.saturated |= is_cut;
  if (def->consequence.present)
    analyse(state, def, estimate, first, work, out);
}

// Returns 1 if a state read from a file is a valid one. Otherwise returns 0 and fills why
// (sagbend/base/base.h). started: 1 after observer_start.
// Checks of a DP controller's state that comes from a file.

static int clock_is_valid(const struct dp_clock *c, struct reason *why) {
  return valid_flag(c->heard, "heard", why) && valid_whole(c->step, 0, VALID_MOST_STEPS, "step", why) &&
         valid_finite(&c->time_s, 1, "time_s", why) && valid_finite(&c->step_s, 1, "step_s", why) &&
         valid_finite(&c->offset_s, 1, "offset_s", why) &&
         valid_whole(c->jumps, 0, VALID_MOST_STEPS, "jumps", why);
}

static int link_state_is_valid(const struct dp_link *l, struct reason *why) {
  const double numbers[] = {l->acting_s, l->sampled_s, l->gap_s};
  return valid_whole(l->acting_step, 0, VALID_MOST_STEPS, "acting_step", why) &&
         valid_finite(numbers, sizeof numbers / sizeof *numbers, "acting_s, sampled_s, gap_s", why);
}

static int move_is_valid(const struct dp_move *m, struct reason *why) {
  return valid_flag(m->ordered, "ordered", why) && valid_flag(m->moving, "moving", why) &&
         valid_finite(m->reference, 6, "reference", why) && valid_finite(m->from, 6, "from", why) &&
         valid_finite(m->from_rate, 6, "from_rate", why) && valid_finite(&m->begin_s, 1, "begin_s", why);
}

int dp_state_is_valid(const struct dp_def *def, const struct dp_state *s, struct reason *why) {
  if (!clock_is_valid(&s->clock, why))
    return valid_fail_in(why, "clock.");
  if (!link_state_is_valid(&s->link, why))
    return valid_fail_in(why, "link.");
  if (!navigation_state_is_valid(&def->observer, &s->navigation, why))
    return valid_fail_in(why, "navigation.");
  if (!allocation_state_is_valid(&def->allocation, &s->allocation, why))
    return valid_fail_in(why, "allocation.");
  if (!move_is_valid(&s->move, why))
    return valid_fail_in(why, "move.");
  if (!consequence_state_is_valid(&def->consequence, &s->consequence, why))
    return valid_fail_in(why, "consequence.");
  if (!track_state_is_valid(&def->track, &s->track, why))
    return valid_fail_in(why, "track.");
  return valid_flag(s->active, "active", why) && valid_finite(&s->last_time_s, 1, "last_time_s", why) &&
         valid_finite(s->last_error, 6, "last_error", why) &&
         valid_finite(&s->start_time_s, 1, "start_time_s", why) &&
         valid_finite(s->start_reference, 6, "start_reference", why) &&
         valid_finite(s->offset_b, 6, "offset_b", why) && valid_finite(s->integral, 6, "integral", why) &&
         valid_whole(s->sequence, 0, VALID_MOST_STEPS, "sequence", why) &&
         valid_finite(s->beside_b, 6, "beside_b", why) &&
         valid_finite(&s->allocated_s, 1, "allocated_s", why);
}

// What is known of pay-out and tension at this sample, after dp_estimate.
// ------------------------------------------------------------
// What the controller believes: the sample as sent, its time, and the estimate from instruments or observer.

static struct track_pipe dp_pipe(const struct dp_state *state, const struct dp_sensors *sensors) NONBLOCKING {
  const struct navigation_state *n = &state->navigation;
  if (sensors->readings.instrument_count == 0)
    return (struct track_pipe){.is_length_known = sensors->has_tensioner,
                               .paid_out_m = sensors->paid_out_m,
                               .is_braked =
                                   sensors->has_tensioner && sensors->tensioner_mode == TENSIONER_BRAKE,
                               .is_tension_known = 1,
                               .tension_n = sensors->hangoff_tension_n};
  return (struct track_pipe){.is_length_known = n->payout_known,
                             .paid_out_m = n->paid_out_m,
                             .is_braked = n->is_braked,
                             .is_tension_known = n->tension_known && !n->tension_lost,
                             .tension_n = n->tension_n};
}

static int values_are_finite(const double *values, int count) {
  for (int i = 0; i < count; i++)
    if (!isfinite(values[i]))
      return 0;
  return 1;
}

static int dp_sensors_are_finite(const struct dp_sensors *sensors) NONBLOCKING {
  return isfinite(sensors->time_s) && values_are_finite(sensors->position_n_m, 3) &&
         values_are_finite(sensors->euler_rad, 3) && values_are_finite(sensors->velocity_n_mps, 3) &&
         values_are_finite(sensors->euler_rate_radps, 3) && values_are_finite(sensors->applied_wrench_b, 6) &&
         isfinite(sensors->hangoff_tension_n) && isfinite(sensors->hangoff_angle_rad) &&
         isfinite(sensors->hangoff_lean_rad) && isfinite(sensors->hangoff_azimuth_rad) &&
         isfinite(sensors->paid_out_m);
}

// A sample without negative zeros. Protobuf does not carry them, and a controller behind the protocol has to
// compute the same bits as one inside the simulator.
static struct dp_sensors dp_sensors_as_sent(const struct dp_sensors *sensors) NONBLOCKING {
  struct dp_sensors out = *sensors;
  unsign_zeros(&out.time_s, 1);
  unsign_zeros(out.position_n_m, 3);
  unsign_zeros(out.euler_rad, 3);
  unsign_zeros(out.velocity_n_mps, 3);
  unsign_zeros(out.euler_rate_radps, 3);
  unsign_zeros(out.applied_wrench_b, 6);
  unsign_zeros(&out.hangoff_tension_n, 1);
  unsign_zeros(&out.hangoff_angle_rad, 1);
  unsign_zeros(&out.hangoff_lean_rad, 1);
  unsign_zeros(&out.hangoff_azimuth_rad, 1);
  unsign_zeros(&out.paid_out_m, 1);
  for (int i = 0; i < out.readings.instrument_count; i++)
    unsign_zeros(out.readings.instrument[i].value, READING_CHANNELS);
  for (int i = 0; i < out.readings.thruster_count; i++) {
    struct thruster_feedback *feedback = &out.readings.thruster[i];
    unsign_zeros(&feedback->revolutions_rpm, 1);
    unsign_zeros(&feedback->pitch, 1);
    unsign_zeros(&feedback->azimuth_rad, 1);
  }
  return out;
}

// Filters exact values with the observer.
static void observe_exact(struct navigation_state *navigation, const struct observer_def *def,
                          const double tau[3], struct dp_sensors *sensors) {
  struct observer_state *observer = &navigation->observer;
  const double now[3] = {sensors->position_n_m[0], sensors->position_n_m[1], sensors->euler_rad[2]};
  double y[3];
  if (!navigation->ready) {
    observer_start(observer, def, now, sensors->time_s);
    navigation->ready = 1;
  } else if (sensors->time_s > observer->now_s) {
    observer_predict(observer, def, tau, sensors->time_s);
    observer_measured_at(observer, sensors->time_s, y);
    const double off[2] = {now[0] - y[0], now[1] - y[1]};
    observer_correct_position(observer, def, off, def->position_sigma_m);
    observer_correct_heading(observer, def, trig_wrap(now[2] - y[2]), def->heading_sigma_rad);
    observer_remember(observer, sensors->time_s);
  }

  double c = trig_cos(observer->eta[2]), s = trig_sin(observer->eta[2]);
  sensors->position_n_m[0] = observer->eta[0];
  sensors->position_n_m[1] = observer->eta[1];
  sensors->euler_rad[2] = observer->eta[2];
  sensors->velocity_n_mps[0] = c * observer->nu[0] - s * observer->nu[1];
  sensors->velocity_n_mps[1] = s * observer->nu[0] + c * observer->nu[1];
  sensors->euler_rate_radps[2] = observer->nu[2];
}

// Replaces the sensors' values by the controller's estimate, from instruments or observer, and gives the
// wrench of the wind (surge, sway N, yaw N m). acting_b: wrench that acts, N, N m. Fails while the position
// is unknown.
static enum status dp_estimate(struct dp_state *state, const struct dp_def *def, const double acting_b[6],
                               struct dp_sensors *sensors, double wind[3]) NONBLOCKING {
  const double tau[3] = {acting_b[0], acting_b[1], acting_b[YAW]};
  struct navigation navigation;
  memset(wind, 0, 3 * sizeof *wind);
  if (sensors->readings.instrument_count == 0) {
    if (def->observer.present)
      observe_exact(&state->navigation, &def->observer, tau, sensors);
    return STATUS_OK;
  }

  enum status status = navigation_sample(&state->navigation, &def->navigation, &def->observer, &def->wind,
                                         &sensors->readings, tau, sensors->time_s, &navigation);
  if (status != STATUS_OK)
    return status;
  memcpy(sensors->position_n_m, navigation.position_n_m, sizeof sensors->position_n_m);
  memcpy(sensors->euler_rad, navigation.euler_rad, sizeof sensors->euler_rad);
  memcpy(sensors->velocity_n_mps, navigation.velocity_n_mps, sizeof sensors->velocity_n_mps);
  memcpy(sensors->euler_rate_radps, navigation.euler_rate_radps, sizeof sensors->euler_rate_radps);
  sensors->hangoff_tension_n = navigation.tension_n;
  sensors->hangoff_angle_rad = navigation.inclination_rad;
  sensors->hangoff_lean_rad = 0;
  sensors->hangoff_azimuth_rad = navigation.azimuth_n_rad;
  memcpy(wind, navigation.wind, sizeof navigation.wind);
  return STATUS_OK;
}

// Replaces the time of the sample by the controller's time, from which jumps of the clock are removed.
static void dp_clock_follow(struct dp_clock *clock, struct dp_sensors *sensors) NONBLOCKING {
  double sent_s = sensors->time_s;
  if (clock->heard && sensors->step > clock->step) {
    double steps = (double)(sensors->step - clock->step),
           jump = sent_s - clock->time_s - steps * clock->step_s;
    if (clock->step_s <= 0) {
      clock->step_s = (sent_s - clock->time_s) / steps;
    } else if (fabs(jump) > 0.5 * clock->step_s) {
      clock->offset_s += jump;
      clock->jumps++;
    }
  }
  if (!clock->heard || sensors->step > clock->step) {
    clock->step = sensors->step;
    clock->time_s = sent_s;
  }
  clock->heard = 1;
  sensors->time_s = sent_s - clock->offset_s;
}

// ------------------------------------------------------------
// The law of the DP controller: reference, PID law, feed-forward, and take-over without a jump of the wrench.
//
// At take-over the terms of the law are made to sum to the wrench that acts:
//   Ki integral = f - Kp e,  J' f = -(applied - feed-forward)  (e = 0 unless approach_s = 0),
// with the integral within its bound. The remainder (components without Ki, a bound reached, the damping of
// the present motion) is carried as an offset wrench. It fades with the same blend that moves the reference.

// Time without sensors in which the error is not taken for that of a vessel under control.
static const double LONGEST_GAP_S = 5;

// value within +-limit; limit 0: not limited.
static double dp_clamp(double value, double limit) NONBLOCKING {
  if (limit <= 0)
    return value;
  return value > limit ? limit : value < -limit ? -limit : value;
}

static double blend_rate(double u) {
  return u <= 0 || u >= 1 ? 0 : 30 * u * u * (1 - u) * (1 - u);
}

// Share of the approach to the set-point that has passed at time_s; 1 without approach.
static double dp_approach_progress(const struct dp_state *state, const struct pid_def *def,
                                   double time_s) NONBLOCKING {
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

int dp_adopt_setpoint(struct dp_state *state, const struct dp_def *def, uint64_t *adopted, uint64_t order,
                      const double setpoint[3]) {
  if (order == *adopted)
    return 0;
  *adopted = order;
  dp_set_setpoint(state, def, setpoint);
  return 1;
}

int dp_adopt_track(struct dp_state *state, uint64_t *adopted, uint64_t order,
                   const struct track_orders *orders) {
  if (order <= *adopted)
    return 0;
  *adopted = order;
  dp_set_track(state, orders);
  return 1;
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

static struct law_sample dp_law_sample(const struct dp_state *state, const struct dp_def *def,
                                       const struct dp_sensors *estimate, const double wind[3]) NONBLOCKING {
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

// Wrench of the law, without the fading offset and without limits, b, N and N m.
static void dp_law_wrench(const struct dp_state *state, const struct pid_def *def,
                          const struct dp_sensors *estimate, const struct law_sample *sample,
                          double wrench_b[6]) NONBLOCKING {
  pid_wrench(def, sample->error, sample->error_rate, state->integral, estimate->euler_rad, wrench_b);
  for (int i = 0; i < 6; i++)
    wrench_b[i] += sample->feedforward_b[i];
}

// Starts the law at this sample without a jump of the wrench: acting_b is the wrench that acts, N, N m.
static void dp_law_take_over(struct dp_state *state, const struct dp_def *def,
                             const struct dp_sensors *estimate, const double wind[3],
                             const double acting_b[6]) NONBLOCKING {
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

// Advances the bounded integral to time_s. holds: 1: it keeps its value, because the vessel does not hear.
static void dp_law_integrate(struct dp_state *state, const struct pid_def *def, double time_s,
                             const double error[6], int holds) NONBLOCKING {
  double dt = time_s - state->last_time_s;
  if (!(dt > 0))
    return;
  for (int i = 0; i < 6 && !holds && dt < LONGEST_GAP_S; i++)
    state->integral[i] += 0.5 * dt * (state->last_error[i] + error[i]);
  bound_integral(state, def);
  state->last_time_s = time_s;
  memcpy(state->last_error, error, sizeof state->last_error);
}
