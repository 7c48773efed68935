// Hash of the state: two words at a time, their 128-bit product folded. Four independent streams let the
// multiplications overlap.
#include "sagbend/base/fnv.h"
#include "sagbend/sim/sim_parts.h"

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

// Bit of each feature that the session of a head has.
static uint64_t features_of(const struct snapshot_head *head) {
  uint64_t features = UINT64_C(1) << FEATURE_always;
#define X(name, present) features |= (uint64_t)(head->name.present > 0) << FEATURE_##name;
  FEATURE_TABLE(X)
#undef X
  const double *lost_j = head->run.ledger.total_loss_j;
  return features | (uint64_t)(lost_j[LOSS_PLASTIC] != 0) << FEATURE_yield |
         (uint64_t)(lost_j[LOSS_SOIL] != 0) << FEATURE_soil |
         (uint64_t)(head->run.fatigue.bytes > 0) << FEATURE_fatigue;
}

// A head that is written without some of its parts.
struct shortened {
  const struct snapshot_head *head;
  uint64_t features;
  unsigned char *to;
  size_t bytes, from;
};

// Leaves out this part, which lies behind those before, if it belongs to a feature that is absent.
static void leave_out(struct shortened *x, size_t at, size_t size, enum feature feature) {
  if (x->features >> feature & 1)
    return;
  memcpy(x->to + x->bytes, (const unsigned char *)x->head + x->from, at - x->from);
  x->bytes += at - x->from;
  x->from = at + size;
}

#define X(id, name, feature) feature,
static const enum feature OF_PORT[] = {PORT_TABLE(X)}, OF_LOSS[] = {LOSS_TABLE(X)};
#undef X

static void leave_out_terms(struct shortened *x, size_t work, size_t loss) {
  const size_t ledger = offsetof(struct snapshot_head, run) + offsetof(struct sim_run, ledger);
  for (size_t i = 0; i < PORT_COUNT; i++)
    leave_out(x, ledger + work + i * sizeof(double), sizeof(double), OF_PORT[i]);
  for (size_t i = 0; i < LOSS_COUNT; i++)
    leave_out(x, ledger + loss + i * sizeof(double), sizeof(double), OF_LOSS[i]);
}

static const uint64_t HASH_MAGIC = 0x3230474253ULL; // "SBG02"

// What is hashed of a head: all of it but what belongs to features that the session does not have, so that a
// feature leaves the hashes of other sessions as they are. Returns its bytes.
static size_t present_head(const struct snapshot_head *head, unsigned char *to) {
  struct shortened x = {.head = head, .features = features_of(head), .to = to};
  leave_out_terms(&x, offsetof(struct ledger, work_j), offsetof(struct ledger, loss_j));
  leave_out_terms(&x, offsetof(struct ledger, total_work_j), offsetof(struct ledger, total_loss_j));
  leave_out(&x, offsetof(struct snapshot_head, run) + offsetof(struct sim_run, tension),
            sizeof head->run.tension, FEATURE_payout);
  leave_out(&x, offsetof(struct snapshot_head, run) + offsetof(struct sim_run, fatigue),
            sizeof head->run.fatigue, FEATURE_fatigue);
#define X(name, present)                                                                                     \
  leave_out(&x, offsetof(struct snapshot_head, name), sizeof head->name, FEATURE_##name);
  FEATURE_TABLE(X)
#undef X
  memcpy(to + x.bytes, (const unsigned char *)head + x.from, sizeof *head - x.from);
  x.bytes += sizeof *head - x.from;

  // The features themselves, as two of them may be of the same size; 0 for a session without any.
  const uint64_t features = x.features & ~(UINT64_C(1) << FEATURE_always),
                 snapshot = head->bytes - (sizeof *head - x.bytes);
  memcpy(to, &HASH_MAGIC, sizeof HASH_MAGIC);
  memcpy(to + offsetof(struct snapshot_head, bytes), &snapshot, sizeof snapshot);
  memcpy(to + offsetof(struct snapshot_head, reserved), &features, sizeof features);
  return x.bytes;
}

uint64_t state_hash_of(const struct snapshot_head *head, const void *fields, size_t field_bytes) {
  uint64_t hash[STREAMS], all = FNV1A_START;
  unsigned char present[sizeof *head];
  for (int k = 0; k < STREAMS; k++)
    hash[k] = all + (uint64_t)k;
  mix(hash, present, present_head(head, present));
  mix(hash, fields, field_bytes);
  for (int k = 0; k < STREAMS; k++)
    all = mix_pair(all, hash[k], (uint64_t)k);
  return all;
}
