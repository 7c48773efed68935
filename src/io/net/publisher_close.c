// Closing the publishing socket after its subscribers have received what is queued.
#include "io/net/publisher_parts.h"

#include "io/net/clock.h"

#include <errno.h>
#include <poll.h>
#include <sodium.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

// Whether a subscriber needs no more waiting. TCP discards queued data when a socket is closed while data
// from the peer is unread, so this reads until the peer has closed its side.
static int is_finished(struct publisher *publisher, struct subscriber *subscriber) {
  uint8_t bytes[READ_BYTES];
  if (subscriber->queue_size > 0) {
    if (!subscriber_flush(publisher, subscriber))
      return 1;
    if (!subscriber->queue_size)
      shutdown(subscriber->file, SHUT_WR);
  }

  ssize_t got;
  while ((got = recv(subscriber->file, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
    ;
  return got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

static void linger(struct publisher *publisher, int64_t end_ms) {
  for (int i = 0; i < PUBLISHER_SUBSCRIBERS; i++)
    if (publisher->subscriber[i].file >= 0 && !publisher->subscriber[i].queue_size)
      shutdown(publisher->subscriber[i].file, SHUT_WR);

  for (;;) {
    struct pollfd files[PUBLISHER_SUBSCRIBERS];
    nfds_t count = 0;
    for (int i = 0; i < PUBLISHER_SUBSCRIBERS; i++) {
      struct subscriber *subscriber = &publisher->subscriber[i];
      if (subscriber->file >= 0 && is_finished(publisher, subscriber) && subscriber->file >= 0)
        subscriber_leave(publisher, subscriber);
      if (subscriber->file >= 0)
        files[count++] = (struct pollfd){subscriber->file,
                                         (short)(POLLIN | (subscriber->queue_size > 0 ? POLLOUT : 0)), 0};
    }

    int64_t left_ms = end_ms - clock_ms();
    if (!count || left_ms <= 0)
      return;
    poll(files, count, (int)left_ms);
  }
}

void publisher_guard_forget(struct publisher_guard *guard) {
  sodium_memzero(guard, sizeof *guard);
}

void publisher_close(struct publisher *publisher, int linger_ms) {
  if (!publisher)
    return;
  if (linger_ms > 0)
    linger(publisher, clock_ms() + linger_ms);

  for (int i = 0; i < PUBLISHER_SUBSCRIBERS; i++)
    if (publisher->subscriber[i].file >= 0)
      subscriber_leave(publisher, &publisher->subscriber[i]);
  listener_close(&publisher->listener, 0);
  if (publisher->events >= 0)
    close(publisher->events);
  publisher_guard_forget(&publisher->guard);
  free(publisher);
}
