#include "env/profile.h"

#include "math/trig.h"

static double smooth(double x) { // C2 from 0 to 1
  if (x <= 0)
    return 0;
  if (x >= 1)
    return 1;
  return x * x * x * (10 + x * (6 * x - 15));
}

double time_profile_at(const struct time_profile *p, double time_s) {
  double since = time_s - p->start_s;
  if (since < 0 || (p->stop_s > 0 && time_s >= p->stop_s))
    return 0;
  double factor = p->ramp_s > 0 ? smooth(since / p->ramp_s) : 1;
  if (p->ramp_s > 0 && p->stop_s > 0)
    factor *= smooth((p->stop_s - time_s) / p->ramp_s);
  if (p->period_s > 0)
    factor *= 1 + p->variation * trig_sin(2 * TRIG_PI / p->period_s * since);
  return factor;
}
