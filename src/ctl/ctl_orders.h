// The orders of `sagbend ctl`: one table from which the command line is read, and help and man page are made.
#pragma once

#include "io/codec/codec.h"
#include "io/files/peer_key.h"

struct ctl_order {
  const char *word;
  enum order_kind kind;
  const char *arguments; // after the word; "": none
  const char *help;      // a sentence for people, without its full stop
  // Reads the words after the order's own. STATUS_BAD_INPUT: wrong usage.
  enum status (*read)(struct wire_order *order, int argc, char **argv, struct reason *why);
  // Carries it out if one order and one answer are not enough; NULL: they are. words: as for read.
  enum status (*run)(const char *endpoint, const struct client_keys *keys, const struct wire_order *order,
                     char **words, int json, struct reason *why);
};

extern const struct ctl_order CTL_ORDERS[];
extern const int CTL_ORDER_COUNT;

struct ctl_option {
  const char *name, *help;
};
extern const struct ctl_option CTL_OPTIONS[]; // of any order, and of fault
extern const int CTL_OPTION_COUNT;

extern const char CTL_PURPOSE[], CTL_DETAILS[], CTL_STATUSES[];
extern const char *const CTL_EXAMPLES[]; // ends with NULL

enum status ctl_usage_error(struct reason *why, const char *what, const char *found);

// Prints a receipt for people, or as one JSON object on one line (docs/operation.md).
void ctl_print_receipt(const struct wire_order *order, const struct wire_receipt *receipt);
void ctl_print_receipt_json(const struct wire_order *order, const struct wire_receipt *receipt);
// The object for an order that was refused or not answered.
void ctl_print_failure_json(const struct wire_order *order, const struct reason *why);

// Enters the user's name.
void ctl_name_operator(struct wire_order *order);

// The word of an order.
const char *ctl_word(enum order_kind kind);
