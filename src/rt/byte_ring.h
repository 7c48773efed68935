// A bounded ring of items of any size between one producer thread and one consumer thread, without locks.
// Items are written and read in place, aligned to 16 bytes. What an item may fill is the producer's choice:
// so unimportant ones can leave room for important ones.
#pragma once

#include "core/base/nonblocking.h"

#include <stdatomic.h>
#include <stddef.h>

enum { BYTE_RING_LINE = 64, BYTE_RING_HEAD = 16 };

struct byte_ring {
  unsigned char *bytes;                           // the caller's, aligned to 64
  size_t capacity;                                // a power of two
  _Alignas(BYTE_RING_LINE) atomic_size_t written; // bytes since the start, by the producer
  size_t claimed;                                 // the producer's: written after commit
  _Alignas(BYTE_RING_LINE) atomic_size_t read;    // bytes since the start, by the consumer
};

void byte_ring_init(struct byte_ring *r, void *mem, size_t capacity);

// Producer: a place for an item, NULL if the ring would then be filled beyond most_full bytes; visible to the
// consumer at commit. fill: bytes in use.
void *byte_ring_claim(struct byte_ring *r, size_t size, size_t most_full) NONBLOCKING;
void byte_ring_commit(struct byte_ring *r) NONBLOCKING;
// Producer, when it has time: brings the memory of the next so many bytes near, for writing.
void byte_ring_prefetch(const struct byte_ring *r, size_t size) NONBLOCKING;
size_t byte_ring_fill(const struct byte_ring *r) NONBLOCKING;

// Consumer: the oldest item, NULL if there is none; it stays valid until released.
const void *byte_ring_front(struct byte_ring *r);
void byte_ring_release(struct byte_ring *r);
