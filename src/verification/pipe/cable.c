// A suspended cable between two points at one level: Irvine's modes (H. M. Irvine, Cable Structures, 1981,
// chapter 3). With the horizontal force H, weight w = m g per length and span L, sag wL/(8H) L, frequencies
// in units of sqrt(H/m)/L:
//   out of its plane        n pi
//   in it, antisymmetric    2 n pi, no tension arises
//   in it, symmetric        x with tan(x/2) = x/2 - (4/lambda^2) (x/2)^3,   lambda^2 = (wL/H)^2 EA/H / (1 +
//   (wL/H)^2/8).
// His parabola is right to the square of the slope at the ends, (wL/2H)^2: taut cables of little sag, so
// stiff that lambda matters. The start is the polygon that lumped weights put a chain of stretched chords in.
#include "verification/pipe/pipe.h"

#include "sagbend/math/math.h"
#include "verification/harness/harness.h"

#include <math.h>

enum { ELEMENTS = 48, PERIODS = 2, SAMPLES = 8 };
static const double SPAN = 100, FORCE = 1e6, SLOPE = 0.02, GRAVITY = 9.81; // SLOPE = wL/H

enum kind { SYMMETRIC, ANTISYMMETRIC, ACROSS };
struct mode {
  const char *name;
  enum kind kind;
  int number;
};

struct cable {
  double ea_n, weight_npm, lambda2;
};

// The number-th root of the symmetric modes' equation, between 2 (n - 1) pi and (2 n + 1) pi: by bisection of
// sin a - (a - 4 a^3/lambda^2) cos a, a = x/2, past its root at zero.
static double symmetric_root(double lambda2, int number) {
  double low = (number - 1) * TRIG_PI + 0.5 * TRIG_PI, high = number * TRIG_PI + 0.5 * TRIG_PI, a = 0;
  for (int k = 0; k < 200; k++) {
    a = 0.5 * (low + high);
    double at = sin(a) - (a - 4 * a * a * a / lambda2) * cos(a);
    double first = sin(low) - (low - 4 * low * low * low / lambda2) * cos(low);
    *((at > 0) == (first > 0) ? &low : &high) = a;
  }
  return 2 * a;
}

static double irvine(const struct cable *c, const struct mode *m) { // x = omega L sqrt(m/H)
  if (m->kind == SYMMETRIC)
    return symmetric_root(c->lambda2, m->number);
  return (m->kind == ANTISYMMETRIC ? 2 : 1) * m->number * TRIG_PI;
}

static double shape(const struct mode *m, double x, double at) { // at: 0 to 1 along the span
  return m->kind == SYMMETRIC ? cos(0.5 * x) - cos(x * (at - 0.5)) : sin(x * at);
}

static struct sim *hang(const struct cable *c, double step_s, struct verify_result *r) {
  const double mass = c->weight_npm / GRAVITY, l = SPAN / ELEMENTS;
  const struct scene_section section = {
      .ea = c->ea_n, .ga = c->ea_n, .gj = 100, .ei = 100, mass, 0.02 * mass, 0.01 * mass};
  struct sim_def def = scene_beam(ELEMENTS, SPAN, &section);
  def.step_s = step_s;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return NULL;
  scene_release_lower(s, 0, 1);
  vec3 at = {0, 0, 0}, chord[ELEMENTS];
  for (int e = 0; e < ELEMENTS; e++) {
    double lift = c->weight_npm * l * (e + 0.5 - 0.5 * ELEMENTS), tension = hypot(FORCE, lift);
    double length = l * (1 + tension / c->ea_n);
    chord[e] = (vec3){length * FORCE / tension, 0, -length * lift / tension};
  }
  for (int i = 0; i <= ELEMENTS; i++) {
    vec3 before = chord[i > 0 ? i - 1 : 0], after = chord[i < ELEMENTS ? i : i - 1];
    const double euler[3] = {0, atan2(-(before.z + after.z), before.x + after.x), 0};
    pipe_set3(s->state.pipe.r_n, i, at);
    pipe_set_quat(&s->state.pipe, i, quat_of_euler(euler));
    s->state.mesh.pipe.weight_n[i] = c->weight_npm * l * (i == 0 || i == ELEMENTS ? 0.5 : 1);
    if (i < ELEMENTS)
      at = vec3_add(at, chord[i]);
  }
  scene_hold_top(s);
  return s;
}

static double part(const struct sim *s, const struct mode *m, double x) {
  double sum = 0;
  for (int i = 1; i < ELEMENTS; i++)
    sum += s->state.pipe.r_n[m->kind == ACROSS ? 1 : 2][i] * shape(m, x, (double)i / ELEMENTS);
  return sum;
}

// q(t + d) + q(t - d) = 2 cos(omega d) q(t) + constant, by least squares; in units of sqrt(H/m)/L.
static double measured(const struct cable *c, const struct mode *m, double x, int per_period,
                       struct verify_result *r, struct verify_series *line) {
  double unit = sqrt(FORCE * GRAVITY / c->weight_npm) / SPAN, step_s = 2 * TRIG_PI / (x * unit * per_period);
  double q[PERIODS * SAMPLES + 1], n = 0, sy = 0, sz = 0, syy = 0, syz = 0;
  struct sim *s = hang(c, step_s, r);
  if (!s)
    return (double)NAN;
  for (int i = 1; i < ELEMENTS; i++)
    s->state.pipe.v_n[m->kind == ACROSS ? 1 : 2][i] = 1e-4 * unit * x * shape(m, x, (double)i / ELEMENTS);
  scene_restart(s);
  for (int k = 0; k <= PERIODS * SAMPLES; k++) {
    q[k] = part(s, m, x);
    verify_point(r, line, (double)k / SAMPLES, q[k] - q[0]);
    for (int i = 0; i < per_period / SAMPLES && k < PERIODS * SAMPLES; i++)
      sim_step(s, NULL);
  }
  scene_free(s);
  for (int k = 1; k < PERIODS * SAMPLES; k++) {
    double y = q[k] - q[0], z = q[k - 1] + q[k + 1] - 2 * q[0];
    n++, sy += y, sz += z, syy += y * y, syz += y * z;
  }
  double slope = (n * syz - sy * sz) / (n * syy - sy * sy);
  return acos(0.5 * slope) * SAMPLES * x / (2 * TRIG_PI);
}

void verify_cable_modes(const struct verify_setup *setup, struct verify_result *r) {
  static const struct mode modes[] = {{"out of plane, first", ACROSS, 1},
                                      {"out of plane, second", ACROSS, 2},
                                      {"in plane, first antisymmetric", ANTISYMMETRIC, 1},
                                      {"in plane, first symmetric", SYMMETRIC, 1},
                                      {"in plane, second symmetric", SYMMETRIC, 2}};
  static const double lambda2[] = {4, 20, 400};
  (void)setup;
  verify_run_with(
      r,
      "span 100 m, H 1 MN, w L/H %g (sag 1/400), %d elements; step extrapolated from 200 and 104 per period",
      SLOPE, ELEMENTS);
  struct verify_plot *plot = verify_plot(r, "In plane, first symmetric: frequency (Irvine's Figure)",
                                         "lambda^2", "omega L sqrt(m/H) / pi");
  struct verify_series *closed = verify_series(r, plot, VERIFY_LINE, "Irvine"),
                       *found = verify_series(r, plot, VERIFY_POINTS, "computed");
  for (int i = 0; i <= 60; i++) {
    double x = pow(10, 0.05 * i);
    verify_point(r, closed, x, symmetric_root(x, 1) / TRIG_PI);
  }
  if (plot)
    plot->log_axes = 1;
  for (int c = 0; c < 3 && !*r->failure; c++) {
    struct cable cable = {lambda2[c] * FORCE * (1 + SLOPE * SLOPE / 8) / (SLOPE * SLOPE),
                          SLOPE * FORCE / SPAN, lambda2[c]};
    for (int k = 0; k < 5; k++) {
      double x = irvine(&cable, &modes[k]);
      double fine = measured(&cable, &modes[k], x, 200, r, NULL),
             coarse = measured(&cable, &modes[k], x, 104, r, NULL);
      double omega = fine + (fine - coarse) / (pow(200 / 104.0, 2) - 1);
      verify_add(r, VERIFY_RELATIVE, "", omega, x, 5e-4, "lambda^2 = %g: %s", lambda2[c], modes[k].name);
      if (k == 3)
        verify_point(r, found, lambda2[c], omega / TRIG_PI);
    }
  }
}

// ------------------------------------------------------------
// With V' = w, V the vertical force and T = sqrt(H^2 + V^2), a part has
//   z = [T]/w + [V^2]/(2 w EA),  x = (H/w) [asinh(V/H)] + H s/EA,  elongation = int T/EA ds.

enum { HALVINGS = 200 };

struct catenary catenary_of(const struct catenary_part *parts, int count, double h_n, double v_n) {
  struct catenary c = {.horizontal_n = h_n, .lower_n = v_n, .tension_n = {hypot(h_n, v_n)}};
  double v = v_n;
  for (int k = 0; k < count; k++) {
    const struct catenary_part *p = &parts[k];
    double up = v + p->weight_npm * p->length_m, t0 = hypot(h_n, v), t1 = hypot(h_n, up);
    double angle = asinh(up / h_n) - asinh(v / h_n);
    c.height_m += (t1 - t0) / p->weight_npm + (up * up - v * v) / (2 * p->weight_npm * p->ea_n);
    c.reach_m += h_n / p->weight_npm * angle + h_n * p->length_m / p->ea_n;
    c.elongation_m += (0.5 * (up * t1 - v * t0) + 0.5 * h_n * h_n * angle) / (p->weight_npm * p->ea_n);
    c.tension_n[k + 1] = t1;
    v = up;
  }
  return c;
}

double catenary_lower_force(const struct catenary_part *parts, int count, double h_n, double height_m) {
  double low = -1e8, high = 1e8;
  for (int k = 0; k < HALVINGS; k++) {
    double middle = 0.5 * (low + high);
    *(catenary_of(parts, count, h_n, middle).height_m < height_m ? &low : &high) = middle;
  }
  return 0.5 * (low + high);
}

struct catenary catenary_between(const struct catenary_part *parts, int count, double height_m,
                                 double reach_m) {
  double low = 1, high = 1e8; // the reach grows with the horizontal force
  for (int k = 0; k < HALVINGS; k++) {
    double middle = 0.5 * (low + high), v = catenary_lower_force(parts, count, middle, height_m);
    *(catenary_of(parts, count, middle, v).reach_m < reach_m ? &low : &high) = middle;
  }
  return catenary_of(parts, count, low, catenary_lower_force(parts, count, low, height_m));
}
