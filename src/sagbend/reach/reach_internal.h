// Inside of the reach, for its files.
#pragma once

#include "sagbend/reach/reach.h"

// Which pieces each unit may use: one bit for each.
struct reach_choice {
  unsigned pieces[REACH_UNITS];
};

// One linear programme: the hulls of the chosen pieces. The answer's bound is proven for these hulls;
// its forces may lie between pieces.
enum reach_end reach_relaxed(const struct reach *reach, const struct reach_choice *choice,
                             const double fixed[3], const double load[3], double tolerance,
                             struct reach_answer *answer) NONBLOCKING;

static inline double reach_cross(const double a[2], const double b[2]) {
  return a[0] * b[1] - a[1] * b[0];
}
