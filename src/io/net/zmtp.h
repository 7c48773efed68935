// The publishing end of ZMTP 3.x with mechanism NULL (https://rfc.zeromq.org/spec/23, 37), as any ZeroMQ
// from 4.0 on speaks it: what one subscriber sends, read in constant memory. libzmq's own PUB keeps every
// subscription that a peer thinks of, even those it refuses, and cannot cut a peer off; topics here are a
// fixed list, and what fits none is counted and forgotten.
//
// Another mechanism (CURVE) belongs here: its name in the greeting, its commands in the handshake in place of
// READY, its boxes around messages on the way out.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
  ZMTP_GREETING = 64,    // bytes
  ZMTP_HELD = 512,       // of a frame that matters; a longer one is passed over
  ZMTP_LARGEST = 65536,  // bytes of a frame; beyond it the peer is no subscriber
  ZMTP_TOPICS = 16,      // at most
  ZMTP_TOPIC_LENGTH = 31 // characters, at most
};

enum zmtp_state { ZMTP_GREETS, ZMTP_HANDSHAKES, ZMTP_SUBSCRIBES };

struct zmtp_peer {
  enum zmtp_state state;
  uint64_t pass_over; // bytes that still belong to a frame that is too long
  size_t held_size;
  uint8_t held[ZMTP_HELD];
  uint32_t prefixes[ZMTP_TOPICS]; // of each topic: bit k, its first k characters are subscribed to
  uint64_t ignored;               // subscriptions that fit no topic, since the start
};

struct zmtp_reader {
  const char *const *topics;
  int topic_count;
  void (*reply)(void *context, const void *data, size_t size); // READY, PONG
  void *context;
};

extern const uint8_t zmtp_greeting[ZMTP_GREETING]; // to send first

// Takes in what has come. 0: it is no subscriber of ZMTP 3, cut it off.
int zmtp_take(struct zmtp_peer *p, const struct zmtp_reader *reader, const uint8_t *data, size_t size);
int zmtp_wants(const struct zmtp_peer *p, int topic);
int zmtp_wants_any(const struct zmtp_peer *p);

// What stands before topic and message on the wire: header of the one, header of the other. Bytes written.
enum { ZMTP_FRAME_HEADER = 9 };
size_t zmtp_frame_header(uint8_t out[ZMTP_FRAME_HEADER], size_t size, int more);
