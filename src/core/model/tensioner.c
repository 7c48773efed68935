#include "core/model/tensioner.h"

#include "core/pipe/feed.h"

// The stop of the mode tension reaches the force of the grip at this share of its speed beyond it.
static const double STOP_SHARE = 0.1;
static const double SHORTEST_SHARE = 0.01; // of the nominal length: a step that ends below is no solution

static double clipped(double x, double most) {
  return x > most ? most : x < -most ? -most : x;
}

// Most that the spring of the grip exerts in a mode.
static double bound_of(const struct tensioner_def *def, uint64_t mode) {
  switch ((enum tensioner_mode)mode) {
  case TENSIONER_TENSION:
    return 0.5 * def->dead_band_n;
  case TENSIONER_SPEED:
    return fmin(def->grip_n, def->motor_n);
  default:
    return fmin(def->grip_n, def->brake_n);
  }
}

// Starts a mode with the force that acts.
static void engage(const struct tensioner_def *def, struct model_state *s, enum tensioner_mode mode) {
  struct tensioner_state *t = &s->tensioner;
  const double force = t->holding_n;
  t->mode = mode;
  t->set_n = mode == TENSIONER_TENSION ? clipped(force, def->motor_n) : 0;
  t->track_mps = mode == TENSIONER_SPEED ? s->payout.speed_mps : 0;
  t->stretch_m = clipped(force - t->set_n, bound_of(def, mode)) / def->stiffness_npm;
}

void tensioner_start(const struct model *m, struct model_state *s) {
  const struct pipe *p = &m->pipe;
  const int n = p->nodes - 1;
  if (m->tensioner.order_count == 0)
    return;
  struct growing_element top = pipe_still_element(p, &s->pipe, n - 1, n, p->length_m[n - 1]);
  s->tensioner = (struct tensioner_state){.orders = 1};
  s->tensioner.holding_n = growing_element_grip_n(&top) +
                           0.5 * p->feed.metre.weight_n * (s->pipe.r_n[2][n - 1] - s->pipe.r_n[2][n]);
  engage(&m->tensioner, s, m->tensioner.order[0].mode);
}

int tensioner_is_valid(const struct model *m, const struct tensioner_state *tensioner, struct reason *why) {
  const int count = m->tensioner.order_count;
  return valid_whole(tensioner->orders, count > 0, (uint64_t)count, "orders", why) &&
         valid_whole(tensioner->mode, 0, TENSIONER_MODE_COUNT - 1, "mode", why) &&
         valid_finite(&tensioner->stretch_m, 1, "stretch_m", why) &&
         valid_finite(&tensioner->set_n, 1, "set_n", why) &&
         valid_finite(&tensioner->track_mps, 1, "track_mps", why) &&
         valid_finite(&tensioner->holding_n, 1, "holding_n", why) &&
         valid_finite(tensioner->beyond_m, 2, "beyond_m", why);
}

double tensioner_obey(const struct model *m, struct model_state *s, double time_s, double step_s) {
  const struct tensioner_def *def = &m->tensioner;
  struct tensioner_state *t = &s->tensioner;
  if (def->order_count == 0)
    return 0;
  while (t->orders < (uint64_t)def->order_count && def->order[t->orders].start_s <= time_s + 0.5 * step_s)
    t->orders++;
  const enum tensioner_mode mode = s->payout.stopped ? TENSIONER_BRAKE : def->order[t->orders - 1].mode;
  if (mode == (enum tensioner_mode)t->mode)
    return 0;
  double before = tensioner_energy(0, def->stiffness_npm, 0, t->stretch_m);
  engage(def, s, mode);
  return tensioner_energy(0, def->stiffness_npm, 0, t->stretch_m) - before;
}

double tensioner_half_mass(const struct model *m, double length_m) {
  const struct pipe_metre *metre = &m->pipe.feed.metre;
  return 0.5 * length_m * (metre->mass_kg + metre->added_axial * metre->water_kg);
}

void tensioner_begin(const struct model *m, const struct model_state *s, struct model_work *w,
                     double step_s) {
  const struct tensioner_def *def = &m->tensioner;
  const struct tensioner_state *t = &s->tensioner;
  const struct tensioner_order *order = &def->order[t->orders - 1];
  struct tensioner_step *x = &w->tensioner;
  *x = (struct tensioner_step){.step_s = step_s,
                               .mass_kg = def->mass_kg + tensioner_half_mass(m, w->lumped_m),
                               .speed_mps = s->payout.speed_mps,
                               .stretch_m = t->stretch_m,
                               .bound_n = bound_of(def, t->mode),
                               .stiffness_npm = def->stiffness_npm};
  w->tensioner_end_set_n = t->set_n, w->tensioner_end_track_mps = t->track_mps;
  if (t->mode == TENSIONER_TENSION) {
    double to = clipped(order->tension_n, def->motor_n);
    w->tensioner_end_set_n += clipped(to - t->set_n, def->ramp_nps * step_s);
    x->set_n = 0.5 * (t->set_n + w->tensioner_end_set_n);
    x->power_w = def->motor_w;
    x->damping_nspm = def->damping_nspm;
    x->stop_speed_mps = def->speed_max_mps;
    x->stop_nspm = def->grip_n / (STOP_SHARE * def->speed_max_mps);
  } else if (t->mode == TENSIONER_SPEED) {
    double force = fabs(t->holding_n), fastest = def->motor_w / force;
    double to = force > 0 ? clipped(order->speed_mps, fastest) : order->speed_mps;
    w->tensioner_end_track_mps += clipped(to - t->track_mps, def->acceleration_mps2 * step_s);
    x->travel_m = 0.5 * step_s * (t->track_mps + w->tensioner_end_track_mps);
  }
}

double tensioner_balance(const struct model *m, const struct model_state *s, struct model_work *w) {
  const struct pipe *p = &m->pipe;
  const struct pipe_growth *growth = &w->pipe.growth;
  const int n = p->nodes - 1;
  w->tensioner_force = tensioner_force_of(&w->tensioner, growth->end_m - s->payout.top_m);
  if (!(growth->end_m > SHORTEST_SHARE * p->feed.nominal_m))
    return (double)NAN;
  double drop =
      s->pipe.r_n[2][n - 1] - s->pipe.r_n[2][n] + 0.5 * (w->pipe.dr_n[2][n - 1] - w->pipe.dr_n[2][n]);
  return w->tensioner_force.force_n + growth->length_force_n - 0.5 * p->feed.metre.weight_n * drop;
}

struct growing_length_tangent tensioner_tangent(const struct model *m, const struct model_state *s,
                                                const struct model_work *w) {
  const double hanging = 0.25 * m->pipe.feed.metre.weight_n;
  struct growing_length_tangent t =
      pipe_growing_length_tangent(&m->pipe, &s->pipe, &w->pipe, w->coefficients.damping_over_h);
  t.row[2] -= hanging, t.row[8] += hanging;
  t.own_npm += w->tensioner_force.slope_npm;
  return t;
}

void tensioner_end(const struct model *m, struct model_state *s, const struct model_work *w,
                   struct payout_work *work) {
  const struct tensioner_force *f = &w->tensioner_force;
  struct tensioner_state *t = &s->tensioner;
  const double nominal = m->pipe.feed.nominal_m, end = w->pipe.growth.end_m;
  if (!(end > SHORTEST_SHARE * nominal && end - s->payout.top_m < nominal))
    work->feed_j = (double)NAN; // no solution: nothing of it is kept
  work->tensioner_j = f->work_j, work->grip_loss_j = f->loss_j;
  s->payout.speed_mps = f->end_speed_mps;
  t->stretch_m = f->end_stretch_m;
  t->set_n = w->tensioner_end_set_n, t->track_mps = w->tensioner_end_track_mps;
  t->holding_n = f->holding_n;
}
