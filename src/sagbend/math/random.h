// Seeded random streams: the same seed and name give the same bits on every processor. The state is plain
// bytes without padding; it is part of the snapshot and hash of whatever uses it. Generator: xoshiro256**,
// its state filled by splitmix64. Source: Blackman and Vigna 2021, Scrambled linear pseudorandom number
// generators (ACM Trans. Math. Softw. 47:36).
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/base.h"

#include <stdint.h>

struct random_stream {
  uint64_t state[4];  // not all zero
  double spare;       // second of the last pair of normal numbers
  uint64_t has_spare; // 1: spare has not been used yet
};

// Seed of the stream of this name. One stream per name: adding an instrument changes no number of the others.
uint64_t random_seed(uint64_t seed, const char *name);
// A stream at its start.
struct random_stream random_stream_of(uint64_t seed);

// The next number of a stream.
uint64_t random_bits(struct random_stream *s);
double random_uniform(struct random_stream *s) NONBLOCKING; // in [0, 1), a multiple of 2^-53
double random_normal(struct random_stream *s) NONBLOCKING;  // mean 0, variance 1

// Whether a state from a file is one that a stream can have (conventions: sagbend/base/base.h).
int random_stream_is_valid(const struct random_stream *s, struct reason *why);
