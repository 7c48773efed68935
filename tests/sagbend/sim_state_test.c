// Snapshots restore bit by bit, damaged ones are refused; golden hashes reveal a change of the numerics.
#include "scenes.h"
#include "suite.h"

static struct sim *scene(void) {
  const char *const sets[] = {"pipe.elements=40", "vessel.hangoff_b_m=[-45, 4, 5]"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 2, sets);
  scene_all_ports(&def);
  scene_weather(&def);
  return shipped_create(&def);
}

START_TEST(restored_run_has_the_same_bits) {
  struct sim *a = scene(), *b = scene();
  for (int k = 0; k < 300; k++)
    sim_step(a, NULL);
  size_t size = sim_snapshot_size(a);
  void *buffer = malloc(size);
  sim_snapshot(a, buffer);
  struct reason why = {""};
  ck_assert_int_eq(sim_restore(b, buffer, size, &why), STATUS_OK);
  ck_assert_uint_eq(sim_hash(a), sim_hash(b));
  struct sim_output x = {0}, y = {0}; // without a power plant most of its output is not written
  sim_get_output(a, &x), sim_get_output(b, &y);
  ck_assert_mem_eq(&x, &y, sizeof x);
  for (int k = 0; k < 300; k++) {
    sim_step(a, NULL), sim_step(b, NULL);
    ck_assert_uint_eq(sim_hash(a), sim_hash(b));
  }
  free(buffer), shipped_free(a), shipped_free(b);
}
END_TEST

// The state after a step whose balance was not finite, and which the step therefore gave up.
START_TEST(residual_of_an_unsolved_step_is_restored) {
  struct sim *a = scene(), *b = scene();
  size_t size = sim_snapshot_size(a);
  void *buffer = malloc(size);
  struct reason why = {""};
  a->run.newton_residual_n = (double)NAN;
  sim_snapshot(a, buffer);
  ck_assert_int_eq(sim_restore(b, buffer, size, &why), STATUS_OK);
  ck_assert_uint_eq(sim_hash(a), sim_hash(b));
  a->run.newton_residual_n = (double)INFINITY;
  sim_snapshot(a, buffer);
  ck_assert_int_eq(sim_restore(b, buffer, size, &why), STATUS_BAD_INPUT);
  ck_assert_ptr_nonnull(strstr(why.text, "newton_residual_n"));
  free(buffer), shipped_free(a), shipped_free(b);
}
END_TEST

START_TEST(foreign_snapshots_are_refused) {
  struct sim *a = scene();
  const char *const sets[] = {"pipe.elements=41"};
  struct sim_def other_def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 1, sets);
  struct sim *other = shipped_create(&other_def);
  size_t size = sim_snapshot_size(a);
  char *buffer = malloc(size);
  struct reason why = {""};
  sim_snapshot(a, buffer);
  uint64_t hash = sim_hash(other);
  ck_assert_int_eq(sim_restore(other, buffer, size, &why), STATUS_BAD_INPUT);
  ck_assert_ptr_nonnull(strstr(why.text, "another model"));
  ck_assert_int_eq(sim_restore(a, buffer, size - 8, &why), STATUS_BAD_INPUT);
  ck_assert_int_eq(sim_restore(a, buffer, 5, &why), STATUS_BAD_INPUT);
  buffer[0] ^= 1;
  ck_assert_int_eq(sim_restore(a, buffer, size, &why), STATUS_BAD_INPUT);
  ck_assert_uint_eq(sim_hash(other), hash); // a refusal changes nothing
  free(buffer), shipped_free(a), shipped_free(other);
}
END_TEST

// What belongs to a feature that a session does not have is not hashed; that it has it, and what it then
// contains, is.
START_TEST(hash_follows_the_features) {
  struct sim *s = scene();
  sim_step(s, NULL);
  const uint64_t plain = sim_hash(s);
  s->run.ledger.work_j[PORT_FLOODING] = s->run.ledger.total_loss_j[LOSS_TENSIONER] = 1;
  s->state.flooding.share = 0.5, s->run.tension.tension_n[0] = 1;
  ck_assert_uint_eq(sim_hash(s), plain);
  s->state.flooding.begun = 1;
  const uint64_t flooded = sim_hash(s);
  ck_assert_uint_ne(flooded, plain);
  s->run.ledger.work_j[PORT_FLOODING] = 2;
  ck_assert_uint_ne(sim_hash(s), flooded);
  s->run.ledger.work_j[PORT_FLOODING] = 1, s->run.tension.tension_n[0] = 2;
  ck_assert_uint_eq(sim_hash(s), flooded);
  s->state.flooding.begun = 0;
  s->run.ledger.work_j[PORT_CONTROL] += 1;
  ck_assert_uint_ne(sim_hash(s), plain);
  shipped_free(s);
}
END_TEST

START_TEST(too_little_memory_is_refused) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
  struct reason why = {""};
  size_t size;
  ck_assert_int_eq(sim_memsize(&def, &size, &why), STATUS_OK);
  void *memory = aligned_alloc(64, size);
  struct sim *s = NULL;
  for (size_t less = 64; less < size; less += size / 97 / 64 * 64)
    ck_assert_int_eq(sim_create(&def, memory, size - less, &s, &why), STATUS_NO_MEMORY);
  ck_assert_ptr_null(s);
  free(memory);
}
END_TEST

// A simulator beside another one takes its equilibrium, with all that the statics leave in the model.
START_TEST(a_simulator_beside_another_has_its_bits) {
  static const char *const scenes[] = {
      "vessel-only", "paper-iii", "jlay-900m",   "jlay-900m-checked", "jlay-900m-hangoff", "jlay-900m-payout",
      "jlay-circle", "osv-83m",   "osv-83m-lay", "slay-100m",         "slay-100m-lay",     "jlay-segments"};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    struct sim_def def = shipped_scene(TEST_SOURCE_DIR, scenes[i], 0, NULL);
    struct sim *first = shipped_create(&def), *beside = NULL, *late = NULL;
    struct reason why = {""};
    size_t size;
    ck_assert_int_eq(sim_memsize(&def, &size, &why), STATUS_OK);
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64), *more = aligned_alloc(64, (size + 63) / 64 * 64);
    memset(memory, 0x55, size);
    ck_assert_int_eq(sim_create_beside(first, &def, memory, size, 0, &beside, &why), STATUS_OK);
    ck_assert_mem_eq(sim_statics(first), sim_statics(beside), sizeof *sim_statics(first));
    ck_assert_mem_eq(sim_hold_setpoints(first), sim_hold_setpoints(beside),
                     sizeof *sim_hold_setpoints(first));
    ck_assert_uint_eq(sim_hash(first), sim_hash(beside));
    uint64_t start = sim_hash(first);
    for (int k = 0; k < 40; k++) {
      sim_step(first, NULL);
      sim_step(beside, NULL);
      ck_assert_msg(sim_hash(first) == sim_hash(beside), "%s: step %d", scenes[i], k + 1);
    }
    ck_assert_int_eq(sim_create_beside(first, &def, more, size, 0, &late, &why),
                     STATUS_OK); // solves the statics
    memset(memory, 0, size);
    ck_assert_int_eq(sim_create_beside(NULL, &def, memory, size, 1, &beside, &why), STATUS_OK);
    ck_assert_uint_eq(sim_hash(beside), start);
    for (int k = 0; k < 40; k++)
      sim_step(beside, NULL);
    ck_assert_uint_eq(sim_hash(beside), sim_hash(first));
    ck_assert_uint_eq(sim_hash(late), start);
    free(memory);
    free(more);
    shipped_free(first);
  }
}
END_TEST

// An overflowing load is a simulation fault: it is latched and reported, and the state no longer advances.
// Where nothing depends on the time, the number of a step does not change what the step does: a session of
// months goes on beyond what 16, 31 and 32 bits count.
START_TEST(late_steps_have_the_same_bits) {
  static const uint64_t LATER[] = {UINT64_C(1) << 16, UINT64_C(1) << 31, UINT64_C(1) << 32};
  const char *const sets[] = {"pipe.elements=30"};
  enum { BEFORE = 20 };
  for (size_t i = 0; i < sizeof LATER / sizeof *LATER; i++) {
    struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 1, sets);
    def.env.current = (struct current_def){0};
    def.env.load_count = 0;
    def.step_s = 0.005;
    struct sim *early = shipped_create(&def), *late = shipped_create(&def);
    const double push[6] = {2e6, 1e6, 0, 0, 0, 1e8};
    for (int k = 0; k < 2 * BEFORE; k++) {
      if (k == 2)
        late->run.step += LATER[i] - BEFORE;
      sim_step(early, &(struct sim_input){.wrench_b = push});
      sim_step(late, &(struct sim_input){.wrench_b = push});
    }
    late->run.step -= LATER[i] - BEFORE;
    ck_assert(early->run.ledger.turnover_j > 1);
    ck_assert_msg(sim_hash(early) == sim_hash(late), "%g steps later", (double)LATER[i]);
    shipped_free(early), shipped_free(late);
  }
}
END_TEST

START_TEST(overflow_latches_a_fault) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
  struct sim *s = shipped_create(&def);
  const double huge[6] = {0, 1e300, 0, 0, 0, 0};
  for (int k = 0; k < 20 && !s->run.fault; k++)
    sim_step(s, &(struct sim_input){.wrench_b = huge});
  ck_assert_uint_eq(s->run.fault, 1);
  ck_assert(s->run.events >> EVENT_NOT_FINITE & 1);
  uint64_t step = s->run.step;
  sim_step(s, NULL);
  ck_assert_uint_eq(s->run.step, step);
  shipped_free(s);
}
END_TEST

// The directory "golden" contains the hashes of these scenarios, equal in every build, one line per second of
// simulated time: a change of the numerics shows in the diff and needs a reason. SAGBEND_GOLDEN_WRITE=1
// rewrites them.
static const struct {
  const char *file, *config;
  int weather, yields;
} golden[] = {{"jlay-900m", "jlay-900m", 0, 0},
              {"jlay-900m-hangoff", "jlay-900m-hangoff", 0, 0},
              {"jlay-900m-weather", "jlay-900m-hangoff", 1, 0},
              {"jlay-900m-yield", "jlay-900m", 0, 1},
              {"jlay-900m-payout", "jlay-900m-payout", 0, 0}};

START_TEST(golden_hashes_stay) {
  char path[512], line[64], expected[64];
  snprintf(path, sizeof path, "%s/tests/golden/%s.txt", TEST_SOURCE_DIR, golden[_i].file);
  int writing = getenv("SAGBEND_GOLDEN_WRITE") != NULL;
  FILE *f = fopen(path, writing ? "w" : "r");
  ck_assert_msg(f != NULL, "%s is missing", path);
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, golden[_i].config, 0, NULL);
  if (golden[_i].weather)
    scene_weather(&def);
  if (golden[_i].yields) {
    def.pipe.line.yield_moment_nm = 4e5;
    def.pipe.line.ramberg_osgood[0] = 0.5;
    def.pipe.line.ramberg_osgood[1] = 12;
  }
  struct sim *s = shipped_create(&def);
  for (int second = 0; second <= 30; second++) {
    snprintf(line, sizeof line, "%d %016llx\n", second, (unsigned long long)sim_hash(s));
    if (writing)
      fputs(line, f);
    else
      ck_assert_msg(fgets(expected, sizeof expected, f) && strcmp(line, expected) == 0,
                    "%s: %s instead of %s", path, line, expected);
    for (int k = 0; k < 100; k++)
      sim_step(s, NULL);
  }
  fclose(f);
  shipped_free(s);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("state");
  TCase *t = add_case(suite, "state", 60);
  tcase_add_test(t, restored_run_has_the_same_bits);
  tcase_add_test(t, residual_of_an_unsolved_step_is_restored);
  tcase_add_test(t, foreign_snapshots_are_refused);
  tcase_add_test(t, hash_follows_the_features);
  tcase_add_test(t, too_little_memory_is_refused);
  tcase_add_test(t, a_simulator_beside_another_has_its_bits);
  tcase_add_test(t, late_steps_have_the_same_bits);
  tcase_add_test(t, overflow_latches_a_fault);
  tcase_add_loop_test(t, golden_hashes_stay, 0, 5);
  return run_suite(suite);
}
