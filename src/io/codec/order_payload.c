// What an order carries, as a message. All members of the oneof of Order are pointers to messages.
#include "io/codec/message_parts.h"

#include "sagbend/v1/log.pb-c.h"

#include <stdio.h>
#include <string.h>

#define ORDER(ID, word, number, payload, effect, arguments, help)                                            \
  _Static_assert((int)SAGBEND__V1__ORDER__ORDER_##ID == (int)ORDER_##ID, "Order");
#include "hil/orders.inc"
#undef ORDER
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

static void fill_set_point(const struct order_setpoint *setpoint, Sagbend__V1__SetpointOrder *out) {
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
  out->far = setpoint->is_far;
}

static void read_set_point(const Sagbend__V1__SetpointOrder *message, struct order_setpoint *out) {
  const double values[3] = {message->north_m, message->east_m, message->heading_rad};
  const int given[3] = {message->north_case != 0, message->east_case != 0, message->heading_case != 0};
  for (int i = 0; i < 3; i++) {
    out->given[i] = given[i];
    out->value[i] = given[i] ? values[i] : 0;
  }
  out->is_far = message->far != 0;
}

ProtobufCMessage *wire_fill_order(const struct order *order, struct order_message *room) {
  ProtobufCMessage *other = &room->as.other.base; // every member begins with its message
  protobuf_c_message_init(type_of(order->kind), other);
  switch (order_payload(order->kind)) {
  case PAYLOAD_NOTHING:
    break;
  case PAYLOAD_NAME:
  case PAYLOAD_SNAPSHOT:
  case PAYLOAD_THRUSTER:
    *(char **)field_in(other, "name") = text_of(order->name);
    break;
  case PAYLOAD_RATE:
    *(double *)field_in(other, "rate") = order->rate;
    break;
  case PAYLOAD_SET_POINT:
    fill_set_point(&order->setpoint, &room->as.set_point);
    break;
  case PAYLOAD_TENSIONER:
    wire_fill_tensioner_order(&order->tensioner, &room->as.tensioner);
    break;
  case PAYLOAD_TRACK:
    wire_fill_track_order(&order->track, &room->as.track);
    break;
  case PAYLOAD_FAULT:
    wire_fill_fault_order(&order->request, order->name, order->duration_s, &room->as.fault);
    break;
  case PAYLOAD_TEXT:
    *(char **)field_in(other, "text") = text_of(order->text);
    break;
  case PAYLOAD_LIST:
    *(uint32_t *)field_in(other, "first") = order->manager.first;
    break;
  case PAYLOAD_FILE:
    *(char **)field_in(other, "name") = text_of(order->manager.name);
    break;
  case PAYLOAD_PIECE:
    wire_fill_piece_order(&order->manager, &room->as.piece);
    break;
  }
  return other;
}

static enum status copy_text(const ProtobufCMessage *message, const char *field, char *out, size_t size,
                             struct reason *why) {
  return snprintf(out, size, "%s", *(char **)field_in(message, field)) < (int)size
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "%s: 1 to %d characters expected", field, (int)size - 1);
}

static enum status read_payload(const ProtobufCMessage *message, struct order *out, struct reason *why) {
  switch (order_payload(out->kind)) {
  case PAYLOAD_NOTHING:
    break;
  case PAYLOAD_NAME:
  case PAYLOAD_SNAPSHOT:
  case PAYLOAD_THRUSTER:
    return copy_text(message, "name", out->name, sizeof out->name, why);
  case PAYLOAD_RATE:
    out->rate = *(double *)field_in(message, "rate");
    break;
  case PAYLOAD_SET_POINT:
    read_set_point((const Sagbend__V1__SetpointOrder *)message, &out->setpoint);
    break;
  case PAYLOAD_TENSIONER:
    return wire_read_tensioner_order((const Sagbend__V1__TensionerOrder *)message, &out->tensioner, why);
  case PAYLOAD_TRACK:
    return wire_read_track_order((const Sagbend__V1__TrackOrder *)message, &out->track, why);
  case PAYLOAD_FAULT:
    return wire_read_fault_order((const Sagbend__V1__FaultOrder *)message, out, why);
  case PAYLOAD_TEXT:
    return copy_text(message, "text", out->text, sizeof out->text, why);
  case PAYLOAD_LIST:
    out->manager.first = *(uint32_t *)field_in(message, "first");
    break;
  case PAYLOAD_FILE:
    return copy_text(message, "name", out->manager.name, sizeof out->manager.name, why);
  case PAYLOAD_PIECE:
    return wire_read_piece_order((const Sagbend__V1__FetchOrder *)message, &out->manager, why);
  }
  return STATUS_OK;
}

enum status wire_read_order_payload(const ProtobufCMessage *message, struct order *out, struct reason *why) {
  return read_payload(message, out, why) == STATUS_OK ? order_check_values(out, why) : STATUS_BAD_INPUT;
}
