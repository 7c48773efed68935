#include "app/commands.h"

#include "cli/version.h"
#include "core/base/steps.h"
#include "io/files/output_file.h"
#include "run/summary.h"
#include "run/verdicts.h"

#include "rt/os.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Options and configuration that do not go together, before anything is computed. -1 to go on.
static int check_mode(const struct run *r) {
  const struct config *c = &r->session.config;
  const struct options *o = r->options;
  if (c->run.mode == RUN_REALTIME && o->hashes_path) {
    fprintf(stderr,
            "sagbend: --hashes: in mode fast or lockstep only; a realtime run depends on the clock\n");
    return EXIT_USAGE;
  }
  if (c->run.mode == RUN_FAST && o->binds_sockets) {
    fprintf(stderr, "sagbend: --bind-...: mode fast opens no sockets; mode realtime or lockstep expected\n");
    return EXIT_USAGE;
  }
  if (c->run.mode == RUN_FAST && c->sim.controller == CONTROLLER_EXTERNAL && !r->session.has_dp) {
    fprintf(stderr, "sagbend: %s: controller external in mode fast needs controller.dp_file, to act inside\n",
            o->config_path);
    return EXIT_USAGE;
  }
  if (o->log_path && o->log_folder) {
    fprintf(stderr, "sagbend: --log-dir: either --log FILE or --log-dir DIR expected\n");
    return EXIT_USAGE;
  }
  if (o->log_key_path && !o->log_path && !o->log_folder) {
    fprintf(stderr, "sagbend: --log-key: --log FILE or --log-dir DIR expected with it\n");
    return EXIT_USAGE;
  }
  if (o->checkpoint_every_s > 0 && !o->checkpoint_path) {
    fprintf(stderr, "sagbend: --checkpoint-every: --checkpoint FILE expected with it\n");
    return EXIT_USAGE;
  }
  return -1;
}

static const struct dp_def *controller_inside(const struct run *r) {
  const struct config *c = &r->session.config;
  int external_inside = c->sim.controller == CONTROLLER_EXTERNAL && c->run.mode == RUN_FAST;
  return c->sim.controller == CONTROLLER_SAMPLED || external_inside ? &r->session.dp.def : NULL;
}

static int set_up_stepping(struct run *r) {
  const struct config *c = &r->session.config;
  struct command_def def = session_command_def(&r->session);
  double step_s = c->sim.step_s, sampled_s = (double)def.period_steps * step_s;
  if (fabs(sampled_s - c->net.sensor_period_s) > 1e-6 * step_s)
    console_line(&r->console, "notice: the control period is %g s, whole steps in place of %g s", sampled_s,
                 c->net.sensor_period_s);
  double setpoint[3];
  closed_loop_init(&r->closed_loop, r->session.sim, &r->session.suite, &def, controller_inside(r),
                   &c->scenario, session_setpoint(&r->session, setpoint) ? setpoint : NULL);
  times_clear(&r->times);
  r->steps_total = steps_in_period_or_off(c->run.duration_s, step_s);
  r->timing_every = steps_in_period(1, step_s);
  r->node_count = sim_node_count(r->session.sim);
  int wanted = r->node_count > 0 && (c->run.mode != RUN_FAST || r->options->shapes_path);
  r->nodes_every = wanted ? steps_in_period(c->net.nodes_period_s, step_s) : 0;
  size_t count = r->node_count > 0 ? (size_t)r->node_count : 1;
  r->nodes = calloc(count, sizeof *r->nodes);
  if (r->nodes)
    return -1;
  console_line(&r->console, "out of memory for %zu nodes", count);
  return EXIT_FAILED;
}

// From a checkpoint the run goes on as if it had not been interrupted. -1 to go on.
static int resume(struct run *r, const struct checkpoint_identity *identity) {
  const char *path = r->options->resume_path;
  struct closed_loop_state controls;
  struct reason why = {""};
  if (checkpoint_read(path, &r->checkpoint, &r->checkpoint_bytes, &why) != STATUS_OK) {
    console_line(&r->console, "--resume: %s", why.text);
    return EXIT_USAGE;
  }
  struct closed_loop_rules rules = closed_loop_rules(&r->closed_loop);
  enum status status = checkpoint_restore(r->checkpoint, r->checkpoint_bytes, identity, &rules,
                                          r->session.sim, &r->session.suite, &controls, &why);
  if (status != STATUS_OK) {
    console_line(&r->console, "--resume: %s: %s", path, why.text);
    return EXIT_USAGE;
  }
  closed_loop_resume(&r->closed_loop, &controls);
  r->first_step = r->closed_loop.frame.output.step;
  if (r->steps_total && r->first_step >= r->steps_total)
    console_line(&r->console,
                 "notice: the checkpoint's step %" PRIu64
                 " is the end already; --duration counts from the session's start",
                 r->first_step);
  return -1;
}

static int set_up_checkpoints(struct run *r) {
  const struct config *c = &r->session.config;
  const struct options *o = r->options;
  uint64_t every = steps_in_period(o->checkpoint_every_s > 0 ? o->checkpoint_every_s : 10, c->sim.step_s);
  struct checkpoint_identity identity = {.model_hash = c->model_hash,
                                         .dp_hash = r->closed_loop.inside ? r->session.dp.hash : 0};
  snprintf(identity.config_name, sizeof identity.config_name, "%s", c->name);
  snprintf(identity.version, sizeof identity.version, "%s", program_version());
  snprintf(identity.build, sizeof identity.build, "%s", program_build().text);
  int status = o->resume_path ? resume(r, &identity) : -1;
  struct reason why;
  if (checkpointer_open(&r->checkpointer, status < 0 ? o->checkpoint_path : NULL, every, &identity,
                        r->session.sim, &r->session.suite, &why) == STATUS_OK)
    return status;
  console_line(&r->console, "%s", why.text);
  return EXIT_FAILED;
}

static int open_server(struct run *r) {
  struct session_info info = {
      .config = &r->session.config, .session_id = r->session_id, .node_count = r->node_count};
  struct reason why = {""};
  memcpy(info.hold_wrench_b, r->closed_loop.command_def.hold_wrench_b, sizeof info.hold_wrench_b);
  double setpoint[3];
  info.setpoint = session_setpoint(&r->session, setpoint) ? setpoint : NULL;
  enum status opened = server_open(&info, &r->server, &why);
  if (opened != STATUS_OK) {
    r->server = NULL;
    console_line(&r->console, "%s", why.text);
    return opened == STATUS_BAD_INPUT ? EXIT_USAGE : EXIT_FAILED;
  }
  console_line(&r->console, "commands at %s", server_command_endpoint(r->server));
  console_line(&r->console, "telemetry at %s", server_telemetry_endpoint(r->server));
  if (!server_is_local(r->server))
    console_line(&r->console,
                 "notice: other machines can connect, and the simulator does not check who they are");
  return -1;
}

// -1 to go on.
static int open_outputs(struct run *r) {
  struct reason why;
  enum status opened = recorder_open(&r->recorder, r->options, &r->session.config, &why);
  if (opened == STATUS_OK)
    opened = output_file_open_atomic(&r->summary, r->options->summary_path, &why);
  if (opened == STATUS_OK)
    opened = output_file_open_atomic(&r->junit, r->options->junit_path, &why);
  if (opened == STATUS_OK)
    return -1;
  console_line(&r->console, "%s", why.text);
  return EXIT_FAILED;
}

// Everything that can go wrong before the first step. -1 to go on.
static int prepare(struct run *r) {
  int status = session_load(&r->session, r->options);
  if (status < 0)
    status = check_mode(r);
  if (status < 0)
    status = descriptors_ask(&r->console, r->session.config.run.mode == RUN_FAST ? DESCRIPTORS_OF_FILES
                                                                                 : DESCRIPTORS_WITH_SOCKETS);
  if (status < 0)
    status = open_outputs(r);
  if (status < 0)
    status = session_create_sim(&r->session);
  if (status < 0)
    status = session_make_id(r->session_id);
  if (status < 0)
    status = set_up_stepping(r);
  if (status < 0)
    status = set_up_checkpoints(r);
  os_survive_file_limits();
  os_block_stop_signals(); // before the sockets' threads and the step's: they inherit it
  if (status < 0 && r->session.config.run.mode != RUN_FAST)
    status = open_server(r);
  if (status < 0)
    status = run_open_nmea(r);
  if (status < 0)
    status = run_open_log(r);
  return status;
}

static void run_mode(struct run *r) {
  switch (r->session.config.run.mode) {
  case RUN_REALTIME:
    run_realtime(r);
    break;
  case RUN_LOCKSTEP:
    run_lockstep(r);
    break;
  case RUN_FAST:
    run_fast(r);
  }
}

// What the run leaves behind; its exit status.
static int give_results(struct run *r) {
  const struct sim_output *o = &r->last.output;
  outcome_find(r);
  run_finish_log(r);
  outcome_add_verdicts(r);
  if (r->server)
    server_publish_end(r->server, o->step, o->time_s, run_end_text(r->outcome.end));
  int status = r->outcome.reason_count ? EXIT_FAILED : EXIT_DONE;
  outcome_tell(r);
  struct reason why;
  enum status written = summary_write(r, &why);
  if (written == STATUS_OK)
    written = verdicts_write_junit(r, &why);
  if (written == STATUS_OK)
    written = recorder_close(&r->recorder, &why);
  if (written != STATUS_OK) {
    console_line(&r->console, "%s", why.text);
    status = EXIT_FAILED;
  }
  if (!r->options->summary_path || strcmp(r->options->summary_path, "-") != 0)
    summary_print(r);
  return console_finish_stdout("sagbend", status);
}

static int advance(struct run *r) {
  const struct config *c = &r->session.config;
  console_line(&r->console, "%s: session %s, step %g s, %g s to go (0: until stopped)", c->name,
               r->session_id, c->sim.step_s, c->run.duration_s);
  if (c->run.mode == RUN_FAST && c->sim.controller == CONTROLLER_EXTERNAL)
    console_line(&r->console, "notice: in mode fast the controller of %s acts inside", c->dp_file);
  if (c->run.mode != RUN_LOCKSTEP && c->run.lockstep_timeout_s > 0)
    console_line(&r->console, "notice: simulation.lockstep_timeout_s acts in mode lockstep only");
  event_watch_init(&r->watch, &r->console, r->server, r->logger, &c->scenario);
  if (r->options->resume_path)
    event_watch_resume(&r->watch, &r->closed_loop.frame, r->options->resume_path);
  run_mode(r);
  r->end_ns = os_now_ns();
  checkpointer_finish(&r->checkpointer, &r->closed_loop);
  run_tell_checkpoints(r);
  times_fill(&r->times, &r->last.timing);
  console_end(&r->console);
  return give_results(r);
}

int cmd_run(int argc, char **argv) {
  struct options options;
  int status = options_read(COMMAND_RUN, argc, argv, &options);
  struct run *r = status < 0 ? calloc(1, sizeof *r) : NULL;
  if (r) {
    r->options = &options;
    console_init(&r->console);
    status = prepare(r);
    if (status < 0)
      status = advance(r);
    server_close(r->server);
    nmea_ports_close(r->nmea);
    logger_free(r->logger);
    output_file_abandon(&r->summary);
    output_file_abandon(&r->junit);
    recorder_close(&r->recorder, NULL);
    checkpointer_close(&r->checkpointer);
    session_free(&r->session);
    free(r->nodes);
    free(r->checkpoint);
    free(r);
  } else if (status < 0) {
    fprintf(stderr, "sagbend: out of memory\n");
    status = EXIT_FAILED;
  }
  options_free(&options);
  return status;
}
