// The alarms of a session for its summary: begin and end of each; of more than fit the most severe.
#include "run/session/session.h"

#include "suite.h"
#include <stdio.h>
#include <string.h>

static struct alarm_history history;
static struct dp_alarm_state state;

// The controller reports this alarm alone, or none.
static void raise_alarm(const char *source, enum dp_alarm_severity severity, uint64_t step) {
  struct dp_alarm_list list = {0};
  if (source)
    dp_alarm_raise(&list, source, ALARM_LOST, severity, source, "", "");
  dp_alarm_state_take(&state, &list, step);
  alarm_history_take(&history, &state);
}

static void setup(void) {
  memset(&history, 0, sizeof history);
  memset(&state, 0, sizeof state);
}

START_TEST(each_has_its_begin_and_end) {
  raise_alarm("gnss-1", SEVERITY_ALARM, 10);
  raise_alarm("gnss-1", SEVERITY_WARNING, 20); // the same alarm
  raise_alarm("gnss-2", SEVERITY_WARNING, 30);
  raise_alarm(NULL, SEVERITY_MESSAGE, 40);
  raise_alarm("gnss-1", SEVERITY_ALARM, 50); // again
  ck_assert(history.count == 3 && history.left_out == 0);
  ck_assert(history.past[0].from_step == 10 && history.past[0].to_step == 30 && history.past[0].is_over);
  ck_assert(history.past[1].from_step == 30 && history.past[1].to_step == 40 && history.past[1].is_over);
  ck_assert(history.past[2].from_step == 50 && !history.past[2].is_over);
  ck_assert_str_eq(history.past[2].alarm.source, "gnss-1");
}
END_TEST

START_TEST(of_more_than_fit_the_most_severe_stay) {
  uint64_t step = 0;
  for (int i = 0; i < MAX_PAST_ALARMS + 100; i++) {
    char name[SIGNAL_NAME];
    snprintf(name, sizeof name, "m%d", i);
    raise_alarm(name, i == 5 ? SEVERITY_WARNING : SEVERITY_MESSAGE, ++step);
  }
  ck_assert(history.count == MAX_PAST_ALARMS && history.left_out == 100);
  raise_alarm("fire", SEVERITY_ALARM, ++step);
  const struct past_alarm *last = &history.past[MAX_PAST_ALARMS - 1];
  ck_assert_str_eq(last->alarm.source, "fire");
  ck_assert(last->from_step == step && !last->is_over);
  ck_assert(history.count == MAX_PAST_ALARMS && history.left_out == 101);
  ck_assert_str_eq(history.past[MAX_PAST_ALARMS - 2].alarm.source, "m1022"); // m1023 made room
  raise_alarm(NULL, SEVERITY_MESSAGE, ++step);
  ck_assert(last->is_over && last->to_step == step);
  for (int i = 0; i < MAX_PAST_ALARMS; i++) { // each makes room for the next, but for those as severe
    char name[SIGNAL_NAME];
    snprintf(name, sizeof name, "a%d", i);
    raise_alarm(name, SEVERITY_ALARM, ++step);
  }
  int alarms = 0;
  for (int i = 0; i < history.count; i++)
    alarms += history.past[i].alarm.severity == SEVERITY_ALARM;
  ck_assert(alarms == MAX_PAST_ALARMS && history.count == MAX_PAST_ALARMS);
  ck_assert_uint_eq(history.left_out + MAX_PAST_ALARMS, state.raised);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("alarms of a session");
  TCase *tests = tcase_create("history");
  tcase_add_checked_fixture(tests, setup, NULL);
  tcase_add_test(tests, each_has_its_begin_and_end);
  tcase_add_test(tests, of_more_than_fit_the_most_severe_stay);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
