// A place for one item between one producer thread and one consumer thread, lock-free: the producer never
// waits, and the consumer gets the newest item. An item that the consumer has not taken is replaced and
// counted.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "os/process/ring.h"

struct slot {
  unsigned char *items;           // three: one of the producer, one of the consumer, one between them
  size_t stride;                  // bytes between items, a multiple of 64
  _Alignas(RING_LINE) size_t own; // item that the producer writes
  atomic_uint_fast64_t replaced;  // the producer writes it
  _Alignas(RING_LINE) atomic_size_t between; // item that changes hands; with SLOT_FULL if it is to be taken
  _Alignas(RING_LINE) size_t taken;          // item that the consumer reads
};

size_t slot_memsize(size_t item_bytes);
void slot_init(struct slot *s, void *mem, size_t item_bytes); // mem: slot_memsize bytes, aligned to RING_LINE

// Producer. Claim returns memory for the next item; the consumer sees the item after the commit.
void *slot_claim(struct slot *s) NONBLOCKING;
void slot_commit(struct slot *s) NONBLOCKING;

// Consumer. Returns the newest item, or NULL: none since the last call. It stays valid until the next call.
const void *slot_take(struct slot *s) NONBLOCKING;

uint64_t slot_replaced(const struct slot *s) NONBLOCKING; // callable from any thread
