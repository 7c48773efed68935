// The publishing end of ZMTP 3.x with mechanism NULL (https://rfc.zeromq.org/spec/23 and 37), as every ZeroMQ
// from 4.0 on speaks it. It parses what one subscriber sends, in constant memory. libzmq's own PUB socket
// stores every subscription a peer sends, even to topics that do not exist, and cannot disconnect a peer;
// here the topics are a fixed list, and a subscription that matches none is counted and dropped.
//
// Another mechanism (CURVE) belongs here: its name in the greeting, its commands in the handshake in place of
// READY, its boxes around the messages sent.
#pragma once

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
  ZMTP_HANDSHAKES, // READY is expected
  ZMTP_SUBSCRIBES  // the peer is a subscriber
};

struct zmtp_peer {
  enum zmtp_state state;
  uint64_t skip_bytes;     // that remain of a frame that is too long
  size_t held_size;        // bytes in held
  uint8_t held[ZMTP_HELD]; // the incomplete greeting or frame
  // For each topic, bit k: the peer subscribes to its first k characters.
  uint32_t prefixes[ZMTP_TOPICS];
  uint64_t ignored; // subscriptions that match no topic, since the connection began
};

struct zmtp_reader {
  const char *const *topics;
  int topic_count;
  void (*reply)(void *context, const void *data, size_t size); // called with READY and PONG to send
  void *context;
};

extern const uint8_t zmtp_greeting[ZMTP_GREETING]; // sent first

// Parses received bytes. Returns 0 if the peer is no ZMTP 3 subscriber: disconnect it.
int zmtp_take(struct zmtp_peer *peer, const struct zmtp_reader *reader, const uint8_t *data, size_t size);

int zmtp_wants(const struct zmtp_peer *peer, int topic); // the peer subscribes to this topic
int zmtp_wants_any(const struct zmtp_peer *peer);        // it subscribes to at least one

// Writes the header of a frame with size bytes; more: another frame of the same message follows. Returns the
// bytes written. A published message is two frames: topic, then content.
enum { ZMTP_FRAME_HEADER = 9 };
size_t zmtp_frame_header(uint8_t out[ZMTP_FRAME_HEADER], size_t size, int more);
