// Pipe that bends beyond yield while it is paid out, recovered and retires: the ledger, losses, snapshots,
// random attacks, the order in time.
#include "sagbend/lay/lay.h"

#include "continue.h"

static const double YIELD_NM = 2.5e6;

// The 30-inch J-lay: 40 m out, 60 m back, 50 m out. Under a clamped top a plastic hinge forms.
static struct sim_def lay_def(double step_s, int clamped) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m-payout", 0, NULL);
  struct pipe_def *p = &def.pipe;
  def.step_s = step_s;
  def.statics.horizontal_force_n = 250e3;
  p->line.yield_moment_nm = YIELD_NM;
  p->line.ramberg_osgood[0] = 0.5, p->line.ramberg_osgood[1] = 12;
  p->mesh_segment_count = 2;
  p->mesh[0] = (struct mesh_segment){1380, 92, 0}, p->mesh[1] = (struct mesh_segment){120, 24, 0};
  p->elements = 116;
  p->payout = (struct payout_def){.row_count = 3,
                                  .row = {{.start_s = 1, .length_m = 40, .speed_mps = 0.5, .ramp_s = 5},
                                          {.start_s = 90, .length_m = -60, .speed_mps = 0.5, .ramp_s = 5},
                                          {.start_s = 220, .length_m = 50, .speed_mps = 0.5, .ramp_s = 5}},
                                  .elements_max = 140};
  if (clamped) {
    p->hangoff = HANGOFF_CLAMPED;
    p->hangoff_angle_auto = 1;
  }
  return def;
}

static void push(struct sim *s, double until_s, double *least_loss) {
  while (sim_time_s(s) < until_s - 0.5 * s->def->step_s) {
    const double t = sim_time_s(s), surge = 8e5 * sin(2 * 3.14159265358979 * t / 80) * fmin(t / 10, 1);
    const double pitch = 1e8 * sin(2 * 3.14159265358979 * t / 11) * fmin(t / 10, 1);
    const double wrench[6] = {surge, 0.3 * surge, 0, 0, pitch, 0};
    sim_step(s, &(struct sim_input){.wrench_b = wrench});
    for (int i = 0; i < LOSS_COUNT && least_loss; i++)
      *least_loss = fmin(*least_loss, sim_ledger(s)->loss_j[i]);
  }
}

static void check_lay(const char *name, const struct sim_def *def, double until_s) {
  struct sim *s = shipped_create(def);
  struct sim_output o;
  double least = 0, top = 0;
  while (sim_time_s(s) < until_s) {
    push(s, sim_time_s(s) + 1, &least);
    const int e = s->state.mesh.pipe.elements - 1;
    top = fmax(top, hypot(pipe_plastic_curvature(&s->state.mesh.pipe, 0, e),
                          pipe_plastic_curvature(&s->state.mesh.pipe, 1, e)));
  }
  sim_get_output(s, &o);
  const struct ledger *l = sim_ledger(s);
  printf("%-22s closure %.1e, plastic %.3g J, remesh %.3g of %.3g J, top bent by %.2e 1/m, max moment %.3g, "
         "%llu divided, %llu "
         "unsolved, %.1f iterations, %d splits, %d merges\n",
         name, ledger_closure_rel(l), l->total_loss_j[LOSS_PLASTIC], l->total_work_j[PORT_REMESH],
         l->total_work_j[PORT_TENSIONER], top, o.max_moment_nm, (unsigned long long)o.divided_count,
         (unsigned long long)o.not_converged_count, o.newton_mean, (int)s->state.payout.splits,
         (int)s->state.payout.merges);
  ck_assert_double_ge(least, 0);
  ck_assert_double_gt(l->total_loss_j[LOSS_PLASTIC], 1e5);
  ck_assert_uint_eq(s->state.payout.splits, 18);
  ck_assert_uint_eq(s->state.payout.merges, 12);
  if (def->pipe.hangoff == HANGOFF_CLAMPED)
    ck_assert_double_gt(top, 1e-3);
  ck_assert_uint_eq(o.not_converged_count, 0);
  ck_assert_double_le(ledger_closure_rel(l), 1e-12);
  ck_assert_int_eq(o.fault, 0);
  shipped_free(s);
}

START_TEST(test_out_and_back) {
  struct sim_def def = lay_def(0.05, 0);
  check_lay("pinned, 50 ms", &def, 340);
  def = lay_def(0.05, 1);
  check_lay("clamped, 50 ms", &def, 340);
  def = lay_def(0.1, 1);
  check_lay("clamped, 100 ms", &def, 340);
}
END_TEST

// With a tensioner that obeys a law: brake, constant tension, speed.
START_TEST(test_tensioner) {
  for (int clamped = 0; clamped < 2; clamped++) {
    struct sim_def def = lay_def(0.05, clamped);
    def.pipe.payout.row_count = 0;
    def.pipe.tensioner = scene_tensioner();
    def.pipe.tensioner.order_count = 4;
    def.pipe.tensioner.order[1] = (struct tensioner_order){20, TENSIONER_TENSION, 1.25e6, 0};
    def.pipe.tensioner.order[2] = (struct tensioner_order){80, TENSIONER_SPEED, 0, -0.4};
    def.pipe.tensioner.order[3] = (struct tensioner_order){140, TENSIONER_TENSION, 1.25e6, 0};
    struct sim *s = shipped_create(&def);
    struct sim_output o;
    double least = 0;
    push(s, 200, &least);
    sim_get_output(s, &o);
    const struct ledger *l = sim_ledger(s);
    printf(
        "tensioner, %s: closure %.1e, plastic %.3g J, %.1f iterations, %llu divided, %d splits, %d merges\n",
        clamped ? "clamped" : "pinned", ledger_closure_rel(l), l->total_loss_j[LOSS_PLASTIC], o.newton_mean,
        (unsigned long long)o.divided_count, (int)s->state.payout.splits, (int)s->state.payout.merges);
    ck_assert_double_ge(least, 0);
    ck_assert_double_le(ledger_closure_rel(l), 5e-12);
    ck_assert_double_gt(l->total_loss_j[LOSS_PLASTIC], 1e5);
    ck_assert_uint_eq(o.not_converged_count, 0);
    ck_assert_uint_gt(s->state.payout.splits + s->state.payout.merges, 3);
    shipped_free(s);
  }
}
END_TEST

// Laid pipe, which has yielded in the sagbend, retires and returns with the same bits; snapshots meanwhile.
START_TEST(test_retiring) {
  enum { MOST = 60, LAYERS = 2 * PLASTIC_LAYERS };
  struct sim_def def = lay_def(0.1, 0);
  def.pipe.mesh_segment_count = 1;
  def.pipe.mesh[0] = (struct mesh_segment){1500, 100, 0};
  def.pipe.elements = 100;
  def.pipe.payout =
      (struct payout_def){.row_count = 2,
                          .row = {{.start_s = 1, .length_m = 180, .speed_mps = 1, .ramp_s = 5},
                                  {.start_s = 190, .length_m = -180, .speed_mps = 1, .ramp_s = 5}},
                          .elements_max = 130};
  def.env.friction.coefficient[0] = 0.5, def.env.friction.coefficient[1] = 0.7;
  def.pipe.retire = (struct retire_def){.anchor_m = 60, .stored_max = 60};
  struct sim *s = shipped_create(&def), *other = shipped_create(&def);
  static double kept[MOST][LAYERS], now[LAYERS];
  double least = 0, residual = 0;
  uint64_t before = 0, most = 0;
  int returned = 0, bent = 0;
  size_t size;
  unsigned char *bytes = NULL;
  while (sim_time_s(s) < 380) {
    for (int k = 0; k < LAYERS; k++)
      now[k] = s->state.pipe.plastic_1pm[k][0];
    run_to(s, sim_time_s(s) + 0.1);
    for (int i = 0; i < LOSS_COUNT; i++)
      least = fmin(least, sim_ledger(s)->loss_j[i]);
    const uint64_t retired = s->state.retire.retired;
    ck_assert_uint_lt(retired, MOST);
    if (retired > before) {
      memcpy(kept[before], now, sizeof now);
      residual = fmax(residual, retire_newest_residual(s->model, &s->state));
    }
    for (int k = 0; k < LAYERS && retired < before; k++) {
      ck_assert_double_eq(s->state.pipe.plastic_1pm[k][0], kept[retired][k]);
      bent += k == 0 && kept[retired][k] != 0;
    }
    returned += retired < before;
    before = retired, most = retired > most ? retired : most;
    if (!bytes && sim_time_s(s) > 185)
      bytes = hand_over(s, other, &size);
  }
  run_to(other, sim_time_s(s));
  ck_assert_uint_eq(sim_hash(s), sim_hash(other));
  printf("%d nodes retired and %d returned, %d of them bent, by %.2e 1/m at most; closure %.1e\n", (int)most,
         returned, bent, residual, ledger_closure_rel(sim_ledger(s)));
  ck_assert_int_gt(bent, 3);
  ck_assert_double_gt(residual, 1e-4);
  ck_assert_double_ge(least, 0);
  ck_assert_double_le(ledger_closure_rel(sim_ledger(s)), 1e-12);
  free(bytes);
  shipped_free(s), shipped_free(other);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("core_model_yield_lay");
  TCase *t = add_case(suite, "yield_lay", 120);
  tcase_add_test(t, test_out_and_back);
  tcase_add_test(t, test_tensioner);
  tcase_add_test(t, test_retiring);
  return run_suite(suite);
}
