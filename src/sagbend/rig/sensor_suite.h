// The sensor suite: all instruments of the vessel. Its state is one block of plain bytes, which checkpoints
// save and restore.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/rig/instruments.h"

struct sensor_suite_def {
  struct instruments_def instruments;
};

struct sensor_suite {
  struct instruments instruments;
  void *state;
  size_t state_bytes;
};

size_t sensor_suite_memsize(const struct sensor_suite_def *def, double step_s);
// Creates the suite in mem (8-byte aligned), beside a simulator at its first step. def must outlive the
// suite.
void sensor_suite_create(struct sensor_suite *suite, const struct sensor_suite_def *def, double step_s,
                         const struct sim *sim, void *mem);

// Measures the state and writes the readings that are due. Called after each step, and once before the first.
// faults: the active faults; NULL: none.
void sensor_suite_measure(struct sensor_suite *suite, const struct sim *sim, const struct sim_output *truth,
                          const struct fault_set *faults, struct readings *readings) NONBLOCKING;
// True if bytes from a file (8-byte aligned, suite->state_bytes) are a possible state of this suite at this
// step (sagbend/base/base.h).
int sensor_suite_is_valid(const struct sensor_suite *suite, const void *state, uint64_t step,
                          struct reason *why);

// Writes the newest readings in the state, after it has been restored.
void sensor_suite_get_readings(const struct sensor_suite *suite, struct readings *readings);

// A random stream of the suite, for the session's record.
struct sensor_suite_stream {
  const char *name;
  uint64_t seed;
};
// The i-th stream; 0: there is none.
int sensor_suite_stream(const struct sensor_suite_def *def, int i, struct sensor_suite_stream *out);
