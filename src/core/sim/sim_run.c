// What the counters of a run from a file must be.
#include "core/sim/sim_parts.h"

#include <limits.h>

int sim_run_is_valid(const struct sim_run *r, struct reason *why) {
  const uint64_t all_events = (UINT64_C(1) << EVENT_COUNT) - 1;
  if (!ledger_is_valid(&r->ledger, why))
    return valid_fail_in(why, "ledger.");
  return valid_whole(r->step, 0, VALID_MOST_STEPS, "step", why) &&
         valid_whole(r->events, 0, all_events, "events", why) && valid_whole(r->fault, 0, 0, "fault", why) &&
         valid_whole(r->cap_count, 0, r->step, "cap_count", why) &&
         valid_whole(r->divided_count, 0, r->step, "divided_count", why) &&
         valid_whole(r->unresolved_count, 0, r->step, "unresolved_count", why) &&
         valid_whole(r->newton_max, 0, INT_MAX, "newton_max", why) &&
         valid_whole(r->newton_iterations, 0, r->newton_max, "newton_iterations", why) &&
         valid_whole(r->newton_total, r->newton_max, VALID_MOST_STEPS, "newton_total", why) &&
         valid_finite(&r->newton_residual_n, 1, "newton_residual_n", why) &&
         valid_finite(r->control_b, 6, "control_b", why) &&
         valid_finite(r->top_rate_n, 3, "top_rate_n", why) &&
         valid_finite(r->top_rate_end_n, 3, "top_rate_end_n", why);
}
