// The Status of a run: the server's part of it, and pauses.
#include "io/wire/server_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void server_on_status(struct server *server, void (*fill)(void *context, struct wire_status *status),
                      void *context) {
  server->fill_status = fill;
  server->status_context = context;
}

void server_hold(struct server *server, enum held hold) {
  server->hold = hold;
  gate_hold(&server->gate, hold != HELD_NOT);
}

static void fill_peers(const struct server *server, struct wire_status *out) {
  const struct gate *gate = &server->gate;
  int64_t now_ms = gate_clock_ms(gate);
  for (int i = 0; i < GATE_CONTROLLERS && out->peer_count < WIRE_MAX_PEERS; i++) {
    const struct controller *controller = &gate->controller[i];
    if (!controller->used)
      continue;
    struct wire_peer_status *peer = &out->peer[out->peer_count++];
    wire_clean_text(peer->name, sizeof peer->name, controller->name);
    snprintf(peer->key, sizeof peer->key, "%.*s", WIRE_KEY_NAME - 1, controller->key);
    peer->number = controller->number;
    peer->in_command = i == gate->in_command;
    peer->heard_s_ago = 1e-3 * (double)(now_ms - controller->heard_ms);
    peer->joined_s_ago = 1e-3 * (double)(now_ms - controller->joined_ms);
  }
}

void server_get_status(struct server *server, struct wire_status *out) {
  const struct wire_welcome *welcome = &server->session.welcome;
  memset(out, 0, sizeof *out);
  out->header.step = server->session.step;
  out->header.time_s = server->session.time_s;
  memcpy(out->header.session, server->session.id, sizeof out->header.session);
  memcpy(out->name, welcome->name, sizeof out->name);
  memcpy(out->telemetry_endpoint, welcome->telemetry_endpoint, sizeof out->telemetry_endpoint);
  out->mode = welcome->mode;
  out->has_setpoint = welcome->has_setpoint;
  memcpy(out->setpoint, welcome->setpoint, sizeof out->setpoint);
  out->setpoint_order = welcome->setpoint_order;
  out->has_track =
      welcome->track.order || (server->session.scenario && server->session.scenario->track.route.count);
  out->track = welcome->track;
  fill_peers(server, out);
  out->orders_accepted = server->orders.accepted;
  out->orders_refused = server->orders.refused;
  out->order_newest = server->session.order_number > server->session.last_order ? server->session.order_number
                                                                                : server->session.last_order;
  out->order_in_effect = server->session.last_order;
  out->fault_count = (uint64_t)server->session.faults.count;
  out->security = server->guard.counts;
  if (server->fill_status)
    server->fill_status(server->status_context, out);
}

void server_fill_status(struct server *server, struct wire_status *out) {
  server_get_status(server, out);
  out->header = server_header(server, STREAM_STATUS, server->session.step, server->session.time_s);
}

void server_send_status(struct server *server, int peer) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_status status;
  server_fill_status(server, &status);
  status.has_station = status.has_tensioner = 0; // a controller does not know the true position
  server_send(server, peer, bytes, wire_pack_status(&status, WIRE_ENVELOPE, bytes, sizeof bytes));
}

void server_publish_status(struct server *server, const struct frame *frame) {
  uint8_t bytes[WIRE_MAX_STATUS];
  struct wire_status status;
  server_fill_status(server, &status);
  const struct wire_judged judged = {frame, server->session.scenario};
  size_t size = frame && server->session.scenario
                    ? wire_pack_whole_status(&status, &judged, bytes, sizeof bytes)
                    : wire_pack_status(&status, WIRE_PLAIN, bytes, sizeof bytes);
  server_publish_packed(server, "status", bytes, size);
  status.has_station = status.has_tensioner = 0;
  if (server->gate.held)
    server_send_to_all(server, bytes, wire_pack_status(&status, WIRE_ENVELOPE, bytes, WIRE_MAX_ENVELOPE));
}

const struct wire_welcome *server_welcome(const struct server *server) {
  return &server->session.welcome;
}

void server_publish_session(struct server *server) {
  if (!server->session.about)
    return;
  size_t capacity = wire_session_bytes(server->node_count);
  uint8_t *bytes = malloc(capacity);
  struct wire_header header =
      server_header(server, STREAM_SESSION, server->session.step, server->session.time_s);
  if (bytes)
    server_publish_packed(
        server, "session", bytes,
        wire_pack_session(&header, &server->session.welcome, server->session.about, bytes, capacity));
  free(bytes);
}
