// Seconds as whole steps, in the three roundings that the simulator needs. Times are >= 0 and finite, steps >
// 0, both in s; a quotient must stay below 2^63. The roundings differ where a time lies between two steps,
// and recorded sessions depend on each of them: use the one whose meaning fits, and do not exchange them.
#pragma once

#include <stdint.h>

// Steps in a period, at least 1: the nearest number, and of two equally near ones the even one. For
// everything that repeats: messages, records, control periods.
uint64_t steps_in_period(double period_s, double step_s);

// The same, but 0 for a period of 0 or below, which switches the repetition off.
uint64_t steps_in_period_or_off(double period_s, double step_s);

// Step nearest to a time (0: the start); of two equally near ones the later. For instants and durations of
// scenarios, faults and verdicts.
uint64_t steps_nearest_to(double time_s, double step_s);

// The first step that is not before a time: rounded up, but an excess of less than STEPS_TOLERANCE of a step
// over a whole number is rounding and does not count. For latencies.
uint64_t steps_up(double time_s, double step_s);

// Whole steps that fit into a time: rounded down.
uint64_t steps_down(double time_s, double step_s);

// Whether a time is a whole number of steps, to STEPS_TOLERANCE of a step; steps_nearest_to is that number.
int steps_is_whole(double time_s, double step_s);

static const double STEPS_TOLERANCE = 1e-3; // of a step
