#include "os/process/slot.h"

#include <string.h>

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
