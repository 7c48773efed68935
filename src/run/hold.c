// Pauses of a host, as its main thread handles them: events, what controllers learn, and the Status.
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

void run_note_order(struct host *host, const struct order *order) {
  host->session->stop.ordered |= order->kind == ORDER_STOP;
  if (order->kind == ORDER_RATE)
    host->rate = order->rate;
  if (order->kind == ORDER_PAUSE || order->kind == ORDER_RESUME)
    memcpy(host->hold_operator, order->operator_name, sizeof host->hold_operator);
}

void run_begin_hold(struct host *host, enum held hold, const char *why) {
  const struct sim_output *now = &host->session->last.output;
  struct pause pause = {
      .step = now->step, .time_s = now->time_s, .halted = hold == HELD_BY_HALT, .begin_ns = os_now_ns()};
  if (host->pauses.now)
    return;
  host->session->last.timing.hold =
      hold; // for those who read the newest frame; in lockstep no other place states it
  if (!pause.halted)
    snprintf(pause.operator_name, sizeof pause.operator_name, "%s", host->hold_operator);
  snprintf(pause.why, sizeof pause.why, "%s", why);
  pauses_begin(&host->pauses, &pause);
  event_watch_log(&host->session->watch, now->step, now->time_s, pause.halted ? "halted" : "paused", "%s%s%s",
                  why, *pause.operator_name ? " by " : "", pause.operator_name);
  if (host->outlets.server) {
    server_hold(host->outlets.server, hold);
    server_publish_status(host->outlets.server, &host->session->last);
  }
}

void run_end_hold(struct host *host) {
  const struct sim_output *now = &host->session->last.output;
  uint64_t now_ns = os_now_ns();
  if (!host->pauses.now)
    return;
  pauses_end(&host->pauses, now_ns);
  host->session->last.timing.hold = HELD_NOT;
  if (host->outlets.server) {
    server_publish_status(host->outlets.server,
                          &host->session->last); // controllers learn of the end of the pause, too
    server_hold(host->outlets.server, HELD_NOT);
  }
  event_watch_log(&host->session->watch, now->step, now->time_s, "resumed", "by %s, after %.3f s",
                  *host->hold_operator ? host->hold_operator : "an operator",
                  pause_s(&host->pauses.newest, now_ns));
}

void run_note_hold(struct host *host, const struct frame *frame) {
  const struct timing *timing = &frame->timing;
  if (host->pauses.now && (timing->hold == HELD_NOT || timing->holds > host->pauses.count))
    run_end_hold(host);
  while (timing->holds > host->pauses.count) { // all but the newest began and ended between two frames
    enum held hold = timing->hold == HELD_BY_HALT ? HELD_BY_HALT : HELD_BY_PAUSE;
    const struct real_time *real_time = &timing->real_time;
    struct overrun_text overrun = overrun_text(&real_time->late, real_time->halted_after);
    run_begin_hold(host, hold, hold == HELD_BY_HALT ? overrun.text : "ordered");
    if (timing->holds > host->pauses.count || timing->hold == HELD_NOT)
      run_end_hold(host);
  }
}

void run_keep_status(struct host *host) {
  uint64_t now_ns = os_now_ns();
  run_keep_session(host, now_ns);
  if (!host->outlets.server || now_ns - host->status_published_ns < STATUS_EVERY_NS)
    return;
  host->status_published_ns = now_ns;
  server_publish_status(host->outlets.server, &host->session->last);
}

struct run_pace run_pace(const struct host *host, uint64_t now_ns) {
  uint64_t steps = host->session->last.output.step - host->session->first_step;
  uint64_t paused_ns = pauses_ns(&host->pauses, now_ns) - host->session->paused_before_ns;
  return (struct run_pace){.steps = steps,
                           .simulated_s = (double)steps * host->setup.config.sim.step_s,
                           .wall_s = 1e-9 * (double)(now_ns - host->session->start_ns),
                           .paused_s = 1e-9 * (double)paused_ns};
}

static void fill_pause(const struct host *host, uint64_t now_ns, struct wire_status *out) {
  const struct pauses *p = &host->pauses;
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

static void fill_recording(struct host *host, struct wire_status *out) {
  out->has_log = host->session->logger != NULL;
  if (host->session->logger) {
    struct logger_report report = logger_report(host->session->logger);
    wire_clean_text(out->log.path, sizeof out->log.path, logger_path(host->session->logger));
    out->log.stalled = report.stalled;
    for (int t = 0; t < LOG_TOPIC_COUNT; t++)
      out->log.dropped += report.dropped[t];
    out->log.commands_missing = report.commands_missing;
    out->log.replayable_to_step = report.commands_missing ? report.replayable_to_step : 0;
  }
  out->has_checkpoint = host->outlets.checkpointer.path != NULL;
  if (out->has_checkpoint) {
    struct checkpointer_report report = checkpointer_report(&host->outlets.checkpointer);
    wire_clean_text(out->checkpoint.path, sizeof out->checkpoint.path, host->outlets.checkpointer.path);
    out->checkpoint.written = report.written;
    out->checkpoint.skipped = report.skipped;
    out->checkpoint.failed = report.failed;
    out->checkpoint.last_step = report.last_step;
  }
}

static void fill_earlier(const struct host *host, struct wire_status *out) {
  const struct earlier *e = &host->earlier;
  out->earlier = (struct wire_earlier){.count = e->count,
                                       .deadline_misses = e->deadline_misses,
                                       .skipped_periods = e->skipped_periods,
                                       .lag_s = e->lag_s,
                                       .log_dropped = e->log_missing,
                                       .logs_incomplete = e->logs_incomplete,
                                       .verdicts_failed = e->verdicts.sessions};
  out->orders_failed = host->next.failed;
  wire_clean_text(out->order_failure, sizeof out->order_failure, host->next.why.text);
}

static void fill_tensioner(const struct host *host, struct wire_status *out) {
  const struct sim_output *now = &host->session->last.output;
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

static void fill_station(const struct host *host, struct wire_status *out) {
  const struct sim_output *now = &host->session->last.output;
  const struct loop_target *target = &host->session->last.target;
  struct wire_station *station = &out->station;
  double c = cos(target->heading_rad), s = sin(target->heading_rad);
  double *n = station->offset_n_m;
  out->has_station = 1;
  station->state = now->fault                                       ? WIRE_FAULT
                   : host->pauses.now && host->pauses.newest.halted ? WIRE_HALTED
                   : host->pauses.now                               ? WIRE_PAUSED
                   : host->waiting                                  ? WIRE_WAITING
                                                                    : WIRE_RUNNING;
  station->command_state = host->session->last.command_state;
  n[0] = now->position_n_m[0] - target->position_n_m[0];
  n[1] = now->position_n_m[1] - target->position_n_m[1];
  station->offset_t_m[0] = c * n[0] + s * n[1];
  station->offset_t_m[1] = c * n[1] - s * n[0];
  station->heading_error_rad = trig_wrap(now->euler_rad[2] - target->heading_rad);
}

void run_fill_status(void *context, struct wire_status *out) {
  struct host *host = context;
  const struct timing *timing = &host->session->last.timing;
  uint64_t now_ns = os_now_ns();
  out->wall_s = 1e-9 * (double)(now_ns - host->session->start_ns);
  out->rate = host->setup.config.run.mode == RUN_REALTIME ? host->rate : 0;
  out->duration_s = (double)host->session->steps_total * host->setup.config.sim.step_s;
  out->deadline_misses = timing->deadline_misses;
  out->skipped_periods = timing->skipped_periods;
  out->lag_s = timing->lag_s;
  snprintf(out->version, sizeof out->version, "%s", program_version());
  fill_station(host, out);
  fill_tensioner(host, out);
  fill_pause(host, now_ns, out);
  fill_recording(host, out);
  fill_earlier(host, out);
}
