// Order in time with every port on; the top of the J-lay moved on a circle, Saefstroem's thesis (2009),
// section 5.4.3.
#include "verify/cases.h"
#include "verify/scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUANTITIES = 6 };
static const char *const QUANTITY[QUANTITIES] = {"the vessel's position", "the vessel's attitude",
                                                 "the vessel's momentum", "the pipe's positions",
                                                 "the pipe's velocities", "the hang-off tension"};

static struct sim *run_to(struct sim_def def, double end_s, int steps, struct verify_result *r) {
  def.step_s = end_s / steps;
  struct sim *s = scene_create(&def, r);
  for (int k = 0; s && k < steps; k++)
    sim_step(s, NULL);
  return s;
}

static void errors_of(const struct sim *a, const struct sim *b, double error[QUANTITIES]) {
  struct sim_output x, y;
  double p[6], q[6];
  sim_get_output(a, &x), sim_get_output(b, &y);
  memset(error, 0, QUANTITIES * sizeof *error);
  mat6_mul((const double(*)[6])a->model.vessel.inertia, a->state.vessel.nu, p);
  mat6_mul((const double(*)[6])b->model.vessel.inertia, b->state.vessel.nu, q);
  for (int c = 0; c < 3; c++) {
    error[0] += pow(x.position_n_m[c] - y.position_n_m[c], 2);
    error[1] += pow(x.euler_rad[c] - y.euler_rad[c], 2);
    error[2] += pow(p[c] - q[c], 2) + pow(0.01 * (p[3 + c] - q[3 + c]), 2);
    for (int i = 0; i < a->model.pipe.nodes; i++) {
      error[3] += pow(a->state.pipe.r_n[c][i] - b->state.pipe.r_n[c][i], 2);
      error[4] += pow(a->state.pipe.v_n[c][i] - b->state.pipe.v_n[c][i], 2);
    }
  }
  error[5] = pow(x.hangoff_tension_n - y.hangoff_tension_n, 2);
  for (int k = 0; k < QUANTITIES; k++)
    error[k] = sqrt(error[k]);
}

// Current, loads in either frame, structural damping, the seabed: each smooth in time.
static void all_ports(struct sim_def *def) {
  def->env.current.surface_mps = 1.0;
  def->env.current.direction_rad = 1.1;
  def->env.current.profile =
      (struct time_profile){.start_s = 0.3, .ramp_s = 2, .variation = 0.4, .period_s = 3};
  def->env.load_count = 2;
  def->env.loads[0] = (struct load_def){LOAD_WORLD, {3e5, 6e5, 1e5, 1e6, -2e6, 8e6}, {0.2, 0, 2, 0.5, 2.5}};
  def->env.loads[1] = (struct load_def){LOAD_BODY, {-2e5, 1e5, 5e4, 2e6, 1e6, 5e6}, {0.1, 0, 1.5, 0.3, 1.7}};
}

void verify_order_in_time(const struct verify_setup *setup, struct verify_result *r) {
  enum { LEVELS = 4, COARSEST = 200 };
  const double end_s = 4;
  const char *const sets[] = {"pipe.elements=40", "vessel.hangoff_b_m=[-45, 4, 5]",
                              "pipe.added_mass_transverse=1",
                              "vessel.damping.quadratic=[2e4, 5e4, 5e4, 1e8, 1e9, 1e9]"};
  struct sim_def def;
  verify_run_with(r, "40 elements, 4 s; steps of 20, 10, 5 and 2.5 ms against 0.25 ms");
  if (!scene_load(setup, "jlay-900m", 4, sets, &def, r))
    return;
  all_ports(&def);
  double step[LEVELS], error[LEVELS][QUANTITIES], one[LEVELS];
  struct sim *fine = run_to(def, end_s, 80 * COARSEST, r);
  for (int k = 0; fine && k < LEVELS; k++) {
    struct sim *s = run_to(def, end_s, COARSEST << k, r);
    if (!s)
      break;
    errors_of(s, fine, error[k]);
    step[k] = end_s / (COARSEST << k);
    scene_free(s);
  }
  scene_free(fine);
  for (int q = 0; q < QUANTITIES && !*r->failure; q++) {
    for (int k = 0; k < LEVELS; k++)
      one[k] = error[k][q];
    verify_order(r, QUANTITY[q], "step, s", QUANTITY[q], step, one, LEVELS, 2, 0.15);
  }
}

struct extremes {
  double tension_max_n, tension_min_n, curvature_1pm;
};

static struct extremes circle(const struct verify_setup *setup, int elements, double step_s,
                              struct verify_result *r, struct verify_series *tension) {
  struct sim_def def;
  struct extremes x = {0, (double)INFINITY, 0};
  if (!scene_load(setup, "jlay-circle", 0, NULL, &def, r))
    return x;
  def.step_s = step_s;
  def.pipe.elements = elements;
  def.pipe.structural_damping_s = 1e-4; // the others have none: this little settles the start
  struct sim *s = scene_create(&def, r);
  struct sim_output o = {0};
  while (s && o.time_s < 60 - 0.5 * step_s) {
    sim_step(s, NULL);
    sim_get_output(s, &o);
    if (tension && o.step % (uint64_t)(0.1 / step_s + 0.5) == 0)
      verify_point(r, tension, o.time_s, o.hangoff_tension_n / 1e3);
    if (o.time_s < 30)
      continue;
    x.tension_max_n = fmax(x.tension_max_n, o.hangoff_tension_n);
    x.tension_min_n = fmin(x.tension_min_n, o.hangoff_tension_n);
    x.curvature_1pm = fmax(x.curvature_1pm, o.max_curvature_1pm);
  }
  if (s)
    verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-8,
               "ledger's closure, %d elements, %g ms", elements, 1e3 * step_s);
  scene_free(s);
  return x;
}

// At 100 elements and at 200, from tests/reference/jlay_circle_peers.csv: MoorDyn-C 2.7.1 (lumped mass) and
// Project Chrono 10 (isogeometric Cosserat beam), every scheme and step of theirs.
static const struct {
  int elements;
  double max_n[2], min_n[2], curvature_1pm[2];
} PEERS[] = {{100, {1781.1e3, 1786.5e3}, {1226.7e3, 1240.5e3}, {2.88587e-3, 2.9020e-3}},
             {200, {1783.8e3, 1788.5e3}, {1232.0e3, 1243.7e3}, {2.8886e-3, 2.8907e-3}}};

void verify_circle_peers(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(r, "100 and 200 elements, steps of 20 and 100 ms against 5 ms; extremes from 30 to 60 s");
  struct verify_plot *plot = verify_plot(r, "Tension at the top", "time, s", "kN");
  struct extremes fine =
      circle(setup, 100, 0.005, r, verify_series(r, plot, VERIFY_LINE, "100 elements, 5 ms"));
  for (int k = 0; k < 2; k++) {
    struct extremes x = k == 0 ? fine : circle(setup, PEERS[k].elements, 0.02, r, NULL);
    int n = PEERS[k].elements;
    verify_add_range(r, "N", x.tension_max_n, PEERS[k].max_n[0], PEERS[k].max_n[1], 5e-4,
                     "largest tension, %d elements", n);
    verify_add_range(r, "N", x.tension_min_n, PEERS[k].min_n[0], PEERS[k].min_n[1], 5e-4,
                     "smallest tension, %d elements", n);
    verify_add_range(r, "1/m", x.curvature_1pm, PEERS[k].curvature_1pm[0], PEERS[k].curvature_1pm[1], 5e-4,
                     "largest curvature, %d elements", n);
  }
  const double coarse[] = {0.02, 0.1};
  for (int k = 0; k < 2; k++) {
    struct extremes x = circle(setup, 100, coarse[k], r, NULL);
    double ms = 1e3 * coarse[k];
    verify_add(r, VERIFY_RELATIVE, "N", x.tension_max_n, fine.tension_max_n, 3e-3,
               "largest tension, %g ms against 5 ms", ms);
    verify_add(r, VERIFY_RELATIVE, "N", x.tension_min_n, fine.tension_min_n, 3e-3,
               "smallest tension, %g ms against 5 ms", ms);
    verify_add(r, VERIFY_RELATIVE, "1/m", x.curvature_1pm, fine.curvature_1pm, 3e-3,
               "largest curvature, %g ms against 5 ms", ms);
  }
}

// ---- the circle in and out again, on the seabed of (5.38)
// -----------------------------------------------------------

static int circle_def(const struct verify_setup *setup, int elements, double length_m, struct sim_def *def,
                      struct verify_result *r) {
  if (!scene_load(setup, "jlay-900m", 0, NULL, def, r))
    return 0;
  def->env.current.surface_mps = 0;
  def->env.load_count = 0;
  def->pipe.elements = elements;
  def->pipe.length_m = length_m;
  def->pipe.hangoff = HANGOFF_MOVED;
  def->pipe.motion = (struct motion_def){.radius_m = 2.5, .period_s = 10, .stop_s = 60, .ramp_s = 10};
  return 1;
}

enum { ENVELOPES = 6 }; // displacement x, y, z; moments about t2, t3; tension
struct envelope {
  int nodes;
  double (*low)[ENVELOPES], (*high)[ENVELOPES];
};

static void envelope_free(struct envelope *e) {
  free(e->low), free(e->high);
}

static void envelope_take(struct envelope *e, const struct sim *s, double (*rest)[3]) {
  for (int i = 0; i < e->nodes; i++) {
    double stress[6];
    scene_stress(s, i < e->nodes - 1 ? i : i - 1, stress);
    const double now[ENVELOPES] = {s->state.pipe.r_n[0][i] - rest[i][0],
                                   s->state.pipe.r_n[1][i] - rest[i][1],
                                   s->state.pipe.r_n[2][i] - rest[i][2],
                                   stress[4],
                                   stress[5],
                                   stress[0]};
    for (int k = 0; k < ENVELOPES; k++) {
      e->low[i][k] = fmin(e->low[i][k], now[k]);
      e->high[i][k] = fmax(e->high[i][k], now[k]);
    }
  }
}

// 60 s; the envelope of every sample, every 0.1 s. near: bending moment about t2 and displacement of a node.
static struct sim *circle_run(const struct sim_def *given, double step_s, struct envelope *e,
                              struct verify_result *r, int near, struct verify_series *moment,
                              struct verify_series *displacement) {
  struct sim_def def = *given;
  def.step_s = step_s;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return NULL;
  e->nodes = s->model.pipe.nodes;
  double(*rest)[3] = calloc((size_t)e->nodes, sizeof *rest);
  e->low = malloc((size_t)e->nodes * sizeof *e->low);
  e->high = malloc((size_t)e->nodes * sizeof *e->high);
  if (!rest || !e->low || !e->high) {
    verify_fail(r, "out of memory");
    free(rest), scene_free(s);
    return NULL;
  }
  sim_get_nodes(s, rest, NULL);
  for (int i = 0; i < e->nodes; i++)
    for (int k = 0; k < ENVELOPES; k++)
      e->low[i][k] = (double)INFINITY, e->high[i][k] = -(double)INFINITY;
  int every = (int)(0.1 / step_s + 0.5), steps = (int)(60 / step_s + 0.5);
  for (int k = 0; k <= steps; k++) {
    if (k % every == 0) {
      envelope_take(e, s, rest);
      double stress[6];
      scene_stress(s, near, stress);
      verify_point(r, moment, k * step_s, stress[4] / 1e3);
      verify_point(r, displacement, k * step_s, rest[near][2] - s->state.pipe.r_n[2][near]);
    }
    if (k < steps)
      sim_step(s, NULL);
  }
  free(rest);
  return s;
}

static void draw_envelope(struct verify_result *r, const struct envelope *e, double length_m) {
  static const char *const title[] = {"Relative displacement, north (Figure 5.9)",
                                      "Relative displacement, east (Figure 5.9)",
                                      "Relative displacement, down (Figure 5.9)",
                                      "Bending moments about t2 and t3 (Figure 5.10)",
                                      NULL,
                                      "Axial tension (Figure 5.11)"};
  static const char *const unit[] = {"m", "m", "m", "kN m", "kN m", "kN"};
  struct verify_plot *plot = NULL;
  for (int k = 0; k < ENVELOPES; k++) {
    if (title[k])
      plot = verify_plot(r, title[k], "arc length S, m", unit[k]);
    struct verify_series *low = verify_series(r, plot, VERIFY_LINE,
                                              k == 3   ? "t2, least"
                                              : k == 4 ? "t3, least"
                                                       : "least");
    struct verify_series *high = verify_series(r, plot, VERIFY_LINE,
                                               k == 3   ? "t2, most"
                                               : k == 4 ? "t3, most"
                                                        : "most");
    for (int i = 0; i < e->nodes - (k > 2); i++) {
      double at = (i + (k > 2 ? 0.5 : 0)) * length_m / (e->nodes - 1), scale = k > 2 ? 1e-3 : 1;
      verify_point(r, low, at, scale * e->low[i][k]);
      verify_point(r, high, at, scale * e->high[i][k]);
    }
  }
}

void verify_circle_envelopes(const struct verify_setup *setup, struct verify_result *r) {
  enum { NEAR = 25, LEVELS = 3 };
  static const char *const name[ENVELOPES] = {"displacement north", "displacement east", "displacement down",
                                              "moment about t2",    "moment about t3",   "tension"};
  const double steps[LEVELS] = {0.04, 0.02, 0.01}, fine_s = 0.00125;
  double at_end[LEVELS];
  struct sim_def def;
  verify_run_with(
      r, "100 elements, 60 s; steps of 40, 20 and 10 ms against 1.25 ms; lengths 1497 to 1503 m at 20 ms");
  if (!circle_def(setup, 100, 1500, &def, r))
    return;
  struct envelope fine = {0};
  struct sim *reference = circle_run(&def, fine_s, &fine, r, NEAR, NULL, NULL);
  if (!reference) {
    envelope_free(&fine);
    return;
  }
  draw_envelope(r, &fine, 1500);
  struct verify_plot *moments =
      verify_plot(r, "Bending moment at node 25 for three lengths (Figures 5.12, 5.13)", "time, s", "kN m");
  struct verify_plot *lifts =
      verify_plot(r, "Lift of node 25 for three lengths (Figures 5.12, 5.13)", "time, s", "m");
  for (int k = 0; k < LEVELS; k++) {
    struct envelope e = {0};
    struct sim *s = circle_run(&def, steps[k], &e, r, NEAR, NULL, NULL);
    if (s) {
      at_end[k] = scene_distance(s, reference);
      for (int q = 0; q < ENVELOPES && k == LEVELS - 1; q++) {
        double worst = 0, size = 0;
        for (int i = 0; i < fine.nodes; i++) {
          worst = fmax(worst, fmax(fabs(e.low[i][q] - fine.low[i][q]), fabs(e.high[i][q] - fine.high[i][q])));
          size = fmax(size, fmax(fabs(fine.low[i][q]), fabs(fine.high[i][q])));
        }
        verify_add(r, VERIFY_ABSOLUTE, "", worst / size, 0, 0.01,
                   "envelope of the %s, 10 ms, worst error over largest value", name[q]);
      }
      verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-9,
                 "ledger's closure, %g ms", 1e3 * steps[k]);
    }
    scene_free(s), envelope_free(&e);
  }
  scene_free(reference), envelope_free(&fine);
  for (int k = -1; k <= 1 && !*r->failure; k++) {
    struct envelope e = {0};
    double length_m = 1500 + 3 * k;
    if (!circle_def(setup, 100, length_m, &def, r))
      return;
    scene_free(circle_run(&def, 0.02, &e, r, NEAR, verify_series(r, moments, VERIFY_LINE, "%g m", length_m),
                          verify_series(r, lifts, VERIFY_LINE, "%g m", length_m)));
    envelope_free(&e);
  }
  if (!*r->failure)
    verify_order(r, "Pose of the pipe after 60 s", "step, s", "the pipe's pose after 60 s", steps, at_end,
                 LEVELS, 2, 0.25);
}

void verify_circle_mesh(const struct verify_setup *setup, struct verify_result *r) {
  enum { LEVELS = 6, FINE = 1280 };
  double width[LEVELS], error[LEVELS];
  struct sim_def def;
  verify_run_with(r, "10 to 320 elements against %d, steps of 20 ms, the shape at 15 s", FINE);
  struct verify_plot *plot = verify_plot(r, "Shapes at 15 s (Figure 5.14)", "north, m", "depth, m");
  struct verify_plot *east = verify_plot(r, "The same, sideways", "north, m", "east, m");
  if (plot)
    plot->flip_y = 1;
  struct sim *fine = circle_def(setup, FINE, 1500, &def, r) ? run_to(def, 15, 750, r) : NULL;
  for (int k = 0; fine && k <= LEVELS; k++) {
    int n = k == LEVELS ? FINE : 10 << k;
    struct sim *s = k == LEVELS ? fine : circle_def(setup, n, 1500, &def, r) ? run_to(def, 15, 750, r) : NULL;
    if (!s)
      break;
    struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "%d elements", n);
    struct verify_series *side = verify_series(r, east, VERIFY_LINE, "%d elements", n);
    for (int i = 0; i <= n; i += n > 160 ? n / 160 : 1) {
      verify_point(r, line, s->state.pipe.r_n[0][i], s->state.pipe.r_n[2][i]);
      verify_point(r, side, s->state.pipe.r_n[0][i], s->state.pipe.r_n[1][i]);
    }
    if (k < LEVELS) {
      width[k] = 1500.0 / n;
      error[k] = scene_distance(s, fine) / 1500;
      scene_free(s);
    }
  }
  scene_free(fine);
  if (!*r->failure)
    verify_order(r, "Convergence of the dynamics (Figure 5.14)", "element length, m",
                 "the dynamics at 15 s, norm (5.109)", width, error, LEVELS, 2, 0.35);
}
