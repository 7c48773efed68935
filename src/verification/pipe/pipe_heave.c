// The top of the J-lay heaving so hard that the tension snaps, with the added mass in either form, against an
// independent lumped-mass code: tests/reference/planar_heave.py (200 elements, steps of 1.25 ms).
#include "verification/harness/case_functions.h"
#include "verification/harness/scenes.h"

#include "sagbend/base/steps.h"
#include "sagbend/math/trig.h"

#include <math.h>

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
    if ((e + 0.5) * s->def.pipe.length_m / ELEMENTS > 1200)
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
                    "time, s", "kN");
    struct peaks x[FORMS];
    for (int form = 0; form < FORMS; form++)
      if (!run(setup, &HEAVES[k], form, &x[form], plot, r))
        return;
    judge_difference(&HEAVES[k], x, r);
  }
}
