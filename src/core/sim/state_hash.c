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

// What is left out of a head: from, to.
struct cut {
  size_t from, end;
};

static struct cut cut_of(size_t at, int first, int end) {
  return (struct cut){at + (size_t)first * sizeof(double), at + (size_t)end * sizeof(double)};
}

// What a session has, from the least. A head of each kind, but for the last, leaves out what it does not
// have, as snapshots were before that existed.
enum session_kind { CONSTANT_LENGTH, PROGRAMME, TENSIONER_LAW, RETIRING, FLOODED, OPERATED };

static enum session_kind kind_of(const struct snapshot_head *head) {
  if (head->operations.count > 0)
    return OPERATED;
  if (head->flooding.begun)
    return FLOODED;
  if (head->retire.capacity > 0)
    return RETIRING;
  if (head->tensioner.orders > 0)
    return TENSIONER_LAW;
  return head->payout.elements > 0 ? PROGRAMME : CONSTANT_LENGTH;
}

enum { WATCH_WORDS = sizeof(struct tension_watch) / sizeof(double) };

// The head of a session of a kind before OPERATED: without the ports, losses and states that belong to later
// kinds, so that sessions of a constant length keep the hashes they had. Returns its bytes.
static size_t plain_head(const struct snapshot_head *head, enum session_kind kind, unsigned char *to) {
  const uint64_t magics[] = {0x3230474253ULL, 0x3330474253ULL, 0x3430474253ULL, 0x3630474253ULL,
                             0x3730474253ULL}; // "SBG02" to "SBG04", "SBG06", "SBG07"
  const size_t end[] = {offsetof(struct snapshot_head, payout), offsetof(struct snapshot_head, tensioner),
                        offsetof(struct snapshot_head, retire), offsetof(struct snapshot_head, flooding),
                        offsetof(struct snapshot_head, operations)};
  const uint64_t magic = magics[kind];
  const size_t ledger = offsetof(struct snapshot_head, run) + offsetof(struct sim_run, ledger);
  const size_t watch = offsetof(struct snapshot_head, run) + offsetof(struct sim_run, tension);
  const int ports = kind == CONSTANT_LENGTH ? PORT_TENSIONER
                    : kind < RETIRING       ? PORT_RETIRED
                    : kind < FLOODED        ? PORT_FLOODING
                                            : PORT_COUNT;
  const int yielded = head->run.ledger.total_loss_j[LOSS_PLASTIC] != 0;
  const int losses = kind >= RETIRING || yielded ? LOSS_COUNT
                     : kind < TENSIONER_LAW      ? LOSS_TENSIONER
                                                 : LOSS_PLASTIC;
  const struct cut cuts[] = {cut_of(ledger + offsetof(struct ledger, work_j), ports, PORT_COUNT),
                             cut_of(ledger + offsetof(struct ledger, loss_j), losses, LOSS_COUNT),
                             cut_of(ledger + offsetof(struct ledger, total_work_j), ports, PORT_COUNT),
                             cut_of(ledger + offsetof(struct ledger, total_loss_j), losses, LOSS_COUNT),
                             cut_of(watch, 0, kind == CONSTANT_LENGTH ? WATCH_WORDS : 0),
                             {end[kind], sizeof *head}};
  size_t bytes = 0, from = 0;
  for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
    memcpy(to + bytes, (const unsigned char *)head + from, cuts[k].from - from);
    bytes += cuts[k].from - from;
    from = cuts[k].end;
  }
  const uint64_t snapshot = head->bytes - (sizeof *head - bytes);
  memcpy(to, &magic, sizeof magic);
  memcpy(to + offsetof(struct snapshot_head, bytes), &snapshot, sizeof snapshot);
  return bytes;
}

uint64_t state_hash_of(const struct snapshot_head *head, const void *fields, size_t field_bytes) {
  uint64_t hash[STREAMS], all = FNV1A_START;
  unsigned char plain[sizeof *head];
  for (int k = 0; k < STREAMS; k++)
    hash[k] = all + (uint64_t)k;
  const enum session_kind kind = kind_of(head);
  if (kind == OPERATED)
    mix(hash, head, sizeof *head);
  else
    mix(hash, plain, plain_head(head, kind, plain));
  mix(hash, fields, field_bytes);
  for (int k = 0; k < STREAMS; k++)
    all = mix_pair(all, hash[k], (uint64_t)k);
  return all;
}
