// One subscriber's connection: its queue, its budget, and what it sends.
#define _GNU_SOURCE
#include "io/net/publisher_parts.h"

#include "io/net/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
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
  free(subscriber->queue);
  subscriber->file = -1;
  subscriber->queue = NULL;
  publisher->counts.subscribers--;
}

void subscriber_cut_off(struct publisher *publisher, struct subscriber *subscriber) {
  publisher->counts.cut_off++;
  subscriber_leave(publisher, subscriber);
}

// Key of the peer, or its address.
static void find_who(const struct subscriber *subscriber, char out[ZMTP_WHO]) {
  struct sockaddr_in address = {0};
  socklen_t size = sizeof address;
  char host[INET_ADDRSTRLEN];
  int is_tcp = getpeername(subscriber->file, (struct sockaddr *)&address, &size) == 0 &&
               address.sin_family == AF_INET && inet_ntop(AF_INET, &address.sin_addr, host, sizeof host);
  if (subscriber->zmtp.admission.who[0])
    snprintf(out, ZMTP_WHO, "%s", subscriber->zmtp.admission.who);
  else if (is_tcp)
    snprintf(out, ZMTP_WHO, "%s:%d", host, (int)ntohs(address.sin_port));
  else
    snprintf(out, ZMTP_WHO, "a peer");
}

void subscriber_deny(struct publisher *publisher, struct subscriber *subscriber, enum zmtp_failure failure) {
  char who[ZMTP_WHO];
  find_who(subscriber, who);
  subscriber_cut_off(publisher, subscriber);
  if (publisher->is_guarded)
    publisher->guard.on_denial(publisher->guard.context, failure, who);
}

static int would_block(int error) {
  return error == EAGAIN || error == EWOULDBLOCK;
}

int subscriber_flush(struct publisher *publisher, struct subscriber *subscriber) {
  while (subscriber->queue_size > 0) {
    ssize_t sent = send(subscriber->file, subscriber->queue + subscriber->queue_start, subscriber->queue_size,
                        MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent < 0 && would_block(errno))
      break;
    if (sent <= 0) {
      subscriber_leave(publisher, subscriber);
      return 0;
    }
    subscriber->queue_start += (size_t)sent;
    subscriber->queue_size -= (size_t)sent;
    subscriber->progress_ms = clock_ms();
  }

  if (!subscriber->queue_size) {
    subscriber->queue_start = 0;
    subscriber->progress_ms = clock_ms();
  }
  if ((subscriber->queue_size > 0) != subscriber->waits_for_room) {
    subscriber->waits_for_room = subscriber->queue_size > 0;
    publisher_watch(publisher, EPOLL_CTL_MOD, subscriber->file, (int)(subscriber - publisher->subscriber),
                    EPOLLIN | (subscriber->waits_for_room ? EPOLLOUT : 0));
  }
  return 1;
}

int subscriber_make_room(const struct publisher *publisher, struct subscriber *subscriber, size_t size) {
  if (size > publisher->queue_capacity - subscriber->queue_size)
    return 0;
  if (size > publisher->queue_capacity - subscriber->queue_start - subscriber->queue_size) {
    memmove(subscriber->queue, subscriber->queue + subscriber->queue_start, subscriber->queue_size);
    subscriber->queue_start = 0;
  }
  return 1;
}

void subscriber_put(struct subscriber *subscriber, const void *data, size_t size) {
  if (size)
    memcpy(subscriber->queue + subscriber->queue_start + subscriber->queue_size, data, size);
  subscriber->queue_size += size;
}

void subscriber_put_frame(struct subscriber *subscriber, const void *content, size_t size, int more) {
  zmtp_put_frame(&subscriber->zmtp, content, size, more,
                 subscriber->queue + subscriber->queue_start + subscriber->queue_size);
  subscriber->queue_size += zmtp_frame_size(&subscriber->zmtp, size);
}

struct reply {
  struct publisher *publisher;
  struct subscriber *subscriber;
};

static void on_reply(void *context, const void *data, size_t size) {
  struct reply *reply = context;
  if (subscriber_make_room(reply->publisher, reply->subscriber, size))
    subscriber_put(reply->subscriber, data, size);
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
  struct reply reply = {publisher, subscriber};
  const struct zmtp_reader reader = {publisher->topics, publisher->topic_count,
                                     publisher->is_guarded ? &publisher->guard.keys : NULL, on_reply, &reply};
  ssize_t got = recv(subscriber->file, bytes, sizeof bytes, MSG_DONTWAIT);
  if (got < 0 && (would_block(errno) || errno == EINTR))
    return;
  if (got <= 0 && publisher->is_guarded && subscriber->zmtp.state != ZMTP_SUBSCRIBES) {
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
  int is_here = subscriber_flush(publisher, subscriber); // it may be told why it is denied
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
  if (subscriber->zmtp.state != ZMTP_SUBSCRIBES)
    return 3 * class + now_ms - subscriber->joined_ms;
  if (!zmtp_wants_any(&subscriber->zmtp))
    return 2 * class + now_ms - subscriber->joined_ms;
  int64_t stalled_ms = now_ms - subscriber->progress_ms;
  return stalled_ms > REPLACEABLE_MS ? class + stalled_ms : 0;
}

int subscriber_has_stalled(const struct subscriber *subscriber, int64_t now_ms) {
  return (subscriber->zmtp.state != ZMTP_SUBSCRIBES && now_ms - subscriber->joined_ms > HANDSHAKE_MS) ||
         (subscriber->queue_size > 0 && now_ms - subscriber->progress_ms > STALLED_MS);
}

static void set_options(int file) {
  const struct {
    int level, option, value;
  } options[] = {{SOL_SOCKET, SO_SNDBUF, SEND_BUFFER},
                 {SOL_SOCKET, SO_KEEPALIVE, 1},
                 {IPPROTO_TCP, TCP_NODELAY, 1},
                 {IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_S},
                 {IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_S},
                 {IPPROTO_TCP, TCP_KEEPCNT, 3},
                 {IPPROTO_TCP, TCP_USER_TIMEOUT, UNACKNOWLEDGED_MS}};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) // TCP options have no effect on ipc sockets
    setsockopt(file, options[i].level, options[i].option, &options[i].value, sizeof options[i].value);
}

void subscriber_join(struct publisher *publisher, struct subscriber *subscriber, int file) {
  // The system provides pages only when they are written, so an idle queue costs nothing.
  uint8_t *queue = malloc(publisher->queue_capacity);
  if (!queue) {
    publisher->counts.cut_off++;
    close(file);
    return;
  }

  int64_t now = clock_ms();
  set_options(file);
  *subscriber = (struct subscriber){.file = file,
                                    .joined_ms = now,
                                    .progress_ms = now,
                                    .budget = PUBLISHER_BUDGET_BYTES,
                                    .budget_ms = now,
                                    .queue = queue};
  publisher->counts.subscribers++;
  publisher_watch(publisher, EPOLL_CTL_ADD, file, (int)(subscriber - publisher->subscriber), EPOLLIN);
  subscriber_put(subscriber, zmtp_greeting(publisher->is_guarded ? &publisher->guard.keys : NULL),
                 ZMTP_GREETING);
  subscriber_flush(publisher, subscriber);
}
