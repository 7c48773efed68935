// The late steps of a run with the times of their stages: the newest ones and the worst. No allocation.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/rig/frame.h"

enum { LATE_STEPS_KEPT = 16 };

struct late_steps {
  uint64_t count;
  struct late_step kept[LATE_STEPS_KEPT]; // step number count - 1 - i stands at its number modulo the size
  struct late_step worst;                 // that ended latest after its deadline
};

// Adds the step that has just ended, with the times in clock.
void late_steps_add(struct late_steps *l, const struct sim_output *now, uint64_t late_ns,
                    const struct step_clock *clock) NONBLOCKING;

// The i-th newest, 0 being the newest; NULL: there are not so many, or it is not kept.
const struct late_step *late_steps_newest(const struct late_steps *l, uint64_t i) NONBLOCKING;
