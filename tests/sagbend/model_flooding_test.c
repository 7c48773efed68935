// Water floods the pipe: the ledger, masses and weights against those of a pipe of heavier kinds, the order
// in time, pay-out and recovery, retiring, snapshots, and the hash of a dry pipe.
#include "sagbend/lay/lay.h"
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipeline/pipeline.h"
#include "scenes.h"
#include "suite.h"

static const double BORE_M = 0.6964;

static struct sim_def bored(const char *name, double step_s) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, name, 0, NULL);
  def.step_s = step_s;
  def.pipe.line.inner_diameter_m = BORE_M;
  return def;
}

// The water flows from begin_s to stop_s.
static void run(struct sim *s, double end_s, struct flooding_input water, double begin_s, double stop_s) {
  while (sim_time_s(s) < end_s - 0.5 * s->def->step_s) {
    const double now = sim_time_s(s) + 0.5 * s->def->step_s;
    const struct sim_input input = {.flooding =
                                        now > begin_s && now < stop_s ? water : (struct flooding_input){0}};
    sim_step(s, &input);
    ck_assert_int_eq(s->run.fault, 0);
  }
}

static void check_ledger(const char *name, const struct sim *s) {
  const struct ledger *l = sim_ledger(s);
  struct sim_output o;
  sim_get_output(s, &o);
  printf("%-28s closure %.1e, flooding %.4g J, %.0f kg, hang-off %.0f N\n", name, ledger_closure_rel(l),
         l->total_work_j[PORT_FLOODING], o.flooded_kg, o.hangoff_tension_n);
  ck_assert_double_le(ledger_closure_rel(l), 1e-12);
  ck_assert_uint_eq(o.not_converged_count, 0);
  for (int i = 0; i < LOSS_COUNT; i++)
    ck_assert_double_ge(l->total_loss_j[i], 0);
}

START_TEST(test_ledger) {
  const double steps_s[] = {0.02, 0.05, 0.1};
  for (int k = 0; k < 3; k++) {
    struct sim_def def = bored("jlay-900m", steps_s[k]);
    struct sim *s = shipped_create(&def);
    struct sim_output before, after;
    sim_get_output(s, &before);
    run(s, 120, (struct flooding_input){1, 0, 40}, 5, 1e9);
    sim_get_output(s, &after);
    check_ledger("whole pipe in 40 s", s);
    ck_assert_double_eq(s->state.flooding.share, 1);
    ck_assert(after.events >> EVENT_FLOODED & 1 && !(before.events >> EVENT_FLOODED & 1));
    ck_assert_double_gt(after.hangoff_tension_n, before.hangoff_tension_n + 1e6);
    ck_assert_double_gt(sim_ledger(s)->total_work_j[PORT_FLOODING], 0);
    shipped_free(s);
  }
}
END_TEST

// Nodes and elements are those of a pipe whose lower part is of a heavier kind.
START_TEST(test_masses) {
  struct sim_def def = bored("jlay-900m", 0.05), heavy = def;
  struct sim *s = shipped_create(&def);
  const int wet = s->state.mesh.pipe.elements - PIPE_DRY_ELEMENTS;
  const double element_m = s->state.mesh.pipe.length_m[0];
  heavy.pipe.type_count = 1;
  heavy.pipe.types[0] = heavy.pipe.line;
  heavy.pipe.types[0].mass_kgpm += def.env.water_density_kgpm3 * 0.25 * 3.14159265358979324 * BORE_M * BORE_M;
  heavy.pipe.types[0].inner_diameter_m = 0;
  heavy.pipe.mesh_segment_count = 2;
  heavy.pipe.mesh[0] = (struct mesh_segment){wet * element_m, wet, 1};
  heavy.pipe.mesh[1] = (struct mesh_segment){PIPE_DRY_ELEMENTS * element_m, PIPE_DRY_ELEMENTS, 0};
  struct sim *h = shipped_create(&heavy);
  run(s, 3, (struct flooding_input){1, 0, 1}, 0, 1e9);
  for (int i = 0; i < s->state.mesh.pipe.nodes; i++) {
    ck_assert_double_eq_tol(s->state.mesh.pipe.mass_kg[i], h->state.mesh.pipe.mass_kg[i],
                            1e-12 * (1 + h->state.mesh.pipe.mass_kg[i]));
    ck_assert_double_eq_tol(s->state.mesh.pipe.weight_n[i], h->state.mesh.pipe.weight_n[i],
                            1e-12 * (1 + h->state.mesh.pipe.weight_n[i]));
  }
  for (int e = 0; e < s->state.mesh.pipe.elements; e++)
    ck_assert_double_eq_tol(s->state.mesh.pipe.weight_npm[e], h->state.mesh.pipe.weight_npm[e],
                            1e-12 * h->state.mesh.pipe.weight_npm[e]);
  shipped_free(s), shipped_free(h);
}
END_TEST

// From a place on; where the inflow stops, the water stays.
START_TEST(test_place) {
  struct sim_def def = bored("jlay-900m", 0.05);
  struct sim *s = shipped_create(&def);
  run(s, 40, (struct flooding_input){1, 700, 20}, 5, 15);
  check_ledger("half full from 700 m on", s);
  ck_assert_double_eq_tol(s->state.flooding.share, 0.5, 1e-9);
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  for (int e = 0; e < p->elements; e++) {
    const double middle = 0.5 * (p->arc_m[e] + p->arc_m[e + 1]);
    const int is_wet = middle > 700 && e < p->elements - PIPE_DRY_ELEMENTS;
    ck_assert_double_eq_tol(p->flood_share[e], is_wet ? 0.5 : 0, 1e-9);
  }
  shipped_free(s);
}
END_TEST

static double height_of(double step_s) {
  struct sim_def def = bored("jlay-900m", step_s);
  struct sim *s = shipped_create(&def);
  run(s, 20, (struct flooding_input){1, 0, 40}, 0, 1e9);
  double sum = 0;
  for (int i = 0; i < s->state.mesh.pipe.nodes; i++)
    sum += s->state.pipe.r_n[2][i];
  shipped_free(s);
  return sum;
}

START_TEST(test_order) {
  const double reference = height_of(0.0025);
  double error[3];
  for (int k = 0; k < 3; k++)
    error[k] = height_of(0.08 / (1 << k)) - reference;
  printf("errors %.3g, %.3g, %.3g m\n", error[0], error[1], error[2]);
  for (int k = 1; k < 3; k++)
    ck_assert(error[k - 1] / error[k] > 3 && error[k - 1] / error[k] < 5);
}
END_TEST

// The pipe comes back to the tensioner: what was full is dry there.
START_TEST(test_recovery) {
  struct sim_def def = bored("jlay-900m-payout", 0.05);
  def.pipe.payout =
      (struct payout_def){.row_count = 2,
                          .row = {{.start_s = 2, .length_m = 60, .speed_mps = 0.5, .ramp_s = 10},
                                  {.start_s = 150, .length_m = -150, .speed_mps = 0.5, .ramp_s = 10}},
                          .elements_max = 130};
  struct sim *s = shipped_create(&def);
  run(s, 140, (struct flooding_input){1, 0, 60}, 50, 1e9);
  check_ledger("paid out", s);
  const double full_kg = pipe_flood_mass(&s->state.mesh.pipe);
  run(s, 480, (struct flooding_input){1, 0, 60}, 50, 1e9);
  check_ledger("recovered", s);
  ck_assert_uint_gt(s->state.payout.merges, 4);
  ck_assert_double_lt(pipe_flood_mass(&s->state.mesh.pipe), full_kg - 30 * 300);
  const int elements = s->state.mesh.pipe.elements;
  ck_assert(s->state.mesh.pipe.flood_share[elements - 1] == 0 &&
            s->state.mesh.pipe.flood_share[elements - 2] == 0);
  shipped_free(s);
}
END_TEST

// Laid pipe retires while the pipe floods, and returns full.
START_TEST(test_retiring) {
  struct sim_def def = bored("jlay-900m-payout", 0.1);
  def.env.friction.coefficient[0] = 0.5, def.env.friction.coefficient[1] = 0.7;
  def.pipe.payout =
      (struct payout_def){.row_count = 2,
                          .row = {{.start_s = 20, .length_m = 150, .speed_mps = 0.5, .ramp_s = 20},
                                  {.start_s = 700, .length_m = -100, .speed_mps = 0.5, .ramp_s = 20}},
                          .elements_max = 150};
  def.pipe.retire = (struct retire_def){.anchor_m = 300, .stored_max = 400};
  struct sim *s = shipped_create(&def);
  const struct flooding_input water = {1, 0, 100};
  uint64_t most = 0;
  run(s, 690, water, 200, 1e9);
  most = s->state.retire.retired;
  check_ledger("retiring", s);
  ck_assert_uint_gt(most, 3);
  run(s, 1100, water, 200, 1e9);
  check_ledger("returned", s);
  ck_assert_uint_lt(s->state.retire.retired, most);
  ck_assert_double_eq(s->state.mesh.pipe.flood_share[0], 1);
  shipped_free(s);
}
END_TEST

// The snapshot of a pipe that floods, in a simulator that is dry and in one that is full.
START_TEST(test_snapshot) {
  struct sim_def def = bored("jlay-900m-payout", 0.05);
  const struct flooding_input water = {1, 300, 30}, other = {1, 0, 5};
  struct sim *first = shipped_create(&def), *dry = shipped_create(&def), *full = shipped_create(&def);
  run(first, 20, water, 5, 1e9);
  run(full, 90, other, 5, 1e9);
  size_t size = sim_snapshot_size(first);
  unsigned char *bytes = malloc(size), *start = malloc(size);
  struct reason why = {"?"};
  sim_snapshot(first, bytes);
  sim_snapshot(dry, start);
  const uint64_t start_hash = sim_hash(dry);
  run(dry, 30, water, 1e9, 1e9);
  const uint64_t dry_hash = sim_hash(dry);
  ck_assert(sim_restore(full, start, size, &why) == STATUS_OK);
  ck_assert_uint_eq(sim_hash(full), start_hash);
  run(full, 30, water, 1e9, 1e9);
  ck_assert_uint_eq(sim_hash(full), dry_hash);
  for (int k = 0; k < 2; k++) {
    struct sim *s = k ? full : dry;
    ck_assert_msg(sim_restore(s, bytes, size, &why) == STATUS_OK, "%s", why.text);
    ck_assert_uint_eq(sim_hash(s), sim_hash(first));
  }
  run(first, 60, water, 5, 1e9), run(dry, 60, water, 5, 1e9), run(full, 60, water, 5, 1e9);
  ck_assert_uint_eq(sim_hash(dry), sim_hash(first));
  ck_assert_uint_eq(sim_hash(full), sim_hash(first));
  free(bytes), free(start);
  shipped_free(first), shipped_free(dry), shipped_free(full);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("core_model_flooding");
  TCase *t = add_case(suite, "flooding", 60);
  tcase_add_test(t, test_ledger);
  tcase_add_test(t, test_masses);
  tcase_add_test(t, test_place);
  tcase_add_test(t, test_order);
  tcase_add_test(t, test_recovery);
  tcase_add_test(t, test_retiring);
  tcase_add_test(t, test_snapshot);
  return run_suite(suite);
}
