// Overrides (--set): checked like the file, recorded.
#include "net/case/case.h"
#include "sagbend/base/base.h"

#include "case_suite.h"

static const struct {
  const char *text, *expected; // "": good
} overrides[] = {
    {"vessel.velocity_b=[0,0,0,0,0,0]", ""},
    {"loads.0.start_s=5", ""},
    {"loads.0.wrench.1=7e5", ""},
    {"pipe.hangoff.kind=pinned", ""},
    {"network.command_endpoint=tcp://127.0.0.1:*", ""},
    {"loads=[]", ""},
    {"loads=null", ""},
    {"simulation.step_s=0.1", ""},
    {"simulation.step_s=0.003125", ""},
    {"vessel.mass_kg=heavy", "--set:1:16: error: vessel.mass_kg: finite number > 0 expected, got 'heavy' (in "
                             "'vessel.mass_kg=heavy')\n"},
    {"vessel.mass=3",
     "--set:1:8: error: vessel.mass: unknown key, did you mean mass_kg? (in 'vessel.mass=3')\n"},
    {"loads.1.start_s=5",
     "--set:1:7: error: loads: an index from 0 to 0 expected, got '1' (in 'loads.1.start_s=5')\n"},
    {"loads.x=5", "--set:1:7: error: loads: an index from 0 to 0 expected, got 'x' (in 'loads.x=5')\n"},
    {"name.x=5",
     "--set:1:6: error: name: a section that contains 'x' expected, got 'jlay-900m' (in 'name.x=5')\n"},
    {"name", "--set:1:1: error: KEY=VALUE expected, got 'name' (in 'name')\n"},
    {"=5", "--set:1:1: error: KEY=VALUE expected, got '=5' (in '=5')\n"},
    {"name=", "--set:1:6: error: name: text of 1 to 63 bytes expected, got '' (in 'name=')\n"},
    {"name=a\nb",
     "--set:1:7: error: one line without control characters expected, got byte 0x0a (in 'name=a\\nb')\n"},
    {"pipe.length_m=!!int 5",
     "--set:1:15: error: a plain value expected, got a YAML tag (in 'pipe.length_m=!!int 5')\n"},
    {"pipe.elements=[1", "--set:2:1: error: syntax: did not find expected ',' or ']' while parsing a flow "
                         "sequence (in 'pipe.elements=[1')\n"},
    {"controller.dp_file=/nowhere",
     "--set:1:20: error: controller.dp_file: a readable file expected, got '/nowhere': No such file or "
     "directory (in 'controller.dp_file=/nowhere')\n"},
    {"name=x: y",
     "--set:1:6: error: name: text of 1 to 63 bytes expected, got a section of 1 (in 'name=x: y')\n"},
};

START_TEST(overrides_are_checked_like_the_file) {
  assert_messages(CONFIGS "jlay-900m.yaml", &overrides[_i].text, 1, 0, overrides[_i].expected);
}
END_TEST

START_TEST(overrides_take_effect_and_are_recorded) {
  const char *const set[] = {"loads.0.wrench.1=7e5",
                             "simulation.step_s=0.03",
                             "loads.0.start_s=4",
                             "loads.0.start_s=6",
                             "pipe.bending_stiffness_nm2=[1, 2]",
                             "environment.current=null"};
  struct config plain, c;
  load_good(CONFIGS "jlay-900m.yaml", &plain);
  ck_assert_int_eq(config_load(CONFIGS "jlay-900m.yaml", set, 6, &c, stderr), STATUS_OK);
  ck_assert(c.sim.env.loads[0].wrench[1] == 7e5 && c.sim.env.loads[0].wrench[0] == 0);
  ck_assert(c.sim.env.loads[0].profile.start_s == 6); // the last one counts
  ck_assert(c.sim.step_s == 0.03 && c.net.sensor_period_s == 3 * 0.03);
  ck_assert(c.sim.pipe.line.bending_stiffness_nm2[0] == 1 && c.sim.pipe.line.bending_stiffness_nm2[1] == 2);
  ck_assert(c.sim.env.current.surface_mps == 0);
  size_t size;
  char *file = read_text(CONFIGS "jlay-900m.yaml", &size);
  ck_assert(plain.text_size == size && memcmp(plain.text, file, size) == 0);
  ck_assert(strncmp(c.text, file, size) == 0);
  ck_assert_str_eq(c.text + size,
                   "# --set loads.0.wrench.1=7e5\n# --set simulation.step_s=0.03\n"
                   "# --set loads.0.start_s=4\n# --set loads.0.start_s=6\n"
                   "# --set pipe.bending_stiffness_nm2=[1, 2]\n# --set environment.current=null\n");
  ck_assert_uint_eq(c.text_size, strlen(c.text));
  ck_assert(c.hash != plain.hash);
  ck_assert(c.hash == fnv1a(FNV1A_START, c.text, c.text_size));
  free(file);
  config_free(&plain);
  config_free(&c);
}
END_TEST

static void add(TCase *tests) {
  tcase_add_loop_test(tests, overrides_are_checked_like_the_file, 0,
                      (int)(sizeof overrides / sizeof *overrides));
  tcase_add_test(tests, overrides_take_effect_and_are_recorded);
}

int main(void) {
  return run_config_suite("io_config_override", add);
}
