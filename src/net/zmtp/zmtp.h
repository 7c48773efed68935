// The server's end of ZMTP 3.x with mechanism NULL or CURVE (https://rfc.zeromq.org/spec/23 and 37, curve.h),
// as every ZeroMQ from 4.0 on speaks it, for one connection: the publishing end of telemetry and the ROUTER
// end of the command socket. It parses what one peer sends, in memory that the caller provides. A peer that
// violates the protocol is reported with the reason; nothing that it sends can end this program, store
// anything without a bound, or affect another connection. docs/security.md states why neither socket is
// libzmq's.
#pragma once

#include "net/zmtp/curve.h"

#include <stddef.h>
#include <stdint.h>

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
  const void *owner;  // what admit knows of the owner; it must outlive the connection
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
  const char *socket_type;     // that this end states
  const char *peer_types[4];   // that the other end may state; a list that ends with NULL
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
// disconnected, and its failure says why.
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
