// Private to ZMTP: zmtp.c has frames and what they contain, zmtp_handshake.c what comes before.
#pragma once

#include "net/zmtp/zmtp.h"

enum {
  ZMTP_FLAG_MORE = 1,
  ZMTP_FLAG_LONG = 2,
  ZMTP_FLAG_COMMAND = 4
}; // LONG: the size has 8 bytes instead of 1

int zmtp_fail(struct zmtp_peer *peer, enum zmtp_failure failure); // returns 0
int zmtp_is_command(const uint8_t *body, size_t size, const char *name);
size_t zmtp_put_header(uint8_t *out, size_t size, int flags);
// Sends a command, encrypted as soon as messages are.
void zmtp_reply(struct zmtp_peer *peer, const struct zmtp_reader *reader, const void *body, size_t size);

// Return 0 if the peer must be disconnected.
int zmtp_take_greeting(struct zmtp_peer *peer, const struct zmtp_reader *reader,
                       const uint8_t greeting[ZMTP_GREETING]);
int zmtp_take_handshake(struct zmtp_peer *peer, const struct zmtp_reader *reader, uint8_t *body, size_t size);
