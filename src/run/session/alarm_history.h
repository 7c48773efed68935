// What the alarms of a controller were in a session, for the summary: each with its begin and end.
#pragma once

#include "sagbend/signals/dp_alarm.h"

enum { MAX_PAST_ALARMS = 1024 };

struct past_alarm {
  struct dp_alarm alarm;       // as it was raised
  uint64_t from_step, to_step; // of the Sensors that the commands answer with which it came and was over
  int is_over;                 // to_step counts
};

struct alarm_history {
  struct dp_alarm_state seen; // last
  uint64_t left_out;          // beyond MAX_PAST_ALARMS: the least severe, of equal ones those that came last
  int count;                  // messages too
  struct past_alarm past[MAX_PAST_ALARMS];
};

// Takes the alarms of a frame. Of frames that do not come, such as those that mode realtime drops, the
// alarms that began and ended there are missing.
void alarm_history_take(struct alarm_history *history, const struct dp_alarm_state *now);
