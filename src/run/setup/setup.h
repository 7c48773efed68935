// What precedes a session: the case, descriptors, notices, plausibility.
#pragma once

#include "log/log/log.h"
#include "net/case/case.h"
#include "net/server/server.h"
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "sagbend/base/base.h"
#include "sagbend/case/case.h"
#include "sagbend/engine/engine.h"
#include "sagbend/sim/sim.h"

#include <stdint.h>
#include <stdio.h>

// ------------------------------------------------------------
// Descriptors for files and sockets. A session does not start without enough of them, and watches them while
// its sockets are open: with none left, a listening socket would be ready for ever and its thread would spin.
// So the listening sockets close before that, and open again when connections have ended.

enum {
  DESCRIPTORS_OF_FILES = 32,     // log, checkpoints, summary, records
  DESCRIPTORS_WITH_SOCKETS = 88, // these, and the connections of a session
};

struct descriptors {
  uint64_t checked_ns;
  int closed; // nonzero: new connections are not accepted
  int left;   // at the last check; counting stops where there are enough
  uint64_t closed_count;
};

// Raises the limit of open files if necessary. STATUS_BAD_INPUT: fewer than needed are left.
enum status descriptors_require(int needed, struct reason *why);

// Counts the free descriptors, at most 50 times a second. server NULL: does nothing. Returns 1 if it has just
// closed or opened the listening sockets: then event and text describe that.
int descriptors_check(struct descriptors *d, struct server *server);
const char *descriptors_event(const struct descriptors *d);
const char *descriptors_text(const struct descriptors *d);

// ------------------------------------------------------------
// Events of a run: those that follow from the steps (sagbend/engine/engine.h), and those of machine and
// network. They are written to console and log, published, and counted.

enum { EVENT_WATCH_KEPT = 64 }; // events kept for the summary

struct event_watch {
  struct event_finder finder; // of those that follow from the steps
  struct console *console;
  struct server *server; // NULL: none
  struct logger *logger; // NULL: none

  // Counts that have been reported, and the step of the next report at the earliest.
  uint64_t misses_reported, lost_reported, dropped_reported, report_times_at_step;
  uint64_t faults_reported, report_faults_at_step; // page faults
  uint64_t jumps_reported, jump_periods_reported;
  int late_start_reported;
  struct late_step worst_late; // since the last report of late steps
  uint64_t late_seen;          // step of the newest late step seen
  uint64_t displaced_reported, telemetry_reported, report_server_at_step;

  uint64_t count;                          // events so far
  struct run_event kept[EVENT_WATCH_KEPT]; // the first of them
};

void event_watch_init(struct event_watch *watch, struct console *console, struct server *server,
                      struct logger *logger, const struct scenario_def *scenario);

// Takes the frame as already reported, and reports that the run resumes from the checkpoint at path.
void event_watch_resume(struct event_watch *watch, const struct frame *frame, const char *path);

// Another session begins with this frame, perhaps at an earlier step, with a log of its own.
void event_watch_begin_session(struct event_watch *watch, struct logger *logger, const struct frame *frame);

// Finds and reports the events of a frame. Events of machine and network are reported at most once a second.
void event_watch_frame(struct event_watch *watch, const struct frame *frame, double step_s);

// Reports what the last frame, with its final timing, adds.
void event_watch_finish(struct event_watch *watch, const struct frame *frame);

// Reports an event that the caller has found. The second form does not publish it.
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void event_watch_log(struct event_watch *watch, uint64_t step, double time_s, const char *name,
                     const char *format, ...);
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void event_watch_log_unpublished(struct event_watch *watch, uint64_t step, double time_s, const char *name,
                                 const char *format, ...);

// Parts of event_watch_frame: events of timing and network (event_watch.c).
void event_watch_find_late(struct event_watch *watch, const struct frame *frame, double step_s);

// ------------------------------------------------------------
// The keys that the configuration names for its sockets.

// Reads the keys; *out is NULL if the configuration names none, which is valid on loopback and ipc only.
// STATUS_BAD_INPUT: other machines could connect without a key, or a file is not valid. Release with
// network_keys_free.
enum status network_keys_read(const char *name, const struct net_def *net, struct server_keys **out,
                              struct reason *why);
void network_keys_free(struct server_keys *keys); // accepts NULL; erases the secret

// ------------------------------------------------------------
// CSV of the pipe's nodes: arc length from the lower end, then the columns of sagbend/rig/node_columns.inc.

// Both write no line end.
void node_row_header(FILE *out);
void node_row(FILE *out, const struct sim_node *node);

// ------------------------------------------------------------
// What a user should know about a valid configuration: keys without an effect, damping that is counted
// twice.

// Calls say once for each notice, a line without a line end.
void setup_notices(const struct config *config, void (*say)(void *context, const char *text), void *context);

// The key of the section that defines a type of pipe, by its number (pipe_type_of).
struct pipe_key {
  char text[32];
};
struct pipe_key setup_pipe_key(int type);

// Whether bending beyond yield has no hardening somewhere in the pipe, and what that means for its results.
int setup_is_perfectly_plastic(const struct config *config);
const char *setup_localisation_text(void);

// ------------------------------------------------------------
// Notices about what mesh and step resolve, for setup_notices.

void notices_mesh(const struct config *c, void (*say)(void *context, const char *text), void *context);

// ------------------------------------------------------------
// A setup as the commands run, replay, statics and check load it, with what only a program asks of it: its
// files, and names of sessions.

struct loaded { // for commands that need one plant only
  struct setup setup;
  struct plant plant;
};

// Loads configuration and DP file. STATUS_BAD_INPUT after a line on errors for each error in them.
// Release with setup_free in every case.
enum status setup_load(struct setup *setup, const struct case_options *options, FILE *errors);

// Adds the files that the configuration names to claims; command_claim adds those of the command line.
enum status setup_claim(const struct setup *setup, const char *config_path, struct file_claims *claims,
                        struct reason *why);

void loaded_free(struct loaded *loaded);

// A random session name: 16 hexadecimal digits.
enum status session_make_id(char id[17], struct reason *why);

// UTC of simulated time 0 (nmea.start_utc).
struct start_utc {
  int is_now;  // nonzero: the clock tells it at a session's first step; without a clock there is none
  uint64_t ns; // since 1970; 0: the configuration has none, or is_now
};
struct start_utc setup_start_utc(const struct setup *setup);

// Who writes the checkpoints of a session of this name. dp_is_inside: the DP controller is part of the state.
struct checkpoint_identity setup_identity(const struct setup *setup, int dp_is_inside, const char *session);

// ------------------------------------------------------------
// What is valid and yet hardly meant: a unit, an axis or a sign that is wrong, and a DP file that does not
// belong to the vessel. Each finding names a key with its place. docs/configuration.md

// Calls say once for each finding, "FILE:LINE:COLUMN: notice: KEY: TEXT" without a line end; one that cannot
// be meant has "error" in place of "notice". sim: NULL where there is none, as after a failure of the
// statics. Returns the number of errors.
int plausible_check(const struct setup *setup, const struct case_options *options, const struct sim *sim,
                    void (*say)(void *context, const char *line), void *context);

// ------------------------------------------------------------
// How a run can end.

// Enumerator, word in the summary, text of the End message and of the log.

#define RUN_END_TABLE(X)                                                                                     \
  X(END_REACHED, "duration", "duration reached")                                                             \
  X(END_OPERATOR, "operator", "stopped")                                                                     \
  X(END_SIGNAL, "signal", "stopped")                                                                         \
  X(END_FAULT, "fault", "fault")                                                                             \
  X(END_LOG, "log", "log failed")                                                                            \
  X(END_SOCKETS, "sockets", "sockets failed")                                                                \
  X(END_LOCKSTEP_TIMEOUT, "lockstep_timeout", "lockstep time-out")                                           \
  X(END_THREAD, "thread", "a thread could not be started")
#define X(name, word, text) name,
enum run_end { RUN_END_TABLE(X) RUN_END_COUNT };
#undef X
const char *run_end_word(enum run_end e);
const char *run_end_text(enum run_end e);
