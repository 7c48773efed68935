// Comparison with independent references (tests/reference/README.md): the vessel with its PID, statics of the
// J-lay; and the order of the statics in the norm of Saefstroem (2009), eq. 5.109.
#include "sagbend/base/base.h"
#include "scenes.h"
#include "suite.h"

#include <math.h>

// ---- the vessel with its PID ----

struct pid_row {
  double time_s, p[3], m[3], q[9], x[3];
};

static int read_pid(const char *wanted, double time_s, struct pid_row *row) {
  FILE *f = fopen(TEST_SOURCE_DIR "/tests/reference/vessel_pid.csv", "r");
  ck_assert_ptr_nonnull(f);
  char line[2048];
  int found = 0;
  while (!found && fgets(line, sizeof line, f)) {
    char *rest = strchr(line, ',');
    if (!rest || strncmp(line, wanted, (size_t)(rest - line)) != 0)
      continue;
    double values[19];
    for (int i = 0; i < 19; i++)
      values[i] = strtod(rest + 1, &rest);
    row->time_s = values[0];
    memcpy(row->p, values + 1, sizeof row->p);
    memcpy(row->m, values + 4, sizeof row->m);
    memcpy(row->q, values + 7, sizeof row->q);
    memcpy(row->x, values + 16, sizeof row->x);
    found = fabs(values[0] - time_s) < 1e-9;
  }
  fclose(f);
  return found;
}

static void pid_errors(double step_s, double time_s, const char *name, double *position, double *attitude) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "vessel-only", 0, NULL);
  def.step_s = step_s;
  if (strcmp(name, "pid_from_0") == 0)
    def.pid.start_s = 0;
  struct pid_row row = {0};
  ck_assert_int_eq(read_pid(name, time_s, &row), 1);
  struct sim *s = shipped_create(&def);
  int steps = (int)steps_nearest_to(time_s, step_s);
  for (int k = 0; k < steps; k++)
    sim_step(s, NULL);
  *position = vec3_norm(vec3_sub(s->state.vessel.x_n, vec3_of(row.x)));
  mat3 q = quat_matrix(s->state.vessel.q_nb);
  double trace = 0, skew = 0; // of Q' Q_ref - I: |sin| of the angle from its skew part
  mat3 r;
  memcpy(r.m, row.q, sizeof row.q);
  mat3 qt = mat3_transpose(&q), d = mat3_product(&qt, &r);
  double a = d.m[2][1] - d.m[1][2], b = d.m[0][2] - d.m[2][0], c = d.m[1][0] - d.m[0][1];
  trace = d.m[0][0] + d.m[1][1] + d.m[2][2];
  skew = 0.5 * sqrt(a * a + b * b + c * c);
  *attitude = atan2(skew, 0.5 * (trace - 1));
  ck_assert_uint_eq(s->run.events, 0);
  shipped_free(s);
}

START_TEST(vessel_follows_the_reference) {
  const double times[] = {50, 51, 60, 100, 150, 200};
  for (int i = 0; i < 6; i++) {
    double position, attitude, half_position, half_attitude;
    pid_errors(0.01, times[i], "pid_from_50", &position, &attitude);
    pid_errors(0.005, times[i], "pid_from_50", &half_position, &half_attitude);
    printf("t = %3.0f s: position %.2e m, attitude %.2e rad; half the step: %.2f and %.2f times less\n",
           times[i], position, attitude, position / half_position, attitude / half_attitude);
    ck_assert(position < 1e-3);
    ck_assert(attitude < 1e-4);
    ck_assert(attitude / half_attitude > 3.9 && attitude / half_attitude < 4.1);
    if (half_position > 1e-9) // at 50 s it has not moved
      ck_assert(position / half_position > 3.9 && position / half_position < 4.1);
  }
}
END_TEST

START_TEST(controller_from_the_start_has_order_two) {
  double position[3], attitude[3];
  for (int i = 0; i < 3; i++)
    pid_errors(0.02 / (1 << i), 1, "pid_from_0", &position[i], &attitude[i]);
  for (int i = 1; i < 3; i++) {
    ck_assert_double_ge(position[i - 1] / position[i], 3.8);
    ck_assert_double_le(position[i - 1] / position[i], 4.2);
    ck_assert_double_ge(attitude[i - 1] / attitude[i], 3.8);
    ck_assert_double_le(attitude[i - 1] / attitude[i], 4.2);
  }
}
END_TEST

// ---- statics ----

static struct sim *statics(int elements, double force_n) {
  const char *const sets[] = {"pipe.lower_end.height_m=ground"}; // as in the references
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 1, sets);
  def.pipe.elements = elements;
  def.statics.horizontal_force_n = force_n;
  return shipped_create(&def);
}

static void statics_against(double force_n, int elements, double angle_converged, double layback_converged,
                            double layback_same_mesh) {
  struct sim *s = statics(elements, force_n);
  struct sim_output out;
  sim_get_output(s, &out);
  double angle = out.hangoff_angle_rad * 180 / 3.14159265358979323846;
  printf("H = %3.0f kN, %4d elements: hang-off %.5f deg (converged %.5f), lay-back %.3f m (converged %.3f, "
         "same mesh %.3f), %d iterations, residual %.1e N\n",
         force_n / 1e3, elements, angle, angle_converged, out.layback_m, layback_converged, layback_same_mesh,
         s->statics.iterations, s->statics.residual_n);
  ck_assert(fabs(angle - angle_converged) < (elements >= 740 ? 0.005 : 0.02));
  if (elements >= 740)
    ck_assert(fabs(out.layback_m - layback_converged) < 0.2);
  ck_assert(s->statics.residual_n <= s->statics.tolerance_n);
  shipped_free(s);
}

START_TEST(statics_follow_the_reference) {
  FILE *f = fopen(TEST_SOURCE_DIR "/tests/reference/jlay_statics.csv", "r");
  ck_assert_ptr_nonnull(f);
  char line[512];
  double force[3][3] = {{0}}, angle[3][3], layback[3][3];
  int elements[3][3], rows = 0;
  while (fgets(line, sizeof line, f)) {
    double h, a, l;
    int n;
    if (sscanf(line, "beam,%*f,%lf,%d,%*f,%lf,%lf", &h, &n, &a, &l) != 4)
      continue;
    ck_assert_int_lt(rows, 9);
    force[rows / 3][rows % 3] = h, elements[rows / 3][rows % 3] = n;
    angle[rows / 3][rows % 3] = a, layback[rows / 3][rows % 3] = l;
    rows++;
  }
  fclose(f);
  ck_assert_int_eq(rows, 9);
  for (int h = 0; h < 3; h++)
    for (int k = 0; k < 2; k++)
      statics_against(force[h][k], elements[h][k], angle[h][2], layback[h][2], layback[h][k]);
}
END_TEST

// The complete shape under 400 kN, every 15 m along the pipe; heights above the lower end.
START_TEST(shape_follows_the_reference) {
  enum { ELEMENTS = 1000, EACH = 10 };
  FILE *f = fopen(TEST_SOURCE_DIR "/tests/reference/jlay_400kN_shape.csv", "r");
  struct sim *s = statics(ELEMENTS, 400e3);
  double *const *r = s->state.pipe.r_n;
  ck_assert_ptr_nonnull(f);
  char line[256];
  double length, north, height, farthest = 0;
  int rows = 0;
  while (fgets(line, sizeof line, f))
    if (sscanf(line, "%lf,%lf,%lf", &length, &north, &height) == 3) {
      int i = EACH * rows++;
      ck_assert(fabs(length - 1.5 * i) < 1e-9);
      farthest = fmax(farthest, hypot(r[0][i] - north, r[2][0] - r[2][i] - height));
    }
  fclose(f);
  ck_assert_int_eq(rows, ELEMENTS / EACH + 1);
  printf("shape under 400 kN, %d elements: at most %.2e m beside the converged one\n", ELEMENTS, farthest);
  ck_assert(farthest < 1e-3);
  shipped_free(s);
}
END_TEST

// The touchdown falls between nodes differently on each mesh, so single ratios scatter; the slope does not.
START_TEST(statics_have_order_two) {
  struct sim *fine = statics(2048, 400e3);
  double error[5], sum = 0;
  for (int k = 0; k < 5; k++) {
    struct sim *s = statics(16 << k, 400e3);
    error[k] = scene_distance(s, fine) / 1500;
    printf("%4d elements: error/L %.3e\n", 16 << k, error[k]);
    if (k > 0)
      ck_assert_double_gt(error[k - 1] / error[k], 2.5);
    sum += (k - 2) * log2(error[k]);
    shipped_free(s);
  }
  double slope = -sum / 10; // least squares over k = -2..2
  printf("order %.2f\n", slope);
  ck_assert(slope > 1.85 && slope < 2.25);
  shipped_free(fine);
}
END_TEST

START_TEST(statics_turn_with_the_lay_azimuth) {
  const char *const sets[] = {"pipe.lower_end.azimuth_deg=130", "vessel.attitude_deg=[0, 0, 130]",
                              "pipe.lower_end.position_m=[100, -50]", "pipe.lower_end.height_m=ground"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 4, sets);
  struct sim *turned = shipped_create(&def), *north = statics(100, 400e3);
  struct sim_output a, b;
  sim_get_output(turned, &a), sim_get_output(north, &b);
  ck_assert_double_eq_tol(a.hangoff_angle_rad, b.hangoff_angle_rad, 1e-9);
  ck_assert_double_eq_tol(a.layback_m, b.layback_m, 1e-6);
  double angle = 130 * 3.14159265358979323846 / 180;
  ck_assert_double_eq_tol(a.position_n_m[0], 100 + b.position_n_m[0] * cos(angle), 1e-6);
  ck_assert_double_eq_tol(a.position_n_m[1], -50 + b.position_n_m[0] * sin(angle), 1e-6);
  shipped_free(turned), shipped_free(north);
}
END_TEST

// A top at the position for H = 400 kN needs 400 kN to be held there.
START_TEST(position_and_force_agree) {
  struct sim *by_force = statics(100, 400e3);
  struct sim_def def = *by_force->def;
  def.statics.kind = STATICS_HANGOFF_POSITION;
  def.statics.hangoff_position_m[0] = by_force->state.vessel.x_n.x;
  def.statics.hangoff_position_m[1] = by_force->state.vessel.x_n.y;
  struct sim *by_position = shipped_create(&def);
  printf("force found %.6f N\n", by_position->statics.horizontal_force_n);
  ck_assert_double_eq_tol(by_position->statics.horizontal_force_n, 400e3, 0.1);
  shipped_free(by_force), shipped_free(by_position);
}
END_TEST

START_TEST(impossible_statics_fail_with_a_reason) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
  def.pipe.length_m = 850;
  struct reason why = {""};
  struct sim *s = NULL;
  size_t size;
  ck_assert_int_eq(sim_memsize(&def, &size, &why), STATUS_OK);
  void *memory = aligned_alloc(64, size);
  ck_assert_int_eq(sim_create(&def, memory, size, &s, &why), STATUS_BAD_INPUT);
  ck_assert_ptr_nonnull(strstr(why.text, "is too short to reach"));
  free(memory);
}
END_TEST

// Elements of 2 m about touchdown and of 3 m below the hang-off, 240 in all, against 2000 equal ones of 0.75
// m.
START_TEST(graded_mesh_agrees_with_a_fine_one) {
  struct sim *fine = statics(2000, 400e3);
  struct sim_def def = *fine->def;
  const struct mesh_segment mesh[] = {{150, 15, 0}, {90, 20, 0},  {260, 130, 0},
                                      {400, 40, 0}, {500, 20, 0}, {100, 15, 0}};
  memcpy(def.pipe.mesh, mesh, sizeof mesh);
  def.pipe.mesh_segment_count = 6;
  def.pipe.elements = 240;
  struct sim *graded = shipped_create(&def);
  struct sim_output a, b;
  sim_get_output(graded, &a), sim_get_output(fine, &b);
  printf("graded, 240 elements: curvature %.6e (fine %.6e), touchdown %.3f m (%.3f), angle %.5f (%.5f) rad\n",
         a.max_curvature_1pm, b.max_curvature_1pm, a.touchdown_n_m[0], b.touchdown_n_m[0],
         a.hangoff_angle_rad, b.hangoff_angle_rad);
  ck_assert_double_lt(fabs(a.max_curvature_1pm / b.max_curvature_1pm - 1), 0.005);
  ck_assert_double_lt(fabs(a.touchdown_n_m[0] - b.touchdown_n_m[0]), 0.1);
  ck_assert_double_lt(fabs(a.hangoff_angle_rad - b.hangoff_angle_rad), 1e-4);
  def.pipe.mesh[0].length_m += 1; // no longer sums to the length
  struct reason why = {""};
  size_t size;
  ck_assert_int_eq(sim_memsize(&def, &size, &why), STATUS_BAD_INPUT);
  ck_assert_ptr_nonnull(strstr(why.text, "mesh"));
  shipped_free(graded), shipped_free(fine);
}
END_TEST

// ---- the moved top ----

static struct scene_extremes circle(double step_s, double structural_damping_s) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-circle", 0, NULL);
  def.step_s = step_s;
  def.pipe.structural_damping_s = structural_damping_s;
  struct sim *s = shipped_create(&def);
  struct scene_extremes x = scene_run_circle(s);
  struct sim_output out;
  sim_get_output(s, &out);
  ck_assert_uint_eq(s->run.events & ~(UINT64_C(1) << EVENT_CONTACT_UNRESOLVED), 0);
  ck_assert_double_le(ledger_closure_rel(&s->run.ledger), 1e-8);
  for (int c = 0; c < 6; c++)
    ck_assert_double_eq(s->statics.initial_holding_force_b[c], 0); // the vessel carries no load
  ck_assert_double_lt(hypot(out.position_n_m[0] - 971.8, out.position_n_m[1]), 1);
  shipped_free(s);
  return x;
}

// Two open codes, a lumped-mass and a Cosserat one, at 100 elements: jlay_circle_peers.csv.
START_TEST(moved_top_agrees_with_two_other_codes) {
  FILE *f = fopen(TEST_SOURCE_DIR "/tests/reference/jlay_circle_peers.csv", "r");
  ck_assert_ptr_nonnull(f);
  char line[512];
  struct scene_extremes low = {INFINITY, INFINITY, INFINITY}, high = {0, 0, 0};
  int rows = 0;
  while (fgets(line, sizeof line, f)) {
    double max, min, curvature;
    if (sscanf(line, "%*[^,],100,%*[^,],%*f,%lf,%lf,%lf", &max, &min, &curvature) != 3)
      continue;
    low.tension_max_n = fmin(low.tension_max_n, 1e3 * max),
    high.tension_max_n = fmax(high.tension_max_n, 1e3 * max);
    low.tension_min_n = fmin(low.tension_min_n, 1e3 * min),
    high.tension_min_n = fmax(high.tension_min_n, 1e3 * min);
    low.curvature_1pm = fmin(low.curvature_1pm, curvature),
    high.curvature_1pm = fmax(high.curvature_1pm, curvature);
    rows++;
  }
  fclose(f);
  ck_assert_int_eq(rows, 6);
  struct scene_extremes fine = circle(0.005, 0.001), coarse = circle(0.1, 0.001);
  printf("tension %.1f to %.1f kN (others %.1f..%.1f to %.1f..%.1f), curvature %.5e (%.5e..%.5e)\n",
         fine.tension_min_n / 1e3, fine.tension_max_n / 1e3, low.tension_min_n / 1e3,
         high.tension_min_n / 1e3, low.tension_max_n / 1e3, high.tension_max_n / 1e3, fine.curvature_1pm,
         low.curvature_1pm, high.curvature_1pm);
  ck_assert(fine.tension_max_n >= 0.9995 * low.tension_max_n && fine.tension_max_n <= high.tension_max_n);
  ck_assert(fine.tension_min_n >= low.tension_min_n && fine.tension_min_n <= high.tension_min_n);
  ck_assert(fine.curvature_1pm >= low.curvature_1pm && fine.curvature_1pm <= high.curvature_1pm);
  printf("steps of 100 ms: tension %.1f to %.1f kN, curvature %.5e\n", coarse.tension_min_n / 1e3,
         coarse.tension_max_n / 1e3, coarse.curvature_1pm);
  ck_assert(fabs(coarse.tension_max_n / fine.tension_max_n - 1) < 0.003);
  ck_assert(fabs(coarse.tension_min_n / fine.tension_min_n - 1) < 0.003);
  ck_assert(fabs(coarse.curvature_1pm / fine.curvature_1pm - 1) < 0.003);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("reference");
  TCase *t = add_case(suite, "vessel", 100);
  tcase_add_test(t, vessel_follows_the_reference);
  tcase_add_test(t, controller_from_the_start_has_order_two);
  t = add_case(suite, "statics", 100);
  tcase_add_test(t, statics_follow_the_reference);
  tcase_add_test(t, shape_follows_the_reference);
  tcase_add_test(t, statics_have_order_two);
  tcase_add_test(t, graded_mesh_agrees_with_a_fine_one);
  tcase_add_test(t, statics_turn_with_the_lay_azimuth);
  tcase_add_test(t, position_and_force_agree);
  tcase_add_test(t, impossible_statics_fail_with_a_reason);
  tcase_add_test(add_case(suite, "moved top", 100), moved_top_agrees_with_two_other_codes);
  return run_suite(suite);
}
