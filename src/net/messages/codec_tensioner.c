// The tensioner in messages: orders, its state, what it is.
#include "net/messages/messages_internal.h"

#include <stdio.h>
#include <string.h>

void wire_fill_tensioner_command(const struct tensioner_setpoint *order,
                                 struct tensioner_command_message *out) {
  Sagbend__V1__TensionerCommand *message = &out->message;
  sagbend__v1__tensioner_brake__init(&out->brake);
  sagbend__v1__tensioner_command__init(message);
  switch (order->mode) {
  case TENSIONER_TENSION:
    message->order_case = SAGBEND__V1__TENSIONER_COMMAND__ORDER_TENSION_N;
    message->tension_n = order->tension_n;
    break;
  case TENSIONER_SPEED:
    message->order_case = SAGBEND__V1__TENSIONER_COMMAND__ORDER_SPEED_MPS;
    message->speed_mps = order->speed_mps;
    break;
  default:
    message->order_case = SAGBEND__V1__TENSIONER_COMMAND__ORDER_BRAKE;
    message->brake = &out->brake;
  }
}

enum status wire_read_tensioner_command(const Sagbend__V1__TensionerCommand *message,
                                        struct tensioner_setpoint *out, struct reason *why) {
  *out = (struct tensioner_setpoint){0};
  if (!message)
    return STATUS_OK;
  out->given = 1;
  switch (message->order_case) {
  case SAGBEND__V1__TENSIONER_COMMAND__ORDER_BRAKE:
    out->mode = TENSIONER_BRAKE;
    return STATUS_OK;
  case SAGBEND__V1__TENSIONER_COMMAND__ORDER_TENSION_N:
    out->mode = TENSIONER_TENSION;
    out->tension_n = message->tension_n;
    return STATUS_OK;
  case SAGBEND__V1__TENSIONER_COMMAND__ORDER_SPEED_MPS:
    out->mode = TENSIONER_SPEED;
    out->speed_mps = message->speed_mps;
    return STATUS_OK;
  default:
    return fail(why, STATUS_BAD_INPUT, "tensioner: brake, tension_n or speed_mps expected");
  }
}

void wire_fill_tensioner_order(const struct tensioner_setpoint *order, struct tensioner_order_message *out) {
  Sagbend__V1__TensionerOrder *message = &out->message;
  sagbend__v1__tensioner_brake__init(&out->brake);
  sagbend__v1__tensioner_release__init(&out->release);
  sagbend__v1__tensioner_order__init(message);
  if (!order->given) {
    message->order_case = SAGBEND__V1__TENSIONER_ORDER__ORDER_RELEASE;
    message->release = &out->release;
  } else if (order->mode == TENSIONER_TENSION) {
    message->order_case = SAGBEND__V1__TENSIONER_ORDER__ORDER_TENSION_N;
    message->tension_n = order->tension_n;
  } else if (order->mode == TENSIONER_SPEED) {
    message->order_case = SAGBEND__V1__TENSIONER_ORDER__ORDER_SPEED_MPS;
    message->speed_mps = order->speed_mps;
  } else {
    message->order_case = SAGBEND__V1__TENSIONER_ORDER__ORDER_BRAKE;
    message->brake = &out->brake;
  }
}

enum status wire_read_tensioner_order(const Sagbend__V1__TensionerOrder *message,
                                      struct tensioner_setpoint *out, struct reason *why) {
  *out = (struct tensioner_setpoint){.given =
                                         message->order_case != SAGBEND__V1__TENSIONER_ORDER__ORDER_RELEASE};
  switch (message->order_case) {
  case SAGBEND__V1__TENSIONER_ORDER__ORDER_RELEASE:
  case SAGBEND__V1__TENSIONER_ORDER__ORDER_BRAKE:
    return STATUS_OK;
  case SAGBEND__V1__TENSIONER_ORDER__ORDER_TENSION_N:
    out->mode = TENSIONER_TENSION;
    out->tension_n = message->tension_n;
    return STATUS_OK;
  case SAGBEND__V1__TENSIONER_ORDER__ORDER_SPEED_MPS:
    out->mode = TENSIONER_SPEED;
    out->speed_mps = message->speed_mps;
    return STATUS_OK;
  default:
    return fail(why, STATUS_BAD_INPUT, "tensioner: brake, tension_n, speed_mps or release expected");
  }
}

_Static_assert(SAGBEND__V1__TENSIONER_MODE__TENSIONER_MODE_SPEED == (int)TENSIONER_SPEED + 1 &&
                   SAGBEND__V1__TENSIONER_SOURCE__TENSIONER_SOURCE_OPERATOR == (int)TENSIONER_BY_OPERATOR + 1,
               "in the same order, after the unspecified one");

void wire_fill_tensioner_state(const struct tensioner_output *from, Sagbend__V1__TensionerState *out) {
  sagbend__v1__tensioner_state__init(out);
  out->mode = (Sagbend__V1__TensionerMode)(from->mode + 1);
  out->ordered = (Sagbend__V1__TensionerMode)(from->ordered + 1);
  out->source = (Sagbend__V1__TensionerSource)(from->source + 1);
  out->tension_set_n = from->tension_set_n;
  out->speed_set_mps = from->speed_set_mps;
  out->force_n = from->force_n;
  out->ordered_tension_n = from->ordered_tension_n;
  out->ordered_speed_mps = from->ordered_speed_mps;
}

void wire_fill_operation(struct operation_output *from, Sagbend__V1__OperationState *out) {
  sagbend__v1__operation_state__init(out);
  out->number = (uint32_t)from->number;
  out->count = (uint32_t)from->count;
  out->name = from->name;
  out->since_s = from->since_s;
  out->progress = from->progress;
  out->moves = (uint32_t)from->moves;
  out->held = from->held != 0;
  out->overdue = from->overdue != 0;
}

void wire_fill_tensioner_info(const struct wire_tensioner *from, Sagbend__V1__TensionerInfo *out) {
  sagbend__v1__tensioner_info__init(out);
  out->accepts_commands = from->accepts_commands != 0;
  out->tension_max_n = from->tension_max_n;
  out->speed_max_mps = from->speed_max_mps;
  out->grip_n = from->grip_n;
  out->brake_n = from->brake_n;
  out->motor_n = from->motor_n;
  out->motor_w = from->motor_w;
  out->dead_band_n = from->dead_band_n;
}

void wire_read_tensioner_info(const Sagbend__V1__TensionerInfo *message, struct wire_tensioner *out) {
  *out = (struct wire_tensioner){.accepts_commands = message->accepts_commands,
                                 .tension_max_n = message->tension_max_n,
                                 .speed_max_mps = message->speed_max_mps,
                                 .grip_n = message->grip_n,
                                 .brake_n = message->brake_n,
                                 .motor_n = message->motor_n,
                                 .motor_w = message->motor_w,
                                 .dead_band_n = message->dead_band_n};
}
