// Greeting, then READY, or with CURVE its commands (curve.h).
#include "net/zmtp/zmtp_parts.h"

#include <string.h>

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

int zmtp_take_greeting(struct zmtp_peer *peer, const struct zmtp_reader *reader,
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

int zmtp_take_handshake(struct zmtp_peer *peer, const struct zmtp_reader *reader, uint8_t *body,
                        size_t size) {
  if (!reader->keys)
    return take_ready(peer, reader, body, size);
  if (zmtp_is_command(body, size, "HELLO"))
    return take_hello(peer, reader, body, size);
  return take_initiate(peer, reader, body, size);
}
