#include "run/setup/setup.h"

#include "sagbend/rig/host_event.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Writes an event to console and log, and keeps it for the summary.
static void record(struct event_watch *watch, const struct run_event *event) {
  console_event(watch->console, event->step, event->time_s, event->name, event->text);
  logger_event(watch->logger, event->step, event->time_s, event->name, event->text);
  if (watch->count < EVENT_WATCH_KEPT)
    watch->kept[watch->count] = *event;
  watch->count++;
}

static void take(void *event_watch, const struct run_event *event) {
  struct event_watch *watch = event_watch;
  record(watch, event);
  if (watch->server)
    server_publish_event(watch->server, event->step, event->time_s, event->name, event->text);
}

void event_watch_init(struct event_watch *watch, struct console *console, struct server *server,
                      struct logger *logger, const struct scenario_def *scenario) {
  memset(watch, 0, sizeof *watch);
  watch->console = console;
  watch->server = server;
  watch->logger = logger;
  event_finder_init(&watch->finder, scenario, take, watch);
}

void event_watch_log(struct event_watch *watch, uint64_t step, double time_s, const char *name,
                     const char *format, ...) {
  va_list args;
  va_start(args, format);
  const struct run_event event = run_event_of(step, time_s, name, format, args);
  va_end(args);
  watch->finder.take(watch->finder.context, &event);
}

void event_watch_log_unpublished(struct event_watch *watch, uint64_t step, double time_s, const char *name,
                                 const char *format, ...) {
  va_list args;
  va_start(args, format);
  const struct run_event event = run_event_of(step, time_s, name, format, args);
  va_end(args);
  record(watch, &event);
}

void event_watch_resume(struct event_watch *watch, const struct frame *frame, const char *path) {
  const struct sim_output *now = &frame->output;
  event_finder_skip_to(&watch->finder, frame);
  event_watch_log(watch, now->step, now->time_s, EVENT_NAME(resumed),
                  "from the checkpoint %s, at step %" PRIu64, path, now->step);
}

void event_watch_begin_session(struct event_watch *watch, struct logger *logger, const struct frame *frame) {
  watch->logger = logger;
  watch->finder.context = watch; // which was copied from the session before
  watch->misses_reported = watch->lost_reported = watch->dropped_reported = watch->faults_reported = 0;
  watch->report_times_at_step = watch->report_faults_at_step = 0;
  watch->report_server_at_step = 0;
  event_finder_skip_to(&watch->finder, frame);
}

void event_watch_frame(struct event_watch *watch, const struct frame *frame, double step_s) {
  event_watch_find_served(watch, &frame->output, step_s);
  event_find(&watch->finder, frame);
  event_watch_find_late(watch, frame, step_s);
  event_watch_find_page_faults(watch, frame, step_s);
}

void event_watch_finish(struct event_watch *watch, const struct frame *frame) {
  event_find(&watch->finder, frame); // verdicts on clock quantities
  event_watch_report_times(watch, frame);
  event_watch_report_page_faults(watch, frame);
}
