// The insides of a server, shared by server.c (sockets, publishing) and server_commands.c (what controllers
// send).
#pragma once

#include "io/codec/message_parts.h"
#include "io/net/endpoint.h"
#include "io/net/publisher.h"
#include "io/wire/server.h"

enum {
  MAX_PEERS = 16,
  MAX_IDENTITY = 255,     // bytes of a ZeroMQ routing id
  PEER_SILENCE_MS = 3000, // a controller silent for longer is forgotten, but not in lockstep: it may think
  EVENTS_PER_SECOND = 10  // at most, of those that a peer's messages cause
};

enum stream { // kinds of message, each with a sequence of its own
  STREAM_SENSORS,
  STREAM_TRUTH,
  STREAM_NODES,
  STREAM_LEDGER,
  STREAM_TIMING,
  STREAM_EVENT,
  STREAM_END,
  STREAM_WELCOME,
  STREAM_REFUSAL,
  STREAM_RECEIPT,
  STREAM_COUNT
};

// A controller that said hello. Its id is its secret: who knows it could say hello in its place, so no
// message to others carries it. People tell controllers of one name apart by their numbers.
struct peer {
  int used;
  uint64_t number; // counts the hellos of newcomers, from 1
  int connection;  // that the hello came by, so that another one under the same routing id is none of it
  unsigned char identity[MAX_IDENTITY];
  size_t identity_size;
  char id[WIRE_NAME];
  char name[WIRE_NAME];
  int64_t heard_ms;
  int64_t joined_ms, tried_ms; // tried: its last command that was in order, used or not; 0: none
  uint64_t last_sequence;      // begins anew with each hello
};

struct schedule {        // of a stream with a period
  uint64_t period_steps; // 0: never
  uint64_t last;         // period number of the last message
  int any;
};

struct server {
  void *context, *router;
  struct listener door; // of router, whose file ZeroMQ has taken over
  struct publisher *publisher;
  int closed; // no new connections at present
  struct wire_welcome welcome;
  struct command_def rules; // its limits only
  char session[WIRE_NAME];
  uint64_t timeout_ms;    // of the controller in command
  uint64_t timeout_steps; // the same in simulated time: lockstep
  uint64_t max_age_steps; // of a command's sensors
  struct peer peers[MAX_PEERS];
  uint64_t newcomers;
  int in_command; // index of peer; -1: none
  int64_t commanded_ms;
  uint64_t commanded_step;
  uint64_t answered_step; // lockstep: 1 + the newest step that takes no further answer
  struct command_counts counts;
  uint64_t sequence[STREAM_COUNT];
  struct schedule due[STREAM_COUNT];
  int64_t event_second; // the limiter: events in this second of the wall clock
  int events_in_second;
  int ended;
  void (*told)(void *context, uint64_t step, double time_s, const char *name,
               const char *text); // NULL: nobody
  void *told_context;
  int (*take_order)(void *context, const struct order *order, int stop); // NULL: orders are refused
  void *order_context;
  struct hil_names names;
  struct fault_set faults; // of the newest frame, with what belongs to it
  int orders_active;
  uint64_t last_order, order_number;  // in effect there; given last
  uint8_t sensors[WIRE_MAX_ENVELOPE]; // the newest, for whoever says hello
  size_t sensors_size;
  uint64_t sensors_step;
  uint64_t step; // of the newest frame
  double time_s;
  int node_count;
  double *node_scratch; // for wire_pack_nodes
  uint8_t *node_bytes;
  size_t node_capacity;
};

struct wire_header server_header(struct server *s, enum stream stream, uint64_t step, double time_s);

// Sends to one controller without blocking; forgets it if it has gone.
void server_send(struct server *s, int peer, const uint8_t *data, size_t size);
void server_forget(struct server *s, int peer);
struct peer_text {
  char text[WIRE_NAME + 32];
};
struct peer_text server_peer_text(const struct server *s, int peer); // what people call it: name and number
void server_send_to_all(struct server *s, const uint8_t *data, size_t size); // controllers
void server_publish_packed(struct server *s, const char *topic, const uint8_t *data, size_t size);

// An event that a peer's message caused: published unless too many have been in this second.
void server_peer_event(struct server *s, const char *name, const char *text);

// Handles one message of a peer; see server_poll.
struct inbox {
  uint64_t current_step;
  void (*on_command)(void *context, const struct command *c);
  void *context;
};
struct sender {
  const unsigned char *identity;
  size_t identity_size;
  int connection; // no two that are open have the same
};
void server_handle(struct server *s, const struct sender *from, const void *data, size_t size,
                   const struct inbox *inbox);
void server_handle_order(struct server *s, const unsigned char *identity, size_t identity_size,
                         const struct wire_message *m);
int server_send_to(struct server *s, const unsigned char *identity, size_t identity_size, const uint8_t *data,
                   size_t size); // -1: it cannot be sent
void server_refuse(struct server *s, const unsigned char *identity, size_t identity_size, enum refusal reason,
                   uint64_t sequence, const char *text);
