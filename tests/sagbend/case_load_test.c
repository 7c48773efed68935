// Loading: values of the shipped files, the record and its hashes, units, event times.
#include "case_suite.h"
#include "net/case/case.h"

#include <locale.h>

START_TEST(jlay_has_the_seeds_values) {
  struct config c;
  load_good(CONFIGS "jlay-900m.yaml", &c);
  const struct pipe_def *p = &c.sim.pipe;
  const struct vessel_def *v = &c.sim.vessel;
  ck_assert_str_eq(c.name, "jlay-900m");
  ck_assert_str_eq(c.dp_file, CONFIGS "jlay-900m-dp.yaml");
  ck_assert_int_eq(p->elements, 100);
  ck_assert(p->line.mass_kgpm == 593.2818 && p->line.inertia_kgm[0] == 78.9851 &&
            p->line.inertia_kgm[2] == 39.4925);
  ck_assert(p->line.shear_stiffness_n[0] == 9.0330e9 &&
            p->line.shear_stiffness_n[1] == 9.0330e9); // one for both
  ck_assert(p->line.bending_stiffness_nm2[1] == 1.0364e9 && p->line.axial_stiffness_n == 1.5569e10);
  ck_assert(p->line.rotational_damping_ns[2] == 1.5 && p->structural_damping_s == 0.01);
  ck_assert(p->lower == LOWER_CLAMPED && p->hangoff == HANGOFF_PINNED);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double moment = i == 3 ? 2.873071e8 : i == 4 ? 2.726143e9 : 2.9e9;
      ck_assert(v->inertia[i][j] == (i != j ? 0 : i < 3 ? 6.3622085e6 : moment));
      ck_assert(i == j || v->damping_linear[i][j] == 0);
    }
  ck_assert(v->damping_linear[4][4] == 6.514979127508227e8);
  ck_assert(c.sim.statics.kind == STATICS_HORIZONTAL_FORCE && c.sim.statics.horizontal_force_n == 400e3);
  ck_assert(c.sim.statics.weight_compensation == COMPENSATE_PIPE && c.sim.hold_balances_statics);
  ck_assert(c.sim.controller == CONTROLLER_EXTERNAL && c.run.mode == RUN_REALTIME && c.run.duration_s == 120);
  ck_assert_double_eq_tol(c.sim.env.current.direction_rad, acos(-1) / 2, 1e-15);
  ck_assert(c.sim.env.seabed == SEABED_SPRING && c.sim.env.gravity_mps2 == 9.80665);
  ck_assert_int_eq(c.sim.env.load_count, 1);
  ck_assert(c.sim.env.loads[0].wrench[1] == 600e3 && c.sim.env.loads[0].profile.start_s == 10);
  ck_assert(c.sim.env.loads[0].frame == LOAD_WORLD && c.sim.env.current.profile.start_s == 10);
  ck_assert(c.net.sensor_period_s == 10 * 0.01 && c.net.reaction == REACTION_HOLD_WRENCH && c.run.cpu == -1);
  config_free(&c);
}
END_TEST

// Of a host that embeds the loader and speaks a language whose numbers have a comma.
static const char *make_comma_locale(void) {
  static char command[1200], home[300];
  static const char source[] =
      "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n";
  snprintf(home, sizeof home, "%s/locales", folder);
  ck_assert_int_eq(mkdir(home, 0700), 0);
  write_beside("comma.src", source);
  snprintf(command, sizeof command,
           "localedef -c -i %s/comma.src %s/comma >/dev/null 2>&1; test -e %s/comma/LC_NUMERIC", folder, home,
           home);
  ck_assert_msg(system(command) == 0, "%s", command);
  setenv("LOCPATH", home, 1);
  return "comma";
}

START_TEST(a_locale_with_a_decimal_comma_reads_the_same_numbers) {
  static const char *const overrides[] = {"simulation.duration_s=1.25", "environment.depth_m=900.5"};
  static const char *const wrong[] = {"simulation.duration_s=1,25", "environment.depth_m=x"};
  struct config c, plain;
  struct dp_config dp, plain_dp;
  char text[300], clean[300], *printed = NULL;
  size_t size = 0;
  ck_assert_int_eq(config_load(CONFIGS "jlay-900m.yaml", overrides, 2, &plain, stderr), STATUS_OK);
  ck_assert_int_eq(dp_config_load(CONFIGS "jlay-900m-dp.yaml", NULL, 0, &plain_dp, stderr), STATUS_OK);
  ck_assert_msg(setlocale(LC_NUMERIC, make_comma_locale()) != NULL, "no such locale");
  snprintf(text, sizeof text, "%g", 0.5);
  ck_assert_str_eq(text, "0,5");
  ck_assert_int_eq(config_load(CONFIGS "jlay-900m.yaml", overrides, 2, &c, stderr), STATUS_OK);
  ck_assert(c.run.duration_s == 1.25 && c.sim.env.depth_m == 900.5);
  ck_assert(c.sim.pipe.line.mass_kgpm == plain.sim.pipe.line.mass_kgpm && c.hash == plain.hash);
  ck_assert_mem_eq(&c.sim.vessel, &plain.sim.vessel, sizeof c.sim.vessel);
  config_free(&c);
  ck_assert_int_eq(dp_config_load(CONFIGS "jlay-900m-dp.yaml", NULL, 0, &dp, stderr), STATUS_OK);
  ck_assert_mem_eq(&dp.def, &plain_dp.def, sizeof dp.def);
  FILE *errors = open_memstream(&printed, &size);
  ck_assert_int_eq(config_load(CONFIGS "jlay-900m.yaml", wrong, 2, &c, errors), STATUS_BAD_INPUT);
  fclose(errors);
  ck_assert_msg(strstr(printed, "simulation.duration_s") && strstr(printed, "environment.depth_m"), "%s",
                printed);
  free(printed);
  snprintf(text, sizeof text, "%g", 0.5); // the host's locale is as before
  ck_assert_str_eq(text, "0,5");
  setlocale(LC_NUMERIC, "C");
  unsetenv("LOCPATH");
  snprintf(clean, sizeof clean, "rm -r %s/locales", folder);
  ck_assert_int_eq(system(clean), 0);
  remove_beside("comma.src");
  config_free(&plain);
}
END_TEST

START_TEST(the_other_files_say_what_they_should) {
  struct config c;
  load_good(CONFIGS "jlay-900m-hangoff.yaml", &c);
  ck_assert(c.sim.pipe.hangoff == HANGOFF_CLAMPED && c.sim.pipe.hangoff_angle_auto);
  ck_assert(c.sim.vessel.hangoff_b_m[0] == -45 && c.sim.vessel.hangoff_b_m[2] == 5);
  config_free(&c);
  load_good(CONFIGS "paper-iii.yaml", &c);
  ck_assert(c.sim.pipe.hangoff == HANGOFF_CLAMPED && !c.sim.pipe.hangoff_angle_auto);
  ck_assert(c.sim.statics.kind == STATICS_HORIZONTAL_FORCE && c.sim.pipe.hangoff_angle_rad == 0);
  double displaced_kgpm = 1025 * acos(-1) / 4 * 0.36;
  ck_assert_double_eq_tol(c.sim.pipe.line.mass_kgpm - displaced_kgpm, 639.6, 0.1);
  config_free(&c);
  load_good(CONFIGS "vessel-only.yaml", &c);
  ck_assert(c.sim.pipe.elements == 0 && c.sim.controller == CONTROLLER_CONTINUOUS && c.run.mode == RUN_FAST);
  ck_assert(c.sim.pid.reference[0] == 780 && c.sim.pid.reference[1] == 20 && c.sim.pid.reference[5] == 0.54);
  ck_assert(c.sim.vessel.euler_rad[0] == 0.05 && c.sim.pid.ki[5] == 2e5 && c.sim.pid.start_s == 50);
  config_free(&c);
  struct dp_config dp;
  ck_assert_int_eq(dp_config_load(CONFIGS "jlay-900m-dp.yaml", NULL, 0, &dp, stderr), STATUS_OK);
  ck_assert(dp.def.pid.bumpless && dp.def.pid.approach_s == 40 && dp.def.pid.start_s == 30 &&
            dp.def.pid.integral_limit[0] > 0);
  ck_assert(dp_config_load(CONFIGS "paper-iii-dp.yaml", NULL, 0, &dp, stderr) == 0 && !dp.def.pid.bumpless);
  ck_assert(dp.def.pid.kd[0] == 0.5e7 && dp.def.pid.ki[1] == 0.5e4 && dp.def.pid.integral_limit[1] == 0);
  ck_assert_int_eq(dp_config_load(CONFIGS "paper-iii-pd-dp.yaml", NULL, 0, &dp, stderr), STATUS_OK);
  ck_assert_int_eq(dp_config_load(CONFIGS "jlay-900m-hangoff-dp.yaml", NULL, 0, &dp, stderr), STATUS_OK);
}
END_TEST

// A text in memory is read as the file was; the record holds what is needed to do so.
START_TEST(record_reads_back) {
  const char *const sets[] = {"simulation.duration_s=3", "vessel.mass_kg=6e6"};
  struct config file, text;
  ck_assert_int_eq(config_load(CONFIGS "jlay-900m.yaml", sets, 2, &file, stderr), STATUS_OK);
  ck_assert_int_eq(config_load_text("record", file.text, file.file_text_size, NULL, sets, 2, &text, stderr),
                   STATUS_OK);
  ck_assert_str_eq(text.text, file.text);
  ck_assert(text.hash == file.hash && text.model_hash == file.model_hash);
  ck_assert(text.sim.vessel.inertia[0][0] == 6e6 && text.run.duration_s == 3);
  ck_assert_str_eq(text.dp_file, "jlay-900m-dp.yaml"); // not looked for
  config_free(&text);
  ck_assert_int_eq(config_load_text("record", file.text, file.text_size, NULL, NULL, 0, &text, stderr),
                   STATUS_OK);
  ck_assert(text.sim.vessel.inertia[0][0] == 6.3622085e6); // the overrides in the text are comments
  config_free(&text);
  char *got = NULL;
  size_t size;
  FILE *errors = open_memstream(&got, &size);
  ck_assert_int_ne(config_load_text("record", "name: 5 6\nvessel", 16, NULL, NULL, 0, &text, errors),
                   STATUS_OK);
  fclose(errors);
  ck_assert_ptr_eq(strstr(got, "record:"), got);
  ck_assert_ptr_null(text.text);
  free(got);
  config_free(&file);
}
END_TEST

static uint64_t model_hash(const char *override) {
  struct config c;
  ck_assert_int_eq(config_load(CONFIGS "jlay-900m.yaml", &override, override != NULL, &c, stderr), STATUS_OK);
  config_free(&c);
  return c.model_hash;
}

START_TEST(model_hash_knows_what_steps_depend_on) {
  static const char *const beside[] = {"simulation.duration_s=3",
                                       "meant=pipe",
                                       "simulation.mode=fast",
                                       "simulation.cpu=0",
                                       "simulation.serving_cpu=0",
                                       "simulation.keep_cpus_awake=false",
                                       "simulation.spin_s=0.0001",
                                       "simulation.realtime_priority=0",
                                       "simulation.serving_priority=0",
                                       "network.command_endpoint=tcp://*:1",
                                       "vessel.capability.wind_centre_m=3",
                                       "view.watch_circles_m=[4, 9]",
                                       "view.limits.tension_n=5e5",
                                       "log.part_s=3",
                                       "simulation.overrun=halt",
                                       "network.telemetry_endpoint=tcp://*:2"};
  static const char *const matters[] = {"simulation.step_s=0.02",
                                        "simulation.event_time_scale=2",
                                        "network.sensor_period_s=0.2",
                                        "network.command_timeout_s=2",
                                        "network.reaction=zero",
                                        "vessel.mass_kg=6e6",
                                        "environment.current.surface_mps=0.9"};
  uint64_t plain = model_hash(NULL);
  for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
    ck_assert_msg(model_hash(beside[i]) == plain, "%s", beside[i]);
  for (size_t i = 0; i < sizeof matters / sizeof *matters; i++)
    ck_assert_msg(model_hash(matters[i]) != plain, "%s", matters[i]);
}
END_TEST

START_TEST(degrees_become_radians) {
  const char *const set[] = {"vessel.attitude_rad=null", "vessel.attitude_deg=[180, -90, 30.93972093706445]"};
  struct config c;
  ck_assert_int_eq(config_load(CONFIGS "vessel-only.yaml", set, 2, &c, stderr), STATUS_OK);
  ck_assert_double_eq_tol(c.sim.vessel.euler_rad[0], acos(-1), 1e-15);
  ck_assert_double_eq_tol(c.sim.vessel.euler_rad[1], -acos(-1) / 2, 1e-15);
  ck_assert_double_eq_tol(c.sim.vessel.euler_rad[2], 0.54, 2e-15);
  config_free(&c);
}
END_TEST

START_TEST(event_times_scale_together) {
  const char *const set[] = {"simulation.event_time_scale=0.25"}, *const dp_set[] = {"event_time_scale=0.25"};
  struct config c;
  struct dp_config dp;
  ck_assert_int_eq(config_load(CONFIGS "jlay-900m.yaml", set, 1, &c, stderr), STATUS_OK);
  ck_assert(c.sim.env.loads[0].profile.start_s == 2.5 && c.sim.env.current.profile.start_s == 2.5);
  ck_assert(c.run.time_scale_of_events == 0.25 && c.run.duration_s == 120);
  config_free(&c);
  ck_assert_int_eq(config_load(CONFIGS "vessel-only.yaml", set, 1, &c, stderr), STATUS_OK);
  ck_assert(c.sim.pid.start_s == 12.5);
  config_free(&c);
  ck_assert_int_eq(dp_config_load(CONFIGS "jlay-900m-dp.yaml", dp_set, 1, &dp, stderr), STATUS_OK);
  ck_assert(dp.def.pid.start_s == 7.5 && dp.def.pid.approach_s == 10);
}
END_TEST

static void add(TCase *tests) {
  tcase_add_test(tests, jlay_has_the_seeds_values);
  tcase_add_test(tests, a_locale_with_a_decimal_comma_reads_the_same_numbers);
  tcase_add_test(tests, the_other_files_say_what_they_should);
  tcase_add_test(tests, record_reads_back);
  tcase_add_test(tests, model_hash_knows_what_steps_depend_on);
  tcase_add_test(tests, degrees_become_radians);
  tcase_add_test(tests, event_times_scale_together);
}

int main(void) {
  return run_config_suite("io_config_load", add);
}
