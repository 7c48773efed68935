// The clock of a rig, for tests: preloaded, UTC and TAI are those of the file SAGBEND_TEST_CLOCK: a moment,
// and from there on a rate of their own beside the true monotonic clock. The kernel's state is that of the
// file, too. The file may change at any time.
#include "preloaded_clock.h"

#include <string.h>
#include <sys/timex.h>

struct rig {
  int64_t utc_ns, at_ns; // UTC at this moment of the monotonic clock
  int64_t fast_ppb;      // of UTC, by the monotonic clock
  int64_t tai_s;         // TAI less UTC that the kernel knows; 0: none
  int64_t is_synchronised, estimated_us, largest_us, frequency_ppm;
};

// Written in turn, so that a leap second moves UTC and the offset of TAI at one moment.
struct rigs {
  int64_t newest;
  struct rig rig[2];
};

static const volatile struct rigs *rigs;
static const int64_t NS_PER_S = 1000000000;

static int64_t ns_of(const struct timespec *t) {
  return t->tv_sec * NS_PER_S + t->tv_nsec;
}

static const volatile struct rig *look(void) {
  if (!rigs)
    rigs = prepare(sizeof *rigs);
  return &rigs->rig[rigs->newest & 1];
}

static int64_t utc_at(const volatile struct rig *rig, int64_t monotonic_ns) {
  const int64_t since_ns = monotonic_ns - rig->at_ns;
  return rig->utc_ns + since_ns + (int64_t)((double)since_ns * 1e-9 * (double)rig->fast_ppb);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  const volatile struct rig *rig = look();
  const int is_utc = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  if (!is_utc && clock != CLOCK_TAI)
    return true_clock(clock, now);
  const int result = true_clock(CLOCK_MONOTONIC, now);
  const int64_t ns = utc_at(rig, ns_of(now)) + (is_utc ? 0 : rig->tai_s * NS_PER_S);
  *now = (struct timespec){ns / NS_PER_S, ns % NS_PER_S};
  return result;
}

// Until a moment of UTC or TAI: until then, also if the clock is set meanwhile.
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left) {
  struct timespec now;
  (void)look();
  if ((clock != CLOCK_REALTIME && clock != CLOCK_TAI) || !(flags & TIMER_ABSTIME))
    return true_sleep(clock, flags, until, left);
  const struct timespec short_while = {0, 100000};
  while (clock_gettime(clock, &now) == 0 && ns_of(&now) < ns_of(until))
    true_sleep(CLOCK_MONOTONIC, 0, &short_while, NULL);
  return 0;
}

int ntp_adjtime(struct timex *out) {
  const volatile struct rig *rig = look();
  memset(out, 0, sizeof *out);
  out->status = rig->is_synchronised ? STA_PLL : STA_UNSYNC;
  out->esterror = rig->estimated_us;
  out->maxerror = rig->largest_us;
  out->freq = rig->frequency_ppm * 65536;
  out->tai = (int)rig->tai_s;
  return rig->is_synchronised ? TIME_OK : TIME_ERROR;
}
