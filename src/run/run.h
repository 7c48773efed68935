// The process of one `sagbend run`, which gives its sessions (run/session.h) their steps, one after the
// other. app/cmd_run.c calls its phases in order:
//   run_prepare         everything that can fail before the first step    prepare.c, checkpoints.c, logging.c
//   run_in_mode         the steps: realtime, lockstep or fast             mode_*.c, step_thread.c, stepping.c
//   run_judge           how the run ended, whether it succeeded           outcome.c, verdicts.c, logging.c
//   run_write_results   summary, JUnit, records                           summary.c, verdicts.c, recorder.c
//   run_close
// The modes differ in who waits for whom. In each of them a frame leaves by run_publish_frame (publish.c).
#pragma once

#include "cli/console.h"
#include "io/log/checkpointer.h"
#include "io/log/snapshots.h"
#include "rt/supervisor.h"
#include "run/earlier.h"
#include "run/pauses.h"
#include "run/recorder.h"
#include "run/session.h"
#include "setup/descriptors.h"
#include "setup/network_keys.h"

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

// Of the first session.
struct resumed {
  const char *path; // of the checkpoint that it resumed from; NULL: none
  struct session_origin origin;
  int lost_is_known;
  uint64_t lost_steps; // of the session before, after the checkpoint
};

struct lost_session { // that was killed before its first checkpoint
  char session[24];
  uint64_t steps; // at least; 0: there is no such session
};

// Another session, ordered by an operator.
struct next_session {
  int asked, is_reset;
  char session[17];         // its name
  char name[SNAPSHOT_NAME]; // of the snapshot to restore
  void *bytes;              // its file; NULL: none
  size_t size;
  uint64_t failed;   // accepted orders of this kind that began no session
  struct reason why; // the newest of them
  int goes_on;       // nonzero: the next steps continue the present session after such an order
  struct run_kept {  // taken by no step yet when the steps ended: the next step of this session uses it
    int any;
    uint64_t received_ns; // 0: unknown
    struct command command;
  } kept;
};

// Of mode lockstep, in all sessions.
struct lockstep_waits {
  uint64_t answers, long_waits; // long: reported as an event
  double total_s, longest_s;    // wall clock
  uint64_t longest_step;
};

// What the system has granted in mode realtime.
struct privileges {
  int fifo, locked; // to the step thread
  int serving_fifo; // nonzero: the main thread, which serves the sockets, got its priority
  int cpus_awake;   // nonzero: the processors were kept out of sleep states
};

struct host {
  const struct run_options *options;
  struct setup setup;
  struct outlets outlets;
  struct session *session;       // the present one
  struct pulse pulse;            // signs of life of the threads
  struct supervisor *supervisor; // NULL: no service manager

  struct server_keys *keys;        // NULL: peers need none
  struct modbus_server *modbus;    // NULL: none configured
  struct nmea_inputs *nmea_inputs; // NULL: none configured
  struct output_file summary, junit;
  struct descriptors descriptors;
  struct privileges privileges;

  struct resumed resumed;
  struct lost_session lost;
  struct snapshots snapshots;
  uint64_t snapshots_reported;
  void *initial; // the checkpoint file of the initial state, for resets
  size_t initial_bytes;
  struct next_session next;
  struct earlier earlier; // sessions

  // Steps that are not made, and their pace.
  struct pauses pauses;
  char hold_operator[ORDER_OPERATOR]; // who ordered the newest pause or its end
  double rate;                        // mode realtime: ordered newest, simulated seconds per second
  int waiting;                        // lockstep: for a controller's answer
  uint64_t status_published_ns;

  // Counts of all sessions.
  struct lockstep_waits waits;
  uint64_t commands_dropped;    // accepted, never logged: newer ones came in the same step
  uint64_t halts, halted_after; // periods at the newest
  uint64_t halts_before;        // of the sessions before this one
};

// Loads configuration and DP file (lines on stderr for their errors), then opens and creates everything. The
// reason says what failed. Release with run_close in every case.
enum status run_prepare(struct host *host, const struct run_options *options, struct reason *why);

// Reads the checkpoint of --resume, if given, and opens the one to write.
enum status run_prepare_checkpoints(struct host *host, struct reason *why);

// Reports as events that the run resumes, and which steps were lost.
void run_report_resumption(struct host *host);

struct checkpoint_identity run_checkpoint_identity(const struct host *host);

// Opens the field buses, if any are configured; the server serves them.
enum status run_open_field_buses(struct host *host, struct reason *why);

// Opens the NMEA ports, if any are configured.
enum status run_open_nmea(struct host *host, struct reason *why);

// Opens the log of the first session, if one is asked for.
enum status run_open_log(struct host *host, struct reason *why);

// How a session begins, for its log. What it points to must live until the log is open.
struct run_beginning {
  const char *session;
  uint64_t sessions_before; // in this process
  uint64_t first_step, initial_hash;
  const void *checkpoint; // the file of that state; NULL: the initial one
  size_t checkpoint_bytes;
  struct session_origin origin;
};
// Opens the log of a session that begins in this way. *out NULL with STATUS_OK: none is asked for.
enum status run_open_log_of(struct host *host, const struct run_beginning *beginning, struct logger **out,
                            struct reason *why);

// Steps until the end, then writes the last checkpoint. What ended the run before its time is in trouble,
// stop_* or log_failed.
void run_in_mode(struct host *host);
void run_realtime(struct host *host);
void run_lockstep(struct host *host);
void run_fast(struct host *host);

// The steps of a session have ended: judges and reports what only its last state shows.
void run_end_steps(struct host *host);

// Determines the outcome, ends log and session, prints the reasons of failure.
void run_judge(struct host *host);

// Writes summary, JUnit and records, prints the summary. STATUS_IO, after a line on stderr: not all of it is
// written.
enum status run_write_results(struct host *host);
void run_close(struct host *host);

// Stepping in the main thread, for lockstep and fast. First: publishes the initial state, unless a
// session goes on after a restart that failed. Step: advances the
// closed loop with the newest command (NULL: none), logs and publishes the state, writes checkpoints.
// received_ns: when that command came, by os_now_ns; 0: unknown.
void run_publish_first(struct host *host);
void run_step(struct host *host, const struct command *newest, uint64_t received_ns);
enum { STOPPED_BY_ORDER = -1 };
int run_stop_requested(struct host *host); // sets stop_signal
int run_may_step(struct host *host);       // 0: at the end, at fault, stopped, or the log takes nothing more

// First of all that is done with a frame: sends Sensors to the controllers, if they are due.
void run_send_sensors(struct host *host, const struct frame *frame);

// Publishes a frame, or a shape of the pipe: to server, NMEA ports, record, events and status line.
void run_publish_frame(struct host *host, const struct frame *frame);
void run_publish_nodes(struct host *host, uint64_t step, double time_s, int count,
                       const struct sim_node *nodes);

// Sends the frame's new measurements as NMEA sentences. Not valid: while no steps are made; call it often, it
// sends the newest measurements once a second, marked as not valid.
void run_send_nmea(struct host *host, const struct frame *frame);
void run_send_nmea_not_valid(struct host *host);

// One turn of the main thread, for the service manager.
void run_beat(struct host *host);

// Pauses (hold.c). Begin and end: an event, and controllers learn of it; why: for people. Note: begins or
// ends as the frame says. Keep: publishes the Status when it is due; call it some ten times a second or more.
void run_begin_hold(struct host *host, enum held hold, const char *why);
void run_end_hold(struct host *host);
void run_note_hold(struct host *host, const struct frame *frame);
void run_keep_status(struct host *host);
void run_fill_status(void *run, struct wire_status *out); // for server_on_status

// What this session has done so far, without what it was resumed or restored from.
struct run_pace {
  uint64_t steps;
  double simulated_s, wall_s; // wall clock, pauses included
  double paused_s;            // of it
};
struct run_pace run_pace(const struct host *host, uint64_t now_ns);

// Mode realtime: an order that the step thread is to take, as the main thread sees it.
void run_note_order(struct host *host, const struct order *order);

// For those who look on (view.c). Describe: needs the closed loop. Begin: a session begins. Frame: counts its
// times, before it is published; then what the log keeps of it. Keep: publishes the Session when it is due.
enum status run_describe(struct host *host, struct reason *why);
void run_begin_view(struct host *host);
void run_count_frame(struct host *host, const struct frame *frame);
void run_log_view(struct host *host, const struct frame *frame);
void run_publish_last_status(struct host *host);
void run_keep_session(struct host *host, uint64_t now_ns);
void run_log_controller(void *host, uint64_t step, double time_s,
                        const struct wire_controller_view *view); // for server_on_view

// The set-point: an operator's, or the configuration's. 0: there is none.
int run_setpoint(const struct host *host, const struct loop_target *target, double setpoint[3]);

// Report as events what has changed since the last call. Log and record at most once a second.
void run_check_descriptors(struct host *host); // also refuses connections while descriptors are short
void run_report_checkpoints(struct host *host);
void run_report_log(struct host *host);
void run_report_record(struct host *host);
void run_report_console(struct host *host);

// Prints that the sockets failed, and sets trouble.
void run_server_failed(struct host *host, const struct reason *why);

// Closes the log of a session that a reset or restore ends, and reports what is missing in it.
void run_end_log(struct host *host, const char *end_text, const char *next_session);

// Closes the log. The run fails if the log could not be closed, or lacks a message where the step waits for
// it.
void run_finish_log(struct host *host);

// Horizontal distance of the vessel from the set-point, without one from the start, in m.
double run_position_error_m(const struct host *host, const struct sim_output *output);
