// Wall-clock time of a step, by stage, so that a late step can tell what delayed it. The clock belongs to the
// caller; no state and no result depends on it.
#pragma once

#include "sagbend/base/nonblocking.h"

#include <stdint.h>

// Enumerator, name and meaning of each stage, in the order of the step. The stages of sim_step follow
// sagbend/base/stages.h.
#define STEP_STAGE_TABLE(X)                                                                                  \
  X(STEP_WAKE_UP, "wake_up", "from the due time to the begin: the system")                                   \
  X(STEP_ORDERS, "orders", "operators' orders and the newest command")                                       \
  X(STEP_CONTROLLER, "controller", "the controller inside")                                                  \
  X(STEP_COMMAND, "command", "link, command latch, faults of thrusters and power")                           \
  X(STEP_DISSIPATIVE, "dissipative", "simulator: the dissipative flows")                                     \
  X(STEP_ASSEMBLE, "assemble", "simulator: forces and tangents of the conservative flow")                    \
  X(STEP_SOLVE, "solve", "simulator: the linear systems of Newton's method")                                 \
  X(STEP_SIMULATOR, "simulator", "simulator: the rest, such as the energy ledger")                           \
  X(STEP_INSTRUMENTS, "instruments", "true output, events, instruments, verdicts")                           \
  X(STEP_HAND_OVER, "hand_over", "frame and shape go to the main thread, which is woken")                    \
  X(STEP_CHECKPOINT, "checkpoint", "copy of the state for the checkpoint")                                   \
  X(STEP_LOG, "log", "copies for the log")
#define X(name, text, meaning) name,
enum step_stage { STEP_STAGE_TABLE(X) STEP_STAGE_COUNT };
#undef X

const char *step_stage_name(int stage); // "unknown" outside the enum

struct step_clock {
  uint64_t (*now_ns)(void) NONBLOCKING; // monotonic clock, ns; NULL: nothing is measured
  uint64_t last_ns;                     // begin of the present stage
  uint64_t stage_ns[STEP_STAGE_COUNT];  // of the present step
};

// Begins a step at now_ns, after it was woken up so late.
static inline void step_clock_begin(struct step_clock *clock, uint64_t now_ns, uint64_t wakeup_ns) {
  for (int i = 0; i < STEP_STAGE_COUNT; i++)
    clock->stage_ns[i] = 0;
  clock->stage_ns[STEP_WAKE_UP] = wakeup_ns;
  clock->last_ns = now_ns;
}

// Adds the time since the begin, or since the last call, to a stage.
static inline void step_clock_end(struct step_clock *clock, enum step_stage stage) {
  if (!clock->now_ns)
    return;
  uint64_t now_ns = clock->now_ns();
  clock->stage_ns[stage] += now_ns - clock->last_ns;
  clock->last_ns = now_ns;
}

// A step that was late: it began a period or more after its due time, or ended after its deadline.
struct late_step {
  uint64_t step; // number of steps after it; 0: none was late
  double time_s;
  double late_us;                    // from its deadline to its end
  double stage_us[STEP_STAGE_COUNT]; // what it spent
};

// The stage that took the most time.
enum step_stage late_step_cause(const struct late_step *late);
