// realtime: the step has a thread of its own (step_thread.h); this thread owns the sockets, the files and the
// terminal.
#include "run/run.h"
#include "run/step_thread.h"

#include "rt/os.h"

#include <stdlib.h>
#include <string.h>

enum {
  POLL_MS = 1,
  COMMAND_SLOTS = 64,
  ORDER_SLOTS = 32,
  FRAME_SLOTS = 1024,
  NODE_SLOTS = 16,
  STACK_BYTES = 1024 * 1024
};

struct realtime {
  struct run *run;
  struct ring commands, orders, frames, nodes;
  struct step_thread loop;
  int told_ignored;
};

static enum status make_ring(struct ring *ring, size_t slots, size_t item_bytes) {
  size_t bytes = ring_memsize(slots, item_bytes);
  void *mem = aligned_alloc(RING_LINE, bytes);
  ring->items = NULL;
  if (!mem)
    return STATUS_NO_MEMORY;
  ring_init(ring, mem, slots, item_bytes);
  return STATUS_OK;
}

static enum status make_rings(struct realtime *rt) {
  size_t node_bytes = sizeof(struct node_frame) + (size_t)rt->run->node_count * sizeof(struct sim_node);
  enum status c = make_ring(&rt->commands, COMMAND_SLOTS, sizeof(struct command));
  enum status o = make_ring(&rt->orders, ORDER_SLOTS, sizeof(struct order));
  enum status f = make_ring(&rt->frames, FRAME_SLOTS, sizeof(struct frame));
  enum status n = make_ring(&rt->nodes, NODE_SLOTS, node_bytes);
  return c || o || f || n ? STATUS_NO_MEMORY : STATUS_OK;
}

static void on_command(void *context, const struct command *c) {
  struct realtime *rt = context;
  struct run *r = rt->run;
  if (r->session.config.sim.controller != CONTROLLER_EXTERNAL) {
    if (!rt->told_ignored++)
      event_watch_log(&r->watch, r->last.output.step, r->last.output.time_s, "command_ignored",
                      "commands come, but the configuration's controller is not external");
    return;
  }
  struct command *place = ring_claim(&rt->commands);
  if (!place) { // the step thread has stood still for many commands; the ring counts what finds no room
    if (ring_dropped(&rt->commands) == 1)
      event_watch_log(&r->watch, r->last.output.step, r->last.output.time_s, "command_dropped",
                      "the step thread stands still: accepted commands find no room");
    return;
  }
  *place = *c;
  ring_commit(&rt->commands);
}

static int on_order(void *context, const struct order *order, int stop) {
  struct realtime *rt = context;
  struct order *place = stop ? NULL : ring_claim(&rt->orders);
  rt->run->stop_ordered |= stop;
  if (!place)
    return stop;
  *place = *order;
  ring_commit(&rt->orders);
  return 1;
}

static void drain(struct realtime *rt) {
  const struct frame *frame;
  const struct node_frame *n;
  while ((frame = ring_front(&rt->frames))) {
    run_frame(rt->run, frame);
    ring_release(&rt->frames);
  }
  while ((n = ring_front(&rt->nodes))) {
    run_nodes(rt->run, n->step, n->time_s, n->nodes);
    ring_release(&rt->nodes);
  }
}

static void tell_privileges(struct realtime *rt) {
  const struct step_thread *l = &rt->loop;
  struct run *r = rt->run;
  r->fifo = l->priority > 0 && !*l->no_fifo.text;
  r->locked = l->priority > 0 && !*l->no_lock.text;
  const char *reasons[] = {l->no_fifo.text, l->no_lock.text, l->no_cpu.text};
  char line[3 * sizeof l->no_fifo.text] = "";
  for (int i = 0; i < 3; i++)
    if (*reasons[i])
      snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", *line ? "; " : "", reasons[i]);
  if (*line)
    console_line(&r->console, "notice: steps may be late: %s", line);
}

// Everything but the step, until the step thread has ended and all that it handed over is out.
static void serve(struct realtime *rt) {
  struct run *r = rt->run;
  int told = 0;
  for (;;) {
    int done = atomic_load(&rt->loop.done); // asked first: then what is drained below is all
    if (!told && atomic_load(&rt->loop.ready)) {
      tell_privileges(rt);
      told = 1;
    }
    struct reason why;
    if (r->trouble == END_REACHED &&
        server_poll(r->server, POLL_MS, r->last.output.step, on_command, rt, &why) != STATUS_OK) {
      run_server_failed(r, &why);
      atomic_store(&rt->loop.stop, 1);
    }
    drain(rt);
    run_watch_descriptors(r);
    run_tell_checkpoints(r);
    run_tell_log(r);
    if (done)
      return;
    if (!r->stop_signal && run_stop_requested(r))
      atomic_store(&rt->loop.stop, 1);
  }
}

static void take_results(struct realtime *rt) {
  struct run *r = rt->run;
  struct timing timing = r->closed_loop.frame.timing;
  r->times = rt->loop.times;
  timing.deadline_misses = rt->loop.pacer.misses; // the last step's end included
  timing.skipped_periods = rt->loop.pacer.skipped;
  timing.lag_s = pacer_lag_s(&rt->loop.pacer);
  timing.dropped_frames = ring_dropped(&rt->frames);
  if (ring_dropped(&rt->commands) > 0)
    event_watch_log(&r->watch, r->last.output.step, r->last.output.time_s, "command_dropped",
                    "%llu commands in all", (unsigned long long)ring_dropped(&rt->commands));
  r->closed_loop.frame.timing = timing;
  closed_loop_judge_end(&r->closed_loop);
  r->last = r->closed_loop.frame;
  event_watch_finish(&r->watch, &r->last);
}

static void set_up_loop(struct realtime *rt) {
  const struct run *r = rt->run;
  const struct config *c = &r->session.config;
  rt->loop.closed_loop = &rt->run->closed_loop;
  rt->loop.period_ns = (uint64_t)(1e9 * c->sim.step_s + 0.5);
  rt->loop.steps_total = r->steps_total;
  rt->loop.nodes_every = r->nodes_every;
  rt->loop.timing_every = r->timing_every;
  rt->loop.priority = c->run.realtime_priority;
  rt->loop.cpu = c->run.cpu;
  rt->loop.commands = &rt->commands;
  rt->loop.orders = &rt->orders;
  rt->loop.frames = &rt->frames;
  rt->loop.nodes = &rt->nodes;
  rt->loop.checkpointer = &rt->run->checkpointer;
  rt->loop.logger = rt->run->logger;
}

static void step_and_serve(struct realtime *rt) {
  struct os_thread thread;
  struct reason why;
  run_first_frame(rt->run);
  if (checkpointer_start_thread(&rt->run->checkpointer, &why) != STATUS_OK ||
      os_thread_start(&thread, STACK_BYTES, step_thread_run, &rt->loop, &why) != STATUS_OK) {
    console_line(&rt->run->console, "%s", why.text);
    rt->run->trouble = END_THREAD;
    return;
  }
  server_on_order(rt->run->server, on_order, rt);
  serve(rt);
  os_thread_join(&thread);
  take_results(rt);
}

void run_realtime(struct run *r) {
  size_t bytes = (sizeof(struct realtime) + RING_LINE - 1) / RING_LINE * RING_LINE;
  struct realtime *rt = aligned_alloc(RING_LINE, bytes);
  if (rt) {
    memset(rt, 0, bytes);
    rt->run = r;
  }
  if (rt && make_rings(rt) == STATUS_OK) {
    set_up_loop(rt);
    step_and_serve(rt);
  } else {
    console_line(&r->console, "out of memory for the rings between the threads");
    r->trouble = END_THREAD;
  }
  if (rt) {
    free(rt->commands.items);
    free(rt->orders.items);
    free(rt->frames.items);
    free(rt->nodes.items);
  }
  free(rt);
}
