// Cost of thrusters, instruments, weather, events and verdicts: the step of a scenario with them, beside the
// step of the same vessel and pipe without them, alternating within one run; medians of blocks and their
// ratio. The step includes its output, as in every mode. The controller is not included, because it runs in
// another process.
#include "times.h"

#include "hil/closed_loop.h"
#include "setup/setup.h"

#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 40, BLOCK_STEPS = 500, VARIANTS = 6 };

static const char SWELL[] = "loads=[{frame: body, wrench: [1e6, 0, 3e6, 0, 5e7, 0], start_s: 1, ramp_s: 5, "
                            "variation: 1, period_s: 8}]";

struct variant {
  const char *name;
  int count;
  const char *overrides[7];
};

// thrusters=null: the initial hold wrench acts instead
static const struct variant variants[VARIANTS] = {
    {"vessel and pipe",
     6,
     {"vessel.thrusters=null", "vessel.power=null", "instruments=null", "environment.wind=null",
      "environment.waves=null", "events=null"}},
    {"and thrusters",
     4,
     {"instruments=null", "environment.wind=null", "environment.waves=null", "events=null"}},
    {"and instruments",
     6,
     {"vessel.thrusters=null", "vessel.power=null", "environment.wind=null", "environment.waves=null",
      "events=null", "verdicts=null"}},
    {"and weather", 4, {"vessel.thrusters=null", "vessel.power=null", "instruments=null", "events=null"}},
    {"all of it", 1, {"events=null"}},
    {"and its events", 0, {NULL}},
};

struct runner {
  struct setup setup;
  struct plant plant;
  struct closed_loop closed_loop;
  double us[BLOCKS]; // per step
};

static int set_up(struct runner *r, const struct variant *v) {
  struct case_options options = {.config_path = TEST_SOURCE_DIR "/configs/scenarios/sensors.yaml",
                                 .override_count = v->count};
  for (int i = 0; i < v->count; i++)
    options.overrides[i] = (char *)v->overrides[i];
  options.overrides[options.override_count++] =
      (char *)SWELL; // every variant moves, so that Newton needs the same iterations in all
  if (setup_load(&r->setup, &options, stderr) != STATUS_OK ||
      plant_create(&r->plant, &r->setup, NULL) != STATUS_OK)
    return 0;
  struct command_def def = setup_command_def(&r->setup, r->plant.sim);
  closed_loop_init(&r->closed_loop, r->plant.sim, &r->plant.suite, &def, NULL, &r->setup.config.scenario,
                   NULL);
  return 1;
}

int main(void) {
  static struct runner runners[VARIANTS];
  for (int v = 0; v < VARIANTS; v++)
    if (!set_up(&runners[v], &variants[v]))
      return 2;
  for (int b = 0; b < BLOCKS; b++)
    for (int v = 0; v < VARIANTS; v++) {
      double begin = now_us();
      for (int i = 0; i < BLOCK_STEPS; i++)
        closed_loop_step(&runners[v].closed_loop, NULL);
      runners[v].us[b] = (now_us() - begin) / BLOCK_STEPS;
    }
  printf("%d elements, %d blocks of %d steps; us a step, output included\n",
         runners[0].setup.config.sim.pipe.elements, BLOCKS, BLOCK_STEPS);
  for (int v = 0; v < VARIANTS; v++)
    sort_times(runners[v].us, BLOCKS);
  for (int v = 0; v < VARIANTS; v++)
    printf("  %-18s median %7.2f  least %7.2f  %+6.1f %%  Newton %.2f\n", variants[v].name,
           runners[v].us[BLOCKS / 2], runners[v].us[0],
           100 * (runners[v].us[BLOCKS / 2] / runners[0].us[BLOCKS / 2] - 1),
           runners[v].closed_loop.frame.output.newton_mean);
  return 0;
}
