// When steps begin: at start + k * period, on an absolute clock. Pure functions of "now", so that a test can
// drive them.
//
// A step owns its period: the one it was due at, or, if whole periods have gone by since, the one that "now"
// lies in. The periods between are skipped, never made up in a burst: simulated time then lags the wall clock
// by as much. A step is a miss if it begins late by a period or more, or ends after the end of its period.
#pragma once

#include "core/base/nonblocking.h"

#include <stdint.h>

struct pacer {
  uint64_t start_ns;
  uint64_t period_ns;
  uint64_t slot;    // k of the next step's period, of the present one between begin and end
  uint64_t idle_ns; // when the last step ended
  uint64_t misses;  // steps
  uint64_t skipped; // periods
  int missed;       // the present step is already counted
};

void pacer_init(struct pacer *p, uint64_t start_ns, uint64_t period_ns);
uint64_t pacer_due_ns(const struct pacer *p); // when the next step begins

// A step begins, ends. Begin returns how late it is, in ns, after the later of its due time and the last
// step's end: the latency of waking up, without the delay that a long step hands on.
uint64_t pacer_begin(struct pacer *p, uint64_t now_ns) NONBLOCKING;
void pacer_end(struct pacer *p, uint64_t now_ns) NONBLOCKING;

double pacer_lag_s(const struct pacer *p)
    NONBLOCKING; // of simulated time behind the wall clock: the skipped periods
