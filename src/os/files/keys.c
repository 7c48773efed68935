// Public keys: the list of those whom a server admits, and the server's own for its clients.
#include "os/files/files.h"
#include "os/files/files_internal.h"

#include "sagbend/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// "PATH:LINE: " and the text.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static enum status key_lines_fail(const struct key_lines *lines, struct reason *why, const char *format, ...);

// The words of a line "ROLE NAME KEY".
static enum status read_entry(const struct key_lines *lines, struct peer_key *out, struct reason *why) {
  int role = peer_role_find(lines->word[0]);
  if (lines->count == 2 && (strcmp(lines->word[0], "role") == 0 || strcmp(lines->word[0], "secret") == 0))
    return key_lines_fail(
        lines, why,
        "'ROLE NAME KEY' expected, got a secret file: its public part is in the file .pub beside it");
  if (role < 0 || lines->count != 3)
    return key_lines_fail(
        lines, why, "'ROLE NAME KEY', with the role controller, operator, observer or server, expected");
  out->role = (enum peer_role)role;
  if (!peer_key_name_is_valid(lines->word[1]))
    return key_lines_fail(lines, why, "a name of 1 to %d letters, digits, '.', '_' or '-' expected",
                          PEER_KEY_NAME - 1);
  memcpy(out->name, lines->word[1], strlen(lines->word[1]) + 1);
  if (!z85_read_key(lines->word[2], out->bytes))
    return key_lines_fail(lines, why, "a key of 40 characters of Z85 expected, got %zu characters",
                          strlen(lines->word[2]));
  return STATUS_OK;
}

static enum status add(const struct key_lines *lines, struct admitted_keys *out, struct reason *why) {
  struct peer_key entry = {.name = ""};
  enum status status = read_entry(lines, &entry, why);
  if (status != STATUS_OK)
    return status;
  if (entry.role == ROLE_SERVER)
    return key_lines_fail(lines, why, "a key of a controller, operator or observer expected, got a server's");
  for (int i = 0; i < out->count; i++) {
    if (peer_name_is_same(out->key[i].name, entry.name))
      return key_lines_fail(lines, why,
                            "a key above has the name '%s': each line needs a name of its own, whatever the "
                            "case of its letters",
                            entry.name);
    if (memcmp(out->key[i].bytes, entry.bytes, PEER_KEY) == 0)
      return key_lines_fail(lines, why, "this is the key of '%s' above: each line needs a key of its own",
                            out->key[i].name);
  }
  if (out->count == MAX_ADMITTED)
    return key_lines_fail(lines, why, "at most %d keys expected", MAX_ADMITTED);
  out->key[out->count++] = entry;
  return STATUS_OK;
}

static void key_lines_close(struct key_lines *lines);

static enum status key_lines_next(struct key_lines *lines, struct reason *why);

static enum status key_lines_open(struct key_lines *lines, const char *path, struct reason *why);

enum status admitted_keys_read(const char *path, struct admitted_keys *out, struct reason *why) {
  struct key_lines lines;
  memset(out, 0, sizeof *out);
  enum status status = key_lines_open(&lines, path, why);
  if (status != STATUS_OK)
    return status;

  for (;;) {
    status = key_lines_next(&lines, why);
    if (status != STATUS_OK || !lines.count)
      break;
    status = add(&lines, out, why);
    if (status != STATUS_OK)
      break;
  }
  if (status == STATUS_OK && !out->count)
    status = fail(why, STATUS_BAD_INPUT, "%s: at least one line 'ROLE NAME KEY' expected, got none", path);
  if (status == STATUS_OK && (lines.mode & (S_IWGRP | S_IWOTH)))
    status = fail(why, STATUS_BAD_INPUT,
                  "%s: users other than its owner may change this list: mode 0644 or less expected, got %04o",
                  path, (unsigned)lines.mode);
  key_lines_close(&lines);
  return status;
}

const struct peer_key *admitted_keys_find(const struct admitted_keys *keys, const uint8_t key[PEER_KEY]) {
  const struct peer_key *found = NULL;
  for (int i = 0; i < keys->count; i++)
    if (sodium_memcmp(keys->key[i].bytes, key, PEER_KEY) == 0)
      found = &keys->key[i];
  return found;
}

// A server's public key: the path of its public part, or the key itself as text.
static enum status peer_server_key_read(const char *text, uint8_t out[PEER_KEY], struct reason *why) {
  struct key_lines lines;
  struct peer_key entry = {.name = ""};
  if (access(text, F_OK) != 0 && z85_read_key(text, out))
    return STATUS_OK;
  struct reason cause = {""};
  if (key_lines_open(&lines, text, &cause) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT,
                "a server's public key (40 characters of Z85) or its file expected: %s", cause.text);
  enum status status = key_lines_next(&lines, why);
  if (status == STATUS_OK && !lines.count)
    status = key_lines_fail(&lines, why, "'server NAME KEY' expected, got an empty file");
  if (status == STATUS_OK)
    status = read_entry(&lines, &entry, why);
  if (status == STATUS_OK && entry.role != ROLE_SERVER)
    status =
        key_lines_fail(&lines, why, "the key of a server expected, got that of a%s %s",
                       strchr("aeiou", peer_role_name(entry.role)[0]) ? "n" : "", peer_role_name(entry.role));
  if (status == STATUS_OK)
    memcpy(out, entry.bytes, PEER_KEY);
  key_lines_close(&lines);
  return status;
}

static enum status read_own(const char *path, int is_server, struct peer_secret *out, struct reason *why) {
  enum status status = peer_secret_read(path, out, why);
  if (status != STATUS_OK || (out->key.role == ROLE_SERVER) == is_server)
    return status;
  status = fail(why, STATUS_BAD_INPUT, "%s: the key of a%s expected, got that of a%s %s", path,
                is_server ? " server" : " controller, operator or observer",
                strchr("aeiou", peer_role_name(out->key.role)[0]) ? "n" : "", peer_role_name(out->key.role));
  peer_secret_forget(out);
  return status;
}

enum status server_keys_read(const char *own_path, const char *admitted_path, struct server_keys *out,
                             struct reason *why) {
  enum status status = read_own(own_path, 1, &out->own, why);
  return status == STATUS_OK ? admitted_keys_read(admitted_path, &out->admitted, why) : status;
}

enum status client_keys_read(const char *own_path, const char *server_key, struct client_keys *out,
                             struct reason *why) {
  enum status status = read_own(own_path, 0, &out->own, why);
  return status == STATUS_OK ? peer_server_key_read(server_key, out->server, why) : status;
}

// ------------------------------------------------------------
enum { LARGEST_FILE = 64 << 10 };

// STATUS_BAD_INPUT: it is no readable file of ordinary size. why names the path, here and below.
static enum status key_lines_open(struct key_lines *lines, const char *path, struct reason *why) {
  struct regular_file found;
  struct stat at;
  struct reason cause = {""};
  *lines = (struct key_lines){.path = path};
  if (regular_file_open(path, LARGEST_FILE, &found, &cause) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "%s: a readable key file expected: %s", path, cause.text);
  if (fstat(found.descriptor, &at) == 0 && (lines->file = fdopen(found.descriptor, "r"))) {
    setvbuf(lines->file, NULL, _IONBF, 0); // leaves no copy of a secret in a buffer
    lines->mode = at.st_mode & 07777;
    return STATUS_OK;
  }
  int error = errno;
  close(found.descriptor);
  return fail(why, STATUS_BAD_INPUT, "%s: %s", path, strerror(error));
}

static enum status key_lines_fail(const struct key_lines *lines, struct reason *why, const char *format,
                                  ...) {
  char text[sizeof why->text];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return fail(why, STATUS_BAD_INPUT, "%s:%d: %s", lines->path, lines->line > 0 ? lines->line : 1, text);
}

static enum status cut(struct key_lines *lines, struct reason *why) {
  char *rest = NULL;
  for (char *word = strtok_r(lines->text, " \t\r\n", &rest); word; word = strtok_r(NULL, " \t\r\n", &rest)) {
    if (lines->count == KEY_WORDS)
      return key_lines_fail(lines, why, "at most %d words expected in a line", KEY_WORDS);
    lines->word[lines->count++] = word;
  }
  return STATUS_OK;
}

// The next line of the file without its end, whatever bytes it contains. *ended: there is none.
static enum status read_line(struct key_lines *lines, int *ended, struct reason *why) {
  *ended = 1;
  if (!lines->file) // whoever could not open it has said why
    return STATUS_BAD_INPUT;
  int size = 0, c = fgetc(lines->file);
  *ended = c == EOF;
  for (lines->line += !*ended; c != EOF && c != '\n'; c = fgetc(lines->file)) {
    if (c == '\0')
      return key_lines_fail(lines, why, "a line of text expected, got a NUL byte");
    if (size == KEY_LINE - 2)
      return key_lines_fail(lines, why, "a line of at most %d characters expected", KEY_LINE - 2);
    lines->text[size++] = (char)c;
  }
  lines->text[size] = '\0';
  return ferror(lines->file) ? key_lines_fail(lines, why, "cannot be read") : STATUS_OK;
}

// Reads the next line that is no comment. STATUS_BAD_INPUT: it is too long, has too many words or
// is no text.
static enum status key_lines_next(struct key_lines *lines, struct reason *why) {
  int ended = 0;
  enum status status = STATUS_OK;
  lines->count = 0;
  while (lines->count == 0 && !ended && status == STATUS_OK) {
    status = read_line(lines, &ended, why);
    if (status == STATUS_OK && lines->text[0] != '#')
      status = cut(lines, why);
  }
  return status;
}

// Closes the file and erases the line from memory.
static void key_lines_close(struct key_lines *lines) {
  if (lines->file)
    fclose(lines->file);
  sodium_memzero(lines->text, sizeof lines->text);
  lines->file = NULL;
}

// ------------------------------------------------------------
enum status key_pair_begin(const char *path, char public_path[KEY_PATH], struct reason *why) {
  if (sodium_init() < 0)
    return fail(why, STATUS_IO, "the system provides no random numbers");
  if (snprintf(public_path, KEY_PATH, "%s.pub", path) >= KEY_PATH)
    return fail(why, STATUS_BAD_INPUT, "%.64s...: a shorter file name expected", path);
  if (access(public_path, F_OK) == 0)
    return fail(why, STATUS_BAD_INPUT, "%.200s: exists already; a key is never replaced", public_path);
  return STATUS_OK;
}

enum status key_write_new(const char *path, mode_t mode, const char *text, struct reason *why) {
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0 && errno == EEXIST)
    return fail(why, STATUS_BAD_INPUT, "%s: exists already; a key is never replaced", path);
  size_t size = strlen(text);
  int failed =
      file < 0 || fchmod(file, mode) < 0 || write(file, text, size) != (ssize_t)size || fsync(file) < 0;
  int error = errno;
  if (file >= 0) {
    close(file);
    if (failed)
      unlink(path);
  }
  return failed ? fail(why, STATUS_IO, "%s: cannot be written: %s", path, strerror(error)) : STATUS_OK;
}

// ------------------------------------------------------------
// Keys, and the file of a secret one.

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
                          "a key of the network expected, got one for logs: 'sagbend keygen --role ROLE "
                          "FILE' makes one for the network");
  if (peer_role_find(first) >= 0)
    return key_lines_fail(lines, why, "a secret key expected, got the public part of one");
  return key_lines_fail(lines, why,
                        "'role ROLE' expected: 'sagbend keygen --role ROLE FILE' writes such a file");
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
    return key_lines_fail(lines, why, "the secret key does not belong to the public one above");
  status = key_lines_next(lines, why);
  if (status == STATUS_OK && lines->count)
    status = key_lines_fail(lines, why, "the secret key is the last line: nothing may follow it");
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
                  "%s: users other than its owner may read this secret key: mode 0600 expected, got %04o",
                  path, (unsigned)lines.mode);
  key_lines_close(&lines);
  if (status != STATUS_OK)
    peer_secret_forget(out);
  return status;
}

// ------------------------------------------------------------
static const char DIGITS[] =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

enum { BASE = 85, WORD = 4, GROUP = 5 }; // 4 bytes are 5 characters

void z85_write_key(const uint8_t key[Z85_KEY_BYTES], char out[Z85_KEY_TEXT]) {
  for (int word = 0; word < Z85_KEY_BYTES / WORD; word++) {
    uint32_t value = 0;
    for (int i = 0; i < WORD; i++)
      value = value << 8 | key[word * WORD + i];
    for (int i = GROUP - 1; i >= 0; i--, value /= BASE)
      out[word * GROUP + i] = DIGITS[value % BASE];
  }
  out[Z85_KEY_TEXT - 1] = '\0';
}

static int read_word(const char *text, uint8_t out[WORD]) {
  uint64_t value = 0;
  for (int i = 0; i < GROUP; i++) {
    const char *digit = strchr(DIGITS, text[i]);
    value = value * BASE + (uint64_t)(digit ? digit - DIGITS : 0);
    if (!digit)
      return 0;
  }
  for (int i = 0; i < WORD; i++)
    out[i] = (uint8_t)(value >> (24 - 8 * i));
  return value <= UINT32_MAX;
}

int z85_read_key(const char *text, uint8_t out[Z85_KEY_BYTES]) {
  int good = strlen(text) == Z85_KEY_TEXT - 1;
  for (int word = 0; good && word < Z85_KEY_BYTES / WORD; word++)
    good = read_word(text + word * GROUP, out + word * WORD);
  if (!good)
    memset(out, 0, Z85_KEY_BYTES);
  return good;
}
