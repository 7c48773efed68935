#define _GNU_SOURCE // accept4
#include "view/server/server_internal.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ACCEPT_PAUSE_MS = 200, IDLE_MS = 1000, SEND_BUFFER = 256 << 10 };

// A place for a connection: a free one, or that of the connection that has stood still longest. NULL: each of
// them moves. Who comes then waits in the system's queue.
static struct http_connection *find_place(struct gateway *g) {
  struct http_connection *stillest = &g->http[0];
  for (int i = 0; i < HTTP_CONNECTIONS; i++) {
    if (g->http[i].state == HTTP_FREE)
      return &g->http[i];
    if (g->http[i].moved_ms < stillest->moved_ms)
      stillest = &g->http[i];
  }
  return g->now_ms - stillest->moved_ms >= IDLE_MS ? stillest : NULL;
}

static int is_accepting(struct gateway *g) {
  return g->now_ms >= g->accept_ms && find_place(g) != NULL;
}

int front_poll_items(struct gateway *g, struct pollfd *items) {
  int count = 0;
  if (is_accepting(g))
    items[count++] = (struct pollfd){.fd = g->listener.file, .events = POLLIN};
  for (int i = 0; i < HTTP_CONNECTIONS; i++)
    if (g->http[i].state != HTTP_FREE)
      items[count++] = (struct pollfd){.fd = g->http[i].file, .events = http_events(&g->http[i])};
  return count;
}

int64_t front_wait_ms(const struct gateway *g, int64_t limit_ms) {
  return g->accept_ms > g->now_ms && g->accept_ms - g->now_ms < limit_ms ? g->accept_ms - g->now_ms
                                                                         : limit_ms;
}

static void accept_all(struct gateway *g) {
  while (is_accepting(g)) {
    int file = accept4(g->listener.file, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (file < 0) {
      if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR && errno != ECONNABORTED)
        g->accept_ms = g->now_ms + ACCEPT_PAUSE_MS; // no descriptors are left
      return;
    }
    const int one = 1, size = SEND_BUFFER; // a stalled client fills no more of the system's memory
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(file, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    struct http_connection *place = find_place(g);
    http_close(place);
    http_begin(place, file, g->now_ms);
  }
}

void front_work(struct gateway *g) {
  accept_all(g);
  for (int i = 0; i < HTTP_CONNECTIONS; i++) {
    struct http_connection *c = &g->http[i];
    if (c->state == HTTP_FREE)
      continue;
    g->site.is_full = sockets_are_full(g);
    http_work(c, &g->site, g->now_ms);
    if (c->state == HTTP_UPGRADE) {
      sockets_adopt(g, c->file, &c->request);
      http_close(c);
    }
  }
  g->counts.refused = g->site.refused;
}

void front_close(struct gateway *g) {
  for (int i = 0; i < HTTP_CONNECTIONS; i++)
    http_close(&g->http[i]);
  if (g->listener.file >= 0)
    listener_close(&g->listener);
}
