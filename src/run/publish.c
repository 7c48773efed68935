// How a frame leaves the run, in every mode: to the server, the NMEA ports, the record, the events and the
// status line. Runs in the thread that owns the sockets.
#include "run/run.h"

#include "rt/os.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { STATUS_EVERY_NS = 250000000 };

double run_position_error_m(const struct run *run, const struct sim_output *output) {
  const double *target = run->last.target.position_n_m;
  return hypot(output->position_n_m[0] - target[0], output->position_n_m[1] - target[1]);
}

int run_setpoint(const struct run *run, const struct loop_target *target, double setpoint[3]) {
  if (!target->order)
    return setup_setpoint(&run->setup, setpoint);
  memcpy(setpoint, target->position_n_m, sizeof target->position_n_m);
  setpoint[2] = target->heading_rad;
  return 1;
}

static void show_status(struct run *run, const struct frame *frame) {
  const struct sim_output *now = &frame->output;
  uint64_t now_ns = os_now_ns();
  if (!run->console.terminal || now_ns - run->status_shown_ns < STATUS_EVERY_NS)
    return;
  run->status_shown_ns = now_ns;
  console_status(&run->console,
                 "t %8.2f s  error %7.3f m  tension %7.1f kN  step %6.0f us  late %" PRIu64 "  lost %" PRIu64
                 "  command %s",
                 now->time_s, run_position_error_m(run, now), 1e-3 * now->hangoff_tension_n,
                 frame->timing.step_us, frame->timing.deadline_misses, frame->timing.skipped_periods,
                 command_state_name(frame->command_state));
}

// The log's topic timing carries the counters of commands. With a server the closed loop may belong to the
// step thread, so only the server's counters are read.
static void pass_counts_to_log(struct run *run) {
  struct command_counts inside = {.accepted = run->server ? 0 : run->closed_loop.inside_accepted};
  logger_counts(run->logger, run->server ? server_counts(run->server) : &inside);
}

void run_send_sensors(struct run *run, const struct frame *frame) {
  if (!run->server || !server_send_sensors(run->server, frame) || !frame->timing.ended_ns)
    return; // without an end: a restored state, which no step of this run has made
  uint64_t sent_ns = os_now_ns() - frame->timing.ended_ns;
  histogram_add(&run->sent_ns, sent_ns);
  run->sensors_sent.last_us = 1e-3 * (double)sent_ns;
}

// Only this thread knows when Sensors were sent.
static void update_sensors_sent(struct run *run) {
  if (run->last.output.step % run->timing_every == 0) {
    times_fill_latency(&run->sent_ns, &run->sensors_sent);
    logger_sensors_sent(run->logger, &run->sensors_sent);
  }
  run->last.timing.sensors_sent = run->sensors_sent;
}

void run_publish_frame(struct run *run, const struct frame *frame) {
  run->last = *frame;
  update_sensors_sent(run);
  pass_counts_to_log(run);
  run_count_frame(run, frame);
  if (run->server)
    server_publish(run->server, &run->last);
  run_send_nmea(run, frame);
  recorder_frame(&run->recorder, frame, &frame->target);
  event_watch_frame(&run->watch, frame, run->setup.config.sim.step_s);
  run_log_view(run, frame);
  logger_seen(run->logger, frame->output.step);
  show_status(run, frame);
}

void run_publish_nodes(struct run *run, uint64_t step, double time_s, int count,
                       const struct sim_node *nodes) {
  if (run->server)
    server_publish_nodes(run->server, step, time_s, count, nodes);
  if (recorder_wants_nodes(&run->recorder, step))
    recorder_nodes(&run->recorder, step, time_s, count, nodes);
}

void run_report_record(struct run *run) {
  const struct sim_output *now = &run->last.output;
  uint64_t missing = recorder_missing(&run->recorder);
  if (missing == run->record_missing_reported || now->step < run->report_record_at_step)
    return;
  run->record_missing_reported = missing;
  run->report_record_at_step = now->step + run->timing_every;
  event_watch_log(&run->watch, now->step, now->time_s, "record_dropped",
                  "missing in the record so far: %" PRIu64 " rows, %" PRIu64 " shapes, %" PRIu64
                  " laid nodes",
                  run->recorder.missing[RECORD_ROW], run->recorder.missing[RECORD_SHAPE],
                  run->recorder.missing[RECORD_LAID]);
}

void run_report_console(struct run *run) {
  const struct sim_output *now = &run->last.output;
  uint64_t lost = run->console.lost;
  if (lost == run->console_lost_reported || now->step < run->report_console_at_step)
    return;
  run->report_console_at_step = now->step + run->timing_every;
  event_watch_log(&run->watch, now->step, now->time_s, "console_dropped",
                  "nobody reads standard error: %" PRIu64 " lines are missing there so far", lost);
  run->console_lost_reported = run->console.lost; // the event itself may have found no room either
}

void run_check_descriptors(struct run *run) {
  const struct sim_output *now = &run->last.output;
  if (descriptors_check(&run->descriptors, run->server))
    event_watch_log(&run->watch, now->step, now->time_s, descriptors_event(&run->descriptors), "%s",
                    descriptors_text(&run->descriptors));
}

void run_server_failed(struct run *run, const struct reason *why) {
  console_line(&run->console, "the sockets failed: %s", why->text);
  run->trouble = END_SOCKETS;
}
