// Private to the server: who is admitted to the router, how many, and what each may do.
// server_admission.c: keys and roles; server_connections.c: connections and their rate; server_denials.c:
// counts and events of what is denied.
#pragma once

#include "hil/denial.h"
#include "io/codec/codec.h"
#include "io/keys/peer_key.h"

#include <poll.h>

struct server;

enum {
  MAX_CONNECTIONS = 128,      // to the router; at this number it stops accepting
  CONNECTIONS_AGAIN = 120,    // at this number it accepts again
  TRACKED_CONNECTIONS = 1024, // it may have accepted some more by the time that it knows
  PEER_ADDRESS = 64,
  MESSAGES_PER_S = 1000, // of one connection, and as many at once
};

struct sender { // of a message
  const unsigned char *identity;
  size_t identity_size;
  int connection;          // unique among the open ones
  int role;                // enum peer_role; -1: peers need no key
  char key[PEER_KEY_NAME]; // name of the key; empty: none
  char address[PEER_ADDRESS];
};

struct guard {
  const struct server_keys *keys; // NULL: peers need no key
  void *zap;                      // libzmq asks here whether to admit a key; NULL: peers need no key
  void *monitor;                  // libzmq reports the router's connections here
  int connection_count;
  struct connection {
    int file; // of libzmq, as a number only
    char address[PEER_ADDRESS];
  } connection[TRACKED_CONNECTIONS];
  int is_full;                      // the listener is shut
  uint64_t dropped_before, dropped; // attempts to connect: before it was shut, since then
  int failed;                       // enum denial of the connection that ends next; -1: none
  int64_t next_check_ms;            // of the connections
  struct meter {                    // of the messages on a connection
    int connection;                 // -1: free
    int64_t at_ms, budget;          // budget in thousandths of a message
    int is_over;                    // the excess of this burst has been answered
  } meter[MAX_CONNECTIONS];

  struct security_counts counts;
  struct event_budget { // of events about what was denied: each reason has its own
    int64_t left_ms, at_ms;
  } event_budget[DENIAL_COUNT];
  int64_t next_sum_ms; // when an event may state how many had none
  uint64_t unreported[DENIAL_COUNT];
};

// Before the router is bound: the handler of keys, if session keys are given, and the monitor. STATUS_IO:
// without them the router must not be bound.
enum status server_guard_open(struct server *server, const struct server_keys *keys, struct reason *why);
void server_guard_close(struct server *server);

// The telemetry socket, with the same keys.
enum status server_open_publisher(struct server *server, const char *endpoint, const char *const *topics,
                                  size_t largest, struct reason *why);

// Answers libzmq's questions, follows the connections. Never blocks.
void server_guard_serve(struct server *server);

// The files that wake the server for server_guard_serve; returns their number, at most GUARD_ITEMS.
enum { GUARD_ITEMS = 2 };
int server_guard_files(const struct server *server, struct pollfd *file);
int server_file_of(void *socket); // readable when ZeroMQ has something new for a socket that was drained

void server_serve_keys(struct server *server);
void server_follow_connections(struct server *server);

// Whether the sender may send a message of this kind.
int server_may_send(const struct sender *from, enum wire_kind kind);
// Takes one message from the rate of the connection. Returns 0 if it is beyond; *is_first: the first of a
// burst.
int server_meter(struct server *server, int connection, int *is_first);
void server_meter_return(struct server *server, int connection); // gives one back

// Counts, and publishes an event unless there were too many of them.
void server_deny(struct server *server, enum denial denial, const char *who, const char *what);
void server_deny_without_event(struct server *server, enum denial denial);
void server_report_denials(struct server *server); // how many had no event, if it is time

struct sender_text {
  char text[PEER_KEY_NAME + PEER_ADDRESS + 32];
};
struct sender_text server_sender_text(const struct sender *from); // key and address, for people
