// Abandonment and recovery: jlay-900m-abandonment.yaml as it is, until the head lies on the seabed and the
// pipe has come to rest, and then 300 m back, in the long version until it rests again. The ledger; the ends
// of both against the equilibrium of the mesh that they have.
#include "sagbend/lay/lay.h"
#include "sagbend/math/math.h"
#include "verification/harness/harness.h"

#include <math.h>
#include <string.h>

static const double ABANDONMENT_STEP_S = 0.1, LAID_S = 2700, BACK_M = 300, BACK_S = 3110, REST_S = 6000;

static void append(struct pipe_def *p, double length_m, int elements, int type) {
  p->mesh[p->mesh_segment_count++] =
      (struct mesh_segment){.length_m = length_m, .elements = elements, .type = type};
  p->elements += elements;
  p->length_m += length_m;
}

// The pipe of this state as one that hangs at the start: whole elements of the mesh and of the tally's plan,
// then the top element, of the kind that it began with.
static void put_mesh(const struct sim *s, struct pipe_def *to) {
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  int left = p->elements - 1;
  to->mesh_segment_count = to->elements = 0, to->length_m = 0;
  for (int k = 0; k < p->pipe->tally.stretch_count && left > 0; k++) {
    const struct pipe_stretch *part = &p->pipe->tally.stretch[k];
    const int is_last = k + 1 == p->pipe->tally.stretch_count;
    const int elements = is_last || part->elements > left ? left : part->elements;
    append(to, elements * part->element_m, elements, part->type);
    left -= elements;
  }
  append(to, s->state.payout.top_m, 1, p->top.own->type);
  to->tally.part_count = 0;
  to->payout.row_count = 1;
  to->payout.row[0].start_s = 1e6;
}

// With the top where it is. tension: permitted relative error of the tension.
static void judge_rest(const struct sim *s, const char *name, double tension, double touchdown_m,
                       struct verify_result *r) {
  struct sim_def def = *s->def;
  struct scene_rest x;
  put_mesh(s, &def.pipe);
  if (!scene_beside_rest(s, def, &x, r))
    return;
  verify_add(r, VERIFY_RELATIVE, "N", x.now.hangoff_tension_n, x.rest.hangoff_tension_n, tension,
             "%s: tension at the hang-off against the statics of that mesh", name);
  verify_add(r, VERIFY_ABSOLUTE, "m", x.farthest_m, 0, 0.1, "%s: largest distance of a node from that shape",
             name);
  verify_add(r, VERIFY_ABSOLUTE, "m", x.now.touchdown_arc_length_m, x.rest.touchdown_arc_length_m,
             touchdown_m, "%s: arc length of the touchdown", name);
}

static void advance(struct sim *s, double end_s, struct verify_series *line, struct verify_result *r) {
  for (int k = 0; scene_is_before(s, end_s - 0.5 * ABANDONMENT_STEP_S); k++) {
    struct sim_output o;
    sim_step(s, NULL);
    if (k % 100 != 0)
      continue;
    sim_get_output(s, &o);
    verify_point(r, line, sim_time_s(s), 1e-3 * o.hangoff_tension_n);
  }
}

static void judge_ledger(const struct sim *s, const char *name, struct verify_result *r) {
  const struct ledger *l = &s->run.ledger;
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(l), 0, 1e-12, "%s: ledger closure", name);
  verify_show(r, "J", l->total_work_j[PORT_REMESH], l->total_work_j[PORT_TENSIONER],
              "%s: work of the port remesh; reference: of tensioner", name);
  verify_add(r, VERIFY_ABSOLUTE, "", (double)s->run.not_converged_count, 0, 0, "%s: steps without a solution",
             name);
}

void verify_abandonment(const struct verify_setup *setup, struct verify_result *r) {
  struct sim_def def;
  struct sim *s = NULL;
  if (scene_load(setup, "jlay-900m-abandonment", 0, NULL, &def, r)) {
    def.step_s = ABANDONMENT_STEP_S;
    struct payout_row *back = &def.pipe.payout.row[def.pipe.payout.row_count++];
    *back = def.pipe.payout.row[0];
    back->start_s = LAID_S, back->length_m = -BACK_M;
    s = scene_create(&def, r);
  }
  if (!s)
    return;
  verify_run_with(r, "configs/jlay-900m-abandonment.yaml, steps of %g ms; %g m back from %g s on",
                  1e3 * ABANDONMENT_STEP_S, BACK_M, LAID_S);
  struct verify_plot *plot = verify_plot(r, "Tension at the hang-off", "time, s", "tension, kN");
  struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "abandonment and recovery");
  struct sim_output o;
  advance(s, LAID_S, line, r);
  sim_get_output(s, &o);
  const double head_m = def.pipe.length_m + 12.2 + 1.2 + 12.2 + 6;
  verify_show(r, "m", head_m, o.touchdown_arc_length_m,
              "upper end of the head; reference: the touchdown, beyond it on the wire");
  judge_ledger(s, "laid down", r);
  judge_rest(s, "laid down", 1e-4, 0.2, r);
  advance(s, setup->extended ? REST_S : BACK_S, line, r);
  sim_get_output(s, &o);
  judge_ledger(s, "recovered", r);
  verify_add(r, VERIFY_ABSOLUTE, "m", o.paid_out_m, 1531.6 - BACK_M, 1e-8, "recovered: length paid out");
  if (setup->extended) // the free vessel still moves slowly
    judge_rest(s, "recovered", 5e-4, 0.5, r);
  scene_free(s);
}

// ------------------------------------------------------------
// Laid pipe that retires from the computation and returns. The 30-inch J-lay in 900 m of water: 1500 m laid
// and 1000 m recovered; 300 m out and back beside the same without retiring.

static const double STEP_S = 0.1, ANCHOR_M = 350, ELEMENT_M = 15;
enum { STORED = 100 }; // fewer nodes than retire: the store, a ring, has begun anew before they return

static const char *const FRICTION[] = {"environment.seabed_friction_axial=0.5",
                                       "environment.seabed_friction_lateral=0.7"};

static int lay_def(const struct verify_setup *setup, double anchor_m, int elements_max,
                   const struct payout_row *rows, int row_count, struct sim_def *def,
                   struct verify_result *r) {
  if (!scene_load(setup, "jlay-900m-payout", 2, FRICTION, def, r))
    return 0;
  def->step_s = STEP_S;
  def->pipe.payout = (struct payout_def){.row_count = row_count, .elements_max = elements_max};
  memcpy(def->pipe.payout.row, rows, (size_t)row_count * sizeof *rows);
  def->pipe.retire = (struct retire_def){.anchor_m = anchor_m, .stored_max = STORED};
  return 1;
}

static void run_to(struct sim *s, double time_s) {
  while (scene_is_before(s, time_s - 0.5 * s->def->step_s))
    sim_step(s, NULL);
}

static double tension_of(const struct sim *s) {
  struct sim_output o;
  sim_get_output(s, &o);
  return o.hangoff_tension_n;
}

// Length of laid pipe in the computation, from the lower end to the highest node on the ground.
static double laid_length(const struct sim *s) {
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  for (int i = p->nodes - 1; i >= 0; i--)
    if (s->state.pipe.r_n[2][i] + p->contact_offset_m[i] > p->pipe->depth_m)
      return p->arc_m[i] - p->arc_m[0];
  return 0;
}

// Kilometres at a constant number of elements.
static void lay_far(const struct verify_setup *setup, struct verify_result *r) {
  static const struct payout_row ROWS[] = {
      {.start_s = 20, .length_m = 1500, .speed_mps = 1, .ramp_s = 20},
      {.start_s = 1700, .length_m = -1000, .speed_mps = 1, .ramp_s = 20}};
  struct sim_def def;
  struct sim *s = NULL;
  if (lay_def(setup, ANCHOR_M, 130, ROWS, 2, &def, r))
    s = scene_create(&def, r);
  if (!s)
    return;
  struct verify_plot *plot =
      verify_plot(r, "Elements of a lay of 1500 m and 1000 m back", "time, s", "number of elements");
  struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "elements in the computation");
  struct verify_series *gone = verify_series(r, plot, VERIFY_LINE, "retired");
  uint64_t most = 0;
  int longest = 0, shortest = 1000;
  double least_m = (double)INFINITY, most_m = 0; // laid pipe while it is laid on
  while (scene_is_before(s, 2900)) {
    run_to(s, sim_time_s(s) + 10);
    most = s->state.retire.retired > most ? s->state.retire.retired : most;
    longest = s->state.mesh.pipe.elements > longest ? s->state.mesh.pipe.elements : longest;
    shortest = s->state.mesh.pipe.elements < shortest ? s->state.mesh.pipe.elements : shortest;
    if (sim_time_s(s) > 500 && sim_time_s(s) < 1500)
      least_m = fmin(least_m, laid_length(s)), most_m = fmax(most_m, laid_length(s));
    verify_point(r, line, sim_time_s(s), s->state.mesh.pipe.elements);
    verify_point(r, gone, sim_time_s(s), (double)s->state.retire.retired);
  }
  const struct ledger *l = &s->run.ledger;
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(l), 0, 1e-12,
             "1500 m out, 1000 m back: ledger closure");
  verify_add(r, VERIFY_ABSOLUTE, "m", s->state.payout.paid_m, 500, 1e-8, "length paid out");
  // A node retires once the next one lies the anchor length behind the touchdown, which moves by an element
  // or two.
  verify_add_range(r, "m", least_m, ANCHOR_M, ANCHOR_M + ELEMENT_M, 0,
                   "least laid pipe in the computation of a lay");
  verify_add_range(r, "m", most_m, ANCHOR_M + ELEMENT_M, ANCHOR_M + 3 * ELEMENT_M, 0,
                   "most laid pipe in the computation of a lay");
  verify_add(r, VERIFY_ABSOLUTE, "", 0.5 * (longest + shortest), 104, 8,
             "mean of the largest and smallest number of elements, %d and %d", longest, shortest);
  verify_show(r, "", (double)most, 100,
              "nodes that have retired at the end of the lay; reference: laid meanwhile");
  verify_show(r, "J", l->total_work_j[PORT_RETIRED], l->total_work_j[PORT_TENSIONER],
              "work of the port retired; reference: of tensioner");
  verify_show(r, "", (double)s->state.retire.slipped, 0, "steps with slip beside the lower end");
  scene_free(s);
}

// Beside a pipe that is computed as a whole.
static void compare(const struct verify_setup *setup, struct verify_result *r) {
  static const struct payout_row ROWS[] = {
      {.start_s = 20, .length_m = 300, .speed_mps = 0.5, .ramp_s = 20},
      {.start_s = 700, .length_m = -300, .speed_mps = 0.5, .ramp_s = 20}};
  struct sim *s[2] = {NULL, NULL};
  for (int k = 0; k < 2; k++) {
    struct sim_def def;
    if (!lay_def(setup, k ? ANCHOR_M : 0, 150, ROWS, 2, &def, r) || !(s[k] = scene_create(&def, r)))
      return;
  }
  double apart = 0;
  uint64_t most = 0;
  while (scene_is_before(s[0], 1500) && !s[1]->run.fault) {
    run_to(s[0], sim_time_s(s[0]) + 1), run_to(s[1], sim_time_s(s[1]) + 1);
    apart = fmax(apart, fabs(tension_of(s[0]) - tension_of(s[1])));
    most = s[1]->state.retire.retired > most ? s[1]->state.retire.retired : most;
  }
  verify_add(r, VERIFY_RELATIVE, "N", tension_of(s[1]), tension_of(s[0]), 1e-5,
             "300 m out and back: tension at the end beside the whole pipe");
  verify_add(r, VERIFY_ABSOLUTE, "N", apart, 0, 5e3,
             "largest difference of the tension meanwhile: waves along the pipe meet another lower end");
  // Nodes that have returned lie where they were.
  const int above = s[0]->state.mesh.pipe.elements - s[1]->state.mesh.pipe.elements;
  double farthest_m = 0;
  for (int i = 0; i < 8 && above >= 0; i++) {
    farthest_m = fmax(farthest_m, vec3_norm(vec3_sub(pipe_get3(s[1]->state.pipe.r_n, i),
                                                     pipe_get3(s[0]->state.pipe.r_n, above + i))));
  }
  verify_add(r, VERIFY_ABSOLUTE, "", (double)(most - s[1]->state.retire.retired), (double)most, 2.5,
             "nodes that have returned; reference: that had retired");
  verify_add(r, VERIFY_ABSOLUTE, "m", farthest_m, 0, 5e-5,
             "lowest eight nodes: farthest from those of the whole pipe");
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s[1]->run.ledger), 0, 1e-12, "ledger closure");
  scene_free(s[0]), scene_free(s[1]);
}

void verify_retiring(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(r, "steps of %g ms, %g m of laid pipe in the computation, elements of 15 m", 1e3 * STEP_S,
                  ANCHOR_M);
  lay_far(setup, r);
  compare(setup, r);
}
