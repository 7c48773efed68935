// Realisation of a one-sided variance spectrum as a sum of sinusoids, one for each band of frequencies. Such
// a realisation is a function of time alone: there is nothing to integrate or store, and nothing that drifts.
#pragma once

#include "sagbend/math/math.h"

struct spectrum {
  double (*density)(const void *def, double frequency); // variance per frequency, in the unit of low and high
  const void *def;                                      // passed to density
  double low, high;                                     // range of frequencies, 0 < low < high
};
