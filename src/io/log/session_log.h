// A session's log: an MCAP file with the topics and messages of proto/sagbend/v1/log.proto. The log time of a
// message is the simulated time since the session's start in ns. Messages are packed into an open chunk;
// nothing is written before session_log_flush. One thread owns a log.
#pragma once

#include "core/base/nonblocking.h"
#include "core/signals/command.h"
#include "hil/events.h"
#include "hil/frame.h"
#include "hil/refusal.h"
#include "io/config/config.h"
#include "io/log/log_key.h"
#include "io/mcap/mcap_writer.h"

// Topic, message and the file that declares it, and how much of the ring before the log (percent) may be full
// while messages of the topic are still taken: what counts least goes first. Commands go last.
#define LOG_TOPIC_TABLE(X)                                                                                   \
  X(LOG_SESSION, "/session", "SessionRecord", log, 100)                                                      \
  X(LOG_COMMAND, "/command", "CommandUsed", log, 100)                                                        \
  X(LOG_ORDER, "/operator", "OrderUsed", log, 100)                                                           \
  X(LOG_STATE_HASH, "/state_hash", "StateHash", log, 80)                                                     \
  X(LOG_SENSORS, "/sensors", "Sensors", telemetry, 68)                                                       \
  X(LOG_TRUTH, "/truth", "Truth", telemetry, 58)                                                             \
  X(LOG_NODES, "/nodes", "Nodes", telemetry, 50)                                                             \
  X(LOG_LEDGER, "/ledger", "Ledger", telemetry, 74)                                                          \
  X(LOG_TIMING, "/timing", "Timing", telemetry, 63)                                                          \
  X(LOG_EVENT, "/event", "Event", session, 100)                                                              \
  X(LOG_END, "/end", "LogEnd", log, 100)                                                                     \
  X(LOG_CHAIN, "/chain", "ChainLink", log, 100)
#define X(id, topic, message, file, share) id,
enum log_topic { LOG_TOPIC_TABLE(X) LOG_TOPIC_COUNT };
#undef X
const char *log_topic_name(enum log_topic t);      // "/command"
const char *log_topic_schema(enum log_topic t);    // "sagbend.v1.CommandUsed"
int log_topic_share(enum log_topic t) NONBLOCKING; // percent

struct log_session { // texts and arrays are borrowed
  const char *session, *version, *build, *config_path;
  const struct config *config;
  const char *const *overrides;
  int override_count;
  const char *dp_text; // NULL: none
  struct command_def command_def;
  const double *setpoint; // north, east in m, heading in rad; NULL: none
  int node_count;
  uint64_t first_step;
  uint64_t initial_hash;  // of the state after first_step steps
  const void *checkpoint; // that state, where first_step is above 0
  size_t checkpoint_bytes;
  const struct log_secret_key *key; // signs the log's chain; NULL: not signed
};

struct log_command {
  uint64_t step;   // steps done when it was latched
  uint64_t number; // of those used, from 1; without gaps unless commands were lost
  int superseded;
  struct command command;
};

struct log_end {
  uint64_t step, state_hash;
  const char *why;
  uint64_t dropped[LOG_TOPIC_COUNT];
  int commands_missing;
  uint64_t replayable_to_step; // where commands are missing
};

struct session_log;

// Creates the file with the session's record in it, synced. Leaves room on the disk so that the log can be
// closed.
enum status session_log_open(const char *path, const struct log_session *session, struct session_log **out,
                             struct reason *why);

// Each adds one message to the open chunk. STATUS_NO_MEMORY: flush, then try again. STATUS_BAD_INPUT: what
// cannot be said in a message (a number that is not finite) was left out.
enum status session_log_command(struct session_log *l, const struct log_command *c, double time_s);
enum status session_log_order(struct session_log *l, const struct order *o, uint64_t step, double time_s);
enum status session_log_hash(struct session_log *l, uint64_t step, double time_s, uint64_t hash);
enum status session_log_frame(struct session_log *l, enum log_topic topic, const struct frame *f,
                              const struct command_counts *counts); // sensors, truth, ledger or timing
enum status session_log_nodes(struct session_log *l, uint64_t step, double time_s, int count,
                              const struct sim_node *nodes);
enum status session_log_event(struct session_log *l, uint64_t step, double time_s, const char *name,
                              const char *text);

size_t session_log_pending_bytes(const struct session_log *l);
uint64_t session_log_pending(const struct session_log *l, enum log_topic topic); // messages

// Writes the open chunk, with a link of the chain (io/log/log_chain.h) at its end. After STATUS_IO it is
// still open: try again, or discard it.
enum status session_log_flush(struct session_log *l, struct reason *why);
enum status session_log_sync(struct session_log *l, struct reason *why);
void session_log_discard(struct session_log *l);

const struct mcap_written *session_log_written(const struct session_log *l);

// Adds the end, closes the file; frees l in any case. The open chunk must have been flushed or discarded.
enum status session_log_close(struct session_log *l, const struct log_end *end, double time_s,
                              struct mcap_written *written, struct reason *why);
