// Streams of random numbers.
#include "sagbend/math/math.h"

#include "sagbend/base/base.h"

#include <math.h>
#include <string.h>

static uint64_t splitmix(uint64_t *at) {
  uint64_t z = *at += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

uint64_t random_seed(uint64_t seed, const char *name) {
  uint64_t mixed = splitmix(&seed) ^ fnv1a(FNV1A_START, name, strlen(name));
  return splitmix(&mixed);
}

struct random_stream random_stream_of(uint64_t seed) {
  struct random_stream s = {.spare = 0, .has_spare = 0};
  for (int i = 0; i < 4; i++)
    s.state[i] = splitmix(&seed);
  return s;
}

static uint64_t rotated(uint64_t x, int left) {
  return (x << left) | (x >> (64 - left));
}

uint64_t random_bits(struct random_stream *s) {
  uint64_t *v = s->state, result = rotated(v[1] * 5, 7) * 9, t = v[1] << 17;
  v[2] ^= v[0];
  v[3] ^= v[1];
  v[1] ^= v[2];
  v[0] ^= v[3];
  v[2] ^= t;
  v[3] = rotated(v[3], 45);
  return result;
}

double random_uniform(struct random_stream *s) {
  return (double)(random_bits(s) >> 11) * 0x1p-53;
}

// Polar method (Marsaglia and Bray 1964): a point within the unit circle gives two normal numbers.
double random_normal(struct random_stream *s) {
  if (s->has_spare) {
    s->has_spare = 0;
    return s->spare;
  }

  double x, y, square;
  do {
    x = 2 * random_uniform(s) - 1;
    y = 2 * random_uniform(s) - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  double factor = sqrt(-2 * explog_log(square) / square);
  s->spare = y * factor;
  s->has_spare = 1;

  return x * factor;
}

int random_stream_is_valid(const struct random_stream *s, struct reason *why) {
  // From an all-zero state the generator returns zeros for ever, and random_normal would not end.
  int is_not_zero = (s->state[0] | s->state[1] | s->state[2] | s->state[3]) != 0;
  return valid_whole((uint64_t)is_not_zero, 1, 1, "state (of a random stream; 1: not all zero)", why) &&
         valid_flag(s->has_spare <= 1 ? (int64_t)s->has_spare : -1, "has_spare", why) &&
         valid_range(s->spare, -16, 16, "spare", why); // the largest normal number is below 13
}
