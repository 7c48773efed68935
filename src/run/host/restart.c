// Snapshots, and what a restore or a reset does: another session begins beside the present one, which it then
// replaces, with the same sockets, files and threads' rights. If it cannot begin, the present one goes on.
// The steps stand meanwhile: the main thread owns both closed loops.
#include "run/host/host.h"
#include "run/host/host_internal.h"

#include "log/log/log.h"
#include "net/buses/buses.h"
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "os/process/process.h"
#include "sagbend/base/base.h"
#include "sagbend/events/events.h"
#include "sagbend/loop/loop.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const uint64_t SETTLE_NS = 5000000000; // at most, for a snapshot that is being written

enum status host_prepare_restart(struct host *host, struct reason *why) {
  const struct run_options *o = host->options;
  struct checkpoint_identity identity = session_identity(host->session);
  const char *beside = o->log_path ? o->log_path : o->checkpoint_path;
  char *folder = o->snapshot_folder ? strdup(o->snapshot_folder)
                 : o->log_folder    ? strdup(o->log_folder)
                 : beside           ? file_folder(beside)
                                    : NULL;
  enum status status = snapshots_open(&host->snapshots, folder, &identity, host->session->engine.plant.sim,
                                      &host->session->engine.plant.suite, why);
  free(folder);
  if (host->setup.config.run.mode == RUN_FAST) // nobody can order a restart
    return status;
  host->initial_bytes =
      checkpoint_size(host->session->engine.plant.sim, &host->session->engine.plant.suite) + sizeof(uint64_t);
  host->initial = malloc(host->initial_bytes);
  if (status != STATUS_OK || !host->initial)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the initial state");

  checkpoint_fill_file(host->initial, &identity, &host->session->engine.loop);
  return plant_create_beside(&host->session->engine.plant, &host->spare, &host->setup, why);
}

void host_close_restart(struct host *host) {
  snapshots_close(&host->snapshots);
  free(host->next.bytes);
  free(host->initial);
}

// The order of another session is accepted, whose name and state are known.
static void ask_next(struct host *host, const struct order *order, int is_reset) {
  struct next_session *restart = &host->next;
  restart->asked = 1;
  restart->is_reset = is_reset;
  snprintf(restart->name, sizeof restart->name, "%s", order->name);
}

static enum status read_state(struct host *host, const char *name, struct reason *why) {
  struct next_session *restart = &host->next;
  struct checkpoint_identity identity = session_identity(host->session);
  struct closed_loop_rules rules = closed_loop_rules(&host->session->engine.loop);
  struct reason cause = {""};
  if (!snapshots_settle(&host->snapshots, SETTLE_NS))
    return fail(why, STATUS_BAD_INPUT, "a snapshot is still being written");
  free(restart->bytes);
  restart->bytes = NULL;
  enum status status = snapshots_read(&host->snapshots, name, &restart->bytes, &restart->size, why);
  if (status != STATUS_OK)
    return status;
  status = checkpoint_check(restart->bytes, restart->size, &identity, &rules, host->session->engine.plant.sim,
                            &host->session->engine.plant.suite, &cause);
  if (status == STATUS_OK)
    return STATUS_OK;
  free(restart->bytes);
  restart->bytes = NULL;
  return fail(why, STATUS_BAD_INPUT, "snapshot %s: %.200s", name, cause.text);
}

enum status host_accept_restore(struct host *host, const struct order *order, struct reason *why) {
  enum status status = session_make_id(host->next.session, why);
  if (status == STATUS_OK)
    status = read_state(host, order->name, why);
  if (status == STATUS_OK)
    ask_next(host, order, 0);
  return status;
}

enum status host_accept_reset(struct host *host, const struct order *order, struct reason *why) {
  const enum status status = session_make_id(host->next.session, why);
  if (status == STATUS_OK)
    ask_next(host, order, 1);
  return status;
}

void host_report_snapshots(struct host *host) {
  const struct sim_output *now = &host->session->last.output;
  struct snapshot_done done;
  while (snapshots_done(&host->snapshots, host->snapshots_reported, &done)) {
    host->snapshots_reported++;
    if (done.failed)
      event_watch_log(&host->session->watch, now->step, now->time_s, EVENT_NAME(snapshot_failed),
                      "%s: %.120s", done.name, done.why.text);
    else
      event_watch_log(&host->session->watch, now->step, now->time_s, EVENT_NAME(snapshot_written),
                      "%s, of step %" PRIu64 ": %.100s", done.name, done.step, done.why.text);
  }
}

static struct session_origin origin_of(const struct host *host) {
  const struct next_session *restart = &host->next;
  struct session_origin origin = {.step = host->session->last.output.step};
  snprintf(origin.session, sizeof origin.session, "%s", host->session->id);
  snprintf(origin.how, sizeof origin.how, "%s", restart->is_reset ? "reset" : "restore");
  if (!restart->is_reset) {
    struct checkpoint_identity written_by = checkpoint_identity_in(restart->bytes);
    memcpy(origin.session, written_by.session, sizeof origin.session);
    origin.step = checkpoint_step(restart->bytes);
    snprintf(origin.name, sizeof origin.name, "%s", restart->name);
  }
  return origin;
}

// Frees a session, but for its plant, which waits at rest for another one.
static void retire(struct host *host, struct session *session) {
  struct reason why;
  if (session && session->engine.plant.suite_mem && !host->spare.sim) {
    const struct checkpoint_identity identity = session_identity(session);
    const struct closed_loop_rules rules = closed_loop_rules(&session->engine.loop);
    host->spare = session->engine.plant;
    session->engine.plant = (struct plant){0};
    if (checkpoint_restore(host->initial, host->initial_bytes, &identity, &rules, host->spare.sim,
                           &host->spare.suite, NULL, &why) != STATUS_OK)
      plant_free(&host->spare); // the next session makes one
  }
  session_free(session);
}

// The next session, complete and with a log of its own, beside the present one. NULL in *out: there is none.
static enum status begin_beside(struct host *host, struct session **out, struct reason *why) {
  struct next_session *ordered = &host->next;
  const void *state = ordered->is_reset ? host->initial : ordered->bytes;
  size_t size = ordered->is_reset ? host->initial_bytes : ordered->size;
  enum status status = session_create(host->options, &host->setup, &host->outlets, &host->spare, out, why);
  struct session *next = *out;
  if (status == STATUS_OK) {
    memcpy(next->id, ordered->session, sizeof next->id);
    next->origin = origin_of(host);
    status = session_restore(next, state, size, why);
  }
  if (status == STATUS_OK) {
    next->checkpoint = ordered->bytes;
    next->checkpoint_bytes = ordered->bytes ? ordered->size : 0;
    ordered->bytes = NULL;
    session_take_start(next);
    logger_keep_all(host->session->logger, 1); // not even the log that begins
    status = session_open_log(next, host->earlier.count + 1, why);
    if (status != STATUS_OK)
      logger_keep_all(host->session->logger, 0);
  }
  if (status == STATUS_OK)
    return STATUS_OK;
  retire(host, next);
  *out = NULL;
  return status;
}

// The order is abandoned: the present session goes on as it was.
static void go_on(struct host *host, uint64_t begin_ns, const struct reason *why) {
  struct next_session *restart = &host->next;
  const struct sim_output *now = &host->session->last.output;
  free(restart->bytes);
  restart->bytes = NULL;
  restart->asked = 0;
  restart->goes_on = 1;
  restart->failed++;
  restart->why = *why;
  closed_loop_show_orders(&host->session->engine.loop, &host->session->last);
  if (host->outlets.server)
    server_take_orders(host->outlets.server, &host->session->last);
  event_watch_log(&host->session->watch, now->step, now->time_s,
                  restart->is_reset ? EVENT_NAME(reset_failed) : EVENT_NAME(restore_failed),
                  "goes on after %.3f s: %s", 1e-9 * (double)(os_now_ns() - begin_ns), why->text);
}

// Ends the present session, whose place the next one takes.
static struct session *end_present(struct host *host, const struct session *next, const char *end_text) {
  struct session *present = host->session;
  session_end_steps(present);
  session_end_log(present, end_text, next->id);
  earlier_add(&host->earlier, present, &host->pauses, end_text);
  return present;
}

static void announce(struct host *host, const char *text) {
  struct session *session = host->session;
  const struct frame *frame = &session->engine.loop.frame;
  double setpoint[3];
  const struct session_info info = session_info_of(session, &frame->target, setpoint);
  session->last = *frame;
  event_watch_begin_session(&session->watch, session->logger, frame);
  if (host->outlets.server)
    server_begin_session(host->outlets.server, &info, frame, text);
  event_watch_log_unpublished(&session->watch, frame->output.step, frame->output.time_s,
                              EVENT_NAME(session_begun), "%s", text);
  host_say_ready(host, NULL);
}

// What the process has and every session uses: from now on for this one.
static void follow(struct host *host) {
  struct session *session = host->session;
  host->outlets.console.session = session->id;
  snapshots_set_session(&host->snapshots, session->id);
  recorder_begin_session(&host->outlets.recorder);
  nmea_ports_begin_session(host->outlets.nmea);
  modbus_server_begin_session(host->modbus, &session->engine.loop.target);
}

static void swap(struct host *host, struct session *next) {
  const struct next_session *ordered = &host->next;
  char end_text[64], text[128];
  snprintf(end_text, sizeof end_text, ordered->is_reset ? "reset" : "restored snapshot %s", ordered->name);
  struct session *before = end_present(host, next, end_text);
  snprintf(text, sizeof text, "session %s, %s, after session %s", next->id, end_text, before->id);
  next->watch = before->watch; // events are counted over all sessions
  host->session = next;
  follow(host);
  announce(host, text);
  nmea_inputs_begin_session(host->nmea_inputs);
  checkpointer_begin_session(&host->outlets.checkpointer, next->id, &next->engine.loop);
  retire(host, before);
}

int host_begin_next_session(struct host *host) {
  struct next_session *ordered = &host->next;
  const struct session_stop *stop = &host->session->stop;
  struct reason why = {""};
  struct session *next;
  uint64_t begin_ns = os_now_ns();
  ordered->goes_on = 0;
  if (!ordered->asked || stop->trouble != END_REACHED || stop->signal || stop->ordered || stop->log_failed ||
      host->session->engine.loop.frame.output.fault)
    return 0;
  snapshots_settle(&host->snapshots, SETTLE_NS);
  host_report_snapshots(host);
  if (begin_beside(host, &next, &why) != STATUS_OK) {
    go_on(host, begin_ns, &why);
    return 1;
  }
  swap(host, next);
  ordered->kept.any = 0;
  ordered->asked = 0;
  return 1;
}

// ------------------------------------------------------------
// Resuming: the first session begins with a checkpoint of another process.

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
