#include "io/net/zmtp.h"

#include <string.h>

enum {
  FLAG_MORE = 1,
  FLAG_LONG = 2,
  FLAG_COMMAND = 4,
  SHORT_MOST = 255,
  MECHANISM_AT = 12,
  MECHANISM_SIZE = 20,
  PING_CONTEXT = 16
};

// Signature, version 3.1, mechanism, as-server, filler.
const uint8_t zmtp_greeting[ZMTP_GREETING] = {0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 1, 'N', 'U', 'L', 'L'};

static const uint8_t ready[] = "\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x03PUB"; // with C's final zero
_Static_assert(sizeof ready - 1 == 2 + 0x19, "the size of its body, in its second byte");

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

int zmtp_wants(const struct zmtp_peer *p, int topic) {
  return p->prefixes[topic] != 0;
}

int zmtp_wants_any(const struct zmtp_peer *p) {
  uint32_t any = 0;
  for (int i = 0; i < ZMTP_TOPICS; i++)
    any |= p->prefixes[i];
  return any != 0;
}

// A subscription is the beginning of topics, the empty one of all. Subscribing to the same twice is as once,
// as with libzmq.
static void subscribe(struct zmtp_peer *p, const struct zmtp_reader *r, const uint8_t *prefix, size_t size,
                      int on) {
  int fits = 0;
  for (int i = 0; i < r->topic_count && size <= ZMTP_TOPIC_LENGTH; i++) {
    if (size > strlen(r->topics[i]) || memcmp(prefix, r->topics[i], size) != 0)
      continue;
    fits = 1;
    if (on)
      p->prefixes[i] |= UINT32_C(1) << size;
    else
      p->prefixes[i] &= ~(UINT32_C(1) << size);
  }
  p->ignored += on && !fits;
}

static int is_command(const uint8_t *body, size_t size, const char *name) {
  size_t length = strlen(name);
  return size > length && body[0] == length && memcmp(body + 1, name, length) == 0;
}

// The property Socket-Type of a READY is that of a subscriber.
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
    int same = name_size == sizeof name - 1;
    for (size_t i = 0; same && i < name_size; i++)
      same = (key[i] | 0x20) == (name[i] | 0x20); // names are alike whatever their case
    if (same)
      return (value_size == 3 && memcmp(value, "SUB", 3) == 0) ||
             (value_size == 4 && memcmp(value, "XSUB", 4) == 0);
    at = value + value_size;
    size -= 1 + name_size + 4 + value_size;
  }
  return 0;
}

static int take_command(struct zmtp_peer *p, const struct zmtp_reader *r, const uint8_t *body, size_t size) {
  if (p->state == ZMTP_HANDSHAKES) {
    if (!is_command(body, size, "READY") || !is_subscriber(body + 6, size - 6))
      return 0;
    p->state = ZMTP_SUBSCRIBES;
  } else if (is_command(body, size, "SUBSCRIBE")) {
    subscribe(p, r, body + 10, size - 10, 1);
  } else if (is_command(body, size, "CANCEL")) {
    subscribe(p, r, body + 7, size - 7, 0);
  } else if (is_command(body, size, "PING") && size >= 7) {
    size_t context = size - 7 > PING_CONTEXT ? PING_CONTEXT : size - 7;
    uint8_t pong[2 + 5 + PING_CONTEXT] = {FLAG_COMMAND, (uint8_t)(5 + context), 4, 'P', 'O', 'N', 'G'};
    memcpy(pong + 7, body + 7, context);
    r->reply(r->context, pong, 7 + context);
  } else if (is_command(body, size, "ERROR")) {
    return 0;
  }
  return 1; // an unknown command is none of ours
}

static int take_frame(struct zmtp_peer *p, const struct zmtp_reader *r, int flags, const uint8_t *body,
                      size_t size) {
  if (flags & FLAG_COMMAND)
    return take_command(p, r, body, size);
  if (p->state != ZMTP_SUBSCRIBES)
    return 0;
  if (size > 0 && body[0] <= 1) // subscriptions as messages, as before ZMTP 3.1
    subscribe(p, r, body + 1, size - 1, body[0]);
  return 1;
}

static int take_greeting(struct zmtp_peer *p, const struct zmtp_reader *r) {
  static const uint8_t null_mechanism[MECHANISM_SIZE] = "NULL";
  if (p->held[0] != 0xff || !(p->held[9] & 1) || p->held[10] < 3 ||
      memcmp(p->held + MECHANISM_AT, null_mechanism, MECHANISM_SIZE) != 0)
    return 0;
  p->state = ZMTP_HANDSHAKES;
  r->reply(r->context, ready, sizeof ready - 1);
  return 1;
}

// Bytes of the greeting or of the frame that held begins with; 0: its header is not all here; -1: it is no
// frame.
static int64_t unit_size(const struct zmtp_peer *p) {
  const uint8_t *h = p->held;
  if (p->state == ZMTP_GREETS) // what is no greeting is told by its first byte
    return p->held_size && h[0] != 0xff ? -1 : ZMTP_GREETING;
  if (p->held_size < 2)
    return 0;
  if (h[0] & ~(FLAG_MORE | FLAG_LONG | FLAG_COMMAND))
    return -1;
  if (!(h[0] & FLAG_LONG))
    return 2 + h[1];
  if (p->held_size < ZMTP_FRAME_HEADER)
    return 0;
  uint64_t size = 0;
  for (int i = 1; i < ZMTP_FRAME_HEADER; i++)
    size = size << 8 | h[i];
  return size > ZMTP_LARGEST ? -1 : (int64_t)size + ZMTP_FRAME_HEADER;
}

// What held begins with, if it is complete; 0: it is not; -1: cut off.
static int take_unit(struct zmtp_peer *p, const struct zmtp_reader *r) {
  int64_t size = unit_size(p);
  if (size < 0)
    return -1;
  if (size > ZMTP_HELD) { // as of a subscription to what cannot be a topic
    if (p->state != ZMTP_SUBSCRIBES)
      return -1;
    p->ignored++;
    p->pass_over = (uint64_t)size - p->held_size;
    p->held_size = 0;
    return 0;
  }
  if (size == 0 || p->held_size < (size_t)size)
    return 0;
  size_t header = p->held[0] & FLAG_LONG ? ZMTP_FRAME_HEADER : 2;
  int good = p->state == ZMTP_GREETS ? take_greeting(p, r)
                                     : take_frame(p, r, p->held[0], p->held + header, (size_t)size - header);
  p->held_size -= (size_t)size;
  memmove(p->held, p->held + size, p->held_size);
  return good ? 1 : -1;
}

int zmtp_take(struct zmtp_peer *p, const struct zmtp_reader *reader, const uint8_t *data, size_t size) {
  while (size > 0) {
    if (p->pass_over > 0) {
      size_t passed = p->pass_over < size ? (size_t)p->pass_over : size;
      p->pass_over -= passed;
      data += passed;
      size -= passed;
      continue;
    }
    size_t room = ZMTP_HELD - p->held_size, now = size < room ? size : room;
    memcpy(p->held + p->held_size, data, now);
    p->held_size += now;
    data += now;
    size -= now;
    int taken;
    while ((taken = take_unit(p, reader)) > 0)
      ;
    if (taken < 0)
      return 0;
  }
  return 1;
}
