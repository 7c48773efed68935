// Cost of a step on one core: percentiles in total and by stage, beside a floor kernel of the same size in
// the same run, the bare factorisation and solution of the block-tridiagonal system.

#include "sagbend/blocktri/blocktri.h"
#include "sagbend/math/math.h"

#include "frozen_floor.h"
#include "scenes.h"
#include "times.h"

enum { BATCH = 50 }; // floor kernels and steps alternate, so that both meet the same machine

static double percentile(const double *sorted, int count, double p) {
  int i = (int)(p * count);
  return sorted[i < count ? i : count - 1];
}

#define X(name, text) text,
static const char *const STAGE_NAMES[] = {STAGE_TABLE(X)};
#undef X

static void print_row(const char *name, double *us, int count, double median_step) {
  sort_times(us, count);
  double p50 = percentile(us, count, 0.5);
  printf("  %-12s %9.1f %9.1f %9.1f %9.1f %7.0f %%\n", name, p50, percentile(us, count, 0.99),
         percentile(us, count, 0.999), us[count - 1], 100 * p50 / median_step);
}

// The initial matrix of the model, factored and solved repeatedly.
struct floor_kernel {
  struct frozen_floor matrix, copy;
  double *rhs;
  int count;
};

// Row by row, from blocks that lie column by column.
static double (*turned(double (*const from)[BLOCK_SIZE], int count)) [BLOCK_SIZE] {
  double (*to)[BLOCK_SIZE] = calloc((size_t)count, sizeof *to);
  for (int i = 0; i < count; i++)
    for (int r = 0; r < BLOCK; r++)
      for (int c = 0; c < BLOCK; c++)
        to[i][BLOCK * r + c] = from[i][block_at(r, c)];
  return to;
}

static struct frozen_floor floor_matrix(const struct blocktri *from) {
  struct frozen_floor f = {.count = from->count,
                           .tail = from->tail,
                           .diag = turned(from->diag, from->count),
                           .lower = turned(from->lower, from->count),
                           .upper = turned(from->upper, from->count)};
  memcpy(f.tail_upper, from->tail_upper, sizeof f.tail_upper);
  memcpy(f.tail_lower, from->tail_lower, sizeof f.tail_lower);
  memcpy(f.tail_diag, from->tail_diag, sizeof f.tail_diag);
  return f;
}

static struct floor_kernel floor_create(struct sim *s) {
  model_begin(s->model, &s->state, &s->work, s->def->step_s);
  model_residual(s->model, &s->state, &s->work);
  model_tangent(s->model, &s->state, &s->work);
  return (struct floor_kernel){.matrix = floor_matrix(&s->work.matrix),
                               .copy = floor_matrix(&s->work.matrix),
                               .rhs = calloc((size_t)s->work.rhs_count, sizeof(double)),
                               .count = s->work.rhs_count};
}

static void floor_free(struct floor_kernel *f) {
  free(f->matrix.diag), free(f->matrix.lower), free(f->matrix.upper);
  free(f->copy.diag), free(f->copy.lower), free(f->copy.upper);
  free(f->rhs);
}

static double floor_run(struct floor_kernel *f) {
  size_t bytes = (size_t)f->matrix.count * sizeof *f->matrix.diag;
  memcpy(f->matrix.diag, f->copy.diag, bytes);
  memcpy(f->matrix.lower, f->copy.lower, bytes);
  memcpy(f->matrix.upper, f->copy.upper, bytes);
  memcpy(f->matrix.tail_upper, f->copy.tail_upper, sizeof f->copy.tail_upper);
  memcpy(f->matrix.tail_lower, f->copy.tail_lower, sizeof f->copy.tail_lower);
  memcpy(f->matrix.tail_diag, f->copy.tail_diag, sizeof f->copy.tail_diag);
  for (int i = 0; i < f->count; i++)
    f->rhs[i] = 1;
  uint64_t start = now_ns();
  frozen_factor(&f->matrix);
  frozen_solve(&f->matrix, f->rhs);
  return 1e-3 * (double)(now_ns() - start);
}

static void measure(int elements, int steps) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
  def.pipe.elements = elements;
  def.env.current.profile.start_s = def.env.loads[0].profile.start_s = 0.5;
  struct sim *s = shipped_create(&def), *pattern = shipped_create(&def);
  NONBLOCKING_EXEMPT(sim_set_clock(s, now_ns)); // a benchmark may wait
  struct floor_kernel kernel = floor_create(pattern);
  double *us[STAGE_COUNT + 2];
  for (int k = 0; k < STAGE_COUNT + 2; k++)
    us[k] = calloc((size_t)steps, sizeof **us);
  for (int k = 0; k < 200; k++)
    sim_step(s, NULL);
  uint64_t iterations = s->run.newton_total, tangents = s->run.newton_tangents_total;
  for (int first = 0; first < steps; first += BATCH) {
    for (int k = first; k < first + BATCH; k++)
      us[STAGE_COUNT + 1][k] = floor_run(&kernel);
    for (int k = first; k < first + BATCH; k++) {
      uint64_t stage[STAGE_COUNT], start = now_ns();
      sim_step(s, NULL);
      us[STAGE_COUNT][k] = 1e-3 * (double)(now_ns() - start);
      sim_stage_times_ns(s, stage);
      for (int i = 0; i < STAGE_COUNT; i++)
        us[i][k] = 1e-3 * (double)stage[i];
    }
  }
  sort_times(us[STAGE_COUNT], steps);
  double median = percentile(us[STAGE_COUNT], steps, 0.5);
  printf("%d elements, %.0f ms steps, %.2f Newton iterations and %.2f tangents a step\n", elements,
         1e3 * def.step_s, (double)(s->run.newton_total - iterations) / steps,
         (double)(s->run.newton_tangents_total - tangents) / steps);
  printf("  us                 p50       p99     p99.9       max   of p50\n");
  for (int i = 0; i < STAGE_COUNT; i++)
    print_row(STAGE_NAMES[i], us[i], steps, median);
  print_row("step", us[STAGE_COUNT], steps, median);
  print_row("floor", us[STAGE_COUNT + 1], steps, median);
  printf("  median step: %.1f times real time, %.2f times the floor kernel\n\n", 1e6 * def.step_s / median,
         median / percentile(us[STAGE_COUNT + 1], steps, 0.5));
  for (int k = 0; k < STAGE_COUNT + 2; k++)
    free(us[k]);
  floor_free(&kernel), shipped_free(s), shipped_free(pattern);
}

// Independent additions and multiplications, as many of each as a core can start, without fused ones.
KERNEL_CLONES
static double peak_kernel(long rounds) {
  lanes sum[6], product[6], all = {0};
  for (int k = 0; k < 6; k++)
    sum[k] = product[k] = (lanes){1, 2, 3, 4};
  for (long n = 0; n < rounds; n++)
    for (int k = 0; k < 6; k++) {
      sum[k] = sum[k] + 1e-9;
      product[k] = product[k] * 0.999999999;
    }
  for (int k = 0; k < 6; k++)
    all += sum[k] + product[k];
  return lanes_sum(&all);
}

static double peak_gflops(void) {
  const long rounds = 20000;
  static volatile double keep;
  uint64_t start = now_ns();
  keep = keep + peak_kernel(rounds);
  return (double)rounds * 12 * LANES / (double)(now_ns() - start);
}

// A given number of steps alone, for tools/step-flops; between them the machine's peak, if asked for.
static void only(int elements, int steps, int with_peak) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
  def.pipe.elements = elements;
  def.env.current.profile.start_s = def.env.loads[0].profile.start_s = 0.5;
  struct sim *s = shipped_create(&def);
  double *us = calloc((size_t)steps, sizeof *us), *peak = calloc((size_t)steps, sizeof *peak);
  int peaks = 0;
  for (int k = 0; k < steps; k++) {
    if (with_peak && k % BATCH == 0)
      peak[peaks++] = peak_gflops();
    uint64_t start = now_ns();
    sim_step(s, NULL);
    us[k] = 1e-3 * (double)(now_ns() - start);
  }
  sort_times(us, steps);
  sort_times(peak, peaks);
  printf("step %.2f us\n", percentile(us, steps, 0.5));
  if (with_peak)
    printf("peak %.2f Gflop/s\n", percentile(peak, peaks, 0.5));
  free(us), free(peak), shipped_free(s);
}

// Cost of the thrusters: the supply vessel with thrusters and with a wrench instead, alternating.
static void measure_thrusters(int steps) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "osv-83m", 0, NULL), bare = def;
  bare.vessel.plant.thruster_count = 0;
  struct sim *with = shipped_create(&def), *without = shipped_create(&bare);
  struct sim_output o;
  double *us[2] = {calloc((size_t)steps, sizeof(double)), calloc((size_t)steps, sizeof(double))};
  for (int first = 0; first < steps; first += BATCH)
    for (int which = 0; which < 2; which++)
      for (int k = first; k < first + BATCH; k++) {
        struct sim *s = which ? without : with;
        uint64_t start = now_ns();
        sim_step(s, NULL);
        sim_get_output(s, &o);
        us[which][k] = 1e-3 * (double)(now_ns() - start);
      }
  for (int which = 0; which < 2; which++)
    sort_times(us[which], steps);
  double a = percentile(us[0], steps, 0.5), b = percentile(us[1], steps, 0.5);
  printf("osv-83m, %d elements: median step and output %.1f us with thrusters, %.1f us without: %+.1f %%\n",
         def.pipe.elements, a, b, 100 * (a / b - 1));
  free(us[0]), free(us[1]);
  shipped_free(with), shipped_free(without);
}

int main(int argc, char **argv) {
  if (argc > 3 && (strcmp(argv[1], "--only") == 0 || strcmp(argv[1], "--peak") == 0)) {
    only((int)strtol(argv[2], NULL, 10), (int)strtol(argv[3], NULL, 10), strcmp(argv[1], "--peak") == 0);
    return 0;
  }
  measure(48, 6000);
  measure(100, 6000);
  measure(240, 3000);
  measure(1000, 1000);
  measure_thrusters(6000);
  return 0;
}
