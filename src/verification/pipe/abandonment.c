// Abandonment and recovery: jlay-900m-abandonment.yaml as it is, until the head lies on the seabed and the
// pipe has come to rest, and then 300 m back, in the long version until it rests again. The ledger; the ends
// of both against the equilibrium of the mesh that they have.
#include "verification/harness/case_functions.h"
#include "verification/harness/scenes.h"

#include "sagbend/lay/lay.h"

#include <math.h>

static const double STEP_S = 0.05, LAID_S = 2700, BACK_M = 300, BACK_S = 3110, REST_S = 6000;

static void append(struct pipe_def *p, double length_m, int elements, int type) {
  p->mesh[p->mesh_segment_count++] =
      (struct mesh_segment){.length_m = length_m, .elements = elements, .type = type};
  p->elements += elements;
  p->length_m += length_m;
}

// The pipe of this state as one that hangs at the start: whole elements of the mesh and of the feed's plan,
// then the top element, of the kind that it began with.
static void put_mesh(const struct sim *s, struct pipe_def *to) {
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  int left = p->elements - 1;
  to->mesh_segment_count = to->elements = 0, to->length_m = 0;
  for (int k = 0; k < p->pipe->feed.stretch_count && left > 0; k++) {
    const struct pipe_stretch *part = &p->pipe->feed.stretch[k];
    const int is_last = k + 1 == p->pipe->feed.stretch_count;
    const int elements = is_last || part->elements > left ? left : part->elements;
    append(to, elements * part->element_m, elements, part->type);
    left -= elements;
  }
  append(to, s->state.payout.top_m, 1, p->top.own->type);
  to->feed.part_count = 0;
  to->payout.row_count = 1;
  to->payout.row[0].start_s = 1e6;
}

// With the top where it is. tension: permitted relative error of the tension.
static void judge_rest(const struct sim *s, const char *name, double tension, double touchdown_m,
                       struct verify_result *r) {
  struct sim_def def = s->def;
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
  for (int k = 0; sim_time_s(s) < end_s - 0.5 * STEP_S; k++) {
    struct sim_output o;
    sim_step(s, NULL);
    if (k % 200 != 0)
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
  verify_add(r, VERIFY_ABSOLUTE, "", (double)s->run.unsolved_count, 0, 0, "%s: steps without a solution",
             name);
}

void verify_abandonment(const struct verify_setup *setup, struct verify_result *r) {
  struct sim_def def;
  struct sim *s = NULL;
  if (scene_load(setup, "jlay-900m-abandonment", 0, NULL, &def, r)) {
    def.step_s = STEP_S;
    struct payout_row *back = &def.pipe.payout.row[def.pipe.payout.row_count++];
    *back = def.pipe.payout.row[0];
    back->start_s = LAID_S, back->length_m = -BACK_M;
    s = scene_create(&def, r);
  }
  if (!s)
    return;
  verify_run_with(r, "configs/jlay-900m-abandonment.yaml, steps of %g ms; %g m back from %g s on",
                  1e3 * STEP_S, BACK_M, LAID_S);
  struct verify_plot *plot = verify_plot(r, "Tension at the hang-off", "time, s", "kN");
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
