// Events of timing and network, each kind at most once a second of simulated time: on a machine that stalls,
// reports would otherwise add to the stall.
#include "run/setup/setup.h"

#include "sagbend/base/steps.h"
#include "sagbend/rig/host_event.h"

#include <inttypes.h>

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

void event_watch_report_times(struct event_watch *watch, const struct frame *frame) {
  const struct timing *timing = &frame->timing;
  const struct sim_output *now = &frame->output;
  keep_worst_late_step(watch, &timing->real_time.late);
  if (timing->deadline_misses != watch->misses_reported)
    event_watch_log(watch, now->step, now->time_s, EVENT_NAME(deadline_miss),
                    "%" PRIu64 " more steps missed their deadline, %" PRIu64 " in all",
                    timing->deadline_misses - watch->misses_reported, timing->deadline_misses);
  report_late_step(watch, now);
  if (timing->skipped_periods != watch->lost_reported)
    event_watch_log(watch, now->step, now->time_s, EVENT_NAME(periods_lost),
                    "%" PRIu64 " more periods lost, %" PRIu64
                    " in all; simulated time is %.3f s behind the wall clock",
                    timing->skipped_periods - watch->lost_reported, timing->skipped_periods, timing->lag_s);
  if (timing->dropped_frames != watch->dropped_reported)
    event_watch_log(watch, now->step, now->time_s, EVENT_NAME(frames_dropped),
                    "%" PRIu64 " more frames did not reach telemetry and record",
                    timing->dropped_frames - watch->dropped_reported);
  watch->misses_reported = timing->deadline_misses;
  watch->lost_reported = timing->skipped_periods;
  watch->dropped_reported = timing->dropped_frames;
}

void event_watch_find_late(struct event_watch *watch, const struct frame *frame, double step_s) {
  const struct timing *timing = &frame->timing;
  keep_worst_late_step(watch, &timing->real_time.late);
  // A step that begins late is counted at once; its stage times come with the next step.
  int changed = watch->worst_late.step || timing->deadline_misses != watch->misses_reported ||
                timing->skipped_periods != watch->lost_reported ||
                timing->dropped_frames != watch->dropped_reported;
  if (!changed || frame->output.step < watch->report_times_at_step)
    return;
  event_watch_report_times(watch, frame);
  watch->report_times_at_step = next_report(&frame->output, step_s);
}

void event_watch_report_page_faults(struct event_watch *watch, const struct frame *frame) {
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

void event_watch_find_page_faults(struct event_watch *watch, const struct frame *frame, double step_s) {
  if (frame->output.step < watch->report_faults_at_step)
    return;
  event_watch_report_page_faults(watch, frame);
  watch->report_faults_at_step = next_report(&frame->output, step_s);
}

void event_watch_find_served(struct event_watch *watch, const struct sim_output *now, double step_s) {
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
