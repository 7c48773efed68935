#include "io/log/order_used.h"

#include "io/codec/message_parts.h"

#include "sagbend/v1/log.pb-c.h"

#include <stdio.h>
#include <string.h>

size_t log_pack_order(const struct hil_names *names, uint64_t step, const struct order *order, uint8_t *out,
                      size_t capacity) {
  Sagbend__V1__OrderUsed message = SAGBEND__V1__ORDER_USED__INIT;
  struct order_payload payload;
  struct wire_order request = {.kind = order->kind,
                               .duration_s = order->duration_s,
                               .rate = order->rate,
                               .tensioner = order->tensioner,
                               .track = order->track};
  memcpy(request.name, order->name, sizeof request.name);
  memcpy(request.setpoint.given, order->setpoint_given, sizeof request.setpoint.given);
  memcpy(request.setpoint.value, order->setpoint, sizeof request.setpoint.value);
  if (order->kind == ORDER_FAULT)
    fault_to_request(names, &order->fault, &request.fault);

  message.step = step;
  message.number = order->number;
  message.operator_ = text_of(order->operator_name);
  message.order_case = (Sagbend__V1__OrderUsed__OrderCase)order->kind;
  message.fault = (Sagbend__V1__FaultOrder *)wire_fill_order(&request, &payload);
  return wire_pack(&message.base, out, capacity);
}

static enum status read_payload(const Sagbend__V1__OrderUsed *message, const struct hil_names *names,
                                struct order *out, struct reason *why) {
  struct wire_order request = {.kind = (enum order_kind)message->order_case};
  int where;
  if (!order_is_of_session(request.kind))
    return fail(why, STATUS_BAD_INPUT, "an order that this program knows expected");
  enum status status = wire_read_order_payload(&message->fault->base, &request, why);
  if (status != STATUS_OK)
    return status;
  out->kind = request.kind;
  out->duration_s = request.duration_s;
  out->rate = request.rate;
  out->tensioner = request.tensioner;
  out->track = request.track;
  memcpy(out->name, request.name, sizeof out->name);
  memcpy(out->setpoint_given, request.setpoint.given, sizeof out->setpoint_given);
  memcpy(out->setpoint, request.setpoint.value, sizeof out->setpoint);
  return request.kind == ORDER_FAULT ? fault_from_request(names, &request.fault, &out->fault, &where, why)
                                     : STATUS_OK;
}

enum status log_read_order(const Sagbend__V1__OrderUsed *message, const struct hil_names *names,
                           struct order *out, struct reason *why) {
  struct reason error = {""};
  memset(out, 0, sizeof *out);
  out->number = message->number;
  enum status status = read_payload(message, names, out, &error);
  if (status == STATUS_OK && snprintf(out->operator_name, sizeof out->operator_name, "%s",
                                      message->operator_) >= (int)sizeof out->operator_name)
    status = fail(&error, STATUS_BAD_INPUT, "operator: at most 63 characters expected");
  return status == STATUS_OK ? STATUS_OK
                             : fail(why, status, "order number %llu: %.200s",
                                    (unsigned long long)message->number, error.text);
}
