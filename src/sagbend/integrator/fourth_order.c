// Order 4 without a pipe: the composition of five parts of Suzuki (1990), Phys. Lett. A 146, with the
// dissipative flow D at four places:
//   D(v h) S D(w h) S T S D(w h) S D(v h),
// where S = P(y h/2) C(y h) P(y h/2), T is the same with 1 - 4 y, and y = 1/(4 - 4^(1/3)).
// T runs backwards, but all times lie within the step. C conserves energy in both directions, and P is the
// impulse of a port, whose work may have any sign; so the ledger closes as in the ordinary step. D always
// runs forwards and therefore dissipates. No such splitting is of order 4, but v + w = 1/2 and v + w (y^2 +
// (1 - y)^2) = 1/3 integrate the first power of the damping to order 4. The remaining error is of order 2 and
// quadratic in the damping rates.
#include "sagbend/integrator/step_parts.h"

#include "sagbend/math/dense6.h"

#include <string.h>

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
