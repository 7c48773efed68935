#define _GNU_SOURCE
#include "io/net/publisher.h"

#include "io/net/clock.h"
#include "io/net/endpoint.h"
#include "io/net/zmtp.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  ACCEPTS_PER_SERVE = 8,
  READ_BYTES = 16 << 10,     // of each subscriber, at a time
  SEND_BUFFER = 128 << 10,   // of the system, for each
  HANDSHAKE_MS = 5000,       // who is no subscriber by then never will be
  STALLED_MS = 10000,        // without taking a byte of what waits: gone
  MAY_MAKE_WAY_MS = 1000,    // the same, where there is no other room for a newcomer
  LOOK_MS = 100,             // between looks for these
  NO_FILES_MS = 1000,        // without a free file descriptor nobody is accepted for so long
  UNACKNOWLEDGED_MS = 10000, // by the other side's system: gone
  KEEPALIVE_S = 10,
  LISTENER = PUBLISHER_SUBSCRIBERS // its place among the watched
};

struct subscriber {
  int file; // -1: none
  struct zmtp_peer zmtp;
  int64_t joined_ms, taken_ms; // taken: when it last took a byte, or nothing waited
  int64_t budget, budget_ms;
  uint8_t *queue; // from queue_start, queue_size bytes wait
  size_t queue_start, queue_size;
  int watched_for_room;
};

struct publisher {
  struct listener listener;
  int watch;
  const char *const *topics;
  int topic_count;
  size_t queue_capacity;
  struct subscriber subscriber[PUBLISHER_SUBSCRIBERS];
  struct publisher_counts counts;
  int64_t look_ms, accept_ms; // not before
  int accepts, shut;          // shut: by publisher_admit
};

static void watch(struct publisher *p, int operation, int file, int place, unsigned events) {
  struct epoll_event e = {.events = events, .data.u32 = (uint32_t)place};
  epoll_ctl(p->watch, operation, file, &e);
}

static void leave(struct publisher *p, struct subscriber *s) {
  close(s->file); // which ends the watch, too
  free(s->queue);
  s->file = -1;
  s->queue = NULL;
  p->counts.subscribers--;
}

static void cut_off(struct publisher *p, struct subscriber *s) {
  p->counts.cut_off++;
  leave(p, s);
}

// Sends what waits, as far as the system takes it. 0: the connection is gone, and left.
static int flush(struct publisher *p, struct subscriber *s) {
  while (s->queue_size > 0) {
    ssize_t sent = send(s->file, s->queue + s->queue_start, s->queue_size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      break;
    if (sent <= 0) {
      leave(p, s);
      return 0;
    }
    s->queue_start += (size_t)sent;
    s->queue_size -= (size_t)sent;
    s->taken_ms = clock_ms();
  }
  if (!s->queue_size) {
    s->queue_start = 0;
    s->taken_ms = clock_ms();
  }
  if ((s->queue_size > 0) != s->watched_for_room) {
    s->watched_for_room = s->queue_size > 0;
    watch(p, EPOLL_CTL_MOD, s->file, (int)(s - p->subscriber),
          EPOLLIN | (s->watched_for_room ? EPOLLOUT : 0));
  }
  return 1;
}

// Room for so many bytes behind what waits; 0: there is none.
static int make_room(const struct publisher *p, struct subscriber *s, size_t size) {
  if (size > p->queue_capacity - s->queue_size)
    return 0;
  if (size > p->queue_capacity - s->queue_start - s->queue_size) {
    memmove(s->queue, s->queue + s->queue_start, s->queue_size);
    s->queue_start = 0;
  }
  return 1;
}

static void put(struct subscriber *s, const void *data, size_t size) {
  if (size)
    memcpy(s->queue + s->queue_start + s->queue_size, data, size);
  s->queue_size += size;
}

struct reply {
  struct publisher *publisher;
  struct subscriber *subscriber;
};

static void on_reply(void *context, const void *data, size_t size) {
  struct reply *r = context;
  if (make_room(r->publisher, r->subscriber, size))
    put(r->subscriber, data, size);
}

// Who has no budget left is no subscriber: topics are few, and heartbeats small.
static int spend(struct subscriber *s, size_t size) {
  int64_t now = clock_ms(), earned = (now - s->budget_ms) * PUBLISHER_BUDGET_BYTES_PER_S / 1000;
  if (earned > 0) {
    s->budget_ms = now;
    s->budget = s->budget + earned > PUBLISHER_BUDGET_BYTES ? PUBLISHER_BUDGET_BYTES : s->budget + earned;
  }
  s->budget -= (int64_t)size;
  return s->budget >= 0;
}

static void receive(struct publisher *p, struct subscriber *s) {
  uint8_t bytes[READ_BYTES];
  struct reply reply = {p, s};
  const struct zmtp_reader reader = {p->topics, p->topic_count, on_reply, &reply};
  ssize_t got = recv(s->file, bytes, sizeof bytes, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
    return;
  if (got <= 0) {
    leave(p, s);
    return;
  }
  uint64_t before = s->zmtp.ignored;
  int good = spend(s, (size_t)got) && zmtp_take(&s->zmtp, &reader, bytes, (size_t)got);
  p->counts.ignored += s->zmtp.ignored - before;
  if (!good)
    cut_off(p, s);
  else
    flush(p, s);
}

// How little a subscriber would be missed, the more the larger; 0: it stays.
static int64_t worth_little(const struct subscriber *s, int64_t now) {
  const int64_t class = INT64_C(1) << 40; // milliseconds, more than anybody has
  if (s->zmtp.state != ZMTP_SUBSCRIBES)
    return 3 * class + now - s->joined_ms;
  if (!zmtp_wants_any(&s->zmtp))
    return 2 * class + now - s->joined_ms;
  return now - s->taken_ms > MAY_MAKE_WAY_MS ? class + now - s->taken_ms : 0;
}

static struct subscriber *place_for_newcomer(struct publisher *p) {
  struct subscriber *least = NULL;
  int64_t now = clock_ms(), most = 0;
  for (int i = 0; i < PUBLISHER_SUBSCRIBERS; i++) {
    struct subscriber *s = &p->subscriber[i];
    if (s->file < 0)
      return s;
    int64_t little = worth_little(s, now);
    if (little > most) {
      most = little;
      least = s;
    }
  }
  if (least)
    cut_off(p, least);
  return least;
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
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) // those of tcp do nothing on an ipc socket
    setsockopt(file, options[i].level, options[i].option, &options[i].value, sizeof options[i].value);
}

static void join(struct publisher *p, int file) {
  struct subscriber *s = place_for_newcomer(p);
  uint8_t *queue = s ? malloc(p->queue_capacity) : NULL; // pages that are never written cost nothing
  if (!queue) {
    p->counts.cut_off++;
    close(file);
    return;
  }
  int64_t now = clock_ms();
  set_options(file);
  *s = (struct subscriber){.file = file,
                           .joined_ms = now,
                           .taken_ms = now,
                           .budget = PUBLISHER_BUDGET_BYTES,
                           .budget_ms = now,
                           .queue = queue};
  p->counts.subscribers++;
  watch(p, EPOLL_CTL_ADD, file, (int)(s - p->subscriber), EPOLLIN);
  put(s, zmtp_greeting, ZMTP_GREETING);
  flush(p, s);
}

// Without a free descriptor a connection stays in the system's queue, and would wake us for ever.
static void accept_newcomers(struct publisher *p) {
  for (int i = 0; i < ACCEPTS_PER_SERVE; i++) {
    int file = accept4(p->listener.file, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (file >= 0) {
      join(p, file);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      watch(p, EPOLL_CTL_MOD, p->listener.file, LISTENER, 0);
      p->accepts = 0;
      p->accept_ms = clock_ms() + NO_FILES_MS;
      return;
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return;
    }
  }
}

static void look_around(struct publisher *p) {
  int64_t now = clock_ms();
  if (now < p->look_ms)
    return;
  p->look_ms = now + LOOK_MS;
  if (!p->accepts && !p->shut && now >= p->accept_ms) {
    p->accepts = 1;
    watch(p, EPOLL_CTL_MOD, p->listener.file, LISTENER, EPOLLIN);
  }
  for (int i = 0; i < PUBLISHER_SUBSCRIBERS; i++) {
    struct subscriber *s = &p->subscriber[i];
    if (s->file >= 0 && ((s->zmtp.state != ZMTP_SUBSCRIBES && now - s->joined_ms > HANDSHAKE_MS) ||
                         (s->queue_size > 0 && now - s->taken_ms > STALLED_MS)))
      cut_off(p, s);
  }
}

void publisher_admit(struct publisher *p, int on) {
  p->shut = !on;
  p->accepts = on;
  watch(p, EPOLL_CTL_MOD, p->listener.file, LISTENER, on ? EPOLLIN : 0);
}

void publisher_serve(struct publisher *p) {
  struct epoll_event events[PUBLISHER_SUBSCRIBERS + 1];
  int count = epoll_wait(p->watch, events, PUBLISHER_SUBSCRIBERS + 1, 0);
  int newcomers = 0;
  for (int i = 0; i < count; i++) {
    if (events[i].data.u32 == LISTENER) {
      newcomers = 1;
      continue;
    }
    struct subscriber *s = &p->subscriber[events[i].data.u32];
    if (s->file >= 0 && (!(events[i].events & EPOLLOUT) || flush(p, s)) &&
        (events[i].events & ~(unsigned)EPOLLOUT))
      receive(p, s);
  }
  if (newcomers) // last: they may take the places of those above
    accept_newcomers(p);
  look_around(p);
}

void publisher_send(struct publisher *p, const char *topic, const void *data, size_t size) {
  int at = 0;
  while (p->topics[at] && strcmp(p->topics[at], topic) != 0)
    at++;
  if (!p->topics[at])
    return;
  uint8_t topic_header[ZMTP_FRAME_HEADER], header[ZMTP_FRAME_HEADER];
  size_t length = strlen(topic), topic_size = zmtp_frame_header(topic_header, length, 1);
  size_t header_size = zmtp_frame_header(header, size, 0);
  for (int i = 0; i < PUBLISHER_SUBSCRIBERS; i++) {
    struct subscriber *s = &p->subscriber[i];
    if (s->file < 0 || s->zmtp.state != ZMTP_SUBSCRIBES || !zmtp_wants(&s->zmtp, at))
      continue;
    if (!make_room(p, s, topic_size + length + header_size + size)) {
      p->counts.dropped++;
      continue;
    }
    put(s, topic_header, topic_size);
    put(s, topic, length);
    put(s, header, header_size);
    put(s, data, size);
    if (!s->watched_for_room) // otherwise there is none now
      flush(p, s);
  }
}

enum status publisher_open(const char *endpoint, const char *const *topics, size_t largest,
                           struct publisher **out, struct reason *why) {
  *out = NULL;
  struct publisher *p = calloc(1, sizeof *p);
  if (!p)
    return fail(why, STATUS_NO_MEMORY, "no memory for the telemetry");
  p->watch = -1;
  p->topics = topics;
  while (p->topic_count < ZMTP_TOPICS && topics[p->topic_count])
    p->topic_count++;
  p->queue_capacity = 4 * largest > PUBLISHER_QUEUE_BYTES ? 4 * largest : PUBLISHER_QUEUE_BYTES;
  for (int i = 0; i < PUBLISHER_SUBSCRIBERS; i++)
    p->subscriber[i].file = -1;
  enum status status = listener_open(endpoint, &p->listener, why);
  if (status == STATUS_OK && (p->watch = epoll_create1(EPOLL_CLOEXEC)) < 0)
    status = fail(why, STATUS_IO, "telemetry at %s: %s", endpoint, strerror(errno));
  if (status != STATUS_OK) {
    publisher_close(p, 0);
    return status;
  }
  p->accepts = 1;
  watch(p, EPOLL_CTL_ADD, p->listener.file, LISTENER, EPOLLIN);
  *out = p;
  return STATUS_OK;
}

// What is sent and then closed with something unread from the other side would be thrown away there: so each
// end of writing waits for the other's.
static int is_taken(struct publisher *p, struct subscriber *s) {
  uint8_t bytes[READ_BYTES];
  if (s->queue_size > 0) {
    if (!flush(p, s))
      return 1;
    if (!s->queue_size)
      shutdown(s->file, SHUT_WR);
  }
  ssize_t got;
  while ((got = recv(s->file, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
    ;
  return got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

static void linger(struct publisher *p, int64_t end_ms) {
  for (int i = 0; i < PUBLISHER_SUBSCRIBERS; i++)
    if (p->subscriber[i].file >= 0 && !p->subscriber[i].queue_size)
      shutdown(p->subscriber[i].file, SHUT_WR);
  for (;;) {
    struct pollfd files[PUBLISHER_SUBSCRIBERS];
    nfds_t count = 0;
    for (int i = 0; i < PUBLISHER_SUBSCRIBERS; i++) {
      struct subscriber *s = &p->subscriber[i];
      if (s->file >= 0 && is_taken(p, s) && s->file >= 0)
        leave(p, s);
      if (s->file >= 0)
        files[count++] = (struct pollfd){s->file, (short)(POLLIN | (s->queue_size > 0 ? POLLOUT : 0)), 0};
    }
    int64_t left = end_ms - clock_ms();
    if (!count || left <= 0)
      return;
    poll(files, count, (int)left);
  }
}

void publisher_close(struct publisher *p, int linger_ms) {
  if (!p)
    return;
  if (linger_ms > 0)
    linger(p, clock_ms() + linger_ms);
  for (int i = 0; i < PUBLISHER_SUBSCRIBERS; i++)
    if (p->subscriber[i].file >= 0)
      leave(p, &p->subscriber[i]);
  listener_close(&p->listener, 0);
  if (p->watch >= 0)
    close(p->watch);
  free(p);
}

const char *publisher_endpoint(const struct publisher *p) {
  return p->listener.endpoint;
}
int publisher_is_local(const struct publisher *p) {
  return p->listener.local;
}
int publisher_file(const struct publisher *p) {
  return p->watch;
}
const struct publisher_counts *publisher_counts(const struct publisher *p) {
  return &p->counts;
}
