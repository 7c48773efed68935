// The controller's side of the protocol: a DEALER socket that sends Hello until a simulator answers with
// Welcome, and again when the simulator has been silent or is another one. One thread owns a client.
#pragma once

#include "sagbend/base/status.h"
#include "net/messages/messages.h"
#include "os/files/files.h"

struct client;

// Connects to endpoint, whether or not a simulator is there yet. name: for people; the controller's id is
// random. keys: copied; NULL: none. STATUS_BAD_INPUT: the endpoint is not valid. Release with client_close.
enum status client_open(const char *endpoint, const char *name, const struct client_keys *keys,
                        struct client **out, struct reason *why);
void client_close(struct client *client); // accepts NULL

// Waits at most timeout_ms for a message of the present session, and sends Hello when it is due. out->kind is
// WIRE_NONE if none came. A Welcome whose header.session differs from the last one begins another session:
// discard all knowledge of the old one. A connection that ends is replaced by another, which begins with
// Hello. STATUS_IO: the socket failed, or the simulator refuses the keys and has never taken them.
enum status client_poll(struct client *client, int timeout_ms, struct wire_message *out, struct reason *why);

// What a person should know of the connection since the last call. Returns 0 if there is nothing.
int client_take_notice(struct client *client, struct reason *out);

// For a person: why nothing comes, as far as the client knows, and what to check.
const char *client_silence(const struct client *client);

// Sends what the controller says about itself, in the same way. Its messages have numbers of their own, so
// that those of the commands do not depend on it.
int client_send_view(struct client *client, const struct wire_controller_view *view);

// Sends a command in the present session without blocking, and sets its sequence. alarms: all that are
// active; NULL: none. Returns 0 if it could not be sent: there is no session yet, or the simulator has gone.
int client_send(struct client *client, struct command *command, const struct dp_alarm_list *alarms);
