#include "rig/rig.h"

size_t rig_memsize(const struct rig_def *def, double step_s) {
  return instruments_memsize(&def->instruments, step_s);
}

void rig_create(struct rig *rig, const struct rig_def *def, double step_s, const struct sim *sim, void *mem) {
  struct sim_output start;
  sim_get_output(sim, &start);
  instruments_create(&rig->instruments, &def->instruments, step_s, &start, mem);
  rig->state = mem;
  rig->state_bytes = rig_memsize(def, step_s);
}

void rig_measure(struct rig *rig, const struct sim *sim, const struct sim_output *truth,
                 const struct fault_set *faults, struct readings *readings) {
  instruments_step(&rig->instruments, sim, truth, faults, readings);
}

void rig_read(const struct rig *rig, struct readings *readings) {
  instruments_read(&rig->instruments, readings);
}

int rig_stream(const struct rig_def *def, int i, struct rig_stream *out) {
  if (i >= def->instruments.count)
    return 0;
  *out = (struct rig_stream){def->instruments.instrument[i].name, instrument_seed(&def->instruments, i)};
  return 1;
}
