// Messages to the command socket, taken one by one from the connections in turn. The work of a turn is
// bounded, so that peers that send all the time delay the rest of the program by a bounded time.
#include "net/zmtp/zmtp_internal.h"

#include "net/zmtp/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

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

void router_begin_turn(struct router *router) {
  router->work = WORK_PER_TURN;
}
