// A run from its options to its results: what it opens, steps in its mode, judgement, files.
#include "run/host/host.h"

#include "net/buses/buses.h"
#include "os/files/files.h"
#include "os/process/process.h"
#include "run/session/session.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void step_in_mode(struct host *host) {
  switch (host->setup.config.run.mode) {
  case RUN_REALTIME:
    host_run_realtime(host);
    break;
  case RUN_LOCKSTEP:
    host_run_lockstep(host);
    break;
  case RUN_FAST:
    host_run_fast(host);
  }
}

// Without a service manager there is nothing to start; one that does not hear does not stop the run.
static void start_supervisor(struct host *host) {
  struct reason why;
  if (supervisor_start(&host->pulse, stderr, &host->supervisor, &why) != STATUS_OK)
    console_line(&host->outlets.console, "warning: %s", why.text);
}

void host_run(struct host *host) {
  event_watch_init(&host->session->watch, &host->outlets.console, host->outlets.server, host->session->logger,
                   &host->setup.config.scenario);
  host_report_resumption(host);

  enum pulse_phase beating = host->setup.config.run.mode == RUN_REALTIME ? PULSE_STEPPING : PULSE_SERVING;
  start_supervisor(host);
  do {
    atomic_store(&host->pulse.phase, beating);
    step_in_mode(host);
    atomic_store(&host->pulse.phase, PULSE_STARTING); // between two sessions no thread has to beat
  } while (host_begin_next_session(host));
  session_end_steps(host->session);
  atomic_store(&host->pulse.phase, PULSE_ENDING);
  supervisor_stopping(host->supervisor);

  host->session->end_ns = os_now_ns();
  times_fill(&host->session->times, &host->session->last.timing);
  times_fill_latency(&host->session->sent_ns, &host->session->last.timing.sensors_sent);
  checkpointer_finish(&host->outlets.checkpointer, &host->session->engine.loop);
  session_report_checkpoints(host->session);
  snapshots_settle(&host->snapshots, UINT64_MAX / 2);
  host_report_snapshots(host);
  console_end(&host->outlets.console);
}

// A record that is not whole on the disk fails the run, and the summary states it.
static void close_record(struct host *host) {
  struct reason why;
  if (recorder_close(&host->outlets.recorder, &why) != STATUS_OK)
    outcome_fail(host->session, "%s", why.text);
}

void host_judge(struct host *host) {
  const struct sim_output *now = &host->session->last.output;
  outcome_find(host->session, &host->pauses, host_halts(host));
  earlier_judge(&host->earlier, host->session);
  session_publish_last_status(host->session);
  char result[512];
  outcome_result(host->session, result, sizeof result);
  if (host->outlets.server) // before a slow disk delays what follows: meanwhile nobody answers a peer's PING
    server_publish_end(host->outlets.server, now->step, now->time_s, run_end_text(host->session->outcome.end),
                       result);
  session_finish_log(host->session);
  close_record(host);
  outcome_add_verdicts(host->session);
  outcome_print(host->session);
}

static enum status write_junit(struct host *host, struct reason *why) {
  return verdicts_write_junit(host->session, &host->junit, why);
}

// Each as far as possible, whatever became of the one before.
static enum status write_files(struct host *host) {
  enum status (*const writers[])(struct host *, struct reason *) = {summary_write, write_junit};
  enum status worst = STATUS_OK;
  for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
    struct reason why = {""};
    enum status status = writers[i](host, &why);
    if (status == STATUS_OK)
      continue;
    worst = status;
    console_line(&host->outlets.console, "%s", why.text);
  }
  return worst;
}

enum status host_write_results(struct host *host) {
  const char *summary_path = host->options->summary_path;
  console_settle(&host->outlets.console); // what is not written then is lost
  enum status status = write_files(host);
  if (recorder_missing(&host->outlets.recorder))
    console_line(&host->outlets.console,
                 "the record is not complete: %" PRIu64 " rows, %" PRIu64 " shapes and %" PRIu64
                 " laid nodes are missing",
                 host->outlets.recorder.missing[RECORD_ROW], host->outlets.recorder.missing[RECORD_SHAPE],
                 host->outlets.recorder.missing[RECORD_LAID]);
  console_settle(&host->outlets.console);
  if (!summary_path || strcmp(summary_path, "-") != 0)
    summary_print(host);
  return status;
}

// ------------------------------------------------------------
// Everything that can fail before the first step, so that a run that starts has what it needs.

// Options and configuration keys that exclude or need each other.
static enum status check_options(const struct run_options *o, const struct config *c, struct reason *why) {
  int logs = o->log_path || o->log_folder;
  if (c->run.mode == RUN_REALTIME && o->hashes_path)
    return fail(why, STATUS_BAD_INPUT,
                "--hashes needs mode fast or lockstep: a realtime run depends on the clock");
  if (c->run.mode == RUN_FAST && o->given.binds_sockets)
    return fail(why, STATUS_BAD_INPUT,
                "--bind-... needs mode realtime or lockstep: mode fast opens no sockets");
  if (o->log_path && o->log_folder)
    return fail(why, STATUS_BAD_INPUT, "--log-dir DIR is not allowed with --log FILE");
  if (o->log_key_path && !logs)
    return fail(why, STATUS_BAD_INPUT, "--log-key needs --log FILE or --log-dir DIR");
  if (o->resumes_if_present && (!o->checkpoint_path || o->resume_path))
    return fail(why, STATUS_BAD_INPUT,
                "--resume-if-present needs --checkpoint FILE and is not allowed with --resume");
  if (o->checkpoint_every_s > 0 && !o->checkpoint_path)
    return fail(why, STATUS_BAD_INPUT, "--checkpoint-every needs --checkpoint FILE");
  return STATUS_OK;
}

static enum status load(struct host *host, struct reason *why) {
  enum status status = setup_load(&host->setup, &host->options->given, stderr);
  if (status != STATUS_OK)
    return status;
  status = check_options(host->options, &host->setup.config, why);
  if (status == STATUS_OK)
    status = setup_check_mode(&host->setup, host->options->given.config_path, why);
  if (status != STATUS_OK)
    return status;
  if (status == STATUS_OK)
    status = host_check_clock(host, why);
  int opens_sockets = host->setup.config.run.mode != RUN_FAST;
  if (status == STATUS_OK && opens_sockets)
    status = network_keys_read(host->options->given.config_path, &host->setup.config.net, &host->keys, why);
  if (status != STATUS_OK)
    return status;
  return descriptors_require(opens_sockets ? DESCRIPTORS_WITH_SOCKETS : DESCRIPTORS_OF_FILES, why);
}

// Before any of them is opened for writing.
static enum status claim_files(struct host *host, struct reason *why) {
  const struct run_options *o = host->options;
  enum status status = setup_claim(&host->setup, o->given.config_path, &host->outlets.claims, why);
  if (status == STATUS_OK)
    status = command_claim(&run_command, o, &host->outlets.claims, why);
  if (status == STATUS_OK)
    status = file_claims_take(&host->outlets.claims, o->overwrites, why);
  const char *unlocked = status == STATUS_OK ? file_claims_unlocked(&host->outlets.claims) : NULL;
  if (unlocked)
    console_line(&host->outlets.console,
                 "notice: %s: its file system knows no locks: nothing keeps a second run from its files",
                 unlocked);
  return status;
}

// Opened before anything is computed, so that a bad path is known at once.
static enum status open_files(struct host *host, struct reason *why) {
  const struct run_options *o = host->options;
  enum status status = recorder_open(&host->outlets.recorder, o, &host->setup.config, why);
  if (status == STATUS_OK)
    status = output_file_open_claimed(&host->summary, &host->outlets.claims, o->summary_path, why);
  if (status == STATUS_OK)
    status = output_file_open_claimed(&host->junit, &host->outlets.claims, o->junit_path, why);
  return status == STATUS_OK ? STATUS_OK : STATUS_IO;
}

// What a user should know of the first state; those of later sessions are the same.
static void notice_start(struct host *host) {
  const struct config *c = &host->setup.config;
  const struct statics_report *statics = sim_statics(host->session->engine.plant.sim);
  double step_s = c->sim.step_s,
         sampled_s = (double)host->session->engine.loop.command_def.period_steps * step_s;
  if (statics->unstable_left)
    console_line(&host->outlets.console, "warning: %s: %s", c->name, plant_unstable_text(statics).text);
  if (fabs(sampled_s - c->net.sensor_period_s) > 1e-6 * step_s)
    console_line(&host->outlets.console,
                 "notice: the control period is %g s, a whole number of steps, instead of %g s", sampled_s,
                 c->net.sensor_period_s);
}

static enum status create_session(struct host *host, struct reason *why) {
  enum status status = session_create(host->options, &host->setup, &host->outlets, NULL, &host->session, why);
  if (status != STATUS_OK)
    return status;
  host->outlets.console.session = host->session->id;
  notice_start(host);
  return STATUS_OK;
}

static enum status open_log(struct host *host, struct reason *why) {
  const struct run_options *o = host->options;
  const struct log_def *log = &host->setup.config.log;
  struct reason cause = {""};
  if (!o->log_folder && o->log_path && (log->part_s > 0 || log->part_mib > 0))
    console_line(&host->outlets.console,
                 "notice: --log writes one file; a log in parts (log.part_s, log.part_mib) needs "
                 "--log-dir");
  session_take_start(host->session);
  enum status status = session_open_log(host->session, 0, &cause);
  if (status == STATUS_OK)
    return STATUS_OK;
  return fail(why, status, "%s%s", strncmp(cause.text, "--", 2) == 0 ? "" : "--log: ", cause.text);
}

// Who was denied, what was refused, and who commands nothing that can be used, also stands on standard error
// or in the journal; the budget of these events limits them. The summary lists all but the denied.
static void take_server_event(void *context, uint64_t step, double time_s, const char *name,
                              const char *text) {
  struct host *host = context;
  if (!strncmp(name, "refused", strlen("refused")) || !strcmp(name, "never_commanded") ||
      !strcmp(name, "command_limits") || !strcmp(name, EVENT_NAME(split_brain)) ||
      !strcmp(name, EVENT_NAME(controllers_differ)) || !strcmp(name, EVENT_NAME(controllers_lost)) ||
      !strncmp(name, "standby_", strlen("standby_")) || !strncmp(name, "nmea_", strlen("nmea_")) ||
      !strncmp(name, "network_", strlen("network_"))) {
    event_watch_log_unpublished(&host->session->watch, step, time_s, name, "%s", text);
    return;
  }
  logger_event(host->session->logger, step, time_s, name, text);
  if (!strncmp(name, "denied", strlen("denied")))
    console_event(&host->outlets.console, step, time_s, name, text);
}

static void take_view(void *context, uint64_t step, double time_s, const struct wire_controller_view *view) {
  struct host *host = context;
  session_log_controller(host->session, step, time_s, view);
}

static enum status open_server(struct host *host, struct reason *why) {
  double setpoint[3];
  struct session_info info = session_info_of(host->session, &host->session->engine.loop.target, setpoint);
  info.keys = host->keys;
  enum status status = server_open(&info, &host->outlets.server, why);
  if (status != STATUS_OK) {
    host->outlets.server = NULL;
    return status;
  }
  server_begin_seats(host->outlets.server, &host->session->engine.loop.frame);
  server_on_event(host->outlets.server, take_server_event, host);
  server_on_status(host->outlets.server, host_fill_status, host);
  server_on_view(host->outlets.server, take_view, host);
  console_line(&host->outlets.console, "commands at %s", server_command_endpoint(host->outlets.server));
  if (*server_command_endpoint_b(host->outlets.server))
    console_line(&host->outlets.console, "commands by network B at %s",
                 server_command_endpoint_b(host->outlets.server));
  if (*server_telemetry_endpoint_b(host->outlets.server))
    console_line(&host->outlets.console, "telemetry by network B at %s",
                 server_telemetry_endpoint_b(host->outlets.server));
  if (host->setup.config.net.withhold_truth)
    console_line(&host->outlets.console, "the truth is withheld: no telemetry, no orders");
  else
    console_line(&host->outlets.console, "telemetry at %s", server_telemetry_endpoint(host->outlets.server));
  if (host->keys)
    console_line(&host->outlets.console, "keys required: %d are admitted", host->keys->admitted.count);
  return STATUS_OK;
}

static enum status open_outlets(struct host *host, struct reason *why) {
  enum status status = STATUS_OK;
  os_survive_file_limits();
  os_block_stop_signals(); // the threads of record, sockets, log and step, started below, inherit this
  status = console_start_writer(&host->outlets.console, why);
  if (status != STATUS_OK)
    return status;
  if (host->setup.config.run.mode != RUN_FAST)
    status = open_server(host, why);
  if (status == STATUS_OK)
    status = recorder_start(&host->outlets.recorder, host->setup.config.run.mode == RUN_REALTIME,
                            host->session->node_count, why);
  if (status == STATUS_OK)
    status = host_open_nmea(host, why);
  if (status == STATUS_OK) // inputs in groups know what the ports send
    status = host_open_field_buses(host, why);
  if (status == STATUS_OK)
    status = open_log(host, why);
  return status;
}

enum status host_prepare(struct host *host, const struct run_options *options, struct reason *why) {
  host->options = options;
  host->rate = 1;
  console_init(&host->outlets.console);

  enum status status = load(host, why);
  if (status == STATUS_OK)
    status = claim_files(host, why);
  if (status == STATUS_OK)
    status = open_files(host, why);
  if (status == STATUS_OK)
    status = create_session(host, why);
  if (status == STATUS_OK)
    status = host_prepare_restart(host, why);
  if (status == STATUS_OK)
    status = host_prepare_checkpoints(host, why);
  if (status == STATUS_OK)
    status = open_outlets(host, why);
  if (status == STATUS_OK)
    file_claims_keep(&host->outlets.claims);
  if (status != STATUS_OK)
    console_stop_writer(&host->outlets.console); // the caller states the reason after all lines
  return status;
}

void host_close(struct host *host) {
  supervisor_free(host->supervisor);
  modbus_server_close(host->modbus);
  nmea_inputs_close(host->nmea_inputs);
  server_close(host->outlets.server);
  network_keys_free(host->keys);
  nmea_ports_close(host->outlets.nmea);
  output_file_abandon(&host->summary);
  output_file_abandon(&host->junit);
  recorder_close(&host->outlets.recorder, NULL);
  checkpointer_close(&host->outlets.checkpointer);
  host_close_restart(host);
  console_stop_writer(&host->outlets.console); // its lines name the session
  session_free(host->session);
  plant_free(&host->spare);
  setup_free(&host->setup);
  file_claims_release(&host->outlets.claims);
}
