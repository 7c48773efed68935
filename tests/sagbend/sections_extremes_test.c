// Extremes over the whole pipe, the force, angle and lean at the hang-off, and the strain that raises an
// event.

#include "sagbend/dp/dp.h"
#include "sagbend/math/math.h"
#include "sagbend/rig/rig.h"

#include "scenes.h"
#include "suite.h"

#include <math.h>

static struct sim_def clamped(double angle_deg) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
  def.vessel.gm_longitudinal_m = 1e6; // no pitch under the moment of the clamp
  def.pipe.hangoff = HANGOFF_CLAMPED;
  def.pipe.hangoff_angle_auto = 0;
  def.pipe.hangoff_angle_rad = angle_deg * TRIG_PI / 180;
  return def;
}

struct found_extreme {
  double most[7], least[2], most_s[7];
};

static void look(struct found_extreme *x, const struct section_forces *f, double s_m) {
  const double values[7] = {f->effective_tension_n,
                            f->wall_tension_n,
                            hypot(f->shear_n[0], f->shear_n[1]),
                            fabs(f->torsion_nm),
                            hypot(f->bending_nm[0], f->bending_nm[1]),
                            hypot(f->curvature_1pm[0], f->curvature_1pm[1]),
                            f->max_strain};
  for (int k = 0; k < 7; k++)
    if (values[k] > x->most[k])
      x->most[k] = values[k], x->most_s[k] = s_m;
  x->least[0] = fmin(x->least[0], f->effective_tension_n);
  x->least[1] = fmin(x->least[1], f->min_strain);
}

// All elements, all nodes and both sides of each: no value exceeds the output, and one value equals it.
static void check_extremes(struct sim *s) {
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  struct found_extreme x = {.least = {INFINITY, INFINITY}};
  struct sim_output o;
  for (int k = 0; k < 7; k++)
    x.most[k] = -INFINITY;
  for (int i = 0; i < p->nodes; i++)
    for (int upper = 0; upper < 2; upper++) {
      struct section_forces f = pipe_node_side_forces(p, &s->state.pipe, &s->work.pipe, i, upper);
      look(&x, &f, p->arc_m[i]);
    }
  for (int e = 0; e < p->elements; e++) {
    struct section_forces f = sim_element_forces(s, e);
    look(&x, &f, 0.5 * (p->arc_m[e] + p->arc_m[e + 1]));
  }
  sim_get_output(s, &o);
  const double said[7] = {o.max_tension_n, o.max_wall_tension_n, o.max_shear_n, o.max_torsion_nm,
                          o.max_moment_nm, o.max_curvature_1pm,  o.max_strain};
  const double said_s[7] = {o.max_tension_arc_length_m, o.max_wall_tension_arc_length_m,
                            o.max_shear_arc_length_m,   o.max_torsion_arc_length_m,
                            o.max_moment_arc_length_m,  o.max_curvature_arc_length_m,
                            o.max_strain_arc_length_m};
  for (int k = 0; k < 7; k++) {
    ck_assert_msg(fabs(said[k] - x.most[k]) <= 1e-12 * fabs(x.most[k]), "%d: %.17g, not %.17g", k, said[k],
                  x.most[k]);
    if (x.most[k] > 1e-6)
      ck_assert_msg(fabs(said_s[k] - x.most_s[k]) < 1e-9, "%d: at %g, not %g", k, said_s[k], x.most_s[k]);
  }
  ck_assert_double_eq_tol(o.min_tension_n, x.least[0], 1e-9 * fabs(x.least[0]));
  ck_assert_double_eq_tol(o.min_strain, x.least[1], 1e-12 * fabs(x.least[1]));
}

START_TEST(extremes_are_those_of_all_places) {
  static const char *const names[] = {"jlay-segments", "osv-83m", "jlay-900m"};
  struct sim_def def = _i < 3 ? shipped_scene(TEST_SOURCE_DIR, names[_i], 0, NULL) : clamped(65);
  scene_all_ports(&def);
  struct sim *s = shipped_create(&def);
  check_extremes(s);
  for (int k = 0; k < 300; k++) {
    sim_step(s, NULL);
    if (k % 20 == 0)
      check_extremes(s);
  }
  shipped_free(s);
}
END_TEST

// The bending moment at the clamp balances the vessel's trim; half an element away it is smaller.
START_TEST(the_clamp_has_the_largest_moment) {
  struct sim_def def = clamped(65);
  def.vessel.gm_longitudinal_m = 1e4;
  struct sim *s = shipped_create(&def);
  struct sim_output o;
  sim_get_output(s, &o);
  double held = s->model->vessel.pitch_stiffness_nm * fabs(sin(o.euler_rad[1]));
  ck_assert_double_eq_tol(o.max_moment_arc_length_m, def.pipe.length_m, 1e-6);
  ck_assert_double_eq_tol(o.max_moment_nm, held, 1e-4 * held);
  shipped_free(s);
}
END_TEST

START_TEST(the_angle_goes_on_beyond_90) {
  static const double angles[] = {40, 85, 90, 95, 110};
  struct sim_def def = clamped(angles[_i]);
  def.pipe.lay_azimuth_rad = def.vessel.euler_rad[2] = 2.1;
  struct sim *s = shipped_create(&def);
  struct sim_output o;
  sim_get_output(s, &o);
  ck_assert_double_eq_tol(o.hangoff_angle_rad * 180 / TRIG_PI, angles[_i], 1e-3);
  ck_assert_double_eq_tol(o.hangoff_lean_rad, 0, 1e-9);
  shipped_free(s);
}
END_TEST

// Angle and lean are the direction of the axis, in motion across the lay plane too; the tension is along it.
START_TEST(angle_lean_and_tension_belong_together) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
  scene_all_ports(&def);
  struct sim *s = shipped_create(&def);
  struct sim_output o;
  double most = 0;
  for (int k = 0; k < 600; k++) {
    sim_step(s, NULL);
    sim_get_output(s, &o);
    double c = cos(o.hangoff_lean_rad);
    vec3 axis = {c * cos(o.hangoff_angle_rad), sin(o.hangoff_lean_rad), -c * sin(o.hangoff_angle_rad)};
    vec3 off = vec3_sub(axis, pipe_axis(&s->state.pipe, 100));
    ck_assert_double_lt(vec3_norm(off), 1e-9);
    ck_assert_double_eq_tol(-vec3_dot(axis, vec3_of(o.hangoff_force_n_n)), o.hangoff_tension_n, 1e-3);
    ck_assert_double_eq_tol(sim_node_forces(s, 100).effective_tension_n, o.hangoff_tension_n, 1e-3);
    most = fmax(most, fabs(o.hangoff_lean_rad));
  }
  ck_assert_double_gt(most, 0.002);
  struct dp_sensors sensors; // the feed-forward derives the direction of the axis from them
  double wrench[6];
  dp_sensors_of_output(&o, &sensors);
  dp_tension_feedforward(&sensors, wrench);
  vec3 axis = pipe_axis(&s->state.pipe, 100);
  ck_assert_double_eq_tol(hypot(wrench[0], wrench[1]), o.hangoff_tension_n * hypot(axis.x, axis.y), 1e-3);
  shipped_free(s);
}
END_TEST

// Values with a memory are part of the state: after a restore the next tension has identical bits.
START_TEST(tension_goes_on_after_a_restore) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "osv-83m", 0, NULL);
  scene_weather(&def);
  struct sim *s = shipped_create(&def), *other = shipped_create(&def);
  struct reason why;
  for (int k = 0; k < 50; k++)
    sim_step(s, NULL);
  size_t size = sim_snapshot_size(s);
  void *buffer = malloc(size);
  sim_snapshot(s, buffer);
  ck_assert_int_eq(sim_restore(other, buffer, size, &why), STATUS_OK);
  for (int k = 0; k < 5; k++) {
    struct sim_output a = {0}, b = {0};
    sim_get_output(s, &a), sim_get_output(other, &b);
    ck_assert(memcmp(&a, &b, sizeof a) == 0);
    sim_step(s, NULL), sim_step(other, NULL);
  }
  free(buffer), shipped_free(s), shipped_free(other);
}
END_TEST

START_TEST(a_strain_beyond_the_limit_is_an_event) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
  ck_assert_double_eq(def.pipe.strain_limit, 0.002); // the default
  struct sim *s = shipped_create(&def);
  struct sim_output o;
  sim_get_output(s, &o);
  double radius = 0.381, strain = o.max_curvature_1pm * radius;
  ck_assert_uint_eq(o.events, 0);
  ck_assert(o.max_strain > strain &&
            o.max_strain < strain + o.max_tension_n / def.pipe.line.axial_stiffness_n);
  struct loop_target target = {.step_s = 0.01};
  ck_assert_double_eq(quantity_value(QUANTITY_STRAIN, &(struct loop_view){.truth = &o, .target = &target}),
                      o.max_strain);
  shipped_free(s);
  def.pipe.strain_limit = (_i ? 0.99999 : 1.00001) * o.max_strain;
  s = shipped_create(&def);
  sim_get_output(s, &o);
  ck_assert_uint_eq(o.events >> EVENT_STRAIN_LIMIT & 1, (unsigned)_i);
  s->def->pipe.strain_limit = 0.99999 * o.max_strain; // in motion, and latched
  sim_step(s, NULL);
  s->def->pipe.strain_limit = 1;
  sim_step(s, NULL);
  sim_get_output(s, &o);
  ck_assert_uint_eq(o.events, 1u << EVENT_STRAIN_LIMIT);
  shipped_free(s);
}
END_TEST

// Under a coating the strain of the steel is less than at the outer diameter.
START_TEST(the_strain_is_that_of_the_steel) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
  struct sim_output o, steel;
  struct sim *s = shipped_create(&def);
  sim_get_output(s, &o);
  shipped_free(s);
  def.pipe.line.steel_diameter_m = 0.6;
  s = shipped_create(&def);
  sim_get_output(s, &steel);
  ck_assert_double_eq_tol(steel.max_strain, o.max_strain - o.max_curvature_1pm * 0.5 * (0.762 - 0.6), 1e-9);
  shipped_free(s);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("extremes");
  TCase *t = add_case(suite, "extremes", 60);
  tcase_add_loop_test(t, extremes_are_those_of_all_places, 0, 4);
  tcase_add_test(t, the_clamp_has_the_largest_moment);
  tcase_add_loop_test(t, the_angle_goes_on_beyond_90, 0, 5);
  tcase_add_test(t, angle_lean_and_tension_belong_together);
  tcase_add_test(t, tension_goes_on_after_a_restore);
  tcase_add_loop_test(t, a_strain_beyond_the_limit_is_an_event, 0, 2);
  tcase_add_test(t, the_strain_is_that_of_the_steel);
  return run_suite(suite);
}
