// Mode realtime: one simulated second takes one second. The step has a thread of its own (host_internal.h);
// this thread, the program's main one, owns the sockets, the files and the terminal. Rings connect the two.
#include "run/host/host_internal.h"

#include "os/process/process.h"
#include "sagbend/events/events.h"
#include "sagbend/loop/loop.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Passes what the step thread is to show of its usage.
static void usage_watch_pass(struct step_thread *thread, const struct usage *since_start) {
  struct usage_seen *seen = &thread->seen;
  atomic_store_explicit(&seen->minor_faults, since_start->minor_faults, memory_order_relaxed);
  atomic_store_explicit(&seen->major_faults, since_start->major_faults, memory_order_relaxed);
  atomic_store_explicit(&seen->waits, since_start->waits, memory_order_relaxed);
  atomic_store_explicit(&seen->preemptions, since_start->preemptions, memory_order_relaxed);
}

// Call as often as convenient while the step thread runs and is ready.
static void usage_watch_look(struct usage_watch *watch, struct step_thread *thread) {
  uint64_t now_ns = os_now_ns();
  if (now_ns < watch->next_ns || !atomic_load(&thread->ready))
    return;
  if (!watch->next_ns)
    usage_open(&watch->reader, thread->number, NULL); // without /proc the numbers come at the end only
  watch->next_ns = now_ns + WATCH_PERIOD_NS;

  struct usage usage;
  if (!usage_read(&watch->reader, &usage))
    return;
  usage = usage_since(&usage, &thread->at_start);
  usage = usage_sum(&usage, &thread->usage_before);
  usage_watch_pass(thread, &usage);
}

// After the step thread has ended: the exact numbers go into its last frame.
static void usage_watch_finish(struct usage_watch *watch, struct step_thread *thread) {
  struct real_time *out = &thread->engine->loop.frame.timing.real_time;
  if (watch->next_ns)
    usage_close(&watch->reader);
  out->minor_faults = thread->usage.minor_faults;
  out->major_faults = thread->usage.major_faults;
  out->waits = thread->usage.waits;
  out->preemptions = thread->usage.preemptions;
}

enum {
  HOUSEKEEPING_MS = 100, // at most, between looks at signals, log and checkpoints; frames come by wake
  STACK_BYTES = 1024 * 1024
};

// A frame of the same step shows what orders have changed while no steps are made.
static void publish_frame(struct host *host, const struct frame *frame) {
  if (frame->output.step != host->session->last.output.step) {
    session_send_sensors(host->session, frame);
    host_note_hold(host, frame);
    session_publish_frame(host->session, frame);
    return;
  }
  host->session->last.timing = frame->timing;
  closed_loop_copy_orders(frame, &host->session->last);
  server_take_orders(host->outlets.server, &host->session->last);
  host_note_hold(host, frame);
}

static void realtime_take_command(void *context, const struct command *command);

// Handles the messages that have come. wait_ms 0: does not wait for any.
static void serve_peers(struct realtime *rt, int wait_ms) {
  struct host *host = rt->host;
  struct reason why;
  if (host->session->stop.trouble != END_REACHED ||
      server_poll(host->outlets.server, wait_ms, host->session->last.output.step, realtime_take_command, rt,
                  &why) == STATUS_OK)
    return;
  session_server_failed(host->session, &why);
  atomic_store(&rt->thread.stop, 1);
}

// After a delay several frames wait: commands are served between them.
static void publish_handed_over(struct realtime *rt) {
  const struct frame *frame;
  const struct node_frame *shape;
  while ((frame = ring_front(&rt->frames))) {
    publish_frame(rt->host, frame);
    ring_release(&rt->frames);
    if (ring_front(&rt->frames))
      serve_peers(rt, 0);
  }
  while ((shape = ring_front(&rt->nodes))) {
    session_publish_nodes(rt->host->session, shape->step, shape->time_s, shape->count, shape->nodes);
    ring_release(&rt->nodes);
  }
}

static void realtime_watch_priorities(struct realtime *rt);

static void keep_house(struct realtime *rt, int done) {
  struct host *host = rt->host;
  host_beat(host);
  host_check_descriptors(host);
  session_report_checkpoints(host->session);
  session_report_log(host->session);
  host_report_snapshots(host);
  session_report_record(host->session);
  session_report_console(host->session);
  usage_watch_look(&rt->usage, &rt->thread);
  kernel_watch_look(&rt->kernel, host, &rt->thread);
  realtime_watch_priorities(rt);
  host_keep_status(host);
  if (host->pauses.now)
    session_send_nmea_not_valid(host->session);
  // The step thread itself ends the run after an operator's order to stop.
  if (!done && !host->session->stop.signal && session_stop_requested(host->session) &&
      host->session->stop.signal != STOPPED_BY_ORDER)
    atomic_store(&rt->thread.stop, 1);
}

static void realtime_take_privileges(struct realtime *rt);

// Everything but the step, until the step thread has ended and all that it handed over is published. The step
// thread wakes this one after each step.
static void serve(struct realtime *rt) {
  int privileges_reported = 0, done = 0;
  while (!done) {
    serve_peers(rt, HOUSEKEEPING_MS);
    wake_silence(&rt->wake);
    done = atomic_load(&rt->thread.done); // read before the rings, which then contain everything
    if (!privileges_reported && atomic_load(&rt->thread.ready)) {
      realtime_take_privileges(rt);
      privileges_reported = 1;
    }
    publish_handed_over(rt);
    keep_house(rt, done);
  }
}

// The step thread has ended. Orders that were accepted after its last look stand in the log, too.
static void take_last_orders(struct realtime *rt) {
  struct host *host = rt->host;
  const struct sim_output *now = &host->session->engine.loop.frame.output;
  const struct order *order;
  while ((order = ring_front(&rt->orders))) {
    logger_order(host->session->logger, now->step, now->time_s, order);
    engine_order(&host->session->engine, order);
    ring_release(&rt->orders);
  }
}

// The step thread has ended: takes its times, the lateness of its last step included.
static void take_results(struct realtime *rt) {
  struct host *host = rt->host;
  struct timing *timing = &host->session->engine.loop.frame.timing;
  host->session->times = rt->thread.times;
  step_thread_show(&rt->thread, timing);
  timing->dropped_frames = rt->thread.dropped_before + ring_dropped(&rt->frames);
  usage_watch_finish(&rt->usage, &rt->thread);
  host->session->late = rt->thread.late;
  host->next.followed = rt->thread.followed;
  host->session->last = host->session->engine.loop.frame;
  host_note_hold(host, &host->session->last); // a halt in the last step, if its frame found no room
  if (host->next.asked)                       // and perhaps in vain
    host->next.kept.any =
        step_thread_last_command(&rt->thread, &host->next.kept.command, &host->next.kept.alarms);
}

static uint64_t overrun_limit(const struct config *c) {
  return c->run.overrun == OVERRUN_HALT ? (uint64_t)c->run.overrun_limit : 0;
}

static void set_up_thread(struct realtime *rt) {
  struct host *host = rt->host;
  const struct config *c = &host->setup.config;
  rt->thread =
      (struct step_thread){.engine = &host->session->engine,
                           .period_ns = (uint64_t)(1e9 * c->sim.step_s + 0.5),
                           .rate = host->rate,
                           .holds = host->pauses.count,
                           .hold = host_hold(host),
                           .snapshots = &host->snapshots,
                           .overrun.limit = overrun_limit(c),
                           .steps_total = host->session->steps_total,
                           .nodes_every = host->session->nodes_every,
                           .timing_every = host->session->timing_every,
                           .spin_ns = (uint64_t)(1e9 * c->run.spin_s + 0.5),
                           .clock = c->run.clock,
                           .first_due_utc_ns = host->next.goes_on ? 0 : host->session->first_due_utc_ns,
                           .is_stamped = host->session->clock_start_utc_ns != 0,
                           .priority = c->run.realtime_priority,
                           .cpu = c->run.cpu,
                           .links.commands = &rt->commands,
                           .links.newest = &rt->newest,
                           .links.orders = &rt->orders,
                           .links.frames = &rt->frames,
                           .links.nodes = &rt->nodes,
                           .links.served = &rt->wake,
                           .pulse = &host->pulse,
                           .checkpointer = &host->outlets.checkpointer,
                           .logger = host->session->logger};
  struct kernel_clock kernel;
  kernel_clock_read(&kernel);
  if (c->run.clock == RIG_CLOCK_UTC && kernel.tai_offset_s)
    console_line(&host->outlets.console,
                 "notice: real_time.clock: the kernel knows TAI, which has no leap seconds; tai follows it");
  if (c->run.clock == RIG_CLOCK_TAI)
    rt->thread.tai_offset_ns = (uint64_t)kernel.tai_offset_s * 1000000000;
}

// The thread continues what the one before it did in the same session.
static void take_over_counts(struct realtime *rt) {
  struct host *host = rt->host;
  struct step_thread *thread = &rt->thread;
  const struct timing *before = &host->session->engine.loop.frame.timing;
  const struct real_time *real_time = &before->real_time;
  if (!host->next.goes_on)
    return;
  thread->goes_on = 1;
  thread->pacer.misses = before->late_steps;
  thread->pacer.skipped = before->lost_periods;
  thread->pacer.lag_ns = (uint64_t)(1e9 * before->lag_s + 0.5);
  thread->followed = host->next.followed;
  thread->times = host->session->times;
  thread->late = host->session->late;
  thread->dropped_before = before->dropped_frames;
  thread->usage_before = (struct usage){real_time->minor_faults, real_time->major_faults, real_time->waits,
                                        real_time->preemptions};
  usage_watch_pass(thread, &thread->usage_before);
  thread->has_kept = host->next.kept.any;
  thread->kept = host->next.kept.command;
  thread->kept_alarms = host->next.kept.alarms;
}

static void realtime_give_back_priority(void);

static enum status realtime_take_order(void *context, const struct order *order, struct reason *why);

static void step_and_serve(struct realtime *rt) {
  struct host *host = rt->host;
  struct os_thread thread;
  struct reason why;
  host_publish_first(host);
  server_watch(host->outlets.server, rt->wake.file);
  if (checkpointer_start_thread(&host->outlets.checkpointer, &why) != STATUS_OK ||
      os_thread_start(&thread, STACK_BYTES, step_thread_run, &rt->thread, &why) != STATUS_OK) {
    console_line(&host->outlets.console, "%s", why.text);
    host->session->stop.trouble = END_THREAD;
    return;
  }
  server_on_order(host->outlets.server, realtime_take_order, rt);
  serve(rt);
  realtime_give_back_priority();
  server_watch(host->outlets.server, -1);
  os_thread_join(&thread);
  take_last_orders(rt);
  take_results(rt);
}

static void realtime_free_links(struct realtime *rt);

static void realtime_keep_cpus_awake(struct realtime *rt);

static void realtime_let_cpus_sleep(struct realtime *rt);

static enum status realtime_make_links(struct realtime *rt, struct reason *why);

void host_run_realtime(struct host *host) {
  size_t bytes = (sizeof(struct realtime) + RING_LINE - 1) / RING_LINE * RING_LINE;
  struct realtime *rt = aligned_alloc(RING_LINE, bytes);
  if (!rt) {
    console_line(&host->outlets.console, "out of memory for the real-time run");
    host->session->stop.trouble = END_THREAD;
    return;
  }
  memset(rt, 0, bytes);
  rt->host = host;
  rt->dropped_before = host->commands_dropped;
  rt->wake.file = -1;
  rt->awake_file = -1;
  struct reason why;
  if (realtime_make_links(rt, &why) == STATUS_OK) {
    set_up_thread(rt);
    take_over_counts(rt);
    realtime_keep_cpus_awake(rt);
    step_and_serve(rt);
    realtime_let_cpus_sleep(rt);
  } else {
    console_line(&host->outlets.console, "%s", why.text);
    host->session->stop.trouble = END_THREAD;
  }
  realtime_free_links(rt);
  free(rt);
}

// ------------------------------------------------------------
// What connects the step thread with the main thread, and how commands and orders reach it.

enum {
  COMMAND_SLOTS = 64,
  ORDER_SLOTS = 64, // more than the server lets wait
  FRAME_SLOTS = 1024,
  NODE_SLOTS = 16
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

// Everything between the threads. Release with realtime_free_links in every case.
static enum status realtime_make_links(struct realtime *rt, struct reason *why) {
  size_t node_bytes =
      sizeof(struct node_frame) + (size_t)rt->host->session->node_count * sizeof(struct sim_node);
  enum status commands = make_ring(&rt->commands, COMMAND_SLOTS, sizeof(struct arrived_command));
  enum status newest = make_slot(&rt->newest, sizeof(struct arrived_command));
  enum status orders = make_ring(&rt->orders, ORDER_SLOTS, sizeof(struct order));
  enum status frames = make_ring(&rt->frames, FRAME_SLOTS, sizeof(struct frame));
  enum status nodes = make_ring(&rt->nodes, NODE_SLOTS, node_bytes);
  if (commands || newest || orders || frames || nodes)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the rings between the threads");
  return wake_open(&rt->wake, why);
}

static void realtime_free_links(struct realtime *rt) {
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
  const struct sim_output *now = &rt->host->session->last.output;
  rt->host->commands_dropped = rt->dropped_before + slot_replaced(&rt->newest);
  if (slot_replaced(&rt->newest) > 0 && !rt->drop_reported++)
    event_watch_log(&rt->host->session->watch, now->step, now->time_s, EVENT_NAME(command_dropped),
                    "more than %zu commands arrived within one step: of the further ones only the newest is "
                    "kept; the summary contains their number",
                    rt->commands.capacity);
}

static void realtime_take_command(void *context, const struct command *command) {
  struct realtime *rt = context;
  struct host *host = rt->host;
  const struct sim_output *now = &host->session->last.output;
  if (host->setup.config.sim.controller != CONTROLLER_EXTERNAL) {
    if (!rt->ignored_reported++)
      event_watch_log(&host->session->watch, now->step, now->time_s, EVENT_NAME(command_ignored),
                      "commands arrive, but controller.kind is not external: they are ignored");
    return;
  }

  const struct arrived_command arrived = {*command, *server_message_alarms(host->outlets.server),
                                          moment_of_receipt(host->outlets.server), ++rt->arrived};
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

// Hands over what the server has accepted: as the server's callbacks, context is the struct realtime.
static enum status realtime_take_order(void *context, const struct order *order, struct reason *why) {
  struct realtime *rt = context;
  enum status status = host_accept_order(rt->host, order, why);
  if (status != STATUS_OK)
    return status;
  struct order *place = ring_claim(&rt->orders); // the server accepts no more than fit
  if (!place)
    return fail(why, STATUS_BAD_INPUT, "too many orders at once");
  *place = *order;
  ring_commit(&rt->orders);
  host_note_order(rt->host, order);
  return STATUS_OK;
}

// ------------------------------------------------------------
// What a run in mode realtime asks of the system, and what the system denies.

static void realtime_keep_cpus_awake(struct realtime *rt) {
  if (rt->host->setup.config.run.keep_cpus_awake)
    rt->host->privileges.cpus_awake = os_keep_cpus_awake(&rt->awake_file, &rt->no_awake) == STATUS_OK;
}

// Before the steps: keeps the processors awake. Afterwards: lets them sleep.
static void realtime_let_cpus_sleep(struct realtime *rt) {
  os_let_cpus_sleep(rt->awake_file);
}

// Never without that of the step thread, which it would then keep from its work.
static void raise_serving(struct realtime *rt) {
  const struct config *c = &rt->host->setup.config;
  int below = c->run.realtime_priority - 1;
  int own = c->run.serving_priority < below ? c->run.serving_priority : below;
  if (rt->host->privileges.fifo && own > 0)
    rt->host->privileges.serving_fifo = serving_raise(own, &rt->no_serving) == STATUS_OK;
  if (c->run.serving_cpu >= 0)
    serving_bind(c->run.serving_cpu, &rt->no_serving_cpu);
}

static void report_denied(struct realtime *rt) {
  const struct step_thread *thread = &rt->thread;
  struct host *host = rt->host;
  enum { DENIABLE = 6 };
  const char *denied[DENIABLE] = {thread->no_fifo.text, thread->no_lock.text, thread->no_cpu.text,
                                  rt->no_awake.text,    rt->no_serving.text,  rt->no_serving_cpu.text};
  char line[DENIABLE * sizeof thread->no_fifo.text] = "";
  for (int i = 0; i < DENIABLE; i++)
    if (*denied[i])
      snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", *line ? "; " : "", denied[i]);
  if (*line)
    console_line(&host->outlets.console, "notice: steps may be late: %s", line);
}

// Once the step thread is ready: the main thread, which serves the sockets, gets its priority, below that of
// the step thread; what the system denied becomes a line. It gives it back when the steps have ended.
static void realtime_take_privileges(struct realtime *rt) {
  const struct step_thread *thread = &rt->thread;
  struct host *host = rt->host;
  host->privileges.fifo = thread->priority > 0 && !*thread->no_fifo.text;
  host->privileges.locked = thread->priority > 0 && !*thread->no_lock.text;
  rt->losses_reported = serving_losses();
  raise_serving(rt);
  report_denied(rt);
}

static void realtime_give_back_priority(void) {
  serving_lower();
}

// While the steps go on: reports whether the main thread has lost the priority because it was busy.
static void realtime_watch_priorities(struct realtime *rt) {
  const struct sim_output *now = &rt->host->session->last.output;
  unsigned losses = serving_losses();
  if (losses == rt->losses_reported)
    return;
  rt->losses_reported = losses;
  event_watch_log(
      &rt->host->session->watch, now->step, now->time_s, EVENT_NAME(priority_lost),
      "the thread of the sockets computed for %d ms without a wait: it goes on without SCHED_FIFO",
      SERVING_BUSY_MS);
}
