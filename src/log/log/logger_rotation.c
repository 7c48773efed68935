// The change from one part of a log to the next, in the writer thread. The new file is created, with the
// digest of the old one in its record, before the old one ends: if that fails, the old part goes on.
#include "log/log/log_internal.h"

#include "sagbend/base/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what did not reach the log ----

static void logger_set_failure(struct logger *logger, const struct reason *why) {
  pthread_mutex_lock(&logger->shared.lock);
  logger->shared.failure = *why;
  pthread_mutex_unlock(&logger->shared.lock);
}

void logger_break(struct logger *logger, const struct reason *why) {
  pthread_mutex_lock(&logger->shared.lock);
  if (!logger->shared.incomplete)
    logger->shared.broken = *why;
  logger->shared.incomplete = 1;
  pthread_mutex_unlock(&logger->shared.lock);
}

static void logger_drop_in_writer(struct logger *logger, enum log_topic topic, uint64_t messages) {
  atomic_fetch_add_explicit(&logger->dropped[topic], messages, memory_order_relaxed);
  logger->rotation.writer_dropped[topic] += messages;
}

void logger_set_written(struct logger *logger, const struct mcap_written *in_part) {
  const struct mcap_written *before = &logger->rotation.written_before;
  pthread_mutex_lock(&logger->shared.lock);
  logger->shared.written = (struct mcap_written){
      before->messages + in_part->messages, before->chunks + in_part->chunks, before->bytes + in_part->bytes};
  pthread_mutex_unlock(&logger->shared.lock);
}

// ---- the parts ----

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

static void rotation_keep_size(struct logger *logger) {
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

static void rotation_ask_if_large(struct logger *logger) {
  struct rotation *rotation = &logger->rotation;
  int idle = ROTATION_IDLE;
  if (rotation->image_bytes && session_log_written(logger->file)->bytes >= rotation->bytes &&
      (!rotation->failed || os_now_ns() >= rotation->retry_ns))
    atomic_compare_exchange_strong(&rotation->state, &idle, ROTATION_WANTED);
}

static enum status logger_drain_events(struct logger *logger, uint64_t to_step);

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

static enum status logger_save(struct logger *logger);

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

static void rotation_begin_part(struct logger *logger, const struct log_item *item) {
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

// ------------------------------------------------------------
// The writer thread: it packs items into messages and messages into chunks, and writes the chunks. While the
// disk accepts nothing it keeps the open chunk and tries again; the rings fill meanwhile.

static const uint64_t POLL_NS = 5000000;                  // between looks at the rings
static const uint64_t CHUNK_NS = 500000000;               // at most from a chunk's first message to its sync
static const uint64_t LOGGER_THREAD_RETRY_NS = 250000000; // after the disk has refused a chunk
enum { CHUNK_BYTES = 1 << 20 };

// Writes the open chunk, and syncs the file when that is due. STATUS_OK, or the reason is in failure.
static enum status logger_save(struct logger *logger) {
  struct reason why = {""};
  uint64_t now_ns = os_now_ns();
  if (atomic_load(&logger->stalled) && now_ns < logger->retry_ns)
    return STATUS_IO;

  enum status status = session_log_flush(logger->file, &why);
  if (status == STATUS_OK && now_ns - logger->sync_ns >= CHUNK_NS) {
    status = session_log_sync(logger->file, &why);
    logger->sync_ns = os_now_ns();
    if (status !=
        STATUS_OK) // Linux reports what it could not write once: a later sync would succeed without it
      logger_break(logger, &why);
  }
  logger->chunk_ns = os_now_ns();
  if (status != STATUS_OK) {
    logger_set_failure(logger, &why);
    logger->retry_ns = logger->chunk_ns + LOGGER_THREAD_RETRY_NS;
  }

  logger_set_written(logger, session_log_written(logger->file));
  rotation_keep_size(logger);
  atomic_store(&logger->stalled, status != STATUS_OK);
  return status;
}

static void drop(struct logger *logger, enum log_topic topic, enum status status) {
  struct reason why = {"out of memory"};
  if (status == STATUS_NO_MEMORY)
    logger_set_failure(logger, &why);
  logger_drop_in_writer(logger, topic, 1);
}

static void count_unless_added(struct logger *logger, enum log_topic topic, enum status status) {
  if (status != STATUS_OK)
    drop(logger, topic, status);
}

static void add_frame(struct logger *logger, const struct log_item *item) {
  struct frame *frame = &logger->frame;
  memcpy(frame, item + 1, (size_t)item->bytes);
  memset((unsigned char *)frame + item->bytes, 0, sizeof *frame - (size_t)item->bytes);

  struct command_counts counts = {.accepted = atomic_load(&logger->accepted)};
  pthread_mutex_lock(&logger->shared.lock);
  frame->timing.sensors_sent = logger->shared.sensors_sent;
  if (item->topics & 1u << LOG_TIMING)
    logger->packed = logger->shared.times;
  pthread_mutex_unlock(&logger->shared.lock);
  counts.refused[0] = atomic_load(&logger->refused); // the message contains the sum only
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    if (item->topics & 1u << t)
      count_unless_added(logger, (enum log_topic)t,
                         session_log_frame(logger->file, (enum log_topic)t, frame, &counts, &logger->packed));
}

// Replay needs every used command and every order: remembers the first one in the open chunk.
static void note_replay_input(struct logger *logger, enum log_topic topic, const struct log_item *item,
                              enum status added, int is_used) {
  if (added != STATUS_OK) {
    drop(logger, topic, added);
    logger_miss_command(logger, item->step, &logger->rotation.part_missing_from);
  } else if (is_used && !logger->pending_command) {
    logger->pending_command = item->step + 1;
  }
}

static void keep_session_info(struct logger *logger, const struct log_item *item) {
  uint8_t *copy = realloc(logger->session_info, (size_t)item->bytes);
  if (!copy)
    return; // the next part begins with the one before
  logger->session_info = memcpy(copy, item + 1, (size_t)item->bytes);
  logger->session_info_size = (size_t)item->bytes;
}

static void add_message(struct logger *logger, const struct log_item *item) {
  enum log_topic topic = (enum log_topic)item->topics;
  if (topic == LOG_SESSION_INFO)
    keep_session_info(logger, item);
  const uint8_t *bytes = (const uint8_t *)(item + 1);
  count_unless_added(logger, topic,
                     session_log_message(logger->file, topic, item->time_s, bytes, (size_t)item->bytes));
}

// Adds the messages of an item to the open chunk.
static void add_item(struct logger *logger, const struct log_item *item) {
  struct session_log *file = logger->file;
  const void *content = item + 1;
  const struct log_command *command = content;
  const struct log_event *event = content;
  if (session_log_pending_bytes(file) == 0) {
    logger->chunk_ns = os_now_ns();
    logger->pending_command = 0;
  }

  switch ((enum log_item_kind)item->kind) {
  case ITEM_COMMAND:
    note_replay_input(logger, LOG_COMMAND, item, session_log_command(file, command, item->time_s),
                      command->number != 0);
    break;
  case ITEM_ORDER:
    note_replay_input(logger, LOG_ORDER, item, session_log_order(file, content, item->step, item->time_s), 1);
    break;
  case ITEM_HASH:
    count_unless_added(logger, LOG_STATE_HASH,
                       session_log_hash(file, item->step, item->time_s, *(const uint64_t *)content));
    break;
  case ITEM_FRAME:
    add_frame(logger, item);
    break;
  case ITEM_NODES:
    count_unless_added(logger, LOG_NODES,
                       session_log_nodes(file, item->step, item->time_s,
                                         (int)(item->bytes / sizeof(struct sim_node)), content));
    break;
  case ITEM_EVENT:
    count_unless_added(logger, LOG_EVENT,
                       session_log_event(file, item->step, item->time_s, event->name, event->text));
    break;
  case ITEM_MESSAGE:
    add_message(logger, item);
    break;
  case ITEM_PART:
    break;
  }
}

// Moves the items of a ring into chunks, to this step. STATUS_IO: the open chunk is full and the disk accepts
// nothing.
static enum status drain(struct logger *logger, struct byte_ring *ring, uint64_t to_step) {
  const struct log_item *item;
  while ((item = byte_ring_front(ring)) && item->step <= to_step) {
    if (session_log_pending_bytes(logger->file) >= CHUNK_BYTES && logger_save(logger) != STATUS_OK)
      return STATUS_IO;
    if (item->kind == ITEM_PART)
      rotation_begin_part(logger, item);
    else if (!item->begins_part || !logger->rotation.failed)
      add_item(logger, item);
    byte_ring_release(ring);
  }
  return STATUS_OK;
}

static enum status logger_drain_events(struct logger *logger, uint64_t to_step) {
  return drain(logger, &logger->events, to_step);
}

// Counts the items of a ring that the disk never accepted.
static void drop_all(struct logger *logger, struct byte_ring *ring) {
  const struct log_item *item;
  while ((item = byte_ring_front(ring))) {
    if (item->kind == ITEM_PART)
      rotation_merge_missing(&logger->rotation, ((const struct log_handover *)(item + 1))->missing_from);
    if (item->kind == ITEM_PART || item->begins_part) { // nothing is lost with it
      byte_ring_release(ring);
      continue;
    }
    static const enum log_topic topics[] = {LOG_COMMAND, LOG_STATE_HASH, LOG_SENSORS,
                                            LOG_NODES,   LOG_EVENT,      LOG_ORDER};
    if (item->kind == ITEM_MESSAGE)
      logger_drop_in_writer(logger, (enum log_topic)item->topics, 1);
    else if (item->kind != ITEM_FRAME)
      logger_drop_in_writer(logger, topics[item->kind], 1);
    else
      for (int t = 0; t < LOG_TOPIC_COUNT; t++)
        logger_drop_in_writer(logger, (enum log_topic)t, item->topics >> t & 1u);

    int is_used_command = item->kind == ITEM_COMMAND && ((const struct log_command *)(item + 1))->number;
    if (is_used_command || item->kind == ITEM_ORDER)
      logger_miss_command(logger, item->step, &logger->rotation.part_missing_from);
    byte_ring_release(ring);
  }
}

static void drop_open_chunk(struct logger *logger) {
  for (int t = 0; t < LOG_CHAIN; t++) // the links of the chain are no messages of the session
    logger_drop_in_writer(logger, (enum log_topic)t, session_log_pending(logger->file, (enum log_topic)t));
  if (logger->pending_command)
    logger_miss_command(logger, logger->pending_command - 1, &logger->rotation.part_missing_from);
  session_log_discard(logger->file);
}

void logger_run(void *context) {
  struct logger *logger = context;
  for (;;) {
    int stop = atomic_load(&logger->stop); // read before draining, so that a last pass sees every item
    // An event is in the part of its step: those of later steps wait until the steps have been drained.
    uint64_t to_step = stop ? UINT64_MAX : atomic_load(&logger->stepped);
    enum status steps = drain(logger, &logger->steps, UINT64_MAX),
                events = logger_drain_events(logger, to_step);
    size_t pending = session_log_pending_bytes(logger->file);
    if (stop) {
      logger->retry_ns = logger->sync_ns = 0; // one last attempt, synced
      enum status saved = logger_save(logger);
      if (saved == STATUS_OK && (steps != STATUS_OK || events != STATUS_OK))
        continue; // there is room again
      break;
    }
    if (pending && os_now_ns() - logger->chunk_ns >= CHUNK_NS)
      logger_save(logger);
    rotation_ask_if_large(logger);
    os_sleep_until_ns(os_now_ns() + POLL_NS);
  }

  if (!session_log_pending_bytes(logger->file))
    return;
  drop_open_chunk(logger);
  drop_all(logger, &logger->steps);
  drop_all(logger, &logger->events);
}
