// sagbend ctl ENDPOINT watch: the state of a session on the terminal, until the user ends it.
#pragma once

#include "io/files/peer_key.h"

// telemetry: endpoint; NULL: as the simulator states it, or the port after that of endpoint. On something
// else than a terminal it prints a line each second, until the session ends. STATUS_IO: why it cannot be
// watched.
enum status ctl_watch(const char *endpoint, const char *telemetry, const struct client_keys *keys,
                      struct reason *why);
