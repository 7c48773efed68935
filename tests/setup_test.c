// A loaded session: its text of the DP file is the one that was parsed, even if the file changes afterwards.
#include "setup/setup.h"

#include "suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char DP[] = TEST_SOURCE_DIR "/configs/jlay-900m-dp.yaml";

static char *read_file(const char *path) {
  FILE *file = fopen(path, "r");
  ck_assert_ptr_nonnull(file);
  char *text = calloc(1, 1 << 16);
  ck_assert_uint_gt(fread(text, 1, (1 << 16) - 1, file), 0);
  fclose(file);
  return text;
}

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_ge(fputs(text, file), 0);
  ck_assert_int_eq(fclose(file), 0);
}

START_TEST(the_dp_text_is_the_one_that_was_parsed) {
  char folder[] = "/tmp/sagbend-session-XXXXXX", path[64], dp_path[64];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/top.yaml", folder);
  snprintf(dp_path, sizeof dp_path, "%s/dp.yaml", folder);
  char *shipped = read_file(DP);
  write_file(dp_path, shipped);
  write_file(path, "extends: " TEST_SOURCE_DIR
                   "/configs/jlay-900m.yaml\nname: top\ncontroller: {dp_file: dp.yaml}\n");

  struct case_options options = {.config_path = path};
  struct setup setup;
  ck_assert_int_eq(setup_load(&setup, &options, stderr), STATUS_OK);
  write_file(dp_path, "name: another\n");
  ck_assert_str_eq(setup.dp_text, shipped);

  setup_free(&setup);
  ck_assert_ptr_null(setup.dp_text);
  ck_assert_int_eq(unlink(dp_path) | unlink(path) | rmdir(folder), 0);
  free(shipped);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("session");
  TCase *load = add_case(suite, "load", 20);
  tcase_add_test(load, the_dp_text_is_the_one_that_was_parsed);
  return run_suite(suite);
}
