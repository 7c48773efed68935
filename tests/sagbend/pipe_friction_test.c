// Friction on the seabed against Coulomb's closed form: a pipe that lies free on the bottom slides to rest
// over v^2 / (2 mu g'), g' its submerged weight over its mass; below the limit it sticks; the ledger closes
// throughout.
#include "scenes.h"
#include "suite.h"

#include <math.h>

static struct sim *lying(double axial, double lateral) {
  const char *const sets[] = {"pipe.elements=20", "pipe.length_m=100", "environment.depth_m=100"};
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 3, sets);
  scene_conservative(&def);
  def.env.seabed = SEABED_LINEAR;
  def.env.seabed_stiffness_npm3 = 1e5;
  def.env.seabed_contact = CONTACT_AXIS;
  def.env.friction.coefficient[0] = axial;
  def.env.friction.coefficient[1] = lateral;
  def.env.friction.stiffness_npm2 = 1e5;
  def.pipe.lower = LOWER_FREE;
  def.pipe.lower_height = HEIGHT_GROUND;
  def.pipe.hangoff = HANGOFF_FREE;
  def.step_s = 0.005;
  struct sim *s = shipped_create(&def);
  for (int i = 0; i < s->state.mesh.pipe.nodes; i++) // at rest on the seabed
    s->state.pipe.r_n[2][i] += s->state.mesh.pipe.weight_n[i] / (s->state.mesh.pipe.seabed[i].slope_npm2 *
                                                                 s->state.mesh.pipe.contact_length_m[i]);
  return s;
}

static void push(struct sim *s, vec3 velocity) {
  for (int i = 0; i < s->state.mesh.pipe.nodes; i++)
    pipe_set3(s->state.pipe.v_n, i, velocity);
  struct model_energy e = model_energy_of(s->model, &s->state, &s->work);
  ledger_start(&s->run.ledger, e.kinetic_j, e.potential_j);
}

static const struct {
  const char *name;
  double axial, lateral;
  vec3 velocity;
  double mu;
} slides[] = {{"axial", 0.5, 0.9, {2, 0, 0}, 0.5}, {"lateral", 0.3, 0.8, {0, 2, 0}, 0.8}};

START_TEST(slides_to_rest) {
  struct sim *s = lying(slides[_i].axial, slides[_i].lateral);
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  int middle = p->nodes / 2;
  vec3 start = pipe_get3(s->state.pipe.r_n, middle), towards = vec3_scale(0.5, slides[_i].velocity);
  push(s, slides[_i].velocity);
  double losses = 0;
  while (vec3_dot(towards, pipe_get3(s->state.pipe.v_n, middle)) > 0) {
    sim_step(s, &scene_no_command);
    ck_assert_double_ge(s->run.ledger.loss_j[LOSS_FRICTION], 0);
    losses += s->run.ledger.loss_j[LOSS_FRICTION];
    ck_assert_uint_lt(s->run.step, 4000);
  }
  double way = vec3_dot(towards, vec3_sub(pipe_get3(s->state.pipe.r_n, middle), start));
  double exact = 4 / (2 * slides[_i].mu * p->weight_n[middle] / p->mass_kg[middle]);
  printf("%s: slides %.4f m (%.4f), %.3g J lost of %.3g J, closure %.1e\n", slides[_i].name, way, exact,
         losses, s->run.ledger.turnover_j, ledger_closure_rel(&s->run.ledger));
  ck_assert(fabs(way / exact - 1) < 0.01);
  ck_assert_double_lt(s->run.ledger.max_abs_total_residual_j, 1e-8 * s->run.ledger.turnover_j);
  ck_assert_uint_eq(s->run.events, 0);
  shipped_free(s);
}
END_TEST

// A push that the springs can hold: 1/2 m v^2 below 1/2 k (mu w/k)^2. No energy is lost, and the pipe
// oscillates about its position.
START_TEST(sticks_below_the_limit) {
  struct sim *s = lying(0.5, 0.8);
  const struct pipe_mesh *p = &s->state.mesh.pipe;
  int middle = p->nodes / 2;
  double k = 1e5 * p->contact_length_m[middle], limit = 0.8 * p->weight_n[middle] / k;
  double speed = 0.8 * limit * sqrt(k / p->mass_kg[middle]), most = 0;
  double start = s->state.pipe.r_n[1][middle];
  push(s, (vec3){0, speed, 0});
  for (int i = 0; i < 2000; i++) {
    sim_step(s, &scene_no_command);
    most = fmax(most, fabs(s->state.pipe.r_n[1][middle] - start));
  }
  printf("sticks: swings %.5f m of %.5f m\n", most, limit);
  ck_assert(most < limit && most > 0.7 * limit);
  ck_assert_double_lt(s->run.ledger.total_loss_j[LOSS_FRICTION], 1e-6);
  shipped_free(s);
}
END_TEST

// Absent, the law follows from the seabed: a soil has the law that breaks out.
START_TEST(law_is_chosen) {
  static const struct soil_def clay = {.model = SOIL_CLAY,
                                       .strength_pa = 5e3,
                                       .gradient_papm = 2e3,
                                       .weight_npm3 = 5e3,
                                       .stiffness = 200,
                                       .suction = 0.2,
                                       .suction_depth = 0.5,
                                       .lay_factor = 1,
                                       .dynamic_factor = 1};
  static const struct {
    enum seabed_kind seabed;
    enum friction_law asked, is;
  } cases[] = {{SEABED_SPRING, FRICTION_OF_SEABED, FRICTION_COULOMB},
               {SEABED_SPRING, FRICTION_COULOMB, FRICTION_COULOMB},
               {SEABED_SOIL, FRICTION_OF_SEABED, FRICTION_BREAKOUT},
               {SEABED_SOIL, FRICTION_COULOMB, FRICTION_COULOMB}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
    def.env.seabed = cases[i].seabed;
    def.env.friction.law = cases[i].asked;
    def.env.soil = clay;
    struct sim *s = shipped_create(&def);
    ck_assert_int_eq(s->model->pipe.friction.law, cases[i].is);
    ck_assert((s->state.pipe.slip_m[0] != NULL) == friction_remembers(cases[i].is));
    shipped_free(s);
  }
  struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m", 0, NULL);
  struct reason why;
  def.env.friction.law = FRICTION_BREAKOUT; // on a spring
  ck_assert_ptr_null(scene_try_create(&def, &why));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("friction");
  TCase *t = add_case(suite, "friction", 60);
  tcase_add_loop_test(t, slides_to_rest, 0, 2);
  tcase_add_test(t, sticks_below_the_limit);
  tcase_add_test(t, law_is_chosen);
  return run_suite(suite);
}
