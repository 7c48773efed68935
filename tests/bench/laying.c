// Cost of a step of a lay, in one run: pay-out beside a pipe of constant length of the same elements, and the
// step at the beginning and at the end of a lay of 1000 m with laid pipe that retires. The simulators of a
// comparison take turns, so that they meet the same machine.
#include "times.h"

#include "core/model/payout.h"
#include "scenes.h"

enum { BATCH = 50 };
static const double STEP_S = 0.05;

static struct sim_def lay_def(double length_m, double anchor_m) {
  static const char *const sets[] = {"environment.seabed_friction_axial=0.5",
                                     "environment.seabed_friction_lateral=0.7"};
  struct sim_def def = scene_load(TEST_SOURCE_DIR, "jlay-900m-payout", 2, sets);
  def.step_s = STEP_S;
  def.pipe.payout =
      (struct payout_def){.row_count = 1,
                          .row = {{.start_s = 5, .length_m = length_m, .speed_mps = 0.5, .ramp_s = 5}},
                          .elements_max = 140};
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

// The same length within an element and its splits, so that both have the same number of nodes in the mean.
static void pay_out(double step_s) {
  enum { STEPS = 1600 };
  static double with[STEPS], without[STEPS];
  struct sim_def moving = lay_def(1000, 0);
  moving.step_s = step_s;
  add_heave(&moving);
  struct sim_def constant = moving;
  constant.pipe.payout.row_count = 0;
  struct sim *a = scene_create(&moving), *b = scene_create(&constant);
  while (sim_time_s(a) < 45) // the first split is over
    sim_step(a, NULL), sim_step(b, NULL);
  uint64_t one = a->run.newton_total, other = b->run.newton_total;
  for (int first = 0; first < STEPS; first += BATCH)
    time_steps(a, with + first, BATCH), time_steps(b, without + first, BATCH);
  double x = median(with, STEPS), y = median(without, STEPS);
  printf("pay-out at 0.5 m/s, steps of %.0f ms: %.1f us a step and %.2f iterations, %d elements; constant "
         "length "
         "%.1f us, %.2f, %d; ratio %.3f\n",
         1e3 * step_s, x, (double)(a->run.newton_total - one) / STEPS, a->model.pipe.elements, y,
         (double)(b->run.newton_total - other) / STEPS, b->model.pipe.elements, x / y);
  scene_free(a), scene_free(b);
}

// The first simulator has laid 60 m, the second 960 m, as they take turns.
static void retire(void) {
  enum { STEPS = 1600 };
  static double early[STEPS], late[STEPS];
  struct sim_def def = lay_def(1100, 350);
  struct sim *a = scene_create(&def), *b = scene_create(&def);
  while (sim_time_s(a) < 200)
    sim_step(a, NULL);
  while (sim_time_s(b) < 2000)
    sim_step(b, NULL);
  for (int first = 0; first < STEPS; first += BATCH)
    time_steps(a, early + first, BATCH), time_steps(b, late + first, BATCH);
  double x = median(early, STEPS), y = median(late, STEPS);
  printf(
      "retiring: %.1f us a step after %.0f m, %d elements and %d retired; %.1f us after %.0f m, %d and %d; "
      "ratio %.3f\n",
      x, a->state.payout.paid_m, a->model.pipe.elements, a->model.pipe.first, y, b->state.payout.paid_m,
      b->model.pipe.elements, b->model.pipe.first, y / x);
  scene_free(a), scene_free(b);
}

int main(void) {
  pay_out(0.01), pay_out(0.02), pay_out(0.05);
  retire();
  return 0;
}
