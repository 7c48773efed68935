// The insides of a logger, shared by logger.c (what the other threads call) and logger_thread.c.
#pragma once

#include "core/base/nonblocking.h"
#include "io/recording/logger.h"

#include "rt/byte_ring.h"

#include <stdatomic.h>

enum log_item_kind { ITEM_COMMAND, ITEM_HASH, ITEM_FRAME, ITEM_NODES, ITEM_EVENT, ITEM_ORDER };

// Head of an item in a ring; what belongs to its kind follows.
struct log_item {
  uint32_t kind;
  uint32_t topics; // ITEM_FRAME: bits of the topics that want it
  uint64_t step;
  double time_s;
  uint64_t bytes; // ITEM_FRAME: of the frame's beginning that follows, aligned to 16 bytes; the rest is zero
};

struct log_event { // ITEM_EVENT
  char name[32];
  char text[160];
};

struct logger {
  struct byte_ring steps, events; // producers: the thread that steps, the main thread
  char *path;
  struct session_log *file; // the logger's thread's
  int node_count;
  double step_s;
  uint64_t first_step;
  uint64_t every[LOG_TOPIC_COUNT]; // steps; 0: off
  uint64_t command_number;         // the stepping thread's
  size_t last_bytes;               // that the last step put into the ring

  atomic_uint_fast64_t dropped[LOG_TOPIC_COUNT];
  atomic_uint_fast64_t missing_from; // 1 + the least step whose command is missing; 0: none is
  atomic_uint_fast64_t accepted, refused;
  atomic_int stalled, stop;

  struct os_thread thread;
  int finished;             // the thread has ended
  struct frame frame;       // the one being written, whole again
  uint64_t pending_command; // 1 + the step of the first used command in the open chunk; 0: none there
  uint64_t chunk_ns, sync_ns, retry_ns; // clock: when the open chunk began, of the last sync, of the next try

  pthread_mutex_t lock; // of what follows: the logger's thread's and the main thread's
  struct reason trouble;
  struct mcap_written written;
  int incomplete;
};

void logger_run(void *logger); // body of the thread
void logger_miss_command(struct logger *l, uint64_t step) NONBLOCKING;
void logger_trouble(struct logger *l, const struct reason *why);
