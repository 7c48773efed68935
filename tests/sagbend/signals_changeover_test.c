// Changeovers in the command latch: what acts between two controllers, and what comes late.
#include "sagbend/signals/signals.h"

#include "suite.h"
#include <string.h>

enum { A = 1, B = 2 };

static struct command_def listed(enum changeover_hold hold) {
  return (struct command_def){
      .period_steps = 10,
      .timeout_steps = 50,
      .reaction = REACTION_HOLD_WRENCH,
      .thruster_count = 1,
      .thruster = {{.name = "bow", .revolutions_max_rpm = 200, .rudder_max_rad = -1, .timeout_steps = 500}},
      .controllers = {.count = 2,
                      .item = {{.name = "a", .rank = 1}, {.name = "b", .rank = 2}},
                      .hold = hold,
                      .ramp_steps = 20}};
}

static struct command command_of(uint64_t seat, uint64_t term, enum changeover_cause cause, double rpm) {
  return (struct command){.sequence = 1,
                          .seat = seat,
                          .term = term,
                          .cause = cause,
                          .thruster_count = 1,
                          .thrusters = {{.name = "bow", .enable = 1, .revolutions_rpm = rpm}}};
}

static double rpm_after(struct command_latch *l, const struct command_def *def, const struct command *c,
                        uint64_t step) {
  struct reason why;
  command_latch_step(l, def, c, step);
  ck_assert_msg(command_latch_is_valid(def, l, step, &why), "%s", why.text);
  return l->setpoint[0].revolutions_rpm;
}

// Steps 0 to 4 are A's; an order gives the command to B at step 5.
static struct command_latch ordered_at_5(const struct command_def *def, uint64_t order) {
  struct command_latch l;
  const struct command first = command_of(A, 0, CHANGEOVER_NONE, 100);
  command_latch_init(&l, def);
  for (uint64_t step = 0; step < 5; step++)
    ck_assert_double_eq(rpm_after(&l, def, step == 0 ? &first : NULL, step), 100);
  command_latch_give(&l, def, B, order, 5);
  return l;
}

START_TEST(holds_the_last_command_until_the_other_commands) {
  const struct command_def def = listed(CHANGEOVER_HOLD);
  struct command_latch l = ordered_at_5(&def, 1);
  for (uint64_t step = 5; step < 12; step++)
    ck_assert_double_eq(rpm_after(&l, &def, NULL, step), 100);
  const struct command next = command_of(B, CHANGEOVER_TERMS, CHANGEOVER_ORDER, 90);
  ck_assert_double_eq(rpm_after(&l, &def, &next, 12), 90);
  ck_assert_uint_eq(l.changeover.count, 1);
  ck_assert_uint_eq(l.changeover.gap_steps, 12); // since the last command of the one before
  ck_assert_uint_eq(l.changeover.cause, CHANGEOVER_ORDER);
  ck_assert_uint_eq(l.changeover.seat, B);
  ck_assert_uint_eq(l.changeover.since, 0);
}
END_TEST

START_TEST(fades_the_last_command_to_zero) {
  const struct command_def def = listed(CHANGEOVER_RAMP);
  struct command_latch l = ordered_at_5(&def, 1);
  for (uint64_t step = 5; step < 40; step++) {
    const double left = step < 25 ? 1 - (double)(step - 5) / 20 : 0;
    ck_assert_double_eq_tol(rpm_after(&l, &def, NULL, step), 100 * left, 1e-12);
  }
}
END_TEST

START_TEST(takes_the_thrust_away) {
  const struct command_def def = listed(CHANGEOVER_ZERO);
  struct command_latch l = ordered_at_5(&def, 1);
  ck_assert_double_eq(rpm_after(&l, &def, NULL, 5), 0);
  ck_assert_double_eq(command_latch_share(&l, &def), 0);
  const struct command next = command_of(B, CHANGEOVER_TERMS, CHANGEOVER_ORDER, 90);
  ck_assert_double_eq(rpm_after(&l, &def, &next, 6), 90);
  ck_assert_double_eq(command_latch_share(&l, &def), 1);
}
END_TEST

START_TEST(drops_a_late_command_of_the_one_before) {
  const struct command_def def = listed(CHANGEOVER_HOLD);
  struct command_latch l = ordered_at_5(&def, 1);
  const struct command late = command_of(A, 0, CHANGEOVER_NONE, -150),
                       next = command_of(B, CHANGEOVER_TERMS, CHANGEOVER_ORDER, 90);
  ck_assert_double_eq(rpm_after(&l, &def, &late, 5), 100);
  ck_assert_double_eq(rpm_after(&l, &def, &next, 6), 90);
  ck_assert_double_eq(rpm_after(&l, &def, &late, 7), 90); // delayed by the link
  ck_assert_uint_eq(l.changeover.late, 2);
  ck_assert_uint_eq(l.changeover.count, 1);
}
END_TEST

START_TEST(an_older_order_changes_nothing) {
  const struct command_def def = listed(CHANGEOVER_ZERO);
  struct command_latch l = ordered_at_5(&def, 7);
  const struct command next = command_of(B, 7 * CHANGEOVER_TERMS, CHANGEOVER_ORDER, 90);
  rpm_after(&l, &def, &next, 5);
  command_latch_give(&l, &def, A, 6, 6);
  ck_assert_double_eq(rpm_after(&l, &def, NULL, 6), 90);
  command_latch_give(&l, &def, 0, 8, 7); // a name that the case does not list
  ck_assert_double_eq(rpm_after(&l, &def, NULL, 7), 90);
}
END_TEST

START_TEST(an_order_to_the_one_in_command_changes_nothing) {
  const struct command_def def = listed(CHANGEOVER_ZERO);
  struct command_latch l = ordered_at_5(&def, 1);
  const struct command next = command_of(B, CHANGEOVER_TERMS, CHANGEOVER_ORDER, 90),
                       on_its_way = command_of(B, CHANGEOVER_TERMS, CHANGEOVER_ORDER, 80);
  rpm_after(&l, &def, &next, 5);
  command_latch_give(&l, &def, B, 2, 6);
  ck_assert_double_eq(rpm_after(&l, &def, &on_its_way, 6), 80);
  ck_assert_uint_eq(l.changeover.late, 0);
  ck_assert_uint_eq(l.changeover.since, 0);
}
END_TEST

START_TEST(hands_over_by_message_after_its_own_step) {
  const struct command_def def = listed(CHANGEOVER_ZERO);
  struct command_latch l;
  struct command last = command_of(A, 0, CHANGEOVER_NONE, 100);
  command_latch_init(&l, &def);
  last.hands_to = B;
  ck_assert_double_eq(rpm_after(&l, &def, &last, 0), 100);
  ck_assert_double_eq(rpm_after(&l, &def, NULL, 1), 0);
  const struct command next = command_of(B, 1, CHANGEOVER_MESSAGE, 90);
  ck_assert_double_eq(rpm_after(&l, &def, &next, 2), 90);
  ck_assert_uint_eq(l.changeover.cause, CHANGEOVER_MESSAGE);
  ck_assert_uint_eq(l.changeover.gap_steps, 2);
}
END_TEST

START_TEST(a_loss_begins_with_the_time_out) {
  const struct command_def def = listed(CHANGEOVER_ZERO);
  struct command_latch l;
  const struct command first = command_of(A, 0, CHANGEOVER_NONE, 100);
  command_latch_init(&l, &def);
  rpm_after(&l, &def, &first, 0);
  for (uint64_t step = 1; step <= 50; step++)
    ck_assert_double_eq(rpm_after(&l, &def, NULL, step), 100);
  ck_assert_double_eq(rpm_after(&l, &def, NULL, 51), 0);
  ck_assert_uint_eq(l.changeover.cause, CHANGEOVER_LOSS);
  const struct command back = command_of(A, 0, CHANGEOVER_NONE, 80); // before the other has commanded
  ck_assert_double_eq(rpm_after(&l, &def, &back, 52), 80);
  ck_assert_uint_eq(l.changeover.count, 0);
  ck_assert_uint_eq(l.changeover.since, 0);
}
END_TEST

START_TEST(a_drive_that_times_out_stops_during_a_changeover) {
  struct command_def def = listed(CHANGEOVER_HOLD);
  def.thruster[0].stops_on_timeout = 1;
  def.thruster[0].timeout_steps = 8;
  struct command_latch l = ordered_at_5(&def, 1);
  for (uint64_t step = 5; step < 20; step++)
    ck_assert_double_eq(rpm_after(&l, &def, NULL, step), step <= 8 ? 100 : 0);
}
END_TEST

START_TEST(without_a_list_nothing_changes) {
  struct command_def def = listed(CHANGEOVER_ZERO);
  struct command_latch l;
  struct command c = command_of(0, 0, CHANGEOVER_NONE, 100);
  def.controllers.count = 0;
  command_latch_init(&l, &def);
  rpm_after(&l, &def, &c, 0);
  command_latch_give(&l, &def, B, 3, 1);
  ck_assert_double_eq(rpm_after(&l, &def, NULL, 1), 100);
  const struct changeover start = {.share = 1};
  ck_assert_int_eq(memcmp(&l.changeover, &start, sizeof start), 0);
}
END_TEST

// B is the backup: its cause is the switch; the term of an event is above what the gate may have begun
// meanwhile, and below that of the next order.
START_TEST(an_event_moves_the_switch) {
  struct command_def def = listed(CHANGEOVER_HOLD);
  def.controllers.item[B - 1].side = SIDE_BACKUP;
  struct command_latch l = ordered_at_5(&def, 1);
  ck_assert_uint_eq(l.changeover.cause, CHANGEOVER_SWITCH);
  ck_assert_int_eq(changeover_side(&def.controllers, &l.changeover), SIDE_BACKUP);
  command_latch_give_by_event(&l, &def, A, 6);
  ck_assert_uint_eq(l.changeover.term, CHANGEOVER_TERMS + CHANGEOVER_EVENT_TERMS);
  ck_assert_int_eq(changeover_side(&def.controllers, &l.changeover), SIDE_MAIN);
  const struct command late = command_of(B, CHANGEOVER_TERMS + 5, CHANGEOVER_SWITCH, 90);
  ck_assert_double_eq(rpm_after(&l, &def, &late, 7), 100);
  ck_assert_uint_eq(l.changeover.late, 1);
  command_latch_give(&l, &def, B, 2, 8);
  ck_assert_uint_eq(l.changeover.term, 2 * CHANGEOVER_TERMS);
}
END_TEST

// Before the first command there is nothing to bridge, and the state knows where the switch stands.
START_TEST(the_switch_is_kept_before_the_first_command) {
  struct command_def def = listed(CHANGEOVER_HOLD);
  struct command_latch l;
  def.controllers.item[B - 1].side = SIDE_BACKUP;
  command_latch_init(&l, &def);
  command_latch_give(&l, &def, B, 1, 0);
  rpm_after(&l, &def, NULL, 0);
  ck_assert_int_eq(changeover_side(&def.controllers, &l.changeover), SIDE_BACKUP);
  ck_assert_uint_eq(l.changeover.since, 0);
  const struct command first = command_of(B, CHANGEOVER_TERMS, CHANGEOVER_SWITCH, 90);
  ck_assert_double_eq(rpm_after(&l, &def, &first, 1), 90);
  ck_assert_uint_eq(l.changeover.count, 0);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("changeover");
  TCase *tc = tcase_create("latch");
  tcase_add_test(tc, holds_the_last_command_until_the_other_commands);
  tcase_add_test(tc, fades_the_last_command_to_zero);
  tcase_add_test(tc, takes_the_thrust_away);
  tcase_add_test(tc, drops_a_late_command_of_the_one_before);
  tcase_add_test(tc, an_older_order_changes_nothing);
  tcase_add_test(tc, an_order_to_the_one_in_command_changes_nothing);
  tcase_add_test(tc, hands_over_by_message_after_its_own_step);
  tcase_add_test(tc, a_loss_begins_with_the_time_out);
  tcase_add_test(tc, a_drive_that_times_out_stops_during_a_changeover);
  tcase_add_test(tc, without_a_list_nothing_changes);
  tcase_add_test(tc, an_event_moves_the_switch);
  tcase_add_test(tc, the_switch_is_kept_before_the_first_command);
  suite_add_tcase(suite, tc);
  return run_suite(suite);
}
