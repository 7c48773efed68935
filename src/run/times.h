// Times of the steps: histograms of the step's duration and of the latency of waking up. No allocation.
#pragma once

#include "core/base/nonblocking.h"
#include "hil/frame.h"
#include "rt/histogram.h"
#include "rt/pacer.h"

struct times {
  struct histogram step_ns;
  struct histogram wakeup_ns; // empty in unpaced modes
};

void times_clear(struct times *t);
void times_fill(const struct times *t, struct timing *out) NONBLOCKING; // the percentiles; some 10 us
