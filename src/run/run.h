// A run: what its modes share. The modes differ in who waits for whom; each frame goes the same way.
#pragma once

#include "cli/console.h"
#include "hil/closed_loop.h"
#include "io/recording/checkpointer.h"
#include "io/recording/logger.h"
#include "run/outcome.h"
#include "run/recorder.h"
#include "run/times.h"
#include "session/descriptors.h"
#include "session/event_watch.h"
#include "session/session.h"

struct run {
  const struct options *options;
  struct session session;
  char session_id[17];
  struct console console;
  struct server *server; // NULL in fast mode
  struct closed_loop closed_loop;
  struct recorder recorder;
  struct output_file summary, junit;
  struct event_watch watch;
  struct checkpointer checkpointer;
  struct checkpointer_report checkpoints_told;
  struct logger *logger; // NULL: no log
  struct logger_report log_told;
  uint64_t tell_log_at_step;
  struct nmea_ports *nmea; // NULL: no telegrams
  struct nmea_counts nmea_told;
  int log_failed;      // where the step waits for the log: it cannot go on
  uint64_t first_step; // 0, or of the checkpoint that the run goes on from
  void *checkpoint;    // the bytes of that checkpoint; NULL: none
  size_t checkpoint_bytes;
  uint64_t steps_total;  // 0: until stopped
  uint64_t nodes_every;  // steps between the pipe's shapes; 0: nobody wants them
  uint64_t timing_every; // steps between updates of the percentiles
  int node_count;
  struct sim_node *nodes; // room for the pipe's nodes
  uint64_t shown_ns;      // when the status line was last written

  // results
  struct descriptors descriptors;
  int stop_ordered;     // by an operator
  int stop_signal;      // 0: none came; STOPPED_BY_ORDER
  enum run_end trouble; // that ended it; END_REACHED: none
  struct outcome outcome;
  struct lockstep_waits {
    uint64_t answers, long_waits; // long: an event told of them
    double total_s, longest_s;    // of the wall clock
    uint64_t longest_step;
  } waits;
  uint64_t start_ns, end_ns;
  struct frame last; // newest frame, with the final timing
  struct times times;
  int fifo, locked; // what the step thread was permitted
};

// The modes. They return when the run is over; what ended it before its time is in trouble, after a line on
// stderr.
void run_realtime(struct run *r);
void run_lockstep(struct run *r);
void run_fast(struct run *r);

// The initial state and, without a thread, each step: telemetry, record, events, status line.
void run_first_frame(struct run *r);
void run_step_here(struct run *r,
                   const struct command *newest); // the closed_loop's next step, in this thread
enum { STOPPED_BY_ORDER = -1 };
int run_stop_requested(struct run *r); // sets stop_signal
int run_goes_on(struct run *r);        // not at the end, not stopped, no fault

void run_frame(struct run *r, const struct frame *f);
void run_nodes(struct run *r, uint64_t step, double time_s, const struct sim_node *nodes);
void run_watch_descriptors(struct run *r); // closes the door while there are too few, and tells
void run_tell_checkpoints(struct run *r);  // what failed or was skipped since the last call
// Reports that the sockets failed, which ends the run.
void run_server_failed(struct run *r, const struct reason *why);

// The NMEA ports, if any are configured: -1 to go on, otherwise the exit status. Then the new telegrams of a
// frame.
int run_open_nmea(struct run *r);
void run_send_nmea(struct run *r, const struct frame *f);

// The session's log, if one is asked for. Open: -1 to go on, otherwise the exit status. Finish: the run has
// failed if the log could not be closed, or lacks anything where the step waits for it.
int run_open_log(struct run *r);
void run_tell_log(struct run *r); // what was dropped since the last call, at most once a second
void run_finish_log(struct run *r);

double run_position_error_m(const struct run *r, const struct sim_output *o);
