// Inside of replay_verify. verify.c: drives the comparison, rules for every message;
// verify_compare.c: computes and compares states and telemetry, the session's record, events;
// verify_report.c: the report.
#pragma once

#include "run/replay/replay.h"
#include "sagbend/engine/engine.h"

// Messages of one topic, so far.
struct topic_count {
  uint64_t every;    // steps between messages; 0: the topic has no period
  uint64_t next_due; // step
  uint64_t sequence; // of the newest message
  uint64_t last_step;
  uint64_t missing, missing_at; // messages that were due, and the first such step
};

struct event_list {
  struct run_event *event;
  size_t count, capacity;
  int failed; // nonzero: out of memory, some events are not in the list
};

struct verify {
  struct replay *replay;
  size_t next_command, next_order;
  uint64_t compared[LOG_TOPIC_COUNT]; // messages
  struct topic_count topics[LOG_TOPIC_COUNT];
  struct event_finder finder;         // finds the events of the replay
  struct event_list logged, computed; // events that follow from the steps: of the log, of the replay
  uint64_t frames_dropped;            // frames that did not reach the log's events, as the log reports
  struct difference first, telemetry; // first difference; first in a field of telemetry
  uint64_t agrees_again_at_step;      // first equal state hash after a difference; 0: none
  struct difference undeclared;       // the first field that the schema of the log lacks: not compared
  uint64_t undeclared_count;
  int is_hashed_otherwise;        // nonzero: the log is of a build that hashes states otherwise
  int ended;                      // nonzero: the rest of the log is not compared
  const char *not_signed_because; // why the log is not signed by the key of --key; NULL: it is, or no --key
  struct sim_node *nodes;
  double *node_scratch;
  uint8_t *bytes; // room for a packed message
  size_t capacity;
  uint64_t start_ns, shown_ns;
};

static inline uint64_t verify_step(const struct verify *verify) {
  return verify->replay->engine.loop.frame.output.step;
}

// Applies the orders of this step.
void verify_apply_orders(struct verify *verify);
// Digest of the complete present state, except what a replay cannot compute: the state of a controller inside
// the program and verdicts on the clock. STATUS_NO_MEMORY is the only failure.
enum status verify_state_digest(const struct verify *verify, struct log_digest *out);
// Fills the captures of this step.
void verify_capture(const struct verify *verify);

// Computes up to this step. topic: of the message that needs it. Sets ended if that is not possible.
void verify_advance(struct verify *verify, uint64_t step, enum log_topic topic);

// Compare with the computed state.
void verify_compare_hash(struct verify *verify, uint64_t step, uint64_t logged, const char *field,
                         enum log_topic topic);
void verify_compare_telemetry(struct verify *verify, const struct mcap_message *m,
                              const ProtobufCMessage *logged, const Sagbend__V1__Header *header);

// Fills d, unless it already contains a difference.
void verify_record_difference(struct difference *d, uint64_t step, enum log_topic topic, const char *field,
                              const char *logged, const char *replayed);

// Compares the record and the metadata with what follows from the configuration.
void verify_record(struct verify *verify);

// Events that follow from the steps. Step: after each step, and once before the first. End: after the last
// step of a log that contains its end. Compare: the two lists, up to the step computed last.
void verify_events_start(struct verify *verify);
void verify_events_end(struct verify *verify);
void verify_events_logged(struct verify *verify, const Sagbend__V1__Event *event);
enum status verify_events_compare(struct verify *verify, struct reason *why); // STATUS_NO_MEMORY
void verify_events_free(struct verify *verify);

enum replay_result verify_result(const struct verify *verify);

// Report on stdout.
void verify_report_table(const struct verify *verify, double wall_s);
enum status verify_report_json(const struct verify *verify, double wall_s, struct reason *why);
struct cJSON *verify_report_object(const struct verify *verify, double wall_s); // the caller deletes it
