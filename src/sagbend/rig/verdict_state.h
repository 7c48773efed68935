// State of a verdict (sagbend/rig/verdict.h). Plain data.
#pragma once

#include <stdint.h>

enum { MAX_VERDICTS = 32 };

struct verdict {
  uint64_t judged_steps;
  uint64_t outside_since; // 1 + step at which the present time outside began; 0: within
  uint64_t violated_step; // 1 + step at which the first violation was complete; 0: none
  uint64_t first_step;    // at which that time outside began
  uint64_t violations;    // times outside that were longer than the grace
  uint64_t worst_step;
  double worst_value;  // value furthest outside, or closest to a bound; NaN: the quantity had no value
  double worst_margin; // its distance to the nearer bound, positive within
  double
      mean; // first-order mean of the quantity, of a verdict that judges it; NaN: the quantity had no value
  uint64_t mean_steps;    // that are in it
  double sum, square_sum; // of the values judged; NaN: the quantity had no value at one of them
};
