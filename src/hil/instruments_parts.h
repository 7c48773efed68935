// Shared by the files of the instruments.
#pragma once

#include "core/base/nonblocking.h"
#include "hil/instruments.h"

// What a perfect instrument at this place would say; 0 if there is nothing to be measured (no contact).
int instrument_true_value(const struct instrument_def *d, const double place_b_m[3], double level_m,
                          const struct sim *sim, const struct sim_output *truth,
                          double value[READING_CHANNELS]) NONBLOCKING;
// Brings angles to (-pi, pi] and what cannot be negative to 0; -0 to 0.
void instrument_normalise(enum instrument kind, double value[READING_CHANNELS]) NONBLOCKING;

void instrument_switch_on(const struct instrument_def *d, uint64_t seed, struct instrument_state *s);
// Adds the errors, and takes the processes on by one telegram.
void instrument_add_errors(const struct instrument_def *d, const struct instrument_plan *plan,
                           struct instrument_state *s, double value[READING_CHANNELS]) NONBLOCKING;
// Cut off and rounded as the display; 0 if it was out of range.
int instrument_limit(const struct instrument_def *d, double value[READING_CHANNELS]) NONBLOCKING;

// What the active faults make of the value, and of valid.
void instrument_add_faults(const struct instruments *all, int i, const struct fault_set *faults,
                           double time_s, struct measurement *t) NONBLOCKING;
// Whether the telegram goes out at all; *delay_steps is what it takes beyond its latency.
int instrument_transmits(const struct instruments *all, int i, const struct fault_set *faults,
                         const struct measurement *t, uint64_t *delay_steps) NONBLOCKING;
