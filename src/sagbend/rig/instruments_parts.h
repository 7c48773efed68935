// Shared by the files of the instruments.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/rig/instruments.h"

// Value that an instrument without errors measures at this place. 0: there is nothing to measure (no
// contact).
int instrument_true_value(const struct instrument_def *d, const double place_b_m[3], double level_m,
                          const struct sim *sim, const struct sim_output *truth,
                          double value[READING_CHANNELS]) NONBLOCKING;
// Wraps angles to (-pi, pi], raises negative values of non-negative channels to 0, and -0 to 0.
void instrument_normalise(enum instrument kind, double value[READING_CHANNELS]) NONBLOCKING;

void instrument_switch_on(const struct instrument_def *d, uint64_t seed, struct instrument_state *s);
// Adds the errors, and advances the random processes by one measurement.
void instrument_add_errors(const struct instrument_def *d, const struct instrument_plan *plan,
                           struct instrument_state *s, double value[READING_CHANNELS]) NONBLOCKING;
// Cuts the value off at the range and rounds it to the resolution; 0: it was out of range.
int instrument_limit(const struct instrument_def *d, double value[READING_CHANNELS]) NONBLOCKING;

// Applies the active faults to the value and its validity.
void instrument_add_faults(const struct instruments *all, int i, const struct fault_set *faults,
                           double time_s, struct measurement *t) NONBLOCKING;
// False if a fault suppresses the measurement; otherwise *delay_steps is its delay in addition to the
// latency.
int instrument_transmits(const struct instruments *all, int i, const struct fault_set *faults,
                         const struct measurement *t, uint64_t *delay_steps) NONBLOCKING;
