// Moment, curvature and its residual part at the nodes of pipe that bends beyond yield: one definition
// everywhere, of order 2, which agrees with the shape.

#include "sagbend/rig/rig.h"

#include "scenes.h"
#include "suite.h"

static double length2(const double v[2]) {
  return hypot(v[0], v[1]);
}

// ---- The three agree ----

// The J-lay whose sagbend yields; clamped 13 degrees off, with a hinge at the clamp; with a weaker section.
enum { SAGBEND, HINGE, JOINTS, SCENES };
static struct sim_def scene_def(int scene, int elements) {
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
  struct pipe_def *p = &def.pipe;
  p->line.yield_moment_nm = 3e6;
  p->line.ramberg_osgood[0] = 0.5, p->line.ramberg_osgood[1] = 12;
  p->elements = elements;
  def.statics.horizontal_force_n = 200e3;
  def.step_s = 0.05;
  if (scene == HINGE) {
    p->line.ramberg_osgood[0] = 0;
    p->hangoff = HANGOFF_CLAMPED;
    p->hangoff_angle_rad = 1.08;
    def.statics.horizontal_force_n = 400e3;
  }
  if (scene == JOINTS) {
    p->types[0] = p->line;
    p->types[0].yield_moment_nm = 2.5e6;
    p->types[0].bending_stiffness_nm2[0] = p->types[0].bending_stiffness_nm2[1] = 9e8;
    p->type_count = 1;
    p->mesh_segment_count = 3;
    p->mesh[0] = (struct mesh_segment){510, elements * 34 / 100, 0};
    p->mesh[1] = (struct mesh_segment){90, elements * 6 / 100, 1};
    p->mesh[2] = (struct mesh_segment){900, elements * 60 / 100, 0};
  }
  return def;
}

// Largest part of a node's curvature that moment and residual part do not account for, 1/m.
static double largest_gap(const struct sim *s, double *largest_residual) {
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  double worst = 0;
  *largest_residual = 0;
  for (int i = 0; i <= p->elements; i++) {
    const struct section_forces f = sim_node_forces(s, i);
    double least = INFINITY; // of both sides: it is one of them
    for (int e = i - 1; e <= i; e++) {
      if (e < 0 || e == p->elements)
        continue;
      double gap[2];
      for (int k = 0; k < 2; k++)
        gap[k] = f.curvature_1pm[k] - f.residual_1pm[k] - f.bending_nm[k] / p->stiffness[4 + k][e];
      least = fmin(least, length2(gap));
    }
    worst = fmax(worst, least);
    *largest_residual = fmax(*largest_residual, length2(f.residual_1pm));
  }
  return worst;
}

START_TEST(three_agree_at_every_node) {
  struct sim_def def = scene_def(_i, 100);
  struct sim *s = shipped_create(&def);
  double most;
  ck_assert_double_le(largest_gap(s, &most), 1e-15);
  ck_assert_double_gt(most, 5e-4);

  // The columns that are output, of pipe that bends one way.
  struct sim_node *nodes = calloc((size_t)sim_node_count(s), sizeof *nodes);
  sim_get_nodes(s, nodes);
  for (int i = 0; i < sim_node_count(s) && _i != JOINTS; i++) {
    const double ei = def.pipe.line.bending_stiffness_nm2[0], moment = length2(nodes[i].section.bending_nm);
    double value[NODE_COLUMN_COUNT], column[2] = {-1, -1};
    node_values(&nodes[i], value);
    for (int k = 0; k < NODE_COLUMN_COUNT; k++)
      for (int c = 0; c < 2; c++)
        if (strcmp(node_columns[k].name, c ? "residual_curvature_1pm" : "curvature_1pm") == 0)
          column[c] = value[k];
    ck_assert_double_eq_tol(column[0] - column[1], moment / ei, 1e-12);
  }
  free(nodes);

  // In motion, across the plane as well.
  const double push[6] = {4e6, 3e6, 0, 0, 0, 0};
  for (int k = 0; k < 200; k++)
    sim_step(s, &(struct sim_input){.wrench_b = push});
  ck_assert_double_le(largest_gap(s, &most), 1e-15);
  shipped_free(s);
}
END_TEST

// ---- Order ----

// A plastic curvature that is given along the pipe, of the second type twice as large.
static double given_1pm(int k, double s_m, int type) {
  return (1 + type) * (k ? 5e-4 * cos(s_m / 150) : 1e-3 * (1 + 0.6 * sin(s_m / 90)));
}

// After a change of the state by hand.
static void refresh(struct sim *s) {
  pipe_plastic_follow(&s->state.mesh.pipe, &s->state.pipe);
  model_energy_of(s->model, &s->state, &s->work);
  sim_refresh(s);
}

// Largest errors inside, at the ends and beside the joints.
enum { INSIDE, ENDS, BESIDE, PLACES };
static void errors_of(int elements, double error[PLACES]) {
  struct sim_def def = scene_def(JOINTS, elements);
  struct sim *s = shipped_create(&def);
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  for (int e = 0; e < p->elements; e++)
    for (int j = 0; j < 2 * PLASTIC_LAYERS; j++)
      s->state.pipe.plastic_1pm[j][e] = given_1pm(j % 2, p->arc_m[e] + 0.5 * p->length_m[e], p->type[e]);
  refresh(s);

  error[INSIDE] = error[ENDS] = error[BESIDE] = 0;
  for (int i = 0; i <= p->elements; i++)
    for (int upper = 0; upper < 2; upper++) {
      const int is_end = i == 0 || i == p->elements, e = is_end ? (i == 0 ? 0 : i - 1) : i - 1 + upper;
      const int place = is_end ? ENDS : p->type[i - 1] != p->type[i] ? BESIDE : INSIDE;
      const struct section_forces f = pipe_node_side_forces(p, &s->state.pipe, &s->work.pipe, i, upper);
      for (int k = 0; k < 2; k++)
        error[place] = fmax(error[place], fabs(f.residual_1pm[k] - given_1pm(k, p->arc_m[i], p->type[e])));
    }
  shipped_free(s);
}

START_TEST(residual_is_of_second_order) {
  double before[PLACES], error[PLACES];
  for (int n = 100; n <= 800; n *= 2) {
    errors_of(n, error);
    printf("%d elements: residual curvature off by %.2e inside, %.2e at the ends, %.2e beside joints\n", n,
           error[INSIDE], error[ENDS], error[BESIDE]);
    for (int k = 0; k < PLACES && n > 200; k++)
      ck_assert_msg(before[k] / error[k] > 3.5, "place %d: %.2f", k, before[k] / error[k]);
    memcpy(before, error, sizeof before);
  }
}
END_TEST

// Beside pipe that has not yielded nothing is invented: a pinned end whose second element has yielded.
START_TEST(an_end_does_not_overshoot) {
  struct sim_def def = scene_def(SAGBEND, 100);
  struct sim *s = shipped_create(&def);
  const int top = s->state.mesh.pipe.elements - 1;
  for (int first = 0; first < 3; first++) {
    const double own = first * 1e-4, other[3] = {1e-3, 1e-3, 0};
    for (int j = 0; j < PLASTIC_LAYERS; j++)
      s->state.pipe.plastic_1pm[2 * j][top] = own, s->state.pipe.plastic_1pm[2 * j][top - 1] = other[first];
    refresh(s);
    const double at_end = sim_node_forces(s, top + 1).residual_1pm[0];
    ck_assert_double_eq_tol(at_end, first == 2 ? 1.5 * own : 0, 1e-18);
  }
  shipped_free(s);
}
END_TEST

// ---- The shape ----

// Rotation of the section from node i - 1 to i + 1 over the length between, 1/m: the curvature at i, with an
// error of order 2 of its own.
static double shape_curvature(const struct sim *s, int i) {
  const struct pipe_state *x = &s->state.pipe;
  const quat a = pipe_quat(x, i - 1), b = pipe_quat(x, i + 1);
  const double dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
  return 2 * acos(fmin(1, fabs(dot))) / (s->state.mesh.pipe.length_m[i - 1] + s->state.mesh.pipe.length_m[i]);
}

START_TEST(curvature_is_that_of_the_shape) {
  double before = 0;
  for (int n = 100; n <= 400; n *= 2) {
    struct sim_def def = scene_def(SAGBEND, n);
    struct sim *s = shipped_create(&def);
    double sum = 0;
    for (int i = 1; i < n; i++) {
      const struct section_forces f = sim_node_forces(s, i);
      const double gap = length2(f.curvature_1pm) - shape_curvature(s, i);
      sum += gap * gap / n;
    }
    printf("%d elements: curvature and shape differ by %.2e 1/m rms\n", n, sqrt(sum));
    ck_assert_msg(n == 100 || before / sqrt(sum) > 3, "%.2f", before / sqrt(sum));
    before = sqrt(sum);
    shipped_free(s);
  }
}
END_TEST

// ---- A finer mesh ----

START_TEST(nodes_converge_with_the_mesh) {
  enum { FINE = 1600 };
  struct sim_def def = scene_def(SAGBEND, FINE);
  struct sim *fine = shipped_create(&def);
  double first[3] = {0};
  for (int n = 50; n <= 400; n *= 2) {
    def = scene_def(SAGBEND, n);
    struct sim *s = shipped_create(&def);
    double sum[3] = {0};
    for (int i = 0; i <= 50; i++) {
      const struct section_forces a = sim_node_forces(s, i * n / 50),
                                  b = sim_node_forces(fine, i * FINE / 50);
      const double gap[3] = {a.bending_nm[0] - b.bending_nm[0], a.curvature_1pm[0] - b.curvature_1pm[0],
                             a.residual_1pm[0] - b.residual_1pm[0]};
      for (int k = 0; k < 3; k++)
        sum[k] += gap[k] * gap[k] / 51;
    }
    printf("%d elements: moment off by %.2e N m rms, curvature by %.2e 1/m, its residual part by %.2e 1/m\n",
           n, sqrt(sum[0]), sqrt(sum[1]), sqrt(sum[2]));
    for (int k = 0; k < 3; k++)
      ck_assert_msg(n < 400 || first[k] / sqrt(sum[k]) > 30, "%d: %.1f", k, first[k] / sqrt(sum[k]));
    for (int k = 0; k < 3 && n == 50; k++)
      first[k] = sqrt(sum[k]);
    shipped_free(s);
  }
  shipped_free(fine);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("core_pipe_yielded_nodes");
  TCase *t = add_case(suite, "yielded_nodes", 60);
  tcase_add_loop_test(t, three_agree_at_every_node, 0, SCENES);
  tcase_add_test(t, residual_is_of_second_order);
  tcase_add_test(t, an_end_does_not_overshoot);
  tcase_add_test(t, curvature_is_that_of_the_shape);
  tcase_add_test(t, nodes_converge_with_the_mesh);
  return run_suite(suite);
}
