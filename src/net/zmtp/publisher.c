#define _GNU_SOURCE
#include "net/zmtp/zmtp.h"
#include "net/zmtp/zmtp_internal.h"

#include <errno.h>
#include <poll.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  ACCEPTS_PER_SERVE = 8,
  CHECK_MS = 100,     // between checks for stalled connections
  NO_FILES_MS = 1000, // pause in accepting when the process has no free file descriptor
  SUBSCRIBER_LISTENER = PUBLISHER_SUBSCRIBERS // the listener's number in the event loop
};

void publisher_watch(struct publisher *publisher, int operation, int file, int slot, unsigned events) {
  struct epoll_event event = {.events = events, .data.u32 = (uint32_t)slot};
  epoll_ctl(publisher->events, operation, file, &event);
}

// A free slot, or that of the least useful subscriber after cutting it off; NULL: all are in use.
static struct subscriber *find_slot(struct publisher *publisher) {
  struct subscriber *least_useful = NULL;
  int64_t now = clock_ms(), most = 0;
  for (int i = 0; i < PUBLISHER_SUBSCRIBERS; i++) {
    struct subscriber *subscriber = &publisher->subscriber[i];
    if (subscriber->file < 0)
      return subscriber;

    int64_t uselessness = subscriber_uselessness(subscriber, now);
    if (uselessness > most) {
      most = uselessness;
      least_useful = subscriber;
    }
  }
  if (least_useful)
    subscriber_cut_off(publisher, least_useful);
  return least_useful;
}

static void join(struct publisher *publisher, int file) {
  struct subscriber *slot = find_slot(publisher);
  if (slot) {
    subscriber_join(publisher, slot, file);
  } else {
    publisher->counts.cut_off++;
    close(file);
  }
}

// Without a free file descriptor the listener leaves the event loop for a while: it would wake it forever.
static void accept_connections(struct publisher *publisher) {
  for (int i = 0; i < ACCEPTS_PER_SERVE; i++) {
    int is_short, file = peer_socket_accept(publisher->listener.file, &is_short);
    if (is_short) {
      publisher_watch(publisher, EPOLL_CTL_MOD, publisher->listener.file, SUBSCRIBER_LISTENER, 0);
      publisher->accepts = 0;
      publisher->next_accept_ms = clock_ms() + NO_FILES_MS;
    }
    if (file < 0)
      return;
    join(publisher, file);
  }
}

static void check_connections(struct publisher *publisher) {
  int64_t now = clock_ms();
  if (now < publisher->next_check_ms)
    return;
  publisher->next_check_ms = now + CHECK_MS;

  if (!publisher->accepts && !publisher->shut && now >= publisher->next_accept_ms) {
    publisher->accepts = 1;
    publisher_watch(publisher, EPOLL_CTL_MOD, publisher->listener.file, SUBSCRIBER_LISTENER, EPOLLIN);
  }
  for (int i = 0; i < PUBLISHER_SUBSCRIBERS; i++) {
    struct subscriber *subscriber = &publisher->subscriber[i];
    if (subscriber->file < 0 || !subscriber_has_stalled(subscriber, now))
      continue;
    if (subscriber->zmtp.state != ZMTP_OPEN)
      subscriber_deny(publisher, subscriber, ZMTP_NO_FAILURE);
    else
      subscriber_cut_off(publisher, subscriber);
  }
}

void publisher_admit(struct publisher *publisher, int on) {
  publisher->shut = !on;
  publisher->accepts = on;
  publisher_watch(publisher, EPOLL_CTL_MOD, publisher->listener.file, SUBSCRIBER_LISTENER, on ? EPOLLIN : 0);
}

void publisher_serve(struct publisher *publisher) {
  struct epoll_event events[PUBLISHER_SUBSCRIBERS + 1];
  int count = epoll_wait(publisher->events, events, PUBLISHER_SUBSCRIBERS + 1, 0);
  int connections_wait = 0;
  for (int i = 0; i < count; i++) {
    if (events[i].data.u32 == SUBSCRIBER_LISTENER) {
      connections_wait = 1;
      continue;
    }
    struct subscriber *subscriber = &publisher->subscriber[events[i].data.u32];
    if (subscriber->file >= 0 &&
        (!(events[i].events & EPOLLOUT) || subscriber_flush(publisher, subscriber)) &&
        (events[i].events & ~(unsigned)EPOLLOUT))
      subscriber_receive(publisher, subscriber);
  }
  if (connections_wait) // last, because a new connection may replace one of those above
    accept_connections(publisher);
  check_connections(publisher);
}

void publisher_send(struct publisher *publisher, const char *topic, const void *data, size_t size) {
  int index = 0;
  while (publisher->topics[index] && strcmp(publisher->topics[index], topic) != 0)
    index++;
  if (!publisher->topics[index])
    return;

  size_t length = strlen(topic);
  for (int i = 0; i < PUBLISHER_SUBSCRIBERS; i++) {
    struct subscriber *subscriber = &publisher->subscriber[i];
    if (subscriber->file < 0 || subscriber->zmtp.state != ZMTP_OPEN || !zmtp_wants(&subscriber->zmtp, index))
      continue;
    size_t frames = zmtp_frame_size(&subscriber->zmtp, length) + zmtp_frame_size(&subscriber->zmtp, size);
    if (!subscriber_has_room(subscriber, frames)) {
      publisher->counts.dropped++;
      continue;
    }

    subscriber_put_frame(subscriber, topic, length, 1);
    subscriber_put_frame(subscriber, data, size, 0);
    if (!subscriber->waits_for_room) // otherwise the connection takes nothing now
      subscriber_flush(publisher, subscriber);
  }
}

enum status publisher_open(const char *endpoint, const char *const *topics, size_t largest,
                           const struct publisher_guard *guard, struct publisher **out, struct reason *why) {
  *out = NULL;
  struct publisher *publisher = calloc(1, sizeof *publisher);
  if (!publisher)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the telemetry socket");
  publisher->events = -1;
  publisher->is_guarded = guard != NULL;
  if (guard)
    publisher->guard = *guard;
  publisher->topics = topics;
  while (publisher->topic_count < ZMTP_TOPICS && topics[publisher->topic_count])
    publisher->topic_count++;
  publisher->queue_capacity = 4 * largest > PUBLISHER_QUEUE_BYTES ? 4 * largest : PUBLISHER_QUEUE_BYTES;
  for (int i = 0; i < PUBLISHER_SUBSCRIBERS; i++)
    publisher->subscriber[i].file = -1;

  enum status status = guard && sodium_init() < 0 ? fail(why, STATUS_IO, "libsodium cannot be used")
                                                  : listener_open(endpoint, &publisher->listener, why);
  if (status == STATUS_OK && (publisher->events = epoll_create1(EPOLL_CLOEXEC)) < 0)
    status = fail(why, STATUS_IO, "telemetry at %s: %s", endpoint, strerror(errno));
  if (status != STATUS_OK) {
    publisher_close(publisher, 0);
    return status;
  }
  publisher->accepts = 1;
  publisher_watch(publisher, EPOLL_CTL_ADD, publisher->listener.file, SUBSCRIBER_LISTENER, EPOLLIN);
  *out = publisher;
  return STATUS_OK;
}

const char *publisher_endpoint(const struct publisher *publisher) {
  return publisher->listener.endpoint;
}

int publisher_file(const struct publisher *publisher) {
  return publisher->events;
}

const struct publisher_counts *publisher_counts(const struct publisher *publisher) {
  return &publisher->counts;
}

// Closing the publishing socket after its subscribers have received what is queued.
static void linger(struct publisher *publisher, int linger_ms) {
  struct lingering all[PUBLISHER_SUBSCRIBERS];
  int count = 0;
  for (int i = 0; i < PUBLISHER_SUBSCRIBERS; i++)
    if (publisher->subscriber[i].file >= 0)
      all[count++] = (struct lingering){publisher->subscriber[i].file, &publisher->subscriber[i].queue};
  outbox_linger(all, count, linger_ms);
}

void publisher_guard_forget(struct publisher_guard *guard) {
  sodium_memzero(guard, sizeof *guard);
}

void publisher_close(struct publisher *publisher, int linger_ms) {
  if (!publisher)
    return;
  if (linger_ms > 0)
    linger(publisher, linger_ms);

  for (int i = 0; i < PUBLISHER_SUBSCRIBERS; i++)
    if (publisher->subscriber[i].file >= 0)
      subscriber_leave(publisher, &publisher->subscriber[i]);
  listener_close(&publisher->listener);
  if (publisher->events >= 0)
    close(publisher->events);
  publisher_guard_forget(&publisher->guard);
  free(publisher);
}

// ------------------------------------------------------------
enum { LINGERING_MOST = 256, LINGER_READ_BYTES = 16 << 10, READS_AT_ONCE = 4 };

int outbox_open(struct outbox *outbox, size_t capacity) {
  *outbox = (struct outbox){.bytes = malloc(capacity), .capacity = capacity, .progress_ms = clock_ms()};
  return outbox->bytes != NULL;
}

void outbox_close(struct outbox *outbox) {
  free(outbox->bytes);
  *outbox = (struct outbox){0};
}

uint8_t *outbox_room(struct outbox *outbox, size_t size) {
  if (size > outbox->capacity - outbox->size)
    return NULL;
  if (size > outbox->capacity - outbox->start - outbox->size) {
    memmove(outbox->bytes, outbox->bytes + outbox->start, outbox->size);
    outbox->start = 0;
  }
  return outbox->bytes + outbox->start + outbox->size;
}

void outbox_add(struct outbox *outbox, size_t size) {
  outbox->size += size;
}

int outbox_flush(struct outbox *outbox, int file) {
  while (outbox->size > 0) {
    ssize_t sent = send(file, outbox->bytes + outbox->start, outbox->size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return 1;
    if (sent <= 0)
      return 0;
    outbox->start += (size_t)sent;
    outbox->size -= (size_t)sent;
    outbox->progress_ms = clock_ms();
  }
  outbox->start = 0;
  outbox->progress_ms = clock_ms();
  return 1;
}

// Whether a peer needs no more waiting. TCP discards queued data when a socket is closed while data from the
// peer is unread, so this reads until the peer has closed its side.
static int is_finished(const struct lingering *one) {
  uint8_t bytes[LINGER_READ_BYTES];
  if (one->outbox->size > 0) {
    if (!outbox_flush(one->outbox, one->file))
      return 1;
    if (!one->outbox->size)
      shutdown(one->file, SHUT_WR);
  }

  ssize_t got = 1;
  for (int i = 0; i < READS_AT_ONCE && got > 0; i++)
    got = recv(one->file, bytes, sizeof bytes, MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

void outbox_linger(struct lingering *all, int count, int linger_ms) {
  const int64_t end_ms = clock_ms() + linger_ms;
  for (int i = 0; i < count; i++)
    if (!all[i].outbox->size)
      shutdown(all[i].file, SHUT_WR);

  for (;;) {
    struct pollfd files[LINGERING_MOST];
    int left = 0;
    for (int i = 0; i < count && i < LINGERING_MOST; i++)
      if (!is_finished(&all[i]))
        all[left++] = all[i];
    count = left;
    for (int i = 0; i < count; i++)
      files[i] = (struct pollfd){all[i].file, (short)(POLLIN | (all[i].outbox->size > 0 ? POLLOUT : 0)), 0};

    int64_t left_ms = end_ms - clock_ms();
    if (!count || left_ms <= 0)
      return;
    poll(files, (nfds_t)count, (int)left_ms);
  }
}
