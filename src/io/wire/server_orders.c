// Operators' orders: why an order is refused, which orders are pending, the receipt.
#include "io/wire/server_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char HALT_NAME[] = "overrun";

void server_on_order(struct server *server,
                     enum status (*take_order)(void *context, const struct order *order, struct reason *why),
                     void *context) {
  server->take_order = take_order;
  server->order_context = context;
}

const struct order_counts *server_order_counts(const struct server *server) {
  return &server->orders;
}

static void forget_orders_in_effect(struct server *server) {
  int left = 0;
  for (int i = 0; i < server->pending_count; i++)
    if (server->pending[i].number > server->last_order)
      server->pending[left++] = server->pending[i];
  server->pending_count = left;
}

void server_take_setpoint(struct server *server, const double setpoint[3], uint64_t order) {
  struct wire_welcome *welcome = &server->welcome;
  welcome->has_setpoint = 1;
  memcpy(welcome->setpoint, setpoint, sizeof welcome->setpoint);
  welcome->setpoint_order = order;
  for (int i = 0; i < GATE_CONTROLLERS; i++)
    if (server_has_peer(server, i))
      server_send_welcome(server, i);
}

static void take_target(struct server *server, const struct loop_target *target) {
  if (target->order <= server->welcome.setpoint_order)
    return;
  const double setpoint[] = {target->position_n_m[0], target->position_n_m[1], target->heading_rad};
  server_take_setpoint(server, setpoint, target->order);
  server_publish_session(server);
}

static void take_track(struct server *server, const struct loop_target *target) {
  struct wire_track *track = &server->welcome.track;
  if (target->track_order <= track->order)
    return;
  *track = (struct wire_track){.orders = target->track_orders, .order = target->track_order};
  for (int i = 0; i < GATE_CONTROLLERS; i++)
    if (server_has_peer(server, i))
      server_send_welcome(server, i);
}

void server_take_orders(struct server *server, const struct frame *frame) {
  server->faults = frame->faults;
  server->orders_active = frame->orders_active;
  server->last_order = frame->last_order;
  forget_orders_in_effect(server);
  take_target(server, &frame->target);
  take_track(server, &frame->target);
}

static int is_active(const struct server *server, const char *name) {
  for (int i = 0; i < server->faults.count; i++)
    if (!strcmp(server->faults.fault[i].name, name))
      return 1;
  for (int i = 0; i < server->pending_count; i++)
    if (server->pending[i].kind == ORDER_FAULT && !strcmp(server->pending[i].name, name))
      return 1;
  return 0;
}

static int count_pending_faults(const struct server *server) {
  int count = 0;
  for (int i = 0; i < server->pending_count; i++)
    count += server->pending[i].kind == ORDER_FAULT;
  return count;
}

// Whether no steps are made once the pending orders are in effect.
static int will_be_held(const struct server *server) {
  int held = server->gate.held;
  for (int i = 0; i < server->pending_count; i++)
    if (server->pending[i].kind == ORDER_PAUSE || server->pending[i].kind == ORDER_RESUME)
      held = server->pending[i].kind == ORDER_PAUSE;
  return held;
}

static enum status check_fault(const struct server *server, const struct wire_order *request,
                               struct order *order, struct reason *why) {
  int where;
  struct reason what = {""};
  enum status status = fault_from_request(&server->names, &request->fault, &order->fault, &where, &what);
  if (status != STATUS_OK)
    return fail(why, status, "%s: %s",
                where >= FAULT_WRONG_PARAMETER ? request->fault.parameter[where].name
                : where == FAULT_WRONG_KIND    ? "kind"
                : where == FAULT_WRONG_TARGET  ? "target"
                                               : request->fault.kind,
                what.text);
  order->duration_s = request->duration_s;
  if (!*order->name)
    snprintf(order->name, sizeof order->name, "%.*s-%" PRIu64, SIGNAL_NAME - 8, request->fault.kind,
             order->number % 1000000);
  if (is_active(server, order->name) || !strcmp(order->name, ALL_FAULTS))
    return fail(why, STATUS_BAD_INPUT, "name: one that no active fault has expected, got '%s'", order->name);
  if (server->orders_active + count_pending_faults(server) >= MAX_ORDERS)
    return fail(why, STATUS_BAD_INPUT, "at most %d ordered faults at a time expected", MAX_ORDERS);
  return STATUS_OK;
}

// Whether the name is that of a halt (simulation.overrun): to clear it is to resume the run.
static int ends_halt(const struct server *server, const char *name) {
  return strcmp(name, HALT_NAME) == 0 && server->hold == HELD_BY_HALT && will_be_held(server);
}

static enum status check_clear(const struct server *server, struct order *order, struct reason *why) {
  if (!strcmp(order->name, ALL_FAULTS) || is_active(server, order->name))
    return STATUS_OK;
  if (ends_halt(server, order->name)) {
    order->kind = ORDER_RESUME;
    memset(order->name, 0, sizeof order->name);
    return STATUS_OK;
  }
  return fail(why, STATUS_BAD_INPUT, "name: that of an active fault or all%s expected, got '%s'",
              server->hold == HELD_BY_HALT ? " or overrun (which ends the halt, as resume does)" : "",
              order->name);
}

static enum status check_setpoint(const struct server *server, const struct wire_order *request,
                                  struct order *order, struct reason *why) {
  memcpy(order->setpoint_given, request->setpoint.given, sizeof order->setpoint_given);
  memcpy(order->setpoint, request->setpoint.value, sizeof order->setpoint);
  if (server->setpoint_fixed)
    return fail(why, STATUS_BAD_INPUT,
                "set_point: with controller.kind continuous the set-point is part of the model; sampled or "
                "external expected");
  return STATUS_OK;
}

static enum status check_rate(const struct server *server, const struct wire_order *request,
                              struct order *order, struct reason *why) {
  order->rate = request->rate;
  if (server->welcome.mode == RUN_REALTIME)
    return STATUS_OK;
  return fail(why, STATUS_BAD_INPUT,
              "rate: mode realtime expected; in lockstep the controller sets the pace");
}

// A release asks for no more than an order that the tensioner accepts.
static enum status check_tensioner(const struct server *server, const struct wire_order *request,
                                   struct order *order, struct reason *why) {
  const struct tensioner_setpoint brake = {.given = 1, .mode = TENSIONER_BRAKE};
  order->tensioner = request->tensioner;
  return tensioner_setpoint_check(&server->gate.rules.tensioner, TENSIONER_BY_OPERATOR,
                                  order->tensioner.given ? &order->tensioner : &brake, why);
}

// A route that an external controller may follow without the simulator's knowledge is not ruled out.
static enum status check_track(const struct server *server, const struct wire_order *request,
                               struct order *order, struct reason *why) {
  order->track = request->track;
  if (!server->scenario->track.route.count && !server->is_route_unknown)
    return fail(why, STATUS_BAD_INPUT, "track: a controller with a route expected (controller.dp_file)");
  if (server->welcome.setpoint_order)
    return fail(why, STATUS_BAD_INPUT, "track: order %" PRIu64 ", a set-point, has ended the route",
                server->welcome.setpoint_order);
  return track_order_check(&order->track, server->track_speed_max_mps, why);
}

// Checks and numbers a requested order. STATUS_BAD_INPUT: why it is refused.
static enum status check_order(const struct server *server, const struct wire_order *request,
                               struct order *order, struct reason *why) {
  int place;
  memset(order, 0, sizeof *order);
  if (!order_is_of_session(request->kind))
    return fail(why, STATUS_BAD_INPUT, "order: this is a simulator; that order is for a session manager");
  order->number = (server->order_number > server->last_order ? server->order_number : server->last_order) + 1;
  order->kind = request->kind;
  memcpy(order->name, request->name, sizeof order->name);
  memcpy(order->operator_name, request->operator_name, sizeof order->operator_name);
  if (server->pending_count == MAX_PENDING)
    return fail(why, STATUS_BAD_INPUT, "too many orders at once: at most %d between two steps expected",
                MAX_PENDING);
  switch (request->kind) {
  case ORDER_FAULT:
    return check_fault(server, request, order, why);
  case ORDER_CLEAR:
    return check_clear(server, order, why);
  case ORDER_SET_POINT:
    return check_setpoint(server, request, order, why);
  case ORDER_RATE:
    return check_rate(server, request, order, why);
  case ORDER_TENSIONER:
    return check_tensioner(server, request, order, why);
  case ORDER_TRACK:
    return check_track(server, request, order, why);
  case ORDER_PAUSE:
    return will_be_held(server) ? fail(why, STATUS_BAD_INPUT, "the session is paused already") : STATUS_OK;
  case ORDER_RESUME:
    return will_be_held(server) ? STATUS_OK : fail(why, STATUS_BAD_INPUT, "the session is not paused");
  case ORDER_TAKE_OVER:
    return gate_find_named(&server->gate, order->name, &place, why);
  case ORDER_STOP:
  case ORDER_RESET:
  case ORDER_SNAPSHOT:
  case ORDER_RESTORE: // the rest is checked by the run
    return STATUS_OK;
  default:
    return fail(why, STATUS_BAD_INPUT, "not supported yet");
  }
}

static void tensioner_text(const struct tensioner_setpoint *order, char *out, size_t size) {
  const int holds_tension = order->mode == TENSIONER_TENSION;
  if (!order->given)
    snprintf(out, size, "tensioner release");
  else if (order->mode == TENSIONER_BRAKE)
    snprintf(out, size, "tensioner brake");
  else
    snprintf(out, size, "tensioner %s %g %s", tensioner_mode_name((int)order->mode),
             holds_tension ? order->tension_n : order->speed_mps, holds_tension ? "N" : "m/s");
}

static void track_text(const struct track_order *order, char *out, size_t size) {
  if (order->kind == TRACK_ORDER_SPEED)
    snprintf(out, size, "track speed %g m/s", order->speed_mps);
  else
    snprintf(out, size, "track %s", order->kind == TRACK_ORDER_STOP ? "stop" : "go");
}

static void order_text(const struct server *server, const struct wire_order *request,
                       const struct order *order, char *out, size_t size) {
  static const char *const parts[3] = {"north", "east", "heading"};
  static const char *const units[3] = {"m", "m", "rad"};
  size_t used = 0;
  switch (order->kind) {
  case ORDER_FAULT:
    snprintf(out, size, "fault %s on %s, called %s", request->fault.kind,
             fault_target_text(&server->names, &order->fault).text, order->name);
    break;
  case ORDER_CLEAR:
    snprintf(out, size, "clear %s", request->name);
    break;
  case ORDER_SET_POINT:
    used = (size_t)snprintf(out, size, "set-point");
    for (int i = 0; i < 3; i++)
      if (order->setpoint_given[i])
        used +=
            (size_t)snprintf(out + used, size - used, " %s %g %s", parts[i], order->setpoint[i], units[i]);
    break;
  case ORDER_RATE:
    snprintf(out, size, "rate %g", order->rate);
    break;
  case ORDER_SNAPSHOT:
    snprintf(out, size, "snapshot %s", order->name);
    break;
  case ORDER_RESTORE:
    snprintf(out, size, "restore %s", order->name);
    break;
  case ORDER_TAKE_OVER:
    snprintf(out, size, "%s takes over", order->name);
    break;
  case ORDER_TENSIONER:
    tensioner_text(&order->tensioner, out, size);
    break;
  case ORDER_TRACK:
    track_text(&order->track, out, size);
    break;
  case ORDER_STOP:
    snprintf(out, size, "stop");
    break;
  case ORDER_PAUSE:
    snprintf(out, size, "pause");
    break;
  case ORDER_RESUME:
    snprintf(out, size, request->kind == ORDER_CLEAR ? "clear overrun: resume" : "resume");
    break;
  case ORDER_RESET:
    snprintf(out, size, "reset");
    break;
  default: // check_order lets only orders of a session pass
    break;
  }
}

static void report_order(struct server *server, const struct wire_order *request, const struct order *order) {
  char what[128], text[WIRE_MAX_TEXT + 1];
  order_text(server, request, order, what, sizeof what);
  snprintf(text, sizeof text, "%s: %s", *request->operator_name ? request->operator_name : "an operator",
           what);

  // Not limited in number, unlike the events of refused messages.
  server_publish_event(server, server->step, server->time_s, "order", text);
  if (server->on_event)
    server->on_event(server->event_context, server->step, server->time_s, "order", text);
}

void server_refuse_order(struct server *server, uint64_t to, enum refusal reason, uint64_t sequence,
                         const char *text) {
  struct wire_refusal refusal = {.reason = reason, .refused_sequence = sequence};
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  server->orders.refused++;
  wire_clean_text(refusal.text, sizeof refusal.text, text ? text : refusal_help(reason));
  struct wire_header header = server_header(server, STREAM_REFUSAL, server->step, server->time_s);
  server_send_to(server, to, bytes, wire_pack_refusal(&header, &refusal, bytes, sizeof bytes));
  server_peer_event(server, "refused_order", refusal.text);
}

static void list_fault(const struct server *server, const struct fault *fault, const char *name, int pending,
                       struct wire_active *out) {
  memcpy(out->name, name, sizeof out->name);
  out->since_s = pending ? server->time_s : fault->since_s;
  out->pending = pending;
  fault_to_request(&server->names, fault, &out->fault);
}

// The newest first: those that are pending, then those that are active.
static void list_faults(const struct server *server, struct wire_receipt *receipt) {
  int listed = 0;
  receipt->active_count = server->faults.count + count_pending_faults(server);
  for (int i = server->pending_count - 1; i >= 0 && listed < WIRE_MAX_ACTIVE; i--)
    if (server->pending[i].kind == ORDER_FAULT)
      list_fault(server, &server->pending[i].fault, server->pending[i].name, 1, &receipt->active[listed++]);
  for (int i = server->faults.count - 1; i >= 0 && listed < WIRE_MAX_ACTIVE; i--)
    list_fault(server, &server->faults.fault[i], server->faults.fault[i].name, 0, &receipt->active[listed++]);
}

static void send_receipt(struct server *server, uint64_t to, const struct wire_message *message,
                         const struct order *order) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_receipt receipt = {.received_sequence = message->header.sequence, .number = order->number};
  memcpy(receipt.name, order->name, sizeof receipt.name);
  list_faults(server, &receipt);
  receipt.has_status = message->as.order.kind == ORDER_STATUS;
  if (receipt.has_status)
    server_fill_status(server, &receipt.status);
  struct wire_header header = server_header(server, STREAM_RECEIPT, server->step, server->time_s);
  server_send_to(server, to, bytes, wire_pack_receipt(&header, &receipt, bytes, sizeof bytes));
}

// From here on the commands of this controller are accepted, and those of the others refused, until it is
// silent for the time-out. One that has gone since the order was checked is passed over: its event says so.
static void take_over(struct server *server, const struct order *order) {
  char how[128];
  int place;
  if (gate_find_named(&server->gate, order->name, &place, NULL) != STATUS_OK)
    return;
  snprintf(how, sizeof how, "takes over by order of %s",
           *order->operator_name ? order->operator_name : "an operator");
  server->guard.counts.take_overs++;
  gate_take_command(&server->gate, place, server->step, how);
}

// Checks the order and passes it on.
static enum status take_order(struct server *server, const struct wire_order *request, struct order *order,
                              struct reason *why) {
  if (!server->take_order)
    return fail(why, STATUS_BAD_INPUT, "this session accepts no orders");
  enum status status = check_order(server, request, order, why);
  if (status == STATUS_OK)
    status = server->take_order(server->order_context, order, why);
  if (status != STATUS_OK)
    return status;
  server->orders.accepted++;
  server->order_number = order->number;
  if (order->number > server->last_order)
    server->pending[server->pending_count++] = *order;
  report_order(server, request, order);
  if (order->kind == ORDER_TAKE_OVER)
    take_over(server, order);
  return STATUS_OK;
}

void server_handle_order(struct server *server, uint64_t from, const struct wire_message *message) {
  const struct wire_order *request = &message->as.order;
  struct order order = {0};
  struct reason why = {""};
  int asks = request->kind == ORDER_LIST || request->kind == ORDER_STATUS;
  if (*message->header.session && strcmp(message->header.session, server->session) != 0)
    server_refuse_order(server, from, REFUSED_SESSION, message->header.sequence, NULL);
  else if (!asks && take_order(server, request, &order, &why) != STATUS_OK)
    server_refuse_order(server, from, REFUSED_RANGE, message->header.sequence, why.text);
  else
    send_receipt(server, from, message, &order);
}
