// What the reference of a route waits for: an operator, the vessel, the tension, the tensioner.
//
// While pipe is laid, a joint's pay-out is counted from paid_from_m. A joint begins once the one before is
// paid out and, of its own pipe, payout.first_m. In the move the reference stops where the way in the joint
// exceeds its pay-out by more than payout.behind_m, which a stuck encoder does as well, and at once where the
// tensioner holds pipe that the move needs.
#include "sagbend/dp/track.h"

#include <math.h>

static int is_tension_good(struct track_state *s, const struct track_def *def, const struct track_pipe *pipe,
                           double time_s) {
  if (!(def->tension_high_n > 0) || !pipe->is_tension_known)
    return 1;
  if (pipe->tension_n < def->tension_low_n || pipe->tension_n > def->tension_high_n)
    s->tension_good_s = time_s + def->ramp_s;
  return time_s >= s->tension_good_s;
}

// Pipe that is paid out of the joint that begins at joint_from_m.
static double paid_of_joint(const struct track_state *s, const struct track_pipe *pipe) {
  return s->is_paid_known ? pipe->paid_out_m - s->paid_from_m : 0;
}

static enum track_wait wait_for_tensioner(const struct track_state *s, const struct track_def *def,
                                          const struct track_pipe *pipe, double at_m, double next_m) {
  const struct track_payout_def *payout = &def->payout;
  double paid_m = paid_of_joint(s, pipe), way_m = at_m - s->joint_from_m, needed_m = next_m - s->joint_from_m;
  int is_between = next_m > s->target_m || s->phase == TRACK_WAITING; // two joints
  if (!pipe->is_length_known)
    return TRACK_WAITS_FOR_LENGTH;
  if (is_between && paid_m < s->target_m - s->joint_from_m - payout->behind_m)
    return TRACK_WAITS_FOR_PAYOUT;
  if (is_between) { // as track_count_joint will count
    needed_m = next_m - s->target_m;
    paid_m = fmax(paid_m - (s->target_m - s->joint_from_m), 0);
    way_m = 0;
    if (paid_m < payout->first_m && payout->first_m > 0)
      return pipe->is_braked ? TRACK_WAITS_FOR_BRAKE : TRACK_WAITS_FOR_PAYOUT;
  }
  if (pipe->is_braked && needed_m - paid_m > TRACK_SHORT_SHARE * def->joint_m)
    return TRACK_WAITS_FOR_BRAKE;
  return way_m - paid_m > payout->behind_m ? TRACK_WAITS_FOR_PAYOUT : TRACK_GOES;
}

enum track_wait track_wait_for(struct track_state *s, const struct track_def *def,
                               const struct track_pipe *pipe, double at_m, double next_m, double time_s) {
  double away_m = sqrt(s->along_m * s->along_m + s->cross_m * s->cross_m);
  double limit_m =
      s->phase == TRACK_STOPPED && s->wait == TRACK_WAITS_FOR_VESSEL ? 0.5 * def->away_m : def->away_m;
  if (s->phase == TRACK_WAITING && def->payout.is_followed && pipe->is_length_known && !s->is_paid_known) {
    s->paid_from_m = pipe->paid_out_m;
    s->is_paid_known = 1;
  }
  if (s->orders.is_stopped)
    return TRACK_WAITS_FOR_OPERATOR;
  if (def->away_m > 0 && away_m > limit_m && (s->phase == TRACK_MOVING || s->phase == TRACK_STOPPED))
    return TRACK_WAITS_FOR_VESSEL;
  if (!is_tension_good(s, def, pipe, time_s))
    return TRACK_WAITS_FOR_TENSION;
  return def->payout.is_followed ? wait_for_tensioner(s, def, pipe, at_m, next_m) : TRACK_GOES;
}

void track_count_joint(struct track_state *s, const struct track_pipe *pipe) {
  if (!s->is_paid_known)
    return;
  s->paid_from_m += fmin(s->target_m - s->joint_from_m, paid_of_joint(s, pipe));
}
