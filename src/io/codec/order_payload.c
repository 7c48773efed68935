// What an order carries: the message that Order and OrderUsed have in common. All members of their oneof are
// pointers to messages, numbered alike.
#include "io/codec/message_parts.h"

#include "sagbend/v1/log.pb-c.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define X(ID, number, carries)                                                                               \
  _Static_assert((int)SAGBEND__V1__ORDER__ORDER_##ID == (int)ORDER_##ID, "Order");
SESSION_ORDERS(X)
QUESTION_ORDERS(X)
MANAGER_ORDERS(X)
#undef X
#define X(ID, number, carries)                                                                               \
  _Static_assert((int)SAGBEND__V1__ORDER_USED__ORDER_##ID == (int)ORDER_##ID, "OrderUsed");
SESSION_ORDERS(X)
#undef X

// The message type of an order, by the number of its field.
static const ProtobufCMessageDescriptor *type_of(enum order_kind kind) {
  return protobuf_c_message_descriptor_get_field(&sagbend__v1__order__descriptor, (unsigned)kind)->descriptor;
}

// Several messages have nothing but a name. Where it stands in them:
static char **name_in(const ProtobufCMessage *message) {
  const ProtobufCFieldDescriptor *field =
      protobuf_c_message_descriptor_get_field_by_name(message->descriptor, "name");
  return (char **)((uintptr_t)message + field->offset);
}

static void fill_set_point(const struct wire_setpoint *setpoint, Sagbend__V1__SetpointOrder *out) {
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

static enum status read_set_point(const Sagbend__V1__SetpointOrder *message, struct wire_setpoint *out,
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

ProtobufCMessage *wire_fill_order(const struct wire_order *order, struct order_payload *room) {
  const enum order_carries carries = order_carries(order->kind);
  switch (carries) {
  case CARRIES_FAULT:
    wire_fill_fault_order(&order->fault, order->name, order->duration_s, &room->as.fault);
    break;
  case CARRIES_SET_POINT:
    fill_set_point(&order->setpoint, &room->as.set_point);
    break;
  case CARRIES_TENSIONER:
    wire_fill_tensioner_order(&order->tensioner, &room->as.tensioner);
    break;
  case CARRIES_TRACK:
    wire_fill_track_order(&order->track, &room->as.track);
    break;
  case CARRIES_RATE:
    sagbend__v1__rate_order__init(&room->as.rate);
    room->as.rate.rate = order->rate;
    break;
  case CARRIES_MANAGER:
    wire_fill_manager_order(order, &room->as.manager);
    break;
  case CARRIES_NOTHING:
  case CARRIES_NAME:
  case CARRIES_SNAPSHOT:
    protobuf_c_message_init(type_of(order->kind), &room->as.other);
    if (carries != CARRIES_NOTHING)
      *name_in(&room->as.other.base) = text_of(order->name);
    break;
  }
  return &room->as.other.base; // every member begins with its message
}

static int is_snapshot_name(const char *name) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  size_t length = strlen(name);
  return length > 0 && length < SIGNAL_NAME && strspn(name, letters) == length && !strchr(".-_", name[0]);
}

static enum status read_snapshot_name(const char *name, struct wire_order *out, struct reason *why) {
  if (!is_snapshot_name(name))
    return fail(why, STATUS_BAD_INPUT,
                "name: 1 to 23 letters, digits and characters of '.-_' expected, the first of them a letter "
                "or a digit, got '%.64s'",
                name);
  wire_copy_name(out->name, name);
  return STATUS_OK;
}

static enum status check_rate(double rate, struct reason *why) {
  static const double low = 0.05, high = 20;
  return rate >= low && rate <= high
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "rate: a number from %g to %g expected, got %g", low, high, rate);
}

static enum status read_name(const char *name, struct wire_order *out, struct reason *why) {
  return *name && wire_copy_name(out->name, name)
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "name: 1 to %d characters expected", SIGNAL_NAME - 1);
}

enum status wire_read_order_payload(const ProtobufCMessage *message, struct wire_order *out,
                                    struct reason *why) {
  switch (order_carries(out->kind)) {
  case CARRIES_FAULT:
    return wire_read_fault_order((const Sagbend__V1__FaultOrder *)message, out, why);
  case CARRIES_SET_POINT:
    return read_set_point((const Sagbend__V1__SetpointOrder *)message, &out->setpoint, why);
  case CARRIES_TENSIONER:
    return wire_read_tensioner_order((const Sagbend__V1__TensionerOrder *)message, &out->tensioner, why);
  case CARRIES_TRACK:
    return wire_read_track_order((const Sagbend__V1__TrackOrder *)message, &out->track, why);
  case CARRIES_RATE:
    out->rate = ((const Sagbend__V1__RateOrder *)message)->rate;
    return check_rate(out->rate, why);
  case CARRIES_NAME:
    return read_name(*name_in(message), out, why);
  case CARRIES_SNAPSHOT:
    return read_snapshot_name(*name_in(message), out, why);
  case CARRIES_MANAGER:
    return wire_read_manager_order(message, out, why);
  case CARRIES_NOTHING:
    break;
  }
  return STATUS_OK;
}
