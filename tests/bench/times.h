// Common functions of the benchmarks: a clock, times of steps, and percentiles of sorted times.
#pragma once

#include "sagbend/sim/sim.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static inline uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline double now_us(void) {
  return 1e-3 * (double)now_ns();
}

static inline int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static inline void sort_times(double *times, int count) {
  qsort(times, (size_t)count, sizeof *times, ascending);
}

// Times of so many steps, us.
static inline void time_steps(struct sim *s, double *us, int count) {
  for (int k = 0; k < count; k++) {
    uint64_t start = now_ns();
    sim_step(s, NULL);
    us[k] = 1e-3 * (double)(now_ns() - start);
  }
}

// Sorts the times.
static inline double median(double *us, int count) {
  sort_times(us, count);
  return us[count / 2];
}
