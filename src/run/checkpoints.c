// Checkpoints of a run: resuming from one, writing them, reporting those that failed.
#include "cli/version.h"
#include "core/base/steps.h"
#include "run/run.h"

#include <inttypes.h>
#include <stdio.h>

static const double DEFAULT_EVERY_S = 10;

struct checkpoint_identity run_checkpoint_identity(const struct run *run) {
  const struct config *c = &run->session.config;
  struct checkpoint_identity identity = {.model_hash = c->model_hash,
                                         .dp_hash = run->closed_loop.inside ? run->session.dp.hash : 0};
  snprintf(identity.config_name, sizeof identity.config_name, "%s", c->name);
  snprintf(identity.version, sizeof identity.version, "%s", program_version());
  snprintf(identity.build, sizeof identity.build, "%s", program_build().text);
  return identity;
}

// Restores simulator, instruments and closed loop. The run continues as if it had not been interrupted.
static enum status resume(struct run *run, const struct checkpoint_identity *identity, struct reason *why) {
  const char *path = run->options->resume_path;
  struct closed_loop_rules rules = closed_loop_rules(&run->closed_loop);
  struct closed_loop_state state;
  struct reason cause = {""};
  if (checkpoint_read(path, &run->checkpoint, &run->checkpoint_bytes, &cause) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "--resume: %s", cause.text);
  if (checkpoint_restore(run->checkpoint, run->checkpoint_bytes, identity, &rules, run->session.sim,
                         &run->session.suite, &state, &cause) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "--resume: %s: %s", path, cause.text);

  closed_loop_resume(&run->closed_loop, &state);
  run->first_step = run->closed_loop.frame.output.step;
  if (run->steps_total && run->first_step >= run->steps_total)
    console_line(&run->console,
                 "notice: the checkpoint's step %" PRIu64
                 " is at or beyond the end of the run; --duration counts from the start of the session",
                 run->first_step);
  return STATUS_OK;
}

enum status run_prepare_checkpoints(struct run *run, struct reason *why) {
  const struct options *o = run->options;
  struct checkpoint_identity identity = run_checkpoint_identity(run);
  if (o->resume_path) {
    enum status status = resume(run, &identity, why);
    if (status != STATUS_OK)
      return status;
  }
  double every_s = o->checkpoint_every_s > 0 ? o->checkpoint_every_s : DEFAULT_EVERY_S;
  uint64_t every = steps_in_period(every_s, run->session.config.sim.step_s);
  enum status status = checkpointer_open(&run->checkpointer, o->checkpoint_path, every, &identity,
                                         run->session.sim, &run->session.suite, why);
  return status == STATUS_OK ? STATUS_OK : STATUS_IO;
}

void run_report_checkpoints(struct run *run) {
  struct checkpointer_report report = checkpointer_report(&run->checkpointer),
                             before = run->checkpoints_reported;
  const struct sim_output *now = &run->last.output;
  run->checkpoints_reported = report;
  if (report.failed != before.failed)
    event_watch_log(&run->watch, now->step, now->time_s, "checkpoint_failed", "%s", report.failure.text);
  if (report.skipped != before.skipped)
    event_watch_log(&run->watch, now->step, now->time_s, "checkpoint_skipped",
                    "the disk is too slow: %" PRIu64 " checkpoints skipped in all", report.skipped);
}
