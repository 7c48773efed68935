// Signs of life of a run, written by its threads and read by the supervisor of the service (supervisor.h).
#pragma once

#include "sagbend/base/nonblocking.h"

#include <stdatomic.h>
#include <stdint.h>

enum pulse_phase {
  PULSE_STARTING, // nothing to watch yet
  PULSE_SERVING,  // the main thread beats; it makes the steps, if any
  PULSE_STEPPING, // main thread and step thread beat
  PULSE_ENDING    // the run ends: nothing to watch any more
};

struct pulse {
  atomic_uint_fast64_t main_beats, step_beats;
  atomic_int phase; // enum pulse_phase

  // For the state line.
  atomic_uint_fast64_t step;
  atomic_int paused;
  atomic_uint_fast64_t late_steps, lag_us;
};

// One turn of a thread's loop. A thread beats also while the run is paused or waits for a controller.
static inline void pulse_beat(atomic_uint_fast64_t *beats) NONBLOCKING {
  atomic_fetch_add_explicit(beats, 1, memory_order_relaxed);
}
