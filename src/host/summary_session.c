// Of a summary: what ran, and the sessions of the process.
#include "host/summary_parts.h"
#include "session/verdicts.h"

static const char *const MODES[] = {"realtime", "lockstep", "fast"};
static const char *const CONTROLLERS[] = {"none", "continuous", "sampled", "external"};

void summary_add_session(cJSON *root, const struct host *host) {
  const struct config *c = &host->setup.config;
  summary_text(root, "name", c->name);
  summary_text(root, "session", host->session->id);
  summary_hex(root, "config_hash", c->hash);
  summary_text(root, "mode", MODES[c->run.mode]);
  summary_text(root, "controller", CONTROLLERS[c->sim.controller]);
  summary_number(root, "step_s", c->sim.step_s);
  cJSON *overrides = cJSON_AddArrayToObject(root, "overrides");
  for (int i = 0; i < host->options->given.override_count; i++)
    cJSON_AddItemToArray(overrides, cJSON_CreateString(host->options->given.overrides[i]));
}

static void add_results(cJSON *to, const struct host *host, const struct earlier_session *s) {
  const struct scenario_def *def = &host->setup.config.scenario;
  cJSON *list = cJSON_AddArrayToObject(to, "verdicts");
  for (int i = 0; i < def->verdict_count; i++) {
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    summary_text(o, "name", def->verdict[i].name);
    summary_text(o, "result", verdicts_end_word((enum verdict_end)s->verdict[i]));
  }
}

static cJSON *session_of(const struct host *host, const struct earlier_session *s) {
  cJSON *o = cJSON_CreateObject();
  summary_text(o, "session", s->session);
  summary_number(o, "first_step", (double)s->first_step);
  summary_number(o, "last_step", (double)s->last_step);
  summary_text(o, "end", s->end);
  summary_number(o, "wall_time_s", s->wall_s);
  summary_number(o, "paused_s", s->paused_s);
  summary_number(o, "deadline_misses", (double)s->deadline_misses);
  summary_number(o, "skipped_periods", (double)s->skipped_periods);
  summary_number(o, "lag_s", s->lag_s);
  summary_number(o, "worst_late_us", s->worst_late_us);
  summary_number(o, "halts", (double)s->halts);
  summary_number(o, "dropped_frames", (double)s->dropped_frames);
  summary_number(o, "page_faults", (double)s->page_faults);
  summary_number(o, "preemptions", (double)s->preemptions);
  summary_text(o, "log", s->log);
  summary_number(o, "log_missing", (double)s->log_missing);
  cJSON_AddBoolToObject(o, "log_complete", s->log_complete);
  if (s->commands_missing)
    summary_number(o, "replayable_to_step", (double)s->replayable_to_step);
  add_results(o, host, s);
  return o;
}

// Sums over all of them, also those that the list no longer contains.
static void add_earlier(cJSON *root, const struct host *host) {
  const struct earlier *e = &host->earlier;
  summary_number(root, "sessions_before", (double)e->count);
  if (!e->count)
    return;
  cJSON *o = cJSON_AddObjectToObject(root, "earlier_sessions");
  summary_number(o, "count", (double)e->count);
  summary_number(o, "deadline_misses", (double)e->deadline_misses);
  summary_number(o, "skipped_periods", (double)e->skipped_periods);
  summary_number(o, "lag_s", e->lag_s);
  summary_number(o, "dropped_frames", (double)e->dropped_frames);
  summary_number(o, "log_missing", (double)e->log_missing);
  summary_number(o, "logs_incomplete", (double)e->logs_incomplete);
  summary_number(o, "verdicts_failed", (double)e->verdicts.sessions);
}

// The sessions that a restore or reset ended; the rest of the summary is about the last one.
void summary_add_sessions(cJSON *root, const struct host *host) {
  if (*host->session->origin.how) {
    cJSON *from = cJSON_AddObjectToObject(root, "origin");
    summary_text(from, "session", host->session->origin.session);
    summary_number(from, "step", (double)host->session->origin.step);
    summary_text(from, "how", host->session->origin.how);
    summary_text(from, "name", host->session->origin.name);
  }
  add_earlier(root, host);
  cJSON *list = cJSON_AddArrayToObject(root, "sessions");
  const struct earlier_session *s;
  for (uint64_t i = 0; (s = earlier_session(&host->earlier, i)); i++)
    cJSON_AddItemToArray(list, session_of(host, s));
}
