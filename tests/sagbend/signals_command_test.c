// The command latch: which wrench a step uses, as a function of steps alone.
#include "sagbend/signals/signals.h"

#include "suite.h"
#include <math.h>
#include <string.h>

static const struct command_def DEF = {.period_steps = 10,
                                       .timeout_steps = 50,
                                       .initial_holding_force_b = {1, 2, 3, 4, 5, 6},
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

START_TEST(waits_with_the_initial_holding_force) {
  struct command_latch l;
  command_latch_init(&l, &DEF);
  for (uint64_t step = 0; step < 1000; step++) {
    command_latch_step(&l, &DEF, NULL, step);
    assert_applied(&l, COMMAND_NONE, DEF.initial_holding_force_b);
  }
  ck_assert_uint_eq(l.lost_count, 0);
}
END_TEST

START_TEST(goes_from_fresh_to_held_to_lost_and_back) {
  struct command_latch l;
  command_latch_init(&l, &DEF);
  struct command c = wrench_command(100);
  command_latch_step(&l, &DEF, &c, 7);
  assert_applied(&l, COMMAND_LIVE, c.wrench_b);
  ck_assert_uint_eq(l.latched_at_step, 7);
  for (uint64_t step = 8; step < 80; step++) {
    command_latch_step(&l, &DEF, NULL, step);
    enum command_state expected = step < 17 ? COMMAND_LIVE : step <= 57 ? COMMAND_OLD : COMMAND_LOST;
    assert_applied(&l, expected, c.wrench_b); // the reaction here is to hold the last
  }
  ck_assert_uint_eq(l.lost_count, 1);
  struct command again = wrench_command(200);
  command_latch_step(&l, &DEF, &again, 80);
  assert_applied(&l, COMMAND_LIVE, again.wrench_b);
  for (uint64_t step = 81; step < 200; step++)
    command_latch_step(&l, &DEF, NULL, step);
  ck_assert_uint_eq(l.lost_count, 2);
}
END_TEST

START_TEST(reacts_to_a_lost_controller_as_configured) {
  const enum command_reaction reactions[] = {REACTION_HOLD_LAST, REACTION_HOLD_WRENCH, REACTION_ZERO};
  struct command c = wrench_command(100);
  const double *expected[] = {c.wrench_b, DEF.initial_holding_force_b, ZERO};
  for (int i = 0; i < 3; i++) {
    struct command_def def = DEF;
    def.reaction = reactions[i];
    struct command_latch l;
    command_latch_init(&l, &def);
    command_latch_step(&l, &def, &c, 0);
    command_latch_step(&l, &def, NULL, 50);
    assert_applied(&l, COMMAND_OLD, c.wrench_b);
    command_latch_step(&l, &def, NULL, 51);
    assert_applied(&l, COMMAND_LOST, expected[i]);
  }
}
END_TEST

START_TEST(standby_asks_for_the_initial_holding_force) {
  struct command_latch l;
  command_latch_init(&l, &DEF);
  struct command c = wrench_command(100), standby = {.standby = 1, .wrench_b = {9, 9, 9, 9, 9, 9}};
  command_latch_step(&l, &DEF, &c, 0);
  command_latch_step(&l, &DEF, &standby, 5);
  assert_applied(&l, COMMAND_STANDBY, DEF.initial_holding_force_b);
  command_latch_step(&l, &DEF, NULL, 55);
  assert_applied(&l, COMMAND_STANDBY, DEF.initial_holding_force_b);
  command_latch_step(&l, &DEF, NULL,
                     56); // to hold the last of a controller on standby: the initial holding force
  assert_applied(&l, COMMAND_LOST, DEF.initial_holding_force_b);
}
END_TEST

static struct command_def plant_rules(void) {
  struct command_def def = DEF;
  def.hold_release_steps = 10;
  def.thruster_count = 3;
  def.thruster[0] = (struct thruster_rule){"bow", 140, -1, 20, 0};
  def.thruster[1] = (struct thruster_rule){"stern", 200, -1, 30, 1};
  def.thruster[2] = (struct thruster_rule){"main", 0, 0.6, 1000, 1};
  for (int i = 0; i < 3; i++)
    def.hold_setpoint[i] = (struct thruster_setpoint){1, 10 + i, 0.1, 0.2};
  return def;
}

START_TEST(thrusters_keep_what_they_were_told) {
  struct command_def def = plant_rules();
  struct command_latch l;
  command_latch_init(&l, &def);
  command_latch_step(&l, &def, NULL, 0);
  ck_assert_double_eq(l.setpoint[1].revolutions_rpm, 11);
  struct command both = {.sequence = 1,
                         .thruster_count = 2,
                         .wrench_b = {100},
                         .thrusters = {{"stern", 1, 150, 0, 1}, {"bow", 1, -90, 0, 0}}};
  struct command bow = {.sequence = 2, .thruster_count = 1, .thrusters = {{"bow", 0, 5, 0, 0}}};
  command_latch_step(&l, &def, &both, 1);
  for (uint64_t step = 2; step < 100; step++) {
    command_latch_step(&l, &def, step % 5 == 0 ? &bow : NULL, step);
    ck_assert_double_eq(l.setpoint[0].revolutions_rpm, step < 5 ? -90 : 5);
    ck_assert_int_eq(l.setpoint[0].enable, step < 5);
    // named at step 1, stops after 30 steps
    ck_assert_double_eq(l.setpoint[1].revolutions_rpm, step <= 31 ? 150 : 0);
    ck_assert_double_eq(l.setpoint[1].azimuth_rad, 1);
    ck_assert_int_eq(l.setpoint[1].enable, 1);
    ck_assert_double_eq(l.setpoint[2].revolutions_rpm, 12); // never named, and not timed out yet
  }
  // no command names the bow thruster any more; it keeps its set-point
  for (uint64_t step = 100; step < 130; step++)
    command_latch_step(&l, &def, NULL, step);
  ck_assert_double_eq(l.setpoint[0].revolutions_rpm, 5);
  ck_assert_double_eq(l.setpoint[2].revolutions_rpm, 12);
  struct command standby = {.sequence = 3, .standby = 1};
  command_latch_step(&l, &def, &standby, 130);
  for (int i = 0; i < 3; i++)
    ck_assert_double_eq(l.setpoint[i].revolutions_rpm, 10 + i);
}
END_TEST

START_TEST(initial_holding_force_goes_slowly_and_comes_back) {
  struct command_def def = plant_rules();
  struct command_latch l;
  command_latch_init(&l, &def);
  struct command c = {
      .sequence = 1, .thruster_count = 1, .wrench_b = {0, 100}, .thrusters = {{"bow", 1, 20, 0, 0}}};
  struct command standby = {.sequence = 2, .standby = 1};
  for (uint64_t step = 0; step < 20; step++) {
    command_latch_step(&l, &def, step % 3 == 0 ? &c : NULL, step);
    double share = step < 10 ? 1 - 0.1 * (double)(step + 1) : 0;
    for (int i = 0; i < 6; i++)
      ck_assert_double_eq_tol(l.applied_b[i], share * def.initial_holding_force_b[i] + (i == 1 ? 100 : 0),
                              1e-12);
  }
  for (uint64_t step = 20; step < 40; step++) {
    command_latch_step(&l, &def, step % 3 == 0 || step == 20 ? &standby : NULL, step);
    double share = step < 30 ? 0.1 * (double)(step - 19) : 1;
    for (int i = 0; i < 6; i++)
      ck_assert_double_eq_tol(l.applied_b[i], share * def.initial_holding_force_b[i], 1e-12);
  }
}
END_TEST

START_TEST(gate_knows_thrusters_and_limits) {
  struct command_def def = plant_rules();
  def.wrench_limit[2] = 50;
  static const struct {
    struct thruster_command t;
    double heave_n;
    const char *expected; // text in the reason; NULL: accepted
  } cases[] = {{{"bow", 1, 140, 7, 40}, 50, NULL},
               {{"bow", 1, -140.0000000001, 0, 0}, 0, "at most 140 rpm expected, got -140.0000000001"},
               {{"sterm", 1, 0, 0, 0}, 0, "sterm"},
               {{"main", 1, 1e9, -1, 0.6}, 0, NULL},
               {{"main", 1, 0, 1.0000000000000002, 0}, 0, "got 1.0000000000000002"},
               {{"main", 1, 0, 0, -0.61}, 0, "angle"},
               {{"stern", 1, NAN, 0, 0}, 0, "200 rpm"},
               {{"bow", 1, 0, 0, 0}, -50.1, "heave_n: at most 50 expected, got -50.1"},
               {{"stern", 1, 0, 0, 1e9}, 0, "angle"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct command c = {.thruster_count = 1, .thrusters = {cases[k].t}, .wrench_b = {0, 0, cases[k].heave_n}};
    struct reason why = {""};
    enum status status = command_check(&def, &c, &why);
    ck_assert_msg((status == STATUS_OK) == !cases[k].expected, "case %zu: %s", k, why.text);
    if (cases[k].expected)
      ck_assert_msg(strstr(why.text, cases[k].expected) != NULL, "case %zu: %s", k, why.text);
  }
}
END_TEST

// With thrusters a wrench is accepted only as a hand-over from the initial holding force, unless the
// configuration permits wrenches.
START_TEST(gate_takes_no_wrench_beside_thrusters) {
  struct command_def def = plant_rules();
  struct command c = {.thruster_count = 1, .thrusters = {{"bow", 1, 10, 0, 0}}};
  struct reason why = {""};
  for (int allowed = 1; allowed >= 0; allowed--) {
    def.thrusters_only = !allowed;
    for (int i = 0; i < 6; i++) {
      memset(c.wrench_b, 0, sizeof c.wrench_b);
      c.wrench_b[i] = -HAND_OVER_HOLDING_FORCES * def.initial_holding_force_b[i];
      ck_assert_int_eq(command_check(&def, &c, &why), STATUS_OK);
      c.wrench_b[i] *= 1 + 1e-15;
      ck_assert_int_eq(command_check(&def, &c, &why) == STATUS_OK, allowed);
    }
    struct command alone = {.wrench_b = {0}}, standby = {.standby = 1};
    ck_assert_int_eq(command_check(&def, &standby, &why), STATUS_OK);
    ck_assert_int_eq(command_check(&def, &alone, &why) == STATUS_OK, allowed);
  }
  ck_assert_ptr_nonnull(strstr(why.text, "network.accept_wrench"));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("command");
  TCase *tc = tcase_create("latch");
  tcase_add_test(tc, waits_with_the_initial_holding_force);
  tcase_add_test(tc, goes_from_fresh_to_held_to_lost_and_back);
  tcase_add_test(tc, reacts_to_a_lost_controller_as_configured);
  tcase_add_test(tc, standby_asks_for_the_initial_holding_force);
  tcase_add_test(tc, thrusters_keep_what_they_were_told);
  tcase_add_test(tc, initial_holding_force_goes_slowly_and_comes_back);
  tcase_add_test(tc, gate_knows_thrusters_and_limits);
  tcase_add_test(tc, gate_takes_no_wrench_beside_thrusters);
  suite_add_tcase(suite, tc);
  return run_suite(suite);
}
