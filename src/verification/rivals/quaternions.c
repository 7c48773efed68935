// Rival methods for rigid bodies in quaternions.
#include "verification/rivals/rivals.h"
#include "verification/rivals/rivals_internal.h"

#include <string.h>

// ---- the algebra of section 2.5; quaternions as 4-vectors ----

static quat quat_of(const double q[4]) {
  return (quat){q[0], q[1], q[2], q[3]};
}
static void quat_to(quat a, double q[4]) {
  q[0] = a.w, q[1] = a.x, q[2] = a.y, q[3] = a.z;
}

// Columns (10): left(q) x = q o x, right(q) x = x o q.
static void left(const double q[4], double a[4][4]) {
  const double rows[4][4] = {{q[0], -q[1], -q[2], -q[3]},
                             {q[1], q[0], -q[3], q[2]},
                             {q[2], q[3], q[0], -q[1]},
                             {q[3], -q[2], q[1], q[0]}};
  memcpy(a, rows, sizeof rows);
}
static void right(const double q[4], double a[4][4]) {
  const double rows[4][4] = {{q[0], -q[1], -q[2], -q[3]},
                             {q[1], q[0], q[3], -q[2]},
                             {q[2], -q[3], q[0], q[1]},
                             {q[3], q[2], -q[1], q[0]}};
  memcpy(a, rows, sizeof rows);
}

static void left_back(const double q[4], const double x[4], double out[4]) { // left(q)' x
  quat_to(quat_mul((quat){q[0], -q[1], -q[2], -q[3]}, quat_of(x)), out);
}

// J4^-1, the extended inertia of (32).
static void extended(const double moments[3], double inverse[4]) {
  inverse[0] = 2 / (moments[0] + moments[1] + moments[2]);
  for (int i = 0; i < 3; i++)
    inverse[i + 1] = 1 / moments[i];
}

static const double height[4] = {1, -1, -1, 1}; // d3 . e3 = q' diag(height) q

struct rival_quaternion rival_quaternion_of(const struct rival_top *top, quat q_nb, const double omega_b[3]) {
  struct rival_quaternion s;
  const double *i = top->moments_kgm2;
  quat_to(q_nb, s.q);
  quat_to(quat_mul(q_nb, (quat){0, 2 * i[0] * omega_b[0], 2 * i[1] * omega_b[1], 2 * i[2] * omega_b[2]}),
          s.p);
  return s;
}

quat rival_quaternion_attitude(const struct rival_quaternion *s) {
  return quat_of(s->q);
}

double rival_quaternion_energy(const struct rival_top *top, const struct rival_quaternion *s) { // (36)
  double pi[4], inverse[4], sum = 0;
  left_back(s->q, s->p, pi);
  extended(top->moments_kgm2, inverse);
  for (int k = 0; k < 4; k++)
    sum += 0.125 * inverse[k] * pi[k] * pi[k] + top->weight_nm * height[k] * s->q[k] * s->q[k];
  return sum;
}

vec3 rival_quaternion_momentum(const struct rival_quaternion *s) { // half the vector of p o conj(q)
  quat j = quat_mul(quat_of(s->p), (quat){s->q[0], -s->q[1], -s->q[2], -s->q[3]});
  return (vec3){0.5 * j.x, 0.5 * j.y, 0.5 * j.z};
}

static quat exponential(const double theta[3]) { // (6)
  double n = sqrt(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]);
  double s = n > 1e-8 ? sin(0.5 * n) / n : 0.5;
  return (quat){cos(0.5 * n), s * theta[0], s * theta[1], s * theta[2]};
}

// d(q o ..) = 1/2 (0, H(theta) dtheta) o q, (D2): the columns of a 4 x 3.
static void exponential_derivative(const double theta[3], const double q[4], double out[4][3]) {
  vec3 t = vec3_of(theta);
  double n = vec3_norm(t), nn = n * n;
  double a = n > 1e-4 ? sin(n) / n : 1 - nn / 6, b = n > 1e-4 ? (1 - cos(n)) / nn : 0.5 - nn / 24,
         c = n > 1e-4 ? (1 - a) / nn : 1.0 / 6 - nn / 120;
  for (int k = 0; k < 3; k++) {
    vec3 e = {k == 0, k == 1, k == 2};
    vec3 w = vec3_axpy(c * theta[k], t, vec3_axpy(b, vec3_cross(t, e), vec3_scale(a, e)));
    double column[4];
    quat_to(quat_mul((quat){0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z}, quat_of(q)), column);
    for (int i = 0; i < 4; i++)
      out[i][k] = column[i];
  }
}

// ---- QUAT_EM ----

// out = scale left(a) J4^-1 b, b one of left(.)', or of [p, -G(p)']'.
static void sandwich(double scale, const double a[4], const double inverse[4], const double (*b)[4],
                     double out[4][4]) {
  double l[4][4];
  left(a, l);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      out[i][j] = 0;
      for (int k = 0; k < 4; k++)
        out[i][j] += scale * l[i][k] * inverse[k] * b[k][j];
    }
}

static void transposed_left(const double q[4], double sign,
                            double b[4][4]) { // left(q)', its last three rows times sign
  double l[4][4];
  left(q, l);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      b[i][j] = (i ? sign : 1) * l[j][i];
}

struct middle {
  double q1[4], qm[4], pm[4], inverse[4];
  double o[4], k[4];   // Appendix D
  double rq[4], rp[4]; // R_q, R_p
};

static struct middle middle_of(const struct rival_top *top, double h, const struct rival_quaternion *s,
                               const double x[7]) {
  struct middle m;
  const double *p1 = x + 3;
  double a[4], b[4], c[4], d[4];
  quat_to(quat_mul(exponential(x), quat_of(s->q)), m.q1);
  extended(top->moments_kgm2, m.inverse);
  left_back(s->q, s->p, a), left_back(m.q1, p1, b);
  left_back(s->p, s->q, c), left_back(p1, m.q1, d);
  for (int i = 0; i < 4; i++) {
    m.qm[i] = 0.5 * (s->q[i] + m.q1[i]);
    m.pm[i] = 0.5 * (s->p[i] + p1[i]);
    m.o[i] = 0.5 * m.inverse[i] * (a[i] + b[i]);
    m.k[i] = 0.5 * m.inverse[i] * (c[i] + d[i]);
  }
  quat_to(quat_mul(quat_of(m.qm), quat_of(m.o)), a);
  quat_to(quat_mul(quat_of(m.pm), quat_of(m.k)), b);
  for (int i = 0; i < 4; i++) {
    m.rq[i] = m.q1[i] - s->q[i] - 0.25 * h * a[i];
    m.rp[i] = p1[i] - s->p[i] + 0.25 * h * b[i] + 2 * h * top->weight_nm * height[i] * m.qm[i];
  }
  return m;
}

// The blocks of (D1), in columns theta and p.
static void tangent_of(const struct rival_top *top, double h, const struct middle *m, const double x[7],
                       double *tangent) {
  double b[4][4], qq[4][4], qp[4][4], pq[4][4], pp[4][4], r[4][4], g[4][4], gr[4][4], dq[4][3];
  const double *p1 = x + 3;
  transposed_left(p1, -1, b), sandwich(-0.125 * h, m->qm, m->inverse, (const double (*)[4])b, qq);
  transposed_left(m->q1, 1, b), sandwich(-0.125 * h, m->qm, m->inverse, (const double (*)[4])b, qp);
  transposed_left(p1, 1, b), sandwich(0.125 * h, m->pm, m->inverse, (const double (*)[4])b, pq);
  transposed_left(m->q1, -1, b), sandwich(0.125 * h, m->pm, m->inverse, (const double (*)[4])b, pp);
  right(m->o, r), right(m->k, b);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      qq[i][j] += (i == j) - 0.125 * h * r[i][j];
      pq[i][j] += (i == j) * h * top->weight_nm * height[i];
      pp[i][j] += (i == j) + 0.125 * h * b[i][j];
    }
  transposed_left(m->qm, 1, g), transposed_left(m->rp, 1, gr); // rows 1 to 3: G
  exponential_derivative(x, m->q1, dq);
  for (int i = 0; i < 7; i++)
    for (int j = 0; j < 7; j++) {
      double sum = 0;
      for (int k = 0; k < 4; k++)
        if (i < 4)
          sum += j < 3 ? qq[i][k] * dq[k][j] : (k == j - 3) * qp[i][k];
        else {
          double row_q = -0.5 * gr[i - 3][k], row_p = g[i - 3][k];
          for (int l = 0; j < 3 && l < 4; l++)
            sum += row_p * pq[k][l] * dq[l][j];
          sum += j < 3 ? row_q * dq[k][j] : row_p * pp[k][j - 3];
        }
      tangent[7 * i + j] = sum;
    }
}

void rival_quat_em_residual(const struct rival_top *top, double h, const struct rival_quaternion *s,
                            const double x[7], double residual[7], double *tangent) {
  struct middle m = middle_of(top, h, s, x);
  double projected[4];
  left_back(m.qm, m.rp, projected);
  memcpy(residual, m.rq, sizeof m.rq);
  memcpy(residual + 4, projected + 1, 3 * sizeof(double));
  if (tangent)
    tangent_of(top, h, &m, x, tangent);
}

// Newton's method to rounding: stop where the increments no longer shrink.
enum { ITERATIONS = 50 };
static int settled(double change, double *before, double size) {
  int done = change <= 1e-15 * size || (change <= 1e-11 * size && change >= 0.5 * *before);
  *before = change;
  return done;
}

int rival_quat_em(const struct rival_top *top, double h, struct rival_quaternion *s) {
  double x[7], residual[7], tangent[49], before = INFINITY;
  double pi[4], inverse[4], size = 0;
  left_back(s->q, s->p, pi);
  extended(top->moments_kgm2, inverse);
  mat3 r = quat_matrix(quat_of(s->q));
  vec3 omega =
      mat3_mul(&r, (vec3){0.5 * inverse[1] * pi[1], 0.5 * inverse[2] * pi[2], 0.5 * inverse[3] * pi[3]});
  vec3_to(vec3_scale(h, omega), x);
  quat_to(quat_mul(exponential(x), quat_of(s->p)), x + 3);
  for (int k = 0; k < 4; k++)
    size = fmax(size, fabs(s->p[k]));
  for (int k = 0; k < ITERATIONS; k++) {
    double change = 0;
    rival_quat_em_residual(top, h, s, x, residual, tangent);
    if (!rival_solve(7, tangent, residual))
      return 0;
    for (int i = 0; i < 7; i++) {
      x[i] -= residual[i];
      change = fmax(change, fabs(residual[i]) / (i < 3 ? 1 : size));
    }
    if (!isfinite(change))
      return 0;
    if (!settled(change, &before, 1))
      continue;
    quat_to(quat_mul(exponential(x), quat_of(s->q)), s->q);
    memcpy(s->p, x + 3, sizeof s->p);
    return 1;
  }
  return 0;
}

// ---- QUAT_VI, in the increment q_{n+1} = q_n o (e0, e) ----

// G(q_n) times (E1) at e, and its derivative.
static void variational(const struct rival_top *top, double h, const struct rival_quaternion *s, vec3 e,
                        double residual[3], double tangent[9]) {
  const double *i = top->moments_kgm2;
  double e0 = sqrt(1 - vec3_dot(e, e)), p[4], pull[4], q1[4];
  vec3 ie = {i[0] * e.x, i[1] * e.y, i[2] * e.z};
  left_back(s->q, s->p, p);
  quat_to(quat_mul(quat_of(s->q), (quat){e0, e.x, e.y, e.z}), q1);
  for (int k = 0; k < 4; k++)
    q1[k] = height[k] * (s->q[k] + q1[k]);
  left_back(s->q, q1, pull);
  vec3 inertial = vec3_axpy(e0, ie, vec3_cross(e, ie));
  const double *c = &inertial.x, *f = &e.x;
  for (int k = 0; k < 3; k++)
    residual[k] = 2 / h * c[k] - 0.5 * p[k + 1] + 0.25 * h * top->weight_nm * pull[k + 1];
  for (int j = 0; j < 3; j++) {
    vec3 unit = {j == 0, j == 1, j == 2}, iu = vec3_scale(i[j], unit);
    vec3 column = vec3_add(vec3_add(vec3_scale(e0, iu), vec3_scale(-f[j] / e0, ie)),
                           vec3_add(vec3_cross(e, iu), vec3_cross(unit, ie)));
    const double *l = &column.x;
    double dq[4], turned[4];
    quat_to(quat_mul(quat_of(s->q), (quat){-f[j] / e0, unit.x, unit.y, unit.z}), dq);
    for (int k = 0; k < 4; k++)
      dq[k] *= height[k];
    left_back(s->q, dq, turned);
    for (int k = 0; k < 3; k++)
      tangent[3 * k + j] = 2 / h * l[k] + 0.25 * h * top->weight_nm * turned[k + 1];
  }
}

int rival_quat_vi(const struct rival_top *top, double h, struct rival_quaternion *s) {
  const double *i = top->moments_kgm2;
  double p[4], residual[3], tangent[9], before = INFINITY;
  left_back(s->q, s->p, p);
  vec3 e = {0.25 * h * p[1] / i[0], 0.25 * h * p[2] / i[1], 0.25 * h * p[3] / i[2]};
  for (int k = 0; k < ITERATIONS; k++) {
    if (!(vec3_dot(e, e) < 1))
      return 0;
    variational(top, h, s, e, residual, tangent);
    if (!rival_solve(3, tangent, residual))
      return 0;
    e = vec3_sub(e, vec3_of(residual));
    if (!settled(vec3_norm(vec3_of(residual)), &before, 1))
      continue;
    if (!(vec3_dot(e, e) < 1))
      return 0;
    double e0 = sqrt(1 - vec3_dot(e, e)), q1[4], middle[4], pull[4];
    quat_to(quat_mul(quat_of(s->q), (quat){e0, e.x, e.y, e.z}), q1);
    vec3 ie = {i[0] * e.x, i[1] * e.y, i[2] * e.z};
    vec3 m = vec3_scale(2 / h, vec3_sub(vec3_scale(e0, ie), vec3_cross(e, ie))); // D2 of the kinetic part
    for (int j = 0; j < 4; j++)
      middle[j] = height[j] * (s->q[j] + q1[j]);
    left_back(q1, middle, pull);
    double w = 0.25 * h * top->weight_nm;
    quat_to(quat_mul(quat_of(q1),
                     (quat){0, 2 * (m.x - w * pull[1]), 2 * (m.y - w * pull[2]), 2 * (m.z - w * pull[3])}),
            s->p);
    memcpy(s->q, q1, sizeof q1);
    return 1;
  }
  return 0;
}
