// Seeded random streams: same seed and name, same bits, on every processor. The state is plain bytes without
// padding, to be snapshotted and hashed with what uses it.
//
// Generator: xoshiro256** (Blackman and Vigna, ACM Trans. Math. Softw. 47:36, 2021), its state filled by
// splitmix64.
#pragma once

#include "core/base/valid.h"

#include <stdint.h>

struct random_stream {
  uint64_t state[4]; // not all zero
  double spare;      // the other of a pair of normal numbers
  uint64_t has_spare;
};

// The seed of the stream of this name: a stream per name, so that another instrument beside it changes none
// of its numbers.
uint64_t random_seed(uint64_t seed, const char *name);
struct random_stream random_stream_of(uint64_t seed);

uint64_t random_bits(struct random_stream *s);
double random_uniform(struct random_stream *s); // [0, 1), multiples of 2^-53
double random_normal(struct random_stream *s);  // mean 0, variance 1

// Whether a state from a file is one that a stream can have (core/base/valid.h).
int random_stream_is_valid(const struct random_stream *s, struct reason *why);
