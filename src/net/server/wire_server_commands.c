// Messages that have come, and commands of controllers on their way to the gate.
#include "net/server/server_internal.h"

#include <string.h>

// What the protocol asks of a command before it comes to the gate. REFUSAL_COUNT: nothing is wrong.
static enum refusal find_refusal(const struct server *server, int peer, const struct wire_message *message,
                                 struct reason *why) {
  if (strcmp(message->header.session, server->session.id) != 0) {
    fail(why, STATUS_BAD_INPUT,
         "header.session '%.40s' is not the present session, '%s': send Hello, as after each restart",
         message->header.session, server->session.id);
    return REFUSED_SESSION;
  }
  if (peer >= 0 && strcmp(server->gate.controller[peer].id, message->as.command.controller_id) == 0)
    return REFUSAL_COUNT;
  fail(why, STATUS_BAD_INPUT, "no Hello of this controller_id came over this connection: send Hello");
  return REFUSED_SESSION;
}

static void handle_command(struct server *server, const struct sender *from,
                           const struct wire_message *message, const struct inbox *inbox) {
  int peer = server_find_peer(server, from);
  struct reason why = {""};
  enum refusal reason = find_refusal(server, peer, message, &why);
  if (reason == REFUSAL_COUNT && dp_alarm_sources_check(server->session.order_rules.names,
                                                        &message->as.command.alarms, &why) != STATUS_OK)
    reason = REFUSED_RANGE;
  if (reason == REFUSAL_COUNT)
    reason = gate_admit(&server->gate, peer, message->header.sequence, &message->as.command.command,
                        inbox->current_step, &why);
  if (reason == REFUSAL_COUNT && server->gate.lockstep) // an answer to each step, however fast the steps are
    server_meter_return(server, from);
  server->command_taken |= reason == REFUSAL_COUNT;
  if (reason == REFUSAL_COUNT) {
    server->gate.alarms = &message->as.command.alarms;
    inbox->on_command(inbox->context, &message->as.command.command);
    server->gate.alarms = NULL;
  } else {
    server_refuse(server, from, reason, message->header.sequence, *why.text ? why.text : NULL);
  }
}

const struct dp_alarm_list *server_message_alarms(const struct server *server) {
  static const struct dp_alarm_list none;
  return server->gate.alarms ? server->gate.alarms : &none;
}

void server_refuse_answers(struct server *server, uint64_t step) {
  gate_refuse_answers(&server->gate, step);
}

// With a key the operator bears its name, whatever the message states.
static void handle_order(struct server *server, const struct sender *from, struct wire_message *message) {
  if (server->withholds_truth) {
    server_refuse_order(server, from->connection, REFUSED_ROLE, message->header.sequence,
                        "orders are refused where the truth is withheld (network.withhold_truth)");
    return;
  }
  if (from->role >= 0)
    snprintf(message->as.order.operator_name, sizeof message->as.order.operator_name, "%s", from->key);
  server_handle_order(server, from->connection, message);
}

void server_deny_role(struct server *server, const struct sender *from, uint64_t sequence, const char *text) {
  server_refuse_silently(server, from, REFUSED_ROLE, sequence, text);
  server_deny(server, DENIED_ROLE, server_sender_text(from).text, text);
}

void server_handle(struct server *server, const struct sender *from, const void *data, size_t size,
                   const struct inbox *inbox) {
  int peer = server_find_peer(server, from);
  if (peer >= 0)
    gate_heard(&server->gate, peer);

  struct wire_message message;
  struct reason why = {""};
  enum wire_result result = wire_unpack(data, size, &message, &why);
  enum refusal refusal = result == WIRE_OTHER_PROTOCOL ? REFUSED_PROTOCOL
                         : result == WIRE_NOT_FINITE   ? REFUSED_NOT_FINITE
                                                       : REFUSED_MALFORMED;
  if (result != WIRE_OK && message.meant == WIRE_ORDER)
    server_refuse_order(server, from->connection, refusal, message.header.sequence, why.text);
  else if (result != WIRE_OK)
    server_refuse(server, from, refusal, message.header.sequence, why.text);
  else if (!server_may_send(from, message.kind))
    server_deny_role(server, from, message.header.sequence,
                     message.kind == WIRE_ORDER ? "only the key of an operator may send orders"
                                                : "only the key of a controller may send Hello and commands");
  else if (message.kind == WIRE_HELLO)
    server_handle_hello(server, from, &message);
  else if (message.kind == WIRE_COMMAND)
    handle_command(server, from, &message, inbox);
  else if (message.kind == WIRE_ORDER)
    handle_order(server, from, &message);
  else if (message.kind == WIRE_CONTROLLER_VIEW)
    server_handle_view(server, from, &message);
  else
    server_refuse(server, from, REFUSED_MALFORMED, message.header.sequence,
                  "Hello, Command or Order expected");
}
