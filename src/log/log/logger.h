// Writes the session's log beside the simulation. The step thread only copies into a ring buffer in memory; a
// writer thread packs, compresses, writes and syncs. In real time a full or slow disk never delays a step:
// the ring fills, and whole messages are dropped and counted, those of the least important topics first
// (LOG_TOPIC_TABLE). In the other modes the step thread waits for room instead.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/rig/closed_loop.h"

#include "sagbend/engine/engine.h"
#include "log/log/log.h"
#include "os/process/process.h"

struct logger;
struct wire_times;

// For a log in parts (docs/logs.md): limits as in struct log_def. A part begins with a checkpoint.
struct logger_rotation {
  const struct checkpoint_identity *identity;
  const struct sim *sim;            // for the size of a checkpoint
  const struct sensor_suite *suite; // the same
  uint64_t last_step;               // of the run, where no part begins; 0: unknown
};

// Creates the file with the session's record and starts the writer thread. What session points to must
// outlive the logger, except key and setpoint. rotation NULL: the log is one file. Otherwise path is that of
// the first part (logger_path_in). why names the file. Release with logger_free.
enum status logger_open(const char *path, const struct log_session *session,
                        const struct logger_rotation *rotation, struct logger **out, struct reason *why);

// The path of a log in folder, named after the present time and the session, as
// "20260131T120000Z-0123456789abcdef.mcap"; in parts "20260131T120000Z-0123456789abcdef-000001.mcap", so that
// the names of all parts sort in the order of time. The caller frees it. NULL: out of memory.
char *logger_path_in(const char *folder, const char *session_id, int in_parts);

// The next five are for the step thread and accept NULL (no log).
//
// Call after each step, and once before the first: records what is due of the state, with the command that
// the step used. Where a new part is due, hands the complete state over to the writer thread.
void logger_step(struct logger *logger, const struct closed_loop *loop) NONBLOCKING;
// Call after the step when there is time: prefetches the memory that the next logger_step writes.
void logger_prefetch(const struct logger *logger) NONBLOCKING;
// Records a command that a newer one replaced before any step used it.
void logger_superseded(struct logger *logger, uint64_t step, double time_s,
                       const struct command *command) NONBLOCKING;
// Records an operator's order that the next step applies.
void logger_order(struct logger *logger, uint64_t step, double time_s, const struct order *order) NONBLOCKING;
// In the modes where the step may wait: blocks until there is room for every topic. STATUS_IO: the disk
// accepts nothing; logger_report has the reason.
enum status logger_wait_for_room(struct logger *logger);

// For the main thread; they accept NULL. Counts are the newest, for the topic /timing. Seen: the events
// that follow from the frames up to this step have been passed to logger_event.
void logger_seen(struct logger *logger, uint64_t step);
void logger_event(struct logger *logger, uint64_t step, double time_s, const char *name, const char *text);
void logger_counts(struct logger *logger, const struct command_counts *counts);
void logger_times(struct logger *logger, const struct wire_times *times); // likewise
// A message of LOG_SESSION_INFO, LOG_STATUS, LOG_DP or LOG_ALARM, packed; size 0: it could not be packed, and
// counts as missing. Each part of a log begins with the newest LOG_SESSION_INFO.
void logger_message(struct logger *logger, enum log_topic topic, uint64_t step, double time_s,
                    const uint8_t *bytes, size_t size);
void logger_sensors_sent(struct logger *logger, const struct latency *latency); // likewise the newest

struct logger_report {
  int stalled;                       // the disk accepts nothing at present, for the reason in failure
  struct reason failure;             // the newest; empty: none so far
  uint64_t dropped[LOG_TOPIC_COUNT]; // messages that did not reach the file
  int commands_missing;              // at least one command or order did not reach the log:
  uint64_t replayable_to_step;       // the log can be replayed to this step only
  struct mcap_written written;       // in the file
  struct log_digest digest;          // of the chain at its end, once it is closed; zero: it has no proper end
  int is_signed;
  int incomplete; // a file could not be synced or closed properly, for the reason in failure

  unsigned part;                            // number of the present part; 0: the log is one file
  uint64_t parts_failed;                    // times that a part could not begin, for part_failure
  uint64_t parts_deleted, deletions_failed; // the oldest parts
  struct reason part_failure;               // the newest
};
struct logger_report logger_report(struct logger *logger);  // main thread; NULL: all zero
int logger_is_complete(const struct logger_report *report); // no message was dropped, the file is closed

// While another log of the run begins in the same folder, this one deletes no old parts. Accepts NULL.
void logger_keep_all(struct logger *logger, int keeps_all);

// Writes what is queued, adds the end record and closes the file. end_text: why the session ended.
// next_session: that a restore or reset begins; NULL: none. Afterwards
// only logger_report, logger_path and logger_free may be called.
void logger_finish(struct logger *logger, const struct closed_loop *loop, const char *end_text,
                   const char *next_session);
const char *logger_path(struct logger *logger); // of the present part, until the next call; main thread
void logger_free(struct logger *logger);        // finishes first if necessary; accepts NULL
