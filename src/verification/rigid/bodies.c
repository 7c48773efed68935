// Rigid bodies by several methods: errors, orders, conserved quantities.
#include "verification/rigid/rigid.h"

#include "sagbend/base/base.h"
#include "verification/harness/harness.h"
#include "verification/rivals/rivals.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void body_advance(const struct body_method *m, struct body *b, double h, long steps) {
  struct rigid_inertia inertia = rigid_inertia_of(b->moments);
  double moments[3] = {b->moments[0], b->moments[1], b->moments[2]};
  if (m->preprocessed && !rival_preprocessed(b->moments, m->preprocessed, h, b->m, moments))
    b->m[0] = b->m[1] = b->m[2] = (double)NAN;
  for (long k = 0; k < steps && !body_is_lost(b); k++)
    if (m->rival)
      m->rival(moments, h, b->m, &b->q);
    else
      rigid_free_flow(&inertia, m->how, h, b->m, &b->q);
}

int body_is_lost(const struct body *b) {
  return isnan(b->m[0]);
}

struct body body_random(struct random_stream *s, double least_moment) {
  double a = least_moment + (1 - least_moment) * random_uniform(s),
         b = least_moment + (1 - least_moment) * random_uniform(s), norm = 0;
  struct body body = {.moments = {fmin(a, b), fmax(a, b), 1}, .q = {1, 0, 0, 0}};
  for (int i = 0; i < 3; i++) {
    body.m[i] = random_uniform(s);
    norm += body.m[i] * body.m[i];
  }
  for (int i = 0; i < 3; i++)
    body.m[i] /= sqrt(norm);
  return body;
}

double body_attitude_error(quat a, quat b) {
  mat3 x = quat_matrix(a), y = quat_matrix(b);
  double worst = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      worst = fmax(worst, fabs(x.m[i][j] - y.m[i][j]));
  return worst;
}

double body_apart(quat a, quat b) {
  double sign = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0 ? -1 : 1;
  return sqrt(pow(a.w - sign * b.w, 2) + pow(a.x - sign * b.x, 2) + pow(a.y - sign * b.y, 2) +
              pow(a.z - sign * b.z, 2));
}

double body_digits(const struct body_method *m, struct body b, double h, double end) {
  struct body exact = b;
  long steps = (long)steps_nearest_to(end, h);
  body_advance(m, &b, end / (double)steps, steps);
  if (body_is_lost(&b))
    return (double)NAN;
  rival_taylor(exact.moments, end, exact.m, &exact.q);
  return log10(fmax(body_attitude_error(b.q, exact.q), 1e-17));
}

// ------------------------------------------------------------
// A rigid body under follower loads and follower linear transformations of its state, by the
// generalized-alpha method in spatial coordinates: A. Giusti (2016), section 7.4, Table 5, (48) to (50),
// Figures 6 and 7. The initial state of the table is at rest, that of the figures is not; the case covers
// both.

#define PI 3.14159265358979323846
enum { DAMPINGS = 3, LEVELS = 5, END = 50 };
static const double rhos[DAMPINGS] = {0.9, 0.5, 0};

static double slow(double t_s) {
  return sin(PI / 10 * t_s);
}
static double fast(double t_s) {
  return sin(PI / 5 * t_s);
}

#define ROW(a, b, c, d, e, f) {1e-4 * (a), 1e-4 * (b), 1e-4 * (c), 1e-4 * (d), 1e-4 * (e), 1e-4 * (f)}
static const double stiffness[6][6] = {ROW(7.69, 3.78, 8.26, 0, 0, 0), ROW(3.78, 1.55, 2.59, 0, 0, 0),
                                       ROW(8.26, 2.59, 5.34, 0, 0, 0)};
static const double damping[6][6] = {
    ROW(3.48, 1.96, 6.35, 2.66, 4.07, 7.73), ROW(1.96, 4.42, 6.96, 2.78, 5.67, 6.72),
    ROW(6.35, 6.96, 4.42, 4.21, 5.70, 3.76), ROW(2.66, 2.78, 4.21, 4.30, 8.21, 5.31),
    ROW(4.07, 5.67, 5.70, 8.21, 3.77, 3.27), ROW(7.73, 6.72, 3.76, 5.31, 3.27, 8.34)};
static const double mass[6][6] = {
    ROW(3.18, 3.32, 5.79, 5.06, 3.36, 7.50), ROW(3.32, 6.47, 3.25, 7.42, 3.31, 7.39),
    ROW(5.79, 3.25, 1.10, 3.46, 5.50, 4.21), ROW(5.06, 7.42, 3.46, 7.72, 5.13, 8.22),
    ROW(3.36, 3.31, 5.50, 5.13, 5.25, 6.36), ROW(7.50, 7.39, 4.21, 8.22, 6.36, 5.20)};

static const struct rival_load load[] = {
    {RIVAL_OF_POSITION, 1, {0}, {0}, NULL, stiffness}, {RIVAL_OF_VELOCITY, 1, {0}, {0}, NULL, damping},
    {RIVAL_OF_ACCELERATION, 1, {0}, {0}, NULL, mass},  {RIVAL_FORCE, 1, {0.1, 0, 0}, {0}, fast, NULL},
    {RIVAL_TORQUE, 1, {0, 0.1, 0}, {0}, slow, NULL},   {RIVAL_FORCE, 0, {0, 0, -9.81}, {0}, NULL, NULL},
    {RIVAL_FORCE, 0, {0, 0, 9.81}, {0}, NULL, NULL}};
static const struct rival_loads loads = {{1, {20, 20, 10}}, load, sizeof load / sizeof *load};

// tests/reference/rigid_loads.py
static const struct {
  const char *name;
  struct rival_motion from;
  double at_50[3];
} starts[] = {{"the figures' start",
               {.x_n = {1, 2, 3}, .q_nb = {1, 0, 0, 0}, .v = {1.5, 1, 0.5, 0.1, 0.2, 0.1}},
               {68.526272972304398, 27.360680244217399, 20.026832390488554}},
              {"the table's start",
               {.q_nb = {1, 0, 0, 0}},
               {4.4300693369920872, -1.2477793384613649, -1.4655723610180413}}};

// Initial state of the figures, every 5 s: position, angular velocity.
static const double others[][6] = {
    {9.07921432, 7.12985826, 5.16575380, 0.13998246, 0.19999920, 0.07703334},
    {17.23733586, 11.58909432, 7.34845171, 0.13540455, 0.22591343, 0.03693845},
    {24.85539616, 15.49416512, 10.18652592, 0.06950463, 0.24677405, 0.02893873},
    {32.04573744, 18.81475535, 13.03783891, 0.02979334, 0.23757522, 0.08378440},
    {39.53494718, 21.67951805, 15.61140907, 0.04840980, 0.22136481, 0.11287097},
    {47.48727383, 24.02362677, 17.73685626, 0.08311556, 0.21526040, 0.09906594},
    {54.97446334, 25.50532184, 18.97165488, 0.08870565, 0.23864717, 0.03651293},
    {60.12811924, 26.30699435, 19.41697863, 0.03160792, 0.26418221, 0.01082269},
    {64.29888374, 26.60612799, 19.91884124, -0.00582197, 0.25090960, 0.03857145},
    {68.52627297, 27.36068024, 20.02683239, 0.00787113, 0.22823558, 0.07613388}};

static struct rival_motion at_the_end(struct rival_motion s, double rho, long steps,
                                      struct verify_result *r) {
  double h = (double)END / (double)steps;
  int ok = rival_spatial_start(&loads, 0, &s);
  for (long k = 0; k < steps && ok; k++)
    ok = rival_generalized_alpha(&loads, rho, h * (double)k, h, &s);
  if (!ok)
    verify_fail(r, "no solution at h = %g", h);
  return s;
}

static void orders(const struct verify_setup *setup, struct verify_result *r) {
  for (int which = 0; which < 2; which++) {
    char title[96];
    snprintf(title, sizeof title, "Error of x(50), %s", starts[which].name);
    struct verify_plot *plot = verify_plot(r, title, "step, s", "error, m");
    struct verify_plot *costs = which == 0 ? verify_cost_plot(setup, r, "Error of x(50) against cost",
                                                              "time of the run, s", "error, m")
                                           : NULL;
    for (int i = 0; i < DAMPINGS; i++) {
      double width[LEVELS], error[LEVELS];
      struct verify_series *line = verify_cost_series(r, costs, VERIFY_LINE, "rho = %g", rhos[i]);
      for (int k = 0; k < LEVELS; k++) {
        double begin_s = verify_clock_s(setup);
        struct rival_motion s = at_the_end(starts[which].from, rhos[i], 125L << k, r);
        double cost_s = verify_clock_s(setup) - begin_s;
        width[k] = (double)END / (double)(125L << k);
        error[k] = vec3_norm(vec3_sub(vec3_of(s.x_n), vec3_of(starts[which].at_50)));
        verify_point(r, line, cost_s, error[k]);
      }
      char name[64];
      snprintf(name, sizeof name, "rho = %g, %s", rhos[i], starts[which].name);
      verify_order_in(r, plot, name, width, error, LEVELS, 2, rhos[i] > 0 ? 0.05 : 0.1);
    }
  }
}

// x(50) by Richardson's extrapolation of the two finest runs.
static void ends(struct verify_result *r) {
  for (int which = 0; which < 2; which++) {
    struct rival_motion coarse = at_the_end(starts[which].from, 0.9, 4000, r),
                        fine = at_the_end(starts[which].from, 0.9, 8000, r);
    for (int i = 0; i < 3; i++)
      verify_add(r, VERIFY_ABSOLUTE, "m", fine.x_n[i] + (fine.x_n[i] - coarse.x_n[i]) / 3,
                 starts[which].at_50[i], 1e-8, "%s: x_%d(50), extrapolated from h = 12.5 and 6.25 ms",
                 starts[which].name, i + 1);
  }
}

// ---- Figures 6 and 7: rho = 0.9, h = 0.05 s; points: the independent code ----

static const char *const formulations[RIVAL_FORMULATIONS] = {"spatial", "mixed", "local"};

struct curve { // every 0.2 s: position, rotation vector, velocity, angular velocity, all of the world
  double at[250][12];
};

static int follow(enum rival_formulation f, double h, int steps, int every, struct rival_motion *end,
                  struct curve *c) {
  struct rival_motion spatial = starts[0].from;
  int ok = rival_spatial_start(&loads, 0, &spatial);
  struct rival_motion s = rival_motion_to(f, &spatial);
  for (int k = 1; k <= steps && ok; k++) {
    ok = rival_generalized_alpha_in(f, &loads, 0.9, h * (k - 1), h, &s);
    if (!c || k % every)
      continue;
    const struct rival_motion now = rival_motion_from(f, &s);
    const vec3 psi = rival_rotation_vector(now.q_nb);
    double *at = c->at[k / every - 1];
    memcpy(at, now.x_n, sizeof now.x_n), vec3_to(psi, at + 3), memcpy(at + 6, now.v, sizeof now.v);
  }
  *end = s;
  return ok;
}

static void figures(struct verify_result *r) {
  static const char *const titles[] = {"Figure 6 a: centre of mass", "Figure 6 b: rotation vector",
                                       "Figure 7 a: velocity", "Figure 7 b: angular velocity"},
                           *const units[] = {"position, m", "rotation, rad", "velocity, m/s",
                                             "rate of rotation, rad/s"};
  static const enum verify_style styles[] = {VERIFY_LINE, VERIFY_DASHED, VERIFY_POINTS};
  static struct curve curves[RIVAL_FORMULATIONS]; // one case runs at a time
  struct rival_motion end;
  for (int f = 0; f < RIVAL_FORMULATIONS; f++)
    if (!follow((enum rival_formulation)f, 0.05, 1000, 4, &end, &curves[f]))
      verify_fail(r, "%s: no solution", formulations[f]);
  for (int p = 0; p < 4; p++) {
    struct verify_plot *plot = verify_plot(r, titles[p], "time, s", units[p]);
    for (int f = 0; f < RIVAL_FORMULATIONS; f++)
      for (int i = 0; i < 3; i++) {
        struct verify_series *line = verify_series(r, plot, styles[f], "%d, %s", i + 1, formulations[f]);
        for (int k = 0; k < 250; k += f == RIVAL_LOCAL ? 5 : 1)
          verify_point(r, line, 0.2 * (k + 1), curves[f].at[k][3 * p + i]);
      }
  }
  for (int f = 0; f < RIVAL_FORMULATIONS; f++) {
    double place = 0, rate = 0;
    for (int k = 0; k < 10; k++)
      for (int i = 0; i < 3; i++) {
        place = fmax(place, fabs(curves[f].at[25 * k + 24][i] - others[k][i]));
        rate = fmax(rate, fabs(curves[f].at[25 * k + 24][9 + i] - others[k][3 + i]));
      }
    verify_add(r, VERIFY_ABSOLUTE, "m", place, 0, f == RIVAL_LOCAL ? 6e-3 : 2e-3,
               "%s, rho = 0.9, h = 0.05 s: largest error of the position, each 5 s", formulations[f]);
    verify_add(r, VERIFY_ABSOLUTE, "rad/s", rate, 0, 1e-5, "the same: of the angular velocity");
  }
  struct rival_motion by_tangents = at_the_end(starts[0].from, 0.9, 1000, r);
  verify_add(r, VERIFY_ABSOLUTE, "m",
             vec3_norm(vec3_sub(vec3_of(by_tangents.x_n), vec3_of(curves[RIVAL_SPATIAL].at[249]))), 0, 1e-9,
             "spatial: x(50) with the tangents of the paper and with those by differences");
}

// The three formulations differ by their errors of order 2 only.
static void formulation_orders(struct verify_result *r) {
  struct verify_plot *plot =
      verify_plot(r, "Error of x(50) in the three formulations", "step, s", "error, m");
  for (int f = 0; f < RIVAL_FORMULATIONS; f++) {
    double width[3], error[3];
    for (int k = 0; k < 3; k++) {
      struct rival_motion end;
      width[k] = 0.2 / (1 << k);
      if (!follow((enum rival_formulation)f, width[k], 250 << k, 1, &end, NULL))
        verify_fail(r, "%s: no solution", formulations[f]);
      error[k] = vec3_norm(vec3_sub(vec3_of(end.x_n), vec3_of(starts[0].at_50)));
    }
    verify_order_in(r, plot, formulations[f], width, error, 3, 2, 0.05);
  }
}

// The least eigenvalue of the damping (49), by powers of c - B.
static double least_eigenvalue(void) {
  double v[6] = {1, -1, 1, 1, -1, -1}, c = 6e-3, norm = 0;
  for (int k = 0; k < 4000; k++) {
    double next[6];
    norm = 0;
    for (int i = 0; i < 6; i++) {
      next[i] = c * v[i];
      for (int j = 0; j < 6; j++)
        next[i] -= damping[i][j] * v[j];
      norm += next[i] * next[i];
    }
    norm = sqrt(norm);
    for (int i = 0; i < 6; i++)
      v[i] = next[i] / norm;
  }
  return c - norm;
}

void verify_follower_loads(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(r, "Table 5 and (48) to (50), weight balanced, to t = 50 s, from both starts");
  ends(r);
  orders(setup, r);
  figures(r);
  formulation_orders(r);
  verify_add(r, VERIFY_ABSOLUTE, "", least_eigenvalue(), -7.1499808353398062e-04, 1e-14,
             "smallest eigenvalue of the damping matrix: negative, so this case is not passive");
}
