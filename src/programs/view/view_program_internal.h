// The weather that the vessel holds, for the page (/capability?current=SPEED,DIRECTION&external=pipe or
// none): sagbend capability computes it in a process of its own, one at a time and below the priority of a
// session beside it, so that neither the live data nor the page waits for it. The newest answers are kept, so
// that clients who watch different currents do not take turns computing. docs/capability.md
#pragma once

#include "sagbend/base/status.h"

#include <stdint.h>

// What the page shows belongs to this configuration; overrides are words KEY=VALUE.
struct limits_case {
  const char *config; // NULL: none is known, and the page has no plot
  char *const *overrides;
  int override_count;
  const char *program; // that computes; NULL: sagbend beside the running program
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
enum status limits_answer(struct limits *limits, const char *path, const char *query, char **out,
                          struct reason *why);
