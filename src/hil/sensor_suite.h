// What stands between the simulated vessel and its controller, as one: its state is one block of plain bytes,
// to be saved in checkpoints and restored.
#pragma once

#include "core/base/nonblocking.h"
#include "hil/instruments.h"

struct sensor_suite_def {
  struct instruments_def instruments;
};

struct sensor_suite {
  struct instruments instruments;
  void *state;
  size_t state_bytes;
};

size_t sensor_suite_memsize(const struct sensor_suite_def *def, double step_s);
// Sets up the rig in mem (8-byte aligned) beside a simulator at its start. def must stay.
void sensor_suite_create(struct sensor_suite *suite, const struct sensor_suite_def *def, double step_s,
                         const struct sim *sim, void *mem);

// After a step, and once before the first: what the controllers get to know. faults: the active ones; NULL:
// none.
void sensor_suite_measure(struct sensor_suite *suite, const struct sim *sim, const struct sim_output *truth,
                          const struct fault_set *faults, struct readings *readings) NONBLOCKING;
// Whether bytes from a file (8-byte aligned, rig->state_bytes) are a state that this rig can have at this
// step (core/base/valid.h).
int sensor_suite_is_valid(const struct sensor_suite *suite, const void *state, uint64_t step,
                          struct reason *why);

// The newest readings as the state has them, after it has been restored.
void sensor_suite_get_readings(const struct sensor_suite *suite, struct readings *readings);

// A random stream of the rig, for the session's record.
struct sensor_suite_stream {
  const char *name;
  uint64_t seed;
};
// The i-th; 0: there are no more.
int sensor_suite_stream(const struct sensor_suite_def *def, int i, struct sensor_suite_stream *out);
