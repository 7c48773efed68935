// Friction. A pipe that is laid lands piece by piece with the tension of the touchdown, and the ground then
// bears its weight where it landed. So it is laid on a ground whose reaction is vertical: no force runs along
// it, and the tension stays what it was. Then friction takes over: its springs get the stretch that holds
// each piece, as far as mu N reaches; where it does not, the pipe slides until it holds. The dynamics go on
// from these stretches. The current of time 0 comes up after that, in steps, and friction resists.
//
// Stability. An equilibrium is stable if the second variation of the potential energy is positive: K, the
// symmetric tangent there. The signs of the pivots of K - sigma M tell how many eigenvalues lie below sigma
// (core/linsolve/negative_pivots.c); with that the least is enclosed, and inverse iteration gives its mode. A
// spring of friction that does not slip counts, one that slips does not; drag is a dead load, as its turning
// with the pipe has no potential.
#include "core/model/rest.h"

#include <math.h>
#include <string.h>

enum { CURRENT_STEPS = 5, INVERSE_ITERATIONS = 24, BISECTIONS = 14, MOST_LEFT = 4 };

static int is_level(const struct pipe *p) {
  return p->ground.north_nodes == 0 && p->ground.normal_n.x == 0 && p->ground.normal_n.y == 0;
}

static int grips(const struct relaxation *x, const struct statics_def *def) {
  return x->m->pipe.has_friction && def->friction == FRICTION_LAID;
}

void rest_begin(const struct relaxation *x, const struct statics_def *def) {
  x->report->with_friction = grips(x, def);
  x->w->static_loads = grips(x, def) && !is_level(&x->m->pipe);
  x->w->still = (struct pipe_static_loads){.ground = x->w->static_loads ? GROUND_BEARING : GROUND_SMOOTH};
}

void rest_end(const struct relaxation *x) {
  x->w->static_loads = 0;
  x->w->still = (struct pipe_static_loads){.ground = GROUND_SMOOTH};
}

static struct current_turn initial_current(const struct relaxation *x, const struct statics_def *def) {
  const struct current *c = &x->m->current;
  int flows = 0;
  for (int i = 0; i < c->count; i++)
    flows |= c->v_n[i].x != 0 || c->v_n[i].y != 0;
  return flows && def->current == CURRENT_INITIAL ? current_turn_at(&x->m->env.current, 0)
                                                  : (struct current_turn){0, 0};
}

// Has the friction's springs take over. On level ground, without a current, none is stretched.
static void grip(const struct relaxation *x) {
  model_begin(x->m, x->s, x->w, 0);
  model_residual(x->m, x->s, x->w);
  pipe_static_start_friction(&x->m->pipe, &x->s->pipe, &x->w->pipe);
  x->w->still.ground = GROUND_FRICTION;
  x->w->static_loads = 1;
}

enum status rest_load(const struct relaxation *x, const struct statics_def *def, struct reason *why) {
  struct current_turn turn = initial_current(x, def);
  int flows = turn.along != 0 || turn.across != 0, carried = x->w->static_loads;
  x->report->with_current = flows;
  if (!flows && !carried)
    return STATUS_OK;
  if (grips(x, def))
    grip(x);
  enum status status = carried ? relax(x, 1e-2, "friction", why) : STATUS_OK;
  if (flows) // she stays where the pull in still water put her
    x->w->held |= HOLD_X | HOLD_Y;
  for (int k = 1; k <= CURRENT_STEPS && flows && status == STATUS_OK; k++) { // drag grows with the square
    double share = sqrt((double)k / CURRENT_STEPS);
    x->w->static_loads = 1;
    x->w->still.current = &x->m->current;
    x->w->still.turn = (struct current_turn){share * turn.along, share * turn.across};
    status = relax_with_small_turns(x, 1, "current, see statics.current", why);
  }
  return status;
}

// ---- stability ----

static int is_held(const struct relaxation *x, int unknown) {
  const struct pipe *p = &x->m->pipe;
  int tail = unknown - BLOCK * x->w->matrix.count, c = unknown % BLOCK;
  if (tail >= 0)
    return tail < 6 && (x->w->held >> tail & 1);
  return unknown < BLOCK && (c < 3 ? p->held_position : p->held_rotation);
}

static int is_above(const struct relaxation *x, double sigma) { // every eigenvalue is
  relax_stiffness(x, sigma);
  return blocktri_negative_pivot_count(&x->w->matrix) == 0;
}

// Below this an eigenvalue is rounding.
static double rounding(const struct relaxation *x) {
  double most = 0;
  relax_stiffness(x, 0);
  for (int i = 1; i < x->w->matrix.count; i++)
    for (int c = 0; c < BLOCK; c++)
      most = fmax(most, fabs(x->w->matrix.diag[i][7 * c]) / (0.5 * relax_mass(x, BLOCK * i + c)));
  return fmax(1e-8, 0x1p-46 * most);
}

// A number below the least eigenvalue, near it where that is negative.
static double below_least(const struct relaxation *x, double none) {
  double low = -none, high = -none;
  while (!is_above(x, low) && low > -1e12)
    high = low, low *= 4;
  for (int k = 0; k < BISECTIONS && low != high; k++) {
    double middle = -sqrt(low * high);
    if (is_above(x, middle))
      low = middle;
    else
      high = middle;
  }
  return low;
}

// Inverse iteration about sigma; leaves the mode in w->mode with a largest movement of 1, and returns its
// eigenvalue.
static double mode_near(const struct relaxation *x, double sigma) {
  struct model_work *w = x->w;
  double value = sigma;
  uint64_t seed = 1;
  for (int i = 0; i < w->rhs_count; i++) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    w->mode[i] = is_held(x, i) ? 0 : (double)(int64_t)seed / 9223372036854775808.0;
  }
  relax_stiffness(x, sigma);
  if (blocktri_factor(&w->matrix) != STATUS_OK)
    return value;
  for (int k = 0; k < INVERSE_ITERATIONS; k++) {
    double with = 0, own = 0, most = 0;
    for (int i = 0; i < w->rhs_count; i++)
      w->rhs[i] = 0.5 * relax_mass(x, i) * w->mode[i];
    blocktri_solve(&w->matrix, w->rhs);
    for (int i = 0; i < w->rhs_count; i++) {
      w->rhs[i] = is_held(x, i) ? 0 : w->rhs[i]; // but for rounding it is
      with += relax_mass(x, i) * w->rhs[i] * w->mode[i];
      own += relax_mass(x, i) * w->rhs[i] * w->rhs[i];
      most = fabs(w->rhs[i]) > fabs(most) ? w->rhs[i] : most;
    }
    value = sigma + with / own;
    for (int i = 0; i < w->rhs_count; i++)
      w->mode[i] = w->rhs[i] / most;
  }
  return value;
}

static struct statics_mode describe(const struct relaxation *x, double value) {
  const struct pipe *p = &x->m->pipe;
  const struct model_work *w = x->w;
  struct statics_mode mode = {.least_1ps2 = value, .least_tension_n = (double)INFINITY};
  double most = 0, at = 0;
  int node = -1;
  for (int i = 0; i <= w->matrix.count;
       i++) { // the last one: the vessel, or what follows a top that is let go
    double size = i < w->matrix.count || p->top_attached ? vec3_norm(vec3_of(w->mode + BLOCK * i)) : 0;
    if (size > most)
      most = size, node = i;
  }
  for (int e = 0; e < p->elements; e++) {
    if (w->pipe.stress[0][e] < mode.least_tension_n)
      mode.least_tension_n = w->pipe.stress[0][e], mode.least_tension_s_m = at + 0.5 * p->length_m[e];
    if (e <= node)
      mode.s_m = e < node ? at + p->length_m[e] : at, mode.tension_n = w->pipe.stress[0][e];
    at += p->length_m[e];
  }
  mode.kind = MODE_VESSEL;
  if (node < 0 || (node == w->matrix.count && p->top_attached))
    return mode;
  vec3 d = vec3_of(w->mode + BLOCK * node), t = pipe_axis(&x->s->pipe, node), side = {-t.y, t.x, 0};
  double along = fabs(vec3_dot(d, t)), flat = vec3_norm(side);
  double across = flat > 0 ? fabs(vec3_dot(d, side)) / flat : 0;
  double rest = sqrt(fmax(0, vec3_dot(d, d) - along * along - across * across));
  mode.kind = across >= along && across >= rest ? MODE_LATERAL : rest >= along ? MODE_VERTICAL : MODE_AXIAL;
  return mode;
}

static void judge(const struct relaxation *x, double none) {
  struct statics_report *r = x->report;
  double sigma = below_least(x, none);
  r->stable = sigma >= -none;
  r->softest = describe(x, mode_near(x, sigma));
}

// Off an unstable equilibrium along the mode in w->mode: a nudge that turns no node by more than a hundredth.
static void nudge(const struct relaxation *x) {
  struct model_work *w = x->w;
  double turn = 0;
  for (int i = 0; i < w->rhs_count; i++)
    if (i % BLOCK >= 3)
      turn = fmax(turn, fabs(w->mode[i]));
  double size = turn > 0.1 ? 0.01 / turn : 0.1;
  model_begin(x->m, x->s, w, 0);
  model_residual(x->m, x->s, w);
  for (int i = 0; i < w->rhs_count; i++)
    w->rhs[i] = size * w->mode[i];
  model_correct(x->m, w, 1);
  model_commit(x->m, x->s, w, 0);
}

static enum status unstable(const struct relaxation *x, const char *more, struct reason *why) {
  static const char *const ways[] = {"along its axis", "sideways", "up or down", "with the vessel"};
  const struct statics_mode *m = x->report->unstable_left ? &x->report->left : &x->report->softest;
  return fail(why, STATUS_NOT_CONVERGED,
              "statics: the equilibrium is unstable: it gives way %s at S = %.4g m (e-fold in %.2g s), "
              "compression there %.4g kN, "
              "at most %.4g kN at S = %.4g m; %s",
              ways[m->kind], m->s_m, 1 / sqrt(-m->least_1ps2), fmax(0, -m->tension_n) / 1e3,
              fmax(0, -m->least_tension_n) / 1e3, m->least_tension_s_m,
              m->least_tension_n < 0 ? more : "more elements may be needed");
}

enum status rest_judge(const struct relaxation *x, const struct statics_def *def, struct reason *why) {
  const struct model *m = x->m;
  struct statics_report *r = x->report;
  int dead_moment = !m->pipe.top_attached && vec3_norm(m->end_moment_nm) > 0;
  r->stability_checked = !dead_moment && m->pipe.held_position;
  if (!r->stability_checked)
    return STATUS_OK;
  if (grips(x, def) && !x->w->static_loads)
    grip(x);
  for (int left = 0;; left++) {
    double none = rounding(x);
    judge(x, none);
    if (r->stable)
      break;
    if (def->unstable == UNSTABLE_REFUSE)
      return unstable(x, "seabed friction may hold it, or see statics.unstable", why);
    if (left == MOST_LEFT)
      return unstable(x, "no stable one found beside it", why);
    if (left == 0)
      r->left = r->softest;
    r->unstable_left++;
    nudge(x);
    if (relax_downhill(x, -2 * r->softest.least_1ps2, none, "leaving an unstable equilibrium", why) !=
        STATUS_OK)
      return unstable(x, "no stable one found beside it", why);
  }
  r->slipping_m = r->with_friction ? pipe_static_slipping_length(&m->pipe, &x->s->pipe, &x->w->pipe) : 0;
  return STATUS_OK;
}
