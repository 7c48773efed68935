// A server that takes operators' orders and nothing else, for a program that is no simulator. Its guard is
// that of a simulator's command socket: keys, roles, limits of connections and rate.
#pragma once

#include "sagbend/base/status.h"
#include "net/messages/messages.h"
#include "os/files/files.h"

struct order_server;

// Listens at an endpoint. session: the id in its messages. keys: NULL: peers need no key, and the endpoint
// must be on the loopback interface or ipc; they must live as long as the server. STATUS_BAD_INPUT: the
// endpoint is not valid here; STATUS_IO: it is in use, or the system refuses.
enum status order_server_open(const char *endpoint, const char *session, const struct server_keys *keys,
                              struct order_server **out, struct reason *why);
void order_server_close(struct order_server *server);                 // accepts NULL
const char *order_server_endpoint(const struct order_server *server); // as bound

// Sets the function that is called with what the guard denies, for people.
void order_server_on_event(struct order_server *server, void (*on_event)(const char *name, const char *text));

// Carries out an order and fills the receipt; its sequence is set already. STATUS_BAD_INPUT: why it is
// refused.
typedef enum status take_wire_order(void *context, const struct order *order, struct wire_receipt *receipt,
                                    struct reason *why);

// Waits at most timeout_ms for a message, or until file is readable (-1: none), then answers the orders that
// have come. STATUS_IO: the socket failed.
enum status order_server_poll(struct order_server *server, int timeout_ms, int file, take_wire_order *take,
                              void *context, struct reason *why);
