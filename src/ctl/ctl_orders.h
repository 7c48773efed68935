// The command line of `sagbend ctl`: its orders are those of hil/orders.inc, and `watch`.
#pragma once

#include "io/codec/codec.h"
#include "io/codec/receipt.h"
#include "io/files/peer_key.h"

struct ctl_view {                      // what is no order
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

enum status ctl_usage_error(struct reason *why, const char *what, const char *found);

// Prints a receipt for people, or as one JSON object on one line (docs/operation.md).
void ctl_print_receipt(const struct order *order, const Sagbend__V1__Receipt *receipt);
void ctl_print_receipt_json(const struct order *order, const Sagbend__V1__Receipt *receipt);
// The object for an order that was refused or not answered.
void ctl_print_failure_json(const struct order *order, const struct reason *why);

// Enters the user's name.
void ctl_name_operator(struct order *order);
