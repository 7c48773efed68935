// The conservative part of a step with its ledger terms, solved as a whole or in parts, each a quarter of
// one that Newton's method does not solve.
#include "sagbend/integrator/step_parts.h"
#include "sagbend/lay/lay.h"

struct conservative_terms conservative_terms_of(const struct model *m, const struct model_state *s,
                                                const struct model_work *w,
                                                const struct conservative_loss *loss) {
  return (struct conservative_terms){.work_j = {[PORT_MOTION] = model_motion_work(s, w),
                                                [PORT_LOADS] = model_end_load_work(m, s, w),
                                                [PORT_ADDED_MASS] = model_added_mass_work(s, w),
                                                [PORT_PIPE_WAVES] = pipe_push_work(&s->mesh.pipe, &w->pipe)},
                                     .loss_j = {[LOSS_STRUCTURAL] = loss->structural_j,
                                                [LOSS_FRICTION] = loss->friction_j,
                                                [LOSS_PLASTIC] = loss->plastic_j}};
}

void conservative_commit(const struct model *m, struct model_state *s, struct model_work *w, double step_s,
                         struct conservative_terms *terms) {
  struct payout_content before = {.drop_m = 0};
  if (w->pipe.growth.is_active)
    before = payout_content_of(m, s);
  model_commit(m, s, w, step_s);
  pipe_plastic_commit(&s->mesh.pipe, &s->pipe, &w->pipe, 0);
  struct payout_work work = payout_end(m, s, w, &before);
  terms->work_j[PORT_TENSIONER] = work.tensioner_j;
  terms->work_j[PORT_FEED] = work.feed_j;
  terms->feed_moving_j = work.feed_moving_j;
  terms->loss_j[LOSS_TENSIONER] = work.grip_loss_j;
  terms->loss_j[LOSS_SEABED] = s->mesh.pipe.nodes > 0 ? w->pipe.seabed_loss_j : 0;
  terms->loss_j[LOSS_SOIL] = m->pipe.has_soil ? w->pipe.soil_loss_j : 0;
}

void conservative_book(const struct conservative_terms *terms, struct ledger *ledger) {
  for (int i = 0; i < PORT_COUNT; i++)
    ledger->work_j[i] += terms->work_j[i];
  for (int i = 0; i < LOSS_COUNT; i++)
    ledger->loss_j[i] += terms->loss_j[i];
}

// One C of this length. Returns 1 if it was solved, or if forced: then passivity limits what is not solved.
// with_history: it continues the steps before, and the next one may continue it.
static int advance_part(struct step_run *run, double time_s, double step_s, int with_history, int forced) {
  model_set_top_boundary(run->m, run->s, run->w, time_s, step_s);
  payout_begin(run->m, run->s, run->w, time_s, step_s);
  struct newton_report newton = conservative_solve(run->m, run->s, run->w, step_s, with_history,
                                                   run->input->max_iterations, run->clock);
  run->report.iterations += newton.iterations;
  run->report.tangents += newton.tangents;
  run->report.residual_n = newton.residual_n;

  struct conservative_terms terms = conservative_terms_of(run->m, run->s, run->w, &newton.loss);
  if (newton.converged && with_history)
    model_remember(run->s, run->w, step_s);
  if (newton.converged) {
    conservative_commit(run->m, run->s, run->w, step_s, &terms);
    conservative_book(&terms, run->ledger);
  } else if (forced) {
    run->w->pipe.growth.step_s = 0; // its rates are not those of the pipe
    terms.work_j[PORT_ADDED_MASS] =
        0; // velocities that solve nothing: the limiter takes what they would supply
    passivity_commit(run->m, run->s, run->w, step_s, &terms, run->ledger);
    run->report.unsolved = 1;
  } else {
    payout_adopt(run->m, run->s, run->w);
  }
  run->report.unresolved |=
      (newton.converged || forced) && run->s->mesh.pipe.nodes > 0 && run->w->pipe.unresolved;
  return newton.converged || forced;
}

// Divisions of a part into quarters; 3 end at 1/64 of the step.
enum { MOST_DIVISIONS = 3 };

static void advance_quarters(struct step_run *run, double time_s, double step_s, int divisions) {
  const double part_s = 0.25 * step_s;
  for (int k = 0; k < 4; k++)
    if (!advance_part(run, time_s + k * part_s, part_s, 0, divisions == 1))
      advance_quarters(run, time_s + k * part_s, part_s, divisions - 1);
}

void conservative_flow(struct step_run *run, double time_s, double step_s) {
  if (advance_part(run, time_s, step_s, run->with_history, 0))
    return;
  run->report.divided = 1;
  run->s->prediction.steps = 0;
  advance_quarters(run, time_s, step_s, MOST_DIVISIONS);
}
