// The real-time thread of mode realtime: it advances the closed loop by one step in each period.
// host_run_realtime (realtime.c) starts it. It allocates nothing, takes no lock and does no I/O:
// commands and orders come in through rings, frames and nodes leave through rings.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "log/log/checkpointer.h"
#include "log/log/logger.h"
#include "log/log/snapshots.h"
#include "os/process/pulse.h"

#include "sagbend/engine/engine_engine.h"
#include "run/host/overrun.h"
#include "os/process/process.h"
#include "os/process/ring.h"
#include "os/process/slot.h"
#include "os/process/usage.h"
#include "os/process/wake.h"
#include "run/session/late_steps.h"
#include "run/session/times.h"

#include <stdatomic.h>

// Item of the ring of pipe shapes.
struct node_frame {
  uint64_t step;
  double time_s;
  int count;
  struct sim_node nodes[]; // at most run.node_count
};

// What the main thread has read about the step thread, which then needs no system call itself.
struct usage_seen {
  atomic_uint_fast64_t minor_faults, major_faults, waits, preemptions;
};

// Item of the ring of commands, and of the slot beside it.
struct arrived_command {
  struct command command;
  struct dp_alarm_list alarms;
  uint64_t received_ns; // os_now_ns when the message came
  uint64_t number;      // of commands in the order of their arrival, from 1
};

enum { HOLD_PERIOD_NS = 5000000 }; // between looks at the orders while no steps are made

// What connects the thread with the main one.
struct step_links {
  struct ring *commands, *orders, *frames, *nodes;
  struct slot *newest; // the newest of the commands that found the ring full; NULL: none
  struct wake *served; // rung when something has been handed over; NULL: nobody waits
};

struct step_thread {
  // Set before the thread starts.
  struct engine *engine;
  uint64_t period_ns;    // of a step at rate 1
  uint64_t steps_total;  // last step of the run; 0: runs until stopped
  uint64_t nodes_every;  // steps between node frames; 0: none
  uint64_t timing_every; // steps between updates of the percentiles
  uint64_t spin_ns;      // before a step is due: the thread no longer sleeps
  int priority;          // SCHED_FIFO; 0: not requested
  int cpu;               // processor to run on; -1: any
  struct step_links links;
  struct pulse *pulse;               // of the run: this thread beats in it
  struct checkpointer *checkpointer; // NULL: none
  struct snapshots *snapshots;       // NULL: none
  struct logger *logger;             // NULL: none
  int goes_on;                       // nonzero: pacer, times and late are those of a thread before this one
  struct usage usage_before;         // of such threads
  uint64_t dropped_before;           // frames, by such threads

  // Owned by the thread; other threads may read them after it has ended.
  struct pacer pacer;
  struct times times;
  struct late_steps late;
  struct overrun overrun; // its limit is set before the start
  struct usage usage;     // from the first step to the end
  double rate;            // simulated seconds in one second of the wall clock; set before the start, 0: 1
  enum held hold;
  uint64_t holds; // begun so far
  int unshown;    // nonzero: orders have changed something that no frame has shown
  int stopping;   // nonzero: an operator has ordered the end
  int has_kept;   // nonzero: in kept is the newest command that arrived during a hold
  struct command kept;
  struct dp_alarm_list kept_alarms;

  struct usage_seen seen; // written by the main thread, about once a second

  // Valid once ready is set. Privileges that the system denied; empty: granted or not requested.
  struct reason no_fifo, no_cpu, no_lock;
  int number;            // the system's number of the thread
  struct usage at_start; // its usage before the first step
  atomic_int ready;
  atomic_int stop; // set by another thread
  atomic_int done; // set by this thread when it ends
};

// Body of the thread: requests its privileges, then paces and steps until the end, a stop or a latched fault.
void step_thread_run(void *step_thread);

// After the thread has ended: the newest command that no step has used. 0: there is none.
int step_thread_last_command(struct step_thread *thread, struct command *out, struct dp_alarm_list *alarms);

// Makes no steps from now on, until an operator resumes the run. Called by the thread itself.
void step_thread_hold(struct step_thread *thread, enum held hold) NONBLOCKING;

// The pace from the step after the one that is due: simulated seconds in one second of the wall clock.
void step_thread_set_rate(struct step_thread *thread, double rate) NONBLOCKING;

// Obeys an order on the run (run_orders.c). Called by the thread itself.
void step_thread_obey(struct step_thread *thread, const struct order *order) NONBLOCKING;

// What no frame has shown, because the ring was full or the run has ended: pace, holds and late steps of the
// thread so far. Called by the thread itself, or after it has ended.
void step_thread_show(const struct step_thread *thread, struct timing *timing) NONBLOCKING;

// Parts of the body, for tests: sets the start of the first period; sleeps until the next step is due; does
// the work of one period.
void step_thread_start_pacing(struct step_thread *thread);
void step_thread_wait(struct step_thread *thread);
void step_thread_work(struct step_thread *thread) NONBLOCKING;
