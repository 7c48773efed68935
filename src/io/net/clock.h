// Wall-clock milliseconds for time-outs of the sockets; no simulated time depends on them.
#pragma once

#include <stdint.h>
#include <time.h>

static inline int64_t clock_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
