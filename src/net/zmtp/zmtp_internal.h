// Bytes that wait to be sent over a connection, in a queue of fixed size: nothing waits for a peer that does
// not read.
#pragma once

#include "net/zmtp/zmtp.h"

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

// ------------------------------------------------------------
// Private to the publisher: publisher.c accepts and sends, subscriber.c holds one connection.

enum { READ_BYTES = 16 << 10 }; // read from one subscriber at a time

struct subscriber {
  int file; // -1: this slot is free
  struct zmtp_peer zmtp;
  int64_t joined_ms;
  int64_t budget, budget_ms;
  struct outbox queue;
  int waits_for_room; // the event loop reports when the connection can take more
};

struct publisher {
  struct listener listener;
  int events; // epoll
  const char *const *topics;
  int topic_count;
  int is_guarded;
  struct publisher_guard guard; // if is_guarded
  size_t queue_capacity;
  struct subscriber subscriber[PUBLISHER_SUBSCRIBERS];
  struct publisher_counts counts;
  int64_t next_check_ms;  // of stalled connections
  int64_t next_accept_ms; // after the process ran out of file descriptors
  int accepts;            // the listener is in the event loop
  int shut;               // by publisher_admit
};

// Adds or changes a file in the event loop; slot identifies it in events.
void publisher_watch(struct publisher *publisher, int operation, int file, int slot, unsigned events);

// Starts a connection in a free slot; on a lack of memory the file is closed.
void subscriber_join(struct publisher *publisher, struct subscriber *subscriber, int file);
void subscriber_leave(struct publisher *publisher, struct subscriber *subscriber);   // it has gone
void subscriber_cut_off(struct publisher *publisher, struct subscriber *subscriber); // counted
// Cuts off, then reports to the guard, if there is one, which may publish: any connection may have ended
// then.
void subscriber_deny(struct publisher *publisher, struct subscriber *subscriber, enum zmtp_failure failure);

int subscriber_has_room(struct subscriber *subscriber,
                        size_t size); // in the queue, for frames of so many bytes
void subscriber_put_frame(struct subscriber *subscriber, const void *content, size_t size, int more);

// Sends what the system accepts of the queue. Returns 0 if the connection had gone and was closed.
int subscriber_flush(struct publisher *publisher, struct subscriber *subscriber);
// Reads once and handles what came; may close the connection.
void subscriber_receive(struct publisher *publisher, struct subscriber *subscriber);

// How readily a subscriber is replaced by a new connection: the larger, the sooner; 0: never.
int64_t subscriber_uselessness(const struct subscriber *subscriber, int64_t now_ms);
int subscriber_has_stalled(const struct subscriber *subscriber, int64_t now_ms);

// ------------------------------------------------------------
// Private to the router: router.c opens, accepts and closes, takes messages, and holds one connection, its
// sending and its time-outs.

enum {
  ROUTER_INPUT_BYTES = 16 << 10, // read at once; a longer frame gets more room until it is complete
  LISTENER_SLOT = ROUTER_CONNECTIONS
};

struct connection {
  int file; // -1: this slot is free
  uint64_t number;
  char address[PEER_ADDRESS];
  struct zmtp_peer zmtp;
  uint8_t *input; // input_size bytes of input_capacity wait, from input_start
  size_t input_start, input_size, input_capacity;
  int is_readable;       // the system has bytes, or reports the end
  int has_input;         // what waits in input may be a whole frame
  int is_within_message; // frames of a message have come, and more of it follow
  struct outbox queue;
  int waits_for_room; // the event loop reports when the connection can take more
  int has_gone;       // sending has failed: closed when what it has sent is read
  int64_t joined_ms;
  int64_t heard_ms;   // when bytes came last
  int64_t partial_ms; // since when a part of a frame has waited for the rest; 0: none does
  int64_t pinged_ms;  // when the oldest PING without a sign of life since was sent
};

struct router {
  struct listener listener;
  int events; // epoll
  struct router_options options;
  struct zmtp_keys keys; // if has_keys
  int has_keys;
  struct connection connection[ROUTER_CONNECTIONS];
  uint8_t has_work[ROUTER_CONNECTIONS]; // is_readable or has_input, for a quick search
  int count;
  uint64_t newest; // number of the newest connection
  int next;        // slot from which router_receive goes on
  int work;        // work that is left in this turn
  struct delivery {
    const uint8_t *data;
    size_t size;
    int is_whole, is_single;
  } delivery; // of the frame taken last

  int64_t next_check_ms, checked_ms, next_ping_ms;
  int accepts;                      // the listener is in the event loop
  int is_shut;                      // by router_admit
  int is_full;                      // the listener drops attempts
  int64_t next_accept_ms;           // after the process ran out of file descriptors
  uint64_t dropped_before, dropped; // attempts to connect: before the listener was full, since then
};

// ------------------------------------------------------------
// Private to ZMTP: zmtp.c has frames and what they contain, and what comes before.

enum {
  ZMTP_FLAG_MORE = 1,
  ZMTP_FLAG_LONG = 2,
  ZMTP_FLAG_COMMAND = 4
}; // LONG: the size has 8 bytes instead of 1
