// Private to the publisher: publisher.c accepts and sends, subscriber.c holds one connection.
#pragma once

#include "net/zmtp/endpoint.h"
#include "net/zmtp/outbox.h"
#include "net/zmtp/publisher.h"
#include "net/zmtp/zmtp.h"

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
