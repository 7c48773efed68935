#include "view/server/http_connection.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_MS = 10000, WRITE_MS = 30000, END_MS = 2000 };

void http_begin(struct http_connection *c, int file, int64_t now_ms) {
  memset(c, 0, sizeof *c);
  c->file = file;
  c->state = HTTP_READING;
  c->until_ms = now_ms + READ_MS;
  c->moved_ms = now_ms;
}

void http_close(struct http_connection *c) {
  if (c->state == HTTP_FREE)
    return;
  if (c->state != HTTP_UPGRADE)
    close(c->file);
  free(c->owned);
  c->owned = NULL;
  c->state = HTTP_FREE;
}

short http_events(const struct http_connection *c) {
  return c->state == HTTP_WRITING ? POLLOUT : POLLIN;
}

static int is_to_try_later(void) {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static void read_head(struct http_connection *c, struct http_site *site, int64_t now_ms) {
  ssize_t count = recv(c->file, c->head + c->head_size, HEAD_MAX - c->head_size, 0);
  if (count == 0 || (count < 0 && !is_to_try_later())) {
    http_close(c);
    return;
  }
  c->head_size += count > 0 ? (size_t)count : 0;
  c->moved_ms = count > 0 ? now_ms : c->moved_ms;
  http_answer(c, site);
  if (c->state == HTTP_WRITING)
    c->until_ms = now_ms + WRITE_MS;
}

static void write_answer(struct http_connection *c, int64_t now_ms) {
  while (c->sent < c->answer_size + c->body_size) {
    int is_head = c->sent < c->answer_size;
    const char *at = is_head ? c->answer + c->sent : (const char *)c->body + (c->sent - c->answer_size);
    size_t size = is_head ? c->answer_size - c->sent : c->answer_size + c->body_size - c->sent;
    ssize_t count = send(c->file, at, size, MSG_NOSIGNAL);
    if (count < 0 && is_to_try_later())
      return;
    if (count <= 0) {
      http_close(c);
      return;
    }
    c->sent += (size_t)count;
    c->moved_ms = now_ms;
  }
  // What still comes is read, so that the system does not discard the answer.
  shutdown(c->file, SHUT_WR);
  c->state = HTTP_ENDING;
  c->until_ms = now_ms + END_MS;
}

static void read_rest(struct http_connection *c) {
  char rest[4096];
  ssize_t count = recv(c->file, rest, sizeof rest, 0);
  if (count == 0 || (count < 0 && !is_to_try_later()))
    http_close(c);
}

void http_work(struct http_connection *c, struct http_site *site, int64_t now_ms) {
  if (c->state == HTTP_READING)
    read_head(c, site, now_ms);
  if (c->state == HTTP_WRITING)
    write_answer(c, now_ms);
  else if (c->state == HTTP_ENDING)
    read_rest(c);
  if (now_ms >= c->until_ms && c->state != HTTP_UPGRADE)
    http_close(c);
}
