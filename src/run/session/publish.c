// How a frame leaves the session, in every mode: to the server, the NMEA ports, the record, the events and
// the status line. Runs in the thread that owns the sockets.
#include "sagbend/rig/held_pose.h"
#include "run/session/session.h"

#include "sagbend/rig/host_event.h"
#include "os/process/process.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STATUS_EVERY_NS = 250000000 };

double session_position_error_m(const struct session *session, const struct sim_output *output) {
  const struct held_pose held = loop_held_pose(&session->last.target, output);
  return hypot(output->position_n_m[0] - held.position_n_m[0],
               output->position_n_m[1] - held.position_n_m[1]);
}

int session_setpoint(const struct session *session, const struct loop_target *target, double setpoint[3]) {
  if (!target->order)
    return setup_setpoint(session->setup, setpoint);
  memcpy(setpoint, target->position_n_m, sizeof target->position_n_m);
  setpoint[2] = target->heading_rad;
  return 1;
}

static void show_status(struct session *session, const struct frame *frame) {
  const struct sim_output *now = &frame->output;
  uint64_t now_ns = os_now_ns();
  if (!session->outlets->console.terminal || now_ns - session->outlets->status_shown_ns < STATUS_EVERY_NS)
    return;
  session->outlets->status_shown_ns = now_ns;
  char route[64] = "";
  const struct on_route at = loop_on_route(frame->target.track, now);
  if (at.length_m > 0)
    snprintf(route, sizeof route, "  route %.1f m of %.1f m", at.way_m, at.length_m);
  console_status(&session->outlets->console,
                 "t %8.2f s  error %7.3f m%s  tension %7.1f kN  step %6.0f us  late %" PRIu64
                 "  lost %" PRIu64 "  command %s",
                 now->time_s, session_position_error_m(session, now), route, 1e-3 * now->hangoff_tension_n,
                 frame->timing.step_us, frame->timing.deadline_misses, frame->timing.skipped_periods,
                 command_state_name(frame->command_state));
}

// The log's topic timing carries the counters of commands. With a server the closed loop may belong to the
// step thread, so only the server's counters are read.
static void pass_counts_to_log(struct session *session) {
  struct command_counts inside = {.accepted =
                                      session->outlets->server ? 0 : session->engine.loop.inside_accepted};
  logger_counts(session->logger,
                session->outlets->server ? server_counts(session->outlets->server) : &inside);
}

void session_send_sensors(struct session *session, const struct frame *frame) {
  if (!session->outlets->server || !server_send_sensors(session->outlets->server, frame) ||
      !frame->timing.ended_ns)
    return; // without an end: a restored state, which no step of this run has made
  uint64_t sent_ns = os_now_ns() - frame->timing.ended_ns;
  histogram_add(&session->sent_ns, sent_ns);
  session->sensors_sent.last_us = 1e-3 * (double)sent_ns;
}

// Only this thread knows when Sensors were sent.
static void update_sensors_sent(struct session *session) {
  if (session->last.output.step % session->timing_every == 0) {
    times_fill_latency(&session->sent_ns, &session->sensors_sent);
    logger_sensors_sent(session->logger, &session->sensors_sent);
  }
  session->last.timing.sensors_sent = session->sensors_sent;
}

void session_publish_frame(struct session *session, const struct frame *frame) {
  frame_copy(frame, &session->last);
  alarm_history_take(&session->alarms, &frame->alarms);
  session_publish_alarms(session, frame);
  update_sensors_sent(session);
  pass_counts_to_log(session);
  session_count_frame(session, frame);
  if (session->outlets->server)
    server_publish(session->outlets->server, &session->last);
  session_send_nmea(session, frame);
  recorder_frame(&session->outlets->recorder, frame, &frame->target);
  event_watch_frame(&session->watch, frame, session->setup->config.sim.step_s);
  session_log_view(session, frame);
  logger_seen(session->logger, frame->output.step);
  show_status(session, frame);
}

void session_publish_nodes(struct session *session, uint64_t step, double time_s, int count,
                           const struct sim_node *nodes) {
  if (session->outlets->server)
    server_publish_nodes(session->outlets->server, step, time_s, count, nodes);
  if (recorder_wants_nodes(&session->outlets->recorder, step))
    recorder_nodes(&session->outlets->recorder, step, time_s, count, nodes);
}

void session_report_record(struct session *session) {
  const struct sim_output *now = &session->last.output;
  uint64_t missing = recorder_missing(&session->outlets->recorder);
  if (missing == session->outlets->record_missing_reported || now->step < session->reported.record_at_step)
    return;
  session->outlets->record_missing_reported = missing;
  session->reported.record_at_step = now->step + session->timing_every;
  event_watch_log(
      &session->watch, now->step, now->time_s, EVENT_NAME(record_dropped),
      "missing in the record so far: %" PRIu64 " rows, %" PRIu64 " shapes, %" PRIu64 " laid nodes",
      session->outlets->recorder.missing[RECORD_ROW], session->outlets->recorder.missing[RECORD_SHAPE],
      session->outlets->recorder.missing[RECORD_LAID]);
}

void session_report_console(struct session *session) {
  const struct sim_output *now = &session->last.output;
  uint64_t lost = session->outlets->console.lost;
  if (lost == session->outlets->console_lost_reported || now->step < session->reported.console_at_step)
    return;
  session->reported.console_at_step = now->step + session->timing_every;
  event_watch_log(&session->watch, now->step, now->time_s, EVENT_NAME(console_dropped),
                  "nobody reads standard error: %" PRIu64 " lines are missing there so far", lost);
  session->outlets->console_lost_reported =
      session->outlets->console.lost; // the event itself may have found no room either
}

void session_server_failed(struct session *session, const struct reason *why) {
  console_line(&session->outlets->console, "the sockets failed: %s", why->text);
  session->stop.trouble = END_SOCKETS;
}
