// Times of the steps and of the messages around them, as histograms. No allocation. No time enters a state.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/rig/frame.h"
#include "net/messages/messages.h"
#include "os/process/histogram.h"
#include "os/process/pacer.h"

// Of the thread that steps.
struct times {
  struct histogram step_ns;
  struct histogram wakeup_ns; // empty in unpaced modes
  // From the moment at which the message is read to the beginning of the step that uses it: checks
  // of the message, the ring between the threads, and in real time the rest of the period in which it came.
  // Commands that a newer one replaced before the step are not in it.
  struct histogram latched_ns;
};

void times_clear(struct times *t);
void times_fill(const struct times *t, struct timing *out) NONBLOCKING; // the percentiles; some 10 us
void times_fill_latency(const struct histogram *h, struct latency *out) NONBLOCKING; // all but last_us
// For a message; neighbours are merged where there are more buckets than it may have.
void times_fill_histogram(const struct histogram *h, struct wire_histogram *out);
