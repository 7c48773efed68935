// An operator's orders and the receipts for them.
#include "hil/events.h"
#include "io/codec/codec_parts.h"

#include "sagbend/v1/envelope.pb-c.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The messages of the parameters of one fault.
struct parameter_messages {
  Sagbend__V1__FaultParameter item[FAULT_PARAMETERS], *list[FAULT_PARAMETERS];
};

static size_t fill_parameters(const struct fault_request *request, Sagbend__V1__FaultParameter *item,
                              Sagbend__V1__FaultParameter **list) {
  size_t count =
      (size_t)(request->parameter_count < FAULT_PARAMETERS ? request->parameter_count : FAULT_PARAMETERS);
  for (size_t i = 0; i < count; i++) {
    const struct fault_parameter_given *parameter = &request->parameter[i];
    sagbend__v1__fault_parameter__init(&item[i]);
    item[i].name = text_of(parameter->name);
    item[i].value_case = parameter->is_text ? SAGBEND__V1__FAULT_PARAMETER__VALUE_TEXT
                                            : SAGBEND__V1__FAULT_PARAMETER__VALUE_NUMBER;
    if (parameter->is_text)
      item[i].text = text_of(parameter->text);
    else
      item[i].number = parameter->number;
    list[i] = &item[i];
  }
  return count;
}

void wire_fill_fault_order(const struct fault_request *request, const char *name, double duration_s,
                           struct fault_order_message *out) {
  sagbend__v1__fault_order__init(&out->message);
  out->message.kind = text_of(request->kind);
  out->message.target = text_of(request->target);
  out->message.n_parameter = fill_parameters(request, out->item, out->list);
  out->message.parameter = out->list;
  out->message.duration_s = duration_s;
  out->message.name = text_of(name);
}

size_t wire_pack_order(const struct wire_header *from, const struct wire_order *order, uint8_t *out,
                       size_t capacity) {
  Sagbend__V1__Header header = wire_header_message(from);
  struct fault_order_message fault;
  wire_fill_fault_order(&order->fault, order->name, order->duration_s, &fault);
  Sagbend__V1__ClearOrder clear = SAGBEND__V1__CLEAR_ORDER__INIT;
  Sagbend__V1__ListOrder list = SAGBEND__V1__LIST_ORDER__INIT;
  Sagbend__V1__StopOrder stop = SAGBEND__V1__STOP_ORDER__INIT;
  Sagbend__V1__PauseOrder pause = SAGBEND__V1__PAUSE_ORDER__INIT;
  Sagbend__V1__ResumeOrder resume = SAGBEND__V1__RESUME_ORDER__INIT;
  Sagbend__V1__ResetOrder reset = SAGBEND__V1__RESET_ORDER__INIT;
  Sagbend__V1__SetpointOrder set_point;
  Sagbend__V1__SnapshotOrder snapshot = SAGBEND__V1__SNAPSHOT_ORDER__INIT;
  Sagbend__V1__RestoreOrder restore = SAGBEND__V1__RESTORE_ORDER__INIT;
  Sagbend__V1__RateOrder rate = SAGBEND__V1__RATE_ORDER__INIT;
  Sagbend__V1__StatusOrder status = SAGBEND__V1__STATUS_ORDER__INIT;
  Sagbend__V1__TakeOverOrder take_over = SAGBEND__V1__TAKE_OVER_ORDER__INIT;
  struct tensioner_order_message tensioner;
  struct track_order_message track;
  struct manager_order_message manager;
  Sagbend__V1__Order message = SAGBEND__V1__ORDER__INIT;
  wire_fill_setpoint_order(&order->setpoint, &set_point);
  clear.name = snapshot.name = restore.name = take_over.name = text_of(order->name);
  rate.rate = order->rate;
  message.header = &header;
  message.operator_ = text_of(order->operator_name);
  message.order_case = (Sagbend__V1__Order__OrderCase)order->kind; // the numbers are equal
  switch (order->kind) {
  case WIRE_ORDER_FAULT:
    message.fault = &fault.message;
    break;
  case WIRE_ORDER_CLEAR:
    message.clear = &clear;
    break;
  case WIRE_ORDER_LIST:
    message.list = &list;
    break;
  case WIRE_ORDER_STOP:
    message.stop = &stop;
    break;
  case WIRE_ORDER_PAUSE:
    message.pause = &pause;
    break;
  case WIRE_ORDER_RESUME:
    message.resume = &resume;
    break;
  case WIRE_ORDER_RESET:
    message.reset = &reset;
    break;
  case WIRE_ORDER_SETPOINT:
    message.set_point = &set_point;
    break;
  case WIRE_ORDER_SNAPSHOT:
    message.snapshot = &snapshot;
    break;
  case WIRE_ORDER_RESTORE:
    message.restore = &restore;
    break;
  case WIRE_ORDER_RATE:
    message.rate = &rate;
    break;
  case WIRE_ORDER_STATUS:
    message.status = &status;
    break;
  case WIRE_ORDER_TAKE_OVER:
    message.take_over = &take_over;
    break;
  case WIRE_ORDER_TENSIONER:
    wire_fill_tensioner_order(&order->tensioner, &tensioner);
    message.tensioner = &tensioner.message;
    break;
  case WIRE_ORDER_TRACK:
    wire_fill_track_order(&order->track, &track);
    message.track = &track.message;
    break;
  case WIRE_ORDER_CASES:
  case WIRE_ORDER_LOAD:
  case WIRE_ORDER_START:
  case WIRE_ORDER_LOGS:
  case WIRE_ORDER_FETCH:
    wire_fill_manager_order(order, &manager, &message);
    break;
  case WIRE_ORDER_NONE:
    return 0;
  }
  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_ORDER;
  envelope.order = &message;
  return wire_pack(&envelope.base, out, capacity);
}

_Static_assert(SAGBEND__V1__ORDER__ORDER_FAULT == (int)WIRE_ORDER_FAULT &&
                   SAGBEND__V1__ORDER__ORDER_STATUS == (int)WIRE_ORDER_STATUS &&
                   SAGBEND__V1__ORDER__ORDER_TENSIONER == (int)WIRE_ORDER_TENSIONER &&
                   SAGBEND__V1__ORDER__ORDER_FETCH == (int)WIRE_ORDER_FETCH,
               "the numbers are equal");

size_t wire_pack_receipt(const struct wire_header *from, const struct wire_receipt *receipt, uint8_t *out,
                         size_t capacity) {
  Sagbend__V1__Header header = wire_header_message(from);
  Sagbend__V1__ActiveFault active[WIRE_MAX_ACTIVE], *list[WIRE_MAX_ACTIVE];
  struct parameter_messages parameters[WIRE_MAX_ACTIVE];
  struct status_message status;
  struct manager_message manager;
  int most = receipt->has_status ? WIRE_MAX_ACTIVE_BESIDE_STATUS : WIRE_MAX_ACTIVE;
  Sagbend__V1__Receipt message = SAGBEND__V1__RECEIPT__INIT;
  message.header = &header;
  message.received_sequence = receipt->received_sequence;
  message.number = receipt->number;
  message.name = text_of(receipt->name);
  message.active = list;
  message.active_count = (uint32_t)receipt->active_count;
  for (int i = 0; i < receipt->active_count && i < most; i++) {
    const struct wire_active *fault = &receipt->active[i];
    sagbend__v1__active_fault__init(&active[i]);
    active[i].name = text_of(fault->name);
    active[i].kind = text_of(fault->fault.kind);
    active[i].target = text_of(fault->fault.target);
    active[i].since_s = fault->since_s;
    active[i].pending = fault->pending;
    active[i].n_parameter = fill_parameters(&fault->fault, parameters[i].item, parameters[i].list);
    active[i].parameter = parameters[i].list;
    list[message.n_active++] = &active[i];
  }
  if (receipt->has_status) {
    wire_fill_status(&receipt->status, &status);
    message.status = &status.message;
  }
  if (receipt->manager.kind != MANAGER_NONE) {
    wire_fill_manager(&receipt->manager, &manager);
    message.manager = &manager.message;
  }
  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_RECEIPT;
  envelope.receipt = &message;
  return wire_pack(&envelope.base, out, capacity);
}

static int copy_name(char out[SIGNAL_NAME], const char *text) {
  return snprintf(out, SIGNAL_NAME, "%s", text) < SIGNAL_NAME;
}

static enum status read_parameters(Sagbend__V1__FaultParameter **list, size_t count,
                                   struct fault_request *out, struct reason *why) {
  if (count > sizeof out->parameter / sizeof *out->parameter)
    return fail(why, STATUS_BAD_INPUT, "parameter: at most two expected");
  for (size_t i = 0; i < count; i++) {
    struct fault_parameter_given *parameter = &out->parameter[out->parameter_count++];
    parameter->is_text = list[i]->value_case == SAGBEND__V1__FAULT_PARAMETER__VALUE_TEXT;
    if (!copy_name(parameter->name, list[i]->name) ||
        (parameter->is_text && !copy_name(parameter->text, list[i]->text)))
      return fail(why, STATUS_BAD_INPUT, "parameter: a name of at most 23 characters expected");
    if (list[i]->value_case == SAGBEND__V1__FAULT_PARAMETER__VALUE__NOT_SET)
      return fail(why, STATUS_BAD_INPUT, "parameter: a number or a text expected");
    if (!parameter->is_text)
      parameter->number = list[i]->number;
  }
  return STATUS_OK;
}

enum status wire_read_fault_order(const Sagbend__V1__FaultOrder *message, struct wire_order *out,
                                  struct reason *why) {
  if (!copy_name(out->fault.kind, message->kind) || !copy_name(out->fault.target, message->target) ||
      !copy_name(out->name, message->name))
    return fail(why, STATUS_BAD_INPUT, "kind, target, name: at most 23 characters expected");
  if (!(message->duration_s >= 0) || message->duration_s > 1e9)
    return fail(why, STATUS_BAD_INPUT, "duration_s: a number from 0 to 1e9 expected");
  out->kind = WIRE_ORDER_FAULT;
  out->duration_s = message->duration_s;
  return read_parameters(message->parameter, message->n_parameter, &out->fault, why);
}

void wire_fill_setpoint_order(const struct wire_setpoint *setpoint, Sagbend__V1__SetpointOrder *out) {
  sagbend__v1__setpoint_order__init(out);
  if (setpoint->given[0])
    out->north_case = SAGBEND__V1__SETPOINT_ORDER__NORTH_NORTH_M;
  if (setpoint->given[1])
    out->east_case = SAGBEND__V1__SETPOINT_ORDER__EAST_EAST_M;
  if (setpoint->given[2])
    out->heading_case = SAGBEND__V1__SETPOINT_ORDER__HEADING_HEADING_RAD;
  out->north_m = setpoint->value[0];
  out->east_m = setpoint->value[1];
  out->heading_rad = setpoint->value[2];
}

enum status wire_read_setpoint_order(const Sagbend__V1__SetpointOrder *message, struct wire_setpoint *out,
                                     struct reason *why) {
  static const char *const names[3] = {"north_m", "east_m", "heading_rad"};
  static const double limits[3] = {MAX_SETPOINT_M, MAX_SETPOINT_M, MAX_SETPOINT_RAD};
  const double values[3] = {message->north_m, message->east_m, message->heading_rad};
  const int given[3] = {message->north_case != 0, message->east_case != 0, message->heading_case != 0};
  if (!given[0] && !given[1] && !given[2])
    return fail(why, STATUS_BAD_INPUT, "set_point: at least one of north, east and heading expected");
  for (int i = 0; i < 3; i++) {
    out->given[i] = given[i];
    out->value[i] = given[i] ? values[i] : 0;
    if (!(fabs(out->value[i]) <= limits[i]))
      return fail(why, STATUS_BAD_INPUT, "%s: a number from %g to %g expected, got %g", names[i], -limits[i],
                  limits[i], values[i]);
  }
  return STATUS_OK;
}

int wire_snapshot_name_is_valid(const char *name) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  size_t length = strlen(name);
  return length > 0 && length < SIGNAL_NAME && strspn(name, letters) == length && !strchr(".-_", name[0]);
}

static enum status read_snapshot_name(const char *name, struct wire_order *out, struct reason *why) {
  if (!wire_snapshot_name_is_valid(name))
    return fail(why, STATUS_BAD_INPUT,
                "name: 1 to 23 letters, digits and characters of '.-_' expected, the first of them a letter "
                "or a digit, got '%.64s'",
                name);
  copy_name(out->name, name);
  return STATUS_OK;
}

enum status wire_check_rate(double rate, struct reason *why) {
  static const double low = 0.05, high = 20;
  return rate >= low && rate <= high
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "rate: a number from %g to %g expected, got %g", low, high, rate);
}

// Names the field of an order that this program does not know.
static enum status refuse_unknown(const Sagbend__V1__Order *message, struct reason *why) {
  if (message->base.n_unknown_fields > 0)
    return fail(why, STATUS_BAD_INPUT,
                "order: this program does not know an order with the field number %u; a later version of the "
                "protocol has it",
                (unsigned)message->base.unknown_fields[0].tag);
  return fail(why, STATUS_BAD_INPUT, "order: none is given");
}

enum status wire_read_order(const Sagbend__V1__Order *message, struct wire_order *out, struct reason *why) {
  if (snprintf(out->operator_name, sizeof out->operator_name, "%s", message->operator_) >= WIRE_NAME)
    return fail(why, STATUS_BAD_INPUT, "operator: at most 63 characters expected");
  out->kind = (enum wire_order_kind)message->order_case;
  switch (out->kind) {
  case WIRE_ORDER_FAULT:
    return wire_read_fault_order(message->fault, out, why);
  case WIRE_ORDER_CLEAR:
    if (!*message->clear->name || !copy_name(out->name, message->clear->name))
      return fail(why, STATUS_BAD_INPUT, "name: 1 to 23 characters expected");
    return STATUS_OK;
  case WIRE_ORDER_SETPOINT:
    return wire_read_setpoint_order(message->set_point, &out->setpoint, why);
  case WIRE_ORDER_SNAPSHOT:
    return read_snapshot_name(message->snapshot->name, out, why);
  case WIRE_ORDER_RESTORE:
    return read_snapshot_name(message->restore->name, out, why);
  case WIRE_ORDER_TAKE_OVER:
    if (!*message->take_over->name || !copy_name(out->name, message->take_over->name))
      return fail(why, STATUS_BAD_INPUT, "name: 1 to 23 characters expected");
    return STATUS_OK;
  case WIRE_ORDER_TENSIONER:
    return wire_read_tensioner_order(message->tensioner, &out->tensioner, why);
  case WIRE_ORDER_TRACK:
    return wire_read_track_order(message->track, &out->track, why);
  case WIRE_ORDER_RATE:
    out->rate = message->rate->rate;
    return wire_check_rate(out->rate, why);
  case WIRE_ORDER_LIST:
  case WIRE_ORDER_STOP:
  case WIRE_ORDER_PAUSE:
  case WIRE_ORDER_RESUME:
  case WIRE_ORDER_RESET:
  case WIRE_ORDER_STATUS:
    return STATUS_OK;
  case WIRE_ORDER_CASES:
  case WIRE_ORDER_LOAD:
  case WIRE_ORDER_START:
  case WIRE_ORDER_LOGS:
  case WIRE_ORDER_FETCH:
    return wire_read_manager_order(message, out, why);
  default:
    return refuse_unknown(message, why);
  }
}

enum status wire_read_receipt(const Sagbend__V1__Receipt *message, struct wire_receipt *out,
                              struct reason *why) {
  out->received_sequence = message->received_sequence;
  out->number = message->number;
  out->active_count = (int)message->active_count;
  if (!copy_name(out->name, message->name) || message->n_active > WIRE_MAX_ACTIVE ||
      message->active_count < message->n_active)
    return fail(why, STATUS_BAD_INPUT, "a Receipt as a simulator sends it expected");
  for (size_t i = 0; i < message->n_active; i++) {
    struct wire_active *fault = &out->active[i];
    const Sagbend__V1__ActiveFault *from = message->active[i];
    fault->since_s = from->since_s;
    if (!copy_name(fault->name, from->name) || !copy_name(fault->fault.kind, from->kind) ||
        !copy_name(fault->fault.target, from->target) ||
        read_parameters(from->parameter, from->n_parameter, &fault->fault, why) != STATUS_OK)
      return fail(why, STATUS_BAD_INPUT, "active: a fault as a simulator reports it expected");
    fault->pending = from->pending;
  }
  if (message->manager && wire_read_manager(message->manager, &out->manager, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  out->has_status = message->status != NULL;
  return out->has_status ? wire_read_status(message->status, &out->status, why) : STATUS_OK;
}
