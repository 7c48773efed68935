// Orders of an operator as a session's log holds them (message OrderUsed).
#pragma once

#include "core/base/status.h"
#include "hil/events.h"

#include <stddef.h>
#include <stdint.h>

// Bytes written; 0 if it does not fit.
size_t log_pack_order(const struct hil_names *names, uint64_t step, const struct order *o, uint8_t *out,
                      size_t capacity);

struct Sagbend__V1__OrderUsed;
enum status log_read_order(const struct Sagbend__V1__OrderUsed *m, const struct hil_names *names,
                           struct order *out, struct reason *why);
