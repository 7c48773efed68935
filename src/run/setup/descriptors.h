// Descriptors for files and sockets. A session does not start without enough of them, and watches them while
// its sockets are open: with none left, a listening socket would be ready for ever and its thread would spin.
// So the listening sockets close before that, and open again when connections have ended.
#pragma once

#include "sagbend/base/status.h"
#include "net/server/server.h"

#include <stdint.h>

enum {
  DESCRIPTORS_OF_FILES = 32,     // log, checkpoints, summary, records
  DESCRIPTORS_WITH_SOCKETS = 88, // these, and the connections of a session
};

struct descriptors {
  uint64_t checked_ns;
  int closed; // nonzero: new connections are not accepted
  int left;   // at the last check; counting stops where there are enough
  uint64_t closed_count;
};

// Raises the limit of open files if necessary. STATUS_BAD_INPUT: fewer than needed are left.
enum status descriptors_require(int needed, struct reason *why);

// Counts the free descriptors, at most 50 times a second. server NULL: does nothing. Returns 1 if it has just
// closed or opened the listening sockets: then event and text describe that.
int descriptors_check(struct descriptors *d, struct server *server);
const char *descriptors_event(const struct descriptors *d);
const char *descriptors_text(const struct descriptors *d);
