// The top of the J-lay moved on a circle and back, on the seabed of (5.38): Saefstroem's thesis (2009),
// section 5.4.3.
#include "verification/harness/harness.h"

#include "sagbend/base/base.h"

#include <math.h>
#include <stdlib.h>

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
// drag_j: what Morison's formula takes, or NULL.
static struct sim *circle_run(const struct sim_def *given, double step_s, struct envelope *e,
                              struct verify_result *r, int near, struct verify_series *moment,
                              struct verify_series *displacement, double *drag_j) {
  struct sim_def def = *given;
  def.step_s = step_s;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return NULL;
  e->nodes = s->state.mesh.pipe.nodes;
  double (*rest)[3] = calloc((size_t)e->nodes, sizeof *rest);
  e->low = malloc((size_t)e->nodes * sizeof *e->low);
  e->high = malloc((size_t)e->nodes * sizeof *e->high);
  if (!rest || !e->low || !e->high) {
    verify_fail(r, "out of memory");
    free(rest), scene_free(s);
    return NULL;
  }
  for (int i = 0; i < e->nodes; i++)
    vec3_to(pipe_get3(s->state.pipe.r_n, i), rest[i]);
  for (int i = 0; i < e->nodes; i++)
    for (int k = 0; k < ENVELOPES; k++)
      e->low[i][k] = (double)INFINITY, e->high[i][k] = -(double)INFINITY;
  int every = (int)steps_nearest_to(0.1, step_s), steps = (int)steps_nearest_to(60, step_s);
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
    if (drag_j && k < steps) // trapezoidal rule; it starts and ends at rest
      *drag_j += step_s * scene_drag_power_w(s, (vec3){0, 0, 0});
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
  static const char *const axis[] = {"displacement, m", "displacement, m", "displacement, m",
                                     "moment, kN m",    "moment, kN m",    "tension, kN"};
  struct verify_plot *plot = NULL;
  for (int k = 0; k < ENVELOPES; k++) {
    if (title[k])
      plot = verify_plot(r, title[k], "arc length S, m", axis[k]);
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
  const double steps[LEVELS] = {0.04, 0.02, 0.01}, fine_s = 0.0025;
  double at_end[LEVELS];
  struct sim_def def;
  verify_run_with(
      r, "100 elements, 60 s; steps of 40, 20 and 10 ms against 2.5 ms; lengths 1497 to 1503 m at 20 ms");
  if (!circle_def(setup, 100, 1500, &def, r))
    return;
  struct envelope fine = {0};
  struct sim *reference = circle_run(&def, fine_s, &fine, r, NEAR, NULL, NULL, NULL);
  if (!reference) {
    envelope_free(&fine);
    return;
  }
  draw_envelope(r, &fine, 1500);
  struct verify_plot *moments =
      verify_plot(r, "Bending moment at node 25 for three lengths (Figures 5.12, 5.13)", "time, s",
                  "bending moment, kN m");
  struct verify_plot *lifts =
      verify_plot(r, "Height of node 25 for three lengths (Figures 5.12, 5.13)", "time, s", "height, m");
  for (int k = 0; k < LEVELS; k++) {
    struct envelope e = {0};
    double drag_j = 0;
    struct sim *s = circle_run(&def, steps[k], &e, r, NEAR, NULL, NULL, &drag_j);
    if (s) {
      if (k == LEVELS - 1)
        verify_add(r, VERIFY_RELATIVE, "J", s->run.ledger.total_loss_j[LOSS_PIPE_DRAG], drag_j, 2e-4,
                   "lost to drag, 10 ms; reference: Morison's formula");
      at_end[k] = scene_distance(s, reference);
      for (int q = 0; q < ENVELOPES && k == LEVELS - 1; q++) {
        double worst = 0, size = 0;
        for (int i = 0; i < fine.nodes; i++) {
          worst = fmax(worst, fmax(fabs(e.low[i][q] - fine.low[i][q]), fabs(e.high[i][q] - fine.high[i][q])));
          size = fmax(size, fmax(fabs(fine.low[i][q]), fabs(fine.high[i][q])));
        }
        verify_add(r, VERIFY_ABSOLUTE, "", worst / size, 0, 1e-4,
                   "envelope of the %s, 10 ms, worst error over largest value", name[q]);
      }
      verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-11,
                 "ledger closure, %g ms", 1e3 * steps[k]);
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
                          verify_series(r, lifts, VERIFY_LINE, "%g m", length_m), NULL));
    envelope_free(&e);
  }
  if (!*r->failure)
    verify_order(r, "Pose of the pipe after 60 s", "step, s", "the pose of the pipe after 60 s", steps,
                 at_end, LEVELS, 2, 0.08);
}

static void mesh_drag(const struct verify_setup *setup, struct verify_result *r) {
  struct sim_def def;
  if (!circle_def(setup, 80, 1500, &def, r))
    return;
  struct sim *s = scene_create(&def, r);
  double drag_j = 0, power_w = 0;
  while (s && scene_is_before(s, 15 - 0.5 * def.step_s)) {
    const double before_w = power_w;
    sim_step(s, NULL);
    power_w = scene_drag_power_w(s, (vec3){0, 0, 0});
    drag_j += 0.5 * def.step_s * (before_w + power_w);
  }
  if (s)
    verify_add(r, VERIFY_RELATIVE, "J", s->run.ledger.total_loss_j[LOSS_PIPE_DRAG], drag_j, 2e-4,
               "lost to drag, 80 elements, %g ms; reference: Morison's formula", 1e3 * def.step_s);
  scene_free(s);
}

void verify_circle_mesh(const struct verify_setup *setup, struct verify_result *r) {
  enum { LEVELS = 6, FINE = 1280 };
  double width[LEVELS], error[LEVELS];
  struct sim_def def;
  verify_run_with(r, "10 to 320 elements against %d, steps of 20 ms, the shape at 15 s", FINE);
  struct verify_plot *plot = verify_plot(r, "Shapes at 15 s (Figure 5.14)", "north, m", "depth, m");
  struct verify_plot *east = verify_plot(r, "The same in plan view", "north, m", "east, m");
  if (plot)
    plot->flip_y = 1;
  struct sim *fine = circle_def(setup, FINE, 1500, &def, r) ? scene_run(def, 15, 750, r) : NULL;
  for (int k = 0; fine && k <= LEVELS; k++) {
    int n = k == LEVELS ? FINE : 10 << k;
    struct sim *s = k == LEVELS                           ? fine
                    : circle_def(setup, n, 1500, &def, r) ? scene_run(def, 15, 750, r)
                                                          : NULL;
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
  mesh_drag(setup, r);
  if (!*r->failure)
    verify_order(r, "Convergence of the dynamics (Figure 5.14)", "element length, m",
                 "the dynamics at 15 s, norm (5.109)", width, error, LEVELS, 2, 0.1);
}
