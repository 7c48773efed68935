// Where the time of a step goes: a clock of the caller's, differences by stage. Numerics never see it.
#pragma once

#include <stdint.h>

#define STAGE_TABLE(X)                                                                                       \
  X(STAGE_DISSIPATIVE, "dissipative")                                                                        \
  X(STAGE_ASSEMBLE, "assemble")                                                                              \
  X(STAGE_SOLVE, "solve")                                                                                    \
  X(STAGE_LEDGER, "ledger")
#define X(name, text) name,
enum sim_stage { STAGE_TABLE(X) STAGE_COUNT };
#undef X
const char *sim_stage_name(int stage);

struct stage_clock {
  uint64_t (*now_ns)(void); // NULL: nothing is measured
  uint64_t last_ns;
  uint64_t stage_ns[STAGE_COUNT]; // of the last step
};

static inline void stage_begin(struct stage_clock *c) {
  for (int i = 0; i < STAGE_COUNT; i++)
    c->stage_ns[i] = 0;
  if (c->now_ns)
    c->last_ns = c->now_ns();
}

static inline void stage_end(struct stage_clock *c, enum sim_stage stage) {
  if (!c->now_ns)
    return;
  uint64_t now = c->now_ns();
  c->stage_ns[stage] += now - c->last_ns;
  c->last_ns = now;
}
