#include "sagbend/engine/setup.h"
#include "sagbend/engine/engine_internal.h"

#include "sagbend/base/steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The text of the DP file among those that the caller has given; NULL: it is not there.
static const struct config_file *dp_in_pool(const struct config_pool *pool, const char *path) {
  for (int i = 0; pool && i < pool->count; i++)
    if (!strcmp(pool->file[i].path, path))
      return &pool->file[i];
  return NULL;
}

static enum status read_dp(struct setup *setup, const struct config_request *request,
                           const struct error_sink *errors) {
  struct config *config = &setup->config;
  char scale[64]; // the times in the DP file scale like those of events
  const char *overrides[] = {scale};
  snprintf(scale, sizeof scale, "event_time_scale=%.17g", config->run.time_scale_of_events);
  struct config_request dp = {.path = config->dp_file, .overrides = overrides, .override_count = 1};
  const struct config_file *given = dp_in_pool(request->pool, config->dp_file);
  if (request->pool && !given) {
    error_pass(errors, request->path, "controller.dp_file: a file among those given expected, got '%s'",
               config->dp_file);
    return STATUS_BAD_INPUT;
  }
  if (given) {
    dp.text = given->text;
    dp.text_size = given->size;
    dp.pool = request->pool;
    dp.pool_path = config->dp_file;
  }
  if (dp_config_read(&dp, 1, &setup->dp, &setup->dp_text, &setup->dp_files, errors) != STATUS_OK)
    return STATUS_BAD_INPUT;
  setup->has_dp = 1;
  config->scenario.track = setup->dp.def.track;
  return route_check(config, &setup->dp, route_horizontal_tension(config, &setup->dp), errors);
}

enum status setup_read(struct setup *setup, const struct config_request *request,
                       const struct error_sink *errors) {
  struct config *config = &setup->config;
  memset(setup, 0, sizeof *setup);
  if (config_read(request, config, errors) != STATUS_OK) {
    memset(config, 0, sizeof *config); // it is not valid, not even in part
    return STATUS_BAD_INPUT;
  }
  return *config->dp_file && (!request->text || request->pool) ? read_dp(setup, request, errors) : STATUS_OK;
}

enum status setup_check_mode(const struct setup *setup, const char *path, struct reason *why) {
  const struct config *c = &setup->config;
  if (c->run.mode != RUN_FAST || c->sim.controller != CONTROLLER_EXTERNAL || setup->has_dp)
    return STATUS_OK;
  return fail(why, STATUS_BAD_INPUT,
              "%s: controller external in mode fast needs controller.dp_file, to run that controller inside",
              path);
}

// Where the tension follows from the equilibrium only.
static enum status check_route_at_rest(const struct setup *setup, const struct sim *sim,
                                       const struct error_sink *errors, struct reason *why) {
  const struct config *config = &setup->config;
  if (!setup->has_dp || !config->sim.pipe.elements || route_horizontal_tension(config, &setup->dp) > 0 ||
      route_check(config, &setup->dp, sim_statics(sim)->horizontal_force_n, errors) == STATUS_OK)
    return STATUS_OK;
  return fail(why, STATUS_BAD_INPUT, "%s: the seabed does not hold the pipe on the route", config->name);
}

static enum status create_sensor_suite(struct plant *plant, const struct config *config, struct reason *why) {
  double step_s = config->sim.step_s;
  plant->suite_mem = malloc(sensor_suite_memsize(&config->suite, step_s) + 1);
  if (!plant->suite_mem)
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory for its instruments", config->name);
  sensor_suite_create(&plant->suite, &config->suite, step_s, plant->sim, plant->suite_mem);
  return STATUS_OK;
}

struct reason plant_unstable_text(const struct statics_report *report) {
  static const char *const modes[] = {"along its axis", "sideways", "up or down", "with the vessel"};
  struct reason text;
  snprintf(text.text, sizeof text.text,
           "the first equilibrium found was unstable: it gave way %s at S = %.4g m (compression at most %.4g "
           "kN at S = %.4g m); the equilibrium used is a stable one beside it",
           modes[report->left.kind], report->left.s_m, fmax(0, -report->left.least_tension_n) / 1e3,
           report->left.least_tension_s_m);
  return text;
}

// The weather of a state of rest that was not found, which a plan or an option may have set.
struct weather {
  char text[96];
};
static struct weather weather_text(const struct config *config) {
  const struct env_def *env = &config->sim.env;
  const double degree = 0.017453292519943295;
  struct weather out = {""};
  const double current_mps =
                   env->current.point_count ? env->current.points[0].speed_mps : env->current.surface_mps,
               current_rad = env->current.point_count ? env->current.points[0].direction_rad
                                                      : env->current.direction_rad;
  int used = 0;
  const struct current_turn turn = current_turn_at(&env->current, 0);
  if (current_mps != 0 && config->sim.statics.current == CURRENT_INITIAL &&
      (turn.along != 0 || turn.across != 0))
    used = snprintf(out.text, sizeof out.text, ", current %.3g m/s to %.4g deg", current_mps,
                    current_rad / degree);
  if (env->wind.present)
    snprintf(out.text + used, sizeof out.text - (size_t)used, ", wind %.3g m/s from %.4g deg",
             env->wind.speed_mps, env->wind.direction_rad / degree);
  return out;
}

static enum status create_plant(const struct sim *first, struct plant *plant, const struct setup *setup,
                                const struct error_sink *errors, struct reason *why) {
  const struct config *config = &setup->config;
  struct reason cause = {""};
  size_t size;
  memset(plant, 0, sizeof *plant);
  enum status status = sim_memsize(&config->sim, &size, &cause);
  if (status != STATUS_OK)
    return fail(why, status, "%s: %s", config->name, cause.text);

  plant->sim_mem = aligned_alloc(64, (size + 63) / 64 * 64);
  if (!plant->sim_mem)
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory: the simulator needs %zu bytes", config->name,
                size);

  status = first ? sim_create_beside(first, &config->sim, plant->sim_mem, size, &plant->sim, &cause)
                 : sim_create(&config->sim, plant->sim_mem, size, &plant->sim, &cause);
  if (status == STATUS_OK)
    return check_route_at_rest(setup, plant->sim, errors, why) == STATUS_OK
               ? create_sensor_suite(plant, config, why)
               : STATUS_BAD_INPUT;
  plant->sim = NULL;
  return fail(why, status, "%s: %s%s: %s", config->name, status_text(status),
              status == STATUS_NOT_CONVERGED ? weather_text(config).text : "", cause.text);
}

enum status plant_create(struct plant *plant, const struct setup *setup, const struct error_sink *errors,
                         struct reason *why) {
  return create_plant(NULL, plant, setup, errors, why);
}

enum status plant_create_beside(const struct plant *first, struct plant *plant, const struct setup *setup,
                                struct reason *why) {
  return create_plant(first->sim, plant, setup, NULL, why);
}

void plant_free(struct plant *plant) {
  free(plant->sim_mem);
  free(plant->suite_mem);
  plant->sim_mem = plant->suite_mem = NULL;
  plant->sim = NULL;
}

void setup_free(struct setup *setup) {
  free(setup->dp_text);
  setup->dp_text = NULL;
  config_files_free(&setup->dp_files);
  config_free(&setup->config);
}

int setup_setpoint(const struct setup *setup, double setpoint[3]) {
  int continuous = setup->config.sim.controller == CONTROLLER_CONTINUOUS;
  if (!setup->has_dp && !continuous)
    return 0;
  const struct pid_def *law = setup->has_dp ? &setup->dp.def.pid : &setup->config.sim.pid;
  setpoint[0] = law->reference[0];
  setpoint[1] = law->reference[1];
  setpoint[2] = law->reference[5];
  return 1;
}

struct command_def setup_command_def(const struct setup *setup, const struct sim *sim) {
  const struct net_def *net = &setup->config.net;
  double step_s = setup->config.sim.step_s;
  struct command_def def = {
      .period_steps = steps_in_period(net->sensor_period_s, step_s),
      .timeout_steps = steps_in_period(net->command_timeout_s, step_s),
      .reaction = net->reaction,
  };
  struct sim_output start;
  sim_get_output(sim, &start); // before the first step: the wrench that will be held
  config_command_rules(&setup->config, start.control_wrench_b, &def);
  def.hold_release_steps = steps_in_period_or_off(net->hold_release_s, step_s);
  memcpy(def.hold_setpoint, sim_hold_setpoints(sim), sizeof def.hold_setpoint);
  return def;
}
