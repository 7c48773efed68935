// Cost of thrusters, instruments, weather, events and verdicts: the step of a scenario with them, beside the
// step of the same vessel and pipe without them, alternating within one run; medians of blocks and their
// ratio. The step includes its output, as in every mode, and goes through libsagbend. The controller is not
// included: it would be the caller.

#include "sagbend/sagbend.h"

#include "times.h"

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

// thrusters=null: the initial initial holding force acts instead
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
  sagbend_case *c;
  sagbend_sim *sim;
  double us[BLOCKS]; // per step
  double iterations; // of the last steps of all blocks
};

static int set_up(struct runner *r, const struct variant *v) {
  sagbend_error error = {.size = sizeof error};
  const char *overrides[8];
  for (int i = 0; i < v->count; i++)
    overrides[i] = v->overrides[i];
  overrides[v->count] = SWELL; // every variant moves, so that Newton needs the same iterations in all
  if (sagbend_case_open(TEST_SOURCE_DIR "/configs/scenarios/sensors.yaml", overrides, (size_t)v->count + 1,
                        SAGBEND_CONTROLLER_CALLER, &r->c, &error) == SAGBEND_OK &&
      sagbend_open(r->c, &r->sim, &error) == SAGBEND_OK)
    return 1;
  fprintf(stderr, "%s:%d:%d: %s\n", error.file, (int)error.line, (int)error.column, error.text);
  return 0;
}

static double value_of(const sagbend_sim *s, const char *name) {
  const uint32_t id = sagbend_find(s, name);
  double value = 0;
  if (sagbend_get(s, &id, 1, &value) != SAGBEND_OK) {
    fprintf(stderr, "there is no variable %s\n", name);
    exit(1);
  }
  return value;
}

int main(void) {
  static struct runner runners[VARIANTS];
  for (int v = 0; v < VARIANTS; v++)
    if (!set_up(&runners[v], &variants[v]))
      return 2;
  for (int b = 0; b < BLOCKS; b++)
    for (int v = 0; v < VARIANTS; v++) {
      double begin = now_us();
      if (sagbend_step(runners[v].sim, BLOCK_STEPS, NULL) != SAGBEND_OK)
        return 1;
      runners[v].us[b] = (now_us() - begin) / BLOCK_STEPS;
      runners[v].iterations += value_of(runners[v].sim, "solver.newton_iterations");
    }
  printf("%zu nodes, %d blocks of %d steps; us a step, output included\n", sagbend_node_count(runners[0].sim),
         BLOCKS, BLOCK_STEPS);
  for (int v = 0; v < VARIANTS; v++)
    sort_times(runners[v].us, BLOCKS);
  for (int v = 0; v < VARIANTS; v++)
    printf("  %-18s median %7.2f  least %7.2f  %+6.1f %%  Newton %.2f\n", variants[v].name,
           runners[v].us[BLOCKS / 2], runners[v].us[0],
           100 * (runners[v].us[BLOCKS / 2] / runners[0].us[BLOCKS / 2] - 1), runners[v].iterations / BLOCKS);
  for (int v = 0; v < VARIANTS; v++) {
    sagbend_close(runners[v].sim);
    sagbend_case_close(runners[v].c);
  }
  return 0;
}
