// Operators' orders: why an order is refused, which orders are pending, the receipt.
#include "net/fields/fields.h"
#include "net/messages/messages.h"
#include "net/server/server_internal.h"

#include "net/networks/networks.h"
#include "sagbend/engine/engine.h"
#include "sagbend/events/events.h"
#include "sagbend/faults/faults.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
  for (int i = 0; i < server->session.pending_count; i++)
    if (server->session.pending[i].number > server->session.last_order)
      server->session.pending[left++] = server->session.pending[i];
  server->session.pending_count = left;
}

void server_take_setpoint(struct server *server, const double setpoint[3], uint64_t order) {
  struct wire_welcome *welcome = &server->session.welcome;
  welcome->has_setpoint = 1;
  memcpy(welcome->setpoint, setpoint, sizeof welcome->setpoint);
  welcome->setpoint_order = order;
  for (int i = 0; i < GATE_CONTROLLERS; i++)
    if (server_has_peer(server, i))
      server_send_welcome(server, i);
}

static void take_target(struct server *server, const struct loop_target *target) {
  memcpy(server->session.target_n_m, target->position_n_m, sizeof server->session.target_n_m);
  if (target->order <= server->session.welcome.setpoint_order)
    return;
  const double setpoint[] = {target->position_n_m[0], target->position_n_m[1], target->heading_rad};
  server_take_setpoint(server, setpoint, target->order);
  server_publish_session(server);
}

static void take_track(struct server *server, const struct loop_target *target) {
  struct wire_track *track = &server->session.welcome.track;
  if (target->track_order <= track->order)
    return;
  *track = (struct wire_track){.orders = target->track_orders, .order = target->track_order};
  for (int i = 0; i < GATE_CONTROLLERS; i++)
    if (server_has_peer(server, i))
      server_send_welcome(server, i);
}

void server_take_orders(struct server *server, const struct frame *frame) {
  const uint32_t cut = server->gate.cut;
  server->session.faults = frame->faults;
  gate_give_by_event(&server->gate, frame->changeover.given_to, frame->changeover.term, server->session.step);
  gate_take_faults(&server->gate, &frame->faults);
  server_end_silence(server, cut & ~server->gate.cut);
  networks_take_faults(server->networks, &frame->faults);
  server->session.orders_active = frame->orders_active;
  server->session.last_order = frame->last_order;
  forget_orders_in_effect(server);
  take_target(server, &frame->target);
  take_track(server, &frame->target);
}

static int begins_fault(const struct order *order) {
  return order->kind == ORDER_FAULT || order->kind == ORDER_EMERGENCY_STOP;
}

// The main/backup switch can be moved whoever is there; otherwise the controller is connected.
static enum status check_take_over(const struct server *server, struct order *order, struct reason *why) {
  const struct gate *gate = &server->gate;
  const int seat = gate_has_seats(gate) ? gate_find_listed(gate, order->name) : -1;
  int place = seat >= 0 ? gate_place_at(gate, seat) : -1;
  if ((seat < 0 || (place < 0 && !gate_is_behind_switch(gate, seat))) &&
      gate_find_named(gate, order->name, &place, why) != STATUS_OK)
    return STATUS_BAD_INPUT;
  if (!gate_has_seats(gate))
    return STATUS_OK;
  if (seat < 0)
    return fail(why, STATUS_BAD_INPUT, "name: a controller that the case lists expected, got '%.63s'",
                gate->controller[place].name);
  if (place >= 0 && place == gate->in_command)
    return fail(why, STATUS_BAD_INPUT, "name: a controller that stands by expected, %.63s is in command",
                gate->controller[place].name);
  snprintf(order->name, sizeof order->name, "%s",
           gate->rules.controllers.item[seat].name); // as the steps know it
  return STATUS_OK;
}

// Whether the order fits who is connected: the functions that ORDER_TABLE names.
static enum status check_gate(const struct server *server, struct order *order, struct reason *why) {
  typedef enum status check(const struct server *server, struct order *order, struct reason *why);
#define PRESENT_ALWAYS                                       NULL
#define PRESENT_IF(check)                                    NULL
#define PRESENT_AT_GATE(check)                               check
#define ROW(ID, word, number, payload, effect, present, ...) [ORDER_##ID] = PRESENT_##present,
  static check *const checks[] = {ORDER_TABLE(ROW)};
#undef ROW
  return checks[order->kind] ? checks[order->kind](server, order, why) : STATUS_OK;
}

// Whether the order fits what is in effect, what is pending, and who is there.
static enum status check_present(const struct server *server, struct order *order, struct reason *why) {
  const struct orders_present present = {.faults = &server->session.faults,
                                         .orders_active = server->session.orders_active,
                                         .is_held = server->gate.held,
                                         .is_halted = server->hold == HELD_BY_HALT,
                                         .pending = server->session.pending,
                                         .pending_count = server->session.pending_count};
  enum status status = order_check_present(&present, order, why);
  return status == STATUS_OK ? check_gate(server, order, why) : status;
}

// Numbers and checks an order. STATUS_BAD_INPUT: why it is refused.
static enum status check_order(const struct server *server, struct order *order, struct reason *why) {
  if (!order_is_of_session(order->kind))
    return fail(why, STATUS_BAD_INPUT, "order: this is a simulator; that order is for a session manager");
  order->number = (server->session.order_number > server->session.last_order ? server->session.order_number
                                                                             : server->session.last_order) +
                  1;
  if (server->session.pending_count == MAX_PENDING)
    return fail(why, STATUS_BAD_INPUT, "too many orders at once: at most %d are taken between two steps",
                MAX_PENDING);
  struct order_rules rules = server->session.order_rules;
  rules.setpoint_order = server->session.welcome.setpoint_order;
  memcpy(rules.target_n_m, server->session.target_n_m, sizeof rules.target_n_m);
  enum status status = order_check(order, &rules, why);
  return status == STATUS_OK ? check_present(server, order, why) : status;
}

static void report_order(struct server *server, enum order_kind asked, const struct order *order) {
  char what[ORDER_SAID], text[WIRE_MAX_TEXT + 1];
  const int is_note = order_payload(order->kind) == PAYLOAD_TEXT;
  const char *name = is_note ? order_word(order->kind) : EVENT_NAME(order);
  order_text(order, server->session.order_rules.names, what);
  snprintf(text, sizeof text, "%s: %s%s", order_giver(order),
           asked == order->kind ? "" : "clear overrun: ", is_note ? order->text : what);

  // Not limited in number, unlike the events of refused messages.
  server_report(server, name, text);
}

void server_refuse_order(struct server *server, uint64_t to, enum refusal reason, uint64_t sequence,
                         const char *text) {
  struct wire_refusal refusal = {.reason = reason, .refused_sequence = sequence};
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  server->orders.refused++;
  wire_clean_text(refusal.text, sizeof refusal.text, text ? text : refusal_help(reason));
  struct wire_header header =
      server_header(server, STREAM_REFUSAL, server->session.step, server->session.time_s);
  server_send_to(server, to, bytes, wire_pack_refusal(&header, &refusal, bytes, sizeof bytes));
  server_peer_event(server, "refused_order", refusal.text);
}

static void list_fault(const struct server *server, const struct fault *fault, const char *name, int pending,
                       struct wire_active *out) {
  memcpy(out->name, name, sizeof out->name);
  out->since_s = pending ? server->session.time_s : fault->since_s;
  out->pending = pending;
  fault_to_request(server->session.order_rules.names, fault, &out->fault);
}

// The newest first: those that are pending, then those that are active.
static void list_faults(const struct server *server, struct wire_receipt *receipt) {
  int listed = 0;
  receipt->active_count = server->session.faults.count;
  for (int i = 0; i < server->session.pending_count; i++)
    receipt->active_count += begins_fault(&server->session.pending[i]);
  for (int i = server->session.pending_count - 1; i >= 0 && listed < WIRE_MAX_ACTIVE; i--)
    if (begins_fault(&server->session.pending[i]))
      list_fault(server, &server->session.pending[i].fault, server->session.pending[i].name, 1,
                 &receipt->active[listed++]);
  for (int i = server->session.faults.count - 1; i >= 0 && listed < WIRE_MAX_ACTIVE; i--)
    list_fault(server, &server->session.faults.fault[i], server->session.faults.fault[i].name, 0,
               &receipt->active[listed++]);
}

static void answer_faults(struct server *server, struct wire_receipt *receipt, struct wire_status *status) {
  (void)status;
  list_faults(server, receipt);
}

static void answer_status(struct server *server, struct wire_receipt *receipt, struct wire_status *status) {
  list_faults(server, receipt);
  server_fill_status(server, status);
  receipt->status = status;
}

// Questions have answers of their own; the receipt of any other order lists the faults.
static void answer(struct server *server, enum order_kind kind, struct wire_receipt *receipt,
                   struct wire_status *status) {
  typedef void answer(struct server * server, struct wire_receipt * receipt, struct wire_status * status);
#define ANSWER_LOOP(act)                            answer_faults
#define ANSWER_RUN(act)                             answer_faults
#define ANSWER_GATE(act)                            answer_faults
#define ANSWER_ASK(act)                             act
#define ANSWER_MANAGER(act)                         answer_faults
#define ROW(ID, word, number, payload, effect, ...) [ORDER_##ID] = ANSWER_##effect,
  static answer *const answers[] = {ORDER_TABLE(ROW)};
#undef ROW
  answers[kind](server, receipt, status);
}

// A controller of the list without a newer shadow command.
static int is_silent(const struct server *server, int place) {
  return gate_has_seats(&server->gate) && !gate_has_shown_life(&server->gate, place);
}

static void warn(const struct server *server, const struct order *order, struct wire_receipt *receipt) {
  const struct gate *gate = &server->gate;
  const int seat =
      order->kind == ORDER_TAKE_OVER && gate_has_seats(gate) ? gate_find_listed(gate, order->name) : -1;
  const int place = gate_place_at(gate, seat);
  if (seat >= 0 && place < 0)
    snprintf(receipt->warning, sizeof receipt->warning,
             "%.63s is not connected: nobody commands until it comes or another one is ordered", order->name);
  else if (seat >= 0 && is_silent(server, place))
    snprintf(receipt->warning, sizeof receipt->warning,
             "%.63s has shown no sign of life: it has sent no shadow command lately", order->name);
  else if (seat >= 0 && gate_flaws(gate, &gate->controller[place])) {
    char flaws[FLAW_TEXT];
    gate_flaw_text(gate, &gate->controller[place], flaws);
    snprintf(receipt->warning, sizeof receipt->warning, "%.23s is not ready: %.110s", order->name, flaws);
  }
}

static void send_receipt(struct server *server, uint64_t to, uint64_t sequence, const struct order *order) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_status status;
  struct wire_receipt receipt = {.received_sequence = sequence, .number = order->number};
  memcpy(receipt.name, order->name, sizeof receipt.name);
  warn(server, order, &receipt);
  answer(server, order->kind, &receipt, &status);
  struct wire_header header =
      server_header(server, STREAM_RECEIPT, server->session.step, server->session.time_s);
  server_send_to(server, to, bytes, wire_pack_receipt(&header, &receipt, bytes, sizeof bytes));
}

// From here on the commands of this controller are accepted, and those of the others refused, until it is
// silent for the time-out. One that has gone since the order was checked is passed over: its event reports
// it.
static void take_over(struct server *server, const struct order *order) {
  struct gate *gate = &server->gate;
  char how[192];
  const int seat = gate_find_listed(gate, order->name);
  int place = gate_place_at(gate, seat);
  if (seat < 0 && gate_find_named(gate, order->name, &place, NULL) != STATUS_OK)
    return;
  snprintf(how, sizeof how, "takes over by order of %s%s", order_giver(order),
           place < 0                  ? " although it is not connected"
           : is_silent(server, place) ? " although it has shown no sign of life"
           : gate_has_seats(gate) && gate_flaws(gate, &gate->controller[place]) ? " although it is not ready"
                                                                                : "");
  server->guard.counts.take_overs++;
  if (gate_has_seats(gate))
    gate_give_by_order(gate, seat, order->number, server->session.step, how);
  else
    gate_take_command(gate, place, server->session.step, how);
}

// What an order does to the gate.
static void act_on_gate(struct server *server, const struct order *order) {
  typedef void act(struct server * server, const struct order *order);
#define GATE_LOOP(act)                              NULL
#define GATE_RUN(act)                               NULL
#define GATE_GATE(act)                              act
#define GATE_ASK(act)                               NULL
#define GATE_MANAGER(act)                           NULL
#define ROW(ID, word, number, payload, effect, ...) [ORDER_##ID] = GATE_##effect,
  static act *const acts[] = {ORDER_TABLE(ROW)};
#undef ROW
  if (acts[order->kind])
    acts[order->kind](server, order);
}

static void list_order(struct server *server, const struct order *order) {
  struct order_counts *counts = &server->orders;
  const enum order_effect effect = order_row(order->kind)->effect;
  if (effect != EFFECT_LOOP && effect != EFFECT_GATE)
    return;
  counts->acting++;
  if (counts->listed == ORDERS_LISTED)
    return;
  struct order_listed *listed = &counts->first[counts->listed++];
  *listed = (struct order_listed){
      .number = order->number, .step = server->session.step, .time_s = server->session.time_s};
  snprintf(listed->session, sizeof listed->session, "%.23s", server->session.id);
  memcpy(listed->operator_name, order->operator_name, sizeof listed->operator_name);
  order_text(order, server->session.order_rules.names, listed->text);
}

// Checks the order and passes it on.
static enum status take_order(struct server *server, struct order *order, struct reason *why) {
  const enum order_kind asked = order->kind;
  if (!server->take_order)
    return fail(why, STATUS_BAD_INPUT, "this session accepts no orders");
  enum status status = check_order(server, order, why);
  if (status == STATUS_OK)
    status = server->take_order(server->order_context, order, why);
  if (status != STATUS_OK)
    return status;
  server->orders.accepted++;
  list_order(server, order);
  server->session.order_number = order->number;
  if (order->number > server->session.last_order)
    server->session.pending[server->session.pending_count++] = *order;
  report_order(server, asked, order);
  act_on_gate(server, order);
  return STATUS_OK;
}

void server_handle_order(struct server *server, uint64_t from, const struct wire_message *message) {
  struct order order = message->as.order;
  const uint64_t sequence = message->header.sequence;
  struct reason why = {""};
  if (*message->header.session && strcmp(message->header.session, server->session.id) != 0)
    server_refuse_order(server, from, REFUSED_SESSION, sequence, NULL);
  else if (!order_is_question(order.kind) && take_order(server, &order, &why) != STATUS_OK)
    server_refuse_order(server, from, REFUSED_RANGE, sequence, why.text);
  else
    send_receipt(server, from, sequence, &order);
}
