#include "sagbend/lay/tensioner.h"

#include "sagbend/lay/operations.h"
#include "sagbend/model/tensioner.h"
#include "sagbend/pipe/feed.h"

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

int tensioner_is_dragged(const struct model *m, const struct model_state *s) {
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

void tensioner_start(const struct model *m, struct model_state *s) {
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
  const struct tensioner_setpoint next = operations_advance(m, s, step_s);
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
  const double most = pipe_feed_speed_max(m->pipe.feed.shortest_m, step_s), force = fabs(t->holding_n);
  const double speed = t->runs_away ? clipped(t->runaway_mps, most) : t->speed_mps;
  return force > 0 ? clipped(speed, m->tensioner.motor_w / force) : speed;
}

void tensioner_begin(const struct model *m, const struct model_state *s, struct model_work *w,
                     double step_s) {
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

void tensioner_end(const struct model *m, struct model_state *s, const struct model_work *w,
                   struct payout_work *work) {
  const struct tensioner_force *f = &w->tensioner_force;
  struct tensioner_state *t = &s->tensioner;
  const double grown = w->pipe.growth.grown_m;
  const double top_m = s->payout.top_m, most = fmax(m->pipe.feed.longest_m, top_m);
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
