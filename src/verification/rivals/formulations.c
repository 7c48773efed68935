#include "verification/rivals/formulations.h"
#include "verification/rivals/rivals_internal.h"

#include <math.h>
#include <string.h>

struct rival_motion rival_motion_to(enum rival_formulation f, const struct rival_motion *spatial) {
  struct rival_motion s = *spatial;
  const mat3 r = quat_matrix(s.q_nb);
  const vec3 v = vec3_of(spatial->v), omega = vec3_of(spatial->v + 3), vdot = vec3_of(spatial->vdot);
  if (f != RIVAL_SPATIAL) {
    vec3_to(mat3_tmul(&r, omega), s.v + 3);
    vec3_to(mat3_tmul(&r, vec3_of(spatial->vdot + 3)), s.vdot + 3);
  }
  if (f == RIVAL_LOCAL) { // d(R'v)/dt = R'(dv/dt - omega x v)
    vec3_to(mat3_tmul(&r, v), s.v);
    vec3_to(mat3_tmul(&r, vec3_sub(vdot, vec3_cross(omega, v))), s.vdot);
  }
  memcpy(s.a, s.vdot, sizeof s.a);
  return s;
}

struct rival_motion rival_motion_from(enum rival_formulation f, const struct rival_motion *s) {
  struct rival_motion spatial = *s;
  const mat3 r = quat_matrix(s->q_nb);
  const vec3 v = vec3_of(s->v), omega = vec3_of(s->v + 3);
  if (f != RIVAL_SPATIAL) {
    vec3_to(mat3_mul(&r, omega), spatial.v + 3);
    vec3_to(mat3_mul(&r, vec3_of(s->vdot + 3)), spatial.vdot + 3);
  }
  if (f == RIVAL_LOCAL) {
    vec3_to(mat3_mul(&r, v), spatial.v);
    vec3_to(mat3_mul(&r, vec3_add(vec3_of(s->vdot), vec3_cross(omega, v))), spatial.vdot);
  }
  return spatial;
}

// The displacement of SE(3) that belongs to its increment (u, psi): V(psi) u.
static vec3 displacement(vec3 u, vec3 psi) {
  const double nn = vec3_dot(psi, psi), n = sqrt(nn);
  const double b = n > 1e-4 ? (1 - cos(n)) / nn : 0.5 - nn / 24,
               c = n > 1e-4 ? (1 - sin(n) / n) / nn : 1.0 / 6 - nn / 120;
  const vec3 once = vec3_cross(psi, u);
  return vec3_axpy(c, vec3_cross(psi, once), vec3_axpy(b, once, u));
}

// Position, attitude, velocity and acceleration after the increment y; start: those of the predictor for y0.
struct guess {
  enum rival_formulation f;
  const struct rival_loads *loads;
  const struct rival_motion *from;
  struct rival_motion start;
  double y0[6], beta, gamma, t_s;
};

static void residual_at(const struct guess *g, const double y[6], struct rival_motion *next,
                        double residual[6]) {
  *next = g->start;
  for (int i = 0; i < 6; i++) {
    next->v[i] += g->gamma * (y[i] - g->y0[i]);
    next->vdot[i] += g->beta * (y[i] - g->y0[i]);
  }
  const quat turn = rival_rotation(vec3_of(y + 3));
  const mat3 r0 = quat_matrix(g->from->q_nb);
  const vec3 u = vec3_of(y), step = g->f == RIVAL_LOCAL ? mat3_mul(&r0, displacement(u, vec3_of(y + 3))) : u;
  next->q_nb =
      quat_unit(g->f == RIVAL_SPATIAL ? quat_mul(turn, g->from->q_nb) : quat_mul(g->from->q_nb, turn));
  vec3_to(vec3_add(vec3_of(g->from->x_n), step), next->x_n);
  const struct rival_motion spatial = rival_motion_from(g->f, next);
  rival_spatial_residual(g->loads, &spatial, g->t_s, residual, NULL);
  const mat3 r = quat_matrix(next->q_nb);
  if (g->f != RIVAL_SPATIAL)
    vec3_to(mat3_tmul(&r, vec3_of(residual + 3)), residual + 3);
  if (g->f == RIVAL_LOCAL)
    vec3_to(mat3_tmul(&r, vec3_of(residual)), residual);
}

int rival_generalized_alpha_in(enum rival_formulation f, const struct rival_loads *l, double rho, double t_s,
                               double h, struct rival_motion *s) {
  const double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), gamma = 0.5 + af - am,
               beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
  struct guess g = {
      f, l, s, {.vdot = {0}}, {0}, (1 - am) / (beta * h * h * (1 - af)), gamma / (beta * h), t_s + h};
  struct rival_motion next;
  double y[6], before = INFINITY;
  for (int i = 0; i < 6; i++) { // lines 3 to 7
    g.start.a[i] = (af * s->vdot[i] - am * s->a[i]) / (1 - am);
    g.start.v[i] = s->v[i] + h * ((1 - gamma) * s->a[i] + gamma * g.start.a[i]);
    y[i] = g.y0[i] = h * s->v[i] + h * h * ((0.5 - beta) * s->a[i] + beta * g.start.a[i]);
  }
  for (int iteration = 0; iteration < 50; iteration++) {
    double residual[6], matrix[6][6], change = 0, size = 1;
    residual_at(&g, y, &next, residual);
    for (int j = 0; j < 6; j++) {
      const double at = y[j], d = 1e-5;
      double up[6], down[6];
      y[j] = at + d, residual_at(&g, y, &next, up);
      y[j] = at - d, residual_at(&g, y, &next, down);
      y[j] = at;
      for (int i = 0; i < 6; i++)
        matrix[i][j] = (up[i] - down[i]) / (2 * d);
    }
    if (!rival_solve(6, &matrix[0][0], residual))
      return 0;
    for (int i = 0; i < 6; i++) {
      y[i] -= residual[i];
      change = fmax(change, fabs(residual[i])), size = fmax(size, fabs(y[i]));
    }
    if (!isfinite(change))
      return 0;
    const int done = change <= 1e-16 * size || (change <= 1e-11 * size && change >= 0.5 * before);
    before = change;
    if (!done)
      continue;
    residual_at(&g, y, &next, residual);
    for (int i = 0; i < 6; i++)
      next.a[i] += (1 - af) / (1 - am) * next.vdot[i]; // line 27
    *s = next;
    return 1;
  }
  return 0;
}
