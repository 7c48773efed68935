// Waves on the pipe: stations against direct sums, Morison's force against the closed form, the energy
// balance, the order of the step, snapshots in the middle of windows, pay-out and retiring, files that lie.
#include "scenes.h"
#include "suite.h"

#include <math.h>

static void set_waves(struct sim_def *def, double height_m, double period_s, int components) {
  def->env.waves = (struct waves_def){.present = 1,
                                      .on_pipe = 1,
                                      .height_m = height_m,
                                      .period_s = period_s,
                                      .gamma = 3.3,
                                      .direction_rad = 2.8,
                                      .spreading = 8,
                                      .components = components,
                                      .seed = 4,
                                      .profile = {.ramp_s = 10}};
}

// A J-lay whose top stands still, or which hangs from a vessel.
static struct sim_def jlay(int moved, double height_m, double period_s) {
  const char *const sets[] = {"pipe.hangoff.kind=moved", "pipe.hangoff.motion={radius_m: 0, period_s: 10}",
                              "controller={kind: none, dp_file: null}", "pipe.buoyancy=depth"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", moved ? 4 : 0, sets);
  def.pipe.buoyancy = BUOYANCY_BY_DEPTH;
  set_waves(&def, height_m, period_s, 100);
  return def;
}

static struct sim_def slay(double height_m, double period_s) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "slay-100m", 0, NULL);
  set_waves(&def, height_m, period_s, 100);
  return def;
}

static double least_loss(const struct sim *s) {
  double least = 0;
  for (int i = 0; i < LOSS_COUNT; i++)
    least = fmin(least, s->run.ledger.loss_j[i]);
  return least;
}

// ---- Stations ----

// The velocity by a sum over all components as they stand in the sea, Wheeler's stretching.
static vec3 summed(const struct model *m, double time_s, vec3 at) {
  const struct sea *sea = &m->sea;
  const double factor = time_profile_at(&sea->profile, time_s), d = m->env.depth_m;
  double phase[MAX_WAVES], surface = 0, u[3] = {0, 0, 0};
  for (int i = 0; i < sea->count; i++) {
    phase[i] =
        2 * 3.14159265358979324 *
        (sea->frequency_hz[i] * time_s - sea->k_north[i] * at.x - sea->k_east[i] * at.y + sea->phase[i]);
    surface += factor * sea->amplitude_m[i] * cos(phase[i]);
  }
  double height = (-at.z - surface) * d / (d + surface);
  height = height > 0 ? 0 : height < -d ? -d : height;
  for (int i = 0; i < sea->count; i++) {
    const double k = sea->wavenumber_1pm[i], aw = factor * sea->amplitude_m[i] * sea->omega_radps[i];
    if (k == 0)
      continue;
    const double down = exp(k * height), up = exp(-k * (height + 2 * d)), norm = 1 - exp(-2 * k * d);
    u[0] += aw * (down + up) / norm * cos(phase[i]) * cos(sea->direction_rad[i]);
    u[1] += aw * (down + up) / norm * cos(phase[i]) * sin(sea->direction_rad[i]);
    u[2] += aw * (down - up) / norm * sin(phase[i]);
  }
  return vec3_of(u);
}

static void compare_with_sums(struct sim_def def, double seconds, double *error, double *motion) {
  struct sim *s = shipped_create(&def);
  const struct sea_field *field = &s->model->field;
  const struct pipe_state *pipe = &s->state.pipe;
  *error = *motion = 0;
  for (int k = 0; k * def.step_s < seconds; k++) {
    sim_step(s, NULL);
    const double t = (k + 1) * def.step_s;
    if (t < 12 || k % 7)
      continue;
    for (int i = 0; i < s->state.mesh.pipe.nodes; i++) {
      if (!(pipe->station_s[1][i] > pipe->station_s[0][i]))
        continue;
      vec3 sum = summed(s->model, t, pipe_get3(pipe->r_n, i));
      vec3 fast = stations_velocity(field, pipe, &s->state.mesh.stations, i, t);
      *error += vec3_dot(vec3_sub(fast, sum), vec3_sub(fast, sum));
      *motion += vec3_dot(sum, sum);
    }
  }
  *error = sqrt(*error / *motion);
  shipped_free(s);
}

START_TEST(stations_have_the_velocity_of_the_sums) {
  double error, motion;
  compare_with_sums(jlay(1, 2, 8), 40, &error, &motion);
  printf("stations, J-lay, Hs 2 m: %.2e\n", error);
  ck_assert_double_lt(error, 3e-3);
  compare_with_sums(jlay(0, 6, 12), 40, &error, &motion);
  printf("stations, J-lay from a vessel, Hs 6 m: %.2e\n", error);
  ck_assert_double_lt(error, 3e-3);
  struct sim_def def = slay(2, 8);
  compare_with_sums(def, 30, &error, &motion);
  printf("stations, S-lay, Hs 2 m: %.2e\n", error);
  ck_assert_double_lt(error, 3e-3);
}
END_TEST

// ---- Morison's force ----

// Upright rod from z1 to z2 held at rest by a huge mass: the momentum that it gains. H m, T s, depth m.
static void rod(double height_m, double period_s, double depth_m, double *worst) {
  enum { ELEMENTS = 100 };
  const double z1 = 80, z2 = 20, diameter = 0.762, rho = 1025, cd = 1.2, h = 0.01, pi = 3.14159265358979324;
  struct waves_def waves = {.present = 1,
                            .on_pipe = 1,
                            .spectrum = WAVES_REGULAR,
                            .height_m = height_m,
                            .period_s = period_s,
                            .direction_rad = pi,
                            .stretching = STRETCH_CONSTANT};
  struct sim_def def = jlay(1, 1, 8);
  def.env.depth_m = depth_m;
  def.env.waves = waves;
  def.env.current = (struct current_def){0};
  def.pipe.elements = ELEMENTS, def.pipe.length_m = z1 - z2;
  def.pipe.mesh_segment_count = 0;
  def.pipe.line.drag_transverse = cd, def.pipe.line.added_mass_transverse = 1;
  static _Alignas(64) unsigned char block[4 << 20];
  struct arena a;
  arena_init(&a, block, sizeof block);
  static struct model m;
  static struct model_state s;
  memset(&m, 0, sizeof m), memset(&s, 0, sizeof s);
  model_create(&m, &def.vessel, &def.pipe, &def.env, &a);
  model_mesh_create(&s.mesh, &m, &def.pipe, &a);
  model_state_create(&s, &m, &a);
  double *push[3];
  for (int c = 0; c < 3; c++)
    push[c] = (double *)arena_take(&a, m.pipe.stride + PIPE_LEAD, sizeof(double)) + PIPE_LEAD;
  ck_assert(!arena_is_overflowed(&a));
  struct pipe_mesh *p = &s.mesh.pipe;
  p->held_position = p->top_attached = p->top_moved = 0;
  for (int i = 0; i < p->nodes; i++) { // upwards from z1
    pipe_set3(s.pipe.r_n, i, (vec3){0, 0, z1 - (z1 - z2) * i / ELEMENTS});
    pipe_set_quat(&s.pipe, i, (quat){sqrt(0.5), 0, sqrt(0.5), 0});
    p->mass_kg[i] *= 1e9;
  }

  const double k = waves_wavenumber(2 * pi / period_s, def.env.gravity_mps2, depth_m), w = 2 * pi / period_s,
               amplitude = 0.5 * height_m, sh = sinh(k * depth_m);
  const double low = 2 * k * (depth_m - z1), high = 2 * k * (depth_m - z2);
  const double drag_n = 0.5 * rho * cd * diameter * amplitude * amplitude * w * w / (sh * sh) *
                        (0.5 * (z1 - z2) + (sinh(high) - sinh(low)) / (4 * k)),
               inertia_n = 2 * rho * pi / 4 * diameter * diameter * amplitude * w * w / sh *
                           (sinh(0.5 * high) - sinh(0.5 * low)) / k;
  double error = 0;
  int count = 0;
  for (int step = 0; step * h < 2 * period_s; step++, count++) {
    const double t = step * h;
    stations_begin(&m.field, p, &s.pipe, &s.mesh.stations, t, h);
    double impulse = 0;
    for (int half = 0; half < 2; half++) {
      struct drag_account account = {0};
      const struct current_span none = {{0, 0}, {0, 0}};
      double before = 0;
      for (int i = 0; i < p->nodes; i++)
        before += p->mass_kg[i] * s.pipe.v_n[0][i];
      stations_flow(&m.field, p, &s.pipe, &s.mesh.stations, t + (0.25 + 0.5 * half) * h);
      pipe_drag_flow(p, &s.pipe, 0.5 * h, &m.current, &none, s.mesh.stations.water_n, half, &account);
      for (int i = 0; i < p->nodes; i++)
        impulse += p->mass_kg[i] * s.pipe.v_n[0][i];
      impulse -= before;
    }
    stations_push(&m.field, p, &s.pipe, &s.mesh.stations, t, h, push);
    double force = impulse / h;
    for (int i = 0; i < p->nodes; i++)
      force += push[0][i];
    const double phase = w * (t + 0.5 * h), c = cos(phase);
    const double exact = drag_n * c * fabs(c) - inertia_n * sin(phase);
    error += (force - exact) * (force - exact);
  }
  printf("rod, T %g s in %g m: drag %.1f N, inertia %.1f N, rms of the error %.2e\n", period_s, depth_m,
         drag_n, inertia_n, sqrt(error / count) / inertia_n);
  *worst = fmax(*worst, sqrt(error / count) / inertia_n);
}

START_TEST(rod_has_morisons_force) {
  double worst = 0;
  rod(4, 9, 900, &worst);
  rod(4, 12, 90, &worst);
  ck_assert_double_lt(worst, 1e-4);
}
END_TEST

// ---- Energy ----

static void check_balance(struct sim_def def, double seconds, const char *name, double limit, int solved) {
  struct sim *s = shipped_create(&def);
  double least = 0;
  while (sim_time_s(s) < seconds) {
    sim_step(s, NULL);
    least = fmin(least, least_loss(s));
  }
  const struct ledger *l = &s->run.ledger;
  printf("%s, step %g s: closure %.1e, waves %.3g J, unsolved %d, Newton %.3f\n", name, def.step_s,
         ledger_closure_rel(l), l->total_work_j[PORT_PIPE_WAVES], (int)s->run.not_converged_count,
         (double)s->run.newton_total / (double)s->run.step);
  ck_assert_double_lt(ledger_closure_rel(l), limit);
  ck_assert_double_ge(least, 0);
  ck_assert_double_ne(l->total_work_j[PORT_PIPE_WAVES], 0);
  if (solved)
    ck_assert_uint_eq(s->run.not_converged_count, 0);
  shipped_free(s);
}

START_TEST(energy_is_balanced) {
  static const double steps[] = {0.01, 0.02, 0.1};
  for (int k = 0; k < 3; k++) {
    if (!scene_is_run(steps[k]))
      continue;
    struct sim_def def = jlay(0, 6, 12);
    def.step_s = steps[k], def.env.waves.profile.ramp_s = 2;
    check_balance(def, 20, "J-lay from a vessel, Hs 6 m", 1e-12, steps[k] <= 0.02);
    def = slay(2, 8);
    def.step_s = steps[k], def.env.waves.profile.ramp_s = 2;
    check_balance(def, 15, "S-lay, Hs 2 m", 1e-12, steps[k] <= 0.02);
  }
}
END_TEST

// ---- The order of the step ----

struct end {
  double tension_n, place[3 * 128];
  int nodes;
};

static struct end end_of(struct sim_def def, double step_s) {
  def.step_s = step_s;
  struct sim *s = shipped_create(&def);
  struct sim_output out;
  for (int k = 0; k < (int)(4 / step_s + 0.5); k++)
    sim_step(s, NULL);
  sim_get_output(s, &out);
  struct end x = {.tension_n = out.hangoff_tension_n, .nodes = s->state.mesh.pipe.nodes};
  for (int i = 0; i < x.nodes; i++)
    vec3_to(pipe_get3(s->state.pipe.r_n, i), x.place + 3 * i);
  shipped_free(s);
  return x;
}

START_TEST(step_is_of_second_order) {
  struct sim_def def = jlay(1, 4, 6);
  def.env.waves.profile.ramp_s = 2;
  const double step[] = {0.01, 0.005, 0.0025, 0.000625};
  static struct end at[4];
  double error[3] = {0}, tension[3];
  for (int k = 0; k < 4; k++)
    at[k] = end_of(def, step[k]);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3 * at[k].nodes; i++)
      error[k] += (at[k].place[i] - at[3].place[i]) * (at[k].place[i] - at[3].place[i]);
    tension[k] = fabs(at[k].tension_n - at[3].tension_n);
  }
  printf("ratios of the errors: places %.3f %.3f, tension %.3f %.3f\n", sqrt(error[0] / error[1]),
         sqrt(error[1] / error[2]), tension[0] / tension[1], tension[1] / tension[2]);
  ck_assert_double_eq_tol(sqrt(error[0] / error[1]), 4.05, 0.15);
  ck_assert_double_eq_tol(sqrt(error[1] / error[2]), 4.20, 0.15);
}
END_TEST

// ---- Another code ----

// A line of lumped masses with the same 100 elements, discrete elastic rod, Runge-Kutta steps of 0.25 ms and
// direct sums, written for this comparison apart from the simulator: jlay-900m, its top at rest, submerged,
// without current; H 6 m, T 10 s from the south, ramp 10 s, Wheeler. First harmonics over 20 to 60 s. Its
// tension has no water on the half element at the top.
START_TEST(lumped_masses_move_alike) {
  const double tension_n = 11358, mean_n = 1509.3e3, north_m = 0.18320, phase = -1.305,
               pi = 3.14159265358979324;
  struct sim_def def = jlay(1, 6, 10);
  def.pipe.buoyancy = BUOYANCY_SUBMERGED;
  def.env.current = (struct current_def){0};
  def.env.load_count = 0;
  def.env.waves = (struct waves_def){.present = 1,
                                     .on_pipe = 1,
                                     .spectrum = WAVES_REGULAR,
                                     .height_m = 6,
                                     .period_s = 10,
                                     .direction_rad = pi,
                                     .profile = {.ramp_s = 10}};
  struct sim *s = shipped_create(&def);
  const int n = s->state.mesh.pipe.nodes - 1;
  double re[2] = {0}, im[2] = {0}, mean = 0;
  for (int k = 1; k <= 6000; k++) {
    sim_step(s, NULL);
    if (k <= 2000 || k % 10)
      continue;
    const double t = sim_time_s(s), c = cos(0.2 * pi * t) / 200, si = -sin(0.2 * pi * t) / 200;
    vec3 force =
        vec3_add(s->work.pipe.top_force_n, model_top_water_force(s->model, &s->state, t, def.step_s));
    const double x[2] = {vec3_dot(force, pipe_axis(&s->state.pipe, n)), s->state.pipe.r_n[0][n - 5]};
    mean += x[0] / 400;
    for (int q = 0; q < 2; q++)
      re[q] += x[q] * c, im[q] += x[q] * si;
  }
  printf("lumped masses: tension %.1f N, mean %.1f kN, north %.5f m, phase %.3f\n", hypot(re[0], im[0]),
         mean / 1e3, hypot(re[1], im[1]), atan2(im[1], re[1]));
  ck_assert_double_eq_tol(hypot(re[0], im[0]), tension_n, 0.01 * tension_n);
  ck_assert_double_eq_tol(mean, mean_n, 1e-3 * mean_n);
  ck_assert_double_eq_tol(hypot(re[1], im[1]), north_m, 0.01 * north_m);
  ck_assert_double_eq_tol(atan2(im[1], re[1]), phase, 0.02);
  shipped_free(s);
}
END_TEST

// ---- Snapshots and changes of the mesh ----

// Restores in the middle of windows: bits of state and outputs.
static void check_restored(struct sim_def def, int before, int after, const char *name) {
  struct sim *a = shipped_create(&def), *b = shipped_create(&def);
  struct reason why = {""};
  for (int k = 0; k < before; k++)
    sim_step(a, NULL);
  size_t size = sim_snapshot_size(a);
  void *buffer = malloc(size);
  sim_snapshot(a, buffer);
  ck_assert_msg(sim_restore(b, buffer, size, &why) == STATUS_OK, "%s: %s", name, why.text);
  struct sim_output x = {0}, y = {0};
  sim_get_output(a, &x), sim_get_output(b, &y);
  ck_assert_msg(memcmp(&x, &y, sizeof x) == 0, "%s: outputs after restore", name);
  for (int k = 0; k < after; k++) {
    sim_step(a, NULL), sim_step(b, NULL);
    ck_assert_msg(sim_hash(a) == sim_hash(b), "%s: step %d", name, k);
  }
  free(buffer), shipped_free(a), shipped_free(b);
}

START_TEST(restored_run_has_the_same_bits) {
  check_restored(jlay(1, 2, 8), 213, 60, "J-lay");
  check_restored(slay(2, 8), 57, 60, "S-lay");
}
END_TEST

START_TEST(pay_out_balances_and_restores) {
  static const char *const names[] = {"jlay-900m-payout", "slay-100m-lay"};
  for (int k = 0; k < 2; k++) {
    struct sim_def def = shipped_scene(TEST_SOURCE_DIR, names[k], 0, NULL);
    def.pipe.buoyancy = BUOYANCY_BY_DEPTH;
    set_waves(&def, 2, 8, 100);
    check_balance(def, 60, names[k], 1e-12, 1);
    check_restored(def, (int)(33.33 / def.step_s), 1500, names[k]);
  }
}
END_TEST

START_TEST(stations_that_lie_are_refused) {
  struct sim_def def = jlay(1, 2, 8);
  struct sim *a = shipped_create(&def), *b = shipped_create(&def);
  struct reason why = {""};
  size_t size = sim_snapshot_size(a);
  void *buffer = malloc(size);
  sim_step(a, NULL);
  a->state.pipe.station_s[1][90] = a->state.pipe.station_s[0][90] - 1;
  sim_snapshot(a, buffer);
  ck_assert_int_eq(sim_restore(b, buffer, size, &why), STATUS_BAD_INPUT);
  ck_assert_ptr_nonnull(strstr(why.text, "pipe_waves.station_s: node 90"));
  a->state.pipe.station_s[0][90] = 1e15,
  a->state.pipe.station_s[1][90] = 1e15 + 1; // from the future: set anew
  sim_snapshot(a, buffer);
  ck_assert_int_eq(sim_restore(b, buffer, size, &why), STATUS_OK);
  sim_step(b, NULL);
  ck_assert_double_lt(b->state.pipe.station_s[1][90], 1);
  free(buffer), shipped_free(a), shipped_free(b);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("waves on the pipe");
  TCase *t = add_case(suite, "waves on the pipe", 120);
  tcase_add_test(t, stations_have_the_velocity_of_the_sums);
  tcase_add_test(t, rod_has_morisons_force);
  tcase_add_test(t, energy_is_balanced);
  tcase_add_test(t, step_is_of_second_order);
  tcase_add_test(t, lumped_masses_move_alike);
  tcase_add_test(t, restored_run_has_the_same_bits);
  tcase_add_test(t, pay_out_balances_and_restores);
  tcase_add_test(t, stations_that_lie_are_refused);
  return run_suite(suite);
}
