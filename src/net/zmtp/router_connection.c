// One connection to the command socket: its begin and end, what waits for it, its signs of life.
#include "net/zmtp/zmtp_internal.h"

#include "net/zmtp/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
  SEND_BUFFER = 128 << 10, // bytes of the system's own buffers
  RECEIVE_BUFFER = 256 << 10,
  KEEPALIVE_S = 5, // probes of the peer's system, which answers even if its process does not
  HANDSHAKE_MS = 5000,
  FRAME_MS = 5000, // for the rest of a frame: one whose length was altered would swallow all that follows
  PING_MS = 200,
  ANSWER_MS = 1000, // time allowed for a sign of life after PING
  // After which a peer gives up this end. It is longer than ANSWER_MS, because a single thread serves here.
  PING_TTL_MS = 3000,
  LATE_MS = 500 // a check that comes later than this after the last one judges nobody: it is this program
                // that stood still
};

void router_note_work(struct router *router, const struct connection *c) {
  router->has_work[c - router->connection] = (uint8_t)(c->file >= 0 && (c->is_readable || c->has_input));
}

static void put(struct connection *c, const void *data, size_t size) {
  uint8_t *room = outbox_room(&c->queue, size);
  if (!room)
    return;
  memcpy(room, data, size);
  outbox_add(&c->queue, size);
}

void connection_join(struct router *router, struct connection *c, int file) {
  static const struct peer_socket_limits limits = {
      .send_buffer = SEND_BUFFER, .receive_buffer = RECEIVE_BUFFER, .keepalive_s = KEEPALIVE_S};
  struct outbox queue = {0};
  uint8_t *input = malloc(ROUTER_INPUT_BYTES);
  if (!input || !outbox_open(&queue, ROUTER_QUEUE_BYTES)) {
    free(input);
    close(file);
    router->options.on_excess(router->options.context, 1, "a connection for which there is no memory");
    return;
  }
  int64_t now = clock_ms();
  peer_socket_limit(file, &limits);
  *c = (struct connection){.file = file,
                           .number = ++router->newest,
                           .input = input,
                           .input_capacity = ROUTER_INPUT_BYTES,
                           .queue = queue,
                           .joined_ms = now,
                           .heard_ms = now,
                           .pinged_ms = now};
  peer_socket_address(file, c->address);
  router->count++;
  router_watch(router, EPOLL_CTL_ADD, file, (int)(c - router->connection), EPOLLIN);
  put(c, zmtp_greeting(router->has_keys ? &router->keys : NULL), ZMTP_GREETING);
  connection_flush(router, c);
}

void connection_leave(struct router *router, struct connection *c) {
  zmtp_forget(&c->zmtp);
  close(c->file); // which also removes it from the event loop
  free(c->input);
  outbox_close(&c->queue);
  *c = (struct connection){.file = -1};
  router->count--;
  router_note_work(router, c);
}

void connection_deny(struct router *router, struct connection *c, enum zmtp_failure failure) {
  char who[ZMTP_WHO + PEER_ADDRESS + 8];
  const char *key = c->zmtp.admission.who;
  snprintf(who, sizeof who, "%s%s%s", key, *key ? " from " : "", c->address);
  connection_leave(router, c);
  router->options.on_denial(router->options.context, failure, who);
}

void connection_flush(struct router *router, struct connection *c) {
  if (!outbox_flush(&c->queue, c->file)) {
    c->has_gone = 1;
    return;
  }
  if ((c->queue.size > 0) == c->waits_for_room)
    return;
  c->waits_for_room = !c->waits_for_room;
  router_watch(router, EPOLL_CTL_MOD, c->file, (int)(c - router->connection),
               EPOLLIN | (c->waits_for_room ? EPOLLOUT : 0));
}

static struct connection *find(struct router *router, uint64_t number) {
  for (int i = 0; i < ROUTER_CONNECTIONS; i++)
    if (router->connection[i].file >= 0 && router->connection[i].number == number)
      return &router->connection[i];
  return NULL;
}

// The message goes to the system at once, unless something waits already. Nothing is closed here: the caller
// may be at work on a message of this connection.
enum router_sent router_send(struct router *router, uint64_t number, const void *data, size_t size) {
  struct connection *c = find(router, number);
  if (!c || c->has_gone || c->zmtp.state != ZMTP_OPEN)
    return ROUTER_GONE;
  size_t frame = zmtp_frame_size(&c->zmtp, size);
  uint8_t *room = outbox_room(&c->queue, frame);
  if (!room)
    return ROUTER_FULL;
  zmtp_put_frame(&c->zmtp, data, size, 0, room);
  outbox_add(&c->queue, frame);
  if (!c->waits_for_room) // otherwise the connection takes nothing now
    connection_flush(router, c);
  return c->has_gone ? ROUTER_GONE : ROUTER_TAKEN;
}

static void ping(struct router *router, struct connection *c, int64_t now) {
  uint8_t bytes[ZMTP_PING_MOST];
  if (c->zmtp.state != ZMTP_OPEN)
    return;
  if (c->heard_ms >= c->pinged_ms)
    c->pinged_ms = now;
  if (c->queue.size > 0) // it does not read: one more makes no difference
    return;
  put(c, bytes, zmtp_put_ping(&c->zmtp, PING_TTL_MS, bytes));
  connection_flush(router, c);
}

static int is_silent(const struct router *router, const struct connection *c, int64_t now) {
  return router->options.heartbeat && c->zmtp.state == ZMTP_OPEN && !c->is_readable && !c->has_input &&
         c->heard_ms < c->pinged_ms && now - c->pinged_ms > ANSWER_MS;
}

static void check(struct router *router, struct connection *c, int64_t now, int is_late) {
  if (is_late && c->heard_ms < c->pinged_ms)
    c->pinged_ms = now;
  int has_work = c->is_readable || c->has_input;
  if ((c->has_gone && !has_work) || is_silent(router, c, now))
    connection_leave(router, c);
  else if (c->zmtp.state != ZMTP_OPEN && now - c->joined_ms > HANDSHAKE_MS)
    connection_deny(router, c, ZMTP_NO_FAILURE);
  else if (c->zmtp.state == ZMTP_OPEN && !has_work && c->partial_ms && now - c->partial_ms > FRAME_MS)
    connection_deny(router, c, ZMTP_WRONG_MESSAGE);
}

void connections_check(struct router *router, int64_t now) {
  int is_late = now - router->checked_ms > LATE_MS;
  router->checked_ms = now;
  for (int i = 0; i < ROUTER_CONNECTIONS; i++)
    if (router->connection[i].file >= 0)
      check(router, &router->connection[i], now, is_late);
  if (!router->options.heartbeat || now < router->next_ping_ms)
    return;
  router->next_ping_ms = now + PING_MS;
  for (int i = 0; i < ROUTER_CONNECTIONS; i++)
    if (router->connection[i].file >= 0)
      ping(router, &router->connection[i], now);
}
