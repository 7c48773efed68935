// Private to the logger: logger.c opens and closes, logger_step.c is for the step thread, logger_thread.c is
// the writer thread.
#pragma once

#include "core/base/nonblocking.h"
#include "io/recording/logger.h"

#include "rt/byte_ring.h"

#include <stdatomic.h>

enum log_item_kind { ITEM_COMMAND, ITEM_HASH, ITEM_FRAME, ITEM_NODES, ITEM_EVENT, ITEM_ORDER };

// Head of an item in a ring; the content of its kind follows.
struct log_item {
  uint32_t kind;
  uint32_t topics; // of ITEM_FRAME: a bit for each topic that is due
  uint64_t step;
  double time_s;
  uint64_t bytes; // of ITEM_FRAME: leading bytes of the frame that follow; the rest of the frame is zero
};

struct log_event { // content of ITEM_EVENT
  char name[32];
  char text[160];
};

struct logger {
  struct byte_ring steps, events; // written by the step thread and by the main thread
  char *path;
  struct session_log *file; // used by the writer thread while it runs
  int node_count;
  double step_s;
  uint64_t first_step;
  uint64_t every[LOG_TOPIC_COUNT]; // steps between messages; 0: never
  uint64_t command_number;         // of the newest used command; step thread
  size_t last_bytes;               // that the last step wrote into the ring; step thread

  atomic_uint_fast64_t dropped[LOG_TOPIC_COUNT];
  atomic_uint_fast64_t missing_from; // 1 + the first step whose command is missing; 0: none is
  atomic_uint_fast64_t accepted, refused;
  atomic_int stalled, stop;

  struct os_thread thread;
  int finished;             // the writer thread does not run
  struct frame frame;       // the frame being packed, with its zeros
  uint64_t pending_command; // 1 + the step of the first used command in the open chunk; 0: none
  uint64_t chunk_ns;        // when the open chunk began
  uint64_t sync_ns;         // time of the last sync
  uint64_t retry_ns;        // time of the next attempt to write

  pthread_mutex_t lock; // protects what follows, shared by the writer thread and the main thread
  struct reason failure;
  struct mcap_written written;
  int incomplete;
};

void logger_run(void *context); // body of the writer thread
void logger_drop(struct logger *logger, enum log_topic topic, uint64_t messages) NONBLOCKING;
// The command of this step did not reach the log.
void logger_miss_command(struct logger *logger, uint64_t step) NONBLOCKING;
void logger_set_failure(struct logger *logger, const struct reason *why);
