// The insides of a verification: replay_verify.c (computes and compares), replay_rules.c (what holds for
// every message), replay_record.c (what the record says of the session), replay_events.c (events),
// replay_report.c (what is told).
#pragma once

#include "hil/closed_loop.h"
#include "replay/replay.h"
#include "session/event_watch.h"

struct topic_count { // of a topic, so far
  uint64_t every;    // steps between messages; 0: not one for each so many steps
  uint64_t next_due; // step
  uint64_t sequence; // of the last one
  uint64_t last_step;
  uint64_t missing, missing_at; // messages that were due, and the first such step
};

struct event_list {
  struct run_event *event;
  size_t count, capacity;
  int failed; // no memory: not all of them
};

struct verify {
  struct replay *r;
  struct closed_loop closed_loop;
  size_t next_command, next_order;
  uint64_t compared[LOG_TOPIC_COUNT];
  struct topic_count topics[LOG_TOPIC_COUNT];
  struct event_watch watch;               // computes events from the frames
  struct event_list told, computed; // events that follow from the steps: of the log, of the replay
  uint64_t frames_dropped;          // events in the log that say so
  struct difference first, telemetry;
  uint64_t agrees_again_at_step; // 0: it does not
  int over;
  const char *not_by; // why the log is not signed by the key asked for; NULL: it is, or none was asked for
  struct sim_node *nodes;
  double *node_scratch;
  uint8_t *bytes;
  size_t capacity;
  uint64_t start_ns, shown_ns;
};

static inline uint64_t replay_step_now(const struct verify *v) {
  return v->closed_loop.frame.output.step;
}

// Rules. The header may be NULL where the topic has none.
void replay_rules_start(struct verify *v);
void replay_rules_message(struct verify *v, const struct mcap_message *m, enum log_topic topic, uint64_t step,
                          const Sagbend__V1__Header *header);
void replay_rules_end(struct verify *v); // what is missing, and what the log's end says of it

// What the record and the metadata say against what follows from the configuration.
void replay_check_record(struct verify *v);

// Events that follow from the steps.
void replay_events_start(struct verify *v);
void replay_events_step(struct verify *v); // after each step, and once before the first
void replay_events_end(struct verify *v);  // after the last step of a log that has its end
void replay_events_logged(struct verify *v, const Sagbend__V1__Event *event);
void replay_events_compare(struct verify *v); // up to the step computed last
void replay_events_free(struct verify *v);

enum replay_result { REPLAY_EQUAL, REPLAY_DIFFERENT, REPLAY_INCOMPLETE };
enum replay_result replay_result(const struct verify *v);

// On stdout.
void replay_report_table(const struct verify *v, double wall_s);
void replay_report_json(const struct verify *v, double wall_s);
