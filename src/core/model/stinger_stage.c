// The free pipe hangs below a stinger. The rollers are lowered until the pipe lies clear above all of them,
// and raised in steps, each of which finds its equilibrium from the last one.
#include "core/model/stinger_stage.h"

#include "core/model/rollers.h"

#include <math.h>

static const double FIRST_STEP_M = 0.25, LARGEST_STEP_M = 2, SMALLEST_STEP_M = 1e-3;
enum { MOST_LOWERINGS = 60 };

void stinger_stage_begin(const struct equilibrium *eq) {
  eq->w->rollers_lowered_m = (double)INFINITY;
}

static double largest_overlap(const struct equilibrium *eq, double lowered_m) {
  double most = -1;
  for (int k = 0; k < eq->m->roller_count; k++) {
    const struct roller_place place = rollers_place(eq->m, eq->s, k, lowered_m);
    most = place.is_near && place.overlap_m > most ? place.overlap_m : most;
  }
  return most;
}

enum status stinger_stage_raise(const struct equilibrium *eq, struct reason *why) {
  double at = 0, step = FIRST_STEP_M;
  for (int k = 0; k < MOST_LOWERINGS; k++) {
    const double overlap = largest_overlap(eq, at);
    if (overlap <= 0)
      break;
    at += overlap + 0.01;
  }
  eq->w->rollers_lowered_m = at;
  if (at == 0 && eq->m->roller_count > 0)
    return fail(why, STATUS_BAD_INPUT,
                "stinger: supports that the pipe touches expected; it hangs free above all of them");
  while (at > 0) {
    const double to = at > step ? at - step : 0;
    model_state_copy(eq->m, &eq->w->saved, eq->s);
    eq->w->rollers_lowered_m = to;
    if (relax(eq, 1e-2, "raising the stinger", why) == STATUS_OK) {
      at = to;
      step = 1.5 * step < LARGEST_STEP_M ? 1.5 * step : LARGEST_STEP_M;
      continue;
    }
    model_state_copy(eq->m, eq->s, &eq->w->saved);
    step *= 0.25;
    if (step < SMALLEST_STEP_M)
      return STATUS_NOT_CONVERGED;
  }
  return STATUS_OK;
}
