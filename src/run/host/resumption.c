// Resuming: the first session begins with a checkpoint of another process.
#include "os/cli/version.h"
#include "sagbend/base/steps.h"
#include "sagbend/rig/host_event.h"
#include "run/host/host.h"
#include "log/log/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const double DEFAULT_EVERY_S = 10;

// The steps that followed the checkpoint are those up to the progress of the same session.
static void note_origin(struct host *host, const char *path) {
  struct resumed *resumed = &host->resumed;
  struct session_origin *from = &host->session->origin;
  struct checkpoint_identity written_by = checkpoint_identity_in(host->session->checkpoint);
  struct progress progress;
  const char *slash = strrchr(path, '/');
  from->step = host->session->first_step;
  snprintf(from->session, sizeof from->session, "%s", written_by.session);
  snprintf(from->how, sizeof from->how, "resume");
  snprintf(from->name, sizeof from->name, "%.63s", slash ? slash + 1 : path);
  resumed->path = path;
  resumed->origin = *from;
  resumed->lost_is_known = progress_read(path, &progress) && strcmp(progress.session, from->session) == 0 &&
                           progress.step >= from->step;
  resumed->lost_steps = resumed->lost_is_known ? progress.step - from->step : 0;
}

// Restores simulator, instruments and closed loop. The run continues as if it had not been interrupted.
static enum status resume(struct host *host, const char *path, struct reason *why) {
  struct reason cause = {""};
  if (checkpoint_read(path, &host->session->checkpoint, &host->session->checkpoint_bytes, &cause) !=
      STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "--resume: %s", cause.text);
  if (session_restore(host->session, host->session->checkpoint, host->session->checkpoint_bytes, &cause) !=
      STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "--resume: %s: %s", path, cause.text);
  note_origin(host, path);
  if (host->session->steps_total && host->session->first_step >= host->session->steps_total)
    console_line(&host->outlets.console,
                 "notice: the checkpoint's step %" PRIu64
                 " is at or beyond the end of the run; --duration counts from the start of the session",
                 host->session->first_step);
  return STATUS_OK;
}

// There is no checkpoint. With progress beside it a session was killed before it wrote its first one.
static void note_lost_session(struct host *host, const char *path) {
  struct progress progress;
  console_line(&host->outlets.console,
               "notice: there is no checkpoint %s yet: the run starts at the beginning", path);
  if (!progress_read(path, &progress) || progress.step == 0)
    return;
  snprintf(host->lost.session, sizeof host->lost.session, "%s", progress.session);
  host->lost.steps = progress.step;
}

// The checkpoint to resume from; NULL: the run starts at the beginning.
static const char *checkpoint_to_resume(struct host *host) {
  const struct run_options *o = host->options;
  struct stat about;
  if (!o->resumes_if_present || stat(o->checkpoint_path, &about) == 0)
    return o->resumes_if_present ? o->checkpoint_path : o->resume_path;
  if (errno != ENOENT)
    return o->checkpoint_path; // reading it reports the error
  note_lost_session(host, o->checkpoint_path);
  return NULL;
}

void host_report_resumption(struct host *host) {
  const struct resumed *from = &host->resumed;
  const struct sim_output *now = &host->session->engine.loop.frame.output;
  if (host->lost.steps)
    event_watch_log(&host->session->watch, now->step, now->time_s, EVENT_NAME(steps_lost),
                    "at least %" PRIu64 " steps (%.6g s) of session %s, which left no checkpoint",
                    host->lost.steps, (double)host->lost.steps * host->setup.config.sim.step_s,
                    host->lost.session);
  if (!from->path)
    return;
  event_watch_resume(&host->session->watch, &host->session->engine.loop.frame, from->path);
  if (from->lost_steps)
    event_watch_log(&host->session->watch, now->step, now->time_s, EVENT_NAME(steps_lost),
                    "at least %" PRIu64 " steps (%.6g s) that followed the checkpoint in session %s",
                    from->lost_steps, (double)from->lost_steps * host->setup.config.sim.step_s,
                    from->origin.session);
  else if (!from->lost_is_known && host->options->resumes_if_present)
    event_watch_log(&host->session->watch, now->step, now->time_s, EVENT_NAME(steps_lost),
                    "an unknown number of steps that followed the checkpoint in session %s",
                    from->origin.session);
}

enum status host_prepare_checkpoints(struct host *host, struct reason *why) {
  const struct run_options *o = host->options;
  struct checkpoint_identity identity = session_identity(host->session);
  const char *path = checkpoint_to_resume(host);
  if (path) {
    enum status status = resume(host, path, why);
    if (status != STATUS_OK)
      return status;
  }
  double every_s = o->checkpoint_every_s > 0 ? o->checkpoint_every_s : DEFAULT_EVERY_S;
  uint64_t every = steps_in_period(every_s, host->setup.config.sim.step_s);
  enum status status =
      checkpointer_open(&host->outlets.checkpointer, o->checkpoint_path, every, &identity,
                        host->session->engine.plant.sim, &host->session->engine.plant.suite, why);
  return status == STATUS_OK ? STATUS_OK : STATUS_IO;
}
