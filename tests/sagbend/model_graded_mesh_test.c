// Lengths of elements by the touchdown: what a configuration gets, and properties over random lines.

#include "sagbend/math/math.h"
#include "sagbend/model/model.h"

#include "scenes.h"
#include "suite.h"

#include <math.h>

static double element(const struct pipe_def *p, int e) {
  return pipe_element_length(p, e);
}

static struct sim_def load(int count, const char *const *sets) {
  return shipped_scene(TEST_SOURCE_DIR, "jlay-900m-hangoff", count, sets);
}

static double shortest_at(const struct pipe_def *p, double *at_m) {
  double least = INFINITY, s = 0;
  for (int e = 0; e < p->elements; s += element(p, e), e++)
    if (element(p, e) < least)
      least = element(p, e), *at_m = s + 0.5 * least;
  return least;
}

START_TEST(elements_alone_are_short_at_the_touchdown) {
  const struct sim_def def = load(0, NULL);
  struct sim *s = shipped_create(&def);
  struct sim_output o;
  double at = 0;
  sim_get_output(s, &o);
  const double least = shortest_at(&def.pipe, &at);
  ck_assert(def.pipe.mesh_segment_count > 1);
  ck_assert_double_lt(least, 0.6 * def.pipe.length_m / def.pipe.elements);
  ck_assert_double_lt(fabs(at - o.touchdown_arc_length_m), 0.1 * def.pipe.length_m);
  ck_assert_int_eq(s->state.mesh.pipe.elements, 100);
  shipped_free(s);
}
END_TEST

// A vessel that moves 250 m towards the lower end lays pipe beyond the fine part; one that heaves does not.
START_TEST(a_touchdown_that_leaves_its_elements_is_an_event) {
  const char *const moved[] = {"pipe.elements=60", "simulation.step_s=0.1"};
  for (int far = 0; far < 2; far++) {
    struct sim_def def = shipped_scene(TEST_SOURCE_DIR, "jlay-900m-hangoff", 2, moved);
    def.pipe.hangoff = HANGOFF_MOVED; // after the lengths were made, as a vessel would move it
    def.pipe.motion.rows = 4;
    for (int k = 0; k < 4; k++)
      def.pipe.motion.table[k] =
          (struct table_row){.time_s = 60 * k, .value = {far ? -100.0 * k : 0, 0, far ? 0 : 3 * sin(k)}};
    struct sim *s = shipped_create(&def);
    ck_assert(s->def->pipe.is_graded);
    while (sim_time_s(s) < 150)
      sim_step(s, NULL);
    ck_assert_int_eq(s->run.events >> EVENT_TOUCHDOWN_LEFT & 1, far);
    shipped_free(s);
  }
}
END_TEST

// Each of these leaves equal elements.
static const char *const equal[] = {
    "pipe.spacing=equal",
    "pipe.payout={elements_max: 120, programme: [{start_s: 1, length_m: 10, speed_mps: 0.2, ramp_s: 1}]}",
    "environment.seabed=none", "pipe.mass_kgpm=400"};

START_TEST(without_a_touchdown_elements_are_equal) {
  const struct sim_def def = load(1, &equal[_i]);
  ck_assert_int_eq(def.pipe.mesh_segment_count, 0);
  ck_assert_int_eq(def.pipe.elements, 100);
}
END_TEST

START_TEST(a_fine_mesh_is_equal) {
  const char *const fine[] = {"pipe.elements=2000"};
  const struct sim_def def = load(1, fine);
  for (int e = 0; e < 2000; e++)
    ck_assert_double_eq_tol(element(&def.pipe, e), def.pipe.length_m / 2000, 1e-3);
}
END_TEST

// Random lines: the lengths sum up, neighbours differ little, no element is longer than three mean ones, the
// shortest are at the touchdown.
START_TEST(lengths_keep_their_bounds) {
  struct random_stream random = random_stream_of(45);
  const struct sim_def base = load(1, equal);
  int graded = 0;
  for (int k = 0; k < 400; k++) {
    struct sim_def def = base;
    struct pipe_def *p = &def.pipe;
    struct touchdown t;
    p->spacing = SPACING_AUTO;
    p->elements = 10 + (int)(300 * random_uniform(&random));
    def.env.depth_m = 50 + 1500 * random_uniform(&random);
    p->length_m = def.env.depth_m * (1.2 + 2 * random_uniform(&random));
    p->line.bending_stiffness_nm2[0] *= exp(-12 * random_uniform(&random));
    def.env.slope.angle_rad = 0.2 * (random_uniform(&random) - 0.5);
    def.statics.kind = random_uniform(&random) < 0.5 ? STATICS_HORIZONTAL_FORCE : STATICS_HANGOFF_POSITION;
    def.statics.horizontal_force_n = 1e6 * random_uniform(&random);
    def.statics.hangoff_position_m[0] = p->length_m * random_uniform(&random);
    def.statics.hangoff_position_m[1] = 0;
    graded_mesh(p, &def.env, &def.statics, 10);
    const double mean = p->length_m / p->elements;
    if (!touchdown_foresee(p, &def.env, &def.statics, 10, &t)) {
      ck_assert_int_eq(p->mesh_segment_count, 0);
      continue;
    }
    double sum = 0, at = 0;
    graded++;
    ck_assert_int_gt(p->mesh_segment_count, 0);
    for (int e = 0; e < p->elements; e++) {
      const double l = element(p, e), next = element(p, e + 1 < p->elements ? e + 1 : e);
      sum += l;
      ck_assert_double_gt(l, 0);
      ck_assert_double_le(l, 3.2 * mean);
      ck_assert_msg(fmax(l, next) < 1.6 * fmin(l, next), "line %d, element %d of %d: %g beside %g", k, e,
                    p->elements, l, next);
    }
    ck_assert_double_eq_tol(sum, p->length_m, 1e-9 * p->length_m);
    int e = 0;
    for (; e + 1 < p->elements && at + element(p, e) < 0.5 * (t.from_m + t.to_m); e++)
      at += element(p, e);
    ck_assert_msg(element(p, e) < 1.01 * mean, "line %d: %g at the touchdown, mean %g", k, element(p, e),
                  mean);
  }
  ck_assert_int_gt(graded, 100);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("graded mesh");
  TCase *t = add_case(suite, "graded mesh", 20);
  tcase_add_test(t, elements_alone_are_short_at_the_touchdown);
  tcase_add_loop_test(t, without_a_touchdown_elements_are_equal, 0, (int)(sizeof equal / sizeof *equal));
  tcase_add_test(t, a_fine_mesh_is_equal);
  tcase_add_test(t, a_touchdown_that_leaves_its_elements_is_an_event);
  tcase_add_test(t, lengths_keep_their_bounds);
  return run_suite(suite);
}
