// A chunk: taken apart and checked as a whole before any message of it is given out.
#include "io/mcap/mcap_reader_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

struct mcap_fields mcap_fields_of(const uint8_t *content, size_t size) {
  return (struct mcap_fields){content, content + size, 0};
}

const uint8_t *mcap_take(struct mcap_fields *f, uint64_t size) {
  if (f->failed || size > (uint64_t)(f->end - f->at)) {
    f->failed = 1;
    return NULL;
  }
  const uint8_t *taken = f->at;
  f->at += size;
  return taken;
}

uint16_t mcap_take16(struct mcap_fields *f) {
  const uint8_t *at = mcap_take(f, 2);
  return at ? mcap_get16(at) : 0;
}

uint32_t mcap_take32(struct mcap_fields *f) {
  const uint8_t *at = mcap_take(f, 4);
  return at ? mcap_get32(at) : 0;
}

uint64_t mcap_take64(struct mcap_fields *f) {
  const uint8_t *at = mcap_take(f, 8);
  return at ? mcap_get64(at) : 0;
}

const char *mcap_take_text(struct mcap_fields *f, size_t *size) {
  *size = mcap_take32(f);
  const uint8_t *text = mcap_take(f, *size);
  *size = text ? *size : 0;
  return (const char *)text;
}

// One block: the struct, then its texts (each with a zero after it) and data.
static char *copy_text(char **to, const char *text, size_t size) {
  char *at = *to;
  if (size)
    memcpy(at, text, size);
  at[size] = 0;
  *to += size + 1;
  return at;
}

static struct mcap_schema *find_schema(const struct mcap_reader *r, uint16_t id) {
  for (size_t i = 0; i < r->schema_count; i++)
    if (r->schemas[i]->id == id)
      return r->schemas[i];
  return NULL;
}

struct mcap_channel *mcap_find_channel(const struct mcap_reader *r, uint16_t id) {
  for (size_t i = 0; i < r->channel_count; i++)
    if (r->channels[i]->id == id)
      return r->channels[i];
  return NULL;
}

static int same(const char *known, const char *text, size_t size) {
  return strlen(known) == size && memcmp(known, text, size) == 0;
}

enum status mcap_define_schema(struct mcap_reader *r, const uint8_t *content, size_t size, int in_data,
                               struct reason *why) {
  struct mcap_fields f = mcap_fields_of(content, size);
  size_t name_size, encoding_size;
  uint16_t id = mcap_take16(&f);
  const char *name = mcap_take_text(&f, &name_size), *encoding = mcap_take_text(&f, &encoding_size);
  uint32_t data_size = mcap_take32(&f);
  const uint8_t *data = mcap_take(&f, data_size);
  if (f.failed || !id)
    return fail(why, STATUS_BAD_INPUT, "a schema is damaged");
  struct mcap_schema *known = find_schema(r, id);
  if (known)
    known->in_data |= in_data;
  if (known)
    return same(known->name, name, name_size) && same(known->encoding, encoding, encoding_size) &&
                   known->size == data_size && !memcmp(known->data, data, data_size)
               ? STATUS_OK
               : fail(why, STATUS_BAD_INPUT, "schema %u is there twice, and not the same", id);
  if (r->schema_count == MCAP_MAX_CHANNELS)
    return fail(why, STATUS_BAD_INPUT, "more than %d schemas", MCAP_MAX_CHANNELS);
  struct mcap_schema *s = malloc(sizeof *s + name_size + encoding_size + 2 + data_size);
  if (!s)
    return fail(why, STATUS_NO_MEMORY, "out of memory for a schema");
  char *text = (char *)(s + 1);
  s->id = id;
  s->in_data = in_data;
  s->name = copy_text(&text, name, name_size);
  s->encoding = copy_text(&text, encoding, encoding_size);
  s->data = (uint8_t *)text;
  s->size = data_size;
  if (data_size)
    memcpy(text, data, data_size);
  r->schemas[r->schema_count++] = s;
  return STATUS_OK;
}

enum status mcap_define_channel(struct mcap_reader *r, const uint8_t *content, size_t size, int in_data,
                                struct reason *why) {
  struct mcap_fields f = mcap_fields_of(content, size);
  size_t topic_size, encoding_size;
  uint16_t id = mcap_take16(&f), schema_id = mcap_take16(&f);
  const char *topic = mcap_take_text(&f, &topic_size), *encoding = mcap_take_text(&f, &encoding_size);
  const struct mcap_schema *schema = find_schema(r, schema_id);
  if (f.failed || (schema_id && !schema))
    return fail(why, STATUS_BAD_INPUT, "a channel is damaged");
  struct mcap_channel *known = mcap_find_channel(r, id);
  if (known)
    known->in_data |= in_data;
  if (known)
    return same(known->topic, topic, topic_size) && same(known->message_encoding, encoding, encoding_size) &&
                   known->schema == schema
               ? STATUS_OK
               : fail(why, STATUS_BAD_INPUT, "channel %u is there twice, and not the same", id);
  if (r->channel_count == MCAP_MAX_CHANNELS)
    return fail(why, STATUS_BAD_INPUT, "more than %d channels", MCAP_MAX_CHANNELS);
  struct mcap_channel *c = malloc(sizeof *c + topic_size + encoding_size + 2);
  if (!c)
    return fail(why, STATUS_NO_MEMORY, "out of memory for a channel");
  char *text = (char *)(c + 1);
  c->id = id;
  c->in_data = in_data;
  c->topic = copy_text(&text, topic, topic_size);
  c->message_encoding = copy_text(&text, encoding, encoding_size);
  c->schema = schema;
  r->channels[r->channel_count++] = c;
  return STATUS_OK;
}

// The record at *at within the loaded chunk; 0 at its end or where a length goes beyond it.
static int record_in_chunk(const struct mcap_reader *r, size_t *at, struct mcap_record_view *out) {
  size_t left = r->chunk.size - *at;
  if (left < MCAP_RECORD_HEAD)
    return 0;
  const uint8_t *head = r->chunk.data + *at;
  uint64_t size = mcap_get64(head + 1);
  if (size > left - MCAP_RECORD_HEAD)
    return 0;
  *out = (struct mcap_record_view){head[0], *at, head + MCAP_RECORD_HEAD, (size_t)size};
  *at += MCAP_RECORD_HEAD + (size_t)size;
  return 1;
}

static enum status check_records(struct mcap_reader *r, uint64_t start_ns, uint64_t end_ns,
                                 struct reason *why) {
  struct mcap_record_view record;
  uint64_t least = UINT64_MAX, largest = 0;
  size_t at = 0;
  r->chunk_messages = 0;
  while (record_in_chunk(r, &at, &record)) {
    enum status status = STATUS_OK;
    if (record.kind == MCAP_SCHEMA)
      status = mcap_define_schema(r, record.content, record.size, 1, why);
    else if (record.kind == MCAP_CHANNEL)
      status = mcap_define_channel(r, record.content, record.size, 1, why);
    else if (record.kind != MCAP_MESSAGE || record.size < MCAP_MESSAGE_HEAD)
      status = fail(why, STATUS_BAD_INPUT, "no message where one was expected");
    else if (!mcap_find_channel(r, mcap_get16(record.content)))
      status = fail(why, STATUS_BAD_INPUT, "a message of the unknown channel %u", mcap_get16(record.content));
    if (status != STATUS_OK)
      return status;
    if (record.kind != MCAP_MESSAGE)
      continue;
    uint64_t time_ns = mcap_get64(record.content + 6);
    least = time_ns < least ? time_ns : least;
    largest = time_ns > largest ? time_ns : largest;
    r->chunk_messages++;
  }
  if (at != r->chunk.size)
    return fail(why, STATUS_BAD_INPUT, "its records do not fill it");
  if (r->chunk_messages && (least != start_ns || largest != end_ns))
    return fail(why, STATUS_BAD_INPUT, "its times are not those of its messages");
  return STATUS_OK;
}

static enum status decompress(struct mcap_reader *r, const char *method, size_t method_size,
                              const uint8_t *data, size_t size, uint64_t plain_size, struct reason *why) {
  if (plain_size > MCAP_MAX_CHUNK)
    return fail(why, STATUS_BAD_INPUT, "%" PRIu64 " bytes of records, at most %d expected", plain_size,
                MCAP_MAX_CHUNK);
  int plain = method_size == 0;
  if (!plain && !(method_size == 4 && !memcmp(method, "zstd", 4)))
    return fail(why, STATUS_BAD_INPUT, "compressed otherwise than with zstd");
  r->chunk.size = 0;
  r->chunk.failed = 0;
  uint8_t *room = bytes_room(&r->chunk, (size_t)plain_size + 1);
  if (!room)
    return fail(why, STATUS_NO_MEMORY, "out of memory for %" PRIu64 " bytes of records", plain_size);
  size_t got = plain ? size : ZSTD_decompress(room, (size_t)plain_size, data, size);
  if (ZSTD_isError(got) || got != plain_size)
    return fail(why, STATUS_BAD_INPUT, "its records cannot be decompressed");
  if (plain)
    memcpy(room, data, size);
  r->chunk.size = got;
  return STATUS_OK;
}

enum status mcap_load_chunk(struct mcap_reader *r, const struct mcap_record_view *record,
                            struct reason *why) {
  struct mcap_fields f = mcap_fields_of(record->content, record->size);
  uint64_t start_ns = mcap_take64(&f), end_ns = mcap_take64(&f), plain_size = mcap_take64(&f);
  uint32_t crc = mcap_take32(&f);
  size_t method_size;
  const char *method = mcap_take_text(&f, &method_size);
  uint64_t size = mcap_take64(&f);
  const uint8_t *data = mcap_take(&f, size);
  struct reason detail = {"its head is damaged"};
  enum status status = f.failed || f.at != f.end ? STATUS_BAD_INPUT : STATUS_OK;
  r->chunk_messages = r->indexed_messages = 0;
  if (status == STATUS_OK)
    status = decompress(r, method, method_size, data, (size_t)size, plain_size, &detail);
  if (status == STATUS_OK && (uint32_t)crc32_z(0, r->chunk.data, r->chunk.size) != crc)
    status = fail(&detail, STATUS_BAD_INPUT, "its checksum is wrong");
  if (status == STATUS_OK)
    status = check_records(r, start_ns, end_ns, &detail);
  r->chunk_at = record->at;
  r->next_in_chunk = 0;
  if (status == STATUS_OK) {
    r->progress.chunks++;
    return status;
  }
  r->chunk.size = 0;
  r->chunk_messages = 0;
  return fail(why, status, "%s: the chunk at byte %" PRIu64 " is damaged: %.150s", r->path, record->at,
              detail.text);
}

int mcap_next_in_chunk(struct mcap_reader *r, struct mcap_message *out) {
  struct mcap_record_view record;
  while (record_in_chunk(r, &r->next_in_chunk, &record)) {
    if (record.kind != MCAP_MESSAGE)
      continue;
    *out = (struct mcap_message){.channel = mcap_find_channel(r, mcap_get16(record.content)),
                                 .sequence = mcap_get32(record.content + 2),
                                 .log_time_ns = mcap_get64(record.content + 6),
                                 .publish_time_ns = mcap_get64(record.content + 14),
                                 .data = record.content + MCAP_MESSAGE_HEAD,
                                 .size = record.size - MCAP_MESSAGE_HEAD};
    return 1;
  }
  return 0;
}

// A message index must name every message of its channel in the chunk before it, and no other.
enum status mcap_check_index(struct mcap_reader *r, const struct mcap_record_view *record,
                             struct reason *why) {
  struct mcap_fields f = mcap_fields_of(record->content, record->size);
  uint16_t channel = mcap_take16(&f);
  int wrong = mcap_take32(&f) != (uint64_t)(f.end - f.at) || f.failed;
  size_t at = 0;
  struct mcap_record_view message;
  while (!wrong && record_in_chunk(r, &at, &message)) {
    if (message.kind != MCAP_MESSAGE || mcap_get16(message.content) != channel)
      continue;
    uint64_t time_ns = mcap_take64(&f), offset = mcap_take64(&f);
    wrong = f.failed || time_ns != mcap_get64(message.content + 6) || offset != message.at;
    r->indexed_messages++;
  }
  if (wrong || f.at != f.end)
    return fail(why, STATUS_BAD_INPUT, "%s: the message index at byte %" PRIu64 " does not fit its chunk",
                r->path, record->at);
  return STATUS_OK;
}
