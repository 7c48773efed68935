#include "net/zmtp/zmtp.h"

#include <sodium.h>
#include <string.h>

enum {
  MAC = crypto_box_MACBYTES, // 16
  SHORT = 8,                 // bytes of a number that completes a nonce of 24
  LONG = 16,                 // random bytes that do
  COOKIE = LONG + MAC + 2 * CURVE_KEY,
  VOUCH = LONG + MAC + 2 * CURVE_KEY,
  HELLO = 6 + 2 + 72 + CURVE_KEY + SHORT + MAC + 64,
  INITIATE_LEAST = 9 + COOKIE + SHORT + MAC + CURVE_KEY + VOUCH,
  MESSAGE_HEAD = 8 + SHORT
};
_Static_assert(CURVE_KEY == crypto_box_PUBLICKEYBYTES, "RFC 26");
_Static_assert(CURVE_KEY == crypto_secretbox_KEYBYTES, "RFC 26");
_Static_assert(MAC == crypto_secretbox_MACBYTES && crypto_box_NONCEBYTES == 24, "RFC 26");
_Static_assert(HELLO == 200 && CURVE_WELCOME == 8 + LONG + MAC + CURVE_KEY + COOKIE, "RFC 26");
_Static_assert(CURVE_BOX_OVERHEAD == MESSAGE_HEAD + MAC + 1, "head, authenticator and flags");

struct nonce {
  uint8_t bytes[crypto_box_NONCEBYTES];
};

// A prefix of 16 or 8 characters, and the rest.
static struct nonce nonce_of(const char *prefix, const uint8_t *rest) {
  struct nonce out;
  size_t length = strlen(prefix);
  memcpy(out.bytes, prefix, length);
  memcpy(out.bytes + length, rest, sizeof out.bytes - length);
  return out;
}

static uint64_t number_at(const uint8_t *bytes) {
  uint64_t value = 0;
  for (int i = 0; i < SHORT; i++)
    value = value << 8 | bytes[i];
  return value;
}

static void put_number(uint8_t *out, uint64_t value) {
  for (int i = 0; i < SHORT; i++)
    out[i] = (uint8_t)(value >> (56 - 8 * i));
}

static int begins_with(const uint8_t *body, size_t size, const char *name) {
  size_t length = strlen(name);
  return size > length && body[0] == length && memcmp(body + 1, name, length) == 0;
}

// Numbers of boxes only increase: one that came before is refused.
static int is_new(const struct curve_peer *peer, uint64_t number) {
  return number > peer->received;
}

// The cookie: the client's transient key and the server's secret one, encrypted so that only this connection
// reads it.
static void bake_cookie(struct curve_peer *peer, const uint8_t secret[CURVE_KEY], uint8_t out[COOKIE]) {
  uint8_t plain[2 * CURVE_KEY];
  randombytes_buf(peer->cookie, sizeof peer->cookie);
  randombytes_buf(out, LONG);
  memcpy(plain, peer->transient, CURVE_KEY);
  memcpy(plain + CURVE_KEY, secret, CURVE_KEY);
  const struct nonce nonce = nonce_of("COOKIE--", out);
  crypto_secretbox_easy(out + LONG, plain, sizeof plain, nonce.bytes, peer->cookie);
  sodium_memzero(plain, sizeof plain);
}

int curve_take_hello(struct curve_peer *peer, const struct curve_server_keys *keys, const uint8_t *body,
                     size_t size, uint8_t welcome[CURVE_WELCOME]) {
  static const uint8_t zero[64];
  uint8_t proof[sizeof zero], secret[CURVE_KEY], plain[CURVE_KEY + COOKIE];
  const uint8_t *transient = body + 6 + 2 + 72, *number = transient + CURVE_KEY, *box = number + SHORT;
  if (peer->state != CURVE_AWAITS_HELLO || size != HELLO || !begins_with(body, size, "HELLO") ||
      body[6] != 1 || body[7] != 0 || !is_new(peer, number_at(number)))
    return 0;
  const struct nonce hello = nonce_of("CurveZMQHELLO---", number);
  if (crypto_box_open_easy(proof, box, MAC + sizeof proof, hello.bytes, transient, keys->secret) != 0 ||
      sodium_memcmp(proof, zero, sizeof zero) != 0)
    return 0;

  peer->received = number_at(number);
  memcpy(peer->transient, transient, CURVE_KEY);
  crypto_box_keypair(peer->own_public, secret);
  memcpy(plain, peer->own_public, CURVE_KEY);
  bake_cookie(peer, secret, plain + CURVE_KEY);

  memcpy(welcome, "\x07WELCOME", 8);
  randombytes_buf(welcome + 8, LONG);
  const struct nonce nonce = nonce_of("WELCOME-", welcome + 8);
  int good =
      crypto_box_easy(welcome + 8 + LONG, plain, sizeof plain, nonce.bytes, transient, keys->secret) == 0;
  sodium_memzero(secret, sizeof secret);
  sodium_memzero(plain, sizeof plain);
  peer->state = CURVE_AWAITS_INITIATE;
  return good;
}

// Whether the cookie is the one of this connection; it returns the server's transient secret key.
static int eat_cookie(struct curve_peer *peer, const uint8_t cookie[COOKIE], uint8_t secret[CURVE_KEY]) {
  uint8_t plain[2 * CURVE_KEY];
  const struct nonce nonce = nonce_of("COOKIE--", cookie);
  int good =
      crypto_secretbox_open_easy(plain, cookie + LONG, COOKIE - LONG, nonce.bytes, peer->cookie) == 0 &&
      sodium_memcmp(plain, peer->transient, CURVE_KEY) == 0;
  if (good)
    memcpy(secret, plain + CURVE_KEY, CURVE_KEY);
  sodium_memzero(plain, sizeof plain);
  sodium_memzero(peer->cookie, sizeof peer->cookie); // one answer only
  return good;
}

// Whether the owner of the client's lasting key vouches for its transient key and for this server.
static int is_vouched(const struct curve_peer *peer, const struct curve_server_keys *keys,
                      const uint8_t vouch[VOUCH], const uint8_t secret[CURVE_KEY]) {
  uint8_t plain[2 * CURVE_KEY];
  const struct nonce nonce = nonce_of("VOUCH---", vouch);
  return crypto_box_open_easy(plain, vouch + LONG, VOUCH - LONG, nonce.bytes, peer->client, secret) == 0 &&
         sodium_memcmp(plain, peer->transient, CURVE_KEY) == 0 &&
         sodium_memcmp(plain + CURVE_KEY, keys->public_key, CURVE_KEY) == 0;
}

int curve_take_initiate(struct curve_peer *peer, const struct curve_server_keys *keys, uint8_t *body,
                        size_t size, const uint8_t **metadata, size_t *metadata_size) {
  if (peer->state != CURVE_AWAITS_INITIATE || size < INITIATE_LEAST || !begins_with(body, size, "INITIATE"))
    return 0;
  const uint8_t *cookie = body + 9, *number = cookie + COOKIE;
  uint8_t secret[CURVE_KEY], *box = body + 9 + COOKIE + SHORT, *plain = box + MAC;
  size_t box_size = size - (9 + COOKIE + SHORT);
  if (!is_new(peer, number_at(number)) || !eat_cookie(peer, cookie, secret))
    return 0;

  const struct nonce nonce = nonce_of("CurveZMQINITIATE", number);
  int good =
      crypto_box_beforenm(peer->shared, peer->transient, secret) == 0 &&
      crypto_box_open_detached_afternm(plain, plain, box, box_size - MAC, nonce.bytes, peer->shared) == 0;
  if (good) {
    peer->received = number_at(number);
    memcpy(peer->client, plain, CURVE_KEY);
    good = is_vouched(peer, keys, plain + CURVE_KEY, secret);
  }
  sodium_memzero(secret, sizeof secret);
  if (!good)
    return 0;
  *metadata = plain + CURVE_KEY + VOUCH;
  *metadata_size = box_size - MAC - CURVE_KEY - VOUCH;
  peer->state = CURVE_AWAITS_DECISION;
  return 1;
}

size_t curve_admit(struct curve_peer *peer, const void *metadata, size_t metadata_size,
                   uint8_t ready[CURVE_READY_MOST]) {
  uint8_t *number = ready + 6, *box = number + SHORT;
  if (metadata_size > CURVE_READY_MOST - (6 + SHORT + MAC))
    return 0;
  static const uint8_t name[6] = {5, 'R', 'E', 'A', 'D', 'Y'};
  memcpy(ready, name, sizeof name);
  put_number(number, ++peer->sent);
  const struct nonce nonce = nonce_of("CurveZMQREADY---", number);
  crypto_box_easy_afternm(box, metadata, metadata_size, nonce.bytes, peer->shared);
  peer->state = CURVE_EXCHANGES;
  return 6 + SHORT + MAC + metadata_size;
}

int curve_take_message(struct curve_peer *peer, uint8_t *body, size_t size, uint8_t *flags, uint8_t **content,
                       size_t *content_size) {
  if (peer->state != CURVE_EXCHANGES || size < CURVE_BOX_OVERHEAD || !begins_with(body, size, "MESSAGE"))
    return 0;
  const uint8_t *number = body + 8;
  uint8_t *box = body + MESSAGE_HEAD, *plain = box + MAC;
  if (!is_new(peer, number_at(number)))
    return 0;
  const struct nonce nonce = nonce_of("CurveZMQMESSAGEC", number);
  if (crypto_box_open_detached_afternm(plain, plain, box, size - MESSAGE_HEAD - MAC, nonce.bytes,
                                       peer->shared) != 0)
    return 0;
  peer->received = number_at(number);
  *flags = plain[0];
  *content = plain + 1;
  *content_size = size - CURVE_BOX_OVERHEAD;
  return 1;
}

void curve_put_message(struct curve_peer *peer, uint8_t flags, const void *content, size_t size,
                       uint8_t *out) {
  uint8_t *number = out + 8, *box = out + MESSAGE_HEAD, *plain = box + MAC;
  static const uint8_t name[8] = {7, 'M', 'E', 'S', 'S', 'A', 'G', 'E'};
  memcpy(out, name, sizeof name);
  put_number(number, ++peer->sent);
  plain[0] = flags;
  if (size)
    memcpy(plain + 1, content, size);
  const struct nonce nonce = nonce_of("CurveZMQMESSAGES", number);
  crypto_box_detached_afternm(plain, box, plain, size + 1, nonce.bytes, peer->shared);
}

void curve_forget(struct curve_peer *peer) {
  sodium_memzero(peer, sizeof *peer);
}

void curve_forget_keys(struct curve_server_keys *keys) {
  sodium_memzero(keys, sizeof *keys);
}
