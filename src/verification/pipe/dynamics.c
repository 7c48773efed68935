// Order in time with every port on; the top of the J-lay moved on a circle, against two other codes.
#include "verification/pipe/pipe.h"

#include "sagbend/base/base.h"
#include "sagbend/math/math.h"
#include "verification/harness/harness.h"

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
  struct verify_plot *plot =
      verify_plot(r, "Tension at the middle of the top element", "time, s", "tension, kN");
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

// ------------------------------------------------------------
// The flying flexible rod: where it flies, and what it keeps.

// The loaded end at 3.5 s, AeroBeams.jl, 10 elements.
static const double AEROBEAMS[3] = {-0.58649, -3.11548, 1.82414};
static const char *const END_NAME[FLYING_ENDS] = {"loaded end", "other end"}, *const AXIS[] = {"x", "y", "z"};

// ---- where it flies

struct views {
  struct verify_plot *side, *above; // x-z, x-y
};

static vec3 flying_seen(vec3 r);

static void draw(struct verify_result *r, const struct views *to, const struct sim *s) {
  double time_s = (double)s->run.step * s->def->step_s;
  struct verify_series *side = verify_series(r, to->side, VERIFY_LINE, "%.1f s", time_s);
  struct verify_series *above = verify_series(r, to->above, VERIFY_LINE, "%.1f s", time_s);
  for (int i = 0; i < s->state.mesh.pipe.nodes; i++) {
    vec3 p = flying_seen(pipe_get3(s->state.pipe.r_n, i));
    verify_point(r, side, p.x, p.z);
    verify_point(r, above, p.x, p.y);
  }
}

// The ends at the times shown; draws the rod every half second from 1.5 to 6.5 if asked to.
static int fly(int elements, double step_s, const struct views *views, vec3 found[FLYING_SHOWN][FLYING_ENDS],
               struct verify_result *r) {
  struct sim *s = flying_rod(elements, step_s, r);
  if (!s)
    return 0;
  double last_s = views ? 6.5 : flying_shown_s[FLYING_SHOWN - 1];
  int steps = (int)steps_nearest_to(last_s, step_s), half_second = (int)steps_nearest_to(0.5, step_s);
  for (int k = 1; k <= steps; k++) {
    sim_step(s, NULL);
    for (int i = 0; i < FLYING_SHOWN; i++)
      if (k == (int)steps_nearest_to(flying_shown_s[i], step_s))
        flying_displacements(s, found[i]);
    if (views && k % half_second == 0 && k >= 3 * half_second)
      draw(r, views, s);
  }
  scene_free(s);
  return 1;
}

static void compare_ends(struct verify_result *r) {
  enum { FLIGHT_LEVELS = 3 };
  vec3 found[FLIGHT_LEVELS][FLYING_SHOWN][FLYING_ENDS];
  double width[FLIGHT_LEVELS], error[FLIGHT_LEVELS] = {0};
  struct views views = {
      verify_plot(r, "The flying rod, side view", "x, unit of length", "z, unit of length"),
      verify_plot(r, "The flying rod, plan view", "x, unit of length", "y, unit of length")};
  for (int level = 0; level < FLIGHT_LEVELS; level++) {
    int elements = 20 << level;
    width[level] = FLYING_LENGTH_M / elements;
    if (!fly(elements, 0.2 / elements, level == FLIGHT_LEVELS - 1 ? &views : NULL, found[level], r))
      return;
    for (int i = 0; i < FLYING_SHOWN; i++)
      for (int e = 0; e < FLYING_ENDS; e++)
        error[level] =
            fmax(error[level], vec3_norm(vec3_sub(found[level][i][e], vec3_of(flying_flown_m[i][e]))));
  }
  struct verify_series *side = verify_series(r, views.side, VERIFY_POINTS, "ends, independent code"),
                       *above = verify_series(r, views.above, VERIFY_POINTS, "ends, independent code");
  for (int i = 0; i < FLYING_SHOWN; i++)
    for (int e = 0; e < FLYING_ENDS; e++) {
      double fine[3], coarse[3];
      vec3 at = vec3_add(vec3_of(flying_flown_m[i][e]), e == 0 ? (vec3){6, 0, 0} : (vec3){0, 0, 8});
      verify_point(r, side, at.x, at.z);
      verify_point(r, above, at.x, at.y);
      vec3_to(found[FLIGHT_LEVELS - 1][i][e], fine), vec3_to(found[FLIGHT_LEVELS - 2][i][e], coarse);
      for (int c = 0; c < 3; c++)
        verify_add(r, VERIFY_ABSOLUTE, "", (4 * fine[c] - coarse[c]) / 3, flying_flown_m[i][e][c], 3e-4,
                   "displacement of the %s at %g s, %s, from 40 and 80 elements", END_NAME[e],
                   flying_shown_s[i], AXIS[c]);
    }
  verify_order(r, "End positions", "element length (step in proportion)",
               "the end positions, step and mesh refined together", width, error, FLIGHT_LEVELS, 2, 0.15);
  double ours[3];
  vec3_to(found[FLIGHT_LEVELS - 1][1][0], ours);
  for (int c = 0; c < 3; c++)
    verify_show(r, "", ours[c], AEROBEAMS[c], "displacement of the loaded end at 3.5 s, %s, AeroBeams.jl",
                AXIS[c]);
}

// ---- what it keeps

struct kept {
  vec3 linear, angular;
  double energy;
};

static struct kept kept_by(const struct sim *s) {
  struct kept k = {.energy = s->run.ledger.energy_j};
  scene_momenta(s, &k.linear, &k.angular);
  return k;
}

static void compare_kept(struct verify_result *r) {
  const double step_s = 0.01;
  const int throw = (int)steps_nearest_to(FLYING_THROW_S, step_s), steps = throw + 10000;
  struct sim *s = flying_rod(20, step_s, r);
  if (!s)
    return;
  struct verify_plot *account = verify_plot(r, "Energy", "time, s", "energy, J");
  struct verify_series *kinetic = verify_series(r, account, VERIFY_LINE, "kinetic");
  struct verify_series *total = verify_series(r, account, VERIFY_LINE, "total");
  struct kept start = {.energy = 0};
  double drift = 0, turned = 0, moved = 0;
  for (int k = 1; k <= steps; k++) {
    sim_step(s, NULL);
    if (k <= 1500 && k % 5 == 0) {
      verify_point(r, kinetic, k * step_s, s->run.ledger.kinetic_j);
      verify_point(r, total, k * step_s, s->run.ledger.energy_j);
    }
    if (k < throw)
      continue;
    struct kept now = kept_by(s);
    if (k == throw)
      start = now;
    drift = fmax(drift, fabs(now.energy / start.energy - 1));
    moved = fmax(moved, vec3_norm(vec3_sub(now.linear, start.linear)) / vec3_norm(start.linear));
    turned = fmax(turned, vec3_norm(vec3_sub(now.angular, start.angular)) / vec3_norm(start.angular));
  }
  verify_add(r, VERIFY_RELATIVE, "kg m/s", start.linear.x, 0.5 * 20 * FLYING_THROW_S, 1e-10,
             "linear momentum against the impulse of the load");
  verify_add(r, VERIFY_ABSOLUTE, "", drift, 0, 1e-10, "energy in free flight, largest relative change");
  verify_add(r, VERIFY_ABSOLUTE, "", moved, 0, 1e-10, "linear momentum, largest relative change");
  verify_add(r, VERIFY_ABSOLUTE, "", turned, 0, 1e-10, "angular momentum, largest relative change");
  verify_add(r, VERIFY_ABSOLUTE, "", (double)s->run.not_converged_count, 0, 0,
             "steps at the Newton iteration limit");
  scene_free(s);
}

void verify_free_flight(const struct verify_setup *setup, struct verify_result *r) {
  (void)setup;
  verify_run_with(r,
                  "20, 40, 80 elements with steps of 10, 5, 2.5 ms; for conservation 20 elements, 10 ms, "
                  "thrown for %g s, then 10,000 steps of free flight",
                  FLYING_THROW_S);
  compare_ends(r);
  compare_kept(r);
}

// ------------------------------------------------------------
const struct scene_section flying_section = {.ea = 1e4, .ga = 1e4, .gj = 500, .ei = 500, 1, 20, 10};
const double flying_shown_s[FLYING_SHOWN] = {2.5, 3.5, 5};
const double flying_flown_m[FLYING_SHOWN][FLYING_ENDS][3] = {
    {{-2.39317, -0.42726, 0.04470}, {3.98176, -0.54047, 0.53172}},
    {{-0.69173, -3.04772, 1.84591}, {11.85795, 1.86517, -1.00675}},
    {{13.21360, -2.12724, 1.62556}, {12.95300, 3.02877, -1.19057}},
};

// in the paper's axes
static vec3 flying_seen(vec3 r) {
  return (vec3){r.x, -r.y, -r.z};
}

struct sim *flying_rod(int elements, double step_s, struct verify_result *r) {
  struct sim_def def = scene_beam(elements, FLYING_LENGTH_M, &flying_section);
  def.step_s = step_s;
  struct sim *s = scene_create(&def, r);
  if (!s)
    return NULL;
  scene_release_lower(s, 1, 1);
  const double euler[3] = {0, trig_atan2(-8, 6), 0};
  const vec3 axis = {0.6, 0, 0.8}, from = {0, 0, -8};
  for (int i = 0; i <= elements; i++) {
    pipe_set3(s->state.pipe.r_n, i, vec3_axpy(FLYING_LENGTH_M * i / elements, axis, from));
    pipe_set_quat(&s->state.pipe, i, quat_of_euler(euler));
  }
  s->model->end_force_n = (vec3){20, 0, 0};
  s->model->end_moment_nm = (vec3){0, -200, -100};
  s->model->end_profile = (struct time_profile){
      .rows = 3,
      .table = {{.time_s = 0}, {.time_s = 0.5 * FLYING_THROW_S, .value = {1}}, {.time_s = FLYING_THROW_S}}};
  scene_restart(s);
  return s;
}

void flying_displacements(const struct sim *s, vec3 end[FLYING_ENDS]) {
  int n = s->state.mesh.pipe.nodes - 1;
  end[0] = vec3_sub(flying_seen(pipe_get3(s->state.pipe.r_n, n)), (vec3){6, 0, 0});
  end[1] = vec3_sub(flying_seen(pipe_get3(s->state.pipe.r_n, 0)), (vec3){0, 0, 8});
}

void flying_rival(struct hamiltonian_rod *rod, int elements) {
  const struct scene_section *f = &flying_section;
  memset(rod, 0, sizeof *rod);
  rod->section = (struct hamiltonian_rod_section){
      .mass_kgpm = f->mass_kgpm,
      .inertia_kgm = {f->j_axial_kgm, f->j_transverse_kgm, f->j_transverse_kgm},
      .stretch_n = {f->ea, f->ga, f->ga},
      .bend_nm2 = {f->gj, f->ei, f->ei}};
  rod->elements = elements;
  rod->element_m = FLYING_LENGTH_M / elements;
  double half = 0.5 * atan2(8, 6);
  for (int i = 0; i <= elements; i++) {
    struct hamiltonian_rod_node *node = &rod->node[i];
    node->x_m[0] = 6.0 * i / elements, node->x_m[2] = 8 - 8.0 * i / elements;
    node->q[0] = cos(half), node->q[2] = sin(half);
  }
  hamiltonian_rod_start(rod);
}

static void load(struct hamiltonian_rod *rod, double time_s) {
  double t = 200 * fmax(0, 1 - fabs(2 * time_s / FLYING_THROW_S - 1));
  rod->load_n[0] = t / 10, rod->load_nm[1] = t, rod->load_nm[2] = t / 2;
}

void flying_rival_step(struct hamiltonian_rod *rod, double time_s, double h) {
  load(rod, time_s);
  hamiltonian_rod_kick(rod, 0.5 * h);
  hamiltonian_rod_drift(rod, h);
  load(rod, time_s + h);
  hamiltonian_rod_kick(rod, 0.5 * h);
}
