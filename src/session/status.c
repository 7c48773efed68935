// What the Status says of the session: the process adds its pauses and what concerns all sessions.
#include "cli/version.h"
#include "core/math/trig.h"
#include "io/codec/codec.h"
#include "session/session.h"

#include "rt/os.h"

#include <math.h>
#include <stdio.h>

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
  out->has_log = session->logger != NULL;
  if (session->logger) {
    struct logger_report report = logger_report(session->logger);
    wire_clean_text(out->log.path, sizeof out->log.path, logger_path(session->logger));
    out->log.stalled = report.stalled;
    for (int t = 0; t < LOG_TOPIC_COUNT; t++)
      out->log.dropped += report.dropped[t];
    out->log.commands_missing = report.commands_missing;
    out->log.replayable_to_step = report.commands_missing ? report.replayable_to_step : 0;
  }
  out->has_checkpoint = session->outlets->checkpointer.path != NULL;
  if (out->has_checkpoint) {
    struct checkpointer_report report = checkpointer_report(&session->outlets->checkpointer);
    wire_clean_text(out->checkpoint.path, sizeof out->checkpoint.path, session->outlets->checkpointer.path);
    out->checkpoint.written = report.written;
    out->checkpoint.skipped = report.skipped;
    out->checkpoint.failed = report.failed;
    out->checkpoint.last_step = report.last_step;
  }
}

static void fill_tensioner(const struct session *session, struct wire_status *out) {
  const struct sim_output *now = &session->last.output;
  const struct tensioner_output *tensioner = &now->tensioner;
  out->has_tensioner = now->has_tensioner;
  out->operation = now->operation;
  out->tensioner = (struct wire_tensioner_status){.ordered = tensioner->ordered,
                                                  .mode = tensioner->mode,
                                                  .source = tensioner->source,
                                                  .tension_n = tensioner->ordered_tension_n,
                                                  .speed_mps = tensioner->ordered_speed_mps,
                                                  .hangoff_tension_n = now->hangoff_tension_n,
                                                  .paid_out_m = now->paid_out_m,
                                                  .payout_mps = now->payout_mps};
}

static void fill_station(const struct session *session, struct wire_status *out) {
  const struct sim_output *now = &session->last.output;
  const struct loop_target *target = &session->last.target;
  struct wire_station *station = &out->station;
  double c = cos(target->heading_rad), s = sin(target->heading_rad);
  double *n = station->offset_n_m;
  out->has_station = 1;
  station->state = now->fault ? WIRE_FAULT : WIRE_RUNNING;
  station->command_state = session->last.command_state;
  n[0] = now->position_n_m[0] - target->position_n_m[0];
  n[1] = now->position_n_m[1] - target->position_n_m[1];
  station->offset_t_m[0] = c * n[0] + s * n[1];
  station->offset_t_m[1] = c * n[1] - s * n[0];
  station->heading_error_rad = trig_wrap(now->euler_rad[2] - target->heading_rad);
}

void session_fill_status(struct session *session, struct wire_status *out) {
  const struct timing *timing = &session->last.timing;
  out->wall_s = 1e-9 * (double)(os_now_ns() - session->start_ns);
  out->duration_s = (double)session->steps_total * session->setup->config.sim.step_s;
  out->deadline_misses = timing->deadline_misses;
  out->skipped_periods = timing->skipped_periods;
  out->lag_s = timing->lag_s;
  snprintf(out->version, sizeof out->version, "%s", program_version());
  fill_station(session, out);
  fill_tensioner(session, out);
  fill_recording(session, out);
}
