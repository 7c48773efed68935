// The command line of `sagbend ctl`: its orders are those of sagbend/orders/orders.h, and `watch`.
#pragma once

#include "net/messages/messages.h"
#include "net/server/server.h"
#include "os/files/files.h"
#include "sagbend/engine/engine.h"

#include <cjson/cJSON.h>

struct ctl_view {                      // a command of ctl that is no order
  const char *word, *arguments, *help; // as in an order_row
};
extern const struct ctl_view CTL_WATCH;

// Reads the words after the endpoint; argv[0] is the word of the order. STATUS_BAD_INPUT: wrong usage.
enum status ctl_read_order(struct order *order, int argc, char **argv, struct reason *why);
// Whether one order and one answer are not enough for it; ctl_run then carries it out. argv: as above.
int ctl_needs_more(const struct order *order, char **argv);
enum status ctl_run(const char *endpoint, const struct client_keys *keys, const struct order *order,
                    char **argv, int json, struct reason *why);

struct ctl_option {
  const char *name, *help;
};
extern const struct ctl_option CTL_OPTIONS[]; // of any order, and of fault
extern const int CTL_OPTION_COUNT;

extern const char CTL_PURPOSE[], CTL_DETAILS[], CTL_STATUSES[];
extern const char *const CTL_EXAMPLES[]; // ends with NULL

// Prints a receipt for people, or as one JSON object on one line (docs/operation.md).
void ctl_print_receipt(const struct order *order, const Sagbend__V1__Receipt *receipt);
enum status ctl_print_receipt_json(const struct order *order, const Sagbend__V1__Receipt *receipt,
                                   struct reason *why);
// The object for an order that was refused or not answered.
void ctl_print_failure_json(const struct order *order, const struct reason *why);

// Enters the user's name.
void ctl_name_operator(struct order *order);

// sagbend ctl ENDPOINT watch: the state of a session on the terminal, until the user ends it.

// telemetry: endpoint; NULL: as the simulator states it, or the port after that of endpoint. On something
// else than a terminal it prints a line each second, until the session ends. STATUS_IO: why it cannot be
// watched.
enum status ctl_watch(const char *endpoint, const char *telemetry, const struct client_keys *keys,
                      struct reason *why);

// The orders of `sagbend ctl` to a session manager: lists that need several answers, the status page, and the
// transfer of a log.

// Copies a log into a file. A part of an earlier transfer is continued. STATUS_BAD_INPUT: the file exists;
// STATUS_IO: why it broke off.
enum status ctl_fetch(const char *endpoint, const struct client_keys *keys, const struct order *order,
                      const char *file, int json, struct reason *why);

// Sends an order over a connection and waits for its answer (operator_line_take). STATUS_IO: none, a refusal,
// or one without the manager's part.
enum status ctl_exchange(struct operator_line *line, struct order *order, Sagbend__V1__Receipt **receipt,
                         struct reason *why);
