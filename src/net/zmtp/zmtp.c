#include "net/zmtp/zmtp_internal.h"

#include <string.h>

enum {
  BOX_COMMAND = 2,   // ZMTP_ZMTP_FLAG_COMMAND in a box of CURVE
  SHORT_MOST = 255,  // largest size in 1 byte
  PING_CONTEXT = 16, // bytes, at most, that a PONG returns
  TTL_MS = 100       // unit of a PING's time to live
};

const struct zmtp_role ZMTP_PUBLISHER = {.socket_type = "PUB",
                                         .peer_types = {"SUB", "XSUB"},
                                         .handshake_most = ZMTP_HELD,
                                         .most = 64 << 10,
                                         .violation = ZMTP_MALFORMED};
// A routing id and other properties may make a handshake longer.
const struct zmtp_role ZMTP_ROUTER = {.socket_type = "ROUTER",
                                      .peer_types = {"DEALER", "REQ", "ROUTER"},
                                      .handshake_most = 8 << 10,
                                      .most = 256 << 10,
                                      .violation = ZMTP_WRONG_MESSAGE};

static size_t header_size(size_t size) {
  return size > SHORT_MOST ? ZMTP_FRAME_HEADER : 2;
}

static size_t zmtp_put_header(uint8_t *out, size_t size, int flags) {
  out[0] = (uint8_t)(flags | (size > SHORT_MOST ? ZMTP_FLAG_LONG : 0));
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
    out += zmtp_put_header(out, size + CURVE_BOX_OVERHEAD, 0);
    curve_put_message(&peer->curve,
                      (uint8_t)(flags & ZMTP_FLAG_MORE) | (flags & ZMTP_FLAG_COMMAND ? BOX_COMMAND : 0),
                      content, size, out);
  } else {
    out += zmtp_put_header(out, size, flags);
    if (size)
      memcpy(out, content, size);
  }
}

void zmtp_put_frame(struct zmtp_peer *peer, const void *content, size_t size, int more, uint8_t *out) {
  put_frame(peer, content, size, more ? ZMTP_FLAG_MORE : 0, out);
}

size_t zmtp_put_ping(struct zmtp_peer *peer, int ttl_ms, uint8_t out[ZMTP_PING_MOST]) {
  const int ttl = ttl_ms / TTL_MS;
  const uint8_t ping[] = {4, 'P', 'I', 'N', 'G', (uint8_t)(ttl >> 8), (uint8_t)ttl};
  put_frame(peer, ping, sizeof ping, ZMTP_FLAG_COMMAND, out);
  return zmtp_frame_size(peer, sizeof ping);
}

void zmtp_forget(struct zmtp_peer *peer) {
  curve_forget(&peer->curve);
}

// Sends a command, encrypted as soon as messages are.
static void zmtp_reply(struct zmtp_peer *peer, const struct zmtp_reader *reader, const void *body,
                       size_t size) {
  uint8_t frame[ZMTP_FRAME_HEADER + CURVE_WELCOME + CURVE_BOX_OVERHEAD];
  if (size > CURVE_WELCOME) // the largest
    return;
  put_frame(peer, body, size, ZMTP_FLAG_COMMAND, frame);
  reader->reply(reader->context, frame, zmtp_frame_size(peer, size));
}

// Returns 0.
static int zmtp_fail(struct zmtp_peer *peer, enum zmtp_failure failure) {
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

static int zmtp_is_command(const uint8_t *body, size_t size, const char *name) {
  size_t length = strlen(name);
  return size > length && body[0] == length && memcmp(body + 1, name, length) == 0;
}

static int take_command(struct zmtp_peer *peer, const struct zmtp_reader *reader, const uint8_t *body,
                        size_t size) {
  if (zmtp_is_command(body, size, "SUBSCRIBE")) {
    subscribe(peer, reader, body + 10, size - 10, 1);
  } else if (zmtp_is_command(body, size, "CANCEL")) {
    subscribe(peer, reader, body + 7, size - 7, 0);
  } else if (zmtp_is_command(body, size, "PING") && size >= 7) {
    size_t context = size - 7 > PING_CONTEXT ? PING_CONTEXT : size - 7;
    uint8_t pong[5 + PING_CONTEXT] = {4, 'P', 'O', 'N', 'G'};
    memcpy(pong + 5, body + 7, context);
    zmtp_reply(peer, reader, pong, 5 + context);
  } else if (zmtp_is_command(body, size, "ERROR")) {
    return zmtp_fail(peer, reader->role->violation);
  }
  return 1; // unknown commands are ignored
}

static int take_content(struct zmtp_peer *peer, const struct zmtp_reader *reader, int flags, uint8_t *body,
                        size_t size) {
  if (flags & ZMTP_FLAG_COMMAND)
    return take_command(peer, reader, body, size);
  if (reader->deliver)
    reader->deliver(reader->context, body, size, flags & ZMTP_FLAG_MORE);
  else if (size > 0 && body[0] <= 1) // before ZMTP 3.1 subscriptions are messages
    subscribe(peer, reader, body + 1, size - 1, body[0]);
  return 1;
}

static int zmtp_take_handshake(struct zmtp_peer *peer, const struct zmtp_reader *reader, uint8_t *body,
                               size_t size);

static int take_frame(struct zmtp_peer *peer, const struct zmtp_reader *reader, int flags, uint8_t *body,
                      size_t size) {
  uint8_t box_flags, *content;
  size_t content_size;
  if (peer->state == ZMTP_HANDSHAKES)
    return flags & ZMTP_FLAG_COMMAND ? zmtp_take_handshake(peer, reader, body, size)
                                     : zmtp_fail(peer, ZMTP_WRONG_HANDSHAKE);
  if (!reader->keys)
    return take_content(peer, reader, flags, body, size);
  if (!curve_take_message(&peer->curve, body, size, &box_flags, &content, &content_size))
    return zmtp_fail(peer, ZMTP_WRONG_MESSAGE);
  flags = (box_flags & ZMTP_FLAG_MORE) | (box_flags & BOX_COMMAND ? ZMTP_FLAG_COMMAND : 0);
  return take_content(peer, reader, flags, content, content_size);
}

// Bytes of the greeting or frame that begins with these; 0: its header is not complete; -1: it is invalid.
static int64_t size_of_next(const struct zmtp_peer *peer, const struct zmtp_reader *reader,
                            const uint8_t *bytes, size_t size) {
  if (peer->state == ZMTP_GREETS) // the first byte shows an invalid greeting
    return size && bytes[0] != 0xff ? -1 : ZMTP_GREETING;
  if (size < 2)
    return 0;
  if (bytes[0] & ~(ZMTP_FLAG_MORE | ZMTP_FLAG_LONG | ZMTP_FLAG_COMMAND))
    return -1;
  const size_t header = bytes[0] & ZMTP_FLAG_LONG ? ZMTP_FRAME_HEADER : 2;
  if (size < header)
    return 0;

  uint64_t length = 0;
  for (size_t i = 1; i < header; i++)
    length = length << 8 | bytes[i];
  const size_t most = peer->state == ZMTP_OPEN ? reader->role->most + (reader->keys ? CURVE_BOX_OVERHEAD : 0)
                                               : reader->role->handshake_most;
  return length > most ? -1 : (int64_t)(length + header);
}

static int zmtp_take_greeting(struct zmtp_peer *peer, const struct zmtp_reader *reader,
                              const uint8_t greeting[ZMTP_GREETING]);

int64_t zmtp_take_one(struct zmtp_peer *peer, const struct zmtp_reader *reader, uint8_t *bytes, size_t size,
                      size_t *whole) {
  const int is_greeting = peer->state == ZMTP_GREETS;
  const int64_t next = size_of_next(peer, reader, bytes, size);
  if (next < 0) {
    zmtp_fail(peer, peer->state == ZMTP_OPEN ? reader->role->violation : ZMTP_MALFORMED);
    return -1;
  }
  *whole = (size_t)next;
  if (next == 0 || size < (size_t)next)
    return 0;
  const size_t header = is_greeting ? 0 : bytes[0] & ZMTP_FLAG_LONG ? ZMTP_FRAME_HEADER : 2;
  const int good = is_greeting ? zmtp_take_greeting(peer, reader, bytes)
                               : take_frame(peer, reader, bytes[0], bytes + header, (size_t)next - header);
  return good ? next : -1;
}

// Handles the greeting or frame at the start of held. Returns 1 when done, 0 when it is not complete, -1 when
// the peer must be disconnected.
static int take_held(struct zmtp_peer *peer, const struct zmtp_reader *reader) {
  size_t whole = 0;
  const int64_t taken = zmtp_take_one(peer, reader, peer->held, peer->held_size, &whole);
  if (taken < 0)
    return -1;
  if (taken == 0 && whole > ZMTP_HELD) { // for example a subscription longer than any topic
    peer->ignored++;
    peer->skip_bytes = whole - peer->held_size;
    peer->held_size = 0;
  }
  peer->held_size -= (size_t)taken;
  memmove(peer->held, peer->held + taken, peer->held_size);
  return taken > 0;
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
    while ((taken = take_held(peer, reader)) > 0)
      ;
    if (taken < 0)
      return 0;
  }

  return 1;
}

// ------------------------------------------------------------
// Greeting, then READY, or with CURVE its commands (zmtp.h).

enum {
  MECHANISM_AT = 12,   // byte of the greeting
  MECHANISM_SIZE = 20, // bytes
  AS_SERVER_AT = 32,
  PROPERTIES_MOST = 64 // bytes of our own
};

// Signature, version 3.1, mechanism, as-server, filler; the rest is zero.
static const uint8_t null_greeting[ZMTP_GREETING] = {0xff, 0,    0, 0, 0,   0,   0,   0,
                                                     0,    0x7f, 3, 1, 'N', 'U', 'L', 'L'};
static const uint8_t curve_greeting[ZMTP_GREETING] = {
    0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 1, 'C', 'U', 'R', 'V', 'E', [AS_SERVER_AT] = 1};

static const char PROPERTY[] = "Socket-Type";
static const uint8_t refused[] = "\x05"
                                 "ERROR\x03"
                                 "400"; // as libzmq states that a key is not admitted

const uint8_t *zmtp_greeting(const struct zmtp_keys *keys) {
  return keys ? curve_greeting : null_greeting;
}

// Our properties: name and value, each behind its length. Returns their bytes.
static size_t put_properties(const struct zmtp_role *role, uint8_t out[PROPERTIES_MOST]) {
  const size_t name = sizeof PROPERTY - 1, value = strlen(role->socket_type);
  out[0] = (uint8_t)name;
  memcpy(out + 1, PROPERTY, name);
  memset(out + 1 + name, 0, 3);
  out[1 + name + 3] = (uint8_t)value;
  memcpy(out + 1 + name + 4, role->socket_type, value);
  return 1 + name + 4 + value;
}

// Returns 0 if the peer must be disconnected.
static int zmtp_take_greeting(struct zmtp_peer *peer, const struct zmtp_reader *reader,
                              const uint8_t greeting[ZMTP_GREETING]) {
  const uint8_t *own = zmtp_greeting(reader->keys);
  if (greeting[0] != 0xff || !(greeting[9] & 1) || greeting[10] < 3)
    return zmtp_fail(peer, ZMTP_MALFORMED);
  if (memcmp(greeting + MECHANISM_AT, own + MECHANISM_AT, MECHANISM_SIZE) != 0)
    return zmtp_fail(peer, ZMTP_WRONG_MECHANISM);
  peer->state = ZMTP_HANDSHAKES;
  if (!reader->keys) {
    uint8_t ready[6 + PROPERTIES_MOST] = "\x05READY";
    zmtp_reply(peer, reader, ready, 6 + put_properties(reader->role, ready + 6));
  }
  return 1;
}

static int is_type(const struct zmtp_role *role, const uint8_t *value, size_t size) {
  for (int i = 0; role->peer_types[i]; i++)
    if (strlen(role->peer_types[i]) == size && memcmp(role->peer_types[i], value, size) == 0)
      return 1;
  return 0;
}

// Whether the peer's properties declare a socket that fits this end.
static int is_peer(const struct zmtp_role *role, const uint8_t *at, size_t size) {
  while (size > 0) {
    size_t name_size = at[0];
    if (size < 1 + name_size + 4)
      return 0;
    const uint8_t *key = at + 1, *length = key + name_size, *value = length + 4;
    size_t value_size =
        (size_t)length[0] << 24 | (size_t)length[1] << 16 | (size_t)length[2] << 8 | length[3];
    if (value_size > size - (1 + name_size + 4))
      return 0;
    int matches = name_size == sizeof PROPERTY - 1;
    for (size_t i = 0; matches && i < name_size; i++)
      matches = (key[i] | 0x20) == ((uint8_t)PROPERTY[i] | 0x20); // names of properties ignore case
    if (matches)
      return is_type(role, value, value_size);
    at = value + value_size;
    size -= 1 + name_size + 4 + value_size;
  }
  return 0;
}

static int take_ready(struct zmtp_peer *peer, const struct zmtp_reader *reader, const uint8_t *body,
                      size_t size) {
  if (!zmtp_is_command(body, size, "READY") || !is_peer(reader->role, body + 6, size - 6))
    return zmtp_fail(peer, ZMTP_WRONG_HANDSHAKE);
  peer->state = ZMTP_OPEN;
  return 1;
}

static int take_hello(struct zmtp_peer *peer, const struct zmtp_reader *reader, const uint8_t *body,
                      size_t size) {
  uint8_t welcome[CURVE_WELCOME];
  if (!curve_take_hello(&peer->curve, &reader->keys->own, body, size, welcome))
    return zmtp_fail(peer, ZMTP_WRONG_HANDSHAKE);
  zmtp_reply(peer, reader, welcome, CURVE_WELCOME);
  return 1;
}

// Answered with READY if the key is admitted.
static int take_initiate(struct zmtp_peer *peer, const struct zmtp_reader *reader, uint8_t *body,
                         size_t size) {
  const struct zmtp_keys *keys = reader->keys;
  const uint8_t *properties;
  size_t property_size;
  if (!curve_take_initiate(&peer->curve, &keys->own, body, size, &properties, &property_size) ||
      !is_peer(reader->role, properties, property_size))
    return zmtp_fail(peer, ZMTP_WRONG_HANDSHAKE);
  enum zmtp_failure failure = keys->admit(keys->context, peer->curve.client, &peer->admission);
  if (failure != ZMTP_NO_FAILURE) {
    zmtp_reply(peer, reader, refused, sizeof refused - 1);
    return zmtp_fail(peer, failure);
  }
  uint8_t frame[2 + CURVE_READY_MOST], own[PROPERTIES_MOST];
  size_t ready_size = curve_admit(&peer->curve, own, put_properties(reader->role, own), frame + 2);
  zmtp_put_header(frame, ready_size, ZMTP_FLAG_COMMAND);
  reader->reply(reader->context, frame, 2 + ready_size);
  peer->state = ZMTP_OPEN;
  return 1;
}

// Returns 0 if the peer must be disconnected.
static int zmtp_take_handshake(struct zmtp_peer *peer, const struct zmtp_reader *reader, uint8_t *body,
                               size_t size) {
  if (!reader->keys)
    return take_ready(peer, reader, body, size);
  if (zmtp_is_command(body, size, "HELLO"))
    return take_hello(peer, reader, body, size);
  return take_initiate(peer, reader, body, size);
}
