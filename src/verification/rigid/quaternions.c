// Rigid bodies in quaternions and in directors: the two examples of P. Betsch, R. Siebert, Rigid body
// dynamics in terms of quaternions (Int. J. Numer. Meth. Engng 79, 2009), Figures 1 and 3 to 5. Its fourth
// method, ALGO_C1, it names only; the equations are those of its source, and the load at the mean of the
// ends.
#include "sagbend/math/math.h"
#include "sagbend/rigid/rigid.h"
#include "verification/harness/harness.h"
#include "verification/rivals/rivals.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum method { QUAT_EM, QUAT_VI, DIR_EM, ALGO_C1, METHODS };
static const char *const names[METHODS] = {"QUAT_EM", "QUAT_VI", "DIR_EM", "ALGO_C1"};

struct run {
  struct rival_quaternion q;
  struct rival_directors d;
  struct rival_c1 c;
};

static struct run start(const struct rival_top *top, quat q_nb, const double omega_b[3]) {
  return (struct run){
      rival_quaternion_of(top, q_nb, omega_b), rival_directors_of(q_nb, omega_b), {q_nb, vec3_of(omega_b)}};
}

static int step(enum method m, const struct rival_top *top, double h, struct run *s) {
  return m == QUAT_EM   ? rival_quat_em(top, h, &s->q)
         : m == QUAT_VI ? rival_quat_vi(top, h, &s->q)
         : m == DIR_EM  ? rival_dir_em(top, h, &s->d)
                        : rival_algo_c1(top, h, &s->c);
}

static mat3 attitude(enum method m, const struct run *s) {
  return m == DIR_EM    ? rival_directors_attitude(&s->d)
         : m == ALGO_C1 ? quat_matrix(s->c.q_nb)
                        : quat_matrix(rival_quaternion_attitude(&s->q));
}

static double energy(enum method m, const struct rival_top *top, const struct run *s) {
  return m == DIR_EM    ? rival_directors_energy(top, &s->d)
         : m == ALGO_C1 ? rival_c1_energy(top, &s->c)
                        : rival_quaternion_energy(top, &s->q);
}

static vec3 momentum(enum method m, const struct rival_top *top, const struct run *s) {
  return m == DIR_EM    ? rival_directors_momentum(top, &s->d)
         : m == ALGO_C1 ? rival_c1_momentum(top, &s->c)
                        : rival_quaternion_momentum(&s->q);
}

// Number of steps before the method finds no solution.
static long march(enum method m, const struct rival_top *top, double h, long steps, struct run *s) {
  long done = 0;
  while (done < steps && step(m, top, h, s))
    done++;
  return done;
}

typedef double error_at_1(enum method m, const struct run *s);

// Errors at t = 1 over 2^-first to 2^-(first + LEVELS - 1), against step and against cost.
static void accuracy(const struct verify_setup *setup, struct verify_result *r, const struct rival_top *top,
                     struct run from, int first, error_at_1 *error_of) {
  enum { LEVELS = 5 };
  struct verify_plot *plot = verify_plot(r, "Error at t = 1", "step, s", "error");
  struct verify_plot *costs =
      verify_cost_plot(setup, r, "Error at t = 1 against cost", "time of the run, s", "error");
  for (int m = 0; m < METHODS; m++) {
    double width[LEVELS], error[LEVELS];
    struct verify_series *line = verify_cost_series(r, costs, VERIFY_LINE, "%s", names[m]);
    for (int k = 0; k < LEVELS; k++) {
      struct run s = from;
      long steps = 1L << (first + k);
      double begin_s = verify_clock_s(setup);
      width[k] = 1.0 / (double)steps;
      if (march(m, top, width[k], steps, &s) < steps)
        verify_fail(r, "%s finds no solution at h = %g", names[m], width[k]);
      double cost_s = verify_clock_s(setup) - begin_s;
      error[k] = error_of(m, &s);
      verify_point(r, line, cost_s, error[k]);
    }
    verify_order_in(r, plot, names[m], width, error, LEVELS, 2, 0.05);
  }
}

// ---- the free body, Figure 1 ----

static const struct rival_top free_body = {{6, 8, 3}, 0};
static const double free_omega[3] = {10, 20, 20};
// ALGO_C1 in rotation matrices, tests/reference/torqued_bodies.py
static const double C1_FREE = 1.704780e-02, C1_TOP = 5.033533e-01;
static const mat3 free_at_1 = {
    {{0.93957865102336646, -0.14250742336550593, 0.31126129349283915}, // tests/reference/rigid_loads.py
     {0.18374057755870002, 0.97710225931248329, -0.10728734783205381},
     {-0.28884486960911426, 0.15799623138595811, 0.94424881899228685}}};

static double configuration_error(enum method m, const struct run *s) { // |R_ref R' - 1|, Frobenius
  mat3 r = attitude(m, s), back = mat3_transpose(&r), e = mat3_product(&free_at_1, &back);
  double sum = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      sum += (e.m[i][j] - (i == j)) * (e.m[i][j] - (i == j));
  return sqrt(sum);
}

static double energy_of_momentum(const struct rival_top *top,
                                 const struct run *s) { // of the rates J^-1 R'(momentum)
  mat3 r = rival_directors_attitude(&s->d);
  vec3 m = mat3_tmul(&r, rival_directors_momentum(top, &s->d));
  return 0.5 * (m.x * m.x / top->moments_kgm2[0] + m.y * m.y / top->moments_kgm2[1] +
                m.z * m.z / top->moments_kgm2[2]);
}

static void free_invariants(struct verify_result *r, enum method m, double h) {
  struct run s = start(&free_body, (quat){1, 0, 0, 0}, free_omega), from = s;
  char title[96];
  snprintf(title, sizeof title, "%s, h = %g: energy and momentum of their start", names[m], h);
  struct verify_plot *plot = verify_plot(r, title, "time, s", "over that of the start");
  struct verify_series *lines[5];
  for (int i = 0; i < (m == DIR_EM ? 5 : 4); i++)
    lines[i] = verify_series(r, plot, i == 4 ? VERIFY_DASHED : VERIFY_LINE,
                             i == 0   ? "H/H0"
                             : i == 4 ? "H/H0 from the rates given by the momentum"
                                      : "J%d/|J|",
                             i);
  double h0 = energy(m, &free_body, &from), worst_h = 0, worst_j = 0, gap = 0;
  vec3 j0 = momentum(m, &free_body, &from);
  for (int k = 0; k * h < 1 - 1e-9; k++) {
    if (!step(m, &free_body, h, &s))
      verify_fail(r, "%s finds no solution at h = %g", names[m], h);
    vec3 j = momentum(m, &free_body, &s);
    double ratio = energy(m, &free_body, &s) / h0, rates = energy_of_momentum(&free_body, &s) / h0;
    worst_h = fmax(worst_h, fabs(ratio - 1));
    worst_j = fmax(worst_j, vec3_norm(vec3_sub(j, j0)) / vec3_norm(j0));
    gap = fmax(gap, rival_directors_gap(&s.d) / 30); // |omega| = 30
    verify_point(r, lines[0], h * (k + 1), ratio);
    for (int i = 0; i < 3; i++)
      verify_point(r, lines[i + 1], h * (k + 1), (&j.x)[i] / vec3_norm(j0));
    if (m == DIR_EM)
      verify_point(r, lines[4], h * (k + 1), rates);
  }
  verify_add(r, VERIFY_ABSOLUTE, "", worst_h, 0, 1e-12, "%s, h = %g: largest |H/H0 - 1|%s", names[m], h,
             m == DIR_EM ? ", of its own velocities" : "");
  verify_add(r, VERIFY_ABSOLUTE, "", worst_j, 0, 1e-12, "%s, h = %g: largest |J - J0|/|J0|", names[m], h);
  if (m == DIR_EM)
    verify_show(r, "", gap, 0, "DIR_EM, h = %g: largest |d_i . v_j + d_j . v_i| of |omega|: 0 for a rotation",
                h);
}

static void c1_invariants(struct verify_result *r, const struct rival_top *top, struct run s, double h) {
  const double h0 = energy(ALGO_C1, top, &s);
  const vec3 j0 = momentum(ALGO_C1, top, &s);
  double worst_j = 0, worst_h = 0;
  const int is_free = top->weight_nm == 0;
  for (int i = 0; i * h < 1 - 1e-9; i++) {
    if (!step(ALGO_C1, top, h, &s))
      verify_fail(r, "ALGO_C1 finds no solution at h = %g", h);
    const vec3 off = vec3_sub(momentum(ALGO_C1, top, &s), j0);
    worst_j = fmax(worst_j, (is_free ? vec3_norm(off) : fabs(off.z)) / vec3_norm(j0));
    worst_h = fmax(worst_h, fabs(energy(ALGO_C1, top, &s) / h0 - 1));
  }
  verify_add(r, VERIFY_ABSOLUTE, "", worst_j, 0, 1e-12, "ALGO_C1, h = %g: largest |%s|/|J0|", h,
             is_free ? "J - J0" : "J3 - J30");
  if (is_free)
    verify_add(r, VERIFY_ABSOLUTE, "", worst_h, 0, 1e-12, "ALGO_C1, h = %g: largest |H/H0 - 1|", h);
}

void verify_quaternion_free(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(r, "I = (6, 8, 3), omega = (10, 20, 20), to t = 1");
  double m[3];
  quat q = {1, 0, 0, 0};
  for (int i = 0; i < 3; i++)
    m[i] = free_body.moments_kgm2[i] * free_omega[i];
  struct rigid_inertia inertia = rigid_inertia_of(free_body.moments_kgm2);
  rigid_free_flow(&inertia, RIGID_EXACT_QUATERNION, 1, m, &q);
  mat3 exact = quat_matrix(q);
  for (int j = 0; j < 3; j++)
    verify_add(r, VERIFY_ABSOLUTE, "", exact.m[0][j], free_at_1.m[0][j], 1e-13,
               "exact body, one step: R_1%d(1)", j + 1);
  accuracy(setup, r, &free_body, start(&free_body, (quat){1, 0, 0, 0}, free_omega), 8, configuration_error);
  struct run c1 = start(&free_body, (quat){1, 0, 0, 0}, free_omega);
  if (march(ALGO_C1, &free_body, 1.0 / 256, 256, &c1) < 256)
    verify_fail(r, "ALGO_C1 finds no solution");
  verify_add(r, VERIFY_RELATIVE, "", configuration_error(ALGO_C1, &c1), C1_FREE, 1e-3,
             "ALGO_C1, h = 1/256: error at t = 1");
  c1_invariants(r, &free_body, start(&free_body, (quat){1, 0, 0, 0}, free_omega), 0.05);
  free_invariants(r, QUAT_EM, 0.05);
  free_invariants(r, DIR_EM, 0.05);
  free_invariants(r, DIR_EM, 0.01);
}

// ---- steady precession of a top, Figures 3 to 5 ----

#define PI   3.14159265358979323846
#define TILT (PI / 3)
enum { PRECESSION = 10 }; // rad/s
static const double arm_m = 0.075;

static struct rival_top cone(void) { // H = 0.1, R = 0.05, rho = 2700, about its tip
  double radius = 0.05, length = 0.1, mass = 2700 * PI * radius * radius * length / 3;
  double across = 3 * mass / 80 * (4 * radius * radius + length * length) + mass * arm_m * arm_m,
         along = 0.3 * mass * radius * radius;
  return (struct rival_top){{across, across, along}, mass * 9.81 * arm_m};
}

static struct run precessing(const struct rival_top *top, double *spin) {
  double i1 = top->moments_kgm2[0], i3 = top->moments_kgm2[2];
  double own = top->weight_nm / (i3 * PRECESSION) + (i1 - i3) / i3 * PRECESSION * cos(TILT);
  const double omega_b[3] = {0, PRECESSION * sin(TILT), own + PRECESSION * cos(TILT)};
  *spin = omega_b[2];
  return start(top, (quat){cos(0.5 * TILT), sin(0.5 * TILT), 0, 0}, omega_b);
}

static vec3 axis_at(double t) { // of the top
  return (vec3){sin(TILT) * sin(PRECESSION * t), -sin(TILT) * cos(PRECESSION * t), cos(TILT)};
}

static double axis_error_at(enum method m, const struct run *s, double t) {
  mat3 a = attitude(m, s);
  return vec3_norm(vec3_sub(mat3_column(&a, 2), axis_at(t)));
}
static double axis_error(enum method m, const struct run *s) {
  return axis_error_at(m, s, 1);
}

// Coordinates of the centre of mass, Figures 4 and 5.
static void trajectories(struct verify_result *r, const struct rival_top *top, const struct run *from) {
  static const struct {
    int count;
    enum method shown[2];
    double h;
  } figures[] = {{2, {QUAT_EM, DIR_EM}, 0.01}, {2, {QUAT_VI, ALGO_C1}, 0.007}};
  for (int f = 0; f < 2; f++) {
    char title[96];
    double h = figures[f].h;
    snprintf(title, sizeof title, "Centre of mass, h = %g", h);
    struct verify_plot *plot = verify_plot(r, title, "time, s", "position, m");
    for (int which = -1; which < figures[f].count; which++)
      for (int c = 0; c < 2; c++) {
        struct verify_series *line =
            verify_series(r, plot, which < 0 ? VERIFY_DASHED : VERIFY_LINE, "%s of %s", c ? "z" : "x",
                          which < 0 ? "the closed form" : names[figures[f].shown[which]]);
        struct run s = *from;
        for (int k = 0; k * h <= 1; k++) {
          mat3 a = attitude(which < 0 ? QUAT_EM : figures[f].shown[which], &s);
          vec3 axis = which < 0 ? axis_at(k * h) : mat3_column(&a, 2);
          verify_point(r, line, k * h, arm_m * (c ? axis.z : axis.x));
          if (which >= 0 && !step(figures[f].shown[which], top, h, &s))
            break;
        }
      }
  }
}

static void precession_invariants(struct verify_result *r, const struct rival_top *top,
                                  struct run s) { // Figure 3, left
  struct verify_plot *plot = verify_plot(r, "QUAT_EM, h = 0.01: energy and vertical momentum", "time, s",
                                         "log10 of the relative change");
  struct verify_series *lines[2] = {verify_series(r, plot, VERIFY_LINE, "H"),
                                    verify_series(r, plot, VERIFY_LINE, "J3")};
  double h0 = energy(QUAT_EM, top, &s), j0 = momentum(QUAT_EM, top, &s).z, worst_h = 0, worst_j = 0;
  for (int k = 1; k <= 100; k++) {
    if (!step(QUAT_EM, top, 0.01, &s))
      verify_fail(r, "QUAT_EM finds no solution at h = 0.01");
    double ratio = energy(QUAT_EM, top, &s) / h0, vertical = momentum(QUAT_EM, top, &s).z / j0;
    worst_h = fmax(worst_h, fabs(ratio - 1));
    worst_j = fmax(worst_j, fabs(vertical - 1));
    verify_point(r, lines[0], 0.01 * k, log10(fmax(fabs(ratio - 1), 1e-17)));
    verify_point(r, lines[1], 0.01 * k, log10(fmax(fabs(vertical - 1), 1e-17)));
  }
  verify_add(r, VERIFY_ABSOLUTE, "", worst_h, 0, 1e-12, "QUAT_EM, h = 0.01: largest |H/H0 - 1|");
  verify_add(r, VERIFY_ABSOLUTE, "", worst_j, 0, 1e-12, "QUAT_EM, h = 0.01: largest |J3/J30 - 1|");
}

// The spin's equation of QUAT_VI is h omega_3/2 = e0 e3 + O(h^2 weight), and e0 e3 <= 1/2.
static void limit_of_variational(struct verify_result *r, const struct rival_top *top, const struct run *from,
                                 double spin) {
  struct run s = *from;
  verify_add(r, VERIFY_ABSOLUTE, "", (double)march(QUAT_VI, top, 0.01, 100, &s), 0, 0,
             "QUAT_VI, h = 0.01: steps of 100 that have a solution");
  s = *from;
  verify_add(r, VERIFY_ABSOLUTE, "", (double)march(QUAT_VI, top, 0.007, 143, &s), 143, 0,
             "QUAT_VI, h = 0.007: steps of 143 that have a solution");
  double low = 0.005, high = 0.01;
  for (int k = 0; k < 40; k++) {
    double h = 0.5 * (low + high);
    s = *from;
    if (step(QUAT_VI, top, h, &s))
      low = h;
    else
      high = h;
  }
  verify_add(r, VERIFY_RELATIVE, "s", low, 1 / spin, 0.02,
             "QUAT_VI: largest first step with a solution, against 1/omega_3");
}

void verify_precession(const struct verify_setup *setup, struct verify_result *r) {
  struct rival_top top = cone();
  double spin;
  struct run from = precessing(&top, &spin), s = from;
  verify_run_with(
      r, "A cone on its tip, tilted by 60 degrees, precession at 10 rad/s, spin %.4g rad/s, to t = 1",
      spin - PRECESSION * cos(TILT));
  accuracy(setup, r, &top, from, 9, axis_error);
  precession_invariants(r, &top, from);
  march(DIR_EM, &top, 0.01, 100, &s);
  verify_add(r, VERIFY_RELATIVE, "", axis_error(DIR_EM, &s), 8e-2, 0.02,
             "DIR_EM, h = 0.01: error of the axis at t = 1");
  double best = axis_error(DIR_EM, &s);
  s = from;
  march(QUAT_EM, &top, 0.01, 100, &s);
  verify_add_range(r, "", best / axis_error(QUAT_EM, &s), 0, 0.1, 0,
                   "h = 0.01: error of DIR_EM, of that of QUAT_EM");
  double off[METHODS];
  for (int m = 0; m < METHODS; m++) {
    s = from;
    march(m, &top, 0.007, 143, &s);
    off[m] = axis_error_at(m, &s, 143 * 0.007);
  }
  verify_add_range(r, "", off[DIR_EM] / off[QUAT_VI], 0, 0.1, 0,
                   "h = 0.007: error of DIR_EM, of that of QUAT_VI");
  verify_add_range(r, "", off[DIR_EM] / off[ALGO_C1], 0, 0.5, 0,
                   "h = 0.007: error of DIR_EM, of that of ALGO_C1");
  s = from;
  verify_add(r, VERIFY_ABSOLUTE, "", (double)march(ALGO_C1, &top, 0.007, 143, &s), 143, 0,
             "ALGO_C1, h = 0.007: steps of 143 that have a solution");
  verify_add(r, VERIFY_RELATIVE, "", off[ALGO_C1], C1_TOP, 1e-3,
             "ALGO_C1, h = 0.007: error of the axis at t = 1.001");
  c1_invariants(r, &top, from, 0.007);
  limit_of_variational(r, &top, &from, spin);
  trajectories(r, &top, &from);
}
