// Laid pipe that retires from the computation and returns. The 30-inch J-lay in 900 m of water: 3000 m laid
// and 2000 m recovered; 300 m out and 150 m back beside the same without retiring; a curve in a current
// across.
#include "verify/harness/scenes.h"
#include "verify/pipe/cases.h"

#include "core/math/trig.h"
#include "core/model/payout.h"
#include "core/model/retire.h"

#include <math.h>
#include <string.h>

static const double STEP_S = 0.1, ANCHOR_M = 350;

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
  def->pipe.retire = (struct retire_def){.anchor_m = anchor_m, .stored_max = 400};
  return 1;
}

static void run_to(struct sim *s, double time_s) {
  while (sim_time_s(s) < time_s - 0.5 * s->def.step_s)
    sim_step(s, NULL);
}

static double tension_of(const struct sim *s) {
  struct sim_output o;
  sim_get_output(s, &o);
  return o.hangoff_tension_n;
}

// Kilometres at a constant number of elements.
static void lay_far(const struct verify_setup *setup, struct verify_result *r) {
  static const struct payout_row ROWS[] = {
      {.start_s = 20, .length_m = 3000, .speed_mps = 1, .ramp_s = 20},
      {.start_s = 3200, .length_m = -2000, .speed_mps = 1, .ramp_s = 20}};
  struct sim_def def;
  struct sim *s = NULL;
  if (lay_def(setup, ANCHOR_M, 130, ROWS, 2, &def, r))
    s = scene_create(&def, r);
  if (!s)
    return;
  struct verify_plot *plot = verify_plot(r, "Elements of a lay of 3000 m and 2000 m back", "time, s", "");
  struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "elements in the computation");
  struct verify_series *gone = verify_series(r, plot, VERIFY_LINE, "retired");
  uint64_t most = 0;
  int longest = 0, shortest = 1000;
  while (sim_time_s(s) < 5400) {
    run_to(s, sim_time_s(s) + 10);
    most = s->state.retire.retired > most ? s->state.retire.retired : most;
    longest = s->model.pipe.elements > longest ? s->model.pipe.elements : longest;
    shortest = s->model.pipe.elements < shortest ? s->model.pipe.elements : shortest;
    verify_point(r, line, sim_time_s(s), s->model.pipe.elements);
    verify_point(r, gone, sim_time_s(s), (double)s->state.retire.retired);
  }
  const struct ledger *l = &s->run.ledger;
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(l), 0, 1e-12,
             "3000 m out, 2000 m back: ledger closure");
  verify_add(r, VERIFY_ABSOLUTE, "m", s->state.payout.paid_m, 1000, 1e-8, "length paid out");
  verify_add(r, VERIFY_ABSOLUTE, "", 0.5 * (longest + shortest), 104, 8,
             "mean of the largest and smallest number of elements, %d and %d", longest, shortest);
  verify_show(r, "", (double)most, 200,
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
      {.start_s = 700, .length_m = -150, .speed_mps = 0.5, .ramp_s = 20}};
  struct sim *s[2] = {NULL, NULL};
  for (int k = 0; k < 2; k++) {
    struct sim_def def;
    if (!lay_def(setup, k ? ANCHOR_M : 0, 150, ROWS, 2, &def, r) || !(s[k] = scene_create(&def, r)))
      return;
  }
  double apart = 0;
  while (sim_time_s(s[0]) < 1500) {
    run_to(s[0], sim_time_s(s[0]) + 1), run_to(s[1], sim_time_s(s[1]) + 1);
    apart = fmax(apart, fabs(tension_of(s[0]) - tension_of(s[1])));
  }
  verify_add(r, VERIFY_RELATIVE, "N", tension_of(s[1]), tension_of(s[0]), 1e-5,
             "300 m out, 150 m back: tension at the end beside the whole pipe");
  verify_add(r, VERIFY_ABSOLUTE, "N", apart, 0, 1.5e4,
             "largest difference of the tension meanwhile: waves along the pipe meet another lower end");
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s[1]->run.ledger), 0, 1e-12, "ledger closure");
  scene_free(s[0]), scene_free(s[1]);
}

// ---- A curve ----

static const double RADIUS_M = 2000, CURVE_M = 1000, BLEND_M = 300;

// Heading of the route after a length of it, from north; its curvature begins with a blend.
static double heading_at(double way_m) {
  if (way_m <= 0)
    return 0;
  return way_m < BLEND_M ? 0.5 * way_m * way_m / (BLEND_M * RADIUS_M) : (way_m - 0.5 * BLEND_M) / RADIUS_M;
}

enum { ROUTE_POINTS = 4001 };
static const double ROUTE_EVERY_M = 0.5;

struct route {
  double at[ROUTE_POINTS][2]; // every half metre, from the touchdown at the start
};

static void lay_out(struct route *route) {
  route->at[0][0] = route->at[0][1] = 0;
  for (int i = 1; i < ROUTE_POINTS; i++) {
    double heading = heading_at((i - 0.5) * ROUTE_EVERY_M);
    route->at[i][0] = route->at[i - 1][0] + ROUTE_EVERY_M * cos(heading);
    route->at[i][1] = route->at[i - 1][1] + ROUTE_EVERY_M * sin(heading);
  }
}

// Distance of a point from the route, positive to its right (the inner side of the curve).
static double beside(const struct route *route, double north, double east) {
  double least = (double)INFINITY, side = 0;
  for (int i = 1; i < ROUTE_POINTS; i++) {
    double dn = north - route->at[i][0], de = east - route->at[i][1], d = hypot(dn, de);
    double heading = heading_at(i * ROUTE_EVERY_M);
    if (d < least)
      least = d, side = de * cos(heading) - dn * sin(heading);
  }
  return side;
}

// The top is ahead of the point where the pipe comes down, on the tangent there.
static void move_ahead(struct motion_def *m, const struct payout_def *payout, const struct route *route,
                       double ahead_m, double end_s) {
  const double every = 20;
  *m = (struct motion_def){.rows = (int)(end_s / every) + 3};
  for (int i = 0; i < m->rows; i++) {
    double way = payout_length(payout, every * i), heading = heading_at(way);
    int at = (int)(way / ROUTE_EVERY_M + 0.5);
    m->table[i] = (struct table_row){.time_s = every * i,
                                     .value = {route->at[at][0] + ahead_m * (cos(heading) - 1),
                                               route->at[at][1] + ahead_m * sin(heading), 0}};
  }
}

static void lay_curve(const struct verify_setup *setup, double current_mps, struct verify_result *r) {
  static const struct payout_row ROWS[] = {{.start_s = 60, .length_m = 1000, .speed_mps = 0.5, .ramp_s = 20}};
  static struct route route;
  struct sim_def def;
  struct sim_output o;
  const double end_s = 60 + CURVE_M / 0.5 + 20 + 200;
  lay_out(&route);
  if (!lay_def(setup, ANCHOR_M, 130, ROWS, 1, &def, r))
    return;
  def.env.current = (struct current_def){
      .point_count = 1, .points = {{.depth_m = 0, .speed_mps = current_mps, .direction_rad = 0.5 * TRIG_PI}}};
  def.pipe.hangoff = HANGOFF_MOVED;
  struct sim *still = scene_create(&def, r);
  if (!still)
    return;
  sim_get_output(still, &o);
  const double start_m = o.touchdown_arc_length_m;
  move_ahead(&def.pipe.motion, &def.pipe.payout, &route, o.layback_m, end_s);
  scene_free(still);
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  run_to(s, end_s);

  double farthest = 0, nearest = 0, slip = 0, along = 0;
  const struct retire_state *retire = &s->state.retire;
  for (uint64_t k = 0; k < retire->retired; k++) {
    const struct laid_node *node = &s->state.laid[k % retire->capacity];
    if (node->arc_m < start_m)
      continue;
    double off = beside(&route, node->r_n[0] - start_m, node->r_n[1]);
    farthest = fmax(farthest, off), nearest = fmin(nearest, off);
    slip = fmax(slip, node->slip_m[1]), along = fmax(along, node->slip_m[0]);
  }
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-12,
             "curve, current %g m/s: ledger closure", current_mps);
  verify_add(r, VERIFY_ABSOLUTE, "m", farthest > -nearest ? farthest : nearest, 0, 25,
             "curve, current %g m/s: laid pipe beside the route, to the right", current_mps);
  verify_add(r, VERIFY_ABSOLUTE, "m", slip, 0, 2e-3, "curve, current %g m/s: slip across after touchdown",
             current_mps);
  verify_add(r, VERIFY_ABSOLUTE, "m", along, 0, 2e-3, "curve, current %g m/s: slip along after touchdown",
             current_mps);
  verify_show(r, "", (double)retire->retired, (double)retire->slipped,
              "curve, current %g m/s: nodes retired; reference: steps with slip beside the lower end",
              current_mps);
  scene_free(s);
}

void verify_retiring(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(r, "steps of %g ms, %g m of laid pipe in the computation, elements of 15 m", 1e3 * STEP_S,
                  ANCHOR_M);
  lay_far(setup, r);
  compare(setup, r);
  lay_curve(setup, 0, r);
  lay_curve(setup, 0.3, r);
}
