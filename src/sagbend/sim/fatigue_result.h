// Fatigue that a simulator has counted, also beside its session (fatigue_def.beside), when no output shows
// it.
#pragma once

#include "sagbend/sim/sim.h"

struct fatigue_result {
  double damage, arc_m, point;
  double rate_1ps, standby_h; // standby at most 1e6
};
struct fatigue_result sim_fatigue(const struct sim *sim) NONBLOCKING;

// Of the elements that are counted now, from the lower end: arc length of the middle, largest damage. Returns
// their number; fills at most capacity.
struct fatigue_place {
  double arc_m, damage;
};
int sim_fatigue_along(const struct sim *sim, struct fatigue_place *places, int capacity);
