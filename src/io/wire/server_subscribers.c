// Who may subscribe to telemetry, and to what.
#include "io/wire/server_parts.h"

#include <stdio.h>
#include <string.h>

// A controller may subscribe to what it would receive over its own connection; the truth is not for it, nor
// are verdicts and faults.
static int may_subscribe(enum peer_role role, const char *topic) {
  return role != ROLE_CONTROLLER || strcmp(topic, "sensors") == 0 || strcmp(topic, "event") == 0 ||
         strcmp(topic, "end") == 0;
}

static int admit(void *context, const uint8_t key[CURVE_KEY], struct zmtp_admission *out) {
  struct server *server = context;
  const struct peer_key *found = admitted_keys_find(&server->guard.keys->admitted, key);
  char text[Z85_KEY_TEXT];
  z85_write_key(key, text);
  memset(out, 0, sizeof *out);
  snprintf(out->who, sizeof out->who, "key %s", text);
  if (!found)
    return 0;
  snprintf(out->who, sizeof out->who, "%s %s", peer_role_name(found->role), found->name);
  for (int i = 0; server->topics[i]; i++)
    if (may_subscribe(found->role, server->topics[i]))
      out->topics |= UINT32_C(1) << i;
  server->guard.counts.admitted++;
  return 1;
}

static void on_denial(void *context, enum zmtp_failure failure, const char *who) {
  static const struct {
    enum denial denial;
    const char *text;
  } denials[] = {
      [ZMTP_NO_FAILURE] = {DENIED_UNFINISHED,
                           "telemetry: a connection that ended, or took too long, before its handshake"},
      [ZMTP_MALFORMED] = {DENIED_HANDSHAKE, "telemetry: bytes that are not of a ZeroMQ subscriber"},
      [ZMTP_WRONG_MECHANISM] = {DENIED_MECHANISM,
                                "telemetry: a connection without a key where keys are required"},
      [ZMTP_WRONG_HANDSHAKE] =
          {DENIED_HANDSHAKE,
           "telemetry: a handshake that is malformed, forged, replayed or for another server"},
      [ZMTP_UNKNOWN_KEY] =
          {DENIED_UNKNOWN_KEY,
           "telemetry: a key that is not in the list of admitted keys, which is read at the start only"},
      [ZMTP_WRONG_MESSAGE] = {DENIED_MESSAGE, "telemetry: a message that is forged, replayed or altered"},
  };
  server_deny(context, denials[failure].denial, who, denials[failure].text);
}

static void on_subscription_denied(void *context, const char *who) {
  server_deny(context, DENIED_ROLE, who, "a controller may subscribe to sensors, event and end only");
}

enum status server_open_publisher(struct server *server, const char *endpoint, const char *const *topics,
                                  size_t largest, struct reason *why) {
  struct publisher_guard guard = {.keys = {.admit = admit, .context = server},
                                  .on_denial = on_denial,
                                  .on_subscription_denied = on_subscription_denied,
                                  .context = server};
  const struct server_keys *keys = server->guard.keys;
  server->topics = topics;
  if (keys) {
    memcpy(guard.keys.own.public_key, keys->own.key.bytes, CURVE_KEY);
    memcpy(guard.keys.own.secret, keys->own.bytes, CURVE_KEY);
  }
  enum status status =
      publisher_open(endpoint, topics, largest, keys ? &guard : NULL, &server->publisher, why);
  if (keys)
    publisher_guard_forget(&guard);
  return status;
}
