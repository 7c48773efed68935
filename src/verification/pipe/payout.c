// Pay-out and recovery of the 30-inch J-lay in 900 m of water: 600 m out at 0.5 m/s and half of it back, a
// quarter of both where the steps are short. The top is held by a free vessel that a constant wrench pulls,
// or follows an imposed path. The ledger, the tension as the mesh at the top changes, and the end against the
// equilibrium of a pipe of that length. With short elements and long steps: the tension does not alternate.
#include "verification/harness/case_functions.h"
#include "verification/harness/scenes.h"

#include "sagbend/lay/lay.h"

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
static void judge_end(const struct verify_setup *setup, const struct sim *s, const char *name,
                      struct verify_result *r) {
  struct sim_def def;
  if (!scene_load(setup, "jlay-900m-payout", 0, NULL, &def, r))
    return;
  def.pipe.payout = s->def.pipe.payout;
  for (int k = 0; k < 2; k++)
    def.pipe.payout.row[k].start_s += 1e6;
  def.pipe.elements = s->state.mesh.pipe.elements;
  def.pipe.length_m = s->state.mesh.pipe.arc_m[s->state.mesh.pipe.nodes - 1];
  struct scene_rest x;
  if (!scene_beside_rest(s, def, &x, r))
    return;
  verify_add(r, VERIFY_ABSOLUTE, "m", x.now.paid_out_m + 1500, 1800, 1e-8, "%s: length of the pipe", name);
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
    judge_end(setup, s, lay->name, r);
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
  while (sim_time_s(s) < lay->end_s) {
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
      {"free vessel, 50 ms", 0, 0.05, 600, 660}, {"imposed path, 50 ms", 1, 0.05, 600, 660},
      {"free vessel, 100 ms", 0, 0.1, 600, 0},   {"imposed path, 100 ms", 1, 0.1, 600, 0},
      {"free vessel, 20 ms", 0, 0.02, 150, 0},   {"imposed path, 20 ms", 1, 0.02, 150, 0},
      {"free vessel, 10 ms", 0, 0.01, 150, 0},   {"imposed path, 10 ms", 1, 0.01, 150, 0}};
  verify_run_with(
      r,
      "100 elements of %g m at the start; 600 m out and 300 m back at %g m/s, with steps of 20 and "
      "10 ms 150 m and 75 m",
      ELEMENT_M, SPEED);
  struct verify_plot *plot = verify_plot(r, "Tension at the hang-off", "time, s", "kN");
  for (size_t k = 0; k < sizeof LAYS / sizeof *LAYS; k++)
    if (!run(setup, &LAYS[k], k < 2 ? plot : NULL, r))
      return;
  static const struct short_lay SHORT[] = {{600, 0.04, 243, 246.5}, {300, 0.1, 298, 303.5}};
  for (size_t k = 0; k < sizeof SHORT / sizeof *SHORT && !*r->failure; k++)
    run_short(setup, &SHORT[k], r);
}
