// The top of the J-lay heaving so hard that the tension snaps, with the added mass in either form, against an
// independent lumped-mass code: tests/reference/planar_heave.py (200 elements, steps of 1.25 ms).
#include "sagbend/base/base.h"
#include "sagbend/math/math.h"
#include "verification/harness/harness.h"

#include <math.h>
#include <stdio.h>

enum { ELEMENTS = 200, FORMS = 2, INSTANTS = 33 };
static const double PERIOD = 8, RAMP = 8, END = 40, FROM = 16, DRAWN_FROM = 24, STEP = 0.02;
static const char *const FORM[FORMS] = {"Kirchhoff", "Morison"};

struct peaks {
  double most_n, least_n;          // tension at S = 1492.5 m, the middle of the last 15 m
  double curvature_1pm, upper_1pm; // largest anywhere, and above S = 1200 m
};

static const struct heave {
  double amplitude_m;
  struct peaks reference[FORMS];
  double tension_kn[FORMS][INSTANTS]; // each half second from 24 s
} HEAVES[] = {
    {4,
     {{4.23393e6, -1.22270e6, 4.24714e-3, 8.47262e-4}, {4.24415e6, -1.22172e6, 4.24701e-3, 8.69009e-4}},
     {{-502.6, 459.6,   1803.1, 3272.3, 4131.1,  4005.3, 3920.2,  4072.7, 3567.1, 2565.1,  1089.5,
       -466.0, -1215.5, -758.7, -912.9, -1173.7, -493.0, 457.6,   1771.1, 3235.0, 4151.6,  4071.9,
       3918.1, 4050.9,  3566.8, 2578.5, 1101.7,  -463.9, -1216.9, -756.8, -911.1, -1171.3, -482.9},
      {-502.2, 458.9,   1800.6, 3269.2, 4134.6,  4007.8, 3913.4,  4068.3, 3567.6, 2567.1,  1089.0,
       -466.8, -1214.5, -757.9, -913.3, -1171.7, -492.4, 456.1,   1767.6, 3230.1, 4158.5,  4077.1,
       3907.6, 4043.4,  3566.9, 2581.5, 1101.4,  -464.6, -1214.8, -755.2, -911.0, -1168.6, -481.4}}},
    {5,
     {{5.56967e6, -2.15316e6, 4.54973e-3, 2.27952e-3}, {5.68035e6, -2.14257e6, 4.55593e-3, 2.25167e-3}},
     {{-1229.4, -119.2,  1156.5,  2991.4,  4859.4,  5179.7,  4827.9,  5012.5,  4578.2,  3513.9,  1490.2,
       -835.6,  -2016.5, -1301.7, -1598.2, -2057.7, -1137.6, -52.9,   1147.3,  2806.3,  4647.2,  5565.3,
       4979.6,  4842.7,  4551.9,  3536.7,  1508.1,  -824.2,  -2011.2, -1290.9, -1580.2, -2028.6, -1085.7},
      {-1214.9, -111.6,  1149.3,  2945.4,  4845.4,  5264.1,  4812.9,  4969.6,  4577.9,  3521.5,  1492.2,
       -834.6,  -2010.0, -1293.6, -1590.9, -2036.4, -1110.2, -43.0,   1128.3,  2740.9,  4624.8,  5678.0,
       4974.8,  4788.9,  4548.2,  3545.7,  1510.2,  -824.6,  -2003.8, -1279.7, -1570.8, -2000.5, -1053.0}}}};

static int heave_def(const struct verify_setup *setup, double amplitude_m, enum added_mass_form form,
                     struct sim_def *def, struct verify_result *r) {
  const char *const sets[] = {"pipe.elements=200", "environment.seabed_damping_nspm3=0",
                              "pipe.structural_damping_s=0.001"};
  if (!scene_load(setup, "jlay-circle", 3, sets, def, r))
    return 0;
  def->step_s = STEP;
  def->pipe.added_mass_form = form;
  struct motion_def *m = &def->pipe.motion;
  *m = (struct motion_def){.rows = 881}; // to 44 s: the spline's end is not felt
  for (int i = 0; i < m->rows; i++) {
    double t = 0.05 * i, ramp = t < RAMP ? 0.5 - 0.5 * cos(TRIG_PI * t / RAMP) : 1;
    m->table[i] =
        (struct table_row){.time_s = t, .value = {0, 0, ramp * amplitude_m * sin(2 * TRIG_PI * t / PERIOD)}};
  }
  return 1;
}

static double tension(const struct sim *s, int element) {
  double stress[6];
  scene_stress(s, element, stress);
  return stress[0];
}

static void take_peaks(const struct sim *s, double tension_n, struct peaks *x) {
  x->most_n = fmax(x->most_n, tension_n), x->least_n = fmin(x->least_n, tension_n);
  for (int e = 0; e < ELEMENTS; e++) {
    double bend = scene_curvature(s, e);
    x->curvature_1pm = fmax(x->curvature_1pm, bend);
    if ((e + 0.5) * s->def->pipe.length_m / ELEMENTS > 1200)
      x->upper_1pm = fmax(x->upper_1pm, bend);
  }
}

static void judge(const struct heave *h, int form, const struct peaks *x, double farthest,
                  const struct sim *s, struct verify_result *r) {
  const struct peaks *p = &h->reference[form];
  const char *name = FORM[form];
  double a = h->amplitude_m;
  verify_add(r, VERIFY_RELATIVE, "N", x->most_n, p->most_n, 4e-3, "%g m, %s: largest tension at 1492.5 m", a,
             name);
  verify_add(r, VERIFY_RELATIVE, "N", x->least_n, p->least_n, 4e-3, "%g m, %s: smallest tension at 1492.5 m",
             a, name);
  verify_add(r, VERIFY_ABSOLUTE, "", 1e3 * farthest / p->most_n, 0, 6e-3,
             "%g m, %s: largest error of the tension at 1492.5 m, every 0.5 s, over the largest tension", a,
             name);
  verify_add(r, VERIFY_RELATIVE, "1/m", x->curvature_1pm, p->curvature_1pm, 0.04,
             "%g m, %s: largest curvature", a, name);
  verify_add(r, VERIFY_RELATIVE, "1/m", x->upper_1pm, p->upper_1pm, 0.04,
             "%g m, %s: largest curvature above 1200 m", a, name);
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-10, "%g m, %s: ledger closure",
             a, name);
  double port = s->run.ledger.total_work_j[PORT_ADDED_MASS];
  if (form == ADDED_MASS_KIRCHHOFF)
    verify_add(r, VERIFY_ABSOLUTE, "J", port, 0, 0, "%g m, %s: work of the port added_mass", a, name);
  else
    verify_show(r, "J", port, s->run.ledger.total_work_j[PORT_MOTION],
                "%g m, %s: work of the port added_mass; reference: work of the port motion", a, name);
}

static int run(const struct verify_setup *setup, const struct heave *h, int form, struct peaks *x,
               struct verify_plot *plot, struct verify_result *r) {
  struct sim_def def;
  if (!heave_def(setup, h->amplitude_m, (enum added_mass_form)form, &def, r))
    return 0;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return 0;
  struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "%s", FORM[form]),
                       *other = verify_series(r, plot, VERIFY_POINTS, "%s, independent code", FORM[form]);
  const int every = (int)steps_nearest_to(0.5, STEP), steps = (int)steps_nearest_to(END, STEP);
  double farthest = 0;
  *x = (struct peaks){.least_n = (double)INFINITY};
  for (int k = 0; k <= steps; k++) {
    double now = 0.5 * (tension(s, ELEMENTS - 1) + tension(s, ELEMENTS - 2)), time_s = k * STEP;
    if (time_s > FROM - 0.5 * STEP)
      take_peaks(s, now, x);
    if (time_s > DRAWN_FROM - 0.5 * STEP) {
      verify_point(r, line, time_s, now / 1e3);
      int i = (k - (int)steps_nearest_to(DRAWN_FROM, STEP)) / every;
      if (k % every == 0 && i < INSTANTS) {
        verify_point(r, other, time_s, h->tension_kn[form][i]);
        farthest = fmax(farthest, fabs(now / 1e3 - h->tension_kn[form][i]));
      }
    }
    if (k < steps)
      sim_step(s, NULL);
  }
  judge(h, form, x, farthest, s, r);
  scene_free(s);
  return 1;
}

// What one form has more than the other: seen by both codes alike, although each has its own errors of the
// mesh.
static void judge_difference(const struct heave *h, const struct peaks x[FORMS], struct verify_result *r) {
  const struct peaks *p = h->reference;
  verify_add(r, VERIFY_ABSOLUTE, "", x[1].most_n / x[0].most_n - 1, p[1].most_n / p[0].most_n - 1, 2e-3,
             "%g m: largest tension, Morison over Kirchhoff, minus 1", h->amplitude_m);
  verify_add(r, VERIFY_ABSOLUTE, "", x[1].upper_1pm / x[0].upper_1pm - 1, p[1].upper_1pm / p[0].upper_1pm - 1,
             5e-3, "%g m: largest curvature above 1200 m, Morison over Kirchhoff, minus 1", h->amplitude_m);
}

void verify_planar_heave(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(r,
                  "%d elements, steps of %g ms, 40 s; extremes from %g s; structural damping 1 ms, no "
                  "damping of the seabed",
                  ELEMENTS, 1e3 * STEP, FROM);
  for (int k = 0; k < 2; k++) {
    struct verify_plot *plot =
        verify_plot(r, k == 0 ? "Tension at 1492.5 m, heave of 4 m" : "Tension at 1492.5 m, heave of 5 m",
                    "time, s", "tension, kN");
    struct peaks x[FORMS];
    for (int form = 0; form < FORMS; form++)
      if (!run(setup, &HEAVES[k], form, &x[form], plot, r))
        return;
    judge_difference(&HEAVES[k], x, r);
  }
}

// ------------------------------------------------------------
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
  enum { WAVE_ELEMENTS = 64, PER_PERIOD = 400, SAMPLES = 16 };
  struct mode mode = mode_of(w);
  const double step_s = 2 * TRIG_PI / mode.omega / PER_PERIOD, d = step_s * PER_PERIOD / 8;
  struct sim *s = start(w, &mode, WAVE_ELEMENTS, step_s, r);
  double q[SAMPLES + 1];
  if (!s)
    return;
  s->model->pipe.structural_damping_s = eta_s;
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
