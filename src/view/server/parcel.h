// Bytes that several queues share, and such a queue.
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
// The same of a text, which is JSON. A byte of it that is not UTF-8 becomes \ufffd.
struct parcel *parcel_create_json(const char *json);
struct parcel *parcel_share(struct parcel *parcel); // one user more; accepts and returns NULL
void parcel_drop(struct parcel *parcel);            // one user less; accepts NULL

// Puts parcel (which the caller gives away; may be NULL) in the place of *slot.
void parcel_replace(struct parcel **slot, struct parcel *parcel);

// A queue of parcels with bounds: what comes into a full one pushes the oldest out.
struct parcel_queue {
  struct parcel **ring;
  size_t first, count, capacity; // messages
  size_t bytes, max_bytes;
  size_t allocated; // entries of ring; it grows up to capacity
};

void parcel_queue_init(struct parcel_queue *queue, size_t max_messages, size_t max_bytes);
void parcel_queue_clear(struct parcel_queue *queue); // releases the memory as well

// The caller gives the parcel away (NULL: nothing happens, 0). Returns how many were lost: pushed out, or
// this one for lack of memory. A parcel above max_bytes stays alone in the queue.
size_t parcel_queue_push(struct parcel_queue *queue, struct parcel *parcel);

struct parcel *parcel_queue_pop(struct parcel_queue *queue); // the oldest, which the caller must drop; NULL
struct parcel *parcel_queue_at(const struct parcel_queue *queue, size_t index); // 0: the oldest
