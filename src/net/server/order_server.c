#include "net/server/order_server.h"

#include "net/server/server_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct order_server {
  struct server server; // first: server_close releases both. It publishes nothing and has no controllers.
  void (*on_event)(const char *name, const char *text);
  take_wire_order *take;
  void *context;
  // Of the message in work: too large for the stack.
  struct wire_message message;
  struct wire_receipt receipt;
};

static void pass_event(void *context, uint64_t step, double time_s, const char *name, const char *text) {
  const struct order_server *server = context;
  (void)step;
  (void)time_s;
  if (server->on_event)
    server->on_event(name, text);
}

void order_server_on_event(struct order_server *server,
                           void (*on_event)(const char *name, const char *text)) {
  server->on_event = on_event;
}

static void refuse(struct order_server *server, const struct sender *to, enum refusal reason,
                   uint64_t sequence, const char *text) {
  server_refuse_silently(&server->server, to, reason, sequence, text);
}

static void deny_role(struct order_server *server, const struct sender *from, uint64_t sequence) {
  static const char text[] = "only the key of an operator may send orders";
  refuse(server, from, REFUSED_ROLE, sequence, text);
  server_deny(&server->server, DENIED_ROLE, server_sender_text(from).text, text);
}

static void carry_out(struct order_server *server, const struct sender *from) {
  struct order *order = &server->message.as.order;
  struct wire_receipt *receipt = &server->receipt;
  uint64_t sequence = server->message.header.sequence;
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct reason why = {""};
  if (from->role >= 0) // with a key the operator bears its name, whatever the message states
    snprintf(order->operator_name, sizeof order->operator_name, "%s", from->key);
  if (order->kind == ORDER_FETCH) // thousands of pieces of a log
    server_meter_return(&server->server, from);
  memset(receipt, 0, sizeof *receipt);
  receipt->received_sequence = sequence;
  if (server->take(server->context, order, receipt, &why) != STATUS_OK) {
    refuse(server, from, REFUSED_RANGE, sequence, why.text);
    return;
  }
  struct wire_header header = server_header(&server->server, STREAM_RECEIPT, 0, 0);
  size_t size = wire_pack_receipt(&header, receipt, bytes, sizeof bytes);
  if (size)
    server_send_to(&server->server, from->connection, bytes, size);
  else
    refuse(server, from, REFUSED_RANGE, sequence, "the answer does not fit into a message");
}

static void handle(struct server *base, const struct sender *from, const void *data, size_t size,
                   const struct inbox *inbox) {
  struct order_server *server = (struct order_server *)base;
  const struct wire_message *message = &server->message;
  struct reason why = {""};
  (void)inbox;
  enum wire_result result = wire_unpack(data, size, &server->message, &why);
  uint64_t sequence = message->header.sequence;
  if (result != WIRE_OK)
    refuse(server, from,
           result == WIRE_OTHER_PROTOCOL ? REFUSED_PROTOCOL
           : result == WIRE_NOT_FINITE   ? REFUSED_NOT_FINITE
                                         : REFUSED_MALFORMED,
           sequence, why.text);
  else if (!server_may_send(from, WIRE_ORDER))
    deny_role(server, from, sequence);
  else if (message->kind != WIRE_ORDER)
    refuse(server, from, REFUSED_MALFORMED, sequence,
           "an Order expected: a session manager answers here; its status names the endpoint of the session");
  else if (*message->header.session && strcmp(message->header.session, base->session.id) != 0)
    refuse(server, from, REFUSED_SESSION, sequence, NULL);
  else
    carry_out(server, from);
}

enum status order_server_open(const char *endpoint, const char *session, const struct server_keys *keys,
                              struct order_server **out, struct reason *why) {
  *out = NULL;
  struct order_server *server = calloc(1, sizeof *server);
  if (!server)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the server");
  struct server *base = &server->server;
  base->handle = handle;
  snprintf(base->session.id, sizeof base->session.id, "%s", session);
  gate_init(&base->gate);
  server_on_event(base, pass_event, server);
  enum status status = server_guard_open(base, endpoint, 1, keys, why);
  if (status == STATUS_OK && !keys && !router_is_local(base->router))
    status = fail(why, STATUS_BAD_INPUT,
                  "%s: an endpoint on the loopback interface or ipc expected, or --server-key and "
                  "--admitted-keys",
                  endpoint);
  if (status != STATUS_OK) {
    server_close(base);
    return status;
  }
  *out = server;
  return STATUS_OK;
}

void order_server_close(struct order_server *server) {
  if (server)
    server_close(&server->server);
}

const char *order_server_endpoint(const struct order_server *server) {
  return router_endpoint(server->server.router);
}

enum status order_server_poll(struct order_server *server, int timeout_ms, int file, take_wire_order *take,
                              void *context, struct reason *why) {
  server->take = take;
  server->context = context;
  server_watch(&server->server, file);
  return server_poll(&server->server, timeout_ms, 0, NULL, NULL, why);
}
