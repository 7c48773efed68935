#include "sagbend/rig/rig.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

void link_begin(struct link *l, uint64_t seed) {
  l->random = random_stream_of(random_seed(seed, "link"));
}

static int draw_fault(struct link *l, const struct fault_set *faults, enum fault_kind kind) {
  const struct fault *f = fault_find(faults, kind, -1);
  return f && random_uniform(&l->random) < f->value[0];
}

static int enqueue(struct link *l, const struct command *command, uint64_t due_step) {
  if (l->count == LINK_QUEUE) {
    l->counts.lost++;
    return 0;
  }
  l->queue[l->count++] = (struct link_item){.due_step = due_step, .command = *command};
  return 1;
}

static void send_command(struct link *l, const struct fault_set *faults, uint64_t step, double step_s,
                         const struct command *sent) {
  uint64_t waiting = l->count, due_step = step;
  const struct fault *jitter = fault_find(faults, FAULT_JITTER, -1);
  if (draw_fault(l, faults, FAULT_LOSS)) {
    l->counts.lost++;
    return;
  }
  if (jitter)
    due_step += (uint64_t)(random_uniform(&l->random) * (jitter->value[0] / step_s + 1));
  if (draw_fault(l, faults, FAULT_REORDER))
    l->counts.reordered += (uint64_t)enqueue(l, sent, UINT64_MAX);
  else if (enqueue(l, sent, due_step))
    l->counts.delayed += due_step > step;
  if (draw_fault(l, faults, FAULT_DUPLICATE))
    l->counts.duplicated += (uint64_t)enqueue(l, sent, UINT64_MAX);
  for (uint64_t i = 0; i < waiting; i++) // their next command is this one
    if (l->queue[i].due_step == UINT64_MAX)
      l->queue[i].due_step = due_step + 1;
}

int link_transfer(struct link *l, const struct fault_set *faults, uint64_t step, double step_s,
                  const struct command *sent, struct command *delivered) {
  if (sent)
    send_command(l, faults, step, step_s, sent);
  uint64_t newest = 0, kept = 0;
  int any = 0;
  for (uint64_t i = 0; i < l->count; i++) {
    const struct link_item *item = &l->queue[i];
    if (item->due_step > step) {
      if (kept != i)
        l->queue[kept] = *item;
      kept++;
    } else if (!any || item->due_step >= newest) { // the last one to arrive counts
      newest = item->due_step;
      *delivered = item->command;
      any = 1;
    }
  }
  memset(&l->queue[kept], 0, (size_t)(l->count - kept) * sizeof *l->queue); // equal states have equal bytes
  l->count = kept;
  return any;
}

int link_loses_sensors(struct link *l, const struct fault_set *faults) {
  int lost = draw_fault(l, faults, FAULT_SENSORS_LOSS);
  l->counts.sensors_lost += (uint64_t)lost;
  return lost;
}

double link_clock_offset_s(const struct fault_set *faults) {
  double offset_s = 0;
  for (int i = 0; i < faults->count; i++)
    if (faults->fault[i].kind == FAULT_CLOCK_JUMP)
      offset_s += faults->fault[i].value[0];
  return offset_s;
}

// ------------------------------------------------------------
static const int COMPONENT[LINK_AXES] = {[LINK_SURGE] = 0, [LINK_SWAY] = 1, [LINK_YAW] = 5};

void link_energy_begin(struct link_energy *e, const struct sim_output *now) {
  e->step = now->step;
  memcpy(e->velocity_b, now->velocity_b, sizeof e->velocity_b);
}

static struct link_sample *energy_sample_at(struct link_energy *e, const struct command_def *def,
                                            uint64_t step) {
  return &e->sample[step / def->period_steps % LINK_SAMPLES];
}

static double dot(const double a[6], const double b[6]) {
  double sum = 0;
  for (int i = 0; i < 6; i++)
    sum += a[i] * b[i];
  return sum;
}

// The part of the wrench beside the thrusters that the command asks for; the rest holds the vessel.
static void asked_beside(const struct command_def *def, const struct command_latch *latch,
                         double wrench_b[6]) {
  const double share = command_latch_share(latch, def);
  for (int i = 0; i < 6; i++)
    wrench_b[i] = share > 0 ? share * latch->last.wrench_b[i] : 0;
}

void link_energy_asked(const struct link_energy *e, const struct command_def *def,
                       const struct command_latch *latch, double asked_b[6]) {
  asked_beside(def, latch, asked_b);
  for (int i = 0; i < 6; i++)
    asked_b[i] += e->known_b[i];
}

// Books the law over the way since its newest point, which is constant there.
static void close_law(struct link_energy *e) {
  for (int i = 0; i < 6; i++) {
    e->law_j[i] += e->law_b[i] * e->since_b[i];
    e->since_b[i] = 0;
  }
}

// Books the law up to a new point: along a line from the newest one, or as a constant after a silence.
static void book_line(struct link_energy *e, const struct command_def *def, uint64_t step,
                      const double wrench_b[6]) {
  const uint64_t period = def->period_steps, from = e->law_step / period, to = step / period,
                 newest = e->step / period, oldest = newest < LINK_SAMPLES ? 0 : newest - LINK_SAMPLES + 1;
  const int is_line = step - e->law_step <= def->timeout_steps && from >= oldest;
  double moment_b[6] = {0}, after_b[6] = {0}; // about the newest point, in steps; way after the new one
  for (uint64_t s = is_line ? from : to; s <= newest; s++) {
    const struct link_sample *sample = &e->sample[s % LINK_SAMPLES];
    for (int i = 0; i < 6; i++)
      if (s < to)
        moment_b[i] += sample->moment_b[i] + (double)((s - from) * period) * sample->way_b[i];
      else
        after_b[i] += sample->way_b[i];
  }
  for (int i = 0; i < 6; i++) {
    double slope = is_line ? (wrench_b[i] - e->law_b[i]) / (double)(step - e->law_step) : 0;
    e->law_j[i] += e->law_b[i] * (e->since_b[i] - after_b[i]) + slope * moment_b[i];
    e->since_b[i] = after_b[i];
  }
}

// Takes over the set-points of a command; what it does not name stays.
static void mean(struct link_energy *e, const struct command_def *def, const struct command *sent) {
  for (int k = 0; k < sent->thruster_count; k++)
    for (int i = 0; i < def->thruster_count; i++)
      if (!strcmp(def->thruster[i].name, sent->thrusters[k].name)) {
        const struct thruster_command *thruster = &sent->thrusters[k];
        struct thruster_setpoint *to = &e->meant[i];
        to->enable = thruster->enable;
        to->revolutions_rpm = thruster->revolutions_rpm;
        to->pitch = thruster->pitch;
        to->azimuth_rad = thruster->azimuth_rad;
      }
}

void link_energy_send(struct link_energy *e, const struct command_def *def, const struct sim *sim,
                      const struct command_latch *latch, const struct command *sent) {
  const uint64_t period = def->period_steps, newest = e->step / period;
  uint64_t answers = sent->based_on_step / period;
  if (sent->standby) { // the law asks for nothing from here on
    close_law(e);
    e->has_law = 0;
    return;
  }

  if (!e->has_law)
    memcpy(e->meant, latch->setpoint, sizeof e->meant);
  mean(e, def, sent);
  double wrench_b[6] = {0};
  if (def->thruster_count > 0)
    sim_static_wrench(sim, e->meant, wrench_b);
  for (int i = 0; i < 6; i++)
    wrench_b[i] += sent->wrench_b[i];

  answers = answers > newest ? newest : answers + LINK_SAMPLES > newest ? answers : newest - LINK_SAMPLES + 1;
  if (!e->has_law)
    e->law_step = answers * period;
  else if (answers * period > e->law_step) {
    book_line(e, def, answers * period, wrench_b);
    e->law_step = answers * period;
  }
  e->has_law = 1;
  memcpy(e->law_b, wrench_b, sizeof e->law_b);
}

// Adds the way of a step to its control sample, and returns it in way_b.
static void book_way(struct link_energy *e, const struct command_def *def, const struct sim_output *now,
                     double step_s, double way_b[6]) {
  const uint64_t in_sample = e->step % def->period_steps;
  struct link_sample *sample = energy_sample_at(e, def, e->step);
  for (int i = 0; i < 6; i++) {
    way_b[i] = 0.5 * step_s * (e->velocity_b[i] + now->velocity_b[i]);
    sample->way_b[i] += way_b[i];
    sample->moment_b[i] += ((double)in_sample + 0.5) * way_b[i];
  }
  for (int a = 0; a < LINK_AXES; a++)
    e->square_b[a] += way_b[COMPONENT[a]] * way_b[COMPONENT[a]] / step_s;
}

static int are_other_setpoints(const struct thruster_setpoint *a, const struct thruster_setpoint *b,
                               int count) {
  for (int i = 0; i < count; i++)
    if (a[i].enable != b[i].enable || a[i].revolutions_rpm != b[i].revolutions_rpm ||
        a[i].pitch != b[i].pitch || a[i].azimuth_rad != b[i].azimuth_rad)
      return 1;
  return 0;
}

void link_energy_step(struct link_energy *e, const struct command_def *def, const struct sim *sim,
                      const struct command_latch *latch, const struct sim_output *now,
                      const struct ledger *ledger, double step_s) {
  double way_b[6], beside_b[6];
  if (now->step == e->step) // a fault is latched
    return;
  book_way(e, def, now, step_s, way_b);
  if (def->thruster_count > 0 && are_other_setpoints(e->known, latch->setpoint, def->thruster_count)) {
    memcpy(e->known, latch->setpoint, sizeof e->known);
    sim_static_wrench(sim, e->known, e->known_b);
  }

  asked_beside(def, latch, beside_b);
  for (int i = 0; i < 6; i++) {
    double hold_n = latch->applied_b[i] - beside_b[i], asked_n = e->known_b[i] + beside_b[i];
    e->asked_j[i] += (hold_n + asked_n) * way_b[i];
    e->law_j[i] += (e->has_law ? hold_n : hold_n + asked_n) * way_b[i];
    e->since_b[i] += e->has_law ? way_b[i] : 0;
    e->velocity_b[i] = now->velocity_b[i];
  }
  e->control_error_j += ledger->work_j[PORT_CONTROL] - dot(latch->applied_b, way_b);
  e->drives_j += ledger->work_j[PORT_THRUSTERS] - dot(e->known_b, way_b);
  e->step = now->step;
  if (e->step % def->period_steps == 0)
    memset(energy_sample_at(e, def, e->step), 0, sizeof e->sample[0]);
}

struct link_work link_energy_work(const struct link_energy *e) {
  struct link_work work = {.drives_j = e->drives_j};
  double asked_j = e->control_error_j, law_j[6];
  for (int i = 0; i < 6; i++) {
    law_j[i] = e->law_j[i] + e->law_b[i] * e->since_b[i];
    work.law_j += law_j[i];
    asked_j += e->asked_j[i];
  }
  work.link_j = asked_j - work.law_j;
  for (int a = 0; a < LINK_AXES; a++) {
    int i = COMPONENT[a];
    work.damping[a] = e->square_b[a] > 0 ? (law_j[i] - e->asked_j[i]) / e->square_b[a] : 0;
  }
  return work;
}

int link_energy_is_valid(const struct link_energy *e, uint64_t step, struct reason *why) {
  const struct link_energy *known = e;
  return valid_whole(known->step, 0, step, "step", why) &&
         valid_whole(known->has_law, 0, 1, "has_law", why) &&
         valid_whole(known->law_step, 0, step, "law_step", why) &&
         valid_finite(known->law_b, 6, "law_b", why) && valid_finite(known->since_b, 6, "since_b", why) &&
         valid_finite(known->law_j, 6, "law_j", why) && valid_finite(known->asked_j, 6, "asked_j", why) &&
         valid_finite(&known->control_error_j, 1, "control_error_j", why) &&
         valid_finite(&known->drives_j, 1, "drives_j", why) &&
         valid_finite(known->square_b, LINK_AXES, "square_b", why) &&
         valid_finite(known->velocity_b, 6, "velocity_b", why) &&
         valid_finite(known->known_b, 6, "known_b", why);
}

// ------------------------------------------------------------
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
