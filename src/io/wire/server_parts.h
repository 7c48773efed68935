// Private to the server: server_open.c opens and closes, server.c receives, server_peers.c holds the
// controllers, server_commands.c and server_orders.c handle what they send, server_publish.c and
// server_replay.c publish.
#pragma once

#include "io/codec/message_parts.h"
#include "io/net/endpoint.h"
#include "io/net/publisher.h"
#include "io/wire/server.h"

enum {
  MAX_PEERS = 16,
  MAX_IDENTITY = 255,     // bytes of a ZeroMQ routing id
  PEER_SILENCE_MS = 3000, // after so long without a message a controller is forgotten, except in lockstep
  EVENTS_PER_SECOND = 10  // of wall-clock time, at most, caused by messages of peers
};

enum stream { // kinds of message, each with its own sequence
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

// A controller that has sent Hello. Its id is a secret: another program that knew it could send Hello in its
// place, so no message to others contains it. Controllers of the same name are told apart by their numbers.
struct peer {
  int used;
  uint64_t number; // of controllers that joined, from 1
  int connection;  // over which the Hello came; another connection with the same routing id is another peer
  unsigned char identity[MAX_IDENTITY];
  size_t identity_size;
  char id[WIRE_NAME];
  char name[WIRE_NAME];
  int64_t heard_ms;
  int64_t joined_ms;
  int64_t tried_ms;       // when its last valid command came, used or not; 0: none came
  uint64_t last_sequence; // each Hello starts a new sequence
};

struct schedule {        // of a stream
  uint64_t period_steps; // 0: never
  uint64_t last;         // number of the period of the last message
  int any;               // there has been a message
};

struct server {
  void *context, *router;
  struct listener listener; // of the router; ZeroMQ has taken over its file
  struct publisher *publisher;
  int watched_file; // -1: none
  int closed;       // no new connections are accepted
  struct wire_welcome welcome;
  struct command_def rules; // only its limits are used
  char session[WIRE_NAME];
  uint64_t timeout_ms;    // of the controller in command
  uint64_t timeout_steps; // the same in simulated time, for lockstep
  uint64_t max_age_steps; // of the sensors that a command is based on

  struct peer peers[MAX_PEERS];
  uint64_t newcomers; // controllers that have joined
  int in_command;     // index of peers; -1: none
  int64_t commanded_ms;
  uint64_t commanded_step;
  uint64_t answered_step; // lockstep: 1 + the newest step that accepts no further answer
  struct command_counts counts;

  uint64_t sequence[STREAM_COUNT];
  struct schedule due[STREAM_COUNT];
  int64_t event_second; // the present second of the wall clock, and
  int events_in_second; // the events in it
  int ended;
  void (*on_event)(void *context, uint64_t step, double time_s, const char *name,
                   const char *text); // NULL: none
  void *event_context;
  int (*take_order)(void *context, const struct order *order, int stop); // NULL: orders are refused
  void *order_context;

  struct hil_names names;
  struct fault_set faults; // of the newest frame
  int orders_active;       // of the newest frame
  uint64_t last_order;     // number of the newest order in effect in the newest frame
  uint64_t order_number;   // of the newest order accepted
  uint64_t step;           // of the newest frame
  double time_s;

  uint8_t sensors[WIRE_MAX_ENVELOPE]; // the newest Sensors, for a controller that sends Hello
  size_t sensors_size;
  uint64_t sensors_step;
  int node_count;
  double *node_scratch; // for wire_pack_nodes
  uint8_t *node_bytes;
  size_t node_capacity;
};

struct sender { // of a message
  const unsigned char *identity;
  size_t identity_size;
  int connection; // unique among the open ones
};

struct inbox { // what server_poll was called with
  uint64_t current_step;
  void (*on_command)(void *context, const struct command *command);
  void *context;
};

struct wire_header server_header(struct server *server, enum stream stream, uint64_t step, double time_s);

// ---- sending; nothing blocks, and what a peer does not accept is dropped ----

// Returns 0 with errno set if the message cannot be sent.
int server_send_to(struct server *server, const unsigned char *identity, size_t identity_size,
                   const uint8_t *data, size_t size);
void server_send(struct server *server, int peer, const uint8_t *data,
                 size_t size);                                                    // forgets one that has gone
void server_send_to_all(struct server *server, const uint8_t *data, size_t size); // controllers
void server_publish_packed(struct server *server, const char *topic, const uint8_t *data, size_t size);
void server_refuse(struct server *server, const unsigned char *identity, size_t identity_size,
                   enum refusal reason, uint64_t sequence, const char *text); // text NULL: refusal_help
// Publishes an event that a peer's message caused, unless there were too many in this second.
void server_peer_event(struct server *server, const char *name, const char *text);

// ---- controllers ----

int server_find_peer(const struct server *server, const struct sender *from); // -1: unknown
void server_forget(struct server *server, int peer);
void server_forget_silent_peers(struct server *server);
void server_take_command(struct server *server, int peer, const char *how);
int server_is_lockstep(const struct server *server);

struct peer_text {
  char text[WIRE_NAME + 32];
};
struct peer_text server_peer_text(const struct server *server, int peer); // name and number, for people

// ---- messages that have come ----

void server_handle(struct server *server, const struct sender *from, const void *data, size_t size,
                   const struct inbox *inbox);
void server_handle_hello(struct server *server, const struct sender *from,
                         const struct wire_message *message);
void server_handle_order(struct server *server, const unsigned char *identity, size_t identity_size,
                         const struct wire_message *message);
