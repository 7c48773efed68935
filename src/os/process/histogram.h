// A histogram of times in ns with fixed buckets: exact below 128 ns, then 128 buckets per doubling (each at
// most 0.8 % wide), up to 2^40 ns or about 18 minutes. Longer times count in the last bucket. No allocation.
#pragma once

#include "sagbend/base/nonblocking.h"

#include <stddef.h>
#include <stdint.h>

enum {
  HISTOGRAM_SUB_BITS = 7,
  HISTOGRAM_TOP_BITS = 40,
  HISTOGRAM_BUCKETS = (HISTOGRAM_TOP_BITS - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS
};

struct histogram {
  uint64_t count;
  uint64_t max_ns; // exact
  uint64_t buckets[HISTOGRAM_BUCKETS];
};

struct histogram_bucket {
  uint64_t upper_ns; // the longest time that counts in it; for the last bucket the longest recorded one
  uint64_t count;
};

void histogram_clear(struct histogram *h);
void histogram_add(struct histogram *h, uint64_t ns) NONBLOCKING;

// Percentiles: for each of n fractions (0 to 1, ascending) the smallest recorded time, to the width of a
// bucket, that this fraction of the times does not exceed. All are 0 if nothing was recorded. One pass over
// the buckets.
void histogram_percentiles(const struct histogram *h, int n, const double fraction[],
                           uint64_t ns[]) NONBLOCKING;

// Calls visit with each bucket that is not empty, in ascending order.
void histogram_visit(const struct histogram *h, void (*visit)(void *context, struct histogram_bucket bucket),
                     void *context);
