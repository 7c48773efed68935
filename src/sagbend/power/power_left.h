// What the power plant can supply in the long run when equipment has failed: no transients, no trips that
// follow (sagbend/power/power.h has these).
#pragma once

#include "sagbend/power/power_def.h"

struct power_left {
  int island[MAX_BUSES];      // of each bus: the first bus of those that closed ties join with it
  int live[MAX_BUSES];        // 1: a set, or a battery that carries its hotel load, supplies the bus
  double drives_w[MAX_BUSES]; // power for all drives of the island, at its first bus; 0 at the others
};

// buses, generators: bits of those that failed. A lost bus has no sets, and its ties are open. Sets that
// stand by count if power management starts them (management.load_start). Sets are loaded up to
// management.reduction of their rating. Batteries count only where the sound plant has no set: they do not
// last.
void power_left_after(const struct power_def *def, unsigned buses, unsigned generators,
                      struct power_left *out);
