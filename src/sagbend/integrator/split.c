// A step of the exact splitting (sagbend/math/vessel_splitting.h; Celledoni, Hoiseth and Ramzina 2018, eq. 40
// and 41): converts the session's state and books work and losses. The loads are those at the middle of the
// step.
#include "sagbend/integrator/step_parts.h"

#include <string.h>

struct load_at {
  const struct env_def *env;
  double time_s;
};

static void load_at_attitude(const void *of, const mat3 *q_nb, double wrench_b[6]) NONBLOCKING {
  const struct load_at *at = of;
  loads_at(at->env, at->time_s, q_nb, wrench_b);
}

struct step_report split_step(const struct integrator_plan *plan, const struct model *m,
                              struct model_state *s, const struct step_input *input, struct ledger *ledger) {
  const double time_s = input->time_s, step_s = input->step_s;
  double *control_b = input->control_b;
  const int pid_on = input->pid_on;
  struct load_at at = {&m->env, time_s + 0.5 * step_s};
  struct split_step step = {.vessel = &plan->vessel,
                            .scheme = plan->splitting,
                            .how = plan->how,
                            .pid = pid_on ? &plan->pid : NULL,
                            .control_b = pid_on ? NULL : control_b,
                            .load = m->env.load_count > 0 ? load_at_attitude : NULL,
                            .load_of = &at};
  struct split_state state = {.x_n = s->vessel.x_n, .q_nb = s->vessel.q_nb};
  memcpy(state.nu, s->vessel.nu, sizeof state.nu);
  memcpy(state.integral, s->pid_integral, sizeof state.integral);
  struct split_account account = split_vessel_step(&step, &state, NULL, step_s);
  struct step_report report = {.ports_failed = !account.solved, .damping_gained = account.loss_j < 0};
  if (!account.solved)
    return report;
  s->vessel.x_n = state.x_n;
  s->vessel.q_nb = state.q_nb;
  memcpy(s->vessel.nu, state.nu, sizeof state.nu);
  memcpy(s->pid_integral, state.integral, sizeof state.integral);
  if (pid_on)
    memcpy(control_b, account.control_b, sizeof account.control_b);
  ledger->work_j[PORT_CONTROL] += account.control_j;
  ledger->work_j[PORT_LOADS] += account.load_j;
  ledger->loss_j[LOSS_VESSEL_DAMPING] += account.loss_j;
  return report;
}
