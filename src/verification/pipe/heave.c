// Small free vibration of a straight beam, one mode at a time: bending of a beam between two hinges, with and
// without tension, and waves along and about the axis of a rod held at one end.
//
// Bending by W sin(ks) with section rotation Phi cos(ks), k = n pi/L, about a straight beam under the tension
// T that stretches it by e = T/EA. The section force is T t1 + GA Gamma2 t2 with Gamma2 = w' - (1+e) phi, and
// so
//   m omega^2 W   = k^2 GA W - k (GA (1+e) - T) Phi
//   J omega^2 Phi = (k^2 EI + (1+e)(GA (1+e) - T)) Phi - k (GA (1+e) - T) W :
// Timoshenko's beam for T = 0, a string for EI -> 0. The lower root is the bending mode. Along the axis omega
// = k sqrt(EA/m), about it k sqrt(GJ/J1), k = pi/(2L).
//
// The mode is set in motion with a small velocity. The share of the mode in the displacement is q(t); for one
// frequency q(t+d) + q(t-d) = 2 cos(omega d) q(t), which a least-squares fit over two periods solves for
// omega.
#include "verification/harness/case_functions.h"
#include "verification/harness/scenes.h"

#include "sagbend/math/trig.h"

#include <math.h>
#include <stdio.h>

enum wave_kind { BENDING, AXIAL, TORSIONAL };
struct wave {
  enum wave_kind kind;
  const char *name;
  struct scene_section section;
  double length_m, tension_n;
  int half_waves;
  int mesh_order; // a string's is 4: what bending of order l^2 the stretch measure adds cancels the
                  // dispersion of the masses
};

struct mode {
  double k, omega, ratio; // ratio Phi / W
};

static struct mode mode_of(const struct wave *w) {
  const struct scene_section *c = &w->section;
  double m = c->mass_kgpm, j = c->j_transverse_kgm, k = w->half_waves * TRIG_PI / w->length_m;
  if (w->kind != BENDING) {
    k = 0.5 * TRIG_PI / w->length_m;
    return (struct mode){k, k * sqrt(w->kind == AXIAL ? c->ea / m : c->gj / c->j_axial_kgm), 0};
  }
  double stretch = 1 + w->tension_n / c->ea, shear = c->ga * stretch - w->tension_n;
  double a = k * k * c->ga / m, b = (k * k * c->ei + stretch * shear) / j,
         cross = k * k * shear * shear / (m * j);
  double square =
      2 * (a * b - cross) / (a + b + sqrt((a - b) * (a - b) + 4 * cross)); // lower root, no cancellation
  return (struct mode){k, sqrt(square), (k * k * c->ga - m * square) / (k * shear)};
}

// A straight beam along x under its tension, its mode in motion.
static struct sim *start(const struct wave *w, const struct mode *mode, int elements, double step_s,
                         struct verify_result *r) {
  struct sim_def def = scene_beam(elements, w->length_m, &w->section);
  def.step_s = step_s;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return NULL;
  if (w->kind == BENDING)
    scene_release_lower(s, 0, 1);
  double speed = 1e-5 * w->length_m / 50 * mode->omega, stretch = 1 + w->tension_n / w->section.ea;
  for (int i = 0; i <= elements; i++) {
    double at = w->length_m * i / elements, wave = trig_sin(mode->k * at),
           turn = mode->ratio * trig_cos(mode->k * at);
    s->state.pipe.r_n[0][i] = at * stretch;
    if (w->kind == BENDING && i > 0 && i < elements)
      s->state.pipe.v_n[1][i] = speed * wave;
    if (w->kind == BENDING)
      s->state.pipe.omega_t[2][i] = speed * turn;
    if (w->kind == AXIAL)
      s->state.pipe.v_n[0][i] = speed * wave;
    if (w->kind == TORSIONAL)
      s->state.pipe.omega_t[0][i] = speed * wave;
  }
  if (w->kind == BENDING)
    scene_hold_top(s);
  scene_restart(s);
  return s;
}

static double share(const struct sim *s, const struct wave *w, const struct mode *mode) {
  int n = s->state.mesh.pipe.elements;
  double sum = 0;
  for (int i = 0; i <= n; i++) {
    double at = w->length_m * i / n, weight = i == 0 || i == n ? 0.5 : 1;
    double u = w->kind == BENDING ? s->state.pipe.r_n[1][i]
               : w->kind == AXIAL ? s->state.pipe.r_n[0][i] - at
                                  : 2 * s->state.pipe.q_nt[1][i]; // a small turn
    sum += weight * u * trig_sin(mode->k * at);
  }
  return sum;
}

// Frequency found with this mesh and this step; steps_per_period is a multiple of 8.
static double frequency(const struct wave *w, const struct mode *mode, int elements, int steps_per_period,
                        struct verify_result *r) {
  double step_s = 2 * TRIG_PI / mode->omega / steps_per_period, q[17], product = 0, square = 0;
  struct sim *s = start(w, mode, elements, step_s, r);
  if (!s)
    return (double)NAN;
  for (int k = 0; k <= 16; k++) { // two periods, eight samples each
    q[k] = share(s, w, mode);
    for (int i = 0; i < steps_per_period / 8 && k < 16; i++)
      sim_step(s, NULL);
  }
  for (int k = 1; k < 16; k++) {
    product += q[k] * (q[k - 1] + q[k + 1]);
    square += q[k] * q[k];
  }
  scene_free(s);
  return acos(0.5 * product / square) / (step_s * steps_per_period / 8);
}

// The same with the step's share taken out: extrapolated from 200 and 400 steps per period.
static double settled_frequency(const struct wave *w, const struct mode *mode, int elements,
                                struct verify_result *r) {
  return (4 * frequency(w, mode, elements, 400, r) - frequency(w, mode, elements, 200, r)) / 3;
}

static void run_wave(const struct wave *w, struct verify_result *r) {
  enum { LEVELS = 4 };
  struct mode mode = mode_of(w);
  int mesh = 8 * w->half_waves;
  double width[LEVELS], found[LEVELS], by_mesh[LEVELS], by_step[LEVELS], in_time[LEVELS];
  for (int k = 0; k < LEVELS; k++) {
    width[k] = w->length_m / (mesh << k);
    found[k] = settled_frequency(w, &mode, mesh << k, r);
    by_mesh[k] = fabs(found[k] / mode.omega - 1);
    in_time[k] = 2 * TRIG_PI / mode.omega / (16 << k);
  }
  for (int k = 0; k < LEVELS; k++)
    by_step[k] = fabs(frequency(w, &mode, mesh << 1, 16 << k, r) / found[1] - 1);
  char what[80], title[112];
  verify_add(r, VERIFY_RELATIVE, "rad/s", found[LEVELS - 1], mode.omega, 3e-4, "%s, %d elements", w->name,
             mesh << (LEVELS - 1));
  verify_add(r, VERIFY_RELATIVE, "rad/s", (4 * found[LEVELS - 1] - found[LEVELS - 2]) / 3, mode.omega, 1e-6,
             "%s, extrapolated in the mesh", w->name);
  snprintf(what, sizeof what, "%s, in the element length", w->name);
  snprintf(title, sizeof title, "Frequency: %s", what);
  verify_order(r, title, "element length, m", what, width, by_mesh, LEVELS, w->mesh_order,
               w->mesh_order == 2 ? 0.1 : 0.25);
  snprintf(what, sizeof what, "%s, in the step", w->name);
  snprintf(title, sizeof title, "Frequency: %s", what);
  verify_order(r, title, "step, s", what, in_time, by_step, LEVELS, 2, 0.1);
}

static const char WITH[] = "8 to 64 elements per half wave, step extrapolated from 200 and 400 per period; "
                           "16 to 128 steps per period at 16 elements per half wave";

void verify_timoshenko(const struct verify_setup *setup, struct verify_result *r) {
  // a stubby steel beam: the fifth mode is 20 % below Euler and Bernoulli's
  static const struct scene_section stubby = {.ea = 2e9, .ga = 6e8, .gj = 1e7, .ei = 2e7, 80, 1.6, 0.8};
  const struct wave slender = {BENDING, "first mode", stubby, 20, 0, 1, 2},
                    fifth = {BENDING, "fifth mode", stubby, 20, 0, 5, 2};
  (void)setup;
  verify_run_with(r, "%s", WITH);
  run_wave(&slender, r);
  run_wave(&fifth, r);
  double k = 5 * TRIG_PI / 20;
  verify_show(r, "rad/s", mode_of(&fifth).omega, k * k * sqrt(2e7 / 80),
              "fifth mode: Timoshenko; reference: Euler and Bernoulli");
}

void verify_tensioned(const struct verify_setup *setup, struct verify_result *r) {
  static const struct scene_section pipe = {
      .ea = 1.5569e10, .ga = 9.033e9, .gj = 7.972e8, .ei = 1.0364e9, 593.2818, 78.9851, 39.4925};
  static const struct scene_section string = {
      .ea = 1.5569e10, .ga = 9.033e9, .gj = 1e4, .ei = 1e4, 593.2818, 78.9851, 39.4925};
  const struct wave tensioned = {BENDING, "pipe under 1.5 MN", pipe, 200, 1.5e6, 2, 2};
  const struct wave stringlike = {BENDING, "string under 1.5 MN", string, 200, 1.5e6, 2, 4};
  (void)setup;
  verify_run_with(r, "%s", WITH);
  run_wave(&tensioned, r);
  run_wave(&stringlike, r);
  double k = 2 * TRIG_PI / 200;
  verify_show(r, "rad/s", mode_of(&stringlike).omega, k * sqrt(1.5e6 / 593.2818),
              "string: reference k sqrt(T/m)");
}

static const struct scene_section ROD = {.ea = 1e8, .ga = 1e8, .gj = 4e7, .ei = 1e7, 100, 10, 5};

// Structural damping eta adds eta EA to the stress for a rate of strain: a mode decays as exp(-eta omega^2
// t/2) and its frequency falls to omega sqrt(1 - (eta omega/2)^2). Over two of those periods the mode's share
// falls from q at one crest to that at the other; the start has none, so crests are read from the fit of a
// damped sine through q(t + d) + a^2 q(t - d) = 2 a cos(omega d) q(t), a = exp(-eta omega^2 d/2).
static void run_damped(const struct wave *w, double eta_s, struct verify_result *r) {
  enum { ELEMENTS = 64, PER_PERIOD = 400, SAMPLES = 16 };
  struct mode mode = mode_of(w);
  const double step_s = 2 * TRIG_PI / mode.omega / PER_PERIOD, d = step_s * PER_PERIOD / 8;
  struct sim *s = start(w, &mode, ELEMENTS, step_s, r);
  double q[SAMPLES + 1];
  if (!s)
    return;
  s->model.pipe.structural_damping_s = eta_s;
  for (int k = 0; k <= SAMPLES; k++) {
    q[k] = share(s, w, &mode);
    for (int i = 0; i < PER_PERIOD / 8 && k < SAMPLES; i++)
      sim_step(s, NULL);
  }
  double aa = 0, ab = 0, bb = 0, ac = 0, bc = 0; // q(t + d) = x q(t) + y q(t - d) by least squares
  for (int k = 1; k < SAMPLES; k++) {
    aa += q[k] * q[k], ab += q[k] * q[k - 1], bb += q[k - 1] * q[k - 1];
    ac += q[k] * q[k + 1], bc += q[k - 1] * q[k + 1];
  }
  const double y = (aa * bc - ab * ac) / (aa * bb - ab * ab), rate = -0.5 * log(-y) / d;
  verify_add(r, VERIFY_RELATIVE, "1/s", rate, 0.5 * eta_s * mode.omega * mode.omega, 2e-3,
             "%s with structural damping: rate of decay", w->name);
  scene_free(s);
}

void verify_axial_wave(const struct verify_setup *setup, struct verify_result *r) {
  const struct wave w = {AXIAL, "axial wave", ROD, 100, 0, 1, 2};
  (void)setup;
  verify_run_with(r, "%s", WITH);
  run_wave(&w, r);
  run_damped(&w, 0.005, r);
}

void verify_torsional_wave(const struct verify_setup *setup, struct verify_result *r) {
  const struct wave w = {TORSIONAL, "torsional wave", ROD, 100, 0, 1, 2};
  (void)setup;
  verify_run_with(r, "%s", WITH);
  run_wave(&w, r);
}
