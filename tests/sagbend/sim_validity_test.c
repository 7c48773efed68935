// Limits of validity: seas that cannot exist, and states in which the model no longer holds; each limit just
// below and just above.

#include "sagbend/env/env.h"
#include "sagbend/math/math.h"

#include "scenes.h"
#include "suite.h"

#include <math.h>

static const double G = 9.81;

static struct waves_def sea_of(enum waves_spectrum spectrum, double height_m, double period_s) {
  return (struct waves_def){.present = 1, .spectrum = spectrum, .height_m = height_m, .period_s = period_s};
}

static enum sea_limit judged(enum waves_spectrum spectrum, double height_m, double period_s, double depth_m) {
  struct waves_def sea = sea_of(spectrum, height_m, period_s);
  struct reason why = {""};
  enum sea_limit limit = sea_limit_of(&sea, G, depth_m, &why);
  ck_assert_int_eq(*why.text != 0, limit != SEA_EXISTS);
  return limit;
}

// Heights by hand from Sp = 2 pi Hs/(g Tp^2).
START_TEST(steep_seas_are_named_and_breaking_ones_refused) {
  static const struct {
    double period_s, steepness;
  } rows[] = {
      {4, 1.0 / 15}, {8, 1.0 / 15}, {11.5, (1.0 / 15 + 1.0 / 25) / 2}, {15, 1.0 / 25}, {20, 1.0 / 25}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double t = rows[i].period_s, steep = rows[i].steepness * G * t * t / (2 * TRIG_PI),
           breaking = G * t * t / (20 * TRIG_PI);
    ck_assert_double_eq_tol(sea_steepness_limit(t), rows[i].steepness, 1e-15);
    ck_assert_int_eq(judged(WAVES_JONSWAP, 0.9999 * steep, t, 1000), SEA_EXISTS);
    ck_assert_int_eq(judged(WAVES_JONSWAP, 1.0001 * steep, t, 1000), SEA_IS_STEEP);
    ck_assert_int_eq(judged(WAVES_JONSWAP, 0.9999 * breaking, t, 1000), SEA_IS_STEEP);
    ck_assert_int_eq(judged(WAVES_JONSWAP, 1.0001 * breaking, t, 1000), SEA_BREAKS);
  }
  ck_assert_int_eq(judged(WAVES_JONSWAP, 5.999, 18, 10), SEA_EXISTS);
  ck_assert_int_eq(judged(WAVES_JONSWAP, 6, 18, 10), SEA_EXISTS);
  ck_assert_int_eq(judged(WAVES_JONSWAP, 6.001, 18, 10), SEA_BREAKS);
  ck_assert_int_eq(judged(WAVES_JONSWAP, 0, 1, 10), SEA_EXISTS);
}
END_TEST

// Miche: deep 0.142 L, in shallow water 0.142 * 2 pi d = 0.892 of the depth.
START_TEST(regular_waves_break_at_miches_height) {
  double deep = 0.142 * G * 100 / (2 * TRIG_PI);
  ck_assert_double_eq_tol(sea_breaking_height(10, G, 2000), deep, 1e-9 * deep);
  ck_assert_double_eq_tol(sea_breaking_height(60, G, 2), 0.142 * 2 * TRIG_PI * 2, 2e-3);
  for (int k = 0; k < 3; k++) {
    double depth = (double[]){2000, 40, 8}[k], height = sea_breaking_height(10, G, depth);
    ck_assert_int_eq(judged(WAVES_REGULAR, 0.7999 * height, 10, depth), SEA_EXISTS);
    ck_assert_int_eq(judged(WAVES_REGULAR, 0.8001 * height, 10, depth), SEA_IS_STEEP);
    ck_assert_int_eq(judged(WAVES_REGULAR, 0.9999 * height, 10, depth), SEA_IS_STEEP);
    ck_assert_int_eq(judged(WAVES_REGULAR, 1.0001 * height, 10, depth), SEA_BREAKS);
  }
}
END_TEST

// The largest factor of the profile counts, and a definition that comes from elsewhere than from a file.
START_TEST(a_profile_raises_the_sea) {
  struct waves_def sea = sea_of(WAVES_JONSWAP, 5, 8);
  struct reason why;
  sea.profile.variation = 0.99, sea.profile.period_s = 600;
  ck_assert_int_eq(sea_limit_of(&sea, G, 300, &why), SEA_IS_STEEP);
  sea.profile.variation = 1.01;
  ck_assert_int_eq(sea_limit_of(&sea, G, 300, &why), SEA_BREAKS);
  sea.profile = (struct time_profile){.rows = 2, .table = {{0, {0.5}, {0}}, {100, {-2.01}, {0}}}};
  ck_assert_int_eq(sea_limit_of(&sea, G, 300, &why), SEA_BREAKS);
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "vessel-only", 0, NULL);
  def.env.waves = sea_of(WAVES_JONSWAP, 20, 8);
  size_t size;
  ck_assert_int_eq(sim_memsize(&def, &size, &why), STATUS_BAD_INPUT);
  ck_assert_ptr_nonnull(strstr(why.text, "does not break"));
}
END_TEST

static int raises(struct sim *s, enum sim_event event) {
  s->run.events = 0;
  sim_watch_validity(s);
  ck_assert_uint_eq(s->run.events & ~(UINT64_C(1) << event), 0);
  return s->run.events != 0;
}

START_TEST(a_large_angle_is_beyond_linear_hydrostatics) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "vessel-only", 0, NULL);
  struct sim *s = shipped_create(&def);
  for (int i = 0; i < 8; i++) {
    double sign = i & 1 ? -1 : 1, angle = (i & 2 ? 45.001 : 44.999) * TRIG_PI / 180;
    double euler[3] = {i & 4 ? 0 : sign * angle, i & 4 ? sign * angle : 0, 2};
    s->state.vessel.q_nb = quat_of_euler(euler);
    ck_assert_int_eq(raises(s, EVENT_LARGE_ANGLE), i >> 1 & 1);
    s->def->validity.angle_rad = 46 * TRIG_PI / 180;
    ck_assert(!raises(s, EVENT_LARGE_ANGLE));
    s->def->validity.angle_rad = 0;
    s->def->vessel.gm_transverse_m = s->def->vessel.gm_longitudinal_m =
        0; // a rigid body without hydrostatics
    ck_assert(!raises(s, EVENT_LARGE_ANGLE));
    s->def->vessel.gm_transverse_m = def.vessel.gm_transverse_m;
  }
  shipped_free(s);
}
END_TEST

static int raises_at(struct sim *s, double z_m) {
  s->state.pipe.r_n[2][s->state.mesh.pipe.nodes - 1] = z_m;
  return raises(s, EVENT_HANGOFF_OUTSIDE);
}

START_TEST(a_hangoff_stays_above_the_water_or_near_the_keel) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "osv-83m", 0, NULL); // 2 m above the water
  struct sim *s = shipped_create(&def);
  ck_assert(!raises_at(s, -1e-6) && raises_at(s, 1e-6));
  s->def->validity.hangoff_depth_m = 3;
  ck_assert(!raises_at(s, 2.999) && raises_at(s, 3.001));
  s->def->validity.hangoff_depth_m = 1e4; // the seabed is 300 m deep
  ck_assert(!raises_at(s, 299.99) && raises_at(s, 300.01));
  s->def->env.seabed = SEABED_NONE;
  ck_assert(!raises_at(s, 300.01));
  shipped_free(s);
  def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL); // at the reference point, on the waterline
  s = shipped_create(&def);
  ck_assert(!raises_at(s, 19.999) && raises_at(s, 20.001));
  s->def->vessel.hull.draft_m = 6;
  ck_assert(!raises_at(s, 11.999) && raises_at(s, 12.001));
  shipped_free(s);
}
END_TEST

START_TEST(large_strain_and_soft_ground_are_beyond_the_pipe) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
  struct sim *s = shipped_create(&def);
  s->extremes.max_strain.value = 0.04999;
  ck_assert(!raises(s, EVENT_LARGE_STRAIN));
  s->extremes.max_strain.value = 0.05001;
  ck_assert(raises(s, EVENT_LARGE_STRAIN));
  s->def->validity.strain = 0.06;
  ck_assert(!raises(s, EVENT_LARGE_STRAIN));
  const double diameter = def.pipe.line.outer_diameter_m;
  for (int i = 0; i < s->state.mesh.pipe.nodes; i += 7) {
    double before = s->work.pipe.penetration_m[i];
    s->work.pipe.penetration_m[i] = 0.4999 * diameter;
    ck_assert(!raises(s, EVENT_PIPE_SINKS));
    s->work.pipe.penetration_m[i] = 0.5001 * diameter;
    ck_assert(raises(s, EVENT_PIPE_SINKS));
    s->def->validity.sinking_diameters = 0.6;
    ck_assert(!raises(s, EVENT_PIPE_SINKS));
    s->def->validity.sinking_diameters = 0;
    s->work.pipe.penetration_m[i] = before;
  }
  shipped_free(s);
}
END_TEST

START_TEST(a_hydro_file_covers_small_motions_without_way) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "vessel-only", 0, NULL);
  def.env.waves = sea_of(WAVES_JONSWAP, 2, 6.5), def.env.waves.gamma = 3.3, def.env.waves.components = 16;
  struct sim *s = shipped_create(&def);
  s->def->vessel.radiation.count = 1; // as with a hydro file
  s->state.vessel.q_nb = (quat){1, 0, 0, 0};
  const double speed = 0.25 * def.env.gravity_mps2 * def.env.waves.period_s / (2 * TRIG_PI);
  for (int k = 0; k < 2; k++) { // obliquely through still water
    s->state.vessel.nu[0] = (k ? 1.0001 : 0.9999) * 0.6 * speed,
    s->state.vessel.nu[1] = 0.8 * s->state.vessel.nu[0] / 0.6;
    ck_assert_int_eq(raises(s, EVENT_BEYOND_HYDRO), k);
  }
  s->def->env.waves.present = 0;
  ck_assert(!raises(s, EVENT_BEYOND_HYDRO));
  s->def->env.waves.present = 1, s->def->validity.brard_number = 0.26;
  ck_assert(!raises(s, EVENT_BEYOND_HYDRO));
  s->state.vessel.nu[0] = s->state.vessel.nu[1] = 0;
  s->def->vessel.hull.draft_m = 5;
  double rest = s->state.vessel.x_n.z;
  for (int k = 0; k < 4; k++) {
    s->state.vessel.x_n.z =
        rest + (k & 1 ? 5.05 : 4.95) * (k & 2 ? -1 : 1); // rest: of the equilibrium, nearly
    ck_assert_int_eq(raises(s, EVENT_BEYOND_HYDRO), k & 1);
  }
  s->def->vessel.radiation.count = 0; // the closed forms of a box have no such limit
  ck_assert(!raises(s, EVENT_BEYOND_HYDRO));
  shipped_free(s);
}
END_TEST

// The wire of the initiation as a beam in a cross current of 1 mm/s: 15 m elements with a torsional stiffness
// of 2e4 N m2 buckle in twist, and nothing else notices for a while: every step is solved, and the ledger
// closes.
START_TEST(a_twisted_wire_raises_the_event) {
  const char *const sets[] = {"environment.current.surface_mps=1e-3", "environment.current.direction_deg=90",
                              "pipe.element_kind=beam"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-300m-initiation", 3, sets);
  struct sim *s = shipped_create(&def);
  while (!(s->run.events >> EVENT_ELEMENT_FOLDED & 1) && s->run.step < 6000)
    sim_step(s, NULL);
  ck_assert(s->run.events >> EVENT_ELEMENT_FOLDED & 1);
  ck_assert(!s->run.fault);
  ck_assert(ledger_closure_rel(&s->run.ledger) < 1e-9);
  printf("folded at %.2f s, closure %.1e\n", s->def->step_s * (double)s->run.step,
         ledger_closure_rel(&s->run.ledger));
  shipped_free(s);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("validity");
  TCase *seas = add_case(suite, "seas", 30), *limits = add_case(suite, "limits", 60);
  tcase_add_test(seas, steep_seas_are_named_and_breaking_ones_refused);
  tcase_add_test(seas, regular_waves_break_at_miches_height);
  tcase_add_test(seas, a_profile_raises_the_sea);
  tcase_add_test(limits, a_large_angle_is_beyond_linear_hydrostatics);
  tcase_add_test(limits, a_hangoff_stays_above_the_water_or_near_the_keel);
  tcase_add_test(limits, large_strain_and_soft_ground_are_beyond_the_pipe);
  tcase_add_test(limits, a_hydro_file_covers_small_motions_without_way);
  TCase *folds = add_case(suite, "folds", 60);
  tcase_add_test(folds, a_twisted_wire_raises_the_event);
  return run_suite(suite);
}
