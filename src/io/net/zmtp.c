#include "io/net/zmtp.h"

#include <string.h>

enum {
  FLAG_MORE = 1,
  FLAG_LONG = 2, // the size has 8 bytes instead of 1
  FLAG_COMMAND = 4,
  BOX_COMMAND = 2,     // the same in a box of CURVE
  SHORT_MOST = 255,    // largest size in 1 byte
  MECHANISM_AT = 12,   // byte of the greeting
  MECHANISM_SIZE = 20, // bytes
  AS_SERVER_AT = 32,
  PING_CONTEXT = 16 // bytes, at most, that a PONG returns
};

// Signature, version 3.1, mechanism, as-server, filler; the rest is zero.
static const uint8_t null_greeting[ZMTP_GREETING] = {0xff, 0,    0, 0, 0,   0,   0,   0,
                                                     0,    0x7f, 3, 1, 'N', 'U', 'L', 'L'};
static const uint8_t curve_greeting[ZMTP_GREETING] = {
    0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 1, 'C', 'U', 'R', 'V', 'E', [AS_SERVER_AT] = 1};

// The metadata of READY; sizeof counts the final zero.
static const uint8_t metadata[] = "\x0bSocket-Type\x00\x00\x00\x03PUB";
static const uint8_t refused[] = "\x05"
                                 "ERROR\x03"
                                 "400"; // as libzmq states that a key is not admitted

const uint8_t *zmtp_greeting(const struct zmtp_keys *keys) {
  return keys ? curve_greeting : null_greeting;
}

static size_t header_size(size_t size) {
  return size > SHORT_MOST ? ZMTP_FRAME_HEADER : 2;
}

static size_t put_header(uint8_t *out, size_t size, int flags) {
  out[0] = (uint8_t)(flags | (size > SHORT_MOST ? FLAG_LONG : 0));
  if (size <= SHORT_MOST) {
    out[1] = (uint8_t)size;
    return 2;
  }
  for (int i = 0; i < 8; i++)
    out[1 + i] = (uint8_t)((uint64_t)size >> (56 - 8 * i));
  return ZMTP_FRAME_HEADER;
}

static int is_encrypted(const struct zmtp_peer *peer) {
  return peer->curve.state == CURVE_EXCHANGES;
}

size_t zmtp_frame_size(const struct zmtp_peer *peer, size_t content_size) {
  size_t size = content_size + (is_encrypted(peer) ? CURVE_BOX_OVERHEAD : 0);
  return header_size(size) + size;
}

// With CURVE the flags are inside the box.
static void put_frame(struct zmtp_peer *peer, const void *content, size_t size, int flags, uint8_t *out) {
  if (is_encrypted(peer)) {
    out += put_header(out, size + CURVE_BOX_OVERHEAD, 0);
    curve_put_message(&peer->curve, (uint8_t)(flags & FLAG_MORE) | (flags & FLAG_COMMAND ? BOX_COMMAND : 0),
                      content, size, out);
  } else {
    out += put_header(out, size, flags);
    if (size)
      memcpy(out, content, size);
  }
}

void zmtp_put_frame(struct zmtp_peer *peer, const void *content, size_t size, int more, uint8_t *out) {
  put_frame(peer, content, size, more ? FLAG_MORE : 0, out);
}

void zmtp_forget(struct zmtp_peer *peer) {
  curve_forget(&peer->curve);
}

static void reply(struct zmtp_peer *peer, const struct zmtp_reader *reader, const void *body, size_t size) {
  uint8_t frame[ZMTP_FRAME_HEADER + CURVE_WELCOME + CURVE_BOX_OVERHEAD];
  put_frame(peer, body, size, FLAG_COMMAND, frame);
  reader->reply(reader->context, frame, zmtp_frame_size(peer, size));
}

static int fail_with(struct zmtp_peer *peer, enum zmtp_failure failure) {
  peer->failure = failure;
  return 0;
}

int zmtp_wants(const struct zmtp_peer *peer, int topic) {
  return peer->prefixes[topic] != 0;
}

int zmtp_wants_any(const struct zmtp_peer *peer) {
  uint32_t any = 0;
  for (int i = 0; i < ZMTP_TOPICS; i++)
    any |= peer->prefixes[i];
  return any != 0;
}

// A subscription is a prefix of topics; the empty one matches all. As in libzmq, subscribing twice has the
// effect of subscribing once.
static void subscribe(struct zmtp_peer *peer, const struct zmtp_reader *reader, const uint8_t *prefix,
                      size_t size, int on) {
  int fits = 0, may = 0;
  for (int i = 0; i < reader->topic_count && size <= ZMTP_TOPIC_LENGTH; i++) {
    if (size > strlen(reader->topics[i]) || memcmp(prefix, reader->topics[i], size) != 0)
      continue;
    fits = 1;
    if (reader->keys && !(peer->admission.topics >> i & 1))
      continue;
    may = 1;
    if (on)
      peer->prefixes[i] |= UINT32_C(1) << size;
    else
      peer->prefixes[i] &= ~(UINT32_C(1) << size);
  }
  peer->ignored += on && !fits;
  peer->denied += on && fits && !may;
}

static int is_command(const uint8_t *body, size_t size, const char *name) {
  size_t length = strlen(name);
  return size > length && body[0] == length && memcmp(body + 1, name, length) == 0;
}

// Whether the properties of a READY command declare a socket of type SUB or XSUB.
static int is_subscriber(const uint8_t *at, size_t size) {
  static const char name[] = "socket-type";
  while (size > 0) {
    size_t name_size = at[0];
    if (size < 1 + name_size + 4)
      return 0;
    const uint8_t *key = at + 1, *length = key + name_size, *value = length + 4;
    size_t value_size =
        (size_t)length[0] << 24 | (size_t)length[1] << 16 | (size_t)length[2] << 8 | length[3];
    if (value_size > size - (1 + name_size + 4))
      return 0;
    int matches = name_size == sizeof name - 1;
    for (size_t i = 0; matches && i < name_size; i++)
      matches = (key[i] | 0x20) == (name[i] | 0x20); // property names ignore case
    if (matches)
      return (value_size == 3 && memcmp(value, "SUB", 3) == 0) ||
             (value_size == 4 && memcmp(value, "XSUB", 4) == 0);
    at = value + value_size;
    size -= 1 + name_size + 4 + value_size;
  }

  return 0;
}

static int take_ready(struct zmtp_peer *peer, const uint8_t *body, size_t size) {
  if (!is_command(body, size, "READY") || !is_subscriber(body + 6, size - 6))
    return fail_with(peer, ZMTP_WRONG_HANDSHAKE);
  peer->state = ZMTP_SUBSCRIBES;
  return 1;
}

// HELLO is answered with WELCOME, INITIATE with READY if the key is admitted.
static int take_handshake(struct zmtp_peer *peer, const struct zmtp_reader *reader, uint8_t *body,
                          size_t size) {
  const struct zmtp_keys *keys = reader->keys;
  uint8_t answer[CURVE_WELCOME];
  const uint8_t *properties;
  size_t property_size;
  if (is_command(body, size, "HELLO")) {
    if (!curve_take_hello(&peer->curve, &keys->own, body, size, answer))
      return fail_with(peer, ZMTP_WRONG_HANDSHAKE);
    reply(peer, reader, answer, CURVE_WELCOME);
    return 1;
  }
  if (!curve_take_initiate(&peer->curve, &keys->own, body, size, &properties, &property_size) ||
      !is_subscriber(properties, property_size))
    return fail_with(peer, ZMTP_WRONG_HANDSHAKE);
  if (!keys->admit(keys->context, peer->curve.client, &peer->admission)) {
    reply(peer, reader, refused, sizeof refused - 1);
    return fail_with(peer, ZMTP_UNKNOWN_KEY);
  }
  uint8_t frame[2 + CURVE_READY_MOST];
  size_t ready_size = curve_admit(&peer->curve, metadata, sizeof metadata - 1, frame + 2);
  put_header(frame, ready_size, FLAG_COMMAND);
  reader->reply(reader->context, frame, 2 + ready_size);
  peer->state = ZMTP_SUBSCRIBES;
  return 1;
}

static int take_command(struct zmtp_peer *peer, const struct zmtp_reader *reader, const uint8_t *body,
                        size_t size) {
  if (is_command(body, size, "SUBSCRIBE")) {
    subscribe(peer, reader, body + 10, size - 10, 1);
  } else if (is_command(body, size, "CANCEL")) {
    subscribe(peer, reader, body + 7, size - 7, 0);
  } else if (is_command(body, size, "PING") && size >= 7) {
    size_t context = size - 7 > PING_CONTEXT ? PING_CONTEXT : size - 7;
    uint8_t pong[5 + PING_CONTEXT] = {4, 'P', 'O', 'N', 'G'};
    memcpy(pong + 5, body + 7, context);
    reply(peer, reader, pong, 5 + context);
  } else if (is_command(body, size, "ERROR")) {
    return fail_with(peer, ZMTP_MALFORMED);
  }
  return 1; // unknown commands are ignored
}

static int take_content(struct zmtp_peer *peer, const struct zmtp_reader *reader, int is_a_command,
                        const uint8_t *body, size_t size) {
  if (is_a_command)
    return take_command(peer, reader, body, size);
  if (size > 0 && body[0] <= 1) // before ZMTP 3.1 subscriptions are messages
    subscribe(peer, reader, body + 1, size - 1, body[0]);
  return 1;
}

static int take_frame(struct zmtp_peer *peer, const struct zmtp_reader *reader, int flags, uint8_t *body,
                      size_t size) {
  uint8_t box_flags, *content;
  size_t content_size;
  if (peer->state == ZMTP_HANDSHAKES && !(flags & FLAG_COMMAND))
    return fail_with(peer, ZMTP_WRONG_HANDSHAKE);
  if (peer->state == ZMTP_HANDSHAKES)
    return reader->keys ? take_handshake(peer, reader, body, size) : take_ready(peer, body, size);
  if (!reader->keys)
    return take_content(peer, reader, flags & FLAG_COMMAND, body, size);
  if (!curve_take_message(&peer->curve, body, size, &box_flags, &content, &content_size))
    return fail_with(peer, ZMTP_WRONG_MESSAGE);
  return take_content(peer, reader, box_flags & BOX_COMMAND, content, content_size);
}

static int take_greeting(struct zmtp_peer *peer, const struct zmtp_reader *reader) {
  const uint8_t *own = zmtp_greeting(reader->keys);
  if (peer->held[0] != 0xff || !(peer->held[9] & 1) || peer->held[10] < 3)
    return fail_with(peer, ZMTP_MALFORMED);
  if (memcmp(peer->held + MECHANISM_AT, own + MECHANISM_AT, MECHANISM_SIZE) != 0)
    return fail_with(peer, ZMTP_WRONG_MECHANISM);
  peer->state = ZMTP_HANDSHAKES;
  if (!reader->keys) {
    uint8_t ready[6 + sizeof metadata - 1] = "\x05READY";
    memcpy(ready + 6, metadata, sizeof metadata - 1);
    reply(peer, reader, ready, sizeof ready);
  }
  return 1;
}

// Bytes of the greeting or frame at the start of held; 0: its header is not complete; -1: it is invalid.
static int64_t size_of_next(const struct zmtp_peer *peer) {
  const uint8_t *held = peer->held;
  if (peer->state == ZMTP_GREETS) // the first byte shows an invalid greeting
    return peer->held_size && held[0] != 0xff ? -1 : ZMTP_GREETING;
  if (peer->held_size < 2)
    return 0;
  if (held[0] & ~(FLAG_MORE | FLAG_LONG | FLAG_COMMAND))
    return -1;
  if (!(held[0] & FLAG_LONG))
    return 2 + held[1];
  if (peer->held_size < ZMTP_FRAME_HEADER)
    return 0;

  uint64_t size = 0;
  for (int i = 1; i < ZMTP_FRAME_HEADER; i++)
    size = size << 8 | held[i];
  return size > ZMTP_LARGEST ? -1 : (int64_t)size + ZMTP_FRAME_HEADER;
}

// Handles the greeting or frame at the start of held. Returns 1 when done, 0 when it is not complete, -1 when
// the peer must be disconnected.
static int take_next(struct zmtp_peer *peer, const struct zmtp_reader *reader) {
  int64_t size = size_of_next(peer);
  if (size < 0 || (size > ZMTP_HELD && peer->state != ZMTP_SUBSCRIBES)) {
    fail_with(peer, ZMTP_MALFORMED);
    return -1;
  }
  if (size > ZMTP_HELD) { // for example a subscription longer than any topic
    peer->ignored++;
    peer->skip_bytes = (uint64_t)size - peer->held_size;
    peer->held_size = 0;
    return 0;
  }
  if (size == 0 || peer->held_size < (size_t)size)
    return 0;

  size_t header = peer->held[0] & FLAG_LONG ? ZMTP_FRAME_HEADER : 2;
  int good = peer->state == ZMTP_GREETS
                 ? take_greeting(peer, reader)
                 : take_frame(peer, reader, peer->held[0], peer->held + header, (size_t)size - header);
  peer->held_size -= (size_t)size;
  memmove(peer->held, peer->held + size, peer->held_size);
  return good ? 1 : -1;
}

int zmtp_take(struct zmtp_peer *peer, const struct zmtp_reader *reader, const uint8_t *data, size_t size) {
  while (size > 0) {
    if (peer->skip_bytes > 0) {
      size_t passed = peer->skip_bytes < size ? (size_t)peer->skip_bytes : size;
      peer->skip_bytes -= passed;
      data += passed;
      size -= passed;
      continue;
    }
    size_t room = ZMTP_HELD - peer->held_size, now = size < room ? size : room;
    memcpy(peer->held + peer->held_size, data, now);
    peer->held_size += now;
    data += now;
    size -= now;
    int taken;
    while ((taken = take_next(peer, reader)) > 0)
      ;
    if (taken < 0)
      return 0;
  }

  return 1;
}
