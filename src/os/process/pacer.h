// The times at which steps begin: start + k * period, on an absolute clock. Pure functions of "now", so that
// a test can drive them.
//
// Each step belongs to a period: the one in which it was due or, if whole periods have passed since, the one
// that contains "now". The periods between are skipped and never made up in a burst; simulated time then lags
// the wall clock by that amount. A step is a miss if it begins a period or more late, or ends after the end
// of its period.
#pragma once

#include "sagbend/base/nonblocking.h"

#include <stdint.h>

struct pacer {
  uint64_t start_ns;
  uint64_t period_ns;
  uint64_t slot;    // k of the next step's period; between begin and end, of the present one
  uint64_t idle_ns; // end of the last step
  uint64_t misses;  // number of steps
  uint64_t skipped; // number of periods
  uint64_t lag_ns;  // duration of these
  int missed;       // nonzero: the present step is already counted as a miss
};

void pacer_init(struct pacer *p, uint64_t start_ns, uint64_t period_ns);
// Starts again: the next step is due at start_ns, with this period. The counts go on.
void pacer_restart(struct pacer *p, uint64_t start_ns, uint64_t period_ns) NONBLOCKING;

uint64_t pacer_due_ns(const struct pacer *p) NONBLOCKING; // due time of the next step

// Marks the begin and the end of a step. Begin returns the wake-up latency in ns: the delay after the due
// time or after the end of the last step, whichever is later, so that a long step does not count twice.
uint64_t pacer_begin(struct pacer *p, uint64_t now_ns) NONBLOCKING;
void pacer_end(struct pacer *p, uint64_t now_ns) NONBLOCKING;

// Lag of simulated time behind the wall clock: the skipped periods.
double pacer_lag_s(const struct pacer *p) NONBLOCKING;
