// Inertia of a node whose mass along the axis t = t_1 differs from the mass across it because of the added
// mass. This is Kirchhoff's form; Morison's is in morison.c.
//   M = m I + c t t',   kinetic energy 1/2 p' M^-1 p = p^2/(2 m) + 1/2 e s^2,
//   s = t . p,   e = -c / (m (m + c)).
// s is bilinear in director and momentum, so that the rule for strains (element.c) applies here too. With the
// means
//   dr/h = p_m/m + e s_m t_m,   (p1 - p0)/h = force,   spin:  moment - e s_m t_m x p_m,
// the kinetic energy changes exactly by force . dr + moment . theta, and r x p plus spin is conserved
// exactly. Solved for p_m, with t_m the mean director, t_1 the director at the end and dt its change over the
// step:
//   p_m/m + e (t_1 . p_m) t_m = b,   b = dr/h + e/2 (dt . p0) t_m   (Sherman-Morrison).
#include "core/pipe/inertia.h"

#include "core/pipe/morison.h"

struct axial_motion {
  double m, e, k; // k = e m
  vec3 t_end, t_mean, dt, p0;
  vec3 b, p_mean;
  double g, d, s_mean; // t_1 . b, 1 + k t_1 . t_m, mean of t . p
};

static struct axial_motion axial_motion_of(const struct pipe *p, const struct pipe_state *s,
                                           const struct pipe_work *w, double inverse_h, int i) {
  struct axial_motion x;
  double c = p->axial_excess_kg[i];
  vec3 t0 = pipe_get3(w->d0, i), v0 = pipe_get3(s->v_n, i);
  x.m = p->mass_kg[i];
  x.k = -c / (x.m + c);
  x.e = x.k / x.m;
  x.dt = pipe_get3(w->dd, i);
  x.t_mean = vec3_axpy(0.5, x.dt, t0);
  x.t_end = vec3_add(t0, x.dt);
  x.p0 = vec3_axpy(c * vec3_dot(t0, v0), t0, vec3_scale(x.m, v0));
  x.b = vec3_axpy(0.5 * x.e * vec3_dot(x.dt, x.p0), x.t_mean, vec3_scale(inverse_h, pipe_get3(w->dr_n, i)));
  x.g = vec3_dot(x.t_end, x.b);
  x.d = 1 + x.k * vec3_dot(x.t_end, x.t_mean);
  x.p_mean = vec3_scale(x.m, vec3_axpy(-x.k * x.g / x.d, x.t_mean, x.b));
  x.s_mean = vec3_dot(x.t_end, x.p_mean) - 0.5 * vec3_dot(x.dt, x.p0);

  return x;
}

void pipe_axial_inertia(const struct pipe *p, const struct pipe_state *s, struct pipe_work *w,
                        const struct pipe_step *k) {
  for (int i = 0; i < p->nodes; i++) {
    if (p->axial_excess_kg[i] == 0)
      continue;
    struct axial_motion x = axial_motion_of(p, s, w, k->inverse_h, i);
    vec3 isotropic = vec3_sub(vec3_scale(p->mass_kg[i] * k->mass_dr, pipe_get3(w->dr_n, i)),
                              vec3_scale(p->mass_kg[i] * k->mass_v, pipe_get3(s->v_n, i)));
    vec3 change = vec3_scale(2 * k->inverse_h, vec3_sub(x.p_mean, x.p0));
    vec3 force = pipe_get3(w->residual, i), moment = pipe_get3(w->residual + 3, i);
    pipe_set3(w->residual, i, vec3_add(force, vec3_sub(change, isotropic)));
    pipe_set3(w->residual + 3, i, vec3_axpy(x.e * x.s_mean, vec3_cross(x.t_mean, x.p_mean), moment));
  }
}

vec3 pipe_axial_velocity(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w,
                         double inverse_h, int i) {
  struct axial_motion x = axial_motion_of(p, s, w, inverse_h, i);
  vec3 p1 = vec3_sub(vec3_scale(2, x.p_mean), x.p0);
  return vec3_axpy(x.e * vec3_dot(x.t_end, p1), x.t_end, vec3_scale(1 / x.m, p1));
}

// Column of the tangent: variation of force and moment for a displacement ddr and a spatial rotation phi at
// the end.
static void axial_column(const struct axial_motion *x, double inverse_h, vec3 ddr, vec3 phi,
                         double column[6]) {
  vec3 dte = vec3_cross(phi, x->t_end), dtm = vec3_scale(0.5, dte);
  vec3 db = vec3_scale(inverse_h, ddr);
  db = vec3_axpy(0.5 * x->e * vec3_dot(dte, x->p0), x->t_mean, db);
  db = vec3_axpy(0.5 * x->e * vec3_dot(x->dt, x->p0), dtm, db);
  double dg = vec3_dot(dte, x->b) + vec3_dot(x->t_end, db), share = x->g / x->d;
  double dd = x->k * (vec3_dot(dte, x->t_mean) + vec3_dot(x->t_end, dtm));
  vec3 dp = vec3_axpy(-x->k * (dg - share * dd) / x->d, x->t_mean, vec3_axpy(-x->k * share, dtm, db));
  dp = vec3_scale(x->m, dp);
  double ds = vec3_dot(dte, x->p_mean) + vec3_dot(x->t_end, dp) - 0.5 * vec3_dot(dte, x->p0);
  vec3 turn = vec3_add(vec3_cross(dtm, x->p_mean), vec3_cross(x->t_mean, dp));
  vec3_to(vec3_scale(2 * inverse_h, dp), column);
  vec3_to(vec3_scale(x->e, vec3_axpy(ds, vec3_cross(x->t_mean, x->p_mean), vec3_scale(x->s_mean, turn))),
          column + 3);
}

static void axial_tangent(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w,
                          double inverse_h, int i, double block[36]) {
  struct axial_motion x = axial_motion_of(p, s, w, inverse_h, i);
  for (int j = 0; j < 6; j++) {
    double unit[6] = {0}, column[6];
    unit[j] = 1;
    axial_column(&x, inverse_h, vec3_of(unit), vec3_of(unit + 3), column);
    for (int r = 0; r < 6; r++)
      block[block_at(r, j)] += column[r];
  }
}

// Rotary inertia: d(R1 J W1) = phi x (R1 J W1) + R1 J (2/h) R0' dcay^-1(theta) phi.
static void rotary_tangent(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w,
                           const struct pipe_step *k, int i, double block[36]) {
  vec3 theta = pipe_get3(w->theta_n, i), momentum = {0, 0, 0};
  double column[3][3] = {{0}};
  for (int c = 0; c < 3; c++) {
    vec3 d0 = pipe_get3(w->d0 + 3 * c, i), d1 = vec3_add(d0, pipe_get3(w->dd + 3 * c, i));
    double omega1 = 2 * k->inverse_h * vec3_dot(d0, theta) - s->omega_t[c][i];
    momentum = vec3_axpy(p->inertia_kgm2[c][i] * omega1, d1, momentum);
    // Row vector d0' (I - hat(theta)/2 + theta theta'/4).
    vec3 row = vec3_axpy(0.25 * vec3_dot(d0, theta), theta, vec3_axpy(0.5, vec3_cross(theta, d0), d0));
    double scale = 2 * k->inverse_h * k->inverse_h * p->inertia_kgm2[c][i];
    const double left[3] = {d1.x, d1.y, d1.z}, right[3] = {row.x, row.y, row.z};
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        column[a][b] += scale * left[a] * right[b];
  }

  mat3 spin = mat3_hat(vec3_scale(-k->inverse_h, momentum));

  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      block[block_at(3 + a, 3 + b)] += column[a][b] + spin.m[a][b];
}

void pipe_inertia_tangent(const struct pipe *p, const struct pipe_state *s, const struct pipe_work *w,
                          const struct pipe_step *k, int i, double block[36]) {
  if (k->inverse_h == 0)
    return;

  if (p->axial_excess_kg[i] != 0 && p->added_mass_form == ADDED_MASS_KIRCHHOFF) {
    axial_tangent(p, s, w, k->inverse_h, i, block);
  } else {
    for (int c = 0; c < 3; c++)
      block[block_at(c, c)] += p->mass_kg[i] * k->mass_dr;
    if (p->axial_excess_kg[i] != 0)
      pipe_morison_tangent(p, s, w, k, i, block);
  }

  rotary_tangent(p, s, w, k, i, block);
}
