// The overrun policy of mode realtime: how many periods may pass in a row without a step that ends on time.
// Beyond the limit the run halts. Pure accounting, no allocation.
#pragma once

#include "run/host/host.h"

#include "log/log/log.h"
#include "net/counts/counts.h"
#include "os/process/process.h"
#include "run/session/session.h"
#include "sagbend/base/base.h"
#include "sagbend/engine/engine.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"

#include <cjson/cJSON.h>
#include <stdatomic.h>

struct overrun {
  uint64_t limit;    // periods in a row; 0: late steps are counted, and the run goes on
  uint64_t in_a_row; // periods since the last step that ended on time
};

// After each step. late: it was late; lost: periods lost because of it. Returns 1 if the run is to halt.
int overrun_is_reached(struct overrun *o, int late, uint64_t lost) NONBLOCKING;

// What halted the run, for people.
struct overrun_text {
  char text[128]; // as much as struct pause keeps
};
struct overrun_text overrun_text(const struct late_step *late, uint64_t in_a_row);

// ------------------------------------------------------------
// The real-time thread of mode realtime: it advances the closed loop by one step in each period.
// host_run_realtime (realtime.c) starts it. It allocates nothing, takes no lock and does no I/O:
// commands and orders come in through rings, frames and nodes leave through rings.

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
  atomic_int_fast64_t clock_state; // what the kernel knows of UTC: enum kernel_state
  atomic_int_fast64_t clock_estimated_us, clock_largest_us, clock_frequency_ppb, clock_tai_s;
};
enum kernel_state { KERNEL_UNKNOWN, KERNEL_NOT_SYNCHRONISED, KERNEL_SYNCHRONISED };

// Item of the ring of commands, and of the slot beside it.
struct arrived_command {
  struct command command;
  struct dp_alarm_list alarms;
  uint64_t received_ns; // os_now_ns when the message came
  uint64_t number;      // of commands in the order of their arrival, from 1
};

enum { SUMMARY_COLUMN = 21 };          // of a line of the printed summary: where its text begins
enum { HOLD_PERIOD_NS = 5000000 };     // between looks at the orders while no steps are made
enum { WATCH_PERIOD_NS = 1000000000 }; // between the main thread's looks at usage and at the kernel's clock

// What connects the thread with the main one.
struct step_links {
  struct ring *commands, *orders, *frames, *nodes;
  struct slot *newest; // the newest of the commands that found the ring full; NULL: none
  struct wake *served; // rung when something has been handed over; NULL: nobody waits
};

struct step_thread {
  // Set before the thread starts.
  struct engine *engine;
  uint64_t period_ns;        // of a step at rate 1
  uint64_t steps_total;      // last step of the run; 0: runs until stopped
  uint64_t nodes_every;      // steps between node frames; 0: none
  uint64_t timing_every;     // steps between updates of the percentiles
  uint64_t spin_ns;          // before a step is due: the thread no longer sleeps
  enum rig_clock clock;      // that the steps follow
  uint64_t tai_offset_ns;    // of RIG_CLOCK_TAI: TAI less UTC
  uint64_t first_due_utc_ns; // UTC at which the first step is due; 0: as soon as may be
  int is_stamped;            // nonzero: frame.start_utc_ns is by the clock
  int priority;              // SCHED_FIFO; 0: not requested
  int cpu;                   // processor to run on; -1: any
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
  struct followed_clock followed; // UTC, where the steps follow the monotonic clock
  struct offsets second;          // offsets since the newest second began
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

// What no frame has shown, because the ring was full or the run has ended: pace, holds and late steps of the
// thread so far. Called by the thread itself, or after it has ended.
void step_thread_show(const struct step_thread *thread, struct timing *timing) NONBLOCKING;

// Parts of the body, for tests: sets the start of the first period; sleeps until the next step is due; does
// the work of one period.
void step_thread_start_pacing(struct step_thread *thread);
void step_thread_wait(struct step_thread *thread);
void step_thread_work(struct step_thread *thread) NONBLOCKING;

// ------------------------------------------------------------
// Private to mode realtime: realtime.c starts the step thread and serves beside it, makes what connects the
// two, hands commands and orders over, and asks the system for priorities.

// The main thread's eye on UTC (rig_clock.c): asks the kernel once a second, passes the answer to the step
// thread, whose frames carry it, and reports where the steps follow a clock that is not synchronised.
struct kernel_watch {
  uint64_t next_ns;
  enum kernel_state reported; // KERNEL_UNKNOWN: nothing yet
};
void kernel_watch_look(struct kernel_watch *watch, struct host *host, struct step_thread *thread);

// The main thread's eye on the step thread: reads page faults and context switches about once a second and
// passes them to the step thread, whose frames carry them.
struct usage_watch {
  struct usage_reader reader;
  uint64_t next_ns; // time of the next reading; 0: the thread has not been found yet
};

struct realtime {
  struct host *host;
  struct ring commands, orders, frames, nodes;
  struct slot newest; // of the commands that found their ring full
  uint64_t arrived;   // commands
  struct wake wake;   // rung by the step thread
  int awake_file;     // os_keep_cpus_awake; -1: not held
  struct reason no_awake, no_serving, no_serving_cpu;
  unsigned losses_reported; // of the priority of the thread of the sockets
  struct step_thread thread;
  struct usage_watch usage;
  struct kernel_watch kernel;
  uint64_t dropped_before; // commands, in the sessions before this one
  int drop_reported;       // nonzero: the event command_dropped has been published
  int ignored_reported;    // nonzero: the event command_ignored has been published
};

// ------------------------------------------------------------
// Private to the summary: what its files share. summary_add_NAME adds the object NAME, or what its comment
// says.

// Add one member. cJSON writes a number that is not finite as null.
void summary_number(cJSON *to, const char *name, double value);
void summary_text(cJSON *to, const char *name, const char *text);
// Adds an object to a list and returns it.
cJSON *summary_item(cJSON *list);

// ---- summary_state.c ----
// Steps, simulated time, wall clock, lateness, and the object real_time: what the system did to the step
// thread, the late steps.
void summary_add_times(cJSON *root, const struct host *host);
void summary_print_times(const struct host *host);
void summary_print_real_time(const struct host *host);
void summary_add_pauses(cJSON *root, const struct host *host);
void summary_add_waits(cJSON *root, const struct host *host); // of mode lockstep
// step_us, wakeup_us and the object latency with their histograms.
void summary_add_latency(cJSON *root, const struct host *host);
void summary_print_latency(const struct host *host);

// ---- summary_state.c ----
// The state at the end. Quantities: those of sagbend/rig/quantities.inc, each in the object of its group;
// without a pipe the object "pipe" is null.
void summary_add_state(cJSON *root, const struct host *host);
void summary_add_energy(cJSON *root, const struct ledger *l);
void summary_add_quantities(cJSON *root, const struct host *host);
// The object hydro: how well the memory of a hydro file fits its data; printed where it is worth a notice.
void summary_add_hydro(cJSON *root, const struct host *host);
void summary_print_hydro(const struct host *host);

// ---- summary_peers.c ----
// Commands, orders and peers. Counts: those of the server and of the controller inside.
struct command_counts summary_counts_of(const struct host *host);
void summary_print_refused(const struct host *host);   // by reason; nothing if there are none
void summary_print_commanded(const struct host *host); // and the notices
void summary_add_commands(cJSON *root, const struct host *host);
void summary_add_alarms(cJSON *root, const struct host *host); // of the controller
void summary_print_alarms(const struct host *host);
void summary_add_orders(cJSON *root, const struct host *host);
void summary_add_nmea(cJSON *root, const struct host *host);
void summary_add_networks(cJSON *root, const struct host *host);
void summary_add_telemetry(cJSON *root, const struct host *host);
void summary_add_security(cJSON *root, const struct host *host);
void summary_add_buses(cJSON *root, const struct host *host); // the object field_buses
