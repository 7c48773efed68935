// What stands between the simulated vessel and its controller, as one: its state is one block of plain bytes,
// to be saved in checkpoints and restored.
#pragma once

#include "rig/instruments.h"

struct rig_def {
  struct instruments_def instruments;
};

struct rig {
  struct instruments instruments;
  void *state;
  size_t state_bytes;
};

size_t rig_memsize(const struct rig_def *def, double step_s);
// Sets up the rig in mem (8-byte aligned) beside a simulator at its start. def must stay.
void rig_create(struct rig *rig, const struct rig_def *def, double step_s, const struct sim *sim, void *mem);

// After a step, and once before the first: what the controllers get to know. faults: the active ones; NULL:
// none.
void rig_measure(struct rig *rig, const struct sim *sim, const struct sim_output *truth,
                 const struct fault_set *faults, struct readings *readings);
// Whether bytes from a file (8-byte aligned, rig->state_bytes) are a state that this rig can have at this
// step (base/valid.h).
int rig_state_is_valid(const struct rig *rig, const void *state, uint64_t step, struct reason *why);

// The newest readings as the state has them, after it has been restored.
void rig_read(const struct rig *rig, struct readings *readings);

// A random stream of the rig, for the session's record.
struct rig_stream {
  const char *name;
  uint64_t seed;
};
// The i-th; 0: there are no more.
int rig_stream(const struct rig_def *def, int i, struct rig_stream *out);
