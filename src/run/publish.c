// How a frame leaves the host, in every mode: to the server, the NMEA ports, the record, the events and the
// status line. Runs in the thread that owns the sockets.
#include "run/run.h"

#include "rt/os.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { STATUS_EVERY_NS = 250000000 };

double run_position_error_m(const struct host *host, const struct sim_output *output) {
  const double *target = host->session->last.target.position_n_m;
  return hypot(output->position_n_m[0] - target[0], output->position_n_m[1] - target[1]);
}

int run_setpoint(const struct host *host, const struct loop_target *target, double setpoint[3]) {
  if (!target->order)
    return setup_setpoint(&host->setup, setpoint);
  memcpy(setpoint, target->position_n_m, sizeof target->position_n_m);
  setpoint[2] = target->heading_rad;
  return 1;
}

static void show_status(struct host *host, const struct frame *frame) {
  const struct sim_output *now = &frame->output;
  uint64_t now_ns = os_now_ns();
  if (!host->outlets.console.terminal || now_ns - host->outlets.status_shown_ns < STATUS_EVERY_NS)
    return;
  host->outlets.status_shown_ns = now_ns;
  console_status(&host->outlets.console,
                 "t %8.2f s  error %7.3f m  tension %7.1f kN  step %6.0f us  late %" PRIu64 "  lost %" PRIu64
                 "  command %s",
                 now->time_s, run_position_error_m(host, now), 1e-3 * now->hangoff_tension_n,
                 frame->timing.step_us, frame->timing.deadline_misses, frame->timing.skipped_periods,
                 command_state_name(frame->command_state));
}

// The log's topic timing carries the counters of commands. With a server the closed loop may belong to the
// step thread, so only the server's counters are read.
static void pass_counts_to_log(struct host *host) {
  struct command_counts inside = {.accepted = host->outlets.server ? 0 : host->session->loop.inside_accepted};
  logger_counts(host->session->logger, host->outlets.server ? server_counts(host->outlets.server) : &inside);
}

void run_send_sensors(struct host *host, const struct frame *frame) {
  if (!host->outlets.server || !server_send_sensors(host->outlets.server, frame) || !frame->timing.ended_ns)
    return; // without an end: a restored state, which no step of this run has made
  uint64_t sent_ns = os_now_ns() - frame->timing.ended_ns;
  histogram_add(&host->session->sent_ns, sent_ns);
  host->session->sensors_sent.last_us = 1e-3 * (double)sent_ns;
}

// Only this thread knows when Sensors were sent.
static void update_sensors_sent(struct host *host) {
  if (host->session->last.output.step % host->session->timing_every == 0) {
    times_fill_latency(&host->session->sent_ns, &host->session->sensors_sent);
    logger_sensors_sent(host->session->logger, &host->session->sensors_sent);
  }
  host->session->last.timing.sensors_sent = host->session->sensors_sent;
}

void run_publish_frame(struct host *host, const struct frame *frame) {
  host->session->last = *frame;
  update_sensors_sent(host);
  pass_counts_to_log(host);
  run_count_frame(host, frame);
  if (host->outlets.server)
    server_publish(host->outlets.server, &host->session->last);
  run_send_nmea(host, frame);
  recorder_frame(&host->outlets.recorder, frame, &frame->target);
  event_watch_frame(&host->session->watch, frame, host->setup.config.sim.step_s);
  run_log_view(host, frame);
  logger_seen(host->session->logger, frame->output.step);
  show_status(host, frame);
}

void run_publish_nodes(struct host *host, uint64_t step, double time_s, int count,
                       const struct sim_node *nodes) {
  if (host->outlets.server)
    server_publish_nodes(host->outlets.server, step, time_s, count, nodes);
  if (recorder_wants_nodes(&host->outlets.recorder, step))
    recorder_nodes(&host->outlets.recorder, step, time_s, count, nodes);
}

void run_report_record(struct host *host) {
  const struct sim_output *now = &host->session->last.output;
  uint64_t missing = recorder_missing(&host->outlets.recorder);
  if (missing == host->outlets.record_missing_reported || now->step < host->session->reported.record_at_step)
    return;
  host->outlets.record_missing_reported = missing;
  host->session->reported.record_at_step = now->step + host->session->timing_every;
  event_watch_log(&host->session->watch, now->step, now->time_s, "record_dropped",
                  "missing in the record so far: %" PRIu64 " rows, %" PRIu64 " shapes, %" PRIu64
                  " laid nodes",
                  host->outlets.recorder.missing[RECORD_ROW], host->outlets.recorder.missing[RECORD_SHAPE],
                  host->outlets.recorder.missing[RECORD_LAID]);
}

void run_report_console(struct host *host) {
  const struct sim_output *now = &host->session->last.output;
  uint64_t lost = host->outlets.console.lost;
  if (lost == host->outlets.console_lost_reported || now->step < host->session->reported.console_at_step)
    return;
  host->session->reported.console_at_step = now->step + host->session->timing_every;
  event_watch_log(&host->session->watch, now->step, now->time_s, "console_dropped",
                  "nobody reads standard error: %" PRIu64 " lines are missing there so far", lost);
  host->outlets.console_lost_reported =
      host->outlets.console.lost; // the event itself may have found no room either
}

void run_check_descriptors(struct host *host) {
  const struct sim_output *now = &host->session->last.output;
  if (descriptors_check(&host->descriptors, host->outlets.server))
    event_watch_log(&host->session->watch, now->step, now->time_s, descriptors_event(&host->descriptors),
                    "%s", descriptors_text(&host->descriptors));
}

void run_server_failed(struct host *host, const struct reason *why) {
  console_line(&host->outlets.console, "the sockets failed: %s", why->text);
  host->session->stop.trouble = END_SOCKETS;
}
