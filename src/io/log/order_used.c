#include "io/log/order_used.h"

#include "io/codec/message_parts.h"

#include "sagbend/v1/log.pb-c.h"

#include <stdio.h>
#include <string.h>

size_t log_pack_order(const struct hil_names *names, uint64_t step, const struct order *order, uint8_t *out,
                      size_t capacity) {
  Sagbend__V1__OrderUsed message = SAGBEND__V1__ORDER_USED__INIT;
  struct fault_order_message fault;
  struct fault_request request;
  fault_to_request(names, &order->fault, &request);
  wire_fill_fault_order(&request, order->name, order->duration_s, &fault);
  Sagbend__V1__ClearOrder clear = SAGBEND__V1__CLEAR_ORDER__INIT;
  clear.name = (char *)(uintptr_t)(order->kind == ORDER_CLEAR_ALL ? "all" : order->name);
  message.step = step;
  message.number = order->number;
  if (order->kind == ORDER_FAULT) {
    message.order_case = SAGBEND__V1__ORDER_USED__ORDER_FAULT;
    message.fault = &fault.message;
  } else {
    message.order_case = SAGBEND__V1__ORDER_USED__ORDER_CLEAR;
    message.clear = &clear;
  }
  return wire_pack(&message.base, out, capacity);
}

enum status log_read_order(const Sagbend__V1__OrderUsed *message, const struct hil_names *names,
                           struct order *out, struct reason *why) {
  struct wire_order parsed = {.kind = WIRE_ORDER_NONE};
  int where;
  memset(out, 0, sizeof *out);
  out->number = message->number;
  if (message->order_case == SAGBEND__V1__ORDER_USED__ORDER_CLEAR &&
      snprintf(out->name, sizeof out->name, "%s", message->clear->name) < (int)sizeof out->name) {
    out->kind = strcmp(out->name, "all") == 0 ? ORDER_CLEAR_ALL : ORDER_CLEAR;
    return STATUS_OK;
  }
  struct reason error;
  enum status status = message->order_case == SAGBEND__V1__ORDER_USED__ORDER_FAULT
                           ? wire_read_fault_order(message->fault, &parsed, &error)
                           : fail(&error, STATUS_BAD_INPUT, "neither a fault nor a clear");
  if (status != STATUS_OK)
    return fail(why, status, "order number %llu: %.200s", (unsigned long long)message->number, error.text);

  memcpy(out->name, parsed.name, sizeof out->name);
  out->duration_s = parsed.duration_s;
  return fault_from_request(names, &parsed.fault, &out->fault, &where, why);
}
