// Everything that can fail before the first step, so that a run that starts has what it needs.
#include "core/base/steps.h"
#include "io/bus/modbus_server.h"
#include "io/bus/nmea_inputs.h"
#include "run/restart.h"

#include "rt/os.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Options and configuration keys that exclude or need each other.
static enum status check_options(const struct options *o, const struct config *c, struct reason *why) {
  int logs = o->log_path || o->log_folder;
  if (c->run.mode == RUN_REALTIME && o->hashes_path)
    return fail(why, STATUS_BAD_INPUT,
                "--hashes: in mode fast or lockstep only; a realtime run depends on the clock");
  if (c->run.mode == RUN_FAST && o->binds_sockets)
    return fail(why, STATUS_BAD_INPUT,
                "--bind-...: mode fast opens no sockets; mode realtime or lockstep expected");
  if (o->log_path && o->log_folder)
    return fail(why, STATUS_BAD_INPUT, "--log-dir: either --log FILE or --log-dir DIR expected");
  if (o->log_key_path && !logs)
    return fail(why, STATUS_BAD_INPUT, "--log-key: --log FILE or --log-dir DIR expected with it");
  if (o->resumes_if_present && (!o->checkpoint_path || o->resume_path))
    return fail(why, STATUS_BAD_INPUT,
                "--resume-if-present: --checkpoint FILE expected with it, and no --resume");
  if (o->checkpoint_every_s > 0 && !o->checkpoint_path)
    return fail(why, STATUS_BAD_INPUT, "--checkpoint-every: --checkpoint FILE expected with it");
  return STATUS_OK;
}

static enum status load(struct run *run, struct reason *why) {
  enum status status = setup_load(&run->setup, run->options, stderr);
  if (status != STATUS_OK)
    return status;
  status = check_options(run->options, &run->setup.config, why);
  if (status == STATUS_OK)
    status = setup_check_mode(&run->setup, run->options->config_path, why);
  if (status != STATUS_OK)
    return status;
  int opens_sockets = run->setup.config.run.mode != RUN_FAST;
  if (opens_sockets)
    status = network_keys_read(run->options->config_path, &run->setup.config.net, &run->keys, why);
  if (status != STATUS_OK)
    return status;
  return descriptors_require(opens_sockets ? DESCRIPTORS_WITH_SOCKETS : DESCRIPTORS_OF_FILES, why);
}

// Before any of them is opened for writing.
static enum status claim_files(struct run *run, struct reason *why) {
  const struct options *o = run->options;
  enum status status = setup_claim(&run->setup, COMMAND_RUN, o, &run->claims, why);
  if (status == STATUS_OK)
    status = file_claims_take(&run->claims, o->overwrites, why);
  const char *unlocked = status == STATUS_OK ? file_claims_unlocked(&run->claims) : NULL;
  if (unlocked)
    console_line(&run->console,
                 "notice: %s: its file system knows no locks: nothing keeps a second run from its files",
                 unlocked);
  return status;
}

// Opened before anything is computed, so that a bad path is known at once.
static enum status open_files(struct run *run, struct reason *why) {
  const struct options *o = run->options;
  enum status status = recorder_open(&run->recorder, o, &run->setup.config, why);
  if (status == STATUS_OK)
    status = output_file_open_claimed(&run->summary, &run->claims, o->summary_path, why);
  if (status == STATUS_OK)
    status = output_file_open_claimed(&run->junit, &run->claims, o->junit_path, why);
  return status == STATUS_OK ? STATUS_OK : STATUS_IO;
}

static enum status create_session(struct run *run, struct reason *why) {
  enum status status = plant_create(&run->plant, &run->setup, why);
  if (status != STATUS_OK)
    return status;
  const struct statics_report *statics = sim_statics(run->plant.sim);
  if (statics->unstable_left)
    console_line(&run->console, "warning: %s: %s", run->setup.config.name, plant_unstable_text(statics).text);
  run->console.session = run->session_id;
  return session_make_id(run->session_id, why);
}

// The controller that runs inside the program; NULL: commands come from outside, or not at all.
static const struct dp_def *controller_inside(const struct run *run) {
  const struct config *c = &run->setup.config;
  int external_inside = c->sim.controller == CONTROLLER_EXTERNAL && c->run.mode == RUN_FAST;
  return c->sim.controller == CONTROLLER_SAMPLED || external_inside ? &run->setup.dp.def : NULL;
}

static enum status prepare_loop(struct run *run, struct reason *why) {
  const struct config *c = &run->setup.config;
  struct command_def def = setup_command_def(&run->setup, run->plant.sim);
  double step_s = c->sim.step_s, sampled_s = (double)def.period_steps * step_s, setpoint[3];
  if (fabs(sampled_s - c->net.sensor_period_s) > 1e-6 * step_s)
    console_line(&run->console,
                 "notice: the control period is %g s, a whole number of steps, instead of %g s", sampled_s,
                 c->net.sensor_period_s);

  closed_loop_init(&run->closed_loop, run->plant.sim, &run->plant.suite, &def, controller_inside(run),
                   &c->scenario, setup_setpoint(&run->setup, setpoint) ? setpoint : NULL);
  times_clear(&run->times);
  run->steps_total = steps_in_period_or_off(c->run.duration_s, step_s);
  run->timing_every = steps_in_period(1, step_s);

  run->node_count = sim_node_capacity(run->plant.sim);
  int wanted = run->node_count > 0 && (c->run.mode != RUN_FAST || run->options->shapes_path);
  run->nodes_every = wanted ? steps_in_period(c->net.nodes_period_s, step_s) : 0;
  size_t count = run->node_count > 0 ? (size_t)run->node_count : 1;
  run->nodes = calloc(count, sizeof *run->nodes);
  return run->nodes ? STATUS_OK : fail(why, STATUS_NO_MEMORY, "out of memory for %zu nodes", count);
}

// Who was denied also stands on standard error or in the journal; the budget of these events limits them.
static void take_server_event(void *context, uint64_t step, double time_s, const char *name,
                              const char *text) {
  struct run *run = context;
  logger_event(run->logger, step, time_s, name, text);
  if (!strncmp(name, "denied", strlen("denied")))
    console_event(&run->console, step, time_s, name, text);
}

static enum status open_server(struct run *run, struct reason *why) {
  struct session_info info = {.config = &run->setup.config,
                              .session_id = run->session_id,
                              .node_count = run->node_count,
                              .keys = run->keys,
                              .about = &run->about.wire,
                              .times = &run->onlooking.times};
  double setpoint[3];
  const struct loop_target *target = &run->closed_loop.target; // of a checkpoint, perhaps
  info.setpoint = run_setpoint(run, target, setpoint) ? setpoint : NULL;
  info.setpoint_order = target->order;
  memcpy(info.hold_wrench_b, run->closed_loop.command_def.hold_wrench_b, sizeof info.hold_wrench_b);

  enum status status = server_open(&info, &run->server, why);
  if (status != STATUS_OK) {
    run->server = NULL;
    return status;
  }
  server_on_event(run->server, take_server_event, run);
  server_on_status(run->server, run_fill_status, run);
  server_on_view(run->server, run_log_controller, run);
  console_line(&run->console, "commands at %s", server_command_endpoint(run->server));
  console_line(&run->console, "telemetry at %s", server_telemetry_endpoint(run->server));
  if (run->keys)
    console_line(&run->console, "keys required: %d are admitted", run->keys->admitted.count);
  return STATUS_OK;
}

static enum status open_outlets(struct run *run, struct reason *why) {
  enum status status = STATUS_OK;
  os_survive_file_limits();
  os_block_stop_signals(); // the threads of record, sockets, log and step, started below, inherit this
  status = console_start_writer(&run->console, why);
  if (status != STATUS_OK)
    return status;
  if (run->setup.config.run.mode != RUN_FAST)
    status = open_server(run, why);
  if (status == STATUS_OK)
    status = recorder_start(&run->recorder, run->setup.config.run.mode == RUN_REALTIME, run->node_count, why);
  if (status == STATUS_OK)
    status = run_open_field_buses(run, why);
  if (status == STATUS_OK)
    status = run_open_nmea(run, why);
  if (status == STATUS_OK)
    status = run_open_log(run, why);
  return status;
}

enum status run_prepare(struct run *run, const struct options *options, struct reason *why) {
  memset(run, 0, sizeof *run);
  run->options = options;
  run->rate = 1;
  console_init(&run->console);

  enum status status = load(run, why);
  if (status == STATUS_OK)
    status = claim_files(run, why);
  if (status == STATUS_OK)
    status = open_files(run, why);
  if (status == STATUS_OK)
    status = create_session(run, why);
  if (status == STATUS_OK)
    status = prepare_loop(run, why);
  if (status == STATUS_OK)
    status = run_describe(run, why);
  if (status == STATUS_OK)
    status = run_prepare_restart(run, why);
  if (status == STATUS_OK)
    status = run_prepare_checkpoints(run, why);
  if (status == STATUS_OK)
    status = open_outlets(run, why);
  if (status == STATUS_OK)
    file_claims_keep(&run->claims);
  if (status != STATUS_OK)
    console_stop_writer(&run->console); // the caller states the reason after all lines
  return status;
}

void run_close(struct run *run) {
  supervisor_free(run->supervisor);
  modbus_server_close(run->modbus);
  nmea_inputs_close(run->nmea_inputs);
  server_close(run->server);
  network_keys_free(run->keys);
  nmea_ports_close(run->nmea);
  logger_free(run->logger);
  output_file_abandon(&run->summary);
  output_file_abandon(&run->junit);
  recorder_close(&run->recorder, NULL);
  checkpointer_close(&run->checkpointer);
  run_close_restart(run);
  session_about_free(&run->about);
  plant_free(&run->plant);
  setup_free(&run->setup);
  free(run->nodes);
  free(run->checkpoint);
  file_claims_release(&run->claims);
  console_stop_writer(&run->console);
}
