// Counters of what was accepted, refused and denied, and how much of it is worth a message of its own.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/events/events.h"

#include <stdint.h>

// Counters of the field buses.
struct field_bus_counts {
  uint64_t modbus_connections; // open now
  uint64_t modbus_requests;    // answered, exceptions included
  uint64_t modbus_exceptions;  // requests answered with an exception
  uint64_t modbus_cut_off;     // connections that the simulator closed or did not admit
  uint64_t nmea_received;      // sentences, or what stands in their place
  uint64_t nmea_at_gate;       // sentences of a command that the gate refused
  // Of groups on the network (net/groups): lines with a number, and what the numbers say of the way.
  uint64_t nmea_lines, nmea_lines_lost, nmea_lines_doubled, nmea_lines_late;
  uint64_t nmea_passed_over;           // sentences and datagrams in a group that are no commands
  uint64_t nmea_incomplete;            // sentences that belong together, of which not all came
  uint64_t nmea_own;                   // datagrams of the simulator itself
  uint64_t nmea_dropped;               // datagrams for which a socket had no room, as the kernel counts
  double nmea_age_s, nmea_age_worst_s; // of the newest line that says its time, and of the oldest
  int networks;                        // 2: groups or controllers have a network B
  struct network_counts {              // of each
    uint64_t lines, lines_lost, dropped;
    uint64_t lines_doubled;              // those that the other had brought
    uint64_t messages, messages_doubled; // of controllers, by protobuf; those that the other brought first
    uint64_t requests, requests_doubled; // of Modbus; writes that the other had brought
    // It brings no lines, no commands, no requests, and the other one does, or did.
    int is_lost, is_silent, is_unasked;
  } network[NETWORKS];
};

struct command_counts {
  uint64_t accepted;
  uint64_t refused[REFUSAL_COUNT];
  uint64_t displaced;  // idle controllers that made room for new ones
  uint64_t changes;    // of command: a controller came into command
  uint64_t from_buses; // of those accepted
  uint64_t shadows;    // of controllers that stand by
  uint64_t claims;     // of those refused: a controller that stands by commands although it knows
  uint64_t late;       // of those refused: based on Sensors from before a changeover
  uint64_t cut;        // commands that the fault controller_silent has kept away
  struct field_bus_counts buses;
};
uint64_t refused_in_all(const struct command_counts *counts);
uint64_t refused_sentences(const struct command_counts *counts); // of NMEA, those at the gate included

struct security_counts {
  int keys_required;
  uint64_t connections; // to the command socket, open now
  uint64_t admitted;    // handshakes with an admitted key, of both sockets
  uint64_t denied[DENIAL_COUNT];
  uint64_t unreported; // denials without an event of their own: there were too many
  uint64_t take_overs; // ordered by operators
};

// ------------------------------------------------------------
// How many messages or events of one kind may come: some at once, then one in a while.

struct budget { // zero: full
  int is_begun;
  double left, at; // time that is left for them, as of a moment; seconds or milliseconds of any clock
};

// Takes one that costs so much time, from a budget of so many. Returns 0 if nothing is left.
int budget_take(struct budget *budget, double now, double each, int at_once);

// How many events about peers are worth a line: the budget of one kind.
int event_budget_take(struct budget *budget, int64_t now_ms);

// ------------------------------------------------------------
// What had no event of its own, by reason, until one event states the numbers: at most that long after the
// first of them.

enum { UNREPORTED_REASONS = (int)REFUSAL_COUNT > (int)DENIAL_COUNT ? (int)REFUSAL_COUNT : (int)DENIAL_COUNT };

struct unreported {
  uint64_t of[UNREPORTED_REASONS], in_all;
  int64_t due_ms, after_ms; // when the next sum is due, or was made; after how long
};

enum { SUM_AFTER_MS = 10000 };

// Counts one. The longer a flood lasts, the fewer sums it makes: each after twice the time of the one before,
// but most_ms at the most.
void unreported_add(struct unreported *unreported, int reason, int64_t now_ms, int64_t most_ms);
int unreported_is_due(const struct unreported *unreported, int64_t now_ms);
// Appends " NAME NUMBER" of each reason to the text, as far as it has room, and counts from zero again.
void unreported_take(struct unreported *unreported, const char *(*name)(int reason), char *text, size_t size);
