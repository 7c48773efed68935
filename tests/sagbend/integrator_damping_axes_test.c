// The axes of the linear damping: in level axes heave damping has no horizontal force at any attitude and no
// mean force in waves; the ledger closes and no loss is negative.
#include "sagbend/base/base.h"
#include "sagbend/math/math.h"
#include "scenes.h"
#include "suite.h"

// The 83 m supply vessel without a pipe, thrusters, wind and current.
static struct sim_def bare_vessel(enum damping_axes axes) {
  const char *const sets[] = {"pipe=null", "statics=null"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "osv-83m", 2, sets);
  def.vessel.plant.thruster_count = def.vessel.plant.bus_count = 0;
  def.vessel.windage.present = def.vessel.waves.present = 0;
  def.env.wind.present = def.env.waves.present = 0;
  def.env.current.surface_mps = 0;
  def.hold_balances_statics = 0;
  memset(def.initial_holding_force_b, 0, sizeof def.initial_holding_force_b);
  def.vessel.damping_axes = axes;
  return def;
}

// A body of one mass, trimmed and heeled, that sinks: damped in heave alone.
static struct sim_def sinking_body(enum damping_axes axes) {
  struct sim_def def = bare_vessel(axes);
  struct vessel_def *v = &def.vessel;
  memset(v->inertia, 0, sizeof v->inertia);
  memset(v->added_mass, 0, sizeof v->added_mass);
  memset(v->damping_linear, 0, sizeof v->damping_linear);
  memset(v->damping_quadratic, 0, sizeof v->damping_quadratic);
  v->hull = (struct hull_def){0};
  v->waterplane_area_m2 = v->gm_transverse_m = v->gm_longitudinal_m = 0;
  for (int i = 0; i < 6; i++)
    v->inertia[i][i] = i < 3 ? 6e6 : 1e9;
  v->damping_linear[2][2] = 5e6;
  const double euler[3] = {0.2, -0.3, 0.7};
  memcpy(v->euler_rad, euler, sizeof euler);
  const quat q = quat_of_euler(euler);
  const mat3 turn = quat_matrix(q);
  vec3_to(mat3_tmul(&turn, (vec3){0, 0, 1}), v->velocity_b);
  v->velocity_b[3] = v->velocity_b[4] = v->velocity_b[5] = 0;
  return def;
}

START_TEST(heave_damping_in_level_axes_has_no_horizontal_force) {
  for (enum damping_axes axes = DAMPING_BODY; axes <= DAMPING_LEVEL; axes++) {
    struct sim_def def = sinking_body(axes);
    def.step_s = 0.1;
    struct sim *s = shipped_create(&def);
    double energy = s->run.ledger.energy_j;
    for (int k = 0; k < 10; k++) {
      sim_step(s, NULL);
      double loss = s->run.ledger.loss_j[LOSS_VESSEL_DAMPING];
      ck_assert(loss > 0);
      ck_assert_double_eq_tol(s->run.ledger.energy_j, energy - loss, 1e-12 * energy);
      energy = s->run.ledger.energy_j;
    }
    mat3 q = quat_matrix(s->state.vessel.q_nb);
    vec3 v = mat3_mul(&q, vec3_of(s->state.vessel.nu));
    if (axes == DAMPING_LEVEL) {
      double share = 5e6 * 0.1 / (4 * 6e6), factor = (1 - share) / (1 + share); // of one half step, midpoint
      ck_assert_double_eq_tol(v.x, 0, 1e-14);
      ck_assert_double_eq_tol(v.y, 0, 1e-14);
      ck_assert_double_eq_tol(v.z, pow(factor, 20), 1e-13);
    } else {
      ck_assert(fabs(v.x) > 0.01);
    }
    shipped_free(s);
  }
}
END_TEST

// Mean surge force of the damping over ten periods of a regular head sea: that of the change of momentum, the
// vessel being free, whose hull force and drift are absent.
static double mean_speed_gained(enum damping_axes axes) {
  struct sim_def def = bare_vessel(axes);
  def.vessel.hull = (struct hull_def){0};
  memset(def.vessel.damping_quadratic, 0, sizeof def.vessel.damping_quadratic);
  def.vessel.waves = (struct wave_response_def){
      .present = 1, .first_order = 1, .length_m = 76, .beam_m = 18, .draft_m = 5, .centre_x_b_m = -0.5};
  def.env.waves = (struct waves_def){
      .present = 1, .spectrum = WAVES_REGULAR, .height_m = 4, .period_s = 10, .profile = {.ramp_s = 40}};
  def.step_s = 0.05;
  struct sim *s = shipped_create(&def);
  double closure = 0, north = 0;
  for (int k = 0; k < 4000; k++) {
    sim_step(s, NULL);
    closure = ledger_closure_rel(&s->run.ledger);
    if (k == 1999)
      north = s->state.vessel.x_n.x;
  }
  ck_assert(closure < 1e-12);
  north = s->state.vessel.x_n.x - north;
  shipped_free(s);
  return north / 100;
}

START_TEST(a_head_sea_pushes_no_vessel_ahead_through_its_heave_damping) {
  double body = mean_speed_gained(DAMPING_BODY), level = mean_speed_gained(DAMPING_LEVEL);
  printf("mean speed after 150 s in a head sea of 4 m and 10 s: body %.3f m/s, level %.4f m/s\n", body,
         level);
  ck_assert(body > 0.5);
  ck_assert(fabs(level) < 0.05 * body);
}
END_TEST

// A free vessel with this attitude and velocity: nothing but the linear damping takes energy.
static struct sim_def damped_vessel(const double euler[3], const double velocity_b[6]) {
  struct sim_def def = bare_vessel(DAMPING_LEVEL);
  def.vessel.hull = (struct hull_def){0};
  memset(def.vessel.damping_quadratic, 0, sizeof def.vessel.damping_quadratic);
  memcpy(def.vessel.euler_rad, euler, sizeof def.vessel.euler_rad);
  memcpy(def.vessel.velocity_b, velocity_b, sizeof def.vessel.velocity_b);
  return def;
}

// Linear damping of heave and pitch together, of rank one: no motion in which w = a q is damped.
static void couple_heave_and_pitch(struct vessel_def *v, double arm_m) {
  memset(v->damping_linear, 0, sizeof v->damping_linear);
  const double row[6] = {0, 0, 1, 0, arm_m, 0};
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      v->damping_linear[i][j] = 5e6 * row[i] * row[j];
}

static double between_minus_one_and_one(struct random_stream *random) {
  return 2 * random_uniform(random) - 1;
}

// At random attitudes: the loss of a half step is that of the level velocity, whatever the axes of the body,
// and where no damped motion is left it is no rounding below zero.
START_TEST(the_loss_is_a_square_at_a_hundred_attitudes) {
  struct random_stream random = random_stream_of(20261124);
  int undamped = 0;
  for (int k = 0; k < 100; k++) {
    double euler[3], velocity[6], level[6];
    for (int i = 0; i < 3; i++)
      euler[i] = (i == 1 ? 1.5 : 3.1) * between_minus_one_and_one(&random);
    const quat q = quat_of_euler(euler);
    const mat3 turn = quat_matrix(q), tilt = level_axes_of(q);
    // The axes: the third is the vertical, and the first has the heading.
    const vec3 vertical = mat3_mul(&tilt, mat3_tmul(&turn, (vec3){0, 0, 1}));
    const vec3 ahead = mat3_mul(&tilt, mat3_tmul(&turn, (vec3){cos(euler[2]), sin(euler[2]), 0}));
    ck_assert_double_eq_tol(vertical.z, 1, 1e-14);
    ck_assert_double_eq_tol(ahead.x, 1, 1e-12);
    const double arm = 7.3;
    for (int i = 0; i < 6; i++)
      level[i] = between_minus_one_and_one(&random);
    if (k % 2) { // what this matrix does not damp
      level[2] = -arm * level[4];
      undamped++;
    }
    level_axes_to_body(&tilt, level, velocity);
    struct sim_def def = damped_vessel(euler, velocity);
    couple_heave_and_pitch(&def.vessel, arm);
    struct vessel vessel = vessel_of(&def.vessel, &def.env);
    double back[6], expected = level[2] + arm * level[4];
    level_axes_from_body(&tilt, velocity, back);
    const double loss = mat6_squares_at(&vessel.damping_loss, back);
    ck_assert(loss >= 0);
    ck_assert_double_eq_tol(loss, 5e6 * expected * expected, 5e6 * 1e-12);
    def.step_s = 0.01;
    struct sim *s = shipped_create(&def);
    for (int n = 0; n < 5; n++) {
      sim_step(s, NULL);
      ck_assert(s->run.ledger.loss_j[LOSS_VESSEL_DAMPING] >= 0);
      ck_assert(s->run.ledger.max_abs_total_residual_j < 1e-12 * s->run.ledger.scale_j);
    }
    shipped_free(s);
  }
  ck_assert_int_eq(undamped, 50);
}
END_TEST

// The state after 4 s with this step, of a vessel that rolls, pitches and turns.
static struct vessel_state after(double step_s) {
  const double euler[3] = {0.3, -0.25, 0.8}, velocity[6] = {2, -1, 1.5, 0.15, 0.12, 0.1};
  struct sim_def def = damped_vessel(euler, velocity);
  def.step_s = step_s;
  struct sim *s = shipped_create(&def);
  for (int k = 0; k < (int)lround(4 / step_s); k++)
    sim_step(s, NULL);
  struct vessel_state state = s->state.vessel;
  shipped_free(s);
  return state;
}

static double distance(const struct vessel_state *a, const struct vessel_state *b) {
  double sum = vec3_dot(vec3_sub(a->x_n, b->x_n), vec3_sub(a->x_n, b->x_n));
  for (int i = 0; i < 6; i++)
    sum += (i < 3 ? 1 : 400) * (a->nu[i] - b->nu[i]) * (a->nu[i] - b->nu[i]);
  return sqrt(sum);
}

START_TEST(damping_in_level_axes_is_of_order_two_in_time) {
  const struct vessel_state exact = after(0.1 / 64);
  double error[3];
  for (int k = 0; k < 3; k++) {
    const struct vessel_state at = after(0.1 / (1 << k));
    error[k] = distance(&at, &exact);
  }
  printf("errors with steps of 0.1, 0.05 and 0.025 s: %.3g %.3g %.3g, orders %.3f %.3f\n", error[0], error[1],
         error[2], log2(error[0] / error[1]), log2(error[1] / error[2]));
  for (int k = 0; k < 2; k++) {
    const double order = log2(error[k] / error[k + 1]);
    ck_assert(order > 1.9 && order < 2.1);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("damping axes");
  TCase *t = add_case(suite, "damping axes", 120);
  tcase_add_test(t, heave_damping_in_level_axes_has_no_horizontal_force);
  tcase_add_test(t, a_head_sea_pushes_no_vessel_ahead_through_its_heave_damping);
  tcase_add_test(t, the_loss_is_a_square_at_a_hundred_attitudes);
  tcase_add_test(t, damping_in_level_axes_is_of_order_two_in_time);
  return run_suite(suite);
}
