// The clock of a rig, beside the step thread: what the kernel knows of UTC, asked by the main thread.
#include "run/host/host_internal.h"

#include "os/process/process.h"

#include <math.h>

enum status host_check_clock(const struct host *host, struct reason *why) {
  const struct config *c = &host->setup.config;
  struct kernel_clock kernel;
  if (c->run.mode != RUN_REALTIME || c->run.clock != RIG_CLOCK_TAI)
    return STATUS_OK;
  kernel_clock_read(&kernel);
  if (kernel.tai_offset_s != 0)
    return STATUS_OK;
  return fail(
      why, STATUS_BAD_INPUT,
      "%s: real_time.clock: the kernel does not know TAI: set its offset by the program that disciplines "
      "UTC (chrony: leapsectz; linuxptp: utc_offset), or write utc (docs/rig-time.md)",
      host->options->given.config_path);
}

static enum kernel_state state_of(const struct kernel_clock *kernel) {
  return !kernel->is_known         ? KERNEL_UNKNOWN
         : kernel->is_synchronised ? KERNEL_SYNCHRONISED
                                   : KERNEL_NOT_SYNCHRONISED;
}

static void pass(struct usage_seen *seen, const struct kernel_clock *kernel) {
  atomic_store_explicit(&seen->clock_state, state_of(kernel), memory_order_relaxed);
  atomic_store_explicit(&seen->clock_estimated_us, kernel->estimated_error_us, memory_order_relaxed);
  atomic_store_explicit(&seen->clock_largest_us, kernel->largest_error_us, memory_order_relaxed);
  atomic_store_explicit(&seen->clock_frequency_ppb, llround(1e3 * kernel->frequency_ppm),
                        memory_order_relaxed);
  atomic_store_explicit(&seen->clock_tai_s, kernel->tai_offset_s, memory_order_relaxed);
}

static void report_state(struct kernel_watch *watch, struct host *host, const struct kernel_clock *kernel) {
  const struct sim_output *now = &host->session->last.output;
  const enum kernel_state state = state_of(kernel);
  struct event_watch *events = &host->session->watch;
  if (state == KERNEL_UNKNOWN || state == watch->reported ||
      host->setup.config.run.clock == RIG_CLOCK_MONOTONIC)
    return;
  if (state == KERNEL_NOT_SYNCHRONISED)
    event_watch_log(
        events, now->step, now->time_s, EVENT_NAME(clock_unsynchronised),
        "the steps follow %s, and the kernel says that nothing keeps it synchronised; largest error "
        "%.6f s",
        rig_clock_word(host->setup.config.run.clock), 1e-6 * (double)kernel->largest_error_us);
  else if (watch->reported != KERNEL_UNKNOWN)
    event_watch_log(events, now->step, now->time_s, EVENT_NAME(clock_synchronised),
                    "estimated error %.6f s, largest %.6f s", 1e-6 * (double)kernel->estimated_error_us,
                    1e-6 * (double)kernel->largest_error_us);
  watch->reported = state;
}

void kernel_watch_look(struct kernel_watch *watch, struct host *host, struct step_thread *thread) {
  const uint64_t now_ns = os_now_ns();
  struct kernel_clock kernel;
  if (now_ns < watch->next_ns)
    return;
  watch->next_ns = now_ns + WATCH_PERIOD_NS;
  kernel_clock_read(&kernel);
  pass(&thread->seen, &kernel);
  report_state(watch, host, &kernel);
}
