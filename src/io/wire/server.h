// The simulator's side of the protocol (proto/sagbend/v1): a ROUTER socket for controllers and a PUB socket
// (publisher.h) for everybody. One thread owns a server; the real-time thread never touches it.
#pragma once

#include "core/base/status.h"
#include "core/signals/command.h"
#include "core/sim/sim.h"
#include "hil/frame.h"
#include "hil/refusal.h"
#include "io/config/config.h"
#include "io/net/publisher.h"

struct server;

struct session_info {
  const struct config *config;
  const char *session_id; // random, printable
  double hold_wrench_b[6];
  int node_count;
  const double *setpoint; // north, east in m, heading in rad; NULL: the configuration does not tell
};

enum status server_open(const struct session_info *session, struct server **out, struct reason *why);
void server_close(struct server *s);
const char *server_command_endpoint(const struct server *s); // as bound, with the port chosen
const char *server_telemetry_endpoint(const struct server *s);

// Whether new connections are let in: closes the sockets' doors and opens them again at the same endpoints;
// those connected stay. A door that cannot be opened again yet stays closed: STATUS_IO.
enum status server_admit(struct server *s, int on, struct reason *why);

// Handles what has come, waiting at most timeout_ms for the first message; calls on_command for each accepted
// command, in order. current_step is the newest step published. Returns messages handled, <0 on a socket
// error.
int server_poll(struct server *s, int timeout_ms, uint64_t current_step,
                void (*on_command)(void *context, const struct command *c), void *context);

// Lockstep: this step waits for no answer (its Sensors did not go out, or no controller samples it); one that
// comes nevertheless is refused as stale.
void server_takes_no_answer(struct server *s, uint64_t step);

// Publishes what is due at this frame's step by the periods of net_def (sensors also to each controller's
// DEALER).
void server_publish(struct server *s, const struct frame *f);
// Published whenever called; count at most session_info.node_count.
void server_publish_nodes(struct server *s, uint64_t step, double time_s, int count,
                          const struct sim_node *nodes);
// To PUB and to each controller, at once and not limited in number: that is the caller's part.
void server_publish_event(struct server *s, uint64_t step, double time_s, const char *name, const char *text);
// Told of each event that the server itself publishes (controllers come and go, messages refused).
void server_on_event(struct server *s,
                     void (*told)(void *context, uint64_t step, double time_s, const char *name,
                                  const char *text),
                     void *context);
// Takes operators' orders, checked and numbered; called by server_poll. 0: there is no room for it now. stop:
// the session is to end, and order is NULL. Without this, orders are refused.
void server_on_order(struct server *s, int (*taken)(void *context, const struct order *order, int stop),
                     void *context);
void server_publish_end(struct server *s, uint64_t step, double time_s,
                        const char *why); // the session is over

// Gives out a logged message (of "sensors", "truth", "nodes", "ledger", "timing", "event") as it is, but for
// the session in its header, which becomes this one: on PUB, and to controllers what they would have got.
// STATUS_BAD_INPUT: it is none of the protocol.
enum status server_republish(struct server *s, const char *topic, const void *payload, size_t size,
                             struct reason *why);

int server_is_local(const struct server *s); // only this machine can connect, to either socket
const struct publisher_counts *server_telemetry_counts(const struct server *s);
const struct command_counts *server_counts(const struct server *s);
