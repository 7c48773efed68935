// A rigid body by the generalized-alpha method in spatial coordinates: the four tests of A. Giusti, Spatial
// formulation for the dynamics of floating rigid bodies (2016), section 7. Its time spans are not printed: 1
// s, 5 s and 50 s here.
//
// Sphere and symmetric body under a constant torque about the third axis, in the body. With omega_1 + i
// omega_2 = w constant (the symmetric one in axes that are turned against the body by (1 - I3/I1) times the
// integral of omega_3) and W = omega_3 + alpha t, the quaternion's a = q0 + i q3 obeys a'' + (W^2/4 + |w|^2/4
// - i alpha/2) a = 0: parabolic cylinder functions, here by their power series; the rest of it is q2 - i q1 =
// (W a + 2 i a')/conj(w).
#include "sagbend/math/math.h"
#include "sagbend/rigid/rigid.h"
#include "verification/harness/harness.h"
#include "verification/rivals/rivals.h"

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PI        3.14159265358979323846
#define IMAGINARY ((double complex)I)
enum { DAMPINGS = 3, LEVELS = 5 };
static const double rhos[DAMPINGS] = {0.9, 0.5, 0};
static double slack_of(double rho) {
  return rho > 0 ? 0.05 : 0.1;
}

// ---- bodies under a constant torque ----

struct spinning {
  double moments[3], torque_nm, omega[3];
};

struct spinor { // the closed form, from its value and derivative at t
  double t, start, alpha;
  double complex w, a, da;
};

static struct spinor spinor_of(const struct spinning *b) {
  double ratio = b->moments[2] / b->moments[0];
  return (struct spinor){0,
                         ratio * b->omega[2],
                         ratio * b->torque_nm / b->moments[2],
                         b->omega[0] + IMAGINARY * b->omega[1],
                         1,
                         0.5 * IMAGINARY * ratio * b->omega[2]};
}

static void spinor_advance(struct spinor *s, double h) {
  double w = s->start + s->alpha * s->t, size = cabs(s->w);
  double complex c0 = 0.25 * (w * w + size * size) - 0.5 * IMAGINARY * s->alpha;
  double c1 = 0.5 * w * s->alpha, c2 = 0.25 * s->alpha * s->alpha, power = 1;
  double complex a[32] = {s->a, s->da}, sum = s->a, rate = 0;
  for (int n = 0; n < 30; n++)
    a[n + 2] = -(c0 * a[n] + (n > 0 ? c1 * a[n - 1] : 0) + (n > 1 ? c2 * a[n - 2] : 0)) / ((n + 1) * (n + 2));
  for (int n = 1; n < 32; n++) {
    rate += n * power * a[n];
    power *= h;
    sum += power * a[n];
  }
  s->a = sum, s->da = rate, s->t += h;
}

static vec3
spinor_point(const struct spinor *s) { // of the body's (0, 0, -0.6): on its axis, so in either axes
  double complex c = ((s->start + s->alpha * s->t) * s->a + 2 * IMAGINARY * s->da) / conj(s->w);
  mat3 r = quat_matrix((quat){creal(s->a), -cimag(c), creal(c), cimag(s->a)});
  return vec3_scale(-0.6, mat3_column(&r, 2));
}

static struct rival_motion spinning_motion(const struct spinning *b) {
  struct rival_motion s = {.q_nb = {1, 0, 0, 0}};
  memcpy(s.v + 3, b->omega, sizeof b->omega);
  return s;
}

// The mean of the distances (38) over [0, 1]; line: the method's path, or NULL.
static double spinning_error(const struct spinning *b, double rho, long steps, struct verify_result *r,
                             struct verify_series *const *lines) {
  struct rival_load torque = {RIVAL_TORQUE, 1, {0, 0, b->torque_nm}, {0, 0, 0}, NULL, NULL};
  struct rival_loads loads = {{1, {b->moments[0], b->moments[1], b->moments[2]}}, &torque, 1};
  struct rival_motion s = spinning_motion(b);
  struct spinor exact = spinor_of(b);
  double sum = 0, h = 1.0 / (double)steps;
  int ok = rival_spatial_start(&loads, 0, &s);
  for (long k = 0; k < steps && ok; k++) {
    ok = rival_generalized_alpha(&loads, rho, h * (double)k, h, &s);
    spinor_advance(&exact, h);
    mat3 a = quat_matrix(s.q_nb);
    vec3 x = vec3_scale(-0.6, mat3_column(&a, 2)), reference = spinor_point(&exact);
    sum += vec3_norm(vec3_sub(x, reference)) / (double)steps;
    for (int i = 0; lines && i < 3; i++) {
      verify_point(r, lines[i], h * (double)(k + 1), (&x.x)[i]);
      verify_point(r, lines[3 + i], h * (double)(k + 1), (&reference.x)[i]);
    }
  }
  if (!ok)
    verify_fail(r, "no solution at h = %g", h);
  return sum;
}

// Cost of a run in s: the method alone, without the closed form.
static double spinning_cost_s(const struct verify_setup *setup, const struct spinning *b, double rho,
                              long steps) {
  struct rival_load torque = {RIVAL_TORQUE, 1, {0, 0, b->torque_nm}, {0, 0, 0}, NULL, NULL};
  struct rival_loads loads = {{1, {b->moments[0], b->moments[1], b->moments[2]}}, &torque, 1};
  struct rival_motion s = spinning_motion(b);
  double h = 1.0 / (double)steps;
  double begin_s = verify_clock_s(setup);
  int ok = rival_spatial_start(&loads, 0, &s);
  for (long k = 0; k < steps && ok; k++)
    ok = rival_generalized_alpha(&loads, rho, h * (double)k, h, &s);
  return verify_clock_s(setup) - begin_s;
}

static void spinning_orders(const struct verify_setup *setup, struct verify_result *r,
                            const struct spinning *b, int first, const char *what) {
  char title[96];
  snprintf(title, sizeof title, "Mean error of the point%s", what);
  struct verify_plot *plot = verify_plot(r, title, "step, s", "error, m");
  snprintf(title, sizeof title, "Mean error of the point%s against cost", what);
  struct verify_plot *costs = verify_cost_plot(setup, r, title, "time of the run, s", "error, m");
  for (int i = 0; i < DAMPINGS; i++) {
    double width[LEVELS], error[LEVELS];
    struct verify_series *line = verify_cost_series(r, costs, VERIFY_LINE, "rho = %g", rhos[i]);
    for (int k = 0; k < LEVELS; k++) {
      width[k] = 1.0 / (double)(1L << (first + k));
      error[k] = spinning_error(b, rhos[i], 1L << (first + k), r, NULL);
      if (costs)
        verify_point(r, line, spinning_cost_s(setup, b, rhos[i], 1L << (first + k)), error[k]);
    }
    char name[48];
    snprintf(name, sizeof name, "rho = %g%s", rhos[i], what);
    verify_order_in(r, plot, name, width, error, LEVELS, 2, slack_of(rhos[i]));
  }
}

// The point at t = 1 by the method, with the terms of order 2 and 3 of two halvings taken out.
static vec3 spinning_point(const struct spinning *b, double rho, long steps, struct verify_result *r) {
  const struct rival_load torque = {RIVAL_TORQUE, 1, {0, 0, b->torque_nm}, {0, 0, 0}, NULL, NULL};
  const struct rival_loads loads = {{1, {b->moments[0], b->moments[1], b->moments[2]}}, &torque, 1};
  vec3 x[3];
  for (int level = 0; level < 3; level++) {
    struct rival_motion s = spinning_motion(b);
    const long n = steps << level;
    int ok = rival_spatial_start(&loads, 0, &s);
    for (long k = 0; k < n && ok; k++)
      ok = rival_generalized_alpha(&loads, rho, (double)k / (double)n, 1.0 / (double)n, &s);
    if (!ok)
      verify_fail(r, "no solution at h = 1/%ld", n);
    mat3 a = quat_matrix(s.q_nb);
    x[level] = vec3_scale(-0.6, mat3_column(&a, 2));
  }
  for (int level = 0; level < 2; level++)
    x[level] = vec3_scale(1.0 / 3, vec3_axpy(4, x[level + 1], vec3_scale(-1, x[level])));
  return vec3_scale(1.0 / 7, vec3_axpy(8, x[1], vec3_scale(-1, x[0])));
}

// The same by the simulator's free body and kicks of the torque, composed to order 6 in 64 steps.
struct kicked {
  struct rigid_inertia inertia;
  double torque_nm, m[3];
  quat q;
};

static void turn_freely(void *kicked, double h) {
  struct kicked *k = kicked;
  rigid_free_flow(&k->inertia, RIGID_EXACT_QUATERNION, h, k->m, &k->q);
}

static void kick(void *kicked, double h) {
  struct kicked *k = kicked;
  k->m[2] += h * k->torque_nm;
}

static vec3 kicked_point(const struct spinning *b) {
  struct kicked k = {.inertia = rigid_inertia_of(b->moments), .torque_nm = b->torque_nm, .q = {1, 0, 0, 0}};
  for (int i = 0; i < 3; i++)
    k.m[i] = b->moments[i] * b->omega[i];
  compose_steps(&scheme_s6_10, turn_freely, kick, &k, 1.0 / 64, 64);
  mat3 a = quat_matrix(k.q);
  return vec3_scale(-0.6, mat3_column(&a, 2));
}

// The method and the simulator's splitting at t = 1 against the closed form, which an independent code has
// confirmed (at_1).
static void at_the_end(struct verify_result *r, const struct spinning *b, const double at_1[3], long steps,
                       double limit, const char *what) {
  const vec3 reference = vec3_of(at_1), by_kicks = kicked_point(b);
  for (int i = 0; i < DAMPINGS; i++)
    verify_add(r, VERIFY_ABSOLUTE, "m", vec3_norm(vec3_sub(spinning_point(b, rhos[i], steps, r), reference)),
               0, limit, "rho = %g, extrapolated in the step: the point at t = 1%s", rhos[i], what);
  verify_add(r, VERIFY_ABSOLUTE, "m", vec3_norm(vec3_sub(by_kicks, reference)), 0, 1e-10,
             "the simulator's splitting of order 6, h = 1/64 s: the point at t = 1%s", what);
  struct spinor exact = spinor_of(b);
  for (int k = 0; k < 64; k++)
    spinor_advance(&exact, 1.0 / 64);
  verify_show(r, "m", vec3_norm(vec3_sub(spinor_point(&exact), reference)), 0,
              "closed form here, off the independent code's%s", what);
}

static void path(struct verify_result *r, const struct spinning *b) { // Figure 3, right
  struct verify_plot *plot =
      verify_plot(r, "Path of the point, rho = 0.9, h = 1/256 s", "time, s", "position, m");
  struct verify_series *lines[6];
  for (int i = 0; i < 6; i++)
    lines[i] = verify_series(r, plot, i < 3 ? VERIFY_LINE : VERIFY_DASHED, "%c%s", "xyz"[i % 3],
                             i < 3 ? "" : ", closed form");
  spinning_error(b, 0.9, 256, r, lines);
}

void verify_sphere_torque(const struct verify_setup *setup, struct verify_result *r) {
  static const struct spinning sphere = {{3, 3, 3}, 30, {10, 15, 20}};
  static const double at_1[3] = {4.8049711008697690e-02, -2.1222378297828176e-01, -5.5915319118321039e-01};
  verify_run_with(r, "Sphere, I = 3, torque 30 about its third axis, omega = (10, 15, 20), to t = 1");
  at_the_end(r, &sphere, at_1, 256, 2e-6, "");
  spinning_orders(setup, r, &sphere, 8, "");
  path(r, &sphere);
}

void verify_axisymmetric_torque(const struct verify_setup *setup, struct verify_result *r) {
  static const struct spinning body = {{20, 20, 7}, 30, {1, 2, 3}}, faster = {{20, 20, 7}, 30, {2, 4, 6}};
  static const double at_1[3] = {-4.3337067893824521e-01, -3.9899634400694711e-01, 1.1398145509552997e-01},
                      faster_at_1[3] = {2.1779267512607953e-01, -3.8861637246254249e-01,
                                        -4.0192495035202830e-01};
  verify_run_with(r, "I = (20, 20, 7), torque 30 about its axis, omega = (1, 2, 3) and doubled, to t = 1");
  at_the_end(r, &body, at_1, 256, 1e-8, "");
  at_the_end(r, &faster, faster_at_1, 256, 2e-7, ", doubled velocity");
  spinning_orders(setup, r, &body, 6, "");
  spinning_orders(setup, r, &faster, 6, ", doubled velocity");
  path(r, &body);
  verify_show(r, "", spinning_error(&faster, 0.9, 256, r, NULL) / spinning_error(&body, 0.9, 256, r, NULL),
              (double)NAN, "h = 1/256 s, rho = 0.9: error at doubled velocity, of that at single");
  verify_show(r, "", spinning_error(&body, 0, 256, r, NULL) / spinning_error(&body, 0.9, 256, r, NULL),
              (double)NAN, "h = 1/256 s: error of rho = 0, of that of rho = 0.9");
}

// ---- the oscillator ----

static const double oscillator_damping = 0.3, oscillator_ratio = 2; // nu, omega/omega_n

static double oscillator_force(double t) {
  return sin(oscillator_ratio * PI * t);
}

static double oscillator_at(double t) { // (44) to (46) with F = m = 1, omega_n = pi; psi in its own quadrant
  double n = oscillator_damping, a = oscillator_ratio, own = PI, damped = own * sqrt(1 - n * n);
  double psi = atan2(2 * n * a, 1 - a * a),
         amplitude = 1 / (own * own * sqrt((1 - a * a) * (1 - a * a) + 4 * n * n * a * a));
  double s = sin(-psi), c = (a * own * cos(-psi) + n * own * sin(-psi)) / damped;
  return amplitude *
         (sin(a * own * t - psi) - exp(-n * own * t) * (s * cos(damped * t) + c * sin(damped * t)));
}

// The leading error of the method over h^2. With af, am, beta, gamma of the method its velocity errs in a
// step by Cv h^3 x4 and its displacement by Cd h^3 x3, x3 and x4 the third and fourth derivative,
//   Cd = beta - theta/2 - 1/6,  Cv = theta (1/2 - am) - gamma theta + gamma/2 - 1/6,  theta = af - am,
// from the Taylor series of one step. The errors e, f of displacement and velocity then obey
//   de/dt = f + Cd x3,  df/dt = -pi^2 e - 0.6 pi f + Cv x4.
// The method starts with the acceleration of the body where its own is that of theta h earlier. The
// difference theta h x3 falls by r = -am/(1 - am) in each step and leaves f = theta x3 (1 - gamma + gamma
// r)/(1 - r); at the start x3 = 2 pi. Mean of |e| over [0, 5].
static double oscillator_leading_error(double rho) {
  enum { STEPS = 100000 };
  const double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), theta = af - am, gamma = 0.5 + theta,
               beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
  const double cd = beta - 0.5 * theta - 1.0 / 6,
               cv = theta * (0.5 - am) - gamma * theta + 0.5 * gamma - 1.0 / 6, h = 5.0 / STEPS, d = 2e-3;
  const double fall = -am / (1 - am);
  double e = 0, f = theta * oscillator_ratio * PI * (1 - gamma + gamma * fall) / (1 - fall), sum = 0;
  for (int k = 0; k < STEPS; k++) {
    double x[5]; // about the middle of the step, for derivatives by differences
    for (int i = 0; i < 5; i++)
      x[i] = oscillator_at(h * (k + 0.5) + d * (i - 2));
    const double third = (x[4] - 2 * x[3] + 2 * x[1] - x[0]) / (2 * d * d * d),
                 fourth = (x[4] - 4 * x[3] + 6 * x[2] - 4 * x[1] + x[0]) / (d * d * d * d);
    // midpoint rule
    const double p = e + 0.5 * h * (f + cd * third);
    const double g = (f + 0.5 * h * (-PI * PI * p + cv * fourth)) / (1 + 0.3 * PI * h);
    e += h * (g + cd * third), f = 2 * g - f;
    sum += fabs(e) / STEPS;
  }
  return sum;
}

static double oscillator_error(double rho, long steps, struct verify_result *r, struct verify_series *line) {
  static const double stiffness[6][6] = {{PI * PI}}, damping[6][6] = {{0.6 * PI}};
  const struct rival_load load[] = {{RIVAL_OF_POSITION, 0, {0}, {0}, NULL, stiffness},
                                    {RIVAL_OF_VELOCITY, 1, {0}, {0}, NULL, damping},
                                    {RIVAL_FORCE, 1, {1, 0, 0}, {0}, oscillator_force, NULL}};
  struct rival_loads loads = {{1, {1, 1, 1}}, load, 3};
  struct rival_motion s = {.q_nb = {1, 0, 0, 0}};
  double sum = 0, h = 5.0 / (double)steps;
  int ok = rival_spatial_start(&loads, 0, &s);
  for (long k = 1; k <= steps && ok; k++) {
    ok = rival_generalized_alpha(&loads, rho, h * (double)(k - 1), h, &s);
    sum += fabs(s.x_n[0] - oscillator_at(h * (double)k)) / (double)steps;
    verify_point(r, line, h * (double)k, s.x_n[0]);
  }
  if (!ok)
    verify_fail(r, "no solution at h = %g", h);
  return sum;
}

void verify_oscillator(const struct verify_setup *setup, struct verify_result *r) {
  (void)setup;
  verify_run_with(r, "m = 1, omega_n = pi, nu = 0.3, force sin(2 omega_n t), from rest to t = 5");
  struct verify_plot *plot = verify_plot(r, "Mean error of the displacement", "step, s", "error, m");
  for (int i = 0; i < DAMPINGS; i++) {
    double width[LEVELS], error[LEVELS];
    for (int k = 0; k < LEVELS; k++) {
      width[k] = 5.0 / (double)(160L << k);
      error[k] = oscillator_error(rhos[i], 160L << k, r, NULL);
    }
    char name[48];
    snprintf(name, sizeof name, "rho = %g", rhos[i]);
    verify_order_in(r, plot, name, width, error, LEVELS, 2, slack_of(rhos[i]));
    verify_add(r, VERIFY_RELATIVE, "1/s2 m", error[LEVELS - 1] / (width[LEVELS - 1] * width[LEVELS - 1]),
               oscillator_leading_error(rhos[i]), 2e-3, "%s: mean error over h^2, smallest step", name);
  }
  plot = verify_plot(r, "Displacement, rho = 0.9, h = 0.05 s", "time, s", "displacement, m");
  oscillator_error(0.9, 100, r, verify_series(r, plot, VERIFY_LINE, "generalized-alpha"));
  struct verify_series *line = verify_series(r, plot, VERIFY_DASHED, "closed form");
  for (int k = 0; k <= 200; k++)
    verify_point(r, line, 0.025 * k, oscillator_at(0.025 * k));
}
