#include "sagbend/base/steps.h"

#include <math.h>

// A number of steps as an integer; NaN counts as too many.
static uint64_t limited(double steps) {
  return steps < (double)STEPS_MOST ? (uint64_t)steps : STEPS_MOST;
}

uint64_t steps_in_period(double period_s, double step_s) {
  double steps = nearbyint(period_s / step_s);
  return steps > 1 ? limited(steps) : 1;
}

uint64_t steps_in_period_or_off(double period_s, double step_s) {
  return period_s > 0 ? steps_in_period(period_s, step_s) : 0;
}

uint64_t steps_nearest_to(double time_s, double step_s) {
  return limited(time_s / step_s + 0.5);
}

uint64_t steps_up(double time_s, double step_s) {
  double steps = time_s / step_s;
  uint64_t whole = limited(steps);
  return whole + (whole < STEPS_MOST && steps - (double)whole > STEPS_TOLERANCE);
}

uint64_t steps_down(double time_s, double step_s) {
  return limited(time_s / step_s);
}

int steps_is_whole(double time_s, double step_s) {
  return fabs(time_s / step_s - (double)steps_nearest_to(time_s, step_s)) <= STEPS_TOLERANCE;
}
