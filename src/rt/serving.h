// A low real-time priority for the threads that serve sockets: above all normal programs, below the step
// thread. So that a thread that computes without end cannot occupy a processor for itself, each loses the
// priority after SERVING_BUSY_MS of computing without a wait (RLIMIT_RTTIME).
#pragma once

#include "core/base/status.h"

enum { SERVING_BUSY_MS = 500 };

struct serving_priority {
  int own;                      // of the calling thread
  int others;                   // of the threads of the process whose names begin with the text
  const char *names_begin_with; // NULL: no others
};

// Gives them SCHED_FIFO. *named counts the others. A new thread has no name before it first runs: call again
// if some are missing. Threads that they start later have normal scheduling. STATUS_IO: the system does not
// permit it.
enum status serving_raise(const struct serving_priority *priority, int *named, struct reason *why);

// The calling thread has normal scheduling again.
void serving_lower(void);

unsigned serving_losses(void); // how often a thread lost the priority
