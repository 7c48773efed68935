// Snaps: what a line carries that comes taut at a speed v.
// - A mass M on a line without mass: half an oscillation, T = v sqrt(k M) sin(omega t), k = EA/L and omega =
//   sqrt(k/M); then the line is slack again, and the mass returns at the speed v.
// - A bar at rest whose top is pulled: a wave of the speed c = sqrt(EA/m), T = Z v behind it, Z = sqrt(EA m).
//   Each end reflects it without a change of sign, so that the tension at the top is Z v, and at the fixed
//   lower end 2 Z v from L/c on, and both rise by 2 Z v after each 2 L/c.
// - Two masses, thrown apart, turning, on a slack line: nothing from outside acts, so both momenta stay.
#include "verification/harness/harness.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"

#include <math.h>
#include <stdio.h>

enum kind { BEAM, WIRE, KINDS };
static const char *const KIND[KINDS] = {"beams", "wires"};

static double tension(const struct sim *s, int element) {
  double stress[6];
  scene_stress(s, element, stress);
  return stress[0];
}

// A line along +x from a hinge, without anything around it. Beams are stiff enough not to fold.
static struct sim_def line_def(enum kind kind, int elements, double length_m, double ea_n, double mass_kgpm) {
  const double ei = kind == WIRE ? 1 : 2e3;
  const struct scene_section section = {ea_n, ea_n, ei, ei, mass_kgpm, 1e-2 * mass_kgpm, 1e-2 * mass_kgpm};
  struct sim_def def = scene_beam(elements, length_m, &section);
  def.pipe.line.wire = kind == WIRE;
  return def;
}

// Nodes on an arc of a circle over this chord along +x, in a plane that is turned about x.
static void hang_slack(struct sim *s, double chord_m, double turn_rad) {
  const double length = s->def->pipe.length_m;
  const int n = s->state.mesh.pipe.elements;
  double low = 1e-3, high = TRIG_PI; // half the angle: sin(a)/a = chord/length
  for (int k = 0; k < 60; k++) {
    const double a = 0.5 * (low + high);
    *(sin(a) / a > chord_m / length ? &low : &high) = a;
  }
  const double radius = 0.5 * length / low;
  vec3 at = pipe_get3(s->state.pipe.r_n, 0);
  for (int i = 0; i <= n; i++) {
    const double pitch = low * (2.0 * i / n - 1), next = low * ((2.0 * i + 1) / n - 1);
    const double euler[3] = {0, pitch, 0};
    pipe_set3(s->state.pipe.r_n, i, at);
    pipe_set_quat(&s->state.pipe, i,
                  quat_mul((quat){cos(0.5 * turn_rad), sin(0.5 * turn_rad), 0, 0}, quat_of_euler(euler)));
    const double chord = 2 * radius * sin(low / n), down = -chord * sin(next);
    at = vec3_add(at, (vec3){chord * cos(next), -down * sin(turn_rad), down * cos(turn_rad)});
  }
}

// ---- a mass on a line ----

static const double MASS = 1000, SPEED = 2, LENGTH = 50, LINE_EA = 5e6; // kg, m/s, m, N

struct flight {
  double most_n, speed_mps; // largest tension; speed of the mass after the snap, towards the line positive
};

static struct flight fly(enum kind kind, int steps_of_rise, double slack, struct verify_result *r,
                         struct verify_series *drawn) {
  const double rise = 0.5 * TRIG_PI * sqrt(MASS * LENGTH / LINE_EA);
  struct flight out = {0};
  struct sim_def def = line_def(kind, 20, LENGTH, LINE_EA, 1e-4 * MASS / LENGTH);
  def.step_s = rise / steps_of_rise;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return out;
  const int n = s->state.mesh.pipe.elements;
  scene_release_lower(s, 0, 1);
  s->state.mesh.pipe.mass_kg[n] = MASS;
  if (slack > 0)
    hang_slack(s, (1 - slack) * LENGTH, 0);
  pipe_set3(s->state.pipe.v_n, n, (vec3){SPEED, 0, 0});
  scene_restart(s);
  const int steps = (int)steps_nearest_to(slack * LENGTH / SPEED + 2.2 * rise, def.step_s);
  for (int k = 0; k <= steps; k++) {
    const double t = tension(s, n / 2);
    out.most_n = fmax(out.most_n, t);
    verify_point(r, drawn, k * def.step_s - slack * LENGTH / SPEED, t / 1e3);
    out.speed_mps = -s->state.pipe.v_n[0][n];
    if (slack == 0 && k == 2 * steps_of_rise) // from here on the straight line would push
      break;
    sim_step(s, NULL);
  }
  scene_free(s);
  return out;
}

// A line that was slack keeps some of the energy as vibration across.
static const struct throw {
  enum kind kind;
  double slack; // share of the length
  int steps_of_rise;
  double peak_limit, speed_limit;
} THROWS[] = {{BEAM, 0, 10, 1e-3, 1e-3},
              {WIRE, 0, 10, 1e-3, 1e-3},
              {WIRE, 0.05, 10, 0.03, 0.01},
              {WIRE, 0.05, 40, 0.01, 0.005}};

static void mass_on_a_line(struct verify_result *r) {
  const double peak = SPEED * sqrt(MASS * LINE_EA / LENGTH);
  struct verify_plot *plot =
      verify_plot(r, "A mass on a line", "time since the line is taut, s", "tension, kN");
  for (size_t i = 0; i < sizeof THROWS / sizeof *THROWS; i++) {
    const struct throw *t = &THROWS[i];
    char name[64];
    snprintf(name, sizeof name, "mass, %s, %s, rise/%d", KIND[t->kind],
             t->slack > 0 ? "slack by 5 %" : "straight", t->steps_of_rise);
    const struct flight f =
        fly(t->kind, t->steps_of_rise, t->slack, r,
            verify_series(r, plot, t->slack > 0 ? VERIFY_LINE : VERIFY_POINTS, "%s", name));
    verify_add(r, VERIFY_RELATIVE, "N", f.most_n, peak, t->peak_limit, "%s: peak against v sqrt(k M)", name);
    verify_add(r, VERIFY_RELATIVE, "m/s", f.speed_mps, SPEED, t->speed_limit, "%s: speed of the rebound",
               name);
  }
}

// ---- a bar ----

static const double BAR = 100, BAR_EA = 1e8, BAR_MASS = 100, PULL = 1, RISE = 0.04; // m, N, kg/m, m/s, s

static double ramp(double t) {
  const double x = fmin(1, fmax(0, t / RISE));
  return x * x * x * (10 + x * (6 * x - 15));
}

// Integral of the ramp.
static double way(double t) {
  const double x = fmin(1, fmax(0, t / RISE));
  return RISE * x * x * x * x * (2.5 + x * (x - 3)) + fmax(0, t - RISE);
}

// Tension over Z v at a distance from the top.
static double bar_exact(double t, double from_top_m) {
  const double c = sqrt(BAR_EA / BAR_MASS);
  double sum = 0;
  for (int k = 0; 2 * k * BAR < c * t + BAR; k++)
    sum += ramp(t - (2 * k * BAR + from_top_m) / c) + ramp(t - (2 * (k + 1) * BAR - from_top_m) / c);
  return sum;
}

struct bar {
  double
      plateau[3]; // means over Z v: at the top before the reflection, at the lower end, at the top after it
  double most;    // largest at the top before the reflection, over Z v
  double rms;
};

static struct bar pull_bar(enum kind kind, int elements, double step_s, struct verify_result *r,
                           struct verify_series *drawn[2]) {
  const double c = sqrt(BAR_EA / BAR_MASS), unit = PULL * sqrt(BAR_EA * BAR_MASS), crossing = BAR / c;
  struct bar out = {.rms = (double)NAN};
  struct sim_def def = line_def(kind, elements, BAR, BAR_EA, BAR_MASS);
  def.step_s = step_s;
  struct motion_def *m = &def.pipe.motion;
  m->rows = 401;
  for (int i = 0; i < m->rows; i++)
    m->table[i] = (struct table_row){.time_s = 0.001 * i, .value = {PULL * way(0.001 * i), 0, 0}};
  struct sim *s = scene_create(&def, r);
  if (!s)
    return out;
  scene_release_lower(s, 0, 1);
  scene_hold_top(s);
  scene_restart(s);
  const double half = 0.5 * BAR / elements;
  const int steps = (int)steps_nearest_to(3 * crossing, step_s);
  int count[3] = {0};
  double square = 0;
  for (int k = 0; k <= steps; k++) {
    const double t = k * step_s, top = tension(s, elements - 1) / unit, low = tension(s, 0) / unit;
    const double after[3] = {t - RISE, t - crossing - RISE, t - 2 * crossing - RISE},
                 lasts[3] = {2 * crossing - RISE, 2 * crossing - RISE, crossing - RISE},
                 value[3] = {top, low, top};
    for (int i = 0; i < 3; i++)
      if (after[i] > 0.5 * RISE && after[i] < lasts[i] - 0.5 * RISE)
        out.plateau[i] += value[i], count[i]++;
    if (t < 2 * crossing - 0.5 * RISE)
      out.most = fmax(out.most, top);
    const double a = top - bar_exact(t, half), b = low - bar_exact(t, BAR - half);
    square += 0.5 * (a * a + b * b);
    verify_point(r, drawn[0], t, top), verify_point(r, drawn[1], t, low);
    sim_step(s, NULL);
  }
  for (int i = 0; i < 3; i++)
    out.plateau[i] /= count[i];
  out.rms = sqrt(square / (steps + 1));
  scene_free(s);
  return out;
}

static void bar_pulled(struct verify_result *r) {
  enum { MESHES = 3, DRAWN = 0 };
  static const int elements[MESHES] = {100, 200, 400};
  struct verify_plot *plot = verify_plot(r, "A bar pulled taut, steps of a tenth of the rise", "time, s",
                                         "tension over v sqrt(EA m)");
  double width[MESHES], error[KINDS][MESHES];
  for (int kind = BEAM; kind < KINDS; kind++) {
    for (int i = 0; i < MESHES; i++) {
      struct verify_series *drawn[2] = {NULL, NULL};
      if (i == DRAWN)
        for (int end = 0; end < 2; end++)
          drawn[end] = verify_series(r, plot, kind == BEAM ? VERIFY_LINE : VERIFY_POINTS, "%s, %s",
                                     KIND[kind], end ? "fixed end" : "top");
      width[i] = BAR / elements[i];
      const struct bar b = pull_bar((enum kind)kind, elements[i], RISE / 10 * 100 / elements[i], r, drawn);
      error[kind][i] = b.rms;
      if (i != DRAWN)
        continue;
      static const double steps[3] = {1, 2, 3};
      static const char *const where[3] = {"at the top until the reflection", "at the fixed end",
                                           "at the top after the reflection"};
      for (int k = 0; k < 3; k++)
        verify_add(r, VERIFY_RELATIVE, "v sqrt(EA m)", b.plateau[k], steps[k], 0.005, "bar, %s: tension %s",
                   KIND[kind], where[k]);
      verify_add(r, VERIFY_RELATIVE, "v sqrt(EA m)", b.most, 1, 0.05,
                 "bar, %s: largest tension at the top until the reflection", KIND[kind]);
    }
  }
  for (int kind = BEAM; kind < KINDS; kind++)
    verify_order(r,
                 kind == BEAM ? "Convergence of the bar's tension, beams"
                              : "Convergence of the bar's tension, wires",
                 "element, m",
                 kind == BEAM ? "bar, beams: error of the tension over v sqrt(EA m)"
                              : "bar, wires: error of the tension over v sqrt(EA m)",
                 width, error[kind], MESHES, 2, 0.3);
}

// ---- momentum ----

static void momenta(enum kind kind, double step_s, struct verify_result *r) {
  struct sim_def def = line_def(kind, 20, LENGTH, LINE_EA, 2);
  def.step_s = step_s;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  const int n = s->state.mesh.pipe.elements;
  scene_release_lower(s, 1, 1);
  s->state.mesh.pipe.mass_kg[0] = 300, s->state.mesh.pipe.mass_kg[n] = MASS;
  hang_slack(s, 0.9 * LENGTH, 0.7);
  pipe_set3(s->state.pipe.v_n, 0, (vec3){-4, 1, 0.5});
  pipe_set3(s->state.pipe.v_n, n, (vec3){2, -0.5, 1});
  scene_restart(s);
  vec3 linear, angular, p, l;
  double most = 0, drift = 0, turned = 0;
  scene_momenta(s, &linear, &angular);
  for (double t = 0; t < 6; t += step_s) {
    sim_step(s, NULL);
    scene_momenta(s, &p, &l);
    most = fmax(most, tension(s, n / 2));
    drift = fmax(drift, vec3_norm(vec3_sub(p, linear)));
    turned = fmax(turned, vec3_norm(vec3_sub(l, angular)));
  }
  verify_add(r, VERIFY_ABSOLUTE, "kg m/s", drift, 0, 1e-8, "two masses, %s, %g ms: change of momentum",
             KIND[kind], 1e3 * step_s);
  verify_add(r, VERIFY_ABSOLUTE, "kg m2/s", turned, 0, 1e-6,
             "two masses, %s, %g ms: change of angular momentum", KIND[kind], 1e3 * step_s);
  scene_free(s);
}

void verify_snap(const struct verify_setup *setup, struct verify_result *r) {
  (void)setup;
  verify_run_with(r, "mass: 20 elements, steps of the rise pi/2 sqrt(M/k) over 10 and 40; bar: 100 to 400, "
                     "of the rise over 10 to 40");
  mass_on_a_line(r);
  bar_pulled(r);
  for (int kind = BEAM; kind < KINDS; kind++)
    for (double step_s = 0.001; step_s < (kind == WIRE ? 2 : 0.2); step_s *= 10)
      momenta((enum kind)kind, step_s, r);
}
