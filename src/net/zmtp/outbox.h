// Bytes that wait to be sent over a connection, in a queue of fixed size: nothing waits for a peer that does
// not read.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct outbox {
  uint8_t *bytes;
  size_t capacity;
  size_t start, size;  // size bytes wait, from start
  int64_t progress_ms; // when the connection last took a byte, or nothing waited
};

// Returns 0 if there is no memory. The system provides pages only when they are written, so an idle queue
// costs nothing.
int outbox_open(struct outbox *outbox, size_t capacity);
void outbox_close(struct outbox *outbox);

// Contiguous room for size bytes behind what waits; NULL: the queue is too full. Write there, then add.
uint8_t *outbox_room(struct outbox *outbox, size_t size);
void outbox_add(struct outbox *outbox, size_t size);

// Sends what the system accepts without waiting. Returns 0 if the connection has gone.
int outbox_flush(struct outbox *outbox, int file);

// A connection before it is closed.
struct lingering {
  int file;
  struct outbox *outbox;
};

// Waits at most linger_ms until the peers have received what waits for them.
void outbox_linger(struct lingering *all, int count, int linger_ms);
