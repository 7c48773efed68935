// Statics of many random pipes, from umbilical to 48 inches, in 20 to 3000 m of water, slack to taut: each
// converges to a verified equilibrium or fails with a reason. Never a silent wrong answer.
#include "scenes.h"
#include "suite.h"

#include <math.h>

static double noise(uint64_t *seed) { // in (0, 1)
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*seed >> 11) / 9007199254740992.0;
}

static double between(uint64_t *seed, double low, double high) {
  return low * pow(high / low, noise(seed));
}

// A steel tube, heavier than water, with a length that reaches and rests on the seabed for a while.
static void random_pipe(struct sim_def *def, uint64_t *seed) {
  const double pi = 3.14159265358979323846;
  struct pipe_def *p = &def->pipe;
  double d = between(seed, 0.08, 1.22), t = d / between(seed, 12, 45), inner = d - 2 * t;
  double area = 0.25 * pi * (d * d - inner * inner), moment = pi / 64 * (pow(d, 4) - pow(inner, 4));
  double displaced = 0.25 * pi * d * d * def->env.water_density_kgpm3;
  p->line.outer_diameter_m = d;
  p->line.axial_stiffness_n = 206e9 * area;
  p->line.shear_stiffness_n[0] = p->line.shear_stiffness_n[1] = 79e9 * area / 2;
  p->line.bending_stiffness_nm2[0] = p->line.bending_stiffness_nm2[1] = 206e9 * moment;
  p->line.torsion_stiffness_nm2 = 79e9 * 2 * moment;
  p->line.mass_kgpm = fmax(7850 * area, displaced) + displaced * between(seed, 0.05, 1);
  p->line.inertia_kgm[1] = p->line.inertia_kgm[2] = 7850 * moment;
  p->line.inertia_kgm[0] = 2 * p->line.inertia_kgm[1];
  double weight = (p->line.mass_kgpm - displaced) * def->env.gravity_mps2;
  def->env.depth_m = between(seed, 20, 3000);
  double a = def->env.depth_m * between(seed, 0.03, 4); // H/w
  def->statics.horizontal_force_n = a * weight;
  double suspended = sqrt(def->env.depth_m * (def->env.depth_m + 2 * a));
  p->length_m = suspended * (1.05 + noise(seed)) + 20;
  p->elements = 40 + (int)(300 * noise(seed));
  p->hangoff = noise(seed) < 0.5 ? HANGOFF_PINNED : HANGOFF_CLAMPED;
  p->hangoff_angle_auto = noise(seed) < 0.7;
  p->hangoff_angle_rad = acos(a / (a + def->env.depth_m)) + 0.1 * (noise(seed) - 0.5);
  def->vessel.hangoff_b_m[0] = -60 * noise(seed);
  def->vessel.hangoff_b_m[2] = fmin(5, 0.1 * def->env.depth_m) * noise(seed);
  def->statics.weight_compensation = noise(seed) < 0.7 ? COMPENSATE_PIPE : COMPENSATE_NONE;
  def->pipe.lay_azimuth_rad = 6.28 * noise(seed);
  def->vessel.euler_rad[2] = def->pipe.lay_azimuth_rad;
}

// A state is an equilibrium if the dynamics do not move it.
static void verify(struct sim *s, const char *what) {
  struct sim_output before, after;
  sim_get_output(s, &before);
  ck_assert_msg(s->statics.residual_n <= s->statics.tolerance_n, "%s: residual", what);
  for (int k = 0; k < 50; k++)
    sim_step(s, NULL);
  sim_get_output(s, &after);
  double moved = 0;
  for (int c = 0; c < 3; c++)
    moved = fmax(moved, fabs(after.position_n_m[c] - before.position_n_m[c]));
  ck_assert_msg(moved < 1e-6, "%s: moves by %g m", what, moved);
  double change = fabs(after.hangoff_tension_n - before.hangoff_tension_n);
  ck_assert_msg(change < 1e-5 * fabs(before.hangoff_tension_n) + 1, "%s: tension moves by %g N of %g", what,
                change, before.hangoff_tension_n);
  if (s->state.mesh.pipe.top_rotation_attached && !s->def->pipe.hangoff_angle_auto)
    return; // a stiff pipe turned by force may push
  ck_assert_msg(before.hangoff_tension_n > 0, "%s: tension %g N", what, before.hangoff_tension_n);
}

START_TEST(random_pipes_find_their_equilibrium) {
  const char *wanted = getenv("SAGBEND_STATICS_CASES");
  int cases = wanted ? atoi(wanted) : 300, failed = 0, most = 0;
  struct sim_def base = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
  base.env.load_count = 0;
  base.env.current.surface_mps = 0;
  for (int k = 1; k <= cases; k++) {
    uint64_t seed = (uint64_t)k * 7919;
    struct sim_def def = base;
    random_pipe(&def, &seed);
    struct reason why = {""};
    size_t size;
    ck_assert_int_eq(sim_memsize(&def, &size, &why), STATUS_OK);
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    struct sim *s = NULL;
    enum status status = sim_create(&def, memory, size, &s, &why);
    char what[200];
    snprintf(what, sizeof what, "case %d (d %.2f m, depth %.0f m, H %.0f kN, %d elements, top %d)", k,
             def.pipe.line.outer_diameter_m, def.env.depth_m, def.statics.horizontal_force_n / 1e3,
             def.pipe.elements, def.pipe.hangoff);
    if (status == STATUS_OK) {
      most = s->statics.iterations > most ? s->statics.iterations : most;
      verify(s, what);
    } else {
      failed++;
      printf("%s: %s\n", what, why.text);
      ck_assert_uint_gt(strlen(why.text), 10);
    }
    free(memory);
  }
  printf("%d random pipes: %d without equilibrium, at most %d iterations\n", cases, failed, most);
  ck_assert_int_le(failed, cases / 100);
}
END_TEST

static vec3 moment_at_lower_end(const struct sim *s) {
  struct section_forces f = pipe_node_section_forces(&s->state.mesh.pipe, &s->state.pipe, &s->work.pipe, 0);
  return (vec3){f.torsion_nm, f.bending_nm[0], f.bending_nm[1]};
}

static const struct {
  const char *what, *set[3];
  double most_nm; // bending moment at the clamped lower end
} anchors[] = {
    {"level", {"environment.seabed=spring"}, 20},
    {"linear seabed", {"environment.seabed=linear", "environment.seabed_stiffness_npm3=1e4"}, 20},
    {"falls ahead", {"environment.seabed_slope={angle_deg: 4, direction_deg: 0}"}, 20},
    {"rises ahead", {"environment.seabed_slope={angle_deg: 4, direction_deg: 180}"}, 20},
};

// The clamped lower end lies where the pipe rests, so nothing bends it. Held at the level of the seabed it is
// bent by more than a meganewton metre, because the pipe beside it lies 3/8 of its diameter higher.
START_TEST(a_laid_pipe_is_not_bent_at_its_anchor) {
  const char *sets[8] = {"pipe.elements=300", "environment.current=null", "loads=null",
                         "statics.horizontal_force_n=500e3", "pipe.length_m=1700"};
  int count = 5;
  for (int k = 0; k < 3 && anchors[_i].set[k]; k++)
    sets[count++] = anchors[_i].set[k];
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", count, sets);
  ck_assert_int_eq(def.pipe.lower_height, HEIGHT_RESTING);
  struct sim *s = shipped_create(&def);
  vec3 lies = moment_at_lower_end(s);
  double height = pipe_lower_height(&s->state.mesh.pipe, &def.pipe);
  shipped_free(s);
  def.pipe.lower_height = HEIGHT_GIVEN; // given as a number: the same
  def.pipe.lower_height_m = height;
  s = shipped_create(&def);
  ck_assert_double_eq_tol(vec3_norm(vec3_sub(moment_at_lower_end(s), lies)), 0, 1e-6);
  shipped_free(s);
  def.pipe.lower_height = HEIGHT_GROUND;
  s = shipped_create(&def);
  vec3 ground = moment_at_lower_end(s);
  shipped_free(s);
  printf("%s: lower end %.4f m above the ground, %.3g N m there; at the ground's level %.3g N m\n",
         anchors[_i].what, height, vec3_norm(lies), vec3_norm(ground));
  ck_assert_double_lt(vec3_norm(lies), anchors[_i].most_nm);
  ck_assert_double_gt(vec3_norm(ground), 50e3);
}
END_TEST

// With contact at the axis instead of the underside.
START_TEST(anchor_at_ground_level_with_contact_at_the_axis) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-circle", 0, NULL);
  ck_assert_int_eq(def.pipe.lower_height, HEIGHT_GROUND);
  const char *const sets[] = {"pipe.lower_end.height_m=0.25"};
  def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 1, sets);
  struct sim *s = shipped_create(&def);
  ck_assert_double_eq_tol(s->state.pipe.r_n[2][0], 899.75, 1e-12);
  shipped_free(s);
}
END_TEST

// ---- stability, friction, current ----

// A symmetric matrix of a known number of negative eigenvalues: L D L', L below the diagonal within its chain
// and tail.
START_TEST(pivots_tell_negative_eigenvalues) {
  enum { COUNT = 5, TAIL = 7, ALL = BLOCK * COUNT + TAIL };
  static unsigned char memory[65536];
  uint64_t seed = (uint64_t)_i + 1;
  struct arena arena;
  struct blocktri b;
  double l[ALL][ALL] = {{0}}, d[ALL];
  int negative = 0;
  arena_init(&arena, memory, sizeof memory);
  blocktri_create(&b, COUNT, TAIL, &arena);
  for (int i = 0; i < ALL; i++) {
    d[i] = (noise(&seed) < 0.1 * (_i % 5) ? -1 : 1) * (0.5 + noise(&seed));
    negative += d[i] < 0;
    for (int j = 0; j < i; j++)
      if (i / BLOCK - j / BLOCK <= 1 || (i >= BLOCK * COUNT && j >= BLOCK * (COUNT - 1)))
        l[i][j] = 2 * noise(&seed) - 1;
    l[i][i] = 1;
  }
  for (int i = 0; i < ALL; i++)
    for (int j = 0; j < ALL; j++) {
      double a = 0;
      int ii = i / BLOCK, jj = j / BLOCK, ti = i - BLOCK * COUNT, tj = j - BLOCK * COUNT;
      for (int k = 0; k < ALL; k++)
        a += l[i][k] * d[k] * l[j][k];
      if (ti >= 0 && tj >= 0)
        b.tail_diag[ti][tj] = a;
      else if (ti >= 0 && jj == COUNT - 1)
        b.tail_lower[ti][j % BLOCK] = a;
      else if (tj >= 0 && ii == COUNT - 1)
        b.tail_upper[i % BLOCK][tj] = a;
      else if (ti < 0 && tj < 0 && ii == jj)
        b.diag[ii][block_at(i % BLOCK, j % BLOCK)] = a;
      else if (ti < 0 && tj < 0 && ii == jj + 1)
        b.lower[ii][block_at(i % BLOCK, j % BLOCK)] = a;
      else if (ti < 0 && tj < 0 && jj == ii + 1)
        b.upper[ii][block_at(i % BLOCK, j % BLOCK)] = a;
    }
  ck_assert_int_eq(blocktri_negative_pivot_count(&b), negative);
}
END_TEST

static struct sim_def rising(double length_m, double friction_axial, double friction_lateral) {
  const char *const sets[] = {"pipe.elements=200", "environment.current=null", "loads=null",
                              "environment.seabed_slope={angle_deg: 15, direction_deg: 180}"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 4, sets);
  def.pipe.length_m = length_m;
  def.env.friction.coefficient[0] = friction_axial, def.env.friction.coefficient[1] = friction_lateral;
  return def;
}

static enum status try_create(const struct sim_def *def, void **memory, struct sim **s, struct reason *why) {
  size_t size;
  ck_assert_int_eq(sim_memsize(def, &size, why), STATUS_OK);
  *memory = aligned_alloc(64, (size + 63) / 64 * 64);
  *s = NULL;
  return sim_create(def, *memory, size, s, why);
}

// On a frictionless rising slope the laid pipe pushes on its anchor. It would fold sideways, and is refused
// with the position.
START_TEST(unstable_equilibrium_is_refused_or_left) {
  struct sim_def def = rising(2300, 0, 0);
  struct reason why = {""};
  struct sim *s;
  void *memory;
  ck_assert_int_eq(try_create(&def, &memory, &s, &why), STATUS_NOT_CONVERGED);
  printf("%s\n", why.text);
  ck_assert_ptr_nonnull(strstr(why.text, "unstable"));
  ck_assert_ptr_nonnull(strstr(why.text, "sideways at S = "));
  ck_assert_ptr_nonnull(strstr(why.text, "largest compression 10"));
  free(memory);
  def.statics.unstable = UNSTABLE_LEAVE;
  ck_assert_int_eq(try_create(&def, &memory, &s, &why), STATUS_OK);
  ck_assert_int_ge(s->statics.unstable_left, 1);
  ck_assert_int_eq(s->statics.stable, 1);
  ck_assert_double_lt(s->statics.left.least_1ps2, 0);
  ck_assert_double_lt(s->statics.left.least_tension_n, -100e3);
  double aside = 0;
  for (int i = 0; i <= 200; i++)
    aside = fmax(aside, fabs(s->state.pipe.r_n[1][i]));
  ck_assert_double_gt(aside, 10); // folded
  s->state.pipe.v_n[1][60] = 0.1; // after a push it stays close to its position
  vec3 start = pipe_get3(s->state.pipe.r_n, 60);
  double moved = 0;
  for (int k = 0; k < 2000; k++) {
    sim_step(s, NULL);
    moved = fmax(moved, vec3_norm(vec3_sub(pipe_get3(s->state.pipe.r_n, 60), start)));
  }
  ck_assert_double_lt(moved, 0.5);
  free(memory);
}
END_TEST

static const struct {
  const char *what;
  double axial, lateral, rough_m, current_mps, slipping_m[2]; // least and most
} rests[] = {
    {"friction holds", 0.5, 0.7, 0, 0, {0, 0}},
    {"friction does not hold", 0.15, 0.7, 0, 0, {300, 2000}},
    {"friction, and a current across", 0.5, 0.7, 0, 0.7, {0, 2000}},
    {"hills", 0.5, 0.7, 1.5, 0, {0, 2000}},
    {"hills, and a current across", 0.5, 0.7, 1.5, 0.7, {0, 2000}},
    {"a current on level ground", 0.3, 0.5, 0, 0.7, {0, 2000}},
};

// The result of the statics, with friction elongations and in the current, stays at rest except for the
// splitting error of order h^2.
START_TEST(a_pipe_at_rest_starts_quietly) {
  static double z_m[SCENE_ROUGH_NODES];
  struct sim_def def = rising(1800, rests[_i].axial, rests[_i].lateral);
  if (_i == 5)
    def.env.slope.angle_rad = 0;
  if (rests[_i].rough_m > 0) {
    def.env.slope.angle_rad = 0;
    scene_rough_ground(&def, z_m, rests[_i].rough_m);
  }
  def.env.current = (struct current_def){.surface_mps = rests[_i].current_mps, .direction_rad = 1.2};
  struct sim *s = shipped_create(&def);
  const struct statics_report *r = &s->statics;
  struct sim_output before, after;
  sim_get_output(s, &before);
  ck_assert_int_eq(r->stable, 1);
  ck_assert_int_eq(r->with_friction, 1);
  ck_assert_int_eq(r->with_current, rests[_i].current_mps > 0);
  ck_assert_double_ge(r->slipping_m, rests[_i].slipping_m[0]);
  ck_assert_double_le(r->slipping_m, rests[_i].slipping_m[1]);
  double stretched = 0, moved = 0;
  for (int i = 0; i <= 200; i++)
    stretched = fmax(stretched, fabs(s->state.pipe.friction_elongation_m[0][i]) +
                                    fabs(s->state.pipe.friction_elongation_m[1][i]));
  ck_assert_double_gt(stretched, 1e-5);
  vec3 *start = malloc(201 * sizeof *start);
  for (int i = 0; i <= 200; i++)
    start[i] = pipe_get3(s->state.pipe.r_n, i);
  for (int k = 0; k < 500; k++)
    sim_step(s, NULL);
  for (int i = 0; i <= 200; i++)
    moved = fmax(moved, vec3_norm(vec3_sub(pipe_get3(s->state.pipe.r_n, i), start[i])));
  sim_get_output(s, &after);
  printf("%s: slips on %.0f m, stretched by %.2g mm, moves by %.2g m in 5 s, tension by %.2g N\n",
         rests[_i].what, r->slipping_m, 1e3 * stretched, moved,
         fabs(after.hangoff_tension_n - before.hangoff_tension_n));
  ck_assert_double_lt(moved, 2e-4);
  ck_assert_double_lt(fabs(after.hangoff_tension_n - before.hangoff_tension_n), 20);
  free(start);
  shipped_free(s);
}
END_TEST

// On a level seabed a laid pipe does not load friction: the same bits as on a frictionless seabed.
START_TEST(friction_on_level_ground_changes_nothing) {
  struct sim_def def = rising(1500, 0.4, 0.6);
  def.env.slope.angle_rad = 0;
  struct sim *with = shipped_create(&def);
  def.statics.friction = FRICTION_NONE;
  struct sim *without = shipped_create(&def);
  ck_assert_uint_eq(sim_hash(with), sim_hash(without));
  ck_assert_int_eq(with->statics.with_friction, 1);
  ck_assert_int_eq(without->statics.with_friction, 0);
  shipped_free(with), shipped_free(without);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("statics");
  tcase_add_test(add_case(suite, "random", 600), random_pipes_find_their_equilibrium);
  TCase *t = add_case(suite, "anchor", 60);
  tcase_add_loop_test(t, a_laid_pipe_is_not_bent_at_its_anchor, 0, (int)(sizeof anchors / sizeof *anchors));
  tcase_add_test(t, anchor_at_ground_level_with_contact_at_the_axis);
  t = add_case(suite, "rest", 120);
  tcase_add_loop_test(t, pivots_tell_negative_eigenvalues, 0, 20);
  tcase_add_test(t, unstable_equilibrium_is_refused_or_left);
  tcase_add_loop_test(t, a_pipe_at_rest_starts_quietly, 0, (int)(sizeof rests / sizeof *rests));
  tcase_add_test(t, friction_on_level_ground_changes_nothing);
  return run_suite(suite);
}
