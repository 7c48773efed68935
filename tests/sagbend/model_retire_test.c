// Laid pipe that retires and returns: the ledger, the tension beside a pipe that is computed as a whole, what
// a snapshot holds, a store that is too small.
#include "sagbend/lay/lay.h"

#include "continue.h"

static struct sim_def lay_def(double anchor_m, int stored_max) {
  static const char *const sets[] = {
      "environment.seabed_friction_axial=0.5", "environment.seabed_friction_lateral=0.7",
      "statics.horizontal_force_n=400e3",      "vessel.hangoff_b_m=[-5, 3, 2]",
      "pipe.added_mass_transverse=1",          "pipe.added_mass_axial=0.1"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", sizeof sets / sizeof *sets, sets);
  def.step_s = 0.1;
  def.env.current = (struct current_def){0};
  def.pipe.payout =
      (struct payout_def){.row_count = 2,
                          .row = {{.start_s = 1, .length_m = 100, .speed_mps = 1, .ramp_s = 5},
                                  {.start_s = 120, .length_m = -160, .speed_mps = 1, .ramp_s = 5}},
                          .elements_max = 110};
  def.pipe.retire = (struct retire_def){.anchor_m = anchor_m, .stored_max = stored_max};
  return def;
}

static struct sim_output output_of(const struct sim *s) {
  struct sim_output o;
  sim_get_output(s, &o);
  return o;
}

// What retires is stored as it was, and returns so: node 0 is held, and its friction stays what it was while
// its neighbours rest.
START_TEST(test_round_trip) {
  struct sim_def def = lay_def(150, 100);
  struct sim *s = shipped_create(&def);
  const struct pipe_state *x = &s->state.pipe;
  int retired = 0, returned = 0;
  double gripped_m = 0;
  while (sim_time_s(s) < 295) {
    const uint64_t before = s->state.retire.retired;
    const double place[3] = {x->r_n[0][0], x->r_n[1][0], x->r_n[2][0]},
                 friction[2] = {x->friction_elongation_m[0][0], x->friction_elongation_m[1][0]};
    struct laid_node newest = {.time_s = 0};
    if (before > 0)
      newest = *retire_newest(&s->state);
    sim_step(s, NULL);
    if (s->state.retire.retired > before) {
      const struct laid_node *node = retire_newest(&s->state);
      for (int c = 0; c < 3; c++)
        ck_assert_double_eq_tol(node->r_n[c], place[c], 1e-9);
      for (int d = 0; d < 2; d++)
        ck_assert_double_eq_tol(node->friction_elongation_m[d], friction[d],
                                1e-3 * fabs(friction[d]) + 1e-12);
      gripped_m = fmax(gripped_m, fabs(friction[0]));
      retired++;
    } else if (s->state.retire.retired < before) {
      for (int c = 0; c < 3; c++)
        ck_assert_double_eq(newest.r_n[c], x->r_n[c][0]);
      for (int d = 0; d < 2; d++)
        ck_assert_double_eq(newest.friction_elongation_m[d], x->friction_elongation_m[d][0]);
      returned++;
    }
  }
  printf("%d retired, %d returned, largest elongation of a spring of friction %.3g m\n", retired, returned,
         gripped_m);
  ck_assert_int_gt(retired, 10);
  ck_assert_int_gt(returned, 5);
  ck_assert_double_gt(gripped_m, 1e-6);
  shipped_free(s);
}
END_TEST

// Beside a pipe of which nothing retires.
START_TEST(test_out_and_back) {
  struct sim_def whole_def = lay_def(0, 0), def = lay_def(150, 100);
  struct sim *whole = shipped_create(&whole_def), *s = shipped_create(&def);
  uint64_t most = 0, before = 0;
  int returned = 0;
  double apart = 0;
  while (sim_time_s(s) < 295) {
    sim_step(s, NULL), sim_step(whole, NULL);
    returned += s->state.retire.retired < before;
    before = s->state.retire.retired;
    most = before > most ? before : most;
    struct sim_output a = output_of(s), b = output_of(whole);
    apart = fmax(apart, fabs(a.hangoff_tension_n - b.hangoff_tension_n));
    ck_assert_int_eq(s->state.mesh.pipe.elements + (int)before, whole->state.mesh.pipe.elements);
    ck_assert_double_eq_tol(s->state.mesh.pipe.arc_m[s->state.mesh.pipe.elements],
                            whole->state.mesh.pipe.arc_m[whole->state.mesh.pipe.elements], 1e-9);
    ck_assert_double_eq_tol(a.touchdown_arc_length_m, b.touchdown_arc_length_m, 0.5);
  }
  const struct ledger *l = sim_ledger(s);
  printf("closure %.1e, %llu retired, %d returned, %llu left, tension within %.1f N, port retired %.3g J\n",
         ledger_closure_rel(l), (unsigned long long)most, returned,
         (unsigned long long)s->state.retire.retired, apart, l->total_work_j[PORT_RETIRED]);
  ck_assert_uint_gt(most, 10);
  ck_assert_int_gt(returned, 5);
  ck_assert_double_le(ledger_closure_rel(l), 1e-12);
  ck_assert_double_le(apart, 3e4); // waves along the pipe from its sudden stop return from its lower end
  ck_assert_double_eq_tol(output_of(s).hangoff_tension_n, output_of(whole).hangoff_tension_n, 1e-3 * 1.7e6);
  ck_assert_uint_eq(output_of(s).events & UINT64_C(1) << EVENT_STORE_EMPTY, 0);
  shipped_free(s), shipped_free(whole);
}
END_TEST

// On clay that softens the ground below a node goes with it, and returns so.
START_TEST(test_soft_clay) {
  struct sim_def def = lay_def(150, 100);
  def.env.seabed = SEABED_SOIL;
  def.env.soil = (struct soil_def){.model = SOIL_CLAY,
                                   .strength_pa = 3000,
                                   .gradient_papm = 1500,
                                   .weight_npm3 = 5000,
                                   .stiffness = 200,
                                   .suction = 0.6,
                                   .suction_depth = 1,
                                   .dynamic_factor = 1,
                                   .sensitivity = 3,
                                   .softening_m = 0.5};
  struct sim *s = shipped_create(&def);
  struct pipe_state *x = &s->state.pipe;
  double remoulded[100] = {0}, deepest[100] = {0};
  int returned = 0;
  for (int i = 0; i < 30; i++) // each ground another one, by so little that the pipe stays where it lies
    x->remoulded[0][i] = 1e-6 * (i + 1);
  while (sim_time_s(s) < 295) {
    const uint64_t before = s->state.retire.retired;
    remoulded[before] = x->remoulded[0][0], deepest[before] = x->soil_m[SOIL_LAYERS][0];
    sim_step(s, NULL);
    const uint64_t now = s->state.retire.retired;
    ck_assert_uint_lt(now, 100);
    if (now >= before)
      continue;
    ck_assert_double_gt(x->remoulded[0][0], 0);
    ck_assert_double_eq(x->remoulded[0][0], remoulded[now]);
    ck_assert_double_eq(x->soil_m[SOIL_LAYERS][0], deepest[now]);
    returned++;
  }
  ck_assert_int_gt(returned, 5);
  ck_assert_double_le(ledger_closure_rel(sim_ledger(s)), 1e-9);
  shipped_free(s);
}
END_TEST

// A wire that lies retires as pipe does, and returns where the vessel goes back: the initiation, whose vessel
// goes astern over the laid wire and ahead again. Beside the same wire of which nothing retires.
START_TEST(test_wire) {
  const char *const sets[] = {"simulation.step_s=0.1", "pipe.retire={anchor_m: 80}"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-300m-initiation", 2, sets),
                 whole_def = shipped_scene(TEST_SOURCE_DIR, "jlay-300m-initiation", 1, sets);
  struct sim *s = shipped_create(&def), *whole = shipped_create(&whole_def);
  ck_assert(pipe_is_wire(&s->state.mesh.pipe, 0));
  uint64_t most = 0, before = 0;
  int returned = 0;
  double apart = 0;
  while (sim_time_s(s) < 160) {
    // Astern, which lays wire, then ahead; 150 kN hold it.
    const double wrench_b[6] = {150e3 + (sim_time_s(s) < 60 ? -6e5 : 6e5)};
    const struct sim_input input = {.wrench_b = wrench_b};
    sim_step(s, &input), sim_step(whole, &input);
    returned += s->state.retire.retired < before;
    before = s->state.retire.retired;
    most = before > most ? before : most;
    apart = fmax(apart, fabs(output_of(s).hangoff_tension_n - output_of(whole).hangoff_tension_n) /
                            output_of(whole).hangoff_tension_n);
  }
  const struct ledger *l = sim_ledger(s);
  printf("wire: %llu retired, %d returned, tension within %.1e, closure %.1e, %d unsolved\n",
         (unsigned long long)most, returned, apart, ledger_closure_rel(l), (int)s->run.not_converged_count);
  ck_assert_uint_gt(most, 3);
  ck_assert_int_gt(returned, 3);
  ck_assert_double_le(ledger_closure_rel(l), 1e-12);
  ck_assert_uint_eq(s->run.not_converged_count, 0);
  ck_assert_double_le(apart, 0.1); // waves along the wire return from where it is held
  shipped_free(s), shipped_free(whole);
}
END_TEST

static double largest_difference(const struct pipe_mesh *p, double *const a[3], double *const b[3]) {
  double most = 0;
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < p->nodes; i++)
      most = fmax(most, fabs(a[c][i] - b[c][i]));
  return most;
}

// The history from which a step is predicted goes along when the mesh changes and through snapshots. It
// decides where the iteration begins, and not what it finds: without it the next step is the same to the
// tolerance.
START_TEST(test_history) {
  struct sim_def def = lay_def(150, 100);
  struct sim *s = shipped_create(&def), *without = shipped_create(&def);
  uint64_t changes = 0, with_it = 0, without_it = 0;
  double apart_m = 0, apart_mps = 0;
  int compared = 0;
  while (sim_time_s(s) < 295) {
    const uint64_t before = changes;
    const struct payout_state *payout = &s->state.payout;
    sim_step(s, NULL);
    changes = payout->splits + payout->merges + s->state.retire.retired;
    if (changes == before && s->run.step % 100 != 0)
      continue;
    size_t size;
    free(hand_over(s, without, &size));
    without->state.prediction.steps = 0;
    sim_step(s, NULL), sim_step(without, NULL);
    const int remeshed = changes != payout->splits + payout->merges + s->state.retire.retired;
    changes = payout->splits + payout->merges + s->state.retire.retired;
    if (remeshed) // a new node takes its velocity from the history
      continue;
    const struct pipe_mesh *p = &s->state.mesh.pipe;
    apart_m = fmax(apart_m, largest_difference(p, s->state.pipe.r_n, without->state.pipe.r_n));
    apart_mps = fmax(apart_mps, largest_difference(p, s->state.pipe.v_n, without->state.pipe.v_n));
    with_it += s->run.newton_iterations, without_it += without->run.newton_iterations;
    compared++;
  }
  printf("%d steps compared: %.1e m, %.1e m/s apart, %.2f iterations with history and %.2f without\n",
         compared, apart_m, apart_mps, (double)with_it / compared, (double)without_it / compared);
  ck_assert_int_gt(compared, 60);
  ck_assert_double_le(apart_m, 1e-9);
  ck_assert_double_le(apart_mps, 2e-8);
  ck_assert_uint_lt(10 * with_it, 8 * without_it);
  shipped_free(s), shipped_free(without);
}
END_TEST

// A snapshot continues in a simulator in which nothing has retired, and back in one in which more has.
START_TEST(test_snapshot) {
  struct sim_def def = lay_def(150, 100);
  struct sim *first = shipped_create(&def), *second = shipped_create(&def);
  run_to(first, 60);
  ck_assert_uint_gt(first->state.retire.retired, 5);
  size_t size;
  unsigned char *bytes = hand_over(first, second, &size);
  struct sim_output a = output_of(first), b = output_of(second);
  ck_assert_double_eq(a.bottom_tension_n, b.bottom_tension_n);
  ck_assert_double_eq(a.touchdown_arc_length_m, b.touchdown_arc_length_m);
  check_both_go_on(first, second, bytes, size, run_to, 280);

  struct snapshot_head head;
  memcpy(&head, bytes, sizeof head);
  head.retire.stored = head.retire.retired + 1;
  check_head_is_refused(second, bytes, size, &head, "retire.stored");
  free(bytes);
  shipped_free(first), shipped_free(second);
}
END_TEST

// Recovery past the store: the tensioner brakes, the ledger closes, the lower end stays.
START_TEST(test_small_store) {
  struct sim_def def = lay_def(150, 3);
  struct sim *s = shipped_create(&def);
  run_to(s, 295);
  struct sim_output o = output_of(s);
  printf("recovered to %.1f m of pipe, %llu retired\n", o.paid_out_m,
         (unsigned long long)s->state.retire.retired);
  ck_assert_uint_eq(s->state.payout.stopped, PAYOUT_STORE_EMPTY);
  ck_assert(o.events & UINT64_C(1) << EVENT_STORE_EMPTY);
  ck_assert_uint_eq(o.events & UINT64_C(1) << EVENT_TALLY_ENDED, 0);
  ck_assert_double_eq(o.payout_mps, 0);
  ck_assert_double_gt(o.paid_out_m, -60);
  ck_assert_double_le(ledger_closure_rel(sim_ledger(s)), 1e-12);
  shipped_free(s);
}
END_TEST

START_TEST(test_definition) {
  struct sim_def def = lay_def(150, 100);
  struct reason why;
  size_t size;
  ck_assert_int_eq(sim_memsize(&def, &size, &why), STATUS_OK);
  def.env.friction.coefficient[1] = 0;
  ck_assert_int_eq(sim_memsize(&def, &size, &why), STATUS_BAD_INPUT);
  def = lay_def(150, 0);
  ck_assert_int_eq(sim_memsize(&def, &size, &why), STATUS_BAD_INPUT);
  def = lay_def((double)NAN, 100);
  ck_assert_int_eq(sim_memsize(&def, &size, &why), STATUS_BAD_INPUT);
  def = lay_def(150, 100);
  def.pipe.payout.row_count = 0;
  ck_assert_int_eq(sim_memsize(&def, &size, &why), STATUS_BAD_INPUT);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("core_model_retire");
  TCase *t = add_case(suite, "retire", 60);
  tcase_add_test(t, test_round_trip);
  tcase_add_test(t, test_out_and_back);
  tcase_add_test(t, test_soft_clay);
  tcase_add_test(t, test_wire);
  tcase_add_test(t, test_history);
  tcase_add_test(t, test_snapshot);
  tcase_add_test(t, test_small_store);
  tcase_add_test(t, test_definition);
  return run_suite(suite);
}
