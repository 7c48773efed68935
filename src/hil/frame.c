#include "hil/frame.h"

#include <stddef.h>
#include <string.h>

static void power_feedback_copy(const struct power_feedback *from, struct power_feedback *to) {
  memcpy(to, from, from->bus_count ? sizeof *to : offsetof(struct power_feedback, bus));
}

void frame_copy(const struct frame *from, struct frame *to) {
  memcpy(to, from, offsetof(struct frame, readings.power));
  power_feedback_copy(&from->readings.power, &to->readings.power);
  to->faults.count = from->faults.count;
  memcpy(to->faults.fault, from->faults.fault, (size_t)from->faults.count * sizeof *from->faults.fault);
  dp_alarm_state_copy(&from->alarms, &to->alarms);
}
