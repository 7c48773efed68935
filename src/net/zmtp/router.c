#include "net/zmtp/zmtp.h"
#include "net/zmtp/zmtp_internal.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  ACCEPTS_PER_TURN = 8,
  NO_FILES_MS = 1000, // pause in accepting when the process has no free file descriptor
  CHECK_MS = 50
};

// Adds or changes a file in the event loop; slot identifies it in events.
static void router_watch(struct router *router, int operation, int file, int slot, unsigned events) {
  struct epoll_event event = {.events = events, .data.u32 = (uint32_t)slot};
  epoll_ctl(router->events, operation, file, &event);
}

static void watch_listener(struct router *router, int on) {
  router->accepts = on;
  router_watch(router, EPOLL_CTL_MOD, router->listener.file, LISTENER_SLOT, on ? EPOLLIN : 0);
}

static void connection_join(struct router *router, struct connection *c, int file);

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

static void connections_check(struct router *router, int64_t now);

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

static void connection_flush(struct router *router, struct connection *c);
static void router_begin_turn(struct router *router);
static void router_note_work(struct router *router, const struct connection *c);

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

static void connection_leave(struct router *router, struct connection *c);

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

// ------------------------------------------------------------
// One connection to the command socket: its begin and end, what waits for it, its signs of life.

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

static void router_note_work(struct router *router, const struct connection *c) {
  router->has_work[c - router->connection] = (uint8_t)(c->file >= 0 && (c->is_readable || c->has_input));
}

static void put(struct connection *c, const void *data, size_t size) {
  uint8_t *room = outbox_room(&c->queue, size);
  if (!room)
    return;
  memcpy(room, data, size);
  outbox_add(&c->queue, size);
}

// Starts a connection in a free slot; on a lack of memory the file is closed.
static void connection_join(struct router *router, struct connection *c, int file) {
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

static void connection_leave(struct router *router, struct connection *c) {
  zmtp_forget(&c->zmtp);
  close(c->file); // which also removes it from the event loop
  free(c->input);
  outbox_close(&c->queue);
  *c = (struct connection){.file = -1};
  router->count--;
  router_note_work(router, c);
}

// Leaves, then reports, which may send to other connections: they may have gone then.
static void connection_deny(struct router *router, struct connection *c, enum zmtp_failure failure) {
  char who[ZMTP_WHO + PEER_ADDRESS + 8];
  const char *key = c->zmtp.admission.who;
  snprintf(who, sizeof who, "%s%s%s", key, *key ? " from " : "", c->address);
  connection_leave(router, c);
  router->options.on_denial(router->options.context, failure, who);
}

static void connection_flush(struct router *router, struct connection *c) {
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
int router_has(const struct router *router, uint64_t number) {
  const struct connection *c = find((struct router *)(uintptr_t)router, number);
  return c && !c->has_gone && c->zmtp.state == ZMTP_OPEN;
}

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

// Closes what has gone or takes too long, and sends PING. Bytes that have come are a sign of life, read or
// not.
static void connections_check(struct router *router, int64_t now) {
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

// ------------------------------------------------------------
// Messages to the command socket, taken one by one from the connections in turn. The work of a turn is
// bounded, so that peers that send all the time delay the rest of the program by a bounded time.

enum {
  WORK_PER_TURN = 512,    // frames, and reads from the system
  WORK_PER_VISIT = 16,    // of one connection, before it is the turn of the next
  WORK_OF_HANDSHAKE = 64, // of a command of CURVE's handshake: some 200 us
};

int router_has_work(const struct router *router) {
  return memchr(router->has_work, 1, sizeof router->has_work) != NULL;
}

// router->next is the connection at work.
static void on_reply(void *context, const void *data, size_t size) {
  struct router *router = context;
  struct connection *c = &router->connection[router->next];
  uint8_t *room = outbox_room(&c->queue, size);
  if (!room) // a peer that does not read gets no answers
    return;
  memcpy(room, data, size);
  outbox_add(&c->queue, size);
}

static void on_frame(void *context, const uint8_t *data, size_t size, int more) {
  struct router *router = context;
  struct connection *c = &router->connection[router->next];
  router->delivery = (struct delivery){
      .data = data, .size = size, .is_whole = !more, .is_single = !more && !c->is_within_message};
  c->is_within_message = more;
}

// Room for a frame of so many bytes. Returns 0 if there is no memory.
static int make_room(struct connection *c, size_t whole) {
  size_t wanted = whole > ROUTER_INPUT_BYTES ? whole : ROUTER_INPUT_BYTES;
  if (c->input_start > 0 && c->input_size > 0)
    memmove(c->input, c->input + c->input_start, c->input_size);
  c->input_start = 0;
  if (wanted == c->input_capacity || wanted < c->input_size)
    return 1;
  uint8_t *input = realloc(c->input, wanted);
  if (!input)
    return wanted < c->input_capacity;
  c->input = input;
  c->input_capacity = wanted;
  return 1;
}

// Takes one frame from what has been read. Returns 0 if it is not complete, or the connection was closed.
static int take_frame(struct router *router, struct connection *c) {
  const struct zmtp_reader reader = {.role = &ZMTP_ROUTER,
                                     .keys = router->has_keys ? &router->keys : NULL,
                                     .reply = on_reply,
                                     .deliver = on_frame,
                                     .context = router};
  size_t whole = 0;
  int was_open = c->zmtp.state == ZMTP_OPEN;
  router->delivery = (struct delivery){0};
  int64_t taken = zmtp_take_one(&c->zmtp, &reader, c->input + c->input_start, c->input_size, &whole);
  if (taken == 0) {
    c->has_input = 0;
    if (c->input_size > 0 && !c->partial_ms)
      c->partial_ms = clock_ms();
    if (!make_room(c, whole))
      connection_deny(router, c, ZMTP_WRONG_MESSAGE);
    return 0;
  }
  router->work -= was_open || !router->has_keys ? 1 : WORK_OF_HANDSHAKE;
  if (c->queue.size > 0 && !c->waits_for_room)
    connection_flush(router, c); // an answer; also why a peer is denied
  if (taken < 0) {
    connection_deny(router, c, c->zmtp.failure);
    return 0;
  }
  c->partial_ms = 0;
  c->input_start += (size_t)taken;
  c->input_size -= (size_t)taken;
  return 1;
}

// Reads once. Returns 0 if nothing came, or the connection was closed.
static int read_more(struct router *router, struct connection *c) {
  size_t end = c->input_start + c->input_size, room = c->input_capacity - end;
  ssize_t got = recv(c->file, c->input + end, room, MSG_DONTWAIT);
  router->work--;
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
    c->is_readable = 0;
    return 0;
  }
  if (got <= 0 && c->zmtp.state != ZMTP_OPEN) {
    connection_deny(router, c, ZMTP_NO_FAILURE);
    return 0;
  }
  if (got <= 0) {
    connection_leave(router, c);
    return 0;
  }
  c->is_readable = (size_t)got == room; // otherwise nothing is left, or the event loop reports it again
  c->input_size += (size_t)got;
  c->has_input = 1;
  c->heard_ms = clock_ms();
  return 1;
}

// Takes frames of one connection until one completes a message. Returns whether it did.
static int take_message(struct router *router, struct connection *c) {
  const int least = router->work - WORK_PER_VISIT;
  while (router->work > 0 && router->work > least && c->file >= 0) {
    if (c->has_input && take_frame(router, c)) {
      if (router->delivery.is_whole)
        return 1;
    } else if (c->file < 0 || c->has_input || !c->is_readable || !read_more(router, c)) {
      return 0;
    }
  }
  return 0;
}

int router_receive(struct router *router, struct router_message *out) {
  for (int i = 0; i < ROUTER_CONNECTIONS && router->work > 0; i++) {
    struct connection *c = &router->connection[router->next];
    int has_message = 0;
    if (c->file >= 0 && router->has_work[router->next]) {
      has_message = take_message(router, c);
      router_note_work(router, c);
    }
    router->next = (router->next + 1) % ROUTER_CONNECTIONS;
    if (!has_message)
      continue;
    *out = (struct router_message){.connection = c->number,
                                   .slot = (int)(c - router->connection),
                                   .data = router->delivery.is_single ? router->delivery.data : NULL,
                                   .size = router->delivery.size,
                                   .address = c->address,
                                   .key = router->has_keys ? &c->zmtp.admission : NULL};
    return 1;
  }
  return 0;
}

// Its work is not done.
static void router_begin_turn(struct router *router) {
  router->work = WORK_PER_TURN;
}
