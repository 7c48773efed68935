// The writer thread: it packs items into messages and messages into chunks, and writes the chunks. While the
// disk accepts nothing it keeps the open chunk and tries again; the rings fill meanwhile.
#include "log/log/log_internal.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t POLL_NS = 5000000;    // between looks at the rings
static const uint64_t CHUNK_NS = 500000000; // at most from a chunk's first message to its sync
static const uint64_t RETRY_NS = 250000000; // after the disk has refused a chunk
enum { CHUNK_BYTES = 1 << 20 };

// Writes the open chunk, and syncs the file when that is due. STATUS_OK, or the reason is in failure.
enum status logger_save(struct logger *logger) {
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
    logger->retry_ns = logger->chunk_ns + RETRY_NS;
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

enum status logger_drain_events(struct logger *logger, uint64_t to_step) {
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
