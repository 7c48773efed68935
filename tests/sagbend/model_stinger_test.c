// The stinger in the model: curvature over the rollers against the closed form of a beam on supports under
// tension, the ledger with a free vessel that heaves and pitches, nodes that pass the rollers as pipe is paid
// out, snapshots, a stinger out of reach.
#include "sagbend/model/model.h"

#include "continue.h"

enum { MOST_SETS = 16 };

static struct sim_def slay_def(double step_s, int count, const char *const *sets) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "slay-100m", count, sets);
  def.step_s = step_s;
  return def;
}

// Force in heave and moment in pitch that move the free vessel by 0.6 m and 2.5 degrees.
static void shake(struct sim_def *def) {
  static const double heave_n = 6e6, pitch_nm = 2e8;
  def->env.load_count = 4;
  def->env.loads[0] = (struct load_def){
      LOAD_WORLD, {0, 0, heave_n, 0, 0, 0}, {.start_s = 0.1, .ramp_s = 20, .variation = 1, .period_s = 10}};
  def->env.loads[1] =
      (struct load_def){LOAD_WORLD, {0, 0, -heave_n, 0, 0, 0}, {.start_s = 0.1, .ramp_s = 20}};
  def->env.loads[2] = (struct load_def){
      LOAD_WORLD, {0, 0, 0, 0, pitch_nm, 0}, {.start_s = 0.1, .ramp_s = 20, .variation = 1, .period_s = 8}};
  def->env.loads[3] =
      (struct load_def){LOAD_WORLD, {0, 0, 0, 0, -pitch_nm, 0}, {.start_s = 0.1, .ramp_s = 20}};
}

static void check_ledger(const char *name, double step_s, double most_iterations, int count,
                         const char *const *sets) {
  struct sim_def def = slay_def(step_s, count, sets);
  shake(&def);
  struct sim *s = shipped_create(&def);
  struct sim_output o;
  int lifts = 0, passes = 0, on[MAX_ROLLERS] = {0}, element[MAX_ROLLERS] = {0};
  while (sim_time_s(s) < 40 - 0.5 * step_s) {
    sim_step(s, NULL);
    for (int k = 0; k < s->model->roller_count; k++) {
      const struct roller_place at = rollers_place(s->model, &s->state, k, 0);
      ck_assert_int_eq(at.is_near, 1);
      lifts += on[k] != (at.overlap_m > 0), on[k] = at.overlap_m > 0;
      passes += element[k] != 0 && element[k] != at.element, element[k] = at.element;
    }
  }
  const struct ledger *l = sim_ledger(s);
  sim_get_output(s, &o);
  printf("%-28s %3.0f ms: closure %.1e, %.2f iterations (%d), %d lifts, %d passes, friction %.3g J\n", name,
         1e3 * step_s, ledger_closure_rel(l), o.newton_mean, o.newton_max, lifts, passes,
         l->total_loss_j[LOSS_FRICTION]);
  ck_assert_double_le(ledger_closure_rel(l), 1e-12);
  ck_assert_double_le(o.newton_mean, most_iterations);
  ck_assert_uint_eq(o.divided_count + o.not_converged_count, 0);
  ck_assert_int_gt(lifts, 10);
  ck_assert_double_ge(l->total_loss_j[LOSS_FRICTION], 0);
  shipped_free(s);
}

START_TEST(test_ledger) {
  static const char *const rough[] = {"pipe.stinger.friction=0.1", "pipe.stinger.v_angle_deg=25"};
  static const char *const clamped[] = {"pipe.hangoff={kind: clamped, angle_deg: 5}"};
  check_ledger("level rollers", 0.02, 3.7, 0, NULL);
  check_ledger("level rollers", 0.05, 4.5, 0, NULL);
  check_ledger("level rollers", 0.1, 5.5, 0, NULL);
  check_ledger("V with friction", 0.02, 3.7, 2, rough);
  check_ledger("V with friction", 0.1, 5.5, 2, rough);
  check_ledger("clamped", 0.05, 4.5, 1, clamped);
}
END_TEST

// Curvature at a roller: from the elements beside it, because the moment has a kink there.
static double curvature_at(const struct sim *s, int roller) {
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  const struct roller_place at = rollers_place(s->model, &s->state, roller, 0);
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    const int near = at.element + (side ? 1 : -1), far = near + (side ? 1 : -1);
    const double a = hypot(s->work.pipe.strain0[4][near], s->work.pipe.strain0[5][near]),
                 b = hypot(s->work.pipe.strain0[4][far], s->work.pipe.strain0[5][far]);
    const double x = p->arc_m[near] + 0.5 * p->length_m[near], y = p->arc_m[far] + 0.5 * p->length_m[far];
    sum += 0.5 * (a + (b - a) * (at.arc_m - x) / (y - x));
  }
  return sum;
}

// Curvature times radius at the second roller of a long arc after a straight ramp: a beam under tension on
// supports at this spacing.
static double closed_form(double tension_n, double bending_nm2, double spacing_m) {
  const double x = sqrt(tension_n / bending_nm2) * spacing_m, a = x / tanh(x) - 1, b = 1 - x / sinh(x);
  const double r = -a / b + sqrt(a * a / (b * b) - 1);
  return x * x / (2 * (a + b)) * (1 + 0.5 * b * (1 - r * r) / (2 * (a + b * r)));
}

START_TEST(test_curvature) {
  const int elements[] = {100, 200};
  double at[2], tension = 0;
  for (int k = 0; k < 2; k++) {
    char mesh[160];
    snprintf(mesh, sizeof mesh,
             "pipe.mesh=[{length_m: 1050, elements: 105}, {length_m: 400, elements: 80}, {length_m: 150, "
             "elements: %d}]",
             elements[k]);
    const char *const sets[] = {mesh,
                                "statics.horizontal_force_n=980e3",
                                "environment.depth_m=300",
                                "pipe.length_m=1600",
                                "pipe.stinger.ramp_supports=5",
                                "pipe.stinger.start_b_m=[-60, 0, -8]",
                                "pipe.stinger.slope_deg=0",
                                "pipe.stinger.stiffness_npm=1e9",
                                "pipe.buoyancy=submerged"};
    struct sim_def def = slay_def(0.02, 9, sets);
    def.pipe.stinger.holds = 1;
    struct sim *s = shipped_create(&def);
    tension = s->work.pipe.stress[0][rollers_place(s->model, &s->state, 6, 0).element];
    at[k] = def.pipe.stinger.radius_m * curvature_at(s, 6);
    shipped_free(s);
  }
  const double limit = at[1] + (at[1] - at[0]) / 3, exact = closed_form(tension, 9.8e7, 9);
  printf("curvature at the second roller of the arc: %.4f, %.4f, extrapolated %.4f; closed form %.4f\n",
         at[0], at[1], limit, exact);
  ck_assert_double_eq_tol(limit, exact, 5e-3 * exact);
}
END_TEST

// Pipe is paid out and recovered over the rollers: nodes pass them.
START_TEST(test_payout) {
  struct sim_def def = slay_def(0.05, 0, NULL);
  shake(&def);
  def.pipe.payout =
      (struct payout_def){.row_count = 2,
                          .row = {{.start_s = 1, .length_m = 8, .speed_mps = 0.4, .ramp_s = 4},
                                  {.start_s = 26, .length_m = -6, .speed_mps = 0.4, .ramp_s = 4}},
                          .elements_max = 310};
  struct sim *s = shipped_create(&def);
  struct sim_output o;
  run_to(s, 50);
  sim_get_output(s, &o);
  const struct ledger *l = sim_ledger(s);
  printf("pay-out: closure %.1e, remesh %.3g J of %.3g J, %.2f iterations\n", ledger_closure_rel(l),
         l->total_work_j[PORT_REMESH], l->total_work_j[PORT_TENSIONER], o.newton_mean);
  ck_assert_uint_eq(s->state.payout.splits, 6);
  ck_assert_uint_eq(s->state.payout.merges, 4);
  ck_assert_double_le(ledger_closure_rel(l), 1e-12);
  ck_assert_uint_eq(o.divided_count + o.not_converged_count, 0);
  shipped_free(s);
}
END_TEST

START_TEST(test_snapshot) {
  static const char *const rough[] = {"pipe.stinger.friction=0.1", "pipe.stinger.v_angle_deg=25"};
  struct sim_def def = slay_def(0.05, 2, rough);
  shake(&def);
  struct sim *s = shipped_create(&def), *other = shipped_create(&def);
  struct reason why;
  run_to(s, 10);
  size_t size;
  unsigned char *buffer = hand_over(s, other, &size);
  check_both_go_on(s, other, buffer, size, run_to, 15);
  double most = 0;
  for (int k = 0; k < s->model->roller_count; k++)
    most = fmax(most, fabs(s->state.roller_elongation_m[k]));
  ck_assert_double_gt(most, 1e-5);
  double *elongation = (double *)(void *)(buffer + size) - s->model->roller_count; // the last field
  *elongation = (double)NAN;
  ck_assert_int_eq(sim_restore(other, buffer, size, &why), STATUS_BAD_INPUT);
  free(buffer), shipped_free(s), shipped_free(other);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("stinger");
  TCase *c = add_case(suite, "stinger", 120);
  tcase_add_test(c, test_ledger);
  tcase_add_test(c, test_curvature);
  tcase_add_test(c, test_payout);
  tcase_add_test(c, test_snapshot);
  return run_suite(suite) ? EXIT_FAILURE : EXIT_SUCCESS;
}
