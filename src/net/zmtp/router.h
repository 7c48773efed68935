// The command socket: the ROUTER end of ZMTP for the DEALER sockets of controllers and operators, over tcp or
// ipc, with mechanism NULL or CURVE. Peers are told apart by their connections; the routing id that a peer
// may name is ignored. What each peer can make this program do, store and keep open is bounded: connections,
// bytes of a message, bytes that wait for it, work in one turn, the time of a handshake. A peer that violates
// the protocol is closed and reported. One thread owns a router; only router_close can wait.
#pragma once

#include "sagbend/base/status.h"
#include "net/zmtp/zmtp.h"

#include <stddef.h>
#include <stdint.h>

enum {
  ROUTER_CONNECTIONS = 128,       // at most; at this number it stops accepting
  ROUTER_CONNECTIONS_AGAIN = 120, // at this number it accepts again
  ROUTER_QUEUE_BYTES = 256 << 10, // that wait for a peer that does not read
};

struct router_options {
  const struct zmtp_keys *keys; // copied; NULL: peers need no key
  // Whether peers are asked for a sign of life. A peer that shows none within a second of PING is closed.
  // Without, only its system is asked (TCP keepalive).
  int heartbeat;
  // A connection was closed. ZMTP_NO_FAILURE: it ended, or took too long, before its handshake. who: key and
  // address, for people.
  void (*on_denial)(void *context, enum zmtp_failure failure, const char *who);
  // Attempts to connect beyond the largest number.
  void (*on_excess)(void *context, uint64_t attempts, const char *who);
  void *context;
};

struct router;

// Listens at endpoint. STATUS_BAD_INPUT: it is not valid here; STATUS_IO: it is in use, or the system
// refuses. Release with router_close.
enum status router_open(const char *endpoint, const struct router_options *options, struct router **out,
                        struct reason *why);
// Waits at most linger_ms until the peers have received what waits for them, then closes. Accepts NULL.
void router_close(struct router *router, int linger_ms);

const char *router_endpoint(const struct router *router); // as bound, with the port that the system chose
int router_is_local(const struct router *router);         // only this machine can connect
int router_connection_count(const struct router *router);

// Allows or stops new connections; existing ones stay.
void router_admit(struct router *router, int on);
// Ends the connections for which keep returns 0, to free their descriptors.
void router_end(struct router *router, int (*keep)(void *context, uint64_t connection), void *context);

// A file descriptor to poll: readable when router_serve has work. router_has_work: there is some already.
int router_file(const struct router *router);
int router_has_work(const struct router *router);

// Begins a turn: accepts connections, sends what waits, closes what has ended or takes too long. A bounded
// amount of each.
void router_serve(struct router *router);

struct router_message {
  uint64_t connection; // no other connection of this router ever has this number
  int slot;            // below ROUTER_CONNECTIONS; no other open connection has it
  const uint8_t
      *data; // valid until the next router_serve or router_receive; NULL if the message has several frames
  size_t size;
  const char *address;              // of the peer
  const struct zmtp_admission *key; // NULL: peers need no key
};

// Takes the next message that has come, from the connections in turn. Returns 0 if there is none, or if the
// work of this turn is done.
int router_receive(struct router *router, struct router_message *out);

enum router_sent {
  ROUTER_TAKEN, // sent, or it waits
  ROUTER_FULL,  // too much waits already: dropped
  ROUTER_GONE   // the connection has ended
};
enum router_sent router_send(struct router *router, uint64_t connection, const void *data, size_t size);
