// The log of a session: record, messages, parts, chain of hashes, checkpoints.
#pragma once

#include "log/mcap/mcap.h"
#include "net/counts/counts.h"
#include "net/messages/messages.h"
#include "os/process/process.h"
#include "sagbend/base/base.h"
#include "sagbend/case/case.h"
#include "sagbend/engine/engine.h"
#include "sagbend/faults/faults.h"
#include "sagbend/instruments/instruments.h"
#include "sagbend/loop/loop.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"
#include "sagbend/v1/log.pb-c.h"

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// ------------------------------------------------------------
// Checkpoints (sagbend/engine/engine.h) as files. A file is written whole or not at all. In all three
// functions why names the path.

// Writes an image and its hash to path.partial, syncs it, renames it to path and syncs the folder. Whatever
// fails, the file that was at path before stays whole.
enum status checkpoint_write(const char *path, const void *image, size_t size, struct reason *why);
// Reads a whole file; the caller frees *bytes.
enum status checkpoint_read(const char *path, void **bytes, size_t *size, struct reason *why);

// ------------------------------------------------------------
// Writes checkpoints of a run. In real time the step thread copies its state into a ring and a writer thread
// writes the file; in the other modes the file is written at once.

struct checkpointer {
  const char *path;     // borrowed; NULL: no checkpoints are requested, and nothing below is used
  uint64_t every_steps; // a checkpoint is due at each multiple
  struct checkpoint_identity identity;
  size_t image_bytes;
  void *image;      // for checkpoints that are written at once
  struct ring ring; // images for the writer thread

  struct os_thread thread;
  struct os_spare spare; // file descriptors reserved for writing
  int has_thread;
  int progress_file;                   // -1: none
  uint64_t progress_step, progress_ns; // newest step in it, and when it was written
  atomic_uint_fast64_t step;           // newest step
  atomic_int stop;                     // request to the writer thread

  pthread_mutex_t lock; // protects what follows
  uint64_t written, failed;
  uint64_t last_step; // of the newest checkpoint written
  struct reason failure;
};

// Allocates memory and checks that path can be written; why names the path. path NULL: nothing is done, and
// the calls below do nothing. Release with checkpointer_close in either case.
enum status checkpointer_open(struct checkpointer *checkpointer, const char *path, uint64_t every_steps,
                              const struct checkpoint_identity *identity, const struct sim *sim,
                              const struct sensor_suite *suite, struct reason *why);
enum status checkpointer_start_thread(struct checkpointer *checkpointer, struct reason *why);

// Call one of these after each step. offer, for the step thread in real time: copies the state (some 10 kB
// and the state of the sensor suite) if a checkpoint is due; if the writer thread still has two to write, the
// checkpoint is skipped and counted. write_if_due: returns when the file is written.
void checkpointer_offer(struct checkpointer *checkpointer, const struct closed_loop *loop) NONBLOCKING;
void checkpointer_write_if_due(struct checkpointer *checkpointer, const struct closed_loop *loop);

// Another session begins with the present state: stops the thread after it has written what is queued, then
// writes the first checkpoint of that session.
void checkpointer_begin_session(struct checkpointer *checkpointer, const char *session,
                                const struct closed_loop *loop);

// At the end of the run: stops the thread after it has written what is queued, then writes the last state,
// unless the simulation has latched a fault.
void checkpointer_finish(struct checkpointer *checkpointer, const struct closed_loop *loop);
void checkpointer_close(struct checkpointer *checkpointer);

struct checkpointer_report {
  uint64_t written, failed, skipped; // checkpoints
  uint64_t last_step;                // of the newest one written
  struct reason failure;             // the newest; empty: none
};
struct checkpointer_report
checkpointer_report(struct checkpointer *checkpointer); // any thread but the step's

// ------------------------------------------------------------
// Keys that sign logs (Ed25519), each in a text file of one line: the type of the key, a space, 64
// hexadecimal digits. The secret file contains the seed that both keys follow from; only its owner may read
// it.

enum { LOG_PUBLIC_KEY = 32, LOG_SECRET_KEY = 64, LOG_SIGNATURE = 64, LOG_KEY_TEXT = 2 * LOG_PUBLIC_KEY + 1 };

struct log_public_key {
  uint8_t bytes[LOG_PUBLIC_KEY];
};

struct log_secret_key {
  uint8_t bytes[LOG_SECRET_KEY]; // the second half is the public key
};

// Makes a key pair: the secret key in path (mode 0600), the public one in path.pub. STATUS_BAD_INPUT: one of
// the files exists already. why names the path, here and below.
enum status log_key_make(const char *path, struct log_public_key *made, struct reason *why);

// STATUS_IO: the file cannot be read; STATUS_BAD_INPUT: it contains no such key, or users other than its
// owner may read a secret one.
enum status log_key_read_secret(const char *path, struct log_secret_key *out, struct reason *why);
enum status log_key_read_public(const char *path, struct log_public_key *out, struct reason *why);

void log_key_forget(struct log_secret_key *key);                             // erases it from memory
void log_key_text(const struct log_public_key *key, char out[LOG_KEY_TEXT]); // in hexadecimal

// ------------------------------------------------------------
// The chain of a log: a digest (BLAKE2b, 32 bytes) that each record extends. Records are the file's header,
// each metadata and attachment record, and each message with its topic, schema and times. The writer puts a
// ChainLink (proto/sagbend/v1/log.proto) at the end of each chunk, signed (Ed25519) if it has a key.
//
//   before all records     D(0) = H("sagbend log chain 1")
//   a record of the file   R = H(kind, content), with kind in one byte
//   schema and topic       C = H(n(topic), n(message encoding), n(schema name), n(schema encoding),
//                                n(schema data))
//   a message              R = H(C, sequence, log time, publish time, data)
//   after each of them     D(i+1) = H(D(i), R)
//   signed text            "sagbend log link 1", a zero byte, n(session), first, before, n(links), digest
//
// n(x) is the length of x in 64 bits, then x. Numbers are little-endian, 64 bits. A ChainLink message itself
// extends the chain, too, but has no entry among the links.

enum { LOG_DIGEST = 32, LOG_LINK = 4 }; // bytes of a digest, and of its part in a ChainLink

struct log_digest {
  uint8_t bytes[LOG_DIGEST];
};

struct log_chain {
  struct log_digest digest;
  uint64_t records; // in the digest
};

struct log_chain_times { // of a message
  uint64_t sequence, log_ns, publish_ns;
};

struct log_channel_text {
  const char *topic, *encoding, *schema, *schema_encoding;
  const void *data;
  size_t size;
};

// R and C above.
struct log_digest log_digest_record(uint8_t kind, const void *content, size_t size);
struct log_digest log_digest_channel(const struct log_channel_text *channel);

// The content of a ChainLink.
struct log_link {
  const char *session;
  uint64_t first;                 // records before it
  const uint8_t *before, *digest; // LOG_DIGEST bytes: of the records before it, and with its own
  const uint8_t *links;           // LOG_LINK bytes of the digest after each of its records
  size_t links_size;
};

// ------------------------------------------------------------
// Checks the chain of a log while the log is read from its beginning: whether each
// record is the one that was written there, and who signed it.

enum log_chain_state {
  LOG_CHAIN_NONE,   // the log has no chain: an older program wrote it, or it was written again
  LOG_CHAIN_HOLDS,  // each record is the one that was written, as far as the log goes
  LOG_CHAIN_GAPS,   // intact, but whole links between the records are missing
  LOG_CHAIN_BROKEN, // a record was altered, exchanged, added or removed
};

struct log_check_report {
  enum log_chain_state state;
  uint64_t records, links; // records that a link covers; links read
  uint64_t missing;        // records in the gaps
  uint64_t gap_ns;         // log time of the newest message before the first gap
  struct reason broken;    // the first break: what, and where
  char topic[64];          // topic of the record there; "": not a message
  uint64_t time_ns;        // and its log time
  int is_signed;           // every link has a valid signature by public_key
  struct log_public_key public_key;
  int recovered;            // 'sagbend log recover' made this file
  int derived;              // 'sagbend log scene' made this file: a copy with other messages
  struct log_digest digest; // of the chain after its last link
};

struct log_check;

// Begins a check. Call before the first message is read; the reader's record callback belongs to the check
// until log_check_finish. NULL: out of memory.
struct log_check *log_check_open(struct mcap_reader *reader);
// Sets a function that is called with each metadata and attachment record, like mcap_reader_on_record.
void log_check_on_record(struct log_check *check,
                         void (*on_record)(void *context, uint8_t kind, const uint8_t *content, size_t size),
                         void *context);
void log_check_message(struct log_check *check, const struct mcap_message *message); // each, in file order
// Call after the last message. complete: the file was read to a proper end. The report lives as long as
// check.
const struct log_check_report *log_check_finish(struct log_check *check, int complete);
void log_check_free(struct log_check *check); // accepts NULL

const char *log_chain_state_name(enum log_chain_state state); // "none", "holds", "gaps", "broken"

// Whether the log is signed by this key; if not, why states the reason.
int log_check_is_by(const struct log_check_report *report, const struct log_public_key *key,
                    struct reason *why);

// ------------------------------------------------------------
// The topics of a session log.

// Identifier, topic, message type, the .proto file that declares it, and how full (percent) the ring before
// the log may be while messages of the topic are still accepted. So the least important topics are dropped
// first, commands last. What the main thread adds (/event, /session_info, /status, /dp, /alarm) has a ring of
// its own. Last, what a replay makes of it (enum log_topic_kind).
#define LOG_TOPIC_TABLE(X)                                                                                   \
  X(LOG_SESSION, "/session", "SessionRecord", log, 100, TOPIC_RECORDED)                                      \
  X(LOG_COMMAND, "/command", "CommandUsed", log, 100, TOPIC_RECORDED)                                        \
  X(LOG_ORDER, "/operator", "OrderUsed", log, 100, TOPIC_RECORDED)                                           \
  X(LOG_STATE_HASH, "/state_hash", "StateHash", log, 80, TOPIC_COMPUTED)                                     \
  X(LOG_SENSORS, "/sensors", "Sensors", telemetry, 68, TOPIC_COMPUTED)                                       \
  X(LOG_TRUTH, "/truth", "Truth", telemetry, 58, TOPIC_COMPUTED)                                             \
  X(LOG_NODES, "/nodes", "Nodes", telemetry, 50, TOPIC_COMPUTED)                                             \
  X(LOG_LEDGER, "/ledger", "Ledger", telemetry, 74, TOPIC_COMPUTED)                                          \
  X(LOG_TIMING, "/timing", "Timing", telemetry, 63, TOPIC_TIMED)                                             \
  X(LOG_EVENT, "/event", "Event", session, 100, TOPIC_RECORDED)                                              \
  X(LOG_SESSION_INFO, "/session_info", "Session", telemetry, 90, TOPIC_SHOWN)                                \
  X(LOG_STATUS, "/status", "Status", operator, 50, TOPIC_SHOWN)                                              \
  X(LOG_DP, "/dp", "ControllerView", telemetry, 40, TOPIC_SHOWN)                                             \
  X(LOG_ALARM, "/alarm", "Alarms", telemetry, 90, TOPIC_SHOWN)                                               \
  X(LOG_END, "/end", "LogEnd", log, 100, TOPIC_RECORDED)                                                     \
  X(LOG_CHAIN, "/chain", "ChainLink", log, 100, TOPIC_RECORDED)
#define X(id, topic, message, file, share, kind) id,
enum log_topic { LOG_TOPIC_TABLE(X) LOG_TOPIC_COUNT };
#undef X

// Only a replay's own result of a topic that it computes can be compared with the log; topics of a fixed
// period are those that it computes and those of the clock.
enum log_topic_kind {
  TOPIC_RECORDED, // messages from outside, or about what happened once
  TOPIC_COMPUTED, // follows from the state, at a fixed period
  TOPIC_TIMED,    // reports of the clock, at a fixed period
  TOPIC_SHOWN,    // for views: numbered by the main thread as it sends them
};
enum log_topic_kind log_topic_kind(enum log_topic topic); // LOG_TOPIC_COUNT: TOPIC_RECORDED

const char *log_topic_name(enum log_topic topic);      // "/command"
const char *log_topic_schema(enum log_topic topic);    // "sagbend.v1.CommandUsed"
int log_topic_share(enum log_topic topic) NONBLOCKING; // percent
enum log_topic log_topic_by_name(const char *name);    // "/truth" or "truth"; LOG_TOPIC_COUNT: none
struct nearest_hint log_topic_hint(const char *name);  // of a name that no topic has

const ProtobufCMessageDescriptor *log_descriptor(enum log_topic topic);

// The FileDescriptorSet that readers of the file need to decode the topic's messages.
const void *log_topic_schema_data(enum log_topic topic, size_t *size);

// ------------------------------------------------------------
// Reads the messages of a log: any topic of proto/sagbend/v1/log.proto, as generated struct, as JSON, or
// field by field.

// The topic of a channel, if its schema and encoding are those of a Sagbend log; LOG_TOPIC_COUNT: another.
enum log_topic log_topic_of(const struct mcap_channel *channel);

// Unpacks a message into the struct of sagbend/v1/*.pb-c.h that belongs to its topic
// (Sagbend__V1__CommandUsed, ...). Release with log_free. out is NULL after STATUS_BAD_INPUT: not such a
// message, and STATUS_NO_MEMORY.
enum status log_unpack(const struct mcap_message *message, ProtobufCMessage **out, struct reason *why);
void log_free(ProtobufCMessage *message); // accepts NULL

// Prints a message as one JSON object on one line. Hashes (fixed64) are strings of 16 hexadecimal digits;
// numbers that are not finite are null.
void log_print_json(FILE *out, const ProtobufCMessage *message);

// Calls visit for each scalar that is present, in the order of the declaration, with its path, such as
// "pipe.touchdown.north_m" or "north_m[3]", and its value as text.
void log_each_field(const ProtobufCMessage *message,
                    void (*visit)(void *context, const char *path, const char *value), void *context);

// The scalar at a valid path as text, in buffer or in the message; NULL if it is absent (there is no pipe, or
// no contact).
enum { LOG_NUMBER_SIZE = 64 };
const char *log_field(const ProtobufCMessage *message, const char *path, char buffer[LOG_NUMBER_SIZE]);

int log_path_is_valid(const ProtobufCMessageDescriptor *type, const char *path); // it names a scalar

// Writes the paths of all scalars outside lists, separated by commas.
void log_paths(const ProtobufCMessageDescriptor *type, char *out, size_t size);

// ------------------------------------------------------------
// Writes a session log: an MCAP file with the topics and messages of proto/sagbend/v1/log.proto. The log time
// of a message is the simulated time since the start of the session, in ns. Messages are added to an open
// chunk in memory; session_log_flush writes it. One thread at a time owns a log.

struct log_part {           // of a log in several files; texts are borrowed
  unsigned number;          // from 1; 0: the log is one file
  const char *before;       // file name of the part before it; NULL: this is the first
  struct log_digest link;   // of the chain at the end of the part before it
  uint64_t commands_before; // number of the newest used command there
};

struct log_origin {    // of the session's first state; texts are borrowed
  const char *session; // session that reached the state; NULL: unknown, or the session began at rest
  uint64_t step;
  const char *how, *name; // "resume", "restore", "reset"; of the snapshot or file. NULL: none
};

struct log_session { // texts and arrays are borrowed
  const char *session, *version, *build, *config_path;
  const struct config *config;
  const char *const *overrides;
  int override_count;
  const char *dp_text;                 // the DP file as parsed; NULL: none
  const struct config_files *dp_files; // files that the DP file extends; NULL: none
  struct command_def command_def;
  const double *setpoint; // north, east in m, heading in rad; NULL: the configuration has none
  int node_count;
  uint64_t first_step;
  uint64_t start_utc_ns;  // of simulated time 0, taken from the clock; 0: the configuration states it
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
  const char *next_session; // session that a restore or reset begins; NULL: none
};
void log_end_verdicts(struct log_end *end, const struct scenario_def *def, const struct scenario *at);

// Whether a topic is due at a step: the first of the log, and each at its period; every 0: never.
static inline int log_is_due(uint64_t every, uint64_t first_step, uint64_t step) {
  return every && (step % every == 0 || step == first_step);
}

struct session_log;

// The path of the number-th session's log of a run, which the caller frees: FILE.mcap, FILE-2.mcap, ... A
// restored state and a reset begin the next one. NULL: out of memory.
char *session_log_path(const char *path, uint64_t number);

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

// Writes the open chunk, with a link of the chain at its end. After STATUS_IO the chunk
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

// ------------------------------------------------------------
// Writes the session's log beside the simulation. The step thread only copies into a ring buffer in memory; a
// writer thread packs, compresses, writes and syncs. In real time a full or slow disk never delays a step:
// the ring fills, and whole messages are dropped and counted, those of the least important topics first
// (LOG_TOPIC_TABLE). In the other modes the step thread waits for room instead.

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

// ------------------------------------------------------------
// An operator's order as a log records it (message OrderUsed).

// Packs an order that the step after step applied. Returns the bytes written; 0: it does not fit.
size_t log_pack_order(uint64_t step, const struct order *order, uint8_t *out, size_t capacity);

// Reads it back. STATUS_BAD_INPUT: this session has no such fault or target; why names the order's number.
struct Sagbend__V1__OrderUsed;
enum status log_read_order(const struct Sagbend__V1__OrderUsed *message, const struct hil_names *names,
                           struct order *out, struct reason *why);

// ------------------------------------------------------------
// How far a session has come, in a file beside its checkpoint (FILE.progress): after a kill it shows how many
// steps followed the checkpoint. One line of fixed length, "SESSION STEP", which is overwritten in place.

struct progress {
  char session[24];
  uint64_t step;
};

// Reads it back. Returns 0 if it is not there or not valid.
int progress_read(const char *checkpoint_path, struct progress *out);

// ------------------------------------------------------------
// The session's record, and a copy of part of it as metadata of the file, which any MCAP reader shows.

#define SESSION_METADATA   "sagbend"           // name of the metadata record
#define RECOVERED_METADATA "sagbend recovered" // name of the record that 'sagbend log recover' adds
#define DERIVED_METADATA   "sagbend derived"   // name of the record that 'sagbend log scene' adds

// Appends the content of the metadata record to out.
enum status session_metadata_content(const Sagbend__V1__SessionRecord *record, struct bytes *out);

Sagbend__V1__RunMode session_record_mode(enum run_mode mode);

// The route in a record; route.count 0: none. STATUS_BAD_INPUT: its waypoints make no route.
enum status session_record_route(const Sagbend__V1__SessionRecord *record, struct track_def *out);

// ------------------------------------------------------------
// Named snapshots of the complete state, each a checkpoint file NAME.snapshot in one folder. The thread that
// steps copies its state into a ring; a writer thread writes the file. Names are checked by the caller
// (wire_snapshot_name_is_valid): letters, digits and ".-_" only.

enum { MAX_SNAPSHOTS = 64, SNAPSHOT_NAME = 24, SNAPSHOTS_KEPT = 8 }; // files in the folder

struct snapshot_done { // written, or not
  char name[SNAPSHOT_NAME];
  uint64_t step;
  int failed;
  struct reason why; // if it failed: the reason; otherwise the path
};

struct snapshots {
  char *folder; // NULL: there is none, and nothing below is used
  struct checkpoint_identity identity;
  size_t image_bytes;
  struct ring ring;
  struct os_thread thread;
  int has_thread;
  atomic_int stop;
  atomic_uint_fast64_t ordered, taken, finished; // snapshots: accepted, copied, written or failed
  pthread_mutex_t lock;                          // protects what follows
  struct snapshot_done done[SNAPSHOTS_KEPT];     // the newest, by number
  uint64_t written, failed;
};

// folder NULL: none, and every snapshot is refused. Release with snapshots_close in either case.
enum status snapshots_open(struct snapshots *snapshots, const char *folder,
                           const struct checkpoint_identity *identity, const struct sim *sim,
                           const struct sensor_suite *suite, struct reason *why);
void snapshots_close(struct snapshots *snapshots);
// Another session begins, which snapshots name from now on. All ordered ones must be finished.
void snapshots_set_session(struct snapshots *snapshots, const char *session);

// Main thread. Accept: checks that a snapshot of this name can be taken; STATUS_BAD_INPUT and the reason:
// there is one already, too many, or another one is being written. Then snapshots_take must follow.
enum status snapshots_accept(struct snapshots *snapshots, const char *name, struct reason *why);
// The thread that steps: copies the present state.
void snapshots_take(struct snapshots *snapshots, const char *name,
                    const struct closed_loop *loop) NONBLOCKING;

// Waits until those that were accepted are finished, at most wait_ns. Returns 0 if they are not.
int snapshots_settle(struct snapshots *snapshots, uint64_t wait_ns);
// Reads the file of a snapshot; the caller frees *bytes. why names it.
enum status snapshots_read(const struct snapshots *snapshots, const char *name, void **bytes, size_t *size,
                           struct reason *why);

// The finished snapshot of this number, from 0. Returns 0: it is not finished, or no longer kept.
int snapshots_done(struct snapshots *snapshots, uint64_t number, struct snapshot_done *out);
