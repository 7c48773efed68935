// Accelerating water: its impulse on pipe and vessel, and no impulse from a jump of the current. Added mass
// in water at rest, in Kirchhoff's and in Morison's form.
#include "sagbend/base/base.h"
#include "sagbend/integrator/integrator_internal.h"
#include "scenes.h"
#include "suite.h"

static struct sim *scene(enum hangoff_kind top, const struct time_profile *profile) {
  const char *const sets[] = {"pipe.elements=40",
                              "vessel.hangoff_b_m=[-45, 4, 5]",
                              "pipe.added_mass_transverse=1",
                              "pipe.added_mass_axial=1",
                              "environment.current.surface_mps=null",
                              "environment.current.direction_deg=null",
                              "environment.current.points=[{depth_m: 0, speed_mps: 2, direction_deg: 30}]"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 7, sets);
  scene_full_inertia(&def);
  scene_conservative(&def);
  def.env.current.profile = *profile;
  def.pipe.hangoff = top;
  def.pipe.hangoff_angle_auto = 1;
  return shipped_create(&def);
}

static const enum hangoff_kind tops[] = {HANGOFF_PINNED, HANGOFF_CLAMPED};

// Positions are fixed: each node receives (1 + Ca) rho A l du, the last one through the vessel with its lever
// arm.
START_TEST(the_impulse_is_the_waters) {
  const struct time_profile profile = {.rows = 2, .table = {{.time_s = 0}, {.time_s = 4, .value = {1}}}};
  struct sim *s = scene(tops[_i], &profile);
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  struct half_step half = {.duration_s = 0.5, .time_s = 1.25}; // du = 0.25 m/s
  struct ledger ledger = {0};
  ck_assert_int_eq(dissipative_flow(s->model, &s->state, &half, &ledger), STATUS_OK);
  double each = 2 * 1025 * acos(-1) / 4 * s->def->pipe.line.outer_diameter_m *
                s->def->pipe.line.outer_diameter_m * p->length_m[0];
  const vec3 du = {0.25 * cos(acos(-1) / 6), 0.25 * sin(acos(-1) / 6), 0};
  for (int i = 1; i < p->nodes - 1; i++) {
    vec3 got = vec3_scale(p->mass_kg[i], pipe_get3(s->state.pipe.v_n, i));
    ck_assert_double_le(vec3_norm(vec3_sub(got, vec3_scale(each, du))), 1e-9 * each);
  }
  mat3 q = quat_matrix(s->state.vessel.q_nb);
  vec3 impulse = mat3_tmul(&q, vec3_scale(0.5 * each, du)), turn = vec3_cross(s->model->hangoff_b_m, impulse);
  double momentum[6], expected[6], size = vec3_norm(impulse) * 45;
  vec3_to(impulse, expected), vec3_to(turn, expected + 3);
  mat6_mul((const double (*)[6])s->state.mesh.vessel_inertia, s->state.vessel.nu, momentum);
  for (int c = 0; c < 6; c++)
    ck_assert_double_eq_tol(momentum[c], expected[c], 1e-9 * size);
  struct model_energy e = model_energy_of(s->model, &s->state, &s->work);
  ck_assert_double_eq_tol(ledger.work_j[PORT_WATER_INERTIA], e.kinetic_j, 1e-9 * e.kinetic_j);
  shipped_free(s);
}
END_TEST

START_TEST(a_jump_has_no_inertia) {
  const struct time_profile profile = {.start_s = 0.5};
  struct sim *s = scene(tops[_i], &profile);
  for (int k = 0; k < 100; k++) {
    sim_step(s, NULL);
    ck_assert_double_eq(s->run.ledger.work_j[PORT_WATER_INERTIA], 0);
  }
  shipped_free(s);
}
END_TEST

// A stiff free pipe, level, moving obliquely at v and turning at w, without other loads. Morison: M(t) dv/dt
// = 0, the middle keeps v, and the energy changes by that of v' M v/2, c ((t1 . v)^2 - (t0 . v)^2)/2, which
// the port supplies. Kirchhoff: M v is conserved, v is not. Without initial rotation Munk's moment turns
// Kirchhoff's pipe, but not Morison's.
static const struct {
  enum added_mass_form form;
  double rate_radps;
} tumblers[] = {{ADDED_MASS_MORISON, 0.3},
                {ADDED_MASS_MORISON, 0},
                {ADDED_MASS_KIRCHHOFF, 0.3},
                {ADDED_MASS_KIRCHHOFF, 0}};

static struct sim *tumbler(enum added_mass_form form, double rate, vec3 v) {
  const char *const sets[] = {"pipe.elements=20", "pipe.length_m=20", "environment.depth_m=400",
                              "pipe.added_mass_transverse=1", "pipe.added_mass_axial=0.1"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 5, sets);
  scene_conservative(&def);
  def.env.gravity_mps2 = 1e-30; // the shape guess divides by the weight
  def.env.seabed = SEABED_NONE;
  def.pipe.lower = LOWER_FREE;
  def.pipe.hangoff = HANGOFF_FREE;
  def.pipe.added_mass_form = form;
  def.step_s = 0.01;
  struct sim *s = shipped_create(&def);
  for (int i = 0; i < s->state.mesh.pipe.nodes; i++) {
    double x = i - 10;
    pipe_set3(s->state.pipe.r_n, i, (vec3){x, 0, 100});
    pipe_set_quat(&s->state.pipe, i, (quat){1, 0, 0, 0});
    pipe_set3(s->state.pipe.v_n, i, (vec3){v.x, v.y + rate * x, 0});
    pipe_set3(s->state.pipe.omega_t, i, (vec3){0, 0, rate});
  }
  struct model_energy e = model_energy_of(s->model, &s->state, &s->work);
  ledger_start(&s->run.ledger, e.kinetic_j, e.potential_j);
  return s;
}

START_TEST(added_mass_turns_or_not) {
  const vec3 v = {0.8, -0.5, 0};
  const double rate = tumblers[_i].rate_radps, end_s = 4;
  const int morison = tumblers[_i].form == ADDED_MASS_MORISON;
  struct sim *s = tumbler(tumblers[_i].form, rate, v);
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  double c = 0;
  for (int i = 0; i < p->nodes; i++)
    c += p->axial_excess_kg[i];
  ck_assert_double_lt(c, -4e3);
  for (int k = 0; k < (int)steps_nearest_to(end_s, s->def->step_s); k++)
    sim_step(s, &scene_no_command);
  vec3 now = pipe_get3(s->state.pipe.v_n, 10), axis = pipe_axis(&s->state.pipe, 10),
       ends = pipe_axis(&s->state.pipe, 0);
  const struct ledger *l = &s->run.ledger;
  double port = l->total_work_j[PORT_ADDED_MASS], angle = atan2(axis.y, axis.x), before = v.x,
         after = vec3_dot(axis, v);
  double wanted = 0.5 * c * (after * after - before * before);
  printf("%s, %.1f rad/s: turned %.4f rad, velocity moved by %.2e m/s, port %.3f J of %.3f J, closure %.1e\n",
         morison ? "Morison" : "Kirchhoff", rate, angle, vec3_norm(vec3_sub(now, v)), port, wanted,
         ledger_closure_rel(l));
  ck_assert_double_le(ledger_closure_rel(l),
                      1e-7); // with next to no work, that is 1e-13 of the energy in motion
  ck_assert_double_le(fabs(atan2(ends.y, ends.x) - angle), 1e-3);
  if (morison) {
    ck_assert_double_le(vec3_norm(vec3_sub(now, v)), 1e-4);
    ck_assert_double_le(fabs(angle - rate * end_s), 1e-3);
    ck_assert_double_le(fabs(port - wanted), 1e-3 * fabs(c));
    ck_assert(rate == 0 || fabs(wanted) > 500);
  } else {
    ck_assert_double_eq(port, 0);
    ck_assert_double_ge(fabs(angle - rate * end_s), 0.02);
    ck_assert_double_ge(vec3_norm(vec3_sub(now, v)), 0.005);
  }
  shipped_free(s);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("water");
  TCase *t = add_case(suite, "inertia", 60);
  tcase_add_loop_test(t, the_impulse_is_the_waters, 0, 2);
  tcase_add_loop_test(t, a_jump_has_no_inertia, 0, 2);
  tcase_add_loop_test(add_case(suite, "added mass", 60), added_mass_turns_or_not, 0, 4);
  return run_suite(suite);
}
