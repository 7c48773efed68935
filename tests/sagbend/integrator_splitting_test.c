// Order 4 and the exact splitting in the simulator: orders, accuracy, energy, passivity, determinism,
// refusals.
#include "net/case/case.h"
#include "sagbend/base/base.h"
#include "scenes.h"
#include "suite.h"

static struct sim_def osv(void) { // the 83 m supply vessel without energy ports and losses
  const char *const sets[] = {"pipe=null", "statics=null"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "osv-83m", 2, sets);
  scene_conservative(&def);
  def.vessel.plant.thruster_count = def.vessel.plant.bus_count = 0;
  def.vessel.windage.present = def.vessel.waves.present = 0;
  const double euler[3] = {0.1, -0.05, 0.3}, nu[6] = {3, 0.5, 0.2, 0.05, -0.03, 0.04};
  memcpy(def.vessel.euler_rad, euler, sizeof euler);
  memcpy(def.vessel.velocity_b, nu, sizeof nu);
  def.vessel.position_n_m[2] += 0.4;
  def.hold_balances_statics = 0;
  memset(def.initial_holding_force_b, 0, sizeof def.initial_holding_force_b);
  return def;
}

struct place {
  vec3 x;
  quat q;
  double closure, energy_change;
};

static struct place run(struct sim_def def, double step_s, double duration_s, int order,
                        enum vessel_integrator vessel, void (*command)(double time_s, double wrench_b[6])) {
  def.step_s = step_s;
  def.integrator = (struct integrator_def){order, vessel};
  struct sim *s = shipped_create(&def);
  long steps = (long)steps_nearest_to(duration_s, step_s);
  for (long k = 0; k < steps; k++) {
    double wrench[6] = {0};
    if (command)
      command((double)k * step_s, wrench);
    sim_step(s, &(struct sim_input){.wrench_b = wrench});
  }
  ck_assert_uint_eq(s->run.fault, 0);
  const struct ledger *l = sim_ledger(s);
  struct place p = {s->state.vessel.x_n, s->state.vessel.q_nb, ledger_closure_rel(l),
                    l->energy_j / l->energy_initial_j - 1};
  shipped_free(s);
  return p;
}

static double distance(const struct place *a, const struct place *b) {
  return vec3_norm(vec3_sub(a->x, b->x));
}
static double turn(const struct place *a, const struct place *b) {
  quat conjugate = {a->q.w, -a->q.x, -a->q.y, -a->q.z}, d = quat_mul(conjugate, b->q);
  return 2 * sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
}

START_TEST(order_4_of_a_free_vessel) {
  struct sim_def def = osv();
  struct place exact = run(def, 0.01, 20, 4, VESSEL_STRANG, NULL);
  struct place coarse = run(def, 0.25, 20, 4, VESSEL_STRANG, NULL),
               fine = run(def, 0.125, 20, 4, VESSEL_STRANG, NULL);
  struct place ordinary = run(def, 0.0625, 20, 2, VESSEL_STRANG, NULL);
  double slope = log2(distance(&coarse, &exact) / distance(&fine, &exact));
  double slope_of_turn = log2(turn(&coarse, &exact) / turn(&fine, &exact));
  printf("order 4, free vessel: slopes %.3f, %.3f; h = 0.25 s: %.2g m, %.2g rad, energy %.1g; order 2 at "
         "0.0625 s: %.2g m, %.2g rad\n",
         slope, slope_of_turn, distance(&coarse, &exact), turn(&coarse, &exact), fabs(coarse.energy_change),
         distance(&ordinary, &exact), turn(&ordinary, &exact));
  ck_assert_double_gt(slope, 3.9);
  ck_assert_double_gt(slope_of_turn, 3.9);
  ck_assert_double_lt(distance(&coarse, &exact), 5e-4);
  ck_assert_double_lt(turn(&coarse, &exact), 3e-5);
  ck_assert_double_lt(fabs(coarse.energy_change), 1e-12);
}
END_TEST

static void each_second(double time_s,
                        double w[6]) { // a command that changes each second, as a DP controller's
  double k = floor(time_s + 1e-9);
  w[0] = 2e5 * sin(0.7 * k), w[1] = 1.5e5 * cos(0.31 * k), w[5] = 8e6 * sin(0.23 * k);
}

static struct sim_def paper(void) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "vessel-only", 0, NULL);
  def.controller = CONTROLLER_NONE;
  return def;
}

START_TEST(order_4_under_held_commands) {
  struct sim_def def = paper();
  struct place exact = run(def, 0.0025, 300, 4, VESSEL_STRANG, each_second);
  struct place two = run(def, 0.1, 300, 2, VESSEL_STRANG, each_second),
               four = run(def, 0.1, 300, 4, VESSEL_STRANG, each_second);
  printf("held commands, 300 s, h = 0.1 s: attitude %.3g rad by order 2, %.3g by order 4, %.0f times closer; "
         "closure %.1g\n",
         turn(&two, &exact), turn(&four, &exact), turn(&two, &exact) / turn(&four, &exact), four.closure);
  ck_assert_double_gt(turn(&two, &exact) / turn(&four, &exact), 50);
  ck_assert_double_lt(four.closure, 1e-11);
}
END_TEST

// Everything acts together: the ledger closes at any step, and varying loads and waves are evaluated to
// order 4.
START_TEST(order_4_closes_with_every_port) {
  const double steps[] = {0.01, 0.1, 0.5, 1};
  struct sim_def def = osv();
  scene_all_ports(&def);
  scene_weather(&def);
  for (int i = 0; i < 6; i++)
    def.vessel.damping_linear[i][i] = 0.05 * def.vessel.inertia[i][i];
  struct place p = run(def, steps[_i], 60, 4, VESSEL_STRANG, each_second);
  ck_assert_double_lt(p.closure, 1e-11);
}
END_TEST

START_TEST(order_4_samples_loads_and_waves_to_order_4) {
  struct sim_def def = osv();
  def.env.load_count = 1;
  def.env.loads[0] = (struct load_def){
      LOAD_WORLD, {3e5, 6e5, 1e5, 1e6, -2e6, 8e6}, {.ramp_s = 40, .variation = 0.5, .period_s = 7}};
  struct place exact = run(def, 0.01, 20, 4, VESSEL_STRANG, NULL);
  struct place coarse = run(def, 0.25, 20, 4, VESSEL_STRANG, NULL),
               fine = run(def, 0.125, 20, 4, VESSEL_STRANG, NULL);
  double slope = log2(distance(&coarse, &exact) / distance(&fine, &exact));
  ck_assert_msg(slope > 3.8 && slope < 4.3, "slope %.3f", slope);
}
END_TEST

// ---- the exact splitting ----

START_TEST(splitting_agrees_with_the_ordinary_step) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "vessel-only", 0, NULL);
  def.pid.start_s = 5;
  struct place exact = run(def, 0.002, 60, 2, VESSEL_STRANG, NULL);
  static const double limit[3] = {3e-4, 2e-6, 2e-6}; // the last bound includes the error of the ordinary step
  for (int k = 0; k < 3; k++) {
    struct place p = run(def, k == 0 ? 0.1 : 1, 60, 2, (enum vessel_integrator)(VESSEL_SP2 + k), NULL);
    printf("sp%d, h = %g s: %.2g m, %.2g rad from the ordinary step at 2 ms, closure %.1g\n", 2 + 2 * k,
           k == 0 ? 0.1 : 1, distance(&p, &exact), turn(&p, &exact), p.closure);
    ck_assert_double_lt(distance(&p, &exact), 4 * limit[k]);
    ck_assert_double_lt(turn(&p, &exact), 4 * limit[k]);
    ck_assert_double_lt(p.closure, 1e-11);
  }
}
END_TEST

START_TEST(splitting_restores_to_the_same_bits) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "vessel-only", 0, NULL);
  def.pid.start_s = 1;
  def.integrator =
      (struct integrator_def){_i == 0 ? 4 : 2, _i == 0 ? VESSEL_STRANG : (enum vessel_integrator)_i};
  struct sim *a = shipped_create(&def), *b = shipped_create(&def);
  for (int k = 0; k < 150; k++)
    sim_step(a, NULL);
  void *buffer = malloc(sim_snapshot_size(a));
  struct reason why = {""};
  sim_snapshot(a, buffer);
  ck_assert_int_eq(sim_restore(b, buffer, sim_snapshot_size(a), &why), STATUS_OK);
  for (int k = 0; k < 150; k++) {
    sim_step(a, NULL), sim_step(b, NULL);
    ck_assert_uint_eq(sim_hash(a), sim_hash(b));
  }
  free(buffer), shipped_free(a), shipped_free(b);
}
END_TEST

// Steps of 20 s, beyond the range of a configuration, at which the backward parts create energy: the event
// reports it. SP2 has no such parts.
static int damping_gained(enum vessel_integrator which) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "vessel-only", 0, NULL);
  uint64_t told = 0;
  def.pid.start_s = 0;
  def.step_s = 20;
  def.integrator.vessel = which;
  for (int k = 0; k < 400 && !told; k++) {
    for (int c = 0; c < 6; c++)
      def.vessel.velocity_b[c] = (c < 3 ? 5 : 0.1) * sin(1.7 * k * (c + 1) + c);
    def.vessel.euler_rad[0] = 0.6 * sin(0.9 * k), def.vessel.euler_rad[1] = 0.3 * cos(1.3 * k);
    struct sim *s = shipped_create(&def);
    for (int i = 0; i < 5; i++)
      sim_step(s, &scene_no_command);
    told = s->run.events >> EVENT_DAMPING_GAINED & 1;
    shipped_free(s);
  }
  return (int)told;
}

START_TEST(energy_from_damping_is_told) {
  ck_assert_int_eq(damping_gained(VESSEL_SP2), 0);
  ck_assert_int_eq(damping_gained(VESSEL_SP6), 1);
}
END_TEST

START_TEST(what_it_cannot_do_is_refused) {
  static const struct {
    const char *config, *set[2], *says;
  } cases[] = {
      {"jlay-900m", {"simulation.order=4", NULL}, "without a pipe"},
      {"vessel-only", {"simulation.order=4", "vessel.integrator=sp4"}, "its own order"},
      {"jlay-900m", {"vessel.integrator=sp2", NULL}, "without a pipe"},
      {"vessel-only",
       {"vessel.integrator=sp4", "vessel.hydrostatics.flotation_b_m=[-0.5, 0, 0]"},
       "centre of flotation"},
      {"vessel-only", {"vessel.integrator=sp6", "vessel.damping.quadratic=[1, 0, 0, 0, 0, 0]"}, "quadratic"},
      {"vessel-only", {"vessel.integrator=sp4", "vessel.damping.axes=level"}, "body axes"},
      {"vessel-only", {"simulation.order=3", NULL}, "2 or 4 expected"}};
  char path[512], text[2048] = "";
  struct config c;
  snprintf(path, sizeof path, "%s/configs/%s.yaml", TEST_SOURCE_DIR, cases[_i].config);
  FILE *errors = tmpfile();
  int count = cases[_i].set[1] ? 2 : 1;
  ck_assert_int_ne(config_load(path, cases[_i].set, count, &c, errors), STATUS_OK);
  rewind(errors);
  ck_assert_uint_gt(fread(text, 1, sizeof text - 1, errors), 0);
  fclose(errors);
  ck_assert_msg(strstr(text, cases[_i].says) != NULL, "%s", text);
  ck_assert_msg(strchr(text, ':') != NULL, "%s", text);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("integrators");
  TCase *t = add_case(suite, "order 4", 120);
  tcase_add_test(t, order_4_of_a_free_vessel);
  tcase_add_test(t, order_4_under_held_commands);
  tcase_add_loop_test(t, order_4_closes_with_every_port, 0, 4);
  tcase_add_test(t, order_4_samples_loads_and_waves_to_order_4);
  t = add_case(suite, "splitting", 120);
  tcase_add_test(t, splitting_agrees_with_the_ordinary_step);
  tcase_add_loop_test(t, splitting_restores_to_the_same_bits, 0, 4);
  tcase_add_test(t, energy_from_damping_is_told);
  tcase_add_loop_test(t, what_it_cannot_do_is_refused, 0, 7);
  return run_suite(suite);
}
