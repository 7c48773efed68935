#include "run/outcome.h"

#include "core/base/shown_text.h"

#include "run/run.h"
#include "run/verdicts.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

void outcome_fail(struct host *host, const char *format, ...) {
  struct outcome *o = &host->session->outcome;
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

static enum run_end find_end(const struct host *host) {
  const struct sim_output *now = &host->session->last.output;
  if (now->fault)
    return END_FAULT;
  if (host->session->stop.trouble != END_REACHED)
    return host->session->stop.trouble;
  if (host->session->stop.log_failed)
    return END_LOG;
  if (host->session->steps_total && now->step >= host->session->steps_total)
    return END_REACHED;
  return host->session->stop.ordered ? END_OPERATOR : host->session->stop.signal ? END_SIGNAL : END_THREAD;
}

// Only a test fails if it is stopped. Any run with an end reports that it has not reached it.
static void judge_stop(struct host *host) {
  double time_s = host->session->last.output.time_s, end_s = host->setup.config.run.duration_s;
  const char *by = host->session->outcome.end == END_OPERATOR ? "an operator's order"
                                                              : signal_text(host->session->stop.signal);
  if (host->session->outcome.is_test && host->session->outcome.broke_off)
    outcome_fail(host, "stopped at %.3f of %.12g s by %s", time_s, end_s, by);
  else if (host->session->outcome.broke_off)
    console_line(&host->outlets.console, "notice: stopped at %.3f of %.12g s by %s", time_s, end_s, by);
}

static void judge_end(struct host *host) {
  const struct sim_output *now = &host->session->last.output;
  double timeout_s = host->setup.config.run.lockstep_timeout_s;
  switch (host->session->outcome.end) {
  case END_REACHED:
    break;
  case END_OPERATOR:
  case END_SIGNAL:
    judge_stop(host);
    break;
  case END_FAULT:
    outcome_fail(host, "the simulation latched a fault at step %" PRIu64 ", t = %g s", now->step,
                 now->time_s);
    break;
  case END_LOG:
    outcome_fail(host, "the log failed at step %" PRIu64 ", t = %g s: %s", now->step, now->time_s,
                 logger_report(host->session->logger).failure.text);
    break;
  case END_LOCKSTEP_TIMEOUT:
    outcome_fail(host,
                 "lockstep time-out: no controller answered the Sensors of step %" PRIu64
                 ", t = %g s, within %g s (simulation.lockstep_timeout_s)",
                 now->step, now->time_s, timeout_s);
    break;
  case END_SOCKETS:
  case END_THREAD:
  case RUN_END_COUNT:
    outcome_fail(host, "%s at step %" PRIu64 ", t = %g s", run_end_text(host->session->outcome.end),
                 now->step, now->time_s);
  }
}

// A test in real time has no result if simulated time fell too far behind the wall clock.
static void judge_lost_time(struct host *host) {
  const struct config *c = &host->setup.config;
  const struct timing *timing = &host->session->last.timing;
  double limit_s = c->run.lost_time_limit_s;
  if (host->session->outcome.is_test && c->run.mode == RUN_REALTIME && limit_s > 0 && timing->lag_s > limit_s)
    outcome_fail(host,
                 "%" PRIu64 " periods (%.3f s) were lost, the limit is %g s (simulation.lost_time_limit_s)",
                 timing->skipped_periods, timing->lag_s, limit_s);
}

// A run that ends while it is halted has failed. A test that was halted has no result, even if an operator
// resumed it.
static void judge_halts(struct host *host) {
  const struct pause *newest = &host->pauses.newest;
  if (host->pauses.now && newest->halted)
    outcome_fail(host, "the run was halted at %.3f s when it ended: %s", newest->time_s, newest->why);
  else if (host->halts && host->session->outcome.is_test)
    outcome_fail(host, "the run was halted %" PRIu64 " times (simulation.overrun)", host->halts);
}

// Every run fails if Newton's method found no solution in too many of its steps.
static void judge_unsolved_steps(struct host *host) {
  const struct sim_output *now = &host->session->last.output;
  double limit = host->setup.config.run.unsolved_share_max;
  if (now->step && (double)now->unsolved_count > limit * (double)now->step)
    outcome_fail(host,
                 "%" PRIu64 " of %" PRIu64
                 " steps were not solved (newton_cap), the limit is %g %% (simulation.unsolved_share_max)",
                 now->unsolved_count, now->step, 100 * limit);
}

// As record and summary: what the run was asked to keep is not all on the disk.
static void judge_checkpoints(struct host *host) {
  struct checkpointer_report report = checkpointer_report(&host->outlets.checkpointer);
  char newest[48] = "none was written";
  if (report.written)
    snprintf(newest, sizeof newest, "the newest one is that of step %" PRIu64, report.last_step);
  if (report.failed)
    outcome_fail(host, "%" PRIu64 " checkpoints could not be written, %s: %s", report.failed, newest,
                 report.failure.text);
}

int outcome_events(const struct host *host, char *names, size_t size) {
  const uint32_t raised = host->session->last.output.events;
  size_t used = 0;
  int count = 0;
  *names = 0;
  for (int i = 0; i < EVENT_COUNT; i++)
    if (raised >> i & 1 && host->setup.config.run.on_event[i] == REACTION_FAIL) {
      used += (size_t)snprintf(names + used, size - used, "%s%s", count++ ? ", " : "", sim_event_name(i));
      used = used < size ? used : size - 1;
    }
  return count;
}

// Every run fails for an event of the simulator with this reaction.
static void judge_events(struct host *host) {
  char names[160];
  if (outcome_events(host, names, sizeof names))
    outcome_fail(host, "events that fail a run were raised (simulation.on_event): %s", names);
}

static void judge_presence_of_controller(struct host *host) {
  const struct config *c = &host->setup.config;
  if (host->session->outcome.is_test && host->session->steps_total &&
      c->sim.controller == CONTROLLER_EXTERNAL && !host->session->loop.latch.has_command)
    outcome_fail(host, "no controller ever sent a command, and controller.kind is external");
}

void outcome_find(struct host *host) {
  struct outcome *outcome = &host->session->outcome;
  outcome->end = find_end(host);
  outcome->is_test = host->setup.config.scenario.verdict_count > 0 || host->options->junit_path;
  outcome->broke_off = host->session->steps_total && outcome->end != END_REACHED;

  judge_end(host);
  judge_unsolved_steps(host);
  judge_events(host);
  judge_lost_time(host);
  judge_halts(host);
  judge_presence_of_controller(host);
  judge_checkpoints(host);
  earlier_judge(host);
}

int outcome_is_complete(const struct outcome *outcome) {
  enum run_end end = outcome->end;
  return !outcome->broke_off && (end == END_REACHED || end == END_OPERATOR || end == END_SIGNAL);
}

void outcome_add_verdicts(struct host *host) {
  int count = host->setup.config.scenario.verdict_count, failed = verdicts_failed(host);
  int session_reasons = host->session->outcome.session_reasons;
  if (failed)
    outcome_fail(host, "%d of %d verdicts did not pass", failed, count);
  host->session->outcome.session_reasons = session_reasons;
}

void outcome_print(struct host *host) {
  for (int i = 0; i < host->session->outcome.reason_count; i++)
    console_line(&host->outlets.console, "failed: %s", host->session->outcome.reason[i].text);
}
