// Pay-out of the J-lay from tops that follow a path, in the plane, against the program of
// verification/harness/planar_lay.h. The heave lets drag count: 1 % of it moves the point at 1000 m by 47 mm, 1 %
// of the weight changes the tension by 15 kN.
#include "verification/harness/case_functions.h"
#include "verification/harness/scenes.h"

#include "sagbend/base/steps.h"
#include "sagbend/lay/lay.h"
#include "sagbend/math/trig.h"
#include "verification/harness/planar_lay.h"

#include <math.h>

enum { ELEMENTS = 300, PARTS = 2 }; // PARTS: steps of the rival in one of ours
static const double STEP = 0.05, END = 110, PERIOD = 12, RAMP = 10, POINT_M = 1000;
static const double SETTLED = 30; // the rough start of the heave shakes the pipe along its axis
static const struct payout_def PROGRAMME = {
    .row_count = 1, .row = {{.start_s = 10, .length_m = 40, .speed_mps = 0.5, .ramp_s = 10}}};

static double ramp_at(double time_s) {
  return time_s < RAMP ? 0.5 - 0.5 * cos(TRIG_PI * time_s / RAMP) : 1;
}

// The top moves ahead with the pipe, and heaves.
static vec3 offset_at(double heave_m, double time_s) {
  const double ahead_m = payout_length(&PROGRAMME, time_s);
  return (vec3){ahead_m, 0, heave_m * ramp_at(time_s) * sin(2 * TRIG_PI * time_s / PERIOD)};
}

static int lay_def(const struct verify_setup *setup, double heave_m, struct sim_def *def,
                   struct verify_result *r) {
  const char *const sets[] = {"environment.seabed_damping_nspm3=0", "pipe.structural_damping_s=0.001"};
  if (!scene_load(setup, "jlay-900m-payout", 2, sets, def, r))
    return 0;
  def->step_s = STEP;
  def->pipe.elements = ELEMENTS;
  def->pipe.payout = PROGRAMME;
  def->pipe.payout.elements_max = ELEMENTS + 20;
  def->pipe.hangoff = HANGOFF_MOVED;
  struct motion_def *m = &def->pipe.motion;
  *m = (struct motion_def){.rows = 457}; // to 114 s: the spline's end is not felt
  for (int i = 0; i < m->rows; i++) {
    m->table[i] = (struct table_row){.time_s = 0.25 * i};
    vec3_to(offset_at(heave_m, 0.25 * i), m->table[i].value);
  }
  return 1;
}

static struct planar_lay_top top_at(const struct sim *s, double heave_m, double time_s) {
  const double nearby = 1e-4;
  const vec3 at = vec3_add(s->model.motion_home_n, offset_at(heave_m, time_s)),
             v = vec3_scale(0.5 / nearby, vec3_sub(offset_at(heave_m, time_s + nearby),
                                                   offset_at(heave_m, time_s - nearby)));
  return (struct planar_lay_top){.length_m = s->def.pipe.length_m + payout_length(&PROGRAMME, time_s),
                                 .speed_mps = payout_speed(&PROGRAMME, time_s),
                                 .place_m = {at.x, at.z},
                                 .velocity_mps = {v.x, v.z}};
}

// The same pipe, from the section's data, with the places of our equilibrium to begin with.
static int begin(const struct sim *s, double heave_m, struct planar_lay *x) {
  const struct pipe_type *line = &s->def.pipe.line;
  const double water = s->def.env.water_density_kgpm3, outer = line->outer_diameter_m,
               weight = (line->mass_kgpm - water * 0.25 * TRIG_PI * outer * outer) * s->def.env.gravity_mps2;
  x->def = (struct planar_lay_def){.elements = ELEMENTS,
                                   .axial_n = line->axial_stiffness_n,
                                   .bending_nm2 = line->bending_stiffness_nm2[0],
                                   .mass_kgpm = line->mass_kgpm,
                                   .weight_npm = weight,
                                   .drag_across = 0.5 * water * outer * line->drag_transverse,
                                   .drag_along = 0.5 * water * outer * line->drag_axial,
                                   .slope_npm2 = weight / (0.1 * outer),
                                   .break_m = 0.05 * outer,
                                   .ground_m = s->def.env.depth_m - 0.5 * outer};
  for (int i = 0; i <= ELEMENTS; i++)
    x->place[0][i][0] = s->state.pipe.r_n[0][i], x->place[0][i][1] = s->state.pipe.r_n[2][i];
  const struct planar_lay_top top = top_at(s, heave_m, 0);
  return planar_lay_rest(x, &top);
}

struct errors {
  double tension_n, place_m, rest_n; // largest
};

static int compare(struct sim *s, double heave_m, struct planar_lay *x, struct verify_series *line[2],
                   struct errors *e, struct verify_result *r) {
  const int steps = (int)steps_nearest_to(END, STEP), second = (int)steps_nearest_to(1, STEP),
            node = (int)(POINT_M * ELEMENTS / s->def.pipe.length_m + 0.5);
  for (int k = 0; k <= steps; k++) {
    const double time_s = k * STEP;
    if (k % second == 0) {
      struct sim_output o;
      double place[2];
      sim_get_output(s, &o);
      planar_lay_place(x, POINT_M, place);
      const double error_n = fabs(o.hangoff_tension_n - planar_lay_tension(x));
      verify_point(r, line[0], time_s, 1e-3 * o.hangoff_tension_n);
      verify_point(r, line[1], time_s, 1e-3 * planar_lay_tension(x));
      e->rest_n = k ? e->rest_n : error_n;
      e->tension_n = time_s >= SETTLED ? fmax(e->tension_n, error_n) : 0;
      e->place_m = fmax(e->place_m,
                        hypot(s->state.pipe.r_n[0][node] - place[0], s->state.pipe.r_n[2][node] - place[1]));
    }
    if (k == steps)
      break;
    sim_step(s, NULL);
    for (int p = 1; p <= PARTS; p++) {
      const struct planar_lay_top top = top_at(s, heave_m, time_s + p * STEP / PARTS);
      if (!planar_lay_step(x, &top, STEP / PARTS)) {
        verify_fail(r, "the planar program found no solution at %g s", time_s);
        return 0;
      }
    }
  }
  return 1;
}

static void run(const struct verify_setup *setup, double heave_m, struct verify_plot *plot,
                struct verify_result *r) {
  static struct planar_lay x;
  struct sim_def def;
  struct errors e = {0, 0, 0};
  if (!lay_def(setup, heave_m, &def, r))
    return;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  struct verify_series *line[2] = {verify_series(r, plot, VERIFY_LINE, "heave of %g m", heave_m),
                                   verify_series(r, plot, VERIFY_POINTS, "planar program")};
  if (!begin(s, heave_m, &x))
    verify_fail(r, "the planar program found no equilibrium");
  else if (compare(s, heave_m, &x, line, &e, r)) {
    verify_add(r, VERIFY_ABSOLUTE, "N", e.rest_n, 0, 500, "heave of %g m: error of the tension at rest",
               heave_m);
    verify_add(r, VERIFY_ABSOLUTE, "N", e.tension_n, 0, heave_m > 0 ? 2500 : 500,
               "heave of %g m: largest error of the tension from %g s on", heave_m, SETTLED);
    verify_add(r, VERIFY_ABSOLUTE, "m", e.place_m, 0, 0.004,
               "heave of %g m: largest error of the place of the point at %g m", heave_m, POINT_M);
    verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-12,
               "heave of %g m: ledger closure", heave_m);
  }
  scene_free(s);
}

void verify_planar_payout(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(r, "%d elements; steps of %g ms, of the planar program %g ms; %g s", ELEMENTS, 1e3 * STEP,
                  1e3 * STEP / PARTS, END);
  struct verify_plot *plot = verify_plot(r, "Tension at the hang-off", "time, s", "kN");
  run(setup, 0, plot, r);
  if (!*r->failure)
    run(setup, 1.5, plot, r);
}
