// A loaded session: its text of the DP file is the one that was parsed, even if the file changes afterwards.
#include "net/case/case.h"
#include "run/setup/setup.h"

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
  watch.finder.take = keep_names;
  watch.finder.context = names;
  for (frame.output.step = 1; frame.output.step <= 300; frame.output.step++) {
    if (frame.output.step == 10)
      frame.timing.late_steps = 1;
    if (frame.output.step == 11)
      frame.timing.real_time.late = (struct late_step){.step = 10, .late_us = 500};
    event_watch_find_late(&watch, &frame, 0.01);
    ck_assert_str_eq(names, frame.output.step < 10    ? ""
                            : frame.output.step < 110 ? "late_steps "
                                                      : "late_steps late_step ");
  }
}
END_TEST

static void keep_texts(void *context, const char *text) {
  strcat(context, text);
  strcat(context, "\n");
}

// What is said of the circle's pipe with these keys.
static const char *notices_of(int count, const char *const *sets) {
  static char texts[8192];
  static struct config c;
  *texts = 0;
  ck_assert_int_eq(config_load(TEST_SOURCE_DIR "/configs/jlay-circle.yaml", sets, count, &c, stderr),
                   STATUS_OK);
  setup_notices(&c, keep_texts, texts);
  config_free(&c);
  return texts;
}

// Beside the touchdown, at some 270 m of 1500 m, far from touchdown and hang-off, and at the hang-off.
START_TEST(neighbours_that_differ_by_more_than_four_times_are_noticed) {
  static const struct {
    const char *mesh, *where; // NULL: nothing is said
  } meshes[] = {
      {"{length_m: 500, elements: 5}, {length_m: 200, elements: 40}, {length_m: 800, elements: 40}",
       "near the touchdown: moments there are wrong where neighbours differ by more than 4 times"},
      {"{length_m: 500, elements: 33}, {length_m: 200, elements: 40}, {length_m: 800, elements: 54}", NULL},
      {"{length_m: 60, elements: 1}, {length_m: 640, elements: 64}, {length_m: 800, elements: 40}", NULL},
      {"{length_m: 700, elements: 70}, {length_m: 795, elements: 40}, {length_m: 5, elements: 5}",
       "near the hang-off"}};
  char mesh[200];
  const char *sets[] = {"pipe.elements=null", "pipe.spacing=null", mesh};
  snprintf(mesh, sizeof mesh, "pipe.mesh=[%s]", meshes[_i].mesh);
  const char *said = notices_of(3, sets);
  ck_assert_msg((strstr(said, meshes[_i].where ? meshes[_i].where : "pipe.mesh") != NULL) ==
                    (meshes[_i].where != NULL),
                "mesh %d: %s", _i, said);
}
END_TEST

// The 30-inch pipe sinks at 1.2 m/s; a wave crosses what hangs of it in some 0.2 s.
START_TEST(a_snap_that_the_step_does_not_resolve_is_noticed) {
  const char *hard[] = {"pipe.hangoff.motion={radius_m: 4, period_s: 8}", "simulation.step_s=0.05"},
             *short_step[] = {hard[0], "simulation.step_s=0.01"},
             *gentle[] = {"pipe.hangoff.motion={radius_m: 1, period_s: 8}", "simulation.step_s=0.05"};
  ck_assert_ptr_nonnull(strstr(notices_of(2, hard), "snap loads: the top moves at up to 3.14 m/s"));
  ck_assert_ptr_null(strstr(notices_of(2, short_step), "snap loads"));
  ck_assert_ptr_null(strstr(notices_of(2, gentle), "snap loads"));
}
END_TEST

// Pipe on clay, which oscillates within steps of 50 ms and not within those of 5 ms.
START_TEST(soil_that_the_step_does_not_resolve_is_noticed) {
  const char *soil = "environment.soil={model: clay, strength_pa: 3000, strength_gradient_papm: 1500, "
                     "unit_weight_npm3: 5000}";
  const char *clay[] = {"environment.seabed=soil", "environment.seabed_stiffness_npm3=null", soil,
                        "simulation.step_s=0.05"};
  ck_assert_ptr_nonnull(strstr(notices_of(4, clay), "oscillates within simulation.step_s"));
  clay[3] = "simulation.step_s=0.005";
  ck_assert_ptr_null(strstr(notices_of(4, clay), "oscillates within"));
  ck_assert_ptr_null(strstr(notices_of(0, NULL), "oscillates within"));
}
END_TEST

// A pipe whose bend at a stiff head its elements of 50 m do not resolve.
START_TEST(a_stiff_end_that_the_mesh_does_not_resolve_is_noticed) {
  const char *head = "pipe.sections=[{name: head, outer_diameter_m: 0.9, mass_kgpm: 2500, "
                     "axial_stiffness_n: 1e11, bending_stiffness_nm2: 1e11}]";
  const char *sets[] = {
      "pipe.elements=null", "pipe.spacing=null", "pipe.bending_stiffness_nm2=1e8", head,
      "pipe.mesh=[{length_m: 1450, elements: 29}, {length_m: 50, elements: 5, section: head}]"};
  ck_assert_ptr_nonnull(
      strstr(notices_of(5, sets), "at the joint of two sections an element of 50 m meets a stiff end"));
  sets[4] = "pipe.mesh=[{length_m: 1450, elements: 290}, {length_m: 50, elements: 5, section: head}]";
  ck_assert_ptr_null(strstr(notices_of(5, sets), "stiff end"));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("session");
  TCase *load = add_case(suite, "load", 20);
  tcase_add_test(load, the_dp_text_is_the_one_that_was_parsed);
  tcase_add_test(load, a_step_that_begins_late_is_reported);
  tcase_add_loop_test(load, neighbours_that_differ_by_more_than_four_times_are_noticed, 0, 4);
  tcase_add_test(load, a_snap_that_the_step_does_not_resolve_is_noticed);
  tcase_add_test(load, soil_that_the_step_does_not_resolve_is_noticed);
  tcase_add_test(load, a_stiff_end_that_the_mesh_does_not_resolve_is_noticed);
  return run_suite(suite);
}
