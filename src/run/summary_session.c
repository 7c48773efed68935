// Of a summary: what ran, and the sessions of the process.
#include "run/summary_parts.h"

static const char *const MODES[] = {"realtime", "lockstep", "fast"};
static const char *const CONTROLLERS[] = {"none", "continuous", "sampled", "external"};

void summary_add_session(cJSON *root, const struct run *r) {
  const struct config *c = &r->session.config;
  summary_text(root, "name", c->name);
  summary_text(root, "session", r->session_id);
  summary_hex(root, "config_hash", c->hash);
  summary_text(root, "mode", MODES[c->run.mode]);
  summary_text(root, "controller", CONTROLLERS[c->sim.controller]);
  summary_number(root, "step_s", c->sim.step_s);
  cJSON *overrides = cJSON_AddArrayToObject(root, "overrides");
  for (int i = 0; i < r->options->override_count; i++)
    cJSON_AddItemToArray(overrides, cJSON_CreateString(r->options->overrides[i]));
}

// The sessions that a restore or reset ended; the rest of the summary is about the last one.
void summary_add_sessions(cJSON *root, const struct run *r) {
  if (*r->origin.how) {
    cJSON *from = cJSON_AddObjectToObject(root, "origin");
    summary_text(from, "session", r->origin.session);
    summary_number(from, "step", (double)r->origin.step);
    summary_text(from, "how", r->origin.how);
    summary_text(from, "name", r->origin.name);
  }
  summary_number(root, "sessions_before", (double)r->past_count);
  cJSON *list = cJSON_AddArrayToObject(root, "sessions");
  uint64_t first = r->past_count > RUN_PAST_KEPT ? r->past_count - RUN_PAST_KEPT : 0;
  for (uint64_t i = first; i < r->past_count; i++) {
    const struct run_past *past = &r->past[i % RUN_PAST_KEPT];
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    summary_text(o, "session", past->session);
    summary_number(o, "first_step", (double)past->first_step);
    summary_number(o, "last_step", (double)past->last_step);
    summary_text(o, "end", past->end);
    summary_text(o, "log", past->log);
  }
}
