// A J-lay tower that turns: the ledger, the end against the equilibrium at that angle, the order in time,
// pay-out, and snapshots.
#include "sagbend/math/math.h"
#include "scenes.h"
#include "suite.h"

// The clamp turns by `turn_deg` from 5 to 65 s.
static struct sim_def turning(const char *name, double step_s, double turn_deg) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, name, 0, NULL);
  def.step_s = step_s;
  def.pipe.hangoff = HANGOFF_CLAMPED;
  def.pipe.hangoff_angle_auto = 1;
  def.pipe.structural_damping_s = 0.5;
  def.pipe.tower =
      (struct tower_def){2, {{.time_s = 5}, {.time_s = 65, .value = {turn_deg * TRIG_PI / 180}}}};
  return def;
}

static void run(struct sim *s, double end_s) {
  while (sim_time_s(s) < end_s - 0.5 * s->def->step_s) {
    sim_step(s, NULL);
    ck_assert_int_eq(s->run.fault, 0);
  }
}

static void check_ledger(const char *name, const struct sim *s) {
  const struct ledger *l = sim_ledger(s);
  struct sim_output o;
  sim_get_output(s, &o);
  printf("%-12s closure %.1e, motion %.6g J, clamp at %.4f deg in the vessel, moment %.4g MN m\n", name,
         ledger_closure_rel(l), l->total_work_j[PORT_MOTION],
         (o.hangoff_angle_rad - o.euler_rad[1]) * 180 / TRIG_PI, 1e-6 * o.max_moment_nm);
  // The work of the turn is small beside the stored energies, whose rounding counts.
  ck_assert_double_le(l->max_abs_total_residual_j, fmax(1e-12 * l->turnover_j, 1e-14 * l->scale_j));
  ck_assert_uint_eq(o.not_converged_count, 0);
}

START_TEST(test_ledger) {
  const double steps_s[] = {0.02, 0.05, 0.1};
  double work[3];
  for (int k = 0; k < 3; k++) {
    struct sim_def def = turning("jlay-900m-payout", steps_s[k], 2);
    def.pipe.payout.row_count = 0;
    struct sim *s = shipped_create(&def);
    struct sim_output before, after;
    sim_get_output(s, &before);
    run(s, 100);
    sim_get_output(s, &after);
    check_ledger("turned", s);
    work[k] = sim_ledger(s)->total_work_j[PORT_MOTION];
    ck_assert_double_eq_tol((after.hangoff_angle_rad - after.euler_rad[1]) -
                                (before.hangoff_angle_rad - before.euler_rad[1]),
                            2 * TRIG_PI / 180, 1e-6);
    shipped_free(s);
  }
  printf("work of steps of 20, 50, 100 ms: %.8g, %.8g, %.8g J\n", work[0], work[1], work[2]);
  ck_assert_double_eq_tol(work[1], work[0], 1e-3 * fabs(work[0]));
}
END_TEST

// Settled, the pipe hangs as in the static equilibrium with the clamp at that angle.
START_TEST(test_equilibrium) {
  struct sim_def def = turning("jlay-900m-payout", 0.1, 2);
  def.pipe.payout.row_count = 0;
  struct sim *s = shipped_create(&def);
  struct sim_output start, now, still;
  sim_get_output(s, &start);
  struct sim_def fixed = def;
  fixed.pipe.tower.rows = 0;
  fixed.pipe.hangoff_angle_auto = 0;
  fixed.pipe.hangoff_angle_rad = start.hangoff_angle_rad - start.euler_rad[1] + 2 * TRIG_PI / 180;
  struct sim *e = shipped_create(&fixed);
  run(s, 1500);
  sim_get_output(s, &now), sim_get_output(e, &still);
  printf("settled: moment %.6g, tension %.8g; statics %.6g, %.8g\n", now.max_moment_nm, now.hangoff_tension_n,
         still.max_moment_nm, still.hangoff_tension_n);
  ck_assert_double_eq_tol(now.max_moment_nm, still.max_moment_nm, 1e-3 * still.max_moment_nm);
  ck_assert_double_eq_tol(now.hangoff_tension_n, still.hangoff_tension_n, 1e-4 * still.hangoff_tension_n);
  shipped_free(s), shipped_free(e);
}
END_TEST

START_TEST(test_payout) {
  struct sim_def def = turning("jlay-900m-payout", 0.05, -2);
  struct sim *s = shipped_create(&def);
  run(s, 120);
  check_ledger("paid out", s);
  ck_assert_uint_gt(s->state.payout.splits, 1);
  shipped_free(s);
}
END_TEST

START_TEST(test_snapshot) {
  for (int paid = 0; paid < 2; paid++) {
    struct sim_def def = turning("jlay-900m-payout", 0.05, 2);
    if (!paid)
      def.pipe.payout.row_count = 0;
    struct sim *first = shipped_create(&def), *second = shipped_create(&def);
    run(first, 30), run(second, 90);
    size_t size = sim_snapshot_size(first);
    unsigned char *bytes = malloc(size);
    struct reason why = {"?"};
    sim_snapshot(first, bytes);
    ck_assert_msg(sim_restore(second, bytes, size, &why) == STATUS_OK, "%s", why.text);
    run(first, 80), run(second, 80);
    ck_assert_uint_eq(sim_hash(first), sim_hash(second));
    free(bytes);
    shipped_free(first), shipped_free(second);
  }
}
END_TEST

static double angle_at_end(double step_s) {
  struct sim_def def = turning("jlay-900m-payout", step_s, 3);
  def.pipe.payout.row_count = 0;
  struct sim *s = shipped_create(&def);
  run(s, 40);
  struct sim_output o;
  sim_get_output(s, &o);
  shipped_free(s);
  return o.max_moment_nm;
}

START_TEST(test_order) {
  const double reference = angle_at_end(0.005);
  double error[3];
  for (int k = 0; k < 3; k++)
    error[k] = angle_at_end(0.16 / (1 << k)) - reference;
  printf("errors of the moment: %.3g, %.3g, %.3g N m\n", error[0], error[1], error[2]);
  for (int k = 1; k < 3; k++)
    ck_assert(fabs(error[k]) < fabs(error[k - 1]) / 3);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("core_model_tower");
  TCase *t = add_case(suite, "tower", 60);
  tcase_add_test(t, test_ledger);
  tcase_add_test(t, test_equilibrium);
  tcase_add_test(t, test_payout);
  tcase_add_test(t, test_snapshot);
  tcase_add_test(t, test_order);
  return run_suite(suite);
}
