#include "io/net/zmtp.h"

#include <string.h>

enum {
  FLAG_MORE = 1,
  FLAG_LONG = 2, // the size has 8 bytes instead of 1
  FLAG_COMMAND = 4,
  SHORT_MOST = 255,    // largest size in 1 byte
  MECHANISM_AT = 12,   // byte of the greeting
  MECHANISM_SIZE = 20, // bytes
  PING_CONTEXT = 16    // bytes, at most, that a PONG returns
};

// Signature, version 3.1, mechanism, as-server, filler; the rest is zero.
const uint8_t zmtp_greeting[ZMTP_GREETING] = {0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 1, 'N', 'U', 'L', 'L'};

static const uint8_t ready[] =
    "\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x03PUB"; // sizeof counts the final zero
_Static_assert(sizeof ready - 1 == 2 + 0x19, "the second byte is the size of the body");

size_t zmtp_frame_header(uint8_t out[ZMTP_FRAME_HEADER], size_t size, int more) {
  out[0] = (uint8_t)((more ? FLAG_MORE : 0) | (size > SHORT_MOST ? FLAG_LONG : 0));
  if (size <= SHORT_MOST) {
    out[1] = (uint8_t)size;
    return 2;
  }
  for (int i = 0; i < 8; i++)
    out[1 + i] = (uint8_t)((uint64_t)size >> (56 - 8 * i));
  return ZMTP_FRAME_HEADER;
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
  int fits = 0;
  for (int i = 0; i < reader->topic_count && size <= ZMTP_TOPIC_LENGTH; i++) {
    if (size > strlen(reader->topics[i]) || memcmp(prefix, reader->topics[i], size) != 0)
      continue;
    fits = 1;
    if (on)
      peer->prefixes[i] |= UINT32_C(1) << size;
    else
      peer->prefixes[i] &= ~(UINT32_C(1) << size);
  }
  peer->ignored += on && !fits;
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

static int take_command(struct zmtp_peer *peer, const struct zmtp_reader *reader, const uint8_t *body,
                        size_t size) {
  if (peer->state == ZMTP_HANDSHAKES) {
    if (!is_command(body, size, "READY") || !is_subscriber(body + 6, size - 6))
      return 0;
    peer->state = ZMTP_SUBSCRIBES;
  } else if (is_command(body, size, "SUBSCRIBE")) {
    subscribe(peer, reader, body + 10, size - 10, 1);
  } else if (is_command(body, size, "CANCEL")) {
    subscribe(peer, reader, body + 7, size - 7, 0);
  } else if (is_command(body, size, "PING") && size >= 7) {
    size_t context = size - 7 > PING_CONTEXT ? PING_CONTEXT : size - 7;
    uint8_t pong[2 + 5 + PING_CONTEXT] = {FLAG_COMMAND, (uint8_t)(5 + context), 4, 'P', 'O', 'N', 'G'};
    memcpy(pong + 7, body + 7, context);
    reader->reply(reader->context, pong, 7 + context);
  } else if (is_command(body, size, "ERROR")) {
    return 0;
  }
  return 1; // unknown commands are ignored
}

static int take_frame(struct zmtp_peer *peer, const struct zmtp_reader *reader, int flags,
                      const uint8_t *body, size_t size) {
  if (flags & FLAG_COMMAND)
    return take_command(peer, reader, body, size);
  if (peer->state != ZMTP_SUBSCRIBES)
    return 0;
  if (size > 0 && body[0] <= 1) // before ZMTP 3.1 subscriptions are messages
    subscribe(peer, reader, body + 1, size - 1, body[0]);
  return 1;
}

static int take_greeting(struct zmtp_peer *peer, const struct zmtp_reader *reader) {
  static const uint8_t null_mechanism[MECHANISM_SIZE] = "NULL";
  if (peer->held[0] != 0xff || !(peer->held[9] & 1) || peer->held[10] < 3 ||
      memcmp(peer->held + MECHANISM_AT, null_mechanism, MECHANISM_SIZE) != 0)
    return 0;
  peer->state = ZMTP_HANDSHAKES;
  reader->reply(reader->context, ready, sizeof ready - 1);
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
  if (size < 0)
    return -1;
  if (size > ZMTP_HELD) { // for example a subscription longer than any topic
    if (peer->state != ZMTP_SUBSCRIBES)
      return -1;
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
