// Keys, and the file of a secret one.
#include "os/files/files.h"
#include "os/files/files_internal.h"
#include "os/files/key_pair.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(PEER_KEY == crypto_box_PUBLICKEYBYTES, "the keys are those of crypto_box");
_Static_assert(PEER_KEY == crypto_box_SECRETKEYBYTES, "the keys are those of crypto_box");

static const char *const ROLES[] = {
#define X(id, text) text,
    PEER_ROLE_TABLE(X)
#undef X
};

const char *peer_role_name(enum peer_role role) {
  return (unsigned)role < PEER_ROLE_COUNT ? ROLES[role] : "unknown";
}

int peer_role_find(const char *name) {
  for (int i = 0; i < PEER_ROLE_COUNT; i++)
    if (strcmp(ROLES[i], name) == 0)
      return i;
  return -1;
}

int peer_key_name_is_valid(const char *name) {
  size_t length = strlen(name);
  return length > 0 && length < PEER_KEY_NAME &&
         strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == length;
}

struct peer_key_text peer_key_text(const struct peer_key *key) {
  struct peer_key_text out;
  char text[Z85_KEY_TEXT];
  z85_write_key(key->bytes, text);
  snprintf(out.text, sizeof out.text, "%s %s %s", peer_role_name(key->role), key->name, text);
  return out;
}

static enum status write_secret(const char *path, const struct peer_secret *secret, struct reason *why) {
  char public_key[Z85_KEY_TEXT], secret_key[Z85_KEY_TEXT], text[512];
  z85_write_key(secret->key.bytes, public_key);
  z85_write_key(secret->bytes, secret_key);
  snprintf(text, sizeof text,
           "# Secret key of sagbend. Nobody but its owner may read this file.\n"
           "role %s\nname %s\npublic %s\nsecret %s\n",
           peer_role_name(secret->key.role), secret->key.name, public_key, secret_key);
  enum status status = key_write_new(path, 0600, text, why);
  sodium_memzero(secret_key, sizeof secret_key);
  sodium_memzero(text, sizeof text);
  return status;
}

enum status peer_key_make(const char *path, enum peer_role role, const char *name, struct peer_key *made,
                          struct reason *why) {
  struct peer_secret secret = {.key.role = role};
  char public_path[KEY_PATH], line[sizeof(struct peer_key_text) + 1];
  enum status status = key_pair_begin(path, public_path, why);
  if (status != STATUS_OK)
    return status;

  snprintf(secret.key.name, sizeof secret.key.name, "%s", name);
  crypto_box_keypair(secret.key.bytes, secret.bytes);
  *made = secret.key;
  status = write_secret(path, &secret, why);
  if (status == STATUS_OK) {
    snprintf(line, sizeof line, "%s\n", peer_key_text(made).text);
    status = key_write_new(public_path, 0644, line, why);
    if (status != STATUS_OK)
      unlink(path);
  }
  peer_secret_forget(&secret);
  return status;
}

void peer_secret_forget(struct peer_secret *secret) {
  sodium_memzero(secret, sizeof *secret);
}

// What a file that contains no secret key is instead.
static enum status refuse_kind(const struct key_lines *lines, struct reason *why) {
  const char *first = lines->count ? lines->word[0] : "";
  if (strncmp(first, "sagbend-log-", 12) == 0)
    return key_lines_fail(lines, why,
                          "a key of the network expected, this one is for logs: 'sagbend keygen "
                          "--role ROLE FILE' makes one for the network");
  if (peer_role_find(first) >= 0)
    return key_lines_fail(lines, why, "a secret key expected, this is the public part of one");
  return key_lines_fail(lines, why, "'role ROLE' expected, as 'sagbend keygen --role ROLE FILE' writes it");
}

// The value of the next line, which must begin with this word.
static enum status read_value(struct key_lines *lines, const char *word, const char **value,
                              struct reason *why) {
  enum status status = key_lines_next(lines, why);
  if (status != STATUS_OK)
    return status;
  if (lines->count != 2 || strcmp(lines->word[0], word) != 0)
    return lines->line <= 2 && strcmp(word, "role") == 0
               ? refuse_kind(lines, why)
               : key_lines_fail(lines, why, "'%s' and a value expected", word);
  *value = lines->word[1];
  return STATUS_OK;
}

static enum status read_key(struct key_lines *lines, const char *word, uint8_t out[PEER_KEY],
                            struct reason *why) {
  const char *value = NULL;
  enum status status = read_value(lines, word, &value, why);
  if (status == STATUS_OK && !z85_read_key(value, out))
    return key_lines_fail(lines, why, "%s: 40 characters of Z85 expected, got %zu characters", word,
                          strlen(value));
  return status;
}

static enum status read_secret(struct key_lines *lines, struct peer_secret *out, struct reason *why) {
  const char *value = NULL;
  uint8_t expected[PEER_KEY];
  enum status status = read_value(lines, "role", &value, why);
  int role = status == STATUS_OK ? peer_role_find(value) : 0;
  if (role < 0)
    return key_lines_fail(lines, why, "controller, operator, observer or server expected, got '%.40s'",
                          value);
  out->key.role = (enum peer_role)role;
  if (status == STATUS_OK)
    status = read_value(lines, "name", &value, why);
  if (status == STATUS_OK && !peer_key_name_is_valid(value))
    return key_lines_fail(lines, why, "a name of 1 to %d letters, digits, '.', '_' or '-' expected",
                          PEER_KEY_NAME - 1);
  if (status == STATUS_OK)
    snprintf(out->key.name, sizeof out->key.name, "%s", value);
  if (status == STATUS_OK)
    status = read_key(lines, "public", out->key.bytes, why);
  if (status == STATUS_OK)
    status = read_key(lines, "secret", out->bytes, why);
  if (status != STATUS_OK)
    return status;

  crypto_scalarmult_base(expected, out->bytes);
  if (sodium_memcmp(expected, out->key.bytes, PEER_KEY) != 0)
    return key_lines_fail(lines, why, "the secret key of the public one above expected, got another");
  status = key_lines_next(lines, why);
  if (status == STATUS_OK && lines->count)
    status = key_lines_fail(lines, why, "nothing expected after the secret key");
  return status;
}

enum status peer_secret_read(const char *path, struct peer_secret *out, struct reason *why) {
  struct key_lines lines;
  if (sodium_init() < 0)
    return fail(why, STATUS_IO, "libsodium cannot be used");
  memset(out, 0, sizeof *out);
  enum status status = key_lines_open(&lines, path, why);
  if (status != STATUS_OK)
    return status;

  status = read_secret(&lines, out, why);
  if (status == STATUS_OK && (lines.mode & (S_IRWXG | S_IRWXO)))
    status = fail(why, STATUS_BAD_INPUT,
                  "%s: users other than its owner may read this secret key: mode 0600 expected, found %04o",
                  path, (unsigned)lines.mode);
  key_lines_close(&lines);
  if (status != STATUS_OK)
    peer_secret_forget(out);
  return status;
}
