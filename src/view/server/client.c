#include "view/server/server_internal.h"

#include <stdio.h>
#include <string.h>

enum { DROPPED_SPACING_MS = 1000 };

void client_init(struct client *c) {
  memset(c, 0, sizeof *c);
  parcel_queue_init(&c->queue, GATEWAY_QUEUE_MESSAGES, GATEWAY_QUEUE_BYTES);
  parcel_queue_init(&c->statuses, CLIENT_STATUSES, 1 << 16);
}

void client_forget_messages(struct client *c) {
  parcel_queue_clear(&c->queue);
  for (int i = 0; i < GATEWAY_CHANNELS; i++) {
    parcel_replace(&c->subscription[i].waiting, NULL);
    c->subscription[i].due_ms = 0;
  }
}

void client_clear(struct client *c) {
  client_forget_messages(c);
  parcel_queue_clear(&c->statuses);
  parcel_replace(&c->info, NULL);
  parcel_replace(&c->advertise, NULL);
  for (int i = 0; i < NOTE_COUNT; i++)
    parcel_replace(&c->note[i], NULL);
  client_init(c);
}

void client_greet(struct client *c, struct parcel *info, struct parcel *advertise) {
  parcel_replace(&c->info, parcel_share(info));
  parcel_replace(&c->advertise, parcel_share(advertise));
}

// ---- subscriptions ----

enum status client_subscribe(struct client *c, uint32_t id, uint32_t channel, int channel_count,
                             struct reason *why) {
  if (channel < 1 || channel > (uint32_t)channel_count)
    return fail(why, STATUS_BAD_INPUT, "subscribe: there is no channel %lu", (unsigned long)channel);
  for (uint32_t i = 0; i < (uint32_t)channel_count; i++)
    if (c->subscription[i].is_active && c->subscription[i].id == id && i != channel - 1)
      return fail(why, STATUS_BAD_INPUT, "subscribe: subscription %lu is in use for another channel",
                  (unsigned long)id);
  c->subscription[channel - 1].is_active = 1;
  c->subscription[channel - 1].id = id;
  return STATUS_OK;
}

int client_unsubscribe(struct client *c, uint32_t id) {
  for (int i = 0; i < GATEWAY_CHANNELS; i++) {
    struct subscription *s = &c->subscription[i];
    if (s->is_active && s->id == id) {
      s->is_active = 0;
      parcel_replace(&s->waiting, NULL);
      return 1;
    }
  }
  return 0;
}

// ---- what waits ----

void client_offer(struct client *c, struct parcel *parcel, int is_paced, int64_t now_ms) {
  struct subscription *s = &c->subscription[parcel->channel];
  if (!s->is_active)
    return;
  if (is_paced && now_ms < s->due_ms) {
    parcel_replace(&s->waiting, parcel_share(parcel));
    return;
  }
  parcel_replace(&s->waiting, NULL);
  if (is_paced)
    s->due_ms = now_ms + GATEWAY_SPACING_MS;
  c->dropped += parcel_queue_push(&c->queue, parcel_share(parcel));
}

static void client_say(struct client *c, enum answer_level level, const char *text) {
  parcel_queue_push(&c->statuses, answer_status(level, text, NULL));
}

void client_blame(struct client *c, const char *text) {
  if (c->is_closing)
    return;
  client_say(c, LEVEL_ERROR, text);
  c->is_closing = ++c->errors >= CLIENT_ERRORS;
}

static void release_waiting(struct client *c, int64_t now_ms) {
  for (int i = 0; i < GATEWAY_CHANNELS; i++) {
    struct subscription *s = &c->subscription[i];
    if (s->waiting && now_ms >= s->due_ms) {
      s->due_ms = now_ms + GATEWAY_SPACING_MS;
      c->dropped += parcel_queue_push(&c->queue, s->waiting);
      s->waiting = NULL;
    }
  }
}

// ---- the next frame ----

static int is_drop_to_report(const struct client *c) {
  return c->dropped != c->reported_dropped;
}

static int is_time_to_report(const struct client *c) {
  return c->has_time && (!c->has_reported_time || c->time_ns != c->reported_time_ns);
}

static struct parcel *dropped_text(struct client *c, int64_t now_ms) {
  char text[128];
  snprintf(text, sizeof text, "%llu messages were left out: this client reads too slowly",
           (unsigned long long)c->dropped);
  c->reported_dropped = c->dropped;
  c->dropped_due_ms = now_ms + DROPPED_SPACING_MS;
  return answer_status(LEVEL_WARNING, text, "dropped");
}

static struct parcel *take(struct parcel **slot) {
  struct parcel *parcel = *slot;
  *slot = NULL;
  return parcel;
}

static struct parcel *next_note(struct client *c) {
  struct parcel *note = NULL;
  for (int i = 0; i < NOTE_COUNT && !note; i++)
    note = take(&c->note[i]);
  return note;
}

static int has_note(const struct client *c) {
  for (int i = 0; i < NOTE_COUNT; i++)
    if (c->note[i])
      return 1;
  return 0;
}

static struct parcel *next_text(struct client *c, int64_t now_ms) {
  if (c->info)
    return take(&c->info);
  if (c->advertise)
    return take(&c->advertise);
  if (c->statuses.count > 0)
    return parcel_queue_pop(&c->statuses);
  if (c->is_closing)
    return NULL;
  if (is_drop_to_report(c) && now_ms >= c->dropped_due_ms)
    return dropped_text(c, now_ms);
  return next_note(c);
}

// The oldest message whose channel is still subscribed to.
static struct frame_out next_message(struct client *c) {
  struct parcel *parcel;
  while ((parcel = parcel_queue_pop(&c->queue))) {
    const struct subscription *s = &c->subscription[parcel->channel];
    if (s->is_active)
      return (struct frame_out){FRAME_MESSAGE, parcel, s->id, parcel->time_ns};
    parcel_drop(parcel);
  }
  return (struct frame_out){.kind = FRAME_NONE};
}

struct frame_out client_next(struct client *c, int64_t now_ms) {
  struct parcel *text = next_text(c, now_ms);
  if (text)
    return (struct frame_out){.kind = FRAME_TEXT, .parcel = text};
  if (c->is_closing)
    return (struct frame_out){.kind = FRAME_NONE};
  if (is_time_to_report(c) && now_ms >= c->time_due_ms) {
    c->reported_time_ns = c->time_ns;
    c->has_reported_time = 1;
    c->time_due_ms = now_ms + GATEWAY_SPACING_MS;
    return (struct frame_out){.kind = FRAME_TIME, .time_ns = c->time_ns};
  }
  release_waiting(c, now_ms);
  return next_message(c);
}

static int64_t earlier(int64_t limit_ms, int64_t wait_ms) {
  return wait_ms < 0 ? 0 : wait_ms < limit_ms ? wait_ms : limit_ms;
}

int64_t client_wait_ms(const struct client *c, int64_t now_ms, int64_t limit_ms) {
  if (c->info || c->advertise || c->statuses.count > 0 || c->is_closing || has_note(c) || c->queue.count > 0)
    return 0;
  if (is_drop_to_report(c))
    limit_ms = earlier(limit_ms, c->dropped_due_ms - now_ms);
  if (is_time_to_report(c))
    limit_ms = earlier(limit_ms, c->time_due_ms - now_ms);
  for (int i = 0; i < GATEWAY_CHANNELS; i++)
    if (c->subscription[i].waiting)
      limit_ms = earlier(limit_ms, c->subscription[i].due_ms - now_ms);
  return limit_ms;
}

// ------------------------------------------------------------
void received_join(struct gateway *g, int client) {
  struct client *c = &g->client[client];
  client_clear(c);
  client_greet(c, g->info, g->advertise);
  if (g->socket[client].wants_notes)
    for (int i = 0; i < NOTE_COUNT; i++)
      parcel_replace(&c->note[i], parcel_share(g->note[i]));
  c->has_time = g->has_time;
  c->time_ns = g->time_ns;
  g->counts.joined++;
  g->counts.clients++;
  if (g->hooks.joined)
    g->hooks.joined(g->hooks.context, client);
}

void received_leave(struct gateway *g, int client) {
  g->counts.dropped += g->client[client].dropped;
  g->counts.clients--;
  if (g->hooks.left)
    g->hooks.left(g->hooks.context, client);
  client_clear(&g->client[client]);
}

static void blame(struct gateway *g, int client, const char *text) {
  g->counts.received_bad++;
  client_blame(&g->client[client], text);
}

static void subscribe(struct gateway *g, int client, const struct page_operation *o) {
  struct client *c = &g->client[client];
  for (int i = 0; i < o->count; i++) {
    struct reason why = {""};
    if (client_subscribe(c, o->entry[i].id, o->entry[i].channel, g->channel_count, &why) != STATUS_OK) {
      blame(g, client, why.text);
      continue;
    }
    int channel = (int)o->entry[i].channel - 1;
    history_offer(&g->history, channel, c, g->now_ms);
    if (g->hooks.subscribed)
      g->hooks.subscribed(g->hooks.context, client, channel);
  }
}

static void unsubscribe(struct client *c, const struct page_operation *o) {
  for (int i = 0; i < o->count; i++) // one of the session before may have been replaced since
    if (!client_unsubscribe(c, o->entry[i].id))
      client_say(c, LEVEL_WARNING, "unsubscribe: there is no such subscription");
}

static void order(struct gateway *g, int client, struct page_operation *o) {
  char *words[ORDER_WORDS];
  if (!g->hooks.order || !gateway_is_operator(g, client)) {
    blame(g, client, "sagbendOrder: this client observes only");
    return;
  }
  for (int i = 0; i < o->count; i++)
    words[i] = o->word[i];
  if (!g->hooks.order(g->hooks.context, client, words, o->count))
    blame(g, client, "sagbendOrder: not sent, the order before has no answer yet");
}

void received_text(struct gateway *g, int client, const char *text, size_t size) {
  struct page_operation operation;
  struct reason why = {""};
  if (g->client[client].is_closing)
    return;
  operation_parse(text, size, &operation, &why);
  if (operation.kind == OPERATION_SUBSCRIBE)
    subscribe(g, client, &operation);
  else if (operation.kind == OPERATION_UNSUBSCRIBE)
    unsubscribe(&g->client[client], &operation);
  else if (operation.kind == OPERATION_BAD)
    blame(g, client, why.text);
  else if (operation.kind == OPERATION_ORDER)
    order(g, client, &operation);
  else if (!g->hooks.play)
    blame(g, client, "sagbendPlayback: this is not a log");
  else
    g->hooks.play(g->hooks.context, client, &operation.play);
}
