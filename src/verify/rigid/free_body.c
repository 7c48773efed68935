// The free rigid body: Saefstroem's thesis (2009), Figures 2.1, 2.2, 3.1, 3.3, 3.4 and section 2.4.1.
#include "verify/rivals/free_body.h"
#include "core/base/steps.h"
#include "core/math/free.h"
#include "core/math/random.h"
#include "verify/harness/case_functions.h"
#include "verify/harness/result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct method {
  const char *name;
  enum rigid_attitude how; // of the exact body, where there is no rival
  rival_body_flow *rival;
};

static const struct method methods[] = {{"exact, frame", RIGID_EXACT_FRAME, NULL},
                                        {"exact, quaternion", RIGID_EXACT_QUATERNION, NULL},
                                        {"Gauss 6", RIGID_GAUSS_6, NULL},
                                        {"Gauss 8", RIGID_GAUSS_8, NULL},
                                        {"Gauss 10", RIGID_GAUSS_10, NULL},
                                        {"Magnus 2", RIGID_MAGNUS_2, NULL},
                                        {"Magnus 4", RIGID_MAGNUS_4, NULL},
                                        {"Magnus 6", RIGID_MAGNUS_6, NULL},
                                        {"McLachlan-Reich 2", 0, rival_mclachlan_reich_2},
                                        {"McLachlan-Reich 4", 0, rival_mclachlan_reich_4},
                                        {"Moser-Veselov 2", 0, rival_moser_veselov}};
enum { METHODS = sizeof methods / sizeof *methods, EXACT_FRAME = 0, EXACT_QUATERNION = 1 };

struct body {
  double moments[3], m[3];
  quat q;
};

static void advance(const struct method *m, struct body *b, double h, long steps) {
  struct rigid_inertia inertia = rigid_inertia_of(b->moments);
  for (long k = 0; k < steps; k++)
    if (m->rival)
      m->rival(b->moments, h, b->m, &b->q);
    else
      rigid_free_flow(&inertia, m->how, h, b->m, &b->q);
}

// Moments with I1 < I2 < I3 = 1, a unit momentum in the first octant, as in the thesis.
static struct body random_body(struct random_stream *s) {
  double a = 0.05 + 0.95 * random_uniform(s), b = 0.05 + 0.95 * random_uniform(s), norm = 0;
  struct body body = {.moments = {fmin(a, b), fmax(a, b), 1}, .q = {1, 0, 0, 0}};
  for (int i = 0; i < 3; i++) {
    body.m[i] = random_uniform(s);
    norm += body.m[i] * body.m[i];
  }
  for (int i = 0; i < 3; i++)
    body.m[i] /= sqrt(norm);
  return body;
}

static double largest_entry(quat a, quat b) { // of the difference of the matrices
  mat3 x = quat_matrix(a), y = quat_matrix(b);
  double worst = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      worst = fmax(worst, fabs(x.m[i][j] - y.m[i][j]));
  return worst;
}

struct scatter {
  double mean_log, worst_log;
};

static struct scatter errors_of(const struct method *m, int bodies, double h, double *seconds,
                                const struct verify_setup *setup) {
  struct scatter e = {0, -99};
  struct random_stream s = random_stream_of(random_seed(1, "free-body"));
  long steps = (long)steps_nearest_to(10, h);
  *seconds = 0;
  for (int k = 0; k < bodies; k++) {
    struct body b = random_body(&s), exact = b;
    double begin_s = verify_clock_s(setup);
    advance(m, &b, 10.0 / (double)steps, steps);
    *seconds += verify_clock_s(setup) - begin_s;
    rival_taylor(exact.moments, 10, exact.m, &exact.q);
    double digits = log10(fmax(largest_entry(b.q, exact.q), 1e-17));
    e.mean_log += digits / bodies;
    e.worst_log = fmax(e.worst_log, digits);
  }
  return e;
}

static void accuracy(const struct verify_setup *setup, struct verify_result *r) {
  static const double steps[] = {0.4, 0.2, 0.1, 0.04, 0.02, 0.01};
  int bodies = setup->extended ? 100 : 20;
  struct verify_plot *by_step =
      verify_plot(r, "Random bodies, attitude at t = 10", "log10 of the step", "mean of log10 of the error");
  struct verify_plot *by_cost = setup->now_ns
                                    ? verify_plot(r, "Random bodies, attitude at t = 10, against cost",
                                                  "log10 of the run time in s", "mean of log10 of the error")
                                    : NULL;
  for (int k = 0; k < METHODS; k++) {
    struct verify_series *line =
        verify_series(r, by_step, methods[k].rival ? VERIFY_DASHED : VERIFY_LINE, "%s", methods[k].name);
    struct verify_series *cost =
        by_cost
            ? verify_series(r, by_cost, methods[k].rival ? VERIFY_DASHED : VERIFY_LINE, "%s", methods[k].name)
            : NULL;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
      double seconds;
      struct scatter e = errors_of(&methods[k], bodies, steps[i], &seconds, setup);
      verify_point(r, line, log10(steps[i]), e.mean_log);
      if (cost)
        verify_point(r, cost, log10(seconds / bodies), e.mean_log);
      if (k > EXACT_QUATERNION || (i != 0 && i != 5))
        continue;
      verify_add_range(r, "", e.mean_log, -17, i == 0 ? -13.9 : -12.8, 0,
                       "%s, h = %g: mean log10 of the attitude error", methods[k].name, steps[i]);
      verify_add_range(r, "", e.worst_log, -17, -11.5, 0, "%s, h = %g: largest log10 of the attitude error",
                       methods[k].name, steps[i]);
    }
  }
}

// Orders of the quadrature of order 6 and of the Magnus series. The higher quadratures reach rounding too
// soon.
static void orders(struct verify_result *r) {
  enum { LEVELS = 3 };
  static const struct {
    int method, order;
    double step_s;
  } rows[] = {{2, 6, 1}, {5, 2, 0.4}, {6, 4, 0.4}, {7, 6, 0.4}};
  struct verify_plot *plot = verify_plot(r, "One body, attitude at t = 16: orders", "step", "error");
  const struct body start = {{0.5, 0.7, 1}, {0.45549, 0.82623, 0.33148}, {1, 0, 0, 0}};
  struct body exact = start;
  rival_taylor(exact.moments, 16, exact.m, &exact.q);
  for (int k = 0; k < 4; k++) {
    const struct method *m = &methods[rows[k].method];
    double width[LEVELS], error[LEVELS];
    for (int i = 0; i < LEVELS; i++) {
      struct body b = start;
      width[i] = rows[k].step_s / (1 << i);
      advance(m, &b, width[i], (long)steps_nearest_to(16, width[i]));
      error[i] = largest_entry(b.q, exact.q);
    }
    verify_order_in(r, plot, m->name, width, error, LEVELS, rows[k].order, 0.2);
  }
}

// The error of one attitude over the shapes of bodies, I1/I3 by I2/I3, as a curve for each I1/I3.
static void shapes(struct verify_result *r, double h) {
  const struct method *shown[] = {&methods[EXACT_QUATERNION], &methods[8]};
  char title[96];
  snprintf(title, sizeof title, "Error over the shapes of bodies, h = %g, t = 10", h);
  struct verify_plot *plot = verify_plot(r, title, "I2/I3", "log10 of the error");
  for (int m = 0; m < 2; m++)
    for (int i = 1; i <= 7; i += 2) {
      struct verify_series *line = verify_series(r, plot, m ? VERIFY_DASHED : VERIFY_LINE, "%s, I1/I3 = %.1f",
                                                 shown[m]->name, 0.1 * i);
      for (int j = i; j <= 10; j++) {
        struct body b = {{0.1 * i, 0.1 * j, 1}, {0.45549, 0.82623, 0.03476}, {1, 0, 0, 0}}, exact;
        exact = b;
        advance(shown[m], &b, h, (long)steps_nearest_to(10, h));
        rival_taylor(exact.moments, h * (double)steps_nearest_to(10, h), exact.m, &exact.q);
        verify_point(r, line, 0.1 * j, log10(fmax(largest_entry(b.q, exact.q), 1e-17)));
      }
    }
}

// Section 2.4.1: I = (5, 4, 3), from (-1, 0, 2), h = 0.4 to t = 400.
static void energies(struct verify_result *r) {
  static const struct {
    int method;
    double amplitude, slack;
  } rows[] = {{8, 2.4e-3, 0.05}, {9, 6.5e-5, 0.05}};
  struct verify_plot *plot = verify_plot(r, "Energy of the free body, h = 0.4", "time", "log10 of |H - H0|");
  for (int k = 0; k < 3; k++) {
    const struct method *m = &methods[k < 2 ? rows[k].method : EXACT_QUATERNION];
    struct body b = {{5, 4, 3}, {-1, 0, 2}, {1, 0, 0, 0}};
    struct rigid_inertia inertia = rigid_inertia_of(b.moments);
    struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "%s", m->name);
    double start = rigid_free_energy_j(&inertia, b.m), worst = 0;
    for (int step = 1; step <= 1000; step++) {
      advance(m, &b, 0.4, 1);
      double off = fabs(rigid_free_energy_j(&inertia, b.m) - start);
      worst = fmax(worst, off);
      if (step % 5 == 0)
        verify_point(r, line, 0.4 * step, log10(fmax(off, 1e-17)));
    }
    if (k < 2)
      verify_add(r, VERIFY_RELATIVE, "", worst, rows[k].amplitude, rows[k].slack,
                 "%s, h = 0.4 to t = 400: largest |H - H0|", m->name);
    else
      verify_add(r, VERIFY_ABSOLUTE, "", worst, 0, 1e-13, "exact, h = 0.4 to t = 400: largest |H - H0|");
  }
}

void verify_free_body(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(r, "%d random bodies (--long: 100), |m| = 1, I3 = 1; steps of 0.01 to 0.4",
                  setup->extended ? 100 : 20);
  accuracy(setup, r);
  orders(r);
  shapes(r, 0.4);
  shapes(r, 0.04);
  energies(r);
}
