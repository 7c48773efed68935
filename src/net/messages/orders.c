// An operator's orders and the receipts for them.
#include "net/messages/messages.h"
#include "net/messages/messages_internal.h"

#include "sagbend/base/base.h"
#include "sagbend/faults/faults.h"
#include "sagbend/orders/orders.h"
#include "sagbend/signals/signals.h"
#include "sagbend/v1/envelope.pb-c.h"
#include "sagbend/v1/log.pb-c.h"

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

static ProtobufCMessage *wire_fill_order(const struct order *order, struct order_message *room);

void wire_fill_order_message(const struct order *order, struct order_message *room, Sagbend__V1__Order *out) {
  sagbend__v1__order__init(out);
  out->operator_ = text_of(order->operator_name);
  out->order_case = (Sagbend__V1__Order__OrderCase)order->kind;
  out->fault = (Sagbend__V1__FaultOrder *)wire_fill_order(order, room);
}

size_t wire_pack_order(const struct wire_header *from, const struct order *order, uint8_t *out,
                       size_t capacity) {
  Sagbend__V1__Header header = wire_header_message(from);
  Sagbend__V1__Order message;
  struct order_message payload;
  if (order->kind == ORDER_NONE)
    return 0;
  wire_fill_order_message(order, &payload, &message);
  message.header = &header;
  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_ORDER;
  envelope.order = &message;
  return wire_pack(&envelope.base, out, capacity);
}

size_t wire_pack_receipt(const struct wire_header *from, const struct wire_receipt *receipt, uint8_t *out,
                         size_t capacity) {
  Sagbend__V1__Header header = wire_header_message(from);
  Sagbend__V1__ActiveFault active[WIRE_MAX_ACTIVE], *list[WIRE_MAX_ACTIVE];
  struct parameter_messages parameters[WIRE_MAX_ACTIVE];
  struct manager_message manager;
  int most = receipt->status ? WIRE_MAX_ACTIVE_BESIDE_STATUS : WIRE_MAX_ACTIVE;
  Sagbend__V1__Receipt message = SAGBEND__V1__RECEIPT__INIT;
  message.header = &header;
  message.received_sequence = receipt->received_sequence;
  message.number = receipt->number;
  message.name = text_of(receipt->name);
  message.warning = text_of(receipt->warning);
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
  Sagbend__V1__Status status;
  if (receipt->status) {
    status = receipt->status->message;
    message.status = &status;
  }
  if (receipt->manager.kind != MANAGER_NONE) {
    wire_fill_manager(&receipt->manager, &manager);
    message.manager = &manager.message;
  }
  Sagbend__V1__Envelope envelope = SAGBEND__V1__ENVELOPE__INIT;
  envelope.message_case = SAGBEND__V1__ENVELOPE__MESSAGE_RECEIPT;
  envelope.receipt = &message;
  size_t size = wire_pack(&envelope.base, out, capacity);
  if (size || !receipt->status)
    return size;
  status.n_alarm = 0; // AlarmCounts.active states how many there are
  return wire_pack(&envelope.base, out, capacity);
}

// Copies a name, which may be empty. Returns 0 if it is too long.
static int wire_copy_name(char out[SIGNAL_NAME], const char *text) {
  return snprintf(out, SIGNAL_NAME, "%s", text) < SIGNAL_NAME;
}

static enum status read_parameters(Sagbend__V1__FaultParameter **list, size_t count,
                                   struct fault_request *out, struct reason *why) {
  if (count > sizeof out->parameter / sizeof *out->parameter)
    return fail(why, STATUS_BAD_INPUT, "parameter: at most two expected");
  for (size_t i = 0; i < count; i++) {
    struct fault_parameter_given *parameter = &out->parameter[out->parameter_count++];
    parameter->is_text = list[i]->value_case == SAGBEND__V1__FAULT_PARAMETER__VALUE_TEXT;
    if (!wire_copy_name(parameter->name, list[i]->name) ||
        (parameter->is_text && !wire_copy_name(parameter->text, list[i]->text)))
      return fail(why, STATUS_BAD_INPUT, "parameter: a name of at most 23 characters expected");
    if (list[i]->value_case == SAGBEND__V1__FAULT_PARAMETER__VALUE__NOT_SET)
      return fail(why, STATUS_BAD_INPUT, "parameter: a number or a text expected");
    if (!parameter->is_text)
      parameter->number = list[i]->number;
  }
  return STATUS_OK;
}

static enum status wire_read_fault_order(const Sagbend__V1__FaultOrder *message, struct order *out,
                                         struct reason *why) {
  if (!wire_copy_name(out->request.kind, message->kind) ||
      !wire_copy_name(out->request.target, message->target) || !wire_copy_name(out->name, message->name))
    return fail(why, STATUS_BAD_INPUT, "kind, target, name: at most 23 characters expected");
  out->duration_s = message->duration_s;
  return read_parameters(message->parameter, message->n_parameter, &out->request, why);
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

enum status wire_read_order(const Sagbend__V1__Order *message, struct order *out, struct reason *why) {
  if (snprintf(out->operator_name, sizeof out->operator_name, "%s", message->operator_) >= WIRE_NAME)
    return fail(why, STATUS_BAD_INPUT, "operator: at most 63 characters expected");
  if (*out->operator_name && !peer_name_is_valid(out->operator_name))
    return fail(why, STATUS_BAD_INPUT, "operator: a name without blanks at its ends expected, got '%s'",
                out->operator_name);
  out->kind = (enum order_kind)message->order_case;
  if (out->kind == ORDER_NONE)
    return refuse_unknown(message, why);
  return wire_read_order_payload(&message->fault->base, out, why);
}

// ------------------------------------------------------------
// What an order carries, as a message. All members of the oneof of Order are pointers to messages. A row of
// PAYLOAD_TABLE (sagbend/orders/orders.h) names the functions fill_... and read_...

#define NUMBER(ID, ...) _Static_assert((int)SAGBEND__V1__ORDER__ORDER_##ID == (int)ORDER_##ID, "Order");
ORDER_TABLE(NUMBER)
#undef NUMBER
_Static_assert((int)SAGBEND__V1__ORDER_USED__BEFORE_FAULT == (int)ORDER_FAULT &&
                   (int)SAGBEND__V1__ORDER_USED__BEFORE_TRACK == (int)ORDER_TRACK,
               "OrderUsed, as logs have it that lack its field order");

// The message type of an order, by the number of its field.
static const ProtobufCMessageDescriptor *type_of(enum order_kind kind) {
  return protobuf_c_message_descriptor_get_field(&sagbend__v1__order__descriptor, (unsigned)kind)->descriptor;
}

// Several messages have nothing but one field. Where it stands in them:
static void *field_in(const ProtobufCMessage *message, const char *name) {
  const ProtobufCFieldDescriptor *field =
      protobuf_c_message_descriptor_get_field_by_name(message->descriptor, name);
  return (void *)((uintptr_t)message + field->offset);
}

static enum status copy_text(const ProtobufCMessage *message, const char *field, char *out, size_t size,
                             struct reason *why) {
  return snprintf(out, size, "%s", *(char **)field_in(message, field)) < (int)size
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "%s: 1 to %d characters expected", field, (int)size - 1);
}

// Of the room every member begins with its message.
static void fill_nothing(const struct order *order, struct order_message *room) {
  (void)order;
  (void)room;
}

static enum status read_nothing(const ProtobufCMessage *message, struct order *out, struct reason *why) {
  (void)message;
  (void)out;
  (void)why;
  return STATUS_OK;
}

static void fill_name(const struct order *order, struct order_message *room) {
  *(char **)field_in(&room->as.other.base, "name") = text_of(order->name);
}

static enum status read_name(const ProtobufCMessage *message, struct order *out, struct reason *why) {
  return copy_text(message, "name", out->name, sizeof out->name, why);
}

static void fill_rate(const struct order *order, struct order_message *room) {
  *(double *)field_in(&room->as.other.base, "rate") = order->rate;
}

static enum status read_rate(const ProtobufCMessage *message, struct order *out, struct reason *why) {
  (void)why;
  out->rate = *(double *)field_in(message, "rate");
  return STATUS_OK;
}

static void fill_setpoint(const struct order *order, struct order_message *room) {
  const struct order_setpoint *setpoint = &order->setpoint;
  Sagbend__V1__SetpointOrder *out = &room->as.setpoint;
  if (setpoint->given[0])
    out->north_case = SAGBEND__V1__SETPOINT_ORDER__NORTH_NORTH_M;
  if (setpoint->given[1])
    out->east_case = SAGBEND__V1__SETPOINT_ORDER__EAST_EAST_M;
  if (setpoint->given[2])
    out->heading_case = SAGBEND__V1__SETPOINT_ORDER__HEADING_HEADING_RAD;
  out->north_m = setpoint->value[0];
  out->east_m = setpoint->value[1];
  out->heading_rad = setpoint->value[2];
  out->far = setpoint->is_far;
}

static enum status read_setpoint(const ProtobufCMessage *base, struct order *order, struct reason *why) {
  const Sagbend__V1__SetpointOrder *message = (const Sagbend__V1__SetpointOrder *)base;
  struct order_setpoint *out = &order->setpoint;
  const double values[3] = {message->north_m, message->east_m, message->heading_rad};
  const int given[3] = {message->north_case != 0, message->east_case != 0, message->heading_case != 0};
  (void)why;
  for (int i = 0; i < 3; i++) {
    out->given[i] = given[i];
    out->value[i] = given[i] ? values[i] : 0;
  }
  out->is_far = message->far != 0;
  return STATUS_OK;
}

static void fill_tensioner(const struct order *order, struct order_message *room) {
  wire_fill_tensioner_order(&order->tensioner, &room->as.tensioner);
}

static enum status read_tensioner(const ProtobufCMessage *message, struct order *out, struct reason *why) {
  return wire_read_tensioner_order((const Sagbend__V1__TensionerOrder *)message, &out->tensioner, why);
}

static void fill_track(const struct order *order, struct order_message *room) {
  wire_fill_track_order(&order->track, &room->as.track);
}

static enum status read_track(const ProtobufCMessage *message, struct order *out, struct reason *why) {
  return wire_read_track_order((const Sagbend__V1__TrackOrder *)message, &out->track, why);
}

static void fill_fault(const struct order *order, struct order_message *room) {
  wire_fill_fault_order(&order->request, order->name, order->duration_s, &room->as.fault);
}

static enum status read_fault(const ProtobufCMessage *message, struct order *out, struct reason *why) {
  return wire_read_fault_order((const Sagbend__V1__FaultOrder *)message, out, why);
}

static void fill_text(const struct order *order, struct order_message *room) {
  *(char **)field_in(&room->as.other.base, "text") = text_of(order->text);
}

static enum status read_text(const ProtobufCMessage *message, struct order *out, struct reason *why) {
  return copy_text(message, "text", out->text, sizeof out->text, why);
}

static void fill_list(const struct order *order, struct order_message *room) {
  *(uint32_t *)field_in(&room->as.other.base, "first") = order->manager.first;
}

static enum status read_list(const ProtobufCMessage *message, struct order *out, struct reason *why) {
  (void)why;
  out->manager.first = *(uint32_t *)field_in(message, "first");
  return STATUS_OK;
}

static void fill_file(const struct order *order, struct order_message *room) {
  *(char **)field_in(&room->as.other.base, "name") = text_of(order->manager.name);
}

static enum status read_file(const ProtobufCMessage *message, struct order *out, struct reason *why) {
  return copy_text(message, "name", out->manager.name, sizeof out->manager.name, why);
}

static void fill_piece(const struct order *order, struct order_message *room) {
  wire_fill_piece_order(&order->manager, &room->as.piece);
}

static enum status read_piece(const ProtobufCMessage *message, struct order *out, struct reason *why) {
  return wire_read_piece_order((const Sagbend__V1__FetchOrder *)message, &out->manager, why);
}

static const struct {
  void (*fill)(const struct order *order, struct order_message *room);
  enum status (*read)(const ProtobufCMessage *message, struct order *out, struct reason *why);
} PAYLOADS[] = {
#define ROW(ID, carried, checked) [PAYLOAD_##ID] = {fill_##carried, read_##carried},
    PAYLOAD_TABLE(ROW)
#undef ROW
};

static ProtobufCMessage *wire_fill_order(const struct order *order, struct order_message *room) {
  protobuf_c_message_init(type_of(order->kind), &room->as.other.base);
  PAYLOADS[order_payload(order->kind)].fill(order, room);
  return &room->as.other.base;
}

enum status wire_read_order_payload(const ProtobufCMessage *message, struct order *out, struct reason *why) {
  return PAYLOADS[order_payload(out->kind)].read(message, out, why) == STATUS_OK
             ? order_check_values(out, why)
             : STATUS_BAD_INPUT;
}
