// Hardening from the strengths of the steel: against slices of the section by an independent program, the
// law between its two points, and what permits no law.
#include "sagbend/pipeline/pipeline.h"
#include "sagbend/plasticity/plasticity.h"
#include "sagbend/steel/steel.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// tests/reference/yielding_statics.py
static const struct {
  struct pipe_steel steel;
  double a, b, moment_nm, at_yield, at_uniform;
} PIPES[] = {
    {{450e6, 535e6, 207e9, 0, 0.762, 0.0328}, 0.05323243, 13.721420, 5910701.887, 1.24331139, 1.54259511},
    {{290e6, 415e6, 207e9, 0, 0.1143, 0.0086}, 0.27524118, 8.603903, 20371.853, 1.27919664, 1.87908158},
    {{360e6, 460e6, 207e9, 0, 0.3239, 0.0127}, 0.13783675, 11.213338, 334677.571, 1.24635453, 1.64205678},
    {{485e6, 570e6, 207e9, 0, 0.9144, 0.0254}, 0.05217447, 14.231649, 7440271.502, 1.22261084, 1.50527661},
    {{555e6, 625e6, 207e9, 0, 1.2192, 0.0203}, 0.03443795, 16.093249, 12510576.502, 1.20176278, 1.43172594},
};
enum { PIPE_COUNT = sizeof PIPES / sizeof *PIPES };

START_TEST(laws_are_those_of_the_reference) {
  const struct pipe_steel *s = &PIPES[_i].steel;
  double law[2];
  struct reason why;
  ck_assert_int_eq(hardening_of(s, law, &why), STATUS_OK);
  ck_assert_double_eq_tol(hardening_yield_moment(s), PIPES[_i].moment_nm, 1e-3);
  ck_assert_double_eq_tol(hardening_moment(s, 0.005), PIPES[_i].at_yield, 2e-4);
  ck_assert_double_eq_tol(hardening_moment(s, hardening_uniform_strain(s->yield_pa, s->tensile_pa)),
                          PIPES[_i].at_uniform, 2e-4);
  ck_assert_double_eq_tol(law[0], PIPES[_i].a, 2e-3 * PIPES[_i].a);
  ck_assert_double_eq_tol(law[1], PIPES[_i].b, 1e-3 * PIPES[_i].b);
}
END_TEST

// From 4 to 48 inches and D/t 12 to 60, with strengths of X42 to X100: the law and the layers that follow it
// stay within 3.5 % of the moment of the section.
START_TEST(the_law_follows_the_section) {
  static const double grades[][2] = {
      {290e6, 415e6}, {360e6, 460e6}, {450e6, 535e6}, {555e6, 625e6}, {690e6, 760e6}};
  double worst = 0;
  for (int g = 0; g < 5; g++)
    for (int inch = 4; inch <= 48; inch += 22)
      for (int ratio = 12; ratio <= 60; ratio += 12) {
        const double d = 0.0254 * inch, t = d / ratio;
        const struct pipe_steel steel = {grades[g][0], grades[g][1], 207e9, 0, d, t};
        struct pipe_type type = {.bending_stiffness_nm2 = {1, 1}, .yield_moment_nm = 1};
        struct reason why;
        ck_assert_int_eq(hardening_of(&steel, type.ramberg_osgood, &why), STATUS_OK);
        const struct pipe_layers layers = plasticity_layers(&type);
        const double last = hardening_uniform_strain(steel.yield_pa, steel.tensile_pa);
        for (double strain = 0.0005; strain < last; strain *= 1.4) {
          const double section = hardening_moment(&steel, strain);
          const double law = plasticity_moment(&layers, strain * steel.young_pa / steel.yield_pa);
          worst = fmax(worst, fabs(law / section - 1));
        }
      }
  printf("law and layers within %.1f %% of the moment of the section\n", 100 * worst);
  ck_assert_double_lt(worst, 0.037);
}
END_TEST

// Small strains are elastic; a higher uniform strain hardens less.
START_TEST(limits_of_the_law) {
  struct pipe_steel s = PIPES[0].steel;
  double law[2], more[2];
  struct reason why;
  ck_assert_double_eq_tol(hardening_moment(&s, 2e-4), 2e-4 * s.young_pa / s.yield_pa, 1e-4 * 2e-4 * 460);
  hardening_of(&s, law, &why);
  s.uniform_strain = 0.08;
  ck_assert_int_eq(hardening_of(&s, more, &why), STATUS_OK);
  ck_assert_double_gt(more[1], law[1]);
  ck_assert_double_eq_tol(hardening_uniform_strain(450e6, 535e6), 0.3 * (1 - 450.0 / 535), 1e-15);
  ck_assert_double_eq(hardening_uniform_strain(450e6, 460e6), 0.02);

  const struct pipe_steel bad[] = {{940e6, 1000e6, 207e9, 0, 0.762, 0.03},
                                   {450e6, 452e6, 207e9, 0, 0.762, 0.03},
                                   {450e6, 535e6, 207e9, 0.007, 0.762, 0.03},
                                   {450e6, 535e6, 207e9, 0, 0.762, 0.381},
                                   {(double)NAN, 535e6, 207e9, 0, 0.762, 0.03}};
  static const char *const says[] = {"yield stress", "tensile strength", "uniform strain", "wall thickness",
                                     "yield stress"};
  for (int k = 0; k < 5; k++) {
    ck_assert_int_eq(hardening_of(&bad[k], law, &why), STATUS_BAD_INPUT);
    ck_assert_msg(strncmp(why.text, says[k], strlen(says[k])) == 0, "%s", why.text);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("core_steel_hardening");
  TCase *t = add_case(suite, "hardening", 20);
  tcase_add_loop_test(t, laws_are_those_of_the_reference, 0, PIPE_COUNT);
  tcase_add_test(t, the_law_follows_the_section);
  tcase_add_test(t, limits_of_the_law);
  return run_suite(suite);
}
