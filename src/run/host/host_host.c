// The middle of a run: steps in its mode, judgement, results. host.c is before it.
#include "run/host/host.h"

#include "run/session/verdicts.h"

#include "os/process/process.h"

#include <inttypes.h>
#include <string.h>

static void step_in_mode(struct host *host) {
  switch (host->setup.config.run.mode) {
  case RUN_REALTIME:
    host_run_realtime(host);
    break;
  case RUN_LOCKSTEP:
    host_run_lockstep(host);
    break;
  case RUN_FAST:
    host_run_fast(host);
  }
}

// Without a service manager there is nothing to start; one that does not hear does not stop the run.
static void start_supervisor(struct host *host) {
  struct reason why;
  if (supervisor_start(&host->pulse, stderr, &host->supervisor, &why) != STATUS_OK)
    console_line(&host->outlets.console, "warning: %s", why.text);
}

void host_beat(struct host *host) {
  const struct timing *timing = &host->session->last.timing;
  atomic_store_explicit(&host->pulse.step, host->session->last.output.step, memory_order_relaxed);
  atomic_store_explicit(&host->pulse.paused, host->pauses.now != 0, memory_order_relaxed);
  atomic_store_explicit(&host->pulse.late_steps, timing->deadline_misses, memory_order_relaxed);
  atomic_store_explicit(&host->pulse.lag_us, (uint64_t)(1e6 * timing->lag_s), memory_order_relaxed);
  pulse_beat(&host->pulse.main_beats);
}

void host_check_descriptors(struct host *host) {
  const struct sim_output *now = &host->session->last.output;
  if (descriptors_check(&host->descriptors, host->outlets.server))
    event_watch_log(&host->session->watch, now->step, now->time_s, descriptors_event(&host->descriptors),
                    "%s", descriptors_text(&host->descriptors));
}

void host_publish_first(struct host *host) {
  if (host->next.goes_on)
    return;
  session_publish_first(host->session, &host->pauses);
  host->session->last.timing.hold = host_hold(host); // a session may begin in a pause of the one before
}

int host_may_step(struct host *host) {
  host_beat(host);
  return session_may_step(host->session);
}

void host_run(struct host *host) {
  event_watch_init(&host->session->watch, &host->outlets.console, host->outlets.server, host->session->logger,
                   &host->setup.config.scenario);
  host_report_resumption(host);

  enum pulse_phase beating = host->setup.config.run.mode == RUN_REALTIME ? PULSE_STEPPING : PULSE_SERVING;
  start_supervisor(host);
  do {
    atomic_store(&host->pulse.phase, beating);
    step_in_mode(host);
    atomic_store(&host->pulse.phase, PULSE_STARTING); // between two sessions no thread has to beat
  } while (host_begin_next_session(host));
  session_end_steps(host->session);
  atomic_store(&host->pulse.phase, PULSE_ENDING);
  supervisor_stopping(host->supervisor);

  host->session->end_ns = os_now_ns();
  times_fill(&host->session->times, &host->session->last.timing);
  times_fill_latency(&host->session->sent_ns, &host->session->last.timing.sensors_sent);
  checkpointer_finish(&host->outlets.checkpointer, &host->session->engine.loop);
  session_report_checkpoints(host->session);
  snapshots_settle(&host->snapshots, UINT64_MAX / 2);
  host_report_snapshots(host);
  console_end(&host->outlets.console);
}

// A record that is not whole on the disk fails the run, and the summary states it.
static void close_record(struct host *host) {
  struct reason why;
  if (recorder_close(&host->outlets.recorder, &why) != STATUS_OK)
    outcome_fail(host->session, "%s", why.text);
}

uint64_t host_halts(const struct host *host) {
  return host->earlier.halts + host->session->last.timing.real_time.halts;
}

void host_judge(struct host *host) {
  const struct sim_output *now = &host->session->last.output;
  outcome_find(host->session, &host->pauses, host_halts(host));
  earlier_judge(&host->earlier, host->session);
  session_publish_last_status(host->session);
  char result[512];
  outcome_result(host->session, result, sizeof result);
  if (host->outlets.server) // before a slow disk delays what follows: meanwhile nobody answers a peer's PING
    server_publish_end(host->outlets.server, now->step, now->time_s, run_end_text(host->session->outcome.end),
                       result);
  session_finish_log(host->session);
  close_record(host);
  outcome_add_verdicts(host->session);
  outcome_print(host->session);
}

static enum status write_junit(struct host *host, struct reason *why) {
  return verdicts_write_junit(host->session, &host->junit, why);
}

// Each as far as possible, whatever became of the one before.
static enum status write_files(struct host *host) {
  enum status (*const writers[])(struct host *, struct reason *) = {summary_write, write_junit};
  enum status worst = STATUS_OK;
  for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
    struct reason why = {""};
    enum status status = writers[i](host, &why);
    if (status == STATUS_OK)
      continue;
    worst = status;
    console_line(&host->outlets.console, "%s", why.text);
  }
  return worst;
}

enum status host_write_results(struct host *host) {
  const char *summary_path = host->options->summary_path;
  console_settle(&host->outlets.console); // what is not written then is lost
  enum status status = write_files(host);
  if (recorder_missing(&host->outlets.recorder))
    console_line(&host->outlets.console,
                 "the record is not complete: %" PRIu64 " rows, %" PRIu64 " shapes and %" PRIu64
                 " laid nodes are missing",
                 host->outlets.recorder.missing[RECORD_ROW], host->outlets.recorder.missing[RECORD_SHAPE],
                 host->outlets.recorder.missing[RECORD_LAID]);
  console_settle(&host->outlets.console);
  if (!summary_path || strcmp(summary_path, "-") != 0)
    summary_print(host);
  return status;
}
