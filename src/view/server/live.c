// Live data from a simulator: messages checked and passed on, losses counted, the list of alarms as JSON.
#include "view/server/server.h"

#include "net/server/server.h"
#include "net/zmtp/zmtp.h"
#include "view/scene/scene.h"

#include "sagbend/v1/header.pb-c.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES_PER_TURN = 500 };

// The header of a telemetry message, read without unpacking the rest.
struct message_header {
  uint64_t sequence;
  uint64_t time_ns; // 0: not a time from 0 to 1e9 s
};

// Reads a varint at *at; returns 0 at the end of the bytes.
static int take_varint(const uint8_t *bytes, size_t size, size_t *at, uint64_t *out) {
  *out = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (*at >= size)
      return 0;
    uint8_t byte = bytes[(*at)++];
    *out |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return 1;
  }
  return 0;
}

// Steps over a field of a wire type; returns 0 if it does not end within the bytes.
static int skip(const uint8_t *bytes, size_t size, size_t *at, unsigned type) {
  uint64_t count = 0;
  if (type == 0)
    return take_varint(bytes, size, at, &count);
  if (type == 2 && !take_varint(bytes, size, at, &count))
    return 0;
  count = type == 1 ? 8 : type == 5 ? 4 : count;
  if ((type != 1 && type != 2 && type != 5) || count > size - *at)
    return 0;
  *at += (size_t)count;
  return 1;
}

static void take_header(const uint8_t *bytes, size_t size, struct message_header *out) {
  Sagbend__V1__Header *h = sagbend__v1__header__unpack(NULL, size, bytes);
  if (!h)
    return;
  out->sequence = h->sequence;
  out->time_ns =
      isfinite(h->time_s) && h->time_s >= 0 && h->time_s <= 1e9 ? (uint64_t)llround(h->time_s * 1e9) : 0;
  sagbend__v1__header__free_unpacked(h, NULL);
}

// Leaves out as it is if there is none. Whether the message is valid is not checked here.
static void header_of(const void *data, size_t size, struct message_header *out) {
  const uint8_t *bytes = data;
  uint64_t tag, length;
  for (size_t at = 0; take_varint(bytes, size, &at, &tag);) {
    if (tag == 0x0a) { // field 1, with a length
      if (!take_varint(bytes, size, &at, &length) || length > size - at)
        return;
      take_header(bytes + at, (size_t)length, out);
      return;
    }
    if (!skip(bytes, size, &at, (unsigned)(tag & 7)))
      return;
  }
}

static const char *const TOPICS[] = {
#define X(topic, message, name, file, logged, is_event) topic,
    TELEMETRY_TABLE(X)
#undef X
        NULL};
enum { TOPIC_COUNT = sizeof TOPICS / sizeof *TOPICS - 1, CHANNEL_COUNT = TOPIC_COUNT + SCENE_CHANNEL_COUNT };

#define DESCRIPTOR(file)                                                                                     \
  extern const unsigned char wire_descriptor_##file[];                                                       \
  extern const size_t wire_descriptor_##file##_size;
DESCRIPTOR(telemetry)
DESCRIPTOR(session)
DESCRIPTOR(operator)

const struct view_channel *live_channels(int *count) {
  static struct view_channel channels[CHANNEL_COUNT] = {
#define X(topic, message, name, file, logged, is_event)                                                      \
  {"/" topic, "sagbend.v1." message, wire_descriptor_##file, 0, is_event},
      TELEMETRY_TABLE(X)
#undef X
  };
  const size_t sizes[] = {
#define X(topic, message, name, file, logged, is_event) wire_descriptor_##file##_size,
      TELEMETRY_TABLE(X)
#undef X
  };
  for (int i = 0; i < TOPIC_COUNT; i++)
    channels[i].schema_size = sizes[i];
  for (int i = 0; i < SCENE_CHANNEL_COUNT; i++) {
    struct view_channel *c = &channels[TOPIC_COUNT + i];
    c->topic = scene_channel_topic(i);
    c->schema_name = scene_channel_type(i);
    c->schema = scene_channel_descriptor(i, &c->schema_size);
    c->is_event = i == SCENE_LOG;
  }
  *count = CHANNEL_COUNT;
  return channels;
}

struct live_source {
  struct telemetry_reader *reader; // NULL: none
  struct scene *scene;
  const struct live_sink *sink; // during a call
  char session[64];
  uint64_t sequence[TOPIC_COUNT];
  struct live_counts counts;
  uint64_t told[4]; // of the note: has_data, unreadable, other_protocol, dropped
  int64_t heard_ms, state_ms;
  int is_started;
};

enum status live_open(const char *endpoint, const struct client_keys *keys, struct live_source **out,
                      struct reason *why) {
  struct live_source *source = calloc(1, sizeof *source);
  *out = NULL;
  if (!source || !(source->scene = scene_open(SCENE_COLOUR_NEAREST))) {
    free(source);
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  }
  enum status status = STATUS_OK;
  if (endpoint) {
    struct reason cause = {""};
    status = endpoint_check(endpoint, ENDPOINT_CONNECT, &cause) == STATUS_OK
                 ? telemetry_reader_open(endpoint, TOPICS, keys, &source->reader, why)
                 : fail(why, STATUS_BAD_INPUT, "--connect: %s", cause.text);
  }
  if (status != STATUS_OK) {
    live_close(source);
    return status;
  }
  *out = source;
  return STATUS_OK;
}

void live_close(struct live_source *source) {
  if (!source)
    return;
  telemetry_reader_close(source->reader);
  scene_close(source->scene);
  free(source);
}

int live_file(const struct live_source *source) {
  return source->reader ? telemetry_reader_file(source->reader) : -1;
}

// ---- a message ----

// The scene knows the session of a message that it has checked; its own messages come before it returns.
static void follow_session(struct live_source *source) {
  const char *session = scene_session(source->scene);
  if (!strcmp(session, source->session))
    return;
  snprintf(source->session, sizeof source->session, "%s", session);
  memset(source->sequence, 0, sizeof source->sequence);
  source->counts.sessions++;
  source->sink->begin_session(source->sink->context, source->session);
}

static void take_picture(void *context, enum scene_channel channel, uint64_t time_ns, const uint8_t *data,
                         size_t size) {
  struct live_source *source = context;
  follow_session(source);
  source->sink->take(source->sink->context,
                     &(struct view_message){TOPIC_COUNT + (int)channel, data, size, time_ns});
}

static void count_lost(struct live_source *source, int topic, uint64_t sequence) {
  uint64_t before = source->sequence[topic];
  if (before && sequence > before + 1)
    source->counts.dropped += sequence - before - 1;
  source->sequence[topic] = sequence;
}

static int find_topic(const char *topic) {
  for (int i = 0; i < TOPIC_COUNT; i++)
    if (!strcmp(TOPICS[i], topic))
      return i;
  return -1;
}

static void leave_out(struct live_source *source, uint64_t *count, const char *topic, const char *why) {
  ++*count;
  snprintf(source->counts.last_error, sizeof source->counts.last_error, "%.30s: %.160s", topic, why);
}

void live_take_message(struct live_source *source, const struct live_sink *sink, const char *topic,
                       const void *bytes, size_t size, int64_t now_ms) {
  int count, t = find_topic(topic);
  const struct view_channel *channels = live_channels(&count);
  struct message_header header = {0};
  struct reason why = {""};
  if (t < 0) // a topic that begins like one of ours
    return;
  source->sink = sink;
  header_of(bytes, size, &header);
  struct scene_sink pictures = {take_picture, source};
  enum scene_taken taken =
      scene_take(source->scene, channels[t].schema_name, bytes, size, header.time_ns, &pictures, &why);
  if (taken == SCENE_UNREADABLE || taken == SCENE_UNKNOWN) {
    leave_out(source, &source->counts.unreadable, topic, why.text);
  } else if (taken == SCENE_OTHER_PROTOCOL) {
    leave_out(source, &source->counts.other_protocol, topic, why.text);
  } else {
    follow_session(source);
    count_lost(source, t, header.sequence);
    source->counts.taken++;
    source->heard_ms = now_ms;
    if (!source->counts.has_data) {
      source->counts.has_data = 1;
      source->state_ms = now_ms;
    }
    sink->take(sink->context, &(struct view_message){t, bytes, size, header.time_ns});
  }
  source->sink = NULL;
}

int live_take(struct live_source *source, const struct live_sink *sink, int64_t now_ms) {
  const char *topic;
  size_t size;
  for (int i = 0; i < MESSAGES_PER_TURN; i++) {
    const void *bytes = telemetry_reader_take(source->reader, 0, &topic, &size);
    if (!bytes)
      return 0;
    live_take_message(source, sink, topic, bytes, size, now_ms);
  }
  return 1;
}

// ---- its state ----

static void look_for_silence(struct live_source *source, int64_t now_ms) {
  if (!source->is_started) {
    source->is_started = 1;
    source->state_ms = source->counts.has_data ? source->state_ms : now_ms;
  }
  if (source->counts.has_data && now_ms - source->heard_ms > LIVE_NO_DATA_MS) {
    source->counts.has_data = 0;
    source->state_ms = source->heard_ms;
  }
}

void live_count(const struct live_source *source, int64_t now_ms, struct live_counts *out) {
  *out = source->counts;
  out->since_ms = now_ms - source->state_ms;
  if (source->reader)
    out->unreadable += telemetry_reader_skipped(source->reader);
}

int live_note(struct live_source *source, int64_t now_ms, char out[LIVE_NOTE]) {
  struct live_counts c;
  look_for_silence(source, now_ms);
  live_count(source, now_ms, &c);
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "op", "sagbendSource");
  cJSON_AddStringToObject(object, "state", c.has_data ? "connected" : "no_data");
  cJSON_AddNumberToObject(object, "since_ms", (double)c.since_ms);
  cJSON_AddNumberToObject(object, "unreadable", (double)c.unreadable);
  cJSON_AddNumberToObject(object, "other_protocol", (double)c.other_protocol);
  cJSON_AddNumberToObject(object, "dropped", (double)c.dropped);
  cJSON_AddStringToObject(object, "last_error", c.last_error);
  if (!cJSON_PrintPreallocated(object, out, LIVE_NOTE, 0))
    snprintf(out, LIVE_NOTE, "{\"op\":\"sagbendSource\",\"state\":\"no_data\",\"since_ms\":0}");
  cJSON_Delete(object);
  const uint64_t now[4] = {(uint64_t)c.has_data, c.unreadable, c.other_protocol, c.dropped};
  int is_new = memcmp(now, source->told, sizeof now) != 0;
  memcpy(source->told, now, sizeof now);
  return is_new;
}

// ------------------------------------------------------------
static const char *const KINDS[] = {[ALARM_LIMIT] = "limit", [ALARM_VERDICT] = "verdict",
                                    [ALARM_FAULT] = "fault", [ALARM_CONTROLLER] = "controller",
                                    [ALARM_EVENT] = "event", [ALARM_LATE] = "late"};
static const char *const CATEGORIES[] = {
    [ALARM_CAUTION] = "caution", [ALARM_WARNING] = "warning", [ALARM_ALARM] = "alarm"};

static cJSON *item_of(const struct alarm *a) {
  cJSON *item = cJSON_CreateObject();
  cJSON_AddStringToObject(item, "kind", KINDS[a->kind]);
  cJSON_AddStringToObject(item, "category", CATEGORIES[a->category]);
  cJSON_AddStringToObject(item, "name", a->name);
  cJSON_AddStringToObject(item, "text", a->text);
  cJSON_AddBoolToObject(item, "active", a->is_active);
  cJSON_AddNumberToObject(item, "from_s", a->from_s);
  cJSON_AddNumberToObject(item, "to_s", a->to_s);
  cJSON_AddNumberToObject(item, "count", (double)a->count);
  if (a->has_limit)
    cJSON_AddNumberToObject(item, "limit", a->limit);
  if (a->has_value) {
    cJSON_AddNumberToObject(item, "first", a->first);
    cJSON_AddNumberToObject(item, "worst", a->worst);
    cJSON_AddNumberToObject(item, "worst_s", a->worst_s);
  }
  return item;
}

char *alarm_json(const struct alarm_list *list) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "op", "sagbendAlarms");
  cJSON_AddNumberToObject(object, "left_out", (double)list->left_out);
  cJSON *items = cJSON_AddArrayToObject(object, "alarms");
  for (int i = 0; items && i < list->count; i++)
    cJSON_AddItemToArray(items, item_of(&list->alarm[i]));
  char *text = items ? cJSON_PrintUnformatted(object) : NULL;
  cJSON_Delete(object);
  return text;
}
