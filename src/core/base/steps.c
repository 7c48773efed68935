#include "core/base/steps.h"

#include <math.h>

uint64_t steps_in_period(double period_s, double step_s) {
  double steps = nearbyint(period_s / step_s);
  return steps > 1 ? (uint64_t)steps : 1;
}

uint64_t steps_in_period_or_off(double period_s, double step_s) {
  return period_s > 0 ? steps_in_period(period_s, step_s) : 0;
}

uint64_t steps_nearest_to(double time_s, double step_s) {
  return (uint64_t)(time_s / step_s + 0.5);
}

uint64_t steps_up(double time_s, double step_s) {
  double steps = time_s / step_s;
  uint64_t whole = (uint64_t)steps;
  return whole + (steps - (double)whole > STEPS_TOLERANCE);
}

uint64_t steps_down(double time_s, double step_s) {
  return (uint64_t)(time_s / step_s);
}

int steps_is_whole(double time_s, double step_s) {
  return fabs(time_s / step_s - (double)steps_nearest_to(time_s, step_s)) <= STEPS_TOLERANCE;
}
