// Bytes, records and chunks. A chunk is decompressed and checked as a whole before any message of it is
// returned.
#include "log/mcap/mcap_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

// ---- bytes that grow ----

uint8_t *bytes_room(struct bytes *bytes, size_t size) {
  if (bytes->failed || size > SIZE_MAX / 4 - bytes->size) {
    bytes->failed = 1;
    return NULL;
  }
  if (bytes->size + size > bytes->capacity) {
    size_t capacity = bytes->capacity < 256 ? 256 : bytes->capacity;
    while (capacity < bytes->size + size)
      capacity *= 2;
    uint8_t *data = realloc(bytes->data, capacity);
    if (!data) {
      bytes->failed = 1;
      return NULL;
    }
    bytes->data = data;
    bytes->capacity = capacity;
  }
  return bytes->data + bytes->size;
}

void bytes_put(struct bytes *bytes, const void *data, size_t size) {
  uint8_t *to = bytes_room(bytes, size);
  if (!to || !size)
    return;
  memcpy(to, data, size);
  bytes->size += size;
}

void bytes_put8(struct bytes *bytes, uint8_t value) {
  bytes_put(bytes, &value, 1);
}

void bytes_put16(struct bytes *bytes, uint16_t value) {
  uint8_t at[2];
  mcap_put16(at, value);
  bytes_put(bytes, at, sizeof at);
}

void bytes_put32(struct bytes *bytes, uint32_t value) {
  uint8_t at[4];
  mcap_put32(at, value);
  bytes_put(bytes, at, sizeof at);
}

void bytes_put64(struct bytes *bytes, uint64_t value) {
  uint8_t at[8];
  mcap_put64(at, value);
  bytes_put(bytes, at, sizeof at);
}

void bytes_put_text(struct bytes *bytes, const char *text) {
  size_t size = strlen(text);
  bytes_put32(bytes, (uint32_t)size);
  bytes_put(bytes, text, size);
}

void bytes_free(struct bytes *bytes) {
  free(bytes->data);
  *bytes = (struct bytes){0};
}

// ---- records of the file ----

enum { MAX_RECORD = MCAP_MAX_CHUNK + (MCAP_MAX_CHUNK >> 3) }; // zstd enlarges incompressible data a little

enum status mcap_read_bytes(struct mcap_reader *reader, uint64_t at, void *to, size_t size,
                            struct reason *why) {
  for (size_t done = 0; done < size;) {
    ssize_t n = pread(reader->file, (uint8_t *)to + done, size - done, (off_t)(at + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return fail(why, STATUS_IO, "%s: cannot be read: %s", reader->path, strerror(errno));
    if (n == 0)
      return fail(why, STATUS_BAD_INPUT, "%s: cut off at byte %" PRIu64, reader->path, at + done);
    done += (size_t)n;
  }
  return STATUS_OK;
}

enum status mcap_read_record(struct mcap_reader *reader, uint64_t at, struct mcap_record_view *out,
                             struct reason *why) {
  uint8_t head[MCAP_RECORD_HEAD];
  *out = (struct mcap_record_view){0};
  if (at > reader->file_size || reader->file_size - at < sizeof head)
    return fail(why, STATUS_BAD_INPUT, "%s: cut off at byte %" PRIu64 ": not closed in order", reader->path,
                reader->file_size);
  enum status status = mcap_read_bytes(reader, at, head, sizeof head, why);
  if (status != STATUS_OK)
    return status;
  uint64_t size = mcap_get64(head + 1);
  if (head[0] < MCAP_HEADER || head[0] > MCAP_DATA_END)
    return fail(why, STATUS_BAD_INPUT, "%s: no valid record at byte %" PRIu64 " (kind %u)", reader->path, at,
                head[0]);
  if (size > reader->file_size - at - sizeof head)
    return fail(why, STATUS_BAD_INPUT, "%s: the record at byte %" PRIu64 " is cut off", reader->path, at);
  if (size > MAX_RECORD)
    return fail(why, STATUS_BAD_INPUT,
                "%s: the record at byte %" PRIu64 " has %" PRIu64 " bytes, at most %d expected", reader->path,
                at, size, MAX_RECORD);
  reader->record.size = 0;
  reader->record.failed = 0;
  uint8_t *room = bytes_room(&reader->record, sizeof head + (size_t)size);
  if (!room)
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory for a record of %" PRIu64 " bytes", reader->path,
                size);
  memcpy(room, head, sizeof head);
  *out = (struct mcap_record_view){head[0], at, room + sizeof head, (size_t)size};
  reader->record.size = sizeof head + (size_t)size;
  return mcap_read_bytes(reader, at + sizeof head, room + sizeof head, (size_t)size, why);
}

// ---- fields of a record ----

struct mcap_fields mcap_fields_of(const uint8_t *content, size_t size) {
  return (struct mcap_fields){content, content + size, 0};
}

const uint8_t *mcap_take(struct mcap_fields *fields, uint64_t size) {
  if (fields->failed || size > (uint64_t)(fields->end - fields->at)) {
    fields->failed = 1;
    return NULL;
  }
  const uint8_t *taken = fields->at;
  fields->at += size;
  return taken;
}

uint16_t mcap_take16(struct mcap_fields *fields) {
  const uint8_t *at = mcap_take(fields, 2);
  return at ? mcap_get16(at) : 0;
}

uint32_t mcap_take32(struct mcap_fields *fields) {
  const uint8_t *at = mcap_take(fields, 4);
  return at ? mcap_get32(at) : 0;
}

uint64_t mcap_take64(struct mcap_fields *fields) {
  const uint8_t *at = mcap_take(fields, 8);
  return at ? mcap_get64(at) : 0;
}

const char *mcap_take_text(struct mcap_fields *fields, size_t *size) {
  *size = mcap_take32(fields);
  const uint8_t *text = mcap_take(fields, *size);
  *size = text ? *size : 0;
  return (const char *)text;
}

// A schema or channel is one block of memory: the struct, then its texts with final zeros, then its data.
static char *copy_text(char **to, const char *text, size_t size) {
  char *at = *to;
  if (size)
    memcpy(at, text, size);
  at[size] = 0;
  *to += size + 1;
  return at;
}

static struct mcap_schema *find_schema(const struct mcap_reader *reader, uint16_t id) {
  for (size_t i = 0; i < reader->schema_count; i++)
    if (reader->schemas[i]->id == id)
      return reader->schemas[i];
  return NULL;
}

struct mcap_channel *mcap_find_channel(const struct mcap_reader *reader, uint16_t id) {
  for (size_t i = 0; i < reader->channel_count; i++)
    if (reader->channels[i]->id == id)
      return reader->channels[i];
  return NULL;
}

// A zero would end the text for this reader and for no other.
static int has_zero(const char *text, size_t size) {
  return size > 0 && memchr(text, 0, size) != NULL;
}

static int same(const char *known, const char *text, size_t size) {
  return strlen(known) == size && memcmp(known, text, size) == 0;
}

enum status mcap_define_schema(struct mcap_reader *reader, const uint8_t *content, size_t size, int in_data,
                               struct reason *why) {
  struct mcap_fields fields = mcap_fields_of(content, size);
  size_t name_size, encoding_size;
  uint16_t id = mcap_take16(&fields);
  const char *name = mcap_take_text(&fields, &name_size), *encoding = mcap_take_text(&fields, &encoding_size);
  uint32_t data_size = mcap_take32(&fields);
  const uint8_t *data = mcap_take(&fields, data_size);
  if (fields.failed || fields.at != fields.end || !id || has_zero(name, name_size) ||
      has_zero(encoding, encoding_size))
    return fail(why, STATUS_BAD_INPUT, "a schema is damaged");
  struct mcap_schema *known = find_schema(reader, id);
  if (known)
    known->in_data |= in_data;
  if (known)
    return same(known->name, name, name_size) && same(known->encoding, encoding, encoding_size) &&
                   known->size == data_size && !memcmp(known->data, data, data_size)
               ? STATUS_OK
               : fail(why, STATUS_BAD_INPUT, "schema %u is defined twice, differently", id);
  if (reader->schema_count == MCAP_MAX_CHANNELS)
    return fail(why, STATUS_BAD_INPUT, "more than %d schemas", MCAP_MAX_CHANNELS);
  struct mcap_schema *schema = malloc(sizeof *schema + name_size + encoding_size + 2 + data_size);
  if (!schema)
    return fail(why, STATUS_NO_MEMORY, "out of memory for a schema");
  char *text = (char *)(schema + 1);
  schema->id = id;
  schema->in_data = in_data;
  schema->name = copy_text(&text, name, name_size);
  schema->encoding = copy_text(&text, encoding, encoding_size);
  schema->data = (uint8_t *)text;
  schema->size = data_size;
  if (data_size)
    memcpy(text, data, data_size);
  reader->schemas[reader->schema_count++] = schema;
  return STATUS_OK;
}

enum status mcap_define_channel(struct mcap_reader *reader, const uint8_t *content, size_t size, int in_data,
                                struct reason *why) {
  struct mcap_fields fields = mcap_fields_of(content, size);
  size_t topic_size, encoding_size;
  uint16_t id = mcap_take16(&fields), schema_id = mcap_take16(&fields);
  const char *topic = mcap_take_text(&fields, &topic_size),
             *encoding = mcap_take_text(&fields, &encoding_size);
  const uint32_t more_size = mcap_take32(&fields);
  const uint8_t *more = mcap_take(&fields, more_size);
  const struct mcap_schema *schema = find_schema(reader, schema_id);
  if (fields.failed || fields.at != fields.end || (schema_id && !schema) || has_zero(topic, topic_size) ||
      has_zero(encoding, encoding_size))
    return fail(why, STATUS_BAD_INPUT, "a channel is damaged");
  struct mcap_channel *known = mcap_find_channel(reader, id);
  if (known)
    known->in_data |= in_data;
  if (known)
    return same(known->topic, topic, topic_size) && same(known->message_encoding, encoding, encoding_size) &&
                   known->schema == schema && known->more_size == more_size &&
                   (!more_size || !memcmp(known->more, more, more_size))
               ? STATUS_OK
               : fail(why, STATUS_BAD_INPUT, "channel %u is defined twice, differently", id);
  if (reader->channel_count == MCAP_MAX_CHANNELS)
    return fail(why, STATUS_BAD_INPUT, "more than %d channels", MCAP_MAX_CHANNELS);
  struct mcap_channel *channel = malloc(sizeof *channel + topic_size + encoding_size + 2 + more_size);
  if (!channel)
    return fail(why, STATUS_NO_MEMORY, "out of memory for a channel");
  char *text = (char *)(channel + 1);
  channel->id = id;
  channel->in_data = in_data;
  channel->topic = copy_text(&text, topic, topic_size);
  channel->message_encoding = copy_text(&text, encoding, encoding_size);
  channel->schema = schema;
  channel->more = (uint8_t *)text;
  channel->more_size = more_size;
  if (more_size)
    memcpy(text, more, more_size);
  reader->channels[reader->channel_count++] = channel;
  return STATUS_OK;
}

// Reads the record at *at of the loaded chunk and moves *at behind it. Returns 0 at the end of the chunk, or
// where a length exceeds it.
static int record_in_chunk(const struct mcap_reader *reader, size_t *at, struct mcap_record_view *out) {
  size_t left = reader->chunk.size - *at;
  if (left < MCAP_RECORD_HEAD)
    return 0;
  const uint8_t *head = reader->chunk.data + *at;
  uint64_t size = mcap_get64(head + 1);
  if (size > left - MCAP_RECORD_HEAD)
    return 0;
  *out = (struct mcap_record_view){head[0], *at, head + MCAP_RECORD_HEAD, (size_t)size};
  *at += MCAP_RECORD_HEAD + (size_t)size;
  return 1;
}

static enum status check_records(struct mcap_reader *reader, uint64_t start_ns, uint64_t end_ns,
                                 struct reason *why) {
  struct mcap_record_view record;
  uint64_t smallest = UINT64_MAX, largest = 0;
  size_t at = 0;
  reader->chunk_messages = 0;
  while (record_in_chunk(reader, &at, &record)) {
    enum status status = STATUS_OK;
    if (record.kind == MCAP_SCHEMA)
      status = mcap_define_schema(reader, record.content, record.size, 1, why);
    else if (record.kind == MCAP_CHANNEL)
      status = mcap_define_channel(reader, record.content, record.size, 1, why);
    else if (record.kind != MCAP_MESSAGE || record.size < MCAP_MESSAGE_HEAD)
      status = fail(why, STATUS_BAD_INPUT, "a message expected, got another record");
    else if (!mcap_find_channel(reader, mcap_get16(record.content)))
      status = fail(why, STATUS_BAD_INPUT, "a message of channel %u, which is not defined",
                    mcap_get16(record.content));
    if (status != STATUS_OK)
      return status;
    if (record.kind != MCAP_MESSAGE)
      continue;
    uint64_t time_ns = mcap_get64(record.content + 6);
    smallest = time_ns < smallest ? time_ns : smallest;
    largest = time_ns > largest ? time_ns : largest;
    reader->chunk_messages++;
  }
  if (at != reader->chunk.size)
    return fail(why, STATUS_BAD_INPUT, "its records do not fill it");
  if (reader->chunk_messages && (smallest != start_ns || largest != end_ns))
    return fail(why, STATUS_BAD_INPUT, "its times differ from those of its messages");
  return STATUS_OK;
}

static enum status decompress(struct mcap_reader *reader, const char *method, size_t method_size,
                              const uint8_t *data, size_t size, uint64_t plain_size, struct reason *why) {
  if (plain_size > MCAP_MAX_CHUNK)
    return fail(why, STATUS_BAD_INPUT, "%" PRIu64 " bytes of records, at most %d expected", plain_size,
                MCAP_MAX_CHUNK);
  int plain = method_size == 0;
  if (!plain && !(method_size == 4 && !memcmp(method, "zstd", 4)))
    return fail(why, STATUS_BAD_INPUT, "compressed by another method than zstd");
  reader->chunk.size = 0;
  reader->chunk.failed = 0;
  uint8_t *room = bytes_room(&reader->chunk, (size_t)plain_size + 1);
  if (!room)
    return fail(why, STATUS_NO_MEMORY, "out of memory for %" PRIu64 " bytes of records", plain_size);
  size_t got = plain ? size : ZSTD_decompress(room, (size_t)plain_size, data, size);
  if (ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
    return fail(why, STATUS_NO_MEMORY, "out of memory to decompress its records");
  if (ZSTD_isError(got) || got != plain_size)
    return fail(why, STATUS_BAD_INPUT, "its records cannot be decompressed");
  if (plain)
    memcpy(room, data, size);
  reader->chunk.size = got;
  return STATUS_OK;
}

// The end of loading what the chunk now holds: its messages can be taken, or there are none and why gives the
// reason.
static enum status loaded(struct mcap_reader *reader, const struct mcap_record_view *record,
                          enum status status, const char *what, const struct reason *detail,
                          struct reason *why) {
  reader->chunk_at = record->at;
  reader->next_in_chunk = 0;
  if (status == STATUS_OK)
    return status;
  reader->chunk.size = 0;
  reader->chunk_messages = 0;
  return fail(why, status, "%s: the %s at byte %" PRIu64 " is damaged: %.150s", reader->path, what,
              record->at, detail->text);
}

enum status mcap_load_chunk(struct mcap_reader *reader, const struct mcap_record_view *record,
                            struct reason *why) {
  struct mcap_fields fields = mcap_fields_of(record->content, record->size);
  uint64_t start_ns = mcap_take64(&fields), end_ns = mcap_take64(&fields), plain_size = mcap_take64(&fields);
  uint32_t crc = mcap_take32(&fields);
  size_t method_size;
  const char *method = mcap_take_text(&fields, &method_size);
  uint64_t size = mcap_take64(&fields);
  const uint8_t *data = mcap_take(&fields, size);
  struct reason detail = {"its head is damaged"};
  enum status status = fields.failed || fields.at != fields.end ? STATUS_BAD_INPUT : STATUS_OK;
  reader->chunk_messages = reader->indexed_messages = 0;
  if (status == STATUS_OK)
    status = decompress(reader, method, method_size, data, (size_t)size, plain_size, &detail);
  if (status == STATUS_OK && (crc || reader->is_own) && // 0: none was computed
      (uint32_t)crc32_z(0, reader->chunk.data, reader->chunk.size) != crc)
    status = fail(&detail, STATUS_BAD_INPUT, "its checksum is wrong");
  if (status == STATUS_OK)
    status = check_records(reader, start_ns, end_ns, &detail);
  reader->progress.chunks += status == STATUS_OK;
  return loaded(reader, record, status, "chunk", &detail, why);
}

enum status mcap_load_lone_record(struct mcap_reader *reader, const struct mcap_record_view *record,
                                  struct reason *why) {
  struct reason detail = {"its content does not fit"};
  const uint64_t time_ns =
      record->kind == MCAP_MESSAGE && record->size >= MCAP_MESSAGE_HEAD ? mcap_get64(record->content + 6) : 0;
  reader->chunk.size = 0;
  bytes_put(&reader->chunk, record->content - MCAP_RECORD_HEAD, MCAP_RECORD_HEAD + record->size);
  enum status status = reader->chunk.failed ? fail(&detail, STATUS_NO_MEMORY, "out of memory")
                                            : check_records(reader, time_ns, time_ns, &detail);
  reader->chunk_messages = reader->indexed_messages = 0; // no message index follows it
  return loaded(reader, record, status, "record", &detail, why);
}

int mcap_next_in_chunk(struct mcap_reader *reader, struct mcap_message *out) {
  struct mcap_record_view record;
  while (record_in_chunk(reader, &reader->next_in_chunk, &record)) {
    if (record.kind != MCAP_MESSAGE)
      continue;
    *out = (struct mcap_message){.channel = mcap_find_channel(reader, mcap_get16(record.content)),
                                 .sequence = mcap_get32(record.content + 2),
                                 .log_time_ns = mcap_get64(record.content + 6),
                                 .publish_time_ns = mcap_get64(record.content + 14),
                                 .data = record.content + MCAP_MESSAGE_HEAD,
                                 .size = record.size - MCAP_MESSAGE_HEAD};
    return 1;
  }

  return 0;
}

// A message index must name every message of its channel in the chunk before it, and nothing else.
enum status mcap_check_index(struct mcap_reader *reader, const struct mcap_record_view *record,
                             struct reason *why) {
  struct mcap_fields fields = mcap_fields_of(record->content, record->size);
  uint16_t channel = mcap_take16(&fields);
  int is_wrong = mcap_take32(&fields) != (uint64_t)(fields.end - fields.at) || fields.failed;
  size_t at = 0;
  struct mcap_record_view message;
  while (!is_wrong && record_in_chunk(reader, &at, &message)) {
    if (message.kind != MCAP_MESSAGE || mcap_get16(message.content) != channel)
      continue;
    uint64_t time_ns = mcap_take64(&fields), offset = mcap_take64(&fields);
    is_wrong = fields.failed || time_ns != mcap_get64(message.content + 6) || offset != message.at;
    reader->indexed_messages++;
  }
  if (is_wrong || fields.at != fields.end)
    return fail(why, STATUS_BAD_INPUT, "%s: the message index at byte %" PRIu64 " does not match its chunk",
                reader->path, record->at);
  return STATUS_OK;
}
