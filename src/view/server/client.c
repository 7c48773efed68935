// What one client gets: messages in parcels that clients share, texts of the Foxglove protocol, the queue
// that waits.
#include "view/server/server_internal.h"

#include <cjson/cJSON.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- parcels and their queue ----

struct parcel *parcel_create(int channel, uint64_t time_ns, const void *bytes, size_t size) {
  struct parcel *parcel = malloc(sizeof *parcel + size);
  if (!parcel)
    return NULL;
  parcel->users = 1;
  parcel->channel = channel;
  parcel->time_ns = time_ns;
  parcel->size = size;
  if (size > 0)
    memcpy(parcel->bytes, bytes, size);
  return parcel;
}

// What a browser gets as text must be UTF-8: it closes the connection otherwise.
struct parcel *parcel_create_json(const char *json) {
  char piece[SHOWN_PIECE];
  size_t size = 0;
  for (const char *at = json; *at;)
    size += text_show_next_json(&at, piece);
  struct parcel *parcel = malloc(sizeof *parcel + size);
  if (!parcel)
    return NULL;
  *parcel = (struct parcel){.users = 1, .channel = -1, .size = size};
  uint8_t *to = parcel->bytes;
  for (const char *at = json; *at;) {
    size_t length = text_show_next_json(&at, piece);
    memcpy(to, piece, length);
    to += length;
  }
  return parcel;
}

struct parcel *parcel_share(struct parcel *parcel) {
  if (parcel)
    parcel->users++;
  return parcel;
}

void parcel_drop(struct parcel *parcel) {
  if (parcel && --parcel->users == 0)
    free(parcel);
}

void parcel_replace(struct parcel **slot, struct parcel *parcel) {
  parcel_drop(*slot);
  *slot = parcel;
}

static void parcel_queue_init(struct parcel_queue *queue, size_t max_messages, size_t max_bytes) {
  memset(queue, 0, sizeof *queue);
  queue->capacity = max_messages;
  queue->max_bytes = max_bytes;
}

// 0: the oldest
static struct parcel *parcel_queue_at(const struct parcel_queue *queue, size_t index) {
  return index < queue->count ? queue->ring[(queue->first + index) % queue->allocated] : NULL;
}

// the oldest, which the caller must drop; NULL
static struct parcel *parcel_queue_pop(struct parcel_queue *queue) {
  struct parcel *parcel = parcel_queue_at(queue, 0);
  if (!parcel)
    return NULL;
  queue->first = (queue->first + 1) % queue->allocated;
  queue->count--;
  queue->bytes -= parcel->size;
  return parcel;
}

// releases the memory as well
static void parcel_queue_clear(struct parcel_queue *queue) {
  struct parcel *parcel;
  while ((parcel = parcel_queue_pop(queue)))
    parcel_drop(parcel);
  free(queue->ring);
  parcel_queue_init(queue, queue->capacity, queue->max_bytes);
}

static int grow(struct parcel_queue *queue) {
  size_t wanted = queue->allocated ? 2 * queue->allocated : 16;
  if (wanted > queue->capacity)
    wanted = queue->capacity;
  struct parcel **ring = malloc(wanted * sizeof(struct parcel *));
  if (!ring)
    return 0;
  for (size_t i = 0; i < queue->count; i++)
    ring[i] = parcel_queue_at(queue, i);
  free(queue->ring);
  queue->ring = ring;
  queue->first = 0;
  queue->allocated = wanted;
  return 1;
}

size_t parcel_queue_push(struct parcel_queue *queue, struct parcel *parcel) {
  size_t lost = 0;
  if (!parcel)
    return 0;
  while (queue->count > 0 &&
         (queue->count == queue->capacity || queue->bytes + parcel->size > queue->max_bytes)) {
    parcel_drop(parcel_queue_pop(queue));
    lost++;
  }
  if (queue->count == queue->allocated && !grow(queue)) {
    parcel_drop(parcel);
    return lost + 1;
  }
  queue->ring[(queue->first + queue->count) % queue->allocated] = parcel;
  queue->count++;
  queue->bytes += parcel->size;
  return lost;
}

// ---- texts of the server ----

static struct parcel *parcel_of(cJSON *object) {
  char *text = object ? cJSON_PrintUnformatted(object) : NULL;
  struct parcel *parcel = text ? parcel_create_json(text) : NULL;
  cJSON_free(text);
  cJSON_Delete(object);
  return parcel;
}

struct parcel *answer_server_info(const char *name, const char *session, int is_log) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "op", "serverInfo");
  cJSON_AddStringToObject(object, "name", name);
  cJSON *list = cJSON_AddArrayToObject(object, "capabilities");
  cJSON_AddItemToArray(list, cJSON_CreateString("time"));
  cJSON *metadata = cJSON_AddObjectToObject(object, "metadata");
  cJSON_AddStringToObject(metadata, "sagbend", is_log ? "log" : "live");
  cJSON_AddStringToObject(metadata, "page", "1");
  cJSON_AddStringToObject(metadata, "protocol", "1");
  cJSON_AddStringToObject(object, "sessionId", session);
  return parcel_of(object);
}

static int add_schema(cJSON *channel, const struct view_channel *c) {
  size_t size = sodium_base64_ENCODED_LEN(c->schema_size, sodium_base64_VARIANT_ORIGINAL);
  char *text = malloc(size);
  if (!text)
    return 0;
  sodium_bin2base64(text, size, c->schema, c->schema_size, sodium_base64_VARIANT_ORIGINAL);
  cJSON_AddStringToObject(channel, "schema", text);
  free(text);
  return 1;
}

struct parcel *answer_advertise(const struct view_channel *channels, int count) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "op", "advertise");
  cJSON *list = cJSON_AddArrayToObject(object, "channels");
  for (int i = 0; i < count; i++) {
    cJSON *channel = cJSON_CreateObject();
    cJSON_AddNumberToObject(channel, "id", i + 1);
    cJSON_AddStringToObject(channel, "topic", channels[i].topic);
    cJSON_AddStringToObject(channel, "encoding", "protobuf");
    cJSON_AddStringToObject(channel, "schemaName", channels[i].schema_name);
    if (!add_schema(channel, &channels[i])) {
      cJSON_Delete(channel);
      cJSON_Delete(object);
      return NULL;
    }
    cJSON_AddStringToObject(channel, "schemaEncoding", "protobuf");
    cJSON_AddItemToArray(list, channel);
  }
  return parcel_of(object);
}

struct parcel *answer_status(enum answer_level level, const char *text, const char *id) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "op", "status");
  cJSON_AddNumberToObject(object, "level", level);
  cJSON_AddStringToObject(object, "message", text);
  if (id)
    cJSON_AddStringToObject(object, "id", id);
  return parcel_of(object);
}

static void pack(uint8_t *out, uint64_t value, int count) { // little endian
  for (int i = 0; i < count; i++)
    out[i] = (uint8_t)(value >> (8 * i));
}

void answer_pack_message_head(uint8_t out[ANSWER_MESSAGE_HEAD], uint32_t subscription, uint64_t time_ns) {
  out[0] = 1;
  pack(out + 1, subscription, 4);
  pack(out + 5, time_ns, 8);
}

void answer_pack_time(uint8_t out[ANSWER_TIME], uint64_t time_ns) {
  out[0] = 2;
  pack(out + 1, time_ns, 8);
}

// ---- what one client has subscribed to ----

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

// ---- what a client gets that subscribes late ----

void history_init(struct history *h, const struct view_channel *channels, int count) {
  memset(h, 0, sizeof *h);
  h->channels = channels;
  h->count = count;
  for (int i = 0; i < count; i++)
    parcel_queue_init(&h->events[i], GATEWAY_EVENTS, GATEWAY_QUEUE_BYTES / 2);
}

void history_clear(struct history *h) {
  for (int i = 0; i < h->count; i++) {
    parcel_replace(&h->newest[i], NULL);
    parcel_queue_clear(&h->events[i]);
  }
}

void history_keep(struct history *h, struct parcel *parcel) {
  if (h->channels[parcel->channel].is_event)
    parcel_queue_push(&h->events[parcel->channel], parcel_share(parcel));
  else
    parcel_replace(&h->newest[parcel->channel], parcel_share(parcel));
}

void history_offer(const struct history *h, int channel, struct client *c, int64_t now_ms) {
  const struct parcel_queue *events = &h->events[channel];
  for (size_t i = 0; i < events->count; i++)
    client_offer(c, parcel_queue_at(events, i), 0, now_ms);
  if (h->newest[channel])
    client_offer(c, h->newest[channel], 0, now_ms);
}
