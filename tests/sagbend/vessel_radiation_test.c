// Memory of the radiation: the midpoint step and its energy, and the vessel with the memory of a supply
// vessel (reference/supply-memory-12.csv): ledger, order, conservation, A(0), resumption.

#include "sagbend/math/math.h"
#include "sagbend/vessel/vessel.h"

#include "scenes.h"
#include "suite.h"

static double noise(uint64_t *seed) { // in (-1, 1)
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)*seed / 9223372036854775808.0;
}

static struct hydro_memory random_memory(uint64_t *seed) {
  struct hydro_memory memory = {.count = 1 + (int)(fabs(noise(seed)) * 16)};
  double factor[MAX_OSCILLATORS][MAX_OSCILLATORS] = {{0}};
  double damping = pow(10, noise(seed)), drive = pow(10, 2 * noise(seed));
  for (int i = 0; i < memory.count; i++) {
    memory.omega_radps[i] = pow(10, 1.5 * noise(seed));
    for (int j = 0; j <= i; j++)
      factor[i][j] = damping * noise(seed);
    for (int j = 0; j < 6; j++)
      memory.drive[i][j] = drive * noise(seed);
  }
  for (int i = 0; i < memory.count; i++)
    for (int j = 0; j < memory.count; j++)
      for (int k = 0; k < memory.count; k++)
        memory.damping_1ps[i][j] += factor[i][k] * factor[j][k];
  return memory;
}

// One step with any velocity: the energy rises by the work less the loss, which is never negative; the force
// is that of the impedance.
START_TEST(any_memory_keeps_its_ledger) {
  uint64_t seed = 11;
  for (int i = 0; i < 10000 * scene_share(); i++) {
    struct hydro_memory memory = random_memory(&seed);
    struct radiation radiation = radiation_of(&memory);
    double h = pow(10, 2 * noise(&seed) - 1), q[MAX_OSCILLATORS], p[MAX_OSCILLATORS], nu[6], work = 0;
    struct radiation_step step = radiation_step_of(&radiation, h);
    struct radiation_state state = {q, p};
    struct radiation_flow flow, without;
    for (int k = 0; k < memory.count; k++)
      q[k] = noise(&seed), p[k] = noise(&seed);
    for (int j = 0; j < 6; j++)
      nu[j] = noise(&seed);
    double before = radiation_energy_j(&radiation, &state);
    radiation_begin(&radiation, &step, &state, &flow);
    without = flow;
    double loss = radiation_end(&radiation, &step, &state, &flow, nu);
    double after = radiation_energy_j(&radiation, &state), turnover = before + after + loss;
    for (int j = 0; j < 6; j++) {
      double force = without.force[j], size = fabs(force);
      for (int k = 0; k < 6; k++) {
        force += step.impedance[j][k] * nu[k];
        size += fabs(step.impedance[j][k] * nu[k]);
      }
      ck_assert_double_eq_tol(force, flow.force[j], 1e-12 * size);
      work += h * nu[j] * flow.force[j];
      turnover += fabs(h * nu[j] * flow.force[j]);
    }
    ck_assert_double_ge(loss, 0);
    ck_assert_double_eq_tol(after - before, work - loss, 1e-12 * turnover);
  }
}
END_TEST

// K(2/d) of the step is the transfer function of the oscillators at s = 2/d, by one oscillator's formula.
START_TEST(impedance_is_the_transfer_function) {
  struct hydro_memory memory = {.count = 1, .omega_radps = {0.9}, .damping_1ps = {{0.3}}, .drive = {{2, -3}}};
  struct radiation radiation = radiation_of(&memory);
  struct radiation_step step = radiation_step_of(&radiation, 0.05);
  double s = 2 / 0.05, k = s / (s * s + 0.3 * s + 0.81);
  ck_assert_double_eq_tol(step.impedance[0][0], 4 * k, 1e-14);
  ck_assert_double_eq_tol(step.impedance[0][1], -6 * k, 1e-14);
  ck_assert_double_eq_tol(step.impedance[1][1], 9 * k, 1e-14);
}
END_TEST

static struct hydro_memory supply_memory(double added_mass[6][6]) {
  struct hydro_memory memory = {.count = 12};
  FILE *f = fopen(TEST_SOURCE_DIR "/tests/reference/supply-memory-12.csv", "r");
  char line[1024];
  int row[3] = {0};
  ck_assert_ptr_nonnull(f);
  while (fgets(line, sizeof line, f)) {
    char *at = strchr(line, ',');
    if (line[0] == '#' || !at)
      continue;
    int kind = line[0] == 'R' ? 0 : line[0] == 'G' ? 1 : line[0] == 'A' ? 2 : 3;
    double *to = kind == 0   ? memory.damping_1ps[row[0]++]
                 : kind == 1 ? memory.drive[row[1]++]
                 : kind == 2 ? added_mass[row[2]++]
                             : memory.omega_radps;
    for (; at; at = strchr(at, ','))
      *to++ = strtod(at + 1, &at);
  }
  fclose(f);
  ck_assert_int_eq(row[0] + row[1] + row[2], 30);
  return memory;
}

// The 83 m vessel with the memory of another of its size: a vessel that floats, not that of the file.
static struct sim_def with_memory(int weather) {
  double added_mass[6][6];
  static const char *const sets[] = {"vessel.hydro_file=null", "vessel.inertia.added_mass=null"};
  struct sim_def def =
      shipped_scene(TEST_SOURCE_DIR, weather ? "osv-83m-weather" : "vessels/osv-83m", 2, sets);
  def.vessel.radiation = supply_memory(added_mass);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double symmetric = 0.5 * (added_mass[i][j] + added_mass[j][i]);
      def.vessel.inertia[i][j] += symmetric - def.vessel.added_mass[i][j];
      def.vessel.added_mass[i][j] = symmetric;
    }
  return def;
}

START_TEST(added_mass_of_slow_motion) {
  struct sim_def def = with_memory(0);
  struct sim *s = shipped_create(&def);
  ck_assert_double_eq_tol(s->model->vessel.added_mass_slow[1][1], 5.1e6, 0.1e6);
  ck_assert_double_eq_tol(s->model->vessel.added_mass[1][1], 2.1e6, 0.1e6);
  // Munk's moment of a vessel held in a current
  double wrench[6];
  const double still[6] = {0}, speed = 0.5;
  vessel_current_wrench(&s->model->vessel, still, (vec3){-speed, -speed, 0}, wrench);
  const double (*slow)[6] = (const double (*)[6])s->model->vessel.added_mass_slow;
  ck_assert_double_eq_tol(wrench[5], (slow[0][0] - slow[1][1]) * speed * speed, 1e-6 * fabs(wrench[5]));
  shipped_free(s);
}
END_TEST

// The terms of slow motion do no work, and heave, roll and pitch, which are not slow, have none.
START_TEST(slow_motion_is_horizontal) {
  struct sim_def def = with_memory(0);
  struct sim *s = shipped_create(&def);
  const double drifting[6] = {0.7, -0.4, 0.9, 0.02, -0.03, 0.05}, rolling[6] = {0, 0, 0.6, 0.1, 0.05, 0};
  double wrench[6], power = 0, size = 0;
  vessel_slow_wrench(&s->model->vessel, drifting, wrench);
  for (int i = 0; i < 6; i++) {
    power += wrench[i] * drifting[i];
    size += fabs(wrench[i] * drifting[i]);
  }
  ck_assert_double_gt(size, 1e3);
  ck_assert_double_le(fabs(power), 1e-12 * size);
  vessel_slow_wrench(&s->model->vessel, rolling, wrench);
  for (int i = 0; i < 6; i++)
    ck_assert_double_eq(wrench[i], 0);
  shipped_free(s);
}
END_TEST

// Pipe, controller inside, wind, waves, current, memory: the ledger closes, and no loss is negative in any
// step.
START_TEST(ledger_closes) {
  static const double steps[] = {0.005, 0.02, 0.1};
  if (!scene_is_run(steps[_i]))
    return;
  struct sim_def def = with_memory(1);
  def.step_s = steps[_i];
  def.controller = CONTROLLER_CONTINUOUS;
  def.pid = (struct pid_def){
      .kp = {8e4, 8e4, 0, 0, 0, 1e8}, .kd = {1e6, 1e6, 0, 0, 0, 1e9}, .ki = {2e2, 2e2, 0, 0, 0, 1e5}};
  struct sim *s = shipped_create(&def);
  const double end_s = 300;
  for (int k = 0; k * def.step_s < end_s; k++) {
    sim_step(s, &scene_no_command);
    for (int i = 0; i < LOSS_COUNT; i++)
      ck_assert_double_ge(s->run.ledger.loss_j[i], 0);
  }
  ck_assert_double_gt(s->run.ledger.total_loss_j[LOSS_RADIATION], 1e5);
  ck_assert_double_gt(s->run.ledger.memory_j, 0);
  ck_assert_double_lt(ledger_closure_rel(&s->run.ledger), 1e-12);
  shipped_free(s);
}
END_TEST

static struct sim *swing(struct sim_def *def, double step_s, double end_s) {
  def->step_s = step_s;
  struct sim *s = shipped_create(def);
  for (int k = 0; k < (int)(end_s / step_s + 0.5); k++)
    sim_step(s, &scene_no_command);
  return s;
}

static double distance(const struct sim *a, const struct sim *b) {
  double sum = 0;
  struct sim_output x, y;
  sim_get_output(a, &x), sim_get_output(b, &y);
  for (int i = 0; i < 3; i++)
    sum += pow(x.position_n_m[i] - y.position_n_m[i], 2) + pow(40 * (x.euler_rad[i] - y.euler_rad[i]), 2);
  for (int k = 0; k < a->model->vessel.radiation.count; k++)
    sum += 1e-6 * pow(a->state.radiation.q[k] - b->state.radiation.q[k], 2);
  return sqrt(sum);
}

static struct sim_def decay(void) {
  struct sim_def def = with_memory(0);
  def.vessel.plant.thruster_count = 0;
  def.vessel.current_acts = 1;
  def.env.current = (struct current_def){.surface_mps = 0.8, .direction_rad = 0.7};
  def.vessel.position_n_m[2] = 0.5;
  def.vessel.euler_rad[0] = 0.05, def.vessel.euler_rad[1] = 0.02;
  def.vessel.velocity_b[1] = 0.5, def.vessel.velocity_b[5] = 0.01;
  return def;
}

START_TEST(order_two) {
  struct sim_def def = decay();
  struct sim *fine = swing(&def, 0.05 / 32, 10), *s[4];
  double error[4];
  for (int i = 0; i < 4; i++) {
    s[i] = swing(&def, 0.1 / (1 << i), 10);
    error[i] = distance(s[i], fine);
  }
  for (int i = 1; i < 3; i++) {
    ck_assert_double_gt(error[i] / error[i + 1], 3.8);
    ck_assert_double_lt(error[i] / error[i + 1], 4.2);
  }
  for (int i = 0; i < 4; i++)
    shipped_free(s[i]);
  shipped_free(fine);
}
END_TEST

START_TEST(order_four_keeps_the_ledger) {
  struct sim_def def = decay();
  def.integrator.order = 4;
  struct sim *s = swing(&def, 0.05, 100);
  ck_assert_double_gt(s->run.ledger.total_loss_j[LOSS_RADIATION], 1e5);
  ck_assert_double_lt(ledger_closure_rel(&s->run.ledger), 1e-11);
  shipped_free(s);
}
END_TEST

START_TEST(exact_splitting_is_refused) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "vessel-only", 0, NULL);
  double unused[6][6];
  struct reason why = {""};
  const char *key = "";
  def.integrator.vessel = VESSEL_SP2;
  def.controller = CONTROLLER_NONE;
  def.vessel.current_acts = 0;
  ck_assert_int_eq(sim_check_integrator(&def, &key, &why), STATUS_OK);
  def.vessel.radiation = supply_memory(unused);
  ck_assert_int_eq(sim_check_integrator(&def, &key, &why), STATUS_BAD_INPUT);
  ck_assert_str_eq(key, "vessel.hydro_file");
}
END_TEST

// Without R nothing is lost.
START_TEST(lossless_memory_conserves) {
  struct sim_def def = with_memory(0);
  scene_conservative(&def);
  def.vessel.plant.thruster_count = 0;
  double unused[6][6];
  def.vessel.radiation = supply_memory(unused);
  memset(def.vessel.radiation.damping_1ps, 0, sizeof def.vessel.radiation.damping_1ps);
  def.vessel.position_n_m[2] = 0.5;
  def.vessel.euler_rad[0] = 0.05;
  struct sim *s = swing(&def, 0.02, 200); // 10,000 steps
  const struct ledger *l = &s->run.ledger;
  ck_assert_double_eq_tol(l->energy_j, l->energy_initial_j, 1e-9 * l->energy_initial_j);
  ck_assert_double_eq(l->total_loss_j[LOSS_RADIATION], 0);
  shipped_free(s);
}
END_TEST

// A copy that begins from a snapshot continues with the same bits; a snapshot of another model, or with a
// state that is not finite, is refused.
START_TEST(snapshot_continues) {
  struct sim_def def = with_memory(1), without = def;
  without.vessel.radiation.count = 0;
  struct sim *a = swing(&def, 0.02, 20), *b = shipped_create(&def), *c = shipped_create(&without);
  size_t size = sim_snapshot_size(a);
  unsigned char *bytes = malloc(size);
  struct reason why;
  sim_snapshot(a, bytes);
  ck_assert_int_eq(sim_restore(c, bytes, size, &why), STATUS_BAD_INPUT);
  ck_assert_int_eq(sim_restore(b, bytes, size, &why), STATUS_OK);
  for (int k = 0; k < 200; k++)
    sim_step(a, &scene_no_command), sim_step(b, &scene_no_command);
  ck_assert_uint_eq(sim_hash(a), sim_hash(b));
  size_t at = sizeof(struct snapshot_head) + (size_t)((unsigned char *)a->state.radiation.p - a->fields);
  const double bad = (double)NAN;
  memcpy(bytes + at, &bad, sizeof bad);
  ck_assert_int_eq(sim_check_snapshot(b, bytes, size, &why), STATUS_BAD_INPUT);
  ck_assert_ptr_nonnull(strstr(why.text, "radiation.p"));
  free(bytes);
  shipped_free(a), shipped_free(b), shipped_free(c);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("radiation");
  TCase *t = add_case(suite, "radiation", 60);
  tcase_add_test(t, any_memory_keeps_its_ledger);
  tcase_add_test(t, impedance_is_the_transfer_function);
  tcase_add_test(t, added_mass_of_slow_motion);
  tcase_add_test(t, slow_motion_is_horizontal);
  tcase_add_loop_test(t, ledger_closes, 0, 3);
  tcase_add_test(t, order_two);
  tcase_add_test(t, order_four_keeps_the_ledger);
  tcase_add_test(t, exact_splitting_is_refused);
  tcase_add_test(t, lossless_memory_conserves);
  tcase_add_test(t, snapshot_continues);
  return run_suite(suite);
}
