// The configuration reader: right values, one clear line per error, overrides, and no crash on anything.
#include "core/base/fnv.h"
#include "io/config/config.h"

#include "suite.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONFIGS TEST_SOURCE_DIR "/configs/"

static char folder[] = "/tmp/sagbend-config-XXXXXX";
static char path[128]; // of the file that write_file makes

static char *read_text(const char *name, size_t *size) {
  FILE *file = fopen(name, "rb");
  ck_assert_msg(file != NULL, "%s", name);
  char *text = calloc(1, 1 << 20);
  size_t got = fread(text, 1, (1 << 20) - 1, file);
  fclose(file);
  if (size)
    *size = got;
  return text;
}

static void write_file(const void *text, size_t size) {
  FILE *file = fopen(path, "wb");
  ck_assert(file != NULL);
  ck_assert_uint_eq(fwrite(text, 1, size, file), size);
  ck_assert_int_eq(fclose(file), 0);
}

// The messages of reading name, without the file's name in front of each; the caller frees.
static char *messages(const char *name, const char *const *overrides, int count, int is_dp, int *errors) {
  char *raw, *text = calloc(1, 1 << 18);
  size_t size;
  FILE *out = open_memstream(&raw, &size);
  struct config c;
  struct dp_config dp;
  *errors =
      is_dp ? dp_config_load(name, overrides, count, &dp, out) : config_load(name, overrides, count, &c, out);
  if (!is_dp)
    config_free(&c);
  fclose(out);
  int lines = 0;
  for (char *line = strtok(raw, "\n"); line; line = strtok(NULL, "\n"), lines++) {
    int here = strncmp(line, name, strlen(name)) == 0;
    strcat(strcat(text, line + (here ? strlen(name) + 1 : 0)), "\n");
  }
  ck_assert_int_eq(lines, *errors); // one line each
  free(raw);
  return text;
}

static void assert_messages(const char *name, const char *const *overrides, int count, int is_dp,
                            const char *expected) {
  int errors;
  char *got = messages(name, overrides, count, is_dp, &errors);
  ck_assert_str_eq(got, expected);
  free(got);
}

static void setup(void) {
  ck_assert(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/case.yaml", folder);
}

static void teardown(void) {
  unlink(path);
  rmdir(folder);
  strcpy(folder + strlen(folder) - 6, "XXXXXX");
}

static void load_good(const char *name, struct config *c) {
  int errors = config_load(name, NULL, 0, c, stderr);
  ck_assert_int_eq(errors, 0);
}

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

// A text in memory is read as the file was; the record holds what is needed to do so.
START_TEST(record_reads_back) {
  const char *const sets[] = {"simulation.duration_s=3", "vessel.mass_kg=6e6"};
  struct config file, text;
  ck_assert_int_eq(config_load(CONFIGS "jlay-900m.yaml", sets, 2, &file, stderr), 0);
  ck_assert_int_eq(config_load_text("record", file.text, file.file_text_size, NULL, sets, 2, &text, stderr),
                   0);
  ck_assert_str_eq(text.text, file.text);
  ck_assert(text.hash == file.hash && text.model_hash == file.model_hash);
  ck_assert(text.sim.vessel.inertia[0][0] == 6e6 && text.run.duration_s == 3);
  ck_assert_str_eq(text.dp_file, "jlay-900m-dp.yaml"); // not looked for
  config_free(&text);
  ck_assert_int_eq(config_load_text("record", file.text, file.text_size, NULL, NULL, 0, &text, stderr), 0);
  ck_assert(text.sim.vessel.inertia[0][0] == 6.3622085e6); // the overrides in the text are comments
  config_free(&text);
  char *got = NULL;
  size_t size;
  FILE *errors = open_memstream(&got, &size);
  ck_assert_int_eq(config_load_text("record", "name: 5 6\nvessel", 16, NULL, NULL, 0, &text, errors), 1);
  fclose(errors);
  ck_assert_ptr_eq(strstr(got, "record:"), got);
  ck_assert_ptr_null(text.text);
  free(got);
  config_free(&file);
}
END_TEST

static uint64_t model_hash(const char *override) {
  struct config c;
  ck_assert_int_eq(config_load(CONFIGS "jlay-900m.yaml", &override, override != NULL, &c, stderr), 0);
  config_free(&c);
  return c.model_hash;
}

START_TEST(model_hash_knows_what_steps_depend_on) {
  static const char *const beside[] = {"simulation.duration_s=3",
                                       "simulation.mode=fast",
                                       "simulation.cpu=0",
                                       "simulation.realtime_priority=0",
                                       "network.command_endpoint=tcp://*:1",
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
  ck_assert_int_eq(dp_config_load(CONFIGS "jlay-900m-dp.yaml", NULL, 0, &dp, stderr), 0);
  ck_assert(dp.def.pid.bumpless && dp.def.pid.approach_s == 40 && dp.def.pid.start_s == 30 &&
            dp.def.pid.integral_limit[0] > 0);
  ck_assert(dp_config_load(CONFIGS "paper-iii-dp.yaml", NULL, 0, &dp, stderr) == 0 && !dp.def.pid.bumpless);
  ck_assert(dp.def.pid.kd[0] == 0.5e7 && dp.def.pid.ki[1] == 0.5e4 && dp.def.pid.integral_limit[1] == 0);
  ck_assert_int_eq(dp_config_load(CONFIGS "paper-iii-pd-dp.yaml", NULL, 0, &dp, stderr), 0);
  ck_assert_int_eq(dp_config_load(CONFIGS "jlay-900m-hangoff-dp.yaml", NULL, 0, &dp, stderr), 0);
}
END_TEST

// jlay-900m.yaml with find replaced: a line among the messages, below the line of find or +1, -1 from it.
static const struct bad_edit {
  const char *find, *replace, *expected;
} bad_edits[] = {
    {"mass_kg: 6.3622085e6", "mass_kg: heavy",
     ":12: error: vessel.mass_kg: finite number > 0 expected, got 'heavy'"},
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
    {"elements: 100", "elements: 2.5",
     ":13: error: pipe.elements: whole number from 2 to 100000 expected, got '2.5'"},
    {"elements: 100", "elements: 1",
     ":13: error: pipe.elements: whole number from 2 to 100000 expected, got '1'"},
    {"seabed: spring", "seabed: spring\n  wind: {speed_mps: 10}",
     "+1:3: error: environment.wind.direction_deg: finite number expected, got nothing"},
    {"seabed: spring",
     "seabed: spring\n  waves: {significant_height_m: 2, peak_period_s: 0.5, direction_deg: 0}",
     "+1:51: error: environment.waves.peak_period_s: finite number from 1 to 60 expected, got '0.5'"},
    {"attitude_deg: [0, 0, 0]",
     "attitude_deg: [0, 0, 0]\n  wind: {frontal_area_m2: 1, lateral_area_m2: 1, length_m: 1}",
     "+1:3: error: vessel.wind: exactly one of rows and closed_form expected, got neither"},
    {"attitude_deg: [0, 0, 0]",
     "attitude_deg: [0, 0, 0]\n  wind:\n    frontal_area_m2: 1\n    lateral_area_m2: 1\n    length_m: 1\n    "
     "rows:\n"
     "      - {angle_deg: 0, coefficients: [-1, 0, 0, 0]}\n      - {angle_deg: 90, coefficients: [0, -1, 0, "
     "0]}\n"
     "      - {angle_deg: 170, coefficients: [1, 0, 0, 0]}",
     "+6:7: error: vessel.wind.rows: at least three angles that increase from 0 to 180, or from 0 to below "
     "360 degrees, expected, got a list of 3"},
    {"attitude_deg: [0, 0, 0]",
     "attitude_deg: [0, 0, 0]\n  waves:\n    length_m: 80\n    beam_m: 18\n    draft_m: 5\n    drift_rows:\n"
     "      - {frequency_radps: 0.5, heading_deg: 0, coefficients: [1, 0, 0]}\n"
     "      - {frequency_radps: 0.5, heading_deg: 90, coefficients: [1, 0, 0]}\n"
     "      - {frequency_radps: 0.5, heading_deg: 180, coefficients: [1, 0, 0]}\n"
     "      - {frequency_radps: 0.6, heading_deg: 0, coefficients: [1, 0, 0]}",
     "+6:7: error: vessel.waves.drift_rows: increasing frequencies, each with the same headings, which "
     "increase from 0 to 180 or from 0 to below 360 degrees, expected, got a list of 4"},
    {"seabed: spring", "seabed: sand",
     ":11: error: environment.seabed: none or spring or linear expected, got 'sand'"},
    {"seabed: spring", "gm_transverse_m: 2\n  seabed: spring",
     ":3: error: environment.gm_transverse_m: unknown key, did you mean "
     "vessel.hydrostatics.gm_transverse_m?"},
    {"wrench: [0, 600e3, 0, 0, 0, 0]", "wrench: [0, 600e3, 0, 0, 0]",
     ":13: error: loads.0.wrench: list of 6 finite numbers expected, got a list of 5"},
    {"wrench: [0, 600e3, 0, 0, 0, 0]", "wrench: [0, much, 0, 0, 0, 0]",
     ":17: error: loads.0.wrench.1: finite number expected, got 'much'"},
    {"frame: world", "frame: world\n    stop_s: 10\n    ramp_s: 0",
     "+1:13: error: loads.0.stop_s: a time after start_s = 10 s, or 0 for never, expected, got '10'"},
    {"frame: world", "frame: world\n    stop_s: 20\n    ramp_s: 6",
     "+2:13: error: loads.0.ramp_s: at most half of stop_s - start_s = 10 s expected, got '6'"},
    {"frame: world", "frame: world\n    variation: 0.5",
     "+1:16: error: loads.0.variation: 0 expected unless period_s is given, got '0.5'"},
    {"moments_kgm2: [2.873071e8, 2.726143e9, 2.90000e9]", "added_mass: 0",
     ":17: error: vessel.inertia.added_mass: list of 6 finite numbers or 6 rows of 6 finite numbers "
     "expected, got '0'"},
    {"moments_kgm2: [", "rigid_body: [1, 1, 1, 1, 1, 1]\n    moments_kgm2: [",
     ":17: error: vessel.inertia.rigid_body: exactly one of moments_kgm2 and rigid_body expected, got both"},
    {"moments_kgm2: [2.873071e8, 2.726143e9, 2.90000e9]", "rigid_body: [1, 1, 1, 0, 1, 1]",
     "-1:3: error: vessel.inertia: positive definite sum of rigid body and added mass expected, "
     "got an indefinite one"},
    {"moments_kgm2: [",
     "added_mass: [[1,2,0,0,0,0],[3,1,0,0,0,0],[0,0,1,0,0,0],[0,0,0,1,0,0],[0,0,0,0,1,0],[0,0,0,0,0,1]]\n"
     "    moments_kgm2: [",
     ":17: error: vessel.inertia.added_mass: symmetric matrix expected, got 2 in row 0, column 1 and 3 in "
     "row 1, column 0"},
    {"linear: [3.53933789e1,", "linear: [-3.53933789e1,",
     ":13: error: vessel.damping.linear: positive semidefinite matrix expected, got an indefinite one"},
    {"attitude_deg: [0, 0, 0]", "attitude_deg: [0, 0, 0]\n  attitude_rad: [0, 0, 0]",
     "+1:17: error: vessel.attitude_rad: exactly one of attitude_deg and attitude_rad expected, got both"},
    {"    kind: pinned", "    kind: clamped",
     "-1:3: error: pipe.hangoff.angle_deg: an angle or auto for a clamped hang-off expected, got nothing"},
    {"    kind: pinned", "    kind: pinned\n    angle_deg: auto",
     "+1:16: error: pipe.hangoff.angle_deg: nothing expected unless kind is clamped, got 'auto'"},
    {"horizontal_force_n: 400e3", "hangoff_position_m: [972, 0]\n  horizontal_force_n: 400e3",
     ":23: error: statics.hangoff_position_m: exactly one of horizontal_force_n and hangoff_position_m "
     "expected, got both"},
    {"horizontal_force_n: 400e3", "horizontal_force_n: ~",
     "-1:1: error: statics: exactly one of horizontal_force_n and hangoff_position_m expected, got neither"},
    {"  command_endpoint: tcp://127.0.0.1:47700", "  command_endpoint: 127.0.0.1:47700",
     ":21: error: network.command_endpoint: tcp://HOST:PORT or ipc://PATH expected, got '127.0.0.1:47700'"},
    {"  command_endpoint: tcp://127.0.0.1:47700", "  command_endpoint: tcp://127.0.0.1:47701",
     "+1:23: error: network.telemetry_endpoint: an endpoint different from command_endpoint expected, got "
     "'tcp://127.0.0.1:47701'"},
    {"  command_endpoint: tcp://127.0.0.1:47700", "  sensor_period_s: 0.105",
     ":20: error: network.sensor_period_s: a whole number of steps of 0.01 s expected, got '0.105'"},
    {"hold_wrench: balance", "hold_wrench: balanced",
     ":14: error: hold_wrench: list of 6 finite numbers or balance expected, got 'balanced'"},
    {"hold_wrench: balance", "&a hold_wrench: balance", ":1: error: a plain key expected, got a YAML anchor"},
    {"hold_wrench: balance", "? [a, b]\n: 1",
     ":3: error: a key expected, got something that is not plain text"},
    {"hold_wrench: balance", "--- second", ":1: error: one YAML document expected, got a second one"},
};

// The same edits with all that they cause; L stands for the line of find.
static const struct {
  const char *find, *replace, *expected;
} whole_messages[] = {
    {"length_m: 1500", "mass_kgpm: 1500",
     "L-2:1: error: pipe.length_m: finite number > 0 expected, got nothing\n"
     "L+2:3: error: pipe.mass_kgpm: duplicate key, first given at line L\n"},
    {"  kind: external", "  kind: continuous",
     "L-1:1: error: controller.pid: a section for a continuous controller expected, got nothing\n"
     "L+1:12: error: controller.dp_file: nothing expected unless kind is sampled or external, got "
     "'jlay-900m-dp.yaml'\n"},
    {"hold_wrench: balance", "hold_wrench: balance\nhold_wrench: balance",
     "L+1:1: error: hold_wrench: duplicate key, first given at line L\n"},
    {"duration_s: 120", "duration_s: 120\n\tmode: fast",
     "L+1:1: error: syntax: found a tab character that violates indentation while scanning a plain scalar\n"},
    {"environment:", "environment: 5\nunused:",
     "L:14: error: environment: section of key: value lines expected, got '5'\n"
     "L+1:1: error: unused: unknown key\n"},
    {"dp_file: jlay-900m-dp.yaml", "dp_file: null\n  pid: {kp: [1]}",
     "L+1:3: error: controller.pid.kd: list of 6 finite numbers >= 0 expected, got nothing\n"
     "L+1:3: error: controller.pid.ki: list of 6 finite numbers >= 0 expected, got nothing\n"
     "L+1:3: error: controller.pid.setpoint: section of key: value lines expected, got nothing\n"
     "L+1:3: error: controller.pid.start_s: finite number >= 0 expected, got nothing\n"
     "L+1:3: error: controller.pid: nothing expected unless kind is continuous, got a section of 1\n"
     "L+1:13: error: controller.pid.kp: list of 6 finite numbers >= 0 expected, got a list of 1\n"},
};

// Writes jlay-900m.yaml with the edit, its DP file found where it is; returns the line of the edit.
static int write_edited(const char *find, const char *replace) {
  char *text = read_text(CONFIGS "jlay-900m.yaml", NULL), *edited = calloc(1, 1 << 20);
  char *at = strstr(text, find);
  ck_assert_msg(at != NULL, "%s", find);
  int line = 1;
  for (char *c = text; c < at; c++)
    line += *c == '\n';
  sprintf(edited, "%.*s%s%s", (int)(at - text), text, replace, at + strlen(find));
  write_file(edited, strlen(edited));
  free(text);
  free(edited);
  return line;
}

static void copy_dp_file(char *copy, size_t size) {
  snprintf(copy, size, "%s/jlay-900m-dp.yaml", folder);
  ck_assert_int_eq(symlink(CONFIGS "jlay-900m-dp.yaml", copy), 0);
}

START_TEST(each_bad_value_gets_its_line) {
  const struct bad_edit *bad = &bad_edits[_i];
  char dp_file[160], expected[512];
  copy_dp_file(dp_file, sizeof dp_file);
  int line = write_edited(bad->find, bad->replace), offset = 0;
  const char *rest = bad->expected;
  if (*rest == '+' || *rest == '-') {
    offset = atoi(rest);
    rest = strchr(rest, ':');
  }
  // "lenght_m" and friends also leave their key missing: the line looked for must be among the messages.
  snprintf(expected, sizeof expected, "%d%s\n", line + offset, rest);
  int errors;
  char *got = messages(path, NULL, 0, 0, &errors);
  unlink(dp_file);
  ck_assert_int_ge(errors, 1);
  const char *found = strstr(got, expected);
  ck_assert_msg(found && (found == got || found[-1] == '\n'), "wanted %s, got %s", expected, got);
  free(got);
}
END_TEST

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
                  "1:1: error: a readable file expected: No such file or directory\n");
  assert_messages(folder, NULL, 0, 0, "1:1: error: a readable file expected: Is a directory\n");
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
  assert_messages(path, NULL, 0, 0, "1:33: error: at most 32 levels of nesting expected\n");
  for (int i = 0; i < 20000; i++)
    memcpy(big + 3 * i, "- \n", 3);
  write_file(big, 60000);
  assert_messages(path, NULL, 0, 0, "10000:2: error: at most 10000 values expected\n");
  free(big);
}
END_TEST

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
    {"name.x=5", "--set:1:6: error: name: a section expected before 'x', got 'jlay-900m' (in 'name.x=5')\n"},
    {"name", "--set:1:1: error: KEY=VALUE expected, got 'name' (in 'name')\n"},
    {"=5", "--set:1:1: error: KEY=VALUE expected, got '=5' (in '=5')\n"},
    {"name=", "--set:1:6: error: name: text of 1 to 63 bytes expected, got '' (in 'name=')\n"},
    {"name=a\nb", "--set:1:7: error: one line without control characters expected (in 'name=a?b')\n"},
    {"pipe.length_m=!!int 5",
     "--set:1:15: error: a plain value expected, got a YAML tag (in 'pipe.length_m=!!int 5')\n"},
    {"pipe.elements=[1",
     "--set:2:1: error: syntax: did not find expected ',' or ']' while parsing a flow sequence "
     "(in 'pipe.elements=[1')\n"},
    {"controller.dp_file=/nowhere", "--set:1:20: error: controller.dp_file: a readable file expected, got "
                                    "'/nowhere': No such file or directory "
                                    "(in 'controller.dp_file=/nowhere')\n"},
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
  ck_assert_int_eq(config_load(CONFIGS "jlay-900m.yaml", set, 6, &c, stderr), 0);
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

START_TEST(the_pipe_can_be_left_out) {
  const char *const set[] = {"pipe=null", "statics=null"};
  struct config c;
  ck_assert_int_eq(config_load(CONFIGS "jlay-900m.yaml", set, 2, &c, stderr), 0);
  ck_assert_int_eq(c.sim.pipe.elements, 0);
  config_free(&c);
  assert_messages(CONFIGS "jlay-900m-hangoff.yaml", set, 1, 0,
                  ""
                  "65:1: error: statics: nothing expected unless there is a pipe, got a section of 2\n");
}
END_TEST

START_TEST(tables_are_read) {
  const char *const set[] = {
      "environment.current.start_s=null",
      "simulation.event_time_scale=2",
      "environment.current.table=[{time_s: 1, factor: 0.5}, {time_s: 2.5, factor: -2, direction_offset_deg: "
      "90}]",
      "environment.current.interpolation=spline",
      "loads.0.start_s=null",
      "loads.0.table=[{time_s: 0, factor: 0}, {time_s: 3, factor: 1}, {time_s: 4, factor: 0}]",
      "pipe.hangoff.kind=moved",
      "pipe.hangoff.motion={table: [{time_s: 1, north_m: 0, east_m: 0, down_m: 0}, "
      "{time_s: 2, north_m: 3, east_m: 4, down_m: -5}]}",
      "pipe.water_inertia=false",
      "pipe.added_mass_form=morison"};
  struct config c;
  ck_assert_int_eq(config_load(CONFIGS "jlay-900m.yaml", set, sizeof set / sizeof *set, &c, stderr), 0);
  const struct time_profile *p = &c.sim.env.current.profile, *q = &c.sim.env.loads[0].profile;
  ck_assert(p->rows == 2 && p->kind == TABLE_SPLINE && p->table[1].time_s == 5 && p->table[1].value[0] == -2);
  ck_assert_double_eq_tol(p->table[1].value[1], acos(-1) / 2, 1e-15);
  ck_assert(p->table[0].value[1] == 0);
  ck_assert(q->rows == 3 && q->kind == TABLE_LINEAR && q->table[2].time_s == 8 && q->table[1].value[0] == 1);
  const struct motion_def *m = &c.sim.pipe.motion;
  ck_assert(m->rows == 2 && m->table[1].time_s == 2 && m->table[1].value[0] == 3 &&
            m->table[1].value[2] == -5);
  ck_assert(!c.sim.pipe.water_inertia && c.sim.pipe.added_mass_form == ADDED_MASS_MORISON);
  config_free(&c);
  load_good(CONFIGS "jlay-900m.yaml", &c);
  ck_assert(c.sim.pipe.water_inertia && c.sim.env.current.profile.rows == 0);
  ck_assert(c.sim.pipe.added_mass_form == ADDED_MASS_KIRCHHOFF);
  config_free(&c);
}
END_TEST

static const struct {
  const char *set[2], *expected;
} bad_tables[] = {
    {{"loads.0.table=[{time_s: 1, factor: 1}, {time_s: 2, factor: 0}]"},
     "loads.0.start_s: nothing expected beside table, got '10'"},
    {{"environment.current.interpolation=spline"},
     "environment.current.interpolation: nothing expected unless table is given, got 'spline'"},
    {{"loads.0.start_s=null", "loads.0.table=[{time_s: 1, factor: 1}]"},
     "loads.0.table: at least 2 rows expected"},
    {{"loads.0.start_s=null", "loads.0.table=[{time_s: 1, factor: 1}, {time_s: 1, factor: 2}]"},
     "loads.0.table.1.time_s: a time after 1 s (the row before) expected, got '1'"},
    {{"loads.0.start_s=null", "loads.0.table=[{time_s: 1, factor: much}, {time_s: 2, factor: 2}]"},
     "loads.0.table.0.factor: finite number expected, got 'much'"},
    {{"loads.0.start_s=null", "loads.0.table=[{time_s: 1}, {time_s: 2, factor: 2}]"},
     "loads.0.table.0.factor: finite number expected, got nothing"},
    {{"pipe.hangoff.kind=moved", "pipe.hangoff.motion={radius_m: 1}"},
     "pipe.hangoff.motion.period_s: the time of a turn beside radius_m expected, got nothing"},
    {{"pipe.hangoff.kind=moved", "pipe.hangoff.motion={ramp_s: 1}"},
     "pipe.hangoff.motion: exactly one of radius_m and table expected, got neither"},
    {{"pipe.hangoff.kind=moved", "pipe.hangoff.motion={ramp_s: 1, table: [{time_s: 0, north_m: 0, east_m: 0, "
                                 "down_m: 0}, {time_s: 1, north_m: 0, east_m: 0, down_m: 0}]}"},
     "pipe.hangoff.motion.ramp_s: nothing expected beside table, got '1'"},
    {{"pipe.hangoff.kind=moved", "pipe.hangoff.motion={table: [{time_s: 0, north_m: 0, east_m: 1, down_m: "
                                 "0}, {time_s: 1, north_m: 0, east_m: 0, down_m: 0}]}"},
     "pipe.hangoff.motion.table.0: offsets of 0 in the first row, at the static position, expected"},
};

START_TEST(bad_tables_are_refused) {
  int errors, sets = bad_tables[_i].set[1] ? 2 : 1;
  char *got = messages(CONFIGS "jlay-900m.yaml", bad_tables[_i].set, sets, 0, &errors);
  ck_assert_msg(errors == 1 && strstr(got, bad_tables[_i].expected), "%s: %s", bad_tables[_i].expected, got);
  free(got);
}
END_TEST

START_TEST(event_times_scale_together) {
  const char *const set[] = {"simulation.event_time_scale=0.25"}, *const dp_set[] = {"event_time_scale=0.25"};
  struct config c;
  struct dp_config dp;
  ck_assert_int_eq(config_load(CONFIGS "jlay-900m.yaml", set, 1, &c, stderr), 0);
  ck_assert(c.sim.env.loads[0].profile.start_s == 2.5 && c.sim.env.current.profile.start_s == 2.5);
  ck_assert(c.run.time_scale_of_events == 0.25 && c.run.duration_s == 120);
  config_free(&c);
  ck_assert_int_eq(config_load(CONFIGS "vessel-only.yaml", set, 1, &c, stderr), 0);
  ck_assert(c.sim.pid.start_s == 12.5);
  config_free(&c);
  ck_assert_int_eq(dp_config_load(CONFIGS "jlay-900m-dp.yaml", dp_set, 1, &dp, stderr), 0);
  ck_assert(dp.def.pid.start_s == 7.5 && dp.def.pid.approach_s == 10);
}
END_TEST

// The keys of thrusters and power against each other, on osv-83m.yaml.
static const struct {
  const char *set, *expected; // "": good
} bad_plants[] = {
    {"vessel.thrusters.0.bus=null", ""},
    {"vessel.thrusters.2.forbidden=[{from_deg: -105, to_deg: -75}, {from_deg: -75, to_deg: 0}]", ""},
    {"vessel.thrusters.0.bus=starbord",
     "bus: the name of one of vessel.power.buses expected, got 'starbord'"},
    {"vessel.thrusters.0.power_max_w=0", "power_max_w: a power > 0 beside bus expected, got '0'"},
    {"vessel.thrusters.1.name=bow_tunnel_1",
     "name: a name different from vessel.thrusters.0 expected, got 'bow_tunnel_1'"},
    {"vessel.thrusters.1.name=bow tunnel", "name: letters, digits, _, - and . expected, got 'bow tunnel'"},
    {"vessel.power.buses.1.name=port",
     "name: a name different from vessel.power.buses.0 expected, got 'port'"},
    {"vessel.thrusters.0.pitch_lag_s=2", "pitch_lag_s: nothing expected unless drive is pitch, got '2'"},
    {"vessel.thrusters.0.azimuth_lag_s=2",
     "azimuth_lag_s: nothing expected unless kind is azimuth or main, got '2'"},
    {"vessel.thrusters.2.rudder={lift: 1}", "rudder: nothing expected unless kind is main"},
    {"vessel.thrusters.2.speed_half_mps=2",
     "speed_half_mps: nothing expected unless kind is tunnel, got '2'"},
    {"vessel.thrusters.2.forbidden=[{from_deg: 350, to_deg: 10}, {from_deg: 5, to_deg: 20}]",
     "to_deg: sectors that do not overlap expected, got '20'"},
    {"vessel.thrusters.2.forbidden=[{from_deg: 30, to_deg: 390}]",
     "to_deg: a direction different from from_deg expected, got '390'"},
    {"vessel.thrusters.2.thrust_max_n=0", "thrust_max_n: finite number > 0 expected, got '0'"},
};

START_TEST(bad_plants_are_refused) {
  int errors;
  char *got = messages(CONFIGS "osv-83m.yaml", &bad_plants[_i].set, 1, 0, &errors);
  ck_assert_msg(*bad_plants[_i].expected ? strstr(got, bad_plants[_i].expected) != NULL : errors == 0,
                "%s: %s", bad_plants[_i].set, got);
  free(got);
}
END_TEST

// What would say nothing, or could mean two things, on osv-83m-instruments.yaml.
static const struct {
  const char *set, *expected; // "": good
} bad_rigs[] = {
    {"nmea={ports: [{udp: '127.0.0.1:9', instruments: gnss-1 thrusters, sentences: GGA TRD}]}", ""},
    {"nmea={ports: [{udp: '127.0.0.1:9', instruments: gnss-1 gyro-1, sentences: GGA}]}",
     "one of the port's sentences expected, got 'gyro-1'"},
    {"nmea={ports: [{udp: '127.0.0.1:9', instruments: thrusters, sentences: GGA}]}",
     "one of the port's sentences expected, got 'thrusters'"},
    {"nmea={ports: [{udp: '127.0.0.1:9', instruments: '  '}]}",
     "or thrusters, separated by spaces, expected, got none"},
    {"instruments.0.name=all", "a name other than the reserved names all and thrusters expected"},
    {"instruments.0.name=thrusters", "a name other than the reserved names all and thrusters expected"},
    {"events=[{name: a, at_s: 1, fault: rotating, target: bow_tunnel_1, rate_radps: 1}]",
     "bow_tunnel_1 is a tunnel"},
    {"events=[{name: a, at_s: 1, fault: copy, target: gnss-1, of_instrument: gnss-1}]",
     "another gnss expected, as gnss-1 is"},
};

START_TEST(bad_rigs_are_refused) {
  int errors;
  char *got = messages(CONFIGS "osv-83m-instruments.yaml", &bad_rigs[_i].set, 1, 0, &errors);
  ck_assert_msg(*bad_rigs[_i].expected ? strstr(got, bad_rigs[_i].expected) != NULL : errors == 0, "%s: %s",
                bad_rigs[_i].set, got);
  free(got);
}
END_TEST

START_TEST(degrees_become_radians) {
  const char *const set[] = {"vessel.attitude_rad=null", "vessel.attitude_deg=[180, -90, 30.93972093706445]"};
  struct config c;
  ck_assert_int_eq(config_load(CONFIGS "vessel-only.yaml", set, 2, &c, stderr), 0);
  ck_assert_double_eq_tol(c.sim.vessel.euler_rad[0], acos(-1), 1e-15);
  ck_assert_double_eq_tol(c.sim.vessel.euler_rad[1], -acos(-1) / 2, 1e-15);
  ck_assert_double_eq_tol(c.sim.vessel.euler_rad[2], 0.54, 2e-15);
  config_free(&c);
}
END_TEST

START_TEST(dp_files_are_checked_too) {
  const char *const set[] = {"pid.bumpless=yes", "pid.kp=[1,2,3,4,5,-6]", "pid.approach=3", "connect=here"};
  assert_messages(
      CONFIGS "jlay-900m-dp.yaml", set, 4, 1,
      "--set:1:14: error: pid.bumpless: true or false expected, got 'yes' (in 'pid.bumpless=yes')\n"
      "--set:1:19: error: pid.kp.5: finite number >= 0 expected, got '-6' (in 'pid.kp=[1,2,3,4,5,-6]')\n"
      "--set:1:5: error: pid.approach: unknown key, did you mean approach_s? (in 'pid.approach=3')\n"
      "--set:1:9: error: connect: tcp://HOST:PORT or ipc://PATH expected, got 'here' (in 'connect=here')\n");
}
END_TEST

START_TEST(committed_schemas_are_the_tables) {
  static const char *const names[] = {CONFIGS "schema/sagbend.schema.json",
                                      CONFIGS "schema/sagbend-dp.schema.json"};
  char *made;
  size_t made_size, size;
  FILE *out = open_memstream(&made, &made_size);
  if (_i)
    dp_config_write_schema(out);
  else
    config_write_schema(out);
  fclose(out);
  char *committed = read_text(names[_i], &size);
  ck_assert_msg(size == made_size && memcmp(made, committed, size) == 0, "%s is not what the table says",
                names[_i]);
  free(made);
  free(committed);
}
END_TEST

static uint32_t next_random(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

// Flips, cuts, doubles and inserts a few bytes.
static size_t mutate(char *text, size_t size, uint32_t *random) {
  static const char *const pieces[] = {"[",     "{",  "]",     "}",    ":",    "\n", "- ", "&a ",
                                       "*a",    "!!", "\t",    "\"",   "'",    "|",  "? ", "null",
                                       "1e999", "%",  "---\n", "\xff", "auto", "#",  ","};
  int edits = 1 + (int)(next_random(random) % 4);
  for (int i = 0; i < edits && size > 64; i++) {
    size_t at = next_random(random) % size, length = 1 + next_random(random) % 40;
    length = at + length > size ? size - at : length;
    const char *piece = pieces[next_random(random) % (sizeof pieces / sizeof *pieces)];
    switch (next_random(random) % 4) {
    case 0:
      text[at] = (char)next_random(random);
      break;
    case 1:
      memmove(text + at, text + at + length, size - at - length);
      size -= length;
      break;
    case 2:
      memmove(text + at + length, text + at, size - at);
      size += length;
      break;
    default:
      memmove(text + at + strlen(piece), text + at, size - at);
      memcpy(text + at, piece, strlen(piece));
      size += strlen(piece);
    }
  }
  return size;
}

// --- extends ---

static void write_beside(const char *name, const char *text) {
  char at[300];
  snprintf(at, sizeof at, "%s/%s", folder, name);
  FILE *file = fopen(at, "wb");
  ck_assert(file != NULL);
  ck_assert_int_ge(fputs(text, file), 0);
  ck_assert_int_eq(fclose(file), 0);
}

static void remove_beside(const char *name) {
  char at[300];
  snprintf(at, sizeof at, "%s/%s", folder, name);
  unlink(at);
}

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
  ck_assert_int_eq(config_load(path, sets, 1, &c, stderr), 0);
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
                   0);
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
  ck_assert_int_eq(config_load_text("record", c.text, c.file_text_size, &c.files, sets, 1, &again, errors),
                   1);
  fclose(errors);
  ck_assert_ptr_nonnull(
      strstr(got, "./middle.yaml:1:10: error: a readable file expected, got './base.yaml': it is "
                  "not in the session's record"));
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
  ck_assert_ptr_nonnull(
      strstr(got, "1:10: error: extends: at most 8 files that extend one another expected, got more (does "
                  "one extend itself?)\n"));
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
  assert_messages(
      CONFIGS "vessel-only.yaml", &set, 1, 0,
      "--set:1:1: error: extends: nothing expected in an override, got a path (in 'extends=base.yaml')\n");
  free(bad);
  free(base);
}
END_TEST

// The shipped instruments at any step that their fastest telegram permits.
START_TEST(shipped_instruments_at_any_step) {
  static const char *const steps[] = {"simulation.step_s=0.001", "simulation.step_s=0.002",
                                      "simulation.step_s=0.003", "simulation.step_s=0.01",
                                      "simulation.step_s=0.02",  "simulation.step_s=0.05",
                                      "simulation.step_s=0.1"};
  struct config c;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    ck_assert_msg(config_load(CONFIGS "osv-83m-instruments.yaml", &steps[i], 1, &c, stderr) == 0, "%s",
                  steps[i]);
    config_free(&c);
  }
  static const char *const coarse = "simulation.step_s=0.2";
  ck_assert_int_gt(config_load(CONFIGS "osv-83m-instruments.yaml", &coarse, 1, &c, NULL), 0);
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
  ck_assert_int_eq(mkfifo(fifo, 0666), 0); // nobody writes into it: to open it would hang
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

// Of a file that others may not read, errors say where and what was expected, and nothing that it says.
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
      ck_assert_int_gt(dp_config_load_beside(base, NULL, 0, &config, NULL, out), 0);
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

// --- the seabed ---

START_TEST(bathymetry_is_read) {
  struct config c, again;
  ck_assert_int_eq(config_load(CONFIGS "jlay-uneven.yaml", NULL, 0, &c, stderr), 0);
  const struct bathymetry_def *b = &c.sim.env.bathymetry;
  ck_assert(b->north_nodes == 81 && b->east_nodes == 31 && b->spacing_m == 20 && b->north_m == -200 &&
            b->east_m == -300);
  size_t size;
  char *grid = read_text(CONFIGS "uneven-900m.asc", &size), *last = grid + size - 1;
  ck_assert_double_eq(b->z_m[80 * 31],
                      -strtod(strstr(grid, "-9999") + 5, NULL)); // the first row is the northernmost
  while (last > grid && last[-1] != ' ')
    last--;
  ck_assert_double_eq(b->z_m[30], -strtod(last, NULL));
  ck_assert_int_eq(c.files.count, 2); // with the configuration that it extends
  ck_assert_str_eq(c.files.file[1].path, "uneven-900m.asc");
  ck_assert_int_eq(config_load_text("record", c.text, c.file_text_size, &c.files, NULL, 0, &again, stderr),
                   0);
  ck_assert(again.hash == c.hash && again.model_hash == c.model_hash);
  ck_assert_mem_eq(again.sim.env.bathymetry.z_m, b->z_m, 81 * 31 * sizeof(double));
  config_free(&again);
  strstr(c.files.file[1].text, "-917.17")[6] = '8'; // another seabed, another model
  ck_assert_int_eq(config_load_text("record", c.text, c.file_text_size, &c.files, NULL, 0, &again, stderr),
                   0);
  ck_assert(again.hash != c.hash && again.model_hash != c.model_hash);
  config_free(&again);
  config_free(&c);
  free(grid);
}
END_TEST

#define HEAD "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 500\n"
static const struct {
  const char *grid, *expected;
} grids[] = {
    {HEAD "NODATA_value -9999\n-899 -900 -901\n-899 -900 -901\n", ""},
    {"NCOLS 3\nNROWS 2\r\nXLLCENTER 0\nYLLCENTER 0\nCELLSIZE 500\n\n -899 -900\t-901 \r\n\n-899 -9.00e2 -901",
     ""},
    {HEAD "-899 -900 -9O1\n-899 nan -901\n", "grid.asc:6:11: error: a number expected, got "
                                             "'-9O1'\ngrid.asc:7:6: error: a number expected, got 'nan'\n"},
    {HEAD "NODATA_value -9999\n-899 -900 -9999.0\n-899 -900 -901\n",
     "grid.asc:7:11: error: an elevation expected, got NODATA_value\n"},
    {HEAD "-899 -900\n-899 -900 -901 -902\n", "grid.asc:6:1: error: a row of 3 elevations expected, got 2\n"
                                              "grid.asc:7:1: error: a row of 3 elevations expected, got 4\n"},
    {HEAD "-899 -900 -901\n", "grid.asc:7:1: error: 2 rows of elevations expected, got 1\n"},
    {HEAD "-899 -900 -901\n-899 -900 -901\n-899 -900 -901\n",
     "grid.asc:8:1: error: the end of the file expected after 2 rows, got '-899'\n"},
    {HEAD "899 900 901\n899 900 901\n", "base: error: environment.depth_m: a depth within the "
                                        "bathymetry's, from -901 to -899 m, expected, got '900'\n"},
    {"ncols 3.5\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 0\n",
     "grid.asc:1:7: error: ncols: a whole number from 2 to 100000 expected, got '3.5'\n"
     "grid.asc:2:7: error: nrows: a whole number from 2 to 100000 expected, got '1'\n"
     "grid.asc:5:10: error: cellsize: a number > 0 expected, got '0'\n"},
    {"ncols 3\nnrows 2\nxllcorner 0\nxllcenter 0\ndx 5\nncols 3 4\n",
     "grid.asc:1:1: error: cellsize: a number expected, got nothing\n"
     "grid.asc:1:1: error: exactly one of xllcorner and xllcenter expected, got both\n"
     "grid.asc:1:1: error: exactly one of yllcorner and yllcenter expected, got neither\n"
     "grid.asc:5:1: error: ncols, nrows, xllcorner, xllcenter, yllcorner, yllcenter, cellsize or "
     "NODATA_value "
     "expected, got 'dx'\n"
     "grid.asc:6:1: error: ncols: duplicate key\n"},
    {"", "grid.asc:1:1: error: ncols: a number expected, got nothing\ngrid.asc:1:1: error: nrows: a number "
         "expected, got nothing\ngrid.asc:1:1: error: "
         "cellsize: a number expected, got nothing\n"
         "grid.asc:1:1: error: exactly one of xllcorner and xllcenter expected, got neither\n"
         "grid.asc:1:1: error: exactly one of yllcorner and yllcenter expected, got neither\n"},
};

START_TEST(bathymetry_errors) {
  static const char top[] =
      "extends: " CONFIGS "jlay-900m.yaml\nname: x\nenvironment:\n  bathymetry_file: grid.asc\n";
  char expected[2000] = "", prefix[200];
  int errors;
  write_file(top, sizeof top - 1);
  write_beside("grid.asc", grids[_i].grid);
  char *got = messages(path, NULL, 0, 0, &errors);
  snprintf(prefix, sizeof prefix, "%s/", folder);
  for (const char *line = grids[_i].expected, *next; *line; line = next) { // the folder before each
    next = strchr(line, '\n') + 1;
    if (strncmp(line, "grid.asc", 8) == 0)
      strcat(expected, prefix);
    strncat(expected, line, (size_t)(next - line));
  }
  if (strncmp(grids[_i].expected, "base: ", 6) == 0) // in the file that is extended
    ck_assert_msg(strstr(got, grids[_i].expected + 6) != NULL, "%s", got);
  else
    ck_assert_str_eq(got, expected);
  free(got);
  remove_beside("grid.asc");
}
END_TEST

START_TEST(seabed_keys_are_checked) {
  static const struct {
    const char *set[3], *expected;
  } cases[] = {
      {{"environment.seabed_slope={angle_deg: 50, direction_deg: 0}"},
       "seabed_slope.angle_deg: finite number from 0 to 45 expected, got '50'"},
      {{"environment.seabed_slope={angle_deg: 5}"}, "direction_deg: finite number expected, got nothing"},
      {{"environment.seabed_slope={angle_deg: 5, direction_deg: 0}",
        "environment.bathymetry_file=" CONFIGS "uneven-900m.asc"},
       "environment.bathymetry_file: nothing expected beside seabed_slope"},
      {{"environment.seabed_slope={angle_deg: 5, direction_deg: 0}", "environment.seabed=none"},
       "environment.seabed_slope: nothing expected unless seabed is spring or linear"},
      {{"environment.bathymetry_origin_m=[1, 2]"},
       "environment.bathymetry_origin_m: nothing expected unless bathymetry_file is given"},
      {{"environment.bathymetry_file=none.asc"}, "No such file or directory"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int errors;
    char *got = messages(CONFIGS "jlay-900m.yaml", cases[i].set, cases[i].set[1] ? 2 : 1, 0, &errors);
    ck_assert_msg(errors == 1 && strstr(got, cases[i].expected), "%s", got);
    free(got);
  }
  const char *const set[] = {
      "environment.seabed_slope={angle_deg: 30, direction_deg: 90, reference_m: [5, 6]}"};
  struct config c;
  ck_assert_int_eq(config_load(CONFIGS "jlay-900m.yaml", set, 1, &c, stderr), 0);
  ck_assert_double_eq_tol(c.sim.env.slope.angle_rad, acos(-1) / 6, 1e-15);
  ck_assert_double_eq_tol(c.sim.env.slope.direction_rad, acos(-1) / 2, 1e-15);
  ck_assert(c.sim.env.slope.reference_m[0] == 5 && c.sim.env.slope.reference_m[1] == 6);
  config_free(&c);
}
END_TEST

START_TEST(mutations_never_crash) {
  static const char *const names[] = {"jlay-900m.yaml", "jlay-900m-hangoff.yaml", "paper-iii.yaml",
                                      "vessel-only.yaml", "jlay-900m-dp.yaml"};
  size_t size;
  char name[256], *buffer = malloc(1 << 20);
  snprintf(name, sizeof name, CONFIGS "%s", names[_i]);
  char *text = read_text(name, &size);
  uint32_t random = 2463534242u + (uint32_t)_i;
  int refused = 0, is_dp = strstr(names[_i], "-dp") != NULL;
  for (int round = 0; round < 1500; round++) {
    memcpy(buffer, text, size);
    write_file(buffer, mutate(buffer, size, &random));
    char *raw;
    size_t raw_size;
    FILE *out = open_memstream(&raw, &raw_size);
    struct config c;
    struct dp_config dp;
    int errors = is_dp ? dp_config_load(path, NULL, 0, &dp, out) : config_load(path, NULL, 0, &c, out);
    fclose(out);
    int lines = 0;
    for (char *line = strtok(raw, "\n"); line; line = strtok(NULL, "\n"), lines++) {
      int row, column, used = 0;
      ck_assert(strncmp(line, path, strlen(path)) == 0);
      ck_assert_msg(sscanf(line + strlen(path), ":%d:%d: error: %n", &row, &column, &used) == 2 && used, "%s",
                    line);
      ck_assert(row >= 1 && column >= 1);
    }
    ck_assert_int_eq(lines, errors);
    refused += errors > 0;
    if (!is_dp) {
      ck_assert((c.text != NULL) == (errors == 0));
      ck_assert(errors || (c.sim.vessel.mass_kg > 0 && c.sim.step_s > 0 && isfinite(c.sim.pipe.length_m)));
      config_free(&c);
    }
    free(raw);
  }
  ck_assert_int_ge(refused, 200);
  free(buffer);
  free(text);
}
END_TEST

START_TEST(mutated_overrides_never_crash) {
  uint32_t random = 88172645u;
  for (int round = 0; round < 500; round++) {
    char text[1024] = "                                loads.0.wrench=[1, 2, {a: [3]}, 4, 5, 6].x";
    text[mutate(text, strlen(text), &random)] = '\0';
    const char *set[] = {text + strspn(text, " "), "pipe.length_m=0"};
    int errors;
    free(messages(CONFIGS "jlay-900m.yaml", set, 2, 0, &errors)); // which also checks one line per error
    ck_assert_int_ge(errors, 1);
  }
}
END_TEST

int main(void) {
  TCase *tests = tcase_create("config");
  tcase_set_timeout(tests, 100);
  tcase_add_checked_fixture(tests, setup, teardown);
  tcase_add_test(tests, jlay_has_the_seeds_values);
  tcase_add_test(tests, the_other_files_say_what_they_should);
  tcase_add_test(tests, record_reads_back);
  tcase_add_test(tests, model_hash_knows_what_steps_depend_on);
  tcase_add_loop_test(tests, each_bad_value_gets_its_line, 0, sizeof bad_edits / sizeof *bad_edits);
  tcase_add_loop_test(tests, several_errors_come_in_one_run, 0,
                      sizeof whole_messages / sizeof *whole_messages);
  tcase_add_test(tests, files_that_are_none);
  tcase_add_loop_test(tests, overrides_are_checked_like_the_file, 0, sizeof overrides / sizeof *overrides);
  tcase_add_test(tests, overrides_take_effect_and_are_recorded);
  tcase_add_test(tests, the_pipe_can_be_left_out);
  tcase_add_test(tests, event_times_scale_together);
  tcase_add_test(tests, tables_are_read);
  tcase_add_loop_test(tests, bad_tables_are_refused, 0, sizeof bad_tables / sizeof *bad_tables);
  tcase_add_loop_test(tests, bad_plants_are_refused, 0, sizeof bad_plants / sizeof *bad_plants);
  tcase_add_loop_test(tests, bad_rigs_are_refused, 0, sizeof bad_rigs / sizeof *bad_rigs);
  tcase_add_test(tests, degrees_become_radians);
  tcase_add_test(tests, dp_files_are_checked_too);
  tcase_add_loop_test(tests, committed_schemas_are_the_tables, 0, 2);
  tcase_add_test(tests, extends_lays_over);
  tcase_add_test(tests, extends_errors);
  tcase_add_test(tests, shipped_instruments_at_any_step);
  tcase_add_test(tests, files_beside_are_regular);
  tcase_add_test(tests, private_files_are_not_shown);
  tcase_add_test(tests, bathymetry_is_read);
  tcase_add_loop_test(tests, bathymetry_errors, 0, (int)(sizeof grids / sizeof *grids));
  tcase_add_test(tests, seabed_keys_are_checked);
  tcase_add_loop_test(tests, mutations_never_crash, 0, 5);
  tcase_add_test(tests, mutated_overrides_never_crash);
  Suite *suite = suite_create("io_config");
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
