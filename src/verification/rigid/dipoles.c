// Soft dipolar spheres: Saefstroem's thesis (2009), section 3.3.4, Figures 3.8 to 3.10. Its starts are random
// and its printed energy cannot be met without them, so the initial state here is a disturbed lattice with
// random attitudes, at rest.
#include "verification/rigid/rigid.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"
#include "sagbend/rigid/rigid.h"
#include "verification/harness/harness.h"
#include "verification/rivals/rivals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 125 };
static const double MOMENTS[3] = {1, 1.88, 2.88}; // of water
static const vec3 dipole_b = {0, 1, 1};

struct liquid {
  int count;
  vec3 q[MOST], p[MOST]; // of unit mass
  double m[MOST][3];
  quat attitude[MOST];
  struct rigid_inertia inertia;
  rival_body_flow *rival; // NULL: the exact body
};

// V = 4/r^12 + mu_i.mu_j/r^3 - 3 (mu_i.r)(mu_j.r)/r^5 over all pairs; force and torque (n) on each, if asked
// for.
static double potential(const struct liquid *l, vec3 *force, vec3 *torque) {
  vec3 mu[MOST];
  double sum = 0;
  for (int i = 0; i < l->count; i++) {
    mat3 r = quat_matrix(l->attitude[i]);
    mu[i] = mat3_mul(&r, dipole_b);
    if (force)
      force[i] = torque[i] = (vec3){0, 0, 0};
  }
  for (int i = 0; i < l->count; i++)
    for (int j = i + 1; j < l->count; j++) {
      vec3 r = vec3_sub(l->q[i], l->q[j]);
      double r2 = vec3_dot(r, r), inverse2 = 1 / r2, inverse3 = inverse2 * sqrt(inverse2),
             inverse5 = inverse3 * inverse2;
      double twelfth = 4 * inverse3 * inverse3 * inverse3 * inverse3;
      double a = vec3_dot(mu[i], r), b = vec3_dot(mu[j], r), c = vec3_dot(mu[i], mu[j]);
      sum += twelfth + c * inverse3 - 3 * a * b * inverse5;
      if (!force)
        continue;
      double radial =
          12 * twelfth * inverse2 + 3 * c * inverse5 - 15 * a * b * inverse5 * inverse2; // -dV/dr along r
      vec3 f = vec3_axpy(radial, r, vec3_scale(3 * inverse5, vec3_axpy(b, mu[i], vec3_scale(a, mu[j]))));
      force[i] = vec3_add(force[i], f);
      force[j] = vec3_sub(force[j], f);
      // torque = mu x -dV/dmu
      vec3 field_i = vec3_axpy(3 * b * inverse5, r, vec3_scale(-inverse3, mu[j]));
      vec3 field_j = vec3_axpy(3 * a * inverse5, r, vec3_scale(-inverse3, mu[i]));
      torque[i] = vec3_add(torque[i], vec3_cross(mu[i], field_i));
      torque[j] = vec3_add(torque[j], vec3_cross(mu[j], field_j));
    }
  return sum;
}

static double energy_of(const struct liquid *l) {
  double kinetic = 0;
  for (int i = 0; i < l->count; i++)
    kinetic += 0.5 * vec3_dot(l->p[i], l->p[i]) + rigid_free_energy_j(&l->inertia, l->m[i]);
  return kinetic + potential(l, NULL, NULL);
}

static void move(void *liquid, double h) {
  struct liquid *l = liquid;
  for (int i = 0; i < l->count; i++) {
    l->q[i] = vec3_axpy(h, l->p[i], l->q[i]);
    if (l->rival)
      l->rival(MOMENTS, h, l->m[i], &l->attitude[i]);
    else
      rigid_free_flow(&l->inertia, RIGID_EXACT_QUATERNION, h, l->m[i], &l->attitude[i]);
  }
}

static void kick(void *liquid, double h) {
  struct liquid *l = liquid;
  static vec3 force[MOST], torque[MOST]; // one case runs at a time
  potential(l, force, torque);
  for (int i = 0; i < l->count; i++) {
    mat3 r = quat_matrix(l->attitude[i]);
    l->p[i] = vec3_axpy(h, force[i], l->p[i]);
    vec3_to(vec3_axpy(h, mat3_tmul(&r, torque[i]), vec3_of(l->m[i])), l->m[i]);
  }
}

// sides: bodies along x, y, z; p = m = 0.
static struct liquid start_of(const int sides[3], double spacing, double disturbance, const char *stream) {
  struct liquid l = {.inertia = rigid_inertia_of(MOMENTS)};
  struct random_stream s = random_stream_of(random_seed(5, stream));
  for (int x = 0; x < sides[0]; x++)
    for (int y = 0; y < sides[1]; y++)
      for (int z = 0; z < sides[2]; z++) {
        int i = l.count++;
        l.q[i] = (vec3){spacing * x + disturbance * random_normal(&s),
                        spacing * y + disturbance * random_normal(&s),
                        spacing * z + disturbance * random_normal(&s)};
        l.attitude[i] =
            quat_unit((quat){random_normal(&s), random_normal(&s), random_normal(&s), random_normal(&s)});
      }
  return l;
}

static const struct {
  const struct scheme *scheme;
  const char *name;
} schemes[] = {{&scheme_v2, "V2"},
               {&scheme_rkn4b_6, "RKN4b_6"},
               {&scheme_s6_10, "S6_10"},
               {&scheme_rkn6a_14, "RKN6a_14"}};
enum { SCHEMES = 4, LEVELS = 6, RKN4 = 1, RKN6 = 3 };

// Largest relative error of the energy with about this many evaluations of the potential; infinite if it blew
// up.
static double drift_of(const struct liquid *start, rival_body_flow *rival, const struct scheme *s,
                       double duration, long evaluations) {
  static struct liquid l;
  l = *start;
  l.rival = rival;
  double before = energy_of(&l), worst = 0;
  long steps = evaluations / s->stages > 0 ? evaluations / s->stages : 1, every = steps > 16 ? steps / 16 : 1;
  for (long k = 0; k < steps; k += every) {
    long some = steps - k < every ? steps - k : every;
    // the bodies move first; a scheme that begins with the kick begins with it
    compose_steps(s, s == &scheme_v2 ? kick : move, s == &scheme_v2 ? move : kick, &l,
                  duration / (double)steps, some);
    double off = fabs(energy_of(&l) - before);
    worst = off <= worst ? worst : off;
    if (!isfinite(off))
      return HUGE_VAL;
  }
  return worst / fabs(before);
}

// 100 bodies of low energy, all schemes, with the exact body and with its rival (Figure 3.8). The rival adds
// an error of order 2, which is all that is left of the error at the smallest step; at the largest step, 4^4
// to 4^5 times as large, it is still less than 1e-3 of the scheme's own. Returns RKN6a_14's error over
// RKN4b_6's at the smallest step.
static double calm_liquid(const struct verify_setup *setup, struct verify_result *r) {
  static const int sides[3] = {5, 5, 4};
  static const double rounding = 2e-13;
  static const double slack[SCHEMES] = {0.02, 0.15, 0.3,
                                        0.4}; // of the orders, which grow with the next terms
  static struct liquid start;
  double e[SCHEMES][2][LEVELS];
  int levels = setup->extended ? LEVELS : LEVELS - 1;
  start = start_of(sides, 1.2, 0.01, "calm");
  struct verify_plot *plot = verify_plot(r, "100 dipoles, t = 1", "log10 of evaluations of the potential",
                                         "log10 of the relative energy error");
  for (int k = 0; k < SCHEMES; k++) {
    for (int rival = 0; rival < 2; rival++) {
      struct verify_series *line = verify_series(r, plot, rival ? VERIFY_DASHED : VERIFY_LINE, "%s, %s",
                                                 schemes[k].name, rival ? "McLachlan-Reich" : "exact");
      for (int i = 0; i < levels; i++) {
        long evaluations = 56L << i;
        e[k][rival][i] =
            drift_of(&start, rival ? rival_mclachlan_reich_2 : NULL, schemes[k].scheme, 1, evaluations);
        verify_point(r, line, log10((double)evaluations), log10(e[k][rival][i]));
      }
    }
    int to = levels - 1;
    while (to > 1 && e[k][0][to] < rounding)
      to--;
    verify_add(r, VERIFY_ABSOLUTE, "", log2(e[k][0][to - 1] / e[k][0][to]), schemes[k].scheme->order,
               slack[k], "%s with the exact body: slope of the energy error", schemes[k].name);
  }
  verify_add(r, VERIFY_ABSOLUTE, "", log2(e[RKN6][1][levels - 2] / e[RKN6][1][levels - 1]), 2, 0.05,
             "RKN6a_14 with McLachlan-Reich, smallest steps: slope of the energy error");
  verify_show(r, "", e[RKN6][1][levels - 1] / e[RKN6][0][levels - 1], (double)NAN,
              "RKN6a_14, smallest step: error with McLachlan-Reich over that with the exact body");
  verify_add(r, VERIFY_ABSOLUTE, "", e[RKN6][1][0] / e[RKN6][0][0], 1, 1e-3,
             "RKN6a_14, largest step: same ratio");
  return e[RKN6][0][levels - 1] / e[RKN4][0][levels - 1];
}

// 125 bodies on a denser lattice: the sixth order pays only where the step is small enough (Figure 3.10).
// With the larger step it blows up: the size of its error is then one of chance, and is shown only. With the
// smaller one it gains, but no more than in the calm liquid, where it gains by the square of the step (calm:
// at 1/64).
static void dense_liquid(const struct verify_setup *setup, double calm, struct verify_result *r) {
  static const int sides[3] = {5, 5, 5}, chosen[2] = {RKN4, RKN6};
  static struct liquid start;
  double e[2][LEVELS];
  int levels = setup->extended ? LEVELS : LEVELS - 1;
  start = start_of(sides, 1.2, 0.01, "dense");
  struct verify_plot *plot = verify_plot(r, "125 dipoles, t = 3", "log10 of evaluations of the potential",
                                         "log10 of the relative energy error");
  for (int k = 0; k < 2; k++) {
    struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "%s", schemes[chosen[k]].name);
    for (int i = 0; i < levels; i++) {
      long evaluations = 126L << i;
      e[k][i] = drift_of(&start, NULL, schemes[chosen[k]].scheme, 3, evaluations);
      verify_point(r, line, log10((double)evaluations), log10(fmin(e[k][i], 1e6)));
    }
  }
  verify_show(r, "", log10(e[1][0] / e[0][0]), (double)NAN,
              "125 bodies, step too large: log10 of RKN6a_14's error over RKN4b_6's");
  verify_add_range(r, "", e[1][levels - 1] / e[0][levels - 1], calm * pow(64.0 / 48, 2), 1, 0,
                   "125 bodies, smallest step: RKN6a_14's error over RKN4b_6's");
}

// ---- Figures 3.9 and 3.10 ----

// The paper's lattice, its bodies at (1, 1, 1) to (5, 5, 5), holds 1245 to 1290 of potential energy for sigma
// = eps = 1, and every scheme blows up at the paper's steps; with a spacing of 2.5 it holds 2. The first and
// the last body fly inwards with the kinetic energy that brings the system to H0.
static struct liquid start_with(double kinetic, int draw) {
  static const int sides[3] = {5, 5, 5};
  char stream[16];
  snprintf(stream, sizeof stream, "H0 %d", draw);
  struct liquid l = start_of(sides, 2.5, 0.025, stream);
  const double p = sqrt(kinetic / 3);
  l.p[0] = (vec3){p, p, p};
  l.p[MOST - 1] = (vec3){-p, -p, -p};
  return l;
}

// Mean over the draws of the error of the energy at t = 1 with 10 to 80 evaluations (a whole number of
// steps), the exact body and its rival. For low energies the exact body is better; for higher ones the
// splitting's own error hides that of the body.
static void energies(const struct verify_setup *setup, struct verify_result *r) {
  enum { STEPS = 4 };
  static const double kinetic[] = {0, 1, 10};
  static struct liquid start;
  const int draws = setup->extended ? 100 : 2;
  for (int e = 0; e < 3; e++) {
    char title[96];
    snprintf(title, sizeof title, "Figure 3.9: 125 dipoles, t = 1, kinetic energy %g at the start",
             kinetic[e]);
    struct verify_plot *plot =
        verify_plot(r, title, "log10 of evaluations", "log10 of the relative energy error");
    double h0 = 0;
    for (int k = 0; k < SCHEMES; k++) {
      double last[2] = {0};
      for (int rival = 0; rival < 2; rival++) {
        struct verify_series *line = verify_series(r, plot, rival ? VERIFY_DASHED : VERIFY_LINE, "%s, %s",
                                                   schemes[k].name, rival ? "McLachlan-Reich" : "exact");
        for (int i = 0; i < STEPS; i++) {
          const int stages = schemes[k].scheme->stages;
          const long evaluations = ((10L << i) + stages - 1) / stages * stages;
          double mean = 0;
          for (int d = 0; d < draws; d++) {
            start = start_with(kinetic[e], d);
            mean +=
                drift_of(&start, rival ? rival_mclachlan_reich_2 : NULL, schemes[k].scheme, 1, evaluations) /
                draws;
          }
          h0 = energy_of(&start);
          verify_point(r, line, log10((double)evaluations), log10(fmin(mean, 1e6)));
          last[rival] = mean;
        }
      }
      if (k == 0)
        verify_add(
            r, VERIFY_ABSOLUTE, "", last[1] / last[0], 1, 0.02,
            "H0 = %.1f, V2, the smallest step: error with McLachlan-Reich, of that with the exact body", h0);
      else if (e < 2)
        verify_add_range(
            r, "", last[1] / last[0], 10, 1e9, 0,
            "H0 = %.1f, %s, the smallest step: error with McLachlan-Reich, of that with the exact body", h0,
            schemes[k].name);
      else
        verify_add_range(
            r, "", last[1] / last[0], 0.95, 1.05, 0,
            "H0 = %.1f, %s, the smallest step: error with McLachlan-Reich, of that with the exact body", h0,
            schemes[k].name);
    }
  }
}

// Where the step is too large, the error of the sixth order rises sharply, and above that of the fourth.
static void ten_seconds(struct verify_result *r) {
  enum { STEPS = 3 };
  static const int chosen[2] = {RKN4, RKN6};
  static struct liquid start;
  double e[2][STEPS];
  start = start_with(10, 0);
  struct verify_plot *plot = verify_plot(r, "Figure 3.10: 125 dipoles, t = 10", "log10 of evaluations",
                                         "log10 of the relative energy error");
  for (int k = 0; k < 2; k++) {
    struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "%s", schemes[chosen[k]].name);
    for (int i = 0; i < STEPS; i++) {
      e[k][i] = drift_of(&start, NULL, schemes[chosen[k]].scheme, 10, 336L << i);
      verify_point(r, line, log10((double)(336L << i)), log10(fmin(e[k][i], 1e6)));
    }
  }
  verify_add_range(r, "", log10(e[1][0] / e[1][1]), 3, 99, 0,
                   "t = 10, 336 evaluations: digits by which RKN6a_14's error exceeds that with 672");
  verify_add_range(r, "", log10(e[1][0] / e[0][0]), 3, 99, 0,
                   "t = 10, 336 evaluations: digits by which RKN6a_14's error exceeds RKN4b_6's");
  verify_add_range(r, "", e[1][STEPS - 1] / e[0][STEPS - 1], 0.1, 2, 0,
                   "t = 10, 1344 evaluations: RKN6a_14's error over RKN4b_6's");
}

void verify_dipoles(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(
      r,
      "100 bodies to t = 1, 125 to t = 3, 1.2 apart, at rest; equal numbers of evaluations for all schemes");
  dense_liquid(setup, calm_liquid(setup, r), r);
  energies(setup, r);
  ten_seconds(r);
}

// ------------------------------------------------------------
struct torqued torqued_of(const double moments[3], const double omega_b[3]) {
  struct torqued t = {.q = {1, 0, 0, 0}, .how = RIGID_EXACT_QUATERNION};
  memcpy(t.moments, moments, sizeof t.moments);
  t.inertia = rigid_inertia_of(moments);
  for (int i = 0; i < 3; i++)
    t.m[i] = moments[i] * omega_b[i];
  return t;
}

vec3 torqued_vertical(const struct torqued *t) {
  mat3 q = quat_matrix(t->q);
  return (vec3){q.m[2][0], q.m[2][1], q.m[2][2]};
}

double torqued_energy(const struct torqued *t) {
  vec3 c = torqued_vertical(t);
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

static void kick_torqued(void *torqued, double h) {
  struct torqued *t = torqued;
  vec3 c = torqued_vertical(t), ic = {t->moments[0] * c.x, t->moments[1] * c.y, t->moments[2] * c.z};
  vec3 torque = vec3_axpy(t->gradient, vec3_cross(c, ic), vec3_scale(t->weight, (vec3){c.y, -c.x, 0}));
  vec3_to(vec3_axpy(h, torque, vec3_of(t->m)), t->m);
}

void torqued_step(struct torqued *t, const struct scheme *scheme, double h) {
  if (scheme == &scheme_v2)
    compose(scheme, kick_torqued, turn_freely, t, h);
  else
    compose(scheme, turn_freely, kick_torqued, t, h);
}

struct torqued_drift torqued_follow(struct torqued t, const struct scheme *scheme, double h, double duration,
                                    struct verify_result *r, struct verify_series *line) {
  struct torqued_drift d = {0, 0};
  double start = torqued_energy(&t);
  long steps = (long)steps_nearest_to(duration, h), every = steps > 400 ? steps / 400 : 1;
  for (long k = 1; k <= steps; k++) {
    torqued_step(&t, scheme, h);
    double off = fabs(torqued_energy(&t) - start);
    d.largest = fmax(d.largest, off);
    d.mean += off / (double)steps;
    if (line && k % every == 0)
      verify_point(r, line, h * (double)k, log10(fmax(off / fabs(start), 1e-17)));
  }
  return d;
}
