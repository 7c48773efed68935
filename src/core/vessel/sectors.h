// Forbidden sectors that protect another thruster from a wash: when they are in force, and the start of the
// thruster that they protect. docs/thrusters.md.
//
// A sector with `against` is in force while that thruster turns, that is while it runs, is due to run after
// its start-up time or still has more than 2 % of its revolutions. A thruster that is due waits until the
// others have left the sectors that protect it. They do, by the edge nearest to their thrust, because these
// sectors are already in force.
#pragma once

#include "core/base/nonblocking.h"
#include "core/vessel/plant.h"

// The sectors of a thruster, one bit each.
struct sectors_now {
  unsigned lifted;  // not in force
  unsigned awaited; // in force for a thruster that is due
};

// started: one for each thruster, 1 from the end of its start-up time until it stops.
struct sectors_now sectors_now(const struct plant_def *def, const struct plant_state *state,
                               const int *started, int thruster) NONBLOCKING;

// Returns 1 while another thruster gives thrust in a sector that protects this one.
int sectors_are_washing(const struct plant_def *def, const struct plant_state *state,
                        int thruster) NONBLOCKING;
