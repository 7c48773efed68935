#include "core/integrator/step.h"

#include "core/integrator/conservative.h"
#include "core/integrator/step_parts.h"

#include <string.h>

static void scale_velocities(const struct model *m, struct model_state *s, double factor) {
  for (int i = 0; i < 6; i++)
    s->vessel.nu[i] *= factor;
  for (int i = 0; i < m->pipe.nodes; i++) {
    pipe_set3(s->pipe.v_n, i, vec3_scale(factor, pipe_get3(s->pipe.v_n, i)));
    pipe_set3(s->pipe.omega_t, i, vec3_scale(factor, pipe_get3(s->pipe.omega_t, i)));
  }
}

// What a conservative part of a step contributes to the ledger.
struct terms {
  double motion_j, end_j, added_mass_j;      // work
  double structural_j, friction_j, seabed_j; // losses; the seabed's comes with the commit
};

static struct terms terms_of(const struct model *m, const struct model_state *s, const struct model_work *w,
                             const struct conservative_loss *loss) {
  return (struct terms){model_motion_work(m, w), model_end_work(m, w), model_added_mass_work(m, s, w),
                        loss->structural_j,      loss->friction_j,     0};
}

static void commit(const struct model *m, struct model_state *s, struct model_work *w, double step_s,
                   struct terms *t) {
  model_commit(m, s, w, step_s);
  t->seabed_j = m->pipe.nodes > 0 ? w->pipe.seabed_loss_j : 0;
}

static void book(const struct terms *t, struct ledger *ledger) {
  ledger->work_j[PORT_MOTION] += t->motion_j;
  ledger->work_j[PORT_LOADS] += t->end_j;
  ledger->work_j[PORT_ADDED_MASS] += t->added_mass_j;
  ledger->loss_j[LOSS_STRUCTURAL] += t->structural_j;
  ledger->loss_j[LOSS_FRICTION] += t->friction_j;
  ledger->loss_j[LOSS_SEABED] += t->seabed_j;
}

// What is left for motion after a part, of the energy before it with its work and losses.
static double allowed_of(const struct model_energy *before, const struct terms *t, double potential_j) {
  return before->kinetic_j + before->potential_j + t->motion_j + t->end_j + t->added_mass_j -
         t->structural_j - t->friction_j - t->seabed_j - potential_j;
}

// From the saved state nothing moves but a moved top, which follows its path, and with_it, the pipe that
// hangs on it, each node by its share of the arc length. What was in motion is lost. Returns 0 if that would
// make energy.
static int stand_still(const struct model *m, struct model_state *s, struct model_work *w, double step_s,
                       int with_it, const struct model_energy *before, struct ledger *ledger) {
  model_state_copy(m, s, &w->saved);
  scale_velocities(m, s, 0);
  model_begin(m, s, w, step_s);
  if (with_it)
    model_shift_with_top(m, w);
  model_residual(m, s, w);
  struct conservative_loss loss = conservative_losses(m, w);
  struct terms t = terms_of(m, s, w, &loss);
  t.added_mass_j = 0;
  commit(m, s, w, step_s, &t);
  scale_velocities(m, s, 0);
  double left = with_it ? allowed_of(before, &t, model_energy_of(m, s, w).potential_j) : before->kinetic_j;
  if (!(left >= 0))
    return 0;
  book(&t, ledger);
  ledger->loss_j[LOSS_LIMITER] += left;
  return 1;
}

// C without a solution: whatever Newton left may hold any energy. Velocities are scaled down until none was
// made; where the potential alone exceeds what there was, nothing moves that need not, and the velocities
// vanish. The ports' work is that of the motion that came of it. What is lost on the way is the limiter's, so
// the ledger closes all the same.
static void commit_limited(const struct model *m, struct model_state *s, struct model_work *w, double step_s,
                           struct terms *t, struct ledger *ledger) {
  model_state_copy(m, &w->saved, s);
  commit(m, s, w, step_s, t);
  struct model_energy before = model_energy_of(m, &w->saved, w), after = model_energy_of(m, s, w);
  double allowed = allowed_of(&before, t, after.potential_j);
  if (!(allowed >= 0 && isfinite(allowed) && isfinite(after.kinetic_j))) {
    if (!m->pipe.top_moved || !stand_still(m, s, w, step_s, 1, &before, ledger))
      stand_still(m, s, w, step_s, 0, &before, ledger);
    return;
  }
  book(t, ledger);
  if (after.kinetic_j > allowed)
    scale_velocities(m, s, sqrt(allowed / after.kinetic_j));
  else
    ledger->loss_j[LOSS_LIMITER] += allowed - after.kinetic_j;
}

// One C of this length; if Newton has no solution, takes what passivity allows only if forced to.
static int conservative_part(struct attempt *a, double time_s, double step_s, int forced) {
  model_set_top_boundary(a->m, a->s, a->w, time_s, step_s);
  struct newton_report newton = conservative_solve(a->m, a->s, a->w, step_s, a->max_iterations, a->clock);
  a->report.iterations += newton.iterations;
  a->report.residual_n = newton.residual_n;
  struct terms t = terms_of(a->m, a->s, a->w, &newton.loss);
  if (newton.converged) {
    commit(a->m, a->s, a->w, step_s, &t);
    book(&t, a->ledger);
  } else if (forced) {
    t.added_mass_j = 0; // velocities that solve nothing: what they would supply is the limiter's to take
    commit_limited(a->m, a->s, a->w, step_s, &t, a->ledger);
    a->report.at_cap = 1;
  }
  a->report.unresolved |= (newton.converged || forced) && a->m->pipe.nodes > 0 && a->w->pipe.unresolved;
  return newton.converged || forced;
}

// C(h), or, where the pipe whips so that Newton finds no solution, C(h/4) four times: each conserves as well.
void conservative_flow(struct attempt *a, double time_s, double step_s) {
  if (conservative_part(a, time_s, step_s, 0))
    return;
  a->report.divided = 1;
  for (int k = 0; k < 4; k++)
    conservative_part(a, time_s + 0.25 * k * step_s, 0.25 * step_s, 1);
}

// D(h/2) C(h) D(h/2)
static void ordinary_step(struct attempt *a, double time_s, double step_s, double control_b[6], int pid_on) {
  struct half_step first = {.duration_s = 0.5 * step_s, .time_s = time_s + 0.25 * step_s, .pid_on = pid_on};
  memcpy(first.control_b, control_b, sizeof first.control_b);
  struct half_step second = first;
  second.time_s = time_s + 0.75 * step_s;
  second.second = 1;
  plant_flow(&a->m->plant, &a->s->plant, 0.25 * step_s);
  int solved = dissipative_flow(a->m, a->s, &first, a->ledger);
  stage_end(a->clock, STAGE_DISSIPATIVE);
  conservative_flow(a, time_s, step_s);
  stage_end(a->clock, STAGE_ASSEMBLE);
  plant_flow(&a->m->plant, &a->s->plant, 0.5 * step_s);
  solved &= dissipative_flow(a->m, a->s, &second, a->ledger);
  plant_flow(&a->m->plant, &a->s->plant, 0.25 * step_s);
  stage_end(a->clock, STAGE_DISSIPATIVE);
  memcpy(control_b, second.control_b, sizeof second.control_b);
  a->report.ports_failed = !solved;
}

struct step_report integrator_step(const struct integrator_plan *plan, const struct model *m,
                                   struct model_state *s, struct model_work *w, double time_s, double step_s,
                                   int max_iterations, double control_b[6], int pid_on, struct ledger *ledger,
                                   struct stage_clock *clock) {
  struct attempt a = {m, s, w, max_iterations, ledger, clock, {0}};
  stage_begin(clock);
  ledger_begin_step(ledger);
  if (plan->splitting)
    a.report = split_step(plan, m, s, time_s, step_s, control_b, pid_on, ledger);
  else if (plan->order == 4)
    fourth_order_step(&a, plan, time_s, step_s, control_b, pid_on);
  else
    ordinary_step(&a, time_s, step_s, control_b, pid_on);
  struct model_energy energy = model_energy_of(m, s, w);
  ledger_end_step(ledger, energy.kinetic_j, energy.potential_j);
  stage_end(clock, STAGE_LEDGER);
  return a.report;
}
