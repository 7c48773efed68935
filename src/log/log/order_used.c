#include "log/log/order_used.h"

#include "net/messages/message_parts.h"

#include "sagbend/v1/log.pb-c.h"

#include <stdio.h>
#include <string.h>

size_t log_pack_order(uint64_t step, const struct order *order, uint8_t *out, size_t capacity) {
  Sagbend__V1__OrderUsed message = SAGBEND__V1__ORDER_USED__INIT;
  Sagbend__V1__Order order_message;
  struct order_message room;
  wire_fill_order_message(order, &room, &order_message);
  message.step = step;
  message.number = order->number;
  message.order = &order_message;
  return wire_pack(&message.base, out, capacity);
}

// The order of a log that lacks the field order.
static enum status read_before(const Sagbend__V1__OrderUsed *message, struct order *out, struct reason *why) {
  out->kind = (enum order_kind)message->before_case;
  if (!order_is_of_session(out->kind))
    return fail(why, STATUS_BAD_INPUT, "an order that this program knows expected");
  if (snprintf(out->operator_name, sizeof out->operator_name, "%s", message->operator_) >=
      (int)sizeof out->operator_name)
    return fail(why, STATUS_BAD_INPUT, "operator: at most 63 characters expected");
  return wire_read_order_payload(&message->fault->base, out, why);
}

static enum status read_used(const Sagbend__V1__OrderUsed *message, const struct hil_names *names,
                             struct order *out, struct reason *why) {
  enum status status =
      message->order ? wire_read_order(message->order, out, why) : read_before(message, out, why);
  if (status == STATUS_OK && !order_is_of_session(out->kind))
    status = fail(why, STATUS_BAD_INPUT, "an order of a session expected");
  return status == STATUS_OK ? order_find_fault(out, names, why) : status;
}

enum status log_read_order(const Sagbend__V1__OrderUsed *message, const struct hil_names *names,
                           struct order *out, struct reason *why) {
  struct reason error = {""};
  memset(out, 0, sizeof *out);
  out->number = message->number;
  enum status status = read_used(message, names, out, &error);
  return status == STATUS_OK ? STATUS_OK
                             : fail(why, status, "order number %llu: %.200s",
                                    (unsigned long long)message->number, error.text);
}
