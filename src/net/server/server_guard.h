// Private to the server: who is admitted to the command socket, and what each may do. server_admission.c:
// keys and roles; server_rate.c: the rate of messages; server_denials.c: counts and events of what is denied.
#pragma once

#include "sagbend/rig/denial.h"
#include "net/messages/messages.h"
#include "os/files/files.h"
#include "net/gate/event_budget.h"
#include "net/zmtp/peer_socket.h"
#include "net/zmtp/router.h"

struct server;

enum { MESSAGES_PER_S = 1000 }; // of one connection, and as many at once

struct sender { // of a message
  uint64_t connection;
  int slot;        // of the connection in the router
  int role;        // enum peer_role; -1: peers need no key
  const char *key; // name of the key; empty: none
  const char *address;
};

struct guard {
  const struct server_keys *keys; // NULL: peers need no key
  struct meter {                  // of the messages on a connection, at its slot in the router
    uint64_t connection;
    int64_t at_ms, budget; // budget in thousandths of a message
    int is_over;           // the excess of this burst has been answered
  } meter[ROUTER_CONNECTIONS];

  struct security_counts counts;
  struct event_budget event_budget[DENIAL_COUNT]; // of events about what was denied: each reason has its own
  int64_t next_sum_ms;                            // when an event may state how many had none
  uint64_t unreported[DENIAL_COUNT];
};

// The command socket, with these keys; NULL: peers need none. heartbeat: see router_open.
enum status server_guard_open(struct server *server, const char *endpoint, int heartbeat,
                              const struct server_keys *keys, struct reason *why);

// The telemetry socket, with the same keys.
enum status server_open_publisher(struct server *server, const char *endpoint, const char *const *topics,
                                  size_t largest, struct reason *why);

void server_fill_keys(struct zmtp_keys *out, const struct server_keys *keys); // the server's own

// The admitted peer with this key, NULL: none; out names it, or the key.
const struct peer_key *server_find_key(const struct server *server, const uint8_t key[CURVE_KEY],
                                       struct zmtp_admission *out);
struct sender server_sender_of(const struct router_message *message);
// Whether the sender may send a message of this kind.
int server_may_send(const struct sender *from, enum wire_kind kind);
// Takes one message from the rate of the connection. Returns 0 if it is beyond; *is_first: the first of a
// burst.
int server_meter(struct server *server, const struct sender *from, int *is_first);
void server_meter_return(struct server *server, const struct sender *from); // gives one back

// Counts, and publishes an event unless there were too many of them.
void server_deny(struct server *server, enum denial denial, const char *who, const char *what);
void server_deny_without_event(struct server *server, enum denial denial);
// A connection that was closed. socket: which one, for people, with a colon; empty: the command socket.
void server_deny_failure(struct server *server, enum zmtp_failure failure, const char *who,
                         const char *socket);
void server_report_denials(struct server *server); // how many had no event, if it is time

struct sender_text {
  char text[PEER_KEY_NAME + PEER_ADDRESS + 32];
};
struct sender_text server_sender_text(const struct sender *from); // key and address, for people
