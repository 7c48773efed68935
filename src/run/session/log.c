// The log of a run: its first record, reports on its state, its end. And its checkpoints.
#include "run/session/session.h"

#include "os/cli/cli.h"
#include "os/process/process.h"
#include "sagbend/events/events.h"
#include "sagbend/loop/loop.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 1000 }; // tried for the log of a further session

static int is_in_parts(const struct session *session) {
  const struct log_def *log = &session->setup->config.log;
  return log->part_s > 0 || log->part_mib > 0;
}

// Starts the logger with the session's record as its first message.
static enum status start_logger(struct session *session, const char *path, int in_parts,
                                const struct log_secret_key *key, struct reason *why) {
  const struct run_options *o = session->options;
  const struct config *c = &session->setup->config;
  const struct session_origin *from = &session->origin;
  struct build_id build = program_build();
  double setpoint[3];
  int has_setpoint = setup_setpoint(session->setup, setpoint);
  const struct log_session record = {.session = session->id,
                                     .version = program_version(),
                                     .build = build.text,
                                     .config_path = o->given.config_path,
                                     .config = c,
                                     .overrides = (const char *const *)o->given.overrides,
                                     .override_count = o->given.override_count,
                                     .dp_text = session->setup->dp_text,
                                     .dp_files = &session->setup->dp_files,
                                     .command_def = session->engine.loop.command_def,
                                     .setpoint = has_setpoint ? setpoint : NULL,
                                     .node_count = session->node_count,
                                     .first_step = session->first_step,
                                     .start_utc_ns = session->clock_start_utc_ns,
                                     .initial_hash = sim_hash(session->engine.plant.sim),
                                     .checkpoint = session->checkpoint,
                                     .checkpoint_bytes = session->checkpoint_bytes,
                                     .origin = {.session = *from->session ? from->session : NULL,
                                                .step = from->step,
                                                .how = from->how,
                                                .name = from->name},
                                     .key = key};
  struct checkpoint_identity identity = session_identity(session);
  const struct logger_rotation rotation = {.identity = &identity,
                                           .sim = session->engine.plant.sim,
                                           .suite = &session->engine.plant.suite,
                                           .last_step = session->steps_total};
  enum status status = logger_open(path, &record, in_parts ? &rotation : NULL, &session->logger, why);
  return status == STATUS_OK ? STATUS_OK : STATUS_IO;
}

static enum status open_at(struct session *session, const char *path, int in_parts, struct reason *why) {
  struct log_secret_key key;
  const char *key_path = session->options->log_key_path;
  if (key_path) {
    struct reason cause = {""};
    enum status status = log_key_read_secret(key_path, &key, &cause);
    if (status != STATUS_OK)
      return fail(why, status, "--log-key: %s", cause.text);
  }

  enum status status = start_logger(session, path, in_parts, key_path ? &key : NULL, why);
  if (key_path)
    log_key_forget(&key);
  if (status != STATUS_OK)
    return status;
  console_line(&session->outlets->console, "writing the log to %s", path);
  return STATUS_OK;
}

// The log of a session that is not the first: under the first number whose file is free.
static enum status claim_path(struct session *session, uint64_t sessions_before, char **out,
                              struct reason *why) {
  const struct run_options *o = session->options;
  enum status status = STATUS_BAD_INPUT;
  for (uint64_t i = 0; i < MOST_NAMES && status == STATUS_BAD_INPUT; i++) {
    char *path = session_log_path(o->log_path, sessions_before + i + 1);
    if (!path)
      return fail(why, STATUS_NO_MEMORY, "out of memory for the path of the log");
    status = sessions_before ? file_claims_extend(&session->outlets->claims, FILE_LOGGED, "--log", path,
                                                  o->overwrites, why)
                             : STATUS_OK; // claimed at the start
    if (status == STATUS_OK)
      *out = path;
    else
      free(path);
  }
  return status;
}

enum status session_open_log(struct session *session, uint64_t sessions_before, struct reason *why) {
  const struct run_options *o = session->options;
  int in_parts = is_in_parts(session) && o->log_folder;
  if (!o->log_folder && !o->log_path)
    return STATUS_OK;
  char *path = NULL;
  enum status status = STATUS_OK;
  if (!o->log_folder)
    status = claim_path(session, sessions_before, &path, why);
  else if (!(path = logger_path_in(o->log_folder, session->id, in_parts)))
    status = fail(why, STATUS_NO_MEMORY, "out of memory for the path of the log");
  if (status != STATUS_OK)
    return status;
  status = open_at(session, path, in_parts, why);
  if (status != STATUS_OK && o->log_path && sessions_before)
    file_claims_retract(&session->outlets->claims); // another session may have this name
  free(path);
  return status;
}

static uint64_t dropped_in_all(const struct logger_report *report) {
  uint64_t sum = 0;
  for (int topic = 0; topic < LOG_TOPIC_COUNT; topic++)
    sum += report->dropped[topic];
  return sum;
}

static void report_dropped(struct session *session, const struct logger_report *report) {
  const struct sim_output *now = &session->last.output;
  char text[160] = "";
  size_t used = 0;
  for (int topic = 0; topic < LOG_TOPIC_COUNT; topic++)
    if (report->dropped[topic] && used < sizeof text)
      used += (size_t)snprintf(text + used, sizeof text - used, " %s %" PRIu64,
                               log_topic_name((enum log_topic)topic), report->dropped[topic]);
  event_watch_log(&session->watch, now->step, now->time_s, EVENT_NAME(log_dropped),
                  "messages missing in the log so far:%s", text);
}

static void report_parts(struct session *session, const struct logger_report *report,
                         const struct logger_report *before) {
  const struct sim_output *now = &session->last.output;
  if (report->parts_failed != before->parts_failed)
    event_watch_log(&session->watch, now->step, now->time_s, EVENT_NAME(log_part_failed),
                    "part %u goes on: %.120s", report->part, report->part_failure.text);
  if (report->deletions_failed != before->deletions_failed)
    event_watch_log(&session->watch, now->step, now->time_s, EVENT_NAME(log_part_not_deleted), "%.140s",
                    report->part_failure.text);
  if (report->parts_deleted != before->parts_deleted)
    event_watch_log(&session->watch, now->step, now->time_s, EVENT_NAME(log_parts_deleted),
                    "%" PRIu64 " old parts of logs deleted so far (log.keep_parts, log.keep_mib)",
                    report->parts_deleted);
}

static int parts_changed(const struct logger_report *report, const struct logger_report *before) {
  return report->parts_failed != before->parts_failed || report->parts_deleted != before->parts_deleted ||
         report->deletions_failed != before->deletions_failed;
}

void session_report_log(struct session *session) {
  const struct sim_output *now = &session->last.output;
  if (!session->logger || now->step < session->reported.log_at_step)
    return;

  struct logger_report report = logger_report(session->logger), before = session->reported.log;
  int stall_changed = report.stalled != before.stalled;
  int more_dropped = dropped_in_all(&report) != dropped_in_all(&before);
  session->reported.log = report;
  if (stall_changed || more_dropped || parts_changed(&report, &before))
    session->reported.log_at_step = now->step + session->timing_every;

  if (stall_changed && report.stalled)
    event_watch_log(&session->watch, now->step, now->time_s, EVENT_NAME(log_stalled), "%.140s",
                    report.failure.text);
  if (stall_changed && !report.stalled)
    event_watch_log(&session->watch, now->step, now->time_s, EVENT_NAME(log_resumed),
                    "the disk accepts the log again");
  if (more_dropped)
    report_dropped(session, &report);
  report_parts(session, &report, &before);
  if (report.commands_missing && !before.commands_missing)
    event_watch_log(&session->watch, now->step, now->time_s, EVENT_NAME(log_commands_missing),
                    "commands are missing in the log: it can be replayed to step %" PRIu64 " only",
                    report.replayable_to_step);
}

void session_end_log(struct session *session, const char *end_text, const char *next_session) {
  if (!session->logger)
    return;
  logger_finish(session->logger, &session->engine.loop, end_text, next_session);
  struct logger_report report = logger_report(session->logger);
  uint64_t missing = dropped_in_all(&report);
  if (report.incomplete)
    console_line(&session->outlets->console,
                 "warning: the log of session %s could not be written to its end: %s", session->id,
                 report.failure.text);
  if (missing)
    console_line(&session->outlets->console,
                 "warning: the log of session %s is not complete: %" PRIu64 " messages are missing",
                 session->id, missing);
  if (missing)
    report_dropped(session, &report);
}

void session_finish_log(struct session *session) {
  if (!session->logger)
    return;
  logger_finish(session->logger, &session->engine.loop, run_end_text(session->outcome.end), NULL);

  struct logger_report report = logger_report(session->logger);
  uint64_t missing = dropped_in_all(&report);
  int step_waits = session->setup->config.run.mode != RUN_REALTIME; // then nothing may be missing
  if (report.incomplete)
    outcome_fail(session, "the log could not be written to its end: %s", report.failure.text);
  if (missing && step_waits)
    outcome_fail(session, "%" PRIu64 " messages are missing in the log: %s", missing,
                 *report.failure.text ? report.failure.text : "they contain a number that is not finite");
  else if (missing)
    console_line(&session->outlets->console, "the log is not complete: %" PRIu64 " messages are missing",
                 missing);
  if (missing)
    report_dropped(session, &report);
  if (report.commands_missing)
    console_line(&session->outlets->console,
                 "commands are missing in the log: it can be replayed to step %" PRIu64 " only",
                 report.replayable_to_step);
}

// Checkpoints of a session: who writes them, and which could not be written.

struct checkpoint_identity session_identity(const struct session *session) {
  return setup_identity(session->setup, session->engine.loop.inside != NULL, session->id);
}

void session_report_checkpoints(struct session *session) {
  struct checkpointer_report report = checkpointer_report(&session->outlets->checkpointer),
                             before = session->outlets->checkpoints_reported;
  const struct sim_output *now = &session->last.output;
  session->outlets->checkpoints_reported = report;
  if (report.failed != before.failed)
    event_watch_log(&session->watch, now->step, now->time_s, EVENT_NAME(checkpoint_failed), "%s",
                    report.failure.text);
  if (report.skipped != before.skipped)
    event_watch_log(&session->watch, now->step, now->time_s, EVENT_NAME(checkpoint_skipped),
                    "the disk is too slow: %" PRIu64 " checkpoints skipped in all", report.skipped);
}

// ------------------------------------------------------------
// NMEA output of a run: the readings of the messages once more, as NMEA 0183 sentences.

static const uint64_t NOT_VALID_EVERY_NS = 1000000000;

static void report_counts(struct session *session, const struct sim_output *now) {
  struct nmea_counts counts = *nmea_ports_counts(session->outlets->nmea),
                     before = session->outlets->nmea_reported;
  session->outlets->nmea_reported = counts;
  if (counts.failed != before.failed)
    event_watch_log(&session->watch, now->step, now->time_s, EVENT_NAME(nmea_failed), "%s",
                    nmea_ports_failure(session->outlets->nmea));
  if (counts.restored != before.restored)
    event_watch_log(&session->watch, now->step, now->time_s, EVENT_NAME(nmea_again), "%d NMEA port%s again",
                    (int)(counts.restored - before.restored),
                    counts.restored - before.restored > 1 ? "s work" : " works");
  if (counts.lost > 0 && before.lost == 0)
    event_watch_log(
        &session->watch, now->step, now->time_s, EVENT_NAME(nmea_lost),
        "a receiver takes no NMEA sentences: they are dropped; the summary contains their number");
}

static int is_time_for_nmea(const struct session *session) {
  return session->outlets->nmea &&
         (!session->nmea_at_samples || closed_loop_sends_sensors(&session->engine.loop));
}

void session_send_measured(struct session *session, const struct frame *frame) {
  if (is_time_for_nmea(session))
    nmea_ports_send(session->outlets->nmea, &frame->readings, frame->output.time_s, &frame->faults,
                    1e-9 * (double)os_now_ns());
}

void session_send_nmea(struct session *session, const struct frame *frame) {
  if (!is_time_for_nmea(session))
    return;
  session_send_measured(session, frame);
  nmea_alerts_send(&session->nmea_alerts, session->outlets->nmea, &session->setup->config.scenario.names,
                   &frame->alarms, session->alarm_news.changes, session->setup->config.sim.step_s,
                   frame->output.time_s, 1e-9 * (double)os_now_ns());
  report_counts(session, &frame->output);
}

void session_repeat_nmea(struct session *session) {
  const struct frame *frame = &session->last;
  if (!session->outlets->nmea)
    return;
  nmea_ports_send(session->outlets->nmea, &frame->readings, frame->output.time_s, &frame->faults,
                  1e-9 * (double)os_now_ns());
  report_counts(session, &frame->output);
}

void session_send_nmea_not_valid(struct session *session) {
  uint64_t now_ns = os_now_ns();
  if (!session->outlets->nmea || now_ns - session->outlets->nmea_not_valid_ns < NOT_VALID_EVERY_NS)
    return;
  session->outlets->nmea_not_valid_ns = now_ns;
  nmea_ports_send_not_valid(session->outlets->nmea, &session->last.readings, 1e-9 * (double)now_ns);
  report_counts(session, &session->last.output);
}
