#include "integrator/step.h"

#include "integrator/conservative.h"
#include "integrator/dissipative.h"

static void scale_velocities(const struct model *m, struct model_state *s, double factor) {
  for (int i = 0; i < 6; i++)
    s->vessel.nu[i] *= factor;
  for (int i = 0; i < m->pipe.nodes; i++) {
    pipe_set3(s->pipe.v_n, i, vec3_scale(factor, pipe_get3(s->pipe.v_n, i)));
    pipe_set3(s->pipe.omega_t, i, vec3_scale(factor, pipe_get3(s->pipe.omega_t, i)));
  }
}

// C without a solution: whatever Newton left may hold any energy. Velocities are scaled down until none was made; where
// the potential alone exceeds what there was, nothing moves and the velocities vanish. What is lost on the way is the
// limiter's, so the ledger closes all the same.
static void commit_limited(const struct model *m, struct model_state *s, struct model_work *w, double step_s,
                           double structural_loss, struct ledger *ledger) {
  struct model_energy before = {model_kinetic(m, s), ledger->energy_j - ledger->kinetic_j}, after;
  model_state_copy(m, &w->saved, s);
  model_commit(m, s, w, step_s);
  after = model_energy_of(m, s, w);
  double allowed = before.kinetic_j + before.potential_j - structural_loss - after.potential_j;
  if (allowed >= 0 && isfinite(after.kinetic_j)) {
    ledger->loss_j[LOSS_STRUCTURAL] += structural_loss;
    if (after.kinetic_j > allowed)
      scale_velocities(m, s, sqrt(allowed / after.kinetic_j));
    else
      ledger->loss_j[LOSS_LIMITER] += allowed - after.kinetic_j;
    return;
  }
  model_state_copy(m, s, &w->saved);
  scale_velocities(m, s, 0);
  ledger->loss_j[LOSS_LIMITER] += before.kinetic_j;
}

static struct newton_report conservative_flow(const struct model *m, struct model_state *s, struct model_work *w,
                                              double step_s, int max_iterations, struct ledger *ledger,
                                              struct stage_clock *clock) {
  struct newton_report newton = conservative_solve(m, s, w, step_s, max_iterations, clock);
  if (newton.converged) {
    model_commit(m, s, w, step_s);
    ledger->loss_j[LOSS_STRUCTURAL] += newton.structural_loss_j;
  } else {
    commit_limited(m, s, w, step_s, newton.structural_loss_j, ledger);
  }
  return newton;
}

struct step_report integrator_step(const struct model *m, struct model_state *s, struct model_work *w, double time_s,
                                   double step_s, int max_iterations, const double control_b[6], int pid_on,
                                   struct ledger *ledger, struct stage_clock *clock) {
  const double half = 0.5 * step_s;
  stage_begin(clock);
  ledger_begin_step(ledger);
  dissipative_flow(m, s, half, time_s + 0.25 * step_s, control_b, pid_on, ledger);
  stage_end(clock, STAGE_DISSIPATIVE);
  struct newton_report newton = conservative_flow(m, s, w, step_s, max_iterations, ledger, clock);
  stage_end(clock, STAGE_ASSEMBLE);
  dissipative_flow(m, s, half, time_s + 0.75 * step_s, control_b, pid_on, ledger);
  stage_end(clock, STAGE_DISSIPATIVE);
  struct model_energy energy = model_energy_of(m, s, w);
  ledger_end_step(ledger, energy.kinetic_j, energy.potential_j);
  stage_end(clock, STAGE_LEDGER);
  return (struct step_report){newton.iterations, !newton.converged, newton.residual_n};
}
