// Order 4 in the loop (src/sagbend/integrator/conservative.c): M. Suzuki, Phys. Lett. A 146 (1990), for a
// vessel without a pipe, against the equations of motion by RK4 in an independent code.
#include "sagbend/base/base.h"
#include "verification/harness/harness.h"
#include "verification/rivals/rivals.h"

#include <math.h>
#include <string.h>

struct place {
  vec3 x_n;
  quat q_nb;
  double closure, energy_change;
};

static double distance(const struct place *a, const struct place *b) {
  return vec3_norm(vec3_sub(a->x_n, b->x_n));
}
static double turn(const struct place *a, const struct place *b) {
  return scene_turn(a->q_nb, b->q_nb);
}

typedef void command(double time_s, double wrench_b[6]);

static struct place run(struct sim_def def, double step_s, double duration_s, int order, command *held,
                        struct verify_result *r) {
  struct place p = {{NAN, NAN, NAN}, {NAN, NAN, NAN, NAN}, NAN, NAN};
  def.step_s = step_s;
  def.integrator = (struct integrator_def){order, VESSEL_STRANG};
  struct sim *s = scene_create(&def, r);
  if (!s)
    return p;
  long steps = (long)steps_nearest_to(duration_s, step_s);
  for (long k = 0; k < steps; k++) {
    double wrench_b[6] = {0};
    if (held)
      held((double)k * step_s, wrench_b);
    sim_step(s, &(struct sim_input){.wrench_b = wrench_b});
  }
  const struct ledger *l = sim_ledger(s);
  if (s->run.fault)
    verify_fail(r, "a fault at a step of %g s", step_s);
  else
    p = (struct place){s->state.vessel.x_n, s->state.vessel.q_nb, ledger_closure_rel(l),
                       l->energy_j / l->energy_initial_j - 1};
  scene_free(s);
  return p;
}

// ---- the 83 m supply vessel without supply or dissipation ----

static int free_vessel(const struct verify_setup *setup, struct sim_def *def, struct verify_result *r) {
  static const char *const sets[] = {"pipe=null", "statics=null"};
  static const double euler[3] = {0.1, -0.05, 0.3}, nu[6] = {3, 0.5, 0.2, 0.05, -0.03, 0.04};
  if (!scene_load(setup, "osv-83m", 2, sets, def, r))
    return 0;
  scene_conservative(def);
  def->vessel.plant.thruster_count = def->vessel.plant.bus_count = 0;
  def->vessel.windage.present = def->vessel.waves.present = 0;
  memcpy(def->vessel.euler_rad, euler, sizeof euler);
  memcpy(def->vessel.velocity_b, nu, sizeof nu);
  def->vessel.position_n_m[2] += 0.4;
  def->hold_balances_statics = 0;
  memset(def->initial_holding_force_b, 0, sizeof def->initial_holding_force_b);
  return 1;
}

static struct place exact_free(const struct sim_def *def, double duration_s, struct verify_result *r) {
  struct place p = {{NAN, NAN, NAN}, {NAN, NAN, NAN, NAN}, 0, 0};
  struct sim *s = scene_create(def, r);
  if (!s)
    return p;
  const struct vessel *v = &s->model->vessel;
  struct rival_hull hull = {.heave_npm = v->heave_stiffness_npm,
                            .tilt_nm = {v->pitch_stiffness_nm, v->roll_stiffness_nm},
                            .equilibrium_z_m = v->equilibrium_z_m,
                            .flotation_b_m = v->flotation_b_m};
  struct split_state state = {.x_n = s->state.vessel.x_n, .q_nb = s->state.vessel.q_nb};
  memcpy(hull.inertia, v->bare_inertia, sizeof hull.inertia);
  memcpy(hull.factor, v->bare_inertia, sizeof hull.factor);
  memcpy(state.nu, s->state.vessel.nu, sizeof state.nu);
  mat6_cholesky(hull.factor);
  for (int k = 0; k < 10000; k++)
    rival_hull_step(&hull, rival_rk4, &state, duration_s / 10000);
  scene_free(s);
  return (struct place){state.x_n, state.q_nb, 0, 0};
}

static void free_motion(const struct verify_setup *setup, struct verify_result *r) {
  enum { LEVELS = 4 };
  static const double limit[2] = {5e-4, 3e-5};
  struct sim_def def;
  if (!free_vessel(setup, &def, r))
    return;
  struct place exact = exact_free(&def, 20, r), coarse = {0};
  double width[LEVELS], far[LEVELS], turned[LEVELS], energy = 0;
  struct verify_plot *plot =
      verify_plot(r, "Free vessel, 20 s: error of the position", "step, s", "error, m");
  struct verify_plot *cost = verify_cost_plot(
      setup, r, "Free vessel, 20 s: error of the position against cost", "time of the run, s", "error, m");
  if (plot)
    plot->log_axes = 1;
  for (int order = 2; order <= 4; order += 2) {
    struct verify_series *line = verify_series(r, plot, VERIFY_LINE, "order %d", order);
    struct verify_series *priced = verify_cost_series(r, cost, VERIFY_LINE, "order %d", order);
    for (int i = 0; i < LEVELS; i++) {
      double begin_s = verify_clock_s(setup);
      width[i] = 0.25 / (1 << i);
      struct place p = run(def, width[i], 20, order, NULL, r);
      far[i] = distance(&p, &exact), turned[i] = turn(&p, &exact);
      verify_point(r, line, width[i], far[i]);
      verify_point(r, priced, verify_clock_s(setup) - begin_s, far[i]);
      energy = fmax(energy, fabs(p.energy_change));
      if (i == 0)
        coarse = p;
    }
    if (order == 2) {
      verify_show(r, "m", far[2], 1e-2, "order 2, h = 0.0625 s: position");
      verify_show(r, "rad", turned[2], 7e-4, "order 2, h = 0.0625 s: attitude");
    }
  }
  verify_order(r, "Free vessel, order 4: position", "step, s", "the position", width, far, LEVELS, 4, 0.1);
  verify_order(r, "Free vessel, order 4: attitude", "step, s", "the attitude", width, turned, LEVELS, 4, 0.1);
  verify_add(r, VERIFY_ABSOLUTE, "m", distance(&coarse, &exact), 0, limit[0],
             "order 4, h = 0.25 s: position");
  verify_add(r, VERIFY_ABSOLUTE, "rad", turn(&coarse, &exact), 0, limit[1], "order 4, h = 0.25 s: attitude");
  verify_add(r, VERIFY_ABSOLUTE, "", coarse.energy_change, 0, 1e-12,
             "order 4, h = 0.25 s: change of the energy, relative");
  verify_add(r, VERIFY_ABSOLUTE, "", energy, 0, 1e-10,
             "orders 2 and 4, all steps: relative change of the energy (limited by the Newton tolerance)");
}

// ---- commands held constant by a DP system ----

static void each_second(double time_s, double w[6]) {
  double k = floor(time_s + 1e-9);
  w[0] = 2e5 * sin(0.7 * k), w[1] = 1.5e5 * cos(0.31 * k), w[5] = 8e6 * sin(0.23 * k);
}

static struct place exact_held(const struct scene_vessel *v, int duration_s) {
  struct split_state s = v->start;
  double wrench_b[6] = {0};
  struct rival_vessel rival = {&v->vessel, NULL, wrench_b};
  for (int k = 0; k < 100 * duration_s; k++) {
    int second = k / 100;
    each_second(second, wrench_b);
    rival_vessel_step(&rival, rival_rk4, &s, 0.01);
  }
  return (struct place){s.x_n, s.q_nb, 0, 0};
}

static void held_commands(const struct verify_setup *setup, struct verify_result *r) {
  struct scene_vessel v;
  struct sim_def def;
  if (!scene_vessel(setup, &v, r) || !scene_load(setup, "vessel-only", 0, NULL, &def, r))
    return;
  def.controller = CONTROLLER_NONE;
  struct place exact = exact_held(&v, 300), two = run(def, 0.1, 300, 2, each_second, r),
               four = run(def, 0.1, 300, 4, each_second, r);
  verify_show(r, "rad", turn(&two, &exact), 0, "held commands, 300 s, order 2, h = 0.1 s: attitude");
  verify_show(r, "rad", turn(&four, &exact), 0, "held commands, 300 s, order 4, h = 0.1 s: attitude");
  // What is left of order 4 comes from the damping and is of order 2 as well, so that the factor between both
  // does not depend on the step.
  struct place half_two = run(def, 0.05, 300, 2, each_second, r),
               half_four = run(def, 0.05, 300, 4, each_second, r);
  verify_add(r, VERIFY_RELATIVE, "", turn(&two, &exact) / turn(&four, &exact),
             turn(&half_two, &exact) / turn(&half_four, &exact), 0.1,
             "the same: factor by which order 4 reduces the attitude error, h = 0.1 s and 0.05 s");
  verify_add(r, VERIFY_ABSOLUTE, "", log2(turn(&four, &exact) / turn(&half_four, &exact)), 2, 0.1,
             "the same: order of what is left with order 4");
  verify_add(r, VERIFY_ABSOLUTE, "", four.closure, 0, 1e-11, "the same, order 4: ledger closure");
}

// The remaining damping error is of order 2 and quadratic in the damping: with a tenth of the damping the
// order is 4.
static void light_damping(const struct verify_setup *setup, struct verify_result *r) {
  enum { LEVELS = 3, DURATION_S = 100 };
  const double share = 0.1;
  struct scene_vessel v;
  struct sim_def def;
  if (!scene_vessel(setup, &v, r) || !scene_load(setup, "vessel-only", 0, NULL, &def, r))
    return;
  def.controller = CONTROLLER_NONE;
  for (int i = 0; i < 6; i++) {
    v.vessel.damping[i] *= share;
    def.vessel.damping_linear[i][i] *= share;
  }
  struct place exact = exact_held(&v, DURATION_S);
  double width[LEVELS], turned[LEVELS];
  for (int i = 0; i < LEVELS; i++) {
    width[i] = 0.25 / (1 << i);
    struct place p = run(def, width[i], DURATION_S, 4, each_second, r);
    turned[i] = turn(&p, &exact);
  }
  verify_order(r, "Light damping, order 4: attitude", "step, s", "the attitude, light damping", width, turned,
               LEVELS, 4, 0.1);
}

// A constant force ahead on the same vessel, undamped: m v = F t.
static void steady_load(const struct verify_setup *setup, struct verify_result *r) {
  struct sim_def def;
  const double force_n = 1e5, duration_s = 20;
  if (!scene_load(setup, "vessel-only", 0, NULL, &def, r))
    return;
  scene_conservative(&def);
  def.env.load_count = 1;
  def.env.loads[0] = (struct load_def){.frame = LOAD_BODY, .wrench = {force_n}};
  memset(def.vessel.euler_rad, 0, sizeof def.vessel.euler_rad);
  memset(def.vessel.velocity_b, 0, sizeof def.vessel.velocity_b);
  struct place p = run(def, 0.1, duration_s, 4, NULL, r);
  double way = 0.5 * force_n / def.vessel.mass_kg * duration_s * duration_s;
  verify_add(r, VERIFY_RELATIVE, "m", p.x_n.x - def.vessel.position_n_m[0], way, 1e-10,
             "order 4: distance under a steady force, 20 s");
}

void verify_order_four(const struct verify_setup *setup, struct verify_result *r) {
  verify_run_with(
      r,
      "configs/osv-83m.yaml without pipe and without external forces, 20 s; configs/vessel-only.yaml, 300 s");
  free_motion(setup, r);
  held_commands(setup, r);
  light_damping(setup, r);
  steady_load(setup, r);
}
