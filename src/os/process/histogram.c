#include "os/process/histogram.h"

#include <string.h>

enum { SUB = 1 << HISTOGRAM_SUB_BITS };

void histogram_clear(struct histogram *h) {
  memset(h, 0, sizeof *h);
}

static size_t bucket_of(uint64_t ns) {
  if (ns < SUB)
    return (size_t)ns;
  if (ns >> HISTOGRAM_TOP_BITS)
    return HISTOGRAM_BUCKETS - 1;
  int shift = 63 - __builtin_clzll(ns) - HISTOGRAM_SUB_BITS; // leaves 8 significant bits
  return ((size_t)shift << HISTOGRAM_SUB_BITS) + (size_t)(ns >> shift);
}

static uint64_t bucket_top_ns(size_t bucket) {
  if (bucket < 2 * SUB)
    return bucket;
  size_t shift = (bucket >> HISTOGRAM_SUB_BITS) - 1;
  uint64_t lead = (bucket & (SUB - 1)) + SUB;
  return ((lead + 1) << shift) - 1;
}

void histogram_add(struct histogram *h, uint64_t ns) {
  h->count++;
  h->buckets[bucket_of(ns)]++;
  if (ns > h->max_ns)
    h->max_ns = ns;
}

static uint64_t upper_ns(const struct histogram *h, size_t bucket) {
  uint64_t top = bucket_top_ns(bucket);
  int overflow = bucket == HISTOGRAM_BUCKETS - 1;
  return overflow || top > h->max_ns ? h->max_ns : top;
}

void histogram_percentiles(const struct histogram *h, int n, const double fraction[], uint64_t ns[]) {
  uint64_t below = 0;
  size_t bucket = 0;
  for (int i = 0; i < n; i++) {
    ns[i] = 0;
    if (!h->count)
      continue;
    double exact = fraction[i] * (double)h->count;
    uint64_t rank = (uint64_t)exact;
    if ((double)rank < exact || rank == 0)
      rank++;
    if (rank > h->count)
      rank = h->count;
    while (below + h->buckets[bucket] < rank)
      below += h->buckets[bucket++];
    ns[i] = upper_ns(h, bucket);
  }
}

void histogram_visit(const struct histogram *h, void (*visit)(void *context, struct histogram_bucket bucket),
                     void *context) {
  for (size_t bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++)
    if (h->buckets[bucket])
      visit(context, (struct histogram_bucket){upper_ns(h, bucket), h->buckets[bucket]});
}
