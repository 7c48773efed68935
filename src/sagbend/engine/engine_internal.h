// Private to the room: the first bytes of a checkpoint file.
#pragma once

#include "sagbend/engine/engine.h"

#include "sagbend/base/base.h"
#include "sagbend/case/case.h"
#include "sagbend/yaml/yaml.h"

enum { CHECKPOINT_FORMAT = 21 };
static const char CHECKPOINT_MAGIC[8] = {'S', 'A', 'G', 'B', 'C', 'K', 'P', 'T'};

struct checkpoint_head {
  char magic[8];
  uint64_t format;
  uint64_t bytes; // of the whole file
  uint64_t state_bytes, snapshot_bytes, sensor_suite_bytes;
  uint64_t step, state_hash;
  uint64_t start_utc_ns; // of the session that wrote it
  struct checkpoint_identity identity;
};
