// Checkpoints of a session: who writes them, and which could not be written.
#include "cli/version.h"
#include "session/session.h"

#include <inttypes.h>
#include <stdio.h>

struct checkpoint_identity session_identity(const struct session *session) {
  const struct config *c = &session->setup->config;
  struct checkpoint_identity identity = {.model_hash = c->model_hash,
                                         .dp_hash = session->loop.inside ? session->setup->dp.hash : 0};
  snprintf(identity.config_name, sizeof identity.config_name, "%s", c->name);
  snprintf(identity.version, sizeof identity.version, "%s", program_version());
  snprintf(identity.build, sizeof identity.build, "%s", program_build().text);
  snprintf(identity.session, sizeof identity.session, "%s", session->id);
  return identity;
}

void session_report_checkpoints(struct session *session) {
  struct checkpointer_report report = checkpointer_report(&session->outlets->checkpointer),
                             before = session->outlets->checkpoints_reported;
  const struct sim_output *now = &session->last.output;
  session->outlets->checkpoints_reported = report;
  if (report.failed != before.failed)
    event_watch_log(&session->watch, now->step, now->time_s, "checkpoint_failed", "%s", report.failure.text);
  if (report.skipped != before.skipped)
    event_watch_log(&session->watch, now->step, now->time_s, "checkpoint_skipped",
                    "the disk is too slow: %" PRIu64 " checkpoints skipped in all", report.skipped);
}
