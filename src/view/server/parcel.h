// Bytes that several queues share.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct parcel {
  int users;
  int channel; // -1: text
  uint64_t time_ns;
  size_t size;
  uint8_t bytes[];
};

// A copy of the bytes for one user; NULL: out of memory.
struct parcel *parcel_create(int channel, uint64_t time_ns, const void *bytes, size_t size);
struct parcel *parcel_share(struct parcel *parcel); // one user more; accepts and returns NULL
void parcel_drop(struct parcel *parcel);            // one user less; accepts NULL

// Puts parcel (which the caller gives away; may be NULL) in the place of *slot.
void parcel_replace(struct parcel **slot, struct parcel *parcel);
