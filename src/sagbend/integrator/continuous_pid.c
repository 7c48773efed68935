// The continuous PID controller inside a dissipative flow. With positions frozen its law is linear in nu: the
// derivative term joins the damping matrix, and the integral grows by h times the error. All of its work is
// booked to the control port.
#include "sagbend/integrator/integrator_internal.h"

#include "sagbend/math/trig.h"

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
