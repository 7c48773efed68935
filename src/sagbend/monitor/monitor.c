// Watches what the commands do to the vessel; what a notice says.
#include "sagbend/monitor/monitor.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Notices ----

// Raises a notice that is not active, with its values; keeps one active that is.
static void notice_raise(struct notice *notice, uint64_t step, const double value[4], int64_t thruster) {
  notice->gone = 0;
  if (notice->active)
    return;
  notice->active = 1;
  notice->count++;
  notice->step = step;
  notice->thruster = thruster;
  for (int i = 0; i < 4; i++)
    notice->value[i] = value[i];
}

// ---- Positive feedback: correlations of force, place and velocity in a window ----

static const double CORRELATION = 0.7; // of force with place, velocity and acceleration
static const double EXPLAINED_SIGN = 0.8, EXPLAINED_FRAME = 0.97;
static const double BETTER = 10;     // by which a turned law must explain more than a right one
static const double APART = 0.002;   // of x' and v', so that A and B are known by their angles,
static const double PARALLEL = 0.01; // and by the signs of their real parts
static const double TURN_RAD = 40 * TRIG_PI / 180;
static const double SMALLEST[FEEDBACK_PLANES] = {0.5, 0.5 * TRIG_PI / 180};      // m, rad
static const int KIND[FEEDBACK_PLANES] = {NOTICE_FEEDBACK, NOTICE_YAW_FEEDBACK}; // of a wrong sign
static const double RIDGE =
    1e-3; // added to the normal matrix, of unit diagonal: parallel x' and v' share equally

typedef double row[2]; // a complex number

static void add(double sum[2], const double a[2], double factor) {
  sum[0] += factor * a[0], sum[1] += factor * a[1];
}

// sum += a conj(b)
static void add_product(double sum[2], const double a[2], const double b[2]) {
  sum[0] += a[0] * b[0] + a[1] * b[1];
  sum[1] += a[1] * b[0] - a[0] * b[1];
}

static double size_of(const double a[2]) {
  return sqrt(a[0] * a[0] + a[1] * a[1]);
}

static const struct feedback_sample *feedback_sample_at(const struct feedback_monitor *m, int k) {
  return &m->sample[(m->next + (uint64_t)k) % FEEDBACK_WINDOW];
}

static void remove_mean(row *a) {
  double mean[2] = {0, 0};
  for (int k = 0; k < FEEDBACK_WINDOW; k++)
    add(mean, a[k], 1.0 / FEEDBACK_WINDOW);
  for (int k = 0; k < FEEDBACK_WINDOW; k++)
    add(a[k], mean, -1);
}

// Deviations in the window: force, place, velocity, and the change of the velocity.
struct window {
  row f[FEEDBACK_WINDOW], x[FEEDBACK_WINDOW], v[FEEDBACK_WINDOW], a[FEEDBACK_WINDOW];
};

static void take_window(const struct feedback_monitor *m, int plane, struct window *w) {
  for (int k = 0; k < FEEDBACK_WINDOW; k++) {
    const struct feedback_sample *s = feedback_sample_at(m, k);
    const double *before = feedback_sample_at(m, k > 0 ? k - 1 : 0)->velocity[plane];
    const double *after = feedback_sample_at(m, k < FEEDBACK_WINDOW - 1 ? k + 1 : k)->velocity[plane];
    const double over_s = k > 0 && k < FEEDBACK_WINDOW - 1 ? 2 : 1;
    for (int c = 0; c < 2; c++) {
      w->f[k][c] = s->force[plane][c];
      w->x[k][c] = s->place[plane][c];
      w->v[k][c] = s->velocity[plane][c];
      w->a[k][c] = (after[c] - before[c]) / over_s;
    }
  }
  remove_mean(w->f);
  remove_mean(w->x);
  remove_mean(w->v);
  remove_mean(w->a);
}

static double correlation(double product, double a, double b) {
  const double size = sqrt(a) * sqrt(b);
  return size > 0 ? product / size : 0;
}

// Least squares for f = A x + B v, with x and v of unit size: [1+r  g; conj(g)  1+r] [A B]' = [p q]'.
static void fit(const double g[2], const double p[2], const double q[2], double a[2], double b[2]) {
  const double d = 1 + RIDGE, det = d * d - (g[0] * g[0] + g[1] * g[1]);
  a[0] = (d * p[0] - (g[0] * q[0] - g[1] * q[1])) / det;
  a[1] = (d * p[1] - (g[0] * q[1] + g[1] * q[0])) / det;
  b[0] = (d * q[0] - (g[0] * p[0] + g[1] * p[1])) / det;
  b[1] = (d * q[1] - (g[0] * p[1] - g[1] * p[0])) / det;
}

// What f = -k x - d v with k, d >= 0 leaves of the sum of f^2 on a body axis.
static double left_by_right_law(const struct window *w, double axis_rad) {
  const double c = trig_cos(axis_rad), s = trig_sin(axis_rad);
  double ff = 0, fx = 0, fv = 0, xx = 0, vv = 0, xv = 0;
  for (int k = 0; k < FEEDBACK_WINDOW; k++) {
    const double f = c * w->f[k][0] + s * w->f[k][1], x = c * w->x[k][0] + s * w->x[k][1],
                 v = c * w->v[k][0] + s * w->v[k][1];
    ff += f * f, fx += f * x, fv += f * v, xx += x * x, vv += v * v, xv += x * v;
  }
  const double det = xx * vv - xv * xv;
  const double a = fx * vv - fv * xv, b = fv * xx - fx * xv; // by Cramer's rule, times det
  if (det > RIDGE * xx * vv && a <= 0 && b <= 0)
    return ff - (a * fx + b * fv) / det;
  const double by_place = fx < 0 && xx > 0 ? fx * fx / xx : 0,
               by_velocity = fv < 0 && vv > 0 ? fv * fv / vv : 0;
  return ff - (by_place > by_velocity ? by_place : by_velocity);
}

static void feedback_find(const struct feedback_monitor *m, int plane,
                          struct feedback_finding *out) NONBLOCKING {
  struct window w;
  double ff[2] = {0}, xx[2] = {0}, vv[2] = {0}, aa[2] = {0}, fx[2] = {0}, fv[2] = {0}, fa[2] = {0},
         vx[2] = {0};
  double squares[2] = {0, 0}; // sum x'^2, for the direction of the motion: half the angle of this
  memset(out, 0, sizeof *out);
  take_window(m, plane, &w);
  for (int k = 0; k < FEEDBACK_WINDOW; k++) {
    add_product(ff, w.f[k], w.f[k]), add_product(xx, w.x[k], w.x[k]);
    add_product(vv, w.v[k], w.v[k]), add_product(aa, w.a[k], w.a[k]);
    add_product(fx, w.f[k], w.x[k]), add_product(fv, w.f[k], w.v[k]);
    add_product(fa, w.f[k], w.a[k]), add_product(vx, w.v[k], w.x[k]);
    squares[0] += w.x[k][0] * w.x[k][0] - w.x[k][1] * w.x[k][1];
    squares[1] += 2 * w.x[k][0] * w.x[k][1];
  }
  out->deviation = sqrt(xx[0] / FEEDBACK_WINDOW);
  out->force = sqrt(ff[0] / FEEDBACK_WINDOW);
  if (!(ff[0] > 0 && xx[0] > 0 && vv[0] > 0 && aa[0] > 0))
    return;
  const double p[2] = {correlation(fx[0], ff[0], xx[0]), correlation(fx[1], ff[0], xx[0])};
  const double q[2] = {correlation(fv[0], ff[0], vv[0]), correlation(fv[1], ff[0], vv[0])};
  const double g[2] = {correlation(vx[0], vv[0], xx[0]), correlation(vx[1], vv[0], xx[0])};
  out->with_place = p[0];
  out->with_velocity = q[0];
  out->with_acceleration = correlation(fa[0], ff[0], aa[0]);
  out->apart = 1 - (g[0] * g[0] + g[1] * g[1]);
  const double heading_rad = feedback_sample_at(m, FEEDBACK_WINDOW - 1)->place[FEEDBACK_YAW][0];
  out->explained_right =
      1 - (left_by_right_law(&w, heading_rad) + left_by_right_law(&w, heading_rad + TRIG_PI / 2)) / ff[0];
  out->direction_rad = 0.5 * trig_atan2(squares[1], squares[0]);
  double *a = out->stiffness, *b = out->damping;
  fit(g, p, q, a, b);
  double left[2] = {0, 0};
  const double fs = 1 / sqrt(ff[0]), xs = 1 / sqrt(xx[0]), vs = 1 / sqrt(vv[0]);
  for (int k = 0; k < FEEDBACK_WINDOW; k++) {
    const double *x = w.x[k], *v = w.v[k];
    const double rest[2] = {
        fs * w.f[k][0] - xs * (a[0] * x[0] - a[1] * x[1]) - vs * (b[0] * v[0] - b[1] * v[1]),
        fs * w.f[k][1] - xs * (a[0] * x[1] + a[1] * x[0]) - vs * (b[0] * v[1] + b[1] * v[0])};
    add_product(left, rest, rest);
  }
  out->explained = 1 - left[0];
}

static int is_wrong_sign(const struct feedback_finding *f, double smallest) {
  return f->deviation >= smallest && f->with_place > CORRELATION && f->with_velocity > CORRELATION &&
         f->with_acceleration > CORRELATION &&
         (f->apart < PARALLEL || (f->stiffness[0] > 0 && f->damping[0] > 0)) && f->explained > EXPLAINED_SIGN;
}

// Angle by which the law turns what would return the vessel, rad; 0: not known.
static double turn_of(const struct feedback_finding *f) {
  const double by_place = trig_atan2(-f->stiffness[1], -f->stiffness[0]);
  const double by_velocity = trig_atan2(-f->damping[1], -f->damping[0]);
  const double apart = trig_wrap(by_velocity - by_place);
  const double mean = trig_wrap(by_place + 0.5 * apart);
  return fabs(apart) < TURN_RAD && fabs(mean) > TURN_RAD ? mean : 0;
}

static int is_wrong_frame(const struct feedback_finding *f) {
  return f->deviation >= SMALLEST[FEEDBACK_HORIZONTAL] && f->apart > APART &&
         f->explained > EXPLAINED_FRAME && BETTER * (1 - f->explained) < 1 - f->explained_right &&
         size_of(f->stiffness) > 0 && turn_of(f) != 0;
}

static void count_row(uint64_t *rows, int is_wrong) {
  *rows = is_wrong ? *rows + (*rows < FEEDBACK_ROWS) : 0;
}

void feedback_judge(struct feedback_monitor *m, uint64_t step, double smallest_n, struct notices *notices) {
  const double heading_rad = trig_wrap(feedback_sample_at(m, FEEDBACK_WINDOW - 1)->place[FEEDBACK_YAW][0]);
  struct feedback_finding f;
  for (int plane = 0; plane < FEEDBACK_PLANES; plane++) {
    feedback_find(m, plane, &f);
    const int counts = plane != FEEDBACK_HORIZONTAL || f.force > smallest_n;
    count_row(&m->wrong_sign[plane], counts && is_wrong_sign(&f, SMALLEST[plane]));
    const double value[4] = {turn_of(&f), heading_rad, f.direction_rad, f.deviation};
    if (m->wrong_sign[plane] == FEEDBACK_ROWS)
      notice_raise(&notices->kind[KIND[plane]], step, value, -1);
    if (plane != FEEDBACK_HORIZONTAL)
      continue;
    // A force turned by 180 degrees is a wrong sign, whatever else it may be.
    count_row(&m->wrong_frame, counts && is_wrong_frame(&f) && !m->wrong_sign[plane]);
    if (m->wrong_frame == FEEDBACK_ROWS)
      notice_raise(&notices->kind[NOTICE_FRAME], step, value, -1);
  }
}

static void begin_again(struct feedback_monitor *m) {
  m->steps = m->count = m->next = m->wrong_frame = 0;
  m->wrong_sign[0] = m->wrong_sign[1] = 0;
  memset(&m->sum, 0, sizeof m->sum);
}

// Adds a step to the present second. The heading is without jumps within a window.
static void add_step(struct feedback_monitor *m, const struct feedback_input *in) {
  const double *q = in->quaternion_nb;
  const double c = 1 - 2 * (q[2] * q[2] + q[3] * q[3]), s = 2 * (q[1] * q[2] + q[0] * q[3]);
  const double *f = in->wrench_b;
  struct feedback_sample *sum = &m->sum;
  if (m->steps == 0 && m->count == 0)
    m->turned_rad = 0;
  else if (in->heading_rad - m->last_heading_rad > TRIG_PI)
    m->turned_rad -= 2 * TRIG_PI;
  else if (m->last_heading_rad - in->heading_rad > TRIG_PI)
    m->turned_rad += 2 * TRIG_PI;
  m->last_heading_rad = in->heading_rad;
  m->steps++;
  sum->force[FEEDBACK_HORIZONTAL][0] += c * f[0] - s * f[1];
  sum->force[FEEDBACK_HORIZONTAL][1] += s * f[0] + c * f[1];
  sum->force[FEEDBACK_YAW][0] += f[5];
  for (int i = 0; i < 2; i++) {
    sum->place[FEEDBACK_HORIZONTAL][i] += in->position_n_m[i];
    sum->velocity[FEEDBACK_HORIZONTAL][i] += in->velocity_n_mps[i];
  }
  sum->place[FEEDBACK_YAW][0] += in->heading_rad + m->turned_rad;
  sum->velocity[FEEDBACK_YAW][0] += in->rate_radps;
}

int feedback_step(struct feedback_monitor *m, const struct feedback_input *in, uint64_t steps_in_second) {
  if (!in) {
    begin_again(m);
    return 0;
  }
  add_step(m, in);
  if (m->steps < steps_in_second)
    return 0;
  struct feedback_sample *sample = &m->sample[m->next];
  const double share = 1 / (double)m->steps;
  *sample = m->sum;
  for (int plane = 0; plane < FEEDBACK_PLANES; plane++)
    for (int c = 0; c < 2; c++) {
      sample->force[plane][c] *= share;
      sample->place[plane][c] *= share;
      sample->velocity[plane][c] *= share;
    }
  memset(&m->sum, 0, sizeof m->sum);
  m->steps = 0;
  m->next = (m->next + 1) % FEEDBACK_WINDOW;
  m->count += m->count < FEEDBACK_WINDOW;
  return m->count == FEEDBACK_WINDOW;
}

static int sample_is_valid(const struct feedback_sample *s, struct reason *why) {
  return valid_finite(&s->force[0][0], (size_t)2 * FEEDBACK_PLANES, "force", why) &&
         valid_finite(&s->place[0][0], (size_t)2 * FEEDBACK_PLANES, "place", why) &&
         valid_finite(&s->velocity[0][0], (size_t)2 * FEEDBACK_PLANES, "velocity", why);
}

int feedback_is_valid(const struct feedback_monitor *m, struct reason *why) {
  for (int k = 0; k < FEEDBACK_WINDOW; k++)
    if (!sample_is_valid(&m->sample[k], why))
      return valid_fail_in(why, "sample[%d].", k);
  const double heading[2] = {m->last_heading_rad, m->turned_rad};
  return sample_is_valid(&m->sum, why) && valid_finite(heading, 2, "heading", why) &&
         valid_whole(m->steps, 0, VALID_MOST_STEPS, "steps", why) &&
         valid_whole(m->count, 0, FEEDBACK_WINDOW, "count", why) &&
         valid_whole(m->next, 0, FEEDBACK_WINDOW - 1, "next", why) &&
         valid_whole(m->wrong_sign[0], 0, FEEDBACK_ROWS, "wrong_sign", why) &&
         valid_whole(m->wrong_sign[1], 0, FEEDBACK_ROWS, "wrong_sign", why) &&
         valid_whole(m->wrong_frame, 0, FEEDBACK_ROWS, "wrong_frame", why);
}

// ---- What the commands do ----

static const double WEAK_WRENCH = 0.01, WEAK_THRUSTERS = 0.1; // of what holds
static const double LEAST_HOLD = 1e-3, LIMIT_SHARE = 0.1;     // of network.wrench_limit
static const double LEAST_STROKE = 0.1;                       // of full, that holds
static const double MANY_TURNS_RAD = 4 * TRIG_PI;
static const double LEAST_FORCE = 0.05; // of what has to be held
enum { FAR = 5 };                       // MONITOR_LEAVES_M where nothing has to be held

static int is_commanded(const struct command_latch *latch) {
  return (latch->state == COMMAND_LIVE || latch->state == COMMAND_OLD) && !latch->last.standby;
}

static double horizontal(const double wrench_b[6]) {
  return sqrt(wrench_b[0] * wrench_b[0] + wrench_b[1] * wrench_b[1]);
}

static double distance_m(const struct sim_output *now, const struct monitor_target *target) {
  const double north_m = now->position_n_m[0] - target->position_n_m[0];
  const double east_m = now->position_n_m[1] - target->position_n_m[1];
  return sqrt(north_m * north_m + east_m * east_m);
}

// The largest set-point as a share of its full value.
static double largest_stroke(const struct command_def *def, const struct thruster_setpoint *setpoint) {
  double largest = 0;
  for (int i = 0; i < def->thruster_count; i++) {
    const double most = def->thruster[i].revolutions_max_rpm;
    const double stroke = fabs(most > 0 ? setpoint[i].revolutions_rpm / most : setpoint[i].pitch);
    largest = setpoint[i].enable && stroke > largest ? stroke : largest;
  }
  return largest;
}

// What is commanded beside what holds the vessel.
struct effort {
  int kind;                   // NOTICE_WEAK_WRENCH or NOTICE_WEAK_THRUSTERS
  double commanded, expected; // expected 0: not known
  double weak;                // share below which it is weak
  double leaves_m;            // distance by which the vessel then leaves its place
};

static double largest_limit_n(const struct command_def *def) {
  return def->wrench_limit[0] > def->wrench_limit[1] ? def->wrench_limit[0] : def->wrench_limit[1];
}

// Whether no force has to be held.
static int holds_nothing(const struct command_def *def) {
  return horizontal(def->initial_holding_force_b) <= LEAST_HOLD * largest_limit_n(def);
}

static double expected_n(const struct command_def *def) {
  return holds_nothing(def) ? LIMIT_SHARE * largest_limit_n(def) : horizontal(def->initial_holding_force_b);
}

static struct effort effort_of(const struct command_def *def, const struct command_latch *latch) {
  struct effort e = {.kind = NOTICE_WEAK_WRENCH, .weak = WEAK_WRENCH, .leaves_m = MONITOR_LEAVES_M};
  if (latch->last.thruster_count > 0) {
    e.kind = NOTICE_WEAK_THRUSTERS;
    e.weak = WEAK_THRUSTERS;
    e.commanded = largest_stroke(def, latch->setpoint);
    e.expected = largest_stroke(def, def->hold_setpoint);
    // Zero is meant: a controller stops thrusters that are not ready. Another unit makes small numbers of
    // large ones.
    if (e.expected < LEAST_STROKE || !(e.commanded > 0))
      e.expected = 0;
    return e;
  }
  e.commanded = horizontal(latch->last.wrench_b);
  e.expected = expected_n(def);
  e.leaves_m *= holds_nothing(def) ? FAR : 1;
  return e;
}

static void watch_effort(struct command_monitor *m, const struct command_def *def,
                         const struct command_latch *latch, const struct sim_output *now,
                         const struct monitor_target *target) {
  const struct effort e = effort_of(def, latch);
  if (!(e.expected > 0 && e.commanded < e.weak * e.expected)) {
    m->weak_since = 0;
    return;
  }
  const double off_m = distance_m(now, target);
  if (!m->weak_since) {
    m->weak_since = 1 + now->step;
    m->weak_from_m = off_m;
  }
  const double value[4] = {e.commanded, e.expected, off_m, now->euler_rad[2]};
  if (now->step + 1 - m->weak_since >= steps_nearest_to(MONITOR_WEAK_S, target->step_s) &&
      off_m > m->weak_from_m + e.leaves_m)
    notice_raise(&m->notices.kind[e.kind], now->step, value, -1);
}

static void watch_azimuths(struct command_monitor *m, const struct command_def *def,
                           const struct command_latch *latch, const struct sim_output *now, double step_s) {
  int found = -1;
  for (int i = 0; i < def->thruster_count && latch->last.thruster_count > 0; i++)
    if (def->thruster[i].rudder_max_rad < 0 && fabs(latch->setpoint[i].azimuth_rad) > MANY_TURNS_RAD)
      found = i;
  m->azimuth_since = found < 0 ? 0 : m->azimuth_since ? m->azimuth_since : 1 + now->step;
  if (found < 0 || now->step + 1 - m->azimuth_since < steps_nearest_to(MONITOR_WEAK_S, step_s))
    return;
  const double azimuth_rad = latch->setpoint[found].azimuth_rad;
  const double value[4] = {azimuth_rad, fabs(azimuth_rad) / (2 * TRIG_PI), 0, 0};
  notice_raise(&m->notices.kind[NOTICE_AZIMUTH], now->step, value, found);
}

// A command names what it sets; the others keep what holds the vessel, unseen.
static void watch_unnamed(struct command_monitor *m, const struct command_def *def,
                          const struct command_latch *latch, const struct sim_output *now, double step_s) {
  const uint64_t all = ((uint64_t)1 << def->thruster_count) - 1;
  int first = -1, unnamed = 0, running = 0;
  if (latch->last.thruster_count == 0) {
    m->thrusters_since = m->thrusters_named = 0;
    return;
  }
  m->thrusters_since = m->thrusters_since ? m->thrusters_since : 1 + now->step;
  for (int k = 0; k < latch->last.thruster_count && m->thrusters_named != all; k++)
    for (int i = 0; i < def->thruster_count; i++)
      if (!strcmp(def->thruster[i].name, latch->last.thrusters[k].name))
        m->thrusters_named |= (uint64_t)1 << i;
  if (m->thrusters_named == all ||
      now->step + 1 - m->thrusters_since < steps_nearest_to(MONITOR_UNNAMED_S, step_s))
    return;
  for (int i = 0; i < def->thruster_count; i++) {
    running += now->thruster[i].running;
    if (!now->thruster[i].running || m->thrusters_named >> i & 1)
      continue;
    first = first < 0 ? i : first;
    unnamed++;
  }
  const double value[4] = {unnamed, running, 0, 0};
  if (unnamed > 0)
    notice_raise(&m->notices.kind[NOTICE_UNNAMED], now->step, value, first);
}

static void watch_directions(struct command_monitor *m, const struct command_def *def,
                             const struct command_latch *latch, const struct sim *sim,
                             const struct sim_output *now, double step_s) {
  const struct direction_input input = {.def = def,
                                        .latch = latch,
                                        .sim = sim,
                                        .now = now,
                                        .stroke = largest_stroke(def, latch->setpoint),
                                        .step_s = step_s};
  double value[4];
  if (direction_step(&m->directions, &input, value))
    notice_raise(&m->notices.kind[NOTICE_DIRECTION], now->step, value, -1);
}

static void watch_feedback(struct command_monitor *m, const struct command_def *def,
                           const struct command_latch *latch, const struct sim_output *now, double step_s) {
  const double *wrench_b = latch->last.thruster_count > 0 ? now->thruster_wrench_b : latch->last.wrench_b;
  const struct feedback_input input = {.wrench_b = wrench_b,
                                       .quaternion_nb = now->quaternion_nb,
                                       .position_n_m = now->position_n_m,
                                       .velocity_n_mps = now->velocity_n_mps,
                                       .heading_rad = now->euler_rad[2],
                                       .rate_radps = now->velocity_b[5]};
  // Azimuths that are read wrongly turn the force and the moment as well: one notice, the nearer one.
  if (feedback_step(&m->feedback, &input, steps_nearest_to(1, step_s)) &&
      !m->notices.kind[NOTICE_DIRECTION].active)
    feedback_judge(&m->feedback, now->step, LEAST_FORCE * expected_n(def), &m->notices);
}

static void notice_rest(struct notice *notice, uint64_t quiet_steps);

void command_monitor_step(struct command_monitor *m, const struct command_def *def,
                          const struct command_latch *latch, const struct sim *sim,
                          const struct sim_output *now, const struct monitor_target *target) {
  const uint64_t alarm = latch->last.consequence.alarm != 0;
  m->consequence_alarms += alarm && !m->consequence_alarm;
  m->consequence_alarm = alarm;
  const uint64_t quiet = steps_nearest_to(NOTICE_QUIET_S, target->step_s);
  for (int i = 0; i < NOTICE_COUNT; i++)
    notice_rest(&m->notices.kind[i], quiet);
  if (!is_commanded(latch) || m->setpoint_order != target->order) {
    feedback_step(&m->feedback, NULL, 1);
    direction_step(&m->directions, NULL, NULL);
  }
  m->setpoint_order = target->order;
  if (!is_commanded(latch)) {
    m->weak_since = m->azimuth_since = m->thrusters_since = m->thrusters_named = 0;
    return;
  }
  watch_effort(m, def, latch, now, target);
  watch_azimuths(m, def, latch, now, target->step_s);
  watch_unnamed(m, def, latch, now, target->step_s);
  watch_directions(m, def, latch, sim, now, target->step_s);
  watch_feedback(m, def, latch, now, target->step_s);
}

static int notices_are_valid(const struct notices *notices, uint64_t step, struct reason *why);

int command_monitor_is_valid(const struct command_monitor *m, uint64_t step, struct reason *why) {
  if (!feedback_is_valid(&m->feedback, why))
    return valid_fail_in(why, "feedback.");
  if (!direction_is_valid(&m->directions, step, why))
    return valid_fail_in(why, "directions.");
  return notices_are_valid(&m->notices, step, why) &&
         valid_whole(m->consequence_alarm, 0, 1, "consequence_alarm", why) &&
         valid_whole(m->consequence_alarms, 0, step, "consequence_alarms", why) &&
         valid_whole(m->weak_since, 0, step + 1, "weak_since", why) &&
         valid_finite(&m->weak_from_m, 1, "weak_from_m", why) &&
         valid_whole(m->azimuth_since, 0, step + 1, "azimuth_since", why) &&
         valid_whole(m->thrusters_since, 0, step + 1, "thrusters_since", why) &&
         valid_whole(m->thrusters_named, 0, ((uint64_t)1 << MAX_THRUSTERS) - 1, "thrusters_named", why);
}

// ------------------------------------------------------------
static const double DEG = 180 / TRIG_PI;

void notice_text(int kind, const struct notice *n, const char *thruster, char *out, size_t size) {
  const double *v = n->value;
  const char *ask = notice_question(kind);
  const double turn = v[0] * DEG;
  switch (kind) {
  case NOTICE_WEAK_WRENCH:
    snprintf(out, size, "commanded %.4g N, expected about %.4g N to hold; %.3g m off and leaving: %s", v[0],
             v[1], v[2], ask);
    break;
  case NOTICE_WEAK_THRUSTERS:
    snprintf(out, size, "largest set-point %.3g %% of full, hold has %.3g %%; %.3g m off and leaving: %s",
             100 * v[0], 100 * v[1], v[2], ask);
    break;
  case NOTICE_AZIMUTH:
    snprintf(out, size, "thruster %s: azimuth_rad of %.5g commanded, %.3g full turns: %s", thruster, v[0],
             v[1], ask);
    break;
  case NOTICE_FEEDBACK:
    snprintf(out, size,
             "the command pushes the vessel on, in its motion along %s (%s): feedback is positive: %s",
             fabs(trig_cos(v[2])) > fabs(trig_sin(v[2])) ? "north" : "east",
             fabs(trig_cos(v[2] - v[1])) > fabs(trig_sin(v[2] - v[1])) ? "surge" : "sway", ask);
    break;
  case NOTICE_FRAME:
    snprintf(out, size, "the force answers the motion turned by %.0f deg, at heading %.0f deg: %s", turn,
             v[1] * DEG, ask);
    break;
  case NOTICE_DIRECTION:
    snprintf(out, size, "the azimuths drive the vessel off, %.2g m so far; read as %s they would hold it: %s",
             v[1], direction_reading_text((int)v[0]), ask);
    break;
  case NOTICE_UNNAMED:
    snprintf(out, size,
             "thruster %s is in no command (%g of %g that run): it goes on with what holds the vessel at the "
             "start: %s",
             thruster, v[0], v[1], ask);
    break;
  default:
    snprintf(out, size, "the commanded moment turns the vessel on, %.2g deg so far (yaw): %s", v[3] * DEG,
             ask);
  }
}

static void notice_rest(struct notice *notice, uint64_t quiet_steps) {
  if (notice->active && ++notice->gone > quiet_steps)
    notice->active = notice->gone = 0;
}

// Whether notices from a file are possible at this step (sagbend/base/base.h).
static int notices_are_valid(const struct notices *notices, uint64_t step, struct reason *why) {
  for (int i = 0; i < NOTICE_COUNT; i++) {
    const struct notice *n = &notices->kind[i];
    if (!valid_whole(n->count, 0, step, "count", why) || !valid_whole(n->step, 0, step, "step", why) ||
        !valid_whole(n->active, 0, n->count > 0, "active", why) ||
        !valid_whole(n->gone, 0, n->active ? step : 0, "gone", why) ||
        !valid_finite(n->value, 4, "value", why) ||
        !valid_index(n->thruster, -1, MAX_THRUSTERS - 1, "thruster", why))
      return valid_fail_in(why, "notice[%d].", i);
  }
  return 1;
}
