#include "os/process/ring.h"

#include <assert.h>
#include <string.h>

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
