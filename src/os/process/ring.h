// A bounded, lock-free ring of fixed-size items between one producer thread and one consumer thread. Items
// are written and read in place. The producer never waits: a full ring drops its item and counts it.
#pragma once

#include "sagbend/base/nonblocking.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { RING_LINE = 64 }; // bytes of a cache line; producer and consumer write to separate lines

struct ring {
  unsigned char *items;                      // capacity * stride bytes, memory of the caller
  size_t capacity;                           // items, a power of two
  size_t stride;                             // bytes between items, a multiple of 64
  _Alignas(RING_LINE) atomic_size_t written; // items committed since the start; the producer writes it
  atomic_uint_fast64_t dropped;           // items dropped because the ring was full; the producer writes it
  _Alignas(RING_LINE) atomic_size_t read; // items released since the start; the consumer writes it
};

size_t ring_memsize(size_t capacity, size_t item_bytes);
void ring_init(struct ring *r, void *mem, size_t capacity, size_t item_bytes); // mem: ring_memsize bytes

// Producer. Claim returns memory for the next item, or NULL and counts a dropped item if the ring is full.
// The consumer sees the item after the commit.
void *ring_claim(struct ring *r) NONBLOCKING;
void ring_commit(struct ring *r) NONBLOCKING;

// Consumer. Front returns the oldest item, or NULL if the ring is empty. The item stays valid until its
// release.
const void *ring_front(struct ring *r) NONBLOCKING;
void ring_release(struct ring *r) NONBLOCKING;

uint64_t ring_dropped(const struct ring *r) NONBLOCKING; // callable from any thread
