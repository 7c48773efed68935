#include "run/run.h"

#include "rt/os.h"

#include <inttypes.h>
#include <math.h>

enum { STATUS_EVERY_NS = 250000000 };

double run_position_error_m(const struct run *r, const struct sim_output *o) {
  return hypot(o->position_n_m[0] - r->closed_loop.target.position_n_m[0],
               o->position_n_m[1] - r->closed_loop.target.position_n_m[1]);
}

static void show_status(struct run *r, const struct frame *f) {
  const struct sim_output *o = &f->output;
  uint64_t now_ns = os_now_ns();
  if (!r->console.terminal || now_ns - r->shown_ns < STATUS_EVERY_NS)
    return;
  r->shown_ns = now_ns;
  console_status(&r->console,
                 "t %8.2f s  error %7.3f m  tension %7.1f kN  step %6.0f us  late %" PRIu64 "  lost %" PRIu64
                 "  command %s",
                 o->time_s, run_position_error_m(r, o), 1e-3 * o->hangoff_tension_n, f->timing.step_us,
                 f->timing.deadline_misses, f->timing.skipped_periods, command_state_name(f->command_state));
}

void run_frame(struct run *r, const struct frame *f) {
  r->last = *f;
  if (r->server) { // then the closed_loop is another thread's
    logger_counts(r->logger, server_counts(r->server));
  } else {
    struct command_counts inside = {.accepted = r->closed_loop.inside_accepted};
    logger_counts(r->logger, &inside);
  }
  if (r->server)
    server_publish(r->server, f);
  run_send_nmea(r, f);
  recorder_frame(&r->recorder, f, &r->closed_loop.target);
  event_watch_frame(&r->watch, f, r->session.config.sim.step_s);
  show_status(r, f);
}

void run_nodes(struct run *r, uint64_t step, double time_s, const struct sim_node *nodes) {
  if (r->server)
    server_publish_nodes(r->server, step, time_s, r->node_count, nodes);
  if (recorder_wants_nodes(&r->recorder, step))
    recorder_nodes(&r->recorder, step, time_s, r->node_count, nodes);
}

static void give_out(struct run *r) {
  const struct sim_output *o = &r->closed_loop.frame.output;
  run_frame(r, &r->closed_loop.frame);
  if (r->recorder.hashes.stream)
    recorder_hash(&r->recorder, o->step, sim_hash(r->session.sim));
  if (!r->nodes_every || o->step % r->nodes_every != 0)
    return;
  sim_get_nodes(r->session.sim, r->nodes);
  run_nodes(r, o->step, o->time_s, r->nodes);
}

void run_first_frame(struct run *r) {
  r->start_ns = os_now_ns();
  logger_step(r->logger, &r->closed_loop);
  give_out(r);
}

void run_step_here(struct run *r, const struct command *newest) {
  struct timing *t = &r->closed_loop.frame.timing;
  uint64_t begin_ns = os_now_ns();
  closed_loop_step(&r->closed_loop, newest);
  uint64_t step_ns = os_now_ns() - begin_ns;
  histogram_add(&r->times.step_ns, step_ns);
  t->step_us = 1e-3 * (double)step_ns;
  if (r->closed_loop.frame.output.step % r->timing_every == 0)
    times_fill(&r->times, t);
  logger_step(r->logger, &r->closed_loop);
  give_out(r);
  checkpointer_write_if_due(&r->checkpointer, &r->closed_loop);
  run_tell_checkpoints(r);
}

int run_stop_requested(struct run *r) {
  r->stop_signal = r->stop_ordered ? STOPPED_BY_ORDER : os_stop_requested();
  return r->stop_signal;
}

int run_goes_on(struct run *r) {
  const struct sim_output *o = &r->closed_loop.frame.output;
  if (o->fault || (r->steps_total && o->step >= r->steps_total))
    return 0;
  if (logger_wait_for_room(r->logger) != STATUS_OK) {
    r->log_failed = 1;
    return 0;
  }
  return !run_stop_requested(r);
}

void run_tell_checkpoints(struct run *r) {
  struct checkpointer_report report = checkpointer_report(&r->checkpointer), told = r->checkpoints_told;
  const struct sim_output *o = &r->last.output;
  r->checkpoints_told = report;
  if (report.failed != told.failed)
    event_watch_log(&r->watch, o->step, o->time_s, "checkpoint_failed", "%s", report.failure.text);
  if (report.skipped != told.skipped)
    event_watch_log(&r->watch, o->step, o->time_s, "checkpoint_skipped",
                    "the disk is slow: %" PRIu64 " checkpoints skipped in all", report.skipped);
}

void run_watch_descriptors(struct run *r) {
  const struct sim_output *o = &r->last.output;
  if (descriptors_look(&r->descriptors, r->server))
    event_watch_log(&r->watch, o->step, o->time_s, descriptors_event(&r->descriptors), "%s",
                    descriptors_text(&r->descriptors));
}

void run_server_failed(struct run *r, const struct reason *why) {
  console_line(&r->console, "the sockets failed: %s", why->text);
  r->trouble = END_SOCKETS;
}
