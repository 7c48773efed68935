// A one-sided variance spectrum cut into bands, each replaced by one sinusoid: a realisation is then a
// function of time alone, with nothing to integrate, store or drift.
#pragma once

#include "core/math/random.h"

// density(def, frequency): variance per frequency, in whatever unit low and high have, 0 < low < high.
struct spectrum {
  double (*density)(const void *def, double frequency);
  const void *def;
  double low, high;
};

// Variance between low and high.
double spectrum_variance(const struct spectrum *s);

// Cuts it into count bands with edges moved at random, so that frequencies are not multiples of one another
// and the realisation does not repeat. Half of the bands go where the energy is, half evenly over the
// logarithm of frequency. amplitude[k] = sqrt(2 variance of the band), frequency[k] its centroid: variance
// and first moment are those of the spectrum for any seed, higher moments to the square of the bands' width.
void spectrum_realise(const struct spectrum *s, int count, struct random_stream *stream, double amplitude[],
                      double frequency[]);
