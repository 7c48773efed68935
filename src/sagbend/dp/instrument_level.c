// A quantity against its own mean. The mean follows with LEVEL_MEAN_S, but by no more than half of the limit:
// a value that stays far away becomes the new level after minutes, one that comes and goes never does.
#include "sagbend/dp/instrument_watch.h"

#include <math.h>

static const double WARM_S = 100, MEAN_S = 120, SMOOTH_S = 10, VARIANCE_S = 600, CUT = 3;

static double within(double x, double limit) {
  return x > limit ? limit : x < -limit ? -limit : x;
}

static void follow_variance(double *variance, double off, double limit, double h_s) {
  double most = fmax(CUT * CUT * *variance, 0.01 * limit * limit);
  *variance += h_s / VARIANCE_S * (fmin(off * off, most) - *variance);
}

struct level_departure level_follow(struct level *level, double x, double h_s, double sigmas,
                                    double smallest) {
  struct level_departure out = {0, 0};
  double off = x - level->mean;
  if (!(h_s > 0))
    return out;
  if (level->seen_s < WARM_S) {
    if (level->seen_s <= 0)
      level->mean = level->smooth = x, off = 0;
    level->seen_s += h_s;
    double share = h_s / level->seen_s;
    level->mean += share * off;
    level->smooth += fmin(1, h_s / SMOOTH_S) * (x - level->smooth);
    double slow = level->smooth - level->mean;
    level->variance += share * (off * off - level->variance);
    level->smooth_variance += share * (slow * slow - level->smooth_variance);
    return out;
  }
  double limit = fmax(sigmas * sqrt(level->variance), smallest),
         smooth_limit = fmax(sigmas * sqrt(level->smooth_variance), 0.5 * smallest);
  out.jumps = fabs(off) > limit;
  level->smooth +=
      fmin(1, h_s / SMOOTH_S) * (within(x - level->mean, 2 * limit) + level->mean - level->smooth);
  double slow = level->smooth - level->mean;
  out.shifts = fabs(slow) > smooth_limit;
  follow_variance(&level->variance, off, limit, h_s);
  follow_variance(&level->smooth_variance, slow, smooth_limit, h_s);
  level->mean += h_s / MEAN_S * within(off, 0.5 * limit);
  return out;
}
