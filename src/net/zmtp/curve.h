// The server's end of CurveZMQ (https://rfc.zeromq.org/spec/26), the encryption of ZeroMQ's mechanism CURVE,
// for one connection. A client proves that it has the secret key of the public key that it names, the server
// that it has its own; each message is encrypted and counted, so that none can be read, altered or sent
// twice. The keys of a connection are made for it and forgotten with it.
//
//   client                                            server
//   HELLO     its transient key, a proof       ->
//                                              <-     WELCOME   a transient key and a cookie, encrypted
//   INITIATE  the cookie, its lasting key, a voucher -> (the caller decides whether to admit that key)
//                                              <-     READY
//   MESSAGE   boxes in both directions
//
// The cryptography is libsodium's: X25519, XSalsa20, Poly1305; its comparisons take constant time.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
  CURVE_KEY = 32,
  CURVE_WELCOME = 168,    // bytes of a command
  CURVE_READY_MOST = 128, // of a command, with the metadata of the caller
  CURVE_BOX_OVERHEAD = 33 // bytes by which a MESSAGE is longer than its content
};

enum curve_state {
  CURVE_AWAITS_HELLO,
  CURVE_AWAITS_INITIATE,
  CURVE_AWAITS_DECISION, // a client has proved its key: admit it, or end the connection
  CURVE_EXCHANGES
};

struct curve_server_keys {
  uint8_t public_key[CURVE_KEY], secret[CURVE_KEY];
};

struct curve_peer {
  enum curve_state state;
  uint8_t client[CURVE_KEY];     // lasting public key, once it has been proved
  uint8_t transient[CURVE_KEY];  // of the client
  uint8_t cookie[CURVE_KEY];     // key of the cookie; erased when the cookie has come back
  uint8_t shared[CURVE_KEY];     // of both transient keys
  uint8_t own_public[CURVE_KEY]; // transient
  uint64_t received, sent;       // number of the newest box in each direction
};

// Takes a HELLO and writes the WELCOME. Returns 0 if it is malformed or not for this server's key.
int curve_take_hello(struct curve_peer *peer, const struct curve_server_keys *keys, const uint8_t *body,
                     size_t size, uint8_t welcome[CURVE_WELCOME]);

// Takes an INITIATE and decrypts its metadata in place: *metadata points into body. Returns 0 if it is
// malformed, forged, or not the answer to this connection's WELCOME.
int curve_take_initiate(struct curve_peer *peer, const struct curve_server_keys *keys, uint8_t *body,
                        size_t size, const uint8_t **metadata, size_t *metadata_size);

// After the decision to admit: writes the READY with this metadata. Returns its size.
size_t curve_admit(struct curve_peer *peer, const void *metadata, size_t metadata_size,
                   uint8_t ready[CURVE_READY_MOST]);

// Decrypts a MESSAGE in place: *content points into body; flags are those of a frame of ZMTP. Returns 0 if it
// is malformed, altered, forged or has come before.
int curve_take_message(struct curve_peer *peer, uint8_t *body, size_t size, uint8_t *flags, uint8_t **content,
                       size_t *content_size);

// Writes a MESSAGE with this content, size + CURVE_BOX_OVERHEAD bytes.
void curve_put_message(struct curve_peer *peer, uint8_t flags, const void *content, size_t size,
                       uint8_t *out);

void curve_forget(struct curve_peer *peer); // erases the keys
void curve_forget_keys(struct curve_server_keys *keys);
