// Alarms that the controller sends, in the list of alarms.
#pragma once

#include "view/scene/alarm_list.h"

#include "sagbend/v1/telemetry.pb-c.h"

#include <stddef.h>

// Those in force at this time. Each has a time since which it is; that of its end is the time of the first
// message without it.
void controller_alarms_take(struct alarm_list *list, size_t count, Sagbend__V1__ActiveAlarm *const *from,
                            double time_s);
