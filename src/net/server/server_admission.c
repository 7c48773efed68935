// Who is admitted to the command socket, and what each may send.
#include "net/server/server_internal.h"

#include <stdio.h>
#include <string.h>

const struct peer_key *server_find_key(const struct server *server, const uint8_t key[CURVE_KEY],
                                       struct zmtp_admission *out) {
  const struct peer_key *found = admitted_keys_find(&server->guard.keys->admitted, key);
  char text[Z85_KEY_TEXT];
  z85_write_key(key, text);
  memset(out, 0, sizeof *out);
  out->owner = found;
  if (found)
    snprintf(out->who, sizeof out->who, "%s %s", peer_role_name(found->role), found->name);
  else
    snprintf(out->who, sizeof out->who, "key %s", text);
  return found;
}

static enum zmtp_failure admit(void *context, const uint8_t key[CURVE_KEY], struct zmtp_admission *out) {
  struct server *server = context;
  const struct peer_key *found = server_find_key(server, key, out);
  if (!found)
    return ZMTP_UNKNOWN_KEY;
  if (found->role != ROLE_CONTROLLER && found->role != ROLE_OPERATOR)
    return ZMTP_WRONG_ROLE;
  server->guard.counts.admitted++;
  return ZMTP_NO_FAILURE;
}

static void on_denial(void *context, enum zmtp_failure failure, const char *who) {
  server_deny_failure(context, failure, who, "");
}

static void on_excess(void *context, uint64_t attempts, const char *who) {
  struct server *server = context;
  char text[96];
  snprintf(text, sizeof text, "no connection beyond %d until %d are left", ROUTER_CONNECTIONS,
           ROUTER_CONNECTIONS_AGAIN);
  server->guard.counts.denied[DENIED_TOO_MANY] += attempts - 1;
  server_deny(server, DENIED_TOO_MANY, who, text);
}

void server_fill_keys(struct zmtp_keys *out, const struct server_keys *keys) {
  memcpy(out->own.public_key, keys->own.key.bytes, CURVE_KEY);
  memcpy(out->own.secret, keys->own.bytes, CURVE_KEY);
}

enum status server_guard_open(struct server *server, const char *endpoint, int heartbeat,
                              const struct server_keys *keys, struct reason *why) {
  struct zmtp_keys own = {.admit = admit, .context = server};
  const struct router_options options = {.keys = keys ? &own : NULL,
                                         .heartbeat = heartbeat,
                                         .on_denial = on_denial,
                                         .on_excess = on_excess,
                                         .context = server};
  server->guard.keys = keys;
  server->guard.counts.keys_required = keys != NULL;
  if (keys)
    server_fill_keys(&own, keys);
  enum status status = router_open(endpoint, &options, &server->router, why);
  curve_forget_keys(&own.own);
  return status;
}

struct sender server_sender_of(const struct router_message *message) {
  const struct peer_key *key = message->key ? message->key->owner : NULL;
  return (struct sender){.connection = message->connection,
                         .slot = message->slot,
                         .role = key ? (int)key->role : -1,
                         .key = key ? key->name : "",
                         .address = message->address};
}

// Without keys every peer may send everything.
int server_may_send(const struct sender *from, enum wire_kind kind) {
  switch (kind) {
  case WIRE_HELLO:
  case WIRE_COMMAND:
  case WIRE_CONTROLLER_VIEW:
    return from->role < 0 || from->role == ROLE_CONTROLLER;
  case WIRE_ORDER:
    return from->role < 0 || from->role == ROLE_OPERATOR;
  default:
    return 1; // refused as malformed, whoever sends it
  }
}

struct sender_text server_sender_text(const struct sender *from) {
  struct sender_text out;
  if (from->role >= 0)
    snprintf(out.text, sizeof out.text, "%s %s from %s", peer_role_name((enum peer_role)from->role),
             from->key, from->address);
  else
    snprintf(out.text, sizeof out.text, "%s", *from->address ? from->address : "a peer");
  return out;
}
