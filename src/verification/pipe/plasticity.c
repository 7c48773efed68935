// Bending beyond yield: a cantilever under an end moment that is turned over once and taken away, and one
// that is thrown about.
#include "sagbend/math/math.h"
#include "sagbend/pipe/pipe.h"
#include "verification/harness/harness.h"

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
  for (int i = 0; i <= 140; i++) {
    double m = 0.01 * i, k = m + A * pow(m, B), found = plasticity_moment(&layers, k * YIELD / EI) / YIELD;
    worst = fmax(worst, fabs(found - m));
    verify_point(r, line, k, found);
    if (i % 10 == 0)
      verify_point(r, law, k, m);
  }
  verify_add(r, VERIFY_ABSOLUTE, "", worst, 0, 0.003,
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
      verify_point(r, line, s->work.pipe.strain0[4][9] + s->state.mesh.pipe.rest_strain[4][9],
                   stress[4] / 1e3);
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
  while (scene_is_before(s, 10)) {
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

// ---- A lay over a stinger ----

// The law: moment over M_y at a curvature over M_y/EI, both >= 0.
static double law_moment(double a, double b, double curvature) {
  double low = 0, high = curvature;
  for (int i = 0; i < 80; i++) {
    const double m = 0.5 * (low + high);
    if (m + a * pow(m, b) > curvature)
      high = m;
    else
      low = m;
  }
  return low;
}

struct lay {
  double radius_m, yield_nm, a, b;
};

// Curvature that stays of pipe that was bent to `most`, then back to `back` (both signed as the first), by
// the law and Masing's rule.
static double closed_residual(const struct lay *x, double bending_nm2, double most, double back) {
  const double unit = x->yield_nm / bending_nm2, down = law_moment(x->a, x->b, 0.5 * (most - back) / unit);
  return back - unit * (law_moment(x->a, x->b, most / unit) - 2 * down);
}

// Pipe that comes from the ramp, passes the arc and hangs below it.
static void laid(const struct verify_setup *setup, const struct lay *x, struct verify_series *line,
                 struct verify_series *points, struct verify_result *r) {
  enum { MOST = 400, PAID_M = 90 };
  static double most[MOST], back[MOST];
  struct sim_def def;
  if (!scene_load(setup, "slay-100m", 0, NULL, &def, r))
    return;
  def.step_s = 0.05;
  def.env.load_count = 0;
  def.pipe.stinger.radius_m = x->radius_m;
  def.pipe.line.yield_moment_nm = x->yield_nm;
  def.pipe.line.ramberg_osgood[0] = x->a, def.pipe.line.ramberg_osgood[1] = x->b;
  def.pipe.payout =
      (struct payout_def){.row_count = 1,
                          .row = {{.start_s = 1, .length_m = PAID_M, .speed_mps = 0.8, .ramp_s = 5}},
                          .elements_max = MOST - 40};
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  const double start_m = def.pipe.length_m, bending = def.pipe.line.bending_stiffness_nm2[0];
  for (int e = 0; e < MOST; e++)
    most[e] = back[e] = 0;
  while (scene_is_before(s, 130)) {
    sim_step(s, NULL);
    for (int e = 0; e < p->elements; e++) {
      const double k = -(s->work.pipe.strain0[4][e] + p->rest_strain[4][e]);
      if (k > most[e])
        most[e] = back[e] = k;
      back[e] = fmin(back[e], k);
    }
  }
  double worst = 0, largest = 0;
  for (int e = 0; e < p->elements; e++) {
    const double middle_m = p->arc_m[e] + 0.5 * p->length_m[e], stays = -pipe_plastic_curvature(p, 0, e);
    if (middle_m < start_m - 20 || middle_m > start_m + 25) // from the ramp to beyond the tip
      continue;
    const double exact = closed_residual(x, bending, most[e], back[e]);
    worst = fmax(worst, fabs(stays - exact)), largest = fmax(largest, exact);
    if (line)
      verify_point(r, line, middle_m, 1e3 * stays), verify_point(r, points, middle_m, 1e3 * exact);
  }
  const struct ledger *l = &s->run.ledger;
  verify_add(
      r, VERIFY_ABSOLUTE, "1/m", worst, 0, 0.03 * largest,
      "lay over a stinger of %g m, M_y = %g MN m, A = %g, B = %g: largest error of the curvature that stays",
      x->radius_m, 1e-6 * x->yield_nm, x->a, x->b);
  verify_add_range(r, "1/m", largest, 0.004, 0.02, 0, "the same: largest curvature that stays");
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(l), 0, 1e-12, "the same: ledger closure");
  verify_show(r, "J", l->total_work_j[PORT_REMESH], l->total_loss_j[LOSS_PLASTIC],
              "the same: work of the port remesh; reference: loss plastic");
  scene_free(s);
}

static void lays(const struct verify_setup *setup, struct verify_result *r) {
  static const struct lay LAYS[] = {{70, 1.1e6, 0.3, 15}, {85, 1.1e6, 0.5, 12}, {60, 1.2e6, 1.3, 8}};
  struct verify_plot *plot =
      verify_plot(r, "Curvature that stays after a stinger of 70 m", "arc length, m", "curvature, 1/km");
  struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "computed"),
                       *points = verify_series(r, plot, VERIFY_POINTS, "law");
  for (size_t k = 0; k < sizeof LAYS / sizeof *LAYS && !*r->failure; k++)
    laid(setup, &LAYS[k], k ? NULL : line, k ? NULL : points, r);
}

void verify_plasticity(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(r, "length 10 m, 20 elements, EI = 1 MN m2, M_y = 10 kN m, A = 0.5, B = 12");
  curve(r);
  cycle(r);
  if (!*r->failure)
    thrown(0.01, r);
  if (!*r->failure)
    thrown(0.05, r);
  if (!*r->failure)
    lays(setup, r);
}

// ------------------------------------------------------------
// A J-lay with so little tension that its sagbend yields, with the hardening of its steel: the law of
// bending, and the strain as the mesh becomes finer. Without hardening the strain doubles with every halving
// of the elements.

// tests/reference/yielding_statics.py 3000 6000, extrapolated with order 2
static const double REFERENCE_STRAIN = 0.0027499938, REFERENCE_MOMENT = 6443710.8,
                    REFERENCE_TENSION = 1150255.5;
static const double REFERENCE_A = 0.05323243, REFERENCE_B = 13.721420;

enum { PLACES = 50 };
static const char *const STEEL =
    "pipe.steel={wall_thickness_m: 0.0328, yield_strength_pa: 450e6, tensile_strength_pa: 535e6}";

static struct sim *begin_lay(const struct verify_setup *setup, int elements, const char *hardening,
                             struct verify_result *r) {
  const char *const sets[] = {"pipe.yield_moment_nm=5910701.887", "statics.horizontal_force_n=40e3", STEEL,
                              hardening};
  struct sim_def def;
  if (!scene_load(setup, "jlay-900m", sizeof sets / sizeof *sets, sets, &def, r))
    return NULL;
  def.pipe.elements = elements;
  return scene_create(&def, r);
}

static double strain_at(const struct sim *s, int place) {
  return sim_node_forces(s, place * s->state.mesh.pipe.elements / PLACES).max_strain;
}

// Root mean square of the differences at the places that all meshes share.
static double difference(const struct sim *a, const struct sim *b) {
  double sum = 0;
  for (int k = 0; k <= PLACES; k++) {
    const double gap = strain_at(a, k) - strain_at(b, k);
    sum += gap * gap / (PLACES + 1);
  }
  return sqrt(sum);
}

static void draw(const struct sim *s, struct verify_plot *plot, enum verify_style style, const char *label,
                 struct verify_result *r) {
  struct verify_series *series = verify_series(r, plot, style, "%s", label);
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  for (int i = 0; i <= p->elements; i++)
    if (p->arc_m[i] >= 500 && p->arc_m[i] <= 700)
      verify_point(r, series, p->arc_m[i], 100 * sim_node_forces(s, i).max_strain);
}

void verify_yield_mesh(const struct verify_setup *setup, struct verify_result *r) {
  enum { MESHES = 4 };
  static const int ELEMENTS[MESHES] = {200, 400, 800, 1600};
  double width[MESHES], error[MESHES], largest[2] = {0};
  verify_run_with(r, "configs/jlay-900m.yaml under 40 kN, X65 of 762 x 32.8 mm, 200 to 3200 elements");
  struct verify_plot *plot =
      verify_plot(r, "Strain of the sagbend that yields", "arc length, m", "strain, %%");
  struct sim *fine = begin_lay(setup, 3200, "pipe.ramberg_osgood=steel", r);
  if (!fine)
    return;
  const struct pipe_type *line = &fine->def->pipe.line;
  verify_add(r, VERIFY_RELATIVE, "", line->ramberg_osgood[0], REFERENCE_A, 2e-3, "law of the steel: A");
  verify_add(r, VERIFY_RELATIVE, "", line->ramberg_osgood[1], REFERENCE_B, 2e-4, "law of the steel: B");
  for (int m = 0; m < MESHES; m++) {
    struct sim *s = begin_lay(setup, ELEMENTS[m], "pipe.ramberg_osgood=steel", r);
    if (!s)
      break;
    struct sim_output o;
    sim_get_output(s, &o);
    width[m] = 1500.0 / ELEMENTS[m], error[m] = difference(s, fine);
    verify_add(r, VERIFY_RELATIVE, "", o.max_strain, REFERENCE_STRAIN, 3e-3, "largest strain, %d elements",
               ELEMENTS[m]);
    if (m == MESHES - 1) {
      verify_add(r, VERIFY_RELATIVE, "N m", o.max_moment_nm, REFERENCE_MOMENT, 3e-5,
                 "largest moment, 1600 elements");
      verify_add(r, VERIFY_RELATIVE, "N", o.hangoff_tension_n, REFERENCE_TENSION, 3e-6,
                 "hang-off tension, 1600 elements");
      draw(s, plot, VERIFY_LINE, "hardening of the steel, 1600 elements", r);
    }
    scene_free(s);
  }
  if (!*r->failure)
    verify_order(r, "Strain beyond yield as the mesh becomes finer", "element length, m",
                 "strain at 51 places", width, error, MESHES, 2, 0.25);
  for (int m = 0; m < 2; m++) {
    struct sim *s = begin_lay(setup, ELEMENTS[m], "pipe.ramberg_osgood=perfect", r);
    if (!s)
      break;
    struct sim_output o;
    sim_get_output(s, &o);
    largest[m] = o.max_strain;
    draw(s, plot, VERIFY_DASHED, m ? "perfectly plastic, 400 elements" : "perfectly plastic, 200 elements",
         r);
    scene_free(s);
  }
  if (!*r->failure)
    verify_add_range(
        r, "", largest[1] / largest[0], 1.6, 2.4, 0,
        "perfectly plastic: largest strain of 400 over that of 200 elements; it does not converge");
  scene_free(fine);
}
