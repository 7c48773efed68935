// sagbend log info and topics: what a log contains. The whole file is read, so everything printed has been
// checked.
#include "programs/sagbend/sagbend_program_internal.h"

#include "log/log/log.h"
#include "log/mcap/mcap.h"
#include "net/buses/buses.h"
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "sagbend/base/base.h"
#include "sagbend/v1/log.pb-c.h"
#include "view/scene/scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct survey {
  Sagbend__V1__SessionRecord *session; // NULL: none met
  Sagbend__V1__LogEnd *end;
  struct topic_survey {
    char name[64];
    uint64_t count, first_ns, last_ns;
  } topics[LOG_TOPIC_COUNT + 16]; // others than ours may be there
  int topic_count;
  uint64_t messages, first_ns, last_ns, last_command_number;
  int gap_in_commands;
  struct log_check_report chain;
};

static void count_topic(struct survey *s, const struct mcap_message *m) {
  const int room = sizeof s->topics / sizeof *s->topics;
  int i = 0;
  while (i < s->topic_count && strcmp(s->topics[i].name, m->channel->topic))
    i++;
  if (i == room)
    return;
  struct topic_survey *t = &s->topics[i];
  if (i == s->topic_count) {
    s->topic_count++;
    *t = (struct topic_survey){.first_ns = m->log_time_ns};
    snprintf(t->name, sizeof t->name, "%s", m->channel->topic);
  }
  t->count++;
  t->last_ns = m->log_time_ns;
}

static enum status keep_if_needed(struct survey *s, const struct mcap_message *m, struct reason *why) {
  enum log_topic t = log_topic_of(m->channel);
  if (t != LOG_SESSION && t != LOG_END && t != LOG_COMMAND)
    return STATUS_OK;
  ProtobufCMessage *content;
  if (log_unpack(m, &content, why) != STATUS_OK)
    return STATUS_IO;
  if (t == LOG_SESSION && !s->session) {
    s->session = (Sagbend__V1__SessionRecord *)content;
    return STATUS_OK;
  }
  if (t == LOG_END && !s->end) {
    s->end = (Sagbend__V1__LogEnd *)content;
    return STATUS_OK;
  }
  if (t == LOG_COMMAND) {
    const Sagbend__V1__CommandUsed *c = (const Sagbend__V1__CommandUsed *)content;
    if (!s->last_command_number && s->session && s->session->part)
      s->last_command_number = s->session->part->commands_before;
    s->gap_in_commands |= c->number && c->number != s->last_command_number + 1;
    s->last_command_number = c->number ? c->number : s->last_command_number;
  }
  log_free(content);
  return STATUS_OK;
}

// Reads the whole log. STATUS_IO: it is damaged, was not closed or has a record that cannot be read; s
// contains what could be read.
static enum status survey(struct mcap_reader *reader, struct survey *s, struct reason *why) {
  struct mcap_message m;
  struct reason unread;
  enum status status = STATUS_OK;
  int more;
  memset(s, 0, sizeof *s);
  struct log_check *check = log_check_open(reader);
  if (!check)
    return fail(why, STATUS_NO_MEMORY, "out of memory for its chain");

  while ((more = mcap_reader_next(reader, &m, why)) > 0) {
    log_check_message(check, &m);
    s->first_ns = !s->messages || m.log_time_ns < s->first_ns ? m.log_time_ns : s->first_ns;
    s->last_ns = m.log_time_ns > s->last_ns ? m.log_time_ns : s->last_ns;
    s->messages++;
    count_topic(s, &m);
    if (keep_if_needed(s, &m, status == STATUS_OK ? why : &unread) != STATUS_OK)
      status = STATUS_IO;
  }
  s->chain = *log_check_finish(check, more == 0);
  log_check_free(check);
  return more == 0 ? status : STATUS_IO;
}

static void release(struct survey *s) {
  log_free((ProtobufCMessage *)s->session);
  log_free((ProtobufCMessage *)s->end);
}

// UTC of simulated time 0, as the clock has told it.
static void print_start(uint64_t utc_ns) {
  const time_t seconds = (time_t)(utc_ns / 1000000000);
  struct tm utc;
  char text[32] = "";
  if (gmtime_r(&seconds, &utc))
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  printf("%-14s %s.%09uZ at simulated time 0 (nmea.start_utc: now)\n", "UTC", text,
         (unsigned)(utc_ns % 1000000000));
}

static void print_session(const Sagbend__V1__SessionRecord *s) {
  const ProtobufCEnumValue *mode =
      protobuf_c_enum_descriptor_get_value(&sagbend__v1__run_mode__descriptor, (int)s->mode);
  printf("%-14s %s, started %s\n", "session", shown(s->session).text, shown(s->started_at).text);
  if (s->start_utc_ns)
    print_start(s->start_utc_ns);
  printf("%-14s %s (%s), hash %016" PRIx64 "\n", "configuration", shown(s->name).text,
         shown(s->config_path).text, s->config_hash);
  for (size_t i = 0; i < s->n_overrides; i++)
    printf("%-14s %s\n", i ? "" : "overrides", shown(s->overrides[i]).text);
  printf("%-14s sagbend %s, build %s\n", "program", shown(s->version).text, shown(s->build).text);
  printf("%-14s %s, step %g s, %u nodes\n", "mode", mode ? mode->name : "unknown", s->step_s, s->node_count);
  if (s->part)
    printf("%-14s %u%s%s\n", "part", s->part->number,
           s->part->number > 1 ? ", the part before it is " : ", the first", shown(s->part->before).text);
  if (s->first_step)
    printf("%-14s from step %" PRIu64 "\n", s->part && s->part->number > 1 ? "begins" : "resumed",
           s->first_step);
  if (s->origin)
    printf("%-14s %s of session %s at step %" PRIu64 "%s%s\n", "origin", shown(s->origin->how).text,
           shown(s->origin->session).text, s->origin->step, *s->origin->name ? ", " : "",
           shown(s->origin->name).text);
}

static void print_end(const struct survey *s) {
  const Sagbend__V1__LogEnd *end = s->end;
  if (!end) {
    printf("%-14s unknown: the log has no end\n", "ended");
    return;
  }
  printf("%-14s %s, at step %" PRIu64 ", state hash %016" PRIx64 "\n", "ended", shown(end->why).text,
         end->step, end->state_hash);
  if (*end->continued_in)
    printf("%-14s %s\n", "next part", shown(end->continued_in).text);
  if (*end->next_session)
    printf("%-14s %s\n", "next session", shown(end->next_session).text);
  for (size_t i = 0; i < end->n_dropped; i++)
    printf("%-14s %s %" PRIu64 " messages\n", i ? "" : "left out", shown(end->dropped[i]->topic).text,
           end->dropped[i]->messages);
  if (!end->n_dropped)
    printf("%-14s nothing\n", "left out");
  static const char *const results[] = {"not stated", "passed", "failed", "not judged"};
  for (size_t i = 0; i < end->n_verdict; i++)
    printf("%-14s %s %s\n", i ? "" : "verdicts", shown(end->verdict[i]->name).text,
           results[end->verdict[i]->result < 4u ? end->verdict[i]->result : 0]);
}

static void print_replay(const struct survey *s) {
  printf("%-14s ", "replay");
  if (s->chain.derived)
    puts("not of a derived copy");
  else if (!s->session)
    puts("impossible: the session's record is missing");
  else if (s->end && s->end->commands_missing)
    printf("to step %" PRIu64 " only: commands after it are missing\n", s->end->replayable_to_step);
  else if (s->gap_in_commands)
    puts("not of the whole: commands are missing");
  else
    puts("possible");
}

static void print_topics(const struct survey *s) {
  printf("%-14s %10s %10s\n", "topic", "messages", "1/s");
  for (int i = 0; i < s->topic_count; i++) {
    const struct topic_survey *t = &s->topics[i];
    double span_s = 1e-9 * (double)(t->last_ns - t->first_ns);
    printf("%-14s %10" PRIu64, shown(t->name).text, t->count);
    if (t->count > 1 && span_s > 0)
      printf(" %10.4g\n", (double)(t->count - 1) / span_s);
    else
      printf(" %10s\n", "-");
  }
}

static void print_file(const char *path, const struct mcap_reader *r) {
  const struct mcap_summary *summary = mcap_reader_summary(r, NULL);
  const struct mcap_progress *progress = mcap_reader_progress(r);
  printf("%-14s %s, %" PRIu64 " bytes\n", "file", shown(path).text, mcap_reader_file_size(r));
  printf("%-14s %" PRIu64 " good", "chunks", progress->chunks);
  if (summary && summary->stored_bytes)
    printf(", %" PRIu64 " bytes for %" PRIu64, summary->stored_bytes, summary->plain_bytes);
  printf("\n%-14s %s\n", "closed",
         progress->complete ? "in order, every checksum is right" : "no, or damaged");
}

static void print_chain(const struct survey *s) {
  const struct log_check_report *c = &s->chain;
  char key[LOG_KEY_TEXT];
  log_key_text(&c->public_key, key);
  if (c->recovered)
    printf("%-14s from another file: not complete\n", "recovered");
  if (c->derived)
    printf("%-14s a copy with other messages ('sagbend log scene'), not a log: it proves nothing\n",
           "derived");
  if (c->state == LOG_CHAIN_NONE)
    printf("%-14s none: nothing shows that the log is as it was written\n", "chain");
  else if (c->state == LOG_CHAIN_BROKEN)
    printf("%-14s broken: %s\n", "chain", c->broken.text);
  else if (c->state == LOG_CHAIN_GAPS)
    printf("%-14s holds but for %" PRIu64 " records that are missing\n", "chain", c->missing);
  else
    printf("%-14s holds over %" PRIu64 " records%s\n", "chain", c->records,
           s->end ? "" : ", as far as the log goes");
  if (c->state != LOG_CHAIN_NONE)
    printf("%-14s %s\n", "signed by",
           c->is_signed ? key : "nobody: whoever can write the file could have made this chain");
}

// Judges chain and signature. key: NULL: any or none.
static enum status judge_chain(const struct survey *s, const struct log_public_key *key, struct reason *why) {
  if (key && s->chain.derived)
    return fail(why, STATUS_IO,
                "it is a derived copy ('sagbend log scene'), not a log; check the log itself by its key");
  if (s->chain.state == LOG_CHAIN_BROKEN)
    return fail(why, STATUS_IO, "the chain is broken: %s", s->chain.broken.text);
  return key && !log_check_is_by(&s->chain, key, why) ? STATUS_IO : STATUS_OK;
}

enum status log_info(const char *path, const char *key_path, struct reason *why) {
  struct log_public_key key;
  struct survey s;
  struct mcap_reader *reader;
  struct reason cause = {""};
  if (key_path && log_key_read_public(key_path, &key, &cause) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "--key: %s", cause.text);
  enum status status = log_open(path, MCAP_STRICT, &reader, why);
  if (status != STATUS_OK)
    return status;

  status = survey(reader, &s, why);
  print_file(path, reader);
  if (s.session)
    print_session(s.session);
  if (s.messages)
    printf("%-14s %g s to %g s\n", "simulated", 1e-9 * (double)s.first_ns, 1e-9 * (double)s.last_ns);
  print_end(&s);
  print_replay(&s);
  print_chain(&s);
  print_topics(&s);
  if (status == STATUS_OK)
    status = judge_chain(&s, key_path ? &key : NULL, why);
  release(&s);
  mcap_reader_close(reader);
  return status;
}

enum status log_topics(const char *path, struct reason *why) {
  struct mcap_reader *reader;
  struct survey s;
  enum status status = log_open(path, MCAP_STRICT, &reader, why);
  if (status != STATUS_OK)
    return status;
  status = survey(reader, &s, why);
  print_topics(&s);
  release(&s);
  mcap_reader_close(reader);
  return status;
}

// ------------------------------------------------------------
// sagbend log scene: a copy of a log with /tf, /scene and /log (view/scene), for Foxglove, Lichtblick and
// PlotJuggler. Metadata marks it as derived, and the chain is left out: it would not hold. The copy appears
// complete or not at all.

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
      return fail(why, STATUS_BAD_INPUT, "--without: unknown topic '%.120s'%s; see 'sagbend log topics FILE'",
                  name, log_topic_hint(name).text);
  }
  return count ? STATUS_OK : fail(why, STATUS_BAD_INPUT, "--without: a topic expected, got '%.120s'", list);
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
  static const double LATEST_S = 7289654400; // 2201: 64 bits hold all nanoseconds before
  enum { WHOLE = sizeof "2026-01-31T12:00:00" };
  char whole[WHOLE], *end = NULL;
  double whole_s, part_s = 0;
  snprintf(whole, sizeof whole, "%s", text);
  if (!nmea_parse_utc(whole, &whole_s) || whole_s >= LATEST_S)
    return 0;
  const char *rest = text + strlen(whole);
  if (*rest == '.') {
    part_s = strtod(rest, &end);
    rest = end;
  }
  if (strcmp(rest, "Z") != 0 || !(part_s >= 0 && part_s < 1))
    return 0;
  return (uint64_t)whole_s * 1000000000u + (uint64_t)(part_s * 1e9 + 0.5);
}

static enum status take_session(struct scene_copy *c, const struct mcap_message *m, struct reason *why) {
  ProtobufCMessage *content;
  enum status status = log_unpack(m, &content, why) == STATUS_OK ? STATUS_OK : STATUS_IO;
  const Sagbend__V1__SessionRecord *record = (const Sagbend__V1__SessionRecord *)content;
  if (record && c->wall_clock) {
    // nmea.start_utc: now recorded UTC of simulated time 0; of others the log knows when it began.
    const uint64_t zero_ns = record->start_utc_ns;
    const uint64_t start_ns = zero_ns ? zero_ns : utc_ns(record->started_at);
    double before_s =
        zero_ns ? 0 : (double)record->first_step * record->step_s; // simulated before this start
    if (!start_ns || !(before_s >= 0 && 1e9 * before_s <= (double)start_ns))
      status = fail(why, STATUS_IO, "--wall-clock: it does not say when the session started");
    else
      c->shift_ns = start_ns - (uint64_t)(1e9 * before_s);
  }
  log_free(content);
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
    status = fail(why, STATUS_IO, "a session's log expected, got one that begins with topic %.64s",
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
  if (taken == SCENE_NO_MEMORY)
    return fail(why, STATUS_NO_MEMORY, "out of memory to draw a message of %zu bytes", m->size);
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
  if (status == STATUS_OK && c->metadata.failed)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the session's metadata");
  if (status == STATUS_OK && c->metadata.size) {
    status = mcap_writer_flush(c->out, 0, why);
    if (status == STATUS_OK)
      status = mcap_writer_put_metadata(c->out, &c->metadata, why);
  }
  return status;
}

static void report_scene_copy(const struct scene_copy *c, const struct mcap_reader *in, const char *out_path,
                              const struct mcap_written *written) {
  double size = (double)mcap_reader_file_size(in);
  printf("%s: %" PRIu64 " messages", shown(out_path).text, written->messages);
  for (int i = 0; i < SCENE_CHANNEL_COUNT; i++)
    printf("%s%s %" PRIu64, i ? ", " : ", of these ", scene_channel_topic((enum scene_channel)i), c->made[i]);
  const double grown = 100 * ((double)written->bytes - size) / size;
  printf("; %.1f %% %s than the log\n", fabs(grown), grown < 0 ? "smaller" : "larger");
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
      report_scene_copy(c, in, order->out_path, &written);
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

enum status log_open(const char *path, enum mcap_access access, struct mcap_reader **out,
                     struct reason *why) {
  return mcap_reader_open(path, access, out, why) == STATUS_OK ? STATUS_OK : STATUS_IO;
}
