#include "run/host/earlier.h"

#include "os/process/process.h"
#include "run/session/session.h"
#include "run/session/verdicts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void note_log(struct earlier *e, const struct session *session, struct earlier_session *s) {
  struct logger_report report = logger_report(session->logger);
  s->log_complete = 1;
  if (!session->logger)
    return;
  snprintf(s->log, sizeof s->log, "%s", logger_path(session->logger));
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    s->log_missing += report.dropped[t];
  s->log_complete = logger_is_complete(&report);
  s->commands_missing = report.commands_missing;
  s->replayable_to_step = report.replayable_to_step;
  e->log_missing += s->log_missing;
  e->logs_incomplete += !s->log_complete;
  e->parts_deleted += report.parts_deleted;
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void note_failure(struct earlier_failures *f, const struct session *session, const char *format, ...) {
  va_list args;
  if (f->sessions++)
    return;
  snprintf(f->session, sizeof f->session, "%s", session->id);
  va_start(args, format);
  vsnprintf(f->text, sizeof f->text, format, args);
  va_end(args);
}

// A verdict fails in a session that an order has ended only if nothing that follows could have changed that.
static void note_verdicts(struct earlier *e, const struct session *session, struct earlier_session *s) {
  const struct scenario_def *def = &session->setup->config.scenario;
  int noted = 0;
  for (int i = 0; i < def->verdict_count; i++) {
    s->verdict[i] = (unsigned char)verdicts_end_of(session, i);
    if (s->verdict[i] == VERDICT_END_FAILED && !noted++)
      note_failure(&e->verdicts, session, "%s", def->verdict[i].name);
  }
}

static void note_failures(struct earlier *e, const struct session *session, const struct earlier_session *s) {
  const struct config *c = &session->setup->config;
  const struct sim_output *now = &session->last.output;
  struct logger_report report = logger_report(session->logger);
  if (c->run.mode == RUN_REALTIME && c->run.lost_time_limit_s > 0 && s->lag_s > c->run.lost_time_limit_s)
    note_failure(&e->lost_time, session, "%.3f s", s->lag_s);
  if (now->step && (double)now->unsolved_count > c->run.unsolved_share_max * (double)now->step)
    note_failure(&e->unsolved, session, "%" PRIu64 " of %" PRIu64, now->unsolved_count, now->step);
  char names[sizeof e->events.text];
  if (outcome_events(session, names, sizeof names))
    note_failure(&e->events, session, "%s", names);
  if (report.incomplete || (s->log_missing && c->run.mode != RUN_REALTIME))
    note_failure(&e->logs, session, "%s",
                 *report.failure.text ? report.failure.text : "messages are missing");
}

void earlier_add(struct earlier *e, const struct session *session, const struct pauses *pauses,
                 const char *end_text) {
  struct earlier_session *s = &e->kept[e->count % EARLIER_KEPT];
  const struct timing *timing = &session->last.timing;
  const struct real_time *real_time = &timing->real_time;
  const struct session_pace pace = session_pace(session, pauses, os_now_ns());
  *s = (struct earlier_session){.first_step = session->first_step,
                                .last_step = session->last.output.step,
                                .wall_s = pace.wall_s,
                                .paused_s = pace.paused_s,
                                .deadline_misses = timing->deadline_misses,
                                .skipped_periods = timing->skipped_periods,
                                .dropped_frames = timing->dropped_frames,
                                .halts = real_time->halts,
                                .lag_s = timing->lag_s,
                                .worst_late_us = real_time->worst.late_us,
                                .page_faults = real_time->minor_faults + real_time->major_faults,
                                .preemptions = real_time->preemptions};
  snprintf(s->session, sizeof s->session, "%s", session->id);
  snprintf(s->end, sizeof s->end, "%s", end_text);
  note_log(e, session, s);
  note_verdicts(e, session, s);
  note_failures(e, session, s);
  e->count++;
  e->deadline_misses += s->deadline_misses;
  e->skipped_periods += s->skipped_periods;
  e->dropped_frames += s->dropped_frames;
  e->lag_s += s->lag_s;
  e->halts += s->halts;
  if (s->halts)
    e->halted_after = real_time->halted_after;
}

void earlier_judge(const struct earlier *e, struct session *session) {
  const struct config *c = &session->setup->config;
  const char *of = e->count == 1 ? "session" : "sessions";
  if (e->verdicts.sessions)
    outcome_fail(session, "verdicts failed in %" PRIu64 " of %" PRIu64 " earlier %s, first %s in session %s",
                 e->verdicts.sessions, e->count, of, e->verdicts.text, e->verdicts.session);
  if (e->lost_time.sessions && session->outcome.is_test)
    outcome_fail(session,
                 "too much time was lost in %" PRIu64 " of %" PRIu64 " earlier %s, first %s in session %s; "
                 "the limit is %g s (simulation.lost_time_limit_s)",
                 e->lost_time.sessions, e->count, of, e->lost_time.text, e->lost_time.session,
                 c->run.lost_time_limit_s);
  if (e->unsolved.sessions)
    outcome_fail(session,
                 "too many steps were not solved in %" PRIu64 " of %" PRIu64 " earlier %s, first %s in "
                 "session %s; the limit is %g %% (simulation.unsolved_share_max)",
                 e->unsolved.sessions, e->count, of, e->unsolved.text, e->unsolved.session,
                 100 * c->run.unsolved_share_max);
  if (e->events.sessions)
    outcome_fail(session,
                 "events that fail a run were raised in %" PRIu64 " of %" PRIu64 " earlier %s "
                 "(simulation.on_event), first in session %s: %s",
                 e->events.sessions, e->count, of, e->events.session, e->events.text);
  if (e->logs.sessions)
    outcome_fail(session,
                 "%" PRIu64 " logs of %" PRIu64 " earlier %s are not complete, first of session %s: %s",
                 e->logs.sessions, e->count, of, e->logs.session, e->logs.text);
}

const struct earlier_session *earlier_session(const struct earlier *e, uint64_t i) {
  uint64_t first = e->count > EARLIER_KEPT ? e->count - EARLIER_KEPT : 0;
  return first + i < e->count ? &e->kept[(first + i) % EARLIER_KEPT] : NULL;
}

void earlier_print(const struct earlier *e) {
  if (!e->count)
    return;
  printf("in earlier sessions: %" PRIu64 " session%s, %" PRIu64 " steps late, %" PRIu64
         " periods (%.3f s) lost, ",
         e->count, e->count == 1 ? "" : "s", e->deadline_misses, e->skipped_periods, e->lag_s);
  if (e->logs_incomplete)
    printf("%" PRIu64 " messages missing in %" PRIu64 " of the logs, ", e->log_missing, e->logs_incomplete);
  else
    printf("no message missing in a log, ");
  printf("verdicts failed in %" PRIu64 "\n", e->verdicts.sessions);
}
