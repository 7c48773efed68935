// Rigid bodies in potentials: the heavy top and the satellite of Saefstroem's thesis (2009), Figures 2.3
// to 2.8 and 3.5 to 3.7. Kicks of the potential and flows of the free body, composed; the free body exactly
// or by its rivals.
#include "core/base/steps.h"
#include "core/math/compose.h"
#include "core/math/free.h"
#include "core/math/random.h"
#include "verify/harness/case_functions.h"
#include "verify/rivals/free_body.h"
#include "verify/harness/result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Which free body, and what turns it.
struct torqued {
  double moments[3], m[3];
  quat q;
  struct rigid_inertia inertia;
  enum rigid_attitude how; // exact, where there is no rival
  rival_body_flow *rival;
  double weight;   // of the top: V = weight e3 . u, u the centre of mass as the body sees it
  double gradient; // of the satellite: 3 mu/r^3, V = gradient/2 c . I c, c = Q'e3
};

static struct torqued torqued_of(const double moments[3]) {
  struct torqued t = {.q = {1, 0, 0, 0}, .how = RIGID_EXACT_QUATERNION};
  memcpy(t.moments, moments, sizeof t.moments);
  t.inertia = rigid_inertia_of(moments);
  return t;
}

static vec3 vertical(const struct torqued *t) { // e3 as the body sees it
  mat3 q = quat_matrix(t->q);
  return (vec3){q.m[2][0], q.m[2][1], q.m[2][2]};
}

static double energy_of(const struct torqued *t) {
  vec3 c = vertical(t);
  double shape = t->moments[0] * c.x * c.x + t->moments[1] * c.y * c.y + t->moments[2] * c.z * c.z;
  return rigid_free_energy_j(&t->inertia, t->m) + t->weight * c.z + 0.5 * t->gradient * shape;
}

static void turn_freely(void *torqued, double h) {
  struct torqued *t = torqued;
  if (t->rival)
    t->rival(t->moments, h, t->m, &t->q);
  else
    rigid_free_flow(&t->inertia, t->how, h, t->m, &t->q);
}

static void kick(void *torqued, double h) {
  struct torqued *t = torqued;
  vec3 c = vertical(t), ic = {t->moments[0] * c.x, t->moments[1] * c.y, t->moments[2] * c.z};
  vec3 torque = vec3_axpy(t->gradient, vec3_cross(c, ic), vec3_scale(t->weight, (vec3){c.y, -c.x, 0}));
  vec3_to(vec3_axpy(h, torque, vec3_of(t->m)), t->m);
}

struct drift {
  double largest, mean; // of |H - H0|
};

// V2 as the thesis takes it, kick, body, kick; other schemes with the body as a. line: |H - H0|/|H0| over
// time, or NULL.
static struct drift follow(struct torqued t, const struct scheme *scheme, double h, double duration,
                           struct verify_result *r, struct verify_series *line) {
  struct drift d = {0, 0};
  double start = energy_of(&t);
  long steps = (long)steps_nearest_to(duration, h), every = steps > 400 ? steps / 400 : 1;
  for (long k = 1; k <= steps; k++) {
    if (scheme == &scheme_v2)
      compose(scheme, kick, turn_freely, &t, h);
    else
      compose(scheme, turn_freely, kick, &t, h);
    double off = fabs(energy_of(&t) - start);
    d.largest = fmax(d.largest, off);
    d.mean += off / (double)steps;
    if (line && k % every == 0)
      verify_point(r, line, h * (double)k, log10(fmax(off / fabs(start), 1e-17)));
  }
  return d;
}

// ---- the heavy top ----

static struct torqued thesis_top(void) {
  const double moments[3] = {1000, 5000, 6000};
  struct torqued t = torqued_of(moments);
  for (int i = 0; i < 3; i++)
    t.m[i] = moments[i] * 10;
  t.weight = 1;
  return t;
}

static void top_energies(struct verify_result *r) {
  static const double steps[] = {0.1, 0.05, 0.01}, exact[] = {0.415, 0.0915, 3.58e-3},
                      magnus[] = {0.616, 0.116, 4.39e-3};
  struct verify_plot *plot =
      verify_plot(r, "Heavy top, h = 0.01: relative error of the energy", "time", "log10");
  for (int i = 0; i < 3; i++) {
    struct torqued t = thesis_top();
    struct verify_series *line = i == 2 ? verify_series(r, plot, VERIFY_LINE, "exact") : NULL;
    verify_add(r, VERIFY_RELATIVE, "", follow(t, &scheme_v2, steps[i], 100, r, line).largest, exact[i], 0.02,
               "exact body, h = %g: largest |H - H0|", steps[i]);
    t.how = RIGID_MAGNUS_2;
    line = i == 2 ? verify_series(r, plot, VERIFY_LINE, "exact momentum, Magnus 2 (SEJ)") : NULL;
    verify_add(r, VERIFY_RELATIVE, "", follow(t, &scheme_v2, steps[i], 100, r, line).largest, magnus[i], 0.02,
               "Magnus 2 (SEJ), h = %g: largest |H - H0|", steps[i]);
    t.rival = rival_mclachlan_reich_2;
    line = i == 2 ? verify_series(r, plot, VERIFY_DASHED, "McLachlan-Reich") : NULL;
    double off = follow(t, &scheme_v2, steps[i], 100, r, line).largest;
    if (i == 2)
      verify_add(r, VERIFY_RELATIVE, "", off, 31.5, 0.02, "McLachlan-Reich, h = 0.01: largest |H - H0|");
  }
}

static double apart(quat a, quat b) {
  double sign = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0 ? -1 : 1;
  return sqrt(pow(a.w - sign * b.w, 2) + pow(a.x - sign * b.x, 2) + pow(a.y - sign * b.y, 2) +
              pow(a.z - sign * b.z, 2));
}

static void top_order(struct verify_result *r) { // Figure 2.3
  enum { LEVELS = 4 };
  double width[LEVELS], error[LEVELS];
  struct torqued fine = thesis_top();
  compose_steps(&scheme_s6_10, turn_freely, kick, &fine, 1.0 / 512, 512);
  for (int k = 0; k < LEVELS; k++) {
    struct torqued t = thesis_top();
    long steps = 128L << k;
    compose_steps(&scheme_v2, kick, turn_freely, &t, 1.0 / (double)steps, steps);
    width[k] = 1.0 / (double)steps;
    error[k] = apart(t.q, fine.q);
  }
  verify_order(r, "Heavy top, attitude at t = 1, exact body", "step", "the attitude", width, error, LEVELS, 2,
               0.05);
}

static void top_speeds(struct verify_result *r) { // Figure 2.6
  struct verify_plot *plot =
      verify_plot(r, "Heavy top, mean |H - H0|, h = 0.01, t = 10", "log10 of alpha", "log10");
  static const char *const labels[] = {"exact, omega = alpha (1, 2, 3)", "McLachlan-Reich",
                                       "exact, I = alpha (1, 2, 3)", "McLachlan-Reich"};
  for (int which = 0; which < 4; which++) {
    struct verify_series *line = verify_series(r, plot, which % 2 ? VERIFY_DASHED : VERIFY_LINE, "%s%s",
                                               labels[which], which == 3 ? ", I" : "");
    for (int p = -2; p <= 4; p++) {
      double alpha = pow(10, 0.5 * p), moments[3];
      for (int i = 0; i < 3; i++)
        moments[i] = (which < 2 ? 1 : alpha) * (i + 1);
      struct torqued t = torqued_of(moments);
      for (int i = 0; i < 3; i++)
        t.m[i] = moments[i] * (which < 2 ? alpha : 1) * (i + 1);
      t.weight = 1;
      t.rival = which % 2 ? rival_mclachlan_reich_2 : NULL;
      verify_point(r, line, 0.5 * p, log10(follow(t, &scheme_v2, 0.01, 10, r, NULL).mean));
    }
  }
}

static struct torqued perturbed_body(struct random_stream *s, double eps) { // I1 = 1, T = 1
  double moments[3], m[3], left;
  do {
    double a = 1 + 9 * random_uniform(s), b = 1 + 9 * random_uniform(s);
    moments[0] = 1, moments[1] = fmin(a, b), moments[2] = fmax(a, b);
    m[0] = 2 * random_uniform(s) - 1, m[1] = 2 * random_uniform(s) - 1;
    left = 2 - m[0] * m[0] / moments[0] - m[1] * m[1] / moments[1];
  } while (left < 0);
  m[2] = sqrt(left * moments[2]);
  struct torqued t = torqued_of(moments);
  memcpy(t.m, m, sizeof m);
  t.weight = eps;
  return t;
}

// Figure 3.5; steps of V2, a tenth of those of ten stages. With the exact body the error is that of the
// splitting: proportional to eps, and the same with the body by Taylor series in extended precision. The
// error of the rival is that of its free body, which does not know eps. Returns the largest error over eps.
static double perturbed(struct verify_result *r, double eps) {
  static const double basic[] = {8, 5, 4, 2, 1.75, 1.5, 1.25, 1, 0.5};
  enum { STEPS = sizeof basic / sizeof *basic, BODIES = 20 };
  char title[96];
  snprintf(title, sizeof title, "Perturbed body, eps = %g: mean relative error of the energy", eps);
  struct verify_plot *plot = verify_plot(r, title, "log10 of the basic step", "log10");
  double worst_exact = 0, least_rival = 1e9, free_rival = 0, by_taylor = 0;
  for (int which = 0; which < 4; which++) {
    static const char *const names[] = {"V2, exact", "V2, McLachlan-Reich", "RKN4b_6, exact",
                                        "RKN4b_6, McLachlan-Reich 4"};
    const struct scheme *scheme = which < 2 ? &scheme_v2 : &scheme_rkn4b_6;
    struct verify_series *line =
        verify_series(r, plot, which % 2 ? VERIFY_DASHED : VERIFY_LINE, "%s", names[which]);
    for (int i = 0; i < STEPS; i++) {
      struct random_stream s = random_stream_of(random_seed(2, "perturbed"));
      double mean = 0;
      for (int k = 0; k < BODIES; k++) {
        struct torqued t = perturbed_body(&s, eps), other = t;
        t.rival = which % 2 == 0 ? NULL : which == 1 ? rival_mclachlan_reich_2 : rival_mclachlan_reich_4;
        const double h = 0.1 * scheme->stages * basic[i];
        mean += follow(t, scheme, h, 20, r, NULL).mean / fabs(energy_of(&t)) / BODIES;
        if (which == 0 && i == 0) { // the largest step has the largest error
          other.rival = rival_taylor;
          by_taylor += follow(other, scheme, h, 20, r, NULL).mean / fabs(energy_of(&other)) / BODIES;
        } else if (which == 1 && i == STEPS - 1) { // the smallest step has the least
          other = t, other.weight = 0;
          free_rival += follow(other, scheme, h, 20, r, NULL).mean / fabs(energy_of(&other)) / BODIES;
        }
      }
      verify_point(r, line, log10(basic[i]), log10(mean));
      if (which == 0)
        worst_exact = fmax(worst_exact, mean);
      if (which == 1)
        least_rival = fmin(least_rival, mean);
    }
  }
  verify_add(r, VERIFY_RELATIVE, "", worst_exact / eps, by_taylor / eps, 1e-6,
             "eps = %g, V2 with the exact body, all steps: largest mean error, of eps", eps);
  if (eps < 1e-5)
    verify_add(r, VERIFY_RELATIVE, "", least_rival / eps, free_rival / eps, 1e-3,
               "eps = %g, V2 with McLachlan-Reich, all steps: least mean error, of eps", eps);
  return worst_exact / eps;
}

void verify_heavy_top(const struct verify_setup *setup, struct verify_result *r) {
  (void)setup;
  verify_run_with(r, "I = (1000, 5000, 6000), omega = (10, 10, 10), unit weight, to t = 100; 20 random "
                     "bodies for the perturbed ones");
  top_energies(r);
  top_order(r);
  top_speeds(r);
  double coarse = perturbed(r, 1e-3), fine = perturbed(r, 1e-6);
  verify_add(r, VERIFY_RELATIVE, "", coarse, fine, 5e-3, // the next term of the splitting is of eps^2
             "V2 with the exact body: largest mean error of eps, at eps = 0.001 and at 1e-6");
}

// ---- the satellite ----

static struct torqued thesis_satellite(void) {
  const double moments[3] = {1.7e4, 3.7e4, 5.4e4}, omega[3] = {15, -15, 15};
  struct torqued t = torqued_of(moments);
  for (int i = 0; i < 3; i++)
    t.m[i] = moments[i] * omega[i];
  t.gradient = 3 * 3.986e14 / pow(1.5e5, 3);
  return t;
}

// A method that turns m keeps |m|, and the gravity gradient hardly changes it: the kinetic energy stays
// between |m|^2/(2 I3) and |m|^2/(2 I1). A method without an energy of its own comes close to the larger one.
static double most_energy(const struct torqued *t) {
  return 0.5 * vec3_dot(vec3_of(t->m), vec3_of(t->m)) / t->moments[0];
}

void verify_satellite(const struct verify_setup *setup, struct verify_result *r) {
  // Largest relative |H - H0| to t = 400 with the body by Taylor series in extended precision, computed once;
  // the case computes it to t = 20.
  static const double steps[] = {0.1, 0.05}, by_taylor[] = {1.15115e-7, 4.577e-10};
  static const double rounding[] = {1e-4, 1e-2}; // of H, over these errors
  const double short_s = 20;
  (void)setup;
  verify_run_with(r, "I = (1.7, 3.7, 5.4) 1e4, omega = (15, -15, 15), mu = 3.986e14, r = 1.5e5, to t = 400");
  struct torqued t = thesis_satellite();
  double start = energy_of(&t);
  verify_add(r, VERIFY_ABSOLUTE, "", start, 12159566.40, 0.005, "H0");
  for (int i = 0; i < 2; i++) {
    char title[96];
    snprintf(title, sizeof title, "Satellite, h = %g: relative error of the energy", steps[i]);
    struct verify_plot *plot = verify_plot(r, title, "time", "log10");
    double best =
        follow(t, &scheme_rkn6a_14, steps[i], 400, r, verify_series(r, plot, VERIFY_LINE, "RKN6a_14, exact"))
            .largest /
        start;
    verify_add(r, VERIFY_RELATIVE, "", best, by_taylor[i], rounding[i],
               "RKN6a_14 with the exact body, h = %g: largest relative |H - H0|", steps[i]);
    struct torqued other = t;
    other.rival = rival_taylor;
    verify_add(r, VERIFY_RELATIVE, "",
               follow(t, &scheme_rkn6a_14, steps[i], short_s, r, NULL).largest / start,
               follow(other, &scheme_rkn6a_14, steps[i], short_s, r, NULL).largest / start, rounding[i],
               "the same to t = 20, beside the body by Taylor series");
    other = t;
    follow(other, &scheme_v2, steps[i], 400, r, verify_series(r, plot, VERIFY_LINE, "kick, exact, kick"));
    other.how = RIGID_MAGNUS_4;
    follow(other, &scheme_v2, steps[i], 400, r, verify_series(r, plot, VERIFY_LINE, "SEJ4"));
    other.rival = rival_mclachlan_reich_2;
    double off = follow(other, &scheme_v2, steps[i], 400, r,
                        verify_series(r, plot, VERIFY_DASHED, "kick, McLachlan-Reich, kick"))
                     .largest /
                 start;
    if (i == 0)
      verify_add(r, VERIFY_RELATIVE, "", off, most_energy(&t) / start - 1, 0.05,
                 "kick, McLachlan-Reich, kick, h = 0.1: largest relative |H - H0|, beside that of |m| alone");
  }
}
