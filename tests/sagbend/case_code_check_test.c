// The sections pipe.code_check, pipe.steel and pipe.sections[].steel.
#include "case_suite.h"
#include "net/case/case.h"

#define CHECK "  code_check: {safety_class: low}\n"
#define STEEL                                                                                                \
  "  steel:\n    wall_thickness_m: 0.0328\n    wall_tolerance_m: 0.001\n    yield_strength_pa: 450e6\n"      \
  "    tensile_strength_pa: 535e6\n    fabrication_factor: 0.85\n    ovality: 0.01\n"
#define HERE "  elements: 100\n"

static const struct bad_edit bad_edits[] = {
    {HERE, HERE CHECK, "+1:3: error: pipe.code_check needs pipe.steel"},
    {HERE, HERE "  code_check: {safety_class: none}\n" STEEL,
     "+1:30: error: pipe.code_check.safety_class: low or medium or high expected, got 'none'"},
    {HERE, HERE "  code_check: {}\n" STEEL,
     "+1:3: error: pipe.code_check.safety_class: low or medium or high expected, got nothing"},
    {HERE, HERE CHECK "  steel: {wall_thickness_m: 0.03}\n",
     "+2:3: error: pipe.steel.yield_strength_pa: finite number > 0 expected, got nothing"},
    {HERE, HERE CHECK STEEL "    poisson: .nan\n",
     "+9:14: error: pipe.steel.poisson: finite number from 0 to 0.5 expected, got '.nan'"},
    {HERE, HERE CHECK STEEL "    grade: x80\n",
     "+9:12: error: pipe.steel.grade: none or x52 or x60 or x65 or x70 expected, got 'x80'"},
    {HERE, HERE CHECK STEEL "    yield_derating_pa: 450e6\n",
     "+9:24: error: pipe.steel.yield_derating_pa: less than the yield stress of 4.5e+08 expected, got "
     "4.5e+08"},
    {HERE, HERE CHECK STEEL "  steel_diameter_m: 0.06\n",
     "+3:23: error: pipe.steel.wall_thickness_m: less than half of the steel's diameter of 0.06 expected, "
     "got 0.0328"},
};

START_TEST(each_bad_value_gets_its_line) {
  assert_bad_edit(&bad_edits[_i]);
}
END_TEST

#define STEEL_SET                                                                                            \
  "pipe.steel={wall_thickness_m: 0.0328, wall_tolerance_m: 0.001, yield_strength_pa: 450e6, "                \
  "tensile_strength_pa: 535e6, fabrication_factor: 0.85, ovality: 0.01, grade: x65}"
#define MESH "pipe.mesh=[{length_m: 750, elements: 50}, {length_m: 750, elements: 50, section: thick}]"

static const char *const base[] = {"pipe.code_check={safety_class: high, condition_factor: 0.8}", STEEL_SET,
                                   "pipe.elements=null", MESH};

START_TEST(sections_take_over_the_steel) {
  const char *const set[] = {
      base[0], base[1], base[2], base[3],
      "pipe.sections=[{name: thick, bending_stiffness_nm2: 1.2e9, steel_diameter_m: 0.75, "
      "steel: {wall_thickness_m: 0.04, grade: x70}}]"};
  struct config c;
  ck_assert_int_eq(config_load(CONFIGS "jlay-900m.yaml", set, 5, &c, stderr), STATUS_OK);
  const struct code_check_def *check = &c.sim.code_check;
  ck_assert(check->enabled && check->safety_class == SAFETY_HIGH);
  ck_assert_double_eq(check->condition, 0.8);
  ck_assert_double_eq(check->steel[0].diameter_m, 0.762);
  ck_assert_double_eq(check->steel[0].material_factor, 0.96);
  ck_assert_double_eq(check->steel[0].girth_weld_factor, 0);
  ck_assert_int_eq(check->steel[0].grade, GRADE_X65);
  ck_assert_double_eq(check->steel[1].diameter_m, 0.75);
  ck_assert_double_eq(check->steel[1].wall_m, 0.04);
  ck_assert_double_eq(check->steel[1].yield_pa, 450e6);
  ck_assert_double_eq(check->steel[1].young_pa, 2.07e11);
  ck_assert_int_eq(check->steel[1].grade, GRADE_X70);
  config_free(&c);
}
END_TEST

START_TEST(another_pipe_needs_its_own_steel) {
  const char *const set[] = {base[0], base[1], base[2], base[3],
                             "pipe.sections=[{name: thick, bending_stiffness_nm2: 1.2e9}]"};
  assert_messages(CONFIGS "jlay-900m.yaml", set, 5, 0,
                  "--set:1:16: error: pipe.sections.0 needs steel.wall_thickness_m: its steel diameter or "
                  "stiffness is not the pipe's (in 'pipe.sections=[{name: thick, bending_stiffness_...')\n");

  const char *const coated[] = {
      base[0], base[1], base[2], base[3],
      "pipe.sections=[{name: thick, outer_diameter_m: 0.9, steel_diameter_m: 0.762}]"};
  struct config c;
  ck_assert_int_eq(config_load(CONFIGS "jlay-900m.yaml", coated, 5, &c, stderr), STATUS_OK);
  ck_assert_double_eq(c.sim.code_check.steel[1].wall_m, 0.0328);
  config_free(&c);
}
END_TEST

START_TEST(a_quantity_of_the_check_needs_it) {
  const char *const set[] = {"verdicts=[{name: a, quantity: utilisation, below: 1}]"};
  assert_messages(
      CONFIGS "jlay-900m.yaml", set, 1, 0,
      "--set:1:31: error: verdicts.0.quantity: utilisation needs pipe.code_check (in 'verdicts=[{name: a, "
      "quantity: utilisation, belo...')\n");
}
END_TEST

// Hardening of a section: its own law, its own steel, or the pipe's; without a code check.
START_TEST(sections_take_their_hardening) {
  const char *const set[] = {
      "pipe.yield_moment_nm=5.9e6",
      "pipe.elements=null",
      "pipe.mesh=[{length_m: 1500, elements: 100}]",
      "pipe.steel={wall_thickness_m: 0.0328, yield_strength_pa: 450e6, tensile_strength_pa: 535e6}",
      "pipe.sections=[{name: a}, {name: b, steel: {yield_strength_pa: 415e6, tensile_strength_pa: 520e6}}, "
      "{name: c, ramberg_osgood: [0.5, 12]}, {name: d, ramberg_osgood: perfect}, {name: e, yield_moment_nm: "
      "0}]",
      "pipe.ramberg_osgood=[0.4, 10]",
  };
  struct config c;
  for (int law = 0; law < 2; law++) { // that of the pipe: from its steel, given
    ck_assert_int_eq(config_load(CONFIGS "jlay-900m.yaml", set, 5 + law, &c, stderr), STATUS_OK);
    const struct pipe_type *line = &c.sim.pipe.line, *section = c.sim.pipe.types;
    ck_assert_uint_eq(c.steel_hardening, law ? 0 : 7);
    ck_assert_double_eq_tol(line->ramberg_osgood[1], law ? 10 : 13.72, 0.01);
    ck_assert(section[0].ramberg_osgood[0] == line->ramberg_osgood[0] &&
              section[0].ramberg_osgood[1] == line->ramberg_osgood[1]);
    if (law)
      ck_assert_double_eq(section[1].ramberg_osgood[1], 10);
    else
      ck_assert_double_lt(section[1].ramberg_osgood[1], 13);
    ck_assert(section[2].ramberg_osgood[0] == 0.5 && section[2].ramberg_osgood[1] == 12);
    ck_assert(section[3].ramberg_osgood[0] == 0 && section[4].yield_moment_nm == 0);
    config_free(&c);
  }
  const char *const own[] = {set[0], set[1], set[2], "pipe.ramberg_osgood=[0.4, 10]",
                             "pipe.sections=[{name: a, ramberg_osgood: steel}]"};
  assert_messages(CONFIGS "jlay-900m.yaml", own, 5, 0,
                  "--set:1:22: error: pipe.yield_moment_nm needs ramberg_osgood or pipe.steel for the "
                  "hardening (ramberg_osgood: perfect computes without) (in 'pipe.yield_moment_nm=5.9e6')\n");
}
END_TEST

static void add(TCase *tests) {
  tcase_add_loop_test(tests, each_bad_value_gets_its_line, 0, (int)(sizeof bad_edits / sizeof *bad_edits));
  tcase_add_test(tests, sections_take_over_the_steel);
  tcase_add_test(tests, another_pipe_needs_its_own_steel);
  tcase_add_test(tests, a_quantity_of_the_check_needs_it);
  tcase_add_test(tests, sections_take_their_hardening);
}

int main(void) {
  return run_config_suite("io_config_code_check", add);
}
