#include "core/base/steps.h"

#include <math.h>

uint64_t steps_nearest(double time_s, double step_s) {
  double steps = nearbyint(time_s / step_s);
  return steps > 1 ? (uint64_t)steps : 1;
}
