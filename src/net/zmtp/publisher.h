// The publishing socket for telemetry. Any ZeroMQ SUB socket can connect, and no subscriber can affect the
// program: topics are bits in a mask, waiting messages a queue of fixed size (a message that does not fit is
// dropped and counted), incoming bytes a budget (a subscriber that exceeds it is disconnected). One thread
// owns a publisher; only publisher_close can block.
#pragma once

#include "sagbend/base/status.h"
#include "net/zmtp/zmtp.h"

#include <stddef.h>
#include <stdint.h>

enum {
  PUBLISHER_SUBSCRIBERS = 32,             // connections; a further one replaces the least useful of them
  PUBLISHER_QUEUE_BYTES = 1 << 20,        // of each subscriber, or four of the largest messages if more
  PUBLISHER_BUDGET_BYTES = 64 << 10,      // that a subscriber may send at once
  PUBLISHER_BUDGET_BYTES_PER_S = 16 << 10 // that its budget regains
};

struct publisher_counts {
  uint64_t subscribers; // connected now
  uint64_t dropped;     // messages, counted once for each subscriber whose queue was full
  uint64_t ignored;     // subscriptions that match no topic
  uint64_t cut_off; // connections closed by the publisher: no ZeroMQ subscriber, over its budget, stalled,
                    // or replaced by a new one
};

// Where keys are required: the keys, and what is called for each peer that is denied.
struct publisher_guard {
  struct zmtp_keys keys;
  // failure ZMTP_NO_FAILURE: the connection ended, or took too long, before its handshake. who: its key or
  // address, for people.
  void (*on_denial)(void *context, enum zmtp_failure failure, const char *who);
  // A subscription that the role of the key does not permit.
  void (*on_subscription_denied)(void *context, const char *who);
  void *context;
};

void publisher_guard_forget(struct publisher_guard *guard); // erases its keys

struct publisher;

// Listens at endpoint. topics: a list that ends with NULL; it must outlive the publisher. largest: bytes of
// the largest message. guard: copied; NULL: subscribers need no key. Release with publisher_close.
enum status publisher_open(const char *endpoint, const char *const *topics, size_t largest,
                           const struct publisher_guard *guard, struct publisher **out, struct reason *why);

// Waits at most linger_ms until the subscribers have received what is queued, then closes. Accepts NULL.
void publisher_close(struct publisher *publisher, int linger_ms);

const char *publisher_endpoint(const struct publisher *publisher); // as bound, with the port chosen

// A file descriptor to poll: readable when publisher_serve has work.
int publisher_file(const struct publisher *publisher);

// Accepts connections, reads what subscribers send and sends what is queued; a bounded amount of each.
void publisher_serve(struct publisher *publisher);

// Allows or stops new connections; existing ones stay.
void publisher_admit(struct publisher *publisher, int on);

// Queues topic and message, as two frames, for each subscriber of the topic. A topic that is not in the list
// of topics is ignored.
void publisher_send(struct publisher *publisher, const char *topic, const void *data, size_t size);

const struct publisher_counts *publisher_counts(const struct publisher *publisher);
