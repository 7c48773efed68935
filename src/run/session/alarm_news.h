// Which changes of the controller's alarms are worth a message: all of them, unless alarms flicker. By
// simulated time, so that a run repeated has the same messages.
#pragma once

#include "sagbend/signals/dp_alarm.h"

struct alarm_news { // zero: nothing has been seen
  int is_begun;
  uint64_t changes;    // of the newest message
  uint64_t suppressed; // before it: changes without a message of their own
  double left, at_s;   // messages that may go, as of a simulated time
};

// Whether a message is due of the alarms that a frame has. If so, the caller sends it.
int alarm_news_take(struct alarm_news *news, const struct dp_alarm_state *now, double time_s);

// Changes so far without a message of their own.
uint64_t alarm_news_suppressed(const struct alarm_news *news, const struct dp_alarm_state *now);
