// Writes a session log: an MCAP file with the topics and messages of proto/sagbend/v1/log.proto. The log time
// of a message is the simulated time since the start of the session, in ns. Messages are added to an open
// chunk in memory; session_log_flush writes it. One thread at a time owns a log.
#pragma once

#include "sagbend/signals/signals.h"
#include "sagbend/rig/events.h"
#include "sagbend/rig/frame.h"
#include "sagbend/rig/refusal.h"
#include "sagbend/rig/verdict.h"
#include "sagbend/case/config.h"
#include "log/log/log_chain.h"
#include "log/log/log_key.h"
#include "log/log/log_topic.h"
#include "log/mcap/mcap_writer.h"

struct log_part {           // of a log in several files; texts are borrowed
  unsigned number;          // from 1; 0: the log is one file
  const char *before;       // file name of the part before it; NULL: this is the first
  struct log_digest link;   // of the chain at the end of the part before it
  uint64_t commands_before; // number of the newest used command there
};

struct log_origin {    // of the session's first state; texts are borrowed
  const char *session; // that reached it; NULL: unknown, or the session began at rest
  uint64_t step;
  const char *how, *name; // "resume", "restore", "reset"; of the snapshot or file. NULL: none
};

struct log_session { // texts and arrays are borrowed
  const char *session, *version, *build, *config_path;
  const struct config *config;
  const char *const *overrides;
  int override_count;
  const char *dp_text;                 // the DP file as parsed; NULL: none
  const struct config_files *dp_files; // that it extends; NULL: none
  struct command_def command_def;
  const double *setpoint; // north, east in m, heading in rad; NULL: the configuration has none
  int node_count;
  uint64_t first_step;
  uint64_t initial_hash;  // of the state after first_step steps
  const void *checkpoint; // the checkpoint file of that state, if first_step is above 0
  size_t checkpoint_bytes;
  const struct log_secret_key *key; // signs the log's chain; NULL: the log is not signed
  struct log_part part;
  struct log_origin origin;
};

struct log_command {
  uint64_t step;   // steps completed when it was latched
  uint64_t number; // among the used commands, from 1; consecutive unless commands were lost
  int superseded;  // a newer command replaced it before any step used it; number is 0
  struct command command;
  struct dp_alarm_list alarms; // last: only those there are pass through the ring
};

struct log_verdict { // at the end of the session
  const char *name;
  enum verdict_result result;
};

struct log_end {
  uint64_t step, state_hash;
  const char *why; // the run ended
  uint64_t dropped[LOG_TOPIC_COUNT];
  int commands_missing;
  uint64_t replayable_to_step; // if commands are missing
  int verdict_count;
  struct log_verdict verdict[MAX_VERDICTS];
  const char *continued_in; // file name of the next part; NULL: the session ended
  const char *next_session; // that a restore or reset begins; NULL: none
};

struct session_log;

// Creates the file with the session's record in it, synced. Reserves room on the disk so that the log can be
// closed later. why names the file, which is removed again if it cannot begin. End with session_log_close.
enum status session_log_open(const char *path, const struct log_session *session, struct session_log **out,
                             struct reason *why);

// Each adds one message to the open chunk. STATUS_NO_MEMORY: flush, then try again. STATUS_BAD_INPUT: a
// message cannot represent the content (a number is not finite), and nothing was added.
enum status session_log_command(struct session_log *log, const struct log_command *command, double time_s);
enum status session_log_order(struct session_log *log, const struct order *order, uint64_t step,
                              double time_s);
enum status session_log_hash(struct session_log *log, uint64_t step, double time_s, uint64_t hash);
// topic: LOG_SENSORS, LOG_TRUTH, LOG_LEDGER or LOG_TIMING; counts and times are for LOG_TIMING.
struct wire_times;
enum status session_log_frame(struct session_log *log, enum log_topic topic, const struct frame *frame,
                              const struct command_counts *counts, const struct wire_times *times);
// A packed message of LOG_SESSION_INFO, LOG_STATUS, LOG_DP or LOG_ALARM.
enum status session_log_message(struct session_log *log, enum log_topic topic, double time_s,
                                const uint8_t *bytes, size_t size);
enum status session_log_nodes(struct session_log *log, uint64_t step, double time_s, int count,
                              const struct sim_node *nodes);
enum status session_log_event(struct session_log *log, uint64_t step, double time_s, const char *name,
                              const char *text);

int session_log_is_signed(const struct session_log *log);

// In the open chunk: bytes, and messages of a topic.
size_t session_log_pending_bytes(const struct session_log *log);
uint64_t session_log_pending(const struct session_log *log, enum log_topic topic);

// Writes the open chunk, with a link of the chain (log/log/log_chain.h) at its end. After STATUS_IO the chunk
// is still open: try again, or discard it.
enum status session_log_flush(struct session_log *log, struct reason *why);
enum status session_log_sync(struct session_log *log, struct reason *why); // what is written, to the disk
void session_log_discard(struct session_log *log);

const struct mcap_written *session_log_written(const struct session_log *log);

// Adds the end record with its link to the open chunk, which must be empty before, and returns the digest of
// the chain at the end of the file. session_log_discard takes both back. STATUS_NO_MEMORY: nothing was added.
enum status session_log_end(struct session_log *log, const struct log_end *end, double time_s,
                            struct log_digest *digest);

// Adds the end record (end NULL: session_log_end has done it) and closes the file; frees log in any case. The
// open chunk must have been flushed or discarded. written and digest (of the chain at the end of the file)
// may be NULL.
enum status session_log_close(struct session_log *log, const struct log_end *end, double time_s,
                              struct mcap_written *written, struct log_digest *digest, struct reason *why);
