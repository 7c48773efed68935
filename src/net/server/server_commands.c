// Messages that have come, and commands of controllers on their way to the gate.
#include "net/server/server_internal.h"

#include "net/networks/networks.h"
#include "net/zmtp/zmtp.h"
#include "sagbend/base/base.h"
#include "sagbend/events/events.h"
#include "sagbend/faults/faults.h"
#include "sagbend/signals/signals.h"

#include <inttypes.h>
#include <stdio.h>
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

// Of a controller that stands by: it shows that it is alive, and never acts.
static void handle_shadow(struct server *server, const struct sender *from,
                          const struct wire_message *message, enum refusal reason, const struct inbox *inbox,
                          struct reason *why) {
  if (reason == REFUSAL_COUNT)
    reason = gate_take_shadow(&server->gate, server_find_peer(server, from), message->header.sequence,
                              &message->as.command.command, inbox->current_step, why);
  if (reason != REFUSAL_COUNT)
    server_refuse(server, from, reason, message->header.sequence, *why->text ? why->text : NULL);
  else if (server->gate.lockstep)
    server_meter_return(server, from);
}

// By which network some controller brings nothing while the other one brings it.
static void note_silent(struct server *server) {
  for (int i = 0; i < NETWORKS; i++) {
    int is_silent = 0;
    for (int k = 0; k < GATE_CONTROLLERS; k++)
      is_silent |= server_has_peer(server, k) && server->peers[k].hearing.is_silent[i];
    server->gate.counts.buses.network[i].is_silent = is_silent || server->is_quiet[i];
  }
}

static void tell_quiet(struct server *server, int network, int is_quiet) {
  char text[GATE_TEXT];
  snprintf(text, sizeof text,
           is_quiet ? "network %s brings no commands, and network %s does not either"
                    : "network %s brings commands again",
           network_name(network), network_name(1 - network));
  server->is_quiet[network] = is_quiet;
  note_silent(server);
  server_peer_event(server, is_quiet ? EVENT_NAME(network_lost) : EVENT_NAME(network_again), text);
}

// Of both nothing tells which brings more; neither is as good as it was. Lockstep waits for its commands, and
// who is sent no Sensors need not answer.
void server_watch_networks(struct server *server) {
  const struct gate *gate = &server->gate;
  const int64_t most_ms =
      (int64_t)gate->timeout_ms > NETWORK_SILENT_MS ? (int64_t)gate->timeout_ms : NETWORK_SILENT_MS;
  note_silent(server);
  if (gate->cut) // by a fault
    server->sensors_since = 0;
  if (!server->router[1] || gate->lockstep || gate->held || !server->commanded_ms ||
      server->sensors_since < NETWORK_SILENT_MESSAGES ||
      gate_clock_ms(gate) - server->commanded_ms <= most_ms)
    return;
  for (int i = 0; i < NETWORKS; i++)
    if (!gate->counts.buses.network[i].is_silent)
      tell_quiet(server, i, 1);
}

static void tell_network(struct server *server, int peer, int network, int is_lost) {
  char text[GATE_TEXT];
  snprintf(text, sizeof text,
           is_lost ? "network %s brings no commands of %s, and network %s does"
                   : "network %s brings commands of %s again",
           network_name(network), gate_controller_text(&server->gate, peer).text, network_name(1 - network));
  note_silent(server);
  server_peer_event(server, is_lost ? EVENT_NAME(network_lost) : EVENT_NAME(network_again), text);
}

// Whether the other network has brought this old number as well; it is noted until it does.
static int is_old_twice(struct peer *p, int network, uint64_t sequence) {
  enum { KEPT = sizeof p->old[0].number / sizeof p->old[0].number[0] };
  struct old_numbers *there = &p->old[1 - network], *here = &p->old[network];
  for (int i = 0; i < KEPT && sequence; i++)
    if (there->number[i] == sequence) {
      there->number[i] = 0;
      return 1;
    }
  here->number[here->count++ % KEPT] = sequence;
  return 0;
}

// Notes a command by one of two networks, whatever is wrong with it. Returns 1 if the other one has brought
// it, or a later one: it does not act, and is not refused.
static int is_copy(struct server *server, int peer, int network, uint64_t sequence) {
  struct peer *p = &server->peers[peer];
  if (!server->router[1])
    return 0;
  const int is_new_here = sequence > p->sequence[network],
            is_repeated = sequence == p->sequence[network] && server->networks &&
                          networks_counts(server->networks, network).repeated; // by a switch
  const int is_copy = is_new_here || is_repeated ? sequence <= p->taken : is_old_twice(p, network, sequence);
  struct network_counts *counts = server->gate.counts.buses.network;
  counts[network].messages++;
  counts[network].messages_doubled += (uint64_t)is_copy;
  p->sequence[network] = is_new_here ? sequence : p->sequence[network];
  p->taken = sequence > p->taken ? sequence : p->taken;
  const int64_t now_ms = clock_ms();
  if (!p->hearing.heard_ms[1 - network])
    p->hearing.heard_ms[1 - network] = now_ms; // it is waited for from now on
  const int changed = network_heard(&p->hearing, network, now_ms);
  server->commanded_ms = gate_clock_ms(&server->gate) + 1; // 0 means none
  server->sensors_since = 0;
  if (server->is_quiet[network])
    tell_quiet(server, network, 0);
  if (changed & NETWORK_IS_BACK)
    tell_network(server, peer, network, 0);
  if (changed & NETWORK_OTHER_LOST)
    tell_network(server, peer, 1 - network, 1);
  return is_copy;
}

static void handle_command(struct server *server, const struct sender *from, struct wire_message *message,
                           const struct inbox *inbox) {
  int peer = server_find_peer(server, from);
  struct reason why = {""};
  enum refusal reason = find_refusal(server, peer, message, &why);
  if (peer >= 0 && is_copy(server, peer, network_of(from->connection), message->header.sequence)) {
    if (server->gate.lockstep)
      server_meter_return(server, from);
    return;
  }
  if (reason == REFUSAL_COUNT && dp_alarm_sources_check(server->session.order_rules.names,
                                                        &message->as.command.alarms, &why) != STATUS_OK)
    reason = REFUSED_RANGE;
  if (reason == REFUSAL_COUNT &&
      !gate_apply_faults(&server->gate, peer, &server->session.faults, &message->as.command.command)) {
    if (server->gate.lockstep)
      server_meter_return(server, from);
    return;
  }
  if (reason == REFUSAL_COUNT)
    gate_take_report(&server->gate, peer, message->as.command.command.based_on_step,
                     &message->as.command.alarms,
                     message->as.command.has_estimate ? message->as.command.estimate : NULL);
  if (message->as.command.is_shadow) {
    handle_shadow(server, from, message, reason, inbox, &why);
    return;
  }
  if (reason == REFUSAL_COUNT &&
      gate_find_hand_over(&server->gate, message->as.command.hand_over, &message->as.command.command.hands_to,
                          &why) != STATUS_OK)
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

const char *server_awaits_listed(const struct server *server) {
  return gate_awaits_listed(&server->gate);
}

int server_awaits_command(const struct server *server) {
  return !gate_is_cut(&server->gate, server->gate.seat);
}

int server_awaits_shadow(const struct server *server, uint64_t step) {
  return gate_awaits_shadow(&server->gate, step);
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

static void handle_now(struct server *server, const struct sender *from, const void *data, size_t size,
                       const struct inbox *inbox);

static void handle_later(void *owner, const void *where, const void *data, size_t size) {
  struct server *server = owner;
  struct sender from;
  memcpy(&from, where, sizeof from);
  server->message_ns = clock_ns();
  handle_now(server, &from, data, size, server->inbox);
  server->message_ns = 0;
}

// Faults of a network act on controllers; an operator can end them by either.
static int is_of_controller(const struct server *server, const struct sender *from, const void *data,
                            size_t size) {
  struct wire_message message;
  if (server_find_peer(server, from) >= 0 || from->role >= 0)
    return from->role < 0 || from->role == ROLE_CONTROLLER;
  return wire_unpack(data, size, &message, NULL) == WIRE_OK && message.kind == WIRE_HELLO;
}

void server_handle(struct server *server, const struct sender *from, const void *data, size_t size,
                   const struct inbox *inbox) {
  struct sender later = *from;
  later.address = ""; // it may end with the connection
  const struct network_message message = {.network = network_of(from->connection),
                                          .direction = NETWORK_IN,
                                          .data = data,
                                          .size = size,
                                          .deliver = handle_later,
                                          .owner = server,
                                          .where = &later,
                                          .where_size = sizeof later};
  const int times =
      networks_act(server->networks, message.network) && is_of_controller(server, from, data, size)
          ? networks_pass(server->networks, &message)
          : 1;
  for (int i = 0; i < times; i++)
    handle_now(server, from, data, size, inbox);
}

// A command that cannot be read comes by both networks, too, and is refused once.
static int is_refused_already(struct server *server, const struct sender *from,
                              const struct wire_message *message) {
  const int peer = server_find_peer(server, from);
  return peer >= 0 && message->meant == WIRE_COMMAND && message->header.sequence &&
         is_copy(server, peer, network_of(from->connection), message->header.sequence);
}

static void handle_now(struct server *server, const struct sender *from, const void *data, size_t size,
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
  if (result != WIRE_OK && is_refused_already(server, from, &message))
    return;
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

// ------------------------------------------------------------
// What was denied: counts, and events with who it was. A flood of denials makes few events: of each reason
// some at once, then one in a while, and from time to time the number of those without one.

static void leave_unreported(struct guard *guard, enum denial denial) {
  guard->counts.unreported++;
  unreported_add(&guard->unreported, (int)denial, clock_ms(), SUM_AFTER_MS);
}

// An event would be a message to the peer that does not read.
void server_deny_without_event(struct server *server, enum denial denial) {
  server->guard.counts.denied[denial]++;
  leave_unreported(&server->guard, denial);
}

void server_deny(struct server *server, enum denial denial, const char *who, const char *what) {
  struct guard *guard = &server->guard;
  guard->counts.denied[denial]++;
  // Each reason has its own budget, so that a flood for one reason does not hide who is denied for another.
  if (!event_budget_take(&guard->event_budget[denial], clock_ms())) {
    leave_unreported(guard, denial);
    return;
  }
  char name[WIRE_NAME], text[GATE_TEXT];
  snprintf(name, sizeof name, "denied_%s", denial_name(denial));
  snprintf(text, sizeof text, "%s: %s", *who ? who : "a peer", what ? what : denial_help(denial));
  server_report(server, name, text);
}

void server_deny_failure(struct server *server, enum zmtp_failure failure, const char *who,
                         const char *socket) {
  static const enum denial denials[] = {
      [ZMTP_NO_FAILURE] = DENIED_UNFINISHED,     [ZMTP_MALFORMED] = DENIED_HANDSHAKE,
      [ZMTP_WRONG_MECHANISM] = DENIED_MECHANISM, [ZMTP_WRONG_HANDSHAKE] = DENIED_HANDSHAKE,
      [ZMTP_UNKNOWN_KEY] = DENIED_UNKNOWN_KEY,   [ZMTP_WRONG_ROLE] = DENIED_ROLE,
      [ZMTP_WRONG_MESSAGE] = DENIED_MESSAGE,
  };
  char text[WIRE_MAX_TEXT + 1];
  snprintf(text, sizeof text, "%s%s", socket,
           failure == ZMTP_WRONG_ROLE ? "this socket is for controllers and operators"
                                      : denial_help(denials[failure]));
  server_deny(server, denials[failure], who, text);
}

static const char *name_of(int reason) {
  return denial_name((enum denial)reason);
}

void server_report_denials(struct server *server) {
  struct unreported *unreported = &server->guard.unreported;
  char text[WIRE_MAX_TEXT + 1];
  if (!unreported_is_due(unreported, clock_ms()))
    return;
  snprintf(text, sizeof text, "%" PRIu64 " more denied, without an event of their own:", unreported->in_all);
  unreported_take(unreported, name_of, text, sizeof text);
  server_report(server, EVENT_NAME(denied), text);
}
