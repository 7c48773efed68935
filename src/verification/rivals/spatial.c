// The generalized-alpha method for a rigid body in spatial coordinates.
#include "verification/rivals/rivals.h"
#include "verification/rivals/rivals_internal.h"

#include <string.h>

static void add_block(double to[6][6], int row, int column, double s, const mat3 *b) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      to[row + i][column + j] += s * b->m[i][j];
}

static void add_hat(double to[6][6], int row, int column, double s, vec3 v) {
  mat3 hat = mat3_hat(v);
  add_block(to, row, column, s, &hat);
}

static void add_product(double to[6][6], int row, int column, double s, mat3 a, mat3 b) {
  mat3 c = mat3_product(&a, &b);
  add_block(to, row, column, s, &c);
}

static mat3 in_world(const mat3 *r, const mat3 *b) { // R B R'
  mat3 t = mat3_transpose(r), bt = mat3_product(b, &t);
  return mat3_product(r, &bt);
}

static void add_vector(double to[6], int row, double s, vec3 v) {
  to[row] += s * v.x, to[row + 1] += s * v.y, to[row + 2] += s * v.z;
}

vec3 rival_rotation_vector(quat q) {
  double sign = q.w < 0 ? -1 : 1, n = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
  double s = n > 1e-12 ? 2 * atan2(n, sign * q.w) / n : 2;
  return vec3_scale(sign * s, (vec3){q.x, q.y, q.z});
}

// ---- what the loads add ----

static void inertia(const struct rival_body *b, const mat3 *r, const struct rival_motion *s,
                    double residual[6], struct rival_tangents *t) {
  const double *i = b->moments_kgm2;
  mat3 own = {{{i[0], 0, 0}, {0, i[1], 0}, {0, 0, i[2]}}}, j = in_world(r, &own);
  vec3 omega = vec3_of(s->v + 3), alpha = vec3_of(s->vdot + 3), jo = mat3_mul(&j, omega),
       ja = mat3_mul(&j, alpha);
  add_vector(residual, 0, b->mass_kg, vec3_of(s->vdot));
  add_vector(residual, 3, 1, vec3_add(ja, vec3_cross(omega, jo)));
  if (!t)
    return;
  mat3 hat = mat3_hat(omega), hat_jo = mat3_hat(jo), j_hat = mat3_product(&j, &hat);
  for (int k = 0; k < 3; k++)
    t->m[k][k] += b->mass_kg;         // (14)
  add_block(t->m, 3, 3, 1, &j);       // (15)
  add_product(t->c, 3, 3, 1, hat, j); // (16)
  add_block(t->c, 3, 3, -1, &hat_jo);
  add_hat(t->k, 3, 3, -1, ja); // (17)
  add_product(t->k, 3, 3, 1, j, mat3_hat(alpha));
  add_product(t->k, 3, 3, -1, hat, hat_jo);
  add_product(t->k, 3, 3, 1, hat, j_hat);
}

static void at_a_point(const struct rival_load *l, const mat3 *r, double t_s, double residual[6],
                       struct rival_tangents *t) {
  vec3 value = vec3_scale(l->history ? l->history(t_s) : 1, vec3_of(l->value));
  vec3 world = l->follower ? mat3_mul(r, value) : value, arm = mat3_mul(r, vec3_of(l->point_b));
  if (l->kind == RIVAL_TORQUE) {
    add_vector(residual, 3, -1, world); // (22), (31)
    if (t && l->follower)
      add_hat(t->k, 3, 3, 1, world); // (32)
    return;
  }
  vec3 torque = vec3_cross(arm, world);
  add_vector(residual, 0, -1, world);  // (18), (26)
  add_vector(residual, 3, -1, torque); // (19), (27)
  if (!t)
    return;
  add_hat(t->k, 3, 3, 1, torque); // (29), and the first part of (20)
  if (l->follower)
    add_hat(t->k, 0, 3, 1, world); // (28)
  else
    add_product(t->k, 3, 3, -1, mat3_hat(arm), mat3_hat(world));
}

// d psi = this times a turn of the world: the inverse of T(psi)' in footnotes 9 and 12.
static mat3 turn_to_vector(vec3 psi) {
  double nn = vec3_dot(psi, psi), n = sqrt(nn);
  double c = n > 1e-3 ? (1 - 0.5 * n / tan(0.5 * n)) / nn : 1.0 / 12 + nn / 720;
  mat3 hat = mat3_hat(psi), out = mat3_product(&hat, &hat);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out.m[i][j] = (i == j) - 0.5 * hat.m[i][j] + c * out.m[i][j];
  return out;
}

static void transformation(const struct rival_load *l, const mat3 *r, const struct rival_motion *s,
                           double residual[6], struct rival_tangents *t) {
  vec3 psi = rival_rotation_vector(s->q_nb), part[2] = {vec3_of(s->x_n), psi};
  if (l->kind != RIVAL_OF_POSITION)
    for (int j = 0; j < 2; j++)
      part[j] = vec3_of((l->kind == RIVAL_OF_VELOCITY ? s->v : s->vdot) + 3 * j);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      mat3 b;
      for (int k = 0; k < 9; k++)
        b.m[k / 3][k % 3] = l->matrix[3 * i + k / 3][3 * j + k % 3];
      if (l->follower)
        b = in_world(r, &b); // (35)
      vec3 load = mat3_mul(&b, part[j]);
      add_vector(residual, 3 * i, 1, load); // (24), (34)
      if (!t)
        continue;
      if (l->follower) { // (36), (37)
        add_hat(t->k, 3 * i, 3, -1, load);
        add_product(t->k, 3 * i, 3, 1, b, mat3_hat(part[j]));
      }
      if (l->kind == RIVAL_OF_POSITION && j == 1) // the paper has b alone: right where psi is small
        add_product(t->k, 3 * i, 3, 1, b, turn_to_vector(psi));
      else
        add_block(l->kind == RIVAL_OF_POSITION   ? t->k
                  : l->kind == RIVAL_OF_VELOCITY ? t->c
                                                 : t->m,
                  3 * i, 3 * j, 1, &b);
    }
}

void rival_spatial_residual(const struct rival_loads *l, const struct rival_motion *s, double t_s,
                            double residual[6], struct rival_tangents *tangents) {
  mat3 r = quat_matrix(s->q_nb);
  memset(residual, 0, 6 * sizeof *residual);
  if (tangents)
    memset(tangents, 0, sizeof *tangents);
  inertia(&l->body, &r, s, residual, tangents);
  for (int i = 0; i < l->count; i++)
    if (l->load[i].matrix)
      transformation(&l->load[i], &r, s, residual, tangents);
    else
      at_a_point(&l->load[i], &r, t_s, residual, tangents);
}

// ---- the method ----

int rival_spatial_start(const struct rival_loads *l, double t_s, struct rival_motion *s) {
  struct rival_tangents t;
  double residual[6];
  memset(s->vdot, 0, sizeof s->vdot);
  rival_spatial_residual(l, s, t_s, residual, &t);
  if (!rival_solve(6, &t.m[0][0], residual))
    return 0;
  for (int i = 0; i < 6; i++)
    s->a[i] = s->vdot[i] = -residual[i];
  return 1;
}

static void assemble(const struct rival_tangents *t, double beta, double gamma, vec3 turn,
                     double to[6][6]) { // lines 19 to 21
  double n = vec3_norm(turn), nn = n * n;
  double b = n > 1e-4 ? (1 - cos(n)) / nn : 0.5 - nn / 24,
         c = n > 1e-4 ? (1 - sin(n) / n) / nn : 1.0 / 6 - nn / 120;
  mat3 hat = mat3_hat(turn), dagger = mat3_product(&hat, &hat);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      dagger.m[i][j] = (i == j) + b * hat.m[i][j] + c * dagger.m[i][j];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      to[i][j] = beta * t->m[i][j] + gamma * t->c[i][j] + (j < 3 ? t->k[i][j] : 0);
      for (int k = 0; j >= 3 && k < 3; k++)
        to[i][j] += t->k[i][3 + k] * dagger.m[k][j - 3];
    }
}

int rival_generalized_alpha(const struct rival_loads *l, double rho, double t_s, double h,
                            struct rival_motion *s) {
  double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), gamma = 0.5 + af - am,
         beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
  double beta_1 = (1 - am) / (beta * h * h * (1 - af)), gamma_1 = gamma / (beta * h), y[6], before = INFINITY;
  struct rival_motion next = {.vdot = {0}};
  for (int i = 0; i < 6; i++) { // lines 3 to 7
    next.a[i] = (af * s->vdot[i] - am * s->a[i]) / (1 - am);
    next.v[i] = s->v[i] + h * ((1 - gamma) * s->a[i] + gamma * next.a[i]);
    y[i] = h * s->v[i] + h * h * ((0.5 - beta) * s->a[i] + beta * next.a[i]);
  }
  for (int iteration = 0; iteration < 50; iteration++) {
    struct rival_tangents t;
    double residual[6], matrix[6][6], change = 0, size = 1;
    for (int i = 0; i < 3; i++)
      next.x_n[i] = s->x_n[i] + y[i];
    next.q_nb = quat_unit(quat_mul(rival_rotation(vec3_of(y + 3)), s->q_nb));
    rival_spatial_residual(l, &next, t_s + h, residual, &t);
    assemble(&t, beta_1, gamma_1, vec3_of(y + 3), matrix);
    if (!rival_solve(6, &matrix[0][0], residual))
      return 0;
    for (int i = 0; i < 6; i++) {
      y[i] -= residual[i];
      next.v[i] -= gamma_1 * residual[i];
      next.vdot[i] -= beta_1 * residual[i];
      change = fmax(change, fabs(residual[i]));
      size = fmax(size, fabs(y[i]));
    }
    if (!isfinite(change))
      return 0;
    int done = change <= 1e-16 * size || (change <= 1e-11 * size && change >= 0.5 * before);
    before = change;
    if (!done)
      continue;
    for (int i = 0; i < 6; i++)
      next.a[i] += (1 - af) / (1 - am) * next.vdot[i]; // line 27
    for (int i = 0; i < 3; i++)
      next.x_n[i] = s->x_n[i] + y[i];
    next.q_nb = quat_unit(quat_mul(rival_rotation(vec3_of(y + 3)), s->q_nb));
    *s = next;
    return 1;
  }
  return 0;
}
