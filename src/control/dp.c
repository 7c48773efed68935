// Take-over without a bump. At the first active sample the law's terms are made to sum to the wrench that
// acts:
//   Ki integral = f - Kp e,  J' f = -(applied - feed-forward)  (e = 0 there unless approach_s = 0),
// the integral within its bound. What is left over (components without Ki, a bound reached, the damping of
// the motion at that moment) is carried as a wrench that fades with the same blend that moves the reference.
#include "control/dp.h"

#include "core/base/zeros.h"
#include "core/math/so3.h"
#include "core/math/trig.h"

#include <math.h>
#include <string.h>

enum { YAW = 5 };

void dp_init(struct dp_state *state) {
  memset(state, 0, sizeof *state);
}

// s(u) = 10 u^3 - 15 u^4 + 6 u^5: from 0 to 1 with zero first and second derivative at both ends.
static double blend(double u) {
  if (u <= 0)
    return 0;
  return u >= 1 ? 1 : u * u * u * (10 + u * (6 * u - 15));
}

static double blend_rate(double u) {
  return u <= 0 || u >= 1 ? 0 : 30 * u * u * (1 - u) * (1 - u);
}

// Fraction of the approach done at this time.
static double progress(const struct dp_state *state, const struct pid_def *def, double time_s) {
  if (!state->active || def->approach_s <= 0)
    return 1;
  return (time_s - state->start_time_s) / def->approach_s;
}

void dp_reference(const struct dp_state *state, const struct pid_def *def, double time_s, double reference[6],
                  double rate[6]) {
  double u = progress(state, def, time_s);
  double left = 1 - blend(u);
  double speed = def->approach_s > 0 ? blend_rate(u) / def->approach_s : 0;
  for (int i = 0; i < 6; i++) {
    double way = def->reference[i] - state->start_reference[i];
    if (i >= 3)
      way = trig_wrap(way);
    reference[i] = def->reference[i] - left * way;
    rate[i] = speed * way;
  }
}

void dp_tension_feedforward(const struct dp_sensors *s, double wrench_b[6]) {
  double up = trig_sin(s->hangoff_angle_rad) * trig_cos(s->hangoff_lean_rad); // the axis' component
  double level = 1 - up * up, horizontal = level > 0 ? s->hangoff_tension_n * sqrt(level) : 0;
  double bearing = s->hangoff_azimuth_rad - s->euler_rad[2]; // relative to the bow
  memset(wrench_b, 0, 6 * sizeof *wrench_b);
  wrench_b[0] = -horizontal * trig_cos(bearing);
  wrench_b[1] = -horizontal * trig_sin(bearing);
}

static double clamp(double value, double limit) { // limit 0: none
  if (limit <= 0)
    return value;
  return value > limit ? limit : value < -limit ? -limit : value;
}

static int all_finite(const double *values, int count) {
  for (int i = 0; i < count; i++)
    if (!isfinite(values[i]))
      return 0;
  return 1;
}

static int sensors_finite(const struct dp_sensors *s) {
  return isfinite(s->time_s) && all_finite(s->position_n_m, 3) && all_finite(s->euler_rad, 3) &&
         all_finite(s->velocity_n_mps, 3) && all_finite(s->euler_rate_radps, 3) &&
         all_finite(s->applied_wrench_b, 6) && isfinite(s->hangoff_tension_n) &&
         isfinite(s->hangoff_angle_rad) && isfinite(s->hangoff_lean_rad) && isfinite(s->hangoff_azimuth_rad);
}

static struct dp_sensors as_sent(const struct dp_sensors *sensors) {
  struct dp_sensors s = *sensors;
  unsign_zeros(&s.time_s, 1);
  unsign_zeros(s.position_n_m, 3);
  unsign_zeros(s.euler_rad, 3);
  unsign_zeros(s.velocity_n_mps, 3);
  unsign_zeros(s.euler_rate_radps, 3);
  unsign_zeros(s.applied_wrench_b, 6);
  unsign_zeros(&s.hangoff_tension_n, 1);
  unsign_zeros(&s.hangoff_angle_rad, 1);
  unsign_zeros(&s.hangoff_lean_rad, 1);
  unsign_zeros(&s.hangoff_azimuth_rad, 1);
  for (int i = 0; i < s.readings.instrument_count; i++)
    unsign_zeros(s.readings.instrument[i].value, READING_CHANNELS);
  for (int i = 0; i < s.readings.thruster_count; i++) {
    struct thruster_feedback *f = &s.readings.thruster[i];
    unsign_zeros(&f->revolutions_rpm, 1);
    unsign_zeros(&f->pitch, 1);
    unsign_zeros(&f->azimuth_rad, 1);
  }
  return s;
}

// Inverse of pid_to_body: the force along eta whose body wrench is given.
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

struct sample {
  double error[6], error_rate[6];
  double feedforward_b[6];
};

static void measure(const struct dp_state *state, const struct pid_def *def, const struct dp_sensors *s,
                    const double wind[3], struct sample *m) {
  double reference[6], rate[6];
  dp_reference(state, def, s->time_s, reference, rate);
  for (int i = 0; i < 3; i++) {
    m->error[i] = s->position_n_m[i] - reference[i];
    m->error_rate[i] = s->velocity_n_mps[i] - rate[i];
    m->error[3 + i] = trig_wrap(s->euler_rad[i] - reference[3 + i]);
    m->error_rate[3 + i] = s->euler_rate_radps[i] - rate[3 + i];
  }
  memset(m->feedforward_b, 0, sizeof m->feedforward_b);
  if (def->tension_feedforward)
    dp_tension_feedforward(s, m->feedforward_b);
  m->feedforward_b[0] -= wind[0];
  m->feedforward_b[1] -= wind[1];
  m->feedforward_b[YAW] -= wind[2];
}

static void bound_integral(struct dp_state *state, const struct pid_def *def) {
  for (int i = 0; i < 6; i++)
    if (def->ki[i] > 0 && def->integral_limit[i] > 0)
      state->integral[i] = clamp(state->integral[i], def->integral_limit[i] / def->ki[i]);
}

// The law without the fading offset and without limits.
static void law(const struct dp_state *state, const struct pid_def *def, const struct dp_sensors *s,
                const struct sample *m, double wrench_b[6]) {
  pid_wrench(def, m->error, m->error_rate, state->integral, s->euler_rad, wrench_b);
  for (int i = 0; i < 6; i++)
    wrench_b[i] += m->feedforward_b[i];
}

static void take_over(struct dp_state *state, const struct pid_def *def, const struct dp_sensors *s,
                      const double wind[3], const double acting_b[6]) {
  state->active = 1;
  state->start_time_s = state->last_time_s = s->time_s;
  memcpy(state->start_reference, s->position_n_m, sizeof s->position_n_m);
  memcpy(state->start_reference + 3, s->euler_rad, sizeof s->euler_rad);
  memset(state->integral, 0, sizeof state->integral);
  memset(state->offset_b, 0, sizeof state->offset_b);

  struct sample m;
  measure(state, def, s, wind, &m);
  memcpy(state->last_error, m.error, sizeof m.error);
  if (!def->bumpless)
    return;

  double wanted_b[6], force[6], got_b[6];
  for (int i = 0; i < 6; i++)
    wanted_b[i] = acting_b[i] - m.feedforward_b[i];
  force_of_body(s->euler_rad, wanted_b, force);
  for (int i = 0; i < 6; i++)
    if (def->ki[i] > 0)
      state->integral[i] = (-force[i] - def->kp[i] * m.error[i]) / def->ki[i];
  bound_integral(state, def);
  law(state, def, s, &m, got_b);
  for (int i = 0; i < 6; i++)
    state->offset_b[i] = acting_b[i] - got_b[i];
}

static void integrate(struct dp_state *state, const struct pid_def *def, double time_s,
                      const double error[6]) {
  double dt = time_s - state->last_time_s;
  if (!(dt > 0))
    return;
  for (int i = 0; i < 6; i++)
    state->integral[i] += 0.5 * dt * (state->last_error[i] + error[i]);
  bound_integral(state, def);
  state->last_time_s = time_s;
  memcpy(state->last_error, error, sizeof state->last_error);
}

// What acts: beside the thrusters, and by them as their feedback shows it.
static void acting_wrench(const struct dp_def *def, const struct dp_sensors *s, double wrench_b[6]) {
  double thrusters[3];
  memcpy(wrench_b, s->applied_wrench_b, 6 * sizeof *wrench_b);
  if (!def->allocation.actuator_count)
    return;
  allocation_feedback_wrench(&def->allocation, &s->readings, thrusters);
  wrench_b[0] += thrusters[0];
  wrench_b[1] += thrusters[1];
  wrench_b[YAW] += thrusters[2];
}

// The wrench by thrusters; what acted beside them at take-over goes over to them.
static void allocate(struct dp_state *state, const struct dp_def *def, const struct dp_sensors *s,
                     const double wrench_b[6], struct command *out) {
  double hand_over_s = def->allocation.hand_over_s, since_s = s->time_s - state->start_time_s;
  double left = hand_over_s > 0 ? 1 - blend(since_s / hand_over_s) : 0;
  for (int i = 0; i < 6; i++)
    out->wrench_b[i] = left * state->beside_b[i] + 0.0;
  const double demand[3] = {wrench_b[0] - out->wrench_b[0], wrench_b[1] - out->wrench_b[1],
                            wrench_b[YAW] - out->wrench_b[YAW]};
  allocation_sample(&state->allocation, &def->allocation, &s->readings, demand, s->time_s,
                    s->time_s - state->allocated_s, out);
  state->allocated_s = s->time_s;
}

// With an observer but exact values: they are what it filters.
static void observe_exact(struct navigation_state *n, const struct observer_def *def, const double tau[3],
                          struct dp_sensors *s) {
  struct observer_state *o = &n->observer;
  const double now[3] = {s->position_n_m[0], s->position_n_m[1], s->euler_rad[2]};
  double y[3];
  if (!n->ready) {
    observer_start(o, def, now, s->time_s);
    n->ready = 1;
  } else if (s->time_s > o->now_s) {
    observer_predict(o, def, tau, s->time_s);
    observer_measured_at(o, s->time_s, y);
    const double off[2] = {now[0] - y[0], now[1] - y[1]};
    observer_correct_position(o, def, off, def->position_sigma_m);
    observer_correct_heading(o, def, trig_wrap(now[2] - y[2]), def->heading_sigma_rad);
    observer_remember(o, s->time_s);
  }
  double c = trig_cos(o->eta[2]), w = trig_sin(o->eta[2]);
  s->position_n_m[0] = o->eta[0];
  s->position_n_m[1] = o->eta[1];
  s->euler_rad[2] = o->eta[2];
  s->velocity_n_mps[0] = c * o->nu[0] - w * o->nu[1];
  s->velocity_n_mps[1] = w * o->nu[0] + c * o->nu[1];
  s->euler_rate_radps[2] = o->nu[2];
}

// Puts what the controller believes in the place of what was sent. 0: it does not know where the vessel is.
static int perceive(struct dp_state *state, const struct dp_def *def, const double acting_b[6],
                    struct dp_sensors *s, double wind[3]) {
  const double tau[3] = {acting_b[0], acting_b[1], acting_b[YAW]};
  struct navigation n;
  memset(wind, 0, 3 * sizeof *wind);
  if (s->readings.instrument_count == 0) {
    if (def->observer.present)
      observe_exact(&state->navigation, &def->observer, tau, s);
    return 1;
  }
  if (!navigation_sample(&state->navigation, &def->navigation, &def->observer, &def->wind, &s->readings, tau,
                         s->time_s, &n))
    return 0;
  memcpy(s->position_n_m, n.position_n_m, sizeof s->position_n_m);
  memcpy(s->euler_rad, n.euler_rad, sizeof s->euler_rad);
  memcpy(s->velocity_n_mps, n.velocity_n_mps, sizeof s->velocity_n_mps);
  memcpy(s->euler_rate_radps, n.euler_rate_radps, sizeof s->euler_rate_radps);
  s->hangoff_tension_n = n.tension_n;
  s->hangoff_angle_rad = n.inclination_rad;
  s->hangoff_lean_rad = 0;
  s->hangoff_azimuth_rad = n.azimuth_n_rad;
  memcpy(wind, n.wind, sizeof n.wind);
  return 1;
}

static void follow_clock(struct dp_clock *c, struct dp_sensors *s) {
  double sent_s = s->time_s;
  if (c->heard && s->step > c->step) {
    double steps = (double)(s->step - c->step), jump = sent_s - c->time_s - steps * c->step_s;
    if (c->step_s <= 0) {
      c->step_s = (sent_s - c->time_s) / steps;
    } else if (fabs(jump) > 0.5 * c->step_s) {
      c->offset_s += jump;
      c->jumps++;
    }
  }
  if (!c->heard || s->step > c->step) {
    c->step = s->step;
    c->time_s = sent_s;
  }
  c->heard = 1;
  s->time_s = sent_s - c->offset_s;
}

void dp_sample(struct dp_state *state, const struct dp_def *def, const struct dp_sensors *sensors,
               struct command *out) {
  const struct pid_def *pid = &def->pid;
  struct dp_sensors sent = as_sent(sensors), *s = &sent;
  memset(out, 0, sizeof *out);
  out->sequence = ++state->sequence;
  out->based_on_step = s->step;
  out->standby = 1;
  if (!sensors_finite(s))
    return;
  follow_clock(&state->clock, s);
  double acting_b[6], wind[3];
  acting_wrench(def, s, acting_b);
  if (!perceive(state, def, acting_b, s, wind) || s->time_s < pid->start_s)
    return;

  int first = !state->active;
  if (first) {
    memcpy(state->beside_b, s->applied_wrench_b, sizeof state->beside_b);
    allocation_start(&state->allocation, &def->allocation, &s->readings, s->time_s);
    state->allocated_s = s->time_s;
    take_over(state, pid, s, wind, acting_b);
  }

  struct sample m;
  measure(state, pid, s, wind, &m);
  integrate(state, pid, s->time_s, m.error);
  double wrench_b[6];
  law(state, pid, s, &m, wrench_b);
  // The first sample carries the whole offset, even where there is no approach to fade it in.
  double fade = first ? 1 : 1 - blend(progress(state, pid, s->time_s));
  for (int i = 0; i < 6; i++)
    wrench_b[i] = clamp(wrench_b[i] + fade * state->offset_b[i], pid->wrench_limit[i]);
  if (!all_finite(wrench_b, 6)) // gains or a set-point beyond all measure
    return;
  unsign_zeros(wrench_b, 6);
  out->standby = 0;
  if (def->allocation.actuator_count)
    allocate(state, def, s, wrench_b, out);
  else
    memcpy(out->wrench_b, wrench_b, sizeof out->wrench_b);
}
