#include "sagbend/rig/host_event.h"

#define HOST_EVENT(name, group, meaning, advice)                                                             \
  _Static_assert(sizeof meaning > 1 && sizeof advice > 1, "a meaning and an advice");
#include "sagbend/rig/host_events.inc"

const char *const host_event_names[HOST_EVENT_COUNT] = {
#define HOST_EVENT(name, ...) #name,
#include "sagbend/rig/host_events.inc"
};
