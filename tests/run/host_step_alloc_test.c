// The simulation thread allocates no memory: while armed, malloc and related functions abort. The work of the
// loop runs armed on every path: commands from outside, the controller inside, overflowing rings, node
// output, checkpoints, percentiles, the log. In a build with RealtimeSanitizer that takes the guard's place.
#include "run/host/host_internal.h"
#include "run/setup/setup.h"

#include "suite.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(realtime_sanitizer)
#define HAS_RTSAN
#endif
#endif

static _Thread_local volatile int armed; // other threads, such as the logger's, may allocate

#ifdef HAS_RTSAN // guards each NONBLOCKING function by itself, against every call that may wait
enum { RTSAN_EXIT = 43 };

#pragma clang diagnostic ignored "-Wfunction-effects"
static void allocate(void) NONBLOCKING;
static void allocate(void) {
  void *volatile piece = malloc(16);
  free(piece);
}

START_TEST(the_guard_bites) {
  allocate();
}
END_TEST
#else
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *old);

static void guard(void) {
  static const char message[] = "an allocation while armed\n";
  if (!armed)
    return;
  armed = 0;
  if (write(STDERR_FILENO, message, sizeof message - 1) < 0)
    _exit(3);
  abort();
}

void *malloc(size_t size) {
  guard();
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  guard();
  return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
  guard();
  return __libc_realloc(old, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  guard();
  return __libc_memalign(alignment, size);
}
void free(void *old) {
  if (old)
    guard();
  __libc_free(old);
}

// Without this check an allocating loop would pass if the interposition had no effect.
START_TEST(the_guard_bites) {
  armed = 1;
  void *volatile piece = malloc(16);
  armed = 0;
  free(piece);
}
END_TEST
#endif

struct bench {
  struct logger *logger;
  char log_path[64];
  struct setup setup;
  struct engine engine;
  struct ring commands, orders, frames, nodes;
  struct slot newest;
  struct checkpointer checkpointer;
  struct step_thread loop;
  int writer_keeps_up; // each step waits until the log has room
};

static void make_ring(struct ring *r, size_t slots, size_t item_bytes) {
  void *mem = aligned_alloc(RING_LINE, ring_memsize(slots, item_bytes));
  ck_assert_ptr_nonnull(mem);
  ring_init(r, mem, slots, item_bytes);
}

static struct bench *set_up_case(int inside, const char *config_path, char *override) {
  static struct bench bench;
  struct bench *b = &bench;
  struct case_options options = {.config_path = config_path};
  if (override)
    options.overrides[options.override_count++] = override;
  ck_assert_int_eq(setup_load(&b->setup, &options, stderr), STATUS_OK);
  b->setup.dp.def.pid.start_s = 0.5;
  ck_assert_int_eq(plant_create(&b->engine.plant, &b->setup, NULL, NULL), STATUS_OK);
  struct command_def def = setup_command_def(&b->setup, b->engine.plant.sim);
  b->setup.config.scenario.verdict_count = 1;
  b->setup.config.scenario.event_count = 2;
  b->setup.config.scenario.event[0] = (struct event_def){
      .name = "e", .at_s = 1, .after = -1, .duration_s = 1, .fault = {.kind = FAULT_LOSS, .value = {0.5}}};
  b->setup.config.scenario.event[1] =
      (struct event_def){.name = "f",
                         .at_s = 1,
                         .after = -1,
                         .duration_s = 1,
                         .fault = {.kind = FAULT_OUTLIERS, .target = -1, .value = {5, 0.5}}};
  b->setup.config.scenario.verdict[0] = (struct verdict_def){.high = 1e3, .after = -1};
  static struct dp_work work;
  closed_loop_init(&b->engine.loop, b->engine.plant.sim, &b->engine.plant.suite, &def,
                   inside ? &b->setup.dp.def : NULL, &work, &b->setup.config.scenario, NULL);
  int count = sim_node_count(b->engine.plant.sim);
  make_ring(&b->commands, 8, sizeof(struct arrived_command));
  void *mem = aligned_alloc(RING_LINE, slot_memsize(sizeof(struct arrived_command)));
  ck_assert_ptr_nonnull(mem);
  slot_init(&b->newest, mem, sizeof(struct arrived_command));
  make_ring(&b->orders, 8, sizeof(struct order));
  make_ring(&b->frames, 64, sizeof(struct frame)); // smaller than the run: it overflows
  make_ring(&b->nodes, 4, sizeof(struct node_frame) + (size_t)count * sizeof(struct sim_node));
  b->loop = (struct step_thread){.engine = &b->engine,
                                 .period_ns = 1000000,
                                 .steps_total = 0,
                                 .nodes_every = 10,
                                 .timing_every = 20,
                                 .cpu = -1,
                                 .links.commands = &b->commands,
                                 .links.newest = &b->newest,
                                 .links.orders = &b->orders,
                                 .links.frames = &b->frames,
                                 .links.nodes = &b->nodes,
                                 .checkpointer = &b->checkpointer};
  char path[] = "/tmp/sagbend-alloc-XXXXXX";
  struct checkpoint_identity identity = {.build = "test"};
  int file = mkstemp(path); // never written: without a writer thread the third one finds no free buffer
  ck_assert_int_ge(file, 0);
  close(file);
  ck_assert_int_eq(checkpointer_open(&b->checkpointer, path, 10, &identity, b->engine.plant.sim,
                                     &b->engine.plant.suite, NULL),
                   0);
  unlink(path);
  return b;
}

static struct bench *set_up(int inside) {
  return set_up_case(inside,
                     inside ? TEST_SOURCE_DIR "/configs/jlay-900m.yaml"
                            : TEST_SOURCE_DIR "/configs/scenarios/sensors.yaml",
                     NULL);
}

// A log with all topics at each step, in parts of 20 steps. On a full disk the ring buffer becomes full, too.
static void add_log(struct bench *b, int disk_is_full) {
  struct config *c = &b->setup.config;
  struct log_rate each_step = {0};
  c->log = (struct log_def){.sensors = each_step,
                            .truth = each_step,
                            .nodes = each_step,
                            .ledger = each_step,
                            .timing = each_step,
                            .state_hash = each_step,
                            .status = each_step,
                            .buffer_mib = 1,
                            .part_s = 20 * c->sim.step_s};
  struct log_session session = {.session = "s-1",
                                .version = "0",
                                .build = "test",
                                .config_path = "none",
                                .config = c,
                                .command_def = b->engine.loop.command_def,
                                .node_count = sim_node_count(b->engine.plant.sim)};
  snprintf(b->log_path, sizeof b->log_path, "/tmp/sagbend-alloc-%d-000001.mcap", (int)getpid());
  const struct checkpoint_identity identity = {.build = "test"};
  const struct logger_rotation rotation = {&identity, b->engine.plant.sim, &b->engine.plant.suite, 0};
  ck_assert_int_eq(logger_open(b->log_path, &session, &rotation, &b->logger, NULL), 0);
  b->loop.logger = b->logger;
  b->writer_keeps_up = !disk_is_full;
  if (!disk_is_full)
    return;
  struct rlimit limit = {.rlim_cur = 1, .rlim_max = RLIM_INFINITY};
  os_survive_file_limits();
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void send_command(struct bench *b, uint64_t step) {
  struct arrived_command *c = ring_claim(&b->commands);
  c->command =
      (struct command){.sequence = step + 1, .based_on_step = step, .wrench_b = {4e5, 1e4, 0, 0, 0, 1e6}};
  c->received_ns = os_now_ns();
  ring_commit(&b->commands);
}

static void send_order(struct bench *b, uint64_t number) {
  struct order *o = ring_claim(&b->orders);
  *o = (struct order){.number = number,
                      .kind = ORDER_FAULT,
                      .name = "o",
                      .duration_s = 0.2,
                      .fault = {.kind = FAULT_JITTER, .value = {0.05}}};
  if (number % 3 == 0)
    *o = (struct order){.number = number, .kind = ORDER_CLEAR, .name = ALL_FAULTS};
  ring_commit(&b->orders);
}

enum { STEPS = 400 };

static void run_armed(struct bench *b, int with_commands) {
  step_thread_start_pacing(&b->loop);
  for (int i = 0; i < STEPS; i++) {
    if (with_commands && i % 7 == 0)
      send_command(b, b->engine.loop.frame.output.step);
    if (i % 50 == 0)
      send_order(b, (uint64_t)i / 50 + 1);
    if (b->writer_keeps_up) // on a busy machine this lets the writer thread run
      ck_assert_int_eq(logger_wait_for_room(b->logger), 0);
    armed = 1;
    step_thread_wait(&b->loop);
    step_thread_work(&b->loop);
    armed = 0;
    logger_seen(b->logger, b->engine.loop.frame.output.step);
  }
  ck_assert_uint_eq(b->engine.loop.frame.output.step, STEPS);
  ck_assert_int_eq(b->engine.loop.frame.output.fault, 0);
  ck_assert_uint_gt(ring_dropped(&b->frames), 0);
  ck_assert_uint_gt(ring_dropped(&b->nodes), 0);
  ck_assert_uint_eq(checkpointer_report(&b->checkpointer).skipped, STEPS / 10 - 2);
  ck_assert_uint_eq(b->loop.times.step_ns.count, STEPS);
  ck_assert_uint_eq(b->engine.loop.scenario.events.last_order, STEPS / 50);
  ck_assert_uint_ge(b->engine.loop.frame.faults_ended, 3);
  ck_assert_uint_eq(b->engine.loop.scenario.verdict[0].judged_steps, STEPS + 1);
}

START_TEST(no_allocation_with_commands_from_outside) {
  struct bench *b = set_up(0);
  run_armed(b, 1);
  ck_assert_int_ne(b->engine.loop.frame.command_state, COMMAND_NONE);
}
END_TEST

START_TEST(no_allocation_with_the_controller_inside) {
  struct bench *b = set_up(1);
  run_armed(b, 0);
  ck_assert_uint_gt(b->engine.loop.inside_accepted, 0);
  // the controller has taken over at 0.5 s
  ck_assert_int_ne(b->engine.loop.frame.command_state, COMMAND_STANDBY);
}
END_TEST

// The vessel with a hydro file, wind and waves.
START_TEST(no_allocation_with_the_memory_of_the_radiation) {
  char controller[] = "controller.dp_file=osv-83m-dp.yaml";
  struct bench *b = set_up_case(1, TEST_SOURCE_DIR "/configs/osv-83m-weather.yaml", controller);
  run_armed(b, 0);
  ck_assert_double_gt(b->engine.loop.frame.ledger.memory_j, 0);
}
END_TEST

static void send_simple_order(struct bench *b, enum order_kind kind, uint64_t number, double rate) {
  struct order *o = ring_claim(&b->orders);
  *o = (struct order){.number = number, .kind = kind, .rate = rate};
  if (kind == ORDER_SETPOINT)
    o->setpoint.given[0] = 1;
  ring_commit(&b->orders);
}

static void work(struct bench *b, int times) {
  for (int i = 0; i < times; i++) {
    armed = 1;
    step_thread_wait(&b->loop);
    step_thread_work(&b->loop);
    armed = 0;
  }
}

static const struct frame *newest_frame(struct bench *b) {
  static struct frame newest;
  const struct frame *frame;
  int any = 0;
  while ((frame = ring_front(&b->frames))) {
    newest = *frame;
    any = 1;
    ring_release(&b->frames);
  }
  return any ? &newest : NULL;
}

// A pause makes no step and no lateness, shows each order once, and keeps the newest command.
START_TEST(a_pause_makes_no_step_and_no_lateness) {
  struct bench *b = set_up(0);
  const struct sim_output *now = &b->engine.loop.frame.output;
  step_thread_start_pacing(&b->loop);
  work(b, 5);
  ck_assert_ptr_nonnull(newest_frame(b));
  uint64_t misses = b->loop.pacer.misses;
  b->loop.overrun.in_a_row = 5;
  send_simple_order(b, ORDER_PAUSE, 1, 0);
  work(b, 1);
  const struct frame *shown = newest_frame(b);
  ck_assert(shown && shown->output.step == 5 && shown->timing.hold == HELD_BY_PAUSE &&
            shown->timing.holds == 1 && shown->last_order == 1);
  ck_assert_uint_eq(b->loop.overrun.in_a_row, 0); // those before the pause no longer count
  send_command(b, 4);
  send_command(b, 5);
  work(b, 4); // 20 ms, of a period of 1 ms
  ck_assert_ptr_null(newest_frame(b));
  send_simple_order(b, ORDER_SETPOINT, 2, 0);
  work(b, 1);
  shown = newest_frame(b);
  ck_assert(shown && shown->target.order == 2 && shown->output.step == 5);
  send_simple_order(b, ORDER_RESUME, 3, 0);
  send_simple_order(b, ORDER_RATE, 4, 0.5);
  work(b, 1); // shows that the pause is over; the step comes when it is due
  shown = newest_frame(b);
  ck_assert(shown && shown->output.step == 5 && shown->timing.hold == HELD_NOT);
  work(b, 1);
  shown = newest_frame(b);
  ck_assert(shown && shown->output.step == 6 && shown->timing.hold == HELD_NOT && shown->timing.rate == 0.5);
  ck_assert_uint_eq(shown->command_sequence, 6); // the newest of those that came meanwhile
  ck_assert_uint_eq(b->loop.pacer.period_ns, 2000000);
  ck_assert_uint_le(b->loop.pacer.misses - misses, 1); // by the step after the pause, not by the pause

  send_simple_order(b, ORDER_STOP, 5, 0);
  work(b, 1);
  ck_assert_uint_eq(now->step, 6);
  ck_assert_int_eq(b->loop.stopping, 1);
}
END_TEST

// A halt whose frame finds no room, because the ring is full, is known once the thread has ended.
START_TEST(a_halt_that_no_frame_shows_is_known_at_the_end) {
  struct bench *b = set_up(0);
  struct timing timing = {0};
  while (ring_claim(&b->frames))
    ring_commit(&b->frames);
  b->loop.overrun.limit = 1;
  step_thread_start_pacing(&b->loop);
  os_sleep_until_ns(os_now_ns() + 10000000); // ten periods: the step is late
  work(b, 1);
  const struct frame *newest = newest_frame(b);
  ck_assert(newest && newest->timing.hold == HELD_NOT && newest->timing.holds == 0);
  step_thread_show(&b->loop, &timing);
  ck_assert_int_eq(timing.hold, HELD_BY_HALT);
  ck_assert_uint_eq(timing.holds, 1);
  ck_assert_uint_ge(timing.late_steps, 1);
  ck_assert_uint_eq(timing.real_time.late.step, 1);
}
END_TEST

// Sends a command to the slot, as if the ring had been full when it came.
static void send_to_slot(struct bench *b, uint64_t number) {
  struct arrived_command *c = slot_claim(&b->newest);
  *c = (struct arrived_command){.command = {.sequence = 100 + number}, .number = number};
  slot_commit(&b->newest);
}

// However many commands came since the last step, it uses the newest.
START_TEST(a_step_uses_the_newest_command_of_ring_and_slot) {
  struct bench *b = set_up(0);
  const struct frame *frame = &b->engine.loop.frame;
  step_thread_start_pacing(&b->loop);
  for (uint64_t i = 0; i < 8; i++)
    send_command(b, i);
  ck_assert_ptr_null(ring_claim(&b->commands)); // full
  for (uint64_t number = 9; number <= 20; number++)
    send_to_slot(b, number);
  work(b, 1);
  ck_assert_uint_eq(frame->command_sequence, 120);
  ck_assert_uint_eq(slot_replaced(&b->newest), 11);

  // The ring has room again before the step takes the slot: the newer command is in the ring.
  send_to_slot(b, 21);
  struct arrived_command *c = ring_claim(&b->commands);
  *c = (struct arrived_command){.command = {.sequence = 122}, .number = 22};
  ring_commit(&b->commands);
  work(b, 1);
  ck_assert_uint_eq(frame->command_sequence, 122);
  work(b, 1);
  ck_assert_uint_eq(frame->command_sequence, 122); // the older one is used up
}
END_TEST

static void remove_parts(const struct bench *b, unsigned count) {
  char path[64];
  for (unsigned i = 1; i <= count; i++) {
    snprintf(path, sizeof path, "/tmp/sagbend-alloc-%d-%06u.mcap", (int)getpid(), i);
    unlink(path);
  }
  ck_assert_int_ne(access(b->log_path, F_OK), 0);
}

START_TEST(no_allocation_with_a_log) {
  struct bench *b = set_up(0);
  add_log(b, 0);
  run_armed(b, 1);
  logger_finish(b->logger, &b->engine.loop, "test", NULL);
  struct logger_report report = logger_report(b->logger);
  ck_assert_msg(!report.incomplete, "%s", report.failure.text);
  ck_assert_uint_ge(report.written.messages, 6 * STEPS);
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    ck_assert_uint_eq(report.dropped[t], 0);
  ck_assert_uint_eq(report.parts_failed, 0);
  ck_assert_uint_eq(report.part, STEPS / 20 + 1);
  remove_parts(b, report.part);
  logger_free(b->logger);
}
END_TEST

START_TEST(no_allocation_with_a_log_on_a_full_disk) {
  struct bench *b = set_up(0);
  add_log(b, 1);
  run_armed(b, 1);
  struct logger_report report = logger_report(b->logger);
  ck_assert_int_eq(report.stalled, 1);
  ck_assert_uint_gt(report.dropped[LOG_NODES], 0);
  ck_assert_uint_eq(report.dropped[LOG_COMMAND], 0);
  ck_assert_uint_eq(report.dropped[LOG_STATE_HASH], 0);
  logger_finish(b->logger, &b->engine.loop, "test", NULL);
  report = logger_report(b->logger);
  ck_assert_int_eq(report.commands_missing, 1); // the disk never accepted them
  ck_assert_uint_eq(report.replayable_to_step, 0);
  ck_assert_int_eq(report.incomplete, 1);
  ck_assert_uint_eq(report.part, 1);
  remove_parts(b, report.part);
  logger_free(b->logger);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("step_alloc");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 60);
#ifdef HAS_RTSAN
  tcase_add_exit_test(all, the_guard_bites, RTSAN_EXIT);
#else
  tcase_add_test_raise_signal(all, the_guard_bites, SIGABRT);
#endif
  tcase_add_test(all, no_allocation_with_commands_from_outside);
  tcase_add_test(all, no_allocation_with_the_controller_inside);
  tcase_add_test(all, no_allocation_with_the_memory_of_the_radiation);
  tcase_add_test(all, a_pause_makes_no_step_and_no_lateness);
  tcase_add_test(all, a_halt_that_no_frame_shows_is_known_at_the_end);
  tcase_add_test(all, a_step_uses_the_newest_command_of_ring_and_slot);
  tcase_add_test(all, no_allocation_with_a_log);
  tcase_add_test(all, no_allocation_with_a_log_on_a_full_disk);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
