// Cost of a full suite of instruments in a step: mean and percentiles, beside the steps of the simulator.

#include "net/case/case.h"

#include "times.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 20000 };

static void print_row(const char *name, double *us) {
  double sum = 0;
  for (int i = 0; i < STEPS; i++)
    sum += us[i];
  sort_times(us, STEPS);
  printf("  %-14s %9.2f %9.2f %9.2f %9.2f %9.2f\n", name, sum / STEPS, us[STEPS / 2], us[STEPS / 100 * 99],
         us[STEPS / 1000 * 999], us[STEPS - 1]);
}

int main(void) {
  static struct config c;
  static double instruments_us[STEPS], step_us[STEPS], clock_us[STEPS];
  struct reason why;
  if (config_load(TEST_SOURCE_DIR "/tests/program/instruments.yaml", NULL, 0, &c, stderr) > 0)
    return 2;
  size_t size;
  if (sim_memsize(&c.sim, &size, &why) != STATUS_OK)
    return 1;
  struct sim *sim;
  void *mem = aligned_alloc(64, (size + 63) / 64 * 64),
       *sensor_suite_mem = malloc(sensor_suite_memsize(&c.suite, c.sim.step_s));
  if (!mem || !sensor_suite_mem || sim_create(&c.sim, mem, size, &sim, &why) != STATUS_OK)
    return 1;
  struct sensor_suite suite;
  static struct readings readings;
  static const struct fault_set none;
  struct sim_output out;
  sensor_suite_create(&suite, &c.suite, c.sim.step_s, sim, sensor_suite_mem);
  sensor_suite_get_readings(&suite, &readings);
  for (int i = 0; i < STEPS; i++) {
    uint64_t begin_ns = now_ns();
    sim_step(sim, NULL);
    uint64_t stepped_ns = now_ns();
    sim_get_output(sim, &out);
    uint64_t before_ns = now_ns();
    sensor_suite_measure(&suite, sim, &out, &none, &readings);
    uint64_t after_ns = now_ns();
    step_us[i] = 1e-3 * (double)(stepped_ns - begin_ns);
    instruments_us[i] = 1e-3 * (double)(after_ns - before_ns);
    clock_us[i] = 1e-3 * (double)(now_ns() - after_ns);
  }
  printf("%d instruments, %zu bytes of state, %d steps; us\n  %-14s %9s %9s %9s %9s %9s\n",
         readings.instrument_count, suite.state_bytes, STEPS, "", "mean", "p50", "p99", "p99.9", "max");
  print_row("instruments", instruments_us);
  print_row("step", step_us);
  print_row("the clock", clock_us);
  free(sensor_suite_mem);
  free(mem);
  config_free(&c);
  return 0;
}
