// A loaded session: its text of the DP file is the one that was parsed, even if the file changes afterwards.
#include "setup/event_watch.h"
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

static void keep_names(void *context, const struct run_event *event) {
  strcat(context, event->name);
  strcat(context, " ");
}

// A step that begins late counts at once, but its record comes with the next frame: the event follows a
// second later, and does not wait for another late step.
START_TEST(a_step_that_begins_late_is_reported) {
  static struct event_watch watch;
  static struct frame frame;
  char names[256] = "";
  event_watch_init(&watch, NULL, NULL, NULL, &(struct scenario_def){0});
  event_watch_redirect(&watch, keep_names, names);
  for (frame.output.step = 1; frame.output.step <= 300; frame.output.step++) {
    if (frame.output.step == 10)
      frame.timing.deadline_misses = 1;
    if (frame.output.step == 11)
      frame.timing.real_time.late = (struct late_step){.step = 10, .late_us = 500};
    event_watch_find_late(&watch, &frame, 0.01);
    ck_assert_str_eq(names, frame.output.step < 10    ? ""
                            : frame.output.step < 110 ? "deadline_miss "
                                                      : "deadline_miss late_step ");
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("session");
  TCase *load = add_case(suite, "load", 20);
  tcase_add_test(load, the_dp_text_is_the_one_that_was_parsed);
  tcase_add_test(load, a_step_that_begins_late_is_reported);
  return run_suite(suite);
}
