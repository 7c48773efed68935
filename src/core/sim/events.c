// Names and descriptions of the events.
#include "core/sim/sim.h"

const char *sim_event_name(int event) {
  static const char *const names[] = {
#define X(name, text, reaction, help) text,
      EVENT_TABLE(X)
#undef X
  };
  return (unsigned)event < EVENT_COUNT ? names[event] : "unknown";
}

const char *sim_event_text(int event) {
  static const char *const texts[] = {
#define X(name, text, reaction, help) help,
      EVENT_TABLE(X)
#undef X
  };
  return (unsigned)event < EVENT_COUNT ? texts[event] : "unknown event";
}
