// Newton with one factorisation: the tangent at the ballistic prediction serves all iterations while each of
// them takes off at least three digits; otherwise it is made anew. Where the pipe whips, the ballistic
// prediction is worse than none, and the iteration starts again from rest. The equations are written in
// increments, so the residual falls to the rounding of the forces (some 1e-9 of them) and not to that of the
// positions.
#include "core/integrator/conservative.h"

#include "core/math/dense6.h"

// Converged: no nodal force is off by more than this share of the forces that act. Stagnation: a new tangent
// no longer helps although the residual is within the rounding of what is summed.
static const double FORCE_SHARE = 1e-12;
static const double ROUNDING_SHARE = 1e-10;
static const double STIFFNESS_SHARE = 0x1p-20; // times FORCE_SHARE: 2^-60 of a stiffness counts as no force
static const double MOMENTUM_SHARE = 0x1p-3;   // of the vessel's momentum: it does not act, it only rounds
static const double ENOUGH_CONTRACTION = 1e-3;
static const double BAD_PREDICTION = 0.05; // a new tangent gained less: give the prediction up

static double larger(double a, double b) {
  return b > a ? b : a;
}

// The size of the forces whose sum is the balance; moments over the length that the balance's are taken over.
static double force_scale(const struct model *m, const struct model_state *s, const struct model_work *w,
                          double step_s) {
  const struct vessel *v = &m->vessel;
  double momentum[6], length = m->pipe.nodes > 0 ? m->pipe.length_m[m->pipe.elements - 1] : 1;
  // at rest nothing else sets the scale
  double scale = STIFFNESS_SHARE * v->heave_stiffness_npm;
  for (int e = 0; e < m->pipe.elements; e++)
    scale = larger(scale, STIFFNESS_SHARE * m->pipe.stiffness[0][e]);
  for (int e = 0; e < m->pipe.elements; e++)
    for (int c = 0; c < 6; c++)
      scale = larger(scale, fabs(w->pipe.stress[c][e]) / (c < 3 ? 1 : length));
  for (int i = 0; i < m->pipe.nodes; i++)
    for (int c = 0; c < 3; c++)
      scale = larger(scale, w->coefficients.mass_v * m->pipe.mass_kg[i] * fabs(s->pipe.v_n[c][i]));
  mat6_mul(v->inertia, s->vessel.nu, momentum);
  for (int c = 0; c < 6; c++)
    scale = larger(scale, MOMENTUM_SHARE * 2 * fabs(momentum[c] / step_s) / (c < 3 ? 1 : length));
  mat3 q = quat_matrix(s->vessel.q_nb);
  scale = larger(scale, v->heave_stiffness_npm * fabs(s->vessel.x_n.z - v->equilibrium_z_m));
  scale = larger(scale, v->pitch_stiffness_nm / length * fabs(q.m[2][0]));
  return larger(scale, v->roll_stiffness_nm / length * fabs(q.m[2][1]));
}

static int factor(const struct model *m, const struct model_state *s, struct model_work *w,
                  struct stage_clock *clock) {
  model_tangent(m, s, w);
  stage_end(clock, STAGE_ASSEMBLE);
  int ok = blocktri_factor(&w->matrix) == STATUS_OK;
  stage_end(clock, STAGE_SOLVE);
  return ok;
}

struct newton {
  double before_n, scale_n; // residual before the last correction; size of the forces
  int tangent_serves;       // the factorisation is good for another iteration
  int tangent_is_new;       // it was made for the last correction
  int from_rest;            // the prediction was given up
};

static void start_from_rest(const struct model *m, const struct model_state *s, struct model_work *w,
                            double step_s, struct newton *n) {
  model_begin(m, s, w, step_s);
  model_residual(m, s, w);
  n->from_rest = 1;
  n->tangent_serves = 0;
}

static int correct(const struct model *m, const struct model_state *s, struct model_work *w, struct newton *n,
                   struct stage_clock *clock) {
  n->before_n = w->largest_force_n;
  n->tangent_is_new = !n->tangent_serves;
  if (n->tangent_is_new && !factor(m, s, w, clock))
    return 0;
  blocktri_solve(&w->matrix, w->rhs);
  stage_end(clock, STAGE_SOLVE);
  model_correct(m, w, 1);
  model_residual(m, s, w);
  stage_end(clock, STAGE_ASSEMBLE);
  n->tangent_serves = w->largest_force_n < ENOUGH_CONTRACTION * n->before_n;
  return 1;
}

static int is_solved(const struct model_work *w, const struct newton *n) {
  if (w->largest_force_n <= FORCE_SHARE * n->scale_n)
    return 1;
  int stagnates = n->tangent_is_new && !(w->largest_force_n < 0.5 * n->before_n);
  return stagnates && w->largest_force_n < ROUNDING_SHARE * n->scale_n;
}

struct conservative_loss conservative_losses(const struct model *m, const struct model_work *w) {
  struct conservative_loss loss = {0, 0};
  if (m->pipe.nodes > 0)
    loss.structural_j = pipe_structural_loss(&m->pipe, &w->pipe, &w->coefficients);
  if (m->pipe.nodes > 0 && m->pipe.has_friction)
    loss.friction_j = w->pipe.friction_loss_j;
  return loss;
}

struct newton_report conservative_solve(const struct model *m, const struct model_state *s,
                                        struct model_work *w, double step_s, int max_iterations,
                                        struct stage_clock *clock) {
  struct newton_report report = {0};
  model_begin(m, s, w, step_s);
  model_predict(m, s, w, step_s);
  model_residual(m, s, w);
  struct newton n = {.scale_n = force_scale(m, s, w, step_s)};
  report.converged = is_solved(w, &n);
  while (!report.converged && report.iterations < max_iterations && correct(m, s, w, &n, clock)) {
    report.iterations++;
    report.converged = is_solved(w, &n);
    if (!n.from_rest && !report.converged && n.tangent_is_new &&
        !(w->largest_force_n < BAD_PREDICTION * n.before_n))
      start_from_rest(m, s, w, step_s, &n);
  }
  report.residual_n = w->largest_force_n;
  report.loss = conservative_losses(m, w);
  return report;
}
