// Newton with one factorisation: the tangent at the ballistic prediction serves all iterations while each of them
// takes off at least three digits; otherwise it is made anew. The equations are written in increments, so the residual
// falls to the rounding of the forces (some 1e-9 of them) and not to that of the positions.
#include "integrator/conservative.h"

// Done when no nodal force is off by more than this share of the largest force that acts in the step,
// and the energy error it can cause is below this share of the energy moved.
static const double FORCE_SHARE = 1e-12;
static const double ENOUGH_CONTRACTION = 1e-3;

static double largest_internal_force(const struct model *m, const struct model_work *w) {
  double most = 1; // N: floor where nothing pulls
  for (int e = 0; e < m->pipe.elements; e++) {
    double force = fabs(w->pipe.stress[0][e]);
    most = force > most ? force : most;
  }
  return most;
}

static int factor(const struct model *m, const struct model_state *s, struct model_work *w, struct stage_clock *clock) {
  model_tangent(m, s, w);
  stage_end(clock, STAGE_ASSEMBLE);
  int ok = blocktri_factor(&w->matrix) == STATUS_OK;
  stage_end(clock, STAGE_SOLVE);
  return ok;
}

struct newton_report conservative_solve(const struct model *m, const struct model_state *s, struct model_work *w,
                                        double step_s, int max_iterations, struct stage_clock *clock) {
  struct newton_report report = {0};
  model_begin(m, s, w, step_s);
  model_predict(m, s, w, step_s);
  model_residual(m, s, w);
  int fresh = 0;
  double before = w->largest_force_n;
  for (;;) {
    double tolerance = FORCE_SHARE * largest_internal_force(m, w);
    report.residual_n = w->largest_force_n;
    if (!(report.residual_n > tolerance)) {
      report.converged = isfinite(report.residual_n);
      break;
    }
    if (report.iterations >= max_iterations)
      break;
    if (!fresh && !factor(m, s, w, clock))
      break;
    fresh = 1;
    blocktri_solve(&w->matrix, w->rhs);
    stage_end(clock, STAGE_SOLVE);
    model_correct(m, w, 1);
    model_residual(m, s, w);
    stage_end(clock, STAGE_ASSEMBLE);
    report.iterations++;
    double contraction = w->largest_force_n / before;
#ifdef NEWTON_TRACE
    printf("  it %d res %.3e contraction %.2e work %.3e\n", report.iterations, w->largest_force_n, contraction, w->work_j);
#endif
    if (!(contraction < ENOUGH_CONTRACTION))
      fresh = 0;
    before = w->largest_force_n;
  }
  if (m->pipe.nodes > 0)
    report.structural_loss_j = pipe_structural_loss(&m->pipe, &w->pipe, &w->coefficients);
  return report;
}
