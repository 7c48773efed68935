// Opening and closing: the sockets and their options.
#include "net/server/server_internal.h"

#include "sagbend/base/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  gate->context = server;
  config_command_rules(config, session->hold_wrench_b, &gate->rules);
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
  static const char *const topics[] = {"sensors", "truth",  "nodes",   "ledger", "timing", "event",
                                       "end",     "status", "session", "dp",     "alarm",  NULL};
  // In lockstep a controller may take any time to answer, for example in a debugger, where it shows no sign
  // of life.
  const int heartbeat = config->run.mode != RUN_LOCKSTEP;
  enum status status = server_guard_open(server, config->net.command_endpoint, heartbeat, keys, why);
  server->withholds_truth = config->net.withhold_truth;
  if (status == STATUS_OK && !server->withholds_truth)
    status =
        server_open_publisher(server, config->net.telemetry_endpoint, topics, largest_message(server), why);
  if (status != STATUS_OK)
    return status;

  snprintf(server->session.welcome.command_endpoint, sizeof server->session.welcome.command_endpoint, "%s",
           router_endpoint(server->router));
  snprintf(server->session.welcome.telemetry_endpoint, sizeof server->session.welcome.telemetry_endpoint,
           "%s", server->publisher ? publisher_endpoint(server->publisher) : "");
  return STATUS_OK;
}

static int is_of_controller(void *context, uint64_t connection) {
  const struct sender from = {.connection = connection};
  return server_find_peer(context, &from) >= 0;
}

void server_end_connections(struct server *server) {
  router_end(server->router, is_of_controller, server);
}

void server_admit(struct server *server, int on) {
  if (server->closed == !on)
    return;
  router_admit(server->router, on);
  if (server->publisher)
    publisher_admit(server->publisher, on);
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
  enum status status = make_room_for_nodes(server, session->node_count);
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

  publisher_close(server->publisher, server->ended ? END_LINGER_MS : 0);
  router_close(server->router, server->ended ? END_LINGER_MS : 0);
  free(server->node_scratch);
  free(server->node_bytes);
  free(server);
}
