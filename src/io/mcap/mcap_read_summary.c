// The end of the file: footer, summary, index.
#include "io/mcap/mcap_reader_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
  END = MCAP_RECORD_HEAD + MCAP_FOOTER_CONTENT + sizeof MCAP_MAGIC,
  CRC_PART = MCAP_RECORD_HEAD + MCAP_FOOTER_CONTENT - 4, // of the footer, under the summary's CRC
  MAX_SUMMARY = 512 << 20
};

static enum status not_closed(const struct mcap_reader *r, const char *what, struct reason *why) {
  return fail(why, STATUS_BAD_INPUT, "%s: %s", r->path, what);
}

// The summary's CRC, over what lies between its start and the footer's CRC, read in pieces.
static enum status check_crc(struct mcap_reader *r, uint64_t start, uint32_t expected, struct reason *why) {
  uint8_t block[16384];
  uint32_t crc = 0;
  uint64_t end = r->file_size - sizeof MCAP_MAGIC - 4;
  for (uint64_t at = start; at < end;) {
    size_t size = end - at < sizeof block ? (size_t)(end - at) : sizeof block;
    enum status status = mcap_read_bytes(r, at, block, size, why);
    if (status != STATUS_OK)
      return status;
    crc = (uint32_t)crc32_z(crc, block, size);
    at += size;
  }
  return crc == expected ? STATUS_OK : not_closed(r, "the summary is damaged: its checksum is wrong", why);
}

static int take_statistics(struct mcap_reader *r, const struct mcap_record_view *record) {
  struct mcap_fields f = mcap_fields_of(record->content, record->size);
  r->summary.message_count = mcap_take64(&f);
  mcap_take(&f, 2 + 4 + 4 + 4);
  r->summary.chunk_count = mcap_take32(&f);
  r->summary.start_ns = mcap_take64(&f);
  r->summary.end_ns = mcap_take64(&f);
  uint32_t map = mcap_take32(&f);
  size_t count = map / 10;
  if (f.failed || map % 10 || count > MCAP_MAX_CHANNELS)
    return 0;
  for (size_t i = 0; i < count; i++) {
    r->count_ids[i] = mcap_take16(&f);
    r->counts[i] = mcap_take64(&f);
  }
  r->count_size = f.failed ? 0 : count;
  return !f.failed;
}

static int take_chunk_index(struct mcap_reader *r, const struct mcap_record_view *record, size_t *capacity) {
  struct mcap_fields f = mcap_fields_of(record->content, record->size);
  struct mcap_chunk_entry e = {mcap_take64(&f), 0, 0, 0};
  e.end_ns = mcap_take64(&f);
  e.at = mcap_take64(&f);
  e.length = mcap_take64(&f);
  mcap_take(&f, mcap_take32(&f));
  mcap_take64(&f);
  mcap_take(&f, mcap_take32(&f));
  r->summary.stored_bytes += mcap_take64(&f);
  r->summary.plain_bytes += mcap_take64(&f);
  if (f.failed)
    return 0;
  if (r->index_size == *capacity) {
    *capacity = *capacity ? 2 * *capacity : 64;
    struct mcap_chunk_entry *index = realloc(r->index, *capacity * sizeof *index);
    if (!index)
      return 0;
    r->index = index;
  }
  r->index[r->index_size++] = e;
  return 1;
}

static enum status take_records(struct mcap_reader *r, uint64_t start, uint64_t end, struct reason *why) {
  size_t capacity = 0;
  int has_statistics = 0;
  for (uint64_t at = start; at < end;) {
    struct mcap_record_view record;
    enum status status = mcap_read_record(r, at, &record, why);
    int good = status == STATUS_OK;
    if (good && record.kind == MCAP_SCHEMA)
      good = mcap_define_schema(r, record.content, record.size, 0, why) == STATUS_OK;
    else if (good && record.kind == MCAP_CHANNEL)
      good = mcap_define_channel(r, record.content, record.size, 0, why) == STATUS_OK;
    else if (good && record.kind == MCAP_STATISTICS)
      good = has_statistics = take_statistics(r, &record);
    else if (good && record.kind == MCAP_CHUNK_INDEX)
      good = take_chunk_index(r, &record, &capacity);
    if (!good)
      return not_closed(r, "the summary is damaged", why);
    at += MCAP_RECORD_HEAD + record.size;
  }
  if (!has_statistics || r->summary.chunk_count != r->index_size)
    return not_closed(r, "the summary is not complete", why);
  return STATUS_OK;
}

enum status mcap_load_summary(struct mcap_reader *r, struct reason *why) {
  uint8_t end[END];
  if (r->file_size < sizeof end + sizeof MCAP_MAGIC)
    return not_closed(r, "not closed in order", why);
  enum status status = mcap_read_bytes(r, r->file_size - sizeof end, end, sizeof end, why);
  if (status != STATUS_OK)
    return status;
  if (memcmp(end + sizeof end - sizeof MCAP_MAGIC, MCAP_MAGIC, sizeof MCAP_MAGIC) || end[0] != MCAP_FOOTER ||
      mcap_get64(end + 1) != MCAP_FOOTER_CONTENT)
    return not_closed(r, "not closed in order: there is no footer", why);
  uint64_t start = mcap_get64(end + MCAP_RECORD_HEAD), offsets = mcap_get64(end + MCAP_RECORD_HEAD + 8);
  uint64_t footer = r->file_size - sizeof end;
  if (start < sizeof MCAP_MAGIC || start > footer || footer - start > MAX_SUMMARY ||
      (offsets && (offsets < start || offsets > footer)))
    return not_closed(r, "there is no summary, or the footer is damaged", why);
  status = check_crc(r, start, mcap_get32(end + CRC_PART), why);
  if (status == STATUS_OK)
    status = take_records(r, start, offsets ? offsets : footer, why);
  return status;
}

const struct mcap_summary *mcap_reader_summary(const struct mcap_reader *r, struct reason *why) {
  if (r->has_summary)
    return &r->summary;
  if (why)
    *why = r->no_summary;
  return NULL;
}

uint64_t mcap_reader_channel_count(const struct mcap_reader *r, uint16_t id) {
  for (size_t i = 0; r->has_summary && i < r->count_size; i++)
    if (r->count_ids[i] == id)
      return r->counts[i];
  return 0;
}

const char *mcap_reader_undefined(const struct mcap_reader *r) {
  for (size_t i = 0; i < r->channel_count; i++)
    if (!r->channels[i]->in_data)
      return r->channels[i]->topic;
  for (size_t i = 0; i < r->schema_count; i++)
    if (!r->schemas[i]->in_data)
      return r->schemas[i]->name;
  return NULL;
}
