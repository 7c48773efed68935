// Order in time with every port on; the top of the J-lay moved on a circle, against two other codes.
#include "verification/harness/scenes.h"

#include "sagbend/base/steps.h"
#include "verification/harness/case_functions.h"

#include <math.h>

#include <string.h>

enum { QUANTITIES = 6 };
static const char *const QUANTITY[QUANTITIES] = {"the vessel position", "the vessel attitude",
                                                 "the vessel momentum", "the pipe positions",
                                                 "the pipe velocities", "the hang-off tension"};

static void errors_of(const struct sim *a, const struct sim *b, double error[QUANTITIES]) {
  struct sim_output x, y;
  double p[6], q[6];
  sim_get_output(a, &x), sim_get_output(b, &y);
  memset(error, 0, QUANTITIES * sizeof *error);
  mat6_mul((const double (*)[6])a->state.mesh.vessel_inertia, a->state.vessel.nu, p);
  mat6_mul((const double (*)[6])b->state.mesh.vessel_inertia, b->state.vessel.nu, q);
  for (int c = 0; c < 3; c++) {
    error[0] += pow(x.position_n_m[c] - y.position_n_m[c], 2);
    error[1] += pow(x.euler_rad[c] - y.euler_rad[c], 2);
    error[2] += pow(p[c] - q[c], 2) + pow(0.01 * (p[3 + c] - q[3 + c]), 2);
    for (int i = 0; i < a->state.mesh.pipe.nodes; i++) {
      error[3] += pow(a->state.pipe.r_n[c][i] - b->state.pipe.r_n[c][i], 2);
      error[4] += pow(a->state.pipe.v_n[c][i] - b->state.pipe.v_n[c][i], 2);
    }
  }
  error[5] = pow(x.hangoff_tension_n - y.hangoff_tension_n, 2);
  for (int k = 0; k < QUANTITIES; k++)
    error[k] = sqrt(error[k]);
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
  scene_all_ports(&def);
  double step[LEVELS] = {0}, error[LEVELS][QUANTITIES] = {{0}}, one[LEVELS];
  struct sim *fine = scene_run(def, end_s, 80 * COARSEST, r);
  for (int k = 0; fine && k < LEVELS; k++) {
    struct sim *s = scene_run(def, end_s, COARSEST << k, r);
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
    verify_order(r, QUANTITY[q], "step, s", QUANTITY[q], step, one, LEVELS, 2, 0.03);
  }
}

struct extremes { // tension: at the middle of the top element, as the others report it
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
    double top_n = sim_element_forces(s, elements - 1).effective_tension_n;
    if (tension && o.step % steps_nearest_to(0.1, step_s) == 0)
      verify_point(r, tension, o.time_s, top_n / 1e3);
    if (o.time_s < 30)
      continue;
    x.tension_max_n = fmax(x.tension_max_n, top_n);
    x.tension_min_n = fmin(x.tension_min_n, top_n);
    x.curvature_1pm = fmax(x.curvature_1pm, o.max_curvature_1pm);
  }
  if (s)
    verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-11,
               "ledger closure, %d elements, %g ms", elements, 1e3 * step_s);
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
  struct verify_plot *plot = verify_plot(r, "Tension at the middle of the top element", "time, s", "kN");
  struct extremes fine =
      circle(setup, 100, 0.005, r, verify_series(r, plot, VERIFY_LINE, "100 elements, 5 ms"));
  static const char *const bound[] = {"largest of the other codes, 100 elements",
                                      "smallest of the other codes, 100 elements"};
  for (int k = 0; k < 2; k++) // the edges of their range
    for (int edge = 0; edge < 2; edge++) {
      struct verify_series *line = verify_series(r, plot, VERIFY_DASHED, "%s", bound[k]);
      for (int end = 0; end < 2; end++)
        verify_point(r, line, 30 + 30 * end, (k == 0 ? PEERS[0].max_n : PEERS[0].min_n)[edge] / 1e3);
    }
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
    verify_add(r, VERIFY_RELATIVE, "N", x.tension_max_n, fine.tension_max_n, 2e-3,
               "largest tension, %g ms against 5 ms", ms);
    verify_add(r, VERIFY_RELATIVE, "N", x.tension_min_n, fine.tension_min_n, 2e-3,
               "smallest tension, %g ms against 5 ms", ms);
    verify_add(r, VERIFY_RELATIVE, "1/m", x.curvature_1pm, fine.curvature_1pm, 1e-3,
               "largest curvature, %g ms against 5 ms", ms);
  }
}
