// The weather that the vessel holds, for the page (/capability?current=SPEED,DIRECTION&external=pipe or
// none): sagbend capability computes it in a process of its own, one at a time and below the priority of a
// session beside it, so that neither the live data nor the page waits for it. The newest answers are kept, so
// that clients who watch different currents do not take turns computing. docs/capability.md
#pragma once

#include "programs/view/view_program.h"

#include "os/files/files.h"
#include "sagbend/base/base.h"
#include "view/server/server.h"

#include <cjson/cJSON.h>
#include <stdint.h>

// What the page shows belongs to this configuration; overrides are words KEY=VALUE.
struct limits_case {
  const char *config; // NULL: none is known, and the page has no plot
  char *const *overrides;
  int override_count;
  const char *program; // program that computes; NULL: sagbend beside the running program
  double patience_s;   // after which it is ended, and there is no answer; 0: LIMITS_PATIENCE_S
  double failure_s;    // for which a failure holds before it is tried again; 0: LIMITS_FAILURE_S
};
enum { LIMITS_PATIENCE_S = 300, LIMITS_FAILURE_S = 30 };

struct limits;

// STATUS_NO_MEMORY.
enum status limits_open(const struct limits_case *of, struct limits **out, struct reason *why);
void limits_close(struct limits *limits); // accepts NULL; ends a process that still runs

// Takes the answer of a process that has ended, and ends one that takes too long. Never waits.
void limits_turn(struct limits *limits);

// As struct gateway_hooks.data: starts a process where the query asks for something that no answer has. *out
// is JSON: state ready, computing, failed, or none without a configuration; with failed a reason; with ready
// the cases and their limits; otherwise those for the nearest current, if any. STATUS_OK without *out:
// another path.
enum status limits_response(struct limits *limits, const char *path, const char *query, char **out,
                            struct reason *why);

// ------------------------------------------------------------
// What the plot of the page needs of what sagbend capability --json prints.

// ------------------------------------------------------------
// The operator's orders from the page: as `sagbend ctl` reads and sends them, one at a time.

struct operate;

// endpoint: of the commands. keys: of an operator; NULL: none; they must live as long as it does.
enum status operate_open(const char *endpoint, const struct client_keys *keys, struct operate **out,
                         struct reason *why);
void operate_close(struct operate *operate); // accepts NULL
struct seat *operate_seat(struct operate *operate);

// Takes an order of a client that has the seat; it hears the answer later. Returns 0 if the order before has
// no answer yet.
int operate_order(struct operate *operate, int client, char *const *words, int count, int64_t now_ms);

// Takes the answer, and sends each client whether it operates when that changes.
void operate_turn(struct operate *operate, struct gateway *gateway, int64_t now_ms);

// JSON of the orders of a session and the kinds of faults with their parameters, as sagbend/orders/orders.h
// and sagbend/faults/faults.h list them. NULL: out of memory. The caller frees it.
char *operate_menu(void);

// ------------------------------------------------------------
// The program's loop on live data.

// Serves until a signal stops the program.
enum status view_live(const struct view_options *options, struct reason *why);

// ------------------------------------------------------------
// The program's loop on a log.

// Serves until a signal stops the program.
enum status view_log(const struct view_options *options, struct reason *why);
