// Operations of a lay: an abandonment and recovery in steps of 10 to 100 ms, moves that end at their place,
// the brake without a jump of the tension, orders from outside, limits, ends by tension and way, the tower,
// and snapshots.
#include "sagbend/math/math.h"
#include "scenes.h"
#include "suite.h"

static struct sim_def scene(const char *name, double step_s, const struct operation *list, int count) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, name, 0, NULL);
  def.step_s = step_s;
  def.pipe.payout = (struct payout_def){.elements_max = 180};
  def.pipe.tensioner = scene_tensioner();
  def.pipe.operations.count = count;
  memcpy(def.pipe.operations.operation, list, (size_t)count * sizeof *list);
  return def;
}

static struct sim_output output_of(const struct sim *s) {
  struct sim_output o;
  sim_get_output(s, &o);
  return o;
}

// Until the operation has this number, or for so long.
static void run_until(struct sim *s, int number, double most_s, const struct sim_input *input) {
  const double end_s = sim_time_s(s) + most_s;
  while (output_of(s).operation.number < number && sim_time_s(s) < end_s - 0.5 * s->def->step_s) {
    sim_step(s, input);
    for (int i = 0; i < LOSS_COUNT; i++)
      ck_assert_double_ge(sim_ledger(s)->loss_j[i], 0);
  }
  ck_assert_int_eq(s->run.fault, 0);
}

static void check_ledger(const struct sim *s, double remesh) {
  const struct ledger *l = sim_ledger(s);
  const double share = fabs(l->total_work_j[PORT_REMESH] / l->total_work_j[PORT_TENSIONER]);
  printf("%-24s h %.2f s: closure %.1e, remesh/tensioner %.1e, %.3f m out, %.0f N\n", "", s->def->step_s,
         ledger_closure_rel(l), share, s->state.payout.paid_m, s->state.tensioner.holding_n);
  ck_assert_double_le(ledger_closure_rel(l), 1e-12);
  ck_assert_double_le(share, remesh);
  ck_assert_uint_eq(s->run.not_converged_count, 0);
}

static const double STEPS_S[] = {0.01, 0.02, 0.05, 0.1};

// Joint, arrestor, joint, head and wire go out and come back; sections 1 to 3 are arrestor, head, wire.
START_TEST(abandonment_and_recovery) {
  if (!scene_is_run(STEPS_S[_i]))
    return;
  const struct operation list[] = {
      {.name = "joint",
       .order = OPERATION_MOVE,
       .length_m = 12.2,
       .speed_mps = 0.4,
       .moves = 1,
       .pause_s = 5},
      {.name = "head", .order = OPERATION_SPEED, .speed_mps = 0.5, .end = OPERATION_SECTION, .end_type = 3},
      {.name = "wire",
       .order = OPERATION_SPEED,
       .speed_mps = 0.6,
       .end = OPERATION_PAID_OUT,
       .end_value = 80},
      {.name = "rest", .order = OPERATION_BRAKE, .end = OPERATION_TIME, .end_value = 20},
      {.name = "wire back",
       .order = OPERATION_SPEED,
       .speed_mps = -0.5,
       .end = OPERATION_SECTION,
       .end_type = 2},
      {.name = "pipe back",
       .order = OPERATION_SPEED,
       .speed_mps = -0.4,
       .end = OPERATION_PAID_OUT,
       .end_value = 3},
      {.name = "home", .order = OPERATION_MOVE, .length_m = -3, .speed_mps = 0.4, .moves = 1}};
  struct sim_def def = scene("jlay-900m-abandonment", STEPS_S[_i], list, 7);
  struct sim *s = shipped_create(&def);
  run_until(s, 3, 200, NULL);
  ck_assert_double_eq_tol(s->state.payout.paid_m, 31.6, 0.1);
  run_until(s, 8, 800, NULL);
  ck_assert_int_eq(output_of(s).operation.number, 8);
  check_ledger(s, 2e-5);
  shipped_free(s);
}
END_TEST

// The tension jumps neither where the tracks land nor where the brake engages, beyond what the deceleration
// of the pipe ends with.
START_TEST(moves_end_at_their_place) {
  if (!scene_is_run(STEPS_S[_i]))
    return;
  const struct operation list[] = {{.name = "lay",
                                    .order = OPERATION_MOVE,
                                    .length_m = 12.2,
                                    .speed_mps = 0.5,
                                    .moves = 3,
                                    .pause_s = 10}};
  struct sim_def def = scene("jlay-900m", STEPS_S[_i], list, 1);
  struct sim *s = shipped_create(&def);
  double before_n = s->state.tensioner.holding_n, jump_n = 0, at_rest_n = s->state.tensioner.holding_n;
  uint64_t moved = 0;
  while (output_of(s).operation.number == 1 && sim_time_s(s) < 200) {
    const uint64_t mode = s->state.tensioner.mode;
    sim_step(s, NULL);
    if (s->state.tensioner.mode == TENSIONER_BRAKE && mode == TENSIONER_SPEED)
      jump_n = fmax(jump_n, fabs(s->state.tensioner.holding_n - before_n));
    before_n = s->state.tensioner.holding_n;
    const struct operations_state *o = &s->state.operations;
    if (o->moved == moved || o->current == 1)
      continue;
    moved = o->moved;
    const double elastic_m =
        (s->state.tensioner.holding_n - at_rest_n) / s->def->pipe.tensioner.stiffness_npm;
    ck_assert_double_eq_tol(s->state.payout.paid_m, 12.2 * (double)moved + elastic_m, 2e-3);
  }
  ck_assert_int_eq(output_of(s).operation.number, 2);
  printf("%-24s h %.2f s: jump as the brake engages %.0f N\n", "", s->def->step_s, jump_n);
  ck_assert_double_le(jump_n, 5e4);
  check_ledger(s, 2e-5);
  shipped_free(s);
}
END_TEST

START_TEST(an_order_from_outside_holds_it) {
  const struct operation list[] = {
      {.name = "lay", .order = OPERATION_MOVE, .length_m = 20, .speed_mps = 0.5, .moves = 1, .limit_s = 58},
      {.name = "stay", .order = OPERATION_TENSION, .tension_n = 1.4e6}};
  const struct tensioner_setpoint brake = {1, TENSIONER_SPEED, 0, 0};
  struct sim_def def = scene("jlay-900m", 0.05, list, 2);
  struct sim *s = shipped_create(&def);
  run_until(s, 2, 20, NULL);
  const struct sim_output before = output_of(s);
  ck_assert_double_eq_tol(before.operation.progress, s->state.payout.paid_m / 20, 0.01);
  ck_assert_double_eq_tol(before.operation.since_s, 20, 1e-9);
  sim_step(s, &(struct sim_input){.tensioner.by_operator = brake});
  run_until(s, 2, 30, NULL);
  ck_assert_int_eq(output_of(s).operation.held, 1);
  ck_assert_double_eq(output_of(s).operation.since_s, before.operation.since_s);
  ck_assert_int_eq(output_of(s).operation.overdue, 0);
  sim_step(s, &(struct sim_input){.tensioner.is_released = 1});
  run_until(s, 2, 37.8, NULL);
  ck_assert_int_eq(output_of(s).operation.held, 0);
  run_until(s, 2, 30, NULL);
  ck_assert_int_eq(output_of(s).operation.number, 2);
  ck_assert_double_eq_tol(s->state.payout.paid_m, 20, 5e-3);
  run_until(s, 3, 5, NULL);
  ck_assert_int_eq(output_of(s).operation.number, 2); // the last one has no end
  ck_assert_uint_eq(s->state.tensioner.mode, TENSIONER_TENSION);
  check_ledger(s, 2e-5);
  shipped_free(s);
}
END_TEST

START_TEST(ends_and_limits) {
  const struct operation list[] = {
      {.name = "tension",
       .order = OPERATION_TENSION,
       .tension_n = 1.2e6,
       .end = OPERATION_FORCE,
       .end_value = 1.38e6},
      {.name = "way", .order = OPERATION_BRAKE, .end = OPERATION_WAY, .end_value = 100, .limit_s = 3}};
  struct sim_def def = scene("jlay-900m", 0.05, list, 2);
  struct sim *s = shipped_create(&def);
  run_until(s, 2, 60, NULL);
  ck_assert_int_eq(output_of(s).operation.number, 2);
  ck_assert_int_eq(output_of(s).operation.needs_way, 1);
  ck_assert_double_le(s->state.tensioner.holding_n, 1.4e6);
  run_until(s, 3, 5, &(struct sim_input){.has_way = 1, .way_m = 50});
  ck_assert_int_eq(output_of(s).operation.overdue, 1);
  ck_assert_double_eq_tol(output_of(s).operation.progress, 0.5, 1e-12);
  sim_step(s, &(struct sim_input){.has_way = 1, .way_m = 101});
  ck_assert_int_eq(output_of(s).operation.number, 3);
  ck_assert_int_eq(output_of(s).operation.overdue, 0);
  const struct sim_output end = output_of(s);
  ck_assert_str_eq(end.operation.name, "");
  shipped_free(s);
}
END_TEST

// A pipe that drags the motor comes to rest in the brake, and a move's pause waits for this.
START_TEST(the_brake_stops_what_drags_the_motor) {
  const struct operation lists[2][2] = {
      {{.name = "out", .order = OPERATION_SPEED, .speed_mps = 0.3, .end = OPERATION_TIME, .end_value = 5},
       {.name = "stop", .order = OPERATION_BRAKE}},
      {{.name = "joint", .order = OPERATION_MOVE, .speed_mps = 0.3, .length_m = 2, .moves = 1, .pause_s = 4},
       {.name = "stop", .order = OPERATION_BRAKE}}};
  for (int k = 0; k < 2; k++) {
    struct sim_def def = scene("jlay-900m", 0.05, lists[k], 2);
    def.pipe.tensioner.motor_n = 1.3e6; // the pipe pulls with 1.5 MN
    def.pipe.tensioner.brake_n = 3e6;
    struct sim *s = shipped_create(&def);
    run_until(s, 3, 40, NULL);
    ck_assert_int_eq(output_of(s).operation.number, 2);
    ck_assert_uint_eq(s->state.tensioner.mode, TENSIONER_BRAKE);
    ck_assert_double_le(fabs(s->state.payout.speed_mps), 1e-3);
    ck_assert_double_gt(s->state.payout.paid_m, 1);
    ck_assert_double_lt(s->state.payout.paid_m, 60);
    printf("weak motor: %.2f m out\n", s->state.payout.paid_m);
    shipped_free(s);
  }
}
END_TEST

// Where no element is left, what would move pipe is overdue at once.
START_TEST(no_element_is_left) {
  const struct operation list[] = {
      {.name = "out", .order = OPERATION_SPEED, .speed_mps = 1, .end = OPERATION_PAID_OUT, .end_value = 500}};
  struct sim_def def = scene("jlay-900m", 0.05, list, 1);
  def.pipe.payout.elements_max = 102;
  struct sim *s = shipped_create(&def);
  run_until(s, 2, 100, NULL);
  ck_assert(output_of(s).events >> EVENT_TALLY_ENDED & 1);
  ck_assert_int_eq(output_of(s).operation.number, 1);
  ck_assert_int_eq(output_of(s).operation.overdue, 1);
  shipped_free(s);
}
END_TEST

static const struct operation TURNS[] = {
    {.name = "lay", .order = OPERATION_SPEED, .speed_mps = 0.3, .end = OPERATION_TIME, .end_value = 5},
    {.name = "up", .order = OPERATION_BRAKE, .turns = 1, .turn_rad = 0.03, .turn_s = 30.025},
    {.name = "down",
     .order = OPERATION_SPEED,
     .speed_mps = -0.2,
     .turns = 1,
     .turn_rad = 0.01,
     .turn_s = 20,
     .end = OPERATION_TIME,
     .end_value = 15}};

static struct sim *turning(void) {
  struct sim_def def = scene("jlay-900m", 0.05, TURNS, 3);
  def.pipe.hangoff = HANGOFF_CLAMPED;
  def.pipe.hangoff_angle_auto = 1;
  def.pipe.structural_damping_s = 0.5;
  return shipped_create(&def);
}

START_TEST(the_tower_turns) {
  struct sim *s = turning();
  run_until(s, 3, 100, NULL);
  ck_assert_double_eq_tol(s->state.operations.turned_rad, 0.03, 1e-12);
  run_until(s, 4, 100, NULL);
  ck_assert_double_eq_tol(s->state.mesh.tower_rad, 0.01, 1e-12);
  ck_assert_double_ne(sim_ledger(s)->total_work_j[PORT_MOTION], 0);
  check_ledger(s, 0.1);
  shipped_free(s);
}
END_TEST

// At any time of any operation.
START_TEST(a_snapshot_goes_on_with_the_same_bits) {
  struct sim *s = turning(), *other = turning();
  struct reason why;
  const size_t size = sim_snapshot_size(s);
  void *bytes = malloc(size);
  ck_assert_ptr_nonnull(bytes);
  for (int k = 0; k < 24; k++) {
    for (int i = 0; i < 47; i++)
      sim_step(s, NULL);
    sim_snapshot(s, bytes);
    ck_assert_int_eq(sim_restore(other, bytes, size, &why), STATUS_OK);
    ck_assert(sim_hash(s) == sim_hash(other));
    for (int i = 0; i < 5; i++) {
      sim_step(s, NULL), sim_step(other, NULL);
      ck_assert(sim_hash(s) == sim_hash(other));
    }
  }
  ck_assert_int_eq(output_of(s).operation.number, 4);
  struct snapshot_head *head = bytes;
  head->operations.current = 4;
  ck_assert_int_eq(sim_restore(other, bytes, size, &why), STATUS_BAD_INPUT);
  ck_assert_ptr_nonnull(strstr(why.text, "operations.current"));
  free(bytes), shipped_free(s), shipped_free(other);
}
END_TEST

START_TEST(bad_definitions_are_refused) {
  const struct operation good = {.name = "lay", .order = OPERATION_BRAKE};
  for (int k = 0; k < 4; k++) {
    struct sim_def def = scene("jlay-900m", 0.05, &good, 1);
    struct operation *op = &def.pipe.operations.operation[0];
    struct reason why = {""};
    if (k == 0)
      op->turns = 1, op->turn_s = 10; // pinned
    else if (k == 1)
      op->order = OPERATION_MOVE, op->speed_mps = 1;
    else if (k == 2)
      op->end_value = (double)NAN;
    else
      def.pipe.tensioner.order_count = 0;
    ck_assert_ptr_null(scene_try_create(&def, &why));
    ck_assert_ptr_nonnull(strstr(why.text, "operations"));
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("core_model_operations");
  TCase *tests = add_case(suite, "operations", 120);
  tcase_add_loop_test(tests, abandonment_and_recovery, 0, 4);
  tcase_add_loop_test(tests, moves_end_at_their_place, 0, 4);
  tcase_add_test(tests, an_order_from_outside_holds_it);
  tcase_add_test(tests, ends_and_limits);
  tcase_add_test(tests, the_brake_stops_what_drags_the_motor);
  tcase_add_test(tests, no_element_is_left);
  tcase_add_test(tests, the_tower_turns);
  tcase_add_test(tests, a_snapshot_goes_on_with_the_same_bits);
  tcase_add_test(tests, bad_definitions_are_refused);
  return run_suite(suite);
}
