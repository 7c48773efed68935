#include "host/usage_watch.h"

static const uint64_t EVERY_NS = 1000000000;

void usage_watch_pass(struct step_thread *thread, const struct usage *since_start) {
  struct usage_seen *seen = &thread->seen;
  atomic_store_explicit(&seen->minor_faults, since_start->minor_faults, memory_order_relaxed);
  atomic_store_explicit(&seen->major_faults, since_start->major_faults, memory_order_relaxed);
  atomic_store_explicit(&seen->waits, since_start->waits, memory_order_relaxed);
  atomic_store_explicit(&seen->preemptions, since_start->preemptions, memory_order_relaxed);
}

void usage_watch_look(struct usage_watch *watch, struct step_thread *thread) {
  uint64_t now_ns = os_now_ns();
  if (now_ns < watch->next_ns || !atomic_load(&thread->ready))
    return;
  if (!watch->next_ns)
    usage_open(&watch->reader, thread->number, NULL); // without /proc the numbers come at the end only
  watch->next_ns = now_ns + EVERY_NS;

  struct usage usage;
  if (!usage_read(&watch->reader, &usage))
    return;
  usage = usage_since(&usage, &thread->at_start);
  usage = usage_sum(&usage, &thread->usage_before);
  usage_watch_pass(thread, &usage);
}

void usage_watch_finish(struct usage_watch *watch, struct step_thread *thread) {
  struct real_time *out = &thread->closed_loop->frame.timing.real_time;
  if (watch->next_ns)
    usage_close(&watch->reader);
  out->minor_faults = thread->usage.minor_faults;
  out->major_faults = thread->usage.major_faults;
  out->waits = thread->usage.waits;
  out->preemptions = thread->usage.preemptions;
}
