// Pipe of several types, its content and its section forces: configuration, closed forms, and the order of
// the forces recovered at the nodes.
#include "net/case/case.h"

#include "sagbend/math/math.h"

#include "scenes.h"
#include "suite.h"

#include <math.h>

static double circle(double d) {
  return 0.25 * TRIG_PI * d * d;
}

START_TEST(sections_inherit_what_they_do_not_give) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-segments", 0, NULL);
  const struct pipe_def *p = &def.pipe;
  ck_assert_int_eq(p->type_count, 2);
  const struct pipe_type *arrestor = &p->types[0], *coated = &p->types[1];
  ck_assert(arrestor->mass_kgpm == 381.761 && arrestor->outer_diameter_m == 0.4444 &&
            arrestor->inertia_kgm[2] == 7.94689);
  ck_assert(arrestor->inner_diameter_m == 0.3682 && arrestor->drag_transverse == 1.2 &&
            arrestor->added_mass_transverse == 1);
  ck_assert(coated->mass_kgpm == 449.692 && coated->axial_stiffness_n == p->line.axial_stiffness_n);
  ck_assert(memcmp(coated->bending_stiffness_nm2, p->line.bending_stiffness_nm2,
                   sizeof coated->bending_stiffness_nm2) == 0);
  ck_assert(p->mesh[0].type == 2 && p->mesh[2].type == 0 && p->mesh[3].type == 1 && p->elements == 193);
  ck_assert(pipe_element_type(p, 79) == coated && pipe_element_type(p, 80) == &p->line);
  ck_assert(pipe_element_type(p, 96) == arrestor && pipe_element_type(p, 98) == &p->line);
  ck_assert(pipe_type_mass(p, coated) == 449.692 + 1025 * circle(0.3682));
}
END_TEST

static const struct {
  const char *find, *replace, *expected;
} bad[] = {
    {"elements: 2, section: arrestor}", "elements: 2, section: arestor}",
     "case:L:46: error: pipe.mesh.3.section: the name of one of pipe.sections expected, got 'arestor'\n"},
    {"- name: coated", "- name: arrestor",
     "case:L:13: error: pipe.sections.1.name: a name different from pipe.sections.0 expected, got "
     "'arrestor'\n"
     "case:L+6:46: error: pipe.mesh.0.section: the name of one of pipe.sections expected, got 'coated'\n"
     "case:L+7:46: error: pipe.mesh.1.section: the name of one of pipe.sections expected, got 'coated'\n"},
    {"      mass_kgpm: 449.692", "      mas_kgpm: 449.692",
     "case:L:7: error: pipe.sections.1.mas_kgpm: unknown key, did you mean mass_kgpm?\n"},
    {"      mass_kgpm: 449.692", "      mass_kgpm: -1",
     "case:L:18: error: pipe.sections.1.mass_kgpm: finite number > 0 expected, got '-1'\n"},
    {"outer_diameter_m: 0.4444", "outer_diameter_m: 0.3444",
     "case:L:25: error: pipe.sections.0.outer_diameter_m: more than the inner diameter of 0.3682 m expected, "
     "got '0.3444'\n"},
    {"steel_diameter_m: 0.4064", "steel_diameter_m: 0.6064",
     "case:L:25: error: pipe.sections.1.steel_diameter_m: a steel diameter above the inner diameter of "
     "0.3682 m and at most the outer diameter of 0.5264 m expected, got 0.6064 m\n"},
    {"  inner_diameter_m: 0.3682", "  inner_diameter_m: 0",
     "case:L:21: error: pipe.inner_diameter_m: a diameter > 0 expected, got '0': the pipe has a content\n"},
};

// Replaces L and L+n in the expected text, where L is the line of the edit.
static void put_lines(const char *expected, int line, char *out) {
  *out = '\0';
  for (const char *at = expected; *at;) {
    int offset = 0, used = 0;
    if (strncmp(at, "case:L", 6) != 0) {
      strncat(out, at++, 1);
      continue;
    }
    sscanf(at, "case:L+%d%n", &offset, &used);
    sprintf(out + strlen(out), "case:%d", line + offset);
    at += used ? used : 6;
  }
}

START_TEST(errors_say_where) {
  static char text[1 << 14], changed[1 << 14], got[1 << 12], expected[1 << 12];
  FILE *file = fopen(TEST_SOURCE_DIR "/configs/jlay-segments.yaml", "r");
  ck_assert_ptr_nonnull(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  char *at = strstr(text, bad[_i].find);
  ck_assert_ptr_nonnull(at);
  snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, bad[_i].replace,
           at + strlen(bad[_i].find));
  struct config c;
  FILE *errors = fmemopen(got, sizeof got, "w");
  ck_assert_int_ne(config_load_text("case", changed, strlen(changed), NULL, NULL, 0, &c, errors), STATUS_OK);
  fclose(errors);
  int line = 1;
  for (const char *byte = text; byte < at; byte++)
    line += *byte == '\n';
  put_lines(bad[_i].expected, line, expected);
  ck_assert_str_eq(got, expected);
}
END_TEST

// A node between two pipe types has half an element of each; the total weight is the sum of its parts.
START_TEST(a_node_takes_half_of_each) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-segments", 0, NULL);
  struct sim *s = shipped_create(&def);
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  const struct pipe_def *d = &def.pipe;
  const struct pipe_type *below = &d->types[1], *above = &d->line;
  int i = 80;
  double a = 0.5 * 400 / 60, b = 0.5 * 189.8 / 16, water = 1025, g = 9.80665;
  double mass = a * (pipe_type_mass(d, below) + water * circle(0.5264)) +
                b * (pipe_type_mass(d, above) + water * circle(0.4064));
  double weight = g * (a * (pipe_type_mass(d, below) - water * circle(0.5264)) +
                       b * (pipe_type_mass(d, above) - water * circle(0.4064)));
  ck_assert_double_eq_tol(p->mass_kg[i], mass, 1e-12 * mass);
  ck_assert_double_eq_tol(p->weight_n[i], weight, 1e-12 * weight);
  ck_assert_double_eq_tol(p->drag_transverse[i], 0.5 * water * 1.2 * (a * 0.5264 + b * 0.4064), 1e-9);
  ck_assert_double_eq_tol(p->contact_offset_m[i], 0.5 * (a * 0.5264 + b * 0.4064) / (a + b), 1e-12);
  ck_assert_double_eq_tol(p->seabed[i - 1].break_m, 0.5264 / 20, 1e-15);
  double sum = 0, expected = 0;
  for (int k = 0; k < p->nodes; k++)
    sum += p->weight_n[k];
  for (int k = 0; k < d->mesh_segment_count; k++) {
    const struct pipe_type *x = d->mesh[k].type ? &d->types[d->mesh[k].type - 1] : &d->line;
    expected += d->mesh[k].length_m * pipe_type_weight(d, x, &def.env);
  }
  ck_assert_double_eq_tol(sum, expected, 1e-9 * expected);
  ck_assert_double_eq_tol(pipe_mean_weight(d, &def.env) * d->length_m, expected, 1e-9 * expected);
  shipped_free(s);
}
END_TEST

// Contact, friction, drag, current and loads on several pipe types: the ledger closes, and no event is
// latched.
START_TEST(ledger_closes_over_sections) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-segments", 0, NULL);
  struct sim *s = shipped_create(&def);
  ck_assert_double_le(s->statics.residual_n, s->statics.tolerance_n);
  for (int k = 0; k < 1500; k++)
    sim_step(s, NULL);
  const struct ledger *l = sim_ledger(s);
  struct sim_output out;
  sim_get_output(s, &out);
  double closure = l->max_abs_total_residual_j / l->turnover_j;
  printf("jlay-segments, 30 s: ledger closed to %.1e, tension %.0f to %.0f kN\n", closure,
         out.min_tension_n / 1e3, out.max_tension_n / 1e3);
  ck_assert_double_lt(closure, 1e-8);
  ck_assert_uint_eq(out.events, 0);
  ck_assert(out.touchdown_tension_n > out.min_tension_n && out.touchdown_tension_n < out.max_tension_n);
  shipped_free(s);
}
END_TEST

// A beam clamped at one end; the outer part is of another type: stiffer, heavier, curved.
static struct sim_def two_kinds(int elements, double gravity) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
  scene_conservative(&def);
  def.env = (struct env_def){.gravity_mps2 = gravity, .depth_m = 10, .seabed = SEABED_NONE};
  struct pipe_def *p = &def.pipe;
  p->elements = elements;
  p->length_m = 10;
  p->hangoff = HANGOFF_FREE;
  p->mesh_segment_count = 2;
  p->mesh[0] = (struct mesh_segment){5, elements / 5 * 2, 0};
  p->mesh[1] = (struct mesh_segment){5, elements / 5 * 3, 1};
  p->type_count = 1;
  p->line = (struct pipe_type){.outer_diameter_m = 0.2,
                               .mass_kgpm = 50,
                               .inertia_kgm = {2, 1, 1},
                               .axial_stiffness_n = 1e6,
                               .shear_stiffness_n = {4e5, 3e5},
                               .torsion_stiffness_nm2 = 5e4,
                               .bending_stiffness_nm2 = {8e4, 6e4}};
  p->types[0] = p->line;
  p->types[0].mass_kgpm = 120;
  p->types[0].bending_stiffness_nm2[0] = 2e5, p->types[0].bending_stiffness_nm2[1] = 2.5e5;
  p->types[0].torsion_stiffness_nm2 = 2e5;
  p->types[0].axial_stiffness_n = 3e6;
  p->types[0].curvature_1pm[1] = 0.05;
  p->end_force_n[0] = 2e3, p->end_force_n[1] = 3e3, p->end_force_n[2] = 1e3;
  p->end_moment_nm[0] = 1e3, p->end_moment_nm[2] = -2e3;
  return def;
}

enum { VALUES = 9 };
static void values_of(const struct section_forces *f, double v[VALUES]) {
  const double all[VALUES] = {f->effective_tension_n, f->shear_n[0],       f->shear_n[1],
                              f->torsion_nm,          f->bending_nm[0],    f->bending_nm[1],
                              f->wall_tension_n,      f->curvature_1pm[0], f->curvature_1pm[1]};
  memcpy(v, all, sizeof all);
}

// Largest errors of forces (N) and of moments (N m) at the fifths of the beam, which are nodes of every mesh.
static void errors_at_fifths(const struct sim *coarse, const struct sim *fine, double error[2], int print) {
  int n = coarse->state.mesh.pipe.elements, ratio = fine->state.mesh.pipe.elements / n;
  error[0] = error[1] = 0;
  for (int k = 0; k <= 5; k++) {
    double a[VALUES], b[VALUES];
    struct section_forces x = sim_node_forces(coarse, n / 5 * k),
                          y = sim_node_forces(fine, n / 5 * k * ratio);
    values_of(&x, a), values_of(&y, b);
    if (print)
      printf("  node %d of 5: T %9.2f (%+.3f) V %9.2f (%+.3f) %9.2f (%+.3f) M %9.2f (%+.3f) %9.2f (%+.3f) "
             "%9.2f (%+.3f)\n",
             k, b[0], a[0] - b[0], b[1], a[1] - b[1], b[2], a[2] - b[2], b[3], a[3] - b[3], b[4], a[4] - b[4],
             b[5], a[5] - b[5]);
    for (int v = 0; v < 6; v++)
      error[v / 3] = fmax(error[v / 3], fabs(a[v] - b[v]));
  }
}

// The pipe type changes at node 2 n/5.
START_TEST(nodes_are_of_second_order) {
  struct sim_def def = two_kinds(2560, 9.80665);
  struct sim *fine = shipped_create(&def);
  double before[2] = {0};
  for (int n = 20; n <= 160; n *= 2) {
    def = two_kinds(n, 9.80665);
    struct sim *s = shipped_create(&def);
    double error[2];
    errors_at_fifths(s, fine, error, n == 80);
    printf("two kinds of beam, %3d elements: section forces off by %.4f N, %.4f N m\n", n, error[0],
           error[1]);
    for (int k = 0; k < 2 && n > 20; k++)
      ck_assert_msg(before[k] / error[k] > 3.4, "order: %.2f", before[k] / error[k]);
    memcpy(before, error, sizeof before);
    shipped_free(s);
  }
  shipped_free(fine);
}
END_TEST

// Hanging from the vessel by its top, the lower end free at depth z: T_e is the submerged weight below, zero
// at the end; there T_w = p_i A_i - p_o A_o, which is the load on a closed end, and on the wall of an open
// one with p_i = p_o.
START_TEST(a_hanging_pipe_carries_what_is_below) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-segments", 0, NULL);
  struct pipe_def *p = &def.pipe;
  const double pressure = _i ? 5e6 : 0, density = _i ? 300 : 1025, length = 600, water = 1025, g = 9.80665;
  def.env.seabed = SEABED_NONE;
  def.env.depth_m = 500;
  def.env.load_count = 0;
  p->lower = LOWER_FREE;
  p->buoyancy = BUOYANCY_BY_DEPTH;
  p->length_m = length;
  p->content_density_kgpm3 = density;
  p->content_pressure_pa = pressure;
  p->mesh_segment_count = 2;
  p->mesh[0] = (struct mesh_segment){200, 10, 1};
  p->mesh[1] = (struct mesh_segment){400, 40, 0};
  p->elements = 50;
  def.statics.horizontal_force_n = 0;
  struct sim *s = shipped_create(&def);
  double w1 = g * (pipe_type_mass(p, &p->types[0]) - water * circle(0.4444)),
         w0 = g * (pipe_type_mass(p, &p->line) - water * circle(0.4064)), bore = circle(0.3682);
  // Half of the topmost section is above the water: 2/(3 pi) of the buoyancy of a radius of length.
  const double top_n = 200 * w1 + 400 * w0 + water * g * circle(0.4064) * 0.2032 * 2 / (3 * acos(-1));
  struct section_forces bottom = sim_node_forces(s, 0), middle = sim_node_forces(s, 10),
                        top = sim_node_forces(s, 50);
  double z = s->state.pipe.r_n[2][0], stretched = z - s->state.pipe.r_n[2][50];
  double stretch = 0.5 * w1 * 200 * 200 / p->types[0].axial_stiffness_n +
                   (w1 * 200 * 400 + 0.5 * w0 * 400 * 400) / p->line.axial_stiffness_n;
  printf("hanging: bottom %.6f N at %.4f m, junction %.3f, top %.3f (%.3f), longer by %.6f m (%.6f)\n",
         bottom.effective_tension_n, z, middle.effective_tension_n, top.effective_tension_n, top_n,
         stretched - length, stretch);
  ck_assert_double_lt(fabs(bottom.effective_tension_n), 0.1);
  ck_assert_double_eq_tol(middle.effective_tension_n, 200 * w1, 0.1);
  ck_assert_double_eq_tol(top.effective_tension_n, top_n, 0.1);
  ck_assert_double_eq_tol(stretched - length, stretch, 1e-6);
  ck_assert_double_eq_tol(bottom.wall_tension_n,
                          (pressure + density * g * z) * bore - water * g * z * circle(0.4444), 0.1);
  if (!_i) // open: filled with water
    ck_assert_double_eq_tol(bottom.wall_tension_n, -water * g * z * (circle(0.4444) - bore), 0.1);
  struct sim_output out;
  sim_get_output(s, &out);
  ck_assert(out.max_tension_n == top.effective_tension_n &&
            fabs(out.max_tension_arc_length_m - length) < 1e-9);
  ck_assert(out.bottom_tension_n == bottom.effective_tension_n && isnan(out.touchdown_tension_n));
  ck_assert_double_lt(out.max_torsion_nm, 1e-3);
  shipped_free(s);
}
END_TEST

// Outputs of statics and dynamics follow from the state, not from the work arrays of the last step; also
// after a restore.
START_TEST(forces_follow_from_the_state) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-segments", 0, NULL);
  struct sim *s = shipped_create(&def), *other = shipped_create(&def);
  for (int k = 0; k < 40; k++)
    sim_step(s, NULL);
  size_t size = sim_snapshot_size(s);
  void *snapshot = malloc(size);
  struct reason why;
  sim_snapshot(s, snapshot);
  ck_assert_int_eq(sim_restore(other, snapshot, size, &why), STATUS_OK);
  for (int i = 0; i < sim_node_count(s); i++) {
    struct section_forces a = sim_node_forces(s, i), b = sim_node_forces(other, i);
    ck_assert(memcmp(&a, &b, sizeof a) == 0);
  }
  free(snapshot);
  shipped_free(s), shipped_free(other);
}
END_TEST

int main(void) {
  TCase *t = tcase_create("sections");
  tcase_set_timeout(t, 100);
  tcase_add_test(t, sections_inherit_what_they_do_not_give);
  tcase_add_loop_test(t, errors_say_where, 0, sizeof bad / sizeof *bad);
  tcase_add_test(t, a_node_takes_half_of_each);
  tcase_add_test(t, ledger_closes_over_sections);
  tcase_add_test(t, nodes_are_of_second_order);
  tcase_add_loop_test(t, a_hanging_pipe_carries_what_is_below, 0, 2);
  tcase_add_test(t, forces_follow_from_the_state);
  Suite *suite = suite_create("core_sections");
  suite_add_tcase(suite, t);
  return run_suite(suite);
}
