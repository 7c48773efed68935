// Monotonic wall-clock time for the time-outs of sockets. Simulated time never depends on it.
#pragma once

#include <stdint.h>
#include <time.h>

// Since an arbitrary origin.
static inline uint64_t clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline int64_t clock_ms(void) {
  return (int64_t)(clock_ns() / 1000000);
}
