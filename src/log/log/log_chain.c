#include "log/log/log_key.h"

#include "os/files/key_pair.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char SECRET[] = "sagbend-log-secret-key", PUBLIC[] = "sagbend-log-public-key";

enum { SEED = 32, HEX = 2 * SEED, LINE = 128 };

static enum status write_key(const char *path, mode_t mode, const char *kind, const uint8_t bytes[SEED],
                             struct reason *why) {
  char hex[HEX + 1], line[LINE];
  sodium_bin2hex(hex, sizeof hex, bytes, SEED);
  snprintf(line, sizeof line, "%s %s\n", kind, hex);
  const enum status status = key_write_new(path, mode, line, why);
  sodium_memzero(hex, sizeof hex);
  sodium_memzero(line, sizeof line);
  return status;
}

enum status log_key_make(const char *path, struct log_public_key *made, struct reason *why) {
  uint8_t seed[SEED], secret[LOG_SECRET_KEY];
  char public_path[KEY_PATH];
  enum status status = key_pair_begin(path, public_path, why);
  if (status != STATUS_OK)
    return status;
  randombytes_buf(seed, sizeof seed);
  crypto_sign_ed25519_seed_keypair(made->bytes, secret, seed);
  status = write_key(path, 0600, SECRET, seed, why);
  if (status == STATUS_OK) {
    status = write_key(public_path, 0644, PUBLIC, made->bytes, why);
    if (status != STATUS_OK)
      unlink(path);
  }
  sodium_memzero(seed, sizeof seed);
  sodium_memzero(secret, sizeof secret);
  return status;
}

static enum status read_line(const char *path, char line[LINE], mode_t *mode, struct reason *why) {
  struct stat found;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  ssize_t size = file >= 0 && !fstat(file, &found) ? read(file, line, LINE - 1) : -1;
  int error = errno;
  if (file >= 0)
    close(file);
  if (size < 0)
    return fail(why, STATUS_IO, "%s: cannot be read: %s", path, strerror(error));

  line[size] = 0;
  if (!S_ISREG(found.st_mode))
    return fail(why, STATUS_BAD_INPUT, "%s: a file expected", path);

  *mode = found.st_mode & 07777;
  return STATUS_OK;
}

static enum status read_key(const char *path, int is_secret, uint8_t out[SEED], struct reason *why) {
  const char *kind = is_secret ? SECRET : PUBLIC, *other = is_secret ? PUBLIC : SECRET;
  char line[LINE] = "";
  size_t length = strlen(kind), got = 0;
  const char *end = NULL;
  mode_t mode = 0;
  if (sodium_init() < 0)
    return fail(why, STATUS_IO, "libsodium cannot be used");

  enum status status = read_line(path, line, &mode, why);
  if (status == STATUS_OK && !strncmp(line, other, strlen(other)))
    status = fail(why, STATUS_BAD_INPUT, "%s: the %s key of a pair expected, this is the %s one", path,
                  is_secret ? "secret" : "public", is_secret ? "public" : "secret");
  if (status == STATUS_OK &&
      (strncmp(line, kind, length) || line[length] != ' ' || strlen(line) != length + 1 + HEX + 1 ||
       line[length + 1 + HEX] != '\n' ||
       sodium_hex2bin(out, SEED, line + length + 1, HEX, NULL, &got, &end) || got != SEED))
    status = fail(why, STATUS_BAD_INPUT,
                  "%s: one line '%s' and 64 hexadecimal digits expected ('sagbend keygen --log' makes it)",
                  path, kind);

  if (status == STATUS_OK && is_secret && (mode & (S_IRWXG | S_IRWXO)))
    status = fail(why, STATUS_BAD_INPUT,
                  "%s: users other than its owner may read this secret key: mode 0600 expected, found %04o",
                  path, (unsigned)mode);
  sodium_memzero(line, sizeof line);
  return status;
}

enum status log_key_read_secret(const char *path, struct log_secret_key *out, struct reason *why) {
  uint8_t seed[SEED], public_key[LOG_PUBLIC_KEY];
  enum status status = read_key(path, 1, seed, why);
  if (status == STATUS_OK)
    crypto_sign_ed25519_seed_keypair(public_key, out->bytes, seed);
  sodium_memzero(seed, sizeof seed);
  return status;
}

enum status log_key_read_public(const char *path, struct log_public_key *out, struct reason *why) {
  return read_key(path, 0, out->bytes, why);
}

void log_key_forget(struct log_secret_key *key) {
  sodium_memzero(key, sizeof *key);
}

struct log_public_key log_key_public_of(const struct log_secret_key *key) {
  struct log_public_key out;
  memcpy(out.bytes, key->bytes + LOG_SECRET_KEY - LOG_PUBLIC_KEY, LOG_PUBLIC_KEY);
  return out;
}

void log_key_text(const struct log_public_key *key, char out[LOG_KEY_TEXT]) {
  sodium_bin2hex(out, LOG_KEY_TEXT, key->bytes, LOG_PUBLIC_KEY);
}
