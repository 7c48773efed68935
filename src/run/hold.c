// Pauses of a run, as its main thread handles them: events, what controllers learn, and the Status.
#include "cli/version.h"
#include "core/math/trig.h"
#include "io/codec/codec.h"
#include "run/overrun.h"
#include "run/run.h"

#include "rt/os.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint64_t STATUS_EVERY_NS = 500000000; // so often that no client takes a pause for silence

void run_note_order(struct run *run, const struct order *order) {
  run->stop_ordered |= order->kind == ORDER_STOP;
  if (order->kind == ORDER_RATE)
    run->rate = order->rate;
  if (order->kind == ORDER_PAUSE || order->kind == ORDER_RESUME)
    memcpy(run->hold_operator, order->operator_name, sizeof run->hold_operator);
}

void run_begin_hold(struct run *run, enum held hold, const char *why) {
  const struct sim_output *now = &run->last.output;
  struct pause pause = {
      .step = now->step, .time_s = now->time_s, .halted = hold == HELD_BY_HALT, .begin_ns = os_now_ns()};
  if (run->pauses.now)
    return;
  run->last.timing.hold = hold; // for those who read the newest frame; in lockstep no other place states it
  if (!pause.halted)
    snprintf(pause.operator_name, sizeof pause.operator_name, "%s", run->hold_operator);
  snprintf(pause.why, sizeof pause.why, "%s", why);
  pauses_begin(&run->pauses, &pause);
  event_watch_log(&run->watch, now->step, now->time_s, pause.halted ? "halted" : "paused", "%s%s%s", why,
                  *pause.operator_name ? " by " : "", pause.operator_name);
  if (run->server) {
    server_hold(run->server, hold);
    server_publish_status(run->server, &run->last);
  }
}

void run_end_hold(struct run *run) {
  const struct sim_output *now = &run->last.output;
  uint64_t now_ns = os_now_ns();
  if (!run->pauses.now)
    return;
  pauses_end(&run->pauses, now_ns);
  run->last.timing.hold = HELD_NOT;
  if (run->server) {
    server_publish_status(run->server, &run->last); // controllers learn of the end of the pause, too
    server_hold(run->server, HELD_NOT);
  }
  event_watch_log(&run->watch, now->step, now->time_s, "resumed", "by %s, after %.3f s",
                  *run->hold_operator ? run->hold_operator : "an operator",
                  pause_s(&run->pauses.newest, now_ns));
}

void run_note_hold(struct run *run, const struct frame *frame) {
  const struct timing *timing = &frame->timing;
  if (run->pauses.now && (timing->hold == HELD_NOT || timing->holds > run->pauses.count))
    run_end_hold(run);
  while (timing->holds > run->pauses.count) { // all but the newest began and ended between two frames
    enum held hold = timing->hold == HELD_BY_HALT ? HELD_BY_HALT : HELD_BY_PAUSE;
    const struct real_time *real_time = &timing->real_time;
    struct overrun_text overrun = overrun_text(&real_time->late, real_time->halted_after);
    run_begin_hold(run, hold, hold == HELD_BY_HALT ? overrun.text : "ordered");
    if (timing->holds > run->pauses.count || timing->hold == HELD_NOT)
      run_end_hold(run);
  }
}

void run_keep_status(struct run *run) {
  uint64_t now_ns = os_now_ns();
  run_keep_session(run, now_ns);
  if (!run->server || now_ns - run->status_published_ns < STATUS_EVERY_NS)
    return;
  run->status_published_ns = now_ns;
  server_publish_status(run->server, &run->last);
}

struct run_pace run_pace(const struct run *run, uint64_t now_ns) {
  uint64_t steps = run->last.output.step - run->first_step;
  uint64_t paused_ns = pauses_ns(&run->pauses, now_ns) - run->paused_before_ns;
  return (struct run_pace){.steps = steps,
                           .simulated_s = (double)steps * run->setup.config.sim.step_s,
                           .wall_s = 1e-9 * (double)(now_ns - run->start_ns),
                           .paused_s = 1e-9 * (double)paused_ns};
}

static void fill_pause(const struct run *run, uint64_t now_ns, struct wire_status *out) {
  const struct pauses *p = &run->pauses;
  out->pauses = p->count;
  out->paused_wall_s = 1e-9 * (double)pauses_ns(p, now_ns);
  out->is_paused = p->now;
  if (!p->now)
    return;
  out->pause.halted = p->newest.halted;
  out->pause.wall_s = pause_s(&p->newest, now_ns);
  wire_clean_text(out->pause.why, sizeof out->pause.why, p->newest.why);
  wire_clean_text(out->pause.operator_name, sizeof out->pause.operator_name, p->newest.operator_name);
}

static void fill_recording(struct run *run, struct wire_status *out) {
  out->has_log = run->logger != NULL;
  if (run->logger) {
    struct logger_report report = logger_report(run->logger);
    wire_clean_text(out->log.path, sizeof out->log.path, logger_path(run->logger));
    out->log.stalled = report.stalled;
    for (int t = 0; t < LOG_TOPIC_COUNT; t++)
      out->log.dropped += report.dropped[t];
    out->log.commands_missing = report.commands_missing;
    out->log.replayable_to_step = report.commands_missing ? report.replayable_to_step : 0;
  }
  out->has_checkpoint = run->checkpointer.path != NULL;
  if (out->has_checkpoint) {
    struct checkpointer_report report = checkpointer_report(&run->checkpointer);
    wire_clean_text(out->checkpoint.path, sizeof out->checkpoint.path, run->checkpointer.path);
    out->checkpoint.written = report.written;
    out->checkpoint.skipped = report.skipped;
    out->checkpoint.failed = report.failed;
    out->checkpoint.last_step = report.last_step;
  }
}

static void fill_earlier(const struct run *run, struct wire_status *out) {
  const struct earlier *e = &run->earlier;
  out->earlier = (struct wire_earlier){.count = e->count,
                                       .deadline_misses = e->deadline_misses,
                                       .skipped_periods = e->skipped_periods,
                                       .lag_s = e->lag_s,
                                       .log_dropped = e->log_missing,
                                       .logs_incomplete = e->logs_incomplete,
                                       .verdicts_failed = e->verdicts.sessions};
  out->orders_failed = run->restart.failed;
  wire_clean_text(out->order_failure, sizeof out->order_failure, run->restart.why.text);
}

static void fill_tensioner(const struct run *run, struct wire_status *out) {
  const struct sim_output *now = &run->last.output;
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

static void fill_station(const struct run *run, struct wire_status *out) {
  const struct sim_output *now = &run->last.output;
  const struct loop_target *target = &run->last.target;
  struct wire_station *station = &out->station;
  double c = cos(target->heading_rad), s = sin(target->heading_rad);
  double *n = station->offset_n_m;
  out->has_station = 1;
  station->state = now->fault                                     ? WIRE_FAULT
                   : run->pauses.now && run->pauses.newest.halted ? WIRE_HALTED
                   : run->pauses.now                              ? WIRE_PAUSED
                   : run->waiting                                 ? WIRE_WAITING
                                                                  : WIRE_RUNNING;
  station->command_state = run->last.command_state;
  n[0] = now->position_n_m[0] - target->position_n_m[0];
  n[1] = now->position_n_m[1] - target->position_n_m[1];
  station->offset_t_m[0] = c * n[0] + s * n[1];
  station->offset_t_m[1] = c * n[1] - s * n[0];
  station->heading_error_rad = trig_wrap(now->euler_rad[2] - target->heading_rad);
}

void run_fill_status(void *context, struct wire_status *out) {
  struct run *run = context;
  const struct timing *timing = &run->last.timing;
  uint64_t now_ns = os_now_ns();
  out->wall_s = 1e-9 * (double)(now_ns - run->start_ns);
  out->rate = run->setup.config.run.mode == RUN_REALTIME ? run->rate : 0;
  out->duration_s = (double)run->steps_total * run->setup.config.sim.step_s;
  out->deadline_misses = timing->deadline_misses;
  out->skipped_periods = timing->skipped_periods;
  out->lag_s = timing->lag_s;
  snprintf(out->version, sizeof out->version, "%s", program_version());
  fill_station(run, out);
  fill_tensioner(run, out);
  fill_pause(run, now_ns, out);
  fill_recording(run, out);
  fill_earlier(run, out);
}
