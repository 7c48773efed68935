#include "hil/host_event.h"

const char *const host_event_names[HOST_EVENT_COUNT] = {
#define HOST_EVENT(name, ...) #name,
#include "hil/host_events.inc"
};
