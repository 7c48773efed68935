// Names of the events of a run (sagbend/rig/host_events.inc). A name that the table lacks does not compile.
#pragma once

enum host_event {
#define HOST_EVENT(name, ...) HOST_EVENT_##name,
#include "sagbend/rig/host_events.inc"
  HOST_EVENT_COUNT
};

extern const char *const host_event_names[HOST_EVENT_COUNT];
#define EVENT_NAME(name) host_event_names[HOST_EVENT_##name]
