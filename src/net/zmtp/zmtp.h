// ZMTP and CURVE without waiting: router, publisher, and what they share.
#pragma once

#include "sagbend/base/base.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

// ------------------------------------------------------------
// Monotonic wall-clock time for the time-outs of sockets. Simulated time never depends on it.

// Since an arbitrary origin.
static inline uint64_t clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline int64_t clock_ms(void) {
  return (int64_t)(clock_ns() / 1000000);
}

// ------------------------------------------------------------
// The server's end of CurveZMQ (https://rfc.zeromq.org/spec/26), the encryption of ZeroMQ's mechanism CURVE,
// for one connection. A client proves that it has the secret key of the public key that it names, the server
// that it has its own; each message is encrypted and counted, so that none can be read, altered or sent
// twice. The keys of a connection are made for it and forgotten with it.
//
//   client                                            server
//   HELLO     its transient key, a proof       ->
//                                              <-     WELCOME   a transient key and a cookie, encrypted
//   INITIATE  the cookie, its lasting key, a voucher -> (the caller decides whether to admit that key)
//                                              <-     READY
//   MESSAGE   boxes in both directions
//
// The cryptography is libsodium's: X25519, XSalsa20, Poly1305; its comparisons take constant time.

enum {
  CURVE_KEY = 32,
  CURVE_WELCOME = 168,    // bytes of a command
  CURVE_READY_MOST = 128, // of a command, with the metadata of the caller
  CURVE_BOX_OVERHEAD = 33 // bytes by which a MESSAGE is longer than its content
};

enum curve_state {
  CURVE_AWAITS_HELLO,
  CURVE_AWAITS_INITIATE,
  CURVE_AWAITS_DECISION, // a client has proved its key: admit it, or end the connection
  CURVE_EXCHANGES
};

struct curve_server_keys {
  uint8_t public_key[CURVE_KEY], secret[CURVE_KEY];
};

struct curve_peer {
  enum curve_state state;
  uint8_t client[CURVE_KEY];     // lasting public key, once it has been proved
  uint8_t transient[CURVE_KEY];  // of the client
  uint8_t cookie[CURVE_KEY];     // key of the cookie; erased when the cookie has come back
  uint8_t shared[CURVE_KEY];     // of both transient keys
  uint8_t own_public[CURVE_KEY]; // transient
  uint64_t received, sent;       // number of the newest box in each direction
};

// Takes a HELLO and writes the WELCOME. Returns 0 if it is malformed or not for this server's key.
int curve_take_hello(struct curve_peer *peer, const struct curve_server_keys *keys, const uint8_t *body,
                     size_t size, uint8_t welcome[CURVE_WELCOME]);

// Takes an INITIATE and decrypts its metadata in place: *metadata points into body. Returns 0 if it is
// malformed, forged, or not the answer to this connection's WELCOME.
int curve_take_initiate(struct curve_peer *peer, const struct curve_server_keys *keys, uint8_t *body,
                        size_t size, const uint8_t **metadata, size_t *metadata_size);

// After the decision to admit: writes the READY with this metadata. Returns its size.
size_t curve_admit(struct curve_peer *peer, const void *metadata, size_t metadata_size,
                   uint8_t ready[CURVE_READY_MOST]);

// Decrypts a MESSAGE in place: *content points into body; flags are those of a frame of ZMTP. Returns 0 if it
// is malformed, altered, forged or has come before.
int curve_take_message(struct curve_peer *peer, uint8_t *body, size_t size, uint8_t *flags, uint8_t **content,
                       size_t *content_size);

// Writes a MESSAGE with this content, size + CURVE_BOX_OVERHEAD bytes.
void curve_put_message(struct curve_peer *peer, uint8_t flags, const void *content, size_t size,
                       uint8_t *out);

void curve_forget(struct curve_peer *peer); // erases the keys
void curve_forget_keys(struct curve_server_keys *keys);

// ------------------------------------------------------------
// Listening sockets, and what only this machine knows of an endpoint.

// Checks the form of an endpoint to listen at, and that this machine can provide it: the network interface
// exists, or the ipc path is free or holds a socket. Opens and removes nothing.
enum status endpoint_check_here(const char *text, struct reason *why);

// Whether only this machine can connect to a socket that listens at this endpoint: ipc, or the loopback
// interface. An endpoint that is not valid here is not local.
int endpoint_is_local(const char *text);

// A non-blocking listening socket that child processes do not inherit.
struct listener {
  int file;                     // -1: not open
  char endpoint[ENDPOINT_TEXT]; // as bound: numeric, with the port that the system chose
  int local;                    // only this machine can connect
  dev_t device;                 // device and inode of the socket file at an ipc path, so that closing removes
  ino_t inode;                  // no other file; inode 0: no socket file
};

// Opens a listening socket. A socket file that a killed program left at an ipc path is replaced; any other
// file, and a socket that a program listens at, stays untouched. STATUS_BAD_INPUT: the text is not a valid
// endpoint, or another file occupies the path; STATUS_IO: the endpoint is in use, or the system refuses.
enum status listener_open(const char *text, struct listener *out, struct reason *why);

// Stops or resumes accepting connections while the socket stays bound: attempts to connect are dropped, and a
// peer's system repeats them. It works on TCP only. Returns 0 if it is not possible.
int listener_shut(const struct listener *listener, int shut);
uint64_t listener_dropped(const struct listener *listener); // attempts so far, repeated ones included

// Removes the socket file at an ipc path if it is still this listener's, and closes the socket.
void listener_close(struct listener *listener);

// ------------------------------------------------------------
// Connections that a listening socket has accepted: their options, and whose they are.

enum { PEER_ADDRESS = 64 }; // size of a buffer for an address, with its final zero

// The next connection that waits, non-blocking; child processes do not inherit it. -1: none; *is_short: the
// process has no free file descriptor, so that the connection stays in the system's queue and the listener
// stays ready.
int peer_socket_accept(int listener, int *is_short);

struct peer_socket_limits {
  int send_buffer;    // bytes of the system's own buffer
  int receive_buffer; // 0: the system's choice
  int keepalive_s; // until the first probe and between probes of the peer's system; three without an answer
                   // end it
  int unacknowledged_ms; // time allowed to the peer's system to take data; 0: the system's choice
};
void peer_socket_limit(int file, const struct peer_socket_limits *limits);

// Numeric address and port of the other end, or "this machine" at an ipc path; empty if the connection has
// gone.
void peer_socket_address(int file, char out[PEER_ADDRESS]);

// ------------------------------------------------------------
// The server's end of ZMTP 3.x with mechanism NULL or CURVE (https://rfc.zeromq.org/spec/23 and 37, zmtp.h),
// as every ZeroMQ from 4.0 on speaks it, for one connection: the publishing end of telemetry and the ROUTER
// end of the command socket. It parses what one peer sends, in memory that the caller provides. A peer that
// violates the protocol is reported with the reason; nothing that it sends can end this program, store
// anything without a bound, or affect another connection. docs/security.md states why neither socket is
// libzmq's.

enum {
  ZMTP_GREETING = 64,    // bytes
  ZMTP_HELD = 512,       // bytes of a frame that zmtp_take keeps; a longer frame is skipped
  ZMTP_TOPICS = 16,      // at most
  ZMTP_TOPIC_LENGTH = 31 // characters, at most
};

enum zmtp_state {
  ZMTP_GREETS,     // the greeting is not complete
  ZMTP_HANDSHAKES, // READY is expected, or with CURVE its commands
  ZMTP_OPEN        // messages may come and go
};

enum zmtp_failure { // why a peer is disconnected
  ZMTP_NO_FAILURE,
  ZMTP_MALFORMED,
  ZMTP_WRONG_MECHANISM, // NULL where CURVE is required, or another one
  ZMTP_WRONG_HANDSHAKE, // malformed, forged, replayed, for another server, or of a socket of the wrong type
  ZMTP_UNKNOWN_KEY,
  ZMTP_WRONG_ROLE,   // the key is known, and not admitted to this socket
  ZMTP_WRONG_MESSAGE // after the handshake: malformed, too large, altered, or it has come before
};

enum { ZMTP_WHO = 128 };

// Whose key it is.
struct zmtp_admission {
  char who[ZMTP_WHO]; // for people; also of a key that is not admitted
  const void *owner;  // owner of the connection for admit; it must outlive the connection
  uint32_t topics;    // bit of each topic that it may subscribe to
};

// Mechanism CURVE.
struct zmtp_keys {
  struct curve_server_keys own;
  // ZMTP_NO_FAILURE admits the key; the reason otherwise.
  enum zmtp_failure (*admit)(void *context, const uint8_t key[CURVE_KEY], struct zmtp_admission *out);
  void *context;
};

// What kind of socket this end is.
struct zmtp_role {
  const char *socket_type;     // socket type that this end states
  const char *peer_types[4];   // socket types that the other end may state; a list that ends with NULL
  size_t handshake_most;       // bytes of a frame before the connection is open
  size_t most;                 // bytes of the content of a frame afterwards
  enum zmtp_failure violation; // of a peer that then sends a larger one, an invalid one, or ERROR
};
extern const struct zmtp_role ZMTP_PUBLISHER, ZMTP_ROUTER;

struct zmtp_peer {
  enum zmtp_state state;
  enum zmtp_failure failure;
  struct curve_peer curve;         // with CURVE
  struct zmtp_admission admission; // with CURVE
  uint64_t skip_bytes;             // of zmtp_take: that remain of a frame that is too long
  size_t held_size;                // of zmtp_take: bytes in held
  uint8_t held[ZMTP_HELD];         // of zmtp_take: the incomplete greeting or frame
  // Of a publisher. For each topic, bit k: the peer subscribes to its first k characters.
  uint32_t prefixes[ZMTP_TOPICS];
  uint64_t ignored; // subscriptions that match no topic, since the connection began
  uint64_t denied;  // subscriptions that match only topics that the key may not subscribe to
};

struct zmtp_reader {
  const struct zmtp_role *role;
  const struct zmtp_keys *keys;                                // NULL: mechanism NULL
  void (*reply)(void *context, const void *data, size_t size); // called with what to send
  void *context;
  // A frame of a message, for a ROUTER; more: another frame of the same message follows. data stays valid as
  // long as the bytes given to zmtp_take_one. NULL: messages are subscriptions to the topics.
  void (*deliver)(void *context, const uint8_t *data, size_t size, int more);
  const char *const *topics;
  int topic_count;
};

// Sent first.
const uint8_t *zmtp_greeting(const struct zmtp_keys *keys);

// Takes the greeting or frame at the start of these bytes, which it may decrypt in place. Returns its bytes;
// 0: it is not complete, *whole: how many bytes it has, as far as is known (0: unknown); -1: the peer must be
// disconnected, and its failure gives the reason.
int64_t zmtp_take_one(struct zmtp_peer *peer, const struct zmtp_reader *reader, uint8_t *bytes, size_t size,
                      size_t *whole);

// The same for a stream of bytes, in constant memory: frames longer than ZMTP_HELD are skipped. Returns 0 if
// the peer must be disconnected.
int zmtp_take(struct zmtp_peer *peer, const struct zmtp_reader *reader, const uint8_t *data, size_t size);

int zmtp_wants(const struct zmtp_peer *peer, int topic); // the peer subscribes to this topic
int zmtp_wants_any(const struct zmtp_peer *peer);        // it subscribes to at least one

// Bytes of a frame with this content for the peer; with CURVE it is encrypted. A published message is two
// frames: topic, then content.
enum { ZMTP_FRAME_HEADER = 9 };
size_t zmtp_frame_size(const struct zmtp_peer *peer, size_t content_size);
// Writes it; more: another frame of the same message follows.
void zmtp_put_frame(struct zmtp_peer *peer, const void *content, size_t size, int more, uint8_t *out);

// A PING, which the peer answers; it closes its end if no further one comes within ttl_ms. Returns its bytes.
enum { ZMTP_PING_MOST = 64 };
size_t zmtp_put_ping(struct zmtp_peer *peer, int ttl_ms, uint8_t out[ZMTP_PING_MOST]);

void zmtp_forget(struct zmtp_peer *peer); // erases its keys

// ------------------------------------------------------------
// The publishing socket for telemetry. Any ZeroMQ SUB socket can connect, and no subscriber can affect the
// program: topics are bits in a mask, waiting messages a queue of fixed size (a message that does not fit is
// dropped and counted), incoming bytes a budget (a subscriber that exceeds it is disconnected). One thread
// owns a publisher; only publisher_close can block.

enum {
  PUBLISHER_SUBSCRIBERS = 32,             // connections; a further one replaces the least useful of them
  PUBLISHER_QUEUE_BYTES = 1 << 20,        // of each subscriber, or four of the largest messages if more
  PUBLISHER_BUDGET_BYTES = 64 << 10,      // bytes that a subscriber may send at once
  PUBLISHER_BUDGET_BYTES_PER_S = 16 << 10 // bytes that its budget regains each second
};

struct publisher_counts {
  uint64_t subscribers; // connected now
  uint64_t dropped;     // messages, counted once for each subscriber whose queue was full
  uint64_t ignored;     // subscriptions that match no topic
  uint64_t cut_off; // connections closed by the publisher: no ZeroMQ subscriber, over its budget, stalled,
                    // or replaced by a new one
};

// Where keys are required: the keys, and what is called for each peer that is denied.
struct publisher_guard {
  struct zmtp_keys keys;
  // failure ZMTP_NO_FAILURE: the connection ended, or took too long, before its handshake. who: its key or
  // address, for people.
  void (*on_denial)(void *context, enum zmtp_failure failure, const char *who);
  // A subscription that the role of the key does not permit.
  void (*on_subscription_denied)(void *context, const char *who);
  void *context;
};

void publisher_guard_forget(struct publisher_guard *guard); // erases its keys

struct publisher;

// Listens at endpoint. topics: a list that ends with NULL; it must outlive the publisher. largest: bytes of
// the largest message. guard: copied; NULL: subscribers need no key. Release with publisher_close.
enum status publisher_open(const char *endpoint, const char *const *topics, size_t largest,
                           const struct publisher_guard *guard, struct publisher **out, struct reason *why);

// Waits at most linger_ms until the subscribers have received what is queued, then closes. Accepts NULL.
void publisher_close(struct publisher *publisher, int linger_ms);

const char *publisher_endpoint(const struct publisher *publisher); // as bound, with the port chosen

// A file descriptor to poll: readable when publisher_serve has work.
int publisher_file(const struct publisher *publisher);

// Accepts connections, reads what subscribers send and sends what is queued; a bounded amount of each.
void publisher_serve(struct publisher *publisher);

// Allows or stops new connections; existing ones stay.
void publisher_admit(struct publisher *publisher, int on);

// Queues topic and message, as two frames, for each subscriber of the topic. A topic that is not in the list
// of topics is ignored.
void publisher_send(struct publisher *publisher, const char *topic, const void *data, size_t size);

const struct publisher_counts *publisher_counts(const struct publisher *publisher);

// ------------------------------------------------------------
// The command socket: the ROUTER end of ZMTP for the DEALER sockets of controllers and operators, over tcp or
// ipc, with mechanism NULL or CURVE. Peers are distinguished by their connections; the routing id that a peer
// may name is ignored. What each peer can make this program do, store and keep open is bounded: connections,
// bytes of a message, bytes that wait for it, work in one turn, the time of a handshake. A peer that violates
// the protocol is closed and reported. One thread owns a router; only router_close can wait.

enum {
  ROUTER_CONNECTIONS = 128,       // at most; at this number it stops accepting
  ROUTER_CONNECTIONS_AGAIN = 120, // at this number it accepts again
  ROUTER_QUEUE_BYTES = 256 << 10, // bytes that wait for a peer that does not read
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

int router_has(const struct router *router, uint64_t connection); // it is open

enum router_sent {
  ROUTER_TAKEN, // sent, or it waits
  ROUTER_FULL,  // too much waits already: dropped
  ROUTER_GONE   // the connection has ended
};
enum router_sent router_send(struct router *router, uint64_t connection, const void *data, size_t size);
