// One process that runs sessions: modes, real-time thread, restarts, summary.
#pragma once

#include "log/log/log.h"
#include "os/process/process.h"
#include "run/session/session.h"
#include "run/setup/setup.h"

#include <stdint.h>

// ------------------------------------------------------------
// What happened in the earlier sessions of the process, which a reset or restore ended: neither exit status
// nor summary nor status forgets it.

struct pauses;
struct session;

enum { EARLIER_KEPT = 32 }; // sessions

struct earlier_session {
  char session[24], end[64], log[256]; // log empty: none
  uint64_t first_step, last_step;
  double wall_s, paused_s; // wall clock, pauses included; the pauses in it
  uint64_t late_steps, lost_periods, dropped_frames, halts;
  double lag_s, worst_late_us;
  uint64_t page_faults, preemptions;   // of the step thread
  uint64_t log_missing;                // messages
  int log_complete, commands_missing;  // commands or orders are missing:
  uint64_t replayable_to_step;         // then
  unsigned char verdict[MAX_VERDICTS]; // enum verdict_end
};

struct earlier {                             // sums over all of them
  struct earlier_session kept[EARLIER_KEPT]; // the newest, number i at i modulo the size
  uint64_t count;
  uint64_t late_steps, lost_periods, dropped_frames;
  double lag_s;
  uint64_t halts, halted_after; // periods at the newest
  uint64_t log_missing;         // messages missing in their logs
  uint64_t logs_incomplete;     // logs in which something is missing
  uint64_t parts_deleted;

  // Sessions with a reason of failure, and the first of them.
  struct earlier_failures {
    uint64_t sessions;
    char session[24], text[160];
  } verdicts, lost_time, unsolved, events, logs;
};

// The session whose steps have ended and whose log is closed.
void earlier_add(struct earlier *e, const struct session *session, const struct pauses *pauses,
                 const char *end_text);

// Adds to the outcome of the last session the reasons for which the run fails.
void earlier_judge(const struct earlier *e, struct session *session);

// Kept session i, from the oldest kept; NULL: there are not so many.
const struct earlier_session *earlier_session(const struct earlier *e, uint64_t i);

// On stdout: what happened in them.
void earlier_print(const struct earlier *e);

// ------------------------------------------------------------
// The process of one `sagbend run`, which gives its sessions (run/session/session.h) their steps, one after
// the other. programs/sagbend/run.c calls its phases in order:
//   host_prepare         everything that can fail before the first step    host.c, restart.c
//   host_run             the steps: realtime, lockstep or fast             mode_*.c, step_thread.c, restart.c
//   host_judge           how the run ended, whether it succeeded           host.c, hold.c
//   host_write_results   summary, JUnit, records                           summary.c
//   host_close
// The modes differ in who waits for whom. In each of them a frame leaves by session_publish_frame.

// Of the first session.
struct resumed {
  const char *path; // of the checkpoint that it resumed from; NULL: none
  struct session_origin origin;
  int lost_is_known;
  uint64_t lost_steps; // of the session before, after the checkpoint
};

struct lost_session { // a session that was killed before its first checkpoint
  char session[24];
  uint64_t steps; // at least; 0: there is no such session
};

// Another session, ordered by an operator.
struct next_session {
  int asked, is_reset;
  char session[17];         // its name
  char name[SNAPSHOT_NAME]; // of the snapshot to restore
  void *bytes;              // content of the file; NULL: none
  size_t size;
  uint64_t failed;                // accepted orders of this kind that began no session
  struct reason why;              // the newest of them
  int goes_on;                    // nonzero: the next steps continue the present session after such an order
  struct followed_clock followed; // of the steps before it
  struct kept_command { // taken by no step yet when the steps ended: the next step of this session uses it
    int any;
    uint64_t received_ns; // 0: unknown
    struct command command;
    struct dp_alarm_list alarms;
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
  struct plant spare;     // at rest, for the next session: it need not wait for its statics. Mode fast: none
  struct earlier earlier; // sessions

  // Steps that are not made, and their pace.
  struct pauses pauses;
  char hold_operator[ORDER_OPERATOR]; // operator who ordered the newest pause or its end
  double rate;                        // mode realtime: ordered newest, simulated seconds per second
  int waiting;                        // lockstep: for a controller's answer
  uint64_t status_published_ns;

  // Counts of all sessions.
  struct lockstep_waits waits;
  uint64_t commands_dropped; // accepted, never logged: newer ones came in the same step
};

// Loads configuration and DP file (lines on stderr for their errors), then opens and creates everything. The
// reason names what failed. host: zeros. Release with host_close in every case.
enum status host_prepare(struct host *host, const struct run_options *options, struct reason *why);

// --ready-fd: reports that the session has begun, or (failed) why the start has failed. Waits for no reader.
void host_say_ready(struct host *host, const struct reason *failed);

// Reads the checkpoint of --resume, if given, and opens the one to write.
enum status host_prepare_checkpoints(struct host *host, struct reason *why);

// Reports as events that the first session resumes, and which steps were lost.
void host_report_resumption(struct host *host);

// Before a run that follows TAI (rig_clock.c). STATUS_BAD_INPUT: the kernel does not know it.
enum status host_check_clock(const struct host *host, struct reason *why);

// Opens the field buses, if any are configured; the server serves them.
enum status host_open_field_buses(struct host *host, struct reason *why);

// Opens the NMEA ports, if any are configured.
enum status host_open_nmea(struct host *host, struct reason *why);

// Steps until the end, then writes the last checkpoint. What ended the steps before their time is in
// session->stop.
void host_run(struct host *host);
void host_run_realtime(struct host *host);
void host_run_lockstep(struct host *host);
void host_run_fast(struct host *host);

// For the modes: publishes the initial state, unless a session goes on after a restart that failed; whether
// another step may follow, as session_may_step, with a sign of life.
void host_publish_first(struct host *host);
int host_may_step(struct host *host);

uint64_t host_halts(const struct host *host); // in all sessions

// Determines the outcome, ends log and session, prints the reasons of failure.
void host_judge(struct host *host);

// Writes summary, JUnit and records, prints the summary. STATUS_IO, after a line on stderr: not all of it is
// written.
enum status host_write_results(struct host *host);
void host_close(struct host *host);

// One turn of the main thread, for the service manager.
void host_beat(struct host *host);

// Pauses (hold.c). Begin and end: an event, and controllers learn of it; why: for people. Note: begins or
// ends as the frame states. Keep: publishes the Status when it is due; call it some ten times a second or
// more.
enum held host_hold(const struct host *host); // at present
void host_begin_hold(struct host *host, enum held hold, const char *why);
void host_end_hold(struct host *host);
void host_note_hold(struct host *host, const struct frame *frame);
void host_keep_status(struct host *host);
void host_fill_status(void *host, struct wire_status *out); // for server_on_status

// Refuses connections while descriptors are short, and reports it as an event.
void host_check_descriptors(struct host *host);

// What is left of a run: summary.json for programs, a table for people.

// Writes the summary as JSON to host->summary and closes it, if requested. why names the file.
enum status summary_write(struct host *host, struct reason *why);
void summary_print(const struct host *host); // on stdout

// Operators' orders snapshot, restore and reset (docs/operation.md).

// Keeps the initial state for resets, and opens the folder of snapshots. Call before a checkpoint is
// restored.
enum status host_prepare_restart(struct host *host, struct reason *why);
void host_close_restart(struct host *host);

// Before an order to begin another session is accepted: read and check the snapshot, name the session.
// STATUS_BAD_INPUT and the reason: it is refused.
enum status host_accept_restore(struct host *host, const struct order *order, struct reason *why);
enum status host_accept_reset(struct host *host, const struct order *order, struct reason *why);

// Orders on the run (step_thread.c), in the main thread. Accept: what only the run can check;
// STATUS_BAD_INPUT and the reason: it is refused. Note: what the main thread does with an order that the
// steps take. Lockstep: what is done between two steps, where no other thread makes them.
enum status host_accept_order(struct host *host, const struct order *order, struct reason *why);
void host_note_order(struct host *host, const struct order *order);
void host_obey_order(struct host *host, const struct order *order);

// Reports as events which snapshots have been written, or not.
void host_report_snapshots(struct host *host);

// After the steps: if a restore or reset ended them, ends the session and begins the next one. 0: the run
// ends.
int host_begin_next_session(struct host *host);
