#include "sagbend/rig/frame.h"

#include <stddef.h>
#include <string.h>

void frame_copy(const struct frame *from, struct frame *to) {
  memcpy(to, from, offsetof(struct frame, faults));
  to->faults.count = from->faults.count;
  memcpy(to->faults.fault, from->faults.fault, (size_t)from->faults.count * sizeof *from->faults.fault);
  dp_alarm_state_copy(&from->alarms, &to->alarms);
}
