#include "run/outcome.h"

#include "run/run.h"
#include "run/verdicts.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

void outcome_fail(struct run *r, const char *format, ...) {
  struct outcome *o = &r->outcome;
  va_list args;
  if (o->reason_count == OUTCOME_REASONS)
    return;
  va_start(args, format);
  vsnprintf(o->reason[o->reason_count].text, sizeof o->reason[0].text, format, args);
  va_end(args);
  o->session_reasons = ++o->reason_count;
}

static const char *signal_text(int number) {
  return number == SIGINT    ? "SIGINT"
         : number == SIGTERM ? "SIGTERM"
         : number == SIGHUP  ? "SIGHUP"
                             : "a signal";
}

static enum run_end find_end(const struct run *r) {
  const struct sim_output *o = &r->last.output;
  if (o->fault)
    return END_FAULT;
  if (r->trouble != END_REACHED)
    return r->trouble;
  if (r->log_failed)
    return END_LOG;
  if (r->steps_total && o->step >= r->steps_total)
    return END_REACHED;
  return r->stop_ordered ? END_OPERATOR : r->stop_signal ? END_SIGNAL : END_THREAD;
}

// Only a test fails if somebody stops it; that any run with an end has not reached it is said.
static void look_at_stop(struct run *r) {
  double time_s = r->last.output.time_s, end_s = r->session.config.run.duration_s;
  const char *who = r->outcome.end == END_OPERATOR ? "an operator's order" : signal_text(r->stop_signal);
  if (r->outcome.is_test && r->outcome.broke_off)
    outcome_fail(r, "broken off at %.3f of %.12g s by %s", time_s, end_s, who);
  else if (r->outcome.broke_off)
    console_line(&r->console, "notice: stopped at %.3f of %.12g s by %s", time_s, end_s, who);
}

static void look_at_end(struct run *r) {
  const struct sim_output *o = &r->last.output;
  double timeout_s = r->session.config.run.lockstep_timeout_s;
  switch (r->outcome.end) {
  case END_REACHED:
    break;
  case END_OPERATOR:
  case END_SIGNAL:
    look_at_stop(r);
    break;
  case END_FAULT:
    outcome_fail(r, "the simulation latched a fault at step %" PRIu64 ", t = %g s", o->step, o->time_s);
    break;
  case END_LOG:
    outcome_fail(r, "the log failed at step %" PRIu64 ", t = %g s: %s", o->step, o->time_s,
                 logger_report(r->logger).failure.text);
    break;
  case END_LOCKSTEP_TIMEOUT:
    outcome_fail(r,
                 "lockstep time-out: nobody answered the sensors of step %" PRIu64 ", t = %g s, within %g s",
                 o->step, o->time_s, timeout_s);
    break;
  case END_SOCKETS:
  case END_THREAD:
  case RUN_END_COUNT:
    outcome_fail(r, "%s at step %" PRIu64 ", t = %g s", run_end_text(r->outcome.end), o->step, o->time_s);
  }
}

// A test in real time is not one if the clock ran on without it.
static void look_at_lost_time(struct run *r) {
  const struct config *c = &r->session.config;
  const struct timing *t = &r->last.timing;
  double limit_s = c->run.lost_time_limit_s;
  if (r->outcome.is_test && c->run.mode == RUN_REALTIME && limit_s > 0 && t->lag_s > limit_s)
    outcome_fail(r,
                 "%" PRIu64 " periods (%.3f s) were lost, at most %g s may be (simulation.lost_time_limit_s)",
                 t->skipped_periods, t->lag_s, limit_s);
}

// Any run: what was not solved is not a simulation of anything.
static void look_at_unsolved(struct run *r) {
  const struct sim_output *o = &r->last.output;
  double most = r->session.config.run.unsolved_share_max;
  if (o->step && (double)o->cap_count > most * (double)o->step)
    outcome_fail(r,
                 "%" PRIu64 " of %" PRIu64
                 " steps were not solved (newton_cap), %g %% may be (simulation.unsolved_share_max)",
                 o->cap_count, o->step, 100 * most);
}

static void look_for_controller(struct run *r) {
  const struct config *c = &r->session.config;
  if (r->outcome.is_test && r->steps_total && c->sim.controller == CONTROLLER_EXTERNAL &&
      !r->closed_loop.latch.has_command)
    outcome_fail(r, "no controller ever gave a command, and controller.kind is external");
}

void outcome_find(struct run *r) {
  struct outcome *o = &r->outcome;
  o->end = find_end(r);
  o->is_test = r->session.config.scenario.verdict_count > 0 || r->options->junit_path;
  o->broke_off = r->steps_total && o->end != END_REACHED;
  look_at_end(r);
  look_at_unsolved(r);
  look_at_lost_time(r);
  look_for_controller(r);
}

void outcome_add_verdicts(struct run *r) {
  int count = r->session.config.scenario.verdict_count, failed = verdicts_failed(r);
  int session_reasons = r->outcome.session_reasons;
  if (failed)
    outcome_fail(r, "%d of %d verdicts did not pass", failed, count);
  r->outcome.session_reasons = session_reasons;
}

void outcome_tell(struct run *r) {
  for (int i = 0; i < r->outcome.reason_count; i++)
    console_line(&r->console, "failed: %s", r->outcome.reason[i].text);
}
