// Descriptors for files and sockets: enough at the start or no start, and watched while sockets are open.
// Where they run out a listening socket would be ready for ever and its thread spin; so the doors close
// before, and open when others have left.
#pragma once

#include "cli/console.h"

#include "io/wire/server.h"

#include <stdint.h>

enum {
  DESCRIPTORS_OF_FILES = 24,     // log, checkpoints, summary, records
  DESCRIPTORS_WITH_SOCKETS = 80, // these, libzmq's own, and the controllers and listeners of a session
};

struct descriptors {
  uint64_t looked_ns;
  int closed, left;
  uint64_t closed_count;
};

// -1 to go on, otherwise the exit status after a line on stderr.
int descriptors_ask(struct console *console, int needed);

// Looks now and then; server NULL: never. 1: the doors have closed or opened again, as event and text say.
int descriptors_look(struct descriptors *d, struct server *server);
const char *descriptors_event(const struct descriptors *d);
const char *descriptors_text(const struct descriptors *d);
