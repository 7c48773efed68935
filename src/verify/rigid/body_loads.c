// A rigid body under follower loads and follower linear transformations of its state, by the
// generalized-alpha method in spatial coordinates: A. Giusti (2016), section 7.4, Table 5, (48) to (50),
// Figures 6 and 7. The initial state of the table is at rest, that of the figures is not; the case covers
// both.
#include "verify/harness/case_functions.h"
#include "verify/harness/result.h"
#include "verify/rivals/spatial.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

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
    struct verify_plot *plot = verify_plot(r, title, "step (s)", "m");
    struct verify_plot *costs =
        which == 0 ? verify_cost_plot(setup, r, "Error of x(50) against cost", "run (s)", "m") : NULL;
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

// Figures 6 and 7, rho = 0.9, h = 0.05 s; points: the independent code.
static void figures(struct verify_result *r) {
  static const char *const titles[] = {"Centre of mass", "Rotation vector", "Velocity", "Angular velocity"},
                           *const units[] = {"m", "rad", "m/s", "rad/s"};
  struct verify_series *lines[4][3], *points[4][3] = {{NULL}};
  for (int f = 0; f < 4; f++) {
    struct verify_plot *plot = verify_plot(r, titles[f], "time (s)", units[f]);
    for (int i = 0; i < 3; i++)
      lines[f][i] = verify_series(r, plot, VERIFY_LINE, "%d", i + 1);
    for (int i = 0; (f == 0 || f == 3) && i < 3; i++)
      points[f][i] = verify_series(r, plot, VERIFY_POINTS, "%d, in body coordinates", i + 1);
  }
  struct rival_motion s = starts[0].from;
  double worst = 0;
  int ok = rival_spatial_start(&loads, 0, &s);
  for (int k = 1; k <= 1000 && ok; k++) {
    ok = rival_generalized_alpha(&loads, 0.9, 0.05 * (k - 1), 0.05, &s);
    vec3 psi = rival_rotation_vector(s.q_nb);
    const double *shown[] = {s.x_n, &psi.x, s.v, s.v + 3};
    for (int f = 0; f < 4; f++)
      for (int i = 0; i < 3 && k % 4 == 0; i++)
        verify_point(r, lines[f][i], 0.05 * k, shown[f][i]);
    for (int i = 0; i < 3 && k % 100 == 0; i++) {
      verify_point(r, points[0][i], 0.05 * k, others[k / 100 - 1][i]);
      verify_point(r, points[3][i], 0.05 * k, others[k / 100 - 1][3 + i]);
      worst = fmax(worst, fabs(s.x_n[i] - others[k / 100 - 1][i]));
    }
  }
  verify_add(r, VERIFY_ABSOLUTE, "m", ok ? worst : (double)NAN, 0, 2e-3,
             "rho = 0.9, h = 0.05 s: largest error of the position, each 5 s");
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
  verify_add(r, VERIFY_ABSOLUTE, "", least_eigenvalue(), -7.1499808353398062e-04, 1e-14,
             "smallest eigenvalue of the damping matrix: negative, so this case is not passive");
}
