// Realisation of a one-sided variance spectrum as a sum of sinusoids, one for each band of frequencies. Such
// a realisation is a function of time alone: there is nothing to integrate or store, and nothing that drifts.
#pragma once

#include "sagbend/math/math.h"

struct spectrum {
  double (*density)(const void *def, double frequency); // variance per frequency, in the unit of low and high
  const void *def;                                      // passed to density
  double low, high;                                     // range of frequencies, 0 < low < high
};

// Divides the spectrum into count bands and fills an amplitude and a frequency for each. amplitude[k] =
// sqrt(2 variance of the band), frequency[k] is the band's centroid, so that for any seed variance and first
// moment are those of the spectrum and higher moments are right to the square of the bands' width. Half of
// the bands follow the energy, half the logarithm of frequency. The edges are random: frequencies are then
// not multiples of one another and the realisation does not repeat. Returns the variance between low and
// high.
double spectrum_realise(const struct spectrum *spectrum, int count, struct random_stream *stream,
                        double amplitude[], double frequency[]);
