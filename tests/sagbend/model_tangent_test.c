// The assembled tangent against central differences of the assembled balance: statics and steps, pinned,
// clamped and free, with an offset hang-off, full inertia, contact, large increments.
#include "sagbend/lay/lay.h"
#include "scenes.h"
#include "suite.h"

#include <math.h>

static double noise(uint64_t *seed) { // in (-1, 1)
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)*seed / 9223372036854775808.0;
}

struct probe {
  struct sim *s;
  double *increments; // 6 chain + tail, as (dr, theta)
};

static void put_increments(struct probe *p) {
  struct model_work *w = &p->s->work;
  const double *x = p->increments;
  for (int i = 0; i < w->matrix.count; i++, x += 6)
    for (int c = 0; c < 3; c++) {
      w->pipe.dr_n[c][i] = x[c];
      w->pipe.theta_n[c][i] = x[3 + c];
    }
  w->vessel.dx_n = vec3_of(x);
  w->vessel.theta_n = vec3_of(x + 3);
  const struct pipe_mesh *pipe = &p->s->state.mesh.pipe;
  for (int c = 0; pipe->top_attached && !pipe->top_rotation_attached && c < 3; c++)
    w->pipe.theta_n[c][pipe->nodes - 1] = x[6 + c];
  if (w->pipe.growth.is_unknown)
    w->pipe.growth.grown_m = x[w->matrix.tail - 1];
}

// Moves unknown k by epsilon: a displacement, or a spatial rotation of the end configuration.
static void nudge(struct probe *p, const double *base, int count, int k, double epsilon) {
  memcpy(p->increments, base, (size_t)count * sizeof *base);
  int chain = 6 * p->s->work.matrix.count, start = k < chain ? k / 6 * 6 : k < chain + 6 ? chain : chain + 3;
  int local = k - start, is_length = p->s->work.pipe.growth.is_unknown && k == count - 1;
  if (local < 3 || is_length) {
    p->increments[k] += epsilon;
  } else {
    double unit[3] = {0};
    unit[local - 3] = epsilon;
    double *theta = p->increments + start + 3;
    quat q = quat_mul(quat_cayley(vec3_of(unit)), quat_cayley(vec3_of(theta))); // cay(eps) cay(theta)
    vec3_to((vec3){2 * q.x / q.w, 2 * q.y / q.w, 2 * q.z / q.w}, theta);
  }
  put_increments(p);
}

static double column_of(const struct blocktri *b, int row, int column) {
  int chain = 6 * b->count, i = row / 6, j = column / 6;
  if (row >= chain && column >= chain)
    return b->tail_diag[row - chain][column - chain];
  if (row >= chain)
    return j == b->count - 1 ? b->tail_lower[row - chain][column - 6 * j] : 0;
  if (column >= chain)
    return i == b->count - 1 ? b->tail_upper[row - 6 * i][column - chain] : 0;
  int at = block_at(row - 6 * i, column - 6 * j);
  return i == j ? b->diag[i][at] : j == i + 1 ? b->upper[i][at] : j == i - 1 ? b->lower[i][at] : 0;
}

// Unknowns removed by a boundary condition.
static int is_held(const struct sim *s, int k) {
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  if (p->top_moved && k / 6 == p->nodes - 1 && k % 6 < 3)
    return 1;
  return k < 6 && (k < 3 ? p->held_position : p->held_rotation);
}

static double worst_error(struct sim *s, double step_s, uint64_t seed, double size) {
  struct model_work *w = &s->work;
  payout_begin(s->model, &s->state, w, 0, step_s);
  int count = w->rhs_count;
  double *base = calloc((size_t)count, sizeof *base), *increments = calloc((size_t)count, sizeof *base);
  double *plus = calloc((size_t)count, sizeof *base), *scale = calloc((size_t)count, sizeof *base), worst = 0;
  struct probe p = {s, increments};
  for (int k = 0; k < count; k++)
    base[k] = size * noise(&seed) * (k % 6 < 3 ? 1 : 0.1);
  for (int k = 0; k < count; k++)
    if (is_held(s, k))
      base[k] = 0;
  if (w->pipe.growth.is_unknown)
    base[count - 1] = size * 0.1 * noise(&seed);
  for (int k = 0; k < 6; k++)
    s->state.vessel.nu[k] = size * noise(&seed);
  model_begin(s->model, &s->state, w, step_s);
  memcpy(increments, base, (size_t)count * sizeof *base);
  put_increments(&p);
  model_residual(s->model, &s->state, w);
  model_tangent(s->model, &s->state, w);
  for (int row = 0; row < count; row++)
    for (int column = 0; column < count; column++)
      scale[row] = fmax(scale[row], fabs(column_of(&w->matrix, row, column)));
  for (int column = 0; column < count; column++) {
    if (is_held(s, column))
      continue;
    double epsilon = 2e-6;
    nudge(&p, base, count, column, epsilon);
    model_residual(s->model, &s->state, w);
    memcpy(plus, w->rhs, (size_t)count * sizeof *plus);
    nudge(&p, base, count, column, -epsilon);
    model_residual(s->model, &s->state, w);
    for (int row = 0; row < count; row++) {
      double difference = -(plus[row] - w->rhs[row]) / (2 * epsilon);
      double error = fabs(difference - column_of(&w->matrix, row, column)) / (scale[row] + 1);
      worst = error > worst || !(error == error) ? error : worst;
    }
  }
  free(base), free(increments), free(plus), free(scale);
  return worst;
}

static const struct {
  const char *name;
  enum lower_end lower;
  enum hangoff_kind top;
  double added_mass;
  double slope_deg, rough_m; // of the seabed
  double damping_nspm3;      // of it
} ends[] = {
    {"pinned", LOWER_CLAMPED, HANGOFF_PINNED, 0, 0, 0, 0},
    {"clamped", LOWER_CLAMPED, HANGOFF_CLAMPED, 0, 0, 0, 0},
    {"anchored, pinned", LOWER_ANCHORED, HANGOFF_PINNED, 0, 0, 0, 0},
    {"free", LOWER_FREE, HANGOFF_FREE, 0, 0, 0, 0},
    {"pinned, with added mass", LOWER_CLAMPED, HANGOFF_PINNED, 1, 0, 0, 0},
    {"free, with added mass", LOWER_FREE, HANGOFF_FREE, 1, 0, 0, 0},
    {"moved", LOWER_CLAMPED, HANGOFF_MOVED, 1, 0, 0, 0},
    {"pinned, with friction", LOWER_ANCHORED, HANGOFF_PINNED, 0.5, 0, 0, 0},
    {"pinned, with friction on a slope", LOWER_ANCHORED, HANGOFF_PINNED, 0.5, 12, 0, 0},
    {"clamped, rough seabed", LOWER_CLAMPED, HANGOFF_CLAMPED, 0, 0, 1, 0},
    {"pinned, with friction on a rough seabed", LOWER_ANCHORED, HANGOFF_PINNED, 0.5, 0, 1, 0},
    {"pinned, damped seabed", LOWER_ANCHORED, HANGOFF_PINNED, 0.5, 0, 0, 1e3},
    {"pinned, damped seabed that pulls", LOWER_ANCHORED, HANGOFF_PINNED, 0.5, 0, 0, 1e5},
    {"clamped, with friction on a rough damped seabed", LOWER_CLAMPED, HANGOFF_CLAMPED, 0.5, 0, 1, 1e5},
    {"pinned, with added mass in Morison's form", LOWER_CLAMPED, HANGOFF_PINNED, 1, 0, 0, 0},
    {"free, with added mass in Morison's form", LOWER_FREE, HANGOFF_FREE, 1, 0, 0, 0},
    {"pinned, with a tensioner", LOWER_CLAMPED, HANGOFF_PINNED, 1, 0, 0, 0},
    {"clamped, with a tensioner", LOWER_ANCHORED, HANGOFF_CLAMPED, 0, 0, 0, 0}};

START_TEST(tangent_is_the_derivative) {
  const char *const sets[] = {"pipe.elements=9", "vessel.hangoff_b_m=[-45, 3, 5]", "pipe.buoyancy=depth"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 3, sets);
  scene_full_inertia(&def);
  def.pipe.lower = ends[_i].lower;
  def.pipe.hangoff = ends[_i].top;
  def.pipe.hangoff_angle_auto = 1;
  def.pipe.line.added_mass_transverse = ends[_i].added_mass;
  def.pipe.line.added_mass_axial = 0.1 * ends[_i].added_mass;
  if (strstr(ends[_i].name, "Morison"))
    def.pipe.added_mass_form = ADDED_MASS_MORISON;
  def.env.seabed_damping_nspm3 = ends[_i].damping_nspm3;
  def.env.seabed_suction = strstr(ends[_i].name, "pulls") != NULL;
  if (strstr(ends[_i].name, "friction")) {
    def.env.friction.coefficient[0] = 0.4, def.env.friction.coefficient[1] = 0.7;
    def.env.friction.stiffness_npm2 = 5e3;
  }
  static double z_m[SCENE_ROUGH_NODES];
  def.env.slope = (struct seabed_slope_def){ends[_i].slope_deg * acos(-1) / 180, 0.6, {0, 0}};
  if (ends[_i].rough_m > 0)
    scene_rough_ground(&def, z_m, ends[_i].rough_m);
  const int has_tensioner = strstr(ends[_i].name, "tensioner") != NULL;
  if (has_tensioner)
    def.pipe.tensioner = scene_tensioner();
  struct sim *s = shipped_create(&def);
  for (int i = 0; i < s->state.mesh.pipe.nodes && s->model->pipe.has_friction; i++) // slipping and sticking
    s->state.pipe.friction_elongation_m[0][i] = 0.05 * sin(i),
    s->state.pipe.friction_elongation_m[1][i] = 0.08 * cos(3 * i);
  for (uint64_t seed = 1; seed <= 6; seed++) {
    const double steps[] = {0, 0.001, 0.01, 0.1}, sizes[] = {0.01, 0.2, 2};
    for (int h = has_tensioner; h < 4; h++)
      for (int z = 0; z < 3; z++) {
        double error = worst_error(s, steps[h], seed, sizes[z]);
        ck_assert_msg(error < 1e-6, "%s, h = %g s, increments %g: error %.2e", ends[_i].name, steps[h],
                      sizes[z], error);
      }
  }
  shipped_free(s);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("tangent");
  tcase_add_loop_test(add_case(suite, "tangent", 100), tangent_is_the_derivative, 0,
                      (int)(sizeof ends / sizeof *ends));
  return run_suite(suite);
}
