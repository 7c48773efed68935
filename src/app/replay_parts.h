// The insides of a verification, shared by replay_verify.c (the comparison) and replay_report.c (what it
// tells).
#pragma once

#include "replay.h"
#include "stepper.h"

struct difference {
  int found;
  uint64_t step;
  enum log_topic topic;
  char field[256], logged[256], replayed[256];
};

struct verify {
  struct replay *r;
  struct stepper stepper;
  size_t next_command, next_order;
  uint64_t compared[LOG_TOPIC_COUNT];
  uint64_t late; // messages of steps gone by: not compared
  struct difference first, telemetry;
  uint64_t agrees_again_at_step; // 0: it does not
  int over;
  struct sim_node *nodes;
  double *node_scratch;
  uint8_t *bytes;
  size_t capacity;
  uint64_t start_ns, shown_ns;
};

static inline uint64_t replay_step_now(const struct verify *v) {
  return v->stepper.frame.output.step;
}

// On stdout.
void replay_report_table(const struct verify *v, double wall_s);
void replay_report_json(const struct verify *v, double wall_s);
