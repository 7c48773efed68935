// The publishing end of ZMTP 3.x with mechanism NULL or CURVE (https://rfc.zeromq.org/spec/23 and 37,
// curve.h), as every ZeroMQ from 4.0 on speaks it. It parses what one subscriber sends, in constant memory.
// libzmq's own PUB socket stores every subscription a peer sends, even to topics that do not exist, and
// cannot disconnect a peer; here the topics are a fixed list, and a subscription that matches none is counted
// and dropped.
#pragma once

#include "io/net/curve.h"

#include <stddef.h>
#include <stdint.h>

enum {
  ZMTP_GREETING = 64,    // bytes
  ZMTP_HELD = 512,       // bytes of a frame that are kept; a longer frame is skipped
  ZMTP_LARGEST = 65536,  // bytes of a frame; a peer that announces more is no subscriber
  ZMTP_TOPICS = 16,      // at most
  ZMTP_TOPIC_LENGTH = 31 // characters, at most
};

enum zmtp_state {
  ZMTP_GREETS,     // the greeting is not complete
  ZMTP_HANDSHAKES, // READY is expected, or with CURVE its commands
  ZMTP_SUBSCRIBES  // the peer is a subscriber
};

enum zmtp_failure { // why a peer is no subscriber
  ZMTP_NO_FAILURE,
  ZMTP_MALFORMED,
  ZMTP_WRONG_MECHANISM, // NULL where CURVE is required, or another one
  ZMTP_WRONG_HANDSHAKE, // malformed, forged, replayed, or for another server
  ZMTP_UNKNOWN_KEY,
  ZMTP_WRONG_MESSAGE // after the handshake: malformed, altered, or it has come before
};

enum { ZMTP_WHO = 64 };

// What the owner of an admitted key may do.
struct zmtp_admission {
  uint32_t topics;    // bit of each topic that it may subscribe to
  char who[ZMTP_WHO]; // for people
};

// Mechanism CURVE.
struct zmtp_keys {
  struct curve_server_keys own;
  // Returns 0 if the key is not admitted.
  int (*admit)(void *context, const uint8_t key[CURVE_KEY], struct zmtp_admission *out);
  void *context;
};

struct zmtp_peer {
  enum zmtp_state state;
  enum zmtp_failure failure;
  struct curve_peer curve;         // with CURVE
  struct zmtp_admission admission; // with CURVE
  uint64_t skip_bytes;             // that remain of a frame that is too long
  size_t held_size;                // bytes in held
  uint8_t held[ZMTP_HELD];         // the incomplete greeting or frame
  // For each topic, bit k: the peer subscribes to its first k characters.
  uint32_t prefixes[ZMTP_TOPICS];
  uint64_t ignored; // subscriptions that match no topic, since the connection began
  uint64_t denied;  // subscriptions that match only topics that the key may not subscribe to
};

struct zmtp_reader {
  const char *const *topics;
  int topic_count;
  const struct zmtp_keys *keys;                                // NULL: mechanism NULL
  void (*reply)(void *context, const void *data, size_t size); // called with what to send
  void *context;
};

// Sent first.
const uint8_t *zmtp_greeting(const struct zmtp_keys *keys);

// Parses received bytes. Returns 0 if the peer is no ZMTP 3 subscriber, and states the failure: disconnect
// it.
int zmtp_take(struct zmtp_peer *peer, const struct zmtp_reader *reader, const uint8_t *data, size_t size);

int zmtp_wants(const struct zmtp_peer *peer, int topic); // the peer subscribes to this topic
int zmtp_wants_any(const struct zmtp_peer *peer);        // it subscribes to at least one

// Bytes of a frame with this content for the peer; with CURVE it is encrypted. A published message is two
// frames: topic, then content.
enum { ZMTP_FRAME_HEADER = 9 };
size_t zmtp_frame_size(const struct zmtp_peer *peer, size_t content_size);
// Writes it; more: another frame of the same message follows.
void zmtp_put_frame(struct zmtp_peer *peer, const void *content, size_t size, int more, uint8_t *out);

void zmtp_forget(struct zmtp_peer *peer); // erases its keys
