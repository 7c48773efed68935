// Public keys: the list of those whom a server admits, and the server's own for its clients.
#include "os/files/files_internal.h"
#include "os/files/files.h"

#include "sagbend/base/peer_name.h"

#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The words of a line "ROLE NAME KEY".
static enum status read_entry(const struct key_lines *lines, struct peer_key *out, struct reason *why) {
  int role = peer_role_find(lines->word[0]);
  if (lines->count == 2 && (strcmp(lines->word[0], "role") == 0 || strcmp(lines->word[0], "secret") == 0))
    return key_lines_fail(lines, why,
                          "'ROLE NAME KEY' expected, this is a secret file: its public part is in the "
                          "file .pub beside it");
  if (role < 0 || lines->count != 3)
    return key_lines_fail(lines, why,
                          "'ROLE NAME KEY' expected, with the role controller, operator, observer or "
                          "server");
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
      return key_lines_fail(
          lines, why, "a name that no key above has, whatever the case of its letters, expected, got '%s'",
          entry.name);
    if (memcmp(out->key[i].bytes, entry.bytes, PEER_KEY) == 0)
      return key_lines_fail(lines, why, "a key that is not above expected, this is the key of '%s'",
                            out->key[i].name);
  }
  if (out->count == MAX_ADMITTED)
    return key_lines_fail(lines, why, "at most %d keys expected", MAX_ADMITTED);
  out->key[out->count++] = entry;
  return STATUS_OK;
}

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
    status =
        fail(why, STATUS_BAD_INPUT,
             "%s: users other than its owner may change this list: mode 0644 or less expected, found %04o",
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

enum status peer_server_key_read(const char *text, uint8_t out[PEER_KEY], struct reason *why) {
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
