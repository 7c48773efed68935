// Pay-out and recovery of the model: the ledger with splits and merges, in space and with each kind of
// hang-off; a tally that does not move; snapshots across a change of the mesh; a tally that ends.
#include "sagbend/lay/lay.h"

#include "continue.h"

enum { MOST_SETS = 16 };

// Current across the lay direction that rises within seconds, friction along and across, twist by an uneven
// load.
static const char *const IN_SPACE[] = {
    "environment.seabed_friction_axial=0.5",  "environment.seabed_friction_lateral=0.7",
    "statics.horizontal_force_n=400e3",       "vessel.hangoff_b_m=[-5, 3, 2]",
    "pipe.added_mass_transverse=1",           "pipe.added_mass_axial=0.1",
    "loads.0.wrench=[0, 100e3, 0, 0, 0, 2e7]"};
enum { IN_SPACE_COUNT = sizeof IN_SPACE / sizeof *IN_SPACE };

static struct sim_def lay_def(double step_s, int count, const char *const *more) {
  const char *sets[MOST_SETS + IN_SPACE_COUNT];
  memcpy(sets, IN_SPACE, sizeof IN_SPACE);
  for (int i = 0; i < count; i++)
    sets[IN_SPACE_COUNT + i] = more[i];
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", IN_SPACE_COUNT + count, sets);
  def.step_s = step_s;
  def.pipe.payout =
      (struct payout_def){.row_count = 2,
                          .row = {{.start_s = 1, .length_m = 20, .speed_mps = 1, .ramp_s = 4},
                                  {.start_s = 26, .length_m = -40, .speed_mps = 1, .ramp_s = 4}},
                          .elements_max = 310};
  return def;
}

static double scale_of(const struct ledger *l) {
  return fabs(l->total_work_j[PORT_TENSIONER]);
}

START_TEST(test_programme) {
  const struct payout_def def = {.row_count = 2,
                                 .row = {{.start_s = 10, .length_m = 30, .speed_mps = 0.5, .ramp_s = 8},
                                         {.start_s = 100, .length_m = -12, .speed_mps = 1.5, .ramp_s = 8}}};
  double most = 0;
  for (double t = 0; t < 130; t += 0.25) {
    double slope = (payout_length(&def, t + 1e-4) - payout_length(&def, t - 1e-4)) / 2e-4;
    ck_assert_double_eq_tol(slope, payout_speed(&def, t), 1e-6);
    most = fmax(most, fabs(payout_speed(&def, t)));
  }
  ck_assert_double_eq_tol(most, 1.5, 1e-12);
  ck_assert(payout_length(&def, 10) == 0 && payout_length(&def, 90) == 30 && payout_length(&def, 200) == 18);
}
END_TEST

// The ledger closes through splits and merges.
static void check_ledger(const char *name, double step_s, int splits, int merges, int count,
                         const char *const *sets) {
  struct sim_def def = lay_def(step_s, count, sets);
  struct sim *s = shipped_create(&def);
  struct sim_output o;
  run_to(s, 75);
  sim_get_output(s, &o);
  const struct ledger *l = sim_ledger(s);
  double share = fabs(l->total_work_j[PORT_REMESH]) / scale_of(l);
  const uint64_t solver = UINT64_C(1) << EVENT_STEP_DIVIDED | UINT64_C(1) << EVENT_NEWTON_CAP;
  printf("%-34s closure %.1e, remesh %.1f J, %.1e of the tensioner, %.2f iterations\n", name,
         ledger_closure_rel(l), l->total_work_j[PORT_REMESH], share, o.newton_mean);
  ck_assert_double_le(ledger_closure_rel(l), 2e-11); // vessel and current are violent, as is the rounding
  ck_assert_double_le(share, 5e-5);
  ck_assert_uint_eq(o.events & solver, 0);
  ck_assert_uint_eq(s->state.payout.splits, splits);
  ck_assert_uint_eq(s->state.payout.merges, merges);
  ck_assert_int_eq(sim_node_count(s), def.pipe.elements + 1 + splits - merges);
  ck_assert_double_eq_tol(o.paid_out_m, -20, 1e-9);
  ck_assert_double_eq_tol(s->state.mesh.pipe.arc_m[sim_node_count(s) - 1], 1480, 1e-9);
  for (int i = 0; i < LOSS_COUNT; i++)
    ck_assert_double_ge(l->total_loss_j[i], 0);
  shipped_free(s);
}

START_TEST(test_ledger) {
  static const char *const clamped[] = {"pipe.hangoff={kind: clamped, angle_deg: auto}", "pipe.elements=300"};
  static const char *const moved[] = {
      "pipe.hangoff={kind: moved, motion: {radius_m: 2, period_s: 15, ramp_s: 15}}"};
  static const char *const morison[] = {"pipe.added_mass_form=morison"};
  check_ledger("pinned, 20 ms", 0.02, 2, 3, 0, NULL);
  check_ledger("pinned, 50 ms", 0.05, 2, 3, 0, NULL);
  check_ledger("pinned, 100 ms", 0.1, 2, 3, 0, NULL);
  check_ledger("clamped, 50 ms", 0.05, 4, 8, 2, clamped);
  check_ledger("moved, 50 ms", 0.05, 2, 3, 1, moved);
  check_ledger("pinned, 50 ms, Morison", 0.05, 2, 3, 1, morison);
}
END_TEST

// A split leaves no vibration of stiff elements behind, which would cost a second iteration for long.
START_TEST(test_quiet_split) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m-payout", 0, NULL);
  const double step_s = def.step_s = 0.02;
  struct sim *s = shipped_create(&def);
  while (s->state.payout.splits == 0)
    sim_step(s, NULL);
  run_to(s, sim_time_s(s) + 1);
  const uint64_t before = s->run.newton_total;
  const double start_s = sim_time_s(s);
  double most = 0, last[2] = {0};
  while (sim_time_s(s) < start_s + 10) {
    sim_step(s, NULL);
    const int node = sim_node_count(s) - 3;
    const double rate = s->state.pipe.omega_t[1][node];
    if (sim_time_s(s) > start_s + 3 * step_s)
      most = fmax(most, fabs(rate - 2 * last[0] + last[1]) / 4);
    last[1] = last[0], last[0] = rate;
  }
  const double iterations = (double)(s->run.newton_total - before) / (10 / step_s);
  printf("after a split: %.2f iterations, rotation rates alternate by %.1e rad/s\n", iterations, most);
  ck_assert_double_le(iterations, 1.3); // with interpolated velocities 2.0 and 3e-4 rad/s
  ck_assert_double_le(most, 2e-5);
  shipped_free(s);
}
END_TEST

// Waves of short elements change their sign in each step. A split must not enlarge them: what it adds would
// grow from split to split, while the port remesh feeds it and the ledger closes.
static void check_no_alternation(int elements, double step_s) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m-payout", 0, NULL);
  def.step_s = step_s;
  def.pipe.elements = elements;
  def.pipe.payout =
      (struct payout_def){.row_count = 1,
                          .row = {{.start_s = 10, .length_m = 190, .speed_mps = 0.4, .ramp_s = 10}},
                          .elements_max = 700};
  struct sim *s = shipped_create(&def);
  struct sim_output o;
  double tension_n[3] = {0}, most_n = 0;
  while (sim_time_s(s) < 477.5) {
    sim_step(s, NULL);
    sim_get_output(s, &o);
    tension_n[2] = tension_n[1], tension_n[1] = tension_n[0], tension_n[0] = o.hangoff_tension_n;
    if (sim_time_s(s) > 473.5) // no split from here on
      most_n = fmax(most_n, fabs(tension_n[1] - 0.5 * (tension_n[0] + tension_n[2])) / 2);
  }
  const double remesh_j = sim_ledger(s)->total_work_j[PORT_REMESH];
  printf("%d elements, steps of %g s: amplitude %.1e N, remesh %.2f J, %.2f iterations, closure %.1e\n",
         elements, step_s, most_n, remesh_j, o.newton_mean, ledger_closure_rel(sim_ledger(s)));
  ck_assert_double_lt(most_n, 1); // with a rate from velocities 190 kN and 90 kN
  ck_assert(remesh_j < 0 && remesh_j > -10);
  ck_assert_double_lt(o.newton_mean, 2);
  ck_assert_uint_eq(o.events >> EVENT_TENSION_ALTERNATES & 1, 0);
  ck_assert_double_eq_tol(o.paid_out_m, 0.4 * 462.5, 1e-9);
  shipped_free(s);
}

START_TEST(test_short_elements) {
  const double step_s = _i ? 0.1 : 0.02;
  if (scene_is_run(step_s))
    check_no_alternation(_i ? 300 : 600, step_s);
}
END_TEST

// A tally that does not move changes no bit, and the tension at the grip is that at the hang-off and the
// energy per length of the element.
START_TEST(test_locked) {
  struct sim_def def = lay_def(0.05, 0, NULL);
  def.pipe.payout.row[0].start_s = 1000, def.pipe.payout.row[1].start_s = 2000;
  struct sim *feeding = shipped_create(&def);
  def.pipe.payout.row_count = 0;
  struct sim *plain = shipped_create(&def);
  run_to(feeding, 10), run_to(plain, 10);
  ck_assert_int_eq(sim_node_count(feeding), sim_node_count(plain));
  for (int i = 0; i < sim_node_count(plain); i++)
    for (int c = 0; c < 3; c++) {
      ck_assert(feeding->state.pipe.r_n[c][i] == plain->state.pipe.r_n[c][i]);
      ck_assert(feeding->state.pipe.v_n[c][i] == plain->state.pipe.v_n[c][i]);
      ck_assert(feeding->state.pipe.omega_t[c][i] == plain->state.pipe.omega_t[c][i]);
    }
  ck_assert(!memcmp(&feeding->state.vessel, &plain->state.vessel, sizeof plain->state.vessel));
  struct sim_output a, b;
  sim_get_output(feeding, &a), sim_get_output(plain, &b);
  double more = b.hangoff_tension_n * b.hangoff_tension_n / (2 * 1.5569e10);
  ck_assert_double_eq_tol(a.hangoff_tension_n - b.hangoff_tension_n, more, 0.2 * more);
  ck_assert_double_eq(sim_ledger(feeding)->turnover_j, sim_ledger(plain)->turnover_j);
  shipped_free(feeding), shipped_free(plain);
}
END_TEST

// A snapshot after a split continues in a simulator that has not made it, to the same bits.
START_TEST(test_snapshot) {
  struct sim_def def = lay_def(0.1, 0, NULL);
  struct sim *first = shipped_create(&def), *second = shipped_create(&def);
  run_to(first, 15);
  ck_assert_uint_eq(first->state.payout.splits, 1);
  size_t size;
  unsigned char *bytes = hand_over(first, second, &size);
  check_both_go_on(first, second, bytes, size, run_to, 70); // back to more elements
  ck_assert_uint_eq(first->state.payout.merges, 3);

  struct snapshot_head head;
  memcpy(&head, bytes, sizeof head);
  head.elements = head.payout.elements = 311;
  check_head_is_refused(second, bytes, size, &head, "payout.elements");
  free(bytes);
  shipped_free(first), shipped_free(second);
}
END_TEST

// Where no element is left the tensioner brakes, with an event.
static void check_end(double length_m, int elements_max, int elements_end) {
  struct sim_def def = lay_def(0.05, 0, NULL);
  def.pipe.payout =
      (struct payout_def){.row_count = 1,
                          .row = {{.start_s = 1, .length_m = length_m, .speed_mps = 2, .ramp_s = 4}},
                          .elements_max = elements_max};
  struct mesh_segment mesh[2] = {{1410, 94, 0}, {90, 6, 0}};
  memcpy(def.pipe.mesh, mesh, sizeof mesh);
  def.pipe.mesh_segment_count = 2;
  struct sim *s = shipped_create(&def);
  struct sim_output o;
  run_to(s, 80);
  sim_get_output(s, &o);
  ck_assert(o.events >> EVENT_TALLY_ENDED & 1);
  ck_assert(o.payout_mps == 0);
  ck_assert_int_eq(s->state.mesh.pipe.elements, elements_end);
  ck_assert_double_gt(s->state.payout.top_m, 0.5);
  ck_assert_double_lt(s->state.payout.top_m, 25);
  ck_assert_double_le(ledger_closure_rel(sim_ledger(s)), 1e-12);
  shipped_free(s);
}

START_TEST(test_tally_ends) {
  check_end(100, 102, 102);
  check_end(-100, 0, 96);
}
END_TEST

// Steps that Newton's method does not solve stay passive, and the ledger closes.
START_TEST(test_unsolved) {
  check_unsolved_steps(lay_def(0.1, 0, NULL), 60);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("core_model_payout");
  TCase *t = add_case(suite, "payout", 60);
  tcase_add_test(t, test_programme);
  tcase_add_test(t, test_ledger);
  tcase_add_test(t, test_quiet_split);
  tcase_add_loop_test(t, test_short_elements, 0, 2);
  tcase_add_test(t, test_locked);
  tcase_add_test(t, test_snapshot);
  tcase_add_test(t, test_tally_ends);
  tcase_add_test(t, test_unsolved);
  return run_suite(suite);
}
