// Pauses of a run, as its main thread handles them: events, what controllers learn, and the Status.
#include "run/host/host.h"
#include "run/host/overrun.h"
#include "net/messages/status_message.h"

#include "os/process/process.h"

#include "sagbend/rig/host_event.h"
#include "sagbend/v1/operator.pb-c.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint64_t STATUS_EVERY_NS = 500000000; // so often that no client takes a pause for silence

enum held host_hold(const struct host *host) {
  return !host->pauses.now ? HELD_NOT : host->pauses.newest.halted ? HELD_BY_HALT : HELD_BY_PAUSE;
}

void host_begin_hold(struct host *host, enum held hold, const char *why) {
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
  event_watch_log(&host->session->watch, now->step, now->time_s,
                  pause.halted ? EVENT_NAME(halted) : EVENT_NAME(paused), "%s%s%s", why,
                  *pause.operator_name ? " by " : "", pause.operator_name);
  if (host->outlets.server) {
    server_hold(host->outlets.server, hold);
    server_publish_status(host->outlets.server, &host->session->last);
  }
}

void host_end_hold(struct host *host) {
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
  event_watch_log(&host->session->watch, now->step, now->time_s, EVENT_NAME(resumed), "by %s, after %.3f s",
                  *host->hold_operator ? host->hold_operator : "an operator",
                  pause_s(&host->pauses.newest, now_ns));
}

void host_note_hold(struct host *host, const struct frame *frame) {
  const struct timing *timing = &frame->timing;
  if (host->pauses.now && (timing->hold == HELD_NOT || timing->holds > host->pauses.count))
    host_end_hold(host);
  while (timing->holds > host->pauses.count) { // all but the newest began and ended between two frames
    enum held hold = timing->hold == HELD_BY_HALT ? HELD_BY_HALT : HELD_BY_PAUSE;
    const struct real_time *real_time = &timing->real_time;
    struct overrun_text overrun = overrun_text(&real_time->late, real_time->halted_after);
    host_begin_hold(host, hold, hold == HELD_BY_HALT ? overrun.text : "ordered");
    if (timing->holds > host->pauses.count || timing->hold == HELD_NOT)
      host_end_hold(host);
  }
}

void host_keep_status(struct host *host) {
  uint64_t now_ns = os_now_ns();
  session_keep_session(host->session, now_ns);
  if (!host->outlets.server || now_ns - host->status_published_ns < STATUS_EVERY_NS)
    return;
  host->status_published_ns = now_ns;
  server_publish_status(host->outlets.server, &host->session->last);
}

static void fill_pause(const struct host *host, uint64_t now_ns, struct wire_status *out) {
  const struct pauses *p = &host->pauses;
  out->message.pauses = p->count;
  out->message.paused_wall_s = 1e-9 * (double)pauses_ns(p, now_ns);
  if (!p->now)
    return;
  out->message.pause = &out->pause;
  out->pause.halted = p->newest.halted;
  out->pause.wall_s = pause_s(&p->newest, now_ns);
  out->pause.why = wire_status_text(out, p->newest.why);
  out->pause.operator_ = wire_status_text(out, p->newest.operator_name);
}

static void fill_earlier(const struct host *host, struct wire_status *out) {
  const struct earlier *e = &host->earlier;
  out->orders.failed = host->next.failed;
  out->orders.failure = wire_status_text(out, host->next.why.text);
  if (!e->count)
    return;
  out->message.earlier = &out->earlier;
  out->earlier.count = e->count;
  out->earlier.deadline_misses = e->deadline_misses;
  out->earlier.skipped_periods = e->skipped_periods;
  out->earlier.lag_s = e->lag_s;
  out->earlier.log_dropped = e->log_missing;
  out->earlier.logs_incomplete = e->logs_incomplete;
  out->earlier.verdicts_failed = e->verdicts.sessions;
}

static void fill_state(const struct host *host, struct wire_status *out) {
  if (out->station.state == SAGBEND__V1__RUN_STATE__RUN_STATE_RUNNING)
    out->station.state = host->pauses.now && host->pauses.newest.halted
                             ? SAGBEND__V1__RUN_STATE__RUN_STATE_HALTED
                         : host->pauses.now ? SAGBEND__V1__RUN_STATE__RUN_STATE_PAUSED
                         : host->waiting    ? SAGBEND__V1__RUN_STATE__RUN_STATE_WAITING
                                            : SAGBEND__V1__RUN_STATE__RUN_STATE_RUNNING;
}

void host_fill_status(void *context, struct wire_status *out) {
  struct host *host = context;
  session_fill_status(host->session, out);
  out->message.rate = host->setup.config.run.mode == RUN_REALTIME ? host->rate : 0;
  fill_state(host, out);
  fill_pause(host, os_now_ns(), out);
  fill_earlier(host, out);
}
