// Monotonic wall-clock time for the time-outs of sockets. Simulated time never depends on it.
#pragma once

#include <stdint.h>
#include <time.h>

// Milliseconds since an arbitrary origin.
static inline int64_t clock_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
