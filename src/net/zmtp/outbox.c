#define _GNU_SOURCE
#include "net/zmtp/outbox.h"

#include "net/zmtp/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { LINGERING_MOST = 256, READ_BYTES = 16 << 10, READS_AT_ONCE = 4 };

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
  uint8_t bytes[READ_BYTES];
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
