// A session: one life, from its first state to the text of its end. A restart (reset, restore) begins another
// one; the process (run/run.h) goes on.
#pragma once

#include "hil/closed_loop.h"
#include "io/log/logger.h"
#include "run/late_steps.h"
#include "run/outcome.h"
#include "run/times.h"
#include "setup/about.h"
#include "setup/event_watch.h"
#include "setup/setup.h"

struct session_origin {
  char session[24]; // whose state the session begins with; empty: it begins at rest
  uint64_t step;
  char how[8], name[64]; // as in struct log_origin
};

// For those who look on (view.c): times of the steps whose frames have come, and what the log contains.
struct onlooking {
  struct histogram step_ns, wakeup_ns;
  struct wire_times times; // the same for messages, as of the newest Timing
  uint64_t times_period;   // of the newest Timing
  uint64_t status_period;  // 1 + the period of the newest Status in the log; 0: none
  uint64_t setpoint_order; // of the newest Session in the log
  int is_session_logged;
  uint64_t logged[LOG_TOPIC_COUNT];
  uint64_t session_published_ns;
};

struct session {
  char id[17];
  struct session_origin origin;
  uint64_t first_step; // 0, or the step of the checkpoint that the session begins with
  void *checkpoint;    // content of that checkpoint; NULL: none
  size_t checkpoint_bytes;

  struct plant plant;
  struct closed_loop loop; // in mode realtime: the step thread's, once that has started
  struct logger *logger;   // NULL: no log
  struct event_watch watch;
  struct session_about about; // for those who look on: what is constant
  struct onlooking onlooking;

  struct session_reported { // already reported as events, and the step of the next report at the earliest
    struct logger_report log;
    uint64_t log_at_step, record_at_step, console_at_step;
  } reported;

  uint64_t steps_total;   // last step; 0: until stopped
  uint64_t nodes_every;   // steps between shapes of the pipe; 0: none
  uint64_t timing_every;  // steps between updates of the percentiles
  int node_count;         // most nodes that the pipe may have
  struct sim_node *nodes; // room for one shape

  struct frame last; // newest frame; with the final timing once the steps have ended
  struct times times;
  struct histogram sent_ns;    // from the end of a step until its Sensors were sent
  struct latency sensors_sent; // the same, for telemetry
  struct late_steps late;      // mode realtime
  uint64_t start_ns;           // wall clock at the first state
  uint64_t paused_before_ns;   // of all pauses, what lies before that
  uint64_t end_ns;

  struct session_stop {   // what ended the steps
    int ordered;          // nonzero: an operator
    int signal;           // number of the signal; 0: none; STOPPED_BY_ORDER
    int log_failed;       // nonzero: the step waits for the log, and the log takes nothing more
    enum run_end trouble; // END_REACHED: none
  } stop;
  struct outcome outcome;
};
