// Mode realtime: one simulated second takes one second. The step has a thread of its own (step_thread.h);
// this thread, the program's main one, owns the sockets, the files and the terminal. Rings connect the two.
#include "run/restart.h"
#include "run/step_thread.h"
#include "run/usage_watch.h"

#include "rt/os.h"

#include <stdlib.h>
#include <string.h>

enum {
  HOUSEKEEPING_MS = 100, // at most, between looks at signals, log and checkpoints; frames come by wake
  COMMAND_SLOTS = 64,
  ORDER_SLOTS = 64, // more than the server lets wait
  FRAME_SLOTS = 1024,
  NODE_SLOTS = 16,
  STACK_BYTES = 1024 * 1024
};

struct realtime {
  struct run *run;
  struct ring commands, orders, frames, nodes;
  struct slot newest; // of the commands that found their ring full
  uint64_t arrived;   // commands
  struct wake wake;   // rung by the step thread
  int awake_file;     // os_keep_cpus_awake; -1: not held
  struct reason no_awake;
  struct step_thread thread;
  struct usage_watch usage;
  uint64_t dropped_before; // commands, in the sessions before this one
  int drop_reported;       // nonzero: the event command_dropped has been published
  int ignored_reported;    // nonzero: the event command_ignored has been published
};

static enum status make_ring(struct ring *ring, size_t slots, size_t item_bytes) {
  void *mem = aligned_alloc(RING_LINE, ring_memsize(slots, item_bytes));
  ring->items = NULL;
  if (!mem)
    return STATUS_NO_MEMORY;
  ring_init(ring, mem, slots, item_bytes);
  return STATUS_OK;
}

static enum status make_slot(struct slot *slot, size_t item_bytes) {
  void *mem = aligned_alloc(RING_LINE, slot_memsize(item_bytes));
  slot->items = NULL;
  if (!mem)
    return STATUS_NO_MEMORY;
  slot_init(slot, mem, item_bytes);
  return STATUS_OK;
}

// Everything between the threads.
static enum status make_links(struct realtime *rt, struct reason *why) {
  size_t node_bytes = sizeof(struct node_frame) + (size_t)rt->run->node_count * sizeof(struct sim_node);
  enum status commands = make_ring(&rt->commands, COMMAND_SLOTS, sizeof(struct arrived_command));
  enum status newest = make_slot(&rt->newest, sizeof(struct arrived_command));
  enum status orders = make_ring(&rt->orders, ORDER_SLOTS, sizeof(struct order));
  enum status frames = make_ring(&rt->frames, FRAME_SLOTS, sizeof(struct frame));
  enum status nodes = make_ring(&rt->nodes, NODE_SLOTS, node_bytes);
  if (commands || newest || orders || frames || nodes)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the rings between the threads");
  return wake_open(&rt->wake, why);
}

static void free_links(struct realtime *rt) {
  wake_close(&rt->wake);
  free(rt->commands.items);
  free(rt->newest.items);
  free(rt->orders.items);
  free(rt->frames.items);
  free(rt->nodes.items);
}

// A field bus hands a command over at once.
static uint64_t moment_of_receipt(const struct server *server) {
  uint64_t message_ns = server_message_ns(server);
  return message_ns ? message_ns : os_now_ns();
}

// The next step uses the newest command, however many have come.
static void report_dropped_commands(struct realtime *rt) {
  const struct sim_output *now = &rt->run->last.output;
  rt->run->commands_dropped = rt->dropped_before + slot_replaced(&rt->newest);
  if (slot_replaced(&rt->newest) > 0 && !rt->drop_reported++)
    event_watch_log(&rt->run->watch, now->step, now->time_s, "command_dropped",
                    "more than %d commands arrived within one step: of the further ones only the newest is "
                    "kept; the summary contains their number",
                    COMMAND_SLOTS);
}

static void on_command(void *context, const struct command *command) {
  struct realtime *rt = context;
  struct run *run = rt->run;
  const struct sim_output *now = &run->last.output;
  if (run->session.config.sim.controller != CONTROLLER_EXTERNAL) {
    if (!rt->ignored_reported++)
      event_watch_log(&run->watch, now->step, now->time_s, "command_ignored",
                      "commands arrive, but controller.kind is not external: they are ignored");
    return;
  }

  const struct arrived_command arrived = {*command, moment_of_receipt(run->server), ++rt->arrived};
  struct arrived_command *place = ring_claim(&rt->commands);
  if (place) {
    *place = arrived;
    ring_commit(&rt->commands);
    return;
  }
  *(struct arrived_command *)slot_claim(&rt->newest) = arrived;
  slot_commit(&rt->newest);
  report_dropped_commands(rt);
}

static enum status on_order(void *context, const struct order *order, struct reason *why) {
  struct realtime *rt = context;
  enum status status = run_accept_order(rt->run, order, why);
  if (status != STATUS_OK)
    return status;
  struct order *place = ring_claim(&rt->orders); // the server accepts no more than fit
  if (!place)
    return fail(why, STATUS_BAD_INPUT, "too many orders at once");
  *place = *order;
  ring_commit(&rt->orders);
  run_note_order(rt->run, order);
  return STATUS_OK;
}

// A frame of the same step shows what orders have changed while no steps are made.
static void publish_frame(struct run *run, const struct frame *frame) {
  if (frame->output.step != run->last.output.step) {
    run_send_sensors(run, frame);
    run_note_hold(run, frame);
    run_publish_frame(run, frame);
    return;
  }
  run->last.timing = frame->timing;
  closed_loop_copy_orders(frame, &run->last);
  server_take_orders(run->server, &run->last);
  run_note_hold(run, frame);
}

// Handles the messages that have come. wait_ms 0: does not wait for any.
static void serve_peers(struct realtime *rt, int wait_ms) {
  struct run *run = rt->run;
  struct reason why;
  if (run->trouble != END_REACHED ||
      server_poll(run->server, wait_ms, run->last.output.step, on_command, rt, &why) == STATUS_OK)
    return;
  run_server_failed(run, &why);
  atomic_store(&rt->thread.stop, 1);
}

// After a delay several frames wait: commands are served between them.
static void publish_handed_over(struct realtime *rt) {
  const struct frame *frame;
  const struct node_frame *shape;
  while ((frame = ring_front(&rt->frames))) {
    publish_frame(rt->run, frame);
    ring_release(&rt->frames);
    if (ring_front(&rt->frames))
      serve_peers(rt, 0);
  }
  while ((shape = ring_front(&rt->nodes))) {
    run_publish_nodes(rt->run, shape->step, shape->time_s, shape->nodes);
    ring_release(&rt->nodes);
  }
}

static void report_privileges(struct realtime *rt) {
  const struct step_thread *thread = &rt->thread;
  struct run *run = rt->run;
  run->fifo = thread->priority > 0 && !*thread->no_fifo.text;
  run->locked = thread->priority > 0 && !*thread->no_lock.text;

  enum { DENIABLE = 4 };
  const char *denied[DENIABLE] = {thread->no_fifo.text, thread->no_lock.text, thread->no_cpu.text,
                                  rt->no_awake.text};
  char line[DENIABLE * sizeof thread->no_fifo.text] = "";
  for (int i = 0; i < DENIABLE; i++)
    if (*denied[i])
      snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", *line ? "; " : "", denied[i]);
  if (*line)
    console_line(&run->console, "notice: steps may be late: %s", line);
}

static void keep_house(struct realtime *rt, int done) {
  struct run *run = rt->run;
  run_beat(run);
  run_check_descriptors(run);
  run_report_checkpoints(run);
  run_report_log(run);
  run_report_snapshots(run);
  run_report_record(run);
  run_report_console(run);
  usage_watch_look(&rt->usage, &rt->thread);
  run_keep_status(run);
  if (run->pauses.now)
    run_send_nmea_not_valid(run);
  // The step thread itself ends the run after an operator's order to stop.
  if (!done && !run->stop_signal && run_stop_requested(run) && run->stop_signal != STOPPED_BY_ORDER)
    atomic_store(&rt->thread.stop, 1);
}

// Everything but the step, until the step thread has ended and all that it handed over is published. The step
// thread wakes this one after each step.
static void serve(struct realtime *rt) {
  int privileges_reported = 0, done = 0;
  while (!done) {
    serve_peers(rt, HOUSEKEEPING_MS);
    wake_silence(&rt->wake);
    done = atomic_load(&rt->thread.done); // read before the rings, which then contain everything
    if (!privileges_reported && atomic_load(&rt->thread.ready)) {
      report_privileges(rt);
      privileges_reported = 1;
    }
    publish_handed_over(rt);
    keep_house(rt, done);
  }
}

// The step thread has ended. Orders that were accepted after its last look stand in the log, too.
static void take_last_orders(struct realtime *rt) {
  struct run *run = rt->run;
  const struct sim_output *now = &run->closed_loop.frame.output;
  const struct order *order;
  while ((order = ring_front(&rt->orders))) {
    logger_order(run->logger, now->step, now->time_s, order);
    closed_loop_apply_order(&run->closed_loop, order);
    ring_release(&rt->orders);
  }
}

// The step thread has ended: takes its times, the lateness of its last step included.
static void take_results(struct realtime *rt) {
  struct run *run = rt->run;
  struct timing *timing = &run->closed_loop.frame.timing;
  run->times = rt->thread.times;
  step_thread_show(&rt->thread, timing);
  timing->dropped_frames = rt->thread.dropped_before + ring_dropped(&rt->frames);
  usage_watch_finish(&rt->usage, &rt->thread);
  run->late = rt->thread.late;
  run->halts = run->halts_before + timing->real_time.halts;
  if (timing->real_time.halts)
    run->halted_after = timing->real_time.halted_after;
  run->last = run->closed_loop.frame;
  run_note_hold(run, &run->last); // a halt in the last step, if its frame found no room
  if (run->restart.asked)         // and perhaps in vain
    run->restart.kept.any = step_thread_last_command(&rt->thread, &run->restart.kept.command);
}

static uint64_t overrun_limit(const struct config *c) {
  return c->run.overrun == OVERRUN_HALT ? (uint64_t)c->run.overrun_limit : 0;
}

static void set_up_thread(struct realtime *rt) {
  struct run *run = rt->run;
  const struct config *c = &run->session.config;
  rt->thread = (struct step_thread){.closed_loop = &run->closed_loop,
                                    .period_ns = (uint64_t)(1e9 * c->sim.step_s + 0.5),
                                    .rate = run->rate,
                                    .holds = run->pauses.count,
                                    .hold = !run->pauses.now            ? HELD_NOT
                                            : run->pauses.newest.halted ? HELD_BY_HALT
                                                                        : HELD_BY_PAUSE,
                                    .snapshots = &run->snapshots,
                                    .overrun.limit = overrun_limit(c),
                                    .steps_total = run->steps_total,
                                    .nodes_every = run->nodes_every,
                                    .timing_every = run->timing_every,
                                    .priority = c->run.realtime_priority,
                                    .cpu = c->run.cpu,
                                    .commands = &rt->commands,
                                    .newest = &rt->newest,
                                    .orders = &rt->orders,
                                    .frames = &rt->frames,
                                    .nodes = &rt->nodes,
                                    .served = &rt->wake,
                                    .pulse = &run->pulse,
                                    .checkpointer = &run->checkpointer,
                                    .logger = run->logger};
}

// The thread continues what the one before it did in the same session.
static void take_over_counts(struct realtime *rt) {
  struct run *run = rt->run;
  struct step_thread *thread = &rt->thread;
  const struct timing *before = &run->closed_loop.frame.timing;
  const struct real_time *real_time = &before->real_time;
  if (!run->restart.goes_on)
    return;
  thread->goes_on = 1;
  thread->pacer.misses = before->deadline_misses;
  thread->pacer.skipped = before->skipped_periods;
  thread->pacer.lag_ns = (uint64_t)(1e9 * before->lag_s + 0.5);
  thread->times = run->times;
  thread->late = run->late;
  thread->dropped_before = before->dropped_frames;
  thread->usage_before = (struct usage){real_time->minor_faults, real_time->major_faults, real_time->waits,
                                        real_time->preemptions};
  usage_watch_pass(thread, &thread->usage_before);
  thread->has_kept = run->restart.kept.any;
  thread->kept = run->restart.kept.command;
}

static void keep_cpus_awake(struct realtime *rt) {
  if (rt->run->session.config.run.keep_cpus_awake)
    rt->run->keeps_awake = os_keep_cpus_awake(&rt->awake_file, &rt->no_awake) == STATUS_OK;
}

static void step_and_serve(struct realtime *rt) {
  struct run *run = rt->run;
  struct os_thread thread;
  struct reason why;
  run_publish_first(run);
  server_watch(run->server, rt->wake.file);
  if (checkpointer_start_thread(&run->checkpointer, &why) != STATUS_OK ||
      os_thread_start(&thread, STACK_BYTES, step_thread_run, &rt->thread, &why) != STATUS_OK) {
    console_line(&run->console, "%s", why.text);
    run->trouble = END_THREAD;
    return;
  }
  server_on_order(run->server, on_order, rt);
  serve(rt);
  server_watch(run->server, -1);
  os_thread_join(&thread);
  take_last_orders(rt);
  take_results(rt);
}

void run_realtime(struct run *run) {
  size_t bytes = (sizeof(struct realtime) + RING_LINE - 1) / RING_LINE * RING_LINE;
  struct realtime *rt = aligned_alloc(RING_LINE, bytes);
  if (!rt) {
    console_line(&run->console, "out of memory for the real-time run");
    run->trouble = END_THREAD;
    return;
  }
  memset(rt, 0, bytes);
  rt->run = run;
  rt->dropped_before = run->commands_dropped;
  rt->wake.file = -1;
  rt->awake_file = -1;
  struct reason why;
  if (make_links(rt, &why) == STATUS_OK) {
    set_up_thread(rt);
    take_over_counts(rt);
    keep_cpus_awake(rt);
    step_and_serve(rt);
    os_let_cpus_sleep(rt->awake_file);
  } else {
    console_line(&run->console, "%s", why.text);
    run->trouble = END_THREAD;
  }
  free_links(rt);
  free(rt);
}
