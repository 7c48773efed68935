// How many events of one kind are worth a line: some at once, then one in a while.
#pragma once

#include <stdint.h>

struct event_budget { // zero: full
  int64_t left_ms, at_ms;
};

// Takes an event from the budget. Returns 0 if nothing is left.
int event_budget_take(struct event_budget *budget);
