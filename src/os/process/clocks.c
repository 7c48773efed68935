// UTC and TAI beside the monotonic clock: one look at both, a pacer that follows, what the kernel knows.
#define _GNU_SOURCE // CLOCK_TAI
#include "os/process/process.h"

#include <string.h>
#include <sys/timex.h>
#include <time.h>

enum { LOOKS = 4 };                     // at most, until nothing has come between the two clocks
static const uint64_t NARROW_NS = 5000; // then
static const int64_t NS_PER_S = 1000000000;
static const double FREQUENCY_UNIT = 65536; // of the kernel's, ppm

static uint64_t clock_ns(enum os_clock clock) NONBLOCKING;
static uint64_t clock_ns(enum os_clock clock) {
  struct timespec t = {0};
  NONBLOCKING_EXEMPT(clock_gettime(clock == OS_CLOCK_TAI ? CLOCK_TAI : CLOCK_REALTIME, &t));
  return (uint64_t)t.tv_sec * (uint64_t)NS_PER_S + (uint64_t)t.tv_nsec;
}

static struct clock_look look_once(enum os_clock clock) {
  const uint64_t before_ns = os_now_ns(), there_ns = clock_ns(clock), width_ns = os_now_ns() - before_ns;
  return (struct clock_look){(int64_t)(there_ns - before_ns - width_ns / 2), width_ns};
}

struct clock_look os_clock_look(enum os_clock clock) {
  if (clock == OS_CLOCK_MONOTONIC)
    return (struct clock_look){0, 0};
  struct clock_look best = look_once(clock);
  for (int i = 1; i < LOOKS && best.width_ns > NARROW_NS; i++) {
    const struct clock_look again = look_once(clock);
    if (again.width_ns < best.width_ns)
      best = again;
  }
  return best;
}

static int64_t nearest_multiple(int64_t x, int64_t of) {
  const int64_t half = of / 2;
  return (x >= 0 ? x + half : x - half) / of;
}

void pacer_follow(struct pacer *p, struct followed_clock *c, const struct clock_look *look) {
  const int64_t period_ns = (int64_t)p->period_ns, moved_ns = look->ahead_ns - c->ahead_ns;
  const int64_t size_ns = moved_ns < 0 ? -moved_ns : moved_ns;
  if (look->width_ns >
      p->period_ns / 4) // this thread did not run between the two clocks: the next look tells
    return;
  c->ahead_ns = look->ahead_ns;
  if (2 * size_ns <= period_ns) {
    p->start_ns -= (uint64_t)moved_ns;
    return;
  }
  // Due times on the clock move by whole periods, so that they stay whole multiples of the step.
  const int64_t periods = nearest_multiple(moved_ns, period_ns);
  p->start_ns -= (uint64_t)(moved_ns - periods * period_ns);
  c->jumps++;
  c->newest_jump_ns = moved_ns;
  if (periods <= 0)
    return;
  c->periods += (uint64_t)periods;
  p->skipped += (uint64_t)periods;
  p->lag_ns += (uint64_t)(periods * period_ns);
}

uint64_t clock_whole_step(uint64_t moment_ns, int64_t ahead_ns, uint64_t step_ns) {
  const uint64_t there_ns = moment_ns + (uint64_t)ahead_ns;
  return (there_ns + step_ns - 1) / step_ns * step_ns - (uint64_t)ahead_ns;
}

void kernel_clock_read(struct kernel_clock *out) {
  struct timex kernel;
  memset(out, 0, sizeof *out);
  memset(&kernel, 0, sizeof kernel);
  const int state = ntp_adjtime(&kernel); // modes 0: it only reads
  if (state < 0)
    return;
  out->is_known = 1;
  out->is_synchronised = state != TIME_ERROR && !(kernel.status & STA_UNSYNC);
  out->estimated_error_us = kernel.esterror;
  out->largest_error_us = kernel.maxerror;
  out->frequency_ppm = (double)kernel.freq / FREQUENCY_UNIT;
  out->tai_offset_s = kernel.tai;
}
