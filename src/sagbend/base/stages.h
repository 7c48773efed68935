// Computing time of a step, by stage. The clock belongs to the caller; results never depend on it.
#pragma once

#include "sagbend/base/nonblocking.h"

#include <stdint.h>

// Enumerator and name of each stage.
#define STAGE_TABLE(X)                                                                                       \
  X(STAGE_DISSIPATIVE, "dissipative")                                                                        \
  X(STAGE_ASSEMBLE, "assemble")                                                                              \
  X(STAGE_SOLVE, "solve")                                                                                    \
  X(STAGE_LEDGER, "ledger")
#define X(name, text) name,
enum sim_stage { STAGE_TABLE(X) STAGE_COUNT };
#undef X

struct stage_clock {
  uint64_t (*now_ns)(void) NONBLOCKING; // monotonic clock, ns; NULL: nothing is measured
  uint64_t last_ns;                     // reading of now_ns at the last stage_begin or stage_end
  uint64_t stage_ns[STAGE_COUNT];       // time spent in each stage of the last step, ns
};

// Starts a step: clears stage_ns.
static inline void stage_begin(struct stage_clock *clock) {
  for (int i = 0; i < STAGE_COUNT; i++)
    clock->stage_ns[i] = 0;
  if (clock->now_ns)
    clock->last_ns = clock->now_ns();
}

// Adds the time since the last call of stage_begin or stage_end to a stage.
static inline void stage_end(struct stage_clock *clock, enum sim_stage stage) {
  if (!clock->now_ns)
    return;
  uint64_t now_ns = clock->now_ns();
  clock->stage_ns[stage] += now_ns - clock->last_ns;
  clock->last_ns = now_ns;
}
