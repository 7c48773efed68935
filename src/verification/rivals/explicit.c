#include "verification/rivals/explicit.h"

#include "sagbend/math/dense6.h"
#include "sagbend/math/trig.h"

#include <string.h>

static void ahead(int n, const double *x, double h, const double *rate, double *out) {
  for (int i = 0; i < n; i++)
    out[i] = x[i] + h * rate[i];
}

void rival_improved_euler(rival_derivative *f, const void *of, int n, double *x, double h) {
  double k[2][RIVAL_STATES], y[RIVAL_STATES];
  f(of, x, k[0]);
  ahead(n, x, h, k[0], y);
  f(of, y, k[1]);
  for (int i = 0; i < n; i++)
    x[i] += 0.5 * h * (k[0][i] + k[1][i]);
}

void rival_rk4(rival_derivative *f, const void *of, int n, double *x, double h) {
  double k[4][RIVAL_STATES], y[RIVAL_STATES];
  f(of, x, k[0]);
  ahead(n, x, 0.5 * h, k[0], y);
  f(of, y, k[1]);
  ahead(n, x, 0.5 * h, k[1], y);
  f(of, y, k[2]);
  ahead(n, x, h, k[2], y);
  f(of, y, k[3]);
  for (int i = 0; i < n; i++)
    x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

enum { X = 0, Q = 3, V = 7, W = 10, I = 13 };

static void pack(const struct split_state *s, double x[RIVAL_STATES]) {
  vec3_to(s->x_n, x + X);
  x[Q] = s->q_nb.w, x[Q + 1] = s->q_nb.x, x[Q + 2] = s->q_nb.y, x[Q + 3] = s->q_nb.z;
  memcpy(x + V, s->nu, sizeof s->nu);
  memcpy(x + I, s->integral, sizeof s->integral);
}

static struct split_state unpacked(const double x[RIVAL_STATES]) {
  struct split_state s = {.x_n = vec3_of(x + X), .q_nb = {x[Q], x[Q + 1], x[Q + 2], x[Q + 3]}};
  memcpy(s.nu, x + V, sizeof s.nu);
  memcpy(s.integral, x + I, sizeof s.integral);
  return s;
}

struct errors { // of the controller: e and de/dt
  double value[6], rate[6];
  mat3 euler_rate;
};

static struct errors errors_of(const struct split_pid *pid, const struct split_state *s, const mat3 *q) {
  struct errors e;
  double euler[3];
  const double x[3] = {s->x_n.x, s->x_n.y, s->x_n.z};
  euler_of_quat(s->q_nb, euler);
  e.euler_rate = euler_rate_matrix(euler);
  vec3_to(mat3_mul(q, vec3_of(s->nu)), e.rate);
  vec3_to(mat3_mul(&e.euler_rate, vec3_of(s->nu + 3)), e.rate + 3);
  for (int i = 0; i < 3; i++) {
    e.value[i] = x[i] - pid->reference[i];
    e.value[3 + i] = trig_wrap(euler[i] - pid->reference[3 + i]);
  }
  return e;
}

static void control(const struct split_pid *pid, const struct errors *e, const double *integral,
                    const mat3 *q, double wrench_b[6]) {
  double wrench[6];
  for (int i = 0; i < 6; i++)
    wrench[i] = -pid->kp[i] * e->value[i] - pid->kd[i] * e->rate[i] - pid->ki[i] * integral[i];
  vec3_to(mat3_tmul(q, vec3_of(wrench)), wrench_b);
  vec3_to(mat3_tmul(&e->euler_rate, vec3_of(wrench + 3)), wrench_b + 3);
}

void rival_vessel_control(const struct rival_vessel *v, const struct split_state *s, double wrench_b[6]) {
  mat3 q = quat_matrix(s->q_nb);
  struct errors e = errors_of(v->pid, s, &q);
  control(v->pid, &e, s->integral, &q, wrench_b);
}

void rival_vessel_rate(const void *vessel, const double x[RIVAL_STATES], double rate[RIVAL_STATES]) {
  const struct rival_vessel *r = vessel;
  const struct split_vessel *v = r->vessel;
  struct split_state s = unpacked(x);
  quat half = quat_mul(
      s.q_nb, (quat){0, 0.5 * s.nu[3], 0.5 * s.nu[4], 0.5 * s.nu[5]}); // before the parameters are made unit
  s.q_nb = quat_unit(s.q_nb);
  mat3 q = quat_matrix(s.q_nb);
  vec3 q3 = {q.m[2][0], q.m[2][1], q.m[2][2]}, mu = {v->tilt_nm[0] * q3.x, v->tilt_nm[1] * q3.y, 0};
  vec3 velocity = vec3_of(s.nu), omega = vec3_of(s.nu + 3);
  vec3 momentum = {v->moment_kgm2[0] * omega.x, v->moment_kgm2[1] * omega.y, v->moment_kgm2[2] * omega.z};
  double heave = -v->heave_npm * (s.x_n.z - v->equilibrium_z_m), wrench[6] = {0};
  memset(rate, 0, RIVAL_STATES * sizeof *rate);
  if (r->pid) {
    struct errors e = errors_of(r->pid, &s, &q);
    control(r->pid, &e, s.integral, &q, wrench);
    memcpy(rate + I, e.value, sizeof e.value);
  }
  vec3 turning = vec3_sub(vec3_cross(momentum, omega), vec3_cross(mu, q3));
  double moment[3];
  vec3_to(turning, moment);
  vec3_to(vec3_cross(velocity, omega), rate + V);
  for (int i = 0; i < 3; i++) {
    double held = r->held_b ? r->held_b[i] : 0, held_moment = r->held_b ? r->held_b[3 + i] : 0;
    rate[V + i] += (q.m[2][i] * heave + wrench[i] + held - v->damping[i] * s.nu[i]) / v->mass_kg;
    rate[W + i] =
        (moment[i] + wrench[3 + i] + held_moment - v->damping[3 + i] * s.nu[3 + i]) / v->moment_kgm2[i];
  }
  vec3_to(mat3_mul(&q, velocity), rate + X);
  rate[Q] = half.w, rate[Q + 1] = half.x, rate[Q + 2] = half.y, rate[Q + 3] = half.z;
}

static void advance(rival_derivative *rate, const void *of, rival_method *method, struct split_state *s,
                    double h) {
  double x[RIVAL_STATES];
  pack(s, x);
  method(rate, of, RIVAL_STATES, x, h);
  *s = unpacked(x);
  s->q_nb = quat_unit(s->q_nb);
}

void rival_vessel_step(const struct rival_vessel *v, rival_method *method, struct split_state *s, double h) {
  advance(rival_vessel_rate, v, method, s, h);
}

static void hull_rate(const void *hull, const double x[RIVAL_STATES], double rate[RIVAL_STATES]) {
  const struct rival_hull *v = hull;
  struct split_state s = unpacked(x);
  quat half = quat_mul(s.q_nb, (quat){0, 0.5 * s.nu[3], 0.5 * s.nu[4], 0.5 * s.nu[5]});
  mat3 q = quat_matrix(quat_unit(s.q_nb));
  double momentum[6] = {0};
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      momentum[i] += v->inertia[i][j] * s.nu[j];
  vec3 q3 = {q.m[2][0], q.m[2][1], q.m[2][2]}, mu = {v->tilt_nm[0] * q3.x, v->tilt_nm[1] * q3.y, 0};
  vec3 p = vec3_of(momentum), velocity = vec3_of(s.nu), omega = vec3_of(s.nu + 3);
  double z = s.x_n.z + mat3_mul(&q, v->flotation_b_m).z - v->equilibrium_z_m;
  vec3 buoyancy = vec3_scale(-v->heave_npm * z, q3);
  vec3 moment = vec3_add(vec3_cross(vec3_of(momentum + 3), omega), vec3_cross(p, velocity));
  moment = vec3_add(moment, vec3_sub(vec3_cross(v->flotation_b_m, buoyancy), vec3_cross(mu, q3)));
  memset(rate, 0, RIVAL_STATES * sizeof *rate);
  vec3_to(vec3_add(vec3_cross(p, omega), buoyancy), rate + V);
  vec3_to(moment, rate + W);
  mat6_cholesky_solve(v->factor, rate + V);
  vec3_to(mat3_mul(&q, velocity), rate + X);
  rate[Q] = half.w, rate[Q + 1] = half.x, rate[Q + 2] = half.y, rate[Q + 3] = half.z;
}

void rival_hull_step(const struct rival_hull *v, rival_method *method, struct split_state *s, double h) {
  advance(hull_rate, v, method, s, h);
}
