#include "verification/rivals/directors.h"
#include "verification/rivals/rivals_internal.h"

static vec3 euler_tensor(const double moments[3]) { // (20)
  double half = 0.5 * (moments[0] + moments[1] + moments[2]);
  return (vec3){half - moments[0], half - moments[1], half - moments[2]};
}

struct rival_directors rival_directors_of(quat q_nb, const double omega_b[3]) {
  struct rival_directors s;
  mat3 r = quat_matrix(q_nb);
  vec3 omega = mat3_mul(&r, vec3_of(omega_b));
  for (int i = 0; i < 3; i++) {
    s.d[i] = mat3_column(&r, i);
    s.v[i] = vec3_cross(omega, s.d[i]);
  }
  return s;
}

mat3 rival_directors_attitude(const struct rival_directors *s) {
  return (mat3){{{s->d[0].x, s->d[1].x, s->d[2].x},
                 {s->d[0].y, s->d[1].y, s->d[2].y},
                 {s->d[0].z, s->d[1].z, s->d[2].z}}};
}

double rival_directors_energy(const struct rival_top *top, const struct rival_directors *s) {
  vec3 tensor = euler_tensor(top->moments_kgm2);
  double sum = top->weight_nm * s->d[2].z;
  for (int i = 0; i < 3; i++)
    sum += 0.5 * (&tensor.x)[i] * vec3_dot(s->v[i], s->v[i]);
  return sum;
}

vec3 rival_directors_momentum(const struct rival_top *top, const struct rival_directors *s) {
  vec3 tensor = euler_tensor(top->moments_kgm2), sum = {0, 0, 0};
  for (int i = 0; i < 3; i++)
    sum = vec3_axpy((&tensor.x)[i], vec3_cross(s->d[i], s->v[i]), sum);
  return sum;
}

double rival_directors_gap(const struct rival_directors *s) {
  double worst = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++)
      worst = fmax(worst, fabs(vec3_dot(s->d[i], s->v[j]) + vec3_dot(s->d[j], s->v[i])));
  return worst;
}

// The new directors are cay(t) of the old ones, so their increments are t x d in the middle, and the
// constraints hold by themselves. Their forces do no work on turns of the middle directors, which leaves
// three equations:
//   sum E_i dm_i x (2/h t x dm_i - 2 v_i) + h w dm_3 x e3 = 0.
static void balance(const struct rival_top *top, double h, const struct rival_directors *s, vec3 t,
                    double residual[3], double tangent[9]) {
  vec3 tensor = euler_tensor(top->moments_kgm2), sum = {0, 0, 0},
       columns[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (int i = 0; i < 3; i++) {
    vec3 dm = vec3_axpy(0.5, cayley_increment(t, s->d[i]), s->d[i]), td = vec3_cross(t, dm);
    vec3 rate = vec3_axpy(2 / h, td, vec3_scale(-2, s->v[i])),
         down = vec3_scale(i == 2 ? h * top->weight_nm : 0, (vec3){0, 0, 1});
    double mass = (&tensor.x)[i];
    sum = vec3_add(sum, vec3_cross(dm, vec3_axpy(mass, rate, down)));
    for (int j = 0; j < 3; j++) { // the middle turns by half of dcay
      vec3 unit = {j == 0, j == 1, j == 2}, d1 = vec3_sub(vec3_scale(2, dm), s->d[i]);
      vec3 ddm = vec3_scale(0.5, vec3_cross(cayley_derivative(t, unit), d1));
      vec3 drate = vec3_scale(2 / h, vec3_add(vec3_cross(unit, dm), vec3_cross(t, ddm)));
      columns[j] = vec3_add(columns[j], vec3_add(vec3_cross(ddm, vec3_axpy(mass, rate, down)),
                                                 vec3_scale(mass, vec3_cross(dm, drate))));
    }
  }
  vec3_to(sum, residual);
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++)
      tangent[3 * i + j] = (&columns[j].x)[i];
}

int rival_dir_em(const struct rival_top *top, double h, struct rival_directors *s) {
  double residual[3], tangent[9], before = INFINITY;
  vec3 t = {0, 0, 0};
  for (int i = 0; i < 3; i++)
    t = vec3_axpy(0.5 * h, vec3_cross(s->d[i], s->v[i]), t);
  for (int k = 0; k < 50; k++) {
    balance(top, h, s, t, residual, tangent);
    if (!rival_solve(3, tangent, residual))
      return 0;
    t = vec3_sub(t, vec3_of(residual));
    double change = vec3_norm(vec3_of(residual));
    int done = change <= 1e-15 || (change <= 1e-11 && change >= 0.5 * before);
    before = change;
    if (!isfinite(change))
      return 0;
    if (!done)
      continue;
    for (int i = 0; i < 3; i++) {
      vec3 step = cayley_increment(t, s->d[i]);
      s->d[i] = vec3_add(s->d[i], step);
      s->v[i] = vec3_sub(vec3_scale(2 / h, step), s->v[i]);
    }
    return 1;
  }
  return 0;
}
