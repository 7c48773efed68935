// Checks of the counters of a run that come from a file.
#include "core/sim/sim_parts.h"

#include <limits.h>
#include <math.h>

// NaN where the balance of a step that was not solved is not finite.
static int is_residual(double residual_n, struct reason *why) {
  return isnan(residual_n) || valid_finite(&residual_n, 1, "newton_residual_n", why);
}

int sim_run_is_valid(const struct sim_run *run, struct reason *why) {
  const uint64_t all_events = (UINT64_C(1) << EVENT_COUNT) - 1;
  if (!ledger_is_valid(&run->ledger, why))
    return valid_fail_in(why, "ledger.");
  return valid_whole(run->step, 0, VALID_MOST_STEPS, "step", why) &&
         valid_whole(run->events, 0, all_events, "events", why) &&
         valid_whole(run->fault, 0, 0, "fault", why) &&
         valid_whole(run->unsolved_count, 0, run->step, "unsolved_count", why) &&
         valid_whole(run->divided_count, 0, run->step, "divided_count", why) &&
         valid_whole(run->unresolved_count, 0, run->step, "unresolved_count", why) &&
         valid_whole(run->newton_max, 0, INT_MAX, "newton_max", why) &&
         valid_whole(run->newton_iterations, 0, run->newton_max, "newton_iterations", why) &&
         valid_whole(run->newton_total, run->newton_max, VALID_MOST_STEPS, "newton_total", why) &&
         is_residual(run->newton_residual_n, why) && valid_finite(run->control_b, 6, "control_b", why) &&
         valid_finite(run->top_rate_n, 3, "top_rate_n", why) &&
         valid_finite(run->top_rate_end_n, 3, "top_rate_end_n", why) &&
         valid_whole(run->tension.steps, 0, TENSION_START, "tension.steps", why) &&
         valid_finite(run->tension.tension_n, 2, "tension.tension_n", why) &&
         valid_finite(&run->tension.deviation_n, 1, "tension.deviation_n", why) &&
         valid_whole(run->tension.alternations, 0, TENSION_ALTERNATIONS, "tension.alternations", why) &&
         valid_finite(&run->tension.largest_n, 1, "tension.largest_n", why);
}
