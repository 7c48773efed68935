// Rows of orders, their checks and their texts.
#include "sagbend/orders/orders.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// The effect alone.
#define EFFECT_LOOP(act)    EFFECT_LOOP
#define EFFECT_RUN(act)     EFFECT_RUN
#define EFFECT_GATE(act)    EFFECT_GATE
#define EFFECT_ASK(act)     EFFECT_ASK
#define EFFECT_MANAGER(act) EFFECT_MANAGER
#define ROW(ID, word, number, payload, effect, present, arguments, help)                                     \
  {ORDER_##ID, word, PAYLOAD_##payload, EFFECT_##effect, arguments, help},
const struct order_row ORDER_ROWS[] = {ORDER_TABLE(ROW)};
#undef ROW
const int ORDER_ROW_COUNT = sizeof ORDER_ROWS / sizeof *ORDER_ROWS;

const struct order_row *order_row(enum order_kind kind) {
  for (int i = 0; i < ORDER_ROW_COUNT; i++)
    if (ORDER_ROWS[i].kind == kind)
      return &ORDER_ROWS[i];
  return NULL;
}

const struct order_row *order_called(const char *word) {
  for (int i = 0; i < ORDER_ROW_COUNT; i++)
    if (!strcmp(ORDER_ROWS[i].word, word))
      return &ORDER_ROWS[i];
  return NULL;
}

const char *order_word(enum order_kind kind) {
  const struct order_row *row = order_row(kind);
  return row ? row->word : "";
}

enum order_payload order_payload(enum order_kind kind) {
  const struct order_row *row = order_row(kind);
  return row ? row->payload : PAYLOAD_NOTHING;
}

int order_is_of_session(enum order_kind kind) {
  const struct order_row *row = order_row(kind);
  return row && row->effect <= EFFECT_GATE;
}

int order_is_question(enum order_kind kind) {
  const struct order_row *row = order_row(kind);
  return row && row->effect == EFFECT_ASK;
}

const char *order_giver(const struct order *order) {
  return *order->operator_name ? order->operator_name : "an operator";
}

// ------------------------------------------------------------
// What orders carry: which values are accepted, by themselves and in a session, and how they read. A row of
// PAYLOAD_TABLE (orders.h) names the functions check_..., check_session_... and text_...

// ---- Values by themselves ----
static enum status check_nothing(const struct order *order, struct reason *why) {
  (void)order;
  (void)why;
  return STATUS_OK;
}

static enum status check_some(const char *name, int size, struct reason *why) {
  return *name ? STATUS_OK : fail(why, STATUS_BAD_INPUT, "name: 1 to %d characters expected", size - 1);
}

static enum status check_name(const struct order *order, struct reason *why) {
  return check_some(order->name, SIGNAL_NAME, why);
}

static enum status check_thruster(const struct order *order, struct reason *why) {
  return check_some(order->name, SIGNAL_NAME, why);
}

static enum status check_file(const struct order *order, struct reason *why) {
  return check_some(order->manager.name, ORDER_FILE, why);
}

static enum status check_snapshot(const struct order *order, struct reason *why) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  const char *name = order->name;
  const size_t length = strlen(name);
  if (length > 0 && strspn(name, letters) == length && !strchr(".-_", name[0]))
    return STATUS_OK;
  return fail(why, STATUS_BAD_INPUT,
              "name: 1 to 23 letters, digits and characters of '.-_', the first of them a letter or a digit, "
              "expected, got '%s'",
              name);
}

static enum status check_rate(const struct order *order, struct reason *why) {
  static const double low = 0.05, high = 20;
  return order->rate >= low && order->rate <= high
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "rate: a number from %g to %g expected, got %g", low, high,
                    order->rate);
}

static enum status check_setpoint(const struct order *order, struct reason *why) {
  static const char *const names[3] = {"north_m", "east_m", "heading_rad"};
  static const double limits[3] = {MAX_SETPOINT_M, MAX_SETPOINT_M, MAX_SETPOINT_RAD};
  const struct order_setpoint *setpoint = &order->setpoint;
  if (!setpoint->given[0] && !setpoint->given[1] && !setpoint->given[2])
    return fail(why, STATUS_BAD_INPUT, "setpoint needs at least one of north, east and heading");
  for (int i = 0; i < 3; i++)
    if (setpoint->given[i] && !(fabs(setpoint->value[i]) <= limits[i]))
      return fail(why, STATUS_BAD_INPUT, "%s: a number from %g to %g expected, got %g", names[i], -limits[i],
                  limits[i], setpoint->value[i]);
  return STATUS_OK;
}

static enum status check_tensioner(const struct order *order, struct reason *why) {
  return check_nothing(order, why); // what it accepts depends on the session
}

static enum status check_track(const struct order *order, struct reason *why) {
  return track_order_check(&order->track, TRACK_SPEED_MAX, why);
}

static enum status check_fault(const struct order *order, struct reason *why) {
  return order->duration_s >= 0 && order->duration_s <= 1e9
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "duration_s: a number from 0 to 1e9 expected");
}

static enum status check_text(const struct order *order, struct reason *why) {
  const char *text = order->text;
  const size_t blanks = strspn(text, " "), length = strlen(text);
  for (size_t i = 0; i < length; i++)
    if (text[i] < 0x20 || text[i] > 0x7e)
      return fail(why, STATUS_BAD_INPUT, "text: printable ASCII expected, got another character at %zu",
                  i + 1);
  return blanks < length ? STATUS_OK
                         : fail(why, STATUS_BAD_INPUT,
                                "text: 1 to %d characters that are not all blanks expected", ORDER_TEXT - 1);
}

// ---- What the session permits ----
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
    return fail(why, STATUS_BAD_INPUT, "name: the name of one thruster expected, got '%s'", order->name);
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

static enum status check_session_fault(struct order *order, const struct order_rules *rules,
                                       struct reason *why) {
  if (order_find_fault(order, rules->names, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  if (fault_target_of(order->fault.kind) == TARGET_SETPOINT)
    return fail(why, STATUS_BAD_INPUT, "kind: '%s' is an event of a configuration; the order is set-point",
                order->request.kind);
  if (order->fault.kind == FAULT_TAKE_OVER)
    return fail(why, STATUS_BAD_INPUT,
                "kind: 'take_over' is an event of a configuration; the order is take-over");
  if (!*order->name)
    snprintf(order->name, sizeof order->name, "%.*s-%" PRIu64, SIGNAL_NAME - 8, order->request.kind,
             order->number % 1000000);
  return STATUS_OK;
}

// A release asks for no more than an order that the tensioner accepts.
static enum status check_session_tensioner(struct order *order, const struct order_rules *rules,
                                           struct reason *why) {
  const struct tensioner_setpoint brake = {.given = 1, .mode = TENSIONER_BRAKE};
  return tensioner_setpoint_check(&rules->tensioner, TENSIONER_BY_OPERATOR,
                                  order->tensioner.given ? &order->tensioner : &brake, why);
}

static enum status check_session_track(struct order *order, const struct order_rules *rules,
                                       struct reason *why) {
  if (!rules->may_follow_route)
    return fail(why, STATUS_BAD_INPUT, "track needs a controller with a route (controller.dp_file)");
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
      "setpoint: within the outer watch circle, %g m, of the present target expected, got %.4g m from it; "
      "with --far it is accepted",
      rules->outer_circle_m, distance_m);
}

static enum status check_session_setpoint(struct order *order, const struct order_rules *rules,
                                          struct reason *why) {
  if (rules->is_setpoint_fixed)
    return fail(
        why, STATUS_BAD_INPUT,
        "setpoint is not allowed with controller.kind continuous: there the set-point is part of the model");
  return check_reach(&order->setpoint, rules, why);
}

static enum status check_session_rate(struct order *order, const struct order_rules *rules,
                                      struct reason *why) {
  (void)order;
  return rules->mode == RUN_REALTIME
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT,
                    "rate needs mode realtime: in lockstep the controller sets the pace");
}

static enum status check_session_thruster(struct order *order, const struct order_rules *rules,
                                          struct reason *why) {
  return order_find_fault(order, rules->names, why);
}

// Every session permits the others.
static enum status check_session_nothing(struct order *order, const struct order_rules *rules,
                                         struct reason *why) {
  (void)order;
  (void)rules;
  (void)why;
  return STATUS_OK;
}
#define check_session_name     check_session_nothing
#define check_session_snapshot check_session_nothing
#define check_session_text     check_session_nothing
#define check_session_file     check_session_nothing

// ---- For people: what the order carries, as `sagbend ctl` reads it, with the blank before it ----
static void text_nothing(const struct order *order, const struct hil_names *names, char *out, size_t size) {
  (void)order;
  (void)names;
  (void)out;
  (void)size;
}
#define text_list text_nothing

static void text_name(const struct order *order, const struct hil_names *names, char *out, size_t size) {
  (void)names;
  snprintf(out, size, " %s", order->name);
}

static void text_rate(const struct order *order, const struct hil_names *names, char *out, size_t size) {
  (void)names;
  snprintf(out, size, " %g", order->rate);
}

static void text_setpoint(const struct order *order, const struct hil_names *names, char *out, size_t size) {
  static const char *const parts[3] = {"north", "east", "heading"};
  static const char *const units[3] = {"m", "m", "rad"};
  const struct order_setpoint *setpoint = &order->setpoint;
  size_t used = 0;
  (void)names;
  for (int i = 0; i < 3 && used < size; i++)
    if (setpoint->given[i])
      used += (size_t)snprintf(out + used, size - used, " %s %g %s", parts[i], setpoint->value[i], units[i]);
  if (setpoint->is_far && used < size)
    snprintf(out + used, size - used, ", far");
}

static void text_tensioner(const struct order *order, const struct hil_names *names, char *out, size_t size) {
  const struct tensioner_setpoint *to = &order->tensioner;
  const int holds_tension = to->mode == TENSIONER_TENSION;
  (void)names;
  if (!to->given)
    snprintf(out, size, " release");
  else if (to->mode == TENSIONER_BRAKE)
    snprintf(out, size, " brake");
  else
    snprintf(out, size, " %s %g %s", tensioner_mode_name((int)to->mode),
             holds_tension ? to->tension_n : to->speed_mps, holds_tension ? "N" : "m/s");
}

static void text_track(const struct order *order, const struct hil_names *names, char *out, size_t size) {
  (void)names;
  if (order->track.kind == TRACK_ORDER_SPEED)
    snprintf(out, size, " speed %g m/s", order->track.speed_mps);
  else
    snprintf(out, size, " %s", order->track.kind == TRACK_ORDER_STOP ? "stop" : "go");
}

static void text_fault(const struct order *order, const struct hil_names *names, char *out, size_t size) {
  snprintf(out, size, " %s on %s, called %s", order->request.kind,
           names ? fault_target_text(names, &order->fault).text : order->request.target, order->name);
}

static void text_text(const struct order *order, const struct hil_names *names, char *out, size_t size) {
  (void)names;
  snprintf(out, size, " %s", order->text);
}

static void text_file(const struct order *order, const struct hil_names *names, char *out, size_t size) {
  (void)names;
  snprintf(out, size, " %s", order->manager.name);
}
#define text_piece text_file

// ---- The table ----
static const struct payload {
  enum status (*check)(const struct order *order, struct reason *why);
  enum status (*check_session)(struct order *order, const struct order_rules *rules, struct reason *why);
  void (*text)(const struct order *order, const struct hil_names *names, char *out, size_t size);
} PAYLOADS[] = {
#define ROW(ID, carried, checked) [PAYLOAD_##ID] = {check_##checked, check_session_##checked, text_##carried},
    PAYLOAD_TABLE(ROW)
#undef ROW
};

enum status order_check_values(const struct order *order, struct reason *why) {
  return PAYLOADS[order_payload(order->kind)].check(order, why);
}

enum status order_check(struct order *order, const struct order_rules *rules, struct reason *why) {
  return PAYLOADS[order_payload(order->kind)].check_session(order, rules, why);
}

void order_text(const struct order *order, const struct hil_names *names, char out[ORDER_SAID]) {
  const int used = snprintf(out, ORDER_SAID, "%s", order_word(order->kind));
  PAYLOADS[order_payload(order->kind)].text(order, names, out + used, ORDER_SAID - (size_t)used);
}
