// The sections that belong to a session and not to its steps: sockets, log, buses. The programs hand them to
// the loader as a table.
#pragma once

#include "net/case/case.h"
#include "sagbend/case/case.h"

extern const struct config_section SOCKETS_SECTION, LOG_SECTION, NMEA_SECTION, MODBUS_SECTION;

// What their rows fill; the definition keeps its beginning.
struct run_draft {
  struct config_run out;
  char nmea_start_utc[32];
};
static inline const struct run_draft *run_draft(const struct check *c) {
  return c->more;
}

// Places of a row's value in it.
#define RUN_AT(member) .offset = offsetof(struct run_draft, member)
