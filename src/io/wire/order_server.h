// A server that takes operators' orders and nothing else, for a program that is no simulator.
#pragma once

#include "core/base/status.h"
#include "io/codec/codec.h"

struct order_server;

// Listens at an endpoint, which must be on the loopback interface or ipc. session: the id in its messages.
// STATUS_BAD_INPUT: the endpoint is not valid here; STATUS_IO: it is in use, or the system refuses.
enum status order_server_open(const char *endpoint, const char *session, struct order_server **out,
                              struct reason *why);
void order_server_close(struct order_server *server);                 // accepts NULL
const char *order_server_endpoint(const struct order_server *server); // as bound

// Carries out an order and fills the receipt; its sequence is set already. STATUS_BAD_INPUT: why it is
// refused.
typedef enum status take_wire_order(void *context, const struct wire_order *order,
                                    struct wire_receipt *receipt, struct reason *why);

// Waits at most timeout_ms for a message, or until file is readable (-1: none), then answers the orders that
// have come. STATUS_IO: the socket failed.
enum status order_server_poll(struct order_server *server, int timeout_ms, int file, take_wire_order *take,
                              void *context, struct reason *why);

uint64_t order_server_refused(const struct order_server *server); // messages refused so far
