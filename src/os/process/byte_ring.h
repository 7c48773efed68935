// A bounded, lock-free ring of items of any size between one producer thread and one consumer thread. Items
// are written and read in place, aligned to 16 bytes. The producer states for each item how full the ring may
// become, so that items of low importance leave room for important ones.
#pragma once

#include "sagbend/base/nonblocking.h"

#include <stdatomic.h>
#include <stddef.h>

enum { BYTE_RING_LINE = 64, BYTE_RING_HEAD = 16 };

struct byte_ring {
  unsigned char *bytes;                           // memory of the caller, aligned to 64 bytes
  size_t capacity;                                // bytes, a power of two
  _Alignas(BYTE_RING_LINE) atomic_size_t written; // bytes committed since the start; the producer writes it
  size_t claimed;                                 // value of written after the commit; the producer's
  _Alignas(BYTE_RING_LINE) atomic_size_t read;    // bytes released since the start; the consumer writes it
};

void byte_ring_init(struct byte_ring *r, void *mem, size_t capacity);

// Producer. Claim returns memory for an item of size bytes, or NULL if more than most_full bytes of the ring
// would then be in use. The consumer sees the item after the commit. byte_ring_fill returns the bytes in use.
void *byte_ring_claim(struct byte_ring *r, size_t size, size_t most_full) NONBLOCKING;
void byte_ring_commit(struct byte_ring *r) NONBLOCKING;
// Producer, when it has time to spare: prefetches the memory of the next size bytes into the cache, for
// writing.
void byte_ring_prefetch(const struct byte_ring *r, size_t size) NONBLOCKING;
size_t byte_ring_fill(const struct byte_ring *r) NONBLOCKING;

// Consumer. Front returns the oldest item, or NULL if the ring is empty. The item stays valid until its
// release.
const void *byte_ring_front(struct byte_ring *r);
void byte_ring_release(struct byte_ring *r);
