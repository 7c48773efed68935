// Wakes a thread that waits in poll: an eventfd. The real-time thread rings, the other thread waits until the
// file is readable, silences it and looks at what has been handed over.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/status.h"

struct wake {
  int file; // readable from wake_ring to wake_silence; -1: not open
};

enum status wake_open(struct wake *wake, struct reason *why);
void wake_close(struct wake *wake);

// Any number of rings before a silence count as one. What the ringing thread has done before the ring is
// visible after the silence.
void wake_ring(const struct wake *wake) NONBLOCKING;
void wake_silence(const struct wake *wake); // never waits
