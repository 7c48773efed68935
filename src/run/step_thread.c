#include "run/step_thread.h"

#include <string.h>

enum { START_DELAY_NS = 2000000 };

// The newest of the commands that have come, copied out of the ring.
static const struct command *take_newest_command(struct step_thread *l, struct command *newest) {
  const struct command *next;
  int any = 0;
  const struct sim_output *now = &l->closed_loop->frame.output;
  while ((next = ring_front(l->commands))) {
    if (any)
      logger_superseded(l->logger, now->step, now->time_s, newest);
    *newest = *next;
    any = 1;
    ring_release(l->commands);
  }
  return any ? newest : NULL;
}

static void take_orders(struct step_thread *l) {
  const struct order *order;
  const struct sim_output *now = &l->closed_loop->frame.output;
  while ((order = ring_front(l->orders))) {
    closed_loop_order(l->closed_loop, order);
    logger_order(l->logger, now->step, now->time_s, order);
    ring_release(l->orders);
  }
}

// Before the step, so that its verdicts see what has been lost until it began.
static void book_lateness(struct step_thread *l) {
  struct timing *t = &l->closed_loop->frame.timing;
  t->deadline_misses = l->pacer.misses;
  t->skipped_periods = l->pacer.skipped;
  t->lag_s = pacer_lag_s(&l->pacer);
}

static void book_times(struct step_thread *l, uint64_t begin_ns, uint64_t wakeup_ns) {
  struct timing *t = &l->closed_loop->frame.timing;
  uint64_t step_ns = os_now_ns() - begin_ns;
  histogram_add(&l->times.step_ns, step_ns);
  histogram_add(&l->times.wakeup_ns, wakeup_ns);
  t->step_us = 1e-3 * (double)step_ns;
  t->wakeup_us = 1e-3 * (double)wakeup_ns;
  t->dropped_frames = ring_dropped(l->frames);
  if (l->closed_loop->frame.output.step % l->timing_every == 0)
    times_fill(&l->times, t);
}

static void hand_over_frame(struct step_thread *l) {
  struct frame *place = ring_claim(l->frames);
  if (!place)
    return; // the ring has counted it
  *place = l->closed_loop->frame;
  ring_commit(l->frames);
}

static void hand_over_nodes(struct step_thread *l) {
  const struct sim_output *output = &l->closed_loop->frame.output;
  if (!l->nodes_every || output->step % l->nodes_every != 0)
    return;
  struct node_frame *place = ring_claim(l->nodes);
  if (!place)
    return;
  place->step = output->step;
  place->time_s = output->time_s;
  sim_get_nodes(l->closed_loop->sim, place->nodes);
  ring_commit(l->nodes);
}

void step_thread_start_pacing(struct step_thread *l) {
  pacer_init(&l->pacer, os_now_ns() + START_DELAY_NS, l->period_ns);
  times_clear(&l->times);
}

void step_thread_wait(struct step_thread *l) {
  os_sleep_until_ns(pacer_due_ns(&l->pacer));
}

void step_thread_work(struct step_thread *l) OS_NONBLOCKING {
  struct command command;
  uint64_t begin_ns = os_now_ns();
  uint64_t wakeup_ns = pacer_begin(&l->pacer, begin_ns);
  book_lateness(l);
  take_orders(l);
  closed_loop_step(l->closed_loop, take_newest_command(l, &command));
  book_times(l, begin_ns, wakeup_ns);
  hand_over_frame(l);
  hand_over_nodes(l);
  checkpointer_offer(l->checkpointer, l->closed_loop);
  logger_step(l->logger, l->closed_loop);
  pacer_end(&l->pacer, os_now_ns());
  logger_prefetch(l->logger);
}

// Asked for by the thread itself, when all that it touches exists. The order matters: memory is brought in
// first, at normal priority.
static void ask_for_privileges(struct step_thread *l) {
  if (l->cpu >= 0)
    os_set_cpu(l->cpu, &l->no_cpu);
  if (l->priority > 0) {
    os_lock_memory(&l->no_lock);
    os_set_fifo_priority(l->priority, &l->no_fifo);
  }
  atomic_store(&l->ready, 1);
}

static int goes_on(const struct step_thread *l) {
  const struct sim_output *output = &l->closed_loop->frame.output;
  return !output->fault && !atomic_load_explicit(&l->stop, memory_order_relaxed) &&
         (!l->steps_total || output->step < l->steps_total);
}

void step_thread_run(void *step_thread) {
  struct step_thread *l = step_thread;
  ask_for_privileges(l);
  step_thread_start_pacing(l);
  while (goes_on(l)) {
    step_thread_wait(l);
    step_thread_work(l);
  }
  atomic_store(&l->done, 1);
}
