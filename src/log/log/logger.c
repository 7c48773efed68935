// Opening, closing and reporting: what the main thread calls.
#include "log/log/log_internal.h"

#include "sagbend/base/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EVENT_RING_BYTES = 1 << 21, STACK_BYTES = 512 * 1024 };

static uint64_t steps_between(const struct log_rate *rate, double step_s) {
  return rate->off ? 0 : steps_in_period(rate->period_s, step_s);
}

static void set_periods(struct logger *logger, const struct config *config) {
  const struct log_def *log = &config->log;
  double step_s = config->sim.step_s;
  logger->every[LOG_SENSORS] = steps_between(&log->sensors, step_s);
  logger->every[LOG_TRUTH] = steps_between(&log->truth, step_s);
  logger->every[LOG_NODES] = logger->node_count ? steps_between(&log->nodes, step_s) : 0;
  logger->every[LOG_LEDGER] = steps_between(&log->ledger, step_s);
  logger->every[LOG_TIMING] = steps_between(&log->timing, step_s);
  logger->every[LOG_STATE_HASH] = steps_between(&log->state_hash, step_s);
}

// The ring of the steps: a power of two, at least buffer_mib and room for 16 shapes of the pipe and 16
// checkpoints.
static enum status make_rings(struct logger *logger, int buffer_mib) {
  size_t shape_bytes = sizeof(struct log_item) + (size_t)logger->node_count * sizeof(struct sim_node);
  size_t steps_bytes = 1u << 20;
  while (steps_bytes < (size_t)buffer_mib << 20 || steps_bytes < 16 * shape_bytes ||
         steps_bytes < 16 * logger->rotation.image_bytes)
    steps_bytes *= 2;

  void *mem = aligned_alloc(BYTE_RING_LINE, steps_bytes + EVENT_RING_BYTES);
  if (!mem)
    return STATUS_NO_MEMORY;
  byte_ring_init(&logger->steps, mem, steps_bytes);
  byte_ring_init(&logger->events, (unsigned char *)mem + steps_bytes, EVENT_RING_BYTES);
  return STATUS_OK;
}

static enum status start(struct logger *logger, const char *path, const struct log_session *session,
                         const struct logger_rotation *rotation, struct reason *why) {
  logger->finished = 1; // until the thread runs
  logger->node_count = session->node_count;
  logger->first_step = session->first_step;
  logger->step_s = session->config->sim.step_s;
  set_periods(logger, session->config);
  logger->path = strdup(path);
  atomic_store(&logger->stepped, session->first_step);
  enum status status = rotation ? rotation_open(logger, session, rotation, why) : STATUS_OK;
  if (status != STATUS_OK)
    return status;
  logger->shown_path = strdup(path);
  if (!logger->path || !logger->shown_path ||
      make_rings(logger, session->config->log.buffer_mib) != STATUS_OK)
    return fail(why, STATUS_NO_MEMORY, "out of memory");

  status = session_log_open(path, rotation ? &logger->rotation.session : session, &logger->file, why);
  if (status != STATUS_OK)
    return status;
  if (rotation) // not before: a log that cannot begin deletes nothing
    rotation_delete_old(logger, 0);
  logger->sync_ns = os_now_ns();
  status = os_thread_start(&logger->thread, STACK_BYTES, logger_run, logger, why);
  if (status == STATUS_OK)
    logger->finished = 0;
  return status;
}

enum status logger_open(const char *path, const struct log_session *session,
                        const struct logger_rotation *rotation, struct logger **out, struct reason *why) {
  size_t bytes = (sizeof(struct logger) + BYTE_RING_LINE - 1) / BYTE_RING_LINE * BYTE_RING_LINE;
  struct logger *logger = aligned_alloc(BYTE_RING_LINE, bytes);
  *out = NULL;
  if (!logger)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  memset(logger, 0, bytes);
  pthread_mutex_init(&logger->shared.lock, NULL);

  enum status status = start(logger, path, session, rotation, why);
  int has_file = logger->file != NULL;
  if (status == STATUS_OK)
    *out = logger;
  else
    logger_free(logger);
  if (status != STATUS_OK && has_file)
    unlink(path);
  return status;
}

char *logger_path_in(const char *folder, const char *session_id, int in_parts) {
  char stamp[32];
  struct tm utc;
  time_t now = time(NULL);
  strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", gmtime_r(&now, &utc));
  size_t bytes = strlen(folder) + strlen(stamp) + strlen(session_id) + 24;
  char *path = malloc(bytes);
  if (path)
    snprintf(path, bytes, "%s/%s-%s%s.mcap", folder, stamp, session_id, in_parts ? "-000001" : "");
  return path;
}

static void logger_drop_in_main(struct logger *logger, enum log_topic topic);

void logger_event(struct logger *logger, uint64_t step, double time_s, const char *name, const char *text) {
  if (!logger || logger->finished)
    return;
  struct log_item *item = byte_ring_claim(&logger->events, sizeof *item + sizeof(struct log_event), SIZE_MAX);
  if (!item) {
    logger_drop_in_main(logger, LOG_EVENT);
    return;
  }

  struct log_event *event = (struct log_event *)(item + 1);
  *item = (struct log_item){.kind = ITEM_EVENT, .step = step, .time_s = time_s};
  snprintf(event->name, sizeof event->name, "%s", name);
  snprintf(event->text, sizeof event->text, "%s", text);
  byte_ring_commit(&logger->events);
}

void logger_counts(struct logger *logger, const struct command_counts *counts) {
  if (!logger)
    return;
  atomic_store_explicit(&logger->accepted, counts->accepted, memory_order_relaxed);
  atomic_store_explicit(&logger->refused, refused_in_all(counts), memory_order_relaxed);
}

void logger_message(struct logger *logger, enum log_topic topic, uint64_t step, double time_s,
                    const uint8_t *bytes, size_t size) {
  if (!logger || logger->finished)
    return;
  size_t most_full = logger->events.capacity / 100 * (size_t)log_topic_share(topic);
  struct log_item *item = size ? byte_ring_claim(&logger->events, sizeof *item + size, most_full) : NULL;
  if (!item) {
    logger_drop_in_main(logger, topic);
    return;
  }
  *item = (struct log_item){
      .kind = ITEM_MESSAGE, .topics = (uint32_t)topic, .step = step, .time_s = time_s, .bytes = size};
  memcpy(item + 1, bytes, size);
  byte_ring_commit(&logger->events);
}

void logger_times(struct logger *logger, const struct wire_times *times) {
  if (!logger)
    return;
  pthread_mutex_lock(&logger->shared.lock);
  logger->shared.times = *times;
  pthread_mutex_unlock(&logger->shared.lock);
}

void logger_sensors_sent(struct logger *logger, const struct latency *latency) {
  if (!logger)
    return;
  pthread_mutex_lock(&logger->shared.lock);
  logger->shared.sensors_sent = *latency;
  pthread_mutex_unlock(&logger->shared.lock);
}

void logger_seen(struct logger *logger, uint64_t step) {
  if (logger)
    atomic_store(&logger->seen, step + 1);
}

static void logger_drop_in_main(struct logger *logger, enum log_topic topic) {
  atomic_fetch_add_explicit(&logger->dropped[topic], 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&logger->main_drops[topic], 1, memory_order_relaxed);
}

struct logger_report logger_report(struct logger *logger) {
  struct logger_report report = {0};
  if (!logger)
    return report;

  uint64_t missing_from = atomic_load(&logger->missing_from);
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    report.dropped[t] = atomic_load_explicit(&logger->dropped[t], memory_order_relaxed);
  report.stalled = atomic_load(&logger->stalled);
  report.commands_missing = missing_from > 0;
  report.replayable_to_step = missing_from ? missing_from - 1 : 0;
  report.digest = logger->digest;
  report.is_signed = logger->is_signed;

  pthread_mutex_lock(&logger->shared.lock);
  report.failure = logger->shared.incomplete ? logger->shared.broken : logger->shared.failure;
  report.written = logger->shared.written;
  report.incomplete = logger->shared.incomplete;
  report.part = logger->shared.part;
  report.parts_failed = logger->shared.parts_failed;
  report.parts_deleted = logger->shared.parts_deleted;
  report.deletions_failed = logger->shared.deletions_failed;
  report.part_failure = logger->shared.part_failure;
  pthread_mutex_unlock(&logger->shared.lock);
  return report;
}

int logger_is_complete(const struct logger_report *report) {
  uint64_t dropped = 0;
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    dropped += report->dropped[t];
  return !dropped && !report->incomplete;
}

void logger_keep_all(struct logger *logger, int keeps_all) {
  if (logger)
    atomic_store(&logger->rotation.keeps_all, keeps_all);
}

static void stop_thread(struct logger *logger) {
  if (logger->finished)
    return;
  atomic_store(&logger->stop, 1);
  os_thread_join(&logger->thread);
  logger->finished = 1;
}

void logger_finish(struct logger *logger, const struct closed_loop *loop, const char *end_text,
                   const char *next_session) {
  if (!logger || logger->finished)
    return;
  stop_thread(logger);

  const struct sim_output *output = &loop->frame.output;
  struct rotation *rotation = &logger->rotation;
  rotation_merge_missing(rotation, rotation->missing_from);
  struct log_end end = {.step = output->step,
                        .state_hash = sim_hash(loop->sim),
                        .why = end_text,
                        .next_session = next_session,
                        .commands_missing = rotation->part_missing_from > 0,
                        .replayable_to_step =
                            rotation->part_missing_from ? rotation->part_missing_from - 1 : 0};
  rotation_dropped_in_part(logger, rotation->dropped, end.dropped);
  log_end_verdicts(&end, loop->scenario_def, &loop->scenario);

  struct reason why = {""};
  struct mcap_written written = {0};
  struct log_digest digest = {{0}};
  const int is_signed = session_log_is_signed(logger->file);
  const int has_end = session_log_end(logger->file, &end, output->time_s, &digest) == STATUS_OK;
  enum status closed =
      session_log_close(logger->file, has_end ? NULL : &end, output->time_s, &written, &digest, &why);
  if (closed == STATUS_OK) {
    logger->digest = digest;
    logger->is_signed = is_signed;
  }
  logger_set_written(logger, &written);
  logger->file = NULL;
  if (closed != STATUS_OK)
    logger_break(logger, &why);
}

const char *logger_path(struct logger *logger) {
  pthread_mutex_lock(&logger->shared.lock);
  memcpy(logger->shown_path, logger->path, strlen(logger->path));
  pthread_mutex_unlock(&logger->shared.lock);
  return logger->shown_path;
}

void logger_free(struct logger *logger) {
  if (!logger)
    return;
  stop_thread(logger);
  if (logger->file) { // the run ended before its first step
    struct log_end end = {.step = logger->first_step, .why = "the run did not begin"};
    struct mcap_written written;
    session_log_close(logger->file, &end, 0, &written, NULL, NULL);
  }
  rotation_close(logger);
  free(logger->session_info);
  pthread_mutex_destroy(&logger->shared.lock);
  free(logger->steps.bytes);
  free(logger->path);
  free(logger->shown_path);
  free(logger);
}
