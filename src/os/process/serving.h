// A low real-time priority for the thread that serves sockets: above all normal programs, below the step
// thread. So that it cannot occupy a processor for itself if it computes without end, it loses the priority
// after SERVING_BUSY_MS of computing without a wait (RLIMIT_RTTIME).
#pragma once

#include "sagbend/base/status.h"

enum { SERVING_BUSY_MS = 500 };

// Gives the calling thread SCHED_FIFO. Threads that it starts later have normal scheduling. STATUS_IO: the
// system does not permit it.
enum status serving_raise(int priority, struct reason *why);

// Binds the calling thread to a processor. STATUS_IO: there is none of this number, or it is not permitted.
enum status serving_bind(int cpu, struct reason *why);

// For a thread that the bound one has started, first of all: it has the processors that the other had before.
void serving_part(void);

// The calling thread has normal scheduling again, and the processors that it had before.
void serving_lower(void);

unsigned serving_losses(void); // how often the thread lost the priority
