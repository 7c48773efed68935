#include "net/zmtp/router.h"

#include "net/zmtp/clock.h"
#include "net/zmtp/zmtp_internal.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
  ACCEPTS_PER_TURN = 8,
  NO_FILES_MS = 1000, // pause in accepting when the process has no free file descriptor
  CHECK_MS = 50
};

void router_watch(struct router *router, int operation, int file, int slot, unsigned events) {
  struct epoll_event event = {.events = events, .data.u32 = (uint32_t)slot};
  epoll_ctl(router->events, operation, file, &event);
}

static void watch_listener(struct router *router, int on) {
  router->accepts = on;
  router_watch(router, EPOLL_CTL_MOD, router->listener.file, LISTENER_SLOT, on ? EPOLLIN : 0);
}

// What waits beyond the largest number is closed: its sender learns that it must try again.
static void join(struct router *router, int file) {
  char address[PEER_ADDRESS];
  for (int i = 0; i < ROUTER_CONNECTIONS; i++)
    if (router->connection[i].file < 0) {
      connection_join(router, &router->connection[i], file);
      return;
    }
  peer_socket_address(file, address);
  close(file);
  router->options.on_excess(router->options.context, 1, address);
}

// Without a free file descriptor the listener leaves the event loop for a while: it would wake it forever.
static void accept_connections(struct router *router) {
  for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
    int is_short, file = peer_socket_accept(router->listener.file, &is_short);
    if (is_short) {
      watch_listener(router, 0);
      router->next_accept_ms = clock_ms() + NO_FILES_MS;
    }
    if (file < 0)
      return;
    join(router, file);
  }
}

static void report_dropped(struct router *router) {
  uint64_t dropped = listener_dropped(&router->listener) - router->dropped_before;
  char text[64];
  if (dropped <= router->dropped)
    return;
  snprintf(text, sizeof text, "%d connections are open", router->count);
  router->options.on_excess(router->options.context, dropped - router->dropped, text);
  router->dropped = dropped;
}

// At the largest number the listener drops attempts, which the peers' systems repeat, until some have ended.
static void limit_connections(struct router *router) {
  if (router->is_shut)
    return;
  if (router->is_full)
    report_dropped(router);
  if (router->is_full && router->count <= ROUTER_CONNECTIONS_AGAIN) {
    router->is_full = !listener_shut(&router->listener, 0);
  } else if (!router->is_full && router->count >= ROUTER_CONNECTIONS) {
    router->dropped_before = listener_dropped(&router->listener);
    router->dropped = 0;
    router->is_full = listener_shut(&router->listener, 1);
  }
}

static void look_after(struct router *router) {
  int64_t now = clock_ms();
  if (now < router->next_check_ms)
    return;
  router->next_check_ms = now + CHECK_MS;
  connections_check(router, now);
  limit_connections(router);
  if (!router->accepts && !router->is_shut && now >= router->next_accept_ms)
    watch_listener(router, 1);
}

void router_serve(struct router *router) {
  struct epoll_event events[ROUTER_CONNECTIONS + 1];
  int count = epoll_wait(router->events, events, ROUTER_CONNECTIONS + 1, 0), connections_wait = 0;
  for (int i = 0; i < count; i++) {
    if (events[i].data.u32 == LISTENER_SLOT) {
      connections_wait = 1;
      continue;
    }
    struct connection *c = &router->connection[events[i].data.u32];
    if (events[i].events & EPOLLOUT)
      connection_flush(router, c);
    if (events[i].events & ~(unsigned)EPOLLOUT)
      c->is_readable = 1;
    router_note_work(router, c);
  }
  if (connections_wait && router->accepts) {
    accept_connections(router);
    limit_connections(router);
  }
  look_after(router);
  router_begin_turn(router);
}

void router_admit(struct router *router, int on) {
  router->is_shut = !on;
  listener_shut(&router->listener, !on || router->is_full);
  watch_listener(router, on);
}

void router_end(struct router *router, int (*keep)(void *context, uint64_t connection), void *context) {
  for (int i = 0; i < ROUTER_CONNECTIONS; i++)
    if (router->connection[i].file >= 0 && !keep(context, router->connection[i].number))
      connection_leave(router, &router->connection[i]);
}

static enum status start(struct router *router, const char *endpoint, struct reason *why) {
  if (router->has_keys && sodium_init() < 0)
    return fail(why, STATUS_IO, "libsodium cannot be used");
  enum status status = listener_open(endpoint, &router->listener, why);
  if (status != STATUS_OK)
    return status;
  router->events = epoll_create1(EPOLL_CLOEXEC);
  if (router->events < 0)
    return fail(why, STATUS_IO, "commands at %s: %s", endpoint, strerror(errno));
  router->accepts = 1;
  router_watch(router, EPOLL_CTL_ADD, router->listener.file, LISTENER_SLOT, EPOLLIN);
  return STATUS_OK;
}

enum status router_open(const char *endpoint, const struct router_options *options, struct router **out,
                        struct reason *why) {
  *out = NULL;
  struct router *router = calloc(1, sizeof *router);
  if (!router)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the command socket");
  router->listener.file = router->events = -1;
  router->options = *options;
  router->options.keys = NULL;
  router->has_keys = options->keys != NULL;
  if (options->keys)
    router->keys = *options->keys;
  router->checked_ms = clock_ms();
  for (int i = 0; i < ROUTER_CONNECTIONS; i++)
    router->connection[i].file = -1;
  enum status status = start(router, endpoint, why);
  if (status == STATUS_OK)
    *out = router;
  else
    router_close(router, 0);
  return status;
}

static void linger(struct router *router, int linger_ms) {
  struct lingering all[ROUTER_CONNECTIONS];
  int count = 0;
  for (int i = 0; i < ROUTER_CONNECTIONS; i++) {
    struct connection *c = &router->connection[i];
    if (c->file >= 0 && c->zmtp.state == ZMTP_OPEN && !c->has_gone)
      all[count++] = (struct lingering){c->file, &c->queue};
  }
  outbox_linger(all, count, linger_ms);
}

void router_close(struct router *router, int linger_ms) {
  if (!router)
    return;
  if (linger_ms > 0)
    linger(router, linger_ms);
  for (int i = 0; i < ROUTER_CONNECTIONS; i++)
    if (router->connection[i].file >= 0)
      connection_leave(router, &router->connection[i]);
  listener_close(&router->listener);
  if (router->events >= 0)
    close(router->events);
  sodium_memzero(&router->keys, sizeof router->keys);
  free(router);
}

const char *router_endpoint(const struct router *router) {
  return router->listener.endpoint;
}

int router_is_local(const struct router *router) {
  return router->listener.local;
}

int router_connection_count(const struct router *router) {
  return router->count;
}

int router_file(const struct router *router) {
  return router->events;
}
