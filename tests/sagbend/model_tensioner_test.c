// The tensioner that obeys a law, in the model: the ledger through its modes with splits and merges, a free
// vessel that heaves on brake and on constant tension, slip of a brake, order in time, snapshots, the end of
// the tally, steps without a solution.
#include "sagbend/growing/growing.h"
#include "sagbend/lay/lay.h"
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipeline/pipeline.h"

#include "continue.h"

static const double HEAVE_N = 1.33e7; // moves the vessel by about 1.2 m up and down

// The 30-inch J-lay whose vessel a vertical force lets heave with a period of 10 s.
static struct sim_def heaving_def(double step_s, double heave_n, struct tensioner_order order) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
  def.step_s = step_s;
  def.pipe.tensioner = scene_tensioner();
  def.pipe.tensioner.order[0] = order;
  def.pipe.payout.elements_max = 160;
  def.env.load_count = 2;
  def.env.loads[0] = (struct load_def){
      LOAD_WORLD, {0, 0, heave_n, 0, 0, 0}, {.start_s = 0.1, .ramp_s = 20, .variation = 1, .period_s = 10}};
  def.env.loads[1] = (struct load_def){LOAD_WORLD, {0, 0, -heave_n, 0, 0, 0}, {.start_s = 0.1, .ramp_s = 20}};
  return def;
}

struct heave {
  double lowest_n, highest_n, slip_m, loss_j, closure, iterations;
};

// Tension from 40 s to the end.
static struct heave heave_of(const char *name, const struct sim_def *def, double end_s) {
  struct heave x = {.lowest_n = (double)INFINITY};
  struct sim *s = shipped_create(def);
  struct sim_output o;
  while (sim_time_s(s) < end_s - 0.5 * def->step_s) {
    sim_step(s, NULL);
    if (sim_time_s(s) < 40)
      continue;
    x.lowest_n = fmin(x.lowest_n, s->state.tensioner.holding_n);
    x.highest_n = fmax(x.highest_n, s->state.tensioner.holding_n);
  }
  const struct ledger *l = sim_ledger(s);
  sim_get_output(s, &o);
  x.slip_m = s->state.payout.paid_m, x.loss_j = l->total_loss_j[LOSS_TENSIONER];
  x.closure = ledger_closure_rel(l), x.iterations = o.newton_mean;
  printf("%-28s %3.0f ms: %.0f to %.0f kN, %.3f m out, loss %.3f MJ, closure %.1e, %.2f iterations\n", name,
         1e3 * def->step_s, 1e-3 * x.lowest_n, 1e-3 * x.highest_n, x.slip_m, 1e-6 * x.loss_j, x.closure,
         x.iterations);
  ck_assert_uint_eq(s->run.not_converged_count + s->run.divided_count, 0);
  ck_assert_double_le(x.closure, 1e-12);
  shipped_free(s);
  return x;
}

// The figures of a prototype in the plane: brake 1.15 to 1.87 MN, constant tension with a dead band of 200 kN
// 1.35 to 1.67 MN, of 40 kN 1.42 to 1.60 MN.
START_TEST(test_heave) {
  struct sim_def def = heaving_def(0.05, HEAVE_N, (struct tensioner_order){.mode = TENSIONER_BRAKE});
  struct heave brake = heave_of("brake", &def, 120);
  ck_assert_double_eq_tol(brake.lowest_n, 1.15e6, 2e4);
  ck_assert_double_eq_tol(brake.highest_n, 1.87e6, 2e4);

  def = heaving_def(0.05, HEAVE_N, (struct tensioner_order){.mode = TENSIONER_TENSION, .tension_n = 1.51e6});
  struct heave wide = heave_of("tension, band of 200 kN", &def, 120);
  ck_assert_double_eq_tol(wide.lowest_n, 1.35e6, 2e4);
  ck_assert_double_eq_tol(wide.highest_n, 1.67e6, 2e4);
  def.pipe.tensioner.dead_band_n = 4e4;
  struct heave narrow = heave_of("tension, band of 40 kN", &def, 120);
  ck_assert_double_eq_tol(narrow.lowest_n, 1.42e6, 2e4);
  ck_assert_double_eq_tol(narrow.highest_n, 1.60e6, 2e4);
  ck_assert_double_gt(narrow.loss_j, 1e6);
}
END_TEST

// A brake that slips exerts what it holds and not more; the way does not depend on the step.
START_TEST(test_slip) {
  double way[3];
  for (int k = 0; k < 3; k++) {
    const double steps[] = {0.02, 0.05, 0.1};
    struct sim_def def = heaving_def(steps[k], HEAVE_N, (struct tensioner_order){.mode = TENSIONER_BRAKE});
    def.pipe.tensioner.brake_n = 1.6e6;
    struct heave x = heave_of("slipping brake", &def, 120);
    ck_assert_double_le(x.highest_n, 1.6e6 * (1 + 1e-9));
    ck_assert_double_eq_tol(x.loss_j, 1.6e6 * x.slip_m, 1e-2 * x.loss_j);
    way[k] = x.slip_m;
  }
  ck_assert_double_gt(way[0], 10);
  ck_assert_double_eq_tol(way[1], way[0], 2e-3 * way[0]);
  ck_assert_double_eq_tol(way[2], way[0], 5e-3 * way[0]);
}
END_TEST

// In space, through all modes, with splits and merges.
static struct sim_def modes_def(double step_s, int clamped) {
  const char *const sets[] = {"environment.seabed_friction_axial=0.5",
                              "environment.seabed_friction_lateral=0.7",
                              "statics.horizontal_force_n=400e3",
                              "vessel.hangoff_b_m=[-5, 3, 2]",
                              "pipe.added_mass_transverse=1",
                              "pipe.added_mass_axial=0.1",
                              "loads.0.wrench=[0, 100e3, 0, 0, 0, 2e7]",
                              "pipe.hangoff={kind: clamped, angle_deg: auto}",
                              "pipe.elements=300"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", clamped ? 9 : 7, sets);
  def.step_s = step_s;
  def.pipe.tensioner = scene_tensioner();
  def.pipe.payout.elements_max = 340;
  struct tensioner_def *t = &def.pipe.tensioner;
  t->order_count = 6;
  t->order[0] = (struct tensioner_order){.mode = TENSIONER_BRAKE};
  t->order[1] = (struct tensioner_order){5, TENSIONER_SPEED, 0, 1};
  t->order[2] = (struct tensioner_order){40, TENSIONER_TENSION, 1.8e6, 0};
  t->order[3] = (struct tensioner_order){55, TENSIONER_SPEED, 0, -1};
  t->order[4] = (struct tensioner_order){95, TENSIONER_TENSION, 1.5e6, 0};
  t->order[5] = (struct tensioner_order){110, TENSIONER_BRAKE, 0, 0};
  return def;
}

static void check_modes(const char *name, double step_s, int clamped) {
  struct sim_def def = modes_def(step_s, clamped);
  struct sim *s = shipped_create(&def);
  struct sim_output o;
  for (double t = 5; t <= 120; t += 5) {
    run_to(s, t);
    for (int i = 0; i < LOSS_COUNT; i++)
      ck_assert_double_ge(sim_ledger(s)->loss_j[i], 0);
  }
  sim_get_output(s, &o);
  const struct ledger *l = sim_ledger(s);
  double share = fabs(l->total_work_j[PORT_REMESH] / l->total_work_j[PORT_TENSIONER]);
  printf("%-16s closure %.1e, remesh %.1f J, %.1e of the tensioner; %.2f m out, %d splits, %d merges, %.2f "
         "iterations\n",
         name, ledger_closure_rel(l), l->total_work_j[PORT_REMESH], share, o.paid_out_m,
         (int)s->state.payout.splits, (int)s->state.payout.merges, o.newton_mean);
  ck_assert_double_le(ledger_closure_rel(l), 2e-11);
  ck_assert_uint_eq(s->run.not_converged_count, 0);
  ck_assert_uint_gt(s->state.payout.splits, 0);
  ck_assert_uint_gt(s->state.payout.merges, 0);
  ck_assert_double_lt(fabs(o.payout_mps), 0.01);
  for (int i = 0; i < LOSS_COUNT; i++)
    ck_assert_double_ge(l->total_loss_j[i], 0);
  shipped_free(s);
}

// A heavy drive in short steps: its inertia over a step is so stiff that a length with the digits of the
// element's own would leave more than the tolerance of the balance.
START_TEST(test_heavy_drive) {
  struct sim_def def = heaving_def(0.002, 0, (struct tensioner_order){.mode = TENSIONER_BRAKE});
  def.pipe.tensioner.mass_kg = 2e6;
  def.pipe.tensioner.brake_n = 1.2e6; // less than the tension, so that it slips from the start
  struct sim *s = shipped_create(&def);
  run_to(s, 2);
  printf("heavy drive: %.4f m out, %.2f iterations\n", s->state.payout.paid_m,
         (double)s->run.newton_total / (double)s->run.step);
  ck_assert_double_gt(s->state.payout.paid_m, 0.001);
  ck_assert_uint_eq(s->run.not_converged_count + s->run.divided_count, 0);
  ck_assert_double_le(ledger_closure_rel(sim_ledger(s)), 1e-11);
  shipped_free(s);
}
END_TEST

START_TEST(test_modes) {
  check_modes("pinned, 20 ms", 0.02, 0);
  check_modes("pinned, 50 ms", 0.05, 0);
  check_modes("pinned, 100 ms", 0.1, 0);
  check_modes("clamped, 50 ms", 0.05, 1);
}
END_TEST

// The set tension follows an order at the rate of the drive.
START_TEST(test_ramp) {
  const struct tensioner_order order = {.mode = TENSIONER_TENSION, .tension_n = 1.7e6};
  struct sim_def def = heaving_def(0.05, 0, order);
  def.pipe.tensioner.ramp_nps = 3e4;
  struct sim *s = shipped_create(&def);
  run_to(s, 1);
  const double before_n = s->state.tensioner.set_n;
  run_to(s, 3);
  ck_assert_double_eq_tol(s->state.tensioner.set_n - before_n, 6e4, 1e-3);
  shipped_free(s);
}
END_TEST

// Errors of tension, length and place against a fine step fall by four as the step is halved: on constant
// tension, within the dead band and beyond it, without a split. The grip is soft, so that the steps resolve
// it. Root mean squares over instants, and the mean ratio of three halvings: an error of the length depends
// on where in a step the pipe turns back in the grip.
enum { QUANTITIES = 4, INSTANTS = 50 };
struct course {
  double value[INSTANTS][QUANTITIES]; // tension, length paid out, height of a node, heave
};

static void course_of(double step_s, struct course *course) {
  const struct tensioner_order order = {.mode = TENSIONER_TENSION, .tension_n = 1510272};
  struct sim_def def = heaving_def(step_s, 0.6 * HEAVE_N, order);
  def.pipe.tensioner.dead_band_n = 1e5;
  def.pipe.tensioner.stiffness_npm = 2e6;
  def.env.loads[0].profile.period_s = 9.37; // no multiple of the steps
  struct sim *s = shipped_create(&def);
  const int n = s->state.mesh.pipe.nodes - 1;
  for (int k = 0; k < INSTANTS; k++) {
    run_to(s, 12 + 0.4 * k);
    struct growing_element top = pipe_still_element(&s->state.mesh.pipe, &s->state.pipe, n - 1);
    double *value = course->value[k];
    value[0] = growing_element_grip_n(&top), value[1] = s->state.payout.paid_m;
    value[2] = s->state.pipe.r_n[2][80], value[3] = s->state.vessel.x_n.z;
  }
  ck_assert_uint_eq(s->state.payout.splits + s->state.payout.merges, 0);
  shipped_free(s);
}

static double distance(const struct course *a, const struct course *b, int quantity) {
  double sum = 0;
  for (int k = 0; k < INSTANTS; k++) {
    double d = a->value[k][quantity] - b->value[k][quantity];
    sum += d * d;
  }
  return sqrt(sum / INSTANTS);
}

START_TEST(test_order) {
  static const char *const names[QUANTITIES] = {"tension", "length", "node", "heave"};
  enum { STEPS = 4 };
  static struct course at[STEPS], fine;
  course_of(0.001, &fine);
  for (int k = 0; k < STEPS; k++)
    course_of(0.04 / (1 << k), &at[k]);
  for (int c = 0; c < QUANTITIES; c++) {
    double error[STEPS];
    printf("%-8s", names[c]);
    for (int k = 0; k < STEPS; k++) {
      error[k] = distance(&at[k], &fine, c);
      printf(" %.2e%s", error[k], k + 1 < STEPS ? "," : "; ratios");
    }
    for (int k = 1; k < STEPS; k++)
      printf(" %.2f", error[k - 1] / error[k]);
    double mean = cbrt(error[0] / error[STEPS - 1]);
    printf(", mean %.2f\n", mean);
    ck_assert_double_gt(mean, 3.5);
    ck_assert_double_lt(mean, c == 0 || c == 3 ? 4.5 : 5);
  }
}
END_TEST

START_TEST(test_snapshot) {
  struct sim_def def = modes_def(0.1, 0);
  struct sim *first = shipped_create(&def), *second = shipped_create(&def);
  run_to(first, 48);
  size_t size;
  unsigned char *bytes = hand_over(first, second, &size);
  check_both_go_on(first, second, bytes, size, run_to, 100);
  struct snapshot_head head;
  memcpy(&head, bytes, sizeof head);
  head.tensioner.mode = 7;
  check_head_is_refused(second, bytes, size, &head, "tensioner.mode");
  free(bytes);
  shipped_free(first), shipped_free(second);
}
END_TEST

// Where no element is left the brake engages, with an event, whatever was ordered.
static void check_end(struct tensioner_order order, int elements_max, int elements_end) {
  struct sim_def def = heaving_def(0.05, 0, order);
  struct mesh_segment mesh[2] = {{1410, 94, 0}, {90, 6, 0}};
  memcpy(def.pipe.mesh, mesh, sizeof mesh);
  def.pipe.mesh_segment_count = 2;
  def.pipe.payout.elements_max = elements_max;
  struct sim *s = shipped_create(&def);
  struct sim_output o;
  run_to(s, 200);
  sim_get_output(s, &o);
  printf("end of the tally: %d elements, the top %.2f m, %.2e m/s, closure %.1e\n",
         s->state.mesh.pipe.elements, s->state.payout.top_m, o.payout_mps, ledger_closure_rel(sim_ledger(s)));
  ck_assert(o.events >> EVENT_TALLY_ENDED & 1);
  ck_assert_double_lt(fabs(o.payout_mps), 1e-3);
  ck_assert_int_eq(s->state.mesh.pipe.elements, elements_end);
  ck_assert_double_gt(s->state.payout.top_m, 0.5);
  ck_assert_double_lt(s->state.payout.top_m, 25);
  ck_assert_double_le(ledger_closure_rel(sim_ledger(s)), 1e-12);
  shipped_free(s);
}

START_TEST(test_tally_ends) {
  check_end((struct tensioner_order){.mode = TENSIONER_SPEED, .speed_mps = 1}, 102, 102);
  check_end((struct tensioner_order){.mode = TENSIONER_SPEED, .speed_mps = -1}, 0, 96);
  check_end((struct tensioner_order){.mode = TENSIONER_TENSION, .tension_n = 2.2e6}, 0, 96);
}
END_TEST

// A runaway: the brake has failed and holds nothing.
START_TEST(test_runaway) {
  struct sim_def def = heaving_def(0.05, 0, (struct tensioner_order){.mode = TENSIONER_BRAKE});
  def.pipe.tensioner.brake_n = 0;
  struct sim *s = shipped_create(&def);
  run_to(s, 3);
  printf("runaway: %.2f m out after 3 s, %.2f m/s, %llu unsolved, closure %.1e\n", s->state.payout.paid_m,
         s->state.payout.speed_mps, (unsigned long long)s->run.not_converged_count,
         ledger_closure_rel(sim_ledger(s)));
  ck_assert_double_gt(s->state.payout.speed_mps, 1);
  ck_assert_double_le(ledger_closure_rel(sim_ledger(s)), 1e-12);
  shipped_free(s);
}
END_TEST

// Steps that Newton's method does not solve stay passive, and the ledger closes.
START_TEST(test_unsolved) {
  check_unsolved_steps(modes_def(0.1, 0), 60);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("core_model_tensioner");
  TCase *t = add_case(suite, "tensioner", 60);
  tcase_add_test(t, test_heave);
  tcase_add_test(t, test_slip);
  tcase_add_test(t, test_heavy_drive);
  tcase_add_test(t, test_modes);
  tcase_add_test(t, test_ramp);
  tcase_add_test(t, test_order);
  tcase_add_test(t, test_snapshot);
  tcase_add_test(t, test_tally_ends);
  tcase_add_test(t, test_runaway);
  tcase_add_test(t, test_unsolved);
  return run_suite(suite);
}
