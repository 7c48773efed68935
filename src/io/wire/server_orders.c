// Operators' orders, and why an order is refused.
#include "io/wire/server_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void server_on_order(struct server *server,
                     int (*take_order)(void *context, const struct order *order, int stop), void *context) {
  server->take_order = take_order;
  server->order_context = context;
}

static int is_active(const struct server *server, const char *name) {
  for (int i = 0; i < server->faults.count; i++)
    if (!strcmp(server->faults.fault[i].name, name))
      return 1;
  return 0;
}

// Checks and numbers a requested order. STATUS_BAD_INPUT: why it is refused.
static enum status check_order(const struct server *server, const struct wire_order *request,
                               struct order *order, struct reason *why) {
  memset(order, 0, sizeof *order);
  order->number = (server->order_number > server->last_order ? server->order_number : server->last_order) + 1;
  memcpy(order->name, request->name, sizeof order->name);
  if (request->kind == WIRE_ORDER_CLEAR) {
    order->kind = strcmp(request->name, "all") == 0 ? ORDER_CLEAR_ALL : ORDER_CLEAR;
    return order->kind == ORDER_CLEAR_ALL || is_active(server, request->name)
               ? STATUS_OK
               : fail(why, STATUS_BAD_INPUT, "name: that of an active fault or all expected, got '%s'",
                      request->name);
  }
  if (request->kind != WIRE_ORDER_FAULT)
    return fail(why, STATUS_BAD_INPUT, "not supported yet");
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
  if (is_active(server, order->name) || !strcmp(order->name, "all"))
    return fail(why, STATUS_BAD_INPUT, "name: one that no active fault has expected, got '%s'", order->name);
  uint64_t pending =
      server->order_number > server->last_order ? server->order_number - server->last_order : 0;
  if ((uint64_t)server->orders_active + pending >= MAX_ORDERS)
    return fail(why, STATUS_BAD_INPUT, "at most %d ordered faults at a time expected", MAX_ORDERS);
  return STATUS_OK;
}

static void send_receipt(struct server *server, const unsigned char *identity, size_t identity_size,
                         uint64_t sequence, const char *name) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_receipt receipt = {.received_sequence = sequence, .active_count = server->faults.count};
  snprintf(receipt.name, sizeof receipt.name, "%s", name);
  for (int i = 0; i < server->faults.count && i < WIRE_MAX_ACTIVE; i++) { // newest first
    const struct fault *fault = &server->faults.fault[server->faults.count - 1 - i];
    memcpy(receipt.active[i].name, fault->name, sizeof receipt.active[i].name);
    receipt.active[i].since_s = fault->since_s;
    fault_to_request(&server->names, fault, &receipt.active[i].fault);
  }
  struct wire_header header = server_header(server, STREAM_RECEIPT, server->step, server->time_s);
  server_send_to(server, identity, identity_size, bytes,
                 wire_pack_receipt(&header, &receipt, bytes, sizeof bytes));
}

static void report_order(struct server *server, const struct wire_order *request, const struct order *order) {
  char text[WIRE_MAX_TEXT + 1];
  const char *who = *request->operator_name ? request->operator_name : "an operator";
  if (request->kind == WIRE_ORDER_STOP)
    snprintf(text, sizeof text, "%s: stop", who);
  else if (request->kind == WIRE_ORDER_CLEAR)
    snprintf(text, sizeof text, "%s: clear %s", who, request->name);
  else
    snprintf(text, sizeof text, "%s: fault %s on %s, called %s", who, request->fault.kind,
             fault_target_text(&server->names, &order->fault).text, order->name);

  // Not limited in number, unlike the events of refused messages.
  server_publish_event(server, server->step, server->time_s, "order", text);
  if (server->on_event)
    server->on_event(server->event_context, server->step, server->time_s, "order", text);
}

void server_handle_order(struct server *server, const unsigned char *identity, size_t identity_size,
                         const struct wire_message *message) {
  const struct wire_order *request = &message->as.order;
  struct order order = {0};
  struct reason why = {""};
  if (*message->header.session && strcmp(message->header.session, server->session) != 0) {
    server_refuse(server, identity, identity_size, REFUSED_SESSION, message->header.sequence, NULL);
    return;
  }
  int stop = request->kind == WIRE_ORDER_STOP, changes = request->kind != WIRE_ORDER_LIST;
  if (changes && !server->take_order)
    fail(&why, STATUS_BAD_INPUT, "this session accepts no orders");
  else if (changes && !stop)
    check_order(server, request, &order, &why);
  if (changes && server->take_order && !*why.text &&
      !server->take_order(server->order_context, stop ? NULL : &order, stop))
    fail(&why, STATUS_BAD_INPUT, "too many orders at once");
  if (*why.text) {
    server_refuse(server, identity, identity_size, REFUSED_RANGE, message->header.sequence, why.text);
    return;
  }
  if (changes && !stop)
    server->order_number = order.number;
  if (changes)
    report_order(server, request, &order);
  send_receipt(server, identity, identity_size, message->header.sequence, order.name);
}
