// A lay along a curve, seen from above: the laid pipe against a stiff catenary that is towed along the curve.
// The catenary begins with the lay-back and the bottom tension of the simulator's statics, which have cases
// of their own.
#include "verification/harness/harness.h"

#include "sagbend/lay/lay.h"
#include "sagbend/math/math.h"

#include <math.h>

static const double RADIUS_M = 2000, CURVE_M = 1000, BLEND_M = 300, SPEED_MPS = 0.5;

static const char *const FRICTION[] = {"environment.seabed_friction_axial=0.5",
                                       "environment.seabed_friction_lateral=0.7"};

// ---- The route: of the point where the pipe comes down; x to the north, y to the east ----

enum { ROUTE_POINTS = 4001 };
static const double ROUTE_EVERY_M = 0.5;

struct route {
  double at[ROUTE_POINTS][2]; // every half metre, from the touchdown at the start
};

// Heading of the route after a length of it, from north; its curvature begins with a blend.
static double heading_at(double way_m) {
  if (way_m <= 0)
    return 0;
  return way_m < BLEND_M ? 0.5 * way_m * way_m / (BLEND_M * RADIUS_M) : (way_m - 0.5 * BLEND_M) / RADIUS_M;
}

static void lay_out(struct route *route) {
  route->at[0][0] = route->at[0][1] = 0;
  for (int i = 1; i < ROUTE_POINTS; i++) {
    double heading = heading_at((i - 0.5) * ROUTE_EVERY_M);
    route->at[i][0] = route->at[i - 1][0] + ROUTE_EVERY_M * cos(heading);
    route->at[i][1] = route->at[i - 1][1] + ROUTE_EVERY_M * sin(heading);
  }
}

// Distance of a point from the route, positive to its right (the inner side of the curve).
static double beside(const struct route *route, double x, double y) {
  double least = (double)INFINITY, side = 0;
  for (int i = 1; i < ROUTE_POINTS; i++) {
    double dx = x - route->at[i][0], dy = y - route->at[i][1], d = hypot(dx, dy);
    double heading = heading_at(i * ROUTE_EVERY_M);
    if (d < least)
      least = d, side = dy * cos(heading) - dx * sin(heading);
  }
  return side;
}

// The top is ahead of the point where the pipe comes down, on the tangent there.
static void top_at(const struct route *route, double way_m, double ahead_m, double top[2]) {
  int at = (int)(way_m / ROUTE_EVERY_M + 0.5);
  top[0] = route->at[at][0] + ahead_m * cos(heading_at(way_m));
  top[1] = route->at[at][1] + ahead_m * sin(heading_at(way_m));
}

// ---- Reference: a stiff catenary that is towed ----
// Bending matters beside the ground only, within lambda = sqrt(EI/H) or so. There the height above the laid
// pipe is w/H ((x - lambda)^2/2 + lambda^2/2 - lambda^2 e^(-x/lambda)): farther up a catenary whose vertex is
// lambda ahead of the point where the pipe lifts off, and w lambda^2/(2H) above the laid pipe. The pipe moves
// ahead with the vessel through the water, so drag acts across its axis in the plane of the catenary. Seen
// from above, the laid pipe's curvature kappa passes into the suspended pipe and fades, and drag across bends
// it: y = kappa (lambda^2 e^(-x/lambda) + lambda x - lambda^2) - deflection by drag. The top's place gives
// kappa, and the pipe is laid with it.

struct tow {
  const struct route *route;
  const struct payout_def *payout;
  double ahead_m;                 // of the top, from the route
  double drop_m;                  // of the pipe's axis, from the top to the seabed
  double weight_npm, bending_nm2; // submerged weight, EI
  double drag;                    // N/m per (m/s)^2
  double current_mps;             // to the east
};

// Of the water past the pipe: ahead and to the right of the laid pipe's heading, and what the pipe's turning
// adds to the right, per metre ahead.
struct flow {
  double ahead_mps, right_mps, turn_radps;
};

struct hanging {
  double horizontal_n, lambda_m, span_m, drop_m;
  double deflection_m; // of the top by the drag, to the left
};

// The pipe up to its top, from its tension at the seabed.
static struct hanging hang_at(const struct tow *tow, double length_m, double horizontal_n,
                              const struct flow *flow) {
  enum { CELLS = 60 };
  struct hanging h = {.horizontal_n = horizontal_n, .lambda_m = sqrt(tow->bending_nm2 / horizontal_n)};
  const double ds = (length_m - h.lambda_m) / CELLS;
  double tension = horizontal_n, angle = 0, load = 0;
  h.span_m = h.lambda_m, h.drop_m = 0.5 * tow->weight_npm * h.lambda_m * h.lambda_m / horizontal_n;
  for (int i = 0; i < CELLS; i++) {
    double middle = angle, across = 0;
    for (int k = 0; k < 3; k++) { // the angle in the middle of the cell
      const double past = flow->ahead_mps * sin(middle);
      const double right = flow->right_mps - flow->turn_radps * h.span_m;
      const double resultant = tow->drag * hypot(past, right);
      across = resultant * right;
      const double bend = (tow->weight_npm * cos(middle) + resultant * past) /
                          (tension + 0.5 * ds * tow->weight_npm * sin(middle));
      middle = angle + 0.5 * ds * bend;
    }
    const double dx = ds * cos(middle);
    tension += ds * tow->weight_npm * sin(middle), angle = 2 * middle - angle;
    h.deflection_m += (load + 0.5 * across * ds) /
                      ((tension - 0.5 * ds * tow->weight_npm * sin(middle)) * cos(middle)) * dx;
    load += across * ds, h.span_m += dx, h.drop_m += ds * sin(middle);
  }
  return h;
}

// The pipe of this length from lift-off to top: its tension at the seabed by the Illinois method.
static struct hanging hang(const struct tow *tow, double length_m, const struct flow *flow) {
  double low = 1e5, high = 2e6; // more tension, less height
  struct hanging h = hang_at(tow, length_m, low, flow);
  double above = h.drop_m - tow->drop_m, below = hang_at(tow, length_m, high, flow).drop_m - tow->drop_m;
  for (int i = 0, side = 0; i < 100 && fabs(h.drop_m - tow->drop_m) > 1e-7; i++) {
    const double at = (low * below - high * above) / (below - above);
    h = hang_at(tow, length_m, at, flow);
    const int is_low = h.drop_m > tow->drop_m;
    *(is_low ? &low : &high) = at, *(is_low ? &above : &below) = h.drop_m - tow->drop_m;
    if (side == (is_low ? 1 : -1))
      *(is_low ? &below : &above) *= 0.5;
    side = is_low ? 1 : -1;
  }
  return h;
}

struct laid {
  double x, y, heading, length_m; // of the point where the pipe lifts off, and length laid until then
};

struct top {
  double along_m, across_m; // from the point of lift-off, along the laid pipe there and to its right
};

static struct top top_from(const struct tow *tow, const struct laid *q, double paid_m) {
  double at[2];
  top_at(tow->route, paid_m, tow->ahead_m, at);
  const double dx = at[0] - q->x, dy = at[1] - q->y, c = cos(q->heading), s = sin(q->heading);
  return (struct top){dx * c + dy * s, dy * c - dx * s};
}

enum { LAID_POINTS = 201 };
static const double LAID_EVERY_M = 4;

static void lay_by_reference(const struct tow *tow, double hanging_m, struct laid laid[LAID_POINTS]) {
  static const struct flow STILL = {0, 0, 0};
  struct hanging h = hang(tow, hanging_m, &STILL);
  struct top top = {0, 0};
  double curvature = 0, time_s = tow->payout->row[0].start_s;
  laid[0] = (struct laid){tow->ahead_m - h.span_m, 0, 0, 0};
  for (int i = 1; i < LAID_POINTS; i++) {
    struct laid q = laid[i - 1];
    const struct flow flow = {tow->current_mps * sin(q.heading) - SPEED_MPS,
                              tow->current_mps * cos(q.heading), SPEED_MPS * curvature};
    double low = time_s, high = time_s + 60;
    while (high - low > 1e-2) { // when this point lifts off: later the top is nearer than the span
      time_s = 0.5 * (low + high);
      const double paid = payout_length(tow->payout, time_s);
      top = top_from(tow, &q, paid);
      h = hang(tow, hanging_m + paid - q.length_m, &flow);
      *(top.along_m > h.span_m ? &low : &high) = time_s;
    }
    curvature = (top.across_m + h.deflection_m) / (h.lambda_m * (top.along_m - h.lambda_m));
    q.heading += 0.5 * curvature * LAID_EVERY_M;
    q.x += LAID_EVERY_M * cos(q.heading), q.y += LAID_EVERY_M * sin(q.heading);
    q.heading += 0.5 * curvature * LAID_EVERY_M, q.length_m += LAID_EVERY_M;
    laid[i] = q;
  }
}

static struct tow tow_of(const struct sim *s, const struct route *route, double ahead_m) {
  const struct pipe_type *line = &s->def->pipe.line;
  const struct env_def *env = &s->def->env;
  const double radius = 0.5 * line->outer_diameter_m, *z = s->state.pipe.r_n[2];
  const double displaced_kgpm = env->water_density_kgpm3 * TRIG_PI * radius * radius;
  return (struct tow){.route = route,
                      .payout = &s->def->pipe.payout,
                      .ahead_m = ahead_m,
                      .drop_m = z[0] - z[s->state.mesh.pipe.elements],
                      .weight_npm = (line->mass_kgpm - displaced_kgpm) * env->gravity_mps2,
                      .bending_nm2 = line->bending_stiffness_nm2[0],
                      .drag = env->water_density_kgpm3 * radius * line->drag_transverse,
                      .current_mps = env->current.point_count ? env->current.points[0].speed_mps : 0};
}

// Length from lift-off to top where the tension at the seabed is known, in still water.
static double hanging_length(const struct tow *tow, double horizontal_n) {
  const double lambda = sqrt(tow->bending_nm2 / horizontal_n);
  const double drop = tow->drop_m - 0.5 * tow->weight_npm * lambda * lambda / horizontal_n;
  return lambda + sqrt(drop * (drop + 2 * horizontal_n / tow->weight_npm));
}

// ---- The lay ----

static void move_top(struct motion_def *m, const struct payout_def *payout, const struct route *route,
                     double ahead_m, double end_s) {
  const double every = 20;
  *m = (struct motion_def){.rows = (int)(end_s / every) + 3};
  for (int i = 0; i < m->rows; i++) {
    double top[2];
    top_at(route, payout_length(payout, every * i), ahead_m, top);
    m->table[i] = (struct table_row){.time_s = every * i, .value = {top[0] - ahead_m, top[1], 0}};
  }
}

// Compares nodes that have retired with the reference: the largest distance of both from the route, and of
// each other across the pipe.
static void compare(const struct sim *s, const struct laid laid[LAID_POINTS], const struct tow *tow,
                    double hanging_m, double touchdown_m, double tolerance_m, const char *name,
                    struct verify_result *r) {
  const struct retire_state *retire = &s->state.retire;
  const double lift_off_m = s->def->pipe.length_m - hanging_m;
  double apart = 0, got = 0, wanted = 0, slip = 0, compared = 0;
  struct verify_plot *plot = verify_plot(r, name, "laid, m", "beside the route, m");
  struct verify_series *nodes = verify_series(r, plot, VERIFY_POINTS, "laid pipe");
  struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "stiff catenary");
  for (uint64_t k = 0; k < retire->retired; k++) {
    const struct laid_node *node = &s->state.laid[k % retire->capacity];
    const double at = (node->arc_m - lift_off_m) / LAID_EVERY_M;
    if (node->arc_m < touchdown_m || at < 0 || at > LAID_POINTS - 2)
      continue;
    compared++;
    const struct laid *q = &laid[(int)at];
    const double rest = (at - (int)at) * LAID_EVERY_M, x = q->x + rest * cos(q->heading);
    const double y = q->y + rest * sin(q->heading), dx = node->r_n[0] - touchdown_m - x;
    const double across = (node->r_n[1] - y) * cos(q->heading) - dx * sin(q->heading);
    const double a = beside(tow->route, node->r_n[0] - touchdown_m, node->r_n[1]);
    const double b = beside(tow->route, x, y);
    apart = fmax(apart, fabs(across)), slip = fmax(slip, node->slip_m[1]);
    got = fabs(a) > fabs(got) ? a : got, wanted = fabs(b) > fabs(wanted) ? b : wanted;
    verify_point(r, nodes, node->arc_m - touchdown_m, a);
    verify_point(r, line, node->arc_m - touchdown_m, b);
  }
  verify_add_range(r, "", compared, 30, 60, 0, "%s: nodes compared", name);
  verify_add(r, VERIFY_ABSOLUTE, "m", got, wanted, tolerance_m,
             "%s: farthest from the route, to the right; reference: stiff catenary", name);
  verify_add(r, VERIFY_ABSOLUTE, "m", apart, 0, tolerance_m, "%s: laid pipe from that of the reference",
             name);
  verify_add(r, VERIFY_ABSOLUTE, "m", slip, 0, 1e-2, "%s: slip across after touchdown", name);
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-12, "%s: ledger closure",
             name);
}

static void lay_curve(const struct verify_setup *setup, double current_mps, int has_drag, double tolerance_m,
                      const char *name, struct verify_result *r) {
  static struct route route;
  static struct laid laid[LAID_POINTS];
  const double end_s = 60 + CURVE_M / SPEED_MPS + 20 + 200;
  struct sim_def def;
  struct sim_output o;
  lay_out(&route);
  if (!scene_load(setup, "jlay-900m-payout", 2, FRICTION, &def, r))
    return;
  def.step_s = 0.1;
  def.pipe.payout =
      (struct payout_def){.row_count = 1,
                          .row = {{.start_s = 60, .length_m = CURVE_M, .speed_mps = SPEED_MPS, .ramp_s = 20}},
                          .elements_max = 130};
  def.pipe.retire = (struct retire_def){.anchor_m = 350, .stored_max = 400};
  def.env.current = (struct current_def){
      .point_count = 1, .points = {{.depth_m = 0, .speed_mps = current_mps, .direction_rad = 0.5 * TRIG_PI}}};
  def.pipe.line.drag_transverse *= has_drag;
  def.pipe.hangoff = HANGOFF_MOVED;
  struct sim *still = scene_create(&def, r);
  if (!still)
    return;
  sim_get_output(still, &o);
  move_top(&def.pipe.motion, &def.pipe.payout, &route, o.layback_m, end_s);
  scene_free(still);
  struct sim *s = scene_create(&def, r);
  if (!s)
    return;
  const struct tow tow = tow_of(s, &route, o.layback_m);
  const double hanging_m = hanging_length(&tow, o.bottom_tension_n);
  lay_by_reference(&tow, hanging_m, laid);
  while (scene_is_before(s, end_s - 0.5 * def.step_s))
    sim_step(s, NULL);
  compare(s, laid, &tow, hanging_m, o.touchdown_arc_length_m, tolerance_m, name, r);
  scene_free(s);
}

void verify_laid_curve(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(r, "steps of 100 ms, elements of 15 m, 350 m of laid pipe in the computation");
  lay_curve(setup, 0, 0, 1.5, "no drag", r);
  lay_curve(setup, 0, 1, 1.5, "still water", r);
  lay_curve(setup, 0.3, 1, 2, "current across", r);
}
