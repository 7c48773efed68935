// Inside of the reach, for its files.
#pragma once

#include "sagbend/reach/reach.h"

// Which pieces each unit may use: one bit for each.
struct reach_choice {
  unsigned pieces[REACH_UNITS];
};

static inline double reach_cross(const double a[2], const double b[2]) {
  return a[0] * b[1] - a[1] * b[0];
}
