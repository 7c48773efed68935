// Alarms of a controller: the list with its end, since when each is active, what is valid.
#include "sagbend/signals/signals.h"

#include "suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct dp_alarm_list list_of(const char *const *sources, int count) {
  struct dp_alarm_list list = {0};
  for (int i = 0; i < count; i++)
    dp_alarm_raise(&list, sources[i], ALARM_LOST, SEVERITY_WARNING, "", sources[i], " is absent");
  return list;
}

START_TEST(a_pair_is_there_once_and_texts_are_cut) {
  struct dp_alarm_list list = {0};
  dp_alarm_raise(&list, "gnss-1", ALARM_LOST, SEVERITY_WARNING, "", "gnss-1", " is absent");
  dp_alarm_raise(&list, "gnss-1", ALARM_LOST, SEVERITY_ALARM, "another", " text", "");
  dp_alarm_raise(&list, "gnss-1", ALARM_FROZEN, SEVERITY_ALARM, "a second kind", "", "");
  ck_assert_int_eq(list.count, 2);
  ck_assert_str_eq(list.alarm[0].text, "gnss-1 is absent");
  char longer[3 * DP_ALARM_TEXT];
  memset(longer, 'x', sizeof longer);
  longer[sizeof longer - 1] = 0;
  dp_alarm_raise(&list, "link", ALARM_OTHER, SEVERITY_MESSAGE, longer, longer, longer);
  ck_assert_uint_eq(strlen(list.alarm[2].text), DP_ALARM_TEXT - 1);
  struct reason why;
  ck_assert(dp_alarm_list_is_valid(&list, &why));
}
END_TEST

// However many are raised, in whatever order of their severities: the list stays valid, has the most severe,
// of equal ones the first, in the order in which they came, and counts the others with the severity of the
// worst.
START_TEST(a_full_list_keeps_the_most_severe_and_counts_the_others) {
  uint64_t random = 7 + (uint64_t)_i;
  for (int many = 0; many < 4 * MAX_DP_ALARMS; many++) {
    struct dp_alarm_list list = {0};
    struct reason why;
    enum dp_alarm_severity raised[4 * MAX_DP_ALARMS], worst_out = SEVERITY_MESSAGE;
    for (int i = 0; i < many; i++) {
      char name[SIGNAL_NAME];
      random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      raised[i] = _i == 0 ? (i == many - 1 ? SEVERITY_ALARM : SEVERITY_MESSAGE)
                          : (enum dp_alarm_severity)((random >> 33) % ALARM_SEVERITY_COUNT);
      snprintf(name, sizeof name, "instrument-%d", i);
      dp_alarm_raise(&list, name, ALARM_LOST, raised[i], "", name, " is absent");
    }
    ck_assert(dp_alarm_list_is_valid(&list, &why));
    const int places = many <= MAX_DP_ALARMS ? many : MAX_DP_ALARMS - 1;
    int place = 0, out = 0;
    for (int i = 0; i < many; i++) {
      int before = 0; // alarms that have a better right to a place
      char name[SIGNAL_NAME];
      for (int k = 0; k < many; k++)
        before += raised[k] > raised[i] || (raised[k] == raised[i] && k < i);
      snprintf(name, sizeof name, "instrument-%d", i);
      if (before < places) {
        ck_assert_str_eq(list.alarm[place].source, name);
        ck_assert_int_eq(list.alarm[place++].severity, raised[i]);
        continue;
      }
      worst_out = raised[i] > worst_out ? raised[i] : worst_out;
      out++;
    }
    ck_assert_int_eq(list.count, out ? MAX_DP_ALARMS : many);
    if (!out)
      continue;
    char text[DP_ALARM_TEXT];
    snprintf(text, sizeof text, "%d more alarms than fit", out);
    ck_assert_str_eq(list.alarm[MAX_DP_ALARMS - 1].text, text);
    ck_assert_str_eq(list.alarm[MAX_DP_ALARMS - 1].source, "controller");
    ck_assert_int_eq(list.alarm[MAX_DP_ALARMS - 1].severity, worst_out);
  }
}
END_TEST

// Each alarm keeps the step of its first command, whatever its place in the list; a text is no change.
START_TEST(an_alarm_keeps_its_step) {
  static const char *const first[] = {"gnss-1"}, *const both[] = {"link", "gnss-1"}, *const last[] = {"link"};
  struct dp_alarm_state s;
  struct reason why;
  memset(&s, 0, sizeof s);
  struct dp_alarm_list none = {0}, list = list_of(first, 1);
  dp_alarm_state_take(&s, &none, 10);
  ck_assert_uint_eq(s.changes, 0);
  dp_alarm_state_take(&s, &list, 20);
  snprintf(list.alarm[0].text, sizeof list.alarm[0].text, "another text");
  dp_alarm_state_take(&s, &list, 30);
  ck_assert_uint_eq(s.changes, 1);
  ck_assert_str_eq(s.list.alarm[0].text, "another text");
  list = list_of(both, 2);
  dp_alarm_state_take(&s, &list, 40);
  ck_assert(s.step[0] == 40 && s.step[1] == 20 && s.changes == 2 && s.raised == 2);
  list = list_of(last, 1);
  dp_alarm_state_take(&s, &list, 50);
  ck_assert(s.step[0] == 40 && s.list.count == 1 && s.changes == 3);
  list.alarm[0].severity = SEVERITY_ALARM;
  dp_alarm_state_take(&s, &list, 60);
  ck_assert(s.step[0] == 40 && s.changes == 4 && s.raised == 2);
  dp_alarm_state_take(&s, &none, 70);
  ck_assert(s.list.count == 0 && s.changes == 5);
  list = list_of(first, 1);
  dp_alarm_state_take(&s, &list, 80); // it has come again
  ck_assert(s.step[0] == 80 && s.raised == 3);
  ck_assert(dp_alarm_state_is_valid(&s, 90, &why));
  ck_assert(!dp_alarm_state_is_valid(&s, 79, &why)); // an alarm of a step that is not made yet
}
END_TEST

// Random lists: changes and raised follow from a comparison of the sets.
START_TEST(random_lists_are_counted_as_sets) {
  static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
  enum { NAMES = sizeof names / sizeof *names };
  struct dp_alarm_state s;
  memset(&s, 0, sizeof s);
  unsigned before = 0;
  uint64_t changes = 0, raised = 0, since[NAMES] = {0};
  srand(28);
  for (uint64_t step = 1; step < 5000; step++) {
    unsigned now = (unsigned)rand() % (1U << NAMES);
    struct dp_alarm_list list = {0};
    for (int k = 0, at = rand() % NAMES; k < NAMES; k++, at = (at + 1) % NAMES)
      if (now & 1U << at)
        dp_alarm_raise(&list, names[at], ALARM_OTHER, SEVERITY_WARNING, "", "", "");
    dp_alarm_state_take(&s, &list, step);
    changes += now != before;
    for (int i = 0; i < NAMES; i++) {
      if (now & ~before & 1U << i)
        since[i] = step, raised++;
      int at = dp_alarm_find(&s.list, names[i], ALARM_OTHER);
      ck_assert_int_eq(at < 0, !(now & 1U << i));
      if (at >= 0)
        ck_assert_uint_eq(s.step[at], since[i]);
    }
    before = now;
    ck_assert_uint_eq(s.changes, changes);
    ck_assert_uint_eq(s.raised, raised);
  }
}
END_TEST

START_TEST(what_is_not_valid_is_said) {
  struct dp_alarm_list list = {.count = 2};
  struct reason why;
  list.alarm[0].kind = list.alarm[1].kind = ALARM_LOST;
  ck_assert(!dp_alarm_list_is_valid(&list, &why)); // the same pair twice
  list.alarm[1].kind = ALARM_KIND_COUNT;
  ck_assert(!dp_alarm_list_is_valid(&list, &why));
  list.count = MAX_DP_ALARMS + 1;
  ck_assert(!dp_alarm_list_is_valid(&list, &why));
  list = (struct dp_alarm_list){.count = 1};
  memset(list.alarm[0].text, 'x', sizeof list.alarm[0].text);
  ck_assert(!dp_alarm_list_is_valid(&list, &why)); // without an end
  for (int i = 0; i < ALARM_KIND_COUNT; i++)
    for (int k = 0; k < i; k++)
      ck_assert_str_ne(dp_alarm_kind_name(i), dp_alarm_kind_name(k));
  ck_assert_str_eq(dp_alarm_kind_name(ALARM_KIND_COUNT), "unknown");
  ck_assert_str_eq(dp_alarm_severity_name(-1), "unknown");
}
END_TEST

int main(void) {
  Suite *s = suite_create("alarms of a controller");
  TCase *tc = tcase_create("alarms");
  tcase_add_test(tc, a_pair_is_there_once_and_texts_are_cut);
  tcase_add_loop_test(tc, a_full_list_keeps_the_most_severe_and_counts_the_others, 0, 20);
  tcase_add_test(tc, an_alarm_keeps_its_step);
  tcase_add_test(tc, random_lists_are_counted_as_sets);
  tcase_add_test(tc, what_is_not_valid_is_said);
  suite_add_tcase(s, tc);
  return run_suite(s);
}
