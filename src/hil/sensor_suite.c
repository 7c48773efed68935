#include "hil/sensor_suite.h"

size_t sensor_suite_memsize(const struct sensor_suite_def *def, double step_s) {
  return instruments_memsize(&def->instruments, step_s);
}

void sensor_suite_create(struct sensor_suite *suite, const struct sensor_suite_def *def, double step_s,
                         const struct sim *sim, void *mem) {
  struct sim_output start;
  sim_get_output(sim, &start);
  instruments_create(&suite->instruments, &def->instruments, step_s, &start, mem);
  suite->state = mem;
  suite->state_bytes = sensor_suite_memsize(def, step_s);
}

void sensor_suite_measure(struct sensor_suite *suite, const struct sim *sim, const struct sim_output *truth,
                          const struct fault_set *faults, struct readings *readings) {
  instruments_measure(&suite->instruments, sim, truth, faults, readings);
}

void sensor_suite_get_readings(const struct sensor_suite *suite, struct readings *readings) {
  instruments_get_readings(&suite->instruments, readings);
}

int sensor_suite_stream(const struct sensor_suite_def *def, int i, struct sensor_suite_stream *out) {
  if (i >= def->instruments.count)
    return 0;
  *out = (struct sensor_suite_stream){def->instruments.instrument[i].name,
                                      instrument_seed(&def->instruments, i)};
  return 1;
}
