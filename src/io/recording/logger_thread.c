// The logger's own thread: items become messages, messages a chunk, chunks go to the disk. While the disk
// takes nothing the open chunk is kept and tried again; the rings fill meanwhile.
#include "io/recording/logger_parts.h"

#include <string.h>

static const uint64_t LOOK_EVERY_NS = 5000000; // at the rings
static const uint64_t CHUNK_NS = 500000000;    // at most from a chunk's first message to its sync
static const uint64_t RETRY_NS = 250000000;    // after the disk has refused
enum { CHUNK_BYTES = 1 << 20 };

void logger_trouble(struct logger *l, const struct reason *why) {
  pthread_mutex_lock(&l->lock);
  l->trouble = *why;
  pthread_mutex_unlock(&l->lock);
}

void logger_miss_command(struct logger *l, uint64_t step) {
  uint64_t least = atomic_load(&l->missing_from);
  while ((!least || step + 1 < least) && !atomic_compare_exchange_weak(&l->missing_from, &least, step + 1)) {
  }
}

static void drop(struct logger *l, enum log_topic t, uint64_t count) {
  atomic_fetch_add_explicit(&l->dropped[t], count, memory_order_relaxed);
}

// Writes the open chunk, and syncs when it is time to. 0, or -1 while the disk takes nothing.
static int save(struct logger *l) {
  struct reason why = {""};
  uint64_t now_ns = os_now_ns();
  if (atomic_load(&l->stalled) && now_ns < l->retry_ns)
    return -1;
  enum status status = session_log_flush(l->file, &why);
  if (status == STATUS_OK && now_ns - l->sync_ns >= CHUNK_NS) {
    status = session_log_sync(l->file, &why);
    l->sync_ns = os_now_ns();
  }
  l->chunk_ns = os_now_ns();
  if (status != STATUS_OK) {
    logger_trouble(l, &why);
    l->retry_ns = l->chunk_ns + RETRY_NS;
  }
  pthread_mutex_lock(&l->lock);
  l->written = *session_log_written(l->file);
  pthread_mutex_unlock(&l->lock);
  atomic_store(&l->stalled, status != STATUS_OK);
  return status == STATUS_OK ? 0 : -1;
}

static void count(struct logger *l, enum log_topic t, enum status status) {
  if (status != STATUS_OK)
    drop(l, t, 1);
}

static void put_frame(struct logger *l, const struct log_item *item) {
  struct frame *f = &l->frame;
  memcpy(f, item + 1, (size_t)item->bytes);
  memset((unsigned char *)f + item->bytes, 0, sizeof *f - (size_t)item->bytes);
  struct command_counts counts = {.accepted = atomic_load(&l->accepted)};
  counts.refused[0] = atomic_load(&l->refused);
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    if (item->topics & 1u << t)
      count(l, (enum log_topic)t, session_log_frame(l->file, (enum log_topic)t, f, &counts));
}

// An item becomes messages in the open chunk.
static void put(struct logger *l, const struct log_item *item) {
  const void *content = item + 1;
  if (session_log_pending_bytes(l->file) == 0)
    l->chunk_ns = os_now_ns(), l->pending_command = 0;
  switch ((enum log_item_kind)item->kind) {
  case ITEM_COMMAND:
    if (session_log_command(l->file, content, item->time_s) != STATUS_OK) {
      drop(l, LOG_COMMAND, 1);
      logger_miss_command(l, item->step);
    } else if (!l->pending_command && ((const struct log_command *)content)->number) {
      l->pending_command = item->step + 1;
    }
    break;
  case ITEM_HASH:
    count(l, LOG_STATE_HASH, session_log_hash(l->file, item->step, item->time_s, *(const uint64_t *)content));
    break;
  case ITEM_FRAME:
    put_frame(l, item);
    break;
  case ITEM_NODES:
    count(l, LOG_NODES, session_log_nodes(l->file, item->step, item->time_s, l->node_count, content));
    break;
  case ITEM_EVENT: {
    const struct log_event *e = content;
    count(l, LOG_EVENT, session_log_event(l->file, item->step, item->time_s, e->name, e->text));
    break;
  }
  case ITEM_ORDER:
    if (session_log_order(l->file, content, item->step, item->time_s) != STATUS_OK) {
      drop(l, LOG_ORDER, 1);
      logger_miss_command(l, item->step);
    } else if (!l->pending_command) {
      l->pending_command = item->step + 1;
    }
    break;
  }
}

// Empties a ring into chunks. -1: the disk takes nothing, and the open chunk is full.
static int drain(struct logger *l, struct byte_ring *ring) {
  const void *item;
  while ((item = byte_ring_front(ring))) {
    if (session_log_pending_bytes(l->file) >= CHUNK_BYTES && save(l))
      return -1;
    put(l, item);
    byte_ring_release(ring);
  }
  return 0;
}

// What the disk never took: counted by topic.
static void give_up(struct logger *l, struct byte_ring *ring) {
  const struct log_item *item;
  while ((item = byte_ring_front(ring))) {
    static const enum log_topic topics[] = {LOG_COMMAND, LOG_STATE_HASH, LOG_SENSORS,
                                            LOG_NODES,   LOG_EVENT,      LOG_ORDER};
    if (item->kind != ITEM_FRAME)
      drop(l, topics[item->kind], 1);
    else
      for (int t = 0; t < LOG_TOPIC_COUNT; t++)
        drop(l, (enum log_topic)t, item->topics >> t & 1u);
    if ((item->kind == ITEM_COMMAND && ((const struct log_command *)(item + 1))->number) ||
        item->kind == ITEM_ORDER)
      logger_miss_command(l, item->step);
    byte_ring_release(ring);
  }
}

void logger_run(void *logger) {
  struct logger *l = logger;
  for (;;) {
    int stop = atomic_load(&l->stop); // asked first: then what is drained below is all
    int blocked = drain(l, &l->steps) | drain(l, &l->events);
    size_t pending = session_log_pending_bytes(l->file);
    if (stop) {
      l->retry_ns = l->sync_ns = 0; // a last try, synced
      if (save(l) == 0 && blocked)
        continue; // there is room again
      break;
    }
    if (pending && os_now_ns() - l->chunk_ns >= CHUNK_NS)
      save(l);
    os_sleep_until_ns(os_now_ns() + LOOK_EVERY_NS);
  }
  if (!session_log_pending_bytes(l->file))
    return;
  for (int t = 0; t < LOG_CHAIN; t++) // a link that is not written is nothing left out
    drop(l, (enum log_topic)t, session_log_pending(l->file, (enum log_topic)t));
  if (l->pending_command)
    logger_miss_command(l, l->pending_command - 1);
  session_log_discard(l->file);
  give_up(l, &l->steps);
  give_up(l, &l->events);
}
