// The closed loop without a socket: an outside controller, called directly, against the one inside; a link
// that loses commands and sensors; a resumed session; the counters of refused commands and orders.

#include "sagbend/faults/faults.h"
#include "sagbend/loop/loop.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"

#include "setup_bench.h"

#include <stddef.h>
#include <string.h>

#define CONFIG TEST_SOURCE_DIR "/configs/osv-83m-instruments.yaml"

enum { STEPS = 600, SWITCH_ON_STEP = 100 };

static struct dp_def *dp_of(struct bench *b) {
  return &b->setup.dp.def;
}

// A loop around the supply vessel with instruments and thrusters. Its DP switches on early.
static struct bench *open_bench(int inside) {
  char dp_file[] = "controller.dp_file=osv-83m-dp.yaml";
  const struct case_options options = {.config_path = CONFIG, .overrides = {dp_file}, .override_count = 1};
  struct bench *b = load_bench(&options);
  ck_assert(b->setup.has_dp);
  dp_of(b)->pid.start_s = SWITCH_ON_STEP * b->setup.config.sim.step_s;
  dp_of(b)->pid.reference[0] += 5; // metres north, so that the thrusters are active

  double setpoint[3];
  ck_assert(setup_setpoint(&b->setup, setpoint));
  begin_loop(b, inside ? dp_of(b) : NULL, setpoint);
  return b;
}

static uint64_t hash_of(const struct bench *b) {
  return sim_hash(b->plant.sim);
}

static void clear_faults(struct bench *b, uint64_t number) {
  const struct order order = {.number = number, .kind = ORDER_CLEAR, .name = ALL_FAULTS};
  closed_loop_apply_order(&b->loop, &order);
}

// A command that is accepted: all thrusters enabled at rest.
static struct command idle_command(const struct bench *b, uint64_t sequence) {
  struct command command = {.sequence = sequence,
                            .based_on_step = b->loop.frame.output.step,
                            .thruster_count = b->def.thruster_count};
  struct reason why;
  for (int i = 0; i < b->def.thruster_count; i++) {
    memcpy(command.thrusters[i].name, b->def.thruster[i].name, SIGNAL_NAME);
    command.thrusters[i].enable = 1;
  }
  ck_assert_int_eq(command_check(&b->def, &command, &why), STATUS_OK);
  return command;
}

static void same_frame(const struct frame *a, const struct frame *b) {
  ck_assert_uint_eq(a->output.step, b->output.step);
  ck_assert_mem_eq(&a->output.position_n_m, &b->output.position_n_m, sizeof a->output.position_n_m);
  ck_assert_mem_eq(&a->readings, &b->readings, sizeof a->readings);
  ck_assert_mem_eq(&a->faults, &b->faults, sizeof a->faults);
  ck_assert_int_eq(a->command_state, b->command_state);
  ck_assert_uint_eq(a->command_sequence, b->command_sequence);
  ck_assert_uint_eq(a->command_based_on_step, b->command_based_on_step);
  ck_assert_uint_eq(a->verdicts_violated, b->verdicts_violated);
  ck_assert_int_eq(a->sensors_lost, b->sensors_lost);
  ck_assert_mem_eq(&a->alarms, &b->alarms, offsetof(struct dp_alarm_state, list));
  ck_assert_int_eq(a->alarms.list.count, b->alarms.list.count); // a frame has no more of the list
  ck_assert_mem_eq(a->alarms.list.alarm, b->alarms.list.alarm,
                   (size_t)a->alarms.list.count * sizeof *a->alarms.list.alarm);
}

START_TEST(a_controller_outside_gives_the_bits_of_the_one_inside) {
  struct bench *inside = open_bench(1), *outside = open_bench(0);
  const uint64_t start = hash_of(inside);
  struct dp_state dp;
  dp_init(&dp);

  for (int i = 0; i < STEPS; i++) {
    struct dp_sensors sensors;
    struct dp_work work;
    struct command command, *newest = NULL;
    if (closed_loop_sends_sensors(&outside->loop)) {
      dp_sensors_of_frame(&outside->loop.frame, &sensors);
      dp_sample(&dp, dp_of(outside), &sensors, &work, &command);
      newest = &command;
    }
    closed_loop_step(&outside->loop, newest);
    closed_loop_step(&inside->loop, NULL);
    ck_assert_uint_eq(hash_of(inside), hash_of(outside));
    ck_assert_mem_eq(&inside->loop.latch.setpoint, &outside->loop.latch.setpoint,
                     sizeof inside->loop.latch.setpoint);
    same_frame(&inside->loop.frame, &outside->loop.frame);
  }

  // Checks that the controller was in command and active.
  ck_assert_int_eq(inside->loop.frame.output.fault, 0);
  ck_assert_uint_ne(hash_of(inside), start);
  ck_assert_int_gt(inside->loop.frame.readings.instrument_count, 0);
  ck_assert(inside->loop.frame.command_state == COMMAND_LIVE ||
            inside->loop.frame.command_state == COMMAND_OLD);
  ck_assert_uint_eq(inside->loop.inside_accepted, STEPS / inside->def.period_steps);
  ck_assert(inside->loop.latch.setpoint[0].revolutions_rpm != 0 || inside->loop.latch.setpoint[0].pitch != 0);
  close_bench(inside);
  close_bench(outside);
}
END_TEST

static const struct fault *instrument_off(const struct bench *b, const char *name, struct fault *out) {
  const struct fault_request request = {.kind = "no_output"};
  struct fault_request named = request;
  struct reason why = {""};
  int where;
  snprintf(named.target, sizeof named.target, "%s", name);
  ck_assert_msg(fault_from_request(&b->setup.config.scenario.names, &named, out, &where, &why) == STATUS_OK,
                "%s", why.text);
  return out;
}

// The same alarms at the same steps, from the same code: an instrument fails, the link loses every command
// (which is no matter for the alarms), and both are well again.
START_TEST(a_controller_outside_gives_the_alarms_of_the_one_inside) {
  struct bench *loops[2] = {open_bench(1), open_bench(0)};
  struct dp_state dp;
  uint64_t begun = 0;
  dp_init(&dp);
  for (int i = 0; i < 2600; i++) {
    struct order off = {.number = 1, .kind = ORDER_FAULT, .name = "off"};
    for (int k = 0; k < 2; k++) {
      if (i == 300) {
        instrument_off(loops[k], "gnss-1", &off.fault);
        closed_loop_apply_order(&loops[k]->loop, &off);
        order_fault(loops[k], 2, FAULT_LOSS, 1);
      }
      if (i == 1500)
        clear_faults(loops[k], 3);
    }
    struct dp_sensors sensors;
    struct dp_work work;
    struct command command, *newest = NULL;
    struct dp_alarm_list alarms;
    if (closed_loop_sends_sensors(&loops[1]->loop)) {
      dp_sensors_of_frame(&loops[1]->loop.frame, &sensors);
      dp_sample(&dp, dp_of(loops[1]), &sensors, &work, &command);
      dp_alarms(&dp, dp_of(loops[1]), &alarms);
      closed_loop_bring_alarms(&loops[1]->loop, &alarms);
      newest = &command;
    }
    closed_loop_step(&loops[1]->loop, newest);
    closed_loop_step(&loops[0]->loop, NULL);
    same_frame(&loops[0]->loop.frame, &loops[1]->loop.frame);
    const struct dp_alarm_state *seen = &loops[0]->loop.frame.alarms;
    struct reason why;
    ck_assert_msg(dp_alarm_state_is_valid(seen, (uint64_t)i + 1, &why), "%s", why.text);
    int at = dp_alarm_find(&seen->list, "gnss-1", ALARM_LOST);
    if (at >= 0) {
      begun = seen->step[at];
      ck_assert_uint_gt(begun, 300);
      ck_assert_uint_eq(begun % loops[0]->def.period_steps, 0);
    }
    if (i == 1400)
      ck_assert(at >= 0 && dp_alarm_find(&seen->list, "link", ALARM_LINK_DOWN) >= 0);
  }
  ck_assert_uint_gt(begun, 0);
  ck_assert_int_lt(dp_alarm_find(&loops[0]->loop.frame.alarms.list, "gnss-1", ALARM_LOST), 0);
  close_bench(loops[0]);
  close_bench(loops[1]);
}
END_TEST

START_TEST(a_lost_link_loses_the_command) {
  struct bench *b = open_bench(0);
  const struct closed_loop *loop = &b->loop;
  order_fault(b, 1, FAULT_LOSS, 1);
  struct command command = idle_command(b, 1);
  closed_loop_step(&b->loop, &command);
  ck_assert(loop->has_sent && loop->sent.sequence == 1);
  ck_assert_int_eq(loop->latch.has_command, 0);
  ck_assert_int_eq(loop->frame.command_state, COMMAND_NONE);
  ck_assert_uint_eq(loop->scenario.link.counts.lost, 1);

  clear_faults(b, 2);
  command = idle_command(b, 2);
  closed_loop_step(&b->loop, &command);
  ck_assert_int_eq(loop->frame.command_state, COMMAND_LIVE);
  ck_assert_uint_eq(loop->frame.command_sequence, 2);

  order_fault(b, 3, FAULT_LOSS, 1);
  for (uint64_t i = 0; i <= b->def.timeout_steps; i++) {
    command = idle_command(b, 3 + i);
    closed_loop_step(&b->loop, &command);
  }
  ck_assert_int_eq(loop->frame.command_state, COMMAND_LOST);
  ck_assert_uint_eq(loop->latch.lost_count, 1);
  ck_assert_uint_eq(loop->frame.command_sequence, 2);
  ck_assert_uint_eq(loop->scenario.link.counts.lost, b->def.timeout_steps + 2);
  close_bench(b);
}
END_TEST

START_TEST(lost_sensors_do_not_reach_the_controller) {
  struct bench *b = open_bench(1);
  ck_assert(closed_loop_sends_sensors(&b->loop)); // step 0 is a sample
  order_fault(b, 1, FAULT_SENSORS_LOSS, 1);
  for (uint64_t i = 0; i < 5 * b->def.period_steps; i++) {
    closed_loop_step(&b->loop, NULL);
    ck_assert_int_eq(closed_loop_sends_sensors(&b->loop), 0);
  }
  ck_assert_uint_eq(b->loop.inside_accepted, 1); // the answer to step 0, before the order
  ck_assert_uint_eq(b->loop.scenario.link.counts.sensors_lost, 5);
  close_bench(b);
}
END_TEST

// Faults that draw from every random stream are active across the checkpoint.
static void order_noisy_faults(struct bench *b) {
  order_fault(b, 1, FAULT_JITTER, 0.3);
  order_fault(b, 2, FAULT_LOSS, 0.3);
  order_fault(b, 3, FAULT_OUTLIERS, 3);
  b->loop.scenario.events.faults.fault[2].value[1] = 0.5; // probability
}

START_TEST(a_resumed_loop_gives_the_same_bits) {
  struct bench *whole = open_bench(1), *resumed = open_bench(1);
  const struct closed_loop *loop = &whole->loop;
  const size_t sim_bytes = sim_snapshot_size(whole->plant.sim), suite_bytes = whole->plant.suite.state_bytes;
  void *sim_state = malloc(sim_bytes), *suite_state = malloc(suite_bytes);
  struct closed_loop_state *loop_state = malloc(sizeof *loop_state);
  struct reason why = {""};

  order_noisy_faults(whole);
  while (loop->frame.output.step < STEPS / 2)
    closed_loop_step(&whole->loop, NULL);
  memset(loop_state, 0, sizeof *loop_state);
  closed_loop_save(loop, loop_state);
  sim_snapshot(whole->plant.sim, sim_state);
  memcpy(suite_state, whole->plant.suite.state, suite_bytes);

  ck_assert_int_eq(sim_restore(resumed->plant.sim, sim_state, sim_bytes, &why), STATUS_OK);
  memcpy(resumed->plant.suite.state, suite_state, suite_bytes);
  closed_loop_resume(&resumed->loop, loop_state);
  same_frame(&loop->frame, &resumed->loop.frame);

  while (loop->frame.output.step < STEPS) {
    closed_loop_step(&whole->loop, NULL);
    closed_loop_step(&resumed->loop, NULL);
    ck_assert_uint_eq(hash_of(whole), hash_of(resumed));
    same_frame(&loop->frame, &resumed->loop.frame);
  }
  ck_assert_uint_gt(loop->scenario.link.counts.lost, 0);
  ck_assert_mem_eq(&loop->scenario.link, &resumed->loop.scenario.link, sizeof loop->scenario.link);
  ck_assert_mem_eq(whole->plant.suite.state, resumed->plant.suite.state, suite_bytes);
  ck_assert_uint_eq(loop->inside_accepted, resumed->loop.inside_accepted);

  free(sim_state);
  free(suite_state);
  free(loop_state);
  close_bench(whole);
  close_bench(resumed);
}
END_TEST

// Every command of the controller inside is refused: the vessel has none of its thrusters.
START_TEST(refused_commands_of_the_controller_inside_are_counted) {
  struct bench *b = open_bench(1);
  b->loop.command_def.thruster_count = 0;
  while (b->loop.frame.output.step < STEPS)
    closed_loop_step(&b->loop, NULL);

  const uint64_t samples = STEPS / b->def.period_steps;
  const uint64_t standby = SWITCH_ON_STEP / b->def.period_steps; // names no thruster, and is accepted
  ck_assert_uint_eq(b->loop.inside_accepted, standby);
  ck_assert_uint_eq(b->loop.inside_refused, samples - standby);
  ck_assert_int_eq(b->loop.has_sent, 0);
  ck_assert_int_eq(b->loop.frame.command_state, COMMAND_LOST);
  close_bench(b);
}
END_TEST

START_TEST(orders_beyond_the_room_for_them_are_counted) {
  struct bench *b = open_bench(0);
  for (int i = 0; i < MAX_ORDERS + 2; i++)
    order_fault(b, (uint64_t)i + 1, FAULT_JITTER, 0.1);
  closed_loop_step(&b->loop, NULL);
  ck_assert_int_eq(b->loop.frame.orders_active, MAX_ORDERS);
  ck_assert_uint_eq(b->loop.frame.orders_refused, 2);
  ck_assert_uint_eq(b->loop.frame.last_order, MAX_ORDERS + 2);

  clear_faults(b, MAX_ORDERS + 3);
  closed_loop_step(&b->loop, NULL);
  ck_assert_int_eq(b->loop.frame.orders_active, 0);
  ck_assert_uint_eq(b->loop.frame.faults_ended, MAX_ORDERS);
  close_bench(b);
}
END_TEST

static void order_setpoint(struct bench *b, uint64_t number, const int given[3], const double setpoint[3]) {
  struct order order = {.number = number, .kind = ORDER_SETPOINT};
  memcpy(order.setpoint.given, given, sizeof order.setpoint.given);
  memcpy(order.setpoint.value, setpoint, sizeof order.setpoint.value);
  closed_loop_apply_order(&b->loop, &order);
}

// Target, controller inside and checkpoint follow an operator's set-point; what is not given keeps its value.
START_TEST(an_ordered_setpoint_is_part_of_the_state) {
  struct bench *b = open_bench(1), *still = open_bench(1);
  const double east = b->loop.target.position_n_m[1], heading = b->loop.target.heading_rad;
  struct closed_loop_state *saved = calloc(1, sizeof *saved);
  struct frame shown;
  while (b->loop.frame.output.step < STEPS / 4)
    closed_loop_step(&b->loop, NULL);
  closed_loop_save(&b->loop, saved);
  ck_assert_uint_eq(saved->ordered.setpoint_order, 0);
  order_setpoint(b, 1, (int[]){1, 0, 0}, (double[]){25, 77, 77});
  closed_loop_show_orders(&b->loop, &shown);
  ck_assert(shown.target.position_n_m[0] == 25 && shown.target.position_n_m[1] == east &&
            shown.target.heading_rad == heading && shown.target.order == 1 && shown.last_order == 1);
  order_setpoint(b, 2, (int[]){0, 1, 1}, (double[]){77, -4, 1});
  ck_assert(b->loop.target.position_n_m[0] == 25 && b->loop.target.position_n_m[1] == -4 &&
            b->loop.target.heading_rad == 1 && b->loop.target.order == 2);
  ck_assert(b->loop.dp.move.ordered && b->loop.dp.move.reference[0] == 25 &&
            b->loop.dp.move.reference[5] == 1);
  while (b->loop.frame.output.step < STEPS) {
    closed_loop_step(&b->loop, NULL);
    ck_assert_uint_eq(b->loop.frame.target.order, 2);
  }
  while (still->loop.frame.output.step < STEPS)
    closed_loop_step(&still->loop, NULL);
  ck_assert_uint_ne(hash_of(b), hash_of(still)); // the controller inside follows it

  closed_loop_save(&b->loop, saved);
  ck_assert(saved->ordered.setpoint_order == 2 && saved->ordered.setpoint[0] == 25 &&
            saved->ordered.setpoint[1] == -4 && saved->ordered.setpoint[2] == 1);
  closed_loop_resume(&still->loop, saved);
  ck_assert(still->loop.frame.target.order == 2 && still->loop.target.position_n_m[0] == 25);
  free(saved);
  close_bench(b);
  close_bench(still);
}
END_TEST

// As a host does it that embeds the loop: the same objects go on from an earlier state. Orders, alarms and
// commands that came after it are gone.
START_TEST(a_restore_in_place_keeps_nothing_of_what_came_later) {
  struct bench *b = open_bench(1), *other = open_bench(1);
  const size_t sim_bytes = sim_snapshot_size(b->plant.sim), suite_bytes = b->plant.suite.state_bytes;
  void *sim_state = malloc(sim_bytes), *suite_state = malloc(suite_bytes);
  struct closed_loop_state *saved = calloc(1, sizeof *saved);
  struct reason why = {""};
  while (b->loop.frame.output.step < STEPS / 4) {
    closed_loop_step(&b->loop, NULL);
    closed_loop_step(&other->loop, NULL);
  }
  closed_loop_save(&b->loop, saved);
  sim_snapshot(b->plant.sim, sim_state);
  memcpy(suite_state, b->plant.suite.state, suite_bytes);

  order_setpoint(b, 1, (int[]){1, 1, 1}, (double[]){72, -40, 1});
  order_fault(b, 2, FAULT_JITTER, 0.3);
  while (b->loop.frame.output.step < STEPS / 2)
    closed_loop_step(&b->loop, NULL);
  ck_assert_int_eq(sim_restore(b->plant.sim, sim_state, sim_bytes, &why), STATUS_OK);
  memcpy(b->plant.suite.state, suite_state, suite_bytes);
  closed_loop_resume(&b->loop, saved);
  while (b->loop.frame.output.step < STEPS) {
    ck_assert_mem_eq(&b->loop.target, &other->loop.target, sizeof b->loop.target);
    ck_assert_double_eq(b->loop.frame.target.position_n_m[0], other->loop.frame.target.position_n_m[0]);
    closed_loop_step(&b->loop, NULL);
    closed_loop_step(&other->loop, NULL);
    ck_assert_uint_eq(hash_of(b), hash_of(other));
    same_frame(&b->loop.frame, &other->loop.frame);
  }
  ck_assert_mem_eq(b->plant.suite.state, other->plant.suite.state, suite_bytes);
  free(sim_state);
  free(suite_state);
  free(saved);
  close_bench(b);
  close_bench(other);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("closed loop");
  TCase *c = add_case(suite, "closed loop", 100);
  tcase_add_test(c, a_controller_outside_gives_the_bits_of_the_one_inside);
  tcase_add_test(c, a_controller_outside_gives_the_alarms_of_the_one_inside);
  tcase_add_test(c, a_lost_link_loses_the_command);
  tcase_add_test(c, lost_sensors_do_not_reach_the_controller);
  tcase_add_test(c, a_resumed_loop_gives_the_same_bits);
  tcase_add_test(c, refused_commands_of_the_controller_inside_are_counted);
  tcase_add_test(c, orders_beyond_the_room_for_them_are_counted);
  tcase_add_test(c, an_ordered_setpoint_is_part_of_the_state);
  tcase_add_test(c, a_restore_in_place_keeps_nothing_of_what_came_later);
  return run_suite(suite);
}
