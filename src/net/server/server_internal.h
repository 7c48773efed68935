// A client's socket of ZeroMQ. Whenever its connection ends, a new socket takes its place: libzmq connects
// again by itself, but never after an encrypted message that was altered on the way.
#pragma once

#include "net/server/server.h"

#include "net/counts/counts.h"
#include "net/gate/gate.h"
#include "net/messages/messages.h"
#include "net/networks/networks.h"
#include "net/zmtp/zmtp.h"
#include "os/files/files.h"
#include "sagbend/base/base.h"
#include "sagbend/events/events.h"
#include "sagbend/faults/faults.h"
#include "sagbend/loop/loop.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"

#include <stdint.h>
#include <zmq.h>

// libzmq, of which clients alone need anything, is loaded when the first of them opens
// (os/process/process.h): zmq.send is its zmq_send.
#define ZMQ_FUNCTIONS(OF)                                                                                    \
  OF(close)                                                                                                  \
  OF(connect)                                                                                                \
  OF(ctx_new)                                                                                                \
  OF(ctx_term)                                                                                               \
  OF(getsockopt)                                                                                             \
  OF(msg_close)                                                                                              \
  OF(msg_data)                                                                                               \
  OF(msg_init)                                                                                               \
  OF(msg_recv)                                                                                               \
  OF(msg_size) OF(poll) OF(recv) OF(send) OF(setsockopt) OF(socket) OF(socket_monitor) OF(strerror)

struct zmq {
#define OF(function) __typeof__(zmq_##function) *function;
  ZMQ_FUNCTIONS(OF)
#undef OF
};
extern struct zmq zmq; // after client_load

struct client_socket_options {
  int type;                       // ZMQ_DEALER or ZMQ_SUB
  const struct client_keys *keys; // NULL: none. They must live as long as the socket
  void (*prepare)(void *socket,
                  const void *context); // sets further options before the socket connects; NULL: none
  const void *context;
};

struct client_socket {
  struct client_socket_options options;
  char endpoint[ENDPOINT_TEXT];
  void *context, *socket, *monitor; // of libzmq; NULL while none can be opened
  int is_open;                      // the handshake of this socket has succeeded
  int was_open;                     // state of the step before
  int has_been_open;                // 1: open in any step
  int64_t connected_ms;             // when the system last connected, before the handshake; 0: never
  int64_t renew_ms;                 // when a new socket takes its place; 0: not yet
  int failures;                     // connections in a row that ended before their handshake
  int refusals;                     // before the first handshake that succeeded
  struct reason notice;             // notice for a person; the reader empties it
};

// Connects, whether or not a simulator is there yet. STATUS_IO: libzmq refuses; release with
// client_socket_close in every case.
enum status client_socket_open(struct client_socket *s, const char *endpoint,
                               const struct client_socket_options *options, struct reason *why);
void client_socket_close(struct client_socket *s);

// Waits at most timeout_ms for a message. Returns whether one may have come; -1: it failed, with errno.
int client_socket_wait(struct client_socket *s, int timeout_ms);
// Whether the system has connected lately, as long as somebody listens.
int client_socket_has_listener(const struct client_socket *s);

// Follows the connection; call it several times a second, after taking what has come. *is_new: a new socket
// has taken the place of the one before, whose messages are gone. STATUS_IO: the other end refuses this
// client, and no handshake has ever succeeded; why states the cause.
enum status client_socket_follow(struct client_socket *s, int *is_new, struct reason *why);

// A new socket takes the place of this one at the next call of client_socket_follow: the connection is open,
// and what should have come over it has not.
void client_socket_renew(struct client_socket *s);

// ------------------------------------------------------------
// Private to the server: who is admitted to the command socket, and what each may do. server.c:
// keys and roles; server.c: the rate of messages; server_commands.c: counts and events of what is denied.

struct server;

enum { MESSAGES_PER_S = 1000 }; // of one connection, and as many at once

// Connections of network B have numbers with this bit.
static const uint64_t CONNECTION_OF_B = UINT64_C(1) << 63;
static inline int network_of(uint64_t connection) {
  return (connection & CONNECTION_OF_B) != 0;
}

struct sender {        // of a message
  uint64_t connection; // of network B with CONNECTION_OF_B
  int slot;            // of the connection in the routers
  int role;            // enum peer_role; -1: peers need no key
  const char *key;     // name of the key; empty: none
  const char *address;
};

struct guard {
  const struct server_keys *keys; // NULL: peers need no key
  struct meter {                  // of the messages on a connection, at its slot in the router
    uint64_t connection;
    struct budget budget;
    int is_over; // the excess of this burst has been answered
  } meter[NETWORKS * ROUTER_CONNECTIONS];

  struct security_counts counts;
  struct budget event_budget[DENIAL_COUNT]; // of events about what was denied: each reason has its own
  struct unreported unreported;
};

// The command socket of a network, with these keys; NULL: peers need none. heartbeat: see router_open.
enum status server_guard_open(struct server *server, int network, const char *endpoint, int heartbeat,
                              const struct server_keys *keys, struct reason *why);

// The telemetry socket of a network, with the same keys.
enum status server_open_publisher(struct server *server, int network, const char *endpoint,
                                  const char *const *topics, size_t largest, struct reason *why);

void server_fill_keys(struct zmtp_keys *out, const struct server_keys *keys); // the server's own

// The admitted peer with this key, NULL: none; out names it, or the key.
const struct peer_key *server_find_key(const struct server *server, const uint8_t key[CURVE_KEY],
                                       struct zmtp_admission *out);
// Whether the sender may send a message of this kind.
int server_may_send(const struct sender *from, enum wire_kind kind);
// Gives one message back to the rate of the connection.
void server_meter_return(struct server *server, const struct sender *from);

// Now and then: whether two networks bring no commands.
void server_watch_networks(struct server *server);

// Counts, and publishes an event unless there were too many of them.
void server_deny(struct server *server, enum denial denial, const char *who, const char *what);
void server_deny_without_event(struct server *server, enum denial denial);
// Refuses a message that the key of the sender does not permit: counted, with an event that names the key.
void server_deny_role(struct server *server, const struct sender *from, uint64_t sequence, const char *text);
// A connection that was closed. socket: which one, for people, with a colon; empty: the command socket.
void server_deny_failure(struct server *server, enum zmtp_failure failure, const char *who,
                         const char *socket);
void server_report_denials(struct server *server); // how many had no event, if it is time

struct sender_text {
  char text[PEER_KEY_NAME + PEER_ADDRESS + 32];
};
struct sender_text server_sender_text(const struct sender *from); // key and address, for people

// ------------------------------------------------------------
// Private to the server: server.c decides who is admitted, opens, closes and receives,
// server_peers.c holds the controllers, server_commands.c and server_orders.c handle what they
// send, server_session.c begins another session, server_publish.c and server_session.c publish.

enum {
  // Lines of each class of events that peers cause, at most in a second; of a flood so many in
  // EVENTS_SUM_MS, and one with the number of the others. Of the wall clock or of simulated time, whichever
  // is ahead: a run in lockstep, faster than the clock, says as much as one in real time.
  EVENTS_AT_ONCE = 10,
  EVENTS_SUM_MS = 10000,
  MAX_PENDING = 32,     // orders between two steps
  VIEW_PERIOD_MS = 200, // of wall-clock time, between messages ControllerView of a controller
  VIEW_BURST = 10       // of them that may come at once, after a delay
};

// Events that peers cause. Those of one class do not hide those of another.
enum event_class {
  EVENTS_OF_COMMAND,     // changes of the controller in command
  EVENTS_OF_CONTROLLERS, // controllers that join, leave and make way
  EVENTS_OF_MESSAGES,    // the rest
  EVENT_CLASS_COUNT
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
  STREAM_STATUS,
  STREAM_SESSION,
  STREAM_DP,
  STREAM_ALARM,
  STREAM_COUNT
};

// The connection of a controller that has sent Hello. The gate holds the rest, at the same index.
struct peer {
  uint64_t number; // of that controller in the gate; of another one there: it has no connection here
  // Of each network:
  uint64_t connection[NETWORKS]; // over which the Hello came; 0: none
  uint64_t sequence[NETWORKS];   // of the newest command
  uint64_t taken;                // the highest number of a command that has come by either
  struct old_numbers {           // of commands that were not above the newest of their network
    uint64_t number[8];
    unsigned count;
  } old[NETWORKS];
  struct network_hearing hearing; // of its commands
  int told_next;                  // 1 + the seat that its newest Welcome names as the next one; 0: none
  uint64_t view_number;           // of the controller that sent the newest ControllerView here
  struct budget views;            // of these messages
};

struct schedule {        // of a stream
  uint64_t period_steps; // 0: never
  uint64_t last;         // number of the period of the last message
  int any;               // there has been a message
};

struct attachment { // a field bus
  int file;
  void (*serve)(void *bus, void (*on_command)(void *context, const struct command *command), void *context);
  void *bus;
};

struct inbox;

// What belongs to the session that is served; another one begins with all of it anew (server_session.c).
struct server_session {
  char id[WIRE_NAME];
  struct wire_welcome welcome;
  const struct wire_session *about;    // NULL: no topic session
  const struct wire_times *times;      // NULL: no histograms in Timing
  const struct scenario_def *scenario; // its verdicts
  struct order_rules order_rules;      // but for setpoint_order, which stands in welcome, and the target
  double target_n_m[2];                // of the newest frame

  uint64_t sequence[STREAM_COUNT];
  struct schedule due[STREAM_COUNT];
  uint64_t step; // of the newest frame
  double time_s;
  struct fault_set faults; // of the newest frame

  int orders_active;                 // of the newest frame
  uint64_t last_order;               // number of the newest order in effect in the newest frame
  uint64_t order_number;             // of the newest order accepted
  struct order pending[MAX_PENDING]; // accepted, and not in effect in the newest frame; the oldest first
  int pending_count;

  // The newest Sensors, for a controller that sends Hello: what those on each side of the main/backup switch
  // receive.
  uint8_t sensors[SIDES][WIRE_MAX_ENVELOPE];
  size_t sensors_size[SIDES];
  uint64_t sensors_step;
  struct wire_header sensors_header; // of the newest Sensors,
  int sensors_unpublished;           // which are not telemetry yet
};

struct server {
  struct router *router[NETWORKS]; // of network B NULL: there is none
  int next_network;                // whose messages are taken next
  struct networks *networks;       // what faults do to the links of controllers; NULL: nothing
  const struct inbox *inbox;       // of the present server_poll
  struct guard guard;
  struct publisher *publisher[NETWORKS]; // NULL: operator_line.c publishes nothing
  struct publisher_counts published;     // of both
  void (*handle)(struct server *server, const struct sender *from, const void *data, size_t size,
                 const struct inbox *inbox); // of messages; NULL: server_handle
  const char *const *topics;                 // of the publisher; the list ends with NULL
  int watched_file;                          // -1: none
  int router_waits, publisher_waits;         // the last wait has found work for them
  int64_t next_housekeeping_ms;
  int64_t commanded_ms;   // when the newest command came by a network, of the gate's clock; 0: none
  int is_quiet[NETWORKS]; // neither network has brought a command since, and this one none at all
  unsigned sensors_since; // Sensors that were due since
  int command_taken;      // a command was accepted since receive_all began
  uint64_t message_ns;    // when the message that is being handled was received; 0: none is
  int closed;             // no new connections are accepted
  int withholds_truth;    // no telemetry, no orders
  int ended;              // End has been published
  enum held hold;
  struct server_session session;
  struct gate gate;
  struct attachment attachment[SERVER_ATTACHMENTS];
  int attachment_count;
  struct peer peers[GATE_CONTROLLERS];
  struct order_counts orders;
  struct view_counts views;

  struct event_flood {           // events of a class that peers cause
    int64_t from_ms, stretch_ms; // the present stretch of time: its begin, its length
    double from_s;               // its begin in simulated time
    int lines;                   // in it
    uint64_t left, sum;          // without a line in it; of the session
  } floods[EVENT_CLASS_COUNT];
  void (*on_event)(void *context, uint64_t step, double time_s, const char *name,
                   const char *text); // NULL: none
  void *event_context;
  enum status (*take_order)(void *context, const struct order *order,
                            struct reason *why); // NULL: orders are refused
  void *order_context;
  void (*fill_status)(void *context, struct wire_status *status); // NULL: the server's part only
  void *status_context;
  void (*on_join)(void *context);
  void *join_context;
  void (*on_view)(void *context, uint64_t step, double time_s, const struct wire_controller_view *view);
  void *view_context;

  int node_count;
  double *node_scratch; // for wire_pack_nodes
  uint8_t *node_bytes;
  size_t node_capacity;
};

struct inbox { // arguments of server_poll
  uint64_t current_step;
  void (*on_command)(void *context, const struct command *command);
  void *context;
};

// What is built from the description of a session. The endpoints in its Welcome are the server's.
void server_session_init(struct server_session *out, const struct session_info *info);

struct wire_header server_header(struct server *server, enum stream stream, uint64_t step, double time_s);

// ---- sending; nothing blocks, and what a peer does not accept is dropped ----

enum router_sent server_send_to(struct server *server, uint64_t connection, const uint8_t *data, size_t size);
void server_send(struct server *server, int peer, const uint8_t *data,
                 size_t size); // forgets one that has gone
// To the controllers; returns their number.
int server_send_to_all(struct server *server, const uint8_t *data, size_t size);
void server_publish_packed(struct server *server, const char *topic, const uint8_t *data, size_t size);
// Refuses a message, as gate_refuse does. text NULL: refusal_help.
void server_refuse(struct server *server, const struct sender *from, enum refusal reason, uint64_t sequence,
                   const char *text);
// The same without an event.
void server_refuse_silently(struct server *server, const struct sender *from, enum refusal reason,
                            uint64_t sequence, const char *text);
// Publishes an event at the newest step, and passes it to server_on_event.
void server_report(struct server *server, const char *name, const char *text);
// The same for an event that a peer's message caused; if there are too many, they are counted in a later one.
void server_peer_event(struct server *server, const char *name, const char *text);
void server_report_floods(struct server *server); // now and then: how many had no line, if it is time

// ---- controllers ----

int server_find_peer(const struct server *server, const struct sender *from); // -1: unknown
void server_handle_hello(struct server *server, const struct sender *from,
                         const struct wire_message *message);
enum controller_side server_side_of(const struct server *server, int peer);
uint32_t server_received(const struct server *server, int side); // instruments, one bit each
// Name and number of the controller that has sent Hello over this connection; without one, key and address.
struct gate_text server_peer_text(const struct server *server, const struct sender *from);
int server_has_peer(const struct server *server, int peer); // a controller with a connection stands there

// ---- messages that have come ----

void server_handle(struct server *server, const struct sender *from, const void *data, size_t size,
                   const struct inbox *inbox);
void server_handle_view(struct server *server, const struct sender *from, struct wire_message *message);
void server_fill_status(struct server *server, struct wire_status *out);
void server_send_welcome(struct server *server, int peer);
// Redundant controllers: who has gone, who is lost; and all learn of a changeover.
void server_watch_seats(struct server *server);
void server_tell_changeover(void *server);
// These seats (one bit each) are not silenced by a fault any more.
void server_end_silence(struct server *server, uint32_t seats);
// Another set-point, which controllers learn by another Welcome of the same session.
void server_take_setpoint(struct server *server, const double setpoint[3], uint64_t order);
void server_send_status(struct server *server, int peer);
void server_refuse_order(struct server *server, uint64_t to, enum refusal reason, uint64_t sequence,
                         const char *text); // text NULL: refusal_help
void server_handle_order(struct server *server, uint64_t from, const struct wire_message *message);
