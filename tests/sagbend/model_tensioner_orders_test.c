// Orders for the tensioner and its faults, in the model: who goes before whom, snapshots with orders, a brake
// that fails up to the end of the memory, a grip that slips, a drive that runs away; what is refused.
#include "sagbend/signals/signals.h"
#include "scenes.h"
#include "suite.h"

static struct sim *scene(int elements_max) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
  def.step_s = 0.05;
  def.pipe.tensioner = scene_tensioner();
  def.pipe.tensioner.order_count = 2;
  def.pipe.tensioner.order[0] = (struct tensioner_order){.mode = TENSIONER_BRAKE};
  def.pipe.tensioner.order[1] = (struct tensioner_order){20, TENSIONER_SPEED, 0, 0.3};
  def.pipe.payout.elements_max = elements_max;
  return shipped_create(&def);
}

static struct tensioner_output run(struct sim *s, double seconds, const struct tensioner_switches *switches) {
  struct sim_input input = {.tensioner.switches = *switches};
  struct sim_output o;
  for (double end_s = sim_time_s(s) + seconds - 0.5 * s->def->step_s; sim_time_s(s) < end_s;) {
    sim_step(s, &input);
    for (int i = 0; i < LOSS_COUNT; i++)
      ck_assert_double_ge(sim_ledger(s)->loss_j[i], 0);
  }
  sim_get_output(s, &o);
  ck_assert_int_eq(o.fault, 0);
  return o.tensioner;
}

static const struct tensioner_switches sound;

static struct tensioner_output give(struct sim *s, const struct tensioner_input *input) {
  struct sim_output o;
  sim_step(s, &(struct sim_input){.tensioner = *input});
  sim_get_output(s, &o);
  return o.tensioner;
}

static const struct tensioner_setpoint brake = {1, TENSIONER_BRAKE, 0, 0}, out = {1, TENSIONER_SPEED, 0, 0.2},
                                       hold = {1, TENSIONER_TENSION, 1.4e6, 0};

static void expect(struct tensioner_output got, enum tensioner_mode mode, enum tensioner_source source) {
  ck_assert_int_eq((int)got.ordered, (int)mode);
  ck_assert_int_eq((int)got.source, (int)source);
  ck_assert_int_eq((int)got.mode, (int)mode);
}

START_TEST(an_operator_goes_before_a_controller_and_this_before_the_programme) {
  struct sim *s = scene(120);
  expect(run(s, 1, &sound), TENSIONER_BRAKE, TENSIONER_BY_PROGRAMME);
  expect(give(s, &(struct tensioner_input){.by_controller = out}), TENSIONER_SPEED, TENSIONER_BY_CONTROLLER);
  expect(run(s, 1, &sound), TENSIONER_SPEED, TENSIONER_BY_CONTROLLER);
  expect(give(s, &(struct tensioner_input){.by_controller = out, .by_operator = hold}), TENSIONER_TENSION,
         TENSIONER_BY_OPERATOR);
  expect(give(s, &(struct tensioner_input){.by_controller = brake}), TENSIONER_TENSION,
         TENSIONER_BY_OPERATOR);
  expect(run(s, 20, &sound), TENSIONER_TENSION, TENSIONER_BY_OPERATOR); // the programme's order comes at 20 s
  expect(give(s, &(struct tensioner_input){.is_released = 1}), TENSIONER_TENSION, TENSIONER_BY_PROGRAMME);
  expect(give(s, &(struct tensioner_input){.by_operator = brake, .is_released = 1, .by_controller = out}),
         TENSIONER_SPEED, TENSIONER_BY_CONTROLLER);
  expect(give(s, &(struct tensioner_input){.by_operator = brake, .is_released = 1}), TENSIONER_BRAKE,
         TENSIONER_BY_PROGRAMME);
  ck_assert_double_le(ledger_closure_rel(sim_ledger(s)), 1e-12);
  shipped_free(s);
}
END_TEST

START_TEST(a_snapshot_keeps_order_and_faults) {
  const struct tensioner_switches weak = {.brake_lost = 0.7};
  struct reason why;
  struct sim *s = scene(120), *other = scene(120);
  give(s, &(struct tensioner_input){.by_operator = out});
  run(s, 3, &weak);
  size_t size = sim_snapshot_size(s);
  void *bytes = malloc(size);
  ck_assert_ptr_nonnull(bytes);
  sim_snapshot(s, bytes);
  ck_assert_int_eq(sim_restore(other, bytes, size, &why), STATUS_OK);
  ck_assert(sim_hash(s) == sim_hash(other));
  expect(run(s, 25, &sound), TENSIONER_SPEED, TENSIONER_BY_OPERATOR);
  run(other, 25, &sound);
  ck_assert(sim_hash(s) == sim_hash(other));
  free(bytes);
  shipped_free(s), shipped_free(other);
}
END_TEST

// All of the brake is lost: the pipe runs out until its memory is full, and there the brake holds.
START_TEST(a_lost_brake_ends_where_the_memory_ends) {
  struct sim *s = scene(101);
  struct sim_output o;
  run(s, 1, &sound);
  run(s, 15, &(struct tensioner_switches){.brake_lost = 1, .grip_lost = 1, .runs_away = 1, .runaway_mps = 2});
  run(s, 10, &(struct tensioner_switches){.brake_lost = 1, .grip_lost = 1, .runs_away = 1, .runaway_mps = 2});
  sim_get_output(s, &o);
  ck_assert(o.events & 1u << EVENT_TALLY_ENDED);
  ck_assert_double_lt(fabs(o.payout_mps), 0.05);
  ck_assert_double_gt(o.paid_out_m, 10);
  ck_assert_double_lt(o.paid_out_m, 40);
  ck_assert_int_eq((int)o.tensioner.mode, TENSIONER_BRAKE);
  ck_assert_double_le(ledger_closure_rel(sim_ledger(s)), 1e-10);
  shipped_free(s);
}
END_TEST

START_TEST(a_weak_grip_slips_in_each_mode) {
  const struct tensioner_setpoint *orders[] = {&brake, &out, &hold};
  for (int i = 0; i < 3; i++) {
    struct sim *s = scene(160);
    struct sim_output o;
    give(s, &(struct tensioner_input){.by_operator = *orders[i]});
    run(s, 5, &sound);
    sim_get_output(s, &o);
    double before_m = o.paid_out_m;
    // 4 MN of the grip become 0.8 MN, less than the tension.
    run(s, 5, &(struct tensioner_switches){.grip_lost = 0.8});
    sim_get_output(s, &o);
    ck_assert_double_gt(o.paid_out_m, before_m + 2);
    ck_assert_double_le(o.tensioner.force_n, 0.81 * 1e6);
    run(s, 15, &sound);
    sim_get_output(s, &o);
    ck_assert_double_lt(fabs(o.payout_mps - o.tensioner.speed_set_mps), 0.3);
    ck_assert_int_eq((int)o.tensioner.mode, (int)orders[i]->mode);
    ck_assert_double_le(ledger_closure_rel(sim_ledger(s)), 1e-10);
    shipped_free(s);
  }
}
END_TEST

START_TEST(a_runaway_moves_the_tracks_whatever_is_ordered) {
  struct sim *s = scene(120);
  struct sim_output o;
  give(s, &(struct tensioner_input){.by_operator = brake});
  run(s, 15, &(struct tensioner_switches){.runs_away = 1, .runaway_mps = 0.5});
  sim_get_output(s, &o);
  ck_assert_double_eq_tol(o.payout_mps, 0.5, 0.02);
  ck_assert_int_eq((int)o.tensioner.ordered, TENSIONER_BRAKE);
  ck_assert_int_eq((int)o.tensioner.mode, TENSIONER_SPEED);
  run(s, 10, &sound);
  sim_get_output(s, &o);
  ck_assert_double_lt(fabs(o.payout_mps), 0.02);
  ck_assert_int_eq((int)o.tensioner.mode, TENSIONER_BRAKE);
  shipped_free(s);
}
END_TEST

START_TEST(orders_beyond_the_rules_are_refused) {
  const struct tensioner_rule rule = {
      .present = 1, .from_controllers = 1, .tension_min_n = 1e5, .tension_max_n = 3e6, .speed_max_mps = 5};
  const struct {
    struct tensioner_setpoint order;
    int source, good;
  } rows[] = {{{0, TENSIONER_BRAKE, 0, 0}, TENSIONER_BY_OPERATOR, 1}, // none is given
              {{1, TENSIONER_BRAKE, -1, 99}, TENSIONER_BY_CONTROLLER, 1},
              {{1, TENSIONER_BRAKE, 0, 0}, TENSIONER_BY_OPERATOR, 0},
              {{1, TENSIONER_TENSION, 3e6, 0}, TENSIONER_BY_CONTROLLER, 1},
              {{1, TENSIONER_TENSION, 3.0001e6, 0}, TENSIONER_BY_CONTROLLER, 0},
              {{1, TENSIONER_TENSION, 1e5, 0}, TENSIONER_BY_CONTROLLER, 1},
              {{1, TENSIONER_TENSION, 9.9e4, 0}, TENSIONER_BY_CONTROLLER, 0},
              {{1, TENSIONER_TENSION, 0, 0}, TENSIONER_BY_CONTROLLER, 0},
              {{1, TENSIONER_TENSION, (double)NAN, 0}, TENSIONER_BY_CONTROLLER, 0},
              {{1, TENSIONER_SPEED, 0, -5}, TENSIONER_BY_CONTROLLER, 1},
              {{1, TENSIONER_SPEED, 0, 5.001}, TENSIONER_BY_CONTROLLER, 0},
              {{1, TENSIONER_SPEED, 0, (double)INFINITY}, TENSIONER_BY_CONTROLLER, 0}};
  struct reason why;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    ck_assert_msg((tensioner_setpoint_check(&rule, (enum tensioner_source)rows[i].source, &rows[i].order,
                                            &why) == STATUS_OK) == rows[i].good,
                  "row %zu", i);
  struct command_def def = {0};
  struct command standby = {.standby = 1, .tensioner = brake};
  ck_assert_int_eq(command_check(&def, &standby, &why), STATUS_BAD_INPUT);
  def.tensioner = rule;
  ck_assert_int_eq(command_check(&def, &standby, &why), STATUS_OK);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("tensioner_orders");
  TCase *t = add_case(suite, "orders", 120);
  tcase_add_test(t, an_operator_goes_before_a_controller_and_this_before_the_programme);
  tcase_add_test(t, a_snapshot_keeps_order_and_faults);
  tcase_add_test(t, a_lost_brake_ends_where_the_memory_ends);
  tcase_add_test(t, a_weak_grip_slips_in_each_mode);
  tcase_add_test(t, a_runaway_moves_the_tracks_whatever_is_ordered);
  tcase_add_test(t, orders_beyond_the_rules_are_refused);
  return run_suite(suite);
}
