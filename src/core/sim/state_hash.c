// Hash of the state: two words at a time, their 128-bit product folded. Four independent streams let the
// multiplications overlap.
#include "core/base/fnv.h"
#include "core/sim/sim_parts.h"

#include <string.h>

enum { STREAMS = 4, PAIR = 16 };
__extension__ typedef unsigned __int128 wide;

static inline uint64_t mix_pair(uint64_t h, uint64_t one, uint64_t other) {
  wide product = (wide)(h ^ one) * (other ^ UINT64_C(0x9e3779b97f4a7c15));
  return (uint64_t)product ^ (uint64_t)(product >> 64) ^ other;
}

static inline uint64_t mix_at(uint64_t h, const unsigned char *at) {
  uint64_t pair[2];
  memcpy(pair, at, sizeof pair);
  return mix_pair(h, pair[0], pair[1]);
}

// Mixes whole 8-byte words, as the state has no others, into the streams.
static void mix(uint64_t hash[STREAMS], const void *bytes, size_t size) {
  const unsigned char *at = bytes, *end = at + size / PAIR * PAIR;
  uint64_t a = hash[0], b = hash[1], c = hash[2], d = hash[3], last = 0;

  // Four variables stay in registers, an array would not.
  for (; end - at >= PAIR * STREAMS; at += PAIR * STREAMS) {
    a = mix_at(a, at), b = mix_at(b, at + PAIR);
    c = mix_at(c, at + 2 * PAIR), d = mix_at(d, at + 3 * PAIR);
  }
  for (; at < end; at += PAIR)
    a = mix_at(a, at);
  if (size % PAIR)
    memcpy(&last, at, sizeof last);

  hash[0] = mix_pair(a, last, size), hash[1] = b, hash[2] = c, hash[3] = d;
}

uint64_t state_hash_of(const struct snapshot_head *head, const void *fields, size_t field_bytes) {
  uint64_t hash[STREAMS], all = FNV1A_START;
  for (int k = 0; k < STREAMS; k++)
    hash[k] = all + (uint64_t)k;
  mix(hash, head, sizeof *head);
  mix(hash, fields, field_bytes);
  for (int k = 0; k < STREAMS; k++)
    all = mix_pair(all, hash[k], (uint64_t)k);
  return all;
}
