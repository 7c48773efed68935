// Alarms from telemetry: begin, end and worst value of a limit, what continues an alarm, verdicts, faults,
// events and late steps, a full list.
#include "view/scene/scene.h"

#include "sagbend/v1/operator.pb-c.h"
#include "sagbend/v1/session.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

#include "suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct alarms *alarms;
static char session_name[] = "s-1", none[] = "";

static void set_up(void) {
  alarms = alarms_create();
  ck_assert_ptr_nonnull(alarms);
}
static void tear_down(void) {
  alarms_free(alarms);
}

static void give(const char *type, const void *message) {
  const ProtobufCMessage *m = message;
  uint8_t *bytes = malloc(protobuf_c_message_get_packed_size(m) + 1);
  alarms_take(alarms, type, bytes, protobuf_c_message_pack(m, bytes));
  free(bytes);
}

static Sagbend__V1__Header *header(double time_s) {
  static Sagbend__V1__Header h;
  sagbend__v1__header__init(&h);
  h.protocol = 1;
  h.session = session_name;
  h.time_s = time_s;
  return &h;
}

static void give_session(double tension_n, double warning_m, double alarm_m) {
  Sagbend__V1__Session s = SAGBEND__V1__SESSION__INIT;
  Sagbend__V1__ViewLimits limits = SAGBEND__V1__VIEW_LIMITS__INIT;
  double circles[] = {warning_m, alarm_m};
  s.header = header(0);
  limits.tension_n = tension_n;
  s.limits = &limits;
  s.watch_circle_m = circles;
  s.n_watch_circle_m = 2;
  give("sagbend.v1.Session", &s);
}

static void give_truth(double time_s, double tension_n, double north_m) {
  Sagbend__V1__Truth t = SAGBEND__V1__TRUTH__INIT;
  Sagbend__V1__PipeTruth pipe = SAGBEND__V1__PIPE_TRUTH__INIT;
  Sagbend__V1__Target target = SAGBEND__V1__TARGET__INIT;
  t.header = header(time_s);
  pipe.hangoff_tension_n = tension_n;
  t.pipe = &pipe;
  t.target = &target;
  t.position_north_m = north_m;
  give("sagbend.v1.Truth", &t);
}

static void give_event(double time_s, const char *name, const char *text) {
  Sagbend__V1__Event e = SAGBEND__V1__EVENT__INIT;
  char copied_name[64], copied_text[64];
  snprintf(copied_name, sizeof copied_name, "%s", name);
  snprintf(copied_text, sizeof copied_text, "%s", text);
  e.header = header(time_s);
  e.name = copied_name;
  e.text = copied_text;
  give("sagbend.v1.Event", &e);
}

static const struct alarm *at(int i) {
  const struct alarm_list *list = alarms_list(alarms);
  ck_assert_int_lt(i, list->count);
  return &list->alarm[i];
}

START_TEST(a_limit_begins_ends_and_keeps_its_worst_value) {
  give_session(300e3, 5, 10);
  give_truth(1, 299e3, 0);
  ck_assert_int_eq(alarms_list(alarms)->count, 0);
  give_truth(2, 310e3, 0);
  give_truth(3, 350e3, 0);
  give_truth(4, 320e3, 0);
  give_truth(5, 290e3, 0);
  ck_assert_int_eq(alarms_list(alarms)->count, 1);
  ck_assert_str_eq(at(0)->name, "hangoff_tension_n");
  ck_assert_int_eq(at(0)->category, ALARM_ALARM);
  ck_assert_int_eq(at(0)->is_active, 0);
  ck_assert_double_eq(at(0)->from_s, 2);
  ck_assert_double_eq(at(0)->to_s, 5);
  ck_assert_double_eq(at(0)->first, 310e3);
  ck_assert_double_eq(at(0)->worst, 350e3);
  ck_assert_double_eq(at(0)->worst_s, 3);
  ck_assert_double_eq(at(0)->limit, 300e3);
  give_truth(5 + ALARMS_HOLD_S, 301e3, 0); // it continues
  ck_assert_int_eq(alarms_list(alarms)->count, 1);
  ck_assert_int_eq(at(0)->is_active, 1);
  give_truth(30, 290e3, 0);
  give_truth(30.1 + ALARMS_HOLD_S, 301e3, 0); // another one
  ck_assert_int_eq(alarms_list(alarms)->count, 2);
  ck_assert_double_eq(at(1)->worst, 301e3);
}
END_TEST

START_TEST(watch_circles_are_a_warning_and_an_alarm) {
  give_session(0, 5, 10);
  give_truth(1, 0, 6);
  give_truth(2, 0, 11);
  ck_assert_int_eq(alarms_list(alarms)->count, 2);
  ck_assert_int_eq(at(0)->category, ALARM_WARNING);
  ck_assert_double_eq(at(0)->limit, 5);
  ck_assert_int_eq(at(1)->category, ALARM_ALARM);
  ck_assert_double_eq(at(1)->limit, 10);
  give_truth(3, 0, 7);
  ck_assert_int_eq(at(0)->is_active, 1);
  ck_assert_int_eq(at(1)->is_active, 0);
}
END_TEST

START_TEST(a_fault_is_there_from_its_event_until_status_lacks_it) {
  Sagbend__V1__Status s = SAGBEND__V1__STATUS__INIT;
  give_event(2, "fault_began", "tunnel out: tripped on bow_tunnel_1");
  s.header = header(3);
  s.name = none;
  s.mode = SAGBEND__V1__RUN_MODE__RUN_MODE_FAST;
  give("sagbend.v1.Status", &s);
  ck_assert_int_eq(alarms_list(alarms)->count, 1);
  ck_assert_str_eq(at(0)->name, "tunnel out");
  ck_assert_str_eq(at(0)->text, "tripped on bow_tunnel_1");
  ck_assert_int_eq(at(0)->category, ALARM_CAUTION);
  ck_assert_int_eq(at(0)->is_active, 0);
  ck_assert_double_eq(at(0)->to_s, 3);
}
END_TEST

START_TEST(a_verdict_is_an_alarm_unless_its_violation_is_expected) {
  Sagbend__V1__Session session = SAGBEND__V1__SESSION__INIT;
  Sagbend__V1__VerdictInfo info[2] = {SAGBEND__V1__VERDICT_INFO__INIT, SAGBEND__V1__VERDICT_INFO__INIT},
                           *infos[] = {&info[0], &info[1]};
  Sagbend__V1__Status status = SAGBEND__V1__STATUS__INIT;
  Sagbend__V1__VerdictStatus verdict[3] = {SAGBEND__V1__VERDICT_STATUS__INIT,
                                           SAGBEND__V1__VERDICT_STATUS__INIT,
                                           SAGBEND__V1__VERDICT_STATUS__INIT},
                             *verdicts[] = {&verdict[0], &verdict[1], &verdict[2]};
  Sagbend__V1__End end = SAGBEND__V1__END__INIT;
  char bad[] = "bad", meant[] = "meant", later[] = "later";
  info[0].name = verdict[0].name = bad;
  info[1].name = verdict[1].name = meant;
  verdict[2].name = later;
  info[1].expect_violated = verdict[1].passes = 1;
  session.header = header(0);
  session.verdict = infos;
  session.n_verdict = 2;
  give("sagbend.v1.Session", &session);
  give_event(4, "verdict_violated", "bad: offset above 1");
  give_event(4, "verdict_violated", "meant: offset above 1");
  verdict[0].state = verdict[1].state = SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_VIOLATED;
  verdict[0].violated_time_s = 4;
  verdict[0].worst_case = SAGBEND__V1__VERDICT_STATUS__WORST_WORST_VALUE;
  verdict[0].worst_value = 7;
  verdict[0].worst_time_s = 5;
  verdict[2].state = SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_NOT_JUDGED;
  status.header = header(6);
  status.mode = SAGBEND__V1__RUN_MODE__RUN_MODE_FAST;
  status.verdict = verdicts;
  status.n_verdict = 3;
  give("sagbend.v1.Status", &status);
  ck_assert_int_eq(alarms_list(alarms)->count, 1);
  ck_assert_str_eq(at(0)->name, "bad");
  ck_assert_double_eq(at(0)->from_s, 4);
  ck_assert_double_eq(at(0)->worst, 7);
  end.header = header(8);
  give("sagbend.v1.End", &end);
  ck_assert_int_eq(alarms_list(alarms)->count, 2);
  ck_assert_str_eq(at(1)->name, "later");
  ck_assert_str_eq(at(1)->text, "failed: not judged");
}
END_TEST

static void give_verdict(double time_s, double margin, uint64_t violations) {
  Sagbend__V1__Status status = SAGBEND__V1__STATUS__INIT;
  Sagbend__V1__VerdictStatus verdict = SAGBEND__V1__VERDICT_STATUS__INIT, *verdicts[] = {&verdict};
  char name[] = "near";
  status.header = header(time_s);
  status.mode = SAGBEND__V1__RUN_MODE__RUN_MODE_FAST;
  status.verdict = verdicts;
  status.n_verdict = 1;
  verdict.name = name;
  verdict.state = SAGBEND__V1__VERDICT_STATE__VERDICT_STATE_VIOLATED;
  verdict.violated_time_s = 4;
  verdict.violations = violations;
  verdict.present_margin_case = SAGBEND__V1__VERDICT_STATUS__PRESENT_MARGIN_MARGIN;
  verdict.margin = margin;
  give("sagbend.v1.Status", &status);
}

START_TEST(a_verdict_that_is_violated_again_is_another_alarm) {
  give_verdict(5, -1, 1);
  give_verdict(6, 1, 1);
  give_verdict(9, -1, 2); // it continues
  ck_assert_int_eq(alarms_list(alarms)->count, 1);
  ck_assert_int_eq(at(0)->is_active, 1);
  ck_assert_int_eq((int)at(0)->count, 2);
  give_verdict(20, 1, 2);
  give_verdict(500, 1, 2);
  ck_assert_int_eq(at(0)->is_active, 0);
  ck_assert_double_eq(at(0)->to_s, 20); // its end, whenever it is looked at
  give_verdict(600, -1, 2);             // outside, within its grace
  ck_assert_int_eq(alarms_list(alarms)->count, 1);
  ck_assert_int_eq(at(0)->is_active, 0);
  give_verdict(603, -1, 3);
  ck_assert_int_eq(alarms_list(alarms)->count, 2);
  ck_assert_int_eq(at(0)->is_active, 0);
  ck_assert_double_eq(at(1)->from_s, 603);
  ck_assert_int_eq(at(1)->is_active, 1);
  ck_assert_int_eq((int)at(1)->count, 1);
}
END_TEST

START_TEST(equal_events_are_one_alarm_with_a_count) {
  give_event(1, "refused_range", "surge_n");
  give_event(2, "refused_range", "sway_n");
  give_event(2, "controller_joined", "a");
  give_event(3, "tension_alternates", "b");
  ck_assert_int_eq(alarms_list(alarms)->count, 2);
  ck_assert_int_eq((int)at(0)->count, 2);
  ck_assert_int_eq(at(0)->category, ALARM_CAUTION);
  ck_assert_str_eq(at(0)->text, "sway_n");
  ck_assert_int_eq(at(1)->category, ALARM_ALARM);
  ck_assert_int_eq(at(1)->is_active, 0);
}
END_TEST

START_TEST(late_steps_are_one_line_with_a_count) {
  Sagbend__V1__Timing t = SAGBEND__V1__TIMING__INIT;
  Sagbend__V1__LateStep worst = SAGBEND__V1__LATE_STEP__INIT;
  for (int i = 1; i <= 3; i++) {
    t.header = header(100 * i);
    t.late_steps = (uint64_t)i;
    t.lost_periods = 2;
    worst.late_us = 1000 * i;
    t.worst_late_step = &worst;
    give("sagbend.v1.Timing", &t);
    give_event(100 * i, "late_step", "");
  }
  ck_assert_int_eq(alarms_list(alarms)->count, 1);
  ck_assert_int_eq((int)at(0)->count, 5);
  ck_assert_double_eq_tol(at(0)->worst, 3e-3, 1e-12);
  ck_assert_double_eq(at(0)->to_s, 300);
}
END_TEST

START_TEST(a_full_list_loses_the_oldest_that_is_over) {
  give_session(300e3, 5, 10);
  give_truth(0, 400e3, 0); // stays
  for (int i = 0; i < ALARMS_MAX + 10; i++) {
    char name[32];
    snprintf(name, sizeof name, "x%d", i);
    give_event(i, "verdict_violated", name);
  }
  ck_assert_int_eq(alarms_list(alarms)->count, ALARMS_MAX);
  ck_assert_int_eq((int)alarms_list(alarms)->left_out, 11);
  ck_assert_str_eq(at(0)->name, "hangoff_tension_n");
  ck_assert_str_eq(at(1)->name, "x11");
  alarms_begin_session(alarms);
  ck_assert_int_eq(alarms_list(alarms)->count, 0);
}
END_TEST

START_TEST(a_flood_of_cautions_leaves_no_alarm_out) {
  give_session(300e3, 5, 10);
  give_truth(0, 400e3, 6);
  give_truth(1, 200e3, 0); // an alarm and a warning that are over, not yet seen by anybody
  for (int i = 0; i < 2 * ALARMS_MAX; i++) {
    char name[32];
    snprintf(name, sizeof name, "refused_x%d", i);
    give_event(2 + i, name, "");
  }
  ck_assert_int_eq(alarms_list(alarms)->count, ALARMS_MAX);
  ck_assert_int_eq(at(0)->category + at(1)->category, ALARM_ALARM + ALARM_WARNING);
  for (int i = 0; i < 2 * ALARMS_MAX; i++) {
    char name[32];
    snprintf(name, sizeof name, "x%d", i);
    give_event(1000 + i, "verdict_violated", name);
  }
  for (int i = 0; i < ALARMS_MAX; i++) // a flood of alarms takes the place of both
    ck_assert_int_eq(at(i)->category, ALARM_ALARM);
}
END_TEST

START_TEST(what_cannot_be_read_changes_nothing) {
  const uint8_t bytes[] = {0xff, 0xff, 0xff};
  alarms_take(alarms, "sagbend.v1.Truth", bytes, sizeof bytes);
  alarms_take(alarms, "sagbend.v1.Truth", bytes, 0);
  alarms_take(alarms, "something", bytes, sizeof bytes);
  ck_assert_int_eq(alarms_list(alarms)->count, 0);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("view/scene alarms");
  TCase *tests = tcase_create("alarms");
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_add_test(tests, a_limit_begins_ends_and_keeps_its_worst_value);
  tcase_add_test(tests, watch_circles_are_a_warning_and_an_alarm);
  tcase_add_test(tests, a_fault_is_there_from_its_event_until_status_lacks_it);
  tcase_add_test(tests, a_verdict_is_an_alarm_unless_its_violation_is_expected);
  tcase_add_test(tests, a_verdict_that_is_violated_again_is_another_alarm);
  tcase_add_test(tests, equal_events_are_one_alarm_with_a_count);
  tcase_add_test(tests, late_steps_are_one_line_with_a_count);
  tcase_add_test(tests, a_full_list_loses_the_oldest_that_is_over);
  tcase_add_test(tests, a_flood_of_cautions_leaves_no_alarm_out);
  tcase_add_test(tests, what_cannot_be_read_changes_nothing);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
