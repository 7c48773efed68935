// Seconds as whole steps. The functions differ in how they round a time that lies between two steps, and the
// bits of recorded sessions depend on each: choose by meaning and do not exchange one for another. Times are
// >= 0, steps > 0, both in s. Every result is at most STEPS_MOST.
#pragma once

#include "sagbend/base/nonblocking.h"

#include <stdint.h>

// Steps in a period or time-out: the nearest number, of two equally near ones the even one, at least 1. For
// everything that repeats: messages, records, control periods.
uint64_t steps_in_period(double period_s, double step_s);

// The same, but 0 for a period of 0 or below, which switches the repetition off.
uint64_t steps_in_period_or_off(double period_s, double step_s);

// The step nearest to a time (0 is the start), of two equally near ones the later. For instants and durations
// of scenario events, faults and verdicts.
uint64_t steps_nearest_to(double time_s, double step_s) NONBLOCKING;

// The first step at or after a time. An excess of at most STEPS_TOLERANCE of a step over a whole number
// counts as rounding error. For latencies.
uint64_t steps_up(double time_s, double step_s);

// Whole steps that fit into a time.
uint64_t steps_down(double time_s, double step_s);

// Whether a time is a whole number of steps, to within STEPS_TOLERANCE of a step; steps_nearest_to is that
// number.
int steps_is_whole(double time_s, double step_s);

static const double STEPS_TOLERANCE = 1e-3; // of a step

// No session is longer: doubles represent every whole number up to here.
static const uint64_t STEPS_MOST = UINT64_C(1) << 53;
