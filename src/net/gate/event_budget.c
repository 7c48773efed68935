#include "net/gate/event_budget.h"

#include "net/zmtp/clock.h"

enum { EVENTS_AT_ONCE = 10, EVENT_EVERY_MS = 30000 };

int event_budget_take(struct event_budget *budget) {
  const int64_t most = (int64_t)EVENTS_AT_ONCE * EVENT_EVERY_MS;
  int64_t now = clock_ms();
  int64_t left = budget->at_ms ? budget->left_ms + now - budget->at_ms : most;
  budget->left_ms = left > most ? most : left;
  budget->at_ms = now;
  if (budget->left_ms < EVENT_EVERY_MS)
    return 0;
  budget->left_ms -= EVENT_EVERY_MS;
  return 1;
}
