// Files to which a configuration refers.
#include "case_suite.h"
#include "net/case/case.h"

// Sections are merged key by key; lists and values are replaced; null takes away; the record replays it.
START_TEST(extends_lays_over) {
  char *base = read_text(CONFIGS "jlay-900m.yaml", NULL), top[400];
  write_beside("base.yaml", base);
  write_beside("jlay-900m-dp.yaml", "name: unused");
  write_beside("middle.yaml", "extends: base.yaml\nsimulation: {duration_s: 7, step_s: 0.02}\nloads:\n"
                              "  - {frame: body, wrench: [1, 2, 3, 4, 5, 6]}\n");
  snprintf(top, sizeof top,
           "extends: ./middle.yaml\nname: top\nsimulation: {duration_s: 9}\n"
           "vessel: {mass_kg: 5e6}\nenvironment: {current: null}\n");
  write_file(top, strlen(top));
  const char *const sets[] = {"vessel.hangoff_b_m=[1, 2, 3]"};
  struct config c, again;
  ck_assert_int_eq(config_load(path, sets, 1, &c, stderr), STATUS_OK);
  ck_assert_str_eq(c.name, "top");
  ck_assert(c.run.duration_s == 9 && c.sim.step_s == 0.02 && c.sim.vessel.mass_kg == 5e6);
  ck_assert(c.sim.vessel.waterplane_area_m2 == 1383.4 && c.sim.vessel.hangoff_b_m[2] == 3);
  ck_assert(c.sim.env.load_count == 1 && c.sim.env.loads[0].wrench[5] == 6 &&
            c.sim.env.current.surface_mps == 0);
  ck_assert_int_eq(c.files.count, 2);
  ck_assert_str_eq(c.files.file[0].path, "./middle.yaml");
  ck_assert_str_eq(c.files.file[1].path, "./base.yaml");
  ck_assert_ptr_nonnull(strstr(c.dp_file, "/./jlay-900m-dp.yaml")); // of base.yaml, which names it

  remove_beside("base.yaml"); // the record has them all
  remove_beside("middle.yaml");
  ck_assert_int_eq(config_load_text("record", c.text, c.file_text_size, &c.files, sets, 1, &again, stderr),
                   STATUS_OK);
  ck_assert(again.hash == c.hash && again.model_hash == c.model_hash && again.sim.step_s == 0.02);
  config_free(&again);
  c.files.file[1].text[c.files.file[1].size - 2]++; // another base, another hash
  char *got = NULL;
  size_t size;
  FILE *errors = open_memstream(&got, &size);
  if (config_load_text("record", c.text, c.file_text_size, &c.files, sets, 1, &again, errors) == 0)
    ck_assert(again.hash != c.hash && again.model_hash != c.model_hash);
  c.files.count = 1;
  free(c.files.file[1].path);
  free(c.files.file[1].text);
  config_free(&again);
  ck_assert_int_ne(config_load_text("record", c.text, c.file_text_size, &c.files, sets, 1, &again, errors),
                   STATUS_OK);
  fclose(errors);
  ck_assert_ptr_nonnull(strstr(got, "./middle.yaml:1:10: error: a readable file expected, got './base.yaml': "
                                    "it is not in the session's record"));
  free(got);
  config_free(&c);
  remove_beside("jlay-900m-dp.yaml");
  free(base);
}
END_TEST

// Errors name the file that they are in; all of them in one run.
START_TEST(extends_errors) {
  static const char *const top = "extends: base.yaml\nname: top\nvessel: {mass_kg: heavy}\n";
  char expected[2000], *base = read_text(CONFIGS "vessel-only.yaml", NULL), *bad = malloc(strlen(base) + 100);
  sprintf(bad, "%sunknown_key: 3\n", base);
  int lines = 1;
  for (const char *c = base; *c; c++)
    lines += *c == '\n';
  write_file(top, strlen(top));
  write_beside("base.yaml", bad);
  snprintf(expected, sizeof expected,
           "%s/base.yaml:%d:1: error: unknown_key: unknown key\n"
           "3:19: error: vessel.mass_kg: finite number > 0 expected, got 'heavy'\n",
           folder, lines);
  assert_messages(path, NULL, 0, 0, expected);

  write_beside("base.yaml", "extends: case.yaml\n");
  int errors;
  char *got = messages(path, NULL, 0, 0, &errors);
  ck_assert_int_eq(errors, 1);
  ck_assert_ptr_nonnull(strstr(got, "1:10: error: extends: at most 8 files that extend one another expected, "
                                    "got more (does one extend itself?)\n"));
  free(got);
  write_beside("base.yaml", "[1, 2]\n");
  snprintf(expected, sizeof expected,
           "%s/base.yaml:1:1: error: sections of key: value lines expected, got a list of 2\n", folder);
  assert_messages(path, NULL, 0, 0, expected);
  remove_beside("base.yaml");
  snprintf(expected, sizeof expected,
           "1:10: error: a readable file expected, got '%s/base.yaml': No such file or directory\n", folder);
  assert_messages(path, NULL, 0, 0, expected);
  write_file("extends: [a]\nname: x\n", 21);
  got = messages(path, NULL, 0, 0, &errors);
  ck_assert_ptr_nonnull(
      strstr(got, "1:10: error: extends: text of 1 to 255 bytes expected, got a list of 1\n"));
  free(got);
  static const char *const set = "extends=base.yaml";
  assert_messages(CONFIGS "vessel-only.yaml", &set, 1, 0,
                  "--set:1:1: error: extends is not allowed in an override (in 'extends=base.yaml')\n");
  free(bad);
  free(base);
}
END_TEST

// A file that a configuration names is a regular one of bounded size, or is refused at once where it is
// named.
static void assert_beside(const char *top, const char *place, const char *name, const char *what) {
  char text[4096], expected[512], *got;
  int errors;
  ck_assert_int_lt(snprintf(text, sizeof text, top, name), sizeof text);
  write_file(text, strlen(text));
  got = messages(path, NULL, 0, 0, &errors);
  snprintf(expected, sizeof expected, "%s got '%s%s%s': %s\n", place, *name == '/' ? "" : folder,
           *name == '/' ? "" : "/", name, what);
  ck_assert_msg(strstr(got, expected) != NULL, "'%s' expected, got: %s", expected, got);
  free(got);
}

START_TEST(files_beside_are_regular) {
  static const char *const tops[][2] = {
      {"extends: %s\nname: top\n", "1:10: error: a readable file expected,"},
      {"name: top\ncontroller: {kind: external, dp_file: %s}\n",
       "2:39: error: controller.dp_file: a readable file expected,"},
      {"name: top\nenvironment: {bathymetry_file: %s}\n", "2:32: error: a readable file expected,"}};
  char fifo[160], huge[160];
  snprintf(fifo, sizeof fifo, "%s/fifo", folder);
  snprintf(huge, sizeof huge, "%s/huge", folder);
  ck_assert_int_eq(mkfifo(fifo, 0666), 0); // no writer: opening it would block
  write_beside("huge", "");
  ck_assert_int_eq(truncate(huge, (off_t)1 << 40), 0);
  for (int i = 0; i < 3; i++) {
    const char *size = i < 2 ? "a file of at most 1048576 bytes expected, got 1099511627776"
                             : "a file of at most 16777216 bytes expected, got 1099511627776";
    assert_beside(tops[i][0], tops[i][1], "fifo", "a regular file expected, got a FIFO");
    assert_beside(tops[i][0], tops[i][1], "/dev/zero", "a regular file expected, got a device");
    assert_beside(tops[i][0], tops[i][1], "/tmp", "a regular file expected, got a directory");
    assert_beside(tops[i][0], tops[i][1], "huge", size);
  }
  unlink(fifo);
  unlink(huge);
}
END_TEST

// Errors in a file that others may not read give position and expectation, and quote nothing from the file.
START_TEST(private_files_are_not_shown) {
  static const char *const secrets[] = {
      "root:$6$hidden$hash:19000:0:99999:7:::\n",
      "hidden_key: 3\n\"hidden: key\": 4\n",
      "simulation: {step_s: hidden, hidden: 2, duration_s: [hidden]}\nname: hidden\nname: hidden\n",
      "? [hidden]\n: 2\n",
      "name: &hidden hidden\nvessel: !hidden 3\n",
      "hidden: [1\n"};
  char base[160], dp[400];
  snprintf(base, sizeof base, "%s/base.yaml", folder);
  for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
    for (int shown = 0; shown < 2; shown++) {
      int errors;
      write_beside("base.yaml", secrets[i]);
      ck_assert_int_eq(chmod(base, shown ? 0644 : 0640), 0);
      write_file("extends: base.yaml\nname: top\n", 29);
      char *got = messages(path, NULL, 0, 0, &errors);
      ck_assert_int_gt(errors, 0);
      ck_assert_msg(strstr(got, base) && strstr(got, "error: "), "the file named expected: %s", got);
      ck_assert_msg(shown || (!strstr(got, "hidden") && strstr(got, "others may not read")), "shown: %s",
                    got);
      ck_assert_msg(!shown || !strstr(got, "others may not read"), "withheld: %s", got);
      free(got);
      struct dp_config config;
      size_t size;
      FILE *out = open_memstream(&got, &size);
      ck_assert_int_ne(dp_config_load_beside(base, NULL, 0, &config, NULL, NULL, out), STATUS_OK);
      fclose(out);
      ck_assert_msg(shown || !strstr(got, "hidden"), "shown: %s", got);
      free(got);
    }
  write_beside("base.yaml", "simulation: {step_s: hidden}\n");
  ck_assert_int_eq(chmod(base, 0600), 0);
  int errors;
  char *got = messages(path, NULL, 0, 0, &errors);
  snprintf(dp, sizeof dp, "%s:1:22: error: finite number", base);
  ck_assert_msg(strstr(got, dp) != NULL, "where and what was expected: %s", got);
  free(got);
  remove_beside("base.yaml");
}
END_TEST

static void add(TCase *tests) {
  tcase_add_test(tests, extends_lays_over);
  tcase_add_test(tests, extends_errors);
  tcase_add_test(tests, files_beside_are_regular);
  tcase_add_test(tests, private_files_are_not_shown);
}

int main(void) {
  return run_config_suite("io_config_files", add);
}
