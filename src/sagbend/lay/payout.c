// Pay-out and retrieval: the length of the pipe, the tower, the tensioner.
//
// The material enters at rest in the vessel's frame: all nodes but the last are material points, and the last
// one is the grip. Everything linear in the length of the top element, mass, weight, contact, obeys
//   c1 X1 - c0 X0 = c_m (X1 - X0) + (c1 - c0)(X0 + X1)/2,   c_m = (c0 + c1)/2.
// The conservative step works with c_m; the second term is the energy that the length brings along.
#include "sagbend/lay/lay.h"
#include "sagbend/lay/lay_internal.h"

#include "sagbend/math/math.h"
#include "sagbend/model/model.h"
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipeline/pipeline.h"
#include "sagbend/stations/stations.h"

static const double BRAKE_S = 5; // from the programme's speed to rest

// Length of a row since its start, of the whole duration.
static double row_length(const struct payout_row *row, double since) {
  double v = row->length_m < 0 ? -row->speed_mps : row->speed_mps, ramp = row->ramp_s;
  if (since <= 0)
    return 0;
  return since < ramp ? 0.5 * v * (since - ramp / TRIG_PI * trig_sin(TRIG_PI * since / ramp))
                      : v * (since - 0.5 * ramp);
}

double payout_length(const struct payout_def *def, double time_s) {
  double sum = 0;
  for (int i = 0; i < def->row_count; i++) {
    const struct payout_row *row = &def->row[i];
    double duration = payout_duration(row), since = time_s - row->start_s, left = duration - since;
    if (since <= 0)
      continue;
    if (left <= 0)
      sum += row->length_m;
    else
      sum += left < row->ramp_s ? row->length_m - row_length(row, left) : row_length(row, since);
  }
  return sum;
}

double payout_speed(const struct payout_def *def, double time_s) {
  for (int i = 0; i < def->row_count; i++) {
    const struct payout_row *row = &def->row[i];
    double since = time_s - row->start_s, left = payout_duration(row) - since;
    if (since <= 0 || left <= 0)
      continue;
    double v = row->length_m < 0 ? -row->speed_mps : row->speed_mps, to_end = since < left ? since : left;
    return to_end < row->ramp_s ? 0.5 * v * (1 - trig_cos(TRIG_PI * to_end / row->ramp_s)) : v;
  }
  return 0;
}

double payout_braking_length(double speed_mps) {
  return 0.5 * fabs(speed_mps) * BRAKE_S;
}

// Since it began to brake: the speed falls linearly.
static double braking_length(const struct payout_state *payout, double time_s) {
  double since = time_s - payout->stop_time_s;
  if (since >= BRAKE_S)
    return 0.5 * payout->stop_speed_mps * BRAKE_S;
  return payout->stop_speed_mps * (since - 0.5 * since * since / BRAKE_S);
}

static double speed_at(const struct model *m, const struct payout_state *payout, double time_s) {
  if (!payout->stopped)
    return payout_speed(&m->payout, time_s);
  double since = time_s - payout->stop_time_s;
  return since < BRAKE_S ? payout->stop_speed_mps * (1 - since / BRAKE_S) : 0;
}

double payout_acceleration(const struct model *m, const struct model_state *s, double time_s, double step_s,
                           double tension_n) {
  const struct payout_state *payout = &s->payout;
  const struct pipe_top_load load = pipe_load_of(&s->mesh.pipe, payout->top_m);
  if (m->tensioner.order_count > 0)
    return (tension_n - s->tensioner.holding_n) /
           (m->tensioner.mass_kg + tensioner_half_mass(&s->mesh.pipe, &load));
  double behind = speed_at(m, payout, time_s - 0.5 * step_s);
  return (speed_at(m, payout, time_s + 0.5 * step_s) - behind) / step_s;
}

// Length that enters from time_s on.
static double length_over(const struct model *m, const struct payout_state *payout, double time_s,
                          double step_s) {
  if (payout->stopped)
    return braking_length(payout, time_s + step_s) - braking_length(payout, time_s);
  return payout_length(&m->payout, time_s + step_s) - payout_length(&m->payout, time_s);
}

void payout_take_steepness(struct pipe_mesh *p, struct model_state *s) {
  s->payout.steepness = p->top.steepness = -pipe_axis(&s->pipe, p->nodes - 1).z;
}

static void tensioner_start(const struct model *m, struct model_state *s);

void payout_start(const struct model *m, struct model_state *s) {
  if (!m->pipe.tally.present)
    return;
  s->payout.elements = (uint64_t)s->mesh.pipe.elements;
  s->payout.top_m = s->mesh.pipe.length_m[s->mesh.pipe.elements - 1];
  s->payout.speed_mps = payout_speed(&m->payout, 0);
  pipe_plastic_pass(&s->mesh.pipe, &s->pipe);
  payout_take_steepness(&s->mesh.pipe, s);
  tensioner_start(m, s);
  vec3_to(pipe_get3(s->pipe.v_n, s->mesh.pipe.nodes - 1), s->payout.top_velocity_n);
}

void payout_follow(const struct model *m, struct model_state *s, struct model_work *w) {
  if (!m->pipe.tally.present) {
    pipe_plastic_follow(&s->mesh.pipe, &s->pipe);
    stations_follow(&m->field, &s->mesh.pipe, &s->pipe, &s->mesh.stations);
    return;
  }
  w->pipe.growth.is_active = w->pipe.growth.is_unknown = 0;
  s->mesh.pipe.top.steepness = s->payout.steepness;
  if (s->mesh.pipe.first != (int)s->retire.retired)
    pipe_set_window(&s->mesh.pipe, (int)s->retire.retired, s->retire.arc_m, (int)s->payout.elements);
  pipe_set_elements(&s->mesh.pipe, (int)s->payout.elements, s->payout.top_m);
  flooding_follow(s);
  pipe_plastic_follow(&s->mesh.pipe, &s->pipe);
  stations_follow(&m->field, &s->mesh.pipe, &s->pipe, &s->mesh.stations);
  model_carry_top(m, &s->mesh);
  model_work_resize(&s->mesh, w);
  pipe_work_clear_above(&s->mesh.pipe, &w->pipe);
}

int payout_is_valid(const struct model *m, const struct model_state *s, struct reason *why) {
  const struct payout_state *payout = &s->payout;
  const uint64_t retired = s->retire.retired;
  const struct pipe_tally *tally = &m->pipe.tally;
  const uint64_t least = (uint64_t)tally->elements_min, plan = (uint64_t)tally->plan_elements,
                 left = plan > retired ? plan - retired : 0, room = (uint64_t)tally->elements_max,
                 most = left < room ? left : room;
  if (!tally->present)
    return 1;
  if (!valid_whole(payout->elements, least > retired + 2 ? least - retired : 2, most, "elements", why) ||
      !valid_whole(payout->stopped, 0, PAYOUT_STOP_COUNT - 1, "stopped", why) ||
      !valid_whole(payout->splits, 0, VALID_MOST_STEPS, "splits", why) ||
      !valid_whole(payout->merges, 0, VALID_MOST_STEPS, "merges", why) ||
      !valid_finite(&payout->top_m, 1, "top_m", why) || !valid_finite(&payout->paid_m, 1, "paid_m", why) ||
      !valid_finite(&payout->speed_mps, 1, "speed_mps", why) ||
      !valid_finite(&payout->stop_time_s, 1, "stop_time_s", why) ||
      !valid_finite(&payout->stop_speed_mps, 1, "stop_speed_mps", why) ||
      !valid_finite(payout->top_velocity_n, 3, "top_velocity_n", why) ||
      !valid_finite(&payout->steepness, 1, "steepness", why))
    return 0;
  return payout->top_m > 0 ? 1 : valid_fail(why, "top_m: a positive length expected, got %g", payout->top_m);
}

// Means of what the nodes of the top element carry at two lengths.
static void set_lumped(const struct pipe_mesh *p, double from_m, double to_m, struct pipe_top_load *lumped) {
  const struct pipe_top_load first = pipe_load_of(p, from_m), last = pipe_load_of(p, to_m);
  for (int i = 0; i < 2; i++) {
    lumped->own_m[i] = 0.5 * (first.own_m[i] + last.own_m[i]);
    lumped->next_m[i] = 0.5 * (first.next_m[i] + last.next_m[i]);
  }
}

static void tensioner_begin(const struct model *m, const struct model_state *s, struct model_work *w,
                            double step_s) NONBLOCKING;

void payout_begin(const struct model *m, struct model_state *s, struct model_work *w, double time_s,
                  double step_s) {
  if (!m->pipe.tally.present)
    return;
  const int is_unknown = m->tensioner.order_count > 0;
  const double now = s->payout.top_m,
               grown = is_unknown ? step_s * s->payout.speed_mps : length_over(m, &s->payout, time_s, step_s),
               end = now + grown;
  const int is_active = is_unknown || grown != 0;
  w->pipe.growth = (struct pipe_growth){
      .is_active = is_active, .is_unknown = is_unknown, .grown_m = grown, .step_s = is_active ? step_s : 0};
  w->payout_end_time_s = time_s + step_s;
  set_lumped(&s->mesh.pipe, now, fmax(end, 0), &w->lumped);
  if (is_unknown) {
    tensioner_begin(m, s, w, step_s);
    model_work_resize(&s->mesh, w);
  }
  if (!is_active)
    return;
  pipe_set_top_length(&s->mesh.pipe, now, &w->lumped);
  model_carry_top(m, &s->mesh);
}

// Ends an active change of length.
static void stop_growth(const struct mesh *mesh, struct model_work *w) {
  const int was_unknown = w->pipe.growth.is_unknown;
  w->pipe.growth.is_active = w->pipe.growth.is_unknown = 0;
  if (was_unknown)
    model_work_resize(mesh, w);
}

void payout_adopt(const struct model *m, struct model_state *s, struct model_work *w) {
  pipe_plastic_follow(&s->mesh.pipe, &s->pipe);
  if (!m->pipe.tally.present)
    return;
  const struct pipe_top_load load = pipe_load_of(&s->mesh.pipe, s->payout.top_m);
  stop_growth(&s->mesh, w);
  pipe_set_top_length(&s->mesh.pipe, s->payout.top_m, &load);
  model_carry_top(m, &s->mesh);
}

double payout_top_kinetic(const struct model *m, const struct pipe_metre *metre,
                          const struct model_state *s) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  double rotary = pipe_metre_rotary(metre, &s->pipe, p->nodes - 1);
  if (m->tensioner.order_count > 0) // a metre of the half element is half of a metre of the top element
    rotary += tensioner_energy(pipe_axial_mass(metre), 0, s->payout.speed_mps, 0);
  if (!p->top_attached)
    return rotary;
  mat3 q = quat_matrix(s->vessel.q_nb);
  return rotary +
         pipe_metre_kinetic(metre, mat3_mul(&q, m->top_axis_b), pipe_get3(s->pipe.v_n, p->nodes - 1));
}

double payout_node_kinetic(const struct pipe_metre *metre, const struct model_state *s, int i) {
  return pipe_metre_rotary(metre, &s->pipe, i) +
         pipe_metre_kinetic(metre, pipe_axis(&s->pipe, i), pipe_get3(s->pipe.v_n, i));
}

// Energy of a metre of a kind at each node of the top element.
static void content_of_kind(const struct model *m, const struct pipe_stretch *kind,
                            const struct model_state *s, struct payout_metre at[2]) {
  const int n = s->mesh.pipe.nodes - 1;
  if (!kind)
    return;
  const struct pipe_mesh *p = &s->mesh.pipe;
  const double dry = pipe_waterline_feed(p, kind, pipe_depth(p, &s->pipe, n - 1), pipe_depth(p, &s->pipe, n));
  at[0].moving_jpm = payout_node_kinetic(&kind->kind->metre, s, n - 1);
  at[1].moving_jpm = payout_top_kinetic(m, &kind->kind->metre, s);
  for (int i = 0; i < 2; i++)
    at[i].energy_jpm =
        at[i].moving_jpm + dry + pipe_metre_potential(&s->mesh.pipe, &kind->kind->metre, &s->pipe, n - 1 + i);
}

struct payout_content payout_content_of(const struct model *m, const struct model_state *s) {
  const int n = s->mesh.pipe.nodes - 1;
  const double *z = s->pipe.r_n[2];
  const struct pipe_mesh *p = &s->mesh.pipe;
  struct payout_content c = {
      .drop_m = z[n - 1] - z[n],
      .dry_n = pipe_waterline_hanging(p, pipe_depth(p, &s->pipe, n - 1), pipe_depth(p, &s->pipe, n)).force_n};
  content_of_kind(m, s->mesh.pipe.top.own, s, c.own);
  content_of_kind(m, s->mesh.pipe.top.next, s, c.next);
  return c;
}

// Energy that lengths bring along whose change over a step, from first to last, was lumped in between: what
// came before with what the start of the step shows, the rest with its end. Adds to the work.
static void bring(const double first[2], const double lumped[2], const double last[2],
                  const struct payout_metre before[2], const struct payout_metre after[2],
                  struct payout_work *work) {
  for (int i = 0; i < 2; i++) {
    const double entered = last[i] - lumped[i];
    work->feed_j += entered * after[i].energy_jpm + (lumped[i] - first[i]) * before[i].energy_jpm;
    work->feed_moving_j += entered * after[i].moving_jpm;
  }
}

static void tensioner_end(const struct model *m, struct model_state *s, const struct model_work *w,
                          struct payout_work *work) NONBLOCKING;

struct payout_work payout_end(const struct model *m, struct model_state *s, struct model_work *w,
                              const struct payout_content *before) {
  struct payout_work work = {0, 0, 0, 0};
  struct pipe_growth *growth = &w->pipe.growth;
  if (m->pipe.tally.present && m->tensioner.order_count == 0)
    s->payout.speed_mps = speed_at(m, &s->payout, w->payout_end_time_s);
  if (!growth->is_active)
    return work;

  const double end_m = s->payout.top_m + growth->grown_m, grown = end_m - s->payout.top_m;
  if (growth->is_unknown)
    s->payout.speed_mps = w->tensioner_force.end_speed_mps;
  const struct payout_content after = payout_content_of(m, s);
  const struct pipe_top_load first = pipe_load_of(&s->mesh.pipe, s->payout.top_m),
                             last = pipe_load_of(&s->mesh.pipe, end_m);
  bring(first.own_m, w->lumped.own_m, last.own_m, before->own, after.own, &work);
  bring(first.next_m, w->lumped.next_m, last.next_m, before->next, after.next, &work);
  const double hanging =
      0.5 * pipe_hanging_weight(&s->mesh.pipe, &w->lumped) * (before->drop_m + after.drop_m) +
      0.5 * (before->dry_n + after.dry_n);
  work.tensioner_j = (growth->length_force_n - hanging) * grown;
  work.feed_j += hanging * grown; // with the tensioner's work: what the length makes
  if (growth->is_unknown)
    tensioner_end(m, s, w, &work);

  stop_growth(&s->mesh, w);
  s->payout.top_m = end_m;
  s->payout.paid_m += grown;
  pipe_set_top_length(&s->mesh.pipe, s->payout.top_m, &last);
  pipe_plastic_pass(&s->mesh.pipe, &s->pipe);
  model_carry_top(m, &s->mesh);
  return work;
}

double payout_grip_tension(const struct model *m, const struct model_state *s, double time_s, double step_s,
                           vec3 momentum_rate_n) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  const int n = p->nodes - 1;
  if (p->top_moved)
    momentum_rate_n = model_moved_momentum_rate(m, s, time_s, step_s);
  vec3 rest = vec3_sub(momentum_rate_n, model_top_water_force(m, s, time_s, step_s));
  double tension =
      pipe_still_grip_n(p, &s->pipe, s->payout.speed_mps * step_s) + vec3_dot(pipe_axis(&s->pipe, n), rest);
  // The material of the half element moves through the grip, which its momentum with the vessel leaves out.
  return tension - (s->mesh.top_mass_kg + s->mesh.top_axial_excess_kg) *
                       payout_acceleration(m, s, time_s, step_s, tension);
}

// ------------------------------------------------------------
// The tower, which turns the clamp at the hang-off.

static double angle_at(const struct model *m, const struct model_state *s, double time_s, double ahead_s) {
  const struct tower_def *tower = &m->tower;
  double value[TABLE_COLUMNS];
  if (tower->rows == 0)
    return operations_tower_turn(m, s, ahead_s);
  table_at(tower->table, tower->rows, TABLE_SPLINE, time_s + ahead_s, value);
  return value[0];
}

// The half element turns with the clamp, and its rotary inertia is part of the vessel's.
static void set_angle(const struct model *m, struct model_state *s, struct model_work *w, double angle_rad) {
  const quat turn = {trig_cos(0.5 * angle_rad), 0, trig_sin(0.5 * angle_rad), 0};
  s->mesh.tower_rad = angle_rad;
  s->mesh.hangoff_q_bt = quat_mul(turn, m->hangoff_home_bt);
  if (m->pipe.tally.present) {
    payout_adopt(m, s, w);
    return;
  }
  pipe_fill_node(&s->mesh.pipe, s->mesh.pipe.nodes - 1);
  model_carry_top(m, &s->mesh);
}

// Energy of what turns: the top element, bent by the clamp, and the half element in the vessel's inertia. The
// rest of the energy keeps its value, so the change of this sum has a rounding of its own size only.
static double turning_energy(const struct model *m, const struct model_state *s, struct model_work *w) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  const int top = p->elements - 1;
  const double *omega_b = s->vessel.nu + 3;
  double elastic = 0, rotary = 0;
  pipe_lay_out(p, &s->pipe, &w->pipe);
  for (int k = 0; k < 6; k++)
    elastic += p->stiffness[k][top] * w->pipe.strain0[k][top] * w->pipe.strain0[k][top];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      rotary += (s->mesh.vessel_inertia[3 + i][3 + j] - m->vessel.bare_inertia[3 + i][3 + j]) * omega_b[i] *
                omega_b[j];
  return 0.5 * (p->length_m[top] * elastic + rotary);
}

double tower_turn(const struct model *m, struct model_state *s, struct model_work *w, double time_s,
                  double ahead_s) {
  const double angle_rad = angle_at(m, s, time_s, ahead_s);
  if (angle_rad == s->mesh.tower_rad)
    return 0;
  const double before_j = turning_energy(m, s, w);
  set_angle(m, s, w, angle_rad);
  model_place_top(m, s);
  return turning_energy(m, s, w) - before_j;
}

// Lets the model follow a state that was set otherwise, at time_s.
static void tower_follow(const struct model *m, struct model_state *s, struct model_work *w, double time_s) {
  const double angle_rad = angle_at(m, s, time_s, 0);
  if (angle_rad != s->mesh.tower_rad)
    set_angle(m, s, w, angle_rad);
}

// ------------------------------------------------------------
void mesh_follow(const struct model *m, struct model_state *s, struct model_work *w, double time_s) {
  payout_follow(m, s, w);
  flooding_follow(s);
  tower_follow(m, s, w, time_s);
}

// ------------------------------------------------------------
// The stop of the mode tension reaches the force of the grip at this share of its speed beyond it.
static const double STOP_SHARE = 0.1;

static double clipped(double x, double most) {
  return x > most ? most : x < -most ? -most : x;
}

// What the grip holds. Where no element is left, brake and grip hold as designed, whatever fails: there is no
// memory for what a runaway would pay out.
static double grip_of(const struct tensioner_def *def, const struct model_state *s) {
  return def->grip_n * (s->payout.stopped ? 1 : 1 - s->tensioner.grip_lost);
}

static double brake_of(const struct tensioner_def *def, const struct model_state *s) {
  return fmin(grip_of(def, s), def->brake_n * (s->payout.stopped ? 1 : 1 - s->tensioner.brake_lost));
}

// Most that the spring of the grip exerts.
static double bound_of(const struct tensioner_def *def, const struct model_state *s) {
  switch ((enum tensioner_mode)s->tensioner.mode) {
  case TENSIONER_TENSION:
    return s->tensioner.slips ? grip_of(def, s) : 0.5 * def->dead_band_n;
  case TENSIONER_SPEED:
    return fmin(grip_of(def, s), def->motor_n);
  default:
    return brake_of(def, s);
  }
}

// Whether the pipe drags the drive, or slips in the grip, where the brake holds no less.
static int tensioner_is_dragged(const struct model *m, const struct model_state *s) {
  const struct tensioner_def *def = &m->tensioner;
  const double bound = bound_of(def, s);
  return def->stiffness_npm * fabs(s->tensioner.stretch_m) >= (1 - 1e-9) * bound && brake_of(def, s) >= bound;
}

// Starts a mode with the force that acts.
static void engage(const struct tensioner_def *def, struct model_state *s, enum tensioner_mode mode,
                   int slips) {
  struct tensioner_state *t = &s->tensioner;
  const double force = t->holding_n;
  t->mode = mode;
  t->slips = (uint64_t)slips;
  t->set_n = mode == TENSIONER_TENSION && !slips ? clipped(force, def->motor_n) : 0;
  t->track_mps = mode == TENSIONER_SPEED ? s->payout.speed_mps : 0;
  t->stretch_m = clipped(force - t->set_n, bound_of(def, s)) / def->stiffness_npm;
}

// Puts an order in force, unless that of a later source is.
static void take(struct tensioner_state *t, const struct tensioner_setpoint *order,
                 enum tensioner_source source) {
  if (!order->given || t->source > (uint64_t)source)
    return;
  t->source = source;
  t->ordered = order->mode;
  t->tension_n = order->mode == TENSIONER_TENSION ? order->tension_n : 0;
  t->speed_mps = order->mode == TENSIONER_SPEED ? order->speed_mps : 0;
}

static void take_programmed(struct tensioner_state *t, const struct tensioner_order *order) {
  const struct tensioner_setpoint setpoint = {1, order->mode, order->tension_n, order->speed_mps};
  take(t, &setpoint, TENSIONER_BY_PROGRAMME);
}

// State at the start, after the statics: the first order, holding the tension of the equilibrium.
static void tensioner_start(const struct model *m, struct model_state *s) {
  if (m->tensioner.order_count == 0)
    return;
  s->tensioner =
      (struct tensioner_state){.orders = 1, .holding_n = pipe_still_grip_n(&s->mesh.pipe, &s->pipe, 0)};
  take_programmed(&s->tensioner, &m->tensioner.order[0]);
  engage(&m->tensioner, s, m->tensioner.order[0].mode, 0);
  operations_start(m, s);
}

int tensioner_is_valid(const struct model *m, const struct model_state *s, struct reason *why) {
  const struct tensioner_state *tensioner = &s->tensioner;
  const int count = m->tensioner.order_count;
  return valid_whole(tensioner->orders, count > 0, (uint64_t)count, "orders", why) &&
         valid_whole(tensioner->source, 0, TENSIONER_SOURCE_COUNT - 1, "source", why) &&
         valid_whole(tensioner->ordered, 0, TENSIONER_MODE_COUNT - 1, "ordered", why) &&
         valid_finite(&tensioner->tension_n, 1, "tension_n", why) &&
         valid_finite(&tensioner->speed_mps, 1, "speed_mps", why) &&
         valid_range(tensioner->brake_lost, 0, 1, "brake_lost", why) &&
         valid_range(tensioner->grip_lost, 0, 1, "grip_lost", why) &&
         valid_whole(tensioner->runs_away, 0, 1, "runs_away", why) &&
         valid_finite(&tensioner->runaway_mps, 1, "runaway_mps", why) &&
         valid_whole(tensioner->slips, 0, 1, "slips", why) &&
         valid_whole(tensioner->mode, 0, TENSIONER_MODE_COUNT - 1, "mode", why) &&
         valid_finite(&tensioner->stretch_m, 1, "stretch_m", why) &&
         valid_finite(&tensioner->set_n, 1, "set_n", why) &&
         valid_finite(&tensioner->track_mps, 1, "track_mps", why) &&
         valid_finite(&tensioner->holding_n, 1, "holding_n", why) &&
         valid_finite(tensioner->beyond_m, PREDICTION_STEPS, "beyond_m", why);
}

void tensioner_latch(const struct model *m, struct model_state *s, const struct tensioner_input *input) {
  struct tensioner_state *t = &s->tensioner;
  if (m->tensioner.order_count == 0)
    return;
  take(t, &input->by_operator, TENSIONER_BY_OPERATOR);
  if (input->is_released)
    t->source = TENSIONER_BY_PROGRAMME;
  take(t, &input->by_controller, TENSIONER_BY_CONTROLLER);
  t->brake_lost = input->switches.brake_lost, t->grip_lost = input->switches.grip_lost;
  t->runs_away = input->switches.runs_away != 0;
  t->runaway_mps = t->runs_away ? input->switches.runaway_mps : 0;
}

// Mode in effect under the order in force.
static enum tensioner_mode mode_of(const struct model_state *s) {
  return s->payout.stopped        ? TENSIONER_BRAKE
         : s->tensioner.runs_away ? TENSIONER_SPEED
                                  : (enum tensioner_mode)s->tensioner.ordered;
}

double tensioner_obey(const struct model *m, struct model_state *s, double time_s, double step_s) {
  const struct tensioner_def *def = &m->tensioner;
  struct tensioner_state *t = &s->tensioner;
  if (def->order_count == 0)
    return 0;
  while (t->orders < (uint64_t)def->order_count && def->order[t->orders].start_s <= time_s + 0.5 * step_s)
    take_programmed(t, &def->order[t->orders++]);
  const struct tensioner_setpoint next = operations_advance(m, s, step_s, tensioner_is_dragged(m, s));
  take(t, &next, TENSIONER_BY_PROGRAMME);
  const enum tensioner_mode mode = mode_of(s);
  const int slips = mode == TENSIONER_TENSION && t->grip_lost > 0 &&
                    grip_of(def, s) < fmin(t->tension_n, def->motor_n) + 0.5 * def->dead_band_n;
  if (mode == (enum tensioner_mode)t->mode && slips == (int)t->slips)
    return 0;
  double before = tensioner_energy(0, def->stiffness_npm, 0, t->stretch_m);
  engage(def, s, mode, slips);
  return tensioner_energy(0, def->stiffness_npm, 0, t->stretch_m) - before;
}

// Speed that the tracks are to have in the mode speed: no faster than the shortest element permits where they
// run away, and than the power of the motor.
static double ordered_speed(const struct model *m, const struct tensioner_state *t, double step_s) {
  const double most = pipe_tally_speed_max(m->pipe.tally.shortest_m, step_s), force = fabs(t->holding_n);
  const double speed = t->runs_away ? clipped(t->runaway_mps, most) : t->speed_mps;
  return force > 0 ? clipped(speed, m->tensioner.motor_w / force) : speed;
}

// Sets in w the tensioner over a conservative step.
static void tensioner_begin(const struct model *m, const struct model_state *s, struct model_work *w,
                            double step_s) NONBLOCKING {
  const struct tensioner_def *def = &m->tensioner;
  const struct tensioner_state *t = &s->tensioner;
  struct tensioner_step *x = &w->tensioner;
  *x = (struct tensioner_step){.step_s = step_s,
                               .mass_kg = def->mass_kg + tensioner_half_mass(&s->mesh.pipe, &w->lumped),
                               .speed_mps = s->payout.speed_mps,
                               .stretch_m = t->stretch_m,
                               .bound_n = bound_of(def, s),
                               .stiffness_npm = def->stiffness_npm};
  w->tensioner_end_set_n = t->set_n, w->tensioner_end_track_mps = t->track_mps;
  if (t->mode == TENSIONER_TENSION && !t->slips) {
    double to = clipped(t->tension_n, def->motor_n);
    w->tensioner_end_set_n += clipped(to - t->set_n, def->ramp_nps * step_s);
    x->set_n = 0.5 * (t->set_n + w->tensioner_end_set_n);
    x->power_w = def->motor_w;
    x->damping_nspm = def->damping_nspm;
    x->stop_speed_mps = def->speed_max_mps;
    x->stop_nspm = def->grip_n / (STOP_SHARE * def->speed_max_mps);
  } else if (t->mode == TENSIONER_SPEED) {
    double to = ordered_speed(m, t, step_s);
    w->tensioner_end_track_mps += clipped(to - t->track_mps, def->acceleration_mps2 * step_s);
    struct track_step tracks = {w->tensioner_end_track_mps,
                                0.5 * step_s * (t->track_mps + w->tensioner_end_track_mps)};
    operations_land(m, s, step_s, &tracks);
    w->tensioner_end_track_mps = tracks.end_mps, x->travel_m = tracks.way_m;
  }
}

// Takes over the end of the step, and what the tensioner has done.
static void tensioner_end(const struct model *m, struct model_state *s, const struct model_work *w,
                          struct payout_work *work) NONBLOCKING {
  const struct tensioner_force *f = &w->tensioner_force;
  struct tensioner_state *t = &s->tensioner;
  const double grown = w->pipe.growth.grown_m;
  const double top_m = s->payout.top_m, most = fmax(m->pipe.tally.longest_m, top_m);
  if (!(tensioner_has_element(s, grown) && grown < most))
    work->feed_j = (double)NAN; // no solution: nothing of it is kept
  // The length that the state takes is rounded.
  work->feed_j -= f->force_n * (top_m + grown - top_m - grown);
  work->tensioner_j = f->work_j, work->grip_loss_j = f->loss_j;
  s->payout.speed_mps = f->end_speed_mps;
  t->stretch_m = f->end_stretch_m;
  operations_have_moved(m, s, w->tensioner.travel_m);
  t->set_n = w->tensioner_end_set_n, t->track_mps = w->tensioner_end_track_mps;
  t->holding_n = f->holding_n;
}
