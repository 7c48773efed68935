#include "run/times.h"

static const double FRACTION[] = {0.5, 0.99, 0.999};

void times_clear(struct times *t) {
  histogram_clear(&t->step_ns);
  histogram_clear(&t->wakeup_ns);
}

void times_fill(const struct times *t, struct timing *out) {
  uint64_t ns[3];
  histogram_percentiles(&t->step_ns, 3, FRACTION, ns);
  out->step_p50_us = 1e-3 * (double)ns[0];
  out->step_p99_us = 1e-3 * (double)ns[1];
  out->step_p999_us = 1e-3 * (double)ns[2];
  out->step_max_us = 1e-3 * (double)t->step_ns.max_ns;
  histogram_percentiles(&t->wakeup_ns, 3, FRACTION, ns);
  out->wakeup_p50_us = 1e-3 * (double)ns[0];
  out->wakeup_p99_us = 1e-3 * (double)ns[1];
  out->wakeup_p999_us = 1e-3 * (double)ns[2];
  out->wakeup_max_us = 1e-3 * (double)t->wakeup_ns.max_ns;
}
