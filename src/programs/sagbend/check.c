// sagbend check: reports every error in a configuration or a DP file. sagbend schema: prints the JSON Schema
// of either.
#include "programs/sagbend/sagbend_program.h"
#include "programs/sagbend/sagbend_program_internal.h"

#include "lab/judge/judge.h"
#include "lab/plan/plan.h"
#include "net/case/case.h"
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "run/setup/setup.h"
#include "sagbend/base/base.h"
#include "sagbend/instruments/instruments.h"
#include "sagbend/math/math.h"
#include "sagbend/orders/orders.h"
#include "sagbend/pipeline/pipeline.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check_options {
  struct case_options given;
  int dp_file;
};

static const struct option_row CHECK_OPTIONS[] = {
    {"dp", NULL, "Check a DP file, as sagbend-dp reads it.", FLAG(struct check_options, dp_file)},
    SET_OPTION(struct check_options, given),
    HELP_OPTION,
};

const struct cli_command check_command = {
    .name = "check",
    .arguments = "CONFIG",
    .purpose =
        "Check a configuration, and the state of rest from which a run starts; report every error. Say "
        "what was read and what will run.",
    .example = "sagbend check configs/jlay-900m.yaml --set simulation.step_s=0.02",
    .statuses = "0 the configuration is valid; 2 wrong usage or errors in the configuration",
    .options = CHECK_OPTIONS,
    .size = sizeof(struct check_options),
    .words = {WORD(FILE_WORD, struct check_options, given.config_path)},
};

static enum status check_keys(const struct loaded *loaded, const char *path) {
  struct server_keys *keys;
  struct reason why = {""};
  enum status status = network_keys_read(path, &loaded->setup.config.net, &keys, &why);
  if (status != STATUS_OK)
    fprintf(stderr, "error: %s\n", why.text);
  network_keys_free(keys);
  return status;
}

static void say_notice(void *path, const char *text) {
  fprintf(stderr, "%s: notice: %s\n", shown(path).text, text);
}

// What a run refuses after its configuration is read: a state of rest that does not exist, above all.
static enum status check_start(struct loaded *loaded, const char *path) {
  struct reason why = {""}, mode = {""};
  const struct error_sink sink = error_to(stderr);
  if (plant_create(&loaded->plant, &loaded->setup, &sink, &why) != STATUS_OK)
    fprintf(stderr, "%s: error: %s\n", shown(path).text, why.text);
  if (setup_check_mode(&loaded->setup, path, &mode) != STATUS_OK)
    fprintf(stderr, "error: %s\n", mode.text);
  return *why.text || *mode.text ? STATUS_BAD_INPUT : STATUS_OK;
}

static void say_finding(void *context, const char *line) {
  (void)context;
  fprintf(stderr, "%s\n", shown(line).text);
}

// ------------------------------------------------------------
// What was read and what a run does with it: some ten lines before the last one.

enum { LABEL = 13 }; // columns of a line's first word

// "1 load", "2 loads".
struct amount {
  char text[40];
};

static struct amount amount(int count, const char *one, const char *more) {
  struct amount a;
  snprintf(a.text, sizeof a.text, "%d %s", count, count == 1 ? one : more);
  return a;
}

static void say_vessel(const struct vessel_def *v) {
  printf("%-*s%.5g t, ", LABEL, "vessel", 1e-3 * v->mass_kg);
  if (v->plant.thruster_count == 0)
    printf("no thrusters: its commands are wrenches");
  else if (v->plant.bus_count == 0)
    printf("%s, no bus limits their power", amount(v->plant.thruster_count, "thruster", "thrusters").text);
  else
    printf("%s on %s", amount(v->plant.thruster_count, "thruster", "thrusters").text,
           amount(v->plant.bus_count, "bus", "buses").text);
  if (power_is_present(&v->plant.power))
    printf(", %s, %s", amount(v->plant.power.generator_count, "generator", "generators").text,
           amount(v->plant.power.battery_count, "battery", "batteries").text);
  puts("");
}

static void say_pipe(const struct pipe_def *pipe, const struct sim *sim) {
  if (pipe->elements == 0) {
    printf("%-*snone\n", LABEL, "pipe");
    return;
  }
  struct sim_output at_rest;
  sim_get_output(sim, &at_rest);
  print_labelled(LABEL, "pipe", "%.4g m of %.4g mm%s in %d elements%s%s", pipe->length_m,
                 1e3 * pipe->line.outer_diameter_m, pipe->type_count > 0 ? " and of other sections" : "",
                 pipe->elements,
                 at_rest.has_tensioner ? ", with a tensioner"
                 : at_rest.has_payout  ? ", with a programme of pay-out"
                                       : ", of constant length",
                 pipe->hangoff == HANGOFF_MOVED ? ", its top moved by pipe.hangoff" : "");
  printf("%-*shang-off tension %.4g kN", LABEL, "at rest", 1e-3 * at_rest.hangoff_tension_n);
  if (isfinite(at_rest.layback_m))
    printf(", lay-back %.4g m", at_rest.layback_m);
  puts("");
}

static const double DEG = 180 / TRIG_PI;

static void say_sea(const struct config *c) {
  const struct env_def *e = &c->sim.env;
  const struct vessel_def *v = &c->sim.vessel;
  char wind[80] = "", waves[60] = "", current[80] = "";
  if (e->wind.present)
    snprintf(wind, sizeof wind, ", wind %.3g m/s from %.4g deg%s", e->wind.speed_mps,
             e->wind.direction_rad * DEG, v->windage.present ? "" : " (not on the vessel)");
  if (e->waves.present)
    snprintf(waves, sizeof waves,
             e->waves.spectrum == WAVES_REGULAR ? ", regular waves of %.3g m"
                                                : ", waves of %.3g m significant height",
             e->waves.height_m);
  if (current_is_configured(&e->current)) {
    const vec3 v_n = current_of(&e->current, e->depth_m).v_n[0]; // at the surface
    const double degrees = atan2(v_n.y, v_n.x) * DEG;
    snprintf(current, sizeof current, ", current %.3g m/s towards %.4g deg%s", hypot(v_n.x, v_n.y),
             degrees < -0.005 ? degrees + 360 : degrees,
             v->current_acts            ? ""
             : c->sim.pipe.elements > 0 ? " (on the pipe alone)"
                                        : " (without effect)");
  }
  print_labelled(LABEL, "sea", "%.5g m of water%s%s%s", e->depth_m, wind, waves, current);
}

static void say_instruments(const struct instruments_def *list) {
  char text[600] = "none: a controller reads the exact state";
  size_t used = 0;
  for (int i = 0; i < list->count; i++) {
    int of_kind = 0, earlier = 0;
    for (int k = 0; k < list->count; k++)
      if (list->instrument[k].kind == list->instrument[i].kind) {
        of_kind++;
        earlier += k < i;
      }
    if (earlier == 0 && used < sizeof text)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%d %s", used ? ", " : "", of_kind,
                               instrument_name(list->instrument[i].kind));
  }
  print_labelled(LABEL, "instruments", "%s", text);
}

static void say_controller(const struct config *c) {
  static const char *const kinds[] = {[CONTROLLER_NONE] = "none",
                                      [CONTROLLER_CONTINUOUS] = "a PID as part of the model",
                                      [CONTROLLER_SAMPLED] = "inside the simulator",
                                      [CONTROLLER_EXTERNAL] =
                                          "another process, started by 'sagbend start' or by hand"};
  const int is_inside = c->sim.controller == CONTROLLER_EXTERNAL && c->run.mode == RUN_FAST && *c->dp_file;
  print_labelled(LABEL, "controller", "%s%s%s", kinds[is_inside ? CONTROLLER_SAMPLED : c->sim.controller],
                 *c->dp_file ? ", DP file " : "", *c->dp_file ? shown(c->dp_file).text : "");
}

static void say_run(const struct config *c) {
  static const char *const modes[] = {[RUN_REALTIME] = "in real time",
                                      [RUN_LOCKSTEP] = "in lockstep with its controller",
                                      [RUN_FAST] = "as fast as possible"};
  printf("%-*s%s, %s, %s\n", LABEL, "scenario", amount(c->sim.env.load_count, "load", "loads").text,
         amount(c->scenario.event_count, "event", "events").text,
         amount(c->scenario.verdict_count, "verdict", "verdicts").text);
  printf("%-*s%s, steps of %g s, ", LABEL, "run", modes[c->run.mode], c->sim.step_s);
  if (c->run.duration_s > 0)
    printf("%g s\n", c->run.duration_s);
  else
    puts("until stopped");
  if (c->run.mode != RUN_FAST)
    print_labelled(LABEL, "network", "commands %s, telemetry %s", shown(c->net.command_endpoint).text,
                   shown(c->net.telemetry_endpoint).text);
  const struct config_run *run = config_run(c);
  if (run->modbus.is_on)
    printf("%-*sserver at %s\n", LABEL, "Modbus", shown(run->modbus.endpoint).text);
  if (run->nmea.port_count + run->nmea.input_count > 0)
    printf("%-*s%s, %s\n", LABEL, "NMEA", amount(run->nmea.port_count, "output", "outputs").text,
           amount(run->nmea.input_count, "input", "inputs").text);
}

static void say_session(const struct config *c, const struct sim *sim) {
  printf("%-*s%s\n", LABEL, "case", shown(c->name).text);
  say_vessel(&c->sim.vessel);
  say_pipe(&c->sim.pipe, sim);
  say_sea(c);
  say_instruments(&c->suite.instruments);
  say_controller(c);
  say_run(c);
}

static int check_config(const struct check_options *options) {
  static struct loaded loaded; // too large for a small stack
  enum status status = setup_load(&loaded.setup, &options->given, stderr);
  if (status == STATUS_OK) {
    status = check_start(&loaded, options->given.config_path);
    if (plausible_check(&loaded.setup, &options->given, loaded.plant.sim, say_finding, NULL) > 0)
      status = STATUS_BAD_INPUT;
  }
  if (status == STATUS_OK && loaded.setup.config.run.mode != RUN_FAST)
    status = check_keys(&loaded, options->given.config_path);
  if (status == STATUS_OK) {
    setup_notices(&loaded.setup.config, say_notice, (void *)(uintptr_t)options->given.config_path);
    say_session(&loaded.setup.config, loaded.plant.sim);
    printf("%s: ok\n", shown(options->given.config_path).text);
  }
  loaded_free(&loaded);
  return exit_status_of(status);
}

static int check_dp_file(const struct check_options *options) {
  struct dp_config dp;
  if (dp_config_load(options->given.config_path, (const char *const *)options->given.overrides,
                     options->given.override_count, &dp, stderr) != STATUS_OK)
    return EXIT_USAGE;
  printf("%s: ok\n", shown(options->given.config_path).text);
  return EXIT_DONE;
}

static int check(const struct check_options *options) {
  return console_finish_stdout("sagbend check",
                               options->dp_file ? check_dp_file(options) : check_config(options));
}

int cmd_check(int argc, char **argv) {
  struct check_options options;
  int exit_status;
  if (!command_begin(&check_command, argc, argv, &options, &exit_status))
    return exit_status;
  exit_status = check(&options);
  case_options_free(&options.given);
  return exit_status;
}

struct schema_options {
  int dp_file, plan_file, trials_file;
};

static const struct option_row SCHEMA_OPTIONS[] = {
    {"dp", NULL, "Print the schema of a DP file, as sagbend-dp reads it.",
     FLAG(struct schema_options, dp_file)},
    {"sweep", NULL, "Print the schema of a plan of 'sagbend sweep'.", FLAG(struct schema_options, plan_file)},
    {"trials", NULL, "Print the schema of a plan of 'sagbend trials'.",
     FLAG(struct schema_options, trials_file)},
    HELP_OPTION,
};

const struct cli_command schema_command = {
    .name = "schema",
    .arguments = "",
    .purpose = "Print the JSON Schema of the configuration, for editors.",
    .example = "sagbend schema > sagbend.schema.json",
    .statuses = "0 printed; 1 the output failed; 2 wrong usage",
    .options = SCHEMA_OPTIONS,
    .size = sizeof(struct schema_options),
};

static int print_schema(const struct schema_options *options) {
  struct reason why;
  const enum status status = (options->plan_file     ? plan_write_schema
                              : options->trials_file ? trial_plan_write_schema
                              : options->dp_file     ? dp_config_write_schema
                                                     : config_write_schema)(stdout, &why);
  return console_finish_stdout("sagbend schema", exit_with_reason("sagbend schema", status, &why));
}

int cmd_schema(int argc, char **argv) {
  struct schema_options options;
  int exit_status;
  return command_begin(&schema_command, argc, argv, &options, &exit_status) ? print_schema(&options)
                                                                            : exit_status;
}

// ------------------------------------------------------------
// Bisection in the logarithm of the horizontal force, within the range in which equilibria with contact exist
// and the quantity is monotone; a value outside is refused with that range.

// What --find can look for: a quantity of the pipe, or the distance of the touchdown point from the lower
// end.
struct wanted {
  const char *name;
  enum quantity quantity; // QUANTITY_COUNT: that distance
};
enum { HALVINGS = 60 };
static const struct wanted TOUCHDOWN_DISTANCE = {"touchdown_m", QUANTITY_COUNT};

static double value_of(const struct wanted *wanted, const struct sim_output *o, const struct config *c) {
  const struct loop_view view = {.truth = o};
  if (wanted->quantity != QUANTITY_COUNT)
    return quantity_shown(wanted->quantity, &view);
  return hypot(o->touchdown_n_m[0] - c->sim.pipe.anchor_n_m[0],
               o->touchdown_n_m[1] - c->sim.pipe.anchor_n_m[1]);
}

// The i-th name that --find takes; 0 beyond the last.
static int name_at(int i, struct wanted *out) {
  *out = TOUCHDOWN_DISTANCE;
  if (i-- == 0)
    return 1;
  for (int q = 0; q < QUANTITY_COUNT; q++) {
    const struct quantity_group_info *group = &quantity_groups[quantity_table[q].group];
    *out = (struct wanted){quantity_shown_name(q), (enum quantity)q};
    if (group->needs_pipe && group->at_rest && i-- == 0)
      return 1;
  }
  return 0;
}

#define TOUCHDOWN_POINT "touchdown_point_m"

// "touchdown_point_m=X,Y": the pipe is laid from its lower end towards that point, which leaves the distance
// to be found.
static int read_point(const char *text, struct pipe_def *pipe, double *distance_m) {
  static const char name[] = TOUCHDOWN_POINT "=";
  if (strncmp(text, name, sizeof name - 1) != 0)
    return 0;
  char *comma, *end;
  double x = strtod(text + sizeof name - 1, &comma) - pipe->anchor_n_m[0];
  if (comma == text + sizeof name - 1 || *comma != ',')
    return 0;
  double y = strtod(comma + 1, &end) - pipe->anchor_n_m[1];
  if (end == comma + 1 || *end || !isfinite(x) || !isfinite(y) || (x == 0 && y == 0))
    return 0;
  pipe->lay_azimuth_rad = trig_atan2(y, x);
  *distance_m = hypot(x, y);
  return 1;
}

// The quantity with this name. 0: --find takes none of that name.
static int find_quantity(const char *name, size_t length, struct wanted *out) {
  for (int i = 0; name_at(i, out); i++)
    if (strlen(out->name) == length && !strncmp(name, out->name, length))
      return 1;
  return 0;
}

// "quantity=number"
static int read_quantity(const char *text, struct wanted *out, double *value) {
  size_t length = strcspn(text, "=");
  if (!text[length] || !find_quantity(text, length, out))
    return 0;
  char *end;
  const char *number = text + length + 1;
  *value = strtod(number, &end);
  return end > number && !*end && isfinite(*value);
}

// The quantity at a force; NaN where there is no equilibrium or no contact. The simulator is left in the
// session.
static double at_force(struct loaded *s, const struct wanted *q, double force_n) {
  struct sim_output o;
  struct reason why = {""};
  s->setup.config.sim.statics.horizontal_force_n = force_n;
  s->plant.sim = NULL;
  size_t size;
  if (sim_memsize(&s->setup.config.sim, &size, &why) != STATUS_OK)
    return NAN;
  if (!s->plant.sim_mem)
    s->plant.sim_mem = aligned_alloc(64, (size + 63) / 64 * 64);
  if (!s->plant.sim_mem ||
      sim_create(&s->setup.config.sim, s->plant.sim_mem, size, &s->plant.sim, &why) != STATUS_OK)
    return NAN;
  sim_get_output(s->plant.sim, &o);
  return value_of(q, &o, &s->setup.config);
}

// That range, from a guess in the middle outwards.
static int bracket(struct loaded *s, const struct wanted *q, double force[2], double value[2]) {
  const struct env_def *e = &s->setup.config.sim.env;
  double weight = pipe_mean_weight(&s->setup.config.sim.pipe, e), middle = 0.3 * weight * e->depth_m;
  double start = weight > 0 ? at_force(s, q, middle) : (double)NAN;
  double rise = at_force(s, q, 1.01 * middle) - start;
  if (isnan(rise))
    return 0;
  for (int side = 0; side < 2; side++) {
    force[side] = middle;
    value[side] = start;
    for (int k = 0; k < 40; k++) {
      double next = force[side] * (side ? 1.25 : 0.8), then = at_force(s, q, next);
      if (!((then - value[side]) * rise * (side ? 1 : -1) > 0))
        break;
      force[side] = next;
      value[side] = then;
    }
  }
  return 1;
}

static struct former_hint present_name(const char *wanted, int length) {
  char name[96];
  snprintf(name, sizeof name, "%.*s", length, wanted);
  return former_hint(FORMER_OUTPUT, name);
}

enum status find_equilibrium(struct loaded *s, const char *wanted, struct reason *why) {
  double goal, force[2], value[2];
  struct wanted quantity = TOUCHDOWN_DISTANCE, *q = &quantity;
  if (!read_point(wanted, &s->setup.config.sim.pipe, &goal) && !read_quantity(wanted, q, &goal)) {
    int name = (int)strcspn(wanted, "=");
    struct wanted known;
    if (wanted[name] && strncmp(wanted, TOUCHDOWN_POINT "=", sizeof TOUCHDOWN_POINT) != 0 &&
        !find_quantity(wanted, (size_t)name, &known))
      return fail(
          why, STATUS_BAD_INPUT,
          "--find: quantity=number expected, such as layback_m=680, got the unknown quantity '%.*s'%s; "
          "'sagbend outputs' lists the quantities of the pipe (angles in degrees)",
          name > 60 ? 60 : name, wanted, present_name(wanted, name).text);
    return fail(why, STATUS_BAD_INPUT,
                "--find: quantity=number expected, such as layback_m=680, or touchdown_point_m=X,Y, got "
                "'%.80s'; 'sagbend outputs' lists the quantities of the pipe",
                wanted);
  }
  if (s->setup.config.sim.pipe.elements == 0 || s->setup.config.sim.statics.kind != STATICS_HORIZONTAL_FORCE)
    return fail(why, STATUS_BAD_INPUT,
                "--find needs a configuration with a pipe and statics.horizontal_force_n");
  if (q->quantity != QUANTITY_COUNT && quantity_needs_code_check(q->quantity) &&
      !s->setup.config.sim.code_check.enabled)
    return fail(why, STATUS_BAD_INPUT, "--find: %s needs pipe.code_check", q->name);
  if (!bracket(s, q, force, value))
    return fail(why, STATUS_NOT_CONVERGED, "--find: no equilibrium with seabed contact found for this pipe");

  int growing = value[1] > value[0];
  if ((goal < value[0]) == (goal < value[1]))
    return fail(why, STATUS_NOT_CONVERGED,
                "--find: %s is possible from %.6g to %.6g (H from %.4g to %.4g N), not %.6g", q->name,
                value[!growing], value[growing], force[0], force[1], goal);
  for (int k = 0; k < HALVINGS && force[1] / force[0] > 1 + 1e-12; k++) {
    double middle = sqrt(force[0] * force[1]);
    force[(at_force(s, q, middle) > goal) == growing] = middle;
  }
  at_force(s, q, sqrt(force[0] * force[1]));
  return s->plant.sim ? STATUS_OK : fail(why, STATUS_NOT_CONVERGED, "--find: no equilibrium at the solution");
}
