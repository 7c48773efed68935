// The engine: a case made ready, its plant and loop, orders to it, the route of its DP file against the pipe.
#include "sagbend/engine/engine.h"
#include "sagbend/engine/engine_internal.h"

#include "sagbend/base/base.h"
#include "sagbend/pipeline/pipeline.h"
#include "sagbend/yaml/yaml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
// is_zero: the loop contains zeros, which need not be written again.
static void close_loop(struct engine *engine, const struct setup *setup, struct plant *plant,
                       const struct dp_def *inside, const double *setpoint, int is_zero) {
  const struct command_def def = setup_command_def(setup, plant->sim);
  engine->setup = setup;
  engine->plant = *plant;
  *plant = (struct plant){0};
  (is_zero ? closed_loop_begin : closed_loop_init)(&engine->loop, engine->plant.sim, &engine->plant.suite,
                                                   &def, inside, engine->plant.work, &setup->config.scenario,
                                                   setpoint);
}

static const struct dp_def *setup_controller_inside(const struct setup *setup);

static void begin(struct engine *engine, const struct setup *setup, struct plant *plant, int is_zero) {
  double setpoint[3];
  close_loop(engine, setup, plant, setup_controller_inside(setup),
             setup_setpoint(setup, setpoint) ? setpoint : NULL, is_zero);
}

void engine_begin(struct engine *engine, const struct setup *setup, struct plant *plant) {
  begin(engine, setup, plant, 0);
}

void engine_begin_replay(struct engine *engine, const struct setup *setup, struct plant *plant,
                         const double setpoint[3]) {
  close_loop(engine, setup, plant, NULL, setpoint, 0);
}

static enum status plant_create_sharing(const struct plant *first, struct plant *plant,
                                        const struct setup *setup, struct reason *why);

enum status engine_create(struct engine *engine, const struct setup *setup, const struct engine *first,
                          const struct error_sink *errors, struct reason *why) {
  struct plant plant;
  engine->plant = (struct plant){0};
  enum status status = first ? plant_create_sharing(&first->plant, &plant, setup, why)
                             : plant_create(&plant, setup, errors, why);
  if (status == STATUS_OK)
    begin(engine, setup, &plant, first != NULL);
  else
    plant_free(&plant);
  return status;
}

void engine_free(struct engine *engine) {
  plant_free(&engine->plant);
}

void engine_step(struct engine *engine, const struct command *newest, const struct dp_alarm_list *alarms) {
  if (newest && alarms)
    closed_loop_bring_alarms(&engine->loop, alarms);
  closed_loop_step(&engine->loop, newest);
}

void engine_order(struct engine *engine, const struct order *order) {
  closed_loop_apply_order(&engine->loop, order);
}

enum status engine_restore(struct engine *engine, const void *bytes, size_t size,
                           const struct checkpoint_identity *identity, struct reason *why) {
  return checkpoint_resume(bytes, size, identity, engine->plant.sim, &engine->plant.suite, &engine->loop,
                           why);
}

uint64_t setup_hash(const struct setup *setup) {
  const uint64_t dp = setup->has_dp ? setup->dp.hash : 0;
  return setup->config.model_hash ^ (dp * UINT64_C(0x9e3779b97f4a7c15));
}

// ------------------------------------------------------------
static const char HALT_NAME[] = "overrun";

// A route that an external controller may follow without the simulator's knowledge is not ruled out.
struct order_rules engine_order_rules(const struct config *config, const double hold_b[6]) {
  const struct tensioner_def *tensioner = &config->sim.pipe.tensioner;
  const int is_route_unknown = config->sim.controller == CONTROLLER_EXTERNAL && !*config->dp_file;
  const double most_mps = tensioner->order_count ? tensioner->speed_max_mps : TRACK_SPEED_MAX;
  struct command_def rules = {0};
  const double *circle_m = config->view.watch_circle_m;
  config_command_rules(config, hold_b, &rules);
  return (struct order_rules){.names = &config->scenario.names,
                              .mode = config->run.mode,
                              .is_setpoint_fixed = config->sim.controller == CONTROLLER_CONTINUOUS,
                              .may_follow_route = config->scenario.track.route.count > 0 || is_route_unknown,
                              .track_speed_max_mps = most_mps < TRACK_SPEED_MAX ? most_mps : TRACK_SPEED_MAX,
                              .outer_circle_m = fmax(circle_m[0], circle_m[WATCH_CIRCLES - 1]),
                              .tensioner = rules.tensioner};
}

static int begins_fault(const struct order *order) {
  return order->kind == ORDER_FAULT || order->kind == ORDER_EMERGENCY_STOP;
}

static int is_active(const struct orders_present *present, const char *name) {
  for (int i = 0; i < present->faults->count; i++)
    if (!strcmp(present->faults->fault[i].name, name))
      return 1;
  for (int i = 0; i < present->pending_count; i++)
    if (begins_fault(&present->pending[i]) && !strcmp(present->pending[i].name, name))
      return 1;
  return 0;
}

static int count_pending_faults(const struct orders_present *present) {
  int count = 0;
  for (int i = 0; i < present->pending_count; i++)
    count += present->pending[i].kind == ORDER_FAULT;
  return count;
}

// Whether no steps are made once the pending orders are in effect.
static int will_be_held(const struct orders_present *present) {
  int held = present->is_held;
  for (int i = 0; i < present->pending_count; i++)
    if (present->pending[i].kind == ORDER_PAUSE || present->pending[i].kind == ORDER_RESUME)
      held = present->pending[i].kind == ORDER_PAUSE;
  return held;
}

static enum status check_fault(const struct orders_present *present, struct order *order,
                               struct reason *why) {
  if (is_active(present, order->name) || !strcmp(order->name, ALL_FAULTS))
    return fail(why, STATUS_BAD_INPUT, "name: an active fault is called '%s' already; choose another name",
                order->name);
  if (present->orders_active + count_pending_faults(present) >= MAX_ORDERS)
    return fail(why, STATUS_BAD_INPUT, "at most %d ordered faults can be active at a time", MAX_ORDERS);
  return STATUS_OK;
}

static enum status check_stop(const struct orders_present *present, struct order *order, struct reason *why) {
  int is_stopped = fault_find(present->faults, FAULT_EMERGENCY_STOP, order->fault.target) != NULL;
  for (int i = 0; i < present->pending_count; i++)
    is_stopped |= present->pending[i].kind == ORDER_EMERGENCY_STOP &&
                  present->pending[i].fault.target == order->fault.target;
  return is_stopped ? fail(why, STATUS_BAD_INPUT, "emergency-stop: %s is stopped already", order->name)
                    : STATUS_OK;
}

// Whether the name is that of a halt (simulation.overrun): to clear it is to resume the run.
static int ends_halt(const struct orders_present *present, const char *name) {
  return strcmp(name, HALT_NAME) == 0 && present->is_halted && will_be_held(present);
}

static enum status check_clear(const struct orders_present *present, struct order *order,
                               struct reason *why) {
  if (!strcmp(order->name, ALL_FAULTS) || is_active(present, order->name))
    return STATUS_OK;
  if (ends_halt(present, order->name)) {
    order->kind = ORDER_RESUME;
    memset(order->name, 0, sizeof order->name);
    return STATUS_OK;
  }
  return fail(why, STATUS_BAD_INPUT, "name: the name of an active fault or all%s expected, got '%s'",
              present->is_halted ? " or overrun (which ends the halt, as resume does)" : "", order->name);
}

static enum status check_hold(const struct orders_present *present, struct order *order, struct reason *why) {
  const int is_held = will_be_held(present), is_pause = order->kind == ORDER_PAUSE;
  return is_held != is_pause
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "the session is %s", is_held ? "paused already" : "not paused");
}

// The functions that ORDER_TABLE names.
enum status order_check_present(const struct orders_present *present, struct order *order,
                                struct reason *why) {
  typedef enum status check(const struct orders_present *present, struct order *order, struct reason *why);
#define PRESENT_ALWAYS                                       NULL
#define PRESENT_IF(check)                                    check
#define PRESENT_AT_GATE(check)                               NULL
#define ROW(ID, word, number, payload, effect, present, ...) [ORDER_##ID] = PRESENT_##present,
  static check *const checks[] = {ORDER_TABLE(ROW)};
#undef ROW
  return checks[order->kind] ? checks[order->kind](present, order, why) : STATUS_OK;
}

// ------------------------------------------------------------
// The text of the DP file among those that the caller has given; NULL: it is not there.
static const struct config_file *dp_in_pool(const struct config_pool *pool, const char *path) {
  for (int i = 0; pool && i < pool->count; i++)
    if (!strcmp(pool->file[i].path, path))
      return &pool->file[i];
  return NULL;
}

// ------------------------------------------------------------
// A pipe laid along a curve of radius r pulls inwards by H/r per metre. The seabed holds mu w of it. The
// factor covers friction that varies, and tension that rises above its set-point. Seen from above, the
// suspended pipe is a straight line that touches the laid curve at the touchdown point. While the hang-off
// follows a circle of radius R, the pipe is therefore laid along a circle of radius r = sqrt(R^2 - l^2), l:
// lay-back.

static const double ROUTE_FACTOR = 1.5;

// Largest horizontal tension that statics and orders for the tensioner give, N; 0: it follows from the
// equilibrium only.
static double route_horizontal_tension(const struct config *config, const struct dp_config *dp) {
  const struct sim_def *sim = &config->sim;
  const struct tensioner_def *tensioner = &sim->pipe.tensioner;
  double most_n = sim->statics.kind == STATICS_HORIZONTAL_FORCE ? sim->statics.horizontal_force_n : 0;
  double hanging_n = pipe_type_weight(&sim->pipe, &sim->pipe.line, &sim->env) * sim->env.depth_m;
  for (int i = 0; i < tensioner->order_count; i++)
    if (tensioner->order[i].mode == TENSIONER_TENSION)
      most_n = fmax(most_n, tensioner->order[i].tension_n - hanging_n); // of a catenary: T = H + w depth
  for (int i = 0; i < sim->pipe.operations.count; i++)
    if (sim->pipe.operations.operation[i].order == OPERATION_TENSION)
      most_n = fmax(most_n, sim->pipe.operations.operation[i].tension_n - hanging_n);
  if (dp->def.track.tension_n > 0)
    most_n = fmax(most_n, dp->def.track.tension_n - hanging_n);
  return most_n;
}

// Lay-back of a catenary.
static double layback(double horizontal_n, double weight_npm, double depth_m) {
  double a = horizontal_n / weight_npm;
  return a * acosh(1 + depth_m / a);
}

static int check_corner(const struct config *config, const struct dp_config *dp, int i, double horizontal_n,
                        const struct error_sink *errors) {
  const struct sim_def *sim = &config->sim;
  double radius_m = dp->def.track.route.waypoint[i].radius_m, mu = sim->env.friction.coefficient[1];
  double weight_npm = pipe_type_weight(&sim->pipe, &sim->pipe.line, &sim->env);
  const char *place = dp->route_places.radius_at[i];
  if (!*place)
    return 1;
  if (!(mu * weight_npm > 0)) {
    error_pass(errors, place,
               "route.waypoints.%d.radius_m needs environment.seabed_friction_lateral: without it the seabed "
               "does not hold a pipe on a curve",
               i);
    return 0;
  }
  double laid_m = ROUTE_FACTOR * horizontal_n / (mu * weight_npm);
  double layback_m = layback(horizontal_n, weight_npm, sim->env.depth_m), least_m = hypot(laid_m, layback_m);
  if (radius_m >= least_m)
    return 1;
  error_pass(
      errors, place,
      "route.waypoints.%d.radius_m: at least %.1f m expected, got %g: the lateral friction of the "
      "seabed, %.3g x %.4g N/m, holds %.4g kN with a factor of %g on a radius of %.1f m, and with a lay-back "
      "of "
      "%.1f m the pipe is laid on a smaller radius than that of the hang-off",
      i, ceil(10 * least_m) / 10, radius_m, mu, weight_npm, horizontal_n / 1e3, ROUTE_FACTOR, laid_m,
      layback_m);
  return 0;
}

static int check_tension(const struct config *config, const struct dp_config *dp,
                         const struct error_sink *errors) {
  static const double no_wrench[6];
  struct command_def rules = {0};
  struct reason why = {""};
  double tension_n = dp->def.track.tension_n;
  config_command_rules(config, no_wrench, &rules);
  const struct tensioner_setpoint order = {
      .given = tension_n > 0, .mode = TENSIONER_TENSION, .tension_n = tension_n};
  if (tensioner_setpoint_check(&rules.tensioner, TENSIONER_BY_CONTROLLER, &order, &why) == STATUS_OK)
    return 1;
  error_pass(errors, dp->route_places.tension_at,
             "route.tension_n: an order that the vessel accepts expected, got %g N: %s", tension_n, why.text);
  return 0;
}

// Moves that wait for the pay-out need a tensioner, and its encoder where the vessel has instruments.
static int check_payout(const struct config *config, const struct dp_config *dp,
                        const struct error_sink *errors) {
  const struct instruments_def *instruments = &config->suite.instruments;
  const char *place = dp->route_places.payout_at;
  int encoders = 0;
  if (!dp->def.track.payout.is_followed)
    return 1;
  if (!config->sim.pipe.tensioner.order_count) {
    error_pass(errors, place,
               "route.payout needs pipe.tensioner: without it the vessel pays out no pipe by orders");
    return 0;
  }
  for (int i = 0; i < instruments->count; i++)
    for (int k = 0; k < dp->def.navigation.count; k++)
      encoders += instruments->instrument[i].kind == INSTRUMENT_PAYOUT &&
                  dp->def.navigation.instrument[k].kind == INSTRUMENT_PAYOUT &&
                  !strcmp(instruments->instrument[i].name, dp->def.navigation.instrument[k].name);
  if (!instruments->count || encoders)
    return 1;
  error_pass(errors, place,
             "route.payout needs an instrument of the kind payout that the vessel and the DP file name "
             "alike: without it the moves would wait for ever");
  return 0;
}

// An operation that ends at a way which the route does not have would not end.
static int check_ways(const struct config *config, const struct route *route,
                      const struct error_sink *errors) {
  const struct operations_def *all = &config->sim.pipe.operations;
  const double most_m = route->count > 0 ? route->length_m : 0;
  int longest = 0;
  double way_m = 0;
  for (int i = 0; i < all->count; i++)
    if (all->operation[i].end == OPERATION_WAY && all->operation[i].end_value > way_m)
      longest = i, way_m = all->operation[i].end_value;
  if (way_m <= most_m)
    return 1;
  error_pass(errors, config->way_at,
             "pipe.operations.%d.until_distance_m: at most %g m, the length of the route of "
             "controller.dp_file, expected, got %g",
             longest, most_m, way_m);
  return 0;
}

// Passes on an error, with its place in the DP file, for each corner that the lateral friction of the seabed
// cannot hold (radius of the laid curve at least ROUTE_FACTOR H/(mu w)), for a speed beyond the tensioner's,
// and for a set-point that the tensioner does not accept. horizontal_n: the largest horizontal tension H of
// the pipe, N; 0: unknown, and no corner is checked. Returns STATUS_BAD_INPUT after any error.
static enum status route_check(const struct config *config, const struct dp_config *dp, double horizontal_n,
                               const struct error_sink *errors) {
  const struct track_def *track = &dp->def.track;
  const struct pipe_def *pipe = &config->sim.pipe;
  int good = check_ways(config, &track->route, errors);
  if (!track->route.count)
    return good ? STATUS_OK : STATUS_BAD_INPUT;
  good &= check_tension(config, dp, errors);
  good &= check_payout(config, dp, errors);
  if (!pipe->elements)
    return good ? STATUS_OK : STATUS_BAD_INPUT;
  if (pipe->tensioner.order_count && track->speed_mps > pipe->tensioner.speed_max_mps) {
    error_pass(errors, dp->route_places.speed_at,
               "route.speed_mps: at most %g m/s, pipe.tensioner.speed_max_mps of the vessel, expected, "
               "got %g",
               pipe->tensioner.speed_max_mps, track->speed_mps);
    good = 0;
  }
  for (int i = 0; i < track->route.waypoint_count && horizontal_n > 0; i++)
    good &= check_corner(config, dp, i, horizontal_n, errors);
  return good ? STATUS_OK : STATUS_BAD_INPUT;
}

// ------------------------------------------------------------
// What a case is set up from.

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

// The controller that runs inside the program; NULL: commands come from outside, or not at all.
static const struct dp_def *setup_controller_inside(const struct setup *setup) {
  const struct config *c = &setup->config;
  int external_inside = c->sim.controller == CONTROLLER_EXTERNAL && c->run.mode == RUN_FAST;
  return c->sim.controller == CONTROLLER_SAMPLED || external_inside ? &setup->dp.def : NULL;
}

// What is beside the simulator: instruments, and the scratch of the controller inside.
static enum status create_rest(struct plant *plant, const struct setup *setup, struct reason *why) {
  const struct config *config = &setup->config;
  double step_s = config->sim.step_s;
  plant->suite_mem = malloc(sensor_suite_memsize(&config->suite, step_s) + 1);
  if (setup_controller_inside(setup))
    plant->work = calloc(1, sizeof *plant->work);
  if (!plant->suite_mem || (setup_controller_inside(setup) && !plant->work))
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory for its instruments and its controller",
                config->name);
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

// Zeros for a simulator that nobody has to write; NULL: out of memory.
static void *take_zeros(struct plant *plant, size_t size) {
  enum { ALIGNMENT = 64 };
  plant->sim_mem = calloc(1, size + ALIGNMENT);
  return plant->sim_mem
             ? (char *)plant->sim_mem + (ALIGNMENT - (uintptr_t)plant->sim_mem % ALIGNMENT) % ALIGNMENT
             : NULL;
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

  void *at = take_zeros(plant, size);
  if (!at)
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory: the simulator needs %zu bytes", config->name,
                size);

  status = sim_create_beside(first, &config->sim, at, size, 1, &plant->sim, &cause);
  if (status == STATUS_OK)
    return check_route_at_rest(setup, plant->sim, errors, why) == STATUS_OK ? create_rest(plant, setup, why)
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

static enum status plant_create_sharing(const struct plant *first, struct plant *plant,
                                        const struct setup *setup, struct reason *why) {
  const char *name = setup->config.name;
  const size_t size = sim_sharing_size(first->sim);
  struct reason cause = {""};
  memset(plant, 0, sizeof *plant);
  void *at = take_zeros(plant, size);
  if (!at)
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory: the simulator needs %zu bytes", name, size);
  const enum status status = sim_create_sharing(first->sim, at, size, &plant->sim, &cause);
  return status == STATUS_OK ? create_rest(plant, setup, why) : fail(why, status, "%s: %s", name, cause.text);
}

void plant_free(struct plant *plant) {
  free(plant->sim_mem);
  free(plant->suite_mem);
  free(plant->work);
  plant->sim_mem = plant->suite_mem = NULL;
  plant->work = NULL;
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
