// The overrun policy of mode realtime: how many periods may pass in a row without a step that ends on time.
// Beyond the limit the run halts. Pure accounting, no allocation.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/rig/frame.h"

struct overrun {
  uint64_t limit;    // periods in a row; 0: late steps are counted, and the run goes on
  uint64_t in_a_row; // periods since the last step that ended on time
};

// After each step. late: it was late; lost: periods lost because of it. Returns 1 if the run is to halt.
int overrun_is_reached(struct overrun *o, int late, uint64_t lost) NONBLOCKING;

// What halted the run, for people.
struct overrun_text {
  char text[128]; // as much as struct pause keeps
};
struct overrun_text overrun_text(const struct late_step *late, uint64_t in_a_row);
