// The alarms of a session, from its telemetry. No sockets, no clock. One thread owns it.
#pragma once

#include "view/scene/alarm_list.h"

#include <stddef.h>

struct alarms;

struct alarms *alarms_create(void);      // NULL: out of memory
void alarms_free(struct alarms *alarms); // accepts NULL
void alarms_begin_session(struct alarms *alarms);

// Takes a message of the telemetry or of a log, in the order of its time. type: "sagbend.v1.Truth". One that
// cannot be read changes nothing.
void alarms_take(struct alarms *alarms, const char *type, const void *data, size_t size);

const struct alarm_list *alarms_list(const struct alarms *alarms);
