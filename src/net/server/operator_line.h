// A lasting connection of an operator: any number of orders, one after another. A connection that ends is
// replaced by another.
#pragma once

#include "sagbend/base/status.h"
#include "net/messages/messages.h"
#include "net/messages/receipt.h"
#include "os/files/files.h"

struct operator_line;

// keys: the operator's; NULL: none. They must live as long as the connection.
enum status operator_line_open(const char *endpoint, const struct client_keys *keys,
                               struct operator_line **out, struct reason *why);
void operator_line_close(struct operator_line *line); // accepts NULL

// Sends an order; a later one makes the answer to an earlier one void. STATUS_BAD_INPUT: it cannot be packed;
// STATUS_IO: the socket takes nothing.
enum status operator_line_send(struct operator_line *line, const struct order *order, struct reason *why);

enum operator_answer { OPERATOR_WAITS, OPERATOR_RECEIPT, OPERATOR_REFUSED };

// Takes the answer to the newest order, waiting at most timeout_ms; call it often. OPERATOR_RECEIPT:
// *receipt, NULL or an earlier one that is released, is the answer, to be released with wire_free_receipt.
// OPERATOR_REFUSED: why holds the text, or why the other end does not take the keys, or that the connection
// ended before the answer came.
enum operator_answer operator_line_take(struct operator_line *line, int timeout_ms,
                                        Sagbend__V1__Receipt **receipt, struct reason *why);

// One order, one answer: sends an order to a simulator's command endpoint and waits for the answer, at most
// timeout_ms. keys: the operator's; NULL: none. receipt: as for operator_line_take. STATUS_BAD_INPUT: the
// order cannot be packed; STATUS_IO: the simulator refused it or the keys, none answers there, or the
// connection ended before the answer.
enum status operator_order(const char *endpoint, const struct client_keys *keys, const struct order *order,
                           int timeout_ms, Sagbend__V1__Receipt **receipt, struct reason *why);
