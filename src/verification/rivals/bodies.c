// Rival methods for the rigid body and the vessel: splittings, Taylor series, Runge-Kutta.
#include "verification/rivals/rivals.h"
#include "verification/rivals/rivals_internal.h"

#include "sagbend/math/math.h"
#include "sagbend/rigid/rigid.h"

#include <math.h>
#include <string.h>

// ---- McLachlan and Reich ----

static void about_axis(int axis, const double moments[3], double h, double m[3], quat *q) {
  double angle = h * m[axis] / moments[axis], c = cos(angle), s = sin(angle);
  int i = (axis + 1) % 3, j = (axis + 2) % 3;
  double mi = m[i], mj = m[j], half[3] = {0};
  m[i] = c * mi + s * mj;
  m[j] = c * mj - s * mi;
  half[axis] = sin(0.5 * angle);
  *q = quat_mul(*q, (quat){cos(0.5 * angle), half[0], half[1], half[2]});
}

void rival_mclachlan_reich_2(const double moments[3], double h, double m_b[3], quat *q_nb) {
  about_axis(0, moments, 0.5 * h, m_b, q_nb);
  about_axis(1, moments, 0.5 * h, m_b, q_nb);
  about_axis(2, moments, h, m_b, q_nb);
  about_axis(1, moments, 0.5 * h, m_b, q_nb);
  about_axis(0, moments, 0.5 * h, m_b, q_nb);
}

static void triple(rival_body_flow *flow, int order, const double moments[3], double h, double m_b[3],
                   quat *q_nb) {
  double share = 1 / (2 - pow(2, 1.0 / (order + 1)));
  flow(moments, share * h, m_b, q_nb);
  flow(moments, (1 - 2 * share) * h, m_b, q_nb);
  flow(moments, share * h, m_b, q_nb);
}

void rival_mclachlan_reich_4(const double moments[3], double h, double m_b[3], quat *q_nb) {
  triple(rival_mclachlan_reich_2, 2, moments, h, m_b, q_nb);
}

void rival_mclachlan_reich_6(const double moments[3], double h, double m_b[3], quat *q_nb) {
  triple(rival_mclachlan_reich_4, 4, moments, h, m_b, q_nb);
}

// ---- Moser and Veselov ----

void rival_moser_veselov(const double moments[3], double h, double m_b[3], quat *q_nb) {
  vec3 e = {0, 0, 0}, m = vec3_of(m_b);
  double e0 = 1, before = INFINITY;
  int found = 0;
  for (int k = 0; k < 200 && !found && e0 > 0; k++) {
    vec3 ie = {moments[0] * e.x, moments[1] * e.y, moments[2] * e.z};
    vec3 rest = vec3_sub(vec3_scale(0.5 * h, m), vec3_cross(e, ie));
    vec3 next = {rest.x / moments[0] / e0, rest.y / moments[1] / e0, rest.z / moments[2] / e0};
    double change = vec3_norm(vec3_sub(next, e));
    e = next;
    e0 = sqrt(fmax(0, 1 - vec3_dot(e, e)));
    found = change <= 1e-16 * vec3_norm(e) || (change >= before && change <= 1e-12 * vec3_norm(e));
    before = change;
  }
  if (!found || !(e0 > 0)) {
    m_b[0] = m_b[1] = m_b[2] = (double)NAN;
    return;
  }
  quat turn = quat_unit((quat){e0, e.x, e.y, e.z});
  mat3 r = quat_matrix(turn);
  vec3_to(mat3_tmul(&r, m), m_b);
  *q_nb = quat_mul(*q_nb, turn);
}

// ---- Taylor ----

enum { ORDER = 24 };

struct series { // coefficients of m, omega, q
  long double m[ORDER + 1][3], w[ORDER + 1][3], q[ORDER + 1][4];
};

static void extend(struct series *s, const double moments[3],
                   int n) { // the coefficients of n + 1 from those up to n
  long double dm[3] = {0}, dq[4] = {0};
  for (int i = 0; i < 3; i++)
    s->w[n][i] = s->m[n][i] / moments[i];
  for (int k = 0; k <= n; k++) {
    const long double *m = s->m[k], *w = s->w[n - k], *q = s->q[k];
    dm[0] += m[1] * w[2] - m[2] * w[1];
    dm[1] += m[2] * w[0] - m[0] * w[2];
    dm[2] += m[0] * w[1] - m[1] * w[0];
    dq[0] += 0.5L * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
    dq[1] += 0.5L * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    dq[2] += 0.5L * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
    dq[3] += 0.5L * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
  }
  for (int i = 0; i < 3; i++)
    s->m[n + 1][i] = dm[i] / (n + 1);
  for (int i = 0; i < 4; i++)
    s->q[n + 1][i] = dq[i] / (n + 1);
}

void rival_taylor(const double moments[3], double h, double m_b[3], quat *q_nb) {
  double rate = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      rate = fmax(rate, fabs(m_b[i]) / moments[j]);
  long steps = (long)ceil(4 * rate * fabs(h)) + 1;
  long double step = (long double)h / steps;
  struct series s;
  for (int i = 0; i < 3; i++)
    s.m[0][i] = m_b[i];
  s.q[0][0] = q_nb->w, s.q[0][1] = q_nb->x, s.q[0][2] = q_nb->y, s.q[0][3] = q_nb->z;
  for (long k = 0; k < steps; k++) {
    for (int n = 0; n < ORDER; n++)
      extend(&s, moments, n);
    for (int i = 0; i < 3; i++)
      for (int n = ORDER - 1; n >= 0; n--)
        s.m[n][i] += step * s.m[n + 1][i];
    for (int i = 0; i < 4; i++)
      for (int n = ORDER - 1; n >= 0; n--)
        s.q[n][i] += step * s.q[n + 1][i];
  }
  for (int i = 0; i < 3; i++)
    m_b[i] = (double)s.m[0][i];
  *q_nb = (quat){(double)s.q[0][0], (double)s.q[0][1], (double)s.q[0][2], (double)s.q[0][3]};
}

// ---- the preprocessing ----

// Power series in h to h^TERMS; vectors of them.
enum { TERMS = 12 };
typedef long double power_series[TERMS + 1];

static void add_product(const long double *a, const long double *b, long double scale, long double *to) {
  for (int n = 0; n <= TERMS; n++)
    for (int k = 0; k <= n; k++)
      to[n] += scale * a[k] * b[n - k];
}

static void quotient(const long double *a, const long double *b, long double *to) {
  for (int n = 0; n <= TERMS; n++) {
    to[n] = a[n];
    for (int k = 1; k <= n; k++)
      to[n] -= b[k] * to[n - k];
    to[n] /= b[0];
  }
}

static void cross_series(power_series a[3], power_series b[3], power_series to[3]) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    memset(to[i], 0, sizeof to[i]);
    add_product(a[j], b[k], 1, to[i]);
    add_product(a[k], b[j], -1, to[i]);
  }
}

// (a x b) . (c x b)/|c x b|^2: the share of c in a vector a of the plane of b and c
static void share_of(power_series a[3], power_series c[3], power_series b[3], long double *to) {
  power_series ab[3], cb[3], above = {0}, below = {0};
  cross_series(a, b, ab);
  cross_series(c, b, cb);
  for (int i = 0; i < 3; i++) {
    add_product(ab[i], cb[i], 1, above);
    add_product(cb[i], cb[i], 1, below);
  }
  quotient(above, below, to);
}

// The exact turn of a step is (e0, h e), both from Taylor's series. The equations of the step, solved for a =
// I e of the modified body, are a = (e0 m - h e x m + h^2 e (e . m)/e0)/2. Its e must be that turn, so that e
// = (1 + s) I^-1 a + d a, I that of the body.
int rival_preprocessed(const double moments[3], int order, double h, const double m_b[3],
                       double modified[3]) {
  struct series s = {.q = {{1}}};
  power_series e0, e[3], along = {0}, a[3], own[3], stretch, shift;
  memcpy(s.m[0], (long double[3]){m_b[0], m_b[1], m_b[2]}, sizeof s.m[0]);
  for (int n = 0; n <= TERMS; n++)
    extend(&s, moments, n);
  for (int n = 0; n <= TERMS; n++) {
    e0[n] = s.q[n][0];
    for (int i = 0; i < 3; i++)
      e[i][n] = s.q[n + 1][i + 1];
  }
  for (int i = 0; i < 3; i++)
    for (int n = 0; n <= TERMS; n++)
      along[n] += m_b[i] * e[i][n];
  power_series ratio;
  quotient(along, e0, ratio); // (e . m)/e0
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    power_series last = {0};
    add_product(e[i], ratio, 1, last);
    for (int n = 0; n <= TERMS; n++) {
      a[i][n] = 0.5L * (e0[n] * m_b[i] - (n > 0 ? e[j][n - 1] * m_b[k] - e[k][n - 1] * m_b[j] : 0) +
                        (n > 1 ? last[n - 2] : 0));
      own[i][n] = a[i][n] / moments[i];
    }
  }
  share_of(e, own, a, stretch);
  share_of(e, a, own, shift);
  long double grown = 0, added = 0;
  for (int n = order - 2; n >= 0; n--) {
    grown = stretch[n] + h * grown;
    added = shift[n] + h * added;
  }
  double inverse[3];
  for (int i = 0; i < 3; i++) {
    inverse[i] = (double)(grown / moments[i] + added);
    if (!(inverse[i] > 0))
      return 0;
  }
  for (int i = 0; i < 3; i++)
    modified[i] = 1 / inverse[i];
  return 1;
}

// ------------------------------------------------------------
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

enum { X = 0, Q = 3, V = 7, W = 10, INTEGRAL = 13 };

static void pack(const struct split_state *s, double x[RIVAL_STATES]) {
  vec3_to(s->x_n, x + X);
  x[Q] = s->q_nb.w, x[Q + 1] = s->q_nb.x, x[Q + 2] = s->q_nb.y, x[Q + 3] = s->q_nb.z;
  memcpy(x + V, s->nu, sizeof s->nu);
  memcpy(x + INTEGRAL, s->integral, sizeof s->integral);
}

static struct split_state unpacked(const double x[RIVAL_STATES]) {
  struct split_state s = {.x_n = vec3_of(x + X), .q_nb = {x[Q], x[Q + 1], x[Q + 2], x[Q + 3]}};
  memcpy(s.nu, x + V, sizeof s.nu);
  memcpy(s.integral, x + INTEGRAL, sizeof s.integral);
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

static void rival_vessel_rate(const void *vessel, const double x[RIVAL_STATES], double rate[RIVAL_STATES]) {
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
    memcpy(rate + INTEGRAL, e.value, sizeof e.value);
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

// ------------------------------------------------------------
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
