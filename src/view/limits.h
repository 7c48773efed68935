// The weather that the vessel holds, for the page (/capability?current=SPEED,DIRECTION&external=pipe or
// none): sagbend capability computes it in a process of its own, one at a time, so that neither the live data
// nor the page waits for it. docs/capability.md
#pragma once

#include "core/base/status.h"

#include <stdint.h>

// What the page shows belongs to this configuration; overrides are words KEY=VALUE.
struct limits_case {
  const char *config; // NULL: none is known, and the page has no plot
  char *const *overrides;
  int override_count;
};

struct limits;

// STATUS_NO_MEMORY.
enum status limits_open(const struct limits_case *of, struct limits **out, struct reason *why);
void limits_close(struct limits *limits); // accepts NULL; ends a process that still runs

// Takes the answer of a process that has ended. Never waits.
void limits_turn(struct limits *limits);

// As struct gateway_hooks.data: starts a process where the query asks for something else than the newest
// answer has. *out is JSON: state ready, computing, failed, or none without a configuration; with failed a
// reason; with ready the cases and their limits; also with computing, if there is an older answer. STATUS_OK
// without *out: another path.
enum status limits_answer(struct limits *limits, const char *path, const char *query, char **out,
                          struct reason *why);
