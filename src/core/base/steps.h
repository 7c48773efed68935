// Times as whole steps.
#pragma once

#include <stdint.h>

// The number of steps nearest to a time, at least one. Times and steps in s.
uint64_t steps_nearest(double time_s, double step_s);
