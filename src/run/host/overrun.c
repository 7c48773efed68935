#include "run/host/overrun.h"

#include <inttypes.h>
#include <stdio.h>

// A late step is a period without one that ended on time; the periods lost because of it are others.
int overrun_is_reached(struct overrun *o, int late, uint64_t lost) {
  o->in_a_row = late ? o->in_a_row + 1 + lost : 0;
  return o->limit && o->in_a_row >= o->limit;
}

struct overrun_text overrun_text(const struct late_step *late, uint64_t in_a_row) {
  struct overrun_text out;
  enum step_stage cause = late_step_cause(late);
  snprintf(out.text, sizeof out.text,
           "overrun: %" PRIu64 " periods without a step on time; step %" PRIu64
           " ended %.0f us late, most of it in %s: %.0f us",
           in_a_row, late->step, late->late_us, step_stage_name((int)cause), late->stage_us[cause]);
  return out;
}
