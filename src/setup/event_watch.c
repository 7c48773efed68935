#include "setup/event_watch.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void event_watch_init(struct event_watch *watch, struct console *console, struct server *server,
                      struct logger *logger, const struct scenario_def *scenario) {
  memset(watch, 0, sizeof *watch);
  watch->console = console;
  watch->server = server;
  watch->logger = logger;
  watch->scenario = scenario;
  watch->command_state = COMMAND_WAITING;
}

void event_watch_redirect(struct event_watch *watch,
                          void (*sink)(void *context, const struct run_event *event), void *context) {
  watch->sink = sink;
  watch->sink_context = context;
}

// Writes an event to console and log, and keeps it for the summary.
static void record(struct event_watch *watch, const struct run_event *event) {
  if (watch->sink) {
    watch->sink(watch->sink_context, event);
    return;
  }
  console_event(watch->console, event->step, event->time_s, event->name, event->text);
  logger_event(watch->logger, event->step, event->time_s, event->name, event->text);
  if (watch->count < EVENT_WATCH_KEPT)
    watch->kept[watch->count] = *event;
  watch->count++;
}

static struct run_event event_of(uint64_t step, double time_s, const char *name, const char *format,
                                 va_list args) {
  struct run_event event = {.step = step, .time_s = time_s};
  vsnprintf(event.text, sizeof event.text, format, args);
  snprintf(event.name, sizeof event.name, "%s", name);
  return event;
}

void event_watch_log(struct event_watch *watch, uint64_t step, double time_s, const char *name,
                     const char *format, ...) {
  va_list args;
  va_start(args, format);
  struct run_event event = event_of(step, time_s, name, format, args);
  va_end(args);
  record(watch, &event);
  if (watch->server)
    server_publish_event(watch->server, step, time_s, event.name, event.text);
}

void event_watch_log_unpublished(struct event_watch *watch, uint64_t step, double time_s, const char *name,
                                 const char *format, ...) {
  va_list args;
  va_start(args, format);
  struct run_event event = event_of(step, time_s, name, format, args);
  va_end(args);
  record(watch, &event);
}

void event_watch_skip_to(struct event_watch *watch, const struct frame *frame) {
  watch->sim_events = frame->output.events;
  watch->command_state = frame->command_state;
  watch->faults = frame->faults;
  watch->faults_started = frame->faults_started;
  watch->orders_refused = frame->orders_refused;
  watch->verdicts_violated = frame->verdicts_violated;
  for (int i = 0; i < NOTICE_COUNT; i++)
    watch->notices_seen[i] = frame->notices.kind[i].count;
  watch->operation = (struct operation_output){0};
  watch->has_tensioner_order = 0;
}

void event_watch_resume(struct event_watch *watch, const struct frame *frame, const char *path) {
  const struct sim_output *now = &frame->output;
  event_watch_skip_to(watch, frame);
  event_watch_log(watch, now->step, now->time_s, "resumed", "from the checkpoint %s, at step %" PRIu64, path,
                  now->step);
}

void event_watch_begin_session(struct event_watch *watch, struct logger *logger, const struct frame *frame) {
  watch->logger = logger;
  watch->misses_reported = watch->lost_reported = watch->dropped_reported = watch->faults_reported = 0;
  watch->report_times_at_step = watch->report_faults_at_step = 0;
  watch->report_server_at_step = 0;
  event_watch_skip_to(watch, frame);
}

void event_watch_frame(struct event_watch *watch, const struct frame *frame, double step_s) {
  event_watch_find_served(watch, &frame->output, step_s);
  event_watch_find_computed(watch, frame);
  event_watch_find_late(watch, frame, step_s);
  event_watch_find_page_faults(watch, frame, step_s);
}

void event_watch_finish(struct event_watch *watch, const struct frame *frame) {
  event_watch_find_computed(watch, frame); // verdicts on clock quantities
  event_watch_report_times(watch, frame);
  event_watch_report_page_faults(watch, frame);
}
