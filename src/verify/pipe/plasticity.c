// Bending beyond yield: a cantilever under an end moment that is turned over once and taken away, and one
// that is thrown about.
#include "verify/harness/scenes.h"
#include "verify/pipe/cases.h"

#include "core/math/trig.h"
#include "core/pipe/plasticity.h"

#include <math.h>

static const double LENGTH = 10, EI = 1e6, YIELD = 1e4, A = 0.5, B = 12;
static const struct scene_section SECTION = {.ea = 1e9, .ga = 1e9, .gj = 1e6, .ei = 1e6, 5, 2, 1};

static struct sim_def beam(double step_s) {
  struct sim_def def = scene_beam(20, LENGTH, &SECTION);
  def.step_s = step_s;
  def.pipe.line.yield_moment_nm = YIELD;
  def.pipe.line.ramberg_osgood[0] = A, def.pipe.line.ramberg_osgood[1] = B;
  return def;
}

// The layers against the law that they follow.
static void curve(struct verify_result *r) {
  struct sim_def def = beam(0.01);
  struct pipe_layers layers = plasticity_layers(&def.pipe.line);
  struct verify_plot *plot = verify_plot(r, "Moment and curvature", "curvature over that at M_y", "M/M_y");
  struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "layers");
  struct verify_series *law = verify_series(r, plot, VERIFY_POINTS, "Ramberg and Osgood");
  double worst = 0;
  for (int i = 0; i <= 120; i++) {
    double m = 0.01 * i, k = m + A * pow(m, B), found = plasticity_moment(&layers, k * YIELD / EI) / YIELD;
    worst = fmax(worst, fabs(found - m));
    verify_point(r, line, k, found);
    if (i % 10 == 0)
      verify_point(r, law, k, m);
  }
  verify_add(r, VERIFY_ABSOLUTE, "", worst, 0, 0.02,
             "moment of the layers over M_y, largest error of the curve");
}

// One turn of the moment and its removal. Masing's rule: the branches are the curve doubled, so that a loop
// of amplitude M encloses 4 (B - 1)/(B + 1) M kappa_p, kappa_p the plastic curvature at M.
static void cycle(struct verify_result *r) {
  enum { TURN_S = 40, FREE_S = 10, REST_S = 10 };
  const double m = 1.1, plastic = YIELD / EI * A * pow(m, B);
  struct sim_def def = beam(0.01);
  struct time_profile *profile = &def.pipe.end_profile;
  def.pipe.structural_damping_s = 0.02;
  def.pipe.end_moment_nm[1] = m * YIELD;
  profile->rows = (TURN_S + FREE_S + REST_S) / 2 + 1;
  profile->kind = TABLE_SPLINE;
  for (int i = 0; i < profile->rows; i++) {
    double t = 2.0 * i, factor = t <= TURN_S + FREE_S ? cos(2 * TRIG_PI * t / TURN_S) : 0;
    profile->table[i] = (struct table_row){.time_s = t, .value = {factor}};
  }
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  verify_add(r, VERIFY_RELATIVE, "1/m", scene_curvature(s, 9), m * YIELD / EI + plastic, 0.03,
             "pure bending by 1.1 M_y: curvature at rest");
  struct verify_plot *plot = verify_plot(r, "A cycle", "curvature, 1/m", "moment, kN m");
  struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "the middle");
  double loop_j = 0;
  for (int k = 0; k < 100 * (TURN_S + FREE_S + REST_S); k++) {
    double stress[6];
    sim_step(s, NULL);
    scene_stress(s, 9, stress);
    if (k == 100 * TURN_S - 1)
      loop_j = s->run.ledger.total_loss_j[LOSS_PLASTIC];
    if (k % 20 == 0)
      verify_point(r, line, s->work.pipe.strain0[4][9] + s->model.pipe.rest_strain[4][9], stress[4] / 1e3);
  }
  const struct ledger *l = &s->run.ledger;
  verify_add(r, VERIFY_RELATIVE, "J", loop_j, 4 * (B - 1) / (B + 1) * m * YIELD * plastic * LENGTH, 0.03,
             "loss plastic in a cycle");
  verify_add(r, VERIFY_RELATIVE, "1/m", scene_curvature(s, 9), plastic, 0.03, "curvature that stays");
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(l), 0, 1e-12, "ledger closure");
  scene_free(s);
}

// Perfectly plastic, thrown by its end in space, at steps that resolve nothing.
static void thrown(double step_s, struct verify_result *r) {
  struct sim_def def = beam(step_s);
  def.pipe.line.ramberg_osgood[0] = 0;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  for (int i = 0; i <= 20; i++) {
    s->state.pipe.v_n[2][i] = 0.05 * i * i;
    s->state.pipe.v_n[1][i] = -0.02 * i * i;
  }
  scene_restart(s);
  double least = 0, most = 0;
  while (sim_time_s(s) < 10) {
    sim_step(s, NULL);
    least = fmin(least, s->run.ledger.loss_j[LOSS_PLASTIC]);
    for (int e = 0; e < 20; e++) {
      double stress[6];
      scene_stress(s, e, stress);
      most = fmax(most, hypot(stress[4], stress[5]));
    }
  }
  const struct ledger *l = &s->run.ledger;
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(l), 0, 1e-11, "thrown, %g ms: ledger closure",
             1e3 * step_s);
  verify_add(r, VERIFY_ABSOLUTE, "J", least, 0, 0, "the same: smallest loss plastic of a step");
  verify_add_range(r, "N m", most, 0.99 * YIELD, YIELD, 1e-12,
                   "the same: largest bending moment, M_y = 10 kN m");
  verify_show(r, "J", l->total_loss_j[LOSS_PLASTIC], l->energy_initial_j,
              "the same: loss plastic; reference: the energy at the start");
  scene_free(s);
}

void verify_plasticity(const struct verify_setup *setup, struct verify_result *r) {
  (void)setup;
  verify_run_with(r, "length 10 m, 20 elements, EI = 1 MN m2, M_y = 10 kN m, A = 0.5, B = 12");
  curve(r);
  cycle(r);
  if (!*r->failure)
    thrown(0.01, r);
  if (!*r->failure)
    thrown(0.05, r);
}
