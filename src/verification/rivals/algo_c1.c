#include "verification/rivals/algo_c1.h"
#include "verification/rivals/rivals_internal.h"
#include "verification/rivals/spatial.h"

#include <math.h>

vec3 rival_c1_momentum(const struct rival_top *top, const struct rival_c1 *s) {
  const double *j = top->moments_kgm2;
  const mat3 r = quat_matrix(s->q_nb);
  return mat3_mul(&r, (vec3){j[0] * s->omega_b.x, j[1] * s->omega_b.y, j[2] * s->omega_b.z});
}

double rival_c1_energy(const struct rival_top *top, const struct rival_c1 *s) {
  const double *j = top->moments_kgm2;
  const vec3 w = s->omega_b;
  return 0.5 * (j[0] * w.x * w.x + j[1] * w.y * w.y + j[2] * w.z * w.z) +
         top->weight_nm * quat_matrix(s->q_nb).m[2][2];
}

static vec3 torque(const struct rival_top *top, quat q_nb) { // of the weight along -e3 at d3
  const mat3 r = quat_matrix(q_nb);
  return vec3_scale(top->weight_nm, (vec3){-r.m[1][2], r.m[0][2], 0});
}

static vec3 residual(const struct rival_top *top, double h, const struct rival_c1 *from, vec3 theta,
                     struct rival_c1 *to) {
  to->q_nb = quat_unit(quat_mul(from->q_nb, rival_rotation(theta)));
  to->omega_b = vec3_axpy(2 / h, theta, vec3_scale(-1, from->omega_b));
  const vec3 load = vec3_scale(0.5 * h, vec3_add(torque(top, from->q_nb), torque(top, to->q_nb)));
  return vec3_sub(vec3_sub(rival_c1_momentum(top, to), rival_c1_momentum(top, from)), load);
}

int rival_algo_c1(const struct rival_top *top, double h, struct rival_c1 *s) {
  vec3 theta = vec3_scale(h, s->omega_b);
  struct rival_c1 next;
  double before = INFINITY;
  for (int iteration = 0; iteration < 30; iteration++) {
    const vec3 f = residual(top, h, s, theta, &next);
    double matrix[9], step[3] = {f.x, f.y, f.z};
    for (int j = 0; j < 3; j++) {
      const double d = 1e-6;
      vec3 up = theta, down = theta;
      (&up.x)[j] += d, (&down.x)[j] -= d;
      const vec3 slope =
          vec3_scale(0.5 / d, vec3_sub(residual(top, h, s, up, &next), residual(top, h, s, down, &next)));
      for (int i = 0; i < 3; i++)
        matrix[3 * i + j] = (&slope.x)[i];
    }
    if (!rival_solve(3, matrix, step))
      return 0;
    theta = vec3_sub(theta, vec3_of(step));
    const double change = vec3_norm(vec3_of(step));
    if (!isfinite(change))
      return 0;
    if (change <= 1e-16 || (change <= 1e-12 && change >= 0.5 * before)) {
      residual(top, h, s, theta, &next);
      *s = next;
      return 1;
    }
    before = change;
  }
  return 0;
}
