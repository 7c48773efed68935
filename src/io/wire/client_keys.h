// CURVE at the client's end of a socket of ZeroMQ, and what the socket reports when a handshake fails.
#pragma once

#include "core/base/status.h"
#include "io/keys/peer_key.h"

// Sets the keys before the socket connects; NULL: none. STATUS_IO: this libzmq has no CURVE.
enum status client_set_keys(void *socket, const struct client_keys *keys, struct reason *why);

// A monitor of the socket's handshakes: a socket to poll and to close; NULL: there is none.
void *client_watch_handshake(void *context, void *socket);

// Reads what has come. STATUS_IO: the other end refuses this client for good, and why states the cause.
enum status client_check_handshake(void *monitor, const struct client_keys *keys, struct reason *why);
