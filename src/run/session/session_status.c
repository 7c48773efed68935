// What the Status says of the session: the process adds its pauses and what concerns all sessions.
#include "os/cli/version.h"
#include "sagbend/math/trig.h"
#include "sagbend/rig/held_pose.h"
#include "net/messages/message_parts.h"
#include "net/messages/status_message.h"
#include "run/session/session.h"

#include "os/process/process.h"

#include "sagbend/v1/operator.pb-c.h"

#include <math.h>

struct session_pace session_pace(const struct session *session, const struct pauses *pauses,
                                 uint64_t now_ns) {
  uint64_t steps = session->last.output.step - session->first_step;
  uint64_t paused_ns = pauses_ns(pauses, now_ns) - session->paused_before_ns;
  return (struct session_pace){.steps = steps,
                               .simulated_s = (double)steps * session->setup->config.sim.step_s,
                               .wall_s = 1e-9 * (double)(now_ns - session->start_ns),
                               .paused_s = 1e-9 * (double)paused_ns};
}

static void fill_recording(struct session *session, struct wire_status *out) {
  const struct checkpointer *checkpointer = &session->outlets->checkpointer;
  if (session->logger) {
    struct logger_report report = logger_report(session->logger);
    out->message.log = &out->log;
    out->log.path = wire_status_text(out, logger_path(session->logger));
    out->log.stalled = report.stalled;
    for (int t = 0; t < LOG_TOPIC_COUNT; t++)
      out->log.dropped += report.dropped[t];
    out->log.commands_missing = report.commands_missing;
    out->log.replayable_to_step = report.commands_missing ? report.replayable_to_step : 0;
  }
  if (checkpointer->path) {
    struct checkpointer_report report = checkpointer_report(&session->outlets->checkpointer);
    out->message.checkpoint = &out->checkpoint;
    out->checkpoint.path = wire_status_text(out, checkpointer->path);
    out->checkpoint.written = report.written;
    out->checkpoint.skipped = report.skipped;
    out->checkpoint.failed = report.failed;
    out->checkpoint.last_step = report.last_step;
  }
}

static void fill_station(const struct session *session, struct wire_status *out) {
  const struct sim_output *now = &session->last.output;
  const struct loop_target *target = &session->last.target;
  Sagbend__V1__StationStatus *station = &out->station;
  const struct held_pose held = loop_held_pose(target, now);
  double c = cos(held.heading_rad), s = sin(held.heading_rad);
  double north_m = now->position_n_m[0] - held.position_n_m[0];
  double east_m = now->position_n_m[1] - held.position_n_m[1];
  out->message.station = station;
  station->state =
      now->fault ? SAGBEND__V1__RUN_STATE__RUN_STATE_FAULT : SAGBEND__V1__RUN_STATE__RUN_STATE_RUNNING;
  station->command_state = (Sagbend__V1__CommandState)(session->last.command_state + 1);
  station->offset_m = hypot(north_m, east_m);
  station->offset_north_m = north_m;
  station->offset_east_m = east_m;
  station->offset_forward_m = c * north_m + s * east_m;
  station->offset_starboard_m = c * east_m - s * north_m;
  station->heading_error_rad = trig_wrap(now->euler_rad[2] - held.heading_rad);
  const struct loop_view view = loop_view_of(&session->last, target);
  if (!wire_fill_route_position(&view, &out->route))
    return;
  station->route = &out->route;
  station->route_length_m = loop_on_route(target->track, now).length_m;
}

void session_fill_status(struct session *session, struct wire_status *out) {
  const struct timing *timing = &session->last.timing;
  Sagbend__V1__Status *message = &out->message;
  message->wall_s = 1e-9 * (double)(os_now_ns() - session->start_ns);
  message->duration_s = (double)session->steps_total * session->setup->config.sim.step_s;
  message->deadline_misses = timing->deadline_misses;
  message->skipped_periods = timing->skipped_periods;
  message->lag_s = timing->lag_s;
  message->version = wire_status_text(out, program_version());
  fill_station(session, out);
  wire_status_tensioner(out, &session->last.output);
  wire_status_commanded(out, &session->last, session->engine.loop.command_def.hold_wrench_b);
  fill_recording(session, out);
  const struct wire_alarms alarms = session_alarms(session, &session->last);
  if (session->last.command_state != COMMAND_WAITING)
    wire_status_alarms(out, &alarms);
}
