// The real-time thread: one step each period. It allocates nothing, locks nothing, does no input or output;
// commands come in and frames go out through rings.
#pragma once

#include "io/recording/checkpointer.h"
#include "io/recording/logger.h"

#include "hil/closed_loop.h"
#include "rt/os.h"
#include "rt/ring.h"
#include "run/times.h"

#include <stdatomic.h>

// An item of the nodes' ring.
struct node_frame {
  uint64_t step;
  double time_s;
  struct sim_node nodes[]; // node_count
};

struct step_thread {
  // set before the thread starts
  struct closed_loop *closed_loop;
  uint64_t period_ns;
  uint64_t steps_total;  // 0: until stopped
  uint64_t nodes_every;  // steps between node frames; 0: none
  uint64_t timing_every; // steps between updates of the percentiles
  int priority;          // SCHED_FIFO; 0: do not ask
  int cpu;               // -1: any
  struct ring *commands, *orders, *frames, *nodes;
  struct checkpointer *checkpointer; // NULL: none
  struct logger *logger;             // NULL: none

  // the thread's own; others may read them when it has ended
  struct pacer pacer;
  struct times times;

  // what the system permitted, valid once ready; a reason is empty if it was permitted or not asked for
  struct reason no_fifo, no_cpu, no_lock;
  atomic_int ready;
  atomic_int stop; // set from outside
  atomic_int done; // set by the thread
};

void step_thread_run(void *step_thread);              // body of the thread
void step_thread_start_pacing(struct step_thread *l); // the first period begins a moment from now
void step_thread_wait(struct step_thread *l);         // for the next step's moment

// One period's work: command in, step, frames out.
void step_thread_work(struct step_thread *l) OS_NONBLOCKING;
