// Snapshots, and what a restore or a reset does: the session ends, and the run goes on with another one, with
// the same sockets, files and threads' rights. The steps stand meanwhile: the main thread owns the closed
// loop.
#include "host/restart.h"

#include "rt/os.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t SETTLE_NS = 5000000000; // at most, for a snapshot that is being written

// The folder of path; the caller frees it.
static char *folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? strndup(path, (size_t)(slash - path) + (slash == path)) : strdup(".");
}

enum status host_prepare_restart(struct host *host, struct reason *why) {
  const struct run_options *o = host->options;
  struct checkpoint_identity identity = session_identity(host->session);
  const char *beside = o->log_path ? o->log_path : o->checkpoint_path;
  char *folder = o->snapshot_folder ? strdup(o->snapshot_folder)
                 : o->log_folder    ? strdup(o->log_folder)
                 : beside           ? folder_of(beside)
                                    : NULL;
  enum status status = snapshots_open(&host->snapshots, folder, &identity, host->session->plant.sim,
                                      &host->session->plant.suite, why);
  free(folder);
  host->initial_bytes =
      checkpoint_size(host->session->plant.sim, &host->session->plant.suite) + sizeof(uint64_t);
  host->initial = malloc(host->initial_bytes);
  if (status != STATUS_OK || !host->initial)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the initial state");

  struct closed_loop_state state;
  size_t size = host->initial_bytes - sizeof(uint64_t);
  closed_loop_save(&host->session->loop, &state);
  checkpoint_fill(host->initial, &identity, host->session->loop.frame.output.step, &state,
                  host->session->plant.sim, &host->session->plant.suite);
  uint64_t hash = checkpoint_file_hash(host->initial, size);
  memcpy((unsigned char *)host->initial + size, &hash, sizeof hash);
  return STATUS_OK;
}

void host_close_restart(struct host *host) {
  snapshots_close(&host->snapshots);
  free(host->next.bytes);
  free(host->initial);
}

static enum status accept_restore(struct host *host, const char *name, struct reason *why) {
  struct next_session *restart = &host->next;
  struct checkpoint_identity identity = session_identity(host->session);
  struct closed_loop_rules rules = closed_loop_rules(&host->session->loop);
  struct reason cause = {""};
  if (!snapshots_settle(&host->snapshots, SETTLE_NS))
    return fail(why, STATUS_BAD_INPUT, "a snapshot is still being written");
  free(restart->bytes);
  restart->bytes = NULL;
  enum status status = snapshots_read(&host->snapshots, name, &restart->bytes, &restart->size, why);
  if (status != STATUS_OK)
    return status;
  status = checkpoint_check(restart->bytes, restart->size, &identity, &rules, host->session->plant.sim,
                            &host->session->plant.suite, &cause);
  if (status == STATUS_OK)
    return STATUS_OK;
  free(restart->bytes);
  restart->bytes = NULL;
  return fail(why, STATUS_BAD_INPUT, "snapshot %s: %.200s", name, cause.text);
}

enum status host_accept_order(struct host *host, const struct order *order, struct reason *why) {
  struct next_session *restart = &host->next;
  int restarts = order->kind == ORDER_RESTORE || order->kind == ORDER_RESET;
  if (restart->asked)
    return fail(why, STATUS_BAD_INPUT, "another session is about to begin");
  if (order->kind == ORDER_SNAPSHOT)
    return snapshots_accept(&host->snapshots, order->name, why);
  if (!restarts)
    return STATUS_OK;
  enum status status = session_make_id(restart->session, why);
  if (status == STATUS_OK && order->kind == ORDER_RESTORE)
    status = accept_restore(host, order->name, why);
  if (status != STATUS_OK)
    return status;
  restart->asked = 1;
  restart->is_reset = order->kind == ORDER_RESET;
  snprintf(restart->name, sizeof restart->name, "%s", order->name);
  return STATUS_OK;
}

void host_report_snapshots(struct host *host) {
  const struct sim_output *now = &host->session->last.output;
  struct snapshot_done done;
  while (snapshots_done(&host->snapshots, host->snapshots_reported, &done)) {
    host->snapshots_reported++;
    if (done.failed)
      event_watch_log(&host->session->watch, now->step, now->time_s, "snapshot_failed", "%s: %.120s",
                      done.name, done.why.text);
    else
      event_watch_log(&host->session->watch, now->step, now->time_s, "snapshot_written",
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

// Opens the log of the next session while the present one still has its own.
static enum status open_next_log(struct host *host, struct logger **next, struct reason *why) {
  const struct next_session *restart = &host->next;
  const void *state = restart->is_reset ? host->initial : restart->bytes;
  const struct session_beginning beginning = {.session = restart->session,
                                              .sessions_before = host->earlier.count + 1,
                                              .first_step = checkpoint_step(state),
                                              .initial_hash = checkpoint_state_hash(state),
                                              .checkpoint = restart->bytes,
                                              .checkpoint_bytes = restart->bytes ? restart->size : 0,
                                              .origin = origin_of(host)};
  logger_keep_all(host->session->logger, 1); // not even the log that begins
  enum status status = session_open_log_of(host->session, &beginning, next, why);
  if (status != STATUS_OK)
    logger_keep_all(host->session->logger, 0);
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
  closed_loop_show_orders(&host->session->loop, &host->session->last);
  if (host->outlets.server)
    server_take_orders(host->outlets.server, &host->session->last);
  event_watch_log(&host->session->watch, now->step, now->time_s,
                  restart->is_reset ? "reset_failed" : "restore_failed", "goes on after %.3f s: %s",
                  1e-9 * (double)(os_now_ns() - begin_ns), why->text);
}

// The state of the new session. What restored it was checked when the order was accepted.
static enum status restore_state(struct host *host, struct reason *why) {
  struct next_session *restart = &host->next;
  struct checkpoint_identity identity = session_identity(host->session);
  struct closed_loop *loop = &host->session->loop;
  struct closed_loop_rules rules = closed_loop_rules(loop);
  struct closed_loop_state state;
  double setpoint[3];
  const void *bytes = restart->is_reset ? host->initial : restart->bytes;
  size_t size = restart->is_reset ? host->initial_bytes : restart->size;
  const struct command_def def = loop->command_def;
  const struct dp_def *inside = loop->inside;
  closed_loop_init(loop, host->session->plant.sim, &host->session->plant.suite, &def, inside,
                   &host->setup.config.scenario, setup_setpoint(&host->setup, setpoint) ? setpoint : NULL);
  enum status status = checkpoint_restore(bytes, size, &identity, &rules, host->session->plant.sim,
                                          &host->session->plant.suite, &state, why);
  if (status != STATUS_OK)
    return status;
  closed_loop_resume(loop, &state);

  free(host->session->checkpoint);
  host->session->checkpoint = restart->bytes;
  host->session->checkpoint_bytes = restart->bytes ? restart->size : 0;
  restart->bytes = NULL;
  host->session->first_step = loop->frame.output.step;
  return STATUS_OK;
}

static void forget_reported(struct host *host) {
  host->session->reported.log = (struct logger_report){0};
  host->session->reported.log_at_step = host->session->reported.record_at_step =
      host->session->reported.console_at_step = 0;
  recorder_begin_session(&host->outlets.recorder);
  nmea_ports_begin_session(host->outlets.nmea);
  times_clear(&host->session->times);
  session_begin_view(host->session);
  histogram_clear(&host->session->sent_ns);
}

static void announce(struct host *host, const char *text) {
  const struct frame *frame = &host->session->loop.frame;
  double setpoint[3];
  const struct session_info info = session_info_of(host->session, &frame->target, setpoint);
  host->session->last = *frame;
  event_watch_begin_session(&host->session->watch, host->session->logger, frame);
  if (host->outlets.server)
    server_begin_session(host->outlets.server, &info, frame, text);
  event_watch_log_unpublished(&host->session->watch, frame->output.step, frame->output.time_s,
                              "session_begun", "%s", text);
  host_say_ready(host, NULL);
}

// Replaces the session by the next one, whose log is open.
static enum status change_session(struct host *host, struct logger *next, struct reason *why) {
  struct next_session *restart = &host->next;
  char end_text[64], text[128];
  session_end_steps(host->session);
  snprintf(end_text, sizeof end_text, restart->is_reset ? "reset" : "restored snapshot %s", restart->name);
  session_end_log(host->session, end_text, restart->session);
  earlier_add(host, end_text);
  host->halts_before = host->halts;
  logger_free(host->session->logger);
  host->session->logger = next;

  host->session->origin = origin_of(host);
  snprintf(text, sizeof text, "session %s, %s, after session %s", restart->session, end_text,
           host->session->id);
  memcpy(host->session->id, restart->session, sizeof host->session->id);
  snapshots_set_session(&host->snapshots, host->session->id);
  enum status status = restore_state(host, why);
  if (status != STATUS_OK)
    return status;
  forget_reported(host);
  announce(host, text);
  checkpointer_begin_session(&host->outlets.checkpointer, host->session->id, &host->session->loop);
  return STATUS_OK;
}

int host_begin_next_session(struct host *host) {
  struct next_session *restart = &host->next;
  struct reason why = {""};
  struct logger *next = NULL;
  uint64_t begin_ns = os_now_ns();
  restart->goes_on = 0;
  if (!restart->asked || host->session->stop.trouble != END_REACHED || host->session->stop.signal ||
      host->session->stop.ordered || host->session->stop.log_failed || host->session->loop.frame.output.fault)
    return 0;
  snapshots_settle(&host->snapshots, SETTLE_NS);
  host_report_snapshots(host);
  if (open_next_log(host, &next, &why) != STATUS_OK) {
    go_on(host, begin_ns, &why);
    return 1;
  }
  restart->kept.any = 0;
  if (change_session(host, next, &why) != STATUS_OK) {
    outcome_fail(host->session, "session %s could not begin: %s", host->session->id, why.text);
    host->session->stop.trouble = END_THREAD;
    return 0;
  }
  restart->asked = 0;
  return 1;
}
