// Verdicts: what must hold in a scenario, watched in every step. A pure function of the states; plain data.
#pragma once

#include "core/base/nonblocking.h"
#include "hil/events.h"

enum { MAX_VERDICTS = 32 };

struct verdict_def {
  char name[SIGNAL_NAME];
  enum quantity quantity;
  double low, high; // the quantity stays within; infinite: no bound on that side
  double from_s,
      to_s;  // judged in this time, both included; to_s 0: to the end. Counted from after, if there is one
  int after; // index of an event, whose beginning the times count from; -1: the session's start
  double grace_s;      // a shorter time outside is no violation
  int expect_violated; // it passes if it is violated
};

struct verdict {
  uint64_t judged_steps;
  uint64_t outside_since; // 1 + step of the present time outside; 0: it is within
  uint64_t violated_step; // 1 + step at which the first violation was complete; 0: none
  uint64_t first_step;    // where that time outside began
  uint64_t violations;    // times outside that were too long
  uint64_t worst_step;
  double worst_value;  // the one furthest outside, or least within; NaN: there was no number
  double worst_margin; // of it to the nearer bound, positive within
};

// Whether a state from a file is one that can have come at this step (core/base/valid.h).
int verdict_is_valid(const struct verdict *v, uint64_t step, struct reason *why);

void verdict_judge(struct verdict *v, const struct verdict_def *def, const struct events *events,
                   const struct loop_view *view) NONBLOCKING;

// After the last step: the end of that step may have been late, which no later state sees. For numbers of the
// clock.
void verdict_judge_end(struct verdict *v, const struct verdict_def *def, const struct events *events,
                       const struct loop_view *view);

// What has come of it so far. Not judged: its time or event has not come, which is a failure at the end.
enum verdict_result { VERDICT_PASSED, VERDICT_FAILED, VERDICT_NOT_JUDGED };
enum verdict_result verdict_result(const struct verdict *v, const struct verdict_def *def);
