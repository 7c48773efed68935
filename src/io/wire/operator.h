// An operator's side of the protocol: one order, one answer.
#pragma once

#include "core/base/status.h"
#include "io/codec/codec.h"

// Sends the order to a simulator's command endpoint and waits for the answer, at most timeout_ms.
// STATUS_BAD_INPUT: it was refused; STATUS_IO: nothing answers there. why says so.
enum status operator_order(const char *endpoint, const struct wire_order *order, int timeout_ms,
                           struct wire_receipt *receipt, struct reason *why);
