// The orders of `sagbend ctl` to a session manager: lists that need several answers, the status page, and the
// transfer of a log.
#pragma once

#include "ctl/ctl_orders.h"
#include "io/wire/operator_line.h"

#include <cjson/cJSON.h>

// Send an order as often as the list needs it, and print all of it. STATUS_IO: no answer, or a refusal.
enum status ctl_list(const char *endpoint, const struct client_keys *keys, const struct order *order,
                     int json, struct reason *why);

// Copies a log into a file. A part of an earlier transfer is continued. STATUS_BAD_INPUT: the file exists;
// STATUS_IO: why it broke off.
enum status ctl_fetch(const char *endpoint, const struct client_keys *keys, const struct order *order,
                      const char *file, int json, struct reason *why);

typedef struct Sagbend__V1__ManagerStatus Sagbend__V1__ManagerStatus;
void ctl_print_manager(const Sagbend__V1__ManagerStatus *status);

// Prints an object on one line, and deletes it.
void ctl_print_json(cJSON *root);

// Sends an order over a connection and waits for its answer (operator_line_take). STATUS_IO: none, a refusal,
// or one without the manager's part.
enum status ctl_exchange(struct operator_line *line, struct order *order, Sagbend__V1__Receipt **receipt,
                         struct reason *why);
