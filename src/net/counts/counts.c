// Sums of refusals.
#include "net/counts/counts.h"

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
