// Private to the router: router.c opens, accepts and closes, router_receive.c takes messages,
// router_connection.c holds one connection, its sending and its time-outs.
#pragma once

#include "net/zmtp/endpoint.h"
#include "net/zmtp/outbox.h"
#include "net/zmtp/peer_socket.h"
#include "net/zmtp/router.h"

enum {
  ROUTER_INPUT_BYTES = 16 << 10, // read at once; a longer frame gets more room until it is complete
  LISTENER_SLOT = ROUTER_CONNECTIONS
};

struct connection {
  int file; // -1: this slot is free
  uint64_t number;
  char address[PEER_ADDRESS];
  struct zmtp_peer zmtp;
  uint8_t *input; // input_size bytes of input_capacity wait, from input_start
  size_t input_start, input_size, input_capacity;
  int is_readable;       // the system has bytes, or reports the end
  int has_input;         // what waits in input may be a whole frame
  int is_within_message; // frames of a message have come, and more of it follow
  struct outbox queue;
  int waits_for_room; // the event loop reports when the connection can take more
  int has_gone;       // sending has failed: closed when what it has sent is read
  int64_t joined_ms;
  int64_t heard_ms;   // when bytes came last
  int64_t partial_ms; // since when a part of a frame has waited for the rest; 0: none does
  int64_t pinged_ms;  // when the oldest PING without a sign of life since was sent
};

struct router {
  struct listener listener;
  int events; // epoll
  struct router_options options;
  struct zmtp_keys keys; // if has_keys
  int has_keys;
  struct connection connection[ROUTER_CONNECTIONS];
  uint8_t has_work[ROUTER_CONNECTIONS]; // is_readable or has_input, for a quick search
  int count;
  uint64_t newest; // number of the newest connection
  int next;        // slot from which router_receive goes on
  int work;        // that is left in this turn
  struct delivery {
    const uint8_t *data;
    size_t size;
    int is_whole, is_single;
  } delivery; // of the frame taken last

  int64_t next_check_ms, checked_ms, next_ping_ms;
  int accepts;                      // the listener is in the event loop
  int is_shut;                      // by router_admit
  int is_full;                      // the listener drops attempts
  int64_t next_accept_ms;           // after the process ran out of file descriptors
  uint64_t dropped_before, dropped; // attempts to connect: before the listener was full, since then
};

// Adds or changes a file in the event loop; slot identifies it in events.
void router_watch(struct router *router, int operation, int file, int slot, unsigned events);
void router_note_work(struct router *router, const struct connection *connection);

// Starts a connection in a free slot; on a lack of memory the file is closed.
void connection_join(struct router *router, struct connection *connection, int file);
void connection_leave(struct router *router, struct connection *connection);
// Leaves, then reports, which may send to other connections: they may have gone then.
void connection_deny(struct router *router, struct connection *connection, enum zmtp_failure failure);
void connection_flush(struct router *router, struct connection *connection);
// Closes what has gone or takes too long, and sends PING. Bytes that have come are a sign of life, read or
// not.
void connections_check(struct router *router, int64_t now_ms);
void router_begin_turn(struct router *router); // its work is not done
