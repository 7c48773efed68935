// A queue of parcels with bounds: what comes into a full one pushes the oldest out.
#pragma once

#include "view/server/parcel.h"

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
