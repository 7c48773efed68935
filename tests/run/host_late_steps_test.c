// The late steps that are kept, their cause, and the stages that the closed loop measures: with a clock the
// stages fill the step, and the state has the same bits as without.
#include "run/host/host_internal.h"
#include "run/session/session.h"
#include "run/setup/setup.h"
#include "sagbend/loop/loop.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"

#include "suite.h"
#include <stdio.h>

START_TEST(the_newest_and_the_worst_are_kept) {
  struct late_steps late = {0};
  struct step_clock clock = {0};
  ck_assert_ptr_null(late_steps_newest(&late, 0));
  for (uint64_t step = 1; step <= 2 * LATE_STEPS_KEPT; step++) {
    const struct sim_output now = {.step = step, .time_s = 0.01 * (double)step};
    clock.stage_ns[STEP_LOG] = 1000 * step;
    clock.stage_ns[STEP_SOLVE] = 500;
    late_steps_add(&late, &now, step == 5 ? 900000 : step, &clock);
  }
  ck_assert_uint_eq(late.count, 2 * LATE_STEPS_KEPT);
  for (uint64_t i = 0; i < LATE_STEPS_KEPT; i++)
    ck_assert_uint_eq(late_steps_newest(&late, i)->step, 2 * LATE_STEPS_KEPT - i);
  ck_assert_ptr_null(late_steps_newest(&late, LATE_STEPS_KEPT));
  ck_assert_uint_eq(late.worst.step, 5);
  ck_assert_double_eq(late.worst.late_us, 900);
  ck_assert_int_eq(late_step_cause(&late.worst), STEP_LOG);
  ck_assert_str_eq(step_stage_name(STEP_LOG), "log");
  ck_assert_str_eq(step_stage_name(STEP_STAGE_COUNT), "unknown");
}
END_TEST

// A clock that advances by 1 us with each reading, so that the stages do not depend on the machine.
static uint64_t reading_ns;
static uint64_t count_readings(void) NONBLOCKING;
static uint64_t count_readings(void) {
  return reading_ns += 1000;
}

static uint64_t hash_after(int with_clock, uint64_t stage_ns[STEP_STAGE_COUNT]) {
  static struct setup setup;
  static struct plant plant;
  static struct closed_loop loop;
  struct case_options options = {.config_path = TEST_SOURCE_DIR "/configs/osv-83m-instruments.yaml"};
  ck_assert_int_eq(setup_load(&setup, &options, stderr), STATUS_OK);
  ck_assert_int_eq(plant_create(&plant, &setup, NULL, NULL), STATUS_OK);
  struct command_def def = setup_command_def(&setup, plant.sim);
  closed_loop_init(&loop, plant.sim, &plant.suite, &def, NULL, NULL, &setup.config.scenario, NULL);
  if (with_clock) {
    loop.clock.now_ns = count_readings;
    sim_set_clock(plant.sim, count_readings);
  }
  for (int i = 0; i < 20; i++) {
    step_clock_begin(&loop.clock, reading_ns, 0);
    closed_loop_step(&loop, NULL);
  }
  for (int i = 0; i < STEP_STAGE_COUNT; i++)
    stage_ns[i] = loop.clock.stage_ns[i];
  uint64_t hash = sim_hash(plant.sim);
  plant_free(&plant);
  setup_free(&setup);
  return hash;
}

START_TEST(stages_fill_the_step_and_change_no_bit) {
  uint64_t with[STEP_STAGE_COUNT], without[STEP_STAGE_COUNT];
  uint64_t hash = hash_after(0, without);
  ck_assert_uint_eq(hash_after(1, with), hash);
  uint64_t in_all_ns = 0;
  for (int i = 0; i < STEP_STAGE_COUNT; i++) {
    ck_assert_uint_eq(without[i], 0);
    in_all_ns += with[i];
  }
  static const enum step_stage MEASURED[] = {STEP_CONTROLLER, STEP_COMMAND,   STEP_DISSIPATIVE, STEP_ASSEMBLE,
                                             STEP_SOLVE,      STEP_SIMULATOR, STEP_INSTRUMENTS};
  for (size_t i = 0; i < sizeof MEASURED / sizeof *MEASURED; i++)
    ck_assert_msg(with[MEASURED[i]] > 0, "%s", step_stage_name((int)MEASURED[i]));
  struct step_clock clock = {.now_ns = count_readings};
  step_clock_begin(&clock, 100, 7);
  ck_assert_uint_eq(clock.stage_ns[STEP_WAKE_UP], 7);
  ck_assert_uint_gt(in_all_ns, 10000);
}
END_TEST

START_TEST(periods_in_a_row_halt_the_run) {
  struct overrun o = {.limit = 5}, never = {0};
  for (int i = 0; i < 4; i++)
    ck_assert_int_eq(overrun_is_reached(&o, 1, 0), 0);
  ck_assert_int_eq(overrun_is_reached(&o, 0, 0), 0); // a step on time: it begins anew
  ck_assert_uint_eq(o.in_a_row, 0);
  ck_assert_int_eq(overrun_is_reached(&o, 1, 2), 0);
  ck_assert_int_eq(overrun_is_reached(&o, 1, 0), 0);
  ck_assert_int_eq(overrun_is_reached(&o, 1, 0), 1);
  o.in_a_row = 0;
  ck_assert_int_eq(overrun_is_reached(&o, 1, 1000), 1); // one long stall
  ck_assert_uint_eq(o.in_a_row, 1001);
  o = (struct overrun){.limit = 1};
  ck_assert_int_eq(overrun_is_reached(&o, 0, 0), 0);
  ck_assert_int_eq(overrun_is_reached(&o, 1, 0), 1);
  for (int i = 0; i < 1000; i++)
    ck_assert_int_eq(overrun_is_reached(&never, 1, 1000000), 0);

  struct late_step late = {.step = 7, .late_us = 1234, .stage_us = {[STEP_LOG] = 9000}};
  struct overrun_text text = overrun_text(&late, 12);
  ck_assert_str_eq(
      text.text, "overrun: 12 periods without a step on time; step 7 ended 1234 us late, most of it in log: "
                 "9000 us");
}
END_TEST

int main(void) {
  Suite *suite = suite_create("late_steps");
  TCase *all = tcase_create("all");
  tcase_add_test(all, the_newest_and_the_worst_are_kept);
  tcase_add_test(all, periods_in_a_row_halt_the_run);
  tcase_add_test(all, stages_fill_the_step_and_change_no_bit);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
