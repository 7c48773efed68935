// Rival methods for the rod and for directors.
#include "verification/rivals/rivals.h"
#include "verification/rivals/rivals_internal.h"

#include "sagbend/math/math.h"

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

// ------------------------------------------------------------
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

// ------------------------------------------------------------
double hamiltonian_rod_lump_m(int elements, double element_m, int node) {
  return node == 0 || node == elements ? 0.5 * element_m : element_m;
}

#define NUMBER    double
#define NAME(x)   hamiltonian_rod_##x
#define NAME_ROOT sqrt
#define ROD       hamiltonian_rod
#define NODE      hamiltonian_rod_node
#define SLOPE     hamiltonian_rod_slope
#include "verification/rivals/rod_scheme.h"
#undef NUMBER
#undef NAME
#undef NAME_ROOT
#undef ROD
#undef NODE
#undef SLOPE

#define NUMBER    double complex
#define NAME(x)   varied_rod_##x
#define NAME_ROOT csqrt
#define ROD       varied_rod
#define NODE      varied_rod_node
#define SLOPE     varied_rod_slope
#include "verification/rivals/rod_scheme.h"

void hamiltonian_rod_step(struct hamiltonian_rod *r, double h) {
  hamiltonian_rod_kick(r, 0.5 * h);
  hamiltonian_rod_drift(r, h);
  hamiltonian_rod_kick(r, 0.5 * h);
}

struct hamiltonian_rod_totals hamiltonian_rod_totals(const struct hamiltonian_rod *r) {
  struct hamiltonian_rod_totals t = {0};
  struct hamiltonian_rod_slope unused;
  vec3 linear = {0}, angular = {0};
  for (int i = 0; i <= r->elements; i++) {
    const struct hamiltonian_rod_node *node = &r->node[i];
    double lump = hamiltonian_rod_lump_m(r->elements, r->element_m, i), body[3];
    mat3 frame = quat_matrix((quat){node->q[0], node->q[1], node->q[2], node->q[3]});
    vec3 p = vec3_of(node->p_ns), pi = vec3_of(node->pi_nms);
    vec3_to(mat3_tmul(&frame, pi), body);
    t.kinetic_j += 0.5 * vec3_dot(p, p) / (lump * r->section.mass_kgpm);
    for (int k = 0; k < 3; k++)
      t.kinetic_j += 0.5 * body[k] * body[k] / (lump * r->section.inertia_kgm[k]);
    linear = vec3_add(linear, p);
    angular = vec3_add(angular, vec3_add(vec3_cross(vec3_of(node->x_m), p), pi));
  }
  for (int e = 0; e < r->elements; e++)
    t.potential_j += hamiltonian_rod_element(r, e, &unused);
  vec3_to(linear, t.linear_ns);
  vec3_to(angular, t.angular_nms);
  return t;
}

// ------------------------------------------------------------
struct varied_rod_node rod_varied(const struct hamiltonian_rod_node *n, const struct rod_variation *by) {
  struct varied_rod_node v = {.x_m = {0}};
  quat q = {n->q[0], n->q[1], n->q[2], n->q[3]}, theta = {0, by->theta[0], by->theta[1], by->theta[2]},
       dq = quat_mul(theta, q);
  const double turn[4] = {dq.w, dq.x, dq.y, dq.z};
  for (int k = 0; k < 4; k++)
    v.q[k] = n->q[k] + (double complex)I * (0.5 * ROD_VARIATION * turn[k]);
  for (int k = 0; k < 3; k++) {
    v.x_m[k] = n->x_m[k] + (double complex)I * (ROD_VARIATION * by->x[k]);
    v.p_ns[k] = n->p_ns[k] + (double complex)I * (ROD_VARIATION * by->p[k]);
    v.pi_nms[k] = n->pi_nms[k] + (double complex)I * (ROD_VARIATION * by->pi[k]);
  }
  return v;
}

static double form(int count, const double complex *u1, const double complex *p1, const double complex *u2,
                   const double complex *p2) {
  double sum = 0;
  for (int k = 0; k < count; k++)
    sum += cimag(u1[k]) / ROD_VARIATION * (cimag(p2[k]) / ROD_VARIATION) -
           cimag(u2[k]) / ROD_VARIATION * (cimag(p1[k]) / ROD_VARIATION);
  return sum;
}

static void conjugate_of(const struct varied_rod_node *n, double complex p[4]) { // 2 (0, pi) q, (6.29)
  const double complex *pi = n->pi_nms, *q = n->q;
  p[0] = -2 * (pi[0] * q[1] + pi[1] * q[2] + pi[2] * q[3]);
  for (int k = 0; k < 3; k++)
    p[1 + k] =
        2 * (pi[k] * q[0] + pi[(k + 1) % 3] * q[1 + (k + 2) % 3] - pi[(k + 2) % 3] * q[1 + (k + 1) % 3]);
}

double rod_omega(const struct varied_rod *a, const struct varied_rod *b, int node) {
  const struct varied_rod_node *na = &a->node[node], *nb = &b->node[node];
  double complex pa[4], pb[4];
  conjugate_of(na, pa);
  conjugate_of(nb, pb);
  return form(3, na->x_m, na->p_ns, nb->x_m, nb->p_ns) + form(4, na->q, pa, nb->q, pb);
}

double rod_kappa(const struct varied_rod *a, const struct varied_rod *b, int element) {
  struct varied_rod_slope va, vb;
  varied_rod_element(a, element, &va);
  varied_rod_element(b, element, &vb);
  const struct varied_rod_node *na = &a->node[element], *nb = &b->node[element];
  return form(3, na->x_m, va.x_n[0], nb->x_m, vb.x_n[0]) + form(4, na->q, va.q_nm[0], nb->q, vb.q_nm[0]);
}

// ------------------------------------------------------------
static void swap_rows(int n, double *a, double *b, int i, int j) {
  for (int k = 0; k < n; k++) {
    double t = a[i * n + k];
    a[i * n + k] = a[j * n + k];
    a[j * n + k] = t;
  }
  double t = b[i];
  b[i] = b[j];
  b[j] = t;
}

int rival_solve(int n, double *a, double *b) {
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[pivot * n + k]))
        pivot = i;
    if (!(fabs(a[pivot * n + k]) > 0))
      return 0;
    if (pivot != k)
      swap_rows(n, a, b, k, pivot);
    for (int i = k + 1; i < n; i++) {
      double s = a[i * n + k] / a[k * n + k];
      for (int j = k + 1; j < n; j++)
        a[i * n + j] -= s * a[k * n + j];
      b[i] -= s * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++)
      b[k] -= a[k * n + j] * b[j];
    b[k] /= a[k * n + k];
  }
  return 1;
}

quat rival_rotation(vec3 psi) {
  double n = vec3_norm(psi), s = n > 1e-8 ? sin(0.5 * n) / n : 0.5;
  return (quat){cos(0.5 * n), s * psi.x, s * psi.y, s * psi.z};
}
