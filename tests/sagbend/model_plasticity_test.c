// Bending beyond yield: random paths of a section, the statics of a J-lay that yields at its sagbend and the
// run that follows, snapshots.
#include "sagbend/pipeline/pipeline.h"
#include "sagbend/plasticity/plasticity.h"
#include "scenes.h"
#include "suite.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static double noise(uint64_t *seed) { // in (-1, 1)
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)*seed / 9223372036854775808.0;
}

static const struct pipe_type TYPE = {
    .bending_stiffness_nm2 = {2, 2}, .yield_moment_nm = 1, .ramberg_osgood = {0.5, 12}};

// Energy of the layers; the mean of a moment on a way is that of its ends.
static double energy_of(const struct pipe_layers *layers, double (*plastic)[2], const double at[2],
                        double moment[2]) {
  double sum = 0;
  moment[0] = moment[1] = 0;
  for (int j = 0; j < layers->count; j++)
    for (int k = 0; k < 2; k++) {
      double e = at[k] - plastic[j][k];
      sum += 0.5 * layers->stiffness_nm2[j] * e * e;
      moment[k] += layers->stiffness_nm2[j] * e;
    }
  return sum;
}

START_TEST(work_is_energy_and_loss) {
  const struct pipe_layers layers = plasticity_layers(&TYPE);
  double plastic[PLASTIC_LAYERS][2] = {{0}}, at[2] = {0, 0}, m0[2], m1[2];
  uint64_t seed = 11;
  for (int k = 0; k < 20000; k++) {
    double size = pow(10, -4 + 4 * fabs(noise(&seed))), end[2];
    for (int i = 0; i < 2; i++)
      end[i] = 0.9 * at[i] + size * noise(&seed);
    struct plastic_step step = plasticity_bend(&layers, plastic, 1, at, end, 0);
    double before = energy_of(&layers, plastic, at, m0), elastic[2], work = 0;
    energy_of(&layers, plastic, end, elastic);
    if (step.yields)
      memcpy(plastic, step.plastic_1pm, sizeof plastic);
    double after = energy_of(&layers, plastic, end, m1);
    for (int i = 0; i < 2; i++) // the elastic mean, and what yielding adds
      work += (0.5 * (m0[i] + elastic[i]) + step.moment[i]) * (end[i] - at[i]);
    ck_assert_double_ge(step.loss_n, 0);
    ck_assert_double_eq_tol(work, after - before + step.loss_n, 1e-13);
    ck_assert_double_le(hypot(m1[0], m1[1]), plasticity_moment(&layers, 1e9) * (1 + 1e-14));
    at[0] = end[0], at[1] = end[1];
  }
}
END_TEST

// The same for an element whose length changes. The element itself contributes as if its plastic curvature
// were the mean of the layers and did not change.
START_TEST(work_is_energy_and_loss_of_a_growing_element) {
  const struct pipe_layers layers = plasticity_layers(&TYPE);
  const double c = TYPE.bending_stiffness_nm2[0];
  double plastic[PLASTIC_LAYERS][2] = {{0}}, worst = 0, least = 0, m[2];
  struct plastic_growth x = {.start_m = 1, .unbent_1pm = {0.2, -0.1}, .stiffness_nm2 = c};
  uint64_t seed = 19;
  int acted = 0;
  for (int i = 0; i < 20000; i++) {
    const double l0 = x.start_m, size = pow(10, -4 + 4 * fabs(noise(&seed)));
    x.end_m = fmin(fmax(l0 * (1 + 0.3 * size * noise(&seed)), 0.2), 3);
    x.enters = 0.5 + 0.5 * noise(&seed);
    double at[2], end[2], p[2] = {0, 0}, work = 0, change = x.end_m - l0,
                          inverse = 0.5 * (1 / l0 + 1 / x.end_m);
    for (int k = 0; k < 2; k++) {
      x.turn_change[k] = -0.1 * x.turn[k] + size * x.end_m * noise(&seed);
      at[k] = x.turn[k] / l0 - x.unbent_1pm[k];
      end[k] = (x.turn[k] + x.turn_change[k]) / x.end_m - x.unbent_1pm[k];
      for (int j = 0; j < layers.count; j++)
        p[k] += layers.stiffness_nm2[j] * plastic[j][k] / c;
    }
    const double before = l0 * energy_of(&layers, plastic, at, m);
    struct plastic_grown grown = plasticity_grow(&layers, plastic, &x);
    acted += grown.acts;
    if (grown.acts)
      memcpy(plastic, grown.plastic_1pm, sizeof plastic);
    const double after = x.end_m * energy_of(&layers, plastic, end, m);
    for (int k = 0; k < 2; k++) {
      double g0 = l0 * (at[k] - p[k]), g1 = x.end_m * (end[k] - p[k]), rho = x.unbent_1pm[k] + p[k],
             stress = 0.5 * c * (g0 + g1) * inverse;
      work += (stress + grown.moment[k]) * x.turn_change[k] -
              (stress * rho + 0.25 * c * (g0 * g0 + g1 * g1) / (l0 * x.end_m)) * change;
      x.turn[k] += x.turn_change[k];
    }
    work += grown.length_force_n * change;
    worst = fmax(worst, fabs(work - (after - before) - grown.loss_j));
    least = fmin(least, grown.loss_j);
    x.start_m = x.end_m;
  }
  printf("growing element: defect %.1e, %d of 20000 steps with layers\n", worst, acted);
  ck_assert_double_le(worst, 1e-12);
  ck_assert_double_ge(least, 0);
  ck_assert_int_gt(acted, 10000);
}
END_TEST

// A path that is turned gives turned moments.
START_TEST(no_direction_is_preferred) {
  const struct pipe_layers layers = plasticity_layers(&TYPE);
  double a[PLASTIC_LAYERS][2] = {{0}}, b[PLASTIC_LAYERS][2] = {{0}}, from[2] = {0, 0}, turned[2] = {0, 0};
  const double c = cos(0.7), s = sin(0.7);
  uint64_t seed = 13;
  for (int k = 0; k < 200; k++) {
    const double to[2] = {noise(&seed), noise(&seed)},
                 to_turned[2] = {c * to[0] - s * to[1], s * to[0] + c * to[1]};
    struct plastic_step one = plasticity_bend(&layers, a, 1, from, to, 0),
                        two = plasticity_bend(&layers, b, 1, turned, to_turned, 0);
    ck_assert_double_eq_tol(one.loss_n, two.loss_n, 1e-13);
    ck_assert_double_eq_tol(c * one.moment[0] - s * one.moment[1], two.moment[0], 1e-13);
    if (one.yields)
      memcpy(a, one.plastic_1pm, sizeof a), memcpy(b, two.plastic_1pm, sizeof b);
    memcpy(from, to, sizeof from), memcpy(turned, to_turned, sizeof turned);
  }
}
END_TEST

START_TEST(tangent_is_the_derivative) {
  const struct pipe_layers layers = plasticity_layers(&TYPE);
  uint64_t seed = 17;
  for (int k = 0; k < 500; k++) {
    double plastic[PLASTIC_LAYERS][2] = {{0}}, end[2] = {noise(&seed), noise(&seed)};
    const double start[2] = {0, 0}, small = 1e-6;
    for (int i = 0; i < 2; i++) {
      double moment[2][2];
      for (int side = 0; side < 2; side++) {
        double at[2] = {end[0], end[1]};
        at[i] += side ? small : -small;
        struct plastic_step step = plasticity_bend(&layers, plastic, 1, start, at, 1);
        for (int j = 0; j < 2; j++)
          moment[side][j] = step.moment[j] + 2 * at[j];
      }
      struct plastic_step step = plasticity_bend(&layers, plastic, 1, start, end, 1);
      for (int j = 0; j < 2; j++)
        ck_assert_double_eq_tol(step.tangent[j][i], (moment[1][j] - moment[0][j]) / (2 * small), 1e-5);
    }
  }
}
END_TEST

static struct sim_def jlay_def(void) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
  def.statics.horizontal_force_n = 200e3; // 4.16 MN m in the sagbend of the elastic pipe
  def.pipe.line.yield_moment_nm = 3e6;
  def.pipe.line.ramberg_osgood[0] = 0.5, def.pipe.line.ramberg_osgood[1] = 12;
  def.step_s = 0.05;
  return def;
}

START_TEST(pipe_yields_in_the_sagbend) {
  struct sim_def def = jlay_def();
  struct sim *s = shipped_create(&def), *other = shipped_create(&def);
  struct sim_output o;
  sim_get_output(s, &o);
  ck_assert_double_lt(o.max_moment_nm, 3.9e6);
  ck_assert_double_gt(o.max_curvature_1pm, 0.004);
  def.pipe.line.yield_moment_nm = 0;
  struct sim *elastic = shipped_create(&def);
  struct sim_output e;
  sim_get_output(elastic, &e);
  ck_assert_double_gt(o.max_strain, e.max_strain);
  printf("largest moment %.3f MN m (elastic %.3f), strain %.5f (elastic %.5f)\n", 1e-6 * o.max_moment_nm,
         1e-6 * e.max_moment_nm, o.max_strain, e.max_strain);

  // It starts at rest, and moves on from there.
  for (int k = 0; k < 20; k++)
    sim_step(s, NULL);
  const double push[6] = {4e6, 1e6, 0, 0, 0, 0};
  void *snapshot = malloc(sim_snapshot_size(s));
  for (int k = 0; k < 400; k++) {
    if (k == 200) {
      struct reason why;
      sim_snapshot(s, snapshot);
      ck_assert_int_eq(sim_restore(other, snapshot, sim_snapshot_size(s), &why), STATUS_OK);
    }
    sim_step(s, &(struct sim_input){.wrench_b = push});
    if (k >= 200)
      sim_step(other, &(struct sim_input){.wrench_b = push});
    for (int i = 0; i < LOSS_COUNT; i++)
      ck_assert_double_ge(sim_ledger(s)->loss_j[i], 0);
  }
  ck_assert_uint_eq(sim_hash(s), sim_hash(other));
  const struct ledger *l = sim_ledger(s);
  printf("closure %.1e, loss plastic %.3g J, %d unsolved\n", ledger_closure_rel(l),
         l->total_loss_j[LOSS_PLASTIC], (int)s->run.not_converged_count);
  ck_assert_double_le(ledger_closure_rel(l), 1e-12);
  ck_assert_double_gt(l->total_loss_j[LOSS_PLASTIC], 0);
  free(snapshot);
  shipped_free(s), shipped_free(other), shipped_free(elastic);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("core_model_plasticity");
  TCase *t = add_case(suite, "plasticity", 60);
  tcase_add_test(t, work_is_energy_and_loss);
  tcase_add_test(t, work_is_energy_and_loss_of_a_growing_element);
  tcase_add_test(t, no_direction_is_preferred);
  tcase_add_test(t, tangent_is_the_derivative);
  tcase_add_test(t, pipe_yields_in_the_sagbend);
  return run_suite(suite);
}
