// An operator's order as a log records it (message OrderUsed).
#pragma once

#include "sagbend/base/status.h"
#include "sagbend/rig/events.h"

#include <stddef.h>
#include <stdint.h>

// Packs an order that the step after step applied. Returns the bytes written; 0: it does not fit.
size_t log_pack_order(uint64_t step, const struct order *order, uint8_t *out, size_t capacity);

// Reads it back. STATUS_BAD_INPUT: this session has no such fault or target; why names the order's number.
struct Sagbend__V1__OrderUsed;
enum status log_read_order(const struct Sagbend__V1__OrderUsed *message, const struct hil_names *names,
                           struct order *out, struct reason *why);
