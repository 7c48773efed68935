// Redundant controllers at the gate: who takes over, who stands by ready, and what is reported of them.
#include "net/gate/gate.h"

#include "suite.h"
#include <stdio.h>
#include <string.h>

enum { A, B, C, STEP = 1000, AGE = 50, TIME_OUT = 100 };

static char events[4096];

static void note(void *context, const char *name, const char *text) {
  const size_t used = strlen(events);
  (void)context;
  snprintf(events + used, sizeof events - used, "%s: %s\n", name, text);
}

// In lockstep, where the gate counts steps: a commands, b and c stand by.
static struct gate *three(void) {
  static struct gate gate;
  static const char *const names[] = {"a", "b", "c"};
  memset(&gate, 0, sizeof gate);
  events[0] = 0;
  gate.rules.controllers.count = 3;
  for (int i = 0; i < 3; i++) {
    snprintf(gate.rules.controllers.item[i].name, SIGNAL_NAME, "%s", names[i]);
    gate.rules.controllers.item[i].rank = i + 1;
  }
  gate.lockstep = 1;
  gate.timeout_steps = TIME_OUT;
  gate.timeout_ms = 3600 * 1000;
  gate.max_age_steps = AGE;
  gate.on_event = note;
  gate_init(&gate);
  for (int i = 0; i < 3; i++)
    gate_join(&gate, i, names[i], names[i], STEP);
  return &gate;
}

static enum refusal shadow(struct gate *gate, int place, uint64_t based_on, uint64_t now, double surge_n) {
  const struct command command = {.based_on_step = based_on, .wrench_b = {surge_n}};
  struct reason why;
  return gate_take_shadow(gate, place, gate->controller[place].last_sequence + 1, &command, now, &why);
}

static enum refusal command(struct gate *gate, int place, uint64_t step, double surge_n) {
  struct command command = {.based_on_step = step, .wrench_b = {surge_n}};
  struct reason why;
  return gate_admit(gate, place, gate->controller[place].last_sequence + 1, &command, step, &why);
}

START_TEST(an_order_to_the_one_in_command_changes_nothing) {
  struct gate *gate = three();
  ck_assert_int_eq(command(gate, A, STEP, 1), REFUSAL_COUNT);
  const uint64_t term = gate->term, answered = gate->answered_step;
  gate_give_by_order(gate, A, 7, STEP, "takes over");
  ck_assert_uint_eq(gate->term, term);
  ck_assert_uint_eq(gate->answered_step, answered);
  ck_assert_int_eq(gate->cause, CHANGEOVER_NONE);
}
END_TEST

START_TEST(an_old_shadow_command_is_no_sign_of_life) {
  struct gate *gate = three();
  ck_assert_int_eq(shadow(gate, B, STEP - AGE - 1, STEP, 1), REFUSED_STALE);
  ck_assert_int_eq(gate_is_ready(gate, B), 0);
  ck_assert_int_eq(shadow(gate, B, STEP - AGE, STEP, 1), REFUSAL_COUNT);
  ck_assert_int_eq(gate_is_ready(gate, B), 1);
}
END_TEST

START_TEST(a_difference_is_reported_after_the_time_out_in_steps) {
  struct gate *gate = three();
  for (uint64_t step = STEP; step <= STEP + TIME_OUT + 10; step += 10) {
    command(gate, A, step, 1e5);
    shadow(gate, B, step, step, 3e5);
    gate_watch_seats(gate, step);
    ck_assert_msg(!strstr(events, "controllers_differ") == (step <= STEP + TIME_OUT), "step %d: %s",
                  (int)step, events);
  }
}
END_TEST

// a falls silent, then its successor b does: c, which has shown nothing yet, is better than a.
START_TEST(one_that_fell_silent_is_the_last_choice) {
  struct gate *gate = three();
  command(gate, A, STEP, 1);
  shadow(gate, B, STEP, STEP, 1);
  gate->cut = 1u << A | 1u << B;
  gate_watch_seats(gate, STEP + TIME_OUT + 1);
  ck_assert_int_eq(gate->seat, B);
  ck_assert_int_eq(gate_next_seat(gate), C);
  gate_watch_seats(gate, STEP + 2 * (TIME_OUT + 1));
  ck_assert_int_eq(gate->seat, C);
  gate->cut = 0;
  shadow(gate, A, gate->step, gate->step, 1);
  ck_assert_int_eq(gate_next_seat(gate), A);
}
END_TEST

// It joined long ago, and has had the command only now.
START_TEST(a_new_successor_is_not_called_idle) {
  struct gate *gate = three();
  gate->lockstep = 0;
  const int64_t now_ms = gate_clock_ms(gate);
  for (int i = 0; i < 3; i++)
    gate->controller[i].joined_ms = now_ms - 5000;
  gate->timeout_ms = 1000;
  command(gate, A, STEP, 1);
  gate_give_by_order(gate, B, 1, STEP, "takes over");
  ck_assert_int_eq(gate_never_commanded(gate, B), 0);
  gate->commanded_ms -= 2000;
  ck_assert_int_eq(gate_never_commanded(gate, B), 1);
}
END_TEST

START_TEST(whoever_joins_late_is_awaited_until_it_answers) {
  struct gate *gate = three();
  command(gate, A, STEP, 1);
  shadow(gate, B, STEP, STEP, 1);
  ck_assert_int_eq(gate_awaits_shadow_of(gate, C, STEP), 1);
  ck_assert_int_eq(gate_awaits_shadow(gate, STEP), 1);
  shadow(gate, C, STEP, STEP, 1);
  ck_assert_int_eq(gate_awaits_shadow(gate, STEP), 0);
  ck_assert_int_eq(gate_awaits_shadow(gate, STEP + 10), 1);
}
END_TEST

// Class 3: c is the backup. The main ones are lost one after the other, said once; c comes in by an order
// alone, and while it commands the main ones are refused. An event of the scenario moves the switch, whatever
// the gate has begun meanwhile.
START_TEST(a_backup_comes_in_by_the_switch_alone) {
  struct gate *gate = three();
  uint64_t to, step = STEP;
  struct reason why;
  gate->rules.controllers.item[C].side = SIDE_BACKUP;
  command(gate, A, step, 1);
  shadow(gate, C, step, step, 1);
  ck_assert_int_eq(gate_next_seat(gate), B);
  ck_assert_int_eq(gate_find_hand_over(gate, "c", &to, &why), STATUS_BAD_INPUT);
  gate->cut = 1u << A | 1u << B;
  for (int k = 0; k < 5; k++) {
    step += TIME_OUT + 1;
    shadow(gate, C, step, step, 1);
    gate_watch_seats(gate, step);
    ck_assert_int_ne(gate->seat, C);
  }
  const char *first = strstr(events, "controllers_lost");
  ck_assert_ptr_nonnull(first);
  ck_assert_ptr_nonnull(strstr(first, "no other main controller is left: the backup is ready"));
  ck_assert_ptr_null(strstr(first + 1, "controllers_lost"));
  gate_give_by_order(gate, C, 1, step, "takes over");
  ck_assert_int_eq(command(gate, C, step, 1), REFUSAL_COUNT);
  ck_assert_int_eq(gate->cause, CHANGEOVER_SWITCH);
  gate->cut = 0;
  ck_assert_int_eq(command(gate, A, step, 1), REFUSED_STANDBY);
  ck_assert_uint_eq(gate->controller[A].standby, 1);
  ck_assert_int_eq(gate_next_seat(gate), -1);
  gate_leave(gate, C);
  gate_watch_seats(gate, step + 10 * TIME_OUT);
  ck_assert_int_eq(gate->seat, C);

  const uint64_t term = CHANGEOVER_TERMS + CHANGEOVER_EVENT_TERMS;
  gate_give_by_event(gate, B + 1, term, step);
  ck_assert_int_eq(gate->seat, B);
  gate_give_by_order(gate, A, 2, step, "takes over");
  gate_give_by_event(gate, B + 1, term, step); // which the gate has seen
  ck_assert_int_eq(gate->seat, A);
}
END_TEST

// Who is ordered and has gone is not waited for: the next on its side takes over.
START_TEST(the_switch_back_finds_the_main_one_that_is_there) {
  struct gate *gate = three();
  gate->rules.controllers.item[C].side = SIDE_BACKUP;
  command(gate, A, STEP, 1);
  gate_give_by_order(gate, C, 1, STEP, "takes over");
  gate_leave(gate, A);
  gate_give_by_order(gate, A, 2, STEP, "takes over although it is not connected");
  gate_watch_seats(gate, STEP);
  ck_assert_int_eq(gate->seat, B);
}
END_TEST

// A report beside a shadow command: where it believes the vessel to be, and an alarm.
static void report(struct gate *gate, int place, uint64_t step, double north_m, enum dp_alarm_kind kind) {
  const double estimate[3] = {north_m, 0, 0};
  struct dp_alarm_list alarms = {.count = 0};
  if (kind != ALARM_OTHER)
    dp_alarm_raise(&alarms, "position", kind, SEVERITY_ALARM, "nothing left", "", "");
  gate_take_report(gate, place, step, &alarms, estimate);
}

// Samples of a and b in lockstep: a's thrust changes always, b's with b_changes.
static uint64_t samples(struct gate *gate, uint64_t *step, int count, int b_changes, double apart_m,
                        enum dp_alarm_kind kind) {
  for (int k = 0; k < count; k++) {
    *step += 10;
    report(gate, A, *step, 0, ALARM_OTHER);
    report(gate, B, *step, apart_m, kind);
    command(gate, A, *step, 1e5 + (double)(*step % 700));
    shadow(gate, B, *step, *step, 1e5 + (b_changes ? (double)(*step % 700) : 0));
    gate_watch_seats(gate, *step + 5);
  }
  return gate_flaws(gate, &gate->controller[B]);
}

// Ready says that it could command. A flaw that lasts for the time-out is one event with its reason, and its
// end is another.
START_TEST(ready_needs_more_than_a_shadow_command) {
  struct gate *gate = three();
  uint64_t step = STEP;
  char why[FLAW_TEXT];
  ck_assert_uint_eq(samples(gate, &step, 1, 1, 0.5, ALARM_OTHER), 0);
  ck_assert_int_eq(gate_is_ready(gate, B), 1);
  ck_assert_uint_eq(samples(gate, &step, 1, 1, GATE_APART_M + 1, ALARM_OTHER), FLAW_APART);
  ck_assert_int_eq(gate_is_ready(gate, B), 0);
  ck_assert_int_eq(gate_has_shown_life(gate, B), 1);
  gate_flaw_text(gate, &gate->controller[B], why);
  ck_assert_str_eq(why, "its position is 6.0 m from that of a");
  ck_assert_ptr_null(strstr(events, "standby_not_ready"));
  samples(gate, &step, TIME_OUT / 10 + 1, 1, GATE_APART_M + 1, ALARM_OTHER);
  const char *said =
      strstr(events, "standby_not_ready: b (number 2) stands by, and is not ready: its position");
  ck_assert_ptr_nonnull(said);
  ck_assert_ptr_null(strstr(said + 1, "standby_not_ready"));
  ck_assert_uint_eq(samples(gate, &step, 1, 1, GATE_APART_M - 0.5, ALARM_OTHER), FLAW_APART); // hardly better
  ck_assert_uint_eq(samples(gate, &step, TIME_OUT / 10 + 2, 1, 0.5, ALARM_OTHER), 0);
  ck_assert_ptr_nonnull(strstr(events, "standby_ready: b (number 2) stands by, and is ready now"));
  ck_assert_uint_eq(samples(gate, &step, 1, 1, 0.5, ALARM_NO_POSITION), FLAW_POSITION);
  ck_assert_uint_eq(samples(gate, &step, 1, 1, 0.5, ALARM_NO_HEADING), FLAW_HEADING);
  ck_assert_uint_eq(samples(gate, &step, 1, 1, 0.5, ALARM_LOST), 0); // an instrument; others are left
  ck_assert_int_eq(gate->controller[B].report.alarms, 1);
}
END_TEST

START_TEST(one_that_repeats_its_command_is_not_ready) {
  struct gate *gate = three();
  uint64_t step = STEP;
  ck_assert_uint_eq(samples(gate, &step, 10, 0, 0, ALARM_OTHER), 0);
  ck_assert_uint_eq(samples(gate, &step, 3, 0, 0, ALARM_OTHER), FLAW_FROZEN);
  shadow(gate, C, step, step, 1);
  ck_assert_int_eq(gate_next_seat(gate), C); // although b has the lesser rank
  ck_assert_uint_eq(samples(gate, &step, 1, 1, 0, ALARM_OTHER), 0);
}
END_TEST

// In lockstep who is ready follows from the Sensors before, whichever answer came first.
START_TEST(a_flaw_counts_from_the_next_sensors_on) {
  for (int b_first = 0; b_first < 2; b_first++) {
    struct gate *gate = three();
    uint64_t step = STEP - 10;
    samples(gate, &step, 1, 1, 0, ALARM_OTHER);
    step += 10;
    report(gate, A, step, 0, ALARM_OTHER);
    report(gate, B, step, 100, ALARM_OTHER);
    gate->step = step;
    if (b_first)
      shadow(gate, B, step, step, 1e5);
    command(gate, A, step, 1e5);
    if (!b_first)
      shadow(gate, B, step, step, 1e5);
    ck_assert_uint_eq(gate->newest.standbys_ready, 1);
    ck_assert_int_eq(gate_is_ready(gate, B), 1);
    gate_watch_seats(gate, step + 5);
    ck_assert_int_eq(gate_is_ready(gate, B), 0);
  }
}
END_TEST

// Changeovers and losses in one step: whoever is given the command and has gone is passed over, an order
// stands above the loss before it, and a sequence from before the changeover is refused.
START_TEST(a_changeover_in_the_step_of_a_loss) {
  struct gate *gate = three();
  struct command old = {.based_on_step = STEP, .wrench_b = {1}};
  struct reason why;
  command(gate, A, STEP, 1);
  shadow(gate, B, STEP, STEP, 1);
  shadow(gate, C, STEP, STEP, 1);
  gate_give_by_order(gate, C, 1, STEP, "takes over");
  gate_leave(gate, A);
  gate_watch_seats(gate, STEP + 1);
  ck_assert_int_eq(gate->seat, C);
  gate_leave(gate, C);
  gate_give_by_order(gate, B, 2, STEP + 1, "takes over");
  gate_watch_seats(gate, STEP + 1);
  ck_assert_int_eq(gate->seat, B);
  ck_assert_int_eq(gate_admit(gate, B, gate->controller[B].last_sequence, &old, STEP, &why),
                   REFUSED_SEQUENCE);
  ck_assert_uint_eq(gate->counts.claims, 0);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("gate_seats");
  TCase *tc = tcase_create("seats");
  tcase_add_test(tc, an_order_to_the_one_in_command_changes_nothing);
  tcase_add_test(tc, an_old_shadow_command_is_no_sign_of_life);
  tcase_add_test(tc, a_difference_is_reported_after_the_time_out_in_steps);
  tcase_add_test(tc, one_that_fell_silent_is_the_last_choice);
  tcase_add_test(tc, a_new_successor_is_not_called_idle);
  tcase_add_test(tc, whoever_joins_late_is_awaited_until_it_answers);
  tcase_add_test(tc, a_backup_comes_in_by_the_switch_alone);
  tcase_add_test(tc, the_switch_back_finds_the_main_one_that_is_there);
  tcase_add_test(tc, ready_needs_more_than_a_shadow_command);
  tcase_add_test(tc, one_that_repeats_its_command_is_not_ready);
  tcase_add_test(tc, a_flaw_counts_from_the_next_sensors_on);
  tcase_add_test(tc, a_changeover_in_the_step_of_a_loss);
  suite_add_tcase(suite, tc);
  return run_suite(suite);
}
