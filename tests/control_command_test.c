// The command latch: which wrench a step uses, as a function of steps alone.
#include "control/command.h"

#include "suite.h"
#include <math.h>
#include <string.h>

static const struct command_def DEF = {.period_steps = 10,
                                       .timeout_steps = 50,
                                       .hold_wrench_b = {1, 2, 3, 4, 5, 6},
                                       .reaction = REACTION_HOLD_LAST};
static const double ZERO[6] = {0};

static struct command wrench_command(double surge_n) {
  return (struct command){.sequence = 1, .wrench_b = {surge_n, -7, 0, 0, 0, 8}};
}

static void assert_applied(const struct command_latch *l, enum command_state state, const double wrench[6]) {
  ck_assert_str_eq(command_state_name(l->state), command_state_name(state));
  for (int i = 0; i < 6; i++)
    ck_assert_double_eq(l->applied_b[i], wrench[i]);
}

START_TEST(waits_with_the_hold_wrench) {
  struct command_latch l;
  command_latch_init(&l, &DEF);
  for (uint64_t step = 0; step < 1000; step++) {
    command_latch_step(&l, &DEF, NULL, step);
    assert_applied(&l, COMMAND_WAITING, DEF.hold_wrench_b);
  }
  ck_assert_uint_eq(l.lost_count, 0);
}
END_TEST

START_TEST(goes_from_fresh_to_held_to_lost_and_back) {
  struct command_latch l;
  command_latch_init(&l, &DEF);
  struct command c = wrench_command(100);
  command_latch_step(&l, &DEF, &c, 7);
  assert_applied(&l, COMMAND_FRESH, c.wrench_b);
  ck_assert_uint_eq(l.latched_at_step, 7);
  for (uint64_t step = 8; step < 80; step++) {
    command_latch_step(&l, &DEF, NULL, step);
    enum command_state expected = step < 17 ? COMMAND_FRESH : step <= 57 ? COMMAND_HELD : COMMAND_LOST;
    assert_applied(&l, expected, c.wrench_b); // the reaction here is to hold the last
  }
  ck_assert_uint_eq(l.lost_count, 1);
  struct command again = wrench_command(200);
  command_latch_step(&l, &DEF, &again, 80);
  assert_applied(&l, COMMAND_FRESH, again.wrench_b);
  for (uint64_t step = 81; step < 200; step++)
    command_latch_step(&l, &DEF, NULL, step);
  ck_assert_uint_eq(l.lost_count, 2);
}
END_TEST

START_TEST(reacts_to_a_lost_controller_as_configured) {
  const enum command_reaction reactions[] = {REACTION_HOLD_LAST, REACTION_HOLD_WRENCH, REACTION_ZERO};
  struct command c = wrench_command(100);
  const double *expected[] = {c.wrench_b, DEF.hold_wrench_b, ZERO};
  for (int i = 0; i < 3; i++) {
    struct command_def def = DEF;
    def.reaction = reactions[i];
    struct command_latch l;
    command_latch_init(&l, &def);
    command_latch_step(&l, &def, &c, 0);
    command_latch_step(&l, &def, NULL, 50);
    assert_applied(&l, COMMAND_HELD, c.wrench_b);
    command_latch_step(&l, &def, NULL, 51);
    assert_applied(&l, COMMAND_LOST, expected[i]);
  }
}
END_TEST

START_TEST(standby_asks_for_the_hold_wrench) {
  struct command_latch l;
  command_latch_init(&l, &DEF);
  struct command c = wrench_command(100), standby = {.standby = 1, .wrench_b = {9, 9, 9, 9, 9, 9}};
  command_latch_step(&l, &DEF, &c, 0);
  command_latch_step(&l, &DEF, &standby, 5);
  assert_applied(&l, COMMAND_STANDBY, DEF.hold_wrench_b);
  command_latch_step(&l, &DEF, NULL, 55);
  assert_applied(&l, COMMAND_STANDBY, DEF.hold_wrench_b);
  command_latch_step(&l, &DEF, NULL, 56); // to hold the last of a controller on standby: the hold wrench
  assert_applied(&l, COMMAND_LOST, DEF.hold_wrench_b);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("command");
  TCase *tc = tcase_create("latch");
  tcase_add_test(tc, waits_with_the_hold_wrench);
  tcase_add_test(tc, goes_from_fresh_to_held_to_lost_and_back);
  tcase_add_test(tc, reacts_to_a_lost_controller_as_configured);
  tcase_add_test(tc, standby_asks_for_the_hold_wrench);
  suite_add_tcase(suite, tc);
  return run_suite(suite);
}
