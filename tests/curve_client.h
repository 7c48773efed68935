// The client's end of CurveZMQ (https://rfc.zeromq.org/spec/26), for the unit test and the fuzz harness: it
// can be told to lie.
#pragma once

#include <sodium.h>
#include <stdint.h>
#include <string.h>

struct curve_client {
  uint8_t server[32];                 // lasting public key
  uint8_t own_public[32], secret[32]; // lasting
  uint8_t transient[32], transient_secret[32];
  uint8_t server_transient[32], cookie[96];
  uint8_t shared[32]; // of both transient keys
  uint64_t number;    // of the newest box
  uint8_t lie;        // changes the transient key in the voucher
};

enum { CLIENT_HELLO = 200, CLIENT_INITIATE = 257, CLIENT_MESSAGE = 33 }; // bytes without metadata or content

static inline void client_nonce(uint8_t nonce[24], const char *prefix, const uint8_t *rest) {
  size_t length = strlen(prefix);
  memcpy(nonce, prefix, length);
  memcpy(nonce + length, rest, 24 - length);
}

static inline void client_number(struct curve_client *c, uint8_t out[8]) {
  c->number++;
  for (int i = 0; i < 8; i++)
    out[i] = (uint8_t)(c->number >> (56 - 8 * i));
}

static inline void client_init(struct curve_client *c, const uint8_t server[32]) {
  memset(c, 0, sizeof *c);
  memcpy(c->server, server, 32);
  crypto_box_keypair(c->own_public, c->secret);
  crypto_box_keypair(c->transient, c->transient_secret);
}

static inline size_t client_hello(struct curve_client *c, uint8_t out[CLIENT_HELLO]) {
  static const uint8_t zero[64];
  uint8_t nonce[24];
  memset(out, 0, CLIENT_HELLO);
  memcpy(out, "\x05HELLO\x01", 7);
  memcpy(out + 80, c->transient, 32);
  client_number(c, out + 112);
  client_nonce(nonce, "CurveZMQHELLO---", out + 112);
  if (crypto_box_easy(out + 120, zero, sizeof zero, nonce, c->server, c->transient_secret))
    return 0;
  return CLIENT_HELLO;
}

static inline int client_take_welcome(struct curve_client *c, const uint8_t *body) {
  uint8_t nonce[24], plain[128];
  client_nonce(nonce, "WELCOME-", body + 8);
  if (memcmp(body, "\x07WELCOME", 8) != 0 ||
      crypto_box_open_easy(plain, body + 24, 144, nonce, c->server, c->transient_secret))
    return 0;
  memcpy(c->server_transient, plain, 32);
  memcpy(c->cookie, plain + 32, 96);
  return crypto_box_beforenm(c->shared, c->server_transient, c->transient_secret) == 0;
}

static inline size_t client_initiate(struct curve_client *c, const uint8_t *metadata, size_t size,
                                     uint8_t *out) {
  uint8_t nonce[24], vouched[64], plain[32 + 96 + 1024];
  if (size > 1024)
    return 0;
  memcpy(out, "\x08INITIATE", 9);
  memcpy(out + 9, c->cookie, 96);
  client_number(c, out + 105);

  memcpy(plain, c->own_public, 32);
  memcpy(vouched, c->transient, 32);
  memcpy(vouched + 32, c->server, 32);
  vouched[0] ^= c->lie;
  randombytes_buf(plain + 32, 16);
  client_nonce(nonce, "VOUCH---", plain + 32);
  if (crypto_box_easy(plain + 48, vouched, 64, nonce, c->server_transient, c->secret))
    return 0;
  if (size)
    memcpy(plain + 128, metadata, size);
  client_nonce(nonce, "CurveZMQINITIATE", out + 105);
  if (crypto_box_easy(out + 113, plain, 128 + size, nonce, c->server_transient, c->transient_secret))
    return 0;
  return CLIENT_INITIATE + size;
}

// out has room for size + CLIENT_MESSAGE bytes.
static inline size_t client_message(struct curve_client *c, uint8_t flags, const uint8_t *content,
                                    size_t size, uint8_t *out) {
  uint8_t nonce[24];
  memcpy(out, "\x07MESSAGE", 8);
  client_number(c, out + 8);
  out[32] = flags;
  if (size)
    memcpy(out + 33, content, size);
  client_nonce(nonce, "CurveZMQMESSAGEC", out + 8);
  if (crypto_box_easy_afternm(out + 16, out + 32, 1 + size, nonce, c->shared))
    return 0;
  return CLIENT_MESSAGE + size;
}

// Opens a MESSAGE of the server; content may be as large as the message. Returns the size of flags and
// content.
static inline size_t client_take_message(struct curve_client *c, const uint8_t *body, size_t size,
                                         uint8_t *content) {
  uint8_t nonce[24];
  client_nonce(nonce, "CurveZMQMESSAGES", body + 8);
  if (size < 33 || memcmp(body, "\x07MESSAGE", 8) != 0 ||
      crypto_box_open_easy_afternm(content, body + 16, size - 16, nonce, c->shared))
    return 0;
  return size - 32;
}
