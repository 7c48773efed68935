// What an order carries, as a message. All members of the oneof of Order are pointers to messages. A row of
// PAYLOAD_TABLE (sagbend/rig/rig.h) names the functions fill_... and read_...
#include "net/messages/message_parts.h"

#include "sagbend/v1/log.pb-c.h"

#include <stdio.h>
#include <string.h>

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
  Sagbend__V1__SetpointOrder *out = &room->as.set_point;
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

ProtobufCMessage *wire_fill_order(const struct order *order, struct order_message *room) {
  protobuf_c_message_init(type_of(order->kind), &room->as.other.base);
  PAYLOADS[order_payload(order->kind)].fill(order, room);
  return &room->as.other.base;
}

enum status wire_read_order_payload(const ProtobufCMessage *message, struct order *out, struct reason *why) {
  return PAYLOADS[order_payload(out->kind)].read(message, out, why) == STATUS_OK
             ? order_check_values(out, why)
             : STATUS_BAD_INPUT;
}
