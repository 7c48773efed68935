// The controller's side of the protocol: a DEALER that says hello until it is welcomed, and again when the
// simulator has been silent or is another one. One thread owns a client.
#pragma once

#include "core/base/status.h"
#include "io/codec/codec.h"

struct client;

// name: what people call this controller; its id is random. Connecting succeeds whether or not a simulator is
// there.
enum status client_open(const char *endpoint, const char *name, struct client **out, struct reason *why);
void client_close(struct client *c);

// Waits at most timeout_ms for a message and says hello when it is time. Returns 1 with a message of the
// present session in out, 0 without, -1 on a socket error (why). A Welcome whose header.session differs from
// the last one begins another session: forget what you know.
int client_poll(struct client *c, int timeout_ms, struct wire_message *out, struct reason *why);

// Sends a command in the present session, without blocking; its sequence is set here. Returns 0 if it could
// not be sent: no session yet, or the simulator has gone.
int client_send(struct client *c, struct command *command);
