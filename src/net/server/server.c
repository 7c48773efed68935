// Receiving, and answers to single peers. Only server_poll blocks, for its time-out: what a peer does not
// accept is dropped.
#include "net/server/server.h"
#include "net/server/server_internal.h"

#include "net/networks/networks.h"
#include "net/zmtp/zmtp.h"
#include "sagbend/base/base.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES_PER_POLL = 64, HOUSEKEEPING_MS = 20 };

enum router_sent server_send_to(struct server *server, uint64_t connection, const uint8_t *data,
                                size_t size) {
  if (size == 0)
    return ROUTER_TAKEN;
  enum router_sent sent =
      router_send(server->router[network_of(connection)], connection & ~CONNECTION_OF_B, data, size);
  if (sent == ROUTER_FULL)
    server_deny_without_event(server, DENIED_UNREAD);
  return sent;
}

static void send_refusal(struct server *server, uint64_t to, enum refusal reason, uint64_t sequence,
                         const char *text) {
  struct wire_refusal refusal = {.reason = reason, .refused_sequence = sequence};
  wire_clean_text(refusal.text, sizeof refusal.text, text ? text : refusal_help(reason));
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header header =
      server_header(server, STREAM_REFUSAL, server->session.step, server->session.time_s);
  server_send_to(server, to, bytes, wire_pack_refusal(&header, &refusal, bytes, sizeof bytes));
}

void server_refuse_silently(struct server *server, const struct sender *from, enum refusal reason,
                            uint64_t sequence, const char *text) {
  send_refusal(server, from->connection, reason, sequence, text);
  gate_refuse_silently(&server->gate, server_peer_text(server, from).text, reason, text);
}

void server_refuse(struct server *server, const struct sender *from, enum refusal reason, uint64_t sequence,
                   const char *text) {
  send_refusal(server, from->connection, reason, sequence, text);
  gate_refuse(&server->gate, server_peer_text(server, from).text, reason, text);
}

static int server_meter(struct server *server, const struct sender *from, int *is_first);

// Whether the message is within the rate of its connection. The first one beyond is answered, all are
// counted.
static int is_within_rate(struct server *server, const struct sender *from) {
  int is_first;
  if (server_meter(server, from, &is_first))
    return 1;
  if (is_first)
    server_refuse_silently(server, from, REFUSED_RATE, 0, NULL);
  else
    gate_refuse_silently(&server->gate, server_peer_text(server, from).text, REFUSED_RATE, NULL);
  server_deny(server, DENIED_RATE, server_sender_text(from).text, NULL);
  return 0;
}

static struct sender server_sender_of(const struct router_message *message, int network);

// The next message that waits, of the networks in turn. *network: which.
static int take_message(struct server *server, struct router_message *message, int *network) {
  for (int i = 0; i < NETWORKS; i++) {
    *network = (server->next_network + i) % NETWORKS;
    if (server->router[*network] && router_receive(server->router[*network], message)) {
      server->next_network = (*network + 1) % NETWORKS;
      return 1;
    }
  }
  return 0;
}

// Handles one message, if one waits. Returns whether one did.
static int receive(struct server *server, const struct inbox *inbox) {
  struct router_message message;
  int network;
  if (!take_message(server, &message, &network))
    return 0;
  const struct sender from = server_sender_of(&message, network);
  server->message_ns = clock_ns();
  if (!is_within_rate(server, &from))
    ;
  else if (message.data)
    (server->handle ? server->handle : server_handle)(server, &from, message.data, message.size, inbox);
  else
    server_refuse(server, &from, REFUSED_MALFORMED, 0, "a single frame expected");
  server->message_ns = 0;
  return 1;
}

// Until no message waits; in lockstep until a command is accepted, because its step does not wait for the
// others. Returns whether a message has come.
static int receive_all(struct server *server, const struct inbox *inbox) {
  int any = 0;
  server->command_taken = 0;
  server->inbox = inbox;
  networks_deliver(server->networks, server);
  for (int i = 0; i < NETWORKS; i++)
    if (server->router[i])
      router_serve(server->router[i]);
  for (int handled = 0; handled < MESSAGES_PER_POLL && receive(server, inbox); handled++) {
    any = 1;
    if (server->gate.lockstep && server->command_taken)
      break;
  }
  return any;
}

uint64_t server_message_ns(const struct server *server) {
  return server->message_ns;
}

void server_watch(struct server *server, int file) {
  server->watched_file = file;
}

void server_attach(struct server *server, int file,
                   void (*serve)(void *bus, void (*on_command)(void *context, const struct command *command),
                                 void *context),
                   void *bus) {
  if (server->attachment_count < SERVER_ATTACHMENTS)
    server->attachment[server->attachment_count++] = (struct attachment){file, serve, bus};
}

struct gate *server_gate(struct server *server) {
  return &server->gate;
}

static void serve_attachments(struct server *server, const struct inbox *inbox) {
  for (int i = 0; i < server->attachment_count; i++)
    server->attachment[i].serve(server->attachment[i].bus, inbox->on_command, inbox->context);
}

static struct publisher_counts add_published(const struct server *server) {
  struct publisher_counts sum = {0, 0, 0, 0};
  for (int i = 0; i < NETWORKS; i++) {
    if (!server->publisher[i])
      continue;
    const struct publisher_counts *counts = publisher_counts(server->publisher[i]);
    sum.subscribers += counts->subscribers;
    sum.dropped += counts->dropped;
    sum.ignored += counts->ignored;
    sum.cut_off += counts->cut_off;
  }
  return sum;
}

// Everything but commands: what the last wait has reported, and now and then what depends on the clock.
static void keep_house(struct server *server) {
  int64_t now_ms = clock_ms();
  int is_due = now_ms >= server->next_housekeeping_ms;
  if (is_due)
    server->next_housekeeping_ms = now_ms + HOUSEKEEPING_MS;
  if (is_due) {
    server->guard.counts.connections = 0;
    for (int i = 0; i < NETWORKS && server->router[i]; i++)
      server->guard.counts.connections += (uint64_t)router_connection_count(server->router[i]);
    server_report_denials(server);
    gate_report_refused(&server->gate);
    server_report_floods(server);
    gate_forget_silent(&server->gate);
    server_watch_seats(server);
    server_watch_networks(server);
    gate_report_idle(&server->gate);
  }
  for (int i = 0; i < NETWORKS; i++)
    if (server->publisher[i] && (is_due || server->publisher_waits))
      publisher_serve(server->publisher[i]);
  if (is_due)
    server->published = add_published(server);
  server->publisher_waits = 0;
}

// The routers, then the publishers, then the others. poll passes over those that are not there.
enum {
  FILE_OF_PUBLISHER = NETWORKS,
  OTHER_FILES = 2 * NETWORKS,
  WAITS_FOR = OTHER_FILES + 1 + SERVER_ATTACHMENTS
};

static int wait_for_files(struct server *server, int timeout_ms) {
  struct pollfd file[WAITS_FOR] = {{.fd = -1}};
  int count = OTHER_FILES, has_work = 0;
  for (int i = 0; i < NETWORKS; i++) {
    file[i].fd = server->router[i] ? router_file(server->router[i]) : -1;
    file[FILE_OF_PUBLISHER + i].fd = server->publisher[i] ? publisher_file(server->publisher[i]) : -1;
    has_work |= server->router[i] && router_has_work(server->router[i]);
  }
  if (server->watched_file >= 0)
    file[count++].fd = server->watched_file;
  for (int i = 0; i < server->attachment_count; i++)
    file[count++].fd = server->attachment[i].file;
  for (int i = 0; i < count; i++)
    file[i].events = POLLIN;

  int ready = poll(file, (nfds_t)count, has_work ? 0 : timeout_ms);
  server->router_waits = has_work;
  for (int i = 0; i < NETWORKS && ready > 0; i++) {
    server->router_waits |= file[i].revents != 0;
    server->publisher_waits |= file[FILE_OF_PUBLISHER + i].revents != 0;
  }
  return ready;
}

enum status server_poll(struct server *server, int timeout_ms, uint64_t current_step,
                        void (*on_command)(void *context, const struct command *command), void *context,
                        struct reason *why) {
  const struct inbox inbox = {current_step, on_command, context};
  keep_house(server); // not between a command and the step that uses it
  if (!receive_all(server, &inbox)) {
    if (wait_for_files(server, timeout_ms) < 0 && errno != EINTR)
      return fail(why, STATUS_IO, "%s", strerror(errno));
    if (server->router_waits) // otherwise a step has ended, and its Sensors go first
      receive_all(server, &inbox);
  }
  serve_attachments(server, &inbox);
  return STATUS_OK;
}

const char *server_command_endpoint(const struct server *server) {
  return server->session.welcome.command_endpoint;
}

struct networks *server_networks(const struct server *server) {
  return server->networks;
}

const char *server_command_endpoint_b(const struct server *server) {
  return server->router[1] ? router_endpoint(server->router[1]) : "";
}

const char *server_telemetry_endpoint_b(const struct server *server) {
  return server->publisher[1] ? publisher_endpoint(server->publisher[1]) : "";
}

const char *server_telemetry_endpoint(const struct server *server) {
  return server->session.welcome.telemetry_endpoint;
}

const struct publisher_counts *server_telemetry_counts(const struct server *server) {
  return server->publisher[1] || !server->publisher[0] ? &server->published
                                                       : publisher_counts(server->publisher[0]);
}

const struct command_counts *server_counts(const struct server *server) {
  return &server->gate.counts;
}

const struct refused *server_newest_refused(const struct server *server, int index) {
  return refusals_newest(&server->gate.refusals, index);
}

const struct security_counts *server_security_counts(const struct server *server) {
  return &server->guard.counts;
}

// ------------------------------------------------------------
// Opening and closing: the sockets and their options.

enum { END_LINGER_MS = 300 }; // for the End message; nothing else needs to be waited for

static void on_gate_event(void *context, const char *name, const char *text) {
  if (strncmp(name, "refused", strlen("refused")) == 0)
    server_report(context, name, text); // limited by the gate
  else
    server_peer_event(context, name, text);
}

static void describe_gate(struct server *server, const struct session_info *session) {
  const struct config *config = session->config;
  struct gate *gate = &server->gate;
  gate->lockstep = config->run.mode == RUN_LOCKSTEP;
  gate->timeout_ms = (uint64_t)(1000 * config->net.command_timeout_s);
  gate->timeout_steps = steps_in_period_or_off(config->net.command_timeout_s, config->sim.step_s);
  gate->max_age_steps = steps_in_period_or_off(config->net.command_max_age_s, config->sim.step_s);
  gate->on_event = on_gate_event;
  gate->on_changeover = server_tell_changeover;
  gate->context = server;
  config_command_rules(config, session->initial_holding_force_b, &gate->rules);
  gate_init(gate);
}

static enum status make_room_for_nodes(struct server *server, int count) {
  server->node_count = count;
  server->node_capacity = wire_nodes_bytes((size_t)count);
  server->node_bytes = malloc(server->node_capacity);
  server->node_scratch = calloc(NODE_COLUMN_COUNT * (size_t)count + 1, sizeof(double));
  return server->node_bytes && server->node_scratch ? STATUS_OK : STATUS_NO_MEMORY;
}

static size_t largest_message(const struct server *server) {
  size_t session = wire_session_bytes(server->node_count), other = (size_t)WIRE_MAX_STATUS + WIRE_MAX_TIMING;
  size_t largest = server->node_capacity > session ? server->node_capacity : session;
  return largest > other ? largest : other;
}

static enum status open_all(struct server *server, const struct config *config,
                            const struct server_keys *keys, struct reason *why) {
#define X(topic, message, name, file, logged, each) topic,
  static const char *const topics[] = {TELEMETRY_TABLE(X) NULL};
#undef X
  // In lockstep a controller may take any time to answer, for example in a debugger, where it shows no sign
  // of life.
  const int heartbeat = config->run.mode != RUN_LOCKSTEP;
  const char *const commands[NETWORKS] = {config->net.command_endpoint, config->net.command_endpoint_b},
                    *const telemetry[NETWORKS] = {config->net.telemetry_endpoint,
                                                  config->net.telemetry_endpoint_b};
  enum status status = STATUS_OK;
  server->withholds_truth = config->net.withhold_truth;
  for (int i = 0; i < NETWORKS && status == STATUS_OK; i++) {
    if (*commands[i])
      status = server_guard_open(server, i, commands[i], heartbeat, keys, why);
    if (status == STATUS_OK && *telemetry[i] && !server->withholds_truth)
      status = server_open_publisher(server, i, telemetry[i], topics, largest_message(server), why);
  }
  server->gate.counts.buses.networks = server->router[1] ? NETWORKS : 1;
  if (status != STATUS_OK)
    return status;

  snprintf(server->session.welcome.command_endpoint, sizeof server->session.welcome.command_endpoint, "%s",
           router_endpoint(server->router[0]));
  snprintf(server->session.welcome.telemetry_endpoint, sizeof server->session.welcome.telemetry_endpoint,
           "%s", server->publisher[0] ? publisher_endpoint(server->publisher[0]) : "");
  return STATUS_OK;
}

static int is_of_controller(void *context, uint64_t connection) {
  const struct sender from = {.connection = connection};
  return server_find_peer(context, &from) >= 0;
}

static int is_of_controller_b(void *context, uint64_t connection) {
  return is_of_controller(context, connection | CONNECTION_OF_B);
}

void server_end_connections(struct server *server) {
  router_end(server->router[0], is_of_controller, server);
  if (server->router[1])
    router_end(server->router[1], is_of_controller_b, server);
}

void server_admit(struct server *server, int on) {
  if (server->closed == !on)
    return;
  for (int i = 0; i < NETWORKS; i++) {
    if (server->router[i])
      router_admit(server->router[i], on);
    if (server->publisher[i])
      publisher_admit(server->publisher[i], on);
  }
  server->closed = !on;
}

enum status server_open(const struct session_info *session, struct server **out, struct reason *why) {
  *out = NULL;
  struct server *server = calloc(1, sizeof *server);
  if (!server)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the server");
  server->watched_file = -1;
  server_session_init(&server->session, session);
  describe_gate(server, session);
  server->networks = networks_open(1);
  enum status status = server->networks ? make_room_for_nodes(server, session->node_count) : STATUS_NO_MEMORY;
  if (status == STATUS_OK)
    status = open_all(server, session->config, session->keys, why);
  else
    fail(why, status, "out of memory for %d nodes", session->node_count);
  if (status != STATUS_OK) {
    server_close(server);
    return status;
  }
  *out = server;
  return STATUS_OK;
}

void server_close(struct server *server) {
  if (!server)
    return;

  for (int i = 0; i < NETWORKS; i++) {
    publisher_close(server->publisher[i], server->ended ? END_LINGER_MS : 0);
    router_close(server->router[i], server->ended ? END_LINGER_MS : 0);
  }
  networks_close(server->networks);
  free(server->node_scratch);
  free(server->node_bytes);
  free(server);
}

// ------------------------------------------------------------
// The rate of messages on each connection.

static const double EACH_MS = 1000.0 / MESSAGES_PER_S;

// The meter of a connection, full if it is new in its slot.
static struct meter *find_meter(struct guard *guard, const struct sender *from) {
  struct meter *meter = &guard->meter[from->slot];
  if (meter->connection != from->connection)
    *meter = (struct meter){.connection = from->connection};
  return meter;
}

// Takes one message from the rate of the connection. Returns 0 if it is beyond; *is_first: the first of a
// burst.
static int server_meter(struct server *server, const struct sender *from, int *is_first) {
  struct meter *meter = find_meter(&server->guard, from);
  *is_first = 0;
  if (budget_take(&meter->budget, (double)clock_ms(), EACH_MS, MESSAGES_PER_S)) {
    meter->is_over &= meter->budget.left < 0.5 * MESSAGES_PER_S * EACH_MS;
    return 1;
  }
  *is_first = !meter->is_over;
  meter->is_over = 1;
  return 0;
}

void server_meter_return(struct server *server, const struct sender *from) {
  find_meter(&server->guard, from)->budget.left += EACH_MS;
}

// ------------------------------------------------------------
// Who is admitted to the command socket, and what each may send.

const struct peer_key *server_find_key(const struct server *server, const uint8_t key[CURVE_KEY],
                                       struct zmtp_admission *out) {
  const struct peer_key *found = admitted_keys_find(&server->guard.keys->admitted, key);
  char text[Z85_KEY_TEXT];
  z85_write_key(key, text);
  memset(out, 0, sizeof *out);
  out->owner = found;
  if (found)
    snprintf(out->who, sizeof out->who, "%s %s", peer_role_name(found->role), found->name);
  else
    snprintf(out->who, sizeof out->who, "key %s", text);
  return found;
}

static enum zmtp_failure admit(void *context, const uint8_t key[CURVE_KEY], struct zmtp_admission *out) {
  struct server *server = context;
  const struct peer_key *found = server_find_key(server, key, out);
  if (!found)
    return ZMTP_UNKNOWN_KEY;
  if (found->role != ROLE_CONTROLLER && found->role != ROLE_OPERATOR)
    return ZMTP_WRONG_ROLE;
  server->guard.counts.admitted++;
  return ZMTP_NO_FAILURE;
}

static void on_denial(void *context, enum zmtp_failure failure, const char *who) {
  server_deny_failure(context, failure, who, "");
}

static void on_excess(void *context, uint64_t attempts, const char *who) {
  struct server *server = context;
  char text[96];
  snprintf(text, sizeof text, "no connection beyond %d until %d are left", ROUTER_CONNECTIONS,
           ROUTER_CONNECTIONS_AGAIN);
  server->guard.counts.denied[DENIED_TOO_MANY] += attempts - 1;
  server_deny(server, DENIED_TOO_MANY, who, text);
}

void server_fill_keys(struct zmtp_keys *out, const struct server_keys *keys) {
  memcpy(out->own.public_key, keys->own.key.bytes, CURVE_KEY);
  memcpy(out->own.secret, keys->own.bytes, CURVE_KEY);
}

enum status server_guard_open(struct server *server, int network, const char *endpoint, int heartbeat,
                              const struct server_keys *keys, struct reason *why) {
  struct zmtp_keys own = {.admit = admit, .context = server};
  const struct router_options options = {.keys = keys ? &own : NULL,
                                         .heartbeat = heartbeat,
                                         .on_denial = on_denial,
                                         .on_excess = on_excess,
                                         .context = server};
  server->guard.keys = keys;
  server->guard.counts.keys_required = keys != NULL;
  if (keys)
    server_fill_keys(&own, keys);
  enum status status = router_open(endpoint, &options, &server->router[network], why);
  curve_forget_keys(&own.own);
  return status;
}

static struct sender server_sender_of(const struct router_message *message, int network) {
  const struct peer_key *key = message->key ? message->key->owner : NULL;
  return (struct sender){.connection = message->connection | (network ? CONNECTION_OF_B : 0),
                         .slot = message->slot + network * ROUTER_CONNECTIONS,
                         .role = key ? (int)key->role : -1,
                         .key = key ? key->name : "",
                         .address = message->address};
}

// Without keys every peer may send everything.
int server_may_send(const struct sender *from, enum wire_kind kind) {
  switch (kind) {
  case WIRE_HELLO:
  case WIRE_COMMAND:
  case WIRE_CONTROLLER_VIEW:
    return from->role < 0 || from->role == ROLE_CONTROLLER;
  case WIRE_ORDER:
    return from->role < 0 || from->role == ROLE_OPERATOR;
  default:
    return 1; // refused as malformed, whoever sends it
  }
}

struct sender_text server_sender_text(const struct sender *from) {
  struct sender_text out;
  if (from->role >= 0)
    snprintf(out.text, sizeof out.text, "%s %s from %s", peer_role_name((enum peer_role)from->role),
             from->key, from->address);
  else
    snprintf(out.text, sizeof out.text, "%s", *from->address ? from->address : "a peer");
  return out;
}
