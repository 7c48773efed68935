// Clocks that jump, for tests: preloaded, it adds the seconds in the file SAGBEND_TEST_CLOCK to
// CLOCK_REALTIME, like a machine whose time is set, and to CLOCK_MONOTONIC, like a virtual machine that its
// host suspends and continues. The file holds an int64_t for each and may change at any time; one that is
// missing is 0.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef int clock_function(clockid_t, struct timespec *);
typedef int sleep_function(clockid_t, int, const struct timespec *, struct timespec *);
enum { WALL, MONOTONIC };

static clock_function *true_clock;
static sleep_function *true_sleep;
static const volatile int64_t *offset_s;

// Called by the first user, because a library's constructor may ask for the time before ours would run.
static void prepare(void) {
  *(void **)&true_clock = dlsym(RTLD_NEXT, "clock_gettime");
  *(void **)&true_sleep = dlsym(RTLD_NEXT, "clock_nanosleep");
  const char *path = getenv("SAGBEND_TEST_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  void *mapped = file >= 0 ? mmap(NULL, 2 * sizeof *offset_s, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
  if (!true_clock || !true_sleep || mapped == MAP_FAILED)
    abort();
  offset_s = mapped;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  if (!offset_s)
    prepare();
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
    prepare();
  if (clock == CLOCK_MONOTONIC && flags & TIMER_ABSTIME)
    true_until.tv_sec -= (time_t)offset_s[MONOTONIC];
  if (true_until.tv_sec < 0)
    return 0;
  return true_sleep(clock, flags, &true_until, left);
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec precise;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &precise);
  *now = (struct timeval){precise.tv_sec, precise.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out)
    *out = now.tv_sec;
  return now.tv_sec;
}
