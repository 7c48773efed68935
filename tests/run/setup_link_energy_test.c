// Energy of the link: the works of law, link and drives add up to those of the ports, whatever the controller
// sends and whatever the link does to it; nothing else depends on the bookkeeping; a resumed session
// continues it.

#include "sagbend/math/math.h"

#include "setup_bench.h"

#include <math.h>
#include <string.h>

#define CONFIG TEST_SOURCE_DIR "/configs/osv-83m-instruments.yaml"

static struct bench *open_bench(int books) {
  char external[] = "controller={kind: external}", coarse[] = "pipe.elements=20",
       step[] = "simulation.step_s=0.02", period[] = "network.sensor_period_s=0.1";
  const struct case_options options = {
      .config_path = CONFIG, .overrides = {external, coarse, step, period}, .override_count = 4};
  struct bench *b = load_bench(&options);
  ck_assert(b->setup.config.scenario.controller_outside);
  b->setup.config.scenario.controller_outside = books;
  begin_loop(b, NULL, NULL);
  return b;
}

static double between(struct random_stream *random, double low, double high) {
  return low + (high - low) * random_uniform(random);
}

// A wrench, set-points of some thrusters, both, or standby; in answer to Sensors of up to a second ago.
static struct command random_command(const struct bench *b, struct random_stream *random, uint64_t sequence) {
  const uint64_t now = b->loop.frame.output.step, late = (uint64_t)between(random, 0, 50);
  struct command command = {.sequence = sequence, .based_on_step = late < now ? now - late : 0};
  command.standby = random_uniform(random) < 0.02;
  if (random_uniform(random) < 0.6)
    for (int i = 0; i < 6; i++)
      command.wrench_b[i] = between(random, -1e5, 1e5);
  for (int i = 0; i < b->def.thruster_count && random_uniform(random) < 0.8; i++) {
    struct thruster_command *to = &command.thrusters[command.thruster_count++];
    *to = (struct thruster_command){.enable = random_uniform(random) < 0.95};
    memcpy(to->name, b->def.thruster[i].name, SIGNAL_NAME);
    if (b->def.thruster[i].revolutions_max_rpm > 0)
      to->revolutions_rpm = between(random, -1, 1) * b->def.thruster[i].revolutions_max_rpm;
    else
      to->pitch = between(random, -1, 1);
    to->azimuth_rad = between(random, -3, 3);
  }
  return command;
}

static double ports_j(const struct bench *b) {
  const struct ledger *ledger = &b->loop.frame.ledger;
  return ledger->total_work_j[PORT_CONTROL] + ledger->total_work_j[PORT_THRUSTERS];
}

static void sum_is_that_of_the_ports(const struct bench *b) {
  const struct link_work *w = &b->loop.frame.link_work;
  double scale_j = fabs(w->law_j) + fabs(w->link_j) + fabs(w->drives_j) + 1;
  double sum_j = w->law_j + w->link_j + w->drives_j;
  ck_assert_msg(fabs(sum_j - ports_j(b)) < 1e-11 * scale_j, "%.17g J, ports %.17g J", sum_j, ports_j(b));
}

static const enum fault_kind OF_THE_LINK[] = {FAULT_LOSS, FAULT_JITTER, FAULT_DUPLICATE, FAULT_REORDER,
                                              FAULT_SENSORS_LOSS};

START_TEST(works_add_up_to_the_ports) {
  struct bench *b = open_bench(1), *plain = open_bench(0), *resumed = open_bench(1);
  struct random_stream random = random_stream_of(random_seed((uint64_t)_i, "link energy"));
  void *snapshot = malloc(sim_snapshot_size(b->plant.sim));
  struct closed_loop_state *state = calloc(1, sizeof *state);
  struct reason why;
  double most_j = 0;
  int has_resumed = 0;

  for (uint64_t step = 0, sequence = 0; step < 1500; step++) {
    if (step % 200 == 0) {
      enum fault_kind kind = OF_THE_LINK[(uint64_t)between(&random, 0, 5)];
      double value = kind == FAULT_JITTER ? between(&random, 0, 0.7) : between(&random, 0.1, 0.9);
      order_fault(b, step + 1, kind, value);
      order_fault(plain, step + 1, kind, value);
    }
    const struct command command = random_command(b, &random, ++sequence), *newest = NULL;
    int is_silent = step > 900 && step < 1150; // longer than the time-out
    if (!is_silent && random_uniform(&random) < 0.25)
      newest = &command;
    if (step == 600) {
      closed_loop_save(&b->loop, state);
      sim_snapshot(b->plant.sim, snapshot);
      ck_assert_int_eq(sim_restore(resumed->plant.sim, snapshot, sim_snapshot_size(b->plant.sim), &why),
                       STATUS_OK);
      ck_assert_msg(link_energy_is_valid(&state->link_energy, step, &why), "%s", why.text);
      closed_loop_resume(&resumed->loop, state);
      ck_assert_mem_eq(&resumed->loop.frame.link_work, &b->loop.frame.link_work, sizeof(struct link_work));
      has_resumed = 1;
    }
    closed_loop_step(&b->loop, newest);
    closed_loop_step(&plain->loop, newest);
    if (has_resumed && step < 700)
      closed_loop_step(&resumed->loop, newest);
    if (step < 700 && has_resumed)
      ck_assert_mem_eq(&resumed->loop.frame.link_work, &b->loop.frame.link_work, sizeof(struct link_work));
    ck_assert_uint_eq(sim_hash(b->plant.sim), sim_hash(plain->plant.sim));
    sum_is_that_of_the_ports(b);
    most_j = fmax(most_j, fabs(ports_j(b)));
  }
  ck_assert_int_eq(b->loop.frame.output.fault, 0);
  ck_assert_double_gt(most_j, 1e3);
  const struct link_work none = {0};
  ck_assert_mem_eq(&plain->loop.frame.link_work, &none, sizeof none);
  free(state);
  free(snapshot);
  close_bench(b);
  close_bench(plain);
  close_bench(resumed);
}
END_TEST

// A wrench has no drives, and one that never changes no link, whatever comes late or is lost.
START_TEST(a_constant_wrench_has_no_link) {
  struct bench *b = open_bench(1);
  order_fault(b, 1, FAULT_LOSS, 0.3);
  for (int i = 0; i < b->def.thruster_count; i++)
    b->def.hold_setpoint[i].enable = 0;
  for (uint64_t step = 0; step < 500; step++) {
    const struct command command = {
        .sequence = step + 1, .based_on_step = step, .wrench_b = {5e4, -2e4, 0, 0, 0, 1e5}};
    closed_loop_step(&b->loop, step % 5 == 0 ? &command : NULL);
  }
  const struct link_work *w = &b->loop.frame.link_work;
  sum_is_that_of_the_ports(b);
  ck_assert_double_gt(fabs(w->law_j), 1e3);
  ck_assert_double_lt(fabs(w->link_j), 2e-3 * fabs(w->law_j));
  close_bench(b);
}
END_TEST

// The command that is lost belongs to the law: the link answers for what did not happen.
START_TEST(a_lost_command_is_booked_to_the_link) {
  double link_j[2];
  for (int loses = 0; loses < 2; loses++) {
    struct bench *b = open_bench(1);
    for (uint64_t step = 0; step < 300; step++) {
      if (loses && step == 100)
        order_fault(b, 1, FAULT_LOSS, 1);
      const struct command command = {
          .sequence = step + 1, .based_on_step = step, .wrench_b = {step < 100 ? 1e6 : 0}};
      closed_loop_step(&b->loop, step % 5 == 0 ? &command : NULL);
    }
    sum_is_that_of_the_ports(b);
    link_j[loses] = b->loop.frame.link_work.link_j;
    close_bench(b);
  }
  ck_assert_double_gt(fabs(link_j[1]), 10 * fabs(link_j[0]));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("energy of the link");
  TCase *c = add_case(suite, "energy of the link", 100);
  tcase_add_loop_test(c, works_add_up_to_the_ports, 0, 4);
  tcase_add_test(c, a_constant_wrench_has_no_link);
  tcase_add_test(c, a_lost_command_is_booked_to_the_link);
  return run_suite(suite);
}
