// One subscriber's connection: its queue, its budget, and what it sends.
#define _GNU_SOURCE
#include "net/zmtp/zmtp_internal.h"

#include "net/zmtp/zmtp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  SEND_BUFFER = 128 << 10,   // bytes of the system's own buffer
  HANDSHAKE_MS = 5000,       // time allowed until the peer has proved to be a subscriber
  STALLED_MS = 10000,        // time allowed without taking a byte of what waits
  REPLACEABLE_MS = 1000,     // the same, when a new connection needs the slot
  UNACKNOWLEDGED_MS = 10000, // time allowed to the peer's system to acknowledge data
  KEEPALIVE_S = 10
};

void subscriber_leave(struct publisher *publisher, struct subscriber *subscriber) {
  zmtp_forget(&subscriber->zmtp);
  close(subscriber->file); // which also removes it from the event loop
  outbox_close(&subscriber->queue);
  subscriber->file = -1;
  publisher->counts.subscribers--;
}

void subscriber_cut_off(struct publisher *publisher, struct subscriber *subscriber) {
  publisher->counts.cut_off++;
  subscriber_leave(publisher, subscriber);
}

// Key of the peer, or its address.
static void find_who(const struct subscriber *subscriber, char out[ZMTP_WHO]) {
  char address[PEER_ADDRESS];
  peer_socket_address(subscriber->file, address);
  snprintf(out, ZMTP_WHO, "%s",
           *subscriber->zmtp.admission.who ? subscriber->zmtp.admission.who
           : *address                      ? address
                                           : "a peer");
}

void subscriber_deny(struct publisher *publisher, struct subscriber *subscriber, enum zmtp_failure failure) {
  char who[ZMTP_WHO];
  find_who(subscriber, who);
  subscriber_cut_off(publisher, subscriber);
  if (publisher->is_guarded)
    publisher->guard.on_denial(publisher->guard.context, failure, who);
}

int subscriber_flush(struct publisher *publisher, struct subscriber *subscriber) {
  if (!outbox_flush(&subscriber->queue, subscriber->file)) {
    subscriber_leave(publisher, subscriber);
    return 0;
  }
  if ((subscriber->queue.size > 0) != subscriber->waits_for_room) {
    subscriber->waits_for_room = subscriber->queue.size > 0;
    publisher_watch(publisher, EPOLL_CTL_MOD, subscriber->file, (int)(subscriber - publisher->subscriber),
                    EPOLLIN | (subscriber->waits_for_room ? EPOLLOUT : 0));
  }
  return 1;
}

int subscriber_has_room(struct subscriber *subscriber, size_t size) {
  return outbox_room(&subscriber->queue, size) != NULL;
}

void subscriber_put_frame(struct subscriber *subscriber, const void *content, size_t size, int more) {
  size_t frame = zmtp_frame_size(&subscriber->zmtp, size);
  zmtp_put_frame(&subscriber->zmtp, content, size, more, outbox_room(&subscriber->queue, frame));
  outbox_add(&subscriber->queue, frame);
}

static void on_reply(void *context, const void *data, size_t size) {
  struct outbox *queue = context;
  uint8_t *room = outbox_room(queue, size);
  if (!room)
    return;
  memcpy(room, data, size);
  outbox_add(queue, size);
}

// Takes size bytes from the budget. Returns 0 if it is exhausted: a real subscriber sends a few topics and
// small heartbeats.
static int spend_budget(struct subscriber *subscriber, size_t size) {
  int64_t now = clock_ms(), earned = (now - subscriber->budget_ms) * PUBLISHER_BUDGET_BYTES_PER_S / 1000;
  if (earned > 0) {
    int64_t budget = subscriber->budget + earned;
    subscriber->budget_ms = now;
    subscriber->budget = budget > PUBLISHER_BUDGET_BYTES ? PUBLISHER_BUDGET_BYTES : budget;
  }
  subscriber->budget -= (int64_t)size;
  return subscriber->budget >= 0;
}

void subscriber_receive(struct publisher *publisher, struct subscriber *subscriber) {
  uint8_t bytes[READ_BYTES];
  const struct zmtp_reader reader = {.role = &ZMTP_PUBLISHER,
                                     .topics = publisher->topics,
                                     .topic_count = publisher->topic_count,
                                     .keys = publisher->is_guarded ? &publisher->guard.keys : NULL,
                                     .reply = on_reply,
                                     .context = &subscriber->queue};
  ssize_t got = recv(subscriber->file, bytes, sizeof bytes, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
    return;
  if (got <= 0 && publisher->is_guarded && subscriber->zmtp.state != ZMTP_OPEN) {
    subscriber_deny(publisher, subscriber, ZMTP_NO_FAILURE);
    return;
  }
  if (got <= 0) {
    subscriber_leave(publisher, subscriber);
    return;
  }

  uint64_t ignored_before = subscriber->zmtp.ignored, denied_before = subscriber->zmtp.denied;
  subscriber->zmtp.failure = ZMTP_MALFORMED; // beyond its budget
  int good =
      spend_budget(subscriber, (size_t)got) && zmtp_take(&subscriber->zmtp, &reader, bytes, (size_t)got);
  publisher->counts.ignored += subscriber->zmtp.ignored - ignored_before;
  const struct zmtp_admission admission = subscriber->zmtp.admission;
  int is_denied = publisher->is_guarded && subscriber->zmtp.denied > denied_before;
  enum zmtp_failure failure = subscriber->zmtp.failure;
  int is_here = subscriber_flush(publisher, subscriber); // it may receive the reason for the denial
  if (!good && is_here)
    subscriber_deny(publisher, subscriber, failure);
  else if (!good && publisher->is_guarded)
    publisher->guard.on_denial(publisher->guard.context, failure, "a peer that has gone");
  // Last, because an event is published: it may end any connection.
  if (is_denied)
    publisher->guard.on_subscription_denied(publisher->guard.context, admission.who);
}

int64_t subscriber_uselessness(const struct subscriber *subscriber, int64_t now_ms) {
  const int64_t class = INT64_C(1) << 40; // milliseconds, longer than any connection lasts
  if (subscriber->zmtp.state != ZMTP_OPEN)
    return 3 * class + now_ms - subscriber->joined_ms;
  if (!zmtp_wants_any(&subscriber->zmtp))
    return 2 * class + now_ms - subscriber->joined_ms;
  int64_t stalled_ms = now_ms - subscriber->queue.progress_ms;
  return stalled_ms > REPLACEABLE_MS ? class + stalled_ms : 0;
}

int subscriber_has_stalled(const struct subscriber *subscriber, int64_t now_ms) {
  return (subscriber->zmtp.state != ZMTP_OPEN && now_ms - subscriber->joined_ms > HANDSHAKE_MS) ||
         (subscriber->queue.size > 0 && now_ms - subscriber->queue.progress_ms > STALLED_MS);
}

void subscriber_join(struct publisher *publisher, struct subscriber *subscriber, int file) {
  static const struct peer_socket_limits limits = {
      .send_buffer = SEND_BUFFER, .keepalive_s = KEEPALIVE_S, .unacknowledged_ms = UNACKNOWLEDGED_MS};
  struct outbox queue;
  if (!outbox_open(&queue, publisher->queue_capacity)) {
    publisher->counts.cut_off++;
    close(file);
    return;
  }

  int64_t now = clock_ms();
  peer_socket_limit(file, &limits);
  *subscriber = (struct subscriber){
      .file = file, .joined_ms = now, .budget = PUBLISHER_BUDGET_BYTES, .budget_ms = now, .queue = queue};
  publisher->counts.subscribers++;
  publisher_watch(publisher, EPOLL_CTL_ADD, file, (int)(subscriber - publisher->subscriber), EPOLLIN);
  on_reply(&subscriber->queue, zmtp_greeting(publisher->is_guarded ? &publisher->guard.keys : NULL),
           ZMTP_GREETING);
  subscriber_flush(publisher, subscriber);
}
