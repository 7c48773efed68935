// Sums of refusals, and how many of them have an event.
#include "net/counts/counts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

uint64_t refused_in_all(const struct command_counts *counts) {
  uint64_t sum = 0;
  for (int i = 0; i < REFUSAL_COUNT; i++)
    sum += counts->refused[i];
  return sum;
}

uint64_t refused_sentences(const struct command_counts *counts) {
  uint64_t sum = counts->buses.nmea_at_gate;
  for (int i = FIRST_NMEA_REFUSAL; i <= LAST_NMEA_REFUSAL; i++)
    sum += counts->refused[i];
  return sum;
}

int budget_take(struct budget *budget, double now, double each, int at_once) {
  const double most = each * at_once;
  budget->left = budget->is_begun ? fmin(most, budget->left + (now - budget->at)) : most;
  budget->is_begun = 1;
  budget->at = now;
  if (budget->left < each)
    return 0;
  budget->left -= each;
  return 1;
}

int event_budget_take(struct budget *budget, int64_t now_ms) {
  enum { AT_ONCE = 10, EACH_MS = 30000 };
  return budget_take(budget, (double)now_ms, EACH_MS, AT_ONCE);
}

void unreported_add(struct unreported *unreported, int reason, int64_t now_ms, int64_t most_ms) {
  if (!unreported->in_all++) {
    int64_t after_ms = 2 * unreported->after_ms;
    if (!after_ms || now_ms - unreported->due_ms > after_ms) // the flood before has ended
      after_ms = SUM_AFTER_MS;
    unreported->after_ms = after_ms > most_ms ? most_ms : after_ms;
    unreported->due_ms = now_ms + unreported->after_ms;
  }
  unreported->of[reason]++;
}

int unreported_is_due(const struct unreported *unreported, int64_t now_ms) {
  return unreported->in_all && now_ms >= unreported->due_ms;
}

void unreported_take(struct unreported *unreported, const char *(*name)(int reason), char *text,
                     size_t size) {
  size_t used = strlen(text);
  for (int i = 0; i < UNREPORTED_REASONS; i++)
    if (unreported->of[i] && used < size)
      used += (size_t)snprintf(text + used, size - used, " %s %" PRIu64, name(i), unreported->of[i]);
  memset(unreported->of, 0, sizeof unreported->of);
  unreported->in_all = 0;
}
