// A wall clock that jumps, for tests: preloaded, it adds the seconds in the file SAGBEND_TEST_CLOCK to
// CLOCK_REALTIME and leaves every other clock as it is, like a machine whose time is set. The file holds one
// int64_t and may change at any time.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef int clock_function(clockid_t, struct timespec *);

static clock_function *true_clock;
static const volatile int64_t *offset_s;

// Called by the first user, because a library's constructor may ask for the time before ours would run.
static void prepare(void) {
  *(void **)&true_clock = dlsym(RTLD_NEXT, "clock_gettime");
  const char *path = getenv("SAGBEND_TEST_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  void *mapped = file >= 0 ? mmap(NULL, sizeof *offset_s, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
  if (!true_clock || mapped == MAP_FAILED)
    abort();
  offset_s = mapped;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  if (!offset_s)
    prepare();
  int result = true_clock(clock, now);
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
    now->tv_sec += (time_t)*offset_s;
  return result;
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
