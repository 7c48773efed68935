// Z85, the text form of keys of ZeroMQ (https://rfc.zeromq.org/spec/32): 40 printable characters for 32
// bytes.
#pragma once

#include <stdint.h>

enum { Z85_KEY_BYTES = 32, Z85_KEY_TEXT = 41 }; // the text with its final zero

void z85_write_key(const uint8_t key[Z85_KEY_BYTES], char out[Z85_KEY_TEXT]);

// Reads exactly 40 characters and a final zero. Returns 0 if the text is anything else; out is zero then.
int z85_read_key(const char *text, uint8_t out[Z85_KEY_BYTES]);
