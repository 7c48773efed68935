// Pay-out and recovery of the 30-inch J-lay in 900 m of water: 300 m out at 0.5 m/s and half of it back, 90
// m and 45 m where the steps are short. The top is held by a free vessel that a constant wrench pulls,
// or follows an imposed path. The ledger, the tension as the mesh at the top changes, and the end against the
// equilibrium of a pipe of that length. With short elements and long steps: the tension does not alternate.
#include "sagbend/base/base.h"
#include "sagbend/lay/lay.h"
#include "sagbend/math/math.h"
#include "verification/harness/harness.h"

#include <math.h>

static const double SPEED = 0.5, RAMP_S = 20, OUT_S = 20, REST_S = 60, ELEMENT_M = 15;

struct lay {
  const char *name;
  int is_moved; // 1: the top follows a path ahead with the pipe; 0: pinned to the free vessel
  double step_s;
  double out_m;   // half of it is taken back
  double settled; // s after it, until the end is compared with the statics; 0: not compared
};

static double back_s(const struct lay *lay) {
  return OUT_S + lay->out_m / SPEED + RAMP_S + REST_S;
}

static double end_s(const struct lay *lay) {
  return back_s(lay) + 0.5 * lay->out_m / SPEED + 2 * RAMP_S + lay->settled;
}

// Where pipe of the given length paid out would lie along the bottom: the top moves ahead by as much.
static void move_along(struct motion_def *m, const struct payout_def *payout, double end_s) {
  const double every = 20;
  *m = (struct motion_def){.rows = (int)(end_s / every) + 3};
  for (int i = 0; i < m->rows; i++) {
    double t = every * i;
    m->table[i] = (struct table_row){.time_s = t, .value = {payout_length(payout, t), 0, 0}};
  }
}

static int lay_def(const struct verify_setup *setup, const struct lay *lay, struct sim_def *def,
                   struct verify_result *r) {
  if (!scene_load(setup, "jlay-900m-payout", 0, NULL, def, r))
    return 0;
  def->step_s = lay->step_s;
  def->pipe.payout = (struct payout_def){
      .row_count = 2,
      .row = {{.start_s = OUT_S, .length_m = lay->out_m, .speed_mps = SPEED, .ramp_s = RAMP_S},
              {.start_s = back_s(lay), .length_m = -0.5 * lay->out_m, .speed_mps = SPEED, .ramp_s = RAMP_S}},
      .elements_max = 150};
  if (lay->is_moved) {
    def->pipe.hangoff = HANGOFF_MOVED;
    move_along(&def->pipe.motion, &def->pipe.payout, end_s(lay));
  }
  return 1;
}

// The change of the tension beside its trend where the mesh changes.
struct jumps {
  double tension_n[3];
  uint64_t changes;
  double split_n, merge_n;
};

static void watch(const struct sim *s, struct jumps *x) {
  const struct payout_state *payout = &s->state.payout;
  struct sim_output o;
  sim_get_output(s, &o);
  x->tension_n[2] = x->tension_n[1], x->tension_n[1] = x->tension_n[0], x->tension_n[0] = o.hangoff_tension_n;
  if (payout->splits + payout->merges == x->changes)
    return;
  x->changes = payout->splits + payout->merges;
  double jump = fabs(x->tension_n[0] - 2 * x->tension_n[1] + x->tension_n[2]);
  if (payout->speed_mps > 0)
    x->split_n = fmax(x->split_n, jump);
  else
    x->merge_n = fmax(x->merge_n, jump);
}

// The pipe at the end against the statics of its length, with the top where it is.
static void judge_end(const struct verify_setup *setup, const struct sim *s, const struct lay *lay,
                      struct verify_result *r) {
  const char *name = lay->name;
  struct sim_def def;
  if (!scene_load(setup, "jlay-900m-payout", 0, NULL, &def, r))
    return;
  def.pipe.payout = s->def->pipe.payout;
  for (int k = 0; k < 2; k++)
    def.pipe.payout.row[k].start_s += 1e6;
  def.pipe.elements = s->state.mesh.pipe.elements;
  def.pipe.length_m = s->state.mesh.pipe.arc_m[s->state.mesh.pipe.nodes - 1];
  struct scene_rest x;
  if (!scene_beside_rest(s, def, &x, r))
    return;
  verify_add(r, VERIFY_ABSOLUTE, "m", x.now.paid_out_m + 1500, 1500 + 0.5 * lay->out_m, 1e-8,
             "%s: length of the pipe", name);
  verify_add(r, VERIFY_RELATIVE, "N", x.now.hangoff_tension_n, x.rest.hangoff_tension_n, 1e-4,
             "%s: tension at the end against the statics of that length", name);
  verify_add(r, VERIFY_ABSOLUTE, "m", x.farthest_m, 0, 0.05, "%s: largest distance of a node from that shape",
             name);
}

static int run(const struct verify_setup *setup, const struct lay *lay, struct verify_plot *plot,
               struct verify_result *r) {
  struct sim_def def;
  if (!lay_def(setup, lay, &def, r))
    return 0;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return 0;
  struct verify_series *line = plot ? verify_series(r, plot, VERIFY_LINE, "%s", lay->name) : NULL;
  struct jumps jumps = {.split_n = 0};
  watch(s, &jumps);
  const int steps = (int)(end_s(lay) / lay->step_s + 0.5), every = (int)(2 / lay->step_s + 0.5);
  for (int k = 0; k < steps; k++) {
    sim_step(s, NULL);
    watch(s, &jumps);
    if (line && k % every == 0)
      verify_point(r, line, k * lay->step_s, 1e-3 * jumps.tension_n[0]);
  }
  const struct ledger *l = &s->run.ledger;
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(l), 0, 1e-12, "%s: ledger closure", lay->name);
  verify_add(r, VERIFY_ABSOLUTE, "", l->total_work_j[PORT_REMESH] / l->total_work_j[PORT_TENSIONER], 0, 1e-6,
             "%s: work of the port remesh over that of tensioner", lay->name);
  verify_show(r, "J", l->total_work_j[PORT_TENSIONER], l->total_work_j[PORT_FEED],
              "%s: work of the port tensioner; reference: of feed", lay->name);
  verify_add(r, VERIFY_ABSOLUTE, "N", jumps.split_n, 0, 150, "%s: largest jump of the tension at a split",
             lay->name);
  verify_add(r, VERIFY_ABSOLUTE, "N", jumps.merge_n, 0, 200, "%s: largest jump at a merge", lay->name);
  verify_add(r, VERIFY_ABSOLUTE, "", (double)s->state.payout.splits, lay->out_m / ELEMENT_M, 0, "%s: splits",
             lay->name);
  verify_add(r, VERIFY_ABSOLUTE, "", (double)s->state.payout.merges, 0.5 * lay->out_m / ELEMENT_M, 0,
             "%s: merges", lay->name);
  if (lay->settled > 0)
    judge_end(setup, s, lay, r);
  scene_free(s);
  return 1;
}

// Elements so short that waves of a few of them change their sign in each step: a split must not enlarge
// them.
struct short_lay {
  int elements;
  double step_s, from_s, end_s; // times without a split
};

static void run_short(const struct verify_setup *setup, const struct short_lay *lay,
                      struct verify_result *r) {
  struct sim_def def;
  if (!scene_load(setup, "jlay-900m-payout", 0, NULL, &def, r))
    return;
  def.step_s = lay->step_s;
  def.pipe.elements = lay->elements;
  def.pipe.payout =
      (struct payout_def){.row_count = 1,
                          .row = {{.start_s = 10, .length_m = 190, .speed_mps = 0.4, .ramp_s = 10}},
                          .elements_max = 700};
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  struct sim_output o;
  sim_get_output(s, &o);
  double tension_n[3] = {0}, most_n = 0;
  while (scene_is_before(s, lay->end_s)) {
    sim_step(s, NULL);
    sim_get_output(s, &o);
    tension_n[2] = tension_n[1], tension_n[1] = tension_n[0], tension_n[0] = o.hangoff_tension_n;
    if (sim_time_s(s) > lay->from_s)
      most_n = fmax(most_n, 0.5 * fabs(tension_n[1] - 0.5 * (tension_n[0] + tension_n[2])));
  }
  const struct ledger *l = &s->run.ledger;
  const double element_m = 1500.0 / lay->elements, step_ms = 1e3 * lay->step_s;
  verify_add(r, VERIFY_ABSOLUTE, "N", most_n, 0, 1,
             "%g m, %g ms: amplitude with which the tension alternates from step to step", element_m,
             step_ms);
  verify_add_range(r, "J", l->total_work_j[PORT_REMESH], -10, 0, 0, "%g m, %g ms: work of the port remesh",
                   element_m, step_ms);
  verify_add_range(r, "", o.newton_mean, 1, 2, 0, "%g m, %g ms: mean number of iterations", element_m,
                   step_ms);
  verify_add(r, VERIFY_ABSOLUTE, "", o.events >> EVENT_TENSION_ALTERNATES & 1, 0, 0,
             "%g m, %g ms: event tension_alternates", element_m, step_ms);
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(l), 0, 1e-12, "%g m, %g ms: ledger closure",
             element_m, step_ms);
  scene_free(s);
}

void verify_payout(const struct verify_setup *setup, struct verify_result *r) {
  static const struct lay LAYS[] = {
      {"free vessel, 50 ms", 0, 0.05, 300, 660}, {"imposed path, 50 ms", 1, 0.05, 300, 660},
      {"free vessel, 100 ms", 0, 0.1, 300, 0},   {"imposed path, 100 ms", 1, 0.1, 300, 0},
      {"free vessel, 20 ms", 0, 0.02, 90, 0},    {"imposed path, 20 ms", 1, 0.02, 90, 0},
      {"free vessel, 10 ms", 0, 0.01, 90, 0},    {"imposed path, 10 ms", 1, 0.01, 90, 0}};
  verify_run_with(
      r,
      "100 elements of %g m at the start; 300 m out and 150 m back at %g m/s, with steps of 20 and "
      "10 ms 90 m and 45 m",
      ELEMENT_M, SPEED);
  struct verify_plot *plot = verify_plot(r, "Tension at the hang-off", "time, s", "tension, kN");
  for (size_t k = 0; k < sizeof LAYS / sizeof *LAYS; k++)
    if (!run(setup, &LAYS[k], k < 2 ? plot : NULL, r))
      return;
  static const struct short_lay SHORT[] = {{600, 0.04, 243, 246.5}, {300, 0.1, 298, 303.5}};
  for (size_t k = 0; k < sizeof SHORT / sizeof *SHORT && !*r->failure; k++)
    run_short(setup, &SHORT[k], r);
}

// ------------------------------------------------------------
// Pay-out of the J-lay from tops that follow a path, in the plane, against the program of
// verification/harness/harness.h. The heave lets drag count: 1 % of it moves the point at 1000 m by 47 mm, 1
// % of the weight changes the tension by 15 kN.

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

static int planar_lay_def(const struct verify_setup *setup, double heave_m, struct sim_def *def,
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
  const vec3 at = vec3_add(s->model->motion_home_n, offset_at(heave_m, time_s)),
             v = vec3_scale(0.5 / nearby, vec3_sub(offset_at(heave_m, time_s + nearby),
                                                   offset_at(heave_m, time_s - nearby)));
  return (struct planar_lay_top){.length_m = s->def->pipe.length_m + payout_length(&PROGRAMME, time_s),
                                 .speed_mps = payout_speed(&PROGRAMME, time_s),
                                 .place_m = {at.x, at.z},
                                 .velocity_mps = {v.x, v.z}};
}

// The same pipe, from the section's data, with the places of our equilibrium to begin with.
static int begin(const struct sim *s, double heave_m, struct planar_lay *x) {
  const struct pipe_type *line = &s->def->pipe.line;
  const double water = s->def->env.water_density_kgpm3, outer = line->outer_diameter_m,
               weight = (line->mass_kgpm - water * 0.25 * TRIG_PI * outer * outer) * s->def->env.gravity_mps2;
  x->def = (struct planar_lay_def){.elements = ELEMENTS,
                                   .axial_n = line->axial_stiffness_n,
                                   .bending_nm2 = line->bending_stiffness_nm2[0],
                                   .mass_kgpm = line->mass_kgpm,
                                   .weight_npm = weight,
                                   .drag_across = 0.5 * water * outer * line->drag_transverse,
                                   .drag_along = 0.5 * water * outer * line->drag_axial,
                                   .slope_npm2 = weight / (0.1 * outer),
                                   .break_m = 0.05 * outer,
                                   .ground_m = s->def->env.depth_m - 0.5 * outer};
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
            node = (int)(POINT_M * ELEMENTS / s->def->pipe.length_m + 0.5);
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

static void run_planar(const struct verify_setup *setup, double heave_m, struct verify_plot *plot,
                       struct verify_result *r) {
  static struct planar_lay x;
  struct sim_def def;
  struct errors e = {0, 0, 0};
  if (!planar_lay_def(setup, heave_m, &def, r))
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
  struct verify_plot *plot = verify_plot(r, "Tension at the hang-off", "time, s", "tension, kN");
  run_planar(setup, 0, plot, r);
  if (!*r->failure)
    run_planar(setup, 1.5, plot, r);
}
