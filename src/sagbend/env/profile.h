// Variation of a load, the current, wind or waves in time: a factor that is off, follows a smooth ramp and is
// then constant or oscillates; or a table.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/env/table.h"

enum { MAX_PROFILE_ROWS = 64 };

struct time_profile {
  double start_s;   // the factor is 0 before
  double stop_s;    // the factor is 0 from here on; 0: never
  double ramp_s;    // length of the ramps after start_s and before stop_s; 0: jumps
  double variation; // amplitude of an oscillation about 1
  double period_s;  // of the oscillation; 0: none
  int rows;         // > 0: the table replaces all of the above
  enum table_kind kind;
  struct table_row
      table[MAX_PROFILE_ROWS]; // value[0]: factor; value[1]: turn about the vertical, rad (current only)
};

// The factor at a time: ramp(t) (1 + variation sin(2 pi (t - start) / period)) with a twice continuously
// differentiable ramp; or the table's.
double time_profile_at(const struct time_profile *profile, double time_s) NONBLOCKING;

// The largest size of the factor at any time.
double time_profile_largest(const struct time_profile *profile);

// The table's turn about the vertical at a time, rad; 0 without a table.
double time_profile_turn(const struct time_profile *profile, double time_s) NONBLOCKING;

// The time nearest to time_s at which the profile is on, within [start, stop].
double time_profile_clamped(const struct time_profile *profile, double time_s) NONBLOCKING;

// The factor at such a time, without the jumps at start and stop: there it is the limit from inside.
double time_profile_inside(const struct time_profile *profile, double clamped_s) NONBLOCKING;
