// The Status of a run: the server's part of it, and pauses.
#include "net/messages/status_message.h"
#include "net/zmtp/clock.h"
#include "net/server/server_internal.h"

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
  for (int i = 0; i < GATE_CONTROLLERS; i++) {
    const struct controller *controller = &gate->controller[i];
    Sagbend__V1__PeerStatus *peer = controller->used ? wire_status_peer(out) : NULL;
    if (!peer)
      continue;
    peer->name = wire_status_text(out, controller->name);
    peer->key = wire_status_text(out, controller->key);
    peer->number = controller->number;
    peer->in_command = i == gate->in_command;
    peer->never_commanded = gate_never_commanded(gate, i);
    peer->heard_s_ago = 1e-3 * (double)(now_ms - controller->heard_ms);
    peer->joined_s_ago = 1e-3 * (double)(now_ms - controller->joined_ms);
  }
}

static void fill_refused(const struct server *server, struct wire_status *out) {
  const struct refused *refused;
  wire_status_commands(out, &server->gate.counts);
  for (int i = 0; i < REFUSALS_SHOWN && (refused = refusals_newest(&server->gate.refusals, i)); i++) {
    Sagbend__V1__Refused *to = wire_status_refused(out);
    if (!to)
      return;
    to->peer = wire_status_text(out, refused->peer);
    to->reason = wire_status_text(out, refusal_name(refused->reason));
    to->text = wire_status_text(out, refused->text);
    to->count = refused->count;
    to->newest_s_ago = 1e-3 * (double)(clock_ms() - refused->newest_ms);
  }
}

void server_get_status(struct server *server, struct wire_status *out) {
  const struct wire_welcome *welcome = &server->session.welcome;
  Sagbend__V1__Status *message = &out->message;
  wire_begin_status(out);
  message->name = wire_status_text(out, welcome->name);
  message->telemetry_endpoint = wire_status_text(out, welcome->telemetry_endpoint);
  message->mode = (Sagbend__V1__RunMode)(welcome->mode + 1);
  const int has_route = server->session.scenario && server->session.scenario->track.route.count > 0;
  if (welcome->has_setpoint && (!has_route || welcome->setpoint_order))
    wire_status_setpoint(out, welcome->setpoint, welcome->setpoint_order);
  if (welcome->track.order || has_route)
    wire_status_track(out, &welcome->track);
  fill_peers(server, out);
  fill_refused(server, out);
  out->orders.accepted = server->orders.accepted;
  out->orders.refused = server->orders.refused;
  out->orders.newest = server->session.order_number > server->session.last_order
                           ? server->session.order_number
                           : server->session.last_order;
  out->orders.in_effect = server->session.last_order;
  message->fault_count = (uint64_t)server->session.faults.count;
  wire_status_security(out, &server->guard.counts);
  if (server->fill_status)
    server->fill_status(server->status_context, out);
}

void server_fill_status(struct server *server, struct wire_status *out) {
  server_get_status(server, out);
  struct wire_header header =
      server_header(server, STREAM_STATUS, server->session.step, server->session.time_s);
  wire_status_header(out, &header);
}

// A controller does not know the true position.
static void hide_truth(struct wire_status *status) {
  status->message.station = NULL;
  status->message.tensioner = NULL;
  status->message.operation = NULL;
}

void server_send_status(struct server *server, int peer) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_status status;
  server_fill_status(server, &status);
  hide_truth(&status);
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
  hide_truth(&status);
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
