// Without dissipation the discrete system conserves what the continuous one does: energy for vessel and pipe
// in contact with the seabed, momentum and energy for a free pipe; over 10,000 steps, at any step size.
#include "scenes.h"
#include "suite.h"

#include <math.h>

enum { STEPS = 10000 };

static void shake(struct sim *s) {
  const double nu[6] = {0.8, -0.6, 0.4, 0.02, -0.015, 0.01};
  memcpy(s->state.vessel.nu, nu, sizeof nu);
  model_place_top(s->model, &s->state);
  struct model_energy e = model_energy_of(s->model, &s->state, &s->work);
  ledger_start(&s->run.ledger, e.kinetic_j, e.potential_j);
}

// Largest change of energy and largest kinetic energy over a run without command.
static void run(struct sim *s, double *drift, double *moving) {
  *drift = *moving = 0;
  double start = s->run.ledger.energy_j;
  for (int k = 0; k < STEPS; k++) {
    sim_step(s, &scene_no_command);
    *drift = fmax(*drift, fabs(s->run.ledger.energy_j - start));
    *moving = fmax(*moving, s->run.ledger.kinetic_j);
  }
  ck_assert_uint_eq(s->run.not_converged_count, 0);
}

static const struct {
  const char *name, *hangoff;
  enum hangoff_kind top;
  int full_inertia;
  double step_s, added_mass;
  double slope_deg, rough_m; // of the seabed
} coupled[] = {
    {"pinned at the centre of gravity, 10 ms", "[0, 0, 0]", HANGOFF_PINNED, 0, 0.01, 0, 0, 0},
    {"pinned with an offset, full inertia, 10 ms", "[-45, 4, 5]", HANGOFF_PINNED, 1, 0.01, 0, 0, 0},
    {"clamped with an offset, full inertia, 10 ms", "[-45, 4, 5]", HANGOFF_CLAMPED, 1, 0.01, 0, 0, 0},
    {"clamped with an offset, full inertia, 50 ms", "[-45, 4, 5]", HANGOFF_CLAMPED, 1, 0.05, 0, 0, 0},
    {"clamped with an offset, full inertia, 100 ms", "[-45, 4, 5]", HANGOFF_CLAMPED, 1, 0.1, 0, 0, 0},
    {"pinned with an offset, added mass, 20 ms", "[-45, 4, 5]", HANGOFF_PINNED, 1, 0.02, 1, 0, 0},
    {"pinned, sloping seabed, 20 ms", "[0, 0, 0]", HANGOFF_PINNED, 0, 0.02, 0, 10, 0},
    {"pinned, rough seabed, 10 ms", "[0, 0, 0]", HANGOFF_PINNED, 0, 0.01, 0, 0, 1},
    {"clamped, rough seabed, added mass, 50 ms", "[-45, 4, 5]", HANGOFF_CLAMPED, 1, 0.05, 1, 0, 1},
};

START_TEST(vessel_and_pipe_conserve_energy) {
  char offset[64];
  snprintf(offset, sizeof offset, "vessel.hangoff_b_m=%s", coupled[_i].hangoff);
  const char *const sets[] = {"pipe.elements=60", "initial_holding_force=[0, 0, 0, 0, 0, 0]", offset};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 3, sets);
  scene_conservative(&def);
  def.step_s = coupled[_i].step_s;
  def.pipe.hangoff = coupled[_i].top;
  def.pipe.hangoff_angle_auto = 1;
  def.pipe.line.added_mass_transverse = coupled[_i].added_mass;
  static double z_m[SCENE_ROUGH_NODES];
  def.env.slope = (struct seabed_slope_def){coupled[_i].slope_deg * acos(-1) / 180, 0.6, {0, 0}};
  if (coupled[_i].rough_m > 0)
    scene_rough_ground(&def, z_m, coupled[_i].rough_m);
  if (coupled[_i].full_inertia)
    scene_full_inertia(&def);
  struct sim *s = shipped_create(&def);
  shake(s);
  double drift, moving;
  run(s, &drift, &moving);
  printf("%-48s energy in motion %.3g J, drift %.2e of it\n", coupled[_i].name, moving, drift / moving);
  ck_assert_msg(drift <= 1e-8 * moving, "%s: drift %g J of %g J", coupled[_i].name, drift, moving);
  shipped_free(s);
}
END_TEST

static const double free_steps[] = {0.002, 0.01, 0.05, 0.01}, free_added_mass[] = {0, 0, 0, 1};

// A gentle arc with no weight, straight when unstressed, springs open while it flies and tumbles.
static void bend_and_throw(struct sim *s, double length_m, double angle_rad) {
  const int n = s->state.mesh.pipe.elements;
  vec3 r = {0, 0, 100};
  for (int i = 0; i <= n; i++) {
    double x = (double)i / n;
    double middle = x + 0.5 / n;
    const double euler[3] = {0.1 * x, angle_rad * x, 0.2 * x};
    const double next[3] = {0.1 * middle, angle_rad * middle, 0.2 * middle};
    mat3 attitude = quat_matrix(quat_of_euler(next));
    pipe_set3(s->state.pipe.r_n, i, r);
    pipe_set_quat(&s->state.pipe, i, quat_of_euler(euler));
    pipe_set3(s->state.pipe.v_n, i, (vec3){0.5, 2 * x * x - 0.3, -1 + 2 * x});
    pipe_set3(s->state.pipe.omega_t, i, (vec3){0.05, 0.01 * x, 0.01});
    r = vec3_axpy(length_m / n, mat3_column(&attitude, 0), r);
  }
}

START_TEST(free_pipe_conserves_momenta) {
  const char *const sets[] = {"pipe.elements=40", "pipe.length_m=400", "environment.depth_m=400"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 3, sets);
  scene_conservative(&def);
  def.env.gravity_mps2 = 1e-30; // the shape guess divides by the weight
  def.env.seabed = SEABED_NONE;
  def.pipe.lower = LOWER_FREE;
  def.pipe.hangoff = HANGOFF_FREE;
  def.step_s = free_steps[_i];
  def.pipe.line.added_mass_transverse = free_added_mass[_i];
  def.pipe.line.added_mass_axial = 0.2 * free_added_mass[_i];
  struct sim *s = shipped_create(&def);
  bend_and_throw(s, def.pipe.length_m, 0.6);
  struct model_energy e = model_energy_of(s->model, &s->state, &s->work);
  ledger_start(&s->run.ledger, e.kinetic_j, e.potential_j);
  vec3 linear0, angular0, linear, angular;
  scene_momenta(s, &linear0, &angular0);
  double drift, moving;
  run(s, &drift, &moving);
  scene_momenta(s, &linear, &angular);
  double dl = vec3_norm(vec3_sub(linear, linear0)) / vec3_norm(linear0);
  double da = vec3_norm(vec3_sub(angular, angular0)) / vec3_norm(angular0);
  printf("free pipe, %2.0f ms, added mass %g: energy %.2e of %.3g J, linear momentum %.2e, angular %.2e\n",
         1e3 * def.step_s, free_added_mass[_i], drift / moving, moving, dl, da);
  ck_assert(drift <= 1e-8 * moving);
  ck_assert(dl <= 1e-8);
  ck_assert(da <= 1e-8);
  shipped_free(s);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("conservation");
  tcase_add_loop_test(add_case(suite, "coupled", 100), vessel_and_pipe_conserve_energy, 0, 9);
  tcase_add_loop_test(add_case(suite, "free pipe", 100), free_pipe_conserves_momenta, 0, 4);
  return run_suite(suite);
}
