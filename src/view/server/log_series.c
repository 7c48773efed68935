// A log, or the parts of one, as the player and the page read it: channels, times, events, alarms, the past.
#include "view/server/server.h"

#include "log/log/log.h"
#include "net/server/server.h"
#include "view/scene/scene.h"

#include "sagbend/v1/log.pb-c.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the past of a session, for the page ----

enum { QUERY = 512 };

struct question {
  char text[QUERY]; // of the names
  const char *names[TRENDS_NAMES];
  int count;
  double after_s;
};

static enum status bad(struct reason *why) {
  return fail(why, STATUS_BAD_INPUT, "names=NAME,... and after=SECONDS expected, at most %d names",
              TRENDS_NAMES);
}

static enum status take_names(char *list, struct question *q, struct reason *why) {
  char *rest = NULL;
  for (char *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
    if (q->count == TRENDS_NAMES)
      return bad(why);
    q->names[q->count++] = name;
  }
  return STATUS_OK;
}

static enum status read_question(const char *query, struct question *q, struct reason *why) {
  char *rest = NULL, *end;
  *q = (struct question){.after_s = -INFINITY};
  if (snprintf(q->text, sizeof q->text, "%s", query) >= (int)sizeof q->text)
    return bad(why);
  for (char *part = strtok_r(q->text, "&", &rest); part; part = strtok_r(NULL, "&", &rest)) {
    if (!strncmp(part, "names=", 6)) {
      if (take_names(part + 6, q, why) != STATUS_OK)
        return STATUS_BAD_INPUT;
    } else if (!strncmp(part, "after=", 6)) {
      q->after_s = strtod(part + 6, &end);
      if (end == part + 6 || *end || isnan(q->after_s))
        return bad(why);
    } else {
      return bad(why);
    }
  }
  return q->count ? STATUS_OK : bad(why);
}

static enum status answer_envelope(const struct past *past, const char *query, char **out,
                                   struct reason *why) {
  double at_s = INFINITY;
  char *end = NULL;
  if (*query && strncmp(query, "at=", 3) == 0)
    at_s = strtod(query + 3, &end);
  if (*query && (!end || end == query + 3 || *end || isnan(at_s)))
    return fail(why, STATUS_BAD_INPUT, "at=SECONDS expected");
  *out = envelope_write(past->envelope, at_s);
  return *out ? STATUS_OK : fail(why, STATUS_NO_MEMORY, "out of memory");
}

enum status past_response(const struct past *past, const char *path, const char *query, char **out,
                          struct reason *why) {
  struct question question;
  if (!strcmp(path, "envelope"))
    return answer_envelope(past, query, out, why);
  if (!strcmp(path, "quantities")) {
    *out = trends_list(past->trends);
    return *out ? STATUS_OK : fail(why, STATUS_NO_MEMORY, "out of memory");
  }
  if (strcmp(path, "history") != 0)
    return STATUS_OK;
  enum status status = read_question(query, &question, why);
  return status == STATUS_OK
             ? trends_write(past->trends, question.names, question.count, question.after_s, out, why)
             : status;
}

enum status past_open(struct past *past, int is_log, struct reason *why) {
  *past = (struct past){trends_create(is_log), envelope_create(is_log)};
  return past->trends && past->envelope ? STATUS_OK : fail(why, STATUS_NO_MEMORY, "out of memory");
}

void past_close(struct past *past) {
  trends_free(past->trends);
  envelope_free(past->envelope);
}

void past_begin_session(struct past *past) {
  trends_begin_session(past->trends);
  envelope_begin_session(past->envelope);
}

void past_take(struct past *past, const char *type, const void *data, size_t size, uint64_t time_ns) {
  trends_take(past->trends, type, data, size, time_ns);
  envelope_take(past->envelope, type, data, size, time_ns);
}

// ---- the series ----

// Topic in the log ("": none), topic for the clients, type, whether each message counts.
static const struct {
  const char *logged, *topic, *type;
  int is_event;
} TOPICS[] = {
#define X(topic, message, name, file, logged, is_event) {logged, "/" topic, "sagbend.v1." message, is_event},
    TELEMETRY_TABLE(X)
#undef X
};
enum { TOPIC_COUNT = sizeof TOPICS / sizeof *TOPICS, FIRST_ROOM = 256 };

struct times { // of the messages of a channel in a file, rising
  uint64_t *ns;
  size_t count, capacity;
};

struct series_file {
  const char *path; // borrowed
  unsigned part;    // number of the part; 0: none
  uint64_t start_ns, end_ns;
  struct times times[TOPIC_COUNT];
};

struct log_series {
  struct series_file *file; // by their first times
  int file_count;
  char session[64];
  struct view_channel channels[TOPIC_COUNT + SCENE_CHANNEL_COUNT];
  int own_count, place[TOPIC_COUNT]; // of each topic among the channels; -1: not in the log
  int topic[TOPIC_COUNT];            // of each channel of the log
  struct past past;
  struct series_event *events;
  size_t event_count, event_capacity;
  struct alarms *alarms;
};

static int topic_of(const struct mcap_channel *channel) {
  const char *type = channel->schema ? channel->schema->name : "";
  for (int i = 0; i < TOPIC_COUNT; i++)
    if (!strcmp(channel->topic, TOPICS[i].logged) && !strcmp(type, TOPICS[i].type))
      return i;
  return -1;
}

static enum status out_of_memory(const struct series_file *file, struct reason *why) {
  return fail(why, STATUS_NO_MEMORY, "%.200s: out of memory for its index", file->path);
}

// ---- reading a file ----

// A channel of the log, with the schema of the first file that has it.
static enum status define(struct log_series *s, int topic, const struct mcap_channel *channel) {
  if (s->place[topic] >= 0)
    return STATUS_OK;
  void *schema = malloc(channel->schema->size + 1);
  if (!schema)
    return STATUS_NO_MEMORY;
  memcpy(schema, channel->schema->data, channel->schema->size);
  s->place[topic] = s->own_count;
  s->topic[s->own_count] = topic;
  s->channels[s->own_count++] = (struct view_channel){.topic = TOPICS[topic].topic,
                                                      .schema_name = TOPICS[topic].type,
                                                      .schema = schema,
                                                      .schema_size = channel->schema->size,
                                                      .is_event = TOPICS[topic].is_event};
  return STATUS_OK;
}

static enum status keep_time(struct times *times, uint64_t time_ns) {
  if (times->count && time_ns < times->ns[times->count - 1])
    return STATUS_OK; // out of order: it is played, a seek does not find it
  if (times->count == times->capacity) {
    size_t capacity = times->capacity ? 2 * times->capacity : FIRST_ROOM;
    uint64_t *more = realloc(times->ns, capacity * sizeof *more);
    if (!more)
      return STATUS_NO_MEMORY;
    times->ns = more;
    times->capacity = capacity;
  }
  times->ns[times->count++] = time_ns;
  return STATUS_OK;
}

static enum status keep_event(struct log_series *s, int topic, const struct mcap_message *m) {
  if (!TOPICS[topic].is_event || s->event_count == SERIES_EVENTS)
    return STATUS_OK;
  if (s->event_count == s->event_capacity) {
    size_t capacity = s->event_capacity ? 2 * s->event_capacity : FIRST_ROOM;
    struct series_event *more = realloc(s->events, capacity * sizeof *more);
    if (!more)
      return STATUS_NO_MEMORY;
    s->events = more;
    s->event_capacity = capacity;
  }
  uint8_t *copy = malloc(m->size + 1);
  if (!copy)
    return STATUS_NO_MEMORY;
  memcpy(copy, m->data, m->size);
  s->events[s->event_count++] = (struct series_event){s->place[topic], m->log_time_ns, copy, m->size};
  return STATUS_OK;
}

static enum status take_record(struct log_series *s, struct series_file *file, const struct mcap_message *m,
                               struct reason *why) {
  ProtobufCMessage *content;
  enum status status = log_unpack(m, &content, why) == STATUS_OK ? STATUS_OK : STATUS_IO;
  const Sagbend__V1__SessionRecord *record = (const Sagbend__V1__SessionRecord *)content;
  if (record && *s->session && strcmp(s->session, record->session) != 0)
    status = fail(why, STATUS_IO, "it is of session %.64s, the first log of session %s", record->session,
                  s->session);
  else if (record)
    snprintf(s->session, sizeof s->session, "%s", record->session);
  file->part = record && record->part ? record->part->number : 0;
  log_free(content);
  return status;
}

static enum status take(struct log_series *s, struct series_file *file, const struct mcap_message *m,
                        int is_first, struct reason *why) {
  int topic = topic_of(m->channel);
  if (is_first) {
    file->start_ns = file->end_ns = m->log_time_ns;
    if (log_topic_of(m->channel) != LOG_SESSION)
      return fail(why, STATUS_IO, "a session's log expected, got one that begins with topic %.64s",
                  m->channel->topic);
    return take_record(s, file, m, why);
  }
  file->end_ns = m->log_time_ns > file->end_ns ? m->log_time_ns : file->end_ns;
  if (topic < 0)
    return STATUS_OK;
  if (define(s, topic, m->channel) != STATUS_OK ||
      keep_time(&file->times[topic], m->log_time_ns) != STATUS_OK || keep_event(s, topic, m) != STATUS_OK)
    return out_of_memory(file, why);
  alarms_take(s->alarms, TOPICS[topic].type, m->data, m->size);
  past_take(&s->past, TOPICS[topic].type, m->data, m->size, m->log_time_ns);
  return STATUS_OK;
}

static int by_start(const void *a, const void *b) {
  const struct series_file *x = a, *y = b;
  return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

// The time of its first message; 0 of a file that cannot be read, which read_file reports.
static uint64_t start_of(const char *path) {
  struct mcap_reader *reader;
  struct mcap_message message;
  struct reason ignored = {""};
  uint64_t start_ns = 0;
  if (mcap_reader_open(path, MCAP_STRICT, &reader, &ignored) != STATUS_OK)
    return 0;
  if (mcap_reader_next(reader, &message, &ignored) > 0)
    start_ns = message.log_time_ns;
  mcap_reader_close(reader);
  return start_ns;
}

static enum status read_file(struct log_series *s, struct series_file *file, struct reason *why) {
  struct mcap_reader *reader;
  struct mcap_message message;
  struct reason cause = {""};
  int more = 0, count = 0;
  if (mcap_reader_open(file->path, MCAP_STRICT, &reader, why) != STATUS_OK)
    return STATUS_IO;
  enum status status = STATUS_OK;
  while (status == STATUS_OK && (more = mcap_reader_next(reader, &message, why)) > 0)
    status = take(s, file, &message, count++ == 0, &cause);
  mcap_reader_close(reader);
  if (status != STATUS_OK)
    return fail(why, STATUS_IO, "%.160s: not usable: %s", file->path, cause.text);
  if (more < 0)
    return STATUS_IO;
  return count ? STATUS_OK : fail(why, STATUS_IO, "%.160s: not usable: it contains no message", file->path);
}

static int by_time(const void *a, const void *b) {
  const struct series_event *x = a, *y = b;
  return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

// Two files of the same number contain the same part. Sorts the events.
static enum status put_in_order(struct log_series *s, struct reason *why) {
  for (int i = 1; i < s->file_count; i++) {
    const struct series_file *a = &s->file[i - 1], *b = &s->file[i];
    if (a->part == b->part || !a->part || !b->part)
      return fail(why, STATUS_IO, "%.160s: not usable: it overlaps %.160s", b->path, a->path);
  }
  if (s->event_count)
    qsort(s->events, s->event_count, sizeof *s->events, by_time);
  return STATUS_OK;
}

static void add_pictures(struct log_series *s) {
  for (int i = 0; i < SCENE_CHANNEL_COUNT; i++) {
    enum scene_channel channel = (enum scene_channel)i;
    struct view_channel *c = &s->channels[s->own_count + i];
    c->topic = scene_channel_topic(channel);
    c->schema_name = scene_channel_type(channel);
    c->schema = scene_channel_descriptor(channel, &c->schema_size);
    c->is_event = channel == SCENE_LOG;
  }
}

enum status log_series_open(char *const *paths, int count, struct log_series **out, struct reason *why) {
  struct log_series *s = calloc(1, sizeof *s);
  enum status status = count <= SERIES_FILES ? STATUS_OK : fail(why, STATUS_BAD_INPUT, "too many logs");
  *out = NULL;
  if (!s || !(s->file = calloc((size_t)(count > 0 ? count : 1), sizeof *s->file)) ||
      !(s->alarms = alarms_create()) || past_open(&s->past, 1, NULL) != STATUS_OK) {
    log_series_close(s);
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  }
  for (int i = 0; i < TOPIC_COUNT; i++)
    s->place[i] = -1;
  for (int i = 0; status == STATUS_OK && i < count; i++)
    s->file[s->file_count++] =
        (struct series_file){.path = paths[i], .start_ns = count > 1 ? start_of(paths[i]) : 0};
  if (s->file_count > 1) // alarms follow from the messages in the order of their times
    qsort(s->file, (size_t)s->file_count, sizeof *s->file, by_start);
  for (int i = 0; status == STATUS_OK && i < s->file_count; i++)
    status = read_file(s, &s->file[i], why);
  if (status == STATUS_OK)
    status = put_in_order(s, why);
  if (status != STATUS_OK) {
    log_series_close(s);
    return status;
  }
  add_pictures(s);
  *out = s;
  return STATUS_OK;
}

void log_series_close(struct log_series *s) {
  if (!s)
    return;
  for (int i = 0; i < s->file_count; i++)
    for (int t = 0; t < TOPIC_COUNT; t++)
      free(s->file[i].times[t].ns);
  for (int i = 0; i < s->own_count; i++)
    free((void *)s->channels[i].schema);
  for (size_t i = 0; i < s->event_count; i++)
    free((void *)s->events[i].bytes);
  alarms_free(s->alarms);
  past_close(&s->past);
  free(s->events);
  free(s->file);
  free(s);
}

// ---- what it contains ----

const struct view_channel *log_series_channels(const struct log_series *s, int *count) {
  *count = s->own_count + SCENE_CHANNEL_COUNT;
  return s->channels;
}

int log_series_own_count(const struct log_series *s) {
  return s->own_count;
}

int log_series_channel_of(const struct log_series *s, const struct mcap_channel *channel) {
  int topic = topic_of(channel);
  return topic < 0 ? -1 : s->place[topic];
}

const struct past *log_series_past(const struct log_series *s) {
  return &s->past;
}

const char *log_series_session(const struct log_series *s) {
  return s->session;
}

void log_series_span(const struct log_series *s, uint64_t *start_ns, uint64_t *end_ns) {
  *start_ns = s->file[0].start_ns;
  *end_ns = 0;
  for (int i = 0; i < s->file_count; i++)
    *end_ns = s->file[i].end_ns > *end_ns ? s->file[i].end_ns : *end_ns;
}

int log_series_file_count(const struct log_series *s) {
  return s->file_count;
}

unsigned log_series_part(const struct log_series *s, int file) {
  return s->file[file].part;
}

const char *log_series_path(const struct log_series *s, int file) {
  return s->file[file].path;
}

int log_series_file_at(const struct log_series *s, uint64_t time_ns) {
  int file = 0;
  while (file + 1 < s->file_count && s->file[file + 1].start_ns <= time_ns)
    file++;
  return file;
}

const struct alarm_list *log_series_alarms(const struct log_series *s) {
  return alarms_list(s->alarms);
}

int log_series_newest(const struct log_series *s, int channel, uint64_t time_ns, int *file,
                      uint64_t *found_ns) {
  for (*file = log_series_file_at(s, time_ns); *file >= 0; --*file) {
    const struct times *t = &s->file[*file].times[s->topic[channel]];
    size_t low = 0, high = t->count; // the first time above is in [low, high]
    while (low < high) {
      size_t middle = (low + high) / 2;
      if (t->ns[middle] <= time_ns)
        low = middle + 1;
      else
        high = middle;
    }
    if (low) {
      *found_ns = t->ns[low - 1];
      return 1;
    }
  }
  return 0;
}

size_t log_series_events_to(const struct log_series *s, uint64_t time_ns) {
  size_t count = 0;
  while (count < s->event_count && s->events[count].time_ns <= time_ns)
    count++;
  return count;
}

const struct series_event *log_series_event(const struct log_series *s, size_t index) {
  return &s->events[index];
}
