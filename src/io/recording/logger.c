#include "io/recording/logger_parts.h"

#include "core/base/steps.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EVENT_RING_BYTES = 1 << 18, STACK_BYTES = 512 * 1024 };
static const uint64_t WAIT_NS = 200000;

static int complain(struct logger *l, const char *text) {
  fprintf(stderr, "sagbend: --log: %s\n", text);
  logger_free(l);
  return -1;
}

static uint64_t every(const struct log_rate *rate, double step_s) {
  return rate->off ? 0 : steps_in_period(rate->period_s, step_s);
}

static void set_periods(struct logger *l, const struct config *c) {
  double step_s = c->sim.step_s;
  l->every[LOG_SENSORS] = every(&c->log.sensors, step_s);
  l->every[LOG_TRUTH] = every(&c->log.truth, step_s);
  l->every[LOG_NODES] = l->node_count ? every(&c->log.nodes, step_s) : 0;
  l->every[LOG_LEDGER] = every(&c->log.ledger, step_s);
  l->every[LOG_TIMING] = every(&c->log.timing, step_s);
  l->every[LOG_STATE_HASH] = every(&c->log.state_hash, step_s);
}

static size_t node_bytes(const struct logger *l) {
  return sizeof(struct log_item) + (size_t)l->node_count * sizeof(struct sim_node);
}

// A power of two, and room for some shapes of the pipe.
static int make_rings(struct logger *l, int buffer_mib) {
  size_t steps = 1u << 20;
  while (steps < (size_t)buffer_mib << 20 || steps < 16 * node_bytes(l))
    steps *= 2;
  void *mem = aligned_alloc(BYTE_RING_LINE, steps + EVENT_RING_BYTES);
  if (!mem)
    return -1;
  byte_ring_init(&l->steps, mem, steps);
  byte_ring_init(&l->events, (unsigned char *)mem + steps, EVENT_RING_BYTES);
  return 0;
}

int logger_open(const char *path, const struct log_session *session, struct logger **out) {
  const struct config *c = session->config;
  struct reason why = {"out of memory"};
  size_t bytes = (sizeof(struct logger) + BYTE_RING_LINE - 1) / BYTE_RING_LINE * BYTE_RING_LINE;
  struct logger *l = aligned_alloc(BYTE_RING_LINE, bytes);
  *out = NULL;
  if (!l)
    return complain(NULL, why.text);
  memset(l, 0, bytes);
  pthread_mutex_init(&l->lock, NULL);
  l->finished = 1; // until the thread runs
  l->node_count = session->node_count;
  l->first_step = session->first_step;
  l->step_s = c->sim.step_s;
  l->path = malloc(strlen(path) + 1);
  set_periods(l, c);
  if (!l->path || make_rings(l, c->log.buffer_mib))
    return complain(l, why.text);
  memcpy(l->path, path, strlen(path) + 1);
  if (session_log_open(path, session, &l->file, &why) != STATUS_OK)
    return complain(l, why.text);
  l->sync_ns = os_now_ns();
  if (os_thread_start(&l->thread, STACK_BYTES, logger_run, l, &why) != STATUS_OK)
    return complain(l, why.text);
  l->finished = 0;
  *out = l;
  return 0;
}

char *logger_name(const char *folder, const char *session_id) {
  char stamp[32];
  struct tm utc;
  time_t now = time(NULL);
  strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", gmtime_r(&now, &utc));
  size_t bytes = strlen(folder) + strlen(stamp) + strlen(session_id) + 16;
  char *name = malloc(bytes);
  if (name)
    snprintf(name, bytes, "%s/%s-%s.mcap", folder, stamp, session_id);
  return name;
}

// A place in the ring for an item and so much behind it; NULL if the topic must leave the room to others.
static struct log_item *claim(struct logger *l, enum log_item_kind kind, const struct sim_output *o,
                              size_t size, int percent) {
  struct log_item *item =
      byte_ring_claim(&l->steps, sizeof *item + size, l->steps.capacity / 100 * (size_t)percent);
  if (item)
    *item = (struct log_item){.kind = kind, .step = o->step, .time_s = o->time_s};
  return item;
}

static void drop(struct logger *l, enum log_topic t) {
  atomic_fetch_add_explicit(&l->dropped[t], 1, memory_order_relaxed);
}

static void push_command(struct logger *l, const struct sim_output *o, const struct log_command *c) {
  struct log_item *item = claim(l, ITEM_COMMAND, o, sizeof *c, 100);
  if (item) {
    memcpy(item + 1, c, sizeof *c);
    byte_ring_commit(&l->steps);
    return;
  }
  drop(l, LOG_COMMAND);
  if (c->number)
    logger_miss_command(l, c->step);
}

void logger_superseded(struct logger *l, uint64_t step, double time_s, const struct command *c) {
  if (!l)
    return;
  struct sim_output at = {.step = step, .time_s = time_s};
  struct log_command superseded = {.step = step, .superseded = 1, .command = *c};
  push_command(l, &at, &superseded);
}

void logger_order(struct logger *l, uint64_t step, double time_s, const struct order *o) {
  if (!l)
    return;
  struct sim_output at = {.step = step, .time_s = time_s};
  struct log_item *item = claim(l, ITEM_ORDER, &at, sizeof *o, 100);
  if (item) {
    memcpy(item + 1, o, sizeof *o);
    byte_ring_commit(&l->steps);
    return;
  }
  drop(l, LOG_ORDER);
  logger_miss_command(l, step);
}

// The command that came to the last step, if one did.
static void push_used_command(struct logger *l, const struct closed_loop *s) {
  struct sim_output before = {.step = s->frame.output.step - 1};
  if (s->frame.output.step == l->first_step || !s->has_sent)
    return;
  before.time_s = (double)before.step * l->step_s;
  struct log_command used = {.step = before.step, .number = ++l->command_number, .command = s->sent};
  push_command(l, &before, &used);
}

static int is_due(const struct logger *l, enum log_topic t, uint64_t step) {
  return l->every[t] && (step % l->every[t] == 0 || step == l->first_step);
}

static void push_hash(struct logger *l, const struct closed_loop *s) {
  if (!is_due(l, LOG_STATE_HASH, s->frame.output.step))
    return;
  struct log_item *item =
      claim(l, ITEM_HASH, &s->frame.output, sizeof(uint64_t), log_topic_share(LOG_STATE_HASH));
  if (!item) {
    drop(l, LOG_STATE_HASH);
    return;
  }
  uint64_t hash = sim_hash(s->sim);
  memcpy(item + 1, &hash, sizeof hash);
  byte_ring_commit(&l->steps);
}

static void push_frame(struct logger *l, const struct closed_loop *s) {
  const enum log_topic topics[] = {LOG_SENSORS, LOG_TRUTH, LOG_LEDGER, LOG_TIMING};
  const struct frame *f = &s->frame;
  size_t fill = byte_ring_fill(&l->steps);
  uint32_t wanted = 0;
  for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
    enum log_topic t = topics[i];
    if (!is_due(l, t, f->output.step))
      continue;
    if (fill < l->steps.capacity / 100 * (size_t)log_topic_share(t))
      wanted |= 1u << t;
    else
      drop(l, t);
  }
  // no message of these topics tells the faults; without a rig there are no readings
  int has_readings = f->readings.instrument_count > 0 || f->readings.thruster_count > 0;
  size_t size = has_readings ? offsetof(struct frame, faults) : offsetof(struct frame, readings);
  struct log_item *item = wanted ? claim(l, ITEM_FRAME, &f->output, size, 79) : NULL;
  if (item) {
    item->topics = wanted;
    item->bytes = size;
    memcpy(item + 1, f, size);
    byte_ring_commit(&l->steps);
  }
  for (int t = 0; !item && t < LOG_TOPIC_COUNT; t++)
    if (wanted & 1u << t)
      drop(l, (enum log_topic)t);
}

static void push_nodes(struct logger *l, const struct closed_loop *s) {
  if (!is_due(l, LOG_NODES, s->frame.output.step))
    return;
  struct log_item *item = claim(l, ITEM_NODES, &s->frame.output, node_bytes(l), log_topic_share(LOG_NODES));
  if (!item) {
    drop(l, LOG_NODES);
    return;
  }
  sim_get_nodes(s->sim, (struct sim_node *)(item + 1));
  byte_ring_commit(&l->steps);
}

void logger_step(struct logger *l, const struct closed_loop *s) {
  if (!l)
    return;
  size_t before = l->steps.claimed;
  push_used_command(l, s);
  push_hash(l, s);
  push_frame(l, s);
  push_nodes(l, s);
  l->last_bytes = l->steps.claimed - before;
}

void logger_prefetch(const struct logger *l) {
  if (l)
    byte_ring_prefetch(&l->steps, l->last_bytes);
}

int logger_wait_for_room(struct logger *l) {
  if (!l)
    return 0;
  while (!atomic_load(&l->stalled) &&
         byte_ring_fill(&l->steps) > l->steps.capacity / 4) // below the share of every topic
    os_sleep_until_ns(os_now_ns() + WAIT_NS);
  return atomic_load(&l->stalled) ? -1 : 0;
}

void logger_event(struct logger *l, uint64_t step, double time_s, const char *name, const char *text) {
  if (!l || l->finished)
    return;
  struct log_item *item = byte_ring_claim(&l->events, sizeof *item + sizeof(struct log_event), SIZE_MAX);
  if (!item) {
    drop(l, LOG_EVENT);
    return;
  }
  struct log_event *e = (struct log_event *)(item + 1);
  *item = (struct log_item){.kind = ITEM_EVENT, .step = step, .time_s = time_s};
  snprintf(e->name, sizeof e->name, "%s", name);
  snprintf(e->text, sizeof e->text, "%s", text);
  byte_ring_commit(&l->events);
}

void logger_counts(struct logger *l, const struct command_counts *counts) {
  uint64_t refused = 0;
  if (!l)
    return;
  for (int i = 0; i < REFUSAL_COUNT; i++)
    refused += counts->refused[i];
  atomic_store_explicit(&l->accepted, counts->accepted, memory_order_relaxed);
  atomic_store_explicit(&l->refused, refused, memory_order_relaxed);
}

struct logger_news logger_news(struct logger *l) {
  struct logger_news news = {0};
  if (!l)
    return news;
  uint64_t missing_from = atomic_load(&l->missing_from);
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    news.dropped[t] = atomic_load_explicit(&l->dropped[t], memory_order_relaxed);
  news.stalled = atomic_load(&l->stalled);
  news.commands_missing = missing_from > 0;
  news.replayable_to_step = missing_from ? missing_from - 1 : 0;
  pthread_mutex_lock(&l->lock);
  news.trouble = l->trouble;
  news.written = l->written;
  news.incomplete = l->incomplete;
  pthread_mutex_unlock(&l->lock);
  return news;
}

int logger_is_whole(const struct logger_news *news) {
  uint64_t dropped = 0;
  for (int t = 0; t < LOG_TOPIC_COUNT; t++)
    dropped += news->dropped[t];
  return !dropped && !news->incomplete;
}

void logger_finish(struct logger *l, const struct closed_loop *s, const char *why) {
  if (!l || l->finished)
    return;
  atomic_store(&l->stop, 1);
  os_thread_join(&l->thread);
  l->finished = 1;
  const struct sim_output *o = &s->frame.output;
  struct logger_news news = logger_news(l);
  struct log_end end = {.step = o->step,
                        .state_hash = sim_hash(s->sim),
                        .why = why,
                        .commands_missing = news.commands_missing,
                        .replayable_to_step = news.replayable_to_step};
  struct reason trouble = {""};
  memcpy(end.dropped, news.dropped, sizeof end.dropped);
  l->incomplete = session_log_close(l->file, &end, o->time_s, &l->written, &trouble) != STATUS_OK;
  l->file = NULL;
  if (l->incomplete)
    logger_trouble(l, &trouble);
}

const char *logger_path(const struct logger *l) {
  return l->path;
}

void logger_free(struct logger *l) {
  if (!l)
    return;
  if (!l->finished) { // the run ended before its first step
    atomic_store(&l->stop, 1);
    os_thread_join(&l->thread);
  }
  if (l->file) {
    struct log_end end = {.step = l->first_step, .why = "the run did not begin"};
    struct mcap_written written;
    session_log_close(l->file, &end, 0, &written, NULL);
  }
  pthread_mutex_destroy(&l->lock);
  free(l->steps.bytes);
  free(l->path);
  free(l);
}
