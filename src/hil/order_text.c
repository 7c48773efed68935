// What was ordered, for people: the word of the order and what it carries, as `sagbend ctl` reads it.
#include "hil/order.h"

#include <stdio.h>

static void setpoint_text(const struct order_setpoint *setpoint, char *out, size_t size) {
  static const char *const parts[3] = {"north", "east", "heading"};
  static const char *const units[3] = {"m", "m", "rad"};
  size_t used = 0;
  for (int i = 0; i < 3 && used < size; i++)
    if (setpoint->given[i])
      used += (size_t)snprintf(out + used, size - used, " %s %g %s", parts[i], setpoint->value[i], units[i]);
  if (setpoint->is_far && used < size)
    snprintf(out + used, size - used, ", far");
}

static void tensioner_text(const struct tensioner_setpoint *order, char *out, size_t size) {
  const int holds_tension = order->mode == TENSIONER_TENSION;
  if (!order->given)
    snprintf(out, size, " release");
  else if (order->mode == TENSIONER_BRAKE)
    snprintf(out, size, " brake");
  else
    snprintf(out, size, " %s %g %s", tensioner_mode_name((int)order->mode),
             holds_tension ? order->tension_n : order->speed_mps, holds_tension ? "N" : "m/s");
}

static void track_text(const struct track_order *order, char *out, size_t size) {
  if (order->kind == TRACK_ORDER_SPEED)
    snprintf(out, size, " speed %g m/s", order->speed_mps);
  else
    snprintf(out, size, " %s", order->kind == TRACK_ORDER_STOP ? "stop" : "go");
}

static void fault_text(const struct order *order, const struct hil_names *names, char *out, size_t size) {
  snprintf(out, size, " %s on %s, called %s", order->request.kind,
           names ? fault_target_text(names, &order->fault).text : order->request.target, order->name);
}

// With the blank before it.
static void payload_text(const struct order *order, const struct hil_names *names, char *out, size_t size) {
  switch (order_payload(order->kind)) {
  case PAYLOAD_NAME:
  case PAYLOAD_SNAPSHOT:
  case PAYLOAD_THRUSTER:
    snprintf(out, size, " %s", order->name);
    break;
  case PAYLOAD_RATE:
    snprintf(out, size, " %g", order->rate);
    break;
  case PAYLOAD_SET_POINT:
    setpoint_text(&order->setpoint, out, size);
    break;
  case PAYLOAD_TENSIONER:
    tensioner_text(&order->tensioner, out, size);
    break;
  case PAYLOAD_TRACK:
    track_text(&order->track, out, size);
    break;
  case PAYLOAD_FAULT:
    fault_text(order, names, out, size);
    break;
  case PAYLOAD_TEXT:
    snprintf(out, size, " %s", order->text);
    break;
  case PAYLOAD_FILE:
  case PAYLOAD_PIECE:
    snprintf(out, size, " %s", order->manager.name);
    break;
  case PAYLOAD_NOTHING:
  case PAYLOAD_LIST:
    break;
  }
}

void order_text(const struct order *order, const struct hil_names *names, char out[ORDER_SAID]) {
  const int used = snprintf(out, ORDER_SAID, "%s", order_word(order->kind));
  payload_text(order, names, out + used, ORDER_SAID - (size_t)used);
}
