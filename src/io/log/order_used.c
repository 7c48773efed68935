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
  struct wire_setpoint setpoint;
  Sagbend__V1__ClearOrder clear = SAGBEND__V1__CLEAR_ORDER__INIT;
  Sagbend__V1__StopOrder stop = SAGBEND__V1__STOP_ORDER__INIT;
  Sagbend__V1__PauseOrder pause = SAGBEND__V1__PAUSE_ORDER__INIT;
  Sagbend__V1__ResumeOrder resume = SAGBEND__V1__RESUME_ORDER__INIT;
  Sagbend__V1__ResetOrder reset = SAGBEND__V1__RESET_ORDER__INIT;
  Sagbend__V1__SetpointOrder set_point;
  Sagbend__V1__SnapshotOrder snapshot = SAGBEND__V1__SNAPSHOT_ORDER__INIT;
  Sagbend__V1__RestoreOrder restore = SAGBEND__V1__RESTORE_ORDER__INIT;
  Sagbend__V1__RateOrder rate = SAGBEND__V1__RATE_ORDER__INIT;
  Sagbend__V1__TakeOverOrder take_over = SAGBEND__V1__TAKE_OVER_ORDER__INIT;
  struct tensioner_order_message tensioner;
  struct track_order_message track;
  message.step = step;
  message.number = order->number;
  message.operator_ = text_of(order->operator_name);
  switch (order->kind) {
  case ORDER_FAULT:
    fault_to_request(names, &order->fault, &request);
    wire_fill_fault_order(&request, order->name, order->duration_s, &fault);
    message.order_case = SAGBEND__V1__ORDER_USED__ORDER_FAULT;
    message.fault = &fault.message;
    break;
  case ORDER_CLEAR:
  case ORDER_CLEAR_ALL:
    clear.name = text_of(order->kind == ORDER_CLEAR_ALL ? "all" : order->name);
    message.order_case = SAGBEND__V1__ORDER_USED__ORDER_CLEAR;
    message.clear = &clear;
    break;
  case ORDER_STOP:
    message.order_case = SAGBEND__V1__ORDER_USED__ORDER_STOP;
    message.stop = &stop;
    break;
  case ORDER_PAUSE:
    message.order_case = SAGBEND__V1__ORDER_USED__ORDER_PAUSE;
    message.pause = &pause;
    break;
  case ORDER_RESUME:
    message.order_case = SAGBEND__V1__ORDER_USED__ORDER_RESUME;
    message.resume = &resume;
    break;
  case ORDER_RESET:
    message.order_case = SAGBEND__V1__ORDER_USED__ORDER_RESET;
    message.reset = &reset;
    break;
  case ORDER_SETPOINT:
    memcpy(setpoint.given, order->setpoint_given, sizeof setpoint.given);
    memcpy(setpoint.value, order->setpoint, sizeof setpoint.value);
    wire_fill_setpoint_order(&setpoint, &set_point);
    message.order_case = SAGBEND__V1__ORDER_USED__ORDER_SET_POINT;
    message.set_point = &set_point;
    break;
  case ORDER_SNAPSHOT:
    snapshot.name = text_of(order->name);
    message.order_case = SAGBEND__V1__ORDER_USED__ORDER_SNAPSHOT;
    message.snapshot = &snapshot;
    break;
  case ORDER_RESTORE:
    restore.name = text_of(order->name);
    message.order_case = SAGBEND__V1__ORDER_USED__ORDER_RESTORE;
    message.restore = &restore;
    break;
  case ORDER_RATE:
    rate.rate = order->rate;
    message.order_case = SAGBEND__V1__ORDER_USED__ORDER_RATE;
    message.rate = &rate;
    break;
  case ORDER_TAKE_OVER:
    take_over.name = text_of(order->name);
    message.order_case = SAGBEND__V1__ORDER_USED__ORDER_TAKE_OVER;
    message.take_over = &take_over;
    break;
  case ORDER_TENSIONER:
    wire_fill_tensioner_order(&order->tensioner, &tensioner);
    message.order_case = SAGBEND__V1__ORDER_USED__ORDER_TENSIONER;
    message.tensioner = &tensioner.message;
    break;
  case ORDER_TRACK:
    wire_fill_track_order(&order->track, &track);
    message.order_case = SAGBEND__V1__ORDER_USED__ORDER_TRACK;
    message.track = &track.message;
    break;
  }
  return wire_pack(&message.base, out, capacity);
}

static enum status read_fault(const Sagbend__V1__FaultOrder *message, const struct hil_names *names,
                              struct order *out, struct reason *why) {
  struct wire_order parsed = {.kind = WIRE_ORDER_NONE};
  int where;
  enum status status = wire_read_fault_order(message, &parsed, why);
  if (status != STATUS_OK)
    return status;
  out->kind = ORDER_FAULT;
  memcpy(out->name, parsed.name, sizeof out->name);
  out->duration_s = parsed.duration_s;
  return fault_from_request(names, &parsed.fault, &out->fault, &where, why);
}

static enum status read_clear(const char *name, struct order *out, struct reason *why) {
  if (!*name || snprintf(out->name, sizeof out->name, "%s", name) >= (int)sizeof out->name)
    return fail(why, STATUS_BAD_INPUT, "a name of 1 to 23 characters expected");
  out->kind = strcmp(out->name, "all") == 0 ? ORDER_CLEAR_ALL : ORDER_CLEAR;
  return STATUS_OK;
}

static enum status read_setpoint(const Sagbend__V1__SetpointOrder *message, struct order *out,
                                 struct reason *why) {
  struct wire_setpoint setpoint;
  enum status status = wire_read_setpoint_order(message, &setpoint, why);
  if (status != STATUS_OK)
    return status;
  out->kind = ORDER_SETPOINT;
  memcpy(out->setpoint_given, setpoint.given, sizeof out->setpoint_given);
  memcpy(out->setpoint, setpoint.value, sizeof out->setpoint);
  return STATUS_OK;
}

static enum status read_snapshot(enum order_kind kind, const char *name, struct order *out,
                                 struct reason *why) {
  if (!wire_snapshot_name_is_valid(name))
    return fail(why, STATUS_BAD_INPUT, "the name of a snapshot expected, got '%.64s'", name);
  out->kind = kind;
  snprintf(out->name, sizeof out->name, "%s", name);
  return STATUS_OK;
}

static enum status read_kind(const Sagbend__V1__OrderUsed *message, const struct hil_names *names,
                             struct order *out, struct reason *why) {
  switch (message->order_case) {
  case SAGBEND__V1__ORDER_USED__ORDER_FAULT:
    return read_fault(message->fault, names, out, why);
  case SAGBEND__V1__ORDER_USED__ORDER_CLEAR:
    return read_clear(message->clear->name, out, why);
  case SAGBEND__V1__ORDER_USED__ORDER_SET_POINT:
    return read_setpoint(message->set_point, out, why);
  case SAGBEND__V1__ORDER_USED__ORDER_SNAPSHOT:
    return read_snapshot(ORDER_SNAPSHOT, message->snapshot->name, out, why);
  case SAGBEND__V1__ORDER_USED__ORDER_RESTORE:
    return read_snapshot(ORDER_RESTORE, message->restore->name, out, why);
  case SAGBEND__V1__ORDER_USED__ORDER_RATE:
    out->kind = ORDER_RATE;
    out->rate = message->rate->rate;
    return wire_check_rate(out->rate, why);
  case SAGBEND__V1__ORDER_USED__ORDER_TAKE_OVER:
    out->kind = ORDER_TAKE_OVER;
    if (!*message->take_over->name ||
        snprintf(out->name, sizeof out->name, "%s", message->take_over->name) >= (int)sizeof out->name)
      return fail(why, STATUS_BAD_INPUT, "a name of 1 to 23 characters expected");
    return STATUS_OK;
  case SAGBEND__V1__ORDER_USED__ORDER_TENSIONER:
    out->kind = ORDER_TENSIONER;
    return wire_read_tensioner_order(message->tensioner, &out->tensioner, why);
  case SAGBEND__V1__ORDER_USED__ORDER_TRACK:
    out->kind = ORDER_TRACK;
    return wire_read_track_order(message->track, &out->track, why);
  case SAGBEND__V1__ORDER_USED__ORDER_STOP:
    out->kind = ORDER_STOP;
    return STATUS_OK;
  case SAGBEND__V1__ORDER_USED__ORDER_PAUSE:
    out->kind = ORDER_PAUSE;
    return STATUS_OK;
  case SAGBEND__V1__ORDER_USED__ORDER_RESUME:
    out->kind = ORDER_RESUME;
    return STATUS_OK;
  case SAGBEND__V1__ORDER_USED__ORDER_RESET:
    out->kind = ORDER_RESET;
    return STATUS_OK;
  default:
    return fail(why, STATUS_BAD_INPUT, "an order that this program knows expected");
  }
}

enum status log_read_order(const Sagbend__V1__OrderUsed *message, const struct hil_names *names,
                           struct order *out, struct reason *why) {
  struct reason error = {""};
  memset(out, 0, sizeof *out);
  out->number = message->number;
  enum status status = read_kind(message, names, out, &error);
  if (status == STATUS_OK && snprintf(out->operator_name, sizeof out->operator_name, "%s",
                                      message->operator_) >= (int)sizeof out->operator_name)
    status = fail(&error, STATUS_BAD_INPUT, "operator: at most 63 characters expected");
  return status == STATUS_OK ? STATUS_OK
                             : fail(why, status, "order number %llu: %.200s",
                                    (unsigned long long)message->number, error.text);
}
