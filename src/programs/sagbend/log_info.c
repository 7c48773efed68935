// sagbend log scene: a copy of a log with /tf, /scene and /log (view/scene), for Foxglove, Lichtblick and
// PlotJuggler. Metadata marks it as derived, and the chain is left out: it would not hold. The copy appears
// complete or not at all.
#include "programs/sagbend/log_tools.h"

#include "os/cli/version.h"
#include "sagbend/base/shown_text.h"

#include "os/files/output_file.h"
#include "log/log/log_check.h"
#include "log/log/session_record.h"
#include "log/mcap/mcap_format.h"
#include "view/scene/scene.h"

#include "sagbend/v1/log.pb-c.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK_BYTES = 1 << 20, NAMES_TEXT = 512 };

struct scene_copy {
  const char *without; // names with commas; NULL: none
  int wall_clock;
  struct mcap_writer *out;
  struct scene *scene;
  const struct mcap_channel *channels[MCAP_MAX_CHANNELS]; // of the file read,
  uint16_t ids[MCAP_MAX_CHANNELS];                        // and of the copy; 0: left out
  int channel_count;
  uint16_t added[SCENE_CHANNEL_COUNT];
  uint32_t sequence[SCENE_CHANNEL_COUNT];
  uint64_t made[SCENE_CHANNEL_COUNT], copied, unreadable;
  uint64_t shift_ns; // added to each log time
  int has_session, is_derived;
  struct bytes metadata;
  enum status status; // of what the sink writes
  struct reason unread;
};

// Whether a list with commas has this topic, with or without its slash.
static int is_listed(const char *list, const char *topic) {
  size_t length = strlen(topic + 1);
  for (const char *at = list; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    const char *name = *at == '/' ? at + 1 : at;
    if (strcspn(name, ",") == length && !memcmp(name, topic + 1, length))
      return 1;
  }
  return 0;
}

static int is_known(const char *topic) {
  for (int i = 0; i < SCENE_CHANNEL_COUNT; i++)
    if (!strcmp(topic, scene_channel_topic((enum scene_channel)i)))
      return 1;
  return log_topic_by_name(topic) != LOG_TOPIC_COUNT;
}

static enum status check_names(const char *list, struct reason *why) {
  char text[NAMES_TEXT];
  int count = 0;
  if (!list)
    return STATUS_OK;
  if (strlen(list) >= sizeof text)
    return fail(why, STATUS_BAD_INPUT, "--without: too many topics");
  memcpy(text, list, strlen(list) + 1);
  for (const char *name = strtok(text, ","); name; name = strtok(NULL, ","), count++) {
    char topic[NAMES_TEXT + 1];
    snprintf(topic, sizeof topic, "/%s", name + (*name == '/'));
    if (!is_known(topic))
      return fail(why, STATUS_BAD_INPUT, "--without: no such topic: '%.120s'; see 'sagbend log topics FILE'",
                  name);
  }
  return count ? STATUS_OK
               : fail(why, STATUS_BAD_INPUT, "--without: a topic was expected, not '%.120s'", list);
}

static enum status add(struct scene_copy *c, uint16_t channel, uint32_t sequence, uint64_t time_ns,
                       const void *data, size_t size, struct reason *why) {
  enum status status = mcap_writer_add(c->out, channel, sequence, time_ns, data, size);
  if (status != STATUS_OK)
    return fail(why, status, "no memory for a message of %zu bytes", size);
  return mcap_writer_pending_bytes(c->out) >= CHUNK_BYTES ? mcap_writer_flush(c->out, 0, why) : STATUS_OK;
}

static void take_made(void *context, enum scene_channel channel, uint64_t time_ns, const uint8_t *data,
                      size_t size) {
  struct scene_copy *c = context;
  if (!c->added[channel] || c->status != STATUS_OK)
    return;
  c->status = add(c, c->added[channel], c->sequence[channel]++, time_ns, data, size, &c->unread);
  c->made[channel]++;
}

// The channels that are added. They must not be there yet.
static enum status define_added(struct scene_copy *c, struct reason *why) {
  for (int i = 0; i < SCENE_CHANNEL_COUNT; i++) {
    enum scene_channel channel = (enum scene_channel)i;
    size_t size;
    const void *data = scene_channel_descriptor(channel, &size);
    if (is_listed(c->without, scene_channel_topic(channel)))
      continue;
    uint16_t schema = mcap_writer_schema(c->out, scene_channel_type(channel), data, size);
    c->added[i] = schema ? mcap_writer_channel(c->out, schema, scene_channel_topic(channel)) : 0;
    if (!c->added[i])
      return fail(why, STATUS_NO_MEMORY, "out of memory for the topics");
  }
  return STATUS_OK;
}

// The place of a channel in the list; -1: no memory.
static int place_of(struct scene_copy *c, const struct mcap_channel *channel) {
  const struct mcap_schema *s = channel->schema;
  for (int i = 0; i < c->channel_count; i++)
    if (c->channels[i] == channel)
      return i;
  if (c->channel_count == MCAP_MAX_CHANNELS)
    return -1;
  uint16_t id = 0;
  if (log_topic_of(channel) != LOG_CHAIN && !is_listed(c->without, channel->topic)) {
    uint16_t schema = s ? mcap_writer_schema(c->out, s->name, s->data, s->size) : 0;
    id = s && !schema ? 0 : mcap_writer_channel(c->out, schema, channel->topic);
    if (!id)
      return -1;
  }
  c->channels[c->channel_count] = channel;
  c->ids[c->channel_count] = id;
  return c->channel_count++;
}

// Nanoseconds from 1970 to a time such as 2026-01-31T12:00:00.123Z. Returns 0 if it is none.
static uint64_t utc_ns(const char *text) {
  int year, month, day, hour, minute;
  double second;
  char zone, more;
  if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%lf%c%c", &year, &month, &day, &hour, &minute, &second, &zone,
             &more) != 7 ||
      zone != 'Z' || year < 1970 || year > 2200 || month < 1 || month > 12 || day < 1 || day > 31 ||
      hour < 0 || hour > 23 || minute < 0 || minute > 59 || !(second >= 0 && second < 61))
    return 0;
  // Days of the civil calendar, counted from March, so that the leap day is the last of its year.
  int64_t y = month > 2 ? year : year - 1, m = (month + 9) % 12;
  int64_t days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
  return (uint64_t)(((days * 24 + hour) * 60 + minute) * 60) * 1000000000u + (uint64_t)(second * 1e9 + 0.5);
}

static enum status take_session(struct scene_copy *c, const struct mcap_message *m, struct reason *why) {
  Sagbend__V1__SessionRecord *record = (Sagbend__V1__SessionRecord *)log_unpack(m, why);
  enum status status = record ? STATUS_OK : STATUS_IO;
  if (record && c->wall_clock) {
    uint64_t start_ns = utc_ns(record->started_at);
    double before_s = (double)record->first_step * record->step_s; // simulated before this start
    if (!start_ns || !(before_s >= 0 && 1e9 * before_s <= (double)start_ns))
      status = fail(why, STATUS_IO, "--wall-clock: it does not say when the session started");
    else
      c->shift_ns = start_ns - (uint64_t)(1e9 * before_s);
  }
  log_free(record ? &record->base : NULL);
  c->has_session = 1;
  return status;
}

static enum status copy_message(struct scene_copy *c, const struct mcap_message *m, struct reason *why) {
  int place = place_of(c, m->channel);
  if (place < 0)
    return fail(why, STATUS_NO_MEMORY, "too many topics, or no memory for them");
  enum status status = STATUS_OK;
  if (log_topic_of(m->channel) == LOG_SESSION && !c->has_session)
    status = take_session(c, m, why);
  if (status == STATUS_OK && !c->has_session)
    status = fail(why, STATUS_IO, "a session's log expected, the first message is of topic %.64s",
                  m->channel->topic);
  uint64_t time_ns = m->log_time_ns + c->shift_ns;
  if (status == STATUS_OK && c->ids[place]) {
    status = add(c, c->ids[place], m->sequence, time_ns, m->data, m->size, why);
    c->copied++;
  }
  if (status != STATUS_OK || !m->channel->schema)
    return status;

  const struct scene_sink sink = {take_made, c};
  enum scene_taken taken =
      scene_take(c->scene, m->channel->schema->name, m->data, m->size, time_ns, &sink, NULL);
  c->unreadable += taken == SCENE_UNREADABLE || taken == SCENE_OTHER_PROTOCOL;
  return c->status == STATUS_OK ? STATUS_OK : fail(why, c->status, "%s", c->unread.text);
}

static int is_named(const uint8_t *content, size_t size, const char *name) {
  size_t length = strlen(name);
  return size >= 4 + length && mcap_get32(content) == length && !memcmp(content + 4, name, length);
}

// Keeps the session's metadata for the copy.
static void take_record(void *context, uint8_t kind, const uint8_t *content, size_t size) {
  struct scene_copy *c = context;
  if (kind != MCAP_METADATA)
    return;
  c->is_derived |= is_named(content, size, DERIVED_METADATA);
  if (is_named(content, size, SESSION_METADATA) && !c->metadata.size)
    bytes_put(&c->metadata, content, size);
}

static enum status mark(struct scene_copy *c, const char *path, struct reason *why) {
  const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  const struct mcap_text_pair pairs[] = {{"by", program_version()},
                                         {"from", name},
                                         {"without", c->without ? c->without : ""},
                                         {"times", c->wall_clock ? "wall clock" : "simulated"}};
  return mcap_writer_metadata(c->out, DERIVED_METADATA, pairs, (int)(sizeof pairs / sizeof *pairs), why);
}

static enum status copy_all(struct scene_copy *c, struct mcap_reader *in, struct reason *why) {
  struct mcap_message message;
  int more = 0;
  enum status status = define_added(c, why);
  while (status == STATUS_OK && (more = mcap_reader_next(in, &message, why)) > 0) {
    status = c->is_derived
                 ? fail(why, STATUS_BAD_INPUT, "it is a derived copy already: scene takes the log itself")
                 : copy_message(c, &message, why);
  }
  if (status == STATUS_OK && more < 0)
    return STATUS_IO;
  if (status == STATUS_OK && !c->copied)
    return fail(why, STATUS_IO, "it contains no message");
  if (status == STATUS_OK && c->metadata.size) {
    status = mcap_writer_flush(c->out, 0, why);
    if (status == STATUS_OK)
      status = mcap_writer_put_metadata(c->out, &c->metadata, why);
  }
  return status;
}

static void report(const struct scene_copy *c, const struct mcap_reader *in, const char *out_path,
                   const struct mcap_written *written) {
  double size = (double)mcap_reader_file_size(in);
  printf("%s: %" PRIu64 " messages", shown(out_path).text, written->messages);
  for (int i = 0; i < SCENE_CHANNEL_COUNT; i++)
    printf("%s%s %" PRIu64, i ? ", " : ", of these ", scene_channel_topic((enum scene_channel)i), c->made[i]);
  printf("; %+.1f %% of the size of the log\n", 100 * ((double)written->bytes - size) / size);
  if (c->unreadable)
    printf("not drawn: %" PRIu64 " messages that are unreadable or contain a number that is not finite\n",
           c->unreadable);
}

// Writes the copy to path, which is removed if that fails.
static enum status write_copy(struct scene_copy *c, struct mcap_reader *in, const char *from,
                              const char *path, struct mcap_written *written, struct reason *why) {
  char library[128];
  snprintf(library, sizeof library, "sagbend %s, log scene", program_version());
  mcap_reader_on_record(in, take_record, c);
  enum status status = mcap_writer_open(path, library, &c->out, why);
  if (status != STATUS_OK)
    return status;
  status = mark(c, from, why);
  if (status == STATUS_OK)
    status = copy_all(c, in, why);
  enum status closed = mcap_writer_close(c->out, written, status == STATUS_OK ? why : NULL);
  status = status == STATUS_OK ? closed : status;
  return status;
}

static enum status make(const struct log_scene_order *order, struct mcap_reader *in, struct reason *why) {
  struct scene_copy *c = calloc(1, sizeof *c);
  struct output_file out;
  struct mcap_written written = {0};
  if (!c || !(c->scene = scene_open(order->colour))) {
    free(c);
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  }
  c->without = order->without;
  c->wall_clock = order->wall_clock;
  enum status status = output_file_open_atomic(&out, order->out_path, why);
  if (status == STATUS_OK && !out.temporary_path) {
    output_file_abandon(&out);
    status = fail(why, STATUS_BAD_INPUT, "scene: %.200s is not a file", order->out_path);
  } else if (status == STATUS_OK) {
    status = write_copy(c, in, order->path, out.temporary_path, &written, why);
    if (status != STATUS_OK)
      output_file_abandon(&out);
    else if ((status = output_file_close(&out, why)) == STATUS_OK)
      report(c, in, order->out_path, &written);
  }
  scene_close(c->scene);
  bytes_free(&c->metadata);
  free(c);
  return status;
}

enum status log_scene(const struct log_scene_order *order, struct reason *why) {
  struct mcap_reader *in;
  enum status status = check_names(order->without, why);
  if (status != STATUS_OK)
    return status;
  status = log_open(order->path, MCAP_STRICT, &in, why);
  if (status != STATUS_OK)
    return status;
  status = make(order, in, why);
  mcap_reader_close(in);
  return status == STATUS_OK || status == STATUS_BAD_INPUT ? status : STATUS_IO;
}
