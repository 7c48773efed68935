// Of a summary: the files of the run, and its events.
#include "host/summary_parts.h"

#include "core/base/shown_text.h"

#include <inttypes.h>
#include <stdio.h>

void summary_add_checkpoints(cJSON *root, struct host *host) {
  if (host->resumed.path) {
    cJSON *from = cJSON_AddObjectToObject(root, "resumed_from");
    summary_text(from, "file", host->resumed.path);
    summary_text(from, "session", host->resumed.origin.session);
    summary_number(from, "step", (double)host->resumed.origin.step);
    if (host->resumed.lost_is_known)
      summary_number(from, "lost_steps", (double)host->resumed.lost_steps);
    else
      cJSON_AddNullToObject(from, "lost_steps");
  }
  if (host->lost.steps) {
    cJSON *lost = cJSON_AddObjectToObject(root, "steps_lost");
    summary_text(lost, "session", host->lost.session);
    summary_number(lost, "steps", (double)host->lost.steps);
  }
  if (!host->outlets.checkpointer.path)
    return;
  struct checkpointer_report report = checkpointer_report(&host->outlets.checkpointer);
  cJSON *o = cJSON_AddObjectToObject(root, "checkpoint");
  summary_text(o, "file", host->outlets.checkpointer.path);
  summary_number(o, "written", (double)report.written);
  summary_number(o, "failed", (double)report.failed);
  summary_number(o, "skipped", (double)report.skipped);
  summary_number(o, "last_step", (double)report.last_step);
}

static double missing_in_log(const struct logger_report *report) {
  uint64_t missing = 0;
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    missing += report->dropped[t];
  return (double)missing;
}

// Of the chain at the end of the file, which names the whole log.
static void summary_digest(cJSON *root, const struct logger_report *report) {
  char text[2 * LOG_DIGEST + 1];
  int any = 0;
  for (int i = 0; i < LOG_DIGEST; i++) {
    snprintf(text + (size_t)2 * (size_t)i, 3, "%02x", report->digest.bytes[i]);
    any |= report->digest.bytes[i];
  }
  if (any)
    summary_text(root, "digest", text);
  cJSON_AddBoolToObject(root, "signed", report->is_signed);
}

void summary_add_log(cJSON *root, const struct host *host) {
  if (!host->session->logger)
    return;
  struct logger_report report = logger_report(host->session->logger);
  cJSON *o = cJSON_AddObjectToObject(root, "log");
  summary_text(o, "file", logger_path(host->session->logger));
  summary_number(o, "messages", (double)report.written.messages);
  summary_number(o, "bytes", (double)report.written.bytes);
  summary_number(o, "chunks", (double)report.written.chunks);
  cJSON *dropped = cJSON_AddObjectToObject(o, "dropped");
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    summary_number(dropped, log_topic_name((enum log_topic)t) + 1, (double)report.dropped[t]);
  summary_number(o, "missing", missing_in_log(&report));
  if (report.part) {
    summary_number(o, "parts", (double)report.part);
    summary_number(o, "parts_failed", (double)report.parts_failed);
    summary_number(o, "parts_deleted", (double)report.parts_deleted);
    summary_number(o, "deletions_failed", (double)report.deletions_failed);
  }
  summary_digest(o, &report);
  cJSON_AddBoolToObject(o, "complete", logger_is_complete(&report));
  cJSON_AddBoolToObject(o, "commands_missing", report.commands_missing);
  if (report.commands_missing)
    summary_number(o, "replayable_to_step", (double)report.replayable_to_step);
}

void summary_add_record(cJSON *root, const struct host *host) {
  const struct recorder *record = &host->outlets.recorder;
  if (!record->is_requested)
    return;
  cJSON *o = cJSON_AddObjectToObject(root, "record");
  summary_number(o, "rows_missing", (double)record->missing[RECORD_ROW]);
  summary_number(o, "shapes_missing", (double)record->missing[RECORD_SHAPE]);
  summary_number(o, "laid_nodes_missing", (double)record->missing[RECORD_LAID]);
  cJSON_AddBoolToObject(o, "complete", recorder_missing(record) == 0 && !record->failed);
}

void summary_add_console(cJSON *root, const struct host *host) {
  cJSON *o = cJSON_AddObjectToObject(root, "console");
  summary_number(o, "lines_missing", (double)console_lost(&host->outlets.console));
}

void summary_add_events(cJSON *root, const struct host *host) {
  const struct event_watch *w = &host->session->watch;
  cJSON *events = cJSON_AddObjectToObject(root, "events");
  summary_number(events, "count", (double)w->count);
  cJSON *log = cJSON_AddArrayToObject(events, "first");
  for (uint64_t i = 0; i < w->count && i < EVENT_WATCH_KEPT; i++) {
    cJSON *event = cJSON_CreateObject();
    summary_number(event, "step", (double)w->kept[i].step);
    summary_number(event, "time_s", w->kept[i].time_s);
    summary_text(event, "name", w->kept[i].name);
    summary_text(event, "text", w->kept[i].text);
    cJSON_AddItemToArray(log, event);
  }
}

void summary_print_log(const struct host *host) {
  if (!host->session->logger)
    return;
  struct logger_report report = logger_report(host->session->logger);
  printf("%-20s %s, %" PRIu64 " messages, %.1f MB, ", "log", shown(logger_path(host->session->logger)).text,
         report.written.messages, 1e-6 * (double)report.written.bytes);
  if (report.parts_deleted)
    printf("%" PRIu64 " parts deleted%s", report.parts_deleted, logger_is_complete(&report) ? "\n" : ", ");
  else if (logger_is_complete(&report))
    puts(host->earlier.logs_incomplete || host->earlier.parts_deleted ? "complete" : "nothing left out");
  if (!logger_is_complete(&report))
    printf("not complete, %.0f messages are missing\n", missing_in_log(&report));
}
