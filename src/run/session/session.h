// A session: one life, from its first state to the text of its end. A restart (reset, restore) begins another
// one; the process (run/host/host.h) goes on.
#pragma once

#include "os/cli/console.h"
#include "sagbend/engine/engine_engine.h"
#include "sagbend/rig/frame.h"
#include "net/buses/nmea_alerts.h"
#include "net/messages/codec_view.h"
#include "os/files/file_claims.h"
#include "log/log/checkpointer.h"
#include "log/log/logger.h"
#include "run/session/alarm_history.h"
#include "run/session/alarm_news.h"
#include "run/session/late_steps.h"
#include "run/session/pauses.h"
#include "run/session/recorder.h"
#include "run/session/times.h"
#include "run/setup/setup.h"
#include "run/setup/run_end.h"
#include "run/setup/setup_setup.h"

#include <stddef.h>
#include <stdint.h>

// What a view needs to know of a session beside its state (message Session), from configuration and
// simulator.

struct session_about {
  struct wire_session wire; // points into the rest, and into setup
  double *arc_length_m, *element_diameter_m, *grid_down_m;
};

// Needs the simulator. setup and version must outlive out. duration_s 0: until stopped. start: the target
// without a set-point. Release with session_about_free in every case.
enum status session_about_fill(const struct setup *setup, const struct sim *sim, const char *version,
                               double duration_s, const struct loop_target *start, struct session_about *out,
                               struct reason *why);
void session_about_free(struct session_about *about);

// How a run ended, and whether it succeeded. Exit status, summary, JUnit, End message and log take both from
// here. A test is a run with verdicts, or one that writes JUnit; only a test fails for not reaching its end.

struct session;
struct pauses;

enum { OUTCOME_REASONS = 10 };

struct outcome {
  enum run_end end;
  int is_test;      // nonzero: the run has verdicts or writes JUnit
  int broke_off;    // nonzero: the run has an end and did not reach it
  int reason_count; // reasons of failure; 0: success
  struct outcome_reason {
    char text[256];
  } reason[OUTCOME_REASONS];
  int session_reasons; // the first of them are about the session, the others about its verdicts
};

// Determines the end and the reasons of failure, once the last step is done. halts: of all sessions of the
// process.
void outcome_find(struct session *session, const struct pauses *pauses, uint64_t halts);

// Writes the names of the events of the simulator that fail the run, and returns their number.
int outcome_events(const struct session *session, char *names, size_t size);

// Whether the run reached its end; without one, whether nothing but an operator or a signal ended it.
int outcome_is_complete(const struct outcome *outcome);

// Adds the failed verdicts, after every other reason.
void outcome_add_verdicts(struct session *session);

// Adds a reason of failure that concerns the session. Beyond OUTCOME_REASONS reasons are dropped.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void outcome_fail(struct session *session, const char *format, ...);

// The result of a test in words, as far as verdicts and reasons are known: "failed: " with them, or how many
// verdicts passed, and how many orders of operators acted. "": the run is no test. Before its files are
// closed nothing says that a run has passed.
void outcome_result(const struct session *session, char *out, size_t size);

// Prints each reason as a line on the console.
void outcome_print(struct session *session);

// Where the frames of all sessions of the process go, and files that outlive a session.
struct outlets {
  struct console console;
  struct file_claims claims; // files that the process reads and writes
  struct server *server;     // NULL in mode fast
  struct nmea_ports *nmea;   // NULL: none configured
  struct recorder recorder;
  struct checkpointer checkpointer;

  // Already reported as events; changes since then are reported next.
  struct checkpointer_report checkpoints_reported;
  struct nmea_counts nmea_reported;
  uint64_t nmea_not_valid_ns; // when sentences were last sent as not valid
  uint64_t record_missing_reported, console_lost_reported;
  uint64_t status_shown_ns; // when the status line was last written
};

struct session_origin {
  char session[24]; // whose state the session begins with; empty: it begins at rest
  uint64_t step;
  char how[8], name[64]; // as in struct log_origin
};

// For those who look on (status.c): times of the steps whose frames have come, and what the log contains.
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

// How far the feedback of thrusters is from what they do while a fault of feedback is active: of the thruster
// that is furthest off, revolutions as a share of full ones, pitch, or azimuth as a share of half a turn.
struct feedback_seen {
  uint64_t frames;
  double sum, largest;
};

struct session {
  const struct run_options *options;
  const struct setup *setup;
  struct outlets *outlets; // of the process

  char id[17];
  struct session_origin origin;
  uint64_t first_step; // 0, or the step of the checkpoint that the session begins with
  void *checkpoint;    // content of that checkpoint; NULL: none
  size_t checkpoint_bytes;

  struct engine engine;  // in mode realtime: the step thread's, once that has started
  struct logger *logger; // NULL: no log
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
  struct alarm_history alarms; // of the controller
  struct alarm_news alarm_news;
  struct nmea_alerts nmea_alerts;
  struct feedback_seen feedback;
  uint64_t start_ns;         // wall clock at the first state
  uint64_t paused_before_ns; // of all pauses, what lies before that
  uint64_t end_ns;

  struct session_stop {   // what ended the steps
    int ordered;          // nonzero: an operator
    int signal;           // number of the signal; 0: none; STOPPED_BY_ORDER
    int log_failed;       // nonzero: the step waits for the log, and the log takes nothing more
    enum run_end trouble; // END_REACHED: none
  } stop;
  struct outcome outcome;
};

// The newest set-point: an operator's, or the configuration's. 0: there is none.
int session_setpoint(const struct session *session, const struct loop_target *target, double setpoint[3]);

// Horizontal distance of the vessel from the set-point, without one from the start, in m.
double session_position_error_m(const struct session *session, const struct sim_output *output);

// What this session has done so far, without what it was resumed or restored from.
struct session_pace {
  uint64_t steps;
  double simulated_s, wall_s; // wall clock, pauses included
  double paused_s;            // of it
};
struct session_pace session_pace(const struct session *session, const struct pauses *pauses, uint64_t now_ns);

// Orders of operators in this session that act on vessel, pipe, faults or on who commands.
uint64_t session_acting_orders(const struct session *session);

// Of a Status what concerns this session (session_status.c).
void session_fill_status(struct session *session, struct wire_status *out);

// Who writes its checkpoints and snapshots (log.c).
struct checkpoint_identity session_identity(const struct session *session);

// ---- the begin (begin.c) ----

// Begins a session at rest: simulator, instruments, closed loop, a name. What it borrows must outlive it.
// Release *out with session_free in every case.
enum status session_create(const struct run_options *options, const struct setup *setup,
                           struct outlets *outlets, struct plant *spare, struct session **out,
                           struct reason *why);
// Before its first step: takes over the state in the file of a checkpoint.
enum status session_restore(struct session *session, const void *bytes, size_t size, struct reason *why);
void session_free(struct session *session); // accepts NULL

// ---- the log (log.c) ----

// Opens the log with the state, the origin and the checkpoint of the session, if one is asked for.
// sessions_before: in this process; each has a log of its own.
enum status session_open_log(struct session *session, uint64_t sessions_before, struct reason *why);

// Closes the log of a session that a reset or restore ends, and reports what is missing in it.
void session_end_log(struct session *session, const char *end_text, const char *next_session);

// Closes the log. The run fails if the log could not be closed, or lacks a message where the step waits for
// it.
void session_finish_log(struct session *session);

// ---- steps in the main thread, for lockstep and fast (stepping.c) ----

// First: publishes the initial state; pauses: of the process. Step: advances the closed loop with the newest
// command (NULL: none), logs and publishes the state, writes checkpoints. received_ns: when that command
// came, by os_now_ns; 0: unknown.
void session_publish_first(struct session *session, const struct pauses *pauses);
void session_step(struct session *session, const struct command *newest, uint64_t received_ns);
enum { STOPPED_BY_ORDER = -1 };
int session_stop_requested(struct session *session); // sets stop.signal
int session_may_step(
    struct session *session); // 0: at the end, at fault, stopped, or the log takes nothing more

// The steps have ended: judges and reports what only the last state shows.
void session_end_steps(struct session *session);

// ---- publishing (publish.c, nmea.c, status.c) ----

// First of all that is done with a frame: sends Sensors to the controllers, if they are due.
void session_send_sensors(struct session *session, const struct frame *frame);

// Publishes a frame, or a shape of the pipe: to server, NMEA ports, record, events and status line.
void session_publish_frame(struct session *session, const struct frame *frame);
void session_publish_nodes(struct session *session, uint64_t step, double time_s, int count,
                           const struct sim_node *nodes);

// Sends the frame's new measurements as NMEA sentences. Not valid: while no steps are made; call it often, it
// sends the newest measurements once a second, marked as not valid.
void session_send_nmea(struct session *session, const struct frame *frame);
void session_repeat_nmea(struct session *session); // what nobody has listened to (nmea_ports_send)
void session_send_nmea_not_valid(struct session *session);

// For those who look on (status.c). Describe: needs the closed loop. Begin: nothing is counted yet. Frame:
// counts its times, before it is published; then what the log keeps of it. Keep: publishes the Session when
// it is due.
enum status session_describe_about(struct session *session, struct reason *why);
// For a server, without keys. target: the newest one.
struct session_info session_info_of(const struct session *session, const struct loop_target *target,
                                    double setpoint[3]);
void session_begin_view(struct session *session);
void session_count_frame(struct session *session, const struct frame *frame);
// Of a frame the alarms of the controller, and their message if one is due.
struct wire_alarms session_alarms(const struct session *session, const struct frame *frame);
void session_publish_alarms(struct session *session, const struct frame *frame);
void session_log_view(struct session *session, const struct frame *frame);
void session_publish_last_status(struct session *session);
void session_keep_session(struct session *session, uint64_t now_ns);
void session_log_controller(struct session *session, uint64_t step, double time_s,
                            const struct wire_controller_view *view); // what a controller believes

// Report as events what has changed since the last call. Log and record at most once a second.
void session_report_checkpoints(struct session *session);
void session_report_log(struct session *session);
void session_report_record(struct session *session);
void session_report_console(struct session *session);

// Prints that the sockets failed, and sets stop.trouble.
void session_server_failed(struct session *session, const struct reason *why);
