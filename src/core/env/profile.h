// How a load or the current varies with time: off, a smooth ramp, then constant or oscillating; or by a
// table.
#pragma once

#include "core/base/nonblocking.h"
#include "core/env/table.h"

enum { MAX_PROFILE_ROWS = 64 };

struct time_profile {
  double start_s;   // the load is zero before
  double stop_s;    // and zero from here on (0: never)
  double ramp_s;    // length of the ramp up after start_s and down before stop_s; 0: a jump
  double variation; // amplitude of the oscillation about 1, a fraction
  double period_s;  // of the oscillation; 0: none
  int rows;         // > 0: the table stands for all of the above
  enum table_kind kind;
  struct table_row table[MAX_PROFILE_ROWS]; // value[0]: the factor; value[1]: a turn about the vertical, rad
                                            // (current only)
};

// The factor at time t: ramp(t) (1 + variation sin(2 pi (t - start) / period)); the ramp is C2. Or the
// table's.
double time_profile_at(const struct time_profile *p, double time_s) NONBLOCKING;

// The table's turn at time t; 0 without a table.
double time_profile_turn(const struct time_profile *p, double time_s) NONBLOCKING;

// The time of [start, stop] nearest to t, where the factor varies continuously. To be looked up with
// time_profile_inside, which knows no jumps at start and stop: there it is what the factor is just inside.
double time_profile_clamped(const struct time_profile *p, double time_s) NONBLOCKING;
double time_profile_inside(const struct time_profile *p, double clamped_s) NONBLOCKING;
