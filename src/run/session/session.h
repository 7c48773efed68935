// One session: its steps, what it publishes and records, verdicts and outcome.
#pragma once

#include "log/log/log.h"
#include "net/buses/buses.h"
#include "net/counts/counts.h"
#include "net/messages/messages.h"
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "os/process/process.h"
#include "run/setup/setup.h"
#include "sagbend/base/base.h"
#include "sagbend/case/case.h"
#include "sagbend/engine/engine.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

// ------------------------------------------------------------
// What the alarms of a controller were in a session, for the summary: each with its begin and end.

enum { MAX_PAST_ALARMS = 1024 };

struct past_alarm {
  struct dp_alarm alarm;       // as it was raised
  uint64_t from_step, to_step; // of the Sensors that the commands answer with which it came and was over
  int is_over;                 // to_step counts
};

struct alarm_history {
  struct dp_alarm_state seen; // last
  uint64_t left_out;          // beyond MAX_PAST_ALARMS: the least severe, of equal ones those that came last
  int count;                  // messages too
  struct past_alarm past[MAX_PAST_ALARMS];
};

// Takes the alarms of a frame. Of frames that do not come, such as those that mode realtime drops, the
// alarms that began and ended there are missing.
void alarm_history_take(struct alarm_history *history, const struct dp_alarm_state *now);

// ------------------------------------------------------------
// Which changes of the controller's alarms are worth a message: all of them, unless alarms flicker. By
// simulated time, so that a run repeated has the same messages.

struct alarm_news { // zero: nothing has been seen
  int is_begun;
  uint64_t changes;    // of the newest message
  uint64_t suppressed; // before it: changes without a message of their own
  struct budget budget;
};

// ------------------------------------------------------------
// The late steps of a run with the times of their stages: the newest ones and the worst. No allocation.

enum { LATE_STEPS_KEPT = 16 };

struct late_steps {
  uint64_t count;
  struct late_step kept[LATE_STEPS_KEPT]; // step number count - 1 - i stands at its number modulo the size
  struct late_step worst;                 // step that ended latest after its deadline
};

// Adds the step that has just ended, with the times in clock.
void late_steps_add(struct late_steps *l, const struct sim_output *now, uint64_t late_ns,
                    const struct step_clock *clock) NONBLOCKING;

// The i-th newest, 0 being the newest; NULL: there are not so many, or it is not kept.
const struct late_step *late_steps_newest(const struct late_steps *l, uint64_t i) NONBLOCKING;

// ------------------------------------------------------------
// Pauses and halts of a run: times in which no steps are made. Pure accounting; the caller gives the clock.

enum { PAUSES_KEPT = 32, PAUSE_TEXT = 128, PAUSE_OPERATOR = 64 };

struct pause {
  uint64_t step; // steps completed
  double time_s; // simulated
  int halted;    // nonzero: the run halted by itself
  char why[PAUSE_TEXT];
  char operator_name[PAUSE_OPERATOR]; // operator who ordered the pause; empty: nobody
  uint64_t begin_ns, end_ns;          // wall clock; end 0: it goes on
};

struct pauses {
  int now; // nonzero: no steps are made at present
  uint64_t count;
  uint64_t over_ns;               // sum of those that are over
  struct pause newest;            // valid if count > 0
  struct pause kept[PAUSES_KEPT]; // the first of them
};

void pauses_begin(struct pauses *p, const struct pause *pause); // its end is not read
void pauses_end(struct pauses *p, uint64_t now_ns);

uint64_t pauses_ns(const struct pauses *p, uint64_t now_ns); // wall clock of all of them until now
double pause_s(const struct pause *pause, uint64_t now_ns);  // its duration until now

// ------------------------------------------------------------
// What a run leaves behind step by step: a time series, the pipe's shapes, state hashes, laid pipe; all CSV
// or plain columns. A thread of its own writes them (recorder.c), so that a slow disk delays nobody.
// What has to be written waits in a bounded ring meanwhile. When that is full a paced run drops and counts;
// the file then contains a line that begins with # and states how many lines are missing there. In the other
// modes the run waits for the disk.

enum record_kind { RECORD_ROW, RECORD_SHAPE, RECORD_HASH, RECORD_LAID, RECORD_KIND_COUNT };

struct record_writer;

struct recorder {
  struct output_file file[RECORD_KIND_COUNT]; // stream NULL: not requested
  uint64_t series_every, shapes_every;        // steps
  uint64_t next_shape_step, next_row_step;    // 0: the first that comes
  int drops;                                  // nonzero: drops what finds no room, instead of waiting
  struct sim_laid_node laid;                  // the node that had retired last
  uint64_t laid_nodes;                        // nodes that had retired
  int laid_is_known;
  uint64_t missing[RECORD_KIND_COUNT]; // rows, shapes and laid nodes
  uint64_t noted[RECORD_KIND_COUNT];   // numbers that the files already mention, or will
  int is_requested, failed;            // a file; a file is not whole on the disk
  struct record_writer *writer;        // NULL: nothing is requested, or recorder_start has not been called
};

// Opens the files that the options request. On failure why names the file.
enum status recorder_open(struct recorder *r, const struct run_options *o, const struct config *config,
                          struct reason *why);
// Starts the thread, if a file is open. drops: nonzero if the run is paced.
enum status recorder_start(struct recorder *r, int drops, int node_count, struct reason *why);

// Another session, perhaps at an earlier step: its rows follow in the same files.
void recorder_begin_session(struct recorder *r);

// target: set-point and start of the session (sagbend/rig/rig.h).
void recorder_frame(struct recorder *r, const struct frame *f, const struct loop_target *target);
int recorder_wants_nodes(const struct recorder *r, uint64_t step); // the next shape is due
void recorder_nodes(struct recorder *r, uint64_t step, double time_s, int count,
                    const struct sim_node *nodes);
void recorder_hash(struct recorder *r, uint64_t step, uint64_t hash);

uint64_t recorder_missing(const struct recorder *r); // rows, shapes and laid nodes dropped

// Writes what waits and closes all files. STATUS_IO: a file is not complete on the disk; why names the last
// such file. What was dropped is no error here.
enum status recorder_close(struct recorder *r, struct reason *why);

// ------------------------------------------------------------
// Times of the steps and of the messages around them, as histograms. No allocation. No time enters a state.

// Of the thread that steps.
struct times {
  struct histogram step_ns;
  struct histogram wakeup_ns; // empty in unpaced modes
  // From the moment at which the message is read to the beginning of the step that uses it: checks
  // of the message, the ring between the threads, and in real time the rest of the period in which it came.
  // Commands that a newer one replaced before the step are not in it.
  struct histogram latched_ns;
  struct offsets { // from the clock (struct rig_time)
    uint64_t count;
    double sum_s, worst_s;
  } offsets;
};

void times_clear(struct times *t);
void times_fill(const struct times *t, struct timing *out) NONBLOCKING; // the percentiles; some 10 us
void times_fill_latency(const struct histogram *h, struct latency *out) NONBLOCKING; // all but last_us
// For a message; neighbours are merged where there are more buckets than it may have.
void times_fill_histogram(const struct histogram *h, struct wire_histogram *out);

// ------------------------------------------------------------
// A session: one life, from its first state to the text of its end. A restart (reset, restore) begins another
// one; the process (run/host/host.h) goes on.

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
// closed nothing reports that a run has passed.
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
  char session[24]; // session whose state this one begins with; empty: it begins at rest
  uint64_t step;
  char how[8], name[64]; // as in struct log_origin
};

// The largest position error of a session, of the frames that it has seen.
struct worst_position {
  double error_m, time_s;
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

  uint64_t first_due_utc_ns; // UTC at which the first step is due; 0: as soon as may be
  uint64_t
      clock_start_utc_ns; // frame.start_utc_ns, if the clock told it (nmea.start_utc: now); 0: it did not

  struct engine engine;  // in mode realtime: the step thread's, once that has started
  struct logger *logger; // NULL: no log
  struct event_watch watch;
  struct session_about about; // for those who look on: what is constant
  struct onlooking onlooking;
  struct worst_position worst_position;

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
  int nmea_at_samples; // nonzero: sentences wait for the next sample, as their answer would
  struct feedback_seen feedback;
  uint64_t start_ns;         // wall clock at the first state
  uint64_t paused_before_ns; // of all pauses, what lies before that
  uint64_t end_ns;

  struct session_stop {   // cause that ended the steps
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

// Of a Status what concerns this session (status.c).
void session_fill_status(struct session *session, struct wire_status *out);

// Who writes its checkpoints and snapshots (log.c).
struct checkpoint_identity session_identity(const struct session *session);

// ---- the begin (session.c) ----

// Begins a session at rest: simulator, instruments, closed loop, a name. What it borrows must outlive it.
// Release *out with session_free in every case.
enum status session_create(const struct run_options *options, const struct setup *setup,
                           struct outlets *outlets, struct plant *spare, struct session **out,
                           struct reason *why);
// Before its first step: takes over the state in the file of a checkpoint.
enum status session_restore(struct session *session, const void *bytes, size_t size, struct reason *why);
void session_free(struct session *session); // accepts NULL

// UTC of simulated time 0, before its log is opened (utc.c): as configured; now: the clock's at the first
// step, which a session that resumes takes over from the one before.
void session_take_start(struct session *session);

// ---- the log (log.c) ----

// Opens the log with the state, the origin and the checkpoint of the session, if one is asked for.
// sessions_before: in this process; each has a log of its own.
enum status session_open_log(struct session *session, uint64_t sessions_before, struct reason *why);

// Closes the log of a session that a reset or restore ends, and reports what is missing in it.
void session_end_log(struct session *session, const char *end_text, const char *next_session);

// Closes the log. The run fails if the log could not be closed, or lacks a message where the step waits for
// it.
void session_finish_log(struct session *session);

// ---- steps in the main thread, for lockstep and fast (session.c) ----

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

// ---- publishing (status.c, log.c) ----

// First of all that is done with a frame: sends Sensors to the controllers, if they are due.
void session_send_sensors(struct session *session, const struct frame *frame);

// Publishes a frame, or a shape of the pipe: to server, NMEA ports, record, events and status line.
void session_publish_frame(struct session *session, const struct frame *frame);
void session_publish_nodes(struct session *session, uint64_t step, double time_s, int count,
                           const struct sim_node *nodes);

// Sends the frame's new measurements as NMEA sentences. Not valid: while no steps are made; call it often, it
// sends the newest measurements once a second, marked as not valid.
void session_send_nmea(struct session *session, const struct frame *frame);
void session_send_measured(struct session *session, const struct frame *frame); // of it, the instruments'
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
// Of a frame the alarms of the controller, and their message if one is due.
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

// ------------------------------------------------------------
// Verdicts of a run: for people, for programs, for a CI that reads JUnit XML.

// How a verdict stood at the end of a session. Unfinished: it held, but its time was not over.
enum verdict_end { VERDICT_END_PASSED, VERDICT_END_FAILED, VERDICT_END_NOT_JUDGED, VERDICT_END_UNFINISHED };

// How a verdict stands in a session that ends before the run does.
enum verdict_end verdicts_end_of(const struct session *session, int verdict);
const char *verdicts_end_word(enum verdict_end end); // in the summary
int verdicts_failed(const struct session *session);  // how many make the run fail
int verdicts_passed(const struct session *session);  // neither failed nor not judged nor unfinished
void verdicts_print(const struct session *session);  // on stdout, a line each
void verdicts_add(cJSON *root, const struct session *session);
// Writes the verdicts as JUnit XML and closes the file, if it is open. why names it.
enum status verdicts_write_junit(const struct session *session, struct output_file *file, struct reason *why);
