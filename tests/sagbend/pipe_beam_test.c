// The beam against classical solutions: a cantilever rolled up by an end moment, the bend of Bathe and
// Bolourchi, the elastica of a cantilever under an end force, natural frequencies of a cantilever and of a
// rod.
#include "scenes.h"
#include "suite.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

// A weightless beam in air, clamped at (0, 0, length) along +x, with a free end.
static struct sim_def beam(int elements, double length_m, double ea, double ga, double gj, double ei) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
  scene_conservative(&def);
  def.env = (struct env_def){
      .gravity_mps2 = 0, .water_density_kgpm3 = 0, .depth_m = length_m, .seabed = SEABED_NONE};
  struct pipe_def *p = &def.pipe;
  p->elements = elements;
  p->length_m = length_m;
  p->line.axial_stiffness_n = ea;
  p->line.shear_stiffness_n[0] = p->line.shear_stiffness_n[1] = ga;
  p->line.torsion_stiffness_nm2 = gj;
  p->line.bending_stiffness_nm2[0] = p->line.bending_stiffness_nm2[1] = ei;
  p->hangoff = HANGOFF_FREE;
  p->line.added_mass_transverse = 0;
  return def;
}

static vec3 tip_of(const struct sim *s) { // from the clamp
  vec3 r = pipe_get3(s->state.pipe.r_n, s->state.mesh.pipe.nodes - 1);
  return (vec3){r.x, r.y, r.z - s->def->env.depth_m};
}

static vec3 tip_at_rest(const struct sim_def *def) {
  struct sim *s = shipped_create(def);
  vec3 tip = tip_of(s);
  ck_assert_double_le(s->statics.residual_n, s->statics.tolerance_n);
  shipped_free(s);
  return tip;
}

// A moment of 2 pi EI / L rolls a cantilever into a full circle; half of it into a half circle.
START_TEST(end_moment_rolls_it_up) {
  double error[4];
  for (int k = 0; k < 4; k++) {
    struct sim_def def = beam(20 << k, 10, 1e8, 1e8, 1e4, 1e4);
    def.pipe.end_moment_nm[1] = PI * 1e4 / 10;
    vec3 tip = tip_at_rest(&def), exact = {0, 0, -2 * 10 / PI}; // about +y (z down): the tip turns upwards
    error[k] = vec3_norm(vec3_sub(tip, exact));
    printf("half circle, %3d elements: tip (%.6f, %.6f, %.6f), error %.2e\n", 20 << k, tip.x, tip.y, tip.z,
           error[k]);
    if (k > 0)
      ck_assert(error[k - 1] / error[k] > 3.7 && error[k - 1] / error[k] < 4.4);
  }
  ck_assert_double_lt(error[3], 4e-3);
  struct sim_def def = beam(160, 10, 1e8, 1e8, 1e4, 1e4);
  def.pipe.end_moment_nm[1] = 2 * PI * 1e4 / 10;
  vec3 tip = tip_at_rest(&def);
  printf("full circle: tip (%.4f, %.4f, %.4f)\n", tip.x, tip.y, tip.z);
  ck_assert_double_lt(vec3_norm(tip), 0.012);
}
END_TEST

// The 45 degree bend of Bathe and Bolourchi (1979): radius 100, a square section of side 1, E = 1e7, no
// Poisson ratio (GJ = EI), a dead load out of its plane. Reference: the rod's ordinary differential equations
// (m' = -r' x n, n the load) by Runge-Kutta of order 4 with 800 steps, the moment at the clamp found by
// shooting, in another language. Published, with 8 elements: at 300 (22.33, 58.84, 40.08), at 600
// (15.79, 47.23, 53.37), Simo and Vu-Quoc (1986).
static const double bend_load[] = {300, 450, 600};
static const double bend_tip[][3] = {
    {22.24478, 58.77912, 40.19189}, {18.50818, 52.23856, 48.50293}, {15.68480, 47.15044, 53.47486}};

START_TEST(bend_of_45_degrees) {
  double error[3];
  for (int k = 0; k < 3; k++) {
    struct sim_def def = beam(8 << (2 * k), 25 * PI, 1e7, 5e6, 1e7 / 12, 1e7 / 12);
    def.pipe.line.curvature_1pm[1] = 0.01; // about t3, down: towards +y
    def.pipe.end_force_n[2] = -bend_load[_i];
    vec3 tip = tip_at_rest(&def), seen = {tip.y, tip.x, -tip.z};
    error[k] = vec3_norm(vec3_sub(seen, vec3_of(bend_tip[_i])));
    printf("bend, load %g, %3d elements: tip (%.4f, %.4f, %.4f), error %.1e\n", bend_load[_i],
           def.pipe.elements, seen.x, seen.y, seen.z, error[k]);
    if (k > 0)
      ck_assert(error[k - 1] / error[k] > 13 && error[k - 1] / error[k] < 24);
  }
  ck_assert_double_lt(error[2], 6e-3);
}
END_TEST

// A cantilever under a transverse end force, inextensible and without shear: elliptic integrals. For
// F L^2 / EI = alpha and the slope phi at the tip, with k^2 = (1 + sin phi)/2 and sin t1 = 1/(k sqrt 2):
// sqrt alpha = K(k) - F(k, t1), deflection/L = 1 - 2 (E(k) - E(k, t1)) / sqrt alpha, reach/L = sqrt(2 sin phi
// / alpha).
static double simpson(double (*f)(double t, double k), double k, double from, double to) {
  enum { N = 4000 };
  double h = (to - from) / N, sum = f(from, k) + f(to, k);
  for (int i = 1; i < N; i++)
    sum += (i % 2 ? 4 : 2) * f(from + i * h, k);
  return sum * h / 3;
}
static double first_kind(double t, double k) {
  return 1 / sqrt(1 - k * k * sin(t) * sin(t));
}
static double second_kind(double t, double k) {
  return sqrt(1 - k * k * sin(t) * sin(t));
}

START_TEST(elastica) {
  double phi = 0.9, k = sqrt((1 + sin(phi)) / 2), t1 = asin(1 / (k * sqrt(2)));
  double root = simpson(first_kind, k, t1, PI / 2), alpha = root * root;
  double deflection = 1 - 2 * simpson(second_kind, k, t1, PI / 2) / root, reach = sqrt(2 * sin(phi)) / root;
  double error[3], extrapolated[2][2] = {{0}};
  for (int i = 0; i < 3; i++) {
    double length = 1, ei = 1;
    struct sim_def def = beam(100 << i, length, 1e8 * ei, 1e8 * ei, ei, ei); // EA, GA: errors below 1e-8
    def.pipe.end_force_n[2] = -alpha;
    vec3 tip = tip_at_rest(&def);
    error[i] = hypot(tip.x - reach, -tip.z - deflection);
    printf("elastica, %d elements: (%.8f, %.8f) for (%.8f, %.8f), error %.2e\n", 100 << i, tip.x, -tip.z,
           reach, deflection, error[i]);
    if (i > 0) {
      extrapolated[1][0] = (4 * tip.x - extrapolated[0][0]) / 3,
      extrapolated[1][1] = (-4 * tip.z - extrapolated[0][1]) / 3;
      ck_assert(error[i - 1] / error[i] > 3.9 && error[i - 1] / error[i] < 4.1);
    }
    extrapolated[0][0] = tip.x, extrapolated[0][1] = -tip.z;
  }
  double left = hypot(extrapolated[1][0] - reach, extrapolated[1][1] - deflection);
  printf("elastica, extrapolated in the mesh: error %.2e\n", left);
  ck_assert_double_lt(left, 1e-6);
}
END_TEST

// Period of small free vibration after the end load is let go, from upward zero crossings.
static double period_of(struct sim_def def, int axis, int crossings) {
  struct sim *s = shipped_create(&def);
  double before = 0, first = 0, last = 0;
  int count = 0;
  vec3 rest = {def.pipe.length_m, 0, 0};
  while (count <= crossings) {
    sim_step(s, NULL);
    vec3 tip = vec3_sub(tip_of(s), rest);
    const double x[3] = {tip.x, tip.y, tip.z};
    double time_s = (double)s->run.step * def.step_s;
    if (s->run.step > 1 && before < 0 && x[axis] >= 0) {
      double at = time_s - def.step_s * x[axis] / (x[axis] - before);
      last = at;
      first = count++ == 0 ? at : first;
    }
    before = x[axis];
    ck_assert_uint_lt(s->run.step, 200000);
  }
  shipped_free(s);
  return (last - first) / crossings;
}

START_TEST(cantilever_vibrates_at_its_frequency) {
  // m = 100 kg/m, EI = 1e7, L = 50 m: omega = 1.8751^2 sqrt(EI/m)/L^2; shear and rotary inertia negligible
  double exact = 2 * PI / (1.87510406871196 * 1.87510406871196 * sqrt(1e7 / 100.0) / 2500), error[2];
  for (int k = 0; k < 2; k++) {
    struct sim_def def = beam(20 << k, 50, 1e10, 1e10, 1e7, 1e7);
    def.pipe.line.mass_kgpm = 100;
    def.pipe.line.inertia_kgm[0] = 2e-2, def.pipe.line.inertia_kgm[1] = def.pipe.line.inertia_kgm[2] = 1e-2;
    def.pipe.end_force_n[1] = 10;
    def.pipe.end_profile.stop_s = 1e-6; // released at once
    def.step_s = 0.04 / (1 << k);
    double period = period_of(def, 1, 6);
    error[k] = fabs(period / exact - 1);
    printf("cantilever, %d elements, %g ms: period %.5f s (%.5f), error %.2e\n", 20 << k, 1e3 * def.step_s,
           period, exact, error[k]);
  }
  ck_assert_double_lt(error[1], 5e-4); // higher modes shift the crossings by some 1e-4
  ck_assert_double_gt(error[0] / error[1], 2);
}
END_TEST

START_TEST(rod_vibrates_along_its_axis) {
  double exact = 4 * 100 / sqrt(1e8 / 100.0); // 4 L / c, clamped and free
  struct sim_def def = beam(40, 100, 1e8, 1e8, 1e7, 1e7);
  def.pipe.line.mass_kgpm = 100;
  def.pipe.end_force_n[0] = -1000;
  def.pipe.end_profile.stop_s = 1e-6;
  def.pipe.structural_damping_s = 0.003;
  def.step_s = 0.001;
  double period = period_of(def, 0, 6);
  printf("rod: period %.5f s (%.5f)\n", period, exact);
  ck_assert_double_lt(fabs(period / exact - 1), 5e-3);
}
END_TEST

// A decreasing load on the free end of a beam: its work is booked, and the ledger closes.
START_TEST(end_load_is_a_port) {
  struct sim_def def = beam(20, 50, 1e9, 5e8, 1e7, 1e7);
  def.pipe.end_force_n[1] = 5000, def.pipe.end_moment_nm[0] = 2e4;
  def.pipe.end_profile = (struct time_profile){.start_s = 0, .variation = 0.5, .period_s = 2};
  def.step_s = 0.02;
  struct sim *s = shipped_create(&def);
  for (int k = 0; k < 2000; k++)
    sim_step(s, NULL);
  const struct ledger *l = &s->run.ledger;
  printf("end load: turnover %.3g J, closure %.2e\n", l->turnover_j, ledger_closure_rel(l));
  ck_assert_double_gt(l->turnover_j, 100);
  ck_assert_double_lt(l->max_abs_total_residual_j, 1e-8 * l->turnover_j);
  shipped_free(s);
}
END_TEST

// A negligible load on a weightless beam at rest is solved at once, like any other.
START_TEST(next_to_no_load_is_solved) {
  struct sim_def def = beam(10, 10, 1e4, 1e4, 500, 500);
  def.pipe.end_force_n[1] = 8;
  def.pipe.end_profile = (struct time_profile){.ramp_s = 2.5};
  def.pipe.lower = LOWER_FREE;
  def.step_s = 0.01;
  struct sim *s = shipped_create(&def);
  for (int k = 0; k < 500; k++)
    sim_step(s, NULL);
  ck_assert_uint_eq(s->run.divided_count, 0);
  ck_assert_uint_le(s->run.newton_max, 4);
  shipped_free(s);
}
END_TEST

START_TEST(curvature_is_that_of_the_pipe) {
  struct sim_def def = beam(20, 50, 1e9, 5e8, 1e7, 1e7);
  def.pipe.line.curvature_1pm[1] = 0.01; // unstressed
  struct sim *s = shipped_create(&def);
  struct sim_output out;
  sim_get_output(s, &out);
  ck_assert_double_eq_tol(out.max_curvature_1pm, 0.01, 1e-5);
  ck_assert_double_lt(out.max_moment_nm, 1e-3);
  shipped_free(s);
}
END_TEST

// Turns a node about axis k of its section.
static void turn_node(struct sim *s, int node, int k, double angle_rad) {
  double half[3] = {0, 0, 0};
  half[k] = sin(0.5 * angle_rad);
  const quat turn = {cos(0.5 * angle_rad), half[0], half[1], half[2]};
  pipe_set_quat(&s->state.pipe, node, quat_mul(pipe_quat(&s->state.pipe, node), turn));
}

static int folds(struct sim *s) {
  pipe_lay_out(&s->state.mesh.pipe, &s->state.pipe, &s->work.pipe);
  return pipe_has_folded(&s->state.mesh.pipe, &s->work.pipe);
}

// A straight beam, all of its nodes from one on turned about one axis. Bent elements get the chord that they
// have without strain, so that only the angle counts.
START_TEST(a_bend_or_twist_beyond_90_degrees_folds_an_element) {
  static const double angle_deg[] = {20, 60, 89, 91, 130, 180};
  for (int axis = 0; axis < 3; axis++)
    for (size_t i = 0; i < sizeof angle_deg / sizeof *angle_deg; i++)
      for (int bent = 1; bent <= 10; bent += 3) { // the node where it bends
        struct sim_def def = beam(10, 100, 1e9, 4e8, 1e7, 1e7);
        struct sim *s = shipped_create(&def);
        const double angle = angle_deg[i] * PI / 180, c = cos(0.5 * angle);
        vec3 r = pipe_get3(s->state.pipe.r_n, bent - 1);
        for (int node = bent; node <= 10; node++) {
          turn_node(s, node, axis, angle);
          vec3 along = node > bent ? pipe_axis(&s->state.pipe, node)
                       : axis == 0
                           ? (vec3){1, 0, 0}
                           : vec3_scale(0.5 / c, vec3_add(pipe_axis(&s->state.pipe, node), (vec3){1, 0, 0}));
          double chord = node > bent || axis == 0 ? 1 : (1 + 2 * c * c) / (3 * c);
          if (axis > 0 && angle_deg[i] > 170) // no chord without strain
            chord = 1, along = (vec3){1, 0, 0};
          r = vec3_axpy(10 * chord, along, r);
          pipe_set3(s->state.pipe.r_n, node, r);
        }
        ck_assert_int_eq(folds(s), angle_deg[i] > 90);
        shipped_free(s);
      }
}
END_TEST

// An element whose chord is not what its stretch says.
START_TEST(a_chord_off_the_stretch_folds_an_element) {
  for (int e = 0; e < 10; e++)
    for (int beyond = 0; beyond < 2; beyond++) {
      struct sim_def def = beam(10, 100, 1e9, 4e8, 1e7, 1e7);
      struct sim *s = shipped_create(&def);
      double aside = 10 * sqrt(1.01 * 1.01 - 1) * (beyond ? 1.001 : 0.999); // shear, which is no stretch
      for (int node = e + 1; node <= 10; node++)
        s->state.pipe.r_n[1][node] += aside;
      ck_assert_int_eq(folds(s), beyond);
      for (int node = 0; node <= 10; node++) // a stretch
        s->state.pipe.r_n[0][node] *= 1.5, s->state.pipe.r_n[1][node] = 0;
      ck_assert(!folds(s));
      shipped_free(s);
    }
}
END_TEST

// Twist between two nodes, rad: the trace of their relative rotation.
static double twist_between(const struct pipe_state *s, int i) {
  mat3 a = quat_matrix(pipe_quat(s, i)), b = quat_matrix(pipe_quat(s, i + 1));
  double trace = 0;
  for (int k = 0; k < 3; k++)
    trace += vec3_dot(mat3_column(&a, k), mat3_column(&b, k));
  return acos(fmin(1, 0.5 * (trace - 1)));
}

// A tensioned span that a torque twists by n turns, up to 0.8 of Greenhill's limit 2 sqrt(EI T) of the
// torque: it stays straight, and the torque is 2 pi n GJ/L.
START_TEST(twisted_span_carries_its_torque) {
  const double length = 100, tension = 1e5, ei = 1e6, gj = 4e6, turns[] = {0.5, 1, 2};
  ck_assert_double_ge(2 * PI * turns[2] * gj / length, 0.79 * 2 * sqrt(ei * tension));
  for (int n = 0; n < 3; n++) {
    double error[3];
    for (int k = 0; k < 3; k++) {
      struct sim_def def = beam(40 << k, length, 1e9, 4e8, gj, ei);
      def.pipe.end_force_n[0] = tension;
      def.pipe.end_moment_nm[0] = 2 * PI * turns[n] * gj / length;
      struct sim *s = shipped_create(&def);
      double twist = 0, aside = 0;
      for (int i = 0; i < 40 << k; i++) {
        twist += twist_between(&s->state.pipe, i);
        aside = fmax(aside, hypot(s->state.pipe.r_n[1][i + 1], s->state.pipe.r_n[2][i + 1] - length));
      }
      error[k] = fabs(twist / (2 * PI * turns[n]) - 1);
      ck_assert_double_le(aside, 1e-6);
      shipped_free(s);
    }
    printf("%g turns: error of the torque %.2e, %.2e, %.2e with 40, 80, 160 elements\n", turns[n], error[0],
           error[1], error[2]);
    ck_assert_double_le(error[2], 0.01);
    ck_assert(error[1] < 0.27 * error[0] && error[2] < 0.27 * error[1]);
  }
}
END_TEST

struct helix {
  double aside_m, torque_nm, tension_n;
  int folded;
};

// Holds the end node: where and as it was.
static void hold_end(struct sim *s, vec3 at, quat as) {
  const int last = s->state.mesh.pipe.nodes - 1;
  pipe_set3(s->state.pipe.r_n, last, at);
  pipe_set3(s->state.pipe.v_n, last, (vec3){0, 0, 0});
  pipe_set3(s->state.pipe.omega_t, last, (vec3){0, 0, 0});
  pipe_set_quat(&s->state.pipe, last, as);
  s->work.pipe.is_laid_out = 0;
}

// A tensioned span of 100 m between two clamps that keep their distance, of which the lower one turns by so
// many turns about the axis and stops. The other one is the end node, heavy and held by hand.
static struct helix twisted_to(int elements, double turns, double tension_n) {
  const int turn_steps = 400, rest_steps = 600;
  struct sim_def def = beam(elements, 100, 1e9, 4e8, 4e6, 1e6);
  def.pipe.line.mass_kgpm = 100;
  for (int k = 0; k < 3; k++)
    def.pipe.line.inertia_kgm[k] = 2;
  def.pipe.end_force_n[0] = tension_n;
  def.pipe.structural_damping_s = 0.2;
  def.step_s = 0.05;
  struct sim *s = shipped_create(&def);
  struct pipe_mesh *p = &s->state.mesh.pipe;
  const int last = p->nodes - 1;
  const vec3 at = pipe_get3(s->state.pipe.r_n, last);
  const quat as = pipe_quat(&s->state.pipe, last);
  p->mass_kg[last] = 1e8;
  for (int k = 0; k < 3; k++)
    p->inertia_kgm2[k][last] = 1e8;
  for (int i = 1; i < last; i++) { // what is straight stays straight
    s->state.pipe.v_n[1][i] = 1e-3 * sin(4 * PI * i / last);
    s->state.pipe.v_n[2][i] = 1e-3 * sin(3 * PI * i / last);
  }
  struct helix out = {.folded = 0};
  for (int k = 0; k < turn_steps + rest_steps && !out.folded; k++) {
    if (k < turn_steps)
      turn_node(s, 0, 0, -2 * PI * turns / turn_steps);
    hold_end(s, at, as);
    sim_step(s, NULL);
    out.folded = (int)(s->run.events >> EVENT_ELEMENT_FOLDED & 1);
  }
  for (int e = 0; e < p->elements; e++) {
    out.torque_nm += s->work.pipe.stress[3][e] / p->elements;
    out.tension_n += s->work.pipe.stress[0][e] / p->elements;
    out.aside_m = fmax(out.aside_m, hypot(s->state.pipe.r_n[1][e], s->state.pipe.r_n[2][e] - 100));
  }
  printf("%g turns, %d elements: %.4f m aside, torque %.1f Nm, tension %.0f N, 2 sqrt(EI T) = %.0f Nm%s\n",
         turns, elements, out.aside_m, out.torque_nm, out.tension_n, 2 * sqrt(1e6 * fmax(0, out.tension_n)),
         out.folded ? ", folded" : "");
  shipped_free(s);
  return out;
}

// Beyond Greenhill's limit the span leaves its line for a helix and pulls itself taut until the limit is its
// torque, 2 sqrt(EI T); the torque converges with the square of the elements' length.
START_TEST(a_span_twisted_beyond_the_limit_becomes_a_helix_that_converges) {
  const double tension = 1e5, limit = 2 * sqrt(1e6 * tension) * 100 / (2 * PI * 4e6);
  const struct helix below = twisted_to(80, 0.8 * limit, tension);
  ck_assert_double_le(below.aside_m, 1e-3);
  struct helix of[3];
  for (int k = 0; k < 3; k++)
    of[k] = twisted_to(40 << k, 1.3 * limit, tension);
  ck_assert(!of[0].folded && !of[1].folded && !of[2].folded);
  for (int k = 1; k < 3; k++) {
    const double greenhill = 2 * sqrt(1e6 * of[k].tension_n);
    ck_assert_double_le(fabs(of[k].torque_nm - greenhill), 0.01 * greenhill);
    ck_assert_double_gt(of[k].aside_m, 0.03);
  }
  ck_assert_double_lt(fabs(of[2].torque_nm - of[1].torque_nm), 0.3 * fabs(of[1].torque_nm - of[0].torque_nm));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("beam");
  TCase *t = add_case(suite, "beam", 100);
  tcase_add_test(t, end_moment_rolls_it_up);
  tcase_add_loop_test(t, bend_of_45_degrees, 0, 3);
  tcase_add_test(t, elastica);
  tcase_add_test(t, cantilever_vibrates_at_its_frequency);
  tcase_add_test(t, rod_vibrates_along_its_axis);
  tcase_add_test(t, end_load_is_a_port);
  tcase_add_test(t, next_to_no_load_is_solved);
  tcase_add_test(t, curvature_is_that_of_the_pipe);
  tcase_add_test(t, twisted_span_carries_its_torque);
  tcase_add_test(add_case(suite, "helix", 300),
                 a_span_twisted_beyond_the_limit_becomes_a_helix_that_converges);
  TCase *folds = add_case(suite, "folds", 30);
  tcase_add_test(folds, a_bend_or_twist_beyond_90_degrees_folds_an_element);
  tcase_add_test(folds, a_chord_off_the_stretch_folds_an_element);
  return run_suite(suite);
}
