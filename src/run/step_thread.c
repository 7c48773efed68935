#include "run/step_thread.h"

#include <string.h>

enum { START_DELAY_NS = 2000000 };

// Copies the newest command out of the ring and logs the older ones as superseded. NULL: none has arrived.
static const struct command *take_newest_command(struct step_thread *thread, struct command *newest) {
  const struct sim_output *now = &thread->closed_loop->frame.output;
  const struct command *next;
  int any = 0;

  while ((next = ring_front(thread->commands))) {
    if (any)
      logger_superseded(thread->logger, now->step, now->time_s, newest);
    *newest = *next;
    any = 1;
    ring_release(thread->commands);
  }
  return any ? newest : NULL;
}

static void apply_orders(struct step_thread *thread) {
  const struct sim_output *now = &thread->closed_loop->frame.output;
  const struct order *order;

  while ((order = ring_front(thread->orders))) {
    closed_loop_apply_order(thread->closed_loop, order);
    logger_order(thread->logger, now->step, now->time_s, order);
    ring_release(thread->orders);
  }
}

// Called before the step, so that its verdicts see the time lost until it began.
static void update_lateness(struct step_thread *thread) {
  struct timing *timing = &thread->closed_loop->frame.timing;
  timing->deadline_misses = thread->pacer.misses;
  timing->skipped_periods = thread->pacer.skipped;
  timing->lag_s = pacer_lag_s(&thread->pacer);
}

static void update_step_times(struct step_thread *thread, uint64_t begin_ns, uint64_t wakeup_ns) {
  struct timing *timing = &thread->closed_loop->frame.timing;
  uint64_t step_ns = os_now_ns() - begin_ns;

  histogram_add(&thread->times.step_ns, step_ns);
  histogram_add(&thread->times.wakeup_ns, wakeup_ns);
  timing->step_us = 1e-3 * (double)step_ns;
  timing->wakeup_us = 1e-3 * (double)wakeup_ns;
  timing->dropped_frames = ring_dropped(thread->frames);

  if (thread->closed_loop->frame.output.step % thread->timing_every == 0)
    times_fill(&thread->times, timing);
}

static void hand_over_frame(struct step_thread *thread) {
  struct frame *place = ring_claim(thread->frames);
  if (!place)
    return; // full: the ring counts the dropped frame
  *place = thread->closed_loop->frame;
  ring_commit(thread->frames);
}

static void hand_over_nodes(struct step_thread *thread) {
  const struct sim_output *output = &thread->closed_loop->frame.output;
  if (!thread->nodes_every || output->step % thread->nodes_every != 0)
    return;

  struct node_frame *place = ring_claim(thread->nodes);
  if (!place)
    return;
  place->step = output->step;
  place->time_s = output->time_s;
  sim_get_nodes(thread->closed_loop->sim, place->nodes);
  ring_commit(thread->nodes);
}

static void wake_server(const struct step_thread *thread) {
  if (thread->served)
    wake_ring(thread->served);
}

void step_thread_start_pacing(struct step_thread *thread) {
  pacer_init(&thread->pacer, os_now_ns() + START_DELAY_NS, thread->period_ns);
  times_clear(&thread->times);
}

void step_thread_wait(struct step_thread *thread) {
  os_sleep_until_ns(pacer_due_ns(&thread->pacer));
}

void step_thread_work(struct step_thread *thread) {
  struct command command;
  uint64_t begin_ns = os_now_ns();
  uint64_t wakeup_ns = pacer_begin(&thread->pacer, begin_ns);

  update_lateness(thread);
  apply_orders(thread);
  const struct command *newest = take_newest_command(thread, &command);

  closed_loop_step(thread->closed_loop, newest);
  update_step_times(thread, begin_ns, wakeup_ns);

  hand_over_frame(thread);
  hand_over_nodes(thread);
  wake_server(thread);
  checkpointer_offer(thread->checkpointer, thread->closed_loop);
  logger_step(thread->logger, thread->closed_loop);

  pacer_end(&thread->pacer, os_now_ns());
  logger_prefetch(thread->logger);
}

// The thread requests its privileges itself, when all memory that it touches exists: memory is locked first,
// still at normal priority.
static void request_privileges(struct step_thread *thread) {
  if (thread->cpu >= 0)
    os_set_cpu(thread->cpu, &thread->no_cpu);
  if (thread->priority > 0) {
    os_lock_memory(&thread->no_lock);
    os_set_fifo_priority(thread->priority, &thread->no_fifo);
  }
  atomic_store(&thread->ready, 1);
  wake_server(thread);
}

static int may_step(const struct step_thread *thread) {
  const struct sim_output *output = &thread->closed_loop->frame.output;
  return !output->fault && !atomic_load_explicit(&thread->stop, memory_order_relaxed) &&
         (!thread->steps_total || output->step < thread->steps_total);
}

void step_thread_run(void *step_thread) {
  struct step_thread *thread = step_thread;
  os_name_thread("step");
  request_privileges(thread);
  step_thread_start_pacing(thread);
  while (may_step(thread)) {
    pulse_beat(&thread->pulse->step_beats);
    step_thread_wait(thread);
    step_thread_work(thread);
  }
  atomic_store(&thread->done, 1);
  wake_server(thread);
}
