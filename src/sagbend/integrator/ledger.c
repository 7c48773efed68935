// A conservative part that Newton's method did not solve may contain any energy. The velocities of the pipe
// are scaled down until no energy was made. If potential energy and vessel alone exceed what there was, only
// what has to move does, and the pipe's velocities vanish. The vessel keeps its own: it is never braked by a
// pipe that was not solved. Only a vessel without a pipe is itself scaled. The work of the ports is that of
// the resulting motion. The energy removed is the limiter's loss, so the ledger closes.
#include "sagbend/integrator/step_parts.h"
#include "sagbend/lay/lay.h"

#include <string.h>

// Of the pipe, or of a vessel alone. What the vessel holds moves with it.
static void scale_velocities(const struct model *m, struct model_state *s, double factor) {
  const struct pipe_mesh *p = &s->mesh.pipe;
  for (int i = 0; i < 6 && p->nodes == 0; i++)
    s->vessel.nu[i] *= factor;
  if (m->tensioner.order_count > 0)
    s->payout.speed_mps *= factor;
  for (int i = 0; i < p->nodes - p->top_attached; i++)
    pipe_set3(s->pipe.v_n, i, vec3_scale(factor, pipe_get3(s->pipe.v_n, i)));
  for (int i = 0; i < p->nodes - p->top_rotation_attached; i++)
    pipe_set3(s->pipe.omega_t, i, vec3_scale(factor, pipe_get3(s->pipe.omega_t, i)));
}

// Kinetic energy that scale_velocities leaves.
static double kept_kinetic(const struct model_state *s) {
  return s->mesh.pipe.nodes > 0 ? vessel_kinetic(s->mesh.vessel_inertia, s->vessel.nu) : 0;
}

// Kinetic energy that remains after a part, from the energy before it and the part's work and losses.
static double allowed_kinetic(const struct model_energy *before, const struct conservative_terms *terms,
                              double potential_j) {
  double allowed_j = before->kinetic_j + before->potential_j;
  for (int i = 0; i < PORT_COUNT; i++)
    allowed_j += terms->work_j[i];
  for (int i = 0; i < LOSS_COUNT; i++)
    allowed_j -= terms->loss_j[i];
  return allowed_j - potential_j;
}

// Restarts from the saved state and moves nothing but a moved top, which follows its path; with_pipe also
// moves the nodes in proportion to their arc length. All kinetic energy but that of a vessel with a pipe is
// lost; such a vessel keeps its velocity. Fails if that would make energy.
static enum status stand_still(const struct model *m, struct model_state *s, struct model_work *w,
                               double step_s, int with_pipe, const struct model_energy *before,
                               struct ledger *ledger) {
  model_state_copy(m, s, &w->saved);
  payout_adopt(m, s, w);
  scale_velocities(m, s, 0);
  model_begin(m, s, w, step_s);
  if (with_pipe)
    model_shift_with_top(&s->mesh, w);
  model_residual(m, s, w);

  struct conservative_loss loss = conservative_losses(m, s, w);
  struct conservative_terms terms = conservative_terms_of(m, s, w, &loss);
  terms.work_j[PORT_ADDED_MASS] = 0;
  conservative_commit(m, s, w, step_s, &terms);
  memcpy(s->vessel.nu, w->saved.vessel.nu, sizeof s->vessel.nu); // where it stands, the commit turns it round
  scale_velocities(m, s, 0);

  const double allowed =
      with_pipe ? allowed_kinetic(before, &terms, model_energy_of(m, s, w).potential_j) : before->kinetic_j;
  const double removed = allowed - kept_kinetic(s);
  if (!(removed >= 0))
    return STATUS_NOT_CONVERGED;
  conservative_book(&terms, ledger);
  ledger->loss_j[LOSS_LIMITER] += removed;
  return STATUS_OK;
}

void passivity_commit(const struct model *m, struct model_state *s, struct model_work *w, double step_s,
                      struct conservative_terms *terms, struct ledger *ledger) {
  model_state_copy(m, &w->saved, s);
  conservative_commit(m, s, w, step_s, terms);
  terms->work_j[PORT_FEED] -=
      terms->feed_moving_j; // velocities that solve nothing: no material brings their energy
  payout_adopt(m, &w->saved, w);
  struct model_energy before = model_energy_of(m, &w->saved, w);
  payout_adopt(m, s, w);
  struct model_energy after = model_energy_of(m, s, w);
  double allowed = allowed_kinetic(&before, terms, after.potential_j);
  const double kept = kept_kinetic(s);
  allowed -= kept, after.kinetic_j -= kept;
  if (!(allowed >= 0 && isfinite(allowed) && isfinite(after.kinetic_j))) {
    if (!s->mesh.pipe.top_moved || stand_still(m, s, w, step_s, 1, &before, ledger) != STATUS_OK)
      stand_still(m, s, w, step_s, 0, &before, ledger);
    return;
  }

  conservative_book(terms, ledger);
  if (after.kinetic_j > allowed)
    scale_velocities(m, s, sqrt(allowed / after.kinetic_j));
  else
    ledger->loss_j[LOSS_LIMITER] += allowed - after.kinetic_j;
}
