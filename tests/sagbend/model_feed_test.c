// A tally of several kinds of pipe: joints, buckle arrestor, head and wire go out and come back. The ledger,
// the tension where a section begins, the mesh against the plan, snapshots, and a plan that ends.
#include "sagbend/lay/lay.h"

#include "continue.h"

enum { ARRESTOR = 1, HEAD, WIRE };

// The 30-inch J-lay with a tally that leads from joints of 12.2 m to the wire within 60 m.
static struct sim_def tally_def(double step_s) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m-payout", 0, NULL);
  struct pipe_def *p = &def.pipe;
  def.step_s = step_s;
  p->type_count = 3;
  for (int k = 0; k < 3; k++)
    p->types[k] = p->line;
  struct pipe_type *arrestor = &p->types[ARRESTOR - 1], *head = &p->types[HEAD - 1],
                   *wire = &p->types[WIRE - 1];
  arrestor->outer_diameter_m = 0.85, arrestor->mass_kgpm = 1600;
  head->outer_diameter_m = 0.9, head->mass_kgpm = 2500;
  arrestor->axial_stiffness_n *= 2.5, head->axial_stiffness_n *= 3;
  for (int k = 0; k < 2; k++)
    arrestor->bending_stiffness_nm2[k] *= 2.5, head->bending_stiffness_nm2[k] *= 3;
  *wire = (struct pipe_type){.outer_diameter_m = 0.12,
                             .mass_kgpm = 65,
                             .inertia_kgm = {0.12, 0.06, 0.06},
                             .axial_stiffness_n = 8e8,
                             .shear_stiffness_n = {4e8, 4e8},
                             .torsion_stiffness_nm2 = 1e5,
                             .bending_stiffness_nm2 = {1e5, 1e5},
                             .drag_transverse = 1.2,
                             .drag_axial = 0.05,
                             .rotational_damping_ns = {1.5, 1.5, 1.5}};
  p->tally = (struct tally_def){.part_count = 7,
                                .part = {{24.4, 2, 0},
                                         {1.2, 1, ARRESTOR},
                                         {24.4, 2, 0},
                                         {6, 1, HEAD},
                                         {2, 1, WIRE},
                                         {30, 3, WIRE},
                                         {15, 1, WIRE}},
                                .is_endless = 1};
  p->payout = (struct payout_def){.row_count = 2,
                                  .row = {{.start_s = 2, .length_m = 150, .speed_mps = 0.5, .ramp_s = 10},
                                          {.start_s = 320, .length_m = -140, .speed_mps = 0.5, .ramp_s = 10}},
                                  .elements_max = 120};
  return def;
}

// Submerged weight of the pipe from its lower end up to a length, by the plan.
static double planned_weight(const struct sim_def *def, double length_m) {
  double sum = 0;
  for (int e = 0; length_m > 0; e++) {
    const double element = pipe_element_length(&def->pipe, e), part = fmin(element, length_m);
    sum += part * pipe_type_weight(&def->pipe, pipe_element_type(&def->pipe, e), &def->env);
    length_m -= part;
  }
  return sum;
}

// Every element but the top one is that of the plan, and the nodes carry the weight of the plan.
static void check_mesh(const struct sim *s) {
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  double weight = 0, length = 0;
  ck_assert_int_eq(p->top.place, p->elements - 1);
  for (int e = 0; e < p->elements; e++) {
    const struct pipe_type *type = pipe_element_type(&s->def->pipe, e);
    length += p->length_m[e];
    if (e == p->elements - 1)
      continue;
    ck_assert_double_eq_tol(p->length_m[e], pipe_element_length(&s->def->pipe, e), 1e-12);
    ck_assert(p->stiffness[0][e] == type->axial_stiffness_n);
    ck_assert(p->stiffness[4][e] == type->bending_stiffness_nm2[0]);
  }
  for (int i = 0; i < p->nodes; i++)
    weight += p->weight_n[i];
  ck_assert_double_eq_tol(length, s->def->pipe.length_m + s->state.payout.paid_m, 1e-9);
  ck_assert_double_eq_tol(weight, planned_weight(s->def, length), 1e-9 * weight);
}

// The change of the tension beside its trend where the mesh changes: within one kind, and between two.
struct jumps {
  double within_n, between_n;
};

static struct jumps lay(struct sim *s, double end_s) {
  struct jumps most = {0, 0};
  struct sim_output o;
  double t[3] = {0};
  while (sim_time_s(s) < end_s - 0.5 * s->def->step_s) {
    const int place = (int)s->state.mesh.pipe.top.place;
    sim_step(s, NULL);
    ck_assert_int_eq(s->run.fault, 0);
    sim_get_output(s, &o);
    t[2] = t[1], t[1] = t[0], t[0] = o.hangoff_tension_n;
    const int now = (int)s->state.mesh.pipe.top.place;
    if (now == place)
      continue;
    check_mesh(s);
    const double jump = fabs(t[0] - 2 * t[1] + t[2]);
    const int is_between = pipe_element_type(&s->def->pipe, place) != pipe_element_type(&s->def->pipe, now);
    double *to = is_between ? &most.between_n : &most.within_n;
    *to = fmax(*to, jump);
  }
  return most;
}

static void check_lay(const char *name, const struct sim_def *def) {
  struct sim *s = shipped_create(def);
  struct jumps jumps = lay(s, 300); // out
  ck_assert_double_le(jumps.between_n, 3e3);
  jumps = lay(s, 620);
  struct sim_output o;
  sim_get_output(s, &o);
  const struct ledger *l = sim_ledger(s);
  const double share = fabs(l->total_work_j[PORT_REMESH] / l->total_work_j[PORT_TENSIONER]);
  printf("%-20s closure %.1e, remesh %.0f J, %.1e of the tensioner; jumps %.0f N, between two kinds %.0f N\n",
         name, ledger_closure_rel(l), l->total_work_j[PORT_REMESH], share, jumps.within_n, jumps.between_n);
  ck_assert_double_le(ledger_closure_rel(l), 1e-12);
  ck_assert_double_le(share, 1e-4);
  ck_assert_double_eq_tol(o.paid_out_m, 10, 1e-9);
  ck_assert_uint_eq(s->state.payout.splits, 15);
  ck_assert_uint_eq(s->state.payout.merges, 14);
  ck_assert_uint_eq(o.not_converged_count, 0);
  ck_assert_double_le(jumps.within_n, 1e4);
  ck_assert_double_le(jumps.between_n, 2e4);
  for (int i = 0; i < LOSS_COUNT; i++)
    ck_assert_double_ge(l->total_loss_j[i], 0);
  shipped_free(s);
}

START_TEST(test_lay) {
  struct sim_def def = tally_def(0.05);
  check_lay("pinned, 50 ms", &def);
  def.step_s = 0.02;
  if (scene_is_run(def.step_s))
    check_lay("pinned, 20 ms", &def);
  def = tally_def(0.05);
  def.pipe.hangoff = HANGOFF_MOVED;
  def.pipe.motion = (struct motion_def){.radius_m = 1, .period_s = 12, .ramp_s = 12};
  check_lay("moved, 50 ms", &def);
}
END_TEST

// A tensioner with a law pays the plan out at a speed, and takes it back under constant tension.
START_TEST(test_tensioner) {
  struct sim_def def = tally_def(0.05);
  def.pipe.payout.row_count = 0;
  def.pipe.tensioner = scene_tensioner();
  def.pipe.tensioner.order_count = 3;
  def.pipe.tensioner.order[1] = (struct tensioner_order){2, TENSIONER_SPEED, 0, 0.5};
  def.pipe.tensioner.order[2] = (struct tensioner_order){250, TENSIONER_SPEED, 0, -0.5};
  struct sim *s = shipped_create(&def);
  lay(s, 250);
  ck_assert_uint_ge(s->state.payout.splits, 12);
  lay(s, 500);
  const struct ledger *l = sim_ledger(s);
  printf("tensioner: %.3f m out, %d splits, %d merges, closure %.1e\n", s->state.payout.paid_m,
         (int)s->state.payout.splits, (int)s->state.payout.merges, ledger_closure_rel(l));
  ck_assert_uint_ge(s->state.payout.merges, 12);
  ck_assert_double_le(ledger_closure_rel(l), 1e-12);
  ck_assert_uint_eq(s->run.not_converged_count, 0);
  shipped_free(s);
}
END_TEST

// The position of the vessel and the tension at a time while the top element is of two kinds.
static void end_of(double step_s, double *x_m, double *tension_n) {
  struct sim_def def = tally_def(step_s);
  def.pipe.tally = (struct tally_def){.part_count = 2, .part = {{1, 1, 0}, {30, 1, ARRESTOR}}};
  def.pipe.elements = 20;
  def.pipe.payout = (struct payout_def){.row_count = 1, .row = {{1, 3.9, 0.5, 4}}, .elements_max = 120};
  def.pipe.mesh_segment_count = 2;
  def.pipe.mesh[0] = (struct mesh_segment){1200, 16, 0}, def.pipe.mesh[1] = (struct mesh_segment){300, 4, 0};
  struct sim *s = shipped_create(&def);
  struct sim_output o;
  while (sim_time_s(s) < 14 - 0.5 * step_s)
    sim_step(s, NULL);
  sim_get_output(s, &o);
  *x_m = s->state.pipe.r_n[0][10] + s->state.pipe.r_n[2][10], *tension_n = o.hangoff_tension_n;
  shipped_free(s);
}

START_TEST(test_order) {
  double x[4], t[4], reference_x, reference_t;
  end_of(0.00125, &reference_x, &reference_t);
  for (int k = 0; k < 4; k++) {
    end_of(0.08 / (1 << k), &x[k], &t[k]);
    printf("h %g ms: errors %.3g m, %.3g N\n", 80.0 / (1 << k), x[k] - reference_x, t[k] - reference_t);
  }
  for (int k = 1; k < 4; k++) {
    double ratio = (t[k - 1] - reference_t) / (t[k] - reference_t);
    ck_assert(ratio > 3 && ratio < 4.6);
  }
}
END_TEST

static void check_hand_over(struct sim *first, struct sim *second, double until_s) {
  size_t size;
  unsigned char *bytes = hand_over(first, second, &size);
  check_both_go_on(first, second, bytes, size, run_to, until_s);
  free(bytes);
  shipped_free(first), shipped_free(second);
}

// A snapshot within a top element of two kinds continues in a simulator that was elsewhere, to the same bits.
START_TEST(test_snapshot) {
  struct sim_def def = tally_def(0.05);
  struct sim *first = shipped_create(&def), *second = shipped_create(&def);
  lay(first, 107.5);
  ck_assert_double_gt(first->state.payout.top_m, first->state.mesh.pipe.top.own->element_m);
  lay(second, 200);
  check_hand_over(first, second, 180);
}
END_TEST

// The same where no element is left for the second kind: the mesh stays that of the start.
START_TEST(test_snapshot_without_split) {
  struct sim_def def = tally_def(0.05);
  def.pipe.tally = (struct tally_def){.part_count = 1, .part = {{30, 2, WIRE}}, .is_endless = 1};
  def.pipe.payout = (struct payout_def){.row_count = 1, .row = {{1, 3, 0.5, 4}}, .elements_max = 100};
  struct sim *first = shipped_create(&def), *second = shipped_create(&def);
  lay(first, 8);
  ck_assert_double_gt(first->state.payout.top_m, first->state.mesh.pipe.top.own->element_m);
  ck_assert_uint_eq(first->state.payout.splits, 0);
  check_hand_over(first, second, 20);
}
END_TEST

// Where the plan has ended the tensioner brakes, with an event.
START_TEST(test_plan_ends) {
  struct sim_def def = tally_def(0.05);
  def.pipe.tally.part_count = 3, def.pipe.tally.is_endless = 0; // 50 m
  struct sim *s = shipped_create(&def);
  struct sim_output o;
  lay(s, 200);
  sim_get_output(s, &o);
  ck_assert(o.events >> EVENT_TALLY_ENDED & 1);
  ck_assert(o.payout_mps == 0);
  ck_assert_double_gt(o.paid_out_m, 50);
  ck_assert_double_lt(o.paid_out_m, 53);
  ck_assert_double_le(ledger_closure_rel(sim_ledger(s)), 1e-12);
  shipped_free(s);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("core_model_feed");
  TCase *t = add_case(suite, "feed", 60);
  tcase_add_test(t, test_lay);
  tcase_add_test(t, test_tensioner);
  tcase_add_test(t, test_order);
  tcase_add_test(t, test_snapshot);
  tcase_add_test(t, test_snapshot_without_split);
  tcase_add_test(t, test_plan_ends);
  return run_suite(suite);
}
