// The controllers that are connected: their places, their Hello, and which of them is in command.
#include "io/net/clock.h"
#include "io/wire/server_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct peer_text server_peer_text(const struct server *server, int peer) {
  struct peer_text out;
  snprintf(out.text, sizeof out.text, "%s (number %" PRIu64 ")", server->peers[peer].name,
           server->peers[peer].number);
  return out;
}

void server_forget(struct server *server, int peer) {
  char text[WIRE_MAX_TEXT + 1];
  snprintf(text, sizeof text, "%s has gone", server_peer_text(server, peer).text);
  server->peers[peer].used = 0;
  if (server->in_command == peer)
    server->in_command = -1;
  server_peer_event(server, "controller_gone", text);
}

void server_send(struct server *server, int index, const uint8_t *data, size_t size) {
  struct peer *peer = &server->peers[index];
  if (!server_send_to(server, peer->identity, peer->identity_size, data, size) && errno == EHOSTUNREACH)
    server_forget(server, index);
}

void server_send_to_all(struct server *server, const uint8_t *data, size_t size) {
  for (int i = 0; i < MAX_PEERS; i++)
    if (server->peers[i].used)
      server_send(server, i, data, size);
}

int server_find_peer(const struct server *server, const struct sender *from) {
  for (int i = 0; i < MAX_PEERS; i++) {
    const struct peer *peer = &server->peers[i];
    if (peer->used && peer->identity_size == from->identity_size &&
        memcmp(peer->identity, from->identity, from->identity_size) == 0)
      return i;
  }
  return -1;
}

static int find_id(const struct server *server, const char *id) {
  for (int i = 0; i < MAX_PEERS; i++)
    if (server->peers[i].used && strcmp(server->peers[i].id, id) == 0)
      return i;
  return -1;
}

// Whether a is displaced before b: peers that never sent a command before those that did, then the one that
// has been idle for longer.
static int is_displaced_before(const struct peer *a, const struct peer *b) {
  if (!a->tried_ms != !b->tried_ms)
    return !a->tried_ms;
  return a->tried_ms != b->tried_ms ? a->tried_ms < b->tried_ms : a->number < b->number;
}

// A free place; if there is none, the idlest peer is displaced, but never the one in command.
static int make_place(struct server *server) {
  int idlest = -1;
  for (int i = 0; i < MAX_PEERS; i++) {
    if (!server->peers[i].used)
      return i;
    if (i != server->in_command &&
        (idlest < 0 || is_displaced_before(&server->peers[i], &server->peers[idlest])))
      idlest = i;
  }

  char text[WIRE_MAX_TEXT + 1];
  snprintf(text, sizeof text, "%s, idle, is displaced by a new controller: at most %d controllers at a time",
           server_peer_text(server, idlest).text, (int)MAX_PEERS);
  server->counts.displaced++;
  server->peers[idlest].used = 0;
  server_peer_event(server, "controller_made_way", text);
  return idlest;
}

void server_take_command(struct server *server, int peer, const char *how) {
  server->in_command = peer;
  server->commanded_ms = clock_ms();
  server->commanded_step = server->step;
  char text[WIRE_MAX_TEXT + 1];
  snprintf(text, sizeof text, "%s %s", server_peer_text(server, peer).text, how);
  server_peer_event(server, "controller_in_command", text);
}

int server_is_lockstep(const struct server *server) {
  return server->welcome.mode == RUN_LOCKSTEP;
}

void server_forget_silent_peers(struct server *server) {
  if (server->welcome.mode == RUN_LOCKSTEP)
    return;
  int64_t now = clock_ms();
  for (int i = 0; i < MAX_PEERS; i++)
    if (server->peers[i].used && now - server->peers[i].heard_ms > PEER_SILENCE_MS)
      server_forget(server, i);
}

static void send_welcome(struct server *server, int peer) {
  uint8_t bytes[WIRE_MAX_ENVELOPE];
  struct wire_header header = server_header(server, STREAM_WELCOME, server->step, server->time_s);
  server->welcome.sequence_above = server->peers[peer].last_sequence;
  size_t size = wire_pack_welcome(&header, &server->welcome, bytes, sizeof bytes);
  server_send(server, peer, bytes, size);
  int answered = server_is_lockstep(server) && server->answered_step > server->sensors_step;
  if (server->sensors_size > 0 && server->peers[peer].used && !answered)
    server_send(server, peer, server->sensors, server->sensors_size);
}

// The place of the sender of a Hello: its own, perhaps over a new connection, or a new one.
static int find_place(struct server *server, const struct sender *from, const char *id, int *is_new) {
  int at = find_id(server, id), old = server_find_peer(server, from);
  *is_new = at < 0;
  if (at < 0)
    return old >= 0 ? old : make_place(server);
  if (old >= 0 && old != at)
    server_forget(server, old);
  return at;
}

void server_handle_hello(struct server *server, const struct sender *from,
                         const struct wire_message *message) {
  const struct wire_hello *hello = &message->as.hello;
  int is_new, at = find_place(server, from, hello->controller_id, &is_new);
  struct peer *peer = &server->peers[at];
  if (is_new && server->in_command == at) // another program uses the connection now
    server->in_command = -1;
  peer->used = 1;
  memcpy(peer->identity, from->identity, from->identity_size);
  peer->identity_size = from->identity_size;
  peer->connection = from->connection;
  memcpy(peer->id, hello->controller_id, sizeof peer->id);
  memcpy(peer->name, hello->name, sizeof peer->name);
  peer->heard_ms = clock_ms();
  peer->last_sequence = message->header.sequence;
  if (is_new) {
    char text[WIRE_MAX_TEXT + 1];
    peer->number = ++server->newcomers;
    peer->joined_ms = peer->heard_ms;
    peer->tried_ms = 0;
    snprintf(text, sizeof text, "%s joined", server_peer_text(server, at).text);
    server_peer_event(server, "controller_joined", text);
    if (server->in_command >= 0 && server->in_command != at &&
        strcmp(server->peers[server->in_command].name, peer->name) == 0)
      server_take_command(server, at, "takes over from its predecessor of that name");
  }
  send_welcome(server, at);
}
