// Newton's method with one factorisation: the tangent at the prediction from velocities and last
// accelerations serves all iterations as long as each reduces the residual by a factor of 1000, or enough;
// otherwise it is computed and factored again, as where a roller takes hold or lets go. Where the pipe whips,
// this prediction is worse than none, and the iteration starts again with zero increments. The equations are
// written in increments, so the residual falls to the rounding of the forces (some 1e-9 of them) and not to
// that of the positions.
#include "sagbend/integrator/conservative.h"

#include "sagbend/math/dense6.h"
#include "sagbend/model/rollers.h"

#include <limits.h>

// Converged: the largest unbalanced nodal force is below FORCE_SHARE of the forces that act. Also converged:
// it is below ROUNDING_SHARE, and a new tangent does not reduce it (stagnation at rounding).
static const double FORCE_SHARE = 5e-13;
static const double ROUNDING_SHARE = 1e-10;

// Shares of a stiffness and of the rate of the vessel's momentum that count as forces that act: they round,
// even where nothing else acts. FORCE_SHARE times STIFFNESS_SHARE is about 2^-61.
static const double STIFFNESS_SHARE = 0x1p-20;
static const double MOMENTUM_SHARE = 0x1p-3;

static const double ENOUGH_CONTRACTION = 1e-3; // ratio of residuals up to which a factorisation is kept
static const double SOME_CONTRACTION = 0.1;    // the same where one more iteration ends it
static const double TO_SPARE = 0.1;            // share of the tolerance that it is then expected to end at
static const double BAD_PREDICTION = 0.5;      // ratio above which a new tangent shows a bad prediction

// The tangent of a soil becomes at least its secant after these iterations, that of friction later, once one
// reduces the residual by less than this factor: then Newton's method may cycle.
enum { SECANT_FROM = 3, FRICTION_SECANT_FROM = 6 };
static const double SLOW_CONTRACTION = 0.3;

static double larger(double a, double b) {
  return b > a ? b : a;
}

// The magnitude of the forces whose sum is the balance; moments are divided by the same length as in the
// balance.
static double force_scale(const struct model *m, const struct model_state *s, const struct model_work *w,
                          double step_s) {
  const struct vessel *vessel = &m->vessel;
  double momentum[6], length = s->mesh.pipe.nodes > 0 ? s->mesh.pipe.length_m[s->mesh.pipe.elements - 1] : 1;
  // At rest nothing else sets the scale.
  double scale = STIFFNESS_SHARE * vessel->heave_stiffness_npm;
  if (s->mesh.pipe.nodes > 0)
    scale = larger(larger(scale, STIFFNESS_SHARE * m->pipe.stiffest_n),
                   pipe_force_scale(&s->mesh.pipe, &s->pipe, &w->pipe, &w->coefficients, length));

  mat6_mul(s->mesh.vessel_inertia, s->vessel.nu, momentum);
  for (int c = 0; c < 6; c++)
    scale = larger(scale, MOMENTUM_SHARE * 2 * fabs(momentum[c] / step_s) / (c < 3 ? 1 : length));

  mat3 q = quat_matrix(s->vessel.q_nb);
  scale = larger(scale, vessel->heave_stiffness_npm * fabs(s->vessel.x_n.z - vessel->equilibrium_z_m));
  scale = larger(scale, vessel->pitch_stiffness_nm / length * fabs(q.m[2][0]));
  return larger(scale, vessel->roll_stiffness_nm / length * fabs(q.m[2][1]));
}

// Computes and factors the tangent and solves with it. Fails with STATUS_SINGULAR.
static enum status solve_tangent(const struct model *m, const struct model_state *s, struct model_work *w,
                                 struct stage_clock *clock) {
  model_tangent(m, s, w);
  stage_end(clock, STAGE_ASSEMBLE);
  enum status status = blocktri_factor_and_solve(&w->matrix, w->rhs);
  stage_end(clock, STAGE_SOLVE);
  return status;
}

// State of the iteration.
struct newton {
  double before_n, scale_n; // residual before the last correction; magnitude of the forces
  int tangent_serves;       // 1: the factorisation is kept for another iteration
  int tangent_is_new;       // 1: it was computed for the last correction
  int from_rest;            // 1: the prediction was given up
};

// Gives up the prediction: zero increments. The forces at a bad prediction can be large and would loosen the
// tolerance, so their magnitude is taken again.
static void start_from_rest(const struct model *m, const struct model_state *s, struct model_work *w,
                            double step_s, struct newton *newton) {
  model_begin(m, s, w, step_s);
  model_residual(m, s, w);
  newton->scale_n = force_scale(m, s, w, step_s);
  newton->from_rest = 1;
  newton->tangent_serves = 0;
}

// Whether the factorisation is kept: it reduces the residual well, or by its last ratio once more would end
// the iteration with some to spare.
static int serves_on(double residual_n, const struct newton *newton) {
  const double ratio = residual_n / newton->before_n;
  return ratio < ENOUGH_CONTRACTION ||
         (ratio < SOME_CONTRACTION && ratio * residual_n < TO_SPARE * FORCE_SHARE * newton->scale_n);
}

// Makes one iteration. Fails with STATUS_SINGULAR.
static enum status correct_increments(const struct model *m, const struct model_state *s,
                                      struct model_work *w, struct newton *newton,
                                      struct stage_clock *clock) {
  newton->before_n = w->largest_force_n;
  newton->tangent_is_new = !newton->tangent_serves;
  if (newton->tangent_is_new) {
    enum status status = solve_tangent(m, s, w, clock);
    if (status != STATUS_OK)
      return status;
  } else {
    blocktri_solve(&w->matrix, w->rhs);
    stage_end(clock, STAGE_SOLVE);
  }
  model_correct(&s->mesh, w, 1);
  model_residual(m, s, w);
  stage_end(clock, STAGE_ASSEMBLE);
  newton->tangent_serves = serves_on(w->largest_force_n, newton);
  return STATUS_OK;
}

static int is_solved(const struct model_work *w, const struct newton *newton) {
  if (w->largest_force_n <= FORCE_SHARE * newton->scale_n)
    return 1;
  int stagnates = newton->tangent_is_new && !(w->largest_force_n < 0.5 * newton->before_n);
  return stagnates && w->largest_force_n < ROUNDING_SHARE * newton->scale_n;
}

// The same where the length of the pipe is an unknown: a prediction that is far off strains the top element
// by any amount, so the forces that act are those of the solution.
static int is_really_solved(const struct model *m, const struct model_state *s, const struct model_work *w,
                            double step_s, struct newton *newton) {
  if (!is_solved(w, newton))
    return 0;
  if (!w->pipe.growth.is_unknown)
    return 1;
  double scale = force_scale(m, s, w, step_s);
  newton->scale_n = scale < newton->scale_n ? scale : newton->scale_n;
  return is_solved(w, newton);
}

struct conservative_loss conservative_losses(const struct model *m, const struct model_state *s,
                                             const struct model_work *w) {
  struct conservative_loss loss = {0, 0, 0};
  if (s->mesh.pipe.nodes > 0)
    loss.structural_j = pipe_structural_loss(&s->mesh.pipe, &w->pipe, &w->coefficients);
  if (s->mesh.pipe.nodes > 0 && m->pipe.has_friction)
    loss.friction_j = w->pipe.friction_loss_j;
  loss.friction_j += rollers_loss(m, w);
  if (s->mesh.pipe.nodes > 0 && m->pipe.has_plastic)
    loss.plastic_j = w->pipe.plastic_loss_j;
  return loss;
}

struct newton_report conservative_solve(const struct model *m, const struct model_state *s,
                                        struct model_work *w, double step_s, int with_history,
                                        int max_iterations, struct stage_clock *clock) {
  const int secant_from = m->pipe.has_soil       ? SECANT_FROM
                          : m->pipe.has_friction ? FRICTION_SECANT_FROM
                                                 : INT_MAX;
  struct newton_report report = {0};
  model_begin_predicted(m, s, w, step_s, with_history);
  model_residual(m, s, w);
  struct newton iteration = {.scale_n = force_scale(m, s, w, step_s)};

  report.converged = is_really_solved(m, s, w, step_s, &iteration);
  w->pipe.with_secant = 0;
  while (!report.converged && report.iterations < max_iterations &&
         correct_increments(m, s, w, &iteration, clock) == STATUS_OK) {
    report.iterations++;
    report.tangents += iteration.tangent_is_new;
    report.converged = is_really_solved(m, s, w, step_s, &iteration);
    if (report.iterations >= secant_from && w->largest_force_n > SLOW_CONTRACTION * iteration.before_n)
      w->pipe.with_secant = 1, iteration.tangent_serves = 0;
    if (!iteration.from_rest && !report.converged && iteration.tangent_is_new &&
        !(w->largest_force_n < BAD_PREDICTION * iteration.before_n))
      start_from_rest(m, s, w, step_s, &iteration);
  }

  report.residual_n = w->largest_force_n;
  report.loss = conservative_losses(m, s, w);
  return report;
}
