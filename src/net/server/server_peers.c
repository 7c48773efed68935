// The connections of the controllers, and their Hello.
#include "net/server/server_internal.h"

#include "net/networks/networks.h"
#include "net/zmtp/zmtp.h"
#include "sagbend/base/base.h"
#include "sagbend/events/events.h"
#include "sagbend/faults/faults.h"
#include "sagbend/signals/signals.h"

#include <stdio.h>
#include <string.h>

int server_has_peer(const struct server *server, int peer) {
  const struct controller *controller = &server->gate.controller[peer];
  return controller->used && server->peers[peer].number == controller->number;
}

static void send_later(void *owner, const void *where, const void *data, size_t size) {
  uint64_t connection;
  memcpy(&connection, where, sizeof connection);
  server_send_to(owner, connection, data, size);
}

// To a controller, as the faults of the network let it pass.
static enum router_sent send_by_network(struct server *server, uint64_t connection, const uint8_t *data,
                                        size_t size) {
  enum router_sent sent = ROUTER_TAKEN;
  const int times =
      networks_pass(server->networks, &(struct network_message){.network = network_of(connection),
                                                                .direction = NETWORK_OUT,
                                                                .data = data,
                                                                .size = size,
                                                                .deliver = send_later,
                                                                .owner = server,
                                                                .where = &connection,
                                                                .where_size = sizeof connection});
  for (int i = 0; i < times; i++)
    sent = server_send_to(server, connection, data, size);
  return sent;
}

void server_send(struct server *server, int index, const uint8_t *data, size_t size) {
  struct peer *peer = &server->peers[index];
  int has_any = 0;
  for (int i = 0; i < NETWORKS; i++) {
    if (peer->connection[i] && send_by_network(server, peer->connection[i], data, size) == ROUTER_GONE)
      peer->connection[i] = 0;
    has_any |= peer->connection[i] != 0;
  }
  if (!has_any)
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
    if (server_has_peer(server, i) &&
        server->peers[i].connection[network_of(from->connection)] == from->connection)
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

// Who commands, as the controller at this place sees it.
static void describe_redundancy(struct server *server, int peer) {
  const struct gate *gate = &server->gate;
  const struct listed_controller *listed = gate->rules.controllers.item;
  struct wire_welcome *welcome = &server->session.welcome;
  const int seat = gate->controller[peer].seat, next = gate_next_seat(gate);
  if (!gate_has_seats(gate))
    return;
  welcome->has_redundancy = 1;
  welcome->redundancy = (struct wire_redundancy){.in_command = peer == gate->in_command,
                                                 .rank = seat >= 0 ? listed[seat].rank : 0};
  welcome->redundancy.is_backup = server_side_of(server, peer) == SIDE_BACKUP;
  snprintf(welcome->redundancy.commander, SIGNAL_NAME, "%s", listed[gate->seat].name);
  snprintf(welcome->redundancy.next, SIGNAL_NAME, "%s", next >= 0 ? listed[next].name : "");
  server->peers[peer].told_next = next + 1;
}

// The instruments that the controller at this place receives.
static void describe_instruments(const struct server *server, int peer, struct wire_welcome *welcome) {
  const uint32_t received = server_received(server, server_side_of(server, peer));
  int kept = 0;
  for (int i = 0; i < welcome->instrument_count; i++)
    if (received >> i & 1u)
      welcome->instrument[kept++] = welcome->instrument[i];
  welcome->instrument_count = kept;
}

// Over this connection; 0: over all of the controller.
static void send_welcome(struct server *server, int peer, uint64_t connection) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header header =
      server_header(server, STREAM_WELCOME, server->session.step, server->session.time_s);
  server->session.welcome.sequence_above = server->gate.controller[peer].last_sequence;
  describe_redundancy(server, peer);
  struct wire_welcome welcome = server->session.welcome;
  describe_instruments(server, peer, &welcome);
  size_t size = wire_pack_welcome(&header, &welcome, bytes, sizeof bytes);
  if (connection)
    send_by_network(server, connection, bytes, size);
  else
    server_send(server, peer, bytes, size);
}

void server_send_welcome(struct server *server, int peer) {
  send_welcome(server, peer, 0);
}

static void send_newest_sensors(struct server *server, int peer, uint64_t connection) {
  const struct gate *gate = &server->gate;
  const uint64_t step = server->session.sensors_step;
  const int is_cut = gate_is_cut(gate, gate->controller[peer].seat);
  const int answered =
      gate->lockstep && gate->answered_step > step && !gate_awaits_shadow_of(gate, peer, step);
  const enum controller_side side = server_side_of(server, peer);
  if (server->session.sensors_size[side] > 0 && gate->controller[peer].used && !answered && !is_cut)
    send_by_network(server, connection, server->session.sensors[side], server->session.sensors_size[side]);
}

// One of its connections: what is sent again comes once. 0: there is none.
static uint64_t a_connection(const struct peer *peer) {
  return peer->connection[0] ? peer->connection[0] : peer->connection[1];
}

void server_tell_changeover(void *context) {
  struct server *server = context;
  for (int i = 0; i < GATE_CONTROLLERS; i++)
    if (server_has_peer(server, i))
      server_send_welcome(server, i);
  const int place = server->gate.in_command;
  if (place >= 0 && server_has_peer(server, place) && !server->gate.held)
    send_newest_sensors(server, place, a_connection(&server->peers[place]));
}

// Without the Sensors of this step, which were kept from it, it would not answer.
void server_end_silence(struct server *server, uint32_t seats) {
  if (!seats || !server->gate.lockstep || server->session.sensors_step != server->session.step)
    return;
  for (int i = 0; i < GATE_CONTROLLERS; i++) {
    const int seat = server->gate.controller[i].seat;
    if (server_has_peer(server, i) && seat >= 0 && (seats >> seat & 1u))
      send_newest_sensors(server, i, a_connection(&server->peers[i]));
  }
}

static int is_connected(struct server *server, const struct peer *peer) {
  int any = 0;
  for (int i = 0; i < NETWORKS; i++)
    any |= peer->connection[i] && router_has(server->router[i], peer->connection[i] & ~CONNECTION_OF_B);
  return any;
}

// The one in command learns to whom it would hand over, when another one becomes the next.
static void tell_next(struct server *server) {
  const int place = server->gate.in_command;
  if (place >= 0 && server_has_peer(server, place) &&
      server->peers[place].told_next != gate_next_seat(&server->gate) + 1)
    server_send_welcome(server, place);
}

// A controller that stands by need not be sent anything: so its connection is looked at.
void server_watch_seats(struct server *server) {
  if (!gate_has_seats(&server->gate))
    return;
  for (int i = 0; i < GATE_CONTROLLERS; i++)
    if (server_has_peer(server, i) && !is_connected(server, &server->peers[i]))
      gate_leave(&server->gate, i);
  gate_watch_seats(&server->gate, server->session.step);
  tell_next(server);
}

// The place of the sender of a Hello: its own, perhaps over a new connection, or a new one. The id of a
// controller with another key is not its own. One that had this connection has gone, but that one of the same
// name is its successor, and takes its place.
static int find_place(struct server *server, const struct sender *from, const struct wire_hello *hello,
                      int *is_new) {
  const int at = gate_find_id(&server->gate, hello->controller_id, from->key),
            old = server_find_peer(server, from);
  *is_new = at < 0;
  if (old >= 0 && old != at) {
    if (at < 0 && peer_name_is_same(server->gate.controller[old].name, hello->name))
      return old;
    gate_leave(&server->gate, old);
  }
  return at >= 0 ? at : gate_make_place(&server->gate);
}

// A name belongs to the controllers of one key, and to a controller for as long as it is connected: an
// operator decides by names. Returns whether the Hello was refused.
static int refuse_name(struct server *server, const struct sender *from, const struct wire_hello *hello,
                       uint64_t sequence) {
  char text[5 * GATE_NAME]; // all of it: server_deny puts the name of the sender before it
  const struct gate *gate = &server->gate;
  int other = gate_find_namesake(gate, hello->name, from->key);
  int own = gate_find_id(gate, hello->controller_id, from->key);
  struct gate_text who;
  if (other >= 0) {
    snprintf(text, sizeof text, "name: %s is connected with another key; choose another name",
             gate_controller_text(gate, other).text);
    server_deny_role(server, from, sequence, text);
    return 1;
  }
  server_watch_seats(server); // one that has gone leaves its name
  if (gate_has_seats(gate) && gate_seat_is_taken(gate, hello->name, hello->controller_id, &who)) {
    snprintf(text, sizeof text, "name: %s is connected; each of controllers is there once", who.text);
    server_refuse(server, from, REFUSED_STANDBY, sequence, text);
    return 1;
  }
  if (own < 0 || peer_name_is_same(gate->controller[own].name, hello->name))
    return 0;
  snprintf(text, sizeof text,
           "name: %s, the name in the first Hello of this controller_id, expected, got '%s'",
           gate_controller_text(gate, own).text, hello->name);
  server_refuse(server, from, REFUSED_MALFORMED, sequence, text);
  return 1;
}

void server_handle_hello(struct server *server, const struct sender *from,
                         const struct wire_message *message) {
  const struct wire_hello *hello = &message->as.hello;
  if (refuse_name(server, from, hello, message->header.sequence))
    return;
  int is_new, at = find_place(server, from, hello, &is_new);
  struct controller *controller = &server->gate.controller[at];
  struct peer *peer = &server->peers[at];
  const int network = network_of(from->connection);
  if (is_new)
    *peer = (struct peer){.number = server->gate.newcomers + 1, .view_number = peer->view_number};
  peer->number = is_new ? peer->number : controller->number;
  if (message->header.sequence < peer->sequence[network] ||
      (message->header.sequence == peer->sequence[network] && from->connection != peer->connection[network]))
    peer->connection[1 - network] = peer->sequence[1 - network] = 0; // it has begun again: that one is old
  peer->connection[network] = from->connection;
  peer->sequence[network] = message->header.sequence;
  if (is_new)
    gate_join_with_key(&server->gate, at, hello->controller_id, from->key, hello->name, server->session.step);
  gate_heard(&server->gate, at);
  // A Hello over one network does not let commands act again that the other one has brought.
  if (!peer->connection[1 - network]) { // nor does it outrun those that are on their way over the other one
    controller->last_sequence = message->header.sequence;
    peer->taken = 0;
  }
  send_welcome(server, at, from->connection);
  if (is_new && server->gate.lockstep && server->on_join)
    server->on_join(server->join_context);
  if (!server->gate.held || server->gate.lockstep) // what stands still is not sent as if it were live
    send_newest_sensors(server, at, from->connection);
  if (server->gate.held)
    server_send_status(server, at);
}
