// Finds the events of each step, late ones beside the step thread, and prints and logs them.
#include "run/setup/setup.h"

#include "sagbend/base/base.h"
#include "sagbend/events/events.h"
#include "sagbend/loop/loop.h"
#include "sagbend/rig/rig.h"

#include <inttypes.h>
#include <math.h>
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
  watch->jumps_reported = watch->jump_periods_reported = 0;
  watch->late_start_reported = 0;
  watch->report_times_at_step = watch->report_faults_at_step = 0;
  watch->report_server_at_step = 0;
  event_finder_skip_to(&watch->finder, frame);
}

static void event_watch_find_jump(struct event_watch *watch, const struct frame *frame);

static void event_watch_find_page_faults(struct event_watch *watch, const struct frame *frame, double step_s);

static void event_watch_find_late_start(struct event_watch *watch, const struct frame *frame);

static void event_watch_find_served(struct event_watch *watch, const struct sim_output *now, double step_s);

void event_watch_frame(struct event_watch *watch, const struct frame *frame, double step_s) {
  event_watch_find_served(watch, &frame->output, step_s);
  event_find(&watch->finder, frame);
  event_watch_find_late_start(watch, frame);
  event_watch_find_jump(watch, frame);
  event_watch_find_late(watch, frame, step_s);
  event_watch_find_page_faults(watch, frame, step_s);
}

static void event_watch_report_page_faults(struct event_watch *watch, const struct frame *frame);

static void event_watch_report_times(struct event_watch *watch, const struct frame *frame);

void event_watch_finish(struct event_watch *watch, const struct frame *frame) {
  event_find(&watch->finder, frame); // verdicts on clock quantities
  event_watch_find_jump(watch, frame);
  event_watch_report_times(watch, frame);
  event_watch_report_page_faults(watch, frame);
}

// ------------------------------------------------------------
// Events of timing and network, each kind at most once a second of simulated time: on a machine that stalls,
// reports would otherwise add to the stall.

static const double REPORT_EVERY_S = 1;

static uint64_t next_report(const struct sim_output *now, double step_s) {
  return now->step + steps_down(REPORT_EVERY_S, step_s);
}

// The worst of the late steps since the last report, with the stage that took the time.
static void report_late_step(struct event_watch *watch, const struct sim_output *now) {
  const struct late_step *late = &watch->worst_late;
  enum step_stage cause = late_step_cause(late);
  if (!late->step)
    return;
  event_watch_log(watch, now->step, now->time_s, EVENT_NAME(late_step),
                  "step %" PRIu64 ", t = %.3f s, ended %.0f us after its deadline; most of it in %s: %.0f us",
                  late->step, late->time_s, late->late_us, step_stage_name((int)cause),
                  late->stage_us[cause]);
  watch->worst_late.step = 0;
}

static void keep_worst_late_step(struct event_watch *watch, const struct late_step *late) {
  struct late_step *worst = &watch->worst_late;
  if (late->step > watch->late_seen && (!worst->step || late->late_us > worst->late_us))
    *worst = *late;
  watch->late_seen = late->step;
}

static void event_watch_report_times(struct event_watch *watch, const struct frame *frame) {
  const struct timing *timing = &frame->timing;
  const struct sim_output *now = &frame->output;
  keep_worst_late_step(watch, &timing->real_time.late);
  if (timing->late_steps != watch->misses_reported)
    event_watch_log(watch, now->step, now->time_s, EVENT_NAME(late_steps),
                    "%" PRIu64 " more steps missed their deadline, %" PRIu64 " in all",
                    timing->late_steps - watch->misses_reported, timing->late_steps);
  report_late_step(watch, now);
  if (timing->lost_periods != watch->lost_reported)
    event_watch_log(watch, now->step, now->time_s, EVENT_NAME(lost_periods),
                    "%" PRIu64 " more periods lost, %" PRIu64
                    " in all; simulated time is %.3f s behind the wall clock",
                    timing->lost_periods - watch->lost_reported, timing->lost_periods, timing->lag_s);
  if (timing->dropped_frames != watch->dropped_reported)
    event_watch_log(watch, now->step, now->time_s, EVENT_NAME(frames_dropped),
                    "%" PRIu64 " more frames did not reach telemetry and record",
                    timing->dropped_frames - watch->dropped_reported);
  watch->misses_reported = timing->late_steps;
  watch->lost_reported = timing->lost_periods;
  watch->dropped_reported = timing->dropped_frames;
}

void event_watch_find_late(struct event_watch *watch, const struct frame *frame, double step_s) {
  const struct timing *timing = &frame->timing;
  keep_worst_late_step(watch, &timing->real_time.late);
  // A step that begins late is counted at once; its stage times come with the next step.
  int changed = watch->worst_late.step || timing->late_steps != watch->misses_reported ||
                timing->lost_periods != watch->lost_reported ||
                timing->dropped_frames != watch->dropped_reported;
  if (!changed || frame->output.step < watch->report_times_at_step)
    return;
  event_watch_report_times(watch, frame);
  watch->report_times_at_step = next_report(&frame->output, step_s);
}

// Sentences state UTC of simulated time 0 as recorded.
static void event_watch_find_late_start(struct event_watch *watch, const struct frame *frame) {
  const double late_s = frame->timing.clock.start_late_s;
  const struct sim_output *now = &frame->output;
  if (late_s == 0 || watch->late_start_reported)
    return;
  watch->late_start_reported = 1;
  event_watch_log(watch, now->step, now->time_s, EVENT_NAME(started_late),
                  late_s > 0
                      ? "the first step was due %.3f s before the steps could begin (nmea.start_utc: now): "
                        "the UTC of sentences and Sensors is so much behind"
                      : "UTC was set back by %.3f s before the first step (nmea.start_utc: now): the UTC of "
                        "sentences and Sensors is so much ahead",
                  fabs(late_s));
}

// The periods that a jump takes are part of its event, not of lost_periods.
static void event_watch_find_jump(struct event_watch *watch, const struct frame *frame) {
  const struct rig_time *clock = &frame->timing.clock;
  const struct sim_output *now = &frame->output;
  if (clock->jumps == watch->jumps_reported)
    return;
  const uint64_t periods = clock->jump_periods - watch->jump_periods_reported;
  event_watch_log(watch, now->step, now->time_s, EVENT_NAME(clock_jumped),
                  "%s was set %s by %.6f s; %" PRIu64 " periods are lost, and the steps go on from there",
                  rig_clock_word(clock->clock), clock->newest_jump_s > 0 ? "forward" : "back",
                  fabs(clock->newest_jump_s), periods);
  watch->jumps_reported = clock->jumps;
  watch->jump_periods_reported = clock->jump_periods;
  watch->lost_reported += periods;
}

static void event_watch_report_page_faults(struct event_watch *watch, const struct frame *frame) {
  const struct real_time *r = &frame->timing.real_time;
  const struct sim_output *now = &frame->output;
  uint64_t faults = r->minor_faults + r->major_faults;
  if (faults == watch->faults_reported)
    return;
  event_watch_log(watch, now->step, now->time_s, EVENT_NAME(page_fault),
                  "the step thread waited for %" PRIu64 " more pages of memory, %" PRIu64 " in all, %" PRIu64
                  " of them from the disk",
                  faults - watch->faults_reported, faults, r->major_faults);
  watch->faults_reported = faults;
}

static void event_watch_find_page_faults(struct event_watch *watch, const struct frame *frame,
                                         double step_s) {
  if (frame->output.step < watch->report_faults_at_step)
    return;
  event_watch_report_page_faults(watch, frame);
  watch->report_faults_at_step = next_report(&frame->output, step_s);
}

static void event_watch_find_served(struct event_watch *watch, const struct sim_output *now, double step_s) {
  if (!watch->server || now->step < watch->report_server_at_step)
    return;
  watch->report_server_at_step = next_report(now, step_s);

  uint64_t displaced = server_counts(watch->server)->displaced;
  if (displaced != watch->displaced_reported)
    event_watch_log_unpublished(
        watch, now->step, now->time_s, EVENT_NAME(controllers_made_way),
        "%" PRIu64 " more idle controllers removed to make room for new ones, %" PRIu64 " in all",
        displaced - watch->displaced_reported, displaced);
  watch->displaced_reported = displaced;

  const struct publisher_counts *counts = server_telemetry_counts(watch->server);
  uint64_t limited = counts->dropped + counts->ignored + counts->cut_off;
  if (limited != watch->telemetry_reported)
    event_watch_log(watch, now->step, now->time_s, EVENT_NAME(telemetry_limited),
                    "in all, %" PRIu64 " messages dropped for subscribers that do not read, %" PRIu64
                    " subscriptions to unknown topics ignored, %" PRIu64 " connections closed",
                    counts->dropped, counts->ignored, counts->cut_off);
  watch->telemetry_reported = limited;
}

// ------------------------------------------------------------
void node_row_header(FILE *out) {
  fputs("s_m", out);
  for (int i = 0; i < NODE_COLUMN_COUNT; i++)
    if (node_columns[i].in_csv)
      fprintf(out, ",%s", node_columns[i].name);
}

void node_row(FILE *out, const struct sim_node *node) {
  double values[NODE_COLUMN_COUNT];
  node_values(node, values);
  fprintf(out, "%.12g", node->arc_length_m);
  for (int i = 0; i < NODE_COLUMN_COUNT; i++)
    if (node_columns[i].in_csv)
      fprintf(out, ",%.12g", isnan(values[i]) ? 0 : values[i]);
}
