// The newest of what was refused. Equal refusals are one entry with a count: those of one peer, for one
// reason, with one text but for its numbers and the value that came. The first of them is worth an event, a
// flood is not.
#pragma once

#include "sagbend/rig/refusal.h"
#include "net/gate/event_budget.h"

enum {
  REFUSALS_KEPT = 16,
  REFUSALS_SHOWN = 3, // the newest of them, in Status and summary
  REFUSED_PEER = 256, // bytes with the final zero
  REFUSED_TEXT = 256
};

struct refused {
  uint64_t count; // 0: this entry is free
  uint64_t order; // of the newest of them among all refusals
  int64_t newest_ms;
  enum refusal reason;
  char peer[REFUSED_PEER]; // name and number of a controller, or an address
  char text[REFUSED_TEXT]; // of the newest: field, value and limit
};

struct refusals {
  struct refused entry[REFUSALS_KEPT];
  uint64_t count;
  struct event_budget budget[REFUSAL_COUNT];
  // Without an event of their own since the newest sum, by reason. When the next sum is due, or was made; and
  // after how long: the longer a flood lasts, the fewer lines it makes.
  uint64_t unreported[REFUSAL_COUNT], unreported_in_all;
  int64_t sum_ms, sum_after_ms;
};

// Keeps a refusal. Returns whether it is worth an event: the first of its kind, or the first after a minute.
int refusals_keep(struct refusals *refusals, const char *peer, enum refusal reason, const char *text);

// The newest entry but index; NULL: there are not so many.
const struct refused *refusals_newest(const struct refusals *refusals, int index);

// Counts one without an event.
void refusals_leave(struct refusals *refusals, enum refusal reason);
// A sentence with the counts of those without an event, if it is due. Returns 0 otherwise.
int refusals_sum(struct refusals *refusals, char *text, int size);
