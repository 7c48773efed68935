// Keys by which programs prove on the network who they are (Curve25519, for the mechanism CURVE of ZeroMQ). A
// key has a role, which decides what its owner may do, and a name, by which messages call it.
//
// A secret file contains four lines, "role ROLE", "name NAME", "public KEY", "secret KEY", in this order;
// only its owner may read it. The public part is one line, "ROLE NAME KEY": a list of those whom a server
// admits consists of such lines. A KEY is 40 characters of Z85. Empty lines and lines that begin with "# "
// are comments.
#pragma once

#include "sagbend/base/status.h"
#include "os/files/z85.h"

#define PEER_ROLE_TABLE(X)                                                                                   \
  X(ROLE_CONTROLLER, "controller")                                                                           \
  X(ROLE_OPERATOR, "operator")                                                                               \
  X(ROLE_OBSERVER, "observer")                                                                               \
  X(ROLE_SERVER, "server")
enum peer_role {
#define X(id, text) id,
  PEER_ROLE_TABLE(X)
#undef X
      PEER_ROLE_COUNT
};
const char *peer_role_name(enum peer_role role);
int peer_role_find(const char *name); // -1: none

enum { PEER_KEY = Z85_KEY_BYTES, PEER_KEY_NAME = 24, MAX_ADMITTED = 256 };

struct peer_key {
  enum peer_role role;
  char name[PEER_KEY_NAME]; // 1 to 23 letters, digits, '.', '_', '-'
  uint8_t bytes[PEER_KEY];
};

struct peer_secret {
  struct peer_key key;
  uint8_t bytes[PEER_KEY];
};

struct admitted_keys { // names and keys differ; none is a server's
  int count;
  struct peer_key key[MAX_ADMITTED];
};

struct server_keys { // what a server needs to know its peers
  struct peer_secret own;
  struct admitted_keys admitted;
};

struct client_keys { // what a client needs
  struct peer_secret own;
  uint8_t server[PEER_KEY];
};

int peer_key_name_is_valid(const char *name);

// "ROLE NAME KEY", the public part.
struct peer_key_text {
  char text[PEER_KEY_NAME + Z85_KEY_TEXT + 16];
};
struct peer_key_text peer_key_text(const struct peer_key *key);

// Makes a pair: the secret file path (mode 0600), its public part in path.pub. STATUS_BAD_INPUT: one of the
// files exists already, which is never replaced. why names the path, here and below, and where there is one
// the line.
enum status peer_key_make(const char *path, enum peer_role role, const char *name, struct peer_key *made,
                          struct reason *why);

// The secret file of a key. STATUS_BAD_INPUT: it cannot be read, it contains no such key, or others than its
// owner may read it.
enum status peer_secret_read(const char *path, struct peer_secret *out, struct reason *why);
void peer_secret_forget(struct peer_secret *secret); // erases it from memory

// A server's public key: the path of its public part, or the key itself as text.
enum status peer_server_key_read(const char *text, uint8_t out[PEER_KEY], struct reason *why);

// The list of those whom a server admits. STATUS_BAD_INPUT: also for a list without a key.
enum status admitted_keys_read(const char *path, struct admitted_keys *out, struct reason *why);
// The entry of a key; NULL: it is not admitted. The time that this takes does not depend on the key.
const struct peer_key *admitted_keys_find(const struct admitted_keys *keys, const uint8_t key[PEER_KEY]);

// Both files of a server, or both keys of a client. STATUS_BAD_INPUT: also for a key in the wrong role.
enum status server_keys_read(const char *own_path, const char *admitted_path, struct server_keys *out,
                             struct reason *why);
enum status client_keys_read(const char *own_path, const char *server_key, struct client_keys *out,
                             struct reason *why);
