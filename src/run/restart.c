// Snapshots, and what a restore or a reset does: the session ends, and the run goes on with another one, with
// the same sockets, files and threads' rights. The steps stand meanwhile: the main thread owns the closed
// loop.
#include "run/restart.h"

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

enum status run_prepare_restart(struct run *run, struct reason *why) {
  const struct options *o = run->options;
  struct checkpoint_identity identity = run_checkpoint_identity(run);
  const char *beside = o->log_path ? o->log_path : o->checkpoint_path;
  char *folder = o->snapshot_folder ? strdup(o->snapshot_folder)
                 : o->log_folder    ? strdup(o->log_folder)
                 : beside           ? folder_of(beside)
                                    : NULL;
  enum status status =
      snapshots_open(&run->snapshots, folder, &identity, run->plant.sim, &run->plant.suite, why);
  free(folder);
  run->initial_bytes = checkpoint_size(run->plant.sim, &run->plant.suite) + sizeof(uint64_t);
  run->initial = malloc(run->initial_bytes);
  if (status != STATUS_OK || !run->initial)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the initial state");

  struct closed_loop_state state;
  size_t size = run->initial_bytes - sizeof(uint64_t);
  closed_loop_save(&run->closed_loop, &state);
  checkpoint_fill(run->initial, &identity, run->closed_loop.frame.output.step, &state, run->plant.sim,
                  &run->plant.suite);
  uint64_t hash = checkpoint_file_hash(run->initial, size);
  memcpy((unsigned char *)run->initial + size, &hash, sizeof hash);
  return STATUS_OK;
}

void run_close_restart(struct run *run) {
  snapshots_close(&run->snapshots);
  free(run->restart.bytes);
  free(run->initial);
}

static enum status accept_restore(struct run *run, const char *name, struct reason *why) {
  struct run_restart *restart = &run->restart;
  struct checkpoint_identity identity = run_checkpoint_identity(run);
  struct closed_loop_rules rules = closed_loop_rules(&run->closed_loop);
  struct reason cause = {""};
  if (!snapshots_settle(&run->snapshots, SETTLE_NS))
    return fail(why, STATUS_BAD_INPUT, "a snapshot is still being written");
  free(restart->bytes);
  restart->bytes = NULL;
  enum status status = snapshots_read(&run->snapshots, name, &restart->bytes, &restart->size, why);
  if (status != STATUS_OK)
    return status;
  status = checkpoint_check(restart->bytes, restart->size, &identity, &rules, run->plant.sim,
                            &run->plant.suite, &cause);
  if (status == STATUS_OK)
    return STATUS_OK;
  free(restart->bytes);
  restart->bytes = NULL;
  return fail(why, STATUS_BAD_INPUT, "snapshot %s: %.200s", name, cause.text);
}

enum status run_accept_order(struct run *run, const struct order *order, struct reason *why) {
  struct run_restart *restart = &run->restart;
  int restarts = order->kind == ORDER_RESTORE || order->kind == ORDER_RESET;
  if (restart->asked)
    return fail(why, STATUS_BAD_INPUT, "another session is about to begin");
  if (order->kind == ORDER_SNAPSHOT)
    return snapshots_accept(&run->snapshots, order->name, why);
  if (!restarts)
    return STATUS_OK;
  enum status status = session_make_id(restart->session, why);
  if (status == STATUS_OK && order->kind == ORDER_RESTORE)
    status = accept_restore(run, order->name, why);
  if (status != STATUS_OK)
    return status;
  restart->asked = 1;
  restart->is_reset = order->kind == ORDER_RESET;
  snprintf(restart->name, sizeof restart->name, "%s", order->name);
  return STATUS_OK;
}

void run_report_snapshots(struct run *run) {
  const struct sim_output *now = &run->last.output;
  struct snapshot_done done;
  while (snapshots_done(&run->snapshots, run->snapshots_reported, &done)) {
    run->snapshots_reported++;
    if (done.failed)
      event_watch_log(&run->watch, now->step, now->time_s, "snapshot_failed", "%s: %.120s", done.name,
                      done.why.text);
    else
      event_watch_log(&run->watch, now->step, now->time_s, "snapshot_written",
                      "%s, of step %" PRIu64 ": %.100s", done.name, done.step, done.why.text);
  }
}

static struct run_origin origin_of(const struct run *run) {
  const struct run_restart *restart = &run->restart;
  struct run_origin origin = {.step = run->last.output.step};
  snprintf(origin.session, sizeof origin.session, "%s", run->session_id);
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
static enum status open_next_log(struct run *run, struct logger **next, struct reason *why) {
  const struct run_restart *restart = &run->restart;
  const void *state = restart->is_reset ? run->initial : restart->bytes;
  const struct run_beginning beginning = {.session = restart->session,
                                          .sessions_before = run->earlier.count + 1,
                                          .first_step = checkpoint_step(state),
                                          .initial_hash = checkpoint_state_hash(state),
                                          .checkpoint = restart->bytes,
                                          .checkpoint_bytes = restart->bytes ? restart->size : 0,
                                          .origin = origin_of(run)};
  logger_keep_all(run->logger, 1); // not even the log that begins
  enum status status = run_open_log_of(run, &beginning, next, why);
  if (status != STATUS_OK)
    logger_keep_all(run->logger, 0);
  return status;
}

// The order is abandoned: the present session goes on as it was.
static void go_on(struct run *run, uint64_t begin_ns, const struct reason *why) {
  struct run_restart *restart = &run->restart;
  const struct sim_output *now = &run->last.output;
  free(restart->bytes);
  restart->bytes = NULL;
  restart->asked = 0;
  restart->goes_on = 1;
  restart->failed++;
  restart->why = *why;
  closed_loop_show_orders(&run->closed_loop, &run->last);
  if (run->server)
    server_take_orders(run->server, &run->last);
  event_watch_log(&run->watch, now->step, now->time_s, restart->is_reset ? "reset_failed" : "restore_failed",
                  "goes on after %.3f s: %s", 1e-9 * (double)(os_now_ns() - begin_ns), why->text);
}

// The state of the new session. What restored it was checked when the order was accepted.
static enum status restore_state(struct run *run, struct reason *why) {
  struct run_restart *restart = &run->restart;
  struct checkpoint_identity identity = run_checkpoint_identity(run);
  struct closed_loop *loop = &run->closed_loop;
  struct closed_loop_rules rules = closed_loop_rules(loop);
  struct closed_loop_state state;
  double setpoint[3];
  const void *bytes = restart->is_reset ? run->initial : restart->bytes;
  size_t size = restart->is_reset ? run->initial_bytes : restart->size;
  const struct command_def def = loop->command_def;
  const struct dp_def *inside = loop->inside;
  closed_loop_init(loop, run->plant.sim, &run->plant.suite, &def, inside, &run->setup.config.scenario,
                   setup_setpoint(&run->setup, setpoint) ? setpoint : NULL);
  enum status status =
      checkpoint_restore(bytes, size, &identity, &rules, run->plant.sim, &run->plant.suite, &state, why);
  if (status != STATUS_OK)
    return status;
  closed_loop_resume(loop, &state);

  free(run->checkpoint);
  run->checkpoint = restart->bytes;
  run->checkpoint_bytes = restart->bytes ? restart->size : 0;
  restart->bytes = NULL;
  run->first_step = loop->frame.output.step;
  return STATUS_OK;
}

static void forget_reported(struct run *run) {
  run->log_reported = (struct logger_report){0};
  run->report_log_at_step = run->report_record_at_step = run->report_console_at_step = 0;
  recorder_begin_session(&run->recorder);
  nmea_ports_begin_session(run->nmea);
  times_clear(&run->times);
  run_begin_view(run);
  histogram_clear(&run->sent_ns);
}

static void announce(struct run *run, const char *text) {
  const struct frame *frame = &run->closed_loop.frame;
  double setpoint[3];
  int has_setpoint = run_setpoint(run, &frame->target, setpoint);
  run->last = *frame;
  event_watch_begin_session(&run->watch, run->logger, frame);
  if (run->server)
    server_begin_session(run->server, run->session_id, frame, has_setpoint ? setpoint : NULL, text);
  event_watch_log_unpublished(&run->watch, frame->output.step, frame->output.time_s, "session_begun", "%s",
                              text);
}

// Replaces the session by the next one, whose log is open.
static enum status change_session(struct run *run, struct logger *next, struct reason *why) {
  struct run_restart *restart = &run->restart;
  char end_text[64], text[128];
  run_end_steps(run);
  snprintf(end_text, sizeof end_text, restart->is_reset ? "reset" : "restored snapshot %s", restart->name);
  run_end_log(run, end_text, restart->session);
  earlier_add(run, end_text);
  run->halts_before = run->halts;
  logger_free(run->logger);
  run->logger = next;

  run->origin = origin_of(run);
  snprintf(text, sizeof text, "session %s, %s, after session %s", restart->session, end_text,
           run->session_id);
  memcpy(run->session_id, restart->session, sizeof run->session_id);
  snapshots_set_session(&run->snapshots, run->session_id);
  enum status status = restore_state(run, why);
  if (status != STATUS_OK)
    return status;
  forget_reported(run);
  announce(run, text);
  checkpointer_begin_session(&run->checkpointer, run->session_id, &run->closed_loop);
  return STATUS_OK;
}

int run_begin_next_session(struct run *run) {
  struct run_restart *restart = &run->restart;
  struct reason why = {""};
  struct logger *next = NULL;
  uint64_t begin_ns = os_now_ns();
  restart->goes_on = 0;
  if (!restart->asked || run->trouble != END_REACHED || run->stop_signal || run->stop_ordered ||
      run->log_failed || run->closed_loop.frame.output.fault)
    return 0;
  snapshots_settle(&run->snapshots, SETTLE_NS);
  run_report_snapshots(run);
  if (open_next_log(run, &next, &why) != STATUS_OK) {
    go_on(run, begin_ns, &why);
    return 1;
  }
  restart->kept.any = 0;
  if (change_session(run, next, &why) != STATUS_OK) {
    outcome_fail(run, "session %s could not begin: %s", run->session_id, why.text);
    run->trouble = END_THREAD;
    return 0;
  }
  restart->asked = 0;
  return 1;
}
