// The connections of the controllers, and their Hello.
#include "net/server/server_internal.h"

#include "sagbend/base/peer_name.h"

#include <stdio.h>
#include <string.h>

int server_has_peer(const struct server *server, int peer) {
  const struct controller *controller = &server->gate.controller[peer];
  return controller->used && server->peers[peer].number == controller->number;
}

void server_send(struct server *server, int index, const uint8_t *data, size_t size) {
  if (server_send_to(server, server->peers[index].connection, data, size) == ROUTER_GONE)
    gate_leave(&server->gate, index);
}

int server_send_to_all(struct server *server, const uint8_t *data, size_t size) {
  int count = 0;
  for (int i = 0; i < GATE_CONTROLLERS && size > 0; i++)
    if (server_has_peer(server, i)) {
      server_send(server, i, data, size);
      count++;
    }
  return count;
}

int server_find_peer(const struct server *server, const struct sender *from) {
  for (int i = 0; i < GATE_CONTROLLERS; i++)
    if (server_has_peer(server, i) && server->peers[i].connection == from->connection)
      return i;
  return -1;
}

struct gate_text server_peer_text(const struct server *server, const struct sender *from) {
  int peer = server_find_peer(server, from);
  struct gate_text out;
  if (peer >= 0)
    return gate_controller_text(&server->gate, peer);
  snprintf(out.text, sizeof out.text, "%s", server_sender_text(from).text);
  return out;
}

void server_send_welcome(struct server *server, int peer) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header header =
      server_header(server, STREAM_WELCOME, server->session.step, server->session.time_s);
  server->session.welcome.sequence_above = server->gate.controller[peer].last_sequence;
  size_t size = wire_pack_welcome(&header, &server->session.welcome, bytes, sizeof bytes);
  server_send(server, peer, bytes, size);
}

static void send_newest_sensors(struct server *server, int peer) {
  int answered = server->gate.lockstep && server->gate.answered_step > server->session.sensors_step;
  if (server->session.sensors_size > 0 && server->gate.controller[peer].used && !answered)
    server_send(server, peer, server->session.sensors, server->session.sensors_size);
}

// The place of the sender of a Hello: its own, perhaps over a new connection, or a new one. The id of a
// controller with another key is not its own.
static int find_place(struct server *server, const struct sender *from, const char *id, int *is_new) {
  int at = gate_find_id(&server->gate, id, from->key), old = server_find_peer(server, from);
  *is_new = at < 0;
  if (at < 0)
    return old >= 0 ? old : gate_make_place(&server->gate);
  if (old >= 0 && old != at)
    gate_leave(&server->gate, old);
  return at;
}

// A name belongs to the controllers of one key, and to a controller for as long as it is connected: an
// operator decides by names. Returns whether the Hello was refused.
static int refuse_name(struct server *server, const struct sender *from, const struct wire_hello *hello,
                       uint64_t sequence) {
  char text[GATE_TEXT];
  const struct gate *gate = &server->gate;
  int other = gate_find_namesake(gate, hello->name, from->key);
  int own = gate_find_id(gate, hello->controller_id, from->key);
  if (other >= 0) {
    snprintf(text, sizeof text, "name: one that no controller with another key has expected; %s is connected",
             gate_controller_text(gate, other).text);
    server_deny_role(server, from, sequence, text);
    return 1;
  }
  if (own < 0 || peer_name_is_same(gate->controller[own].name, hello->name))
    return 0;
  snprintf(text, sizeof text, "name: that of the first Hello of this controller_id expected, %s, got '%s'",
           gate_controller_text(gate, own).text, hello->name);
  server_refuse(server, from, REFUSED_MALFORMED, sequence, text);
  return 1;
}

void server_handle_hello(struct server *server, const struct sender *from,
                         const struct wire_message *message) {
  const struct wire_hello *hello = &message->as.hello;
  if (refuse_name(server, from, hello, message->header.sequence))
    return;
  int is_new, at = find_place(server, from, hello->controller_id, &is_new);
  struct controller *controller = &server->gate.controller[at];
  struct peer *peer = &server->peers[at];
  peer->connection = from->connection;
  peer->number = is_new ? server->gate.newcomers + 1 : controller->number;
  if (is_new)
    gate_join_with_key(&server->gate, at, hello->controller_id, from->key, hello->name, server->session.step);
  gate_heard(&server->gate, at);
  controller->last_sequence = message->header.sequence;
  server_send_welcome(server, at);
  if (!server->gate.held || server->gate.lockstep) // what stands still is not sent as if it were live
    send_newest_sensors(server, at);
  if (server->gate.held)
    server_send_status(server, at);
}
