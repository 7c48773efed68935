#include "core/env/profile.h"

#include "core/math/trig.h"

static double smooth(double x) { // C2 from 0 to 1
  if (x <= 0)
    return 0;
  if (x >= 1)
    return 1;
  return x * x * x * (10 + x * (6 * x - 15));
}

static double from_table(const struct time_profile *p, double time_s, int column) {
  double value[TABLE_COLUMNS];
  table_at(p->table, p->rows, p->kind, time_s, value);
  return value[column];
}

double time_profile_turn(const struct time_profile *p, double time_s) {
  return p->rows > 0 ? from_table(p, time_s, 1) : 0;
}

double time_profile_clamped(const struct time_profile *p, double time_s) {
  if (p->rows > 0)
    return time_s;
  if (time_s < p->start_s)
    return p->start_s;
  return p->stop_s > 0 && time_s > p->stop_s ? p->stop_s : time_s;
}

double time_profile_inside(const struct time_profile *p, double time_s) {
  if (p->rows > 0)
    return from_table(p, time_s, 0);
  double since = time_s - p->start_s;
  double factor = p->ramp_s > 0 ? smooth(since / p->ramp_s) : 1;
  if (p->ramp_s > 0 && p->stop_s > 0)
    factor *= smooth((p->stop_s - time_s) / p->ramp_s);
  if (p->period_s > 0)
    factor *= 1 + p->variation * trig_sin(2 * TRIG_PI / p->period_s * since);
  return factor;
}

double time_profile_at(const struct time_profile *p, double time_s) {
  int off = p->rows == 0 && (time_s - p->start_s < 0 || (p->stop_s > 0 && time_s >= p->stop_s));
  return off ? 0 : time_profile_inside(p, time_s);
}
