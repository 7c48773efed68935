// Clocks that jump, for tests: preloaded, it adds the seconds in the file SAGBEND_TEST_CLOCK to
// CLOCK_REALTIME, like a machine whose time is set, and to CLOCK_MONOTONIC, like a virtual machine that its
// host suspends and continues. The file holds an int64_t for each and may change at any time; one that is
// missing is 0.
#include "preloaded_clock.h"

enum { WALL, MONOTONIC };

static const volatile int64_t *offset_s;

int clock_gettime(clockid_t clock, struct timespec *now) {
  if (!offset_s)
    offset_s = prepare(2 * sizeof *offset_s);
  int result = true_clock(clock, now);
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
    now->tv_sec += (time_t)offset_s[WALL];
  if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_MONOTONIC_RAW)
    now->tv_sec += (time_t)offset_s[MONOTONIC];
  return result;
}

// A jump during a sleep does not shorten it.
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left) {
  struct timespec true_until = *until;
  if (!offset_s)
    offset_s = prepare(2 * sizeof *offset_s);
  if (clock == CLOCK_MONOTONIC && flags & TIMER_ABSTIME)
    true_until.tv_sec -= (time_t)offset_s[MONOTONIC];
  if (true_until.tv_sec < 0)
    return 0;
  return true_sleep(clock, flags, &true_until, left);
}
