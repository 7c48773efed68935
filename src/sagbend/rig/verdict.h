// Verdicts: conditions that must hold in a scenario, judged in every step. A pure function of the states;
// plain data.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/rig/events.h"
#include "sagbend/rig/verdict_state.h"

// Alarms of a controller of which a verdict speaks; messages are none.
enum { MAX_ALARM_SOURCES = 8 };
struct alarm_filter {
  int is_used;      // 0: the verdict is of its quantity
  int source_count; // 0: of any source
  char source[MAX_ALARM_SOURCES][SIGNAL_NAME];
  uint32_t kinds;  // one bit for each enum dp_alarm_kind; 0: of any kind
  double within_s; // from the same time as from_s: until when the alarm must come; 0: none may be active
};

struct verdict_def {
  char name[SIGNAL_NAME];
  enum quantity quantity;
  double low, high; // bounds of the quantity; infinite: none on that side
  double from_s,
      to_s;  // judged in this time, both included; to_s 0: to the end. Counted from after, if there is one
  int after; // index of the event from whose beginning the times count; -1: the start of the session
  double mean_s;       // judges a first-order mean of the quantity with this time constant; 0: the quantity
  double grace_s;      // a shorter time outside the bounds is no violation
  int expect_violated; // nonzero: the verdict passes if it is violated
  struct alarm_filter alarm;
};

// True if a state from a file is possible at this step (sagbend/base/base.h).
int verdict_is_valid(const struct verdict *v, uint64_t step, struct reason *why);

// Distance to the nearer bound, positive within; minus infinity where the quantity has no value.
double verdict_margin(const struct verdict_def *def, double value) NONBLOCKING;

void verdict_judge(struct verdict *v, const struct verdict_def *def, const struct events *events,
                   const struct loop_view *view) NONBLOCKING;

// Judges a verdict on a clock quantity once more after the last step: the end of that step may have been
// late, which no later state contains.
void verdict_judge_end(struct verdict *v, const struct verdict_def *def, const struct events *events,
                       const struct loop_view *view);

// Result so far. Not judged: its time or event has not come, which is a failure at the end of a run.
enum verdict_result { VERDICT_PASSED, VERDICT_FAILED, VERDICT_NOT_JUDGED };
enum verdict_result verdict_result(const struct verdict *v, const struct verdict_def *def);
