#include "run/outcome.h"

#include "core/base/shown_text.h"

#include "run/run.h"
#include "run/verdicts.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

void outcome_fail(struct run *run, const char *format, ...) {
  struct outcome *o = &run->outcome;
  va_list args;
  if (o->reason_count == OUTCOME_REASONS)
    return;
  va_start(args, format);
  char text[sizeof o->reason[0].text];
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  text_show(text, o->reason[o->reason_count].text, sizeof o->reason[0].text);
  o->session_reasons = ++o->reason_count;
}

static const char *signal_text(int number) {
  return number == SIGINT    ? "SIGINT"
         : number == SIGTERM ? "SIGTERM"
         : number == SIGHUP  ? "SIGHUP"
                             : "a signal";
}

static enum run_end find_end(const struct run *run) {
  const struct sim_output *now = &run->last.output;
  if (now->fault)
    return END_FAULT;
  if (run->trouble != END_REACHED)
    return run->trouble;
  if (run->log_failed)
    return END_LOG;
  if (run->steps_total && now->step >= run->steps_total)
    return END_REACHED;
  return run->stop_ordered ? END_OPERATOR : run->stop_signal ? END_SIGNAL : END_THREAD;
}

// Only a test fails if it is stopped. Any run with an end reports that it has not reached it.
static void judge_stop(struct run *run) {
  double time_s = run->last.output.time_s, end_s = run->setup.config.run.duration_s;
  const char *by = run->outcome.end == END_OPERATOR ? "an operator's order" : signal_text(run->stop_signal);
  if (run->outcome.is_test && run->outcome.broke_off)
    outcome_fail(run, "stopped at %.3f of %.12g s by %s", time_s, end_s, by);
  else if (run->outcome.broke_off)
    console_line(&run->console, "notice: stopped at %.3f of %.12g s by %s", time_s, end_s, by);
}

static void judge_end(struct run *run) {
  const struct sim_output *now = &run->last.output;
  double timeout_s = run->setup.config.run.lockstep_timeout_s;
  switch (run->outcome.end) {
  case END_REACHED:
    break;
  case END_OPERATOR:
  case END_SIGNAL:
    judge_stop(run);
    break;
  case END_FAULT:
    outcome_fail(run, "the simulation latched a fault at step %" PRIu64 ", t = %g s", now->step, now->time_s);
    break;
  case END_LOG:
    outcome_fail(run, "the log failed at step %" PRIu64 ", t = %g s: %s", now->step, now->time_s,
                 logger_report(run->logger).failure.text);
    break;
  case END_LOCKSTEP_TIMEOUT:
    outcome_fail(run,
                 "lockstep time-out: no controller answered the Sensors of step %" PRIu64
                 ", t = %g s, within %g s (simulation.lockstep_timeout_s)",
                 now->step, now->time_s, timeout_s);
    break;
  case END_SOCKETS:
  case END_THREAD:
  case RUN_END_COUNT:
    outcome_fail(run, "%s at step %" PRIu64 ", t = %g s", run_end_text(run->outcome.end), now->step,
                 now->time_s);
  }
}

// A test in real time has no result if simulated time fell too far behind the wall clock.
static void judge_lost_time(struct run *run) {
  const struct config *c = &run->setup.config;
  const struct timing *timing = &run->last.timing;
  double limit_s = c->run.lost_time_limit_s;
  if (run->outcome.is_test && c->run.mode == RUN_REALTIME && limit_s > 0 && timing->lag_s > limit_s)
    outcome_fail(run,
                 "%" PRIu64 " periods (%.3f s) were lost, the limit is %g s (simulation.lost_time_limit_s)",
                 timing->skipped_periods, timing->lag_s, limit_s);
}

// A run that ends while it is halted has failed. A test that was halted has no result, even if an operator
// resumed it.
static void judge_halts(struct run *run) {
  const struct pause *newest = &run->pauses.newest;
  if (run->pauses.now && newest->halted)
    outcome_fail(run, "the run was halted at %.3f s when it ended: %s", newest->time_s, newest->why);
  else if (run->halts && run->outcome.is_test)
    outcome_fail(run, "the run was halted %" PRIu64 " times (simulation.overrun)", run->halts);
}

// Every run fails if Newton's method found no solution in too many of its steps.
static void judge_unsolved_steps(struct run *run) {
  const struct sim_output *now = &run->last.output;
  double limit = run->setup.config.run.unsolved_share_max;
  if (now->step && (double)now->unsolved_count > limit * (double)now->step)
    outcome_fail(run,
                 "%" PRIu64 " of %" PRIu64
                 " steps were not solved (newton_cap), the limit is %g %% (simulation.unsolved_share_max)",
                 now->unsolved_count, now->step, 100 * limit);
}

// As record and summary: what the run was asked to keep is not all on the disk.
static void judge_checkpoints(struct run *run) {
  struct checkpointer_report report = checkpointer_report(&run->checkpointer);
  char newest[48] = "none was written";
  if (report.written)
    snprintf(newest, sizeof newest, "the newest one is that of step %" PRIu64, report.last_step);
  if (report.failed)
    outcome_fail(run, "%" PRIu64 " checkpoints could not be written, %s: %s", report.failed, newest,
                 report.failure.text);
}

int outcome_events(const struct run *run, char *names, size_t size) {
  const uint32_t raised = run->last.output.events;
  size_t used = 0;
  int count = 0;
  *names = 0;
  for (int i = 0; i < EVENT_COUNT; i++)
    if (raised >> i & 1 && run->setup.config.run.on_event[i] == REACTION_FAIL) {
      used += (size_t)snprintf(names + used, size - used, "%s%s", count++ ? ", " : "", sim_event_name(i));
      used = used < size ? used : size - 1;
    }
  return count;
}

// Every run fails for an event of the simulator with this reaction.
static void judge_events(struct run *run) {
  char names[160];
  if (outcome_events(run, names, sizeof names))
    outcome_fail(run, "events that fail a run were raised (simulation.on_event): %s", names);
}

static void judge_presence_of_controller(struct run *run) {
  const struct config *c = &run->setup.config;
  if (run->outcome.is_test && run->steps_total && c->sim.controller == CONTROLLER_EXTERNAL &&
      !run->closed_loop.latch.has_command)
    outcome_fail(run, "no controller ever sent a command, and controller.kind is external");
}

void outcome_find(struct run *run) {
  struct outcome *outcome = &run->outcome;
  outcome->end = find_end(run);
  outcome->is_test = run->setup.config.scenario.verdict_count > 0 || run->options->junit_path;
  outcome->broke_off = run->steps_total && outcome->end != END_REACHED;

  judge_end(run);
  judge_unsolved_steps(run);
  judge_events(run);
  judge_lost_time(run);
  judge_halts(run);
  judge_presence_of_controller(run);
  judge_checkpoints(run);
  earlier_judge(run);
}

int outcome_is_complete(const struct outcome *outcome) {
  enum run_end end = outcome->end;
  return !outcome->broke_off && (end == END_REACHED || end == END_OPERATOR || end == END_SIGNAL);
}

void outcome_add_verdicts(struct run *run) {
  int count = run->setup.config.scenario.verdict_count, failed = verdicts_failed(run);
  int session_reasons = run->outcome.session_reasons;
  if (failed)
    outcome_fail(run, "%d of %d verdicts did not pass", failed, count);
  run->outcome.session_reasons = session_reasons;
}

void outcome_print(struct run *run) {
  for (int i = 0; i < run->outcome.reason_count; i++)
    console_line(&run->console, "failed: %s", run->outcome.reason[i].text);
}
