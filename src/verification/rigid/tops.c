// The heavy top of Saefstroem's thesis (2009), Paper I: Figures 2.3 to 2.6. Kick, body, kick; the body
// exactly, with the exact momentum and a Magnus series (SEJ, SEJ4), or by McLachlan and Reich (MR). Numbers
// named "others'" come from tests/reference/torqued_bodies.py.
#include "verification/rigid/rigid.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"
#include "sagbend/rigid/rigid.h"
#include "verification/harness/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT, SEJ, SEJ4, MR, METHODS };
static const struct body_method methods[METHODS] = {{"exact body", RIGID_EXACT_QUATERNION, NULL, 0},
                                                    {"SEJ", RIGID_MAGNUS_2, NULL, 0},
                                                    {"SEJ4", RIGID_MAGNUS_4, NULL, 0},
                                                    {"MR", 0, rival_mclachlan_reich_2, 0}};

static struct torqued with(struct torqued t, int method) {
  t.how = methods[method].how, t.rival = methods[method].rival;
  return t;
}

static struct torqued thesis_top(void) {
  struct torqued t = torqued_of((const double[3]){1000, 5000, 6000}, (const double[3]){10, 10, 10});
  t.weight = 1;
  return t;
}

// ---- Figure 2.3 ----

static void second(const struct verify_setup *setup, struct verify_result *r) {
  enum { LEVELS = 4, FIRST = 7, AT = 2 }; // h = 2^-FIRST and halves; AT: 1/512
  static const double others[METHODS] = {0, 7.77961e-05, 4.86617e-09, 2.13090e-04};
  double width[LEVELS], error[METHODS][LEVELS], cost_s[METHODS][LEVELS];
  struct torqued fine = thesis_top();
  for (int k = 0; k < 512; k++)
    torqued_step(&fine, &scheme_s6_10, 1.0 / 512);
  struct verify_plot *plot = verify_plot(r, "Figure 2.3: heavy top, attitude at t = 1", "step", "|error|");
  struct verify_plot *cost =
      verify_cost_plot(setup, r, "Figure 2.3: the same against cost", "time of the run, s", "|error|");
  for (int m = 0; m < METHODS; m++) {
    struct verify_series *line = verify_cost_series(r, cost, VERIFY_LINE, "%s", methods[m].name);
    for (int k = 0; k < LEVELS; k++) {
      struct torqued t = with(thesis_top(), m);
      const long steps = 1L << (FIRST + k);
      width[k] = 1.0 / (double)steps;
      const double begin_s = verify_clock_s(setup);
      for (long i = 0; i < steps; i++)
        torqued_step(&t, &scheme_v2, width[k]);
      cost_s[m][k] = verify_clock_s(setup) - begin_s;
      error[m][k] = body_apart(t.q, fine.q);
      verify_point(r, line, cost_s[m][k], error[m][k]);
    }
    // SEJ4's error at these steps is that of Magnus 4: the kicks of a unit weight on so heavy a body hardly
    // count
    verify_order_in(r, plot, methods[m].name, width, error[m], LEVELS, m == SEJ4 ? 4 : 2, 0.1);
    if (others[m] > 0)
      verify_add(r, VERIFY_RELATIVE, "", error[m][AT], others[m], 2e-3, "%s, h = 1/512: attitude at t = 1",
                 methods[m].name);
  }
  verify_add_range(r, "", error[SEJ4][AT] / error[SEJ][AT], 0, 0.1, 0,
                   "h = 1/512: error of SEJ4, of that of SEJ: the paper's clear advantage");
  verify_add_range(r, "", error[SEJ][AT] / error[MR][AT], 0.1, 10, 0,
                   "h = 1/512: error of SEJ, of that of MR: similar in the paper");
}

// ---- Figures 2.4 and 2.5 ----

enum { STEPS = 3, LONGEST = 10000 };
static const double steps_of[STEPS] = {0.1, 0.05, 0.01};

struct path {
  vec3 u[LONGEST];
  double largest; // |H - H0|
};

static void walk(struct path *p, int method, double h, struct verify_result *r, struct verify_series *line) {
  struct torqued t = with(thesis_top(), method);
  const double start = torqued_energy(&t);
  const int steps = (int)steps_nearest_to(100, h);
  p->largest = 0;
  for (int k = 0; k < steps; k++) {
    torqued_step(&t, &scheme_v2, h);
    p->u[k] = torqued_vertical(&t);
    const double off = fabs(torqued_energy(&t) - start);
    p->largest = fmax(p->largest, off);
    if (line && k % (steps / 400 + 1) == 0)
      verify_point(r, line, h * (k + 1), log10(fmax(off, 1e-17)));
  }
}

static double mean_apart(const struct path *a, const struct path *b, int count, int every_b) {
  double sum = 0;
  for (int k = 0; k < count; k++)
    sum += vec3_norm(vec3_sub(a->u[k], b->u[(k + 1) * every_b - 1])) / count;
  return sum;
}

static void hundred_seconds(struct verify_result *r) {
  static const double exact[STEPS] = {0.415, 0.0915, 3.58e-3}, sej[STEPS] = {0.61527, 0.11557, 4.3829e-3},
                      mr[STEPS] = {0, 1273.2, 31.471};
  static const double coarse[2][2] = {{0.8861, 1.3059}, {0.8228, 1.1224}}; // SEJ, MR at h = 0.1 and 0.05
  struct path *path = calloc(2 * STEPS + 1, sizeof *path), *other = path + 2 * STEPS;
  if (!path) {
    verify_fail(r, "out of memory");
    return;
  }
  struct verify_plot *plots[2] = {
      verify_plot(r, "Figure 2.4: energy of the heavy top, SEJ", "time", "log10 of |H - H0|"),
      verify_plot(r, "Figure 2.5: energy of the heavy top, MR", "time", "log10 of |H - H0|")};
  for (int i = 0; i < STEPS; i++) {
    const double h = steps_of[i];
    walk(other, EXACT, h, r, NULL);
    walk(&path[i], SEJ, h, r, verify_series(r, plots[0], VERIFY_LINE, "h = %g", h));
    walk(&path[STEPS + i], MR, h, r, verify_series(r, plots[1], VERIFY_LINE, "h = %g", h));
    verify_add(r, VERIFY_RELATIVE, "", other->largest, exact[i], 0.02, "exact body, h = %g: largest |H - H0|",
               h);
    verify_add(r, VERIFY_RELATIVE, "", path[i].largest, sej[i], 5e-3, "SEJ, h = %g: largest |H - H0|", h);
    if (mr[i] > 0) // h = 0.1: beyond its stability, where rounding decides
      verify_add(r, VERIFY_RELATIVE, "", path[STEPS + i].largest, mr[i], 5e-3, "MR, h = %g: largest |H - H0|",
                 h);
  }
  verify_add_range(r, "", path[2].largest / path[STEPS + 2].largest, 0.3e-4, 3e-4, 0,
                   "h = 0.01: energy error of SEJ, of that of MR; the paper: 1e-4");
  const double apart = mean_apart(&path[2], &path[STEPS + 2], LONGEST, 1);
  verify_add(r, VERIFY_RELATIVE, "", apart, 0.24788, 5e-3, "h = 0.01: mean |u_SEJ - u_MR|");
  verify_add_range(r, "", apart, 0.03, 0.3, 0, "the same; the paper: O(1e-1)");
  for (int i = 0; i < 2; i++)
    for (int m = 0; m < 2; m++)
      verify_add(r, VERIFY_RELATIVE, "",
                 mean_apart(&path[m * STEPS + i], &path[m * STEPS + 2], i ? 2000 : 1000, i ? 5 : 10),
                 coarse[i][m], 0.03, "%s: mean |u| between h = %g and 0.01", m ? "MR" : "SEJ", steps_of[i]);
  struct verify_plot *view =
      verify_plot(r, "Figures 2.4 and 2.5: centre of mass, the first 10 s", "u1", "u2");
  for (int m = 0; m < 2; m++) {
    struct verify_series *line =
        verify_series(r, view, m ? VERIFY_DASHED : VERIFY_LINE, "%s, h = 0.01", m ? "MR" : "SEJ");
    for (int k = 0; k < 1000; k++)
      verify_point(r, line, path[m * STEPS + 2].u[k].x, path[m * STEPS + 2].u[k].y);
  }
  free(path);
}

// ---- Figure 2.6 ----

static double mean_drift(int method, int by_speed, double alpha, struct verify_result *r) {
  double moments[3], omega[3];
  for (int i = 0; i < 3; i++)
    moments[i] = (by_speed ? 1 : alpha) * (i + 1), omega[i] = (by_speed ? alpha : 1) * (i + 1);
  struct torqued t = torqued_of(moments, omega);
  t.weight = 1;
  return torqued_follow(with(t, method), &scheme_v2, 0.01, 10, r, NULL).mean;
}

static void speeds(struct verify_result *r) {
  static const double others[2][4][2] = {
      // SEJ, MR at alpha = 0.1, 1, 10, 100; of the moments, then of the speed
      {{1.19848e-04, 7.35660e-05},
       {5.39448e-05, 5.25976e-05},
       {5.63289e-05, 2.88377e-04},
       {5.64756e-05, 2.76704e-03}},
      {{7.20703e-06, 6.58496e-06},
       {5.39448e-05, 5.25976e-05},
       {5.75910e-03, 3.03903e-01},
       {1.79822e+00, 1.22126e+05}}};
  for (int by_speed = 1; by_speed >= 0; by_speed--) {
    struct verify_plot *plot = verify_plot(
        r, by_speed ? "Figure 2.6 a: mean |H - H0| over the speed" : "Figure 2.6 b: over the moments",
        "log10 of alpha", "log10");
    double mean[METHODS][7];
    for (int m = 0; m < METHODS; m++) {
      struct verify_series *line =
          verify_series(r, plot, m == MR ? VERIFY_DASHED : VERIFY_LINE, "%s", methods[m].name);
      for (int p = 0; p < 7; p++) {
        mean[m][p] = mean_drift(m, by_speed, pow(10, 0.5 * (p - 2)), r);
        verify_point(r, line, 0.5 * (p - 2), log10(mean[m][p]));
      }
    }
    const char *what = by_speed ? "speed" : "moments";
    for (int p = 0; p < 4; p++) {
      // at 100 rad/s the attitude of a step of SEJ errs by whole radians: rounding of the integrators shows
      const double slack = by_speed && p == 3 ? 0.05 : 2e-3;
      verify_add(r, VERIFY_RELATIVE, "", mean[SEJ][2 * p], others[by_speed][p][0], slack,
                 "SEJ, %s times %g: mean |H - H0|", what, pow(10, p - 1));
      verify_add(r, VERIFY_RELATIVE, "", mean[MR][2 * p], others[by_speed][p][1], slack,
                 "MR, %s times %g: mean |H - H0|", what, pow(10, p - 1));
    }
    verify_add_range(r, "", mean[SEJ][6] / mean[MR][6], 0, 0.1, 0,
                     "%s times 100: SEJ of MR: smaller in the paper", what);
    verify_add_range(r, "", mean[SEJ][0] / mean[MR][0], 0.3, 3, 0,
                     "%s times 0.1: SEJ of MR: no gain in the paper", what);
  }
}

void verify_heavy_top(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(
      r, "I = (1000, 5000, 6000), omega = (10, 10, 10), unit weight, to t = 1 and 100; I = omega = (1, 2, 3) "
         "times 0.1 to 100, to t = 10");
  second(setup, r);
  hundred_seconds(r);
  speeds(r);
}

// ------------------------------------------------------------
// A nearly free body in a weak field: Saefstroem's thesis (2009), Paper II, Figure 3.5. Five schemes, each
// with the exact body and with MR raised to the scheme's order by Yoshida's compositions; steps of the same
// number of kicks.

static const struct {
  const struct scheme *scheme;
  const char *name;
  rival_body_flow *rival;
} schemes[] = {{&scheme_v2, "V2", rival_mclachlan_reich_2},
               {&scheme_s4_6, "S4_6", rival_mclachlan_reich_4},
               {&scheme_rkn4b_6, "RKN4b_6", rival_mclachlan_reich_4},
               {&scheme_s6_10, "S6_10", rival_mclachlan_reich_6},
               {&scheme_rkn6a_14, "RKN6a_14", rival_mclachlan_reich_6}};
static const double basic[] = {8,   5,    4, 2,  1.75,
                               1.5, 1.25, 1, 0.5}; // of ten stages; a scheme of s stages takes s/10 of it
enum {
  SCHEMES = sizeof schemes / sizeof *schemes,
  PERTURBED_STEPS = sizeof basic / sizeof *basic,
  BODIES = 20,
  V2 = 0
};

static struct torqued random_body(struct random_stream *s, double eps) { // I1 = 1, T = 1
  double moments[3], m[3], left, omega[3];
  do {
    double a = 1 + 9 * random_uniform(s), b = 1 + 9 * random_uniform(s);
    moments[0] = 1, moments[1] = fmin(a, b), moments[2] = fmax(a, b);
    m[0] = 2 * random_uniform(s) - 1, m[1] = 2 * random_uniform(s) - 1;
    left = 2 - m[0] * m[0] / moments[0] - m[1] * m[1] / moments[1];
  } while (left < 0);
  m[2] = sqrt(left * moments[2]);
  for (int i = 0; i < 3; i++)
    omega[i] = m[i] / moments[i];
  struct torqued t = torqued_of(moments, omega);
  t.weight = eps;
  return t;
}

// Mean over the bodies of the mean relative error of the energy to t = 20. weight: of the kicks, of eps.
static double mean_error(int scheme, rival_body_flow *body, double eps, double weight, double basic_step,
                         struct verify_result *r) {
  struct random_stream s = random_stream_of(random_seed(2, "perturbed"));
  const double h = 0.1 * schemes[scheme].scheme->stages * basic_step;
  double mean = 0;
  for (int k = 0; k < BODIES; k++) {
    struct torqued t = random_body(&s, eps);
    t.rival = body, t.weight *= weight;
    mean +=
        torqued_follow(t, schemes[scheme].scheme, h, 20, r, NULL).mean / fabs(torqued_energy(&t)) / BODIES;
  }
  return mean;
}

struct outcome {
  double exact[SCHEMES][PERTURBED_STEPS], rival[SCHEMES][PERTURBED_STEPS];
};

static void draw(const struct verify_setup *setup, struct verify_result *r, double eps, struct outcome *o) {
  char title[96];
  snprintf(title, sizeof title, "Figure 3.5, eps = %g: mean relative error of the energy", eps);
  struct verify_plot *plot = verify_plot(r, title, "log10 of the basic step", "log10");
  snprintf(title, sizeof title, "Figure 3.5, eps = %g: the same against cost", eps);
  struct verify_plot *costs = verify_cost_plot(setup, r, title, "time of the run, s", "error");
  for (int k = 0; k < SCHEMES; k++)
    for (int rival = 0; rival < 2; rival++) {
      const enum verify_style style = rival ? VERIFY_DASHED : VERIFY_LINE;
      const char *body = rival ? "McLachlan-Reich" : "exact";
      struct verify_series *line = verify_series(r, plot, style, "%s, %s", schemes[k].name, body);
      struct verify_series *cost = verify_cost_series(r, costs, style, "%s, %s", schemes[k].name, body);
      for (int i = 0; i < PERTURBED_STEPS; i++) {
        const double begin_s = verify_clock_s(setup);
        const double error = mean_error(k, rival ? schemes[k].rival : NULL, eps, 1, basic[i], r);
        verify_point(r, cost, verify_clock_s(setup) - begin_s, error);
        verify_point(r, line, log10(basic[i]), log10(error));
        *(rival ? &o->rival[k][i] : &o->exact[k][i]) = error;
      }
    }
}

static double largest(const double *error) {
  double worst = 0;
  for (int i = 0; i < PERTURBED_STEPS; i++)
    worst = fmax(worst, error[i]);
  return worst;
}

// The paper: only the methods with the exact body err by less than eps at every step, for both eps.
static void below_eps(struct verify_result *r, const struct outcome *o, double eps) {
  for (int k = 0; k < SCHEMES; k++)
    verify_add_range(r, "", largest(o->exact[k]) / eps, 0, 1, 0,
                     "eps = %g, %s, exact body, all steps: largest mean error, of eps", eps, schemes[k].name);
  double least = HUGE_VAL;
  for (int k = 0; k < SCHEMES; k++)
    least = fmin(least, o->rival[k][0]);
  verify_add_range(r, "", least / eps, 1, 1e9, 0,
                   "eps = %g, McLachlan-Reich, the largest step: least mean error of all schemes, of eps",
                   eps);
}

void verify_perturbed_top(const struct verify_setup *setup, struct verify_result *r) {
  static struct outcome coarse, fine;                              // one case runs at a time
  static const double slack[SCHEMES] = {0.05, 0.3, 0.5, 1.5, 0.5}; // S6_10's next term still counts
  verify_run_with(r, "20 random bodies with I1 = 1, T = 1, to t = 20; basic steps of 0.5 to 8");
  draw(setup, r, 1e-3, &coarse);
  draw(setup, r, 1e-6, &fine);
  below_eps(r, &coarse, 1e-3);
  below_eps(r, &fine, 1e-6);
  // With the exact body the error is that of the splitting: proportional to eps (the next term is of eps^2),
  // and the same with the body by Taylor series. The error of the rival is that of its free body, which does
  // not know eps.
  for (int k = 0; k < SCHEMES; k++) {
    verify_add(r, VERIFY_RELATIVE, "", largest(coarse.exact[k]) / 1e-3, largest(fine.exact[k]) / 1e-6, 2e-2,
               "%s, exact body, all steps: largest mean error of eps, at eps = 0.001 and at 1e-6",
               schemes[k].name);
    verify_add(r, VERIFY_ABSOLUTE, "",
               log2(coarse.exact[k][PERTURBED_STEPS - 2] / coarse.exact[k][PERTURBED_STEPS - 1]),
               schemes[k].scheme->order, slack[k],
               "eps = 0.001, %s, exact body, basic step 1 to 0.5: slope of the mean error", schemes[k].name);
    if (schemes[k].scheme->order > 2)
      verify_add_range(
          r, "", coarse.rival[k][PERTURBED_STEPS - 2] / coarse.exact[k][PERTURBED_STEPS - 2], 10, 1e9, 0,
          "eps = 0.001, %s, basic step 1: error with McLachlan-Reich, of that with the exact body",
          schemes[k].name);
    const double by_taylor = mean_error(k, rival_taylor, 1e-3, 1, 1, r);
    verify_add(r, VERIFY_RELATIVE, "", coarse.exact[k][PERTURBED_STEPS - 2], by_taylor, 1e-5,
               "eps = 0.001, %s, basic step 1: mean error, beside the body by Taylor series",
               schemes[k].name);
    const double free_error = mean_error(k, schemes[k].rival, 1e-6, 0, 0.5, r);
    verify_add(r, VERIFY_RELATIVE, "", fine.rival[k][PERTURBED_STEPS - 1], free_error, 2e-2,
               "eps = 1e-6, %s, McLachlan-Reich, the smallest step: mean error, beside that of the free body",
               schemes[k].name);
  }
}
