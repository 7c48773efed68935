// Alters a field of a checkpoint to a value that would index beyond an array, and recomputes the hashes.
#pragma once

#include "log/log/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORGED_FIELDS(X)                                                                                     \
  X("faults.count", scenario.events.faults.count, int, 2147483647)                                           \
  X("link.count", scenario.link.count, uint64_t, UINT64_C(1) << 40)                                          \
  X("thruster_count", latch.last.thruster_count, int, 1 << 20)                                               \
  X("history_count", dp.navigation.observer.history_count, uint64_t, UINT64_MAX)                             \
  X("latch.state", latch.state, int, 1 << 30)

// bytes: a whole file, hash included. 0: no such field.
static inline int forge(void *bytes, size_t size, const char *field) {
  unsigned char *at = bytes;
  const size_t controls = CHECKPOINT_HEAD;
  int done = 0;
#define X(name, member, type, value)                                                                         \
  if (!strcmp(field, name)) {                                                                                \
    type forged = value;                                                                                     \
    memcpy(at + controls + offsetof(struct closed_loop_state, member), &forged, sizeof forged);              \
    done = 1;                                                                                                \
  }
  FORGED_FIELDS(X)
#undef X
  uint64_t hash = checkpoint_seal(bytes, size - sizeof hash);
  memcpy(at + size - sizeof hash, &hash, sizeof hash);
  return done;
}
