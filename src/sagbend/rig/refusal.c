#include "sagbend/rig/refusal.h"

const char *refusal_name(enum refusal r) {
  static const char *const names[] = {
#define X(name, text, help, advice) text,
      REFUSAL_TABLE(X)
#undef X
  };
  return (unsigned)r < REFUSAL_COUNT ? names[r] : "unknown";
}

const char *refusal_help(enum refusal r) {
  static const char *const texts[] = {
#define X(name, text, help, advice) help,
      REFUSAL_TABLE(X)
#undef X
  };
  return (unsigned)r < REFUSAL_COUNT ? texts[r] : "unknown";
}

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
