// What the preloaded clocks of tests share: the true functions, the mapped file SAGBEND_TEST_CLOCK, and the
// functions of time that follow from clock_gettime. Included once by each, before it defines clock_gettime.
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

static clock_function *true_clock;
static sleep_function *true_sleep;

// The bytes of the file. Called by the first user, because a library's constructor may ask for the time
// before ours would run.
static const volatile void *prepare(size_t size) {
  *(void **)&true_clock = dlsym(RTLD_NEXT, "clock_gettime");
  *(void **)&true_sleep = dlsym(RTLD_NEXT, "clock_nanosleep");
  const char *path = getenv("SAGBEND_TEST_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  void *mapped = file >= 0 ? mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
  if (!true_clock || !true_sleep || mapped == MAP_FAILED)
    abort();
  close(file);
  return mapped;
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
