// Events of timing and network, each kind at most once a second of simulated time: on a machine that stalls,
// reports would otherwise add to the stall.
#include "session/event_watch.h"

#include "core/base/steps.h"

#include <inttypes.h>

static const double REPORT_EVERY_S = 1;

static uint64_t next_report(const struct sim_output *now, double step_s) {
  return now->step + steps_down(REPORT_EVERY_S, step_s);
}

void event_watch_report_times(struct event_watch *watch, const struct frame *frame) {
  const struct timing *timing = &frame->timing;
  const struct sim_output *now = &frame->output;
  if (timing->deadline_misses != watch->misses_reported)
    event_watch_log(watch, now->step, now->time_s, "deadline_miss",
                    "%" PRIu64 " more steps missed their deadline, %" PRIu64 " in all",
                    timing->deadline_misses - watch->misses_reported, timing->deadline_misses);
  if (timing->skipped_periods != watch->lost_reported)
    event_watch_log(watch, now->step, now->time_s, "periods_lost",
                    "%" PRIu64 " more periods lost, %" PRIu64
                    " in all; simulated time is %.3f s behind the wall clock",
                    timing->skipped_periods - watch->lost_reported, timing->skipped_periods, timing->lag_s);
  if (timing->dropped_frames != watch->dropped_reported)
    event_watch_log(watch, now->step, now->time_s, "frames_dropped",
                    "%" PRIu64 " more frames did not reach telemetry and record",
                    timing->dropped_frames - watch->dropped_reported);
  watch->misses_reported = timing->deadline_misses;
  watch->lost_reported = timing->skipped_periods;
  watch->dropped_reported = timing->dropped_frames;
}

void event_watch_find_late(struct event_watch *watch, const struct frame *frame, double step_s) {
  const struct timing *timing = &frame->timing;
  int changed = timing->deadline_misses != watch->misses_reported ||
                timing->skipped_periods != watch->lost_reported ||
                timing->dropped_frames != watch->dropped_reported;
  if (!changed || frame->output.step < watch->report_times_at_step)
    return;
  event_watch_report_times(watch, frame);
  watch->report_times_at_step = next_report(&frame->output, step_s);
}

// The server publishes each refusal itself; log and summary get their number.
void event_watch_find_refused(struct event_watch *watch, const struct sim_output *now, double step_s) {
  const struct command_counts *counts = watch->server ? server_counts(watch->server) : NULL;
  uint64_t refused = 0;
  int most = 0;
  for (int i = 0; counts && i < REFUSAL_COUNT; i++) {
    refused += counts->refused[i];
    most = counts->refused[i] > counts->refused[most] ? i : most;
  }
  if (refused == watch->refused_reported || now->step < watch->report_refused_at_step)
    return;
  event_watch_log_unpublished(watch, now->step, now->time_s, "refused",
                              "%" PRIu64 " more messages refused, %" PRIu64 " in all, most of them: %s",
                              refused - watch->refused_reported, refused, refusal_name((enum refusal)most));
  watch->refused_reported = refused;
  watch->report_refused_at_step = next_report(now, step_s);
}

void event_watch_find_served(struct event_watch *watch, const struct sim_output *now, double step_s) {
  if (!watch->server || now->step < watch->report_server_at_step)
    return;
  watch->report_server_at_step = next_report(now, step_s);

  uint64_t displaced = server_counts(watch->server)->displaced;
  if (displaced != watch->displaced_reported)
    event_watch_log_unpublished(
        watch, now->step, now->time_s, "controllers_made_way",
        "%" PRIu64 " more idle controllers removed to make room for new ones, %" PRIu64 " in all",
        displaced - watch->displaced_reported, displaced);
  watch->displaced_reported = displaced;

  const struct publisher_counts *counts = server_telemetry_counts(watch->server);
  uint64_t limited = counts->dropped + counts->ignored + counts->cut_off;
  if (limited != watch->telemetry_reported)
    event_watch_log(watch, now->step, now->time_s, "telemetry_limited",
                    "in all, %" PRIu64 " messages dropped for subscribers that do not read, %" PRIu64
                    " subscriptions to unknown topics ignored, %" PRIu64 " connections closed",
                    counts->dropped, counts->ignored, counts->cut_off);
  watch->telemetry_reported = limited;
}
