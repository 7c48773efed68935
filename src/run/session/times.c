#include "run/session/times.h"

enum { FRACTIONS = 3 };
static const double FRACTION[FRACTIONS] = {0.5, 0.99, 0.999};

void times_clear(struct times *t) {
  histogram_clear(&t->step_ns);
  histogram_clear(&t->wakeup_ns);
  histogram_clear(&t->latched_ns);
}

void times_fill_latency(const struct histogram *h, struct latency *out) {
  uint64_t ns[FRACTIONS];
  histogram_percentiles(h, FRACTIONS, FRACTION, ns);
  out->count = h->count;
  out->p50_us = 1e-3 * (double)ns[0];
  out->p99_us = 1e-3 * (double)ns[1];
  out->p999_us = 1e-3 * (double)ns[2];
  out->max_us = 1e-3 * (double)h->max_ns;
}

void times_fill(const struct times *t, struct timing *out) {
  struct latency step, wakeup;
  times_fill_latency(&t->step_ns, &step);
  times_fill_latency(&t->wakeup_ns, &wakeup);
  times_fill_latency(&t->latched_ns, &out->command_latched);
  out->step_p50_us = step.p50_us;
  out->step_p99_us = step.p99_us;
  out->step_p999_us = step.p999_us;
  out->step_max_us = step.max_us;
  out->wakeup_p50_us = wakeup.p50_us;
  out->wakeup_p99_us = wakeup.p99_us;
  out->wakeup_p999_us = wakeup.p999_us;
  out->wakeup_max_us = wakeup.max_us;
}

struct merging {
  struct wire_histogram *out;
  int visited, group; // buckets with a count so far; how many of them become one
};

static void count_bucket(void *context, struct histogram_bucket bucket) {
  (void)bucket;
  ++*(int *)context;
}

static void merge_bucket(void *context, struct histogram_bucket bucket) {
  struct merging *merging = context;
  struct wire_histogram *out = merging->out;
  if (merging->visited++ % merging->group == 0)
    out->counts[out->buckets++] = 0;
  out->upper_us[out->buckets - 1] = 1e-3 * (double)bucket.upper_ns;
  out->counts[out->buckets - 1] += bucket.count;
}

void times_fill_histogram(const struct histogram *h, struct wire_histogram *out) {
  int count = 0;
  histogram_visit(h, count_bucket, &count);
  struct merging merging = {.out = out, .group = 1 + (count > 0 ? (count - 1) / WIRE_BUCKETS : 0)};
  out->count = h->count;
  out->buckets = 0;
  histogram_visit(h, merge_bucket, &merging);
}
