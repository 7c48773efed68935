#include "sagbend/integrator/integrator.h"
#include "sagbend/integrator/integrator_internal.h"

#include "sagbend/lay/lay.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <string.h>

const char *energy_port_name(enum energy_port port) {
  static const char *const names[] = {
#define X(id, name, feature) #name,
      PORT_TABLE(X)
#undef X
  };
  return (unsigned)port < PORT_COUNT ? names[port] : "unknown";
}

const char *loss_name(enum loss loss) {
  static const char *const names[] = {
#define X(id, name, feature) #name,
      LOSS_TABLE(X)
#undef X
  };
  return (unsigned)loss < LOSS_COUNT ? names[loss] : "unknown";
}

void ledger_start(struct ledger *ledger, double kinetic_j, double potential_j) {
  *ledger = (struct ledger){.energy_j = kinetic_j + potential_j,
                            .energy_initial_j = kinetic_j + potential_j,
                            .kinetic_j = kinetic_j,
                            .scale_j = kinetic_j + fabs(potential_j)};
}

void ledger_begin_step(struct ledger *ledger) {
  for (int i = 0; i < PORT_COUNT; i++)
    ledger->work_j[i] = 0;
  for (int i = 0; i < LOSS_COUNT; i++)
    ledger->loss_j[i] = 0;
}

void ledger_end_step(struct ledger *ledger, double kinetic_j, double potential_j) {
  double energy = kinetic_j + potential_j, balance = 0;
  for (int i = 0; i < PORT_COUNT; i++) {
    balance += ledger->work_j[i];
    ledger->total_work_j[i] += ledger->work_j[i];
    ledger->turnover_j += fabs(ledger->work_j[i]);
  }
  for (int i = 0; i < LOSS_COUNT; i++) {
    balance -= ledger->loss_j[i];
    ledger->total_loss_j[i] += ledger->loss_j[i];
    ledger->turnover_j += ledger->loss_j[i];
  }
  ledger->residual_j = (energy - ledger->energy_j) - balance;
  ledger->energy_j = energy;
  ledger->kinetic_j = kinetic_j;
  ledger->total_residual_j += ledger->residual_j;
  if (!(fabs(ledger->residual_j) <= ledger->max_abs_residual_j)) // a NaN is kept
    ledger->max_abs_residual_j = fabs(ledger->residual_j);
  if (!(fabs(ledger->total_residual_j) <= ledger->max_abs_total_residual_j))
    ledger->max_abs_total_residual_j = fabs(ledger->total_residual_j);
}

double ledger_closure_rel(const struct ledger *ledger) {
  const double rounding =
      1e-6; // a closure of 1e-8 then is 1e-14 of the stored energies, the rounding of their sum
  double floor = rounding * ledger->scale_j,
         turnover = ledger->turnover_j > floor ? ledger->turnover_j : floor;
  return turnover > 0 ? ledger->max_abs_total_residual_j / turnover : 0;
}

// Checks of a ledger that comes from a file.
int ledger_is_valid(const struct ledger *ledger, struct reason *why) {
  return valid_finite(&ledger->energy_j, 1, "energy_j", why) &&
         valid_finite(&ledger->energy_initial_j, 1, "energy_initial_j", why) &&
         valid_finite(&ledger->kinetic_j, 1, "kinetic_j", why) &&
         valid_finite(&ledger->memory_j, 1, "memory_j", why) &&
         valid_finite(ledger->work_j, PORT_COUNT, "work_j", why) &&
         valid_finite(ledger->loss_j, LOSS_COUNT, "loss_j", why) &&
         valid_finite(&ledger->residual_j, 1, "residual_j", why) &&
         valid_finite(ledger->total_work_j, PORT_COUNT, "total_work_j", why) &&
         valid_finite(ledger->total_loss_j, LOSS_COUNT, "total_loss_j", why) &&
         valid_finite(&ledger->total_residual_j, 1, "total_residual_j", why) &&
         valid_finite(&ledger->max_abs_total_residual_j, 1, "max_abs_total_residual_j", why) &&
         valid_finite(&ledger->max_abs_residual_j, 1, "max_abs_residual_j", why) &&
         valid_finite(&ledger->turnover_j, 1, "turnover_j", why) &&
         valid_finite(&ledger->scale_j, 1, "scale_j", why);
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
// The continuous PID controller inside a dissipative flow. With positions frozen its law is linear in nu: the
// derivative term joins the damping matrix, and the integral grows by h times the error. All of its work is
// booked to the control port.

// Advances the integral by the flow within its limit, and gives its mean over the flow.
static void advance_integral(const struct pid_def *pid, const double error[6], double h, double integral[6],
                             double mean[6]) {
  for (int i = 0; i < 6; i++) {
    double next = integral[i] + h * error[i];
    if (pid->integral_limit[i] > 0 && pid->ki[i] > 0) {
      double limit = pid->integral_limit[i] / pid->ki[i];
      next = next > limit ? limit : next < -limit ? -limit : next;
    }
    mean[i] = 0.5 * (integral[i] + next);
    integral[i] = next;
  }
}

// J' Kd J, column by column.
static void set_damping(const struct pid_def *pid, const mat3 *q, const double euler[3],
                        double damping[6][6]) {
  mat3 rates = euler_rate_matrix(euler);
  for (int j = 0; j < 6; j++) {
    double unit[6] = {0}, force[6], body[6];
    unit[j] = 1;
    vec3_to(mat3_mul(q, vec3_of(unit)), force);
    vec3_to(mat3_mul(&rates, vec3_of(unit + 3)), force + 3);
    for (int i = 0; i < 6; i++)
      force[i] *= pid->kd[i];
    pid_to_body(euler, force, body);
    for (int i = 0; i < 6; i++)
      damping[i][j] = body[i];
  }
}

void continuous_pid_terms(struct model_state *s, struct vessel_flow *flow, double wrench_b[6]) {
  const struct pid_def *pid = &flow->m->pid;
  const double still[6] = {0}; // the derivative term is in the damping
  double euler[3], error[6], mean_integral[6];
  euler_of_quat(s->vessel.q_nb, euler);
  vec3_to(s->vessel.x_n, error);
  for (int i = 0; i < 3; i++)
    error[3 + i] = euler[i];
  for (int i = 0; i < 6; i++) {
    error[i] -= pid->reference[i];
    if (i >= 3)
      error[i] = trig_wrap(error[i]);
  }

  advance_integral(pid, error, flow->h, s->pid_integral, mean_integral);
  pid_wrench(pid, error, still, mean_integral, euler, wrench_b);
  mat3 q = quat_matrix(s->vessel.q_nb);
  set_damping(pid, &q, euler, flow->pid_damping);
}
