// Keys that sign logs (Ed25519), each in a text file of one line: the type of the key, a space, 64
// hexadecimal digits. The secret file contains the seed that both keys follow from; only its owner may read
// it.
#pragma once

#include "sagbend/base/status.h"

#include <stdint.h>

enum { LOG_PUBLIC_KEY = 32, LOG_SECRET_KEY = 64, LOG_SIGNATURE = 64, LOG_KEY_TEXT = 2 * LOG_PUBLIC_KEY + 1 };

struct log_public_key {
  uint8_t bytes[LOG_PUBLIC_KEY];
};

struct log_secret_key {
  uint8_t bytes[LOG_SECRET_KEY]; // the second half is the public key
};

// Makes a key pair: the secret key in path (mode 0600), the public one in path.pub. STATUS_BAD_INPUT: one of
// the files exists already. why names the path, here and below.
enum status log_key_make(const char *path, struct log_public_key *made, struct reason *why);

// STATUS_IO: the file cannot be read; STATUS_BAD_INPUT: it contains no such key, or users other than its
// owner may read a secret one.
enum status log_key_read_secret(const char *path, struct log_secret_key *out, struct reason *why);
enum status log_key_read_public(const char *path, struct log_public_key *out, struct reason *why);

void log_key_forget(struct log_secret_key *key); // erases it from memory
struct log_public_key log_key_public_of(const struct log_secret_key *key);
void log_key_text(const struct log_public_key *key, char out[LOG_KEY_TEXT]); // in hexadecimal
