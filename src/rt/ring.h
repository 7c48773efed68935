// A bounded ring of fixed-size items between one producer thread and one consumer thread, without locks.
// Items are written and read in place. When it is full the producer's item is dropped and counted: it never
// waits.
#pragma once

#include "core/base/nonblocking.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { RING_LINE = 64 }; // producer and consumer write to cache lines of their own

struct ring {
  unsigned char *items;                      // capacity * stride bytes, the caller's
  size_t capacity;                           // items, a power of two
  size_t stride;                             // bytes from item to item, a multiple of 64
  _Alignas(RING_LINE) atomic_size_t written; // items committed since the start, by the producer
  atomic_uint_fast64_t dropped;              // items that found no room, by the producer
  _Alignas(RING_LINE) atomic_size_t read;    // items released since the start, by the consumer
};

size_t ring_memsize(size_t capacity, size_t item_bytes);
void ring_init(struct ring *r, void *mem, size_t capacity, size_t item_bytes); // mem: ring_memsize bytes

// Producer: a place for the next item, NULL (and counted) if the ring is full; visible to the consumer at
// commit.
void *ring_claim(struct ring *r) NONBLOCKING;
void ring_commit(struct ring *r) NONBLOCKING;

// Consumer: the oldest item, NULL if there is none; it stays valid until released.
const void *ring_front(struct ring *r) NONBLOCKING;
void ring_release(struct ring *r) NONBLOCKING;

uint64_t ring_dropped(const struct ring *r) NONBLOCKING; // any thread
