// Private to the logger: logger.c opens and closes and deletes old parts, logger_step.c is for the step
// thread, logger_rotation.c is the writer thread and changes from part to part in it.
#pragma once

#include "log/log/log.h"

#include "net/fields/fields.h"
#include "net/messages/messages.h"
#include "os/process/process.h"
#include "sagbend/base/base.h"

#include <stdatomic.h>

enum log_item_kind {
  ITEM_COMMAND,
  ITEM_HASH,
  ITEM_FRAME,
  ITEM_NODES,
  ITEM_EVENT,
  ITEM_ORDER,
  ITEM_PART,
  ITEM_MESSAGE
};

// Head of an item in a ring; the content of its kind follows.
struct log_item {
  uint32_t kind;
  uint32_t topics;      // of ITEM_FRAME: a bit for each topic that is due; of ITEM_MESSAGE: its topic
  uint64_t begins_part; // nonzero: repeats the state at which a part begins, for that part only
  uint64_t step;
  double time_s;
  uint64_t bytes; // of ITEM_FRAME: leading bytes of the frame that follow; the rest of the frame is zero;
                  // of ITEM_MESSAGE and ITEM_NODES: their size
};

struct log_event { // content of ITEM_EVENT
  char name[32];
  char text[WIRE_MAX_TEXT + 1];
};

// Content of ITEM_PART: at this step the log continues in a new part. The image of a checkpoint follows.
struct log_handover {
  uint64_t dropped[LOG_TOPIC_COUNT]; // by the step thread so far
  uint64_t missing_from;             // of the old part, by the step thread; as in struct logger
  uint64_t command_number;
};

enum rotation_state {
  ROTATION_IDLE,
  ROTATION_WANTED, // the writer thread asks for a new part
  ROTATION_BEGUN,  // the step thread has handed the state over
};

struct log_folder_limits {
  uint64_t parts, bytes; // parts and bytes that the folder keeps; 0: all
};

// A log in parts.
struct rotation {
  size_t image_bytes; // of a checkpoint; 0: the log is one file, and the rest is not used
  const struct sim *sim;
  struct checkpoint_identity identity;
  uint64_t every_steps, last_step; // 0: never; 0: unknown
  uint64_t bytes;                  // size from which a new part begins; UINT64_MAX: none
  struct log_folder_limits keep;
  atomic_int keeps_all; // nonzero: no old part is deleted
  uint64_t kept_bytes;  // of the parts beside the open one; writer thread
  atomic_int state;     // enum rotation_state

  // Step thread.
  int due;
  int begins_part; // what it pushes now repeats the state for the new part
  uint64_t dropped[LOG_TOPIC_COUNT];
  uint64_t missing_from; // in this part

  // Writer thread.
  struct log_session session;
  double setpoint[3];
  struct log_secret_key key;
  unsigned char *file;        // the checkpoint file of the part's first state
  char *name_before;          // file name of the part before
  int failed;                 // the newest part could not begin: the part before it goes on
  uint64_t retry_ns;          // after that
  uint64_t part_missing_from; // of the open part
  uint64_t writer_dropped[LOG_TOPIC_COUNT];
  uint64_t dropped_before[LOG_TOPIC_COUNT]; // in the parts before
  struct mcap_written written_before;       // in the parts before
  struct closed_loop_state state_at_end;    // of a part
};

// What the writer thread and the main thread share.
struct logger_shared {
  pthread_mutex_t lock; // protects what follows
  struct reason failure;
  struct mcap_written written;
  int incomplete; // for the reason in broken
  struct reason broken;
  struct latency sensors_sent;
  struct wire_times times;
  unsigned part;
  uint64_t parts_failed, parts_deleted, deletions_failed;
  struct reason part_failure;
};

struct logger {
  struct byte_ring steps, events; // written by the step thread and by the main thread
  char *path;               // of the present part; the writer thread changes its number, under shared.lock
  char *shown_path;         // a copy for the main thread, as long
  struct session_log *file; // used by the writer thread while it runs
  int node_count;
  double step_s;
  uint64_t first_step;             // of the open part; step thread
  uint64_t every[LOG_TOPIC_COUNT]; // steps between messages; 0: never
  uint64_t command_number;         // of the newest used command; step thread
  size_t last_bytes;               // bytes that the last step wrote into the ring; step thread

  atomic_uint_fast64_t dropped[LOG_TOPIC_COUNT];
  atomic_uint_fast64_t main_drops[LOG_TOPIC_COUNT]; // of them: by the main thread
  atomic_uint_fast64_t missing_from;                // 1 + the first step whose command is missing; 0: none is
  atomic_uint_fast64_t stepped;                     // the step that logger_step completed last
  atomic_uint_fast64_t seen;                        // 1 + the step of logger_seen; 0: none
  struct rotation rotation;
  atomic_uint_fast64_t accepted, refused;
  atomic_int stalled, stop;

  struct os_thread thread;
  int finished;             // the writer thread does not run
  struct log_digest digest; // at the end of the closed file; main thread
  int is_signed;            // 1: the chain is signed
  struct frame frame;       // the frame being packed, with its zeros
  struct wire_times packed; // the times that go with it
  uint8_t *session_info;    // the newest LOG_SESSION_INFO, with which a new part begins
  size_t session_info_size; // 0: none yet
  uint64_t pending_command; // 1 + the step of the first used command in the open chunk; 0: none
  uint64_t chunk_ns;        // when the open chunk began
  uint64_t sync_ns;         // time of the last sync
  uint64_t retry_ns;        // time of the next attempt to write

  struct logger_shared shared;
};

void logger_run(void *context); // body of the writer thread
// What the log has taken may not be on the disk, and no later attempt changes that.
void logger_break(struct logger *logger, const struct reason *why);
// The command of this step did not reach the log. missing_from: of the part, the calling thread's.
void logger_miss_command(struct logger *logger, uint64_t step, uint64_t *missing_from) NONBLOCKING;
void logger_set_written(struct logger *logger, const struct mcap_written *in_part);

enum status rotation_open(struct logger *logger, const struct log_session *session,
                          const struct logger_rotation *asked, struct reason *why);
void rotation_close(struct logger *logger);
// The oldest parts beyond the limits, beside so many bytes of the present one.
void rotation_delete_old(struct logger *logger, uint64_t present_bytes);
void rotation_merge_missing(struct rotation *rotation, uint64_t missing_from);
void rotation_dropped_in_part(const struct logger *logger, const uint64_t in_step[LOG_TOPIC_COUNT],
                              uint64_t out[LOG_TOPIC_COUNT]);

struct log_folder_result {
  uint64_t deleted, failed; // parts; failed: they could not be deleted, for the reason in why
  uint64_t kept_bytes;      // of the parts beside the present one, those that failed not included
  struct reason why;
};

// Deletes the oldest parts in the folder of path beyond the limits, never the one at path, whose size is
// present_bytes.
struct log_folder_result log_folder_delete_old(const char *path, const struct log_folder_limits *keep,
                                               uint64_t present_bytes);

// ------------------------------------------------------------
// The chain of a log (log/log/log.h) while it is written: one link for the records since the link before
// it. Records that never reached the file are taken back. One thread at a time owns it.

struct session_chain {
  struct log_chain now;    // including the open chunk
  struct log_chain saved;  // of what is in the file
  struct log_chain before; // before the open link
  struct bytes links;      // of the open link
  struct log_digest channels[LOG_TOPIC_COUNT];
  uint64_t last_ns; // largest log time
  int has_key;
  struct log_secret_key key;
  struct log_public_key public_key;
  const char *session;
};

// key NULL: the links are not signed. session is borrowed.
void session_chain_open(struct session_chain *chain, const char *session, const struct log_secret_key *key);
void session_chain_close(struct session_chain *chain);

// Reserves memory for one more record, or returns STATUS_NO_MEMORY; then adding the record cannot fail.
enum status session_chain_reserve(struct session_chain *chain);
void session_chain_record(struct session_chain *chain, uint8_t kind, const struct bytes *content);
void session_chain_message(struct session_chain *chain, enum log_topic topic,
                           const struct log_chain_times *times, const void *data, size_t size);

int session_chain_is_open(const struct session_chain *chain); // there are records without a link
// Appends the packed ChainLink of the open link to out. Call session_chain_ended once it is in the chunk.
enum status session_chain_pack(const struct session_chain *chain, struct bytes *out);
void session_chain_ended(struct session_chain *chain, const struct log_chain_times *times,
                         const struct bytes *link);

void session_chain_saved(struct session_chain *chain);     // the open chunk is in the file now
void session_chain_discarded(struct session_chain *chain); // it will never be

// ------------------------------------------------------------
// Private to the session log: session_log.c is the file and the messages of the steps, session_record.c the
// first message.

struct session_log {
  struct mcap_writer *file;
  uint16_t channels[LOG_TOPIC_COUNT];
  uint64_t counts[LOG_TOPIC_COUNT]; // messages added
  struct session_chain chain;
  char session[WIRE_NAME];
  int node_count;
  double *scratch; // for wire_pack_nodes
  uint8_t *bytes;  // one packed message
  size_t capacity;
};

// Packs the content of the session's metadata, and its record. STATUS_NO_MEMORY: for the metadata; without
// memory for the record packed->failed is set.
enum status session_record_pack(const struct log_session *session, struct bytes *metadata,
                                struct bytes *packed);
