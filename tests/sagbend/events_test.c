// The table of events: one row a name, its grade, and whether a replay finds it again.
#include "sagbend/events/events.h"
#include "suite.h"

#include <string.h>

START_TEST(each_name_stands_once) {
  for (int i = 0; i < EVENTS_OF_ALL_KINDS; i++) {
    ck_assert_ptr_nonnull(event_table[i].name);
    ck_assert_msg(strlen(event_table[i].meaning) > 1 && strlen(event_table[i].advice) > 1, "%s",
                  event_table[i].name);
    for (int k = 0; k < i; k++)
      ck_assert_str_ne(event_table[i].name, event_table[k].name);
  }
}
END_TEST

START_TEST(numbers_and_rows_agree) {
  ck_assert_str_eq(sim_event_name(EVENT_NOT_FINITE), "not_finite");
  ck_assert_str_eq(sim_event_name(EVENT_COUNT), "unknown");
  ck_assert_str_eq(notice_name(NOTICE_FRAME), "command_frame");
  ck_assert_int_eq(notice_find("command_frame"), NOTICE_FRAME);
  ck_assert_int_eq(notice_find("not_finite"), -1);
  ck_assert_str_eq(EVENT_NAME(verdict_violated), "verdict_violated");
}
END_TEST

START_TEST(grades) {
  ck_assert_int_eq(event_grade_of("verdict_violated"), GRADE_ERROR);
  ck_assert_int_eq(event_grade_of("element_folded"), GRADE_WARNING);
  ck_assert_int_eq(event_grade_of("positive_feedback"), GRADE_WARNING);
  ck_assert_int_eq(event_grade_of("verdict_met"), GRADE_INFORMATION);
  ck_assert_int_eq(event_grade_of("refused_order"), GRADE_WARNING);
  ck_assert_int_eq(event_grade_of("denied_role"), GRADE_WARNING);
  ck_assert_int_eq(event_grade_of("periods_lost"), GRADE_ERROR); // now lost_periods
  ck_assert_int_eq(event_grade_of("no_such_event"), GRADE_INFORMATION);
}
END_TEST

START_TEST(what_a_replay_finds_again) {
  ck_assert_int_eq(event_is_computed("fault_began"), 1);
  ck_assert_int_eq(event_is_computed("newton_cap"), 1);
  ck_assert_int_eq(event_is_computed("yaw_feedback"), 1);
  ck_assert_int_eq(event_is_computed("faults_unseen"),
                   0); // counts what a session has seen; a replay sees all
  ck_assert_int_eq(event_is_computed("late_step"), 0);
  ck_assert_int_eq(event_is_computed("refused_range"), 0);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("events");
  TCase *t = add_case(suite, "table", 30);
  tcase_add_test(t, each_name_stands_once);
  tcase_add_test(t, numbers_and_rows_agree);
  tcase_add_test(t, grades);
  tcase_add_test(t, what_a_replay_finds_again);
  return run_suite(suite);
}
