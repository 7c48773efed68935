// What the step thread calls: it copies into the ring and never blocks, except in logger_wait_for_room.
#include "log/log/log_internal.h"

#include <stddef.h>
#include <string.h>

// A message did not reach the log: counted by the thread that noticed it.
static void logger_drop_in_step(struct logger *logger, enum log_topic topic) {
  atomic_fetch_add_explicit(&logger->dropped[topic], 1, memory_order_relaxed);
  logger->rotation.dropped[topic]++;
}

void logger_miss_command(struct logger *logger, uint64_t step, uint64_t *missing_from) {
  *missing_from = !*missing_from || step + 1 < *missing_from ? step + 1 : *missing_from;
  uint64_t first = atomic_load(&logger->missing_from);
  while ((!first || step + 1 < first) &&
         !atomic_compare_exchange_weak(&logger->missing_from, &first, step + 1)) {
  }
}

enum { HANDOVER_PERCENT = 50 };         // a part begins while the ring is less full
static const uint64_t WAIT_NS = 200000; // between looks at the ring

// Room in the ring for an item with size bytes of content, if the ring is filled less than percent; NULL: the
// topic leaves the room to more important ones.
static struct log_item *claim(struct logger *logger, enum log_item_kind kind, const struct sim_output *output,
                              size_t size, int percent) {
  size_t most_full = logger->steps.capacity / 100 * (size_t)percent;
  struct log_item *item = byte_ring_claim(&logger->steps, sizeof *item + size, most_full);
  if (item)
    *item = (struct log_item){.kind = kind,
                              .begins_part = logger->rotation.begins_part != 0,
                              .step = output->step,
                              .time_s = output->time_s};
  return item;
}

// Copies content into the ring as one item. Returns 0, and counts a dropped message of topic, without room.
static int push(struct logger *logger, enum log_item_kind kind, enum log_topic topic,
                const struct sim_output *output, const void *content, size_t size) {
  struct log_item *item = claim(logger, kind, output, size, log_topic_share(topic));
  if (!item) {
    logger_drop_in_step(logger, topic);
    return 0;
  }
  memcpy(item + 1, content, size);
  byte_ring_commit(&logger->steps);
  return 1;
}

static void push_command(struct logger *logger, const struct sim_output *output,
                         const struct log_command *command) {
  size_t size = offsetof(struct log_command, alarms.alarm) +
                (size_t)command->alarms.count * sizeof *command->alarms.alarm;
  int pushed = push(logger, ITEM_COMMAND, LOG_COMMAND, output, command, size);
  if (!pushed && command->number)
    logger_miss_command(logger, command->step, &logger->rotation.missing_from);
}

void logger_superseded(struct logger *logger, uint64_t step, double time_s, const struct command *command) {
  if (!logger)
    return;
  struct sim_output at = {.step = step, .time_s = time_s};
  struct log_command superseded = {.step = step, .superseded = 1, .command = *command};
  push_command(logger, &at, &superseded);
}

void logger_order(struct logger *logger, uint64_t step, double time_s, const struct order *order) {
  if (!logger)
    return;
  struct sim_output at = {.step = step, .time_s = time_s};
  if (!push(logger, ITEM_ORDER, LOG_ORDER, &at, order, sizeof *order))
    logger_miss_command(logger, step, &logger->rotation.missing_from);
}

// The command that arrived for the last step, if there was one.
static void push_used_command(struct logger *logger, const struct closed_loop *loop) {
  struct sim_output before = {.step = loop->frame.output.step - 1};
  if (loop->frame.output.step == logger->first_step || !loop->has_sent)
    return;
  before.time_s = (double)before.step * logger->step_s;
  struct log_command used = {.step = before.step, .number = ++logger->command_number, .command = loop->sent};
  used.alarms = loop->alarms.list;
  push_command(logger, &before, &used);
}

static int is_due(const struct logger *logger, enum log_topic topic, uint64_t step) {
  return log_is_due(logger->every[topic], logger->first_step, step);
}

static void push_hash(struct logger *logger, const struct closed_loop *loop) {
  const struct sim_output *output = &loop->frame.output;
  if (!is_due(logger, LOG_STATE_HASH, output->step))
    return;
  struct log_item *item = claim(logger, ITEM_HASH, output, sizeof(uint64_t), log_topic_share(LOG_STATE_HASH));
  if (!item) {
    logger_drop_in_step(logger, LOG_STATE_HASH);
    return;
  }
  uint64_t hash = sim_hash(loop->sim);
  memcpy(item + 1, &hash, sizeof hash);
  byte_ring_commit(&logger->steps);
}

// The topics of a frame that are due and for which there is room, a bit each.
static uint32_t due_topics(struct logger *logger, uint64_t step) {
  const enum log_topic topics[] = {LOG_SENSORS, LOG_TRUTH, LOG_LEDGER, LOG_TIMING};
  size_t fill = byte_ring_fill(&logger->steps);
  uint32_t due = 0;
  for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
    enum log_topic topic = topics[i];
    if (!is_due(logger, topic, step))
      continue;
    if (fill < logger->steps.capacity / 100 * (size_t)log_topic_share(topic))
      due |= 1u << topic;
    else
      logger_drop_in_step(logger, topic);
  }
  return due;
}

static void push_frame(struct logger *logger, const struct closed_loop *loop) {
  enum { MOST_FULL_PERCENT = 79 };
  const struct frame *frame = &loop->frame;
  uint32_t due = due_topics(logger, frame->output.step);
  if (!due)
    return;

  // No message of these topics contains verdicts and faults; without instruments and thrusters there are no
  // readings.
  int has_readings = frame->readings.instrument_count > 0 || frame->readings.thruster_count > 0;
  size_t size = has_readings ? offsetof(struct frame, verdict) : offsetof(struct frame, readings);
  struct log_item *item = claim(logger, ITEM_FRAME, &frame->output, size, MOST_FULL_PERCENT);
  if (item) {
    item->topics = due;
    item->bytes = size;
    memcpy(item + 1, frame, size);
    byte_ring_commit(&logger->steps);
  }
  for (int t = 0; !item && t < LOG_TOPIC_COUNT; t++)
    if (due & 1u << t)
      logger_drop_in_step(logger, (enum log_topic)t);
}

static void push_nodes(struct logger *logger, const struct closed_loop *loop) {
  if (!is_due(logger, LOG_NODES, loop->frame.output.step))
    return;
  size_t size = (size_t)sim_node_count(loop->sim) * sizeof(struct sim_node);
  struct log_item *item = claim(logger, ITEM_NODES, &loop->frame.output, size, log_topic_share(LOG_NODES));
  if (!item) {
    logger_drop_in_step(logger, LOG_NODES);
    return;
  }
  item->bytes = size;
  sim_get_nodes(loop->sim, (struct sim_node *)(item + 1));
  byte_ring_commit(&logger->steps);
}

static void push_state(struct logger *logger, const struct closed_loop *loop) {
  push_hash(logger, loop);
  push_frame(logger, loop);
  push_nodes(logger, loop);
}

// A part begins with a checkpoint. Returns 0 without room for it.
static int push_handover(struct logger *logger, const struct closed_loop *loop) {
  struct rotation *rotation = &logger->rotation;
  const struct sim_output *output = &loop->frame.output;
  struct log_handover *handover;
  struct log_item *item =
      claim(logger, ITEM_PART, output, sizeof *handover + rotation->image_bytes, HANDOVER_PERCENT);
  if (!item)
    return 0;
  handover = (struct log_handover *)(item + 1);
  memcpy(handover->dropped, rotation->dropped, sizeof handover->dropped);
  handover->missing_from = rotation->missing_from;
  handover->command_number = logger->command_number;

  checkpoint_fill(handover + 1, &rotation->identity, loop);
  byte_ring_commit(&logger->steps);
  return 1;
}

// A part that is due begins at this step, unless the disk is behind: then at a later one. The state stands at
// the end of one part and at the beginning of the next.
static void rotate_if_due(struct logger *logger, const struct closed_loop *loop) {
  struct rotation *rotation = &logger->rotation;
  const struct sim_output *output = &loop->frame.output;
  if (!rotation->image_bytes || output->step == logger->first_step)
    return;
  rotation->due |= rotation->every_steps && output->step % rotation->every_steps == 0;
  int state = atomic_load(&rotation->state);
  int is_last = output->fault || output->step == rotation->last_step;
  if (is_last || state == ROTATION_BEGUN || (state == ROTATION_IDLE && !rotation->due))
    return;
  if (byte_ring_fill(&logger->steps) > logger->steps.capacity / 3 || !push_handover(logger, loop))
    return;

  atomic_store(&rotation->state, ROTATION_BEGUN);
  rotation->due = 0;
  rotation->missing_from = 0;
  logger->first_step = output->step;
  rotation->begins_part = 1;
  push_state(logger, loop);
  rotation->begins_part = 0;
}

void logger_step(struct logger *logger, const struct closed_loop *loop) {
  if (!logger)
    return;
  size_t before = logger->steps.claimed;
  push_used_command(logger, loop);
  push_state(logger, loop);
  logger->last_bytes = logger->steps.claimed - before;
  rotate_if_due(logger, loop);
  atomic_store(&logger->stepped, loop->frame.output.step);
}

void logger_prefetch(const struct logger *logger) {
  if (logger)
    byte_ring_prefetch(&logger->steps, logger->last_bytes);
}

enum status logger_wait_for_room(struct logger *logger) {
  if (!logger)
    return STATUS_OK;
  while (!atomic_load(&logger->stalled) &&
         (byte_ring_fill(&logger->steps) > logger->steps.capacity / 4 || // below the share of every topic
          byte_ring_fill(&logger->events) > logger->events.capacity / 4 ||
          atomic_load(&logger->rotation.state) == ROTATION_BEGUN)) // so that parts begin where they are due
    os_sleep_until_ns(os_now_ns() + WAIT_NS);
  return atomic_load(&logger->stalled) ? STATUS_IO : STATUS_OK;
}
