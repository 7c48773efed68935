// Private to the room: the first bytes of a checkpoint file.
#pragma once

#include "sagbend/engine/engine.h"

#include "sagbend/base/base.h"
#include "sagbend/case/case.h"
#include "sagbend/yaml/yaml.h"

enum { CHECKPOINT_FORMAT = 20 };
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

// ------------------------------------------------------------
// Checks a route of a DP file against what only the simulator's configuration knows.

// Passes on an error, with its place in the DP file, for each corner that the lateral friction of the seabed
// cannot hold (radius of the laid curve at least ROUTE_FACTOR H/(mu w)), for a speed beyond the tensioner's,
// and for a set-point that the tensioner does not accept. horizontal_n: the largest horizontal tension H of
// the pipe, N; 0: unknown, and no corner is checked. Returns STATUS_BAD_INPUT after any error.
enum status route_check(const struct config *config, const struct dp_config *dp, double horizontal_n,
                        const struct error_sink *errors);

// Largest horizontal tension that statics and orders for the tensioner give, N; 0: it follows from the
// equilibrium only.
double route_horizontal_tension(const struct config *config, const struct dp_config *dp);
