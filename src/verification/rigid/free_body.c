// The free rigid body at random: Saefstroem's thesis (2009), Figure 3.1, and the orders of its methods.
#include "sagbend/base/steps.h"
#include "verification/harness/case_functions.h"
#include "verification/harness/result.h"
#include "verification/rigid/bodies.h"

#include <math.h>
#include <string.h>

static const struct body_method methods[] = {{"exact, frame", RIGID_EXACT_FRAME, NULL, 0},
                                             {"exact, quaternion", RIGID_EXACT_QUATERNION, NULL, 0},
                                             {"Gauss 6", RIGID_GAUSS_6, NULL, 0},
                                             {"Gauss 8", RIGID_GAUSS_8, NULL, 0},
                                             {"Gauss 10", RIGID_GAUSS_10, NULL, 0},
                                             {"Magnus 2", RIGID_MAGNUS_2, NULL, 0},
                                             {"Magnus 4", RIGID_MAGNUS_4, NULL, 0},
                                             {"Magnus 6", RIGID_MAGNUS_6, NULL, 0},
                                             {"McLachlan-Reich 2", 0, rival_mclachlan_reich_2, 0},
                                             {"McLachlan-Reich 4", 0, rival_mclachlan_reich_4, 0},
                                             {"Moser-Veselov 2", 0, rival_moser_veselov, 0},
                                             {"Moser-Veselov 6", 0, rival_moser_veselov, 6},
                                             {"Moser-Veselov 8", 0, rival_moser_veselov, 8},
                                             {"Moser-Veselov 10", 0, rival_moser_veselov, 10}};
enum { METHODS = sizeof methods / sizeof *methods, EXACT_QUATERNION = 1, GAUSS = 2, DMV = 11 };

struct scatter { // over the bodies for which the method has a solution
  double mean_log, worst_log;
};

static struct scatter errors_of(const struct body_method *m, int bodies, double h, double *seconds,
                                const struct verify_setup *setup) {
  struct scatter e = {0, -99};
  int solved = 0;
  struct random_stream s = random_stream_of(random_seed(1, "free-body"));
  long steps = (long)steps_nearest_to(10, h);
  *seconds = 0;
  for (int k = 0; k < bodies; k++) {
    struct body b = body_random(&s, 0.05), exact = b;
    double begin_s = verify_clock_s(setup);
    body_advance(m, &b, 10.0 / (double)steps, steps);
    *seconds += verify_clock_s(setup) - begin_s;
    if (body_is_lost(&b))
      continue;
    rival_taylor(exact.moments, 10, exact.m, &exact.q);
    double digits = log10(fmax(body_attitude_error(b.q, exact.q), 1e-17));
    e.mean_log += digits;
    e.worst_log = fmax(e.worst_log, digits);
    solved++;
  }
  e.mean_log /= solved;
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

// One body. The higher quadratures reach rounding too soon for it.
static void orders(struct verify_result *r) {
  enum { LEVELS = 3 };
  static const struct {
    int method, order;
    double step_s;
    int levels;
  } rows[] = {{GAUSS, 6, 1, 3},  {5, 2, 0.4, 3},        {6, 4, 0.4, 3},        {7, 6, 0.4, 3},
              {DMV, 6, 0.25, 3}, {DMV + 1, 8, 0.25, 3}, {DMV + 2, 10, 0.25, 2}};
  struct verify_plot *plot = verify_plot(r, "One body, attitude at t = 16: orders", "step", "error");
  const struct body start = {{0.5, 0.7, 1}, {0.45549, 0.82623, 0.33148}, {1, 0, 0, 0}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const struct body_method *m = &methods[rows[k].method];
    double width[LEVELS], error[LEVELS];
    for (int i = 0; i < rows[k].levels; i++) {
      width[i] = rows[k].step_s / (1 << i);
      error[i] = pow(10, body_digits(m, start, width[i], 16));
    }
    verify_order_in(r, plot, m->name, width, error, rows[k].levels, rows[k].order, 0.2);
  }
}

// Gauss's quadratures in one step, where no rounding adds up: the mean of log10 of the error over bodies
// whose first moment is small, which the paper finds the hardest. The error of a step has one order more.
// Steps at which the error of a body happens to vanish pull the slope of the mean down by up to 0.7.
static void quadratures(struct verify_result *r) {
  enum { BODIES = 200, LEVELS = 6 };
  static const double first[] = {0.2, 0.283, 0.566}, slack[] = {0.3, 0.6, 0.9};
  struct verify_plot *plot = verify_plot(r, "Hard bodies, attitude after one step", "log10 of the step",
                                         "mean of log10 of the error");
  for (int k = 0; k < 3; k++) {
    struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "%s", methods[GAUSS + k].name);
    double mean[LEVELS] = {0};
    for (int i = 0; i < LEVELS; i++) {
      const double h = first[k] * exp2(1 - i);
      struct random_stream s = random_stream_of(random_seed(1, "corner"));
      for (int n = 0; n < BODIES; n++) {
        struct body b = body_random(&s, 0.5);
        b.moments[0] = 0.05 + 0.05 * random_uniform(&s);
        mean[i] += body_digits(&methods[GAUSS + k], b, h, h) / BODIES;
      }
      verify_point(r, line, log10(h), mean[i]);
    }
    verify_add(r, VERIFY_ABSOLUTE, "", (mean[1] - mean[2]) / log10(2), 7 + 2 * k, slack[k],
               "%s, one step of %g and %g: order", methods[GAUSS + k].name, first[k], 0.5 * first[k]);
  }
}

// The paper's draw, moments from 0 to 1: 75 of its 100 bodies converge. Reading error: two standard
// deviations of a draw of 100.
static void convergence(const struct verify_setup *setup, struct verify_result *r) {
  const int bodies = setup->extended ? 400 : 100;
  for (int k = 0; k < 3; k++) {
    struct random_stream s = random_stream_of(random_seed(1, "free-body"));
    int solved = 0;
    for (int n = 0; n < bodies; n++) {
      struct body b = body_random(&s, 0);
      body_advance(&methods[DMV + k], &b, 0.4, 25);
      solved += !body_is_lost(&b);
    }
    verify_add_range(r, "", (double)solved / bodies, 0.66, 0.84, 0,
                     "%s, h = 0.4: share of bodies with a solution", methods[DMV + k].name);
  }
}

void verify_free_body(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(r, "%d random bodies (--long: 100), |m| = 1, I3 = 1; steps of 0.01 to 0.4",
                  setup->extended ? 100 : 20);
  accuracy(setup, r);
  orders(r);
  quadratures(r);
  convergence(setup, r);
}
