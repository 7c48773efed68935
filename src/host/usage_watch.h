// The main thread's eye on the step thread: reads page faults and context switches about once a second and
// passes them to the step thread, whose frames carry them.
#pragma once

#include "host/step_thread.h"

struct usage_watch {
  struct usage_reader reader;
  uint64_t next_ns; // time of the next reading; 0: the thread has not been found yet
};

// Call as often as convenient while the step thread runs and is ready.
void usage_watch_look(struct usage_watch *watch, struct step_thread *thread);

// Passes what the step thread is to show of its usage.
void usage_watch_pass(struct step_thread *thread, const struct usage *since_start);

// After the step thread has ended: the exact numbers go into its last frame.
void usage_watch_finish(struct usage_watch *watch, struct step_thread *thread);
