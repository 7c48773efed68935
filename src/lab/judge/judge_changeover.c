// Redundant controllers: who commands, and the step of the thrust at a changeover.
#include "lab/judge/judge_internal.h"

#include <math.h>

static const double MOST_STEPS = 2; // of the usual ones

void judge_split_brain(const struct judging *x) {
  const double claims = x->run->seen.changeover.claims;
  if (isnan(claims))
    criterion_skip(x->run, CRITERION_SPLIT, "the case lists no controllers");
  else
    criterion_decide(
        x->run, CRITERION_SPLIT, claims == 0, 'B',
        "%.0f commands of a controller that stands by were refused; the one in command was obeyed", claims);
}

void judge_bumpless(const struct judging *x) {
  const double count = x->run->seen.changeover.count, step_n = x->run->seen.changeover.step_n,
               usual_n = x->run->seen.changeover.usual_n, step_nm = x->run->seen.changeover.step_nm,
               usual_nm = x->run->seen.changeover.usual_nm;
  if (isnan(count))
    criterion_skip(x->run, CRITERION_BUMPLESS, "the case lists no controllers");
  else if (count == 0)
    criterion_skip(x->run, CRITERION_BUMPLESS, "there was no changeover");
  else
    criterion_decide(
        x->run, CRITERION_BUMPLESS, step_n <= MOST_STEPS * usual_n && step_nm <= MOST_STEPS * usual_nm, 'B',
        "the thrust asked for steps by %.3g kN and %.3g kN m, at most %.3g kN and %.3g kN m", 1e-3 * step_n,
        1e-3 * step_nm, MOST_STEPS * 1e-3 * usual_n, MOST_STEPS * 1e-3 * usual_nm);
}
