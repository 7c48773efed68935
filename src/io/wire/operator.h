// The operator's side of the protocol: one order, one answer.
#pragma once

#include "core/base/status.h"
#include "io/codec/codec.h"
#include "io/codec/receipt.h"
#include "io/files/peer_key.h"

// Sends an order to a simulator's command endpoint and waits for the answer, at most timeout_ms. keys: the
// operator's; NULL: none. receipt: as for operator_line_take. STATUS_BAD_INPUT: the order cannot be packed;
// STATUS_IO: the simulator refused it or the keys, none answers there, or the connection ended before the
// answer.
enum status operator_order(const char *endpoint, const struct client_keys *keys, const struct order *order,
                           int timeout_ms, Sagbend__V1__Receipt **receipt, struct reason *why);
