#include "run/session/session.h"

#include "sagbend/base/base.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

void outcome_fail(struct session *session, const char *format, ...) {
  struct outcome *o = &session->outcome;
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

static enum run_end find_end(const struct session *session) {
  const struct sim_output *now = &session->last.output;
  if (now->fault)
    return END_FAULT;
  if (session->stop.trouble != END_REACHED)
    return session->stop.trouble;
  if (session->stop.log_failed)
    return END_LOG;
  if (session->steps_total && now->step >= session->steps_total)
    return END_REACHED;
  return session->stop.ordered ? END_OPERATOR : session->stop.signal ? END_SIGNAL : END_THREAD;
}

// Only a test fails if it is stopped. Any run with an end reports that it has not reached it.
static void judge_stop(struct session *session) {
  double time_s = session->last.output.time_s, end_s = session->setup->config.run.duration_s;
  const char *by =
      session->outcome.end == END_OPERATOR ? "an operator's order" : signal_text(session->stop.signal);
  if (session->outcome.is_test && session->outcome.broke_off)
    outcome_fail(session, "stopped at %.3f of %.12g s by %s", time_s, end_s, by);
  else if (session->outcome.broke_off)
    console_line(&session->outlets->console, "notice: stopped at %.3f of %.12g s by %s", time_s, end_s, by);
}

static void judge_end(struct session *session) {
  const struct sim_output *now = &session->last.output;
  double timeout_s = session->setup->config.run.lockstep_timeout_s;
  switch (session->outcome.end) {
  case END_REACHED:
    break;
  case END_OPERATOR:
  case END_SIGNAL:
    judge_stop(session);
    break;
  case END_FAULT:
    outcome_fail(session, "the simulation latched a fault at step %" PRIu64 ", t = %g s", now->step,
                 now->time_s);
    break;
  case END_LOG:
    outcome_fail(session, "the log failed at step %" PRIu64 ", t = %g s: %s", now->step, now->time_s,
                 logger_report(session->logger).failure.text);
    break;
  case END_LOCKSTEP_TIMEOUT:
    outcome_fail(session,
                 "lockstep time-out: no controller answered the Sensors of step %" PRIu64
                 ", t = %g s, within %g s (simulation.lockstep_timeout_s)",
                 now->step, now->time_s, timeout_s);
    break;
  case END_SOCKETS:
  case END_THREAD:
  case RUN_END_COUNT:
    outcome_fail(session, "%s at step %" PRIu64 ", t = %g s", run_end_text(session->outcome.end), now->step,
                 now->time_s);
  }
}

// A test in real time has no result if simulated time fell too far behind the wall clock.
static void judge_lost_time(struct session *session) {
  const struct config *c = &session->setup->config;
  const struct timing *timing = &session->last.timing;
  double limit_s = c->run.lost_time_limit_s;
  if (session->outcome.is_test && c->run.mode == RUN_REALTIME && limit_s > 0 && timing->lag_s > limit_s)
    outcome_fail(session,
                 "%" PRIu64 " periods (%.3f s) were lost, the limit is %g s (simulation.lost_time_limit_s)",
                 timing->lost_periods, timing->lag_s, limit_s);
}

// A run that ends while it is halted has failed. A test that was halted has no result, even if an operator
// resumed it.
static void judge_halts(struct session *session, const struct pauses *pauses, uint64_t halts) {
  const struct pause *newest = &pauses->newest;
  if (pauses->now && newest->halted)
    outcome_fail(session, "the run was halted at %.3f s when it ended: %s", newest->time_s, newest->why);
  else if (halts && session->outcome.is_test)
    outcome_fail(session, "the run was halted %" PRIu64 " times (simulation.overrun)", halts);
}

// Every run fails if Newton's method found no solution in too many of its steps.
static void judge_unsolved_steps(struct session *session) {
  const struct sim_output *now = &session->last.output;
  double limit = session->setup->config.run.not_converged_share_max;
  if (now->step && (double)now->not_converged_count > limit * (double)now->step)
    outcome_fail(
        session,
        "%" PRIu64 " of %" PRIu64
        " steps were not solved (newton_cap), the limit is %g %% (simulation.not_converged_share_max)",
        now->not_converged_count, now->step, 100 * limit);
}

// As record and summary: what the run was asked to keep is not all on the disk.
static void judge_checkpoints(struct session *session) {
  struct checkpointer_report report = checkpointer_report(&session->outlets->checkpointer);
  char newest[48] = "none was written";
  if (report.written)
    snprintf(newest, sizeof newest, "the newest one is that of step %" PRIu64, report.last_step);
  if (report.failed)
    outcome_fail(session, "%" PRIu64 " checkpoints could not be written, %s: %s", report.failed, newest,
                 report.failure.text);
}

int outcome_events(const struct session *session, char *names, size_t size) {
  const uint32_t raised = session->last.output.events;
  size_t used = 0;
  int count = 0;
  *names = 0;
  for (int i = 0; i < EVENT_COUNT; i++)
    if (raised >> i & 1 && session->setup->config.run.on_event[i] == REACTION_FAIL) {
      used += (size_t)snprintf(names + used, size - used, "%s%s", count++ ? ", " : "", sim_event_name(i));
      used = used < size ? used : size - 1;
    }
  return count;
}

// Every run fails for an event of the simulator with this reaction.
static void judge_events(struct session *session) {
  char names[160];
  if (outcome_events(session, names, sizeof names))
    outcome_fail(session, "events that fail a run were raised (simulation.on_event): %s", names);
}

static void judge_presence_of_controller(struct session *session) {
  const struct config *c = &session->setup->config;
  if (session->outcome.is_test && session->steps_total && c->sim.controller == CONTROLLER_EXTERNAL &&
      !session->engine.loop.latch.has_command)
    outcome_fail(session, "no controller ever sent a command, and controller.kind is external");
}

// A controller that was connected and took no part: what was simulated is not what it was to control.
static void judge_idle_controller(struct session *session) {
  struct server *server = session->outlets->server;
  const char *idle = server ? server_gate(server)->idle.text : "";
  if (*idle && (session->outcome.is_test || session->steps_total) && !session->engine.loop.latch.has_command)
    outcome_fail(session, "the controller %s was connected, and has never commanded", idle);
}

// A controller most of whose commands were out of range did not act: what the vessel did was not its doing.
// From outside those count that have commanded: a stranger must not make a run fail.
static void judge_refused_commands(struct session *session) {
  struct server *server = session->outlets->server;
  const struct closed_loop *loop = &session->engine.loop;
  const uint64_t accepted = loop->inside_accepted + (server ? server_counts(server)->accepted : 0),
                 refused = loop->inside_refused + (server ? server_gate(server)->commander_refused : 0);
  if ((session->outcome.is_test || session->steps_total) && refused > accepted)
    outcome_fail(session,
                 "%" PRIu64 " of %" PRIu64
                 " commands were refused (refused_range): the vessel was not under this controller",
                 refused, accepted + refused);
}

void outcome_find(struct session *session, const struct pauses *pauses, uint64_t halts) {
  struct outcome *outcome = &session->outcome;
  outcome->end = find_end(session);
  outcome->is_test = session->setup->config.scenario.verdict_count > 0 || session->options->junit_path;
  outcome->broke_off = session->steps_total && outcome->end != END_REACHED;

  judge_end(session);
  judge_unsolved_steps(session);
  judge_events(session);
  judge_lost_time(session);
  judge_halts(session, pauses, halts);
  judge_presence_of_controller(session);
  judge_idle_controller(session);
  judge_refused_commands(session);
  judge_checkpoints(session);
}

int outcome_is_complete(const struct outcome *outcome) {
  enum run_end end = outcome->end;
  return !outcome->broke_off && (end == END_REACHED || end == END_OPERATOR || end == END_SIGNAL);
}

void outcome_add_verdicts(struct session *session) {
  int count = session->setup->config.scenario.verdict_count, failed = verdicts_failed(session);
  int session_reasons = session->outcome.session_reasons;
  if (failed)
    outcome_fail(session, "%d of %d verdicts did not pass", failed, count);
  session->outcome.session_reasons = session_reasons;
}

void outcome_result(const struct session *session, char *out, size_t size) {
  const struct outcome *o = &session->outcome;
  const int count = session->setup->config.scenario.verdict_count, passed = verdicts_passed(session);
  const uint64_t orders = session_acting_orders(session);
  size_t used = 0;
  *out = '\0';
  if (!o->is_test && !o->reason_count)
    return;
  const int has_failed = verdicts_failed(session) > 0 || o->reason_count > 0;
  used =
      (size_t)snprintf(out, size, "%s%d of %d verdicts passed", has_failed ? "failed: " : "", passed, count);
  for (int i = 0; i < o->reason_count && used < size; i++)
    used += (size_t)snprintf(out + used, size - used, "; %s", o->reason[i].text);
  if (orders && used < size)
    snprintf(out + used, size - used, "; %" PRIu64 " order%s of operators acted", orders,
             orders == 1 ? "" : "s");
}

void outcome_print(struct session *session) {
  for (int i = 0; i < session->outcome.reason_count; i++)
    console_line(&session->outlets->console, "failed: %s", session->outcome.reason[i].text);
}
