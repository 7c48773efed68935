// A nearly free body in a weak field: Saefstroem's thesis (2009), Paper II, Figure 3.5. Five schemes, each
// with the exact body and with MR raised to the scheme's order by Yoshida's compositions; steps of the same
// number of kicks.
#include "sagbend/math/random.h"
#include "verification/harness/case_functions.h"
#include "verification/rigid/rigid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
  STEPS = sizeof basic / sizeof *basic,
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
  double exact[SCHEMES][STEPS], rival[SCHEMES][STEPS];
};

static void draw(const struct verify_setup *setup, struct verify_result *r, double eps, struct outcome *o) {
  char title[96];
  snprintf(title, sizeof title, "Figure 3.5, eps = %g: mean relative error of the energy", eps);
  struct verify_plot *plot = verify_plot(r, title, "log10 of the basic step", "log10");
  snprintf(title, sizeof title, "Figure 3.5, eps = %g: the same against cost", eps);
  struct verify_plot *costs = verify_cost_plot(setup, r, title, "run (s)", "error");
  for (int k = 0; k < SCHEMES; k++)
    for (int rival = 0; rival < 2; rival++) {
      const enum verify_style style = rival ? VERIFY_DASHED : VERIFY_LINE;
      const char *body = rival ? "McLachlan-Reich" : "exact";
      struct verify_series *line = verify_series(r, plot, style, "%s, %s", schemes[k].name, body);
      struct verify_series *cost = verify_cost_series(r, costs, style, "%s, %s", schemes[k].name, body);
      for (int i = 0; i < STEPS; i++) {
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
  for (int i = 0; i < STEPS; i++)
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
    verify_add(r, VERIFY_ABSOLUTE, "", log2(coarse.exact[k][STEPS - 2] / coarse.exact[k][STEPS - 1]),
               schemes[k].scheme->order, slack[k],
               "eps = 0.001, %s, exact body, basic step 1 to 0.5: slope of the mean error", schemes[k].name);
    if (schemes[k].scheme->order > 2)
      verify_add_range(
          r, "", coarse.rival[k][STEPS - 2] / coarse.exact[k][STEPS - 2], 10, 1e9, 0,
          "eps = 0.001, %s, basic step 1: error with McLachlan-Reich, of that with the exact body",
          schemes[k].name);
    const double by_taylor = mean_error(k, rival_taylor, 1e-3, 1, 1, r);
    verify_add(r, VERIFY_RELATIVE, "", coarse.exact[k][STEPS - 2], by_taylor, 1e-5,
               "eps = 0.001, %s, basic step 1: mean error, beside the body by Taylor series",
               schemes[k].name);
    const double free_error = mean_error(k, schemes[k].rival, 1e-6, 0, 0.5, r);
    verify_add(r, VERIFY_RELATIVE, "", fine.rival[k][STEPS - 1], free_error, 2e-2,
               "eps = 1e-6, %s, McLachlan-Reich, the smallest step: mean error, beside that of the free body",
               schemes[k].name);
  }
}
