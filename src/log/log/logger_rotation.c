// The change from one part of a log to the next, in the writer thread. The new file is created, with the
// digest of the old one in its record, before the old one ends: if that fails, the old part goes on.
#include "log/log/log_internal.h"

#include "sagbend/base/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAST_PART = 999999, NUMBER_DIGITS = 6 };
static const char EXTENSION[] = ".mcap", FIRST_END[] = "000001.mcap";
static const uint64_t LOOK_NS = 200000;         // between looks for events
static const uint64_t PATIENCE_NS = 5000000000; // at most until the main thread has seen a step
static const uint64_t RETRY_NS = 10000000000;   // after a part that could not begin

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// 0: no limit. The configuration limits the number; beyond the range of bytes it is the largest.
static uint64_t bytes_of(double mib) {
  double bytes = mib * 1048576;
  return !(bytes > 0) ? 0 : bytes < (double)(UINT64_MAX / 2) ? (uint64_t)bytes : UINT64_MAX;
}

static void set_limits(struct rotation *rotation, const struct config *config) {
  const struct log_def *log = &config->log;
  rotation->every_steps = steps_in_period_or_off(log->part_s, config->sim.step_s);
  rotation->bytes = log->part_mib > 0 ? bytes_of(log->part_mib) : UINT64_MAX;
  rotation->keep.parts = (uint64_t)log->keep_parts;
  rotation->keep.bytes = bytes_of(log->keep_mib);
}

void rotation_delete_old(struct logger *logger, uint64_t present_bytes) {
  if (atomic_load(&logger->rotation.keeps_all))
    return;
  struct log_folder_result result =
      log_folder_delete_old(logger->path, &logger->rotation.keep, present_bytes);
  logger->rotation.kept_bytes = result.failed ? 0 : result.kept_bytes; // what failed waits for the next part
  pthread_mutex_lock(&logger->shared.lock);
  logger->shared.parts_deleted += result.deleted;
  logger->shared.deletions_failed += result.failed;
  if (result.failed)
    logger->shared.part_failure = result.why;
  pthread_mutex_unlock(&logger->shared.lock);
}

void rotation_keep_size(struct logger *logger) {
  const struct rotation *rotation = &logger->rotation;
  uint64_t bytes = session_log_written(logger->file)->bytes;
  if (rotation->keep.bytes && rotation->kept_bytes && rotation->kept_bytes + bytes > rotation->keep.bytes)
    rotation_delete_old(logger, bytes);
}

enum status rotation_open(struct logger *logger, const struct log_session *session,
                          const struct logger_rotation *asked, struct reason *why) {
  struct rotation *rotation = &logger->rotation;
  size_t length = logger->path ? strlen(logger->path) : 0, end = sizeof FIRST_END - 1;
  if (length < end || strcmp(logger->path + length - end, FIRST_END) != 0)
    return fail(why, STATUS_BAD_INPUT, "a path that ends with %s expected", FIRST_END);
  set_limits(rotation, session->config);
  rotation->sim = asked->sim;
  rotation->identity = *asked->identity;
  rotation->last_step = asked->last_step;
  rotation->session = *session;
  rotation->session.session = rotation->identity.session;
  rotation->session.version = rotation->identity.version;
  rotation->session.build = rotation->identity.build;
  rotation->session.part = (struct log_part){.number = 1};
  if (session->setpoint) {
    memcpy(rotation->setpoint, session->setpoint, sizeof rotation->setpoint);
    rotation->session.setpoint = rotation->setpoint;
  }
  if (session->key) {
    rotation->key = *session->key;
    rotation->session.key = &rotation->key;
  }
  rotation->image_bytes = checkpoint_size(asked->sim, asked->suite);
  rotation->file = malloc(rotation->image_bytes + sizeof(uint64_t));
  rotation->name_before = logger->path ? strdup(file_name(logger->path)) : NULL;
  if (!rotation->file || !rotation->name_before)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the parts of the log");
  logger->shared.part = 1;
  return STATUS_OK;
}

void rotation_close(struct logger *logger) {
  log_key_forget(&logger->rotation.key);
  free(logger->rotation.file);
  free(logger->rotation.name_before);
}

void rotation_merge_missing(struct rotation *rotation, uint64_t missing_from) {
  uint64_t *part = &rotation->part_missing_from;
  if (missing_from && (!*part || missing_from < *part))
    *part = missing_from;
}

void rotation_dropped_in_part(const struct logger *logger, const uint64_t in_step[LOG_TOPIC_COUNT],
                              uint64_t out[LOG_TOPIC_COUNT]) {
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    out[t] = in_step[t] + logger->rotation.writer_dropped[t] + atomic_load(&logger->main_drops[t]) -
             logger->rotation.dropped_before[t];
}

void rotation_ask_if_large(struct logger *logger) {
  struct rotation *rotation = &logger->rotation;
  int idle = ROTATION_IDLE;
  if (rotation->image_bytes && session_log_written(logger->file)->bytes >= rotation->bytes &&
      (!rotation->failed || os_now_ns() >= rotation->retry_ns))
    atomic_compare_exchange_strong(&rotation->state, &idle, ROTATION_WANTED);
}

// The events that follow from the steps of the old part belong to it: waits until the main thread has seen
// the last of them, unless the ring fills meanwhile.
static void take_events(struct logger *logger, uint64_t step) {
  uint64_t begin_ns = os_now_ns();
  for (;;) {
    int is_seen = atomic_load(&logger->seen) > step || atomic_load(&logger->stop);
    if (logger_drain_events(logger, step) != STATUS_OK || is_seen ||
        byte_ring_fill(&logger->steps) > logger->steps.capacity / 2 || os_now_ns() - begin_ns > PATIENCE_NS)
      return;
    os_sleep_until_ns(os_now_ns() + LOOK_NS);
  }
}

// Puts the number into the path. The length stays: the numbers have leading zeros.
static void set_number(char *path, unsigned number) {
  char digits[NUMBER_DIGITS + 1];
  snprintf(digits, sizeof digits, "%0*u", NUMBER_DIGITS, number % (LAST_PART + 1u));
  memcpy(path + strlen(path) - strlen(EXTENSION) - NUMBER_DIGITS, digits, NUMBER_DIGITS);
}

static struct log_session session_of_part(struct logger *logger, const struct log_item *item,
                                          const struct log_digest *link) {
  struct rotation *rotation = &logger->rotation;
  const struct log_handover *handover = (const struct log_handover *)(item + 1);
  struct log_session session = rotation->session;
  uint64_t hash = checkpoint_file_hash(handover + 1, rotation->image_bytes);
  memcpy(rotation->file, handover + 1, rotation->image_bytes);
  memcpy(rotation->file + rotation->image_bytes, &hash, sizeof hash);
  session.first_step = item->step;
  session.initial_hash = checkpoint_state_hash(rotation->file);
  session.checkpoint = rotation->file;
  session.checkpoint_bytes = rotation->image_bytes + sizeof hash;
  session.origin = (struct log_origin){0};
  session.part.number++;
  session.part.before = rotation->name_before;
  session.part.link = *link;
  session.part.commands_before = handover->command_number;
  return session;
}

static void fill_end(struct logger *logger, const struct log_item *item, const char *next_path,
                     struct log_end *end) {
  struct rotation *rotation = &logger->rotation;
  const struct log_handover *handover = (const struct log_handover *)(item + 1);
  checkpoint_loop_state(handover + 1, &rotation->state_at_end);
  *end = (struct log_end){.step = item->step,
                          .state_hash = checkpoint_state_hash(handover + 1),
                          .why = "continued in the next part",
                          .continued_in = file_name(next_path),
                          .commands_missing = rotation->part_missing_from > 0,
                          .replayable_to_step =
                              rotation->part_missing_from ? rotation->part_missing_from - 1 : 0};
  rotation_dropped_in_part(logger, handover->dropped, end->dropped);
  log_end_verdicts(end, &rotation->session.config->scenario, &rotation->state_at_end.scenario);
}

// Creates the file of the next part. On failure the old part is as before.
static enum status open_next(struct logger *logger, const struct log_item *item, const char *path,
                             struct session_log **next, struct reason *why) {
  struct log_end end;
  struct log_digest link;
  if (logger->rotation.session.part.number == LAST_PART)
    return fail(why, STATUS_BAD_INPUT, "%s: no part after number %d", logger->path, LAST_PART);
  if (logger_save(logger) != STATUS_OK || session_log_pending_bytes(logger->file) > 0) {
    *why = logger->shared.failure; // this thread alone writes it
    return STATUS_IO;
  }
  fill_end(logger, item, path, &end);
  enum status status = session_log_end(logger->file, &end, item->time_s, &link);
  if (status != STATUS_OK)
    return fail(why, status, "%s: out of memory for the end of a part", logger->path);

  struct log_session session = session_of_part(logger, item, &link);
  status = session_log_open(path, &session, next, why);
  if (status == STATUS_OK)
    logger->rotation.session = session;
  else
    session_log_discard(logger->file);
  return status;
}

static void end_part(struct logger *logger, const struct log_item *item, struct session_log *next) {
  struct rotation *rotation = &logger->rotation;
  const struct log_handover *handover = (const struct log_handover *)(item + 1);
  struct mcap_written written = {0};
  struct reason why = {""};
  if (session_log_close(logger->file, NULL, 0, &written, NULL, &why) != STATUS_OK)
    logger_break(logger, &why); // its end is missing, and a replay finds that
  rotation->written_before.messages += written.messages;
  rotation->written_before.chunks += written.chunks;
  rotation->written_before.bytes += written.bytes;

  uint64_t dropped[LOG_TOPIC_COUNT];
  rotation_dropped_in_part(logger, handover->dropped, dropped);
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    rotation->dropped_before[t] += dropped[t];
  rotation->part_missing_from = 0;
  logger->file = next;
  logger->sync_ns = os_now_ns();
  if (logger->session_info_size &&
      session_log_message(next, LOG_SESSION_INFO, item->time_s, logger->session_info,
                          logger->session_info_size) != STATUS_OK)
    logger_drop_in_writer(logger, LOG_SESSION_INFO, 1);
}

void rotation_begin_part(struct logger *logger, const struct log_item *item) {
  struct rotation *rotation = &logger->rotation;
  struct session_log *next = NULL;
  struct reason why = {""};
  take_events(logger, item->step);
  rotation_merge_missing(rotation, ((const struct log_handover *)(item + 1))->missing_from);

  char *path = strdup(logger->path), *name = strdup(file_name(logger->path));
  enum status status = STATUS_NO_MEMORY;
  if (path && name) {
    set_number(path, rotation->session.part.number + 1);
    free(rotation->name_before);
    rotation->name_before = name;
    name = NULL;
    status = open_next(logger, item, path, &next, &why);
  } else {
    fail(&why, status, "%s: out of memory for its next part", logger->path);
  }
  rotation->failed = status != STATUS_OK;
  if (status == STATUS_OK)
    end_part(logger, item, next);
  else
    rotation->retry_ns = os_now_ns() + RETRY_NS;

  pthread_mutex_lock(&logger->shared.lock);
  logger->shared.parts_failed += status != STATUS_OK;
  if (status == STATUS_OK) {
    logger->shared.part = rotation->session.part.number;
    memcpy(logger->path, path, strlen(path));
  } else {
    logger->shared.part_failure = why;
  }
  pthread_mutex_unlock(&logger->shared.lock);
  free(path);
  free(name);
  if (status == STATUS_OK)
    rotation_delete_old(logger, 0);
  atomic_store(&rotation->state, ROTATION_IDLE);
}
