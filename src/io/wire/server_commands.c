// Commands of controllers, and why a command is refused.
#include "io/net/clock.h"
#include "io/wire/server_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Whether a command is based on sensors that are too old, or on a step that has not been published. In
// lockstep a step accepts the first answer to its own Sensors only: which of two answers arrives first would
// depend on the wall clock.
static int is_stale(const struct server *server, const struct command *command, uint64_t current_step,
                    struct reason *why) {
  if (command->based_on_step > current_step)
    return 1;
  if (!server_is_lockstep(server))
    return current_step - command->based_on_step > server->max_age_steps;
  if (command->based_on_step == current_step && server->answered_step != current_step + 1)
    return 0;
  if (command->based_on_step == current_step)
    fail(why, STATUS_BAD_INPUT, "step %" PRIu64 " accepts no further answer", current_step);
  else
    fail(why, STATUS_BAD_INPUT,
         "answers the sensors of step %" PRIu64 ", in lockstep those of step %" PRIu64 " expected",
         command->based_on_step, current_step);
  return 1;
}

// Whether another controller is in command and has not timed out. In lockstep the time-out counts simulated
// time: a controller may take any time to answer, and has gone only when its connection has.
static int commanded_by_another(const struct server *server, int peer, uint64_t current_step) {
  if (server->in_command < 0 || server->in_command == peer)
    return 0;
  return server_is_lockstep(server) ? current_step - server->commanded_step <= server->timeout_steps
                                    : clock_ms() - server->commanded_ms <= (int64_t)server->timeout_ms;
}

// The reason to refuse a command; REFUSAL_COUNT: accept it. why: filled if there is more to report.
static enum refusal find_refusal(struct server *server, int peer, const struct wire_message *message,
                                 uint64_t current_step, struct reason *why) {
  const struct wire_command *command = &message->as.command;
  if (strcmp(message->header.session, server->session) != 0)
    return REFUSED_SESSION;
  if (peer < 0 || strcmp(server->peers[peer].id, command->controller_id) != 0) {
    fail(why, STATUS_BAD_INPUT, "no Hello of this controller_id came over this connection: send Hello");
    return REFUSED_SESSION;
  }
  struct peer *sender = &server->peers[peer];
  if (message->header.sequence <= sender->last_sequence) {
    fail(why, STATUS_BAD_INPUT,
         "a sequence above %" PRIu64 " expected, got %" PRIu64 ": send Hello to start a new sequence",
         sender->last_sequence, message->header.sequence);
    return REFUSED_SEQUENCE;
  }
  sender->last_sequence = message->header.sequence;
  sender->tried_ms = clock_ms();
  if (command_check(&server->rules, &command->command, why) != STATUS_OK)
    return REFUSED_RANGE;
  if (commanded_by_another(server, peer, current_step))
    return REFUSED_NOT_CONTROLLER;
  if (is_stale(server, &command->command, current_step, why))
    return REFUSED_STALE;
  return REFUSAL_COUNT;
}

static void handle_command(struct server *server, const struct sender *from,
                           const struct wire_message *message, const struct inbox *inbox) {
  int peer = server_find_peer(server, from);
  if (peer >= 0 && server->peers[peer].connection != from->connection)
    peer = -1;
  struct reason why = {""};
  enum refusal reason = find_refusal(server, peer, message, inbox->current_step, &why);
  if (reason != REFUSAL_COUNT) {
    server_refuse(server, from->identity, from->identity_size, reason, message->header.sequence,
                  *why.text ? why.text : NULL);
    return;
  }
  if (server->in_command != peer)
    server_take_command(server, peer, "is in command");
  server->commanded_ms = clock_ms();
  server->commanded_step = inbox->current_step;
  server->answered_step = inbox->current_step + 1;
  server->counts.accepted++;
  inbox->on_command(inbox->context, &message->as.command.command);
}

void server_refuse_answers(struct server *server, uint64_t step) {
  server->answered_step = step + 1;
}

void server_handle(struct server *server, const struct sender *from, const void *data, size_t size,
                   const struct inbox *inbox) {
  int peer = server_find_peer(server, from);
  if (peer >= 0 && server->peers[peer].connection == from->connection)
    server->peers[peer].heard_ms = clock_ms();

  struct wire_message message;
  struct reason why = {""};
  enum wire_result result = wire_unpack(data, size, &message, &why);
  enum refusal refusal = result == WIRE_OTHER_PROTOCOL ? REFUSED_PROTOCOL
                         : result == WIRE_NOT_FINITE   ? REFUSED_NOT_FINITE
                                                       : REFUSED_MALFORMED;
  if (result != WIRE_OK)
    server_refuse(server, from->identity, from->identity_size, refusal, message.header.sequence, why.text);
  else if (message.kind == WIRE_HELLO)
    server_handle_hello(server, from, &message);
  else if (message.kind == WIRE_COMMAND)
    handle_command(server, from, &message, inbox);
  else if (message.kind == WIRE_ORDER)
    server_handle_order(server, from->identity, from->identity_size, &message);
  else
    server_refuse(server, from->identity, from->identity_size, REFUSED_MALFORMED, message.header.sequence,
                  "Hello, Command or Order expected");
}
