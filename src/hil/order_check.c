// Why an order is refused, as far as the order and the session's definition tell.
#include "hil/order.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static enum status check_name(const char *name, int size, struct reason *why) {
  return *name ? STATUS_OK : fail(why, STATUS_BAD_INPUT, "name: 1 to %d characters expected", size - 1);
}

static enum status check_snapshot_name(const char *name, struct reason *why) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  const size_t length = strlen(name);
  if (length > 0 && strspn(name, letters) == length && !strchr(".-_", name[0]))
    return STATUS_OK;
  return fail(
      why, STATUS_BAD_INPUT,
      "name: 1 to 23 letters, digits and characters of '.-_' expected, the first of them a letter or a "
      "digit, got '%s'",
      name);
}

static enum status check_rate(double rate, struct reason *why) {
  static const double low = 0.05, high = 20;
  return rate >= low && rate <= high
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "rate: a number from %g to %g expected, got %g", low, high, rate);
}

static enum status check_setpoint(const struct order_setpoint *setpoint, struct reason *why) {
  static const char *const names[3] = {"north_m", "east_m", "heading_rad"};
  static const double limits[3] = {MAX_SETPOINT_M, MAX_SETPOINT_M, MAX_SETPOINT_RAD};
  if (!setpoint->given[0] && !setpoint->given[1] && !setpoint->given[2])
    return fail(why, STATUS_BAD_INPUT, "set_point: at least one of north, east and heading expected");
  for (int i = 0; i < 3; i++)
    if (setpoint->given[i] && !(fabs(setpoint->value[i]) <= limits[i]))
      return fail(why, STATUS_BAD_INPUT, "%s: a number from %g to %g expected, got %g", names[i], -limits[i],
                  limits[i], setpoint->value[i]);
  return STATUS_OK;
}

static enum status check_duration(double duration_s, struct reason *why) {
  return duration_s >= 0 && duration_s <= 1e9
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "duration_s: a number from 0 to 1e9 expected");
}

static enum status check_text(const char *text, struct reason *why) {
  const size_t blanks = strspn(text, " "), length = strlen(text);
  for (size_t i = 0; i < length; i++)
    if (text[i] < 0x20 || text[i] > 0x7e)
      return fail(why, STATUS_BAD_INPUT, "text: printable ASCII expected, character %zu is another", i + 1);
  return blanks < length ? STATUS_OK
                         : fail(why, STATUS_BAD_INPUT, "text: 1 to %d characters expected, not only blanks",
                                ORDER_TEXT - 1);
}

enum status order_check_values(const struct order *order, struct reason *why) {
  switch (order_payload(order->kind)) {
  case PAYLOAD_NAME:
  case PAYLOAD_THRUSTER:
    return check_name(order->name, SIGNAL_NAME, why);
  case PAYLOAD_SNAPSHOT:
    return check_snapshot_name(order->name, why);
  case PAYLOAD_RATE:
    return check_rate(order->rate, why);
  case PAYLOAD_SET_POINT:
    return check_setpoint(&order->setpoint, why);
  case PAYLOAD_TRACK:
    return track_order_check(&order->track, TRACK_SPEED_MAX, why);
  case PAYLOAD_FAULT:
    return check_duration(order->duration_s, why);
  case PAYLOAD_TEXT:
    return check_text(order->text, why);
  case PAYLOAD_FILE:
  case PAYLOAD_PIECE:
    return check_name(order->manager.name, ORDER_FILE, why);
  case PAYLOAD_NOTHING:
  case PAYLOAD_TENSIONER:
  case PAYLOAD_LIST:
    break;
  }
  return STATUS_OK;
}

enum status order_find_fault(struct order *order, const struct hil_names *names, struct reason *why) {
  int where;
  struct reason what = {""};
  struct fault_request *request = &order->request;
  const enum order_payload payload = order_payload(order->kind);
  if (payload != PAYLOAD_FAULT && payload != PAYLOAD_THRUSTER)
    return STATUS_OK;
  if (payload == PAYLOAD_THRUSTER) {
    memset(request, 0, sizeof *request);
    snprintf(request->kind, sizeof request->kind, "%s", fault_name(FAULT_EMERGENCY_STOP));
    memcpy(request->target, order->name, sizeof request->target);
  }
  enum status status = fault_from_request(names, request, &order->fault, &where, &what);
  if (status == STATUS_OK && payload == PAYLOAD_THRUSTER && order->fault.target < 0)
    return fail(why, STATUS_BAD_INPUT, "name: that of one thruster expected, got '%s'", order->name);
  if (status == STATUS_OK)
    fault_to_request(names, &order->fault, request);
  return status == STATUS_OK ? STATUS_OK
                             : fail(why, status, "%s: %s",
                                    where >= FAULT_WRONG_PARAMETER ? request->parameter[where].name
                                    : where == FAULT_WRONG_KIND    ? "kind"
                                    : where == FAULT_WRONG_TARGET  ? "target"
                                                                   : request->kind,
                                    what.text);
}

static enum status check_fault(struct order *order, const struct order_rules *rules, struct reason *why) {
  if (order_find_fault(order, rules->names, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  if (fault_target_of(order->fault.kind) == TARGET_SETPOINT)
    return fail(why, STATUS_BAD_INPUT, "kind: '%s' is an event of a configuration; the order is set-point",
                order->request.kind);
  if (!*order->name)
    snprintf(order->name, sizeof order->name, "%.*s-%" PRIu64, SIGNAL_NAME - 8, order->request.kind,
             order->number % 1000000);
  return STATUS_OK;
}

// A release asks for no more than an order that the tensioner accepts.
static enum status check_tensioner(const struct order *order, const struct order_rules *rules,
                                   struct reason *why) {
  const struct tensioner_setpoint brake = {.given = 1, .mode = TENSIONER_BRAKE};
  return tensioner_setpoint_check(&rules->tensioner, TENSIONER_BY_OPERATOR,
                                  order->tensioner.given ? &order->tensioner : &brake, why);
}

static enum status check_track(const struct order *order, const struct order_rules *rules,
                               struct reason *why) {
  if (!rules->may_follow_route)
    return fail(why, STATUS_BAD_INPUT, "track: a controller with a route expected (controller.dp_file)");
  if (rules->setpoint_order)
    return fail(why, STATUS_BAD_INPUT, "track: order %" PRIu64 ", a set-point, has ended the route",
                rules->setpoint_order);
  return track_order_check(&order->track, rules->track_speed_max_mps, why);
}

// A number that was meant as a distance, or a wrong digit, would take the vessel off its pipe.
static enum status check_reach(const struct order_setpoint *setpoint, const struct order_rules *rules,
                               struct reason *why) {
  double move[2] = {0, 0};
  for (int i = 0; i < 2; i++)
    if (setpoint->given[i])
      move[i] = setpoint->value[i] - rules->target_n_m[i];
  const double distance_m = hypot(move[0], move[1]);
  if (!(rules->outer_circle_m > 0) || setpoint->is_far || distance_m <= rules->outer_circle_m)
    return STATUS_OK;
  return fail(
      why, STATUS_BAD_INPUT,
      "set_point: within the outer watch circle, %g m, of the present target expected, got %.4g m from it; "
      "with --far it is accepted",
      rules->outer_circle_m, distance_m);
}

enum status order_check(struct order *order, const struct order_rules *rules, struct reason *why) {
  switch (order_payload(order->kind)) {
  case PAYLOAD_FAULT:
    return check_fault(order, rules, why);
  case PAYLOAD_THRUSTER:
    return order_find_fault(order, rules->names, why);
  case PAYLOAD_SET_POINT:
    if (rules->is_setpoint_fixed)
      return fail(why, STATUS_BAD_INPUT,
                  "set_point: with controller.kind continuous the set-point is part of the model; sampled or "
                  "external expected");
    return check_reach(&order->setpoint, rules, why);
  case PAYLOAD_RATE:
    if (rules->mode != RUN_REALTIME)
      return fail(why, STATUS_BAD_INPUT,
                  "rate: mode realtime expected; in lockstep the controller sets the pace");
    break;
  case PAYLOAD_TENSIONER:
    return check_tensioner(order, rules, why);
  case PAYLOAD_TRACK:
    return check_track(order, rules, why);
  case PAYLOAD_NOTHING:
  case PAYLOAD_NAME:
  case PAYLOAD_SNAPSHOT:
  case PAYLOAD_TEXT:
  case PAYLOAD_LIST:
  case PAYLOAD_FILE:
  case PAYLOAD_PIECE:
    break;
  }
  return STATUS_OK;
}
