// The middle of a run: steps in its mode, judgement, results. prepare.c is before it.
#include "run/run.h"

#include "run/restart.h"
#include "run/summary.h"
#include "run/verdicts.h"

#include "rt/os.h"

#include <inttypes.h>
#include <string.h>

static void step_in_mode(struct run *run) {
  switch (run->setup.config.run.mode) {
  case RUN_REALTIME:
    run_realtime(run);
    break;
  case RUN_LOCKSTEP:
    run_lockstep(run);
    break;
  case RUN_FAST:
    run_fast(run);
  }
}

// Without a service manager there is nothing to start; one that does not hear does not stop the run.
static void start_supervisor(struct run *run) {
  struct reason why;
  if (supervisor_start(&run->pulse, stderr, &run->supervisor, &why) != STATUS_OK)
    console_line(&run->console, "warning: %s", why.text);
}

void run_beat(struct run *run) {
  const struct timing *timing = &run->last.timing;
  atomic_store_explicit(&run->pulse.step, run->last.output.step, memory_order_relaxed);
  atomic_store_explicit(&run->pulse.paused, run->pauses.now != 0, memory_order_relaxed);
  atomic_store_explicit(&run->pulse.late_steps, timing->deadline_misses, memory_order_relaxed);
  atomic_store_explicit(&run->pulse.lag_us, (uint64_t)(1e6 * timing->lag_s), memory_order_relaxed);
  pulse_beat(&run->pulse.main_beats);
}

// A step that was late shows it at its end only.
void run_end_steps(struct run *run) {
  if (run->setup.config.run.mode != RUN_REALTIME)
    return;
  closed_loop_judge_end(&run->closed_loop);
  run->last = run->closed_loop.frame;
  event_watch_finish(&run->watch, &run->last);
}

void run_in_mode(struct run *run) {
  event_watch_init(&run->watch, &run->console, run->server, run->logger, &run->setup.config.scenario);
  run_report_resumption(run);

  enum pulse_phase beating = run->setup.config.run.mode == RUN_REALTIME ? PULSE_STEPPING : PULSE_SERVING;
  start_supervisor(run);
  do {
    atomic_store(&run->pulse.phase, beating);
    step_in_mode(run);
    atomic_store(&run->pulse.phase, PULSE_STARTING); // between two sessions no thread has to beat
  } while (run_begin_next_session(run));
  run_end_steps(run);
  atomic_store(&run->pulse.phase, PULSE_ENDING);
  supervisor_stopping(run->supervisor);

  run->end_ns = os_now_ns();
  times_fill(&run->times, &run->last.timing);
  times_fill_latency(&run->sent_ns, &run->last.timing.sensors_sent);
  checkpointer_finish(&run->checkpointer, &run->closed_loop);
  run_report_checkpoints(run);
  snapshots_settle(&run->snapshots, UINT64_MAX / 2);
  run_report_snapshots(run);
  console_end(&run->console);
}

// A record that is not whole on the disk fails the run, and the summary states it.
static void close_record(struct run *run) {
  struct reason why;
  if (recorder_close(&run->recorder, &why) != STATUS_OK)
    outcome_fail(run, "%s", why.text);
}

void run_judge(struct run *run) {
  const struct sim_output *now = &run->last.output;
  outcome_find(run);
  run_publish_last_status(run);
  if (run->server) // before a slow disk delays what follows: meanwhile nobody answers a peer's PING
    server_publish_end(run->server, now->step, now->time_s, run_end_text(run->outcome.end));
  run_finish_log(run);
  close_record(run);
  outcome_add_verdicts(run);
  outcome_print(run);
}

// Each as far as possible, whatever became of the one before.
static enum status write_files(struct run *run) {
  enum status (*const writers[])(struct run *, struct reason *) = {summary_write, verdicts_write_junit};
  enum status worst = STATUS_OK;
  for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
    struct reason why = {""};
    enum status status = writers[i](run, &why);
    if (status == STATUS_OK)
      continue;
    worst = status;
    console_line(&run->console, "%s", why.text);
  }
  return worst;
}

enum status run_write_results(struct run *run) {
  const char *summary_path = run->options->summary_path;
  console_settle(&run->console); // what is not written then is lost
  enum status status = write_files(run);
  if (recorder_missing(&run->recorder))
    console_line(&run->console,
                 "the record is not complete: %" PRIu64 " rows, %" PRIu64 " shapes and %" PRIu64
                 " laid nodes are missing",
                 run->recorder.missing[RECORD_ROW], run->recorder.missing[RECORD_SHAPE],
                 run->recorder.missing[RECORD_LAID]);
  console_settle(&run->console);
  if (!summary_path || strcmp(summary_path, "-") != 0)
    summary_print(run);
  return status;
}
