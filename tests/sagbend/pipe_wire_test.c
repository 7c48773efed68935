// Wires: the tension of every element follows from its chord, however the wire is thrown about in three
// dimensions; chains and wires have their equilibrium; and a random population of wires, pipes and joints of
// both keeps the law.
// SAGBEND_WIRE_CASES: number of throws and of random lines (the long campaign: 1000 and 10000).
#include "sagbend/growing/growing.h"
#include "sagbend/pipe/pipe.h"
#include "sagbend/pipe/pipe_internal.h"
#include "sagbend/pipeline/pipeline.h"
#include "sagbend/sections/sections.h"
#include "scenes.h"
#include "suite.h"

#include <math.h>

static double noise(uint64_t *seed) { // in (-1, 1)
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)*seed / 9223372036854775808.0;
}

static double between(double low, double high, uint64_t *seed) {
  return low * pow(high / low, 0.5 * (1 + noise(seed)));
}

static int cases(int otherwise) {
  const char *wanted = getenv("SAGBEND_WIRE_CASES");
  return wanted ? atoi(wanted) : otherwise;
}

// A line from an anchor on the seabed to a top that is held where the statics put it.
struct line {
  double depth_m, length_m, reach_m;
  int elements;
  char properties[900]; // of the pipe; elements 0: with its mesh
};

static struct sim_def line_def(const struct line *l) {
  char pipe[1600], mesh[64] = "", statics[160], depth[64];
  if (l->elements > 0)
    snprintf(mesh, sizeof mesh, "elements: %d, spacing: equal, ", l->elements);
  snprintf(pipe, sizeof pipe,
           "pipe={length_m: %.17g, %s%s, drag_transverse: 1.2, drag_axial: 0.05, "
           "rotational_damping_ns: 0, structural_damping_s: 3e-4, strain_limit: 0, buoyancy: submerged, "
           "lower_end: {kind: anchored, position_m: [0, 0], azimuth_deg: 0}, hangoff: {kind: moved, motion: "
           "{radius_m: 1, period_s: 10, start_s: 1000}}}",
           l->length_m, mesh, l->properties);
  snprintf(statics, sizeof statics,
           "statics={hangoff_position_m: [%.17g, 0], weight_compensation: pipe, current: none}", l->reach_m);
  snprintf(depth, sizeof depth, "environment.depth_m=%.17g", l->depth_m);
  const char *const sets[] = {"environment.seabed=linear",
                              "environment.seabed_stiffness_npm3=1e5",
                              "environment.seabed_damping_nspm3=1e4",
                              "environment.seabed_contact=axis",
                              "environment.seabed_friction_axial=0.4",
                              "environment.seabed_friction_lateral=0.7",
                              "vessel.hangoff_b_m=[0, 0, 10]",
                              "controller={kind: none}",
                              "simulation.on_event={pipe_sinks: report, large_strain: report}",
                              depth,
                              pipe,
                              statics};
  return shipped_scene(TEST_SOURCE_DIR, "vessel-only", (int)(sizeof sets / sizeof *sets), sets);
}

#define WIRE                                                                                                 \
  "outer_diameter_m: 0.1143, mass_kgpm: 57, inertia_kgm: [0.09, 0.045, 0.045], axial_stiffness_n: 4.5e8, "   \
  "shear_stiffness_n: 1.5e8, torsion_stiffness_nm2: 3e5, bending_stiffness_nm2: 3e3, "                       \
  "added_mass_transverse: 1"

// Largest defect of the law over EA: tension from the chord against the one that the program has and prints.
static double chord_defect(struct sim *s) {
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  double most = 0;
  pipe_lay_out(p, &s->state.pipe, &s->work.pipe);
  for (int e = 0; e < p->elements; e++) {
    if (!pipe_is_wire(p, e))
      continue;
    const vec3 chord = vec3_sub(pipe_get3(s->state.pipe.r_n, e + 1), pipe_get3(s->state.pipe.r_n, e));
    const double size = vec3_norm(chord), law = size / p->length_m[e] - 1, ea = p->stiffness[0][e];
    const double of[] = {
        s->work.pipe.strain0[0][e],
        pipe_element_section_forces(p, &s->state.pipe, &s->work.pipe, e).effective_tension_n / ea};
    for (int k = 0; k < 2; k++)
      most = fmax(most, fabs(of[k] - law));
    // The force along the chord has a part of bending, at most 2 EI/l^2 (1 - cos) at each node.
    const double along = vec3_dot(pipe_element_force(p, &s->work.pipe, e), chord) / (ea * size),
                 bending = 8 * p->stiffness[4][e] / (p->length_m[e] * p->length_m[e] * ea);
    most = fmax(most, fabs(along - law) - bending);
  }
  return most;
}

static void throw_about(struct sim *s, double speed_mps, uint64_t *seed) {
  struct pipe_state *x = &s->state.pipe;
  for (int i = 1; i < s->state.mesh.pipe.nodes - 1; i++)
    for (int c = 0; c < 3; c++)
      x->v_n[c][i] = speed_mps * noise(seed);
  struct model_energy e = model_energy_of(s->model, &s->state, &s->work);
  ledger_start(&s->run.ledger, e.kinetic_j, e.potential_j);
}

// A wire that hangs slack to the seabed.
START_TEST(tension_follows_from_the_chord) {
  double most = 0, closure = 0;
  uint64_t seed = 11, unsolved = 0, steps = 0;
  for (int k = 0; k < cases(30); k++) {
    struct line l = {.depth_m = 120, .length_m = 152 + 11 * noise(&seed), .elements = 20 + k % 21};
    snprintf(l.properties, sizeof l.properties, "%s", WIRE);
    l.reach_m = 70 + 15 * noise(&seed); // hangs to the ground, no heap
    struct sim_def def = line_def(&l);
    def.step_s = between(0.01, 0.1, &seed);
    struct reason why;
    struct sim *s = scene_try_create(&def, &why);
    if (!s)
      continue;
    throw_about(s, between(0.5, 10, &seed), &seed);
    for (int n = 0; n < 40; n++) {
      sim_step(s, NULL);
      most = fmax(most, chord_defect(s));
      const struct ledger *ledger = &s->run.ledger;
      ck_assert_msg(fabs(ledger->residual_j) <= 1e-9 * ledger->kinetic_j + 1e-12 * ledger->scale_j,
                    "throw %d, step %d: %g J", k, n, ledger->residual_j);
      ck_assert_msg(!(s->run.events >> EVENT_ELEMENT_FOLDED & 1), "throw %d folded at step %d", k, n);
    }
    steps += s->run.step;
    unsolved += s->run.not_converged_count;
    closure = fmax(closure, ledger_closure_rel(&s->run.ledger));
    shipped_free(s);
  }
  printf("thrown: defect of the law %.1e of EA in %d steps, %d unsolved, closure %.1e\n", most, (int)steps,
         (int)unsolved, closure);
  ck_assert_uint_gt(steps, 40 * (uint64_t)cases(30) * 9 / 10);
  ck_assert_double_le(most, 1e-6);
  ck_assert_double_le(closure, 1e-8);
}
END_TEST

// Element e with the increments in w, as the top element has it that grows.
static struct growing_element as_growing(const struct sim *s, int e, double damping_over_h) {
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  const struct pipe_state *x = &s->state.pipe;
  const struct pipe_work *w = &s->work.pipe;
  struct growing_element g = {.start_m = p->length_m[e], .damping_over_h = damping_over_h};
  g.chord = vec3_sub(pipe_get3(x->r_n, e + 1), pipe_get3(x->r_n, e));
  g.chord_change = vec3_sub(pipe_get3(w->dr_n, e + 1), pipe_get3(w->dr_n, e));
  for (int k = 0; k < 3; k++) {
    g.a[k] = pipe_get3(w->d0 + 3 * k, e), g.b[k] = pipe_get3(w->d0 + 3 * k, e + 1);
    g.a_change[k] = pipe_get3(w->dd + 3 * k, e), g.b_change[k] = pipe_get3(w->dd + 3 * k, e + 1);
  }
  g.stiffness[0] = p->stiffness[0][e];
  g.rest_strain[0] = p->rest_strain[0][e];
  pipe_wire_kind(p, e, &g);
  return g;
}

static void check_equal3(vec3 a, vec3 b, const char *what, int e) {
  ck_assert_msg(a.x == b.x && a.y == b.y && a.z == b.z, "%s of element %d", what, e);
}

// A mesh of pipe and wire whose borders lie within a row of lanes.
static struct sim *mixed_scene(const char *ends) {
  struct line l = {.depth_m = 200, .length_m = 290, .reach_m = 160, .elements = 0};
  snprintf(
      l.properties, sizeof l.properties,
      "mesh: [{length_m: 100, elements: 10, section: wire}, {length_m: 60, elements: 5}, {length_m: 130, "
      "elements: 13, section: wire}], sections: [{name: wire, element_kind: wire, wire_ends: %s, " WIRE
      "}], outer_diameter_m: 0.27, mass_kgpm: 101, inertia_kgm: [1.7, 0.84, 0.84], axial_stiffness_n: "
      "2.7e9, shear_stiffness_n: 5e8, torsion_stiffness_nm2: 1.7e7, bending_stiffness_nm2: 2.2e7, "
      "added_mass_transverse: 1",
      ends);
  struct sim_def def = line_def(&l);
  def.step_s = 0.03;
  return shipped_create(&def);
}

// The wires that are computed several at once are, bit by bit, those that grow: forces, loss and tangent.
START_TEST(wires_side_by_side_are_those_that_grow) {
  struct sim *s = mixed_scene(_i ? "rigid" : "hinge");
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  struct pipe_work *w = &s->work.pipe;
  uint64_t seed = 5;
  int wires = 0;
  throw_about(s, 3, &seed);
  for (int n = 0; n < 5; n++)
    sim_step(s, NULL);
  model_begin(s->model, &s->state, &s->work, s->def->step_s);
  for (int i = 0; i < p->nodes; i++)
    for (int c = 0; c < 3; c++)
      w->dr_n[c][i] = 0.2 * noise(&seed), w->theta_n[c][i] = 0.1 * noise(&seed);
  model_residual(s->model, &s->state, &s->work);
  const double damping_over_h = s->work.coefficients.damping_over_h;
  ck_assert_double_gt(damping_over_h, 0);
  double loss_j = 0;
  for (int e = 0; e < p->elements; e++) {
    if (!pipe_is_wire(p, e))
      continue;
    wires++;
    const struct growing_element g = as_growing(s, e, damping_over_h);
    const struct growing_forces f = growing_element_forces(&g);
    double k[12][12], blocks[ELEMENT_BLOCKS][LANES][BLOCK_SIZE] = {{{0}}}, *to[ELEMENT_BLOCKS][LANES];
    check_equal3(f.force_n, pipe_get3(w->force_n, e), "force", e);
    check_equal3(f.moment_lower, pipe_get3(w->moment_lower, e), "lower moment", e);
    check_equal3(f.moment_upper, pipe_get3(w->moment_upper, e), "upper moment", e);
    for (int c = 0; c < 6; c++)
      ck_assert_msg(f.stress[c] == w->stress[c][e], "stress %d of element %d", c, e);
    loss_j += f.loss_j;
    growing_element_tangent(&g, &f, k);
    for (int b = 0; b < ELEMENT_BLOCKS; b++)
      for (int lane = 0; lane < LANES; lane++)
        to[b][lane] = blocks[b][lane];
    pipe_wire_tangents(p, &s->state.pipe, w, damping_over_h, e / LANES * LANES, 0,
                       (double *const(*)[LANES])to);
    for (int i = 0; i < 12; i++)
      for (int j = 0; j < 12; j++)
        ck_assert_msg(k[i][j] == blocks[i / 6 * 2 + j / 6][e % LANES][block_at(i % 6, j % 6)],
                      "tangent of element %d, row %d, column %d", e, i, j);
  }
  ck_assert_int_eq(wires, 23);
  ck_assert(loss_j == w->wire_loss_j && loss_j > 0);
  shipped_free(s);
}
END_TEST

// What a node of a wire prints: the tension of the law, the moment of the angle between both chords, no
// torsion.
START_TEST(nodes_of_a_wire_print_the_law) {
  struct sim *s = mixed_scene("rigid");
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  double most = 0;
  int inner = 0;
  struct sim_node *nodes = calloc((size_t)sim_node_count(s), sizeof *nodes);
  sim_get_nodes(s, nodes);
  for (int i = 1; i < p->nodes - 1; i++) {
    if (!pipe_is_wire(p, i - 1) || !pipe_is_wire(p, i))
      continue;
    double tension[2], moment_nm = 0;
    vec3 chord[2];
    for (int n = 0; n < 2; n++) {
      const int e = i - 1 + n;
      chord[n] = vec3_sub(pipe_get3(s->state.pipe.r_n, e + 1), pipe_get3(s->state.pipe.r_n, e));
      tension[n] = p->stiffness[0][e] * (vec3_norm(chord[n]) / p->length_m[e] - 1);
    }
    const double sine =
        vec3_norm(vec3_cross(chord[0], chord[1])) / (vec3_norm(chord[0]) * vec3_norm(chord[1]));
    moment_nm = p->stiffness[4][i] * 2 * sine / (p->length_m[i - 1] + p->length_m[i]);
    const struct section_forces *f = &nodes[i].section;
    const double size = fmax(fabs(tension[0]), fabs(tension[1])),
                 printed = hypot(f->bending_nm[0], f->bending_nm[1]);
    most = fmax(most, printed);
    ck_assert_double_le(fabs(f->torsion_nm), 1e-12 * printed);
    ck_assert_double_le(fabs(printed - moment_nm), 0.02 * moment_nm + 1e-6);
    ck_assert_double_le(fabs(f->effective_tension_n - 0.5 * (tension[0] + tension[1])), 0.01 * size);
    inner++;
  }
  printf("nodes of a wire: moment up to %.3g N m\n", most);
  ck_assert_int_eq(inner, 21);
  ck_assert_double_gt(most, 50);
  free(nodes);
  shipped_free(s);
}
END_TEST

static const struct {
  const char *name, *properties;
  double depth_m, length_m, reach_m;
  int elements;
} still[] = {
    {"chain, 41 of 10 m",
     "outer_diameter_m: 0.2, mass_kgpm: 219, inertia_kgm: [0.2, 0.1, 0.1], axial_stiffness_n: 8.5e8, "
     "shear_stiffness_n: 1e8, "
     "torsion_stiffness_nm2: 1, bending_stiffness_nm2: 1",
     200, 410, 330, 41},
    {"wire, 25", WIRE, 400, 650, 389, 25},
    {"wire, 50", WIRE, 400, 650, 389, 50},
    {"wire, 200", WIRE, 400, 650, 389, 200},
};

// Against the catenary: the tension at the top is the horizontal one plus weight times height.
START_TEST(chains_and_wires_have_their_equilibrium) {
  struct line l = {still[_i].depth_m, still[_i].length_m, still[_i].reach_m, still[_i].elements, ""};
  snprintf(l.properties, sizeof l.properties, "%s", still[_i].properties);
  struct sim_def def = line_def(&l);
  ck_assert(def.pipe.line.wire > 0); // by the rule
  struct sim *s = shipped_create(&def);
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  const double weight = pipe_mean_weight(&def.pipe, &def.env);
  struct sim_output o;
  sim_get_output(s, &o);
  const double catenary = o.bottom_tension_n + weight * (still[_i].depth_m - 10);
  printf("%s: top tension %.0f N (%.0f)\n", still[_i].name, o.hangoff_tension_n, catenary);
  ck_assert_double_le(fabs(o.hangoff_tension_n - catenary), 0.01 * catenary);
  ck_assert_double_le(chord_defect(s), 1e-6);
  ck_assert_int_eq(p->elements, still[_i].elements);
  shipped_free(s);
}
END_TEST

// A wire, a pipe, or a wire below or above a pipe, from slack to taut. What does not start says why.
static void random_line(struct line *l, uint64_t *seed) {
  const int kind = (int)(2 + 2 * noise(seed)), elements = 10 + (int)(20 * (1 + noise(seed)));
  const double share = kind == 0 ? 1 : kind == 1 ? 0 : 0.5 + 0.3 * noise(seed);
  *l = (struct line){.depth_m = between(60, 600, seed)};
  const double height = l->depth_m - 10, straight = height * between(1.05, 2, seed);
  l->reach_m = sqrt(straight * straight - height * height);
  // From hardly longer than the way to slack; at most the way along the ground and up.
  l->length_m = straight + (l->reach_m + height - straight) * (0.5 + 0.45 * noise(seed));
  const double wire_m = share * l->length_m, pipe_m = l->length_m - wire_m;
  char segments[2][100] = {"", ""};
  const int below = kind == 2;
  if (wire_m > 0)
    snprintf(segments[!below], 100, "{length_m: %.17g, elements: %d, section: wire}", wire_m,
             (int)fmax(3, share * elements));
  if (pipe_m > 0)
    snprintf(segments[below], 100, "{length_m: %.17g, elements: %d}", pipe_m,
             (int)fmax(3, (1 - share) * 2 * elements));
  const double d = between(0.03, 0.2, seed), steel = 7850 * 0.25 * acos(-1) * d * d,
               area = 0.25 * acos(-1) * d * d;
  snprintf(l->properties, sizeof l->properties,
           "mesh: [%s%s%s], sections: [{name: wire, element_kind: wire, wire_ends: %s, outer_diameter_m: %g, "
           "mass_kgpm: %g, inertia_kgm: [%g, %g, %g], axial_stiffness_n: %g, shear_stiffness_n: %g, "
           "torsion_stiffness_nm2: %g, bending_stiffness_nm2: %g}], outer_diameter_m: 0.27, mass_kgpm: 101, "
           "inertia_kgm: [1.7, 0.84, 0.84], axial_stiffness_n: 2.7e9, shear_stiffness_n: 5e8, "
           "torsion_stiffness_nm2: 1.7e7, bending_stiffness_nm2: 2.2e7, added_mass_transverse: 1",
           segments[0], wire_m > 0 && pipe_m > 0 ? ", " : "", segments[1],
           noise(seed) > 0 ? "rigid" : "hinge", d, steel, steel * d * d / 8, steel * d * d / 16,
           steel * d * d / 16, 1e11 * area, 3e10 * area, 1e9 * area * d * d,
           between(1e-6, 1e-2, seed) * 1e11 * area * d * d);
}

START_TEST(no_random_line_breaks_the_law) {
  const int many = cases(60);
  int started = 0, silent = 0, failed = 0;
  double most = 0, closure = 0;
  uint64_t seed = 42;
  for (int k = 0; k < many; k++) {
    struct line l;
    struct reason why = {""};
    random_line(&l, &seed);
    struct sim_def def = line_def(&l);
    def.step_s = between(0.01, 0.1, &seed);
    struct sim *s = scene_try_create(&def, &why);
    silent += !s && why.text[0] == '\0';
    if (!s && getenv("SAGBEND_WIRE_CASES"))
      printf("line %d: %s\n", k, why.text);
    if (!s)
      continue;
    started++;
    throw_about(s, between(0.1, 3, &seed), &seed);
    for (int n = 0; n < 10; n++) {
      sim_step(s, NULL);
      most = fmax(most, chord_defect(s));
    }
    failed += (int)(s->run.events >> EVENT_ELEMENT_FOLDED & 1);
    closure = fmax(closure, ledger_closure_rel(&s->run.ledger));
    shipped_free(s);
  }
  printf("%d random lines: %d with an equilibrium, %d folded; defect of the law %.1e of EA, closure %.1e\n",
         many, started, failed, most, closure);
  ck_assert_int_eq(silent, 0);
  ck_assert_int_ge(started, many * 95 / 100);
  ck_assert_double_le(most, 1e-6);
  ck_assert_double_le(closure, 1e-8);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("wire");
  tcase_add_test(add_case(suite, "throws", 3500), tension_follows_from_the_chord);
  tcase_add_test(add_case(suite, "nodes", 60), nodes_of_a_wire_print_the_law);
  tcase_add_loop_test(add_case(suite, "lanes", 60), wires_side_by_side_are_those_that_grow, 0, 2);
  tcase_add_loop_test(add_case(suite, "statics", 60), chains_and_wires_have_their_equilibrium, 0,
                      (int)(sizeof still / sizeof *still));
  tcase_add_test(add_case(suite, "lines", 3500), no_random_line_breaks_the_law);
  return run_suite(suite);
}
