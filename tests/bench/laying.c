// Cost of a step of a lay beside a pipe of constant length, in one run: pay-out on a heaving vessel, in
// several depths and with several pipes, at steps of 10 to 100 ms, with and without laid pipe that retires;
// and the step at the beginning and at the end of a lay of 1000 m. The simulators of a comparison take turns,
// so that they meet the same machine.

#include "sagbend/lay/lay.h"

#include "scenes.h"
#include "times.h"

enum { BATCH = 10, MOST_STEPS = 6400, MOST_ITERATIONS = 20 };

// Scenes of which the statics have a solution: the 30-inch pipe of the configuration, and others.
struct scene {
  const char *name;
  int count;
  const char *sets[10];
};
static const struct scene SCENES[] = {
    {"30 inch, 900 m", 0, {NULL}},
    {"30 inch, 900 m, clamped, elements of 5 m",
     2,
     {"pipe.hangoff={kind: clamped, angle_deg: auto}", "pipe.elements=300"}},
    {"30 inch, 300 m",
     4,
     {"environment.depth_m=300", "pipe.length_m=900", "pipe.elements=60",
      "statics.horizontal_force_n=400e3"}},
    {"12 inch, 2000 m",
     10,
     {"environment.depth_m=2000", "pipe.length_m=2700", "pipe.elements=225", "pipe.outer_diameter_m=0.3239",
      "pipe.mass_kgpm=143.6", "pipe.inertia_kgm=[2.6,1.3,1.3]", "pipe.axial_stiffness_n=3.79e9",
      "pipe.shear_stiffness_n=2.2e9", "pipe.torsion_stiffness_nm2=3.5e7",
      "pipe.bending_stiffness_nm2=4.55e7"}},
};
enum { SCENE_COUNT = sizeof SCENES / sizeof *SCENES };

static struct sim_def lay_def(const struct scene *scene, double step_s, double length_m, double anchor_m) {
  const char *sets[12] = {"environment.seabed_friction_axial=0.5", "environment.seabed_friction_lateral=0.7"};
  for (int i = 0; i < scene->count; i++)
    sets[2 + i] = scene->sets[i];
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m-payout", 2 + scene->count, sets);
  def.step_s = step_s;
  def.pipe.payout =
      (struct payout_def){.row_count = 1,
                          .row = {{.start_s = 5, .length_m = length_m, .speed_mps = 0.5, .ramp_s = 5}},
                          .elements_max = def.pipe.elements + 60};
  def.pipe.retire = (struct retire_def){.anchor_m = anchor_m, .stored_max = 400};
  return def;
}

// Heave by some 0.6 m, so that the pipe of constant length does not rest either.
static void add_heave(struct sim_def *def) {
  const double heave_n = 1.2e6;
  def->env.load_count = 2;
  def->env.loads[0] = (struct load_def){
      LOAD_WORLD, {0, 0, heave_n, 0, 0, 0}, {.start_s = 0.1, .ramp_s = 10, .variation = 1, .period_s = 10}};
  def->env.loads[1] =
      (struct load_def){LOAD_WORLD, {0, 0, -heave_n, 0, 0, 0}, {.start_s = 0.1, .ramp_s = 10}};
}

// A simulator and what its steps cost.
struct timed {
  struct sim *sim;
  double us[MOST_STEPS];
  int iterations[MOST_STEPS];
  uint64_t newton;
  double elements; // sum over the steps
};

static void step_timed(struct timed *t, int first, int count) {
  for (int k = first; k < first + count; k++) {
    const uint64_t before = t->sim->run.newton_total, start = now_ns();
    sim_step(t->sim, NULL);
    t->us[k] = 1e-3 * (double)(now_ns() - start);
    const uint64_t iterations = t->sim->run.newton_total - before;
    t->iterations[k] = iterations < MOST_ITERATIONS ? (int)iterations : MOST_ITERATIONS;
    t->elements += t->sim->state.mesh.pipe.elements;
  }
}

// Mean of the steps, each counted as the median of those with as many iterations: other programs on the
// machine have no part in it.
static double mean_us(const struct timed *t, int count) {
  static double same[MOST_STEPS];
  double sum = 0;
  for (int iterations = 0; iterations <= MOST_ITERATIONS; iterations++) {
    int n = 0;
    for (int k = 0; k < count; k++)
      if (t->iterations[k] == iterations)
        same[n++] = t->us[k];
    sort_times(same, n);
    sum += n > 0 ? n * same[n / 2] : 0;
  }
  return sum / count;
}

static void run_to(struct sim *s, double time_s) {
  while (sim_time_s(s) < time_s - 1e-6)
    sim_step(s, NULL);
}

// Steps of two splits.
static void compare(const struct scene *scene, double step_s, double anchor_m) {
  static struct timed with, without;
  struct sim_def moving = lay_def(scene, step_s, 1000, anchor_m);
  add_heave(&moving);
  struct sim_def constant = moving;
  constant.pipe.payout.row_count = 0;
  constant.pipe.retire = (struct retire_def){.anchor_m = 0};
  with = (struct timed){.sim = shipped_create(&moving)},
  without = (struct timed){.sim = shipped_create(&constant)};
  const double element_m = moving.pipe.length_m / moving.pipe.elements;
  const int steps = (int)(2 * element_m / 0.5 / step_s) / BATCH * BATCH;
  run_to(with.sim, 45), run_to(without.sim, 45);
  with.newton = with.sim->run.newton_total, without.newton = without.sim->run.newton_total;
  for (int first = 0; first < steps; first += BATCH)
    step_timed(&with, first, BATCH), step_timed(&without, first, BATCH);
  const double x = mean_us(&with, steps), y = mean_us(&without, steps);
  printf("%-42s %4.0f ms  %6.1f us %4.2f iterations %5.1f elements   %6.1f us %4.2f %5.1f   ratio %.3f, of "
         "an element %.3f\n",
         scene->name, 1e3 * step_s, x, (double)(with.sim->run.newton_total - with.newton) / steps,
         with.elements / steps, y, (double)(without.sim->run.newton_total - without.newton) / steps,
         without.elements / steps, x / y, x / with.elements / (y / without.elements));
  shipped_free(with.sim), shipped_free(without.sim);
}

// The first simulator has laid 60 m, the second 960 m, as they take turns.
static void retire(void) {
  enum { STEPS = 1600 };
  static struct timed early, late;
  struct sim_def def = lay_def(&SCENES[0], 0.05, 1100, 350);
  early = (struct timed){.sim = shipped_create(&def)}, late = (struct timed){.sim = shipped_create(&def)};
  run_to(early.sim, 200), run_to(late.sim, 2000);
  for (int first = 0; first < STEPS; first += BATCH)
    step_timed(&early, first, BATCH), step_timed(&late, first, BATCH);
  const double x = mean_us(&early, STEPS), y = mean_us(&late, STEPS);
  const struct sim *a = early.sim, *b = late.sim;
  printf(
      "retiring: %.1f us a step after %.0f m, %d elements and %d retired; %.1f us after %.0f m, %d and %d; "
      "ratio %.3f\n",
      x, a->state.payout.paid_m, a->state.mesh.pipe.elements, a->state.mesh.pipe.first, y,
      b->state.payout.paid_m, b->state.mesh.pipe.elements, b->state.mesh.pipe.first, y / x);
  shipped_free(early.sim), shipped_free(late.sim);
}

int main(void) {
  static const double steps_s[] = {0.01, 0.02, 0.05, 0.1};
  printf("pay-out at 0.5 m/s, the vessel heaves by 0.6 m; beside it the pipe of constant length\n");
  for (int k = 0; k < SCENE_COUNT; k++)
    for (int i = 0; i < 4; i++)
      compare(&SCENES[k], steps_s[i], 0);
  printf("the same, laid pipe beyond 350 m retires\n");
  for (int i = 0; i < 4; i++)
    compare(&SCENES[0], steps_s[i], 350);
  retire();
  return 0;
}
