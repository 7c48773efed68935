// Seabed surface: the spline through a grid, penetration and discrete gradient; and the pipe on it.

#include "sagbend/math/math.h"

#include "scenes.h"
#include "suite.h"

static uint64_t stream = 1;
static double noise(void) { // in (-1, 1)
  stream = stream * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)stream / 9223372036854775808.0;
}

enum { NORTH = 9, EAST = 7 };

struct patch_of_ground {
  double z_m[NORTH * EAST];
  unsigned char memory[16384];
  struct seabed_surface surface;
};

static void lay(struct patch_of_ground *g, double (*level)(double north, double east)) {
  struct env_def env = {.depth_m = 900, .bathymetry = {NORTH, EAST, -30, 12, 10, g->z_m}};
  for (int i = 0; i < NORTH; i++)
    for (int j = 0; j < EAST; j++)
      g->z_m[i * EAST + j] = level(-30 + 10.0 * i, 12 + 10.0 * j);
  struct arena memory;
  arena_init(&memory, g->memory, sizeof g->memory);
  surface_create(&g->surface, &env, &memory);
  ck_assert(!arena_is_overflowed(&memory));
}

static double random_level(double north, double east) {
  (void)north, (void)east;
  return 900 + 2 * noise();
}

static double plane_level(double north, double east) {
  return 903 + 0.21 * (north - 4) - 0.17 * (east + 3);
}

static double derivative(const struct seabed_surface *g, double north, double east, int to_east) {
  double slope[2];
  surface_slope(g, north, east, slope);
  return slope[to_east];
}

START_TEST(spline_runs_through_its_nodes_and_is_smooth) {
  struct patch_of_ground g;
  lay(&g, random_level);
  for (int i = 0; i < NORTH; i++)
    for (int j = 0; j < EAST; j++)
      ck_assert_double_eq_tol(surface_level(&g.surface, -30 + 10.0 * i, 12 + 10.0 * j), g.z_m[i * EAST + j],
                              1e-11);
  // level, slope and curvature on either side of the lines between patches, including the edges (the
  // outermost lines)
  const double e = 1e-6;
  for (int i = 0; i < NORTH; i++) {
    double x = -30 + 10.0 * i, y = 45 + 40 * noise();
    ck_assert_double_eq_tol(surface_level(&g.surface, x - e, y), surface_level(&g.surface, x + e, y), 1e-5);
    for (int k = 0; k < 2; k++) {
      ck_assert_double_eq_tol(derivative(&g.surface, x - e, y, k), derivative(&g.surface, x + e, y, k), 1e-5);
      double below = derivative(&g.surface, x, y, k) - derivative(&g.surface, x - 1e-4, y, k);
      double above = derivative(&g.surface, x + 1e-4, y, k) - derivative(&g.surface, x, y, k);
      ck_assert_double_eq_tol(below, above, 1e-8);
    }
  }
  for (int j = 0; j < EAST; j++) {
    double y = 12 + 10.0 * j, x = 10 + 60 * noise();
    for (int k = 0; k < 2; k++) {
      double below = derivative(&g.surface, x, y, k) - derivative(&g.surface, x, y - 1e-4, k);
      double above = derivative(&g.surface, x, y + 1e-4, k) - derivative(&g.surface, x, y, k);
      ck_assert_double_eq_tol(below, above, 1e-8);
    }
  }
  for (int k = 0; k < 1000; k++) { // the slope is the level's
    double x = 10 + 90 * noise(), y = 42 + 70 * noise(), d = 1e-4;
    double fd = (surface_level(&g.surface, x + d, y) - surface_level(&g.surface, x - d, y)) / (2 * d);
    ck_assert_double_eq_tol(derivative(&g.surface, x, y, 0), fd, 1e-7);
    fd = (surface_level(&g.surface, x, y + d) - surface_level(&g.surface, x, y - d)) / (2 * d);
    ck_assert_double_eq_tol(derivative(&g.surface, x, y, 1), fd, 1e-7);
  }
  ck_assert(surface_is_mapped(&g.surface, -30, 12) && surface_is_mapped(&g.surface, 50, 72));
  ck_assert(!surface_is_mapped(&g.surface, -30.1, 20) && !surface_is_mapped(&g.surface, 0, 72.1));
}
END_TEST

START_TEST(grid_of_a_plane_is_the_plane) {
  struct patch_of_ground g;
  struct seabed_surface plane;
  struct arena nothing;
  arena_init(&nothing, NULL, 0);
  double steep = sqrt(0.21 * 0.21 + 0.17 * 0.17);
  struct env_def env = {.depth_m = 903, .slope = {trig_atan2(steep, 1), trig_atan2(-0.17, 0.21), {4, -3}}};
  lay(&g, plane_level);
  surface_create(&plane, &env, &nothing);
  for (int k = 0; k < 1000; k++) { // also beyond the grid
    vec3 r = {10 + 200 * noise(), 42 + 200 * noise(), 900 + 30 * noise()}, n, m;
    ck_assert_double_eq_tol(surface_level(&g.surface, r.x, r.y), surface_level(&plane, r.x, r.y), 1e-11);
    ck_assert_double_eq_tol(surface_level(&plane, r.x, r.y), plane_level(r.x, r.y), 1e-11);
    ck_assert_double_eq_tol(surface_penetration(&g.surface, 0.381, r, &n),
                            surface_penetration(&plane, 0.381, r, &m), 1e-11);
    ck_assert_double_lt(vec3_norm(vec3_sub(n, m)), 1e-13);
  }
}
END_TEST

// Penetration of a sphere of radius offset into a tangent plane, checked by its distance from the plane.
START_TEST(penetration_is_along_the_normal) {
  struct patch_of_ground g;
  lay(&g, random_level);
  for (int k = 0; k < 1000; k++) {
    double x = 10 + 30 * noise(), y = 42 + 25 * noise(), out = 0.05 * noise();
    vec3 on = {x, y, surface_level(&g.surface, x, y)}, n;
    ck_assert_double_eq_tol(surface_penetration(&g.surface, 0.381, on, &n), 0.381, 1e-12);
    ck_assert_double_eq_tol(vec3_norm(n), 1, 1e-14);
    ck_assert_double_eq_tol(n.x + derivative(&g.surface, x, y, 0) * n.z, 0, 1e-14);
    // to first order: the rest is a curvature times the square of the displacement
    ck_assert_double_eq_tol(surface_penetration(&g.surface, 0.381, vec3_axpy(out, n, on), NULL), 0.381 + out,
                            1e-3);
  }
}
END_TEST

START_TEST(gradient_is_discrete_and_its_rates_are_derivatives) {
  struct patch_of_ground g;
  lay(&g, random_level);
  double worst = 0, worst_end = 0, worst_rate = 0;
  int dives = 0;
  for (int k = 0; k < 20000; k++) {
    const double sizes[] = {1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 0.3, 3};
    double x = 10 + 60 * noise(), y = 42 + 50 * noise(), size = sizes[k % 7];
    vec3 r = {x, y, surface_level(&g.surface, x, y) + 0.1 * noise()},
         dr = {size * noise(), size * noise(), size * noise()};
    if (k % 21 == 6) // moving deep into the seabed
      r.z -= 30, dr.z += 30;
    double exact = surface_penetration(&g.surface, 0.381, r, NULL);
    double before = surface_is_clear(&g.surface, 0.381, r) ? -1 : exact;
    struct surface_pass p = surface_pass_of(&g.surface, 0.381, before, r, dr);
    if (p.before_m <= 0 && p.after_m <= 0)
      continue;
    dives += before == -1;
    ck_assert_double_eq_tol(p.before_m, exact, 1e-12);
    ck_assert_double_eq_tol(p.after_m, surface_penetration(&g.surface, 0.381, vec3_add(r, dr), NULL), 1e-12);
    worst = fmax(worst, fabs(vec3_dot(p.gradient, dr) - (p.after_m - p.before_m)));
    if (size < 1e-2)
      continue; // finite differences next
    vec3 end;
    mat3 rate;
    surface_pass_rates(&g.surface, &p, r, dr, &end, &rate);
    const double e = 1e-6, ends[3] = {end.x, end.y, end.z};
    for (int c = 0; c < 3; c++) {
      double step[3] = {0};
      step[c] = e;
      struct surface_pass up = surface_pass_of(&g.surface, 0.381, before, r, vec3_add(dr, vec3_of(step)));
      struct surface_pass down = surface_pass_of(&g.surface, 0.381, before, r, vec3_sub(dr, vec3_of(step)));
      worst_end = fmax(worst_end, fabs((up.after_m - down.after_m) / (2 * e) - ends[c]));
      vec3 change = vec3_scale(1 / (2 * e), vec3_sub(up.gradient, down.gradient));
      const double fd[3] = {change.x, change.y, change.z};
      for (int a = 0; a < 3; a++)
        worst_rate = fmax(worst_rate, fabs(fd[a] - rate.m[a][c]));
    }
  }
  printf("gradient . dr - change: %.2g m; end %.2g, rate %.2g\n", worst, worst_end, worst_rate);
  ck_assert_int_gt(dives, 100);
  ck_assert_double_lt(worst, 1e-13);
  ck_assert_double_lt(worst_end, 1e-8);
  ck_assert_double_lt(worst_rate, 1e-5); // kinks on the lines between patches
}
END_TEST

static void restart(struct sim *s) {
  struct model_energy e = model_energy_of(s->model, &s->state, &s->work);
  ledger_start(&s->run.ledger, e.kinetic_j, e.potential_j);
}

static void kick(struct sim *s) {
  for (int i = 1; i < s->state.mesh.pipe.nodes - 1; i++) {
    double x = (double)i / s->state.mesh.pipe.nodes;
    pipe_set3(s->state.pipe.v_n, i, (vec3){sin(9 * x), cos(7 * x), 2 * sin(5 * x)});
  }
  restart(s);
}

static double largest_difference(const struct sim *a, const struct sim *b) {
  double most = 0;
  for (int i = 0; i < a->state.mesh.pipe.nodes; i++)
    most = fmax(most, vec3_norm(vec3_sub(pipe_get3(a->state.pipe.r_n, i), pipe_get3(b->state.pipe.r_n, i))));
  return most;
}

static struct sim_def lying_def(void) {
  const char *const sets[] = {"pipe.elements=40", "pipe.lower_end.kind=anchored"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 2, sets);
  def.env.friction.coefficient[0] = 0.4, def.env.friction.coefficient[1] = 0.8,
  def.env.friction.stiffness_npm2 = 1e5;
  def.env.seabed_damping_nspm3 = 1e4;
  return def;
}

START_TEST(pipe_on_a_grid_of_a_plane_moves_as_on_the_plane) {
  struct sim_def def = lying_def();
  static double z_m[80 * 40];
  def.env.slope = (struct seabed_slope_def){0.12, 0.7, {100, 0}};
  struct sim *a = shipped_create(&def);
  for (int i = 0; i < 80; i++)
    for (int j = 0; j < 40; j++)
      z_m[40 * i + j] = surface_level(&a->model->pipe.ground, -200 + 25.0 * i, -500 + 25.0 * j);
  def.env.bathymetry = (struct bathymetry_def){80, 40, -200, -500, 25, z_m, NULL};
  struct sim *b = shipped_create(&def);
  ck_assert_double_lt(largest_difference(a, b), 1e-6); // the statics' tolerance over the pipe's stiffness
  vec3 top = pipe_get3(a->state.pipe.r_n, 40);
  for (int i = 0; i <= 40; i++) { // from the same start
    pipe_set3(b->state.pipe.r_n, i, pipe_get3(a->state.pipe.r_n, i));
    pipe_set_quat(&b->state.pipe, i, pipe_quat(&a->state.pipe, i));
  }
  b->state.vessel = a->state.vessel;
  b->model->vessel = a->model->vessel;
  memcpy(b->state.mesh.vessel_inertia, a->state.mesh.vessel_inertia, sizeof b->state.mesh.vessel_inertia);
  b->model->weight_compensation_n = a->model->weight_compensation_n;
  kick(a), kick(b);
  for (int k = 0; k < 100; k++)
    sim_step(a, NULL), sim_step(b, NULL);
  printf("grid of a plane: %.2g m apart after 100 steps; the top moved %.2g m\n", largest_difference(a, b),
         vec3_norm(vec3_sub(pipe_get3(a->state.pipe.r_n, 40), top)));
  ck_assert_double_lt(largest_difference(a, b), 1e-7);
  shipped_free(a), shipped_free(b);
}
END_TEST

// The whole problem rotated about the vertical.
START_TEST(turned_slope_is_the_same_problem) {
  struct sim_def def = lying_def(), turned;
  const double angle = 37 * TRIG_PI / 180;
  def.env.slope = (struct seabed_slope_def){0.15, 0, {200, 0}};
  def.env.current.surface_mps = 0, def.env.load_count = 0;
  turned = def;
  turned.env.slope.direction_rad = angle;
  turned.env.slope.reference_m[0] = 200 * cos(angle), turned.env.slope.reference_m[1] = 200 * sin(angle);
  turned.pipe.lay_azimuth_rad = angle;
  turned.vessel.euler_rad[2] = angle;
  struct sim *a = shipped_create(&def), *b = shipped_create(&turned);
  for (int k = 0; k < 100; k++) {
    const struct sim_input push = {.wrench_b = (const double[6]){4e5, -2e5, 0, 0, 0, 0}}; // in b
    sim_step(a, &push), sim_step(b, &push);
  }
  double most = 0;
  for (int i = 0; i <= 40; i++) {
    vec3 r = pipe_get3(b->state.pipe.r_n, i);
    vec3 back = {r.x * cos(angle) + r.y * sin(angle), r.y * cos(angle) - r.x * sin(angle), r.z};
    most = fmax(most, vec3_norm(vec3_sub(back, pipe_get3(a->state.pipe.r_n, i))));
  }
  printf("turned slope: %.2g m apart after 100 steps\n", most);
  ck_assert_double_lt(most, 1e-6);
  shipped_free(a), shipped_free(b);
}
END_TEST

static const struct {
  const char *name;
  double angle_deg, direction_deg, rough_m, force_n;
  enum lower_end lower;
} grounds[] = {
    {"falls 15 deg ahead", 15, 0, 0, 400e3, LOWER_CLAMPED},
    {"rises 15 deg ahead", 15, 180, 0, 400e3, LOWER_CLAMPED},
    {"falls 15 deg ahead, slack", 15, 0, 0, 100e3, LOWER_CLAMPED},
    {"rises 10 deg ahead, slack", 10, 180, 0, 250e3, LOWER_ANCHORED},
    {"falls 5 deg aside", 5, 90, 0, 400e3, LOWER_ANCHORED},
    {"hills of 1 m", 0, 0, 1, 400e3, LOWER_CLAMPED},
    {"hills of 3 m", 0, 0, 3, 400e3, LOWER_CLAMPED},
    {"hills of 8 m, taut", 0, 0, 8, 800e3, LOWER_ANCHORED},
};

// The statics find an equilibrium of the dynamics: it stays at rest, and the forces on the seabed balance.
START_TEST(statics_on_uneven_ground) {
  const char *const sets[] = {"pipe.elements=150", "environment.current=null", "loads=null"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 3, sets);
  static double z_m[SCENE_ROUGH_NODES];
  def.env.slope = (struct seabed_slope_def){
      grounds[_i].angle_deg * TRIG_PI / 180, grounds[_i].direction_deg * TRIG_PI / 180, {0, 0}};
  if (grounds[_i].rough_m > 0)
    scene_rough_ground(&def, z_m, grounds[_i].rough_m);
  def.statics.horizontal_force_n = grounds[_i].force_n;
  def.pipe.lower = grounds[_i].lower;
  if (grounds[_i].direction_deg != 90)
    def.pipe.length_m = grounds[_i].angle_deg > 0 && grounds[_i].direction_deg == 0 ? 1700 : 1500;
  struct sim *s = shipped_create(&def);
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  struct sim_output o;
  sim_get_output(s, &o);
  vec3 lower = pipe_get3(s->state.pipe.r_n, 0), axis = pipe_axis(&s->state.pipe, 0), n;
  double down = surface_penetration(&p->pipe->ground, 0.381, lower, &n);
  ck_assert_double_eq_tol(down, 0.762 / 40 + 0.762 / 10 * n.z, 1e-9); // the pipe stays at rest
  if (def.pipe.lower == LOWER_CLAMPED)
    ck_assert_double_eq_tol(vec3_dot(axis, n), 0, 1e-12);
  int touching = 0, spans = 0;
  for (int i = 0; i <= 150; i++) {
    touching += s->work.pipe.penetration_m[i] > 0;
    spans += i > 0 && s->work.pipe.penetration_m[i] > 0 && s->work.pipe.penetration_m[i - 1] <= 0;
  }
  for (int k = 0; k < 100; k++)
    sim_step(s, NULL);
  printf("%-26s touchdown S %.1f m, (%.1f, %.1f, %.1f), lay-back %.1f, %d nodes touch, %d spans, %d "
         "iterations; then %.2g J in motion\n",
         grounds[_i].name, o.touchdown_arc_length_m, o.touchdown_n_m[0], o.touchdown_n_m[1],
         o.touchdown_n_m[2], o.layback_m, touching, spans, s->statics.iterations, s->run.ledger.kinetic_j);
  ck_assert(touching > 0 && o.touchdown_arc_length_m > 0);
  double under = surface_level(&p->pipe->ground, o.touchdown_n_m[0], o.touchdown_n_m[1]);
  ck_assert_double_eq_tol(under - o.touchdown_n_m[2], 0.381, 0.1); // linear between nodes
  ck_assert_double_lt(s->run.ledger.kinetic_j, 1);
  ck_assert_double_lt(s->statics.residual_n, s->statics.tolerance_n);
  if (grounds[_i].rough_m > 2)
    ck_assert_int_gt(spans, 0);
  shipped_free(s);
}
END_TEST

START_TEST(ledger_closes_on_rough_ground) {
  struct sim_def def = lying_def();
  static double z_m[SCENE_ROUGH_NODES];
  scene_rough_ground(&def, z_m, 2);
  scene_all_ports(&def);
  def.step_s = _i == 0 ? 0.01 : 0.05;
  struct sim *s = shipped_create(&def);
  kick(s);
  for (int k = 0; k < (_i == 0 ? 10000 : 2000); k++) {
    sim_step(s, NULL);
    for (int l = 0; l < LOSS_COUNT; l++)
      ck_assert_double_ge(s->run.ledger.loss_j[l], 0);
  }
  const struct ledger *l = &s->run.ledger;
  printf("rough ground, %g s: closure %.2g, friction %.3g J, damping %.3g J, Newton mean %.2f, most %d, "
         "divided %d\n",
         def.step_s, ledger_closure_rel(l), l->total_loss_j[LOSS_FRICTION], l->total_loss_j[LOSS_SEABED],
         (double)s->run.newton_total / (double)s->run.step, (int)s->run.newton_max,
         (int)s->run.divided_count);
  ck_assert_double_lt(ledger_closure_rel(l), 1e-8);
  ck_assert(l->total_loss_j[LOSS_FRICTION] > 0 && l->total_loss_j[LOSS_SEABED] > 0);
  ck_assert_uint_eq(s->run.not_converged_count, 0);
  shipped_free(s);
}
END_TEST

// A pipe may lie beside nodes without data, not in a cell that has one.
START_TEST(grid_must_have_data_under_the_pipe) {
  struct sim_def def = lying_def();
  static double z_m[80 * 40];
  static unsigned char is_missing[80 * 40];
  for (int k = 0; k < 80 * 40; k++)
    z_m[k] = def.env.depth_m;
  def.env.bathymetry = (struct bathymetry_def){80, 40, -200, -500, 25, z_m, is_missing};
  for (int k = 0; k < 80; k++)
    is_missing[40 * k] = 1; // the western edge
  shipped_free(shipped_create(&def));
  for (int k = 0; k < 80; k++)
    is_missing[40 * k + 20] = 1; // east 0
  struct reason why = {""};
  size_t size;
  ck_assert_int_eq(sim_memsize(&def, &size, &why), STATUS_OK);
  void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
  struct sim *s;
  ck_assert_int_eq(sim_create(&def, memory, size, &s, &why), STATUS_BAD_INPUT);
  ck_assert_msg(strstr(why.text, "has no data under the pipe at north") != NULL, "%s", why.text);
  free(memory);
}
END_TEST

START_TEST(grid_must_reach_under_the_pipe) {
  struct sim_def def = lying_def();
  static double z_m[SCENE_ROUGH_NODES];
  scene_rough_ground(&def, z_m, 1);
  def.env.bathymetry.spacing_m = 10; // 700 m of it ahead
  struct reason why = {""};
  size_t size;
  ck_assert_int_eq(sim_memsize(&def, &size, &why), STATUS_OK);
  void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
  struct sim *s;
  ck_assert_int_eq(sim_create(&def, memory, size, &s, &why), STATUS_BAD_INPUT);
  ck_assert_msg(strstr(why.text, "does not extend under the pipe") != NULL, "%s", why.text);
  def.pipe.anchor_n_m[0] = -300;
  ck_assert_int_eq(sim_create(&def, memory, size, &s, &why), STATUS_BAD_INPUT);
  ck_assert_msg(strstr(why.text, "north -300") != NULL, "%s", why.text);
  free(memory);
}
END_TEST

static void refused(struct sim_def *def, const char *text) {
  struct reason why = {""};
  size_t size;
  ck_assert_int_eq(sim_memsize(def, &size, &why), STATUS_BAD_INPUT);
  ck_assert_msg(strstr(why.text, text) != NULL, "%s", why.text);
}

// A definition need not come from a file: what a step would divide by is checked here, too.
START_TEST(friction_needs_its_spring_and_a_moved_top_its_period) {
  struct sim_def def = lying_def();
  def.env.friction.coefficient[0] = 0.5;
  def.env.friction.stiffness_npm2 = 0;
  refused(&def, "friction:");
  def.env.friction.stiffness_npm2 = INFINITY;
  refused(&def, "friction:");
  def.env.friction.stiffness_npm2 = 1e4;
  shipped_free(shipped_create(&def));
  def.env.friction.coefficient[1] = -0.1;
  refused(&def, "friction:");
  def.env.friction.coefficient[1] = 0;
  def.env.friction.law = FRICTION_LAW_COUNT;
  refused(&def, "friction:");
  def.env.friction.law = FRICTION_OF_SEABED;
  def.pipe.hangoff = HANGOFF_MOVED;
  def.pipe.motion = (struct motion_def){.radius_m = 1};
  refused(&def, "motion:");
  def.pipe.motion.radius_m = 0; // it stays, whatever the period
  struct sim *s = shipped_create(&def);
  for (int k = 0; k < 3; k++)
    sim_step(s, NULL);
  struct sim_output out;
  sim_get_output(s, &out);
  ck_assert(isfinite(out.hangoff_tension_n));
  shipped_free(s);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("seabed");
  TCase *t = add_case(suite, "surface", 30);
  tcase_add_test(t, spline_runs_through_its_nodes_and_is_smooth);
  tcase_add_test(t, grid_of_a_plane_is_the_plane);
  tcase_add_test(t, penetration_is_along_the_normal);
  tcase_add_test(t, gradient_is_discrete_and_its_rates_are_derivatives);
  t = add_case(suite, "pipe", 100);
  tcase_add_test(t, friction_needs_its_spring_and_a_moved_top_its_period);
  tcase_add_test(t, pipe_on_a_grid_of_a_plane_moves_as_on_the_plane);
  tcase_add_test(t, turned_slope_is_the_same_problem);
  tcase_add_loop_test(t, statics_on_uneven_ground, 0, (int)(sizeof grounds / sizeof *grounds));
  tcase_add_loop_test(t, ledger_closes_on_rough_ground, 0, 2);
  tcase_add_test(t, grid_must_reach_under_the_pipe);
  tcase_add_test(t, grid_must_have_data_under_the_pipe);
  return run_suite(suite);
}
