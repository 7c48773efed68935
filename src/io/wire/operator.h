// The operator's side of the protocol: one order, one answer.
#pragma once

#include "core/base/status.h"
#include "io/codec/codec.h"

// Sends an order to a simulator's command endpoint and waits for the answer, at most timeout_ms.
// STATUS_BAD_INPUT: the simulator refused it; STATUS_IO: no simulator answers there.
enum status operator_order(const char *endpoint, const struct wire_order *order, int timeout_ms,
                           struct wire_receipt *receipt, struct reason *why);
