// The sections pipe and statics.
#include "case_suite.h"
#include "net/case/case.h"

static const struct bad_edit bad_edits[] = {
    {"elements: 100", "elements: 2.5",
     ":13: error: pipe.elements: whole number from 2 to 100000 expected, got '2.5'"},
    {"elements: 100", "elements: 1",
     ":13: error: pipe.elements: whole number from 2 to 100000 expected, got '1'"},
    {"  structural_damping_s: 0.01",
     "  structural_damping_s: 0.01\n  yield_moment_nm: 3e6\n  ramberg_osgood: [1, 0.5]",
     "+2:19: error: pipe.ramberg_osgood: A above 0 and B above 1, steel or perfect expected, got a list of "
     "2"},
    {"  structural_damping_s: 0.01", "  structural_damping_s: 0.01\n  yield_moment_nm: 3e6",
     "+1:20: error: pipe.yield_moment_nm needs ramberg_osgood or pipe.steel for the hardening "
     "(ramberg_osgood: perfect computes without)"},
    {"  structural_damping_s: 0.01",
     "  structural_damping_s: 0.01\n  yield_moment_nm: 3e6\n  ramberg_osgood: [0, 12]",
     "+2:19: error: pipe.ramberg_osgood: A above 0 and B above 1, steel or perfect expected, got a list of "
     "2"},
    {"  structural_damping_s: 0.01",
     "  structural_damping_s: 0.01\n  yield_moment_nm: 3e6\n  steel: {wall_thickness_m: 0.03, "
     "yield_strength_pa: 450e6, tensile_strength_pa: 452e6}",
     "+2:3: error: pipe.steel: tensile strength: at least 1.01 times the yield stress of 4.5e+08 Pa "
     "expected, "
     "got 4.52e+08"},
    {"bending_stiffness_nm2: 1.0364e9",
     "bending_stiffness_nm2: [1.0364e9, 1e9]\n  yield_moment_nm: 3e6\n  ramberg_osgood: perfect",
     "+1:20: error: pipe.yield_moment_nm: equal bending stiffnesses expected, got '3e6': the pipe yields"},
    {"    kind: pinned", "    kind: clamped",
     "-1:3: error: pipe.hangoff.angle_deg: an angle or auto expected, got nothing: a clamped hang-off needs "
     "it"},
    {"    kind: pinned", "    kind: pinned\n    angle_deg: auto",
     "+1:16: error: pipe.hangoff.angle_deg needs kind clamped"},
    {"horizontal_force_n: 400e3", "hangoff_position_m: [972, 0]\n  horizontal_force_n: 400e3",
     ":23: error: statics.hangoff_position_m: exactly one of horizontal_force_n and hangoff_position_m "
     "expected, got both"},
    {"horizontal_force_n: 400e3", "horizontal_force_n: ~",
     "-1:1: error: statics: exactly one of horizontal_force_n and hangoff_position_m expected, got neither"},
};

START_TEST(each_bad_value_gets_its_line) {
  assert_bad_edit(&bad_edits[_i]);
}
END_TEST

START_TEST(the_pipe_can_be_left_out) {
  const char *const set[] = {"pipe=null", "statics=null"};
  struct config c;
  ck_assert_int_eq(config_load(CONFIGS "jlay-900m.yaml", set, 2, &c, stderr), STATUS_OK);
  ck_assert_int_eq(c.sim.pipe.elements, 0);
  config_free(&c);
  assert_messages(CONFIGS "jlay-900m-hangoff.yaml", set, 1, 0, "65:1: error: statics needs a pipe\n");
}
END_TEST

static void add(TCase *tests) {
  tcase_add_loop_test(tests, each_bad_value_gets_its_line, 0, (int)(sizeof bad_edits / sizeof *bad_edits));
  tcase_add_test(tests, the_pipe_can_be_left_out);
}

int main(void) {
  return run_config_suite("io_config_pipe", add);
}
