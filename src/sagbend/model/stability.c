// An equilibrium is stable if the second variation of the potential energy is positive definite: K, the
// symmetric tangent at the equilibrium. The signs of the pivots of K - sigma M give the number of eigenvalues
// below sigma (sagbend/math/negative_pivots.c). Bisection encloses the least eigenvalue with that, and
// inverse iteration gives its mode. A friction spring that does not slip contributes to K, a slipping one
// does not. Drag acts as a constant load, because its dependence on the pipe's attitude has no potential.
#include "sagbend/model/stability.h"

#include "sagbend/model/model_internal.h"

#include <math.h>
#include <string.h>

enum { INVERSE_ITERATIONS = 24, BISECTIONS = 14, MOST_LEFT = 4 };

// Whether the boundary conditions keep this unknown of w->rhs at zero.
static int is_held(const struct equilibrium *eq, int unknown) {
  const struct pipe_mesh *p = &eq->s->mesh.pipe;
  int tail = unknown - BLOCK * eq->w->matrix.count, c = unknown % BLOCK;
  if (tail >= 0)
    return tail < 6 && (eq->w->held >> tail & 1);
  return unknown < BLOCK && (c < 3 ? p->held_position : p->held_rotation);
}

// Whether every eigenvalue lies above sigma.
static int all_eigenvalues_are_above(const struct equilibrium *eq, double sigma) {
  relax_stiffness(eq, sigma);
  return blocktri_negative_pivot_count(&eq->w->matrix) == 0;
}

// Magnitude below which an eigenvalue cannot be told from rounding, 1/s^2.
static double eigenvalue_rounding(const struct equilibrium *eq) {
  double most = 0;
  relax_stiffness(eq, 0);
  for (int i = 1; i < eq->w->matrix.count; i++)
    for (int c = 0; c < BLOCK; c++)
      most = fmax(most, fabs(eq->w->matrix.diag[i][block_at(c, c)]) / (0.5 * relax_mass(eq, BLOCK * i + c)));
  return fmax(1e-8, 0x1p-46 * most);
}

// A number below the least eigenvalue, and close to it if that is negative. none: rounding of an eigenvalue.
static double bound_least_eigenvalue(const struct equilibrium *eq, double none) {
  double low = -none, high = -none;
  while (!all_eigenvalues_are_above(eq, low) && low > -1e12)
    high = low, low *= 4;
  for (int k = 0; k < BISECTIONS && low != high; k++) {
    double middle = -sqrt(low * high);
    if (all_eigenvalues_are_above(eq, middle))
      low = middle;
    else
      high = middle;
  }
  return low;
}

// Finds the mode with the eigenvalue nearest to sigma by inverse iteration from a fixed pseudo-random vector.
// Leaves the mode in w->mode, scaled to a largest component of 1, and returns its eigenvalue.
static double find_mode_near(const struct equilibrium *eq, double sigma) {
  struct model_work *w = eq->w;
  double value = sigma;
  uint64_t seed = 1;
  for (int i = 0; i < w->rhs_count; i++) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    w->mode[i] = is_held(eq, i) ? 0 : (double)(int64_t)seed / 9223372036854775808.0;
  }
  relax_stiffness(eq, sigma);
  if (blocktri_factor(&w->matrix) != STATUS_OK)
    return value;
  for (int k = 0; k < INVERSE_ITERATIONS; k++) {
    double with = 0, own = 0, most = 0;
    for (int i = 0; i < w->rhs_count; i++)
      w->rhs[i] = 0.5 * relax_mass(eq, i) * w->mode[i];
    blocktri_solve(&w->matrix, w->rhs);
    for (int i = 0; i < w->rhs_count; i++) {
      w->rhs[i] = is_held(eq, i) ? 0 : w->rhs[i]; // removes the rounding
      with += relax_mass(eq, i) * w->rhs[i] * w->mode[i];
      own += relax_mass(eq, i) * w->rhs[i] * w->rhs[i];
      most = fabs(w->rhs[i]) > fabs(most) ? w->rhs[i] : most;
    }
    value = sigma + with / own;
    for (int i = 0; i < w->rhs_count; i++)
      w->mode[i] = w->rhs[i] / most;
  }
  return value;
}

// Where and how the mode in w->mode moves, with the tensions there.
static struct statics_mode describe_mode(const struct equilibrium *eq, double value) {
  const struct pipe_mesh *p = &eq->s->mesh.pipe;
  const struct model_work *w = eq->w;
  struct statics_mode mode = {.least_1ps2 = value, .least_tension_n = (double)INFINITY};
  double most = 0, at = 0;
  int node = -1;
  // The entry after the last node is the vessel; it counts only if the pipe hangs from it.
  for (int i = 0; i <= w->matrix.count; i++) {
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
  vec3 d = vec3_of(w->mode + BLOCK * node), t = pipe_axis(&eq->s->pipe, node), side = {-t.y, t.x, 0};
  double along = fabs(vec3_dot(d, t)), flat = vec3_norm(side);
  double across = flat > 0 ? fabs(vec3_dot(d, side)) / flat : 0;
  double rest = sqrt(fmax(0, vec3_dot(d, d) - along * along - across * across));
  mode.kind = across >= along && across >= rest ? MODE_LATERAL : rest >= along ? MODE_VERTICAL : MODE_AXIAL;
  return mode;
}

// Fills stable and softest of the report.
static void find_softest_mode(const struct equilibrium *eq, double none) {
  struct statics_report *r = eq->report;
  double sigma = bound_least_eigenvalue(eq, none);
  r->stable = sigma >= -none;
  r->softest = describe_mode(eq, find_mode_near(eq, sigma));
}

// Leaves an unstable equilibrium along the mode in w->mode, with a step that turns no node by more than 0.01
// rad.
static void step_along_mode(const struct equilibrium *eq) {
  struct model_work *w = eq->w;
  double turn = 0;
  for (int i = 0; i < w->rhs_count; i++)
    if (i % BLOCK >= 3)
      turn = fmax(turn, fabs(w->mode[i]));
  double size = turn > 0.1 ? 0.01 / turn : 0.1;
  model_begin(eq->m, eq->s, w, 0);
  model_residual(eq->m, eq->s, w);
  for (int i = 0; i < w->rhs_count; i++)
    w->rhs[i] = size * w->mode[i];
  model_correct(&eq->s->mesh, w, 1);
  model_commit(eq->m, eq->s, w, 0);
}

static enum status fail_unstable(const struct equilibrium *eq, const char *advice, struct reason *why) {
  static const char *const directions[] = {"along its axis", "sideways", "vertically", "with the vessel"};
  const struct statics_mode *m = eq->report->unstable_left ? &eq->report->left : &eq->report->softest;
  return fail(why, STATUS_NOT_CONVERGED,
              "statics: the equilibrium is unstable: the pipe gives way %s at S = %.4g m (growth by e in "
              "%.2g s) under %.4g kN of compression there; largest compression %.4g kN at S = %.4g m; %s",
              directions[m->kind], m->s_m, 1 / sqrt(-m->least_1ps2), fmax(0, -m->tension_n) / 1e3,
              fmax(0, -m->least_tension_n) / 1e3, m->least_tension_s_m,
              m->least_tension_n < 0 ? advice : "more elements may be needed");
}

enum status stability_check(const struct equilibrium *eq, const struct statics_def *def, struct reason *why) {
  const struct model *m = eq->m;
  struct statics_report *r = eq->report;
  int dead_moment = !eq->s->mesh.pipe.top_attached && vec3_norm(m->end_moment_nm) > 0;
  r->stability_checked = !dead_moment && eq->s->mesh.pipe.held_position;
  if (!r->stability_checked)
    return STATUS_OK;
  if (load_stages_have_friction(eq, def) && !eq->w->has_static_loads)
    load_stages_start_friction(eq);
  for (int left = 0;; left++) {
    double none = eigenvalue_rounding(eq);
    find_softest_mode(eq, none);
    if (r->stable)
      break;
    if (def->unstable == UNSTABLE_REFUSE)
      return fail_unstable(eq, "seabed friction may hold the pipe, or see statics.unstable", why);
    if (left == MOST_LEFT)
      return fail_unstable(eq, "no stable equilibrium found nearby", why);
    if (left == 0)
      r->left = r->softest;
    r->unstable_left++;
    step_along_mode(eq);
    if (relax_downhill(eq, -2 * r->softest.least_1ps2, none, "leaving an unstable equilibrium", why) !=
        STATUS_OK)
      return fail_unstable(eq, "no stable equilibrium found nearby", why);
  }
  r->slipping_m =
      r->with_friction ? pipe_static_slipping_length(&eq->s->mesh.pipe, &eq->s->pipe, &eq->w->pipe) : 0;
  return STATUS_OK;
}
