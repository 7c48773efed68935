#include "sagbend/signals/pid.h"

#include "sagbend/math/so3.h"

void pid_to_body(const double euler_rad[3], const double f[6], double wrench_b[6]) {
  mat3 attitude = quat_matrix(quat_of_euler(euler_rad));
  mat3 rates = euler_rate_matrix(euler_rad);
  vec3_to(mat3_tmul(&attitude, vec3_of(f)), wrench_b);
  vec3_to(mat3_tmul(&rates, vec3_of(f + 3)), wrench_b + 3);
}

void pid_wrench(const struct pid_def *def, const double error[6], const double error_rate[6],
                const double integral[6], const double euler_rad[3], double wrench_b[6]) {
  double f[6];
  for (int i = 0; i < 6; i++)
    f[i] = -(def->kp[i] * error[i] + def->kd[i] * error_rate[i] + def->ki[i] * integral[i]);
  pid_to_body(euler_rad, f, wrench_b);
}
