// Order 4 without a pipe: Suzuki's composition of five parts (M. Suzuki, Fractal decomposition of exponential
// operators, Phys. Lett. A 146, 1990), with what dissipates at four places of it:
//   D(v h) S D(w h) S T S D(w h) S D(v h),   S = P(y h/2) C(y h) P(y h/2), T the same with 1 - 4 y, y = 1/(4
//   - 4^(1/3)).
// T runs backwards, but all times lie within the step. C conserves either way and P is a port's impulse,
// whose work may have any sign, so the ledger closes as in the ordinary step. D only ever runs forwards, so
// it dissipates; then it cannot be of order 4 (there is no such splitting), but v + w = 1/2 and v + w (y^2 +
// (1 - y)^2) = 1/3 integrate its first power to order 4. What is left is of order 2 in the second power of
// the rates of damping.
#include "core/integrator/step_parts.h"

#include "core/math/dense6.h"

#include <string.h>

static const double Y = 0.41449077179437573714; // 1/(4 - 4^(1/3))
static const double W = 0.34337616326241220;    // 1/(12 y (1 - y))

// M (nu1 - nu0) = duration * wrench, position frozen: its work is the wrench times the mean velocity.
static void impulse(struct attempt *a, const struct integrator_plan *plan, enum port port,
                    const double wrench_b[6], double duration_s) {
  double change[6], *nu = a->s->vessel.nu;
  for (int i = 0; i < 6; i++)
    change[i] = duration_s * wrench_b[i];
  mat6_cholesky_solve((const double (*)[6])plan->inertia_factor, change);
  for (int i = 0; i < 6; i++) {
    a->ledger->work_j[port] += duration_s * wrench_b[i] * (nu[i] + 0.5 * change[i]);
    nu[i] += change[i];
  }
}

static void impulses(struct attempt *a, const struct integrator_plan *plan, double time_s, double duration_s,
                     const double *control_b) {
  double wrench_b[6];
  if (duration_s == 0)
    return;
  mat3 q = quat_matrix(a->s->vessel.q_nb);
  if (control_b)
    impulse(a, plan, PORT_CONTROL, control_b, duration_s);
  loads_at(&a->m->env, time_s, &q, wrench_b);
  impulse(a, plan, PORT_LOADS, wrench_b, duration_s);
  if (!a->m->wave_response.present)
    return;
  wave_response_wrench(&a->m->wave_response, &a->m->sea, time_s, &a->s->vessel, wrench_b);
  impulse(a, plan, PORT_WAVES, wrench_b, duration_s);
}

// Where the parts of a step begin, as shares of it, how long they are, and the D before each; the last D ends
// the step.
static const struct part {
  double begin, length, dissipation;
} parts[] = {{0, Y, 0.5 - W},   {Y, Y, W},     {2 * Y, 1 - 4 * Y, 0},
             {1 - 2 * Y, Y, 0}, {1 - Y, Y, W}, {1, 0, 0.5 - W}};
enum { PARTS = sizeof parts / sizeof *parts };

void fourth_order_step(struct attempt *a, const struct integrator_plan *plan, double time_s, double step_s,
                       double control_b[6], int pid_on) {
  const double *command_b = pid_on ? NULL : control_b;
  double owed = 0, drives_at = 0; // share of the impulses; time of the thrusters' drives
  int solved = 1;
  struct half_step d = {.pid_on = pid_on, .impulses_apart = 1};
  memcpy(d.control_b, control_b, sizeof d.control_b);
  for (int k = 0; k < PARTS; k++) {
    const struct part *p = &parts[k];
    double now_s = time_s + p->begin * step_s;
    if (p->dissipation >
        0) { // between the halves of the impulse, so that the step reads the same from both ends
      impulses(a, plan, now_s, owed * step_s, command_b);
      owed = 0;
      plant_flow(&a->m->plant, &a->s->plant, (p->begin - drives_at) * step_s);
      drives_at = p->begin;
      d.duration_s = p->dissipation * step_s;
      d.time_s = now_s;
      solved &= dissipative_flow(a->m, a->s, &d, a->ledger);
      stage_end(a->clock, STAGE_DISSIPATIVE);
    }
    impulses(a, plan, now_s, (owed + 0.5 * p->length) * step_s, command_b);
    owed = 0.5 * p->length;
    if (p->length != 0)
      conservative_flow(a, now_s, p->length * step_s);
  }
  if (pid_on)
    memcpy(control_b, d.control_b, sizeof d.control_b);
  a->report.ports_failed = !solved;
}
