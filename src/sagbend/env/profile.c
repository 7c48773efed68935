#include "sagbend/env/profile.h"

#include "sagbend/math/trig.h"

#include <math.h>

// Smooth step from 0 to 1 over [0, 1], twice continuously differentiable.
static double smooth_step(double x) {
  if (x <= 0)
    return 0;
  if (x >= 1)
    return 1;
  return x * x * x * (10 + x * (6 * x - 15));
}

static double from_table(const struct time_profile *profile, double time_s, int column) {
  double value[TABLE_COLUMNS];
  table_at(profile->table, profile->rows, profile->kind, time_s, value);
  return value[column];
}

double time_profile_turn(const struct time_profile *profile, double time_s) {
  return profile->rows > 0 ? from_table(profile, time_s, 1) : 0;
}

double time_profile_clamped(const struct time_profile *profile, double time_s) {
  if (profile->rows > 0)
    return time_s;
  if (time_s < profile->start_s)
    return profile->start_s;
  return profile->stop_s > 0 && time_s > profile->stop_s ? profile->stop_s : time_s;
}

double time_profile_inside(const struct time_profile *profile, double time_s) {
  if (profile->rows > 0)
    return from_table(profile, time_s, 0);

  double since_s = time_s - profile->start_s;
  double factor = profile->ramp_s > 0 ? smooth_step(since_s / profile->ramp_s) : 1;
  if (profile->ramp_s > 0 && profile->stop_s > 0)
    factor *= smooth_step((profile->stop_s - time_s) / profile->ramp_s);

  if (profile->period_s > 0)
    factor *= 1 + profile->variation * trig_sin(2 * TRIG_PI / profile->period_s * since_s);

  return factor;
}

double time_profile_at(const struct time_profile *profile, double time_s) {
  int is_off = profile->rows == 0 &&
               (time_s - profile->start_s < 0 || (profile->stop_s > 0 && time_s >= profile->stop_s));
  return is_off ? 0 : time_profile_inside(profile, time_s);
}

double time_profile_largest(const struct time_profile *profile) {
  if (profile->rows == 0)
    return profile->period_s > 0 ? 1 + fabs(profile->variation) : 1;
  double largest = 0; // of the rows; a spline between two of them may be a little larger
  for (int i = 0; i < profile->rows; i++)
    largest = fabs(profile->table[i].value[0]) > largest ? fabs(profile->table[i].value[0]) : largest;
  return largest;
}
