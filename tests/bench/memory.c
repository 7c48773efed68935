// Cost of the memory of the radiation, in one run: a step of the 83 m vessel with its pipe in wind and waves,
// and one of the same vessel whose oscillators are left out. The simulators take turns, so that they meet the
// same machine.
#include "net/case/case.h"
#include "times.h"

#include "scenes.h"

enum { BATCH = 50, STEPS = 6000 };

int main(void) {
  static double with[STEPS], without[STEPS];
  struct config c; // kept: the definition refers to the tables of its hydro file
  if (config_load(TEST_SOURCE_DIR "/configs/osv-83m-weather.yaml", NULL, 0, &c, stderr) > 0)
    return 2;
  struct sim_def whole = c.sim, bare = c.sim;
  memset(&bare.vessel.radiation, 0, sizeof bare.vessel.radiation);
  struct sim *a = shipped_create(&whole), *b = shipped_create(&bare);
  uint64_t one = a->run.newton_total, other = b->run.newton_total;
  for (int first = 0; first < STEPS; first += BATCH)
    time_steps(a, with + first, BATCH), time_steps(b, without + first, BATCH);
  double x = median(with, STEPS), y = median(without, STEPS);
  printf("%d oscillators: %.2f us a step and %.2f iterations; without %.2f us, %.2f; ratio %.4f\n",
         whole.vessel.radiation.count, x, (double)(a->run.newton_total - one) / STEPS, y,
         (double)(b->run.newton_total - other) / STEPS, x / y);
  shipped_free(a), shipped_free(b);
  config_free(&c);
  return 0;
}
