// The conservative step C, its terms in the ledger, and steps of order 4.
//
// Newton's method with one factorisation: the tangent at the prediction from velocities and last
// accelerations serves all iterations as long as each reduces the residual by a factor of 1000, or enough;
// otherwise it is computed and factored again, as where a roller takes hold or lets go. Where the pipe whips,
// this prediction is worse than none, and the iteration starts again with zero increments. The equations are
// written in increments, so the residual falls to the rounding of the forces (some 1e-9 of them) and not to
// that of the positions.
#include "sagbend/integrator/integrator_internal.h"

#include "sagbend/blocktri/blocktri.h"
#include "sagbend/lay/lay.h"
#include "sagbend/math/math.h"
#include "sagbend/model/model.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

// Converged: the largest unbalanced nodal force is below FORCE_SHARE of the forces that act. Also converged:
// it is below ROUNDING_SHARE, and a new tangent does not reduce it (stagnation at rounding).
static const double FORCE_SHARE = 5e-13;
static const double ROUNDING_SHARE = 1e-10;

// Shares of a stiffness and of the rate of the vessel's momentum that count as forces that act: they round,
// even where nothing else acts. FORCE_SHARE times STIFFNESS_SHARE is about 2^-61.
static const double STIFFNESS_SHARE = 0x1p-20;
static const double MOMENTUM_SHARE = 0x1p-3;

static const double ENOUGH_CONTRACTION = 1e-3; // ratio of residuals up to which a factorisation is kept
static const double SOME_CONTRACTION = 0.1;    // contraction where one more iteration is enough
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

static struct conservative_loss conservative_losses(const struct model *m, const struct model_state *s,
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

// ------------------------------------------------------------
// The conservative part of a step with its ledger terms, solved as a whole or in parts, each a quarter of
// one that Newton's method does not solve.

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

static void conservative_book(const struct conservative_terms *terms, struct ledger *ledger) {
  for (int i = 0; i < PORT_COUNT; i++)
    ledger->work_j[i] += terms->work_j[i];
  for (int i = 0; i < LOSS_COUNT; i++)
    ledger->loss_j[i] += terms->loss_j[i];
}

// ------------------------------------------------------------
// A conservative part that Newton's method did not solve may contain any energy. The velocities of the pipe
// are scaled down until no energy was made. If potential energy and vessel alone exceed what there was, only
// what has to move does, and the pipe's velocities vanish. The vessel keeps its own: it is never braked by a
// pipe that was not solved. Only a vessel without a pipe is itself scaled. The work of the ports is that of
// the resulting motion. The energy removed is the limiter's loss, so the ledger closes.

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

// ------------------------------------------------------------
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

// ------------------------------------------------------------
// Order 4 without a pipe: the composition of five parts of Suzuki (1990), Phys. Lett. A 146, with the
// dissipative flow D at four places:
//   D(v h) S D(w h) S T S D(w h) S D(v h),
// where S = P(y h/2) C(y h) P(y h/2), T is the same with 1 - 4 y, and y = 1/(4 - 4^(1/3)).
// T runs backwards, but all times lie within the step. C conserves energy in both directions, and P is the
// impulse of a port, whose work may have any sign; so the ledger closes as in the ordinary step. D always
// runs forwards and therefore dissipates. No such splitting is of order 4, but v + w = 1/2 and v + w (y^2 +
// (1 - y)^2) = 1/3 integrate the first power of the damping to order 4. The remaining error is of order 2 and
// quadratic in the damping rates.

static const double Y = 0.41449077179437573714; // 1/(4 - 4^(1/3))
static const double W = FOURTH_ORDER_W;

// Applies M (nu1 - nu0) = duration * wrench with frozen position. Its work is the wrench times the mean
// velocity.
static void impulse(struct step_run *run, const struct integrator_plan *plan, enum energy_port port,
                    const double wrench_b[6], double duration_s) {
  double change[6], *nu = run->s->vessel.nu;
  for (int i = 0; i < 6; i++)
    change[i] = duration_s * wrench_b[i];
  mat6_cholesky_solve((const double (*)[6])plan->inertia_factor, change);
  for (int i = 0; i < 6; i++) {
    run->ledger->work_j[port] += duration_s * wrench_b[i] * (nu[i] + 0.5 * change[i]);
    nu[i] += change[i];
  }
}

// Impulses of the ports that do not depend on the velocity. control_b: the command, or NULL.
static void impulses(struct step_run *run, const struct integrator_plan *plan, double time_s,
                     double duration_s, const double *control_b) {
  double wrench_b[6];
  if (duration_s == 0)
    return;
  mat3 q = quat_matrix(run->s->vessel.q_nb);
  if (control_b)
    impulse(run, plan, PORT_CONTROL, control_b, duration_s);
  loads_at(&run->m->env, time_s, &q, wrench_b);
  impulse(run, plan, PORT_LOADS, wrench_b, duration_s);
  if (!run->m->wave_response.present)
    return;
  wave_response_wrench(&run->m->wave_response, &run->m->sea, time_s, &run->s->vessel, wrench_b);
  impulse(run, plan, PORT_WAVES, wrench_b, duration_s);
}

// The parts of a step: where they begin, their length and that of the D before each, as shares of the step.
// The last D ends the step.
static const struct part {
  double begin, length, dissipation;
} parts[] = {{0, Y, 0.5 - W},   {Y, Y, W},     {2 * Y, 1 - 4 * Y, 0},
             {1 - 2 * Y, Y, 0}, {1 - Y, Y, W}, {1, 0, 0.5 - W}};
enum { PARTS = sizeof parts / sizeof *parts };

void fourth_order_step(struct step_run *run, const struct integrator_plan *plan) {
  const double time_s = run->input->time_s, step_s = run->input->step_s;
  double *control_b = run->input->control_b;
  const int pid_on = run->input->pid_on;
  const double *command_b = pid_on ? NULL : control_b;
  double owed = 0, drives_at = 0; // share of the impulses not applied yet; time of the thruster drives
  int failed = 0;
  struct half_step half = {.pid_on = pid_on, .impulses_apart = 1};
  memcpy(half.control_b, control_b, sizeof half.control_b);
  for (int k = 0; k < PARTS; k++) {
    const struct part *part = &parts[k];
    double now_s = time_s + part->begin * step_s;
    // D lies between the two halves of an impulse, which makes the step symmetric in time.
    if (part->dissipation > 0) {
      impulses(run, plan, now_s, owed * step_s, command_b);
      owed = 0;
      plant_flow(&run->m->plant, &run->s->plant, (part->begin - drives_at) * step_s);
      drives_at = part->begin;
      half.duration_s = part->dissipation * step_s;
      half.time_s = now_s;
      half.radiation = &plan->radiation[part->dissipation == W];
      failed |= dissipative_flow(run->m, run->s, &half, run->ledger) != STATUS_OK;
      stage_end(run->clock, STAGE_DISSIPATIVE);
    }
    impulses(run, plan, now_s, (owed + 0.5 * part->length) * step_s, command_b);
    owed = 0.5 * part->length;
    if (part->length != 0)
      conservative_flow(run, now_s, part->length * step_s);
  }
  if (pid_on)
    memcpy(control_b, half.control_b, sizeof half.control_b);
  run->report.ports_failed = failed;
}
