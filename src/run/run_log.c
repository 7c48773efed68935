// The log of a run: what goes into its first record, and what the run says of it.
#include "cli/version.h"
#include "run/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void server_told(void *run, uint64_t step, double time_s, const char *name, const char *text) {
  struct run *r = run;
  logger_event(r->logger, step, time_s, name, text);
}

int run_open_log(struct run *r) {
  const struct options *o = r->options;
  const struct config *c = &r->session.config;
  char *name = o->log_folder ? logger_path_in(o->log_folder, r->session_id) : NULL;
  const char *path = o->log_folder ? name : o->log_path;
  if (!path)
    return o->log_folder ? EXIT_FAILED : -1;
  struct log_secret_key key;
  int signs = o->log_key_path != NULL;
  struct reason why = {""};
  enum status got = signs ? log_key_read_secret(o->log_key_path, &key, &why) : STATUS_OK;
  if (got != STATUS_OK) {
    fprintf(stderr, "sagbend: --log-key: %s\n", why.text);
    free(name);
    return got == STATUS_BAD_INPUT ? EXIT_USAGE : EXIT_FAILED;
  }
  struct build_id build = program_build();
  double setpoint[3];
  int has_setpoint = session_setpoint(&r->session, setpoint);
  struct log_session session = {.session = r->session_id,
                                .version = program_version(),
                                .build = build.text,
                                .config_path = o->config_path,
                                .config = c,
                                .overrides = (const char *const *)o->overrides,
                                .override_count = o->override_count,
                                .dp_text = r->session.dp_text,
                                .command_def = r->closed_loop.command_def,
                                .setpoint = has_setpoint ? setpoint : NULL,
                                .node_count = r->node_count,
                                .first_step = r->first_step,
                                .initial_hash = sim_hash(r->session.sim),
                                .checkpoint = r->checkpoint,
                                .checkpoint_bytes = r->checkpoint_bytes,
                                .key = signs ? &key : NULL};
  int status = logger_open(path, &session, &r->logger, &why) == STATUS_OK ? -1 : EXIT_FAILED;
  if (status >= 0)
    console_line(&r->console, "--log: %s", why.text);
  if (signs)
    log_key_forget(&key);
  if (status < 0)
    console_line(&r->console, "log in %s", path);
  if (status < 0 && r->server)
    server_on_event(r->server, server_told, r);
  free(name);
  return status;
}

static uint64_t all_dropped(const struct logger_report *report) {
  uint64_t sum = 0;
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    sum += report->dropped[t];
  return sum;
}

static void tell_dropped(struct run *r, const struct logger_report *report) {
  const struct sim_output *o = &r->last.output;
  char text[160] = "";
  size_t used = 0;
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    if (report->dropped[t] && used < sizeof text)
      used += (size_t)snprintf(text + used, sizeof text - used, " %s %" PRIu64,
                               log_topic_name((enum log_topic)t), report->dropped[t]);
  event_watch_log(&r->watch, o->step, o->time_s, "log_dropped", "messages left out of the log so far:%s",
                  text);
}

void run_tell_log(struct run *r) {
  const struct sim_output *o = &r->last.output;
  if (!r->logger || o->step < r->tell_log_at_step)
    return;
  struct logger_report report = logger_report(r->logger), told = r->log_told;
  if (report.stalled && !told.stalled)
    event_watch_log(&r->watch, o->step, o->time_s, "log_stalled", "%.140s", report.failure.text);
  if (!report.stalled && told.stalled)
    event_watch_log(&r->watch, o->step, o->time_s, "log_resumed", "the disk takes the log again");
  if (all_dropped(&report) != all_dropped(&told))
    tell_dropped(r, &report);
  if (report.commands_missing && !told.commands_missing)
    event_watch_log(&r->watch, o->step, o->time_s, "log_commands_missing",
                    "commands did not reach the log: it can be replayed to step %" PRIu64 " only",
                    report.replayable_to_step);
  if (report.stalled != told.stalled || all_dropped(&report) != all_dropped(&told))
    r->tell_log_at_step = o->step + r->timing_every;
  r->log_told = report;
}

void run_finish_log(struct run *r) {
  if (!r->logger)
    return;
  logger_finish(r->logger, &r->closed_loop, run_end_text(r->outcome.end));
  struct logger_report report = logger_report(r->logger);
  uint64_t missing = all_dropped(&report);
  int waited = r->session.config.run.mode != RUN_REALTIME; // then nothing may be left out
  if (report.incomplete)
    outcome_fail(r, "the log could not be written to its end: %s", report.failure.text);
  if (missing && waited)
    outcome_fail(r, "%" PRIu64 " messages are missing in the log: %s", missing, report.failure.text);
  else if (missing)
    console_line(&r->console, "the log is not complete: %" PRIu64 " messages were left out", missing);
  if (missing)
    tell_dropped(r, &report);
  if (report.commands_missing)
    console_line(&r->console, "commands did not reach the log: it can be replayed to step %" PRIu64 " only",
                 report.replayable_to_step);
}
