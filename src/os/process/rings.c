// Each item begins with a head that contains its length, head included. An item that does not fit before the
// end of the memory starts at its beginning again; a pad fills the gap.
#include "os/process/byte_ring.h"

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
  memset(mem, 0, capacity); // maps the pages now, not at their first use
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
