// The free rigid body at random: Saefstroem's thesis (2009), Figure 3.1, and the orders of its methods.
#include "verification/rigid/rigid.h"

#include "sagbend/base/base.h"
#include "verification/harness/harness.h"

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

enum { MOST_BODIES = 100 };

// start: the bodies; end: the same at t = 10, by Taylor's series.
static struct scatter errors_of(const struct body_method *m, const struct body *start, const struct body *end,
                                int bodies, double h, double *seconds, const struct verify_setup *setup) {
  struct scatter e = {0, -99};
  int solved = 0;
  long steps = (long)steps_nearest_to(10, h);
  *seconds = 0;
  for (int k = 0; k < bodies; k++) {
    struct body b = start[k];
    double begin_s = verify_clock_s(setup);
    body_advance(m, &b, 10.0 / (double)steps, steps);
    *seconds += verify_clock_s(setup) - begin_s;
    if (body_is_lost(&b))
      continue;
    double digits = log10(fmax(body_attitude_error(b.q, end[k].q), 1e-17));
    e.mean_log += digits;
    e.worst_log = fmax(e.worst_log, digits);
    solved++;
  }
  e.mean_log /= solved;
  return e;
}

static void accuracy(const struct verify_setup *setup, struct verify_result *r) {
  static const double steps[] = {0.4, 0.2, 0.1, 0.04, 0.02, 0.01};
  int bodies = setup->extended ? MOST_BODIES : 20;
  struct body start[MOST_BODIES], end[MOST_BODIES];
  struct random_stream s = random_stream_of(random_seed(1, "free-body"));
  for (int k = 0; k < bodies; k++) {
    start[k] = end[k] = body_random(&s, 0.05);
    rival_taylor(end[k].moments, 10, end[k].m, &end[k].q);
  }
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
      struct scatter e = errors_of(&methods[k], start, end, bodies, steps[i], &seconds, setup);
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

// ------------------------------------------------------------
// One body for one second: Saefstroem's thesis (2009), Figures 2.1 and 2.2 and section 2.4.1. The momentum by
// the exact flow and by its rivals, then the attitude too.

enum {
  EXACT,
  MR2,
  MR4,
  DMV2,
  DMV4,
  DMV6,
  JEM2,
  JEM4,
  ONE_SECOND_METHODS,
  ONE_SECOND_LEVELS = 5,
  FIRST = 2
}; // h = 1/2^FIRST and halves
static const struct body_method methods_of_one_second[ONE_SECOND_METHODS] = {
    {"exact", RIGID_EXACT_QUATERNION, NULL, 0},
    {"MR 2", 0, rival_mclachlan_reich_2, 0},
    {"MR 4", 0, rival_mclachlan_reich_4, 0},
    {"DMV 2", 0, rival_moser_veselov, 0},
    {"DMV 4", 0, rival_moser_veselov, 4},
    {"DMV 6", 0, rival_moser_veselov, 6},
    {"JEM 2 (exact momentum, Magnus 2)", RIGID_MAGNUS_2, NULL, 0},
    {"JEM 4 (exact momentum, Magnus 4)", RIGID_MAGNUS_4, NULL, 0}};
static const int order_of[ONE_SECOND_METHODS] = {0, 2, 4, 2, 4, 6, 2, 4};
static const struct body start = {{5, 4, 3}, {-1, 0, 2}, {1, 0, 0, 0}};

struct errors {
  double momentum[ONE_SECOND_LEVELS], attitude[ONE_SECOND_LEVELS], cost_s[ONE_SECOND_LEVELS];
};

static double momentum_apart(const struct body *a, const struct body *b) {
  return vec3_norm(vec3_sub(vec3_of(a->m), vec3_of(b->m)));
}

static struct errors errors_of_one_second(const struct verify_setup *setup, const struct body_method *m) {
  struct body exact = start;
  struct errors e;
  rival_taylor(exact.moments, 1, exact.m, &exact.q);
  for (int i = 0; i < ONE_SECOND_LEVELS; i++) {
    const long steps = 1L << (FIRST + i);
    struct body b = start;
    double begin_s = verify_clock_s(setup);
    body_advance(m, &b, 1.0 / (double)steps, steps);
    e.cost_s[i] = verify_clock_s(setup) - begin_s;
    e.momentum[i] = momentum_apart(&b, &exact);
    e.attitude[i] = body_apart(b.q, exact.q);
  }
  return e;
}

// tests/reference/torqued_bodies.py, h = 1/16
static const struct {
  int method;
  double momentum, attitude;
} others[] = {
    {MR2, 9.483095e-05, 3.440816e-05},  {MR4, 6.004608e-08, 4.838031e-08}, {DMV2, 1.205781e-04, 1.090236e-04},
    {DMV4, 1.808205e-08, 1.058528e-08}, {JEM2, 0, 6.837090e-06},           {JEM4, 0, 2.783521e-10}};

static void figures(const struct verify_setup *setup, struct verify_result *r) {
  static const int momentum_of[] = {MR2, MR4, DMV2, DMV4, DMV6}, attitude_of[] = {MR2, MR4, JEM2, JEM4};
  struct errors e[ONE_SECOND_METHODS];
  double width[ONE_SECOND_LEVELS];
  for (int i = 0; i < ONE_SECOND_LEVELS; i++)
    width[i] = 1.0 / (1 << (FIRST + i));
  for (int k = 0; k < ONE_SECOND_METHODS; k++)
    e[k] = errors_of_one_second(setup, &methods_of_one_second[k]);
  struct verify_plot *plots[2] = {verify_plot(r, "Figure 2.1: the momentum at t = 1", "step", "|error|"),
                                  verify_plot(r, "Figure 2.2: the attitude at t = 1", "step", "|error|")};
  for (size_t k = 0; k < sizeof momentum_of / sizeof *momentum_of; k++)
    verify_order_in(r, plots[0], methods_of_one_second[momentum_of[k]].name, width,
                    e[momentum_of[k]].momentum, momentum_of[k] == DMV6 ? 3 : ONE_SECOND_LEVELS,
                    order_of[momentum_of[k]], 0.1); // then rounding
  for (size_t k = 0; k < sizeof attitude_of / sizeof *attitude_of; k++)
    verify_order_in(r, plots[1], methods_of_one_second[attitude_of[k]].name, width,
                    e[attitude_of[k]].attitude, ONE_SECOND_LEVELS, order_of[attitude_of[k]], 0.1);
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    const struct errors *x = &e[others[k].method];
    const char *name = methods_of_one_second[others[k].method].name;
    if (others[k].momentum > 0)
      verify_add(r, VERIFY_RELATIVE, "", x->momentum[4 - FIRST], others[k].momentum, 2e-3,
                 "%s, h = 1/16: error of the momentum", name);
    verify_add(r, VERIFY_RELATIVE, "", x->attitude[4 - FIRST], others[k].attitude, 2e-3,
               "%s, h = 1/16: error of the attitude", name);
  }
  double worst = 0;
  for (int i = 0; i < ONE_SECOND_LEVELS; i++)
    worst = fmax(worst, e[EXACT].momentum[i]);
  verify_add(r, VERIFY_ABSOLUTE, "", worst, 0, 1e-14,
             "exact, h = 1/4 to 1/64: largest error of the momentum");
  struct verify_plot *cost =
      verify_cost_plot(setup, r, "Figure 2.1: the momentum against cost", "time of the run, s", "|error|");
  for (int k = 0; k <= DMV6; k++) {
    struct verify_series *line =
        verify_cost_series(r, cost, VERIFY_LINE, "%s", methods_of_one_second[k].name);
    for (int i = 0; i < ONE_SECOND_LEVELS; i++)
      verify_point(r, line, e[k].cost_s[i], fmax(e[k].momentum[i], 1e-17));
  }
}

// Section 2.4.1, h = 0.4 to t = 400. The paper's amplitudes are "about" 1e-3 (MR 2) and 1e-5 (MR 4), read to
// a factor of four; its sizes 1e-13 (DMV) and 1e-16 (exact).
static void energies(struct verify_result *r) {
  static const struct {
    int method;
    double other, paper;
  } rows[] = {
      {MR2, 2.4e-3, 1e-3}, {MR4, 6.5e-5, 1e-5}, {DMV2, 0, 1e-13}, {DMV4, 0, 1e-13}, {EXACT, 0, 1e-13}};
  struct verify_plot *plot = verify_plot(r, "Energy of the free body, h = 0.4", "time", "log10 of |H - H0|");
  const struct rigid_inertia inertia = rigid_inertia_of(start.moments);
  const double h0 = rigid_free_energy_j(&inertia, start.m);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const struct body_method *m = &methods_of_one_second[rows[k].method];
    struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "%s", m->name);
    struct body b = start;
    double low = 0, high = 0;
    for (int step = 1; step <= 1000; step++) {
      body_advance(m, &b, 0.4, 1);
      double off = rigid_free_energy_j(&inertia, b.m) - h0;
      low = fmin(low, off), high = fmax(high, off);
      if (step % 5 == 0)
        verify_point(r, line, 0.4 * step, log10(fmax(fabs(off), 1e-17)));
    }
    if (rows[k].other > 0) {
      verify_add(r, VERIFY_RELATIVE, "", fmax(high, -low), rows[k].other, 0.05,
                 "%s, h = 0.4 to t = 400: largest |H - H0|", m->name);
      verify_add_range(r, "", 0.5 * (high - low), 0.25 * rows[k].paper, 4 * rows[k].paper, 0,
                       "%s, h = 0.4 to t = 400: amplitude of H, the paper's to a factor of four", m->name);
    } else
      verify_add_range(r, "", fmax(high, -low), 0, rows[k].paper, 0,
                       "%s, h = 0.4 to t = 400: largest |H - H0|", m->name);
  }
  // From the start at once, as the paper's 1e-16 is had: no step passes its rounding to the next.
  double worst = 0;
  for (int step = 1; step <= 1000; step++) {
    double m[1][3], at = 0.4 * step;
    rigid_free_momenta(&inertia, start.m, &at, 1, m);
    worst = fmax(worst, fabs(rigid_free_energy_j(&inertia, m[0]) - h0));
  }
  verify_add(r, VERIFY_ABSOLUTE, "", worst, 0, 5e-16,
             "exact, each of 1000 times from the start: largest |H - H0|");
}

void verify_one_second(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(r, "I = (5, 4, 3), pi = (-1, 0, 2), h = 1/4 to 1/64 to t = 1; h = 0.4 to t = 400");
  figures(setup, r);
  energies(r);
}
