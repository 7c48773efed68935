// Contents of a checkpoint, altered with recomputed hashes: each count, index, flag, enumerator and number
// that the session cannot have reached is refused by its name, and the refusal changes nothing.
#include "fuzz/checkpoint_scene.h"

#include "suite.h"
#include <math.h>
#include <stdio.h>

#define CONTROLS(field) offsetof(struct closed_loop_state, field)
#define SENSORS         TEST_SOURCE_DIR "/configs/scenarios/sensors.yaml"
#define JLAY            TEST_SOURCE_DIR "/configs/jlay-900m.yaml"

static struct checkpoint_scene scene;

static void set_up(void) {
  ck_assert(scene_open(&scene, SENSORS, 700));
}
static void tear_down(void) {
  scene_close(&scene);
}

static void refused(size_t at, const void *value, size_t size, const char *field) {
  struct reason why = {""};
  unsigned char *after = malloc(scene.size);
  memcpy(scene.altered, scene.base, scene.size);
  memcpy(scene.altered + at, value, size);
  enum status status = scene_restore(&scene, scene.altered, &why);
  ck_assert_msg(status == STATUS_BAD_INPUT, "%s: accepted", field);
  ck_assert_msg(strstr(why.text, field) && strstr(why.text, "expected"), "'%s' named expected, got: %s",
                field, why.text);
  scene_save(&scene, after);
  ck_assert_msg(!memcmp(after, scene.base, scene.parts.end), "%s: something has changed", field);
  free(after);
}

static void refused_int(size_t at, int value, const char *field) {
  refused(at, &value, sizeof value, field);
}
static void refused_long(size_t at, uint64_t value, const char *field) {
  refused(at, &value, sizeof value, field);
}
static void refused_double(size_t at, double value, const char *field) {
  refused(at, &value, sizeof value, field);
}

START_TEST(controls) {
  const size_t c = scene.parts.state, command = c + CONTROLS(latch.last),
               events = c + CONTROLS(scenario.events), link = c + CONTROLS(scenario.link),
               dp = c + CONTROLS(dp);
  refused_int(events + offsetof(struct events, faults.count), 2147483647, "scenario.events.faults.count");
  refused_int(events + offsetof(struct events, faults.count), -1, "faults.count");
  refused_long(link + offsetof(struct link, count), UINT64_C(1) << 40, "scenario.link.count");
  refused_int(link + offsetof(struct link, queue[0].command.thruster_count), 13, "queue[0].thruster_count");
  refused_double(link + offsetof(struct link, queue[0].command.wrench_b[1]), (double)NAN,
                 "queue[0].wrench_b[1]");
  refused_long(link + offsetof(struct link, random.has_spare), 2, "link.random.has_spare");
  refused_int(events + offsetof(struct events, faults.fault[0].kind), FAULT_COUNT, "faults[0].kind");
  refused_int(events + offsetof(struct events, faults.fault[0].target), 99, "faults[0].target");
  refused_double(events + offsetof(struct events, faults.fault[0].value[0]), (double)INFINITY, "faults[0].");
  refused(events + offsetof(struct events, faults.fault[0].name), "aaaaaaaaaaaaaaaaaaaaaaaaaaaa", SIGNAL_NAME,
          "faults[0].name");
  refused_long(events + offsetof(struct events, made_by[0]), 1u << 20, "made_by");
  refused_long(events + offsetof(struct events, end_step[0]), 1, "end_step");
  refused_long(events + offsetof(struct events, event[3].begun), 7, "event[3].begun");
  refused_long(events + offsetof(struct events, ended), UINT64_MAX, "ended");
  refused_long(c + CONTROLS(scenario.restart.back_step[2]), UINT64_MAX, "bus[2].back_step");
  refused_long(c + CONTROLS(scenario.verdict[1].judged_steps), UINT64_MAX, "verdict[1].judged_steps");
  refused_int(command + offsetof(struct command, thruster_count), 1 << 30, "latch.last.thruster_count");
  refused_int(command + offsetof(struct command, standby), -5, "latch.last.standby");
  refused_int(c + CONTROLS(latch.state), 77, "latch.state");
  refused_double(c + CONTROLS(latch.hold_share), -0.5, "latch.hold_share");
  refused_long(c + CONTROLS(latch.latched_at_step), UINT64_MAX, "latch.latched_at_step");
  refused_double(c + CONTROLS(latch.applied_b[4]), (double)NAN, "latch.applied_b[4]");
  refused_int(dp + offsetof(struct dp_state, active), 3, "dp.active");
  refused_long(dp + offsetof(struct dp_state, navigation.observer.history_count), 0,
               "dp.navigation.observer.history_count");
  refused_int(dp + offsetof(struct dp_state, navigation.use[4]), -9, "instrument[4].use");
  refused_int(dp + offsetof(struct dp_state, allocation.state[1]), 4, "allocation.actuator[1].state");
  refused_double(dp + offsetof(struct dp_state, integral[2]), (double)NAN, "dp.integral[2]");
}
END_TEST

START_TEST(instruments) {
  const size_t r = scene.parts.suite;
  refused_long(r + offsetof(struct instrument_state, queue_count), UINT64_C(1) << 33,
               "instruments.gnss-1.queue_count");
  refused_long(r + offsetof(struct instrument_state, queue_first), UINT64_C(1) << 33,
               "instruments.gnss-1.queue_first");
  refused_int(r + offsetof(struct instrument_state, latest.kind), 12, "gnss-1.latest.kind");
  refused(r + offsetof(struct instrument_state, latest.name), "x", 2, "gnss-1.latest.name");
  refused_double(r + offsetof(struct instrument_state, markov[1]), (double)INFINITY, "gnss-1.markov[1]");
  refused_long(r + offsetof(struct instrument_state, sent.valid), 2, "gnss-1.sent.valid");
  const uint64_t nothing[4] = {0}; // a stream state that never yields a normal number
  refused(r + offsetof(struct instrument_state, noise.state), nothing, sizeof nothing, "gnss-1.noise.state");
}
END_TEST

// Position of a word in the snapshot, found by its value, because the layout is internal to the simulator.
static size_t find(const void *value, size_t size) {
  for (size_t at = scene.parts.snapshot; at + size <= scene.parts.suite; at += 8)
    if (!memcmp(scene.base + at, value, size))
      return at;
  ck_abort_msg("not found");
  return 0;
}

START_TEST(snapshot) {
  const struct sim_output *o = &scene.closed_loop.frame.output;
  size_t run = find(&o->step, sizeof o->step), q = find(o->quaternion_nb, sizeof o->quaternion_nb);
  refused_long(run, UINT64_C(1) << 62, "snapshot: run.step");
  refused_long(run + 8, UINT64_MAX, "run.events");
  refused_long(run + 16, 1, "run.fault");
  refused_double(q, 2, "vessel.q_nb");
  refused_double(find(o->position_n_m, sizeof o->position_n_m), (double)NAN, "vessel.x_n[0]");
  refused_double(find(&sim_ledger(scene.plant.sim)->energy_j, 8), (double)INFINITY, "run.ledger.energy_j");
  refused_double(find(&o->thruster[0].revolutions_rpm, 8), 1e6, "revolutions_rpm");
  refused_double(find(&o->bus[0].available_w, 8), -1, "available_w");
  struct sim_node *nodes = calloc((size_t)sim_node_count(scene.plant.sim), sizeof *nodes);
  sim_get_nodes(scene.plant.sim, nodes);
  refused_double(find(&nodes[7].quaternion_nt[1], 8), 3, "pipe.node 7: q_nt");
  refused_double(find(&nodes[7].position_n_m[2], 8), (double)NAN, "pipe.r_n");
  free(nodes);
}
END_TEST

// Every word in turn gets a hostile value: it is refused, or the session continues from it without harm; the
// unaltered checkpoint is still accepted.
static void attack(const char *config, int steps, size_t stride) {
  static const uint64_t hostile[] = {UINT64_MAX,         UINT64_C(1) << 40,  0x7fffffff,
                                     0x7ff8000000000000, 0x7fe0000000000000, 0};
  size_t refusals = 0, accepted = 0;
  if (steps >= 0)
    ck_assert(scene_open(&scene, config, steps));
  for (size_t at = scene.parts.state, i = 0; at + 8 <= scene.parts.end; at += stride, i++) {
    struct reason why = {""};
    memcpy(scene.altered, scene.base, scene.size);
    memcpy(scene.altered + at, &hostile[i % (sizeof hostile / sizeof *hostile)], 8);
    if (scene_restore(&scene, scene.altered, &why) == STATUS_OK) {
      accepted++;
      closed_loop_step(&scene.closed_loop, NULL);
      memcpy(scene.altered, scene.base, scene.size);
      ck_assert_msg(scene_restore(&scene, scene.altered, &why) == STATUS_OK, "the good one is refused: %s",
                    why.text);
    } else {
      ck_assert_msg(*why.text, "no reason at byte %zu", at);
      refusals++;
    }
  }
  printf("%s: %zu words refused, %zu gone on from\n", config, refusals, accepted);
  ck_assert_uint_gt(refusals, 50);
}

START_TEST(every_word_osv) {
  attack(SENSORS, -1, 8 * 7);
}
END_TEST

START_TEST(every_word_jlay) {
  attack(JLAY, 400, 8 * 7);
  scene_close(&scene);
}
END_TEST

// A state that a run has reached is never refused, whatever is active at that moment.
static void all_accepted(const char *config, int steps) {
  ck_assert(scene_open(&scene, config, 0));
  for (int i = 0; i < steps; i++) {
    struct reason why = {""};
    scene_save(&scene, scene.altered);
    ck_assert_msg(scene_restore(&scene, scene.altered, &why) == STATUS_OK, "%s, step %d: %s", config, i,
                  why.text);
    for (int k = 0; k < 1 + i % 5; k++)
      closed_loop_step(&scene.closed_loop, NULL);
  }
  scene_close(&scene);
}

START_TEST(real_states) {
  static const char *const configs[] = {"scenarios/sensors.yaml",
                                        "scenarios/thrusters-and-power.yaml",
                                        "scenarios/network.yaml",
                                        "scenarios/governor-blackout.yaml",
                                        "scenarios/references-rejected.yaml",
                                        "scenarios/load-cells-lost.yaml",
                                        "jlay-900m.yaml",
                                        "paper-iii.yaml",
                                        "jlay-circle.yaml",
                                        "jlay-uneven.yaml"};
  char path[256];
  snprintf(path, sizeof path, "%s/configs/%s", TEST_SOURCE_DIR, configs[_i]);
  all_accepted(path, 500);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("checkpoint_state");
  TCase *fields = add_case(suite, "fields", 120);
  tcase_add_checked_fixture(fields, set_up, tear_down);
  tcase_add_test(fields, controls);
  tcase_add_test(fields, instruments);
  tcase_add_test(fields, snapshot);
  tcase_add_test(fields, every_word_osv);
  TCase *whole = add_case(suite, "whole", 300);
  tcase_add_test(whole, every_word_jlay);
  tcase_add_loop_test(whole, real_states, 0, 10);
  return run_suite(suite);
}
