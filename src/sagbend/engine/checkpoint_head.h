// Private to the room: the first bytes of a checkpoint file.
#pragma once

#include "sagbend/engine/engine.h"

enum { CHECKPOINT_FORMAT = 19 };
static const char CHECKPOINT_MAGIC[8] = {'S', 'A', 'G', 'B', 'C', 'K', 'P', 'T'};

struct checkpoint_head {
  char magic[8];
  uint64_t format;
  uint64_t bytes; // of the whole file
  uint64_t state_bytes, snapshot_bytes, sensor_suite_bytes;
  uint64_t step, state_hash;
  struct checkpoint_identity identity;
};
