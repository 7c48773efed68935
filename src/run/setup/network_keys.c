#include "run/setup/network_keys.h"

#include "net/zmtp/endpoint.h"

#include <stdlib.h>

static enum status check_open(const char *name, const char *key, const char *endpoint, struct reason *why) {
  if (endpoint_is_local(endpoint))
    return STATUS_OK;
  return fail(
      why, STATUS_BAD_INPUT,
      "%s: %s: other machines can connect to %s: network.server_key and network.admitted_keys expected "
      "(make keys by 'sagbend keygen --role server FILE'; docs/security.md)",
      name, key, endpoint);
}

enum status network_keys_read(const char *name, const struct net_def *net, struct server_keys **out,
                              struct reason *why) {
  *out = NULL;
  if (!*net->server_key_file) {
    enum status status = check_open(name, "network.command_endpoint", net->command_endpoint, why);
    return status == STATUS_OK ? check_open(name, "network.telemetry_endpoint", net->telemetry_endpoint, why)
                               : status;
  }

  struct server_keys *keys = calloc(1, sizeof *keys);
  if (!keys)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the keys");
  enum status status = server_keys_read(net->server_key_file, net->admitted_keys_file, keys, why);
  if (status == STATUS_OK)
    *out = keys;
  else
    network_keys_free(keys);
  return status;
}

void network_keys_free(struct server_keys *keys) {
  if (keys)
    peer_secret_forget(&keys->own);
  free(keys);
}
