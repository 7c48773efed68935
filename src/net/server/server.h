// The sockets of a session: its server, and the client and the operator on the other side.
#pragma once

#include "net/counts/counts.h"
#include "net/gate/gate.h"
#include "net/messages/messages.h"
#include "net/zmtp/zmtp.h"
#include "os/files/files.h"
#include "sagbend/base/base.h"
#include "sagbend/case/case.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"
#include "sagbend/sim/sim.h"

#include <stddef.h>
#include <stdint.h>

// ------------------------------------------------------------
// The topics of the telemetry: name, message, what that is called in C, the file of proto/sagbend/v1 that
// declares it, its topic in a log ("": none), and whether each message counts, not only the newest.
#define TELEMETRY_TABLE(X)                                                                                   \
  X("session", "Session", session, telemetry, "/session_info", 0)                                            \
  X("status", "Status", status, operator, "/status", 0)                                                      \
  X("sensors", "Sensors", sensors, telemetry, "/sensors", 0)                                                 \
  X("truth", "Truth", truth, telemetry, "/truth", 0)                                                         \
  X("nodes", "Nodes", nodes, telemetry, "/nodes", 0)                                                         \
  X("ledger", "Ledger", ledger, telemetry, "/ledger", 0)                                                     \
  X("timing", "Timing", timing, telemetry, "/timing", 0)                                                     \
  X("dp", "ControllerView", controller_view, telemetry, "/dp", 0)                                            \
  X("event", "Event", event, session, "/event", 1)                                                           \
  X("end", "End", end, session, "", 1)                                                                       \
  X("alarm", "Alarms", alarms, telemetry, "/alarm", 0)

// ------------------------------------------------------------
// libzmq is loaded when the first connection of any client below is opened. A program that opens one later
// than at its start does it there, so that a missing library is said at once, and that no time is lost later.
// STATUS_IO: why names the package.
enum status client_load(struct reason *why);

// ------------------------------------------------------------
// The controller's side of the protocol: a DEALER socket that sends Hello until a simulator answers with
// Welcome, and again when the simulator has been silent or is another one. One thread owns a client.

struct client;

// Connects to endpoint, whether or not a simulator is there yet. name: for people; the controller's id is
// random. keys: copied; NULL: none. STATUS_BAD_INPUT: the endpoint is not valid. Release with client_close.
enum status client_open(const char *endpoint, const char *name, const struct client_keys *keys,
                        struct client **out, struct reason *why);
// The same over two networks (endpoints[1] NULL or "": one): each message is sent by both, and one that comes
// by both is given once.
enum status client_open_both(const char *const endpoints[NETWORKS], const char *name,
                             const struct client_keys *keys, struct client **out, struct reason *why);
void client_close(struct client *client); // accepts NULL

struct client_counts { // of one network
  uint64_t sent, received;
  uint64_t doubled; // of those received, those that the other one had brought
  int is_lost;      // it brings nothing
};
int client_networks(const struct client *client); // 1 or 2
struct client_counts client_counts(const struct client *client, int network);

// Waits at most timeout_ms for a message of the present session, and sends Hello when it is due. out->kind is
// WIRE_NONE if none came. A Welcome whose header.session differs from the last one begins another session:
// discard all knowledge of the old one. A connection that ends is replaced by another, which begins with
// Hello. STATUS_IO: the socket failed, or the simulator refuses the keys and has never taken them.
enum status client_poll(struct client *client, int timeout_ms, struct wire_message *out, struct reason *why);

// From now on client_poll also returns, with WIRE_NONE, when this file becomes readable; the caller then
// reads it. -1: none.
void client_watch(struct client *client, int file);

// What a person should know of the connection since the last call. Returns 0 if there is nothing.
int client_take_notice(struct client *client, struct reason *out);

// For a person: why nothing comes, as far as the client knows, and what to check.
const char *client_silence(const struct client *client);

// Sends the controller's view of itself, in the same way. Its messages have numbers of their own, so
// that those of the commands do not depend on it.
int client_send_view(struct client *client, const struct wire_controller_view *view);

// Sends a command in the present session without blocking, and sets its sequence. alarms: all that are
// active; NULL: none. Returns 0 if it could not be sent: there is no session yet, or the simulator has gone.
int client_send(struct client *client, struct command *command, const struct dp_alarm_list *alarms);

// The same where the case lists redundant controllers.
struct client_answer {
  const struct dp_alarm_list *alarms; // all that are active; NULL: none
  int is_shadow;                      // this controller stands by
  const char *hand_over;              // name of the controller that takes over after this command; "": none
  const double *estimate;             // north, east (m) and heading (rad) of the vessel; NULL: not known
};
int client_send_as(struct client *client, struct command *command, const struct client_answer *as);

// ------------------------------------------------------------
// A lasting connection of an operator: any number of orders, one after another. A connection that ends is
// replaced by another.

struct operator_line;

// keys: the operator's; NULL: none. They must live as long as the connection.
enum status operator_line_open(const char *endpoint, const struct client_keys *keys,
                               struct operator_line **out, struct reason *why);
void operator_line_close(struct operator_line *line); // accepts NULL

// Sends an order; a later one makes the answer to an earlier one void. STATUS_BAD_INPUT: it cannot be packed;
// STATUS_IO: the socket takes nothing.
enum status operator_line_send(struct operator_line *line, const struct order *order, struct reason *why);

enum operator_response { OPERATOR_WAITS, OPERATOR_RECEIPT, OPERATOR_REFUSED };

// Takes the answer to the newest order, waiting at most timeout_ms; call it often. OPERATOR_RECEIPT:
// *receipt, NULL or an earlier one that is released, is the answer, to be released with wire_free_receipt.
// OPERATOR_REFUSED: why holds the text, or why the other end does not take the keys, or that the connection
// ended before the answer came.
enum operator_response operator_line_take(struct operator_line *line, int timeout_ms,
                                          Sagbend__V1__Receipt **receipt, struct reason *why);

// One order, one answer: sends an order to a simulator's command endpoint and waits for the answer, at most
// timeout_ms. keys: the operator's; NULL: none. receipt: as for operator_line_take. STATUS_BAD_INPUT: the
// order cannot be packed; STATUS_IO: the simulator refused it or the keys, none answers there, or the
// connection ended before the answer.
enum status operator_order(const char *endpoint, const struct client_keys *keys, const struct order *order,
                           int timeout_ms, Sagbend__V1__Receipt **receipt, struct reason *why);

// ------------------------------------------------------------
// A server that takes operators' orders and nothing else, for a program that is no simulator. Its guard is
// that of a simulator's command socket: keys, roles, limits of connections and rate.

struct order_server;

// Listens at an endpoint. session: the id in its messages. keys: NULL: peers need no key, and the endpoint
// must be on the loopback interface or ipc; they must live as long as the server. STATUS_BAD_INPUT: the
// endpoint is not valid here; STATUS_IO: it is in use, or the system refuses.
enum status order_server_open(const char *endpoint, const char *session, const struct server_keys *keys,
                              struct order_server **out, struct reason *why);
void order_server_close(struct order_server *server);                 // accepts NULL
const char *order_server_endpoint(const struct order_server *server); // as bound

// Sets the function that is called with what the guard denies, for people.
void order_server_on_event(struct order_server *server, void (*on_event)(const char *name, const char *text));

// Carries out an order and fills the receipt; its sequence is set already. STATUS_BAD_INPUT: why it is
// refused.
typedef enum status take_wire_order(void *context, const struct order *order, struct wire_receipt *receipt,
                                    struct reason *why);

// Waits at most timeout_ms for a message, or until file is readable (-1: none), then answers the orders that
// have come. STATUS_IO: the socket failed.
enum status order_server_poll(struct order_server *server, int timeout_ms, int file, take_wire_order *take,
                              void *context, struct reason *why);

// ------------------------------------------------------------
// The simulator's side of the protocol (proto/sagbend/v1): a ROUTER socket for controllers and operators, and
// a publishing socket for telemetry (net/zmtp/zmtp.h). One thread owns a server; the step thread never
// touches it.

struct server;

struct wire_controller_view;
struct wire_session;
struct wire_status;
struct wire_times;
struct wire_welcome;

struct session_info {
  const struct config *config;
  const char *session_id;            // random, printable
  double initial_holding_force_b[6]; // N, N m
  int node_count;
  const double *setpoint;         // north, east in m, heading in rad; NULL: the configuration has none
  const struct server_keys *keys; // must outlive the server; NULL: peers need no key
  uint64_t setpoint_order;        // number of the operator's order that set it; 0: as configured
  // Both must outlive the server; their content may change. NULL: no topic session, no histograms in Timing.
  const struct wire_session *about;
  const struct wire_times *times;
};

// What a controller learns of the session, without endpoints.
void server_describe(const struct session_info *session, struct wire_welcome *out);

// Listens at the configuration's endpoints. STATUS_BAD_INPUT: an endpoint is not valid here; STATUS_IO: it is
// in use, or the system refuses. Release with server_close.
enum status server_open(const struct session_info *session, struct server **out, struct reason *why);
void server_close(struct server *server); // accepts NULL

// As bound, with the ports that the system chose.
const char *server_command_endpoint(const struct server *server);
const char *server_telemetry_endpoint(const struct server *server);
// The same of network B; "": there is none.
const char *server_command_endpoint_b(const struct server *server);
struct networks;
struct networks *server_networks(const struct server *server); // what faults do to the networks
const char *server_telemetry_endpoint_b(const struct server *server);

// Stops or resumes accepting connections; existing ones stay.
void server_admit(struct server *server, int on);
// Ends the connections to the command socket that are no controller's, to free their descriptors.
void server_end_connections(struct server *server);

// Waits at most timeout_ms for a message, then handles those that have come, and calls on_command for each
// accepted command, in order. With timeout_ms 0 it does not wait. current_step: the newest step published.
// STATUS_IO: the sockets failed.
enum status server_poll(struct server *server, int timeout_ms, uint64_t current_step,
                        void (*on_command)(void *context, const struct command *command), void *context,
                        struct reason *why);

// For on_command: when the command's message was received, in ns of the monotonic clock.
uint64_t server_message_ns(const struct server *server);

// For on_command: the alarms in the command's message, or those that the master of a field bus has reported.
// Valid until on_command returns.
const struct dp_alarm_list *server_message_alarms(const struct server *server);

// server_poll also ends its wait when file is readable; its owner reads it. -1: none.
void server_watch(struct server *server, int file);

// server_poll also serves a field bus, after the controllers: it ends its wait when file is readable, and
// calls serve with its own on_command. At most SERVER_ATTACHMENTS.
enum { SERVER_ATTACHMENTS = 2 };
void server_attach(struct server *server, int file,
                   void (*serve)(void *bus, void (*on_command)(void *context, const struct command *command),
                                 void *context),
                   void *bus);
struct gate *server_gate(struct server *server); // through which all commands pass

// In lockstep: the session does not wait for an answer to this step (its Sensors were lost, or no controller
// samples it), and refuses one that comes as stale.
void server_refuse_answers(struct server *server, uint64_t step);

// In lockstep: name of a listed controller that has never come; NULL: none.
const char *server_awaits_listed(const struct server *server);
// In lockstep: no fault keeps away the controller that is to command.
int server_awaits_command(const struct server *server);
// In lockstep: a controller that stands by has not answered the Sensors of this step.
int server_awaits_shadow(const struct server *server, uint64_t step);

// Sends Sensors to each controller, if they are due at this frame's step according to the period of net_def.
// Returns the number of controllers.
int server_send_sensors(struct server *server, const struct frame *frame);
// Publishes what is due at this frame's step as telemetry, after server_send_sensors.
void server_publish(struct server *server, const struct frame *frame);
// Publishes the nodes at once; count is at most session_info.node_count.
void server_publish_nodes(struct server *server, uint64_t step, double time_s, int count,
                          const struct sim_node *nodes);
// Publishes an event at once, also to each controller. The caller limits their number.
void server_publish_event(struct server *server, uint64_t step, double time_s, const char *name,
                          const char *text);
// Publishes the alarms of the controller at once. The caller limits their number.
struct wire_alarms;
void server_publish_alarms(struct server *server, uint64_t step, double time_s,
                           const struct wire_alarms *alarms);
// result: as in wire_pack_end.
void server_publish_end(struct server *server, uint64_t step, double time_s, const char *why,
                        const char *result);

// Sets a function that is called with each event that the server itself publishes: controllers join and
// leave, messages are refused.
void server_on_event(struct server *server,
                     void (*on_event)(void *context, uint64_t step, double time_s, const char *name,
                                      const char *text),
                     void *context);
// Sets the function that takes operators' orders, checked and numbered; server_poll calls it.
// STATUS_BAD_INPUT and the reason: it does not take the order. Without this function orders are refused.
void server_on_order(struct server *server,
                     enum status (*take_order)(void *context, const struct order *order, struct reason *why),
                     void *context);
// Passes on what orders have changed although no step was made (a pause): the frame of the present step.
void server_take_orders(struct server *server, const struct frame *frame);

// Sets the function that completes a Status: the server has filled header, name, mode, set-point, controllers
// and orders, and the rest is zero.
void server_on_status(struct server *server, void (*fill)(void *context, struct wire_status *status),
                      void *context);
// Publishes the Status, with verdicts and faults of the frame if it is not NULL; while no steps are made,
// also to each controller, without what only the truth contains.
void server_publish_status(struct server *server, const struct frame *frame);
// The Status as it would be published, but for the sequence number.
void server_get_status(struct server *server, struct wire_status *out);
// The Welcome as a controller would receive it now.
const struct wire_welcome *server_welcome(const struct server *server);
// Publishes what is constant in the session (topic session).
void server_publish_session(struct server *server);

// Sets the function that is called in lockstep when a new controller has said Hello, before its first
// Sensors.
void server_on_join(struct server *server, void (*on_join)(void *context), void *context);

// What controllers report about themselves (ControllerView): published as topic dp, and passed to on_view.
struct view_counts {
  uint64_t published;
  uint64_t dropped; // more of them than the rate allows, or of another session or before Hello
};
void server_on_view(struct server *server,
                    void (*on_view)(void *context, uint64_t step, double time_s,
                                    const struct wire_controller_view *view),
                    void *context);
const struct view_counts *server_view_counts(const struct server *server);

// Where the case lists controllers: whose command is accepted follows from the state that the session begins
// with. server_begin_session does the same.
void server_begin_seats(struct server *server, const struct frame *frame);

// Another session begins, at the same sockets, with the same configuration: the server announces the event
// session_begun with the new name to all controllers and subscribers, then forgets the controllers; they send
// Hello again. info: as for server_open, whose keys remain; frame: the first of the session.
void server_begin_session(struct server *server, const struct session_info *info, const struct frame *frame,
                          const char *text);

// Unless HELD_NOT: no steps are made from now on. No controller is forgotten, and no time-out of the wall
// clock goes on.
void server_hold(struct server *server, enum held hold);

// Publishes a logged message (topic "sensors", "truth", "nodes", "ledger", "timing", "event" and others) with
// this session in its header, also to controllers if they would have received it. A later set-point in a
// message of topic "session" reaches controllers by another Welcome. STATUS_BAD_INPUT: it is not a message of
// the protocol.
enum status server_republish(struct server *server, const char *topic, const void *payload, size_t size,
                             struct reason *why);

const struct publisher_counts *server_telemetry_counts(const struct server *server);
const struct command_counts *server_counts(const struct server *server);
// The newest refusals but index, at most REFUSALS_KEPT; NULL: there are not so many.
const struct refused *server_newest_refused(const struct server *server, int index);
const struct security_counts *server_security_counts(const struct server *server);

enum { ORDERS_LISTED = 32 };
struct order_counts {
  uint64_t accepted, refused;
  uint64_t acting; // of the accepted ones of the present session, those that act on vessel, pipe, faults or
                   // on who commands: what comes after them is not the controller's work alone
  int listed;
  struct order_listed { // the first acting ones of all sessions
    char session[24];
    uint64_t number, step;
    double time_s; // simulated
    char operator_name[ORDER_OPERATOR], text[ORDER_SAID];
  } first[ORDERS_LISTED];
};
const struct order_counts *server_order_counts(const struct server *server);

// ------------------------------------------------------------
// A client of the telemetry: messages of a simulator's publishing socket. It connects again by itself, as
// long as messages are taken several times a second.

struct telemetry_reader;

// topics ends with NULL. keys: as for an operator; NULL: none. Both must live as long as the reader.
enum status telemetry_reader_open(const char *endpoint, const char *const *topics,
                                  const struct client_keys *keys, struct telemetry_reader **out,
                                  struct reason *why);
void telemetry_reader_close(struct telemetry_reader *reader); // accepts NULL

// A file that becomes readable when something may have come; take then until NULL is returned, and ask for
// the file again: another connection has another one. -1: none.
int telemetry_reader_file(const struct telemetry_reader *reader);

// How far the connection has come.
enum telemetry_line {
  TELEMETRY_NOBODY,   // nothing listens there
  TELEMETRY_UNAGREED, // something listens, and the handshake fails: a wrong key, or another protocol
  TELEMETRY_OPEN
};
enum telemetry_line telemetry_reader_line(const struct telemetry_reader *reader);

// Messages that were left out: not two parts, a topic that no simulator has, or too long.
uint64_t telemetry_reader_skipped(const struct telemetry_reader *reader);

// Takes the next message, if one has come within timeout_ms. Returns its bytes, which stay valid until the
// next call, its topic and its size; NULL: none has come.
const void *telemetry_reader_take(struct telemetry_reader *reader, int timeout_ms, const char **topic,
                                  size_t *size);
