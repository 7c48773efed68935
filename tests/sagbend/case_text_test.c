// Values, syntax and errors of the text: each error has its line, several come in one run.
#include "case_suite.h"

static const struct bad_edit bad_edits[] = {
    {"length_m: 1500", "length_m: 1.5e3 m",
     ":13: error: pipe.length_m: finite number > 0 expected, got '1.5e3 m'"},
    {"length_m: 1500", "length_m: 1,5", ":13: error: pipe.length_m: finite number > 0 expected, got '1,5'"},
    {"length_m: 1500", "length_m: .nan", ":13: error: pipe.length_m: finite number > 0 expected, got '.nan'"},
    {"length_m: 1500", "length_m: inf", ":13: error: pipe.length_m: finite number > 0 expected, got 'inf'"},
    {"length_m: 1500", "length_m: 0100", ":13: error: pipe.length_m: finite number > 0 expected, got '0100'"},
    {"length_m: 1500", "length_m: 0x5dc",
     ":13: error: pipe.length_m: finite number > 0 expected, got '0x5dc'"},
    {"length_m: 1500", "length_m: 1_500",
     ":13: error: pipe.length_m: finite number > 0 expected, got '1_500'"},
    {"length_m: 1500", "length_m: 1e999",
     ":13: error: pipe.length_m: finite number > 0 expected, got '1e999'"},
    {"length_m: 1500", "length_m: -1500",
     ":13: error: pipe.length_m: finite number > 0 expected, got '-1500'"},
    {"length_m: 1500", "length_m: ''",
     ":13: error: pipe.length_m: finite number > 0 expected, got the quoted text ''"},
    {"length_m: 1500", "length_m:", ":12: error: pipe.length_m: finite number > 0 expected, got ''"},
    {"length_m: 1500", "length_m: \"1500\"",
     ":13: error: pipe.length_m: finite number > 0 expected, got the quoted text '1500'"},
    {"length_m: 1500", "length_m: [1500]",
     ":13: error: pipe.length_m: finite number > 0 expected, got a list of 1"},
    {"length_m: 1500", "length_m: &a 1500",
     ":13: error: pipe.length_m: a plain value expected, got a YAML anchor"},
    {"length_m: 1500", "length_m: !!float 1500",
     ":13: error: pipe.length_m: a plain value expected, got a YAML tag"},
    {"length_m: 1500", "length_m: *a", ":13: error: pipe.length_m: a plain value expected, got a YAML alias"},
    {"length_m: 1500", "length_m: \"\\x001500\"",
     ":13: error: pipe.length_m: a plain value expected, got text with a NUL character"},
    {"length_m: 1500", "lenght_m: 1500", ":3: error: pipe.lenght_m: unknown key, did you mean length_m?"},
    {"initial_holding_force: balance", "initial_holding_force: balanced",
     ":24: error: initial_holding_force: list of 6 finite numbers or balance expected, got 'balanced', did "
     "you mean balance?"},
    {"initial_holding_force: balance", "&a initial_holding_force: balance",
     ":1: error: a plain key expected, got a YAML anchor"},
    {"initial_holding_force: balance", "? [a, b]\n: 1",
     ":3: error: a key expected, got something that is not plain text"},
    {"initial_holding_force: balance", "--- second",
     ":1: error: one YAML document expected, got a second one"},
};

START_TEST(each_bad_value_gets_its_line) {
  assert_bad_edit(&bad_edits[_i]);
}
END_TEST

// The same edits with all that they cause; L stands for the line of find.
static const struct {
  const char *find, *replace, *expected;
} whole_messages[] = {
    {"length_m: 1500", "mass_kgpm: 1500",
     "L-3:1: error: pipe.length_m: finite number > 0 expected, got nothing\n"
     "L+2:3: error: pipe.mass_kgpm: duplicate key, first given at line L\n"},
    {"  kind: external", "  kind: continuous",
     "L-1:1: error: controller.pid: a section expected, got nothing: a continuous controller needs it\n"
     "L+1:12: error: controller.dp_file needs kind sampled or external\n"},
    {"initial_holding_force: balance", "initial_holding_force: balance\ninitial_holding_force: balance",
     "L+1:1: error: initial_holding_force: duplicate key, first given at line L\n"},
    {"duration_s: 120", "duration_s: 120\n\tmode: fast",
     "L+1:1: error: syntax: found a tab character that violates indentation while scanning a plain scalar\n"},
    {"environment:", "environment: 5\nunused:",
     "L:14: error: environment: section of key: value lines expected, got '5'\n"
     "L+1:1: error: unused: unknown key\n"},
    {"dp_file: jlay-900m-dp.yaml", "dp_file: null\n  pid: {kp: [1]}",
     "L+1:3: error: controller.pid.kd: list of 6 finite numbers >= 0 expected, got nothing\nL+1:3: error: "
     "controller.pid.ki: list of 6 finite numbers >= 0 expected, got nothing\nL+1:3: error: "
     "controller.pid.setpoint: section of key: value lines expected, got nothing\nL+1:3: error: "
     "controller.pid.start_s: finite number >= 0 expected, got nothing\nL+1:3: error: controller.pid needs "
     "kind continuous\nL+1:13: error: controller.pid.kp: list of 6 finite numbers >= 0 expected, got a list "
     "of 1\n"},
};

START_TEST(several_errors_come_in_one_run) {
  char dp_file[160], expected[2048] = "";
  copy_dp_file(dp_file, sizeof dp_file);
  int line = write_edited(whole_messages[_i].find, whole_messages[_i].replace);
  for (const char *c = whole_messages[_i].expected; *c;) { // L, L+1 become numbers
    if (*c == 'L') {
      char *end;
      long offset = strtol(c + 1, &end, 10);
      sprintf(expected + strlen(expected), "%ld", line + offset);
      c = end == c + 1 || (c[1] != '+' && c[1] != '-') ? c + 1 : end;
    } else {
      strncat(expected, c++, 1);
    }
  }
  assert_messages(path, NULL, 0, 0, expected);
  unlink(dp_file);
}
END_TEST

START_TEST(files_that_are_none) {
  assert_messages("/nowhere/x.yaml", NULL, 0, 0,
                  "1:1: error: a readable file expected, got none: No such file or directory\n");
  assert_messages(folder, NULL, 0, 0, "1:1: error: a readable file expected, got none: Is a directory\n");
  const char *nothing = "1:1: error: sections of key: value lines expected, got nothing\n";
  write_file("", 0);
  assert_messages(path, NULL, 0, 0, nothing);
  write_file("# only a comment\n", 17);
  assert_messages(path, NULL, 0, 0, nothing);
  write_file("- 1\n- 2\n", 8);
  assert_messages(path, NULL, 0, 0, "1:1: error: sections of key: value lines expected, got a list of 2\n");
  write_file("name: a\nx: \0\n", 13);
  assert_messages(
      path, NULL, 0, 0,
      "2:4: error: UTF-8 text expected, got a binary byte (control characters are not allowed)\n");
  write_file("name: a\n\xff\xfe", 10);
  assert_messages(path, NULL, 0, 0,
                  "2:1: error: UTF-8 text expected, got a binary byte (invalid leading UTF-8 octet)\n");
  char *big = malloc(2 << 20);
  memset(big, '#', 2 << 20);
  write_file(big, 2 << 20);
  assert_messages(path, NULL, 0, 0,
                  "1:1: error: a file of at most 1048576 bytes expected, got a larger one\n");
  memset(big, '[', 100000);
  write_file(big, 100000);
  assert_messages(path, NULL, 0, 0, "1:33: error: at most 32 levels of nesting expected, got more\n");
  for (int i = 0; i < 20000; i++)
    memcpy(big + 3 * i, "- \n", 3);
  write_file(big, 60000);
  assert_messages(path, NULL, 0, 0, "10000:2: error: at most 10000 values expected, got more\n");
  free(big);
}
END_TEST

static void add(TCase *tests) {
  tcase_add_loop_test(tests, each_bad_value_gets_its_line, 0, (int)(sizeof bad_edits / sizeof *bad_edits));
  tcase_add_loop_test(tests, several_errors_come_in_one_run, 0,
                      (int)(sizeof whole_messages / sizeof *whole_messages));
  tcase_add_test(tests, files_that_are_none);
}

int main(void) {
  return run_config_suite("io_config_text", add);
}
