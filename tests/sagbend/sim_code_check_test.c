// Code check of the whole pipe: places, functional loads, events; it changes nothing in the motion.
#include "scenes.h"

#include "suite.h"

static const struct check_steel STEEL = {.diameter_m = 0.762,
                                         .wall_m = 0.0328,
                                         .wall_tolerance_m = 0.001,
                                         .yield_pa = 450e6,
                                         .tensile_pa = 535e6,
                                         .material_factor = 0.96,
                                         .fabrication_factor = 0.85,
                                         .ovality = 0.01,
                                         .young_pa = 207e9,
                                         .poisson = 0.3,
                                         .yield_ratio = 0.93,
                                         .grade = GRADE_X65};

static struct sim_def checked(const char *name) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, name, 0, NULL);
  def.code_check = (struct code_check_def){
      .enabled = 1, .safety_class = SAFETY_LOW, .condition = 1, .arrestor_spacing_m = 100};
  for (int k = 0; k <= MAX_PIPE_TYPES; k++)
    def.code_check.steel[k] = STEEL;
  return def;
}

static struct sim_output output_of(const struct sim *s) {
  struct sim_output o;
  sim_get_output(s, &o);
  return o;
}

static struct sim *stepped(const struct sim_def *def, int steps) {
  struct sim *s = shipped_create(def);
  for (int i = 0; i < steps; i++)
    sim_step(s, NULL);
  return s;
}

// The check changes no bit of the state.
START_TEST(the_motion_is_the_same) {
  struct sim_def def = checked("jlay-900m");
  struct sim *with = stepped(&def, 300);
  def.code_check.enabled = 0;
  struct sim *without = stepped(&def, 300);
  ck_assert_uint_eq(sim_hash(with), sim_hash(without));
  ck_assert(output_of(with).has_code_check && !output_of(without).has_code_check);
  shipped_free(with);
  shipped_free(without);
}
END_TEST

// The largest utilisations of the statics at the middles and the ends, one by one.
START_TEST(the_largest_is_found) {
  struct sim_def def = checked("jlay-900m");
  struct sim *s = shipped_create(&def);
  struct sim_output o = output_of(s);
  struct utilisation *nodes = calloc((size_t)sim_node_count(s), sizeof *nodes);
  struct check_capacity c;
  const struct check_factors factors = check_factors_of(SAFETY_LOW, 1);
  ck_assert_int_eq(check_prepare(&STEEL, &factors, 0, &c, NULL), STATUS_OK);

  double most[CODE_CHECK_COUNT] = {0}, at[CODE_CHECK_COUNT] = {0};
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  for (int e = -1; e <= p->elements; e++) { // the ends are -1 and elements
    int end = e < 0 || e == p->elements, node = e < 0 ? 0 : e, own = e < 0 ? 0 : end ? e - 1 : e;
    struct section_forces f = end ? sim_node_forces(s, node) : sim_element_forces(s, e);
    double z = end ? s->state.pipe.r_n[2][node]
                   : 0.5 * (s->state.pipe.r_n[2][e] + s->state.pipe.r_n[2][e + 1]),
           arc = end ? p->arc_m[node] : 0.5 * (p->arc_m[e] + p->arc_m[e + 1]), r = p->steel_radius_m[own];
    struct check_load load = {.external_pa = 1025 * 9.80665 * fmax(0, z)};
    load.total = (struct check_section){
        .tension_n = f.effective_tension_n,
        .bending_nm = {f.bending_nm[0], f.bending_nm[1]},
        .torsion_nm = f.torsion_nm,
        .axial_strain = f.effective_tension_n / 1.5569e10,
        .bending_strain = {r * f.bending_nm[0] / 1.0364e9, r * f.bending_nm[1] / 1.0364e9}};
    load.functional = load.total;
    struct utilisation u;
    check_section_loads(&c, &load, &u);
    for (int k = 0; k < CODE_CHECK_COUNT; k++)
      if (u.value[k] > most[k])
        most[k] = u.value[k], at[k] = arc;
  }
  for (int k = 0; k < CODE_CHECK_COUNT; k++) {
    ck_assert_double_eq_tol(o.check[k].utilisation, most[k], 1e-12 * most[k] + 1e-300);
    ck_assert(most[k] == 0 || o.check[k].arc_length_m == at[k]);
  }
  ck_assert_double_eq(o.governing.utilisation, fmax(most[CHECK_LOAD_CONTROLLED], most[CHECK_COLLAPSE]));

  sim_get_static_utilisations(s, nodes); // nodes lie between the middles
  for (int i = 0; i < sim_node_count(s); i++)
    for (int k = 0; k < CODE_CHECK_COUNT; k++)
      ck_assert_double_le(nodes[i].value[k], most[k] * (1 + 1e-3));
  free(nodes);
  shipped_free(s);
}
END_TEST

// Without arrestors a buckle would run: an event, and the length below the depth where it does.
START_TEST(a_buckle_would_run) {
  struct sim_def def = checked("jlay-900m");
  struct sim *s = shipped_create(&def);
  ck_assert(!(output_of(s).events >> EVENT_BUCKLE_PROPAGATION & 1));
  shipped_free(s);
  def.code_check.arrestor_spacing_m = 0;
  s = shipped_create(&def);
  const struct sim_output o = output_of(s);
  const double depth_m = sim_propagation_depth_m(s, 0);
  double length_m = 0;
  for (int e = 0; e < s->state.mesh.pipe.elements; e++)
    length_m += 0.5 * (s->state.pipe.r_n[2][e] + s->state.pipe.r_n[2][e + 1]) > depth_m ? 15 : 0;
  ck_assert(o.events >> EVENT_BUCKLE_PROPAGATION & 1 && !(o.events >> EVENT_OVERLOAD & 1));
  ck_assert_double_gt(o.check[CHECK_PROPAGATION].utilisation, 1);
  ck_assert_double_lt(o.governing.utilisation, 1);
  ck_assert_double_eq_tol(o.propagation_length_m, length_m, 1e-9);
  ck_assert_double_eq_tol(o.check[CHECK_PROPAGATION].utilisation, 899.7 / depth_m, 1e-3 * 900 / depth_m);
  shipped_free(s);
}
END_TEST

// A clamp's moment is at the upper end.
START_TEST(a_clamp_is_a_place) {
  struct sim_def def = checked("jlay-900m");
  def.vessel.gm_longitudinal_m = 1e6;
  def.pipe.hangoff = HANGOFF_CLAMPED;
  def.pipe.hangoff_angle_auto = 0;
  def.pipe.hangoff_angle_rad = 1.2;
  struct sim *s = shipped_create(&def);
  struct sim_output o = output_of(s);
  ck_assert_double_eq(o.check[CHECK_STRAIN].arc_length_m, 1500);
  ck_assert_double_eq_tol(o.check[CHECK_STRAIN].utilisation, o.max_strain / 0.0025, 1e-12);
  shipped_free(s);
}
END_TEST

// Where two types meet, each side is checked with its own steel.
START_TEST(a_joint_has_two_sides) {
  struct sim_def def = checked("jlay-900m");
  def.pipe.type_count = 1;
  def.pipe.types[0] = def.pipe.line;
  def.pipe.mesh_segment_count = 2;
  def.pipe.mesh[0] = (struct mesh_segment){750, 50, 0};
  def.pipe.mesh[1] = (struct mesh_segment){750, 50, 1};
  struct sim *s = shipped_create(&def);
  double same = output_of(s).check[CHECK_COLLAPSE].utilisation;
  shipped_free(s);

  def.code_check.steel[1].wall_m = 0.02;
  s = shipped_create(&def);
  struct sim_output o = output_of(s);
  struct utilisation *nodes = calloc((size_t)sim_node_count(s), sizeof *nodes);
  sim_get_static_utilisations(s, nodes);
  ck_assert(o.check[CHECK_COLLAPSE].utilisation > 1.1 * same); // thinner, although less deep
  ck_assert_double_eq(o.check[CHECK_COLLAPSE].arc_length_m, 750);
  ck_assert_double_eq(o.check[CHECK_PROPAGATION].arc_length_m, 750);
  ck_assert_double_lt(sim_propagation_depth_m(s, 1), sim_propagation_depth_m(s, 0));
  ck_assert_double_eq(o.check[CHECK_COLLAPSE].utilisation, nodes[50].value[CHECK_COLLAPSE]);
  free(nodes);
  shipped_free(s);
}
END_TEST

// In motion the loads of the statics stay the functional ones: their factors are those of the code.
START_TEST(the_rest_is_environmental) {
  struct sim_def def = checked("jlay-900m");
  struct sim *s = stepped(&def, 0);
  double at_rest = output_of(s).check[CHECK_STRAIN].utilisation, strain = output_of(s).max_strain;
  ck_assert_double_eq_tol(at_rest, strain / 0.0025, 1e-12);
  for (int i = 0; i < 3000; i++)
    sim_step(s, NULL);
  struct sim_output o = output_of(s);
  ck_assert(fabs(o.max_strain - strain) > 1e-7);
  ck_assert_double_eq_tol(o.check[CHECK_STRAIN].utilisation, fmax(at_rest, o.max_strain / 0.00305), 1e-12);

  // a restored state has the same utilisations
  void *snapshot = malloc(sim_snapshot_size(s));
  sim_snapshot(s, snapshot);
  struct sim *again = shipped_create(&def);
  ck_assert_int_eq(sim_restore(again, snapshot, sim_snapshot_size(s), NULL), STATUS_OK);
  struct sim_output restored = output_of(again);
  ck_assert_mem_eq(restored.check, o.check, sizeof o.check);
  free(snapshot);
  shipped_free(again);
  shipped_free(s);
}
END_TEST

// Pay-out: the number of elements changes, the loads are not divided, and a restored state has the same.
START_TEST(a_pipe_that_is_paid_out) {
  struct sim_def def = checked("jlay-900m-payout");
  struct sim *s = stepped(&def, 6000), *other;
  struct sim_output o = output_of(s);
  ck_assert_int_gt(sim_node_count(s), 102);
  ck_assert_double_eq_tol(o.check[CHECK_STRAIN].utilisation, o.max_strain / 0.00305, 1e-12);
  ck_assert(o.governing.utilisation > 0.4 && o.governing.utilisation < 0.9);

  void *snapshot = malloc(sim_snapshot_size(s));
  sim_snapshot(s, snapshot);
  other = shipped_create(&def);
  ck_assert_int_eq(sim_restore(other, snapshot, sim_snapshot_size(s), NULL), STATUS_OK);
  struct sim_output restored = output_of(other);
  ck_assert_mem_eq(restored.check, o.check, sizeof o.check);
  shipped_free(other);

  def.code_check.enabled = 0;
  other = stepped(&def, 6000);
  ck_assert_uint_eq(sim_hash(s), sim_hash(other));
  shipped_free(other);
  shipped_free(s);
  free(snapshot);
}
END_TEST

START_TEST(events_tell) {
  static const struct {
    double yield_pa, wall_m;
    uint32_t events;
  } rows[] = {{450e6, 0.0328, 0},
              {120e6, 0.0328, 1u << EVENT_BEYOND_YIELD | 1u << EVENT_OVERLOAD},
              {450e6, 0.0160, 1u << EVENT_CHECK_LIMIT | 1u << EVENT_OVERLOAD}};
  const uint32_t all = 1u << EVENT_BEYOND_YIELD | 1u << EVENT_OVERLOAD | 1u << EVENT_CHECK_LIMIT;
  struct sim_def def = checked("jlay-900m");
  def.code_check.steel[0].yield_pa = rows[_i].yield_pa;
  def.code_check.steel[0].tensile_pa = 1.2 * rows[_i].yield_pa;
  def.code_check.steel[0].wall_m = rows[_i].wall_m;
  struct sim *s = shipped_create(&def);
  struct sim_output o = output_of(s);
  if (rows[_i].events >> EVENT_CHECK_LIMIT & 1)
    ck_assert(isnan(o.check[CHECK_LOAD_CONTROLLED].utilisation) && isnan(o.governing.utilisation) &&
              o.check_limits[CHECK_LOAD_CONTROLLED] == CHECK_LIMIT_THIN);
  ck_assert_uint_eq(o.events & all & ~(_i == 2 ? 1u << EVENT_BEYOND_YIELD : 0u), rows[_i].events);
  shipped_free(s);
}
END_TEST

START_TEST(bad_steel_is_refused) {
  struct sim_def def = checked("jlay-900m");
  struct reason why = {""};
  size_t size;
  def.code_check.steel[0].ovality = 0.001;
  ck_assert_int_eq(sim_memsize(&def, &size, NULL), STATUS_OK);
  void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
  struct sim *s = NULL;
  ck_assert_int_eq(sim_create(&def, memory, size, &s, &why), STATUS_BAD_INPUT);
  ck_assert_msg(strstr(why.text, "ovality") != NULL, "%s", why.text);
  free(memory);

  def.pipe.elements = 0;
  ck_assert_int_eq(sim_memsize(&def, &size, NULL), STATUS_BAD_INPUT);
}
END_TEST

// The upper part of the pipe is a wire, in which the tension is larger: the code is one of pipe and leaves it
// out, so that no largest utilisation lies there, and its nodes have none.
START_TEST(wires_are_left_out) {
  struct sim_def def = checked("jlay-900m");
  struct pipe_def *p = &def.pipe;
  const double joint_m = 0.8 * p->length_m;
  p->types[0] = p->line;
  p->types[0].wire = 1;
  p->type_count = 1;
  p->mesh_segment_count = 2;
  p->mesh[0] = (struct mesh_segment){joint_m, p->elements * 4 / 5, 0};
  p->mesh[1] = (struct mesh_segment){p->length_m - joint_m, p->elements - p->elements * 4 / 5, 1};
  struct sim *s = stepped(&def, 20);
  const struct sim_output o = output_of(s);
  ck_assert(o.has_code_check && o.governing.utilisation > 0);
  for (int k = 0; k < CODE_CHECK_COUNT; k++)
    ck_assert_msg(!(o.check[k].arc_length_m > joint_m + 1e-6), "check %d at %g m", k,
                  o.check[k].arc_length_m);
  struct sim_node *nodes = calloc((size_t)sim_node_count(s), sizeof *nodes);
  sim_get_nodes(s, nodes);
  int wires = 0;
  for (int i = 0; i < sim_node_count(s); i++)
    if (nodes[i].arc_length_m > joint_m + 1e-6) {
      wires++;
      ck_assert_msg(!(nodes[i].utilisation > 0), "node %d: %g", i, nodes[i].utilisation);
    } else {
      ck_assert_double_gt(nodes[i].utilisation, 0);
    }
  ck_assert_int_gt(wires, 5);
  free(nodes);
  shipped_free(s);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("code check of the pipe");
  TCase *t = add_case(suite, "code check", 60);
  tcase_add_test(t, the_motion_is_the_same);
  tcase_add_test(t, the_largest_is_found);
  tcase_add_test(t, wires_are_left_out);
  tcase_add_test(t, a_buckle_would_run);
  tcase_add_test(t, a_clamp_is_a_place);
  tcase_add_test(t, a_joint_has_two_sides);
  tcase_add_test(t, the_rest_is_environmental);
  tcase_add_test(t, a_pipe_that_is_paid_out);
  tcase_add_loop_test(t, events_tell, 0, 3);
  tcase_add_test(t, bad_steel_is_refused);
  return run_suite(suite);
}
