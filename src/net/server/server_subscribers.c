// Who may subscribe to telemetry, and to what.
#include "net/server/server_internal.h"

#include <stdio.h>
#include <string.h>

// A controller may subscribe to what it would receive over its own connection; the truth is not for it, nor
// are verdicts and faults.
static int may_subscribe(enum peer_role role, const char *topic) {
  return role != ROLE_CONTROLLER || strcmp(topic, "sensors") == 0 || strcmp(topic, "event") == 0 ||
         strcmp(topic, "end") == 0;
}

static enum zmtp_failure admit(void *context, const uint8_t key[CURVE_KEY], struct zmtp_admission *out) {
  struct server *server = context;
  const struct peer_key *found = server_find_key(server, key, out);
  if (!found)
    return ZMTP_UNKNOWN_KEY;
  for (int i = 0; server->topics[i]; i++)
    if (may_subscribe(found->role, server->topics[i]))
      out->topics |= UINT32_C(1) << i;
  server->guard.counts.admitted++;
  return ZMTP_NO_FAILURE;
}

static void on_denial(void *context, enum zmtp_failure failure, const char *who) {
  server_deny_failure(context, failure, who, "telemetry: ");
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
  if (keys)
    server_fill_keys(&guard.keys, keys);
  enum status status =
      publisher_open(endpoint, topics, largest, keys ? &guard : NULL, &server->publisher, why);
  if (keys)
    publisher_guard_forget(&guard);
  return status;
}
