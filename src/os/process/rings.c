// Each item begins with a head that contains its length, head included. An item that does not fit before the
// end of the memory starts at its beginning again; a pad fills the gap.
#include "os/process/process.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

struct head {
  uint64_t length; // bytes to the next head
  uint64_t is_pad;
};
_Static_assert(sizeof(struct head) == BYTE_RING_HEAD, "items are aligned to their head");

void byte_ring_init(struct byte_ring *r, void *mem, size_t capacity) {
  assert(capacity > 0 && (capacity & (capacity - 1)) == 0);
  r->bytes = mem;
  r->capacity = capacity;
  r->claimed = 0;
  atomic_init(&r->written, 0);
  atomic_init(&r->read, 0);
}

static struct head *head_at(const struct byte_ring *r, size_t position) {
  return (struct head *)(void *)(r->bytes + (position & (r->capacity - 1)));
}

void *byte_ring_claim(struct byte_ring *r, size_t size, size_t most_full) {
  size_t length = (sizeof(struct head) + size + BYTE_RING_HEAD - 1) / BYTE_RING_HEAD * BYTE_RING_HEAD;
  size_t written = atomic_load_explicit(&r->written, memory_order_relaxed);
  size_t used = written - atomic_load_explicit(&r->read, memory_order_acquire);
  size_t to_end = r->capacity - (written & (r->capacity - 1));
  size_t pad = length > to_end ? to_end : 0;
  size_t limit = most_full < r->capacity ? most_full : r->capacity;
  if (length > r->capacity || used + pad + length > limit)
    return NULL;
  if (pad)
    *head_at(r, written) = (struct head){pad, 1};
  struct head *head = head_at(r, written + pad);
  *head = (struct head){length, 0};
  r->claimed = written + pad + length;
  return head + 1;
}

void byte_ring_commit(struct byte_ring *r) {
  atomic_store_explicit(&r->written, r->claimed, memory_order_release);
}

void byte_ring_prefetch(const struct byte_ring *r, size_t size) {
  size_t written = atomic_load_explicit(&r->written, memory_order_relaxed);
  for (size_t i = 0; i < size && i < r->capacity; i += BYTE_RING_LINE)
    __builtin_prefetch(r->bytes + ((written + i) & (r->capacity - 1)), 1);
}

size_t byte_ring_fill(const struct byte_ring *r) {
  return atomic_load_explicit(&r->written, memory_order_relaxed) -
         atomic_load_explicit(&r->read, memory_order_acquire);
}

const void *byte_ring_front(struct byte_ring *r) {
  size_t read = atomic_load_explicit(&r->read, memory_order_relaxed);
  if (read == atomic_load_explicit(&r->written, memory_order_acquire))
    return NULL;
  const struct head *head = head_at(r, read);
  if (head->is_pad) { // an item always follows a pad
    read += head->length;
    atomic_store_explicit(&r->read, read, memory_order_release);
    head = head_at(r, read);
  }
  return head + 1;
}

void byte_ring_release(struct byte_ring *r) {
  size_t read = atomic_load_explicit(&r->read, memory_order_relaxed);
  atomic_store_explicit(&r->read, read + head_at(r, read)->length, memory_order_release);
}

// ------------------------------------------------------------
static size_t stride_of(size_t item_bytes) {
  return (item_bytes + RING_LINE - 1) / RING_LINE * RING_LINE;
}

size_t ring_memsize(size_t capacity, size_t item_bytes) {
  return capacity * stride_of(item_bytes);
}

void ring_init(struct ring *r, void *mem, size_t capacity, size_t item_bytes) {
  assert(capacity > 0 && (capacity & (capacity - 1)) == 0);
  r->items = mem;
  r->capacity = capacity;
  r->stride = stride_of(item_bytes);
  memset(mem, 0, ring_memsize(capacity, item_bytes)); // maps the pages now, not at their first use
  atomic_init(&r->written, 0);
  atomic_init(&r->read, 0);
  atomic_init(&r->dropped, 0);
}

static void *item_at(const struct ring *r, size_t index) {
  return r->items + (index & (r->capacity - 1)) * r->stride;
}

void *ring_claim(struct ring *r) {
  size_t written = atomic_load_explicit(&r->written, memory_order_relaxed);
  if (written - atomic_load_explicit(&r->read, memory_order_acquire) == r->capacity) {
    atomic_fetch_add_explicit(&r->dropped, 1, memory_order_relaxed);
    return NULL;
  }
  return item_at(r, written);
}

void ring_commit(struct ring *r) {
  size_t written = atomic_load_explicit(&r->written, memory_order_relaxed);
  atomic_store_explicit(&r->written, written + 1, memory_order_release);
}

const void *ring_front(struct ring *r) {
  size_t read = atomic_load_explicit(&r->read, memory_order_relaxed);
  if (read == atomic_load_explicit(&r->written, memory_order_acquire))
    return NULL;
  return item_at(r, read);
}

void ring_release(struct ring *r) {
  size_t read = atomic_load_explicit(&r->read, memory_order_relaxed);
  atomic_store_explicit(&r->read, read + 1, memory_order_release);
}

uint64_t ring_dropped(const struct ring *r) {
  return atomic_load_explicit(&r->dropped, memory_order_relaxed);
}

// ------------------------------------------------------------
static const size_t SLOT_FULL = 4; // a flag beside the index of an item

size_t slot_memsize(size_t item_bytes) {
  return ring_memsize(3, item_bytes);
}

void slot_init(struct slot *s, void *mem, size_t item_bytes) {
  s->items = mem;
  s->stride = ring_memsize(1, item_bytes);
  memset(mem, 0, slot_memsize(item_bytes)); // maps the pages now, not at their first use
  s->own = 0;
  s->taken = 1;
  atomic_init(&s->between, 2);
  atomic_init(&s->replaced, 0);
}

void *slot_claim(struct slot *s) {
  return s->items + s->own * s->stride;
}

void slot_commit(struct slot *s) {
  size_t before = atomic_exchange_explicit(&s->between, s->own | SLOT_FULL, memory_order_acq_rel);
  s->own = before & ~SLOT_FULL;
  if (before & SLOT_FULL)
    atomic_fetch_add_explicit(&s->replaced, 1, memory_order_relaxed);
}

const void *slot_take(struct slot *s) {
  if (!(atomic_load_explicit(&s->between, memory_order_relaxed) & SLOT_FULL))
    return NULL;
  size_t before = atomic_exchange_explicit(&s->between, s->taken, memory_order_acq_rel);
  s->taken = before & ~SLOT_FULL;
  return s->items + s->taken * s->stride;
}

uint64_t slot_replaced(const struct slot *s) {
  return atomic_load_explicit(&s->replaced, memory_order_relaxed);
}

// ------------------------------------------------------------
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
