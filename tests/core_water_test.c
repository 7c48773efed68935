// Accelerating water: its impulse on everything that hangs on the vessel, and nothing where the current only jumps.
#include "integrator/dissipative.h"
#include "scenes.h"
#include "suite.h"

static struct sim *scene(enum hangoff_kind top, const struct time_profile *profile) {
  const char *const sets[] = {"pipe.elements=40", "vessel.hangoff_b_m=[-45, 4, 5]", "pipe.added_mass_transverse=1",
                              "pipe.added_mass_axial=1", "environment.current.surface_mps=null",
                              "environment.current.direction_deg=null",
                              "environment.current.points=[{depth_m: 0, speed_mps: 2, direction_deg: 30}]"};
  struct sim_def def = scene_load(TEST_SOURCE_DIR, "jlay-900m", 7, sets);
  scene_full_inertia(&def);
  scene_conservative(&def);
  def.env.current.profile = *profile;
  def.pipe.hangoff = top;
  def.pipe.hangoff_angle_auto = 1;
  return scene_create(&def);
}

static const enum hangoff_kind tops[] = {HANGOFF_PINNED, HANGOFF_CLAMPED};

// Positions frozen: each node gets (1 + Ca) rho A l du, the last through the vessel with its arm.
START_TEST(the_impulse_is_the_waters) {
  const struct time_profile profile = {.rows = 2, .table = {{.time_s = 0}, {.time_s = 4, .value = {1}}}};
  struct sim *s = scene(tops[_i], &profile);
  const struct pipe *p = &s->model.pipe;
  struct half_step half = {.duration_s = 0.5, .time_s = 1.25}; // du = 0.25 m/s
  struct ledger ledger = {0};
  ck_assert(dissipative_flow(&s->model, &s->state, &half, &ledger));
  double each = 2 * 1025 * acos(-1) / 4 * s->def.pipe.line.outer_diameter_m * s->def.pipe.line.outer_diameter_m * p->length_m[0];
  const vec3 du = {0.25 * cos(acos(-1) / 6), 0.25 * sin(acos(-1) / 6), 0};
  for (int i = 1; i < p->nodes - 1; i++) {
    vec3 got = vec3_scale(p->mass_kg[i], pipe_get3(s->state.pipe.v_n, i));
    ck_assert_double_le(vec3_norm(vec3_sub(got, vec3_scale(each, du))), 1e-9 * each);
  }
  mat3 q = quat_matrix(s->state.vessel.q_nb);
  vec3 impulse = mat3_tmul(&q, vec3_scale(0.5 * each, du)), turn = vec3_cross(s->model.hangoff_b_m, impulse);
  double momentum[6], expected[6], size = vec3_norm(impulse) * 45;
  vec3_to(impulse, expected), vec3_to(turn, expected + 3);
  mat6_mul((const double(*)[6])s->model.vessel.inertia, s->state.vessel.nu, momentum);
  for (int c = 0; c < 6; c++)
    ck_assert_double_eq_tol(momentum[c], expected[c], 1e-9 * size);
  struct model_energy e = model_energy_of(&s->model, &s->state, &s->work);
  ck_assert_double_eq_tol(ledger.work_j[PORT_WATER_INERTIA], e.kinetic_j, 1e-9 * e.kinetic_j);
  scene_free(s);
}
END_TEST

START_TEST(a_jump_has_no_inertia) {
  const struct time_profile profile = {.start_s = 0.5};
  struct sim *s = scene(tops[_i], &profile);
  for (int k = 0; k < 100; k++) {
    sim_step(s, NULL);
    ck_assert_double_eq(s->run.ledger.work_j[PORT_WATER_INERTIA], 0);
  }
  scene_free(s);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("water");
  TCase *t = add_case(suite, "inertia", 60);
  tcase_add_loop_test(t, the_impulse_is_the_waters, 0, 2);
  tcase_add_loop_test(t, a_jump_has_no_inertia, 0, 2);
  return run_suite(suite);
}
