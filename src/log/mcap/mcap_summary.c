// The end of the file: footer, summary, index.
#include "log/mcap/mcap_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
  END = MCAP_RECORD_HEAD + MCAP_FOOTER_CONTENT + sizeof MCAP_MAGIC,
  CRC_PART = MCAP_RECORD_HEAD + MCAP_FOOTER_CONTENT - 4, // bytes of the footer that the summary's CRC covers
  MAX_SUMMARY = 512 << 20
};

static enum status fail_summary(const struct mcap_reader *reader, const char *what, struct reason *why) {
  return fail(why, STATUS_BAD_INPUT, "%s: %s", reader->path, what);
}

// Checks the CRC of the bytes from the start of the summary to the footer's CRC, read block by block.
static enum status check_crc(struct mcap_reader *reader, uint64_t start, uint32_t expected,
                             struct reason *why) {
  uint8_t block[16384];
  uint32_t crc = 0;
  uint64_t end = reader->file_size - sizeof MCAP_MAGIC - 4;
  for (uint64_t at = start; at < end;) {
    size_t size = end - at < sizeof block ? (size_t)(end - at) : sizeof block;
    enum status status = mcap_read_bytes(reader, at, block, size, why);
    if (status != STATUS_OK)
      return status;
    crc = (uint32_t)crc32_z(crc, block, size);
    at += size;
  }

  return crc == expected ? STATUS_OK
                         : fail_summary(reader, "the summary is damaged: its checksum is wrong", why);
}

static int take_statistics(struct mcap_reader *reader, const struct mcap_record_view *record) {
  struct mcap_fields fields = mcap_fields_of(record->content, record->size);
  reader->summary.message_count = mcap_take64(&fields);
  reader->said.schemas = mcap_take16(&fields);
  reader->said.channels = mcap_take32(&fields);
  reader->said.attachments = mcap_take32(&fields);
  reader->said.metadata = mcap_take32(&fields);
  reader->summary.chunk_count = mcap_take32(&fields);
  reader->summary.start_ns = mcap_take64(&fields);
  reader->summary.end_ns = mcap_take64(&fields);
  uint32_t map = mcap_take32(&fields);
  size_t count = map / 10;
  if (fields.failed || map % 10 || count > MCAP_MAX_CHANNELS)
    return 0;

  for (size_t i = 0; i < count; i++) {
    reader->count_ids[i] = mcap_take16(&fields);
    reader->counts[i] = mcap_take64(&fields);
  }

  reader->count_size = fields.failed ? 0 : count;
  return !fields.failed;
}

static enum status take_chunk_index(struct mcap_reader *reader, const struct mcap_record_view *record,
                                    size_t *capacity) {
  struct mcap_fields fields = mcap_fields_of(record->content, record->size);
  struct mcap_chunk_entry entry = {.start_ns = mcap_take64(&fields), .record_at = record->at};
  entry.end_ns = mcap_take64(&fields);
  entry.at = mcap_take64(&fields);
  entry.length = mcap_take64(&fields);
  mcap_take(&fields, mcap_take32(&fields));
  mcap_take64(&fields);
  mcap_take(&fields, mcap_take32(&fields));
  reader->summary.stored_bytes += mcap_take64(&fields);
  reader->summary.plain_bytes += mcap_take64(&fields);
  if (fields.failed)
    return STATUS_BAD_INPUT;
  if (reader->index_size == *capacity) {
    *capacity = *capacity ? 2 * *capacity : 64;
    struct mcap_chunk_entry *index = realloc(reader->index, *capacity * sizeof *index);
    if (!index)
      return STATUS_NO_MEMORY;
    reader->index = index;
  }

  reader->index[reader->index_size++] = entry;
  return STATUS_OK;
}

static enum status take_other_index(struct mcap_reader *reader, const struct mcap_record_view *record) {
  struct mcap_fields fields = mcap_fields_of(record->content, record->size);
  struct mcap_other_entry entry = {.at = mcap_take64(&fields), .record_at = record->at};
  entry.length = mcap_take64(&fields);
  entry.kind = record->kind == MCAP_METADATA_INDEX ? MCAP_METADATA : MCAP_ATTACHMENT;
  bytes_put(&reader->others, &entry, sizeof entry);
  return fields.failed ? STATUS_BAD_INPUT : reader->others.failed ? STATUS_NO_MEMORY : STATUS_OK;
}

// Records of a kind stand together in the summary, so that its offsets can name them.
struct group {
  uint64_t start, end; // bytes; 0: there is none
};

static int extend_group(struct group groups[MCAP_DATA_END + 1], const struct mcap_record_view *record) {
  struct group *group = &groups[record->kind];
  const int continues = !group->end || group->end == record->at;
  group->start = group->end ? group->start : record->at;
  group->end = record->at + MCAP_RECORD_HEAD + record->size;
  return continues;
}

// The offsets at the end of the summary name each group once, and nothing else.
static int offsets_match(struct mcap_reader *reader, uint64_t offsets, uint64_t footer, struct group *groups,
                         int are_together) {
  int count = 0, expected = 0;
  for (int kind = 0; kind <= MCAP_DATA_END; kind++)
    expected += groups[kind].end != 0;
  for (uint64_t at = offsets; at < footer;) {
    struct mcap_record_view record;
    if (mcap_read_record(reader, at, &record, NULL) != STATUS_OK || record.kind != MCAP_SUMMARY_OFFSET ||
        record.size != 17)
      return 0;
    struct group *group = record.content[0] <= MCAP_DATA_END ? &groups[record.content[0]] : &groups[0];
    if (!group->end || mcap_get64(record.content + 1) != group->start ||
        mcap_get64(record.content + 9) != group->end - group->start)
      return 0;
    group->end = 0;
    count++;
    at += MCAP_RECORD_HEAD + record.size;
  }
  return are_together && count == expected;
}

// end: of the summary's own records; offsets follow it, up to the footer.
static enum status take_records(struct mcap_reader *reader, uint64_t start, uint64_t end, uint64_t footer,
                                struct reason *why) {
  struct group groups[MCAP_DATA_END + 1] = {{0}};
  size_t capacity = 0;
  int has_statistics = 0, are_together = 1;
  for (uint64_t at = start; at < end;) {
    struct mcap_record_view record;
    enum status status = mcap_read_record(reader, at, &record, why);
    if (status == STATUS_OK && record.kind == MCAP_SCHEMA) {
      status = mcap_define_schema(reader, record.content, record.size, 0, why);
    } else if (status == STATUS_OK && record.kind == MCAP_CHANNEL) {
      status = mcap_define_channel(reader, record.content, record.size, 0, why);
      if (status == STATUS_BAD_INPUT && !reader->is_own && !reader->schema_count)
        status = STATUS_OK; // the data has both
    } else if (status == STATUS_OK && record.kind == MCAP_STATISTICS) {
      has_statistics = take_statistics(reader, &record);
      status = has_statistics ? STATUS_OK : STATUS_BAD_INPUT;
    } else if (status == STATUS_OK && record.kind == MCAP_CHUNK_INDEX) {
      status = take_chunk_index(reader, &record, &capacity);
    } else if (status == STATUS_OK &&
               (record.kind == MCAP_METADATA_INDEX || record.kind == MCAP_ATTACHMENT_INDEX)) {
      status = take_other_index(reader, &record);
    }
    if (status == STATUS_NO_MEMORY)
      return fail(why, status, "%s: out of memory for the summary", reader->path);
    if (status != STATUS_OK)
      return fail_summary(reader, "the summary is damaged", why);
    are_together &= extend_group(groups, &record);
    at += MCAP_RECORD_HEAD + record.size;
  }

  if (!reader->is_own && !has_statistics) {
    reader->needs_no_summary = 1;
    return fail_summary(reader, "the summary has no statistics", why);
  }
  if (!has_statistics ||
      (reader->summary.chunk_count != reader->index_size && (reader->is_own || reader->index_size)))
    return fail_summary(reader, "the summary is not complete", why);
  const int are_offsets_right = end >= footer || offsets_match(reader, end, footer, groups, are_together);
  if (!are_offsets_right && reader->record.failed)
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory for the summary", reader->path);
  if (!are_offsets_right)
    return fail_summary(reader, "the summary is damaged: its offsets are wrong", why);
  reader->summary_schemas = reader->schema_count;
  reader->summary_channels = reader->channel_count;
  return STATUS_OK;
}

enum status mcap_load_summary(struct mcap_reader *reader, struct reason *why) {
  uint8_t end[END];
  if (reader->file_size < sizeof end + sizeof MCAP_MAGIC)
    return fail_summary(reader, "not closed in order", why);
  enum status status = mcap_read_bytes(reader, reader->file_size - sizeof end, end, sizeof end, why);
  if (status != STATUS_OK)
    return status;
  if (memcmp(end + sizeof end - sizeof MCAP_MAGIC, MCAP_MAGIC, sizeof MCAP_MAGIC) || end[0] != MCAP_FOOTER ||
      mcap_get64(end + 1) != MCAP_FOOTER_CONTENT)
    return fail_summary(reader, "not closed in order: there is no footer", why);
  uint64_t start = mcap_get64(end + MCAP_RECORD_HEAD), offsets = mcap_get64(end + MCAP_RECORD_HEAD + 8);
  uint64_t footer = reader->file_size - sizeof end;
  reader->needs_no_summary = !reader->is_own && start == 0;
  if (start < sizeof MCAP_MAGIC || start > footer || footer - start > MAX_SUMMARY ||
      (offsets && (offsets < start || offsets > footer)))
    return fail_summary(reader, "there is no summary, or the footer is damaged", why);
  const uint32_t crc = mcap_get32(end + CRC_PART);
  status = crc || reader->is_own ? check_crc(reader, start, crc, why) : STATUS_OK; // 0: none was computed
  if (status == STATUS_OK)
    status = take_records(reader, start, offsets ? offsets : footer, footer, why);
  return status;
}

const struct mcap_summary *mcap_reader_summary(const struct mcap_reader *reader, struct reason *why) {
  if (reader->has_summary)
    return &reader->summary;
  if (why)
    *why = reader->no_summary;
  return NULL;
}

uint64_t mcap_reader_channel_count(const struct mcap_reader *reader, uint16_t id) {
  for (size_t i = 0; reader->has_summary && i < reader->count_size; i++)
    if (reader->count_ids[i] == id)
      return reader->counts[i];
  return 0;
}

const char *mcap_reader_undefined(const struct mcap_reader *reader) {
  for (size_t i = 0; i < reader->channel_count; i++)
    if (!reader->channels[i]->in_data)
      return reader->channels[i]->topic;
  for (size_t i = 0; i < reader->schema_count; i++)
    if (!reader->schemas[i]->in_data)
      return reader->schemas[i]->name;
  return NULL;
}

// ------------------------------------------------------------
// What the summary states of the data must be so: other readers, and this one where it reads by the index,
// act on it without reading the data, and no checksum or signature of the data covers it.

static enum status differs(const struct mcap_reader *reader, const char *what, uint64_t at,
                           struct reason *why) {
  if (reader->entry.failed)
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory for the summary", reader->path);
  return fail(why, STATUS_BAD_INPUT, "%s: the summary's %s does not match the data at byte %" PRIu64,
              reader->path, what, at);
}

static int is_checked(const struct mcap_reader *reader) {
  return reader->has_summary && reader->access == MCAP_STRICT;
}

static int has_chunk_index(const struct mcap_reader *reader) {
  return is_checked(reader) && (reader->is_own || reader->index_size);
}

// Whether a group of the summary has so many records as the data, or is absent where it may be.
static int is_whole(const struct mcap_reader *reader, size_t count, size_t in_data) {
  return count == in_data || (count == 0 && !reader->is_own);
}

static size_t count_others(const struct mcap_reader *reader, int kind) {
  const struct mcap_other_entry *entry = (const void *)reader->others.data;
  size_t count = 0;
  for (size_t i = 0; i < reader->others.size / sizeof *entry; i++)
    count += entry[i].kind == kind;
  return count;
}

// Reads a record of the summary again, into a buffer of its own. Its fields follow; failed: it has changed.
static struct mcap_fields read_again(struct mcap_reader *reader, uint64_t at, enum mcap_record kind) {
  uint8_t head[MCAP_RECORD_HEAD];
  struct mcap_fields none = {.failed = 1};
  reader->entry.size = 0;
  reader->entry.failed = 0;
  if (mcap_read_bytes(reader, at, head, sizeof head, NULL) != STATUS_OK || head[0] != kind)
    return none;
  const uint64_t size = mcap_get64(head + 1);
  uint8_t *room = size <= reader->file_size ? bytes_room(&reader->entry, (size_t)size + 1) : NULL;
  if (!room || mcap_read_bytes(reader, at + sizeof head, room, (size_t)size, NULL) != STATUS_OK)
    return none;
  reader->entry.size = (size_t)size;
  return mcap_fields_of(room, (size_t)size);
}

// ---- chunks ----

static struct mcap_chunk_entry *entry_of(struct mcap_reader *reader, uint64_t at) {
  const size_t hint = (size_t)reader->progress.chunks - 1; // loaded before
  if (hint < reader->index_size && reader->index[hint].at == at && !reader->index[hint].is_met)
    return &reader->index[hint];
  for (size_t i = 0; i < reader->index_size; i++)
    if (reader->index[i].at == at && !reader->index[i].is_met)
      return &reader->index[i];
  return NULL;
}

enum status mcap_check_chunk_entry(struct mcap_reader *reader, const struct mcap_record_view *chunk,
                                   struct reason *why) {
  if (!has_chunk_index(reader))
    return STATUS_OK;
  struct mcap_chunk_entry *entry = entry_of(reader, chunk->at);
  if (!entry)
    return differs(reader, "index of chunks", chunk->at, why);
  entry->is_met = 1;
  struct mcap_fields has = mcap_fields_of(chunk->content, chunk->size),
                     says = read_again(reader, entry->record_at, MCAP_CHUNK_INDEX);
  size_t method_size, said_size;
  const uint64_t start_ns = mcap_take64(&has), end_ns = mcap_take64(&has), plain_bytes = mcap_take64(&has);
  mcap_take32(&has);
  const char *method = mcap_take_text(&has, &method_size);
  const uint64_t stored_bytes = mcap_take64(&has);
  int is_same = mcap_take64(&says) == start_ns && mcap_take64(&says) == end_ns &&
                mcap_take64(&says) == chunk->at && mcap_take64(&says) == MCAP_RECORD_HEAD + chunk->size;
  reader->map_size = mcap_take32(&says);
  reader->map = mcap_take(&says, reader->map_size);
  reader->map_used = 0;
  reader->index_bytes = 0;
  reader->said_index_bytes = mcap_take64(&says);
  const char *said = mcap_take_text(&says, &said_size);
  is_same &= said && method && said_size == method_size && !memcmp(said, method, method_size) &&
             mcap_take64(&says) == stored_bytes && mcap_take64(&says) == plain_bytes;
  return is_same && !says.failed && says.at == says.end ? STATUS_OK
                                                        : differs(reader, "index of chunks", chunk->at, why);
}

// A message index behind the chunk: its place stands in the entry of the chunk.
enum status mcap_check_index_place(struct mcap_reader *reader, const struct mcap_record_view *record,
                                   struct reason *why) {
  if (!has_chunk_index(reader))
    return STATUS_OK;
  enum { PAIR = 2 + 8 };
  for (size_t i = 0; i + PAIR <= reader->map_size; i += PAIR)
    if (mcap_get16(reader->map + i) == mcap_get16(record->content) &&
        mcap_get64(reader->map + i + 2) == record->at) {
      reader->map_used += PAIR;
      reader->index_bytes += MCAP_RECORD_HEAD + record->size;
      return STATUS_OK;
    }
  return differs(reader, "index of chunks", record->at, why);
}

enum status mcap_check_index_end(struct mcap_reader *reader, uint64_t at, struct reason *why) {
  const int is_named =
      reader->map_used == reader->map_size && reader->index_bytes == reader->said_index_bytes;
  reader->map_used = reader->map_size = 0;
  reader->index_bytes = reader->said_index_bytes = 0;
  return is_named || !has_chunk_index(reader) ? STATUS_OK : differs(reader, "index of chunks", at, why);
}

// ---- metadata and attachments ----

enum status mcap_check_other_entry(struct mcap_reader *reader, const struct mcap_record_view *record,
                                   struct reason *why) {
  const int is_metadata = record->kind == MCAP_METADATA;
  struct mcap_other_entry *entry = reader->others.size ? (void *)reader->others.data : NULL;
  const size_t count = reader->others.size / sizeof *entry;
  size_t i = 0;
  reader->metadata += is_metadata != 0;
  reader->attachments += !is_metadata;
  if (!is_checked(reader) || (!reader->is_own && !count_others(reader, record->kind)))
    return STATUS_OK;
  while (i < count && (entry[i].is_met || entry[i].at != record->at || entry[i].kind != record->kind))
    i++;
  if (i == count || entry[i].length != MCAP_RECORD_HEAD + record->size)
    return differs(reader, "index of metadata and attachments", record->at, why);
  entry[i].is_met = 1;
  struct mcap_fields has = mcap_fields_of(record->content, record->size),
                     says = read_again(reader, entry[i].record_at,
                                       is_metadata ? MCAP_METADATA_INDEX : MCAP_ATTACHMENT_INDEX);
  mcap_take(&says, 16);
  int is_same = 1;
  size_t size, said_size;
  if (!is_metadata) { // two times, then in the index the length of the data
    for (int time = 0; time < 2; time++)
      is_same &= mcap_take64(&has) == mcap_take64(&says);
    mcap_take64(&says);
  }
  const char *name = mcap_take_text(&has, &size), *said = mcap_take_text(&says, &said_size);
  is_same &= name && said && size == said_size && !memcmp(name, said, size);
  return is_same ? STATUS_OK : differs(reader, "index of metadata and attachments", record->at, why);
}

// ---- the end of the data ----

void mcap_count_message(struct mcap_reader *reader, const struct mcap_message *message) {
  for (size_t i = 0; i < reader->channel_count; i++)
    if (reader->channels[i] == message->channel)
      reader->found[i]++;
  const uint64_t time_ns = message->log_time_ns;
  const int is_first = reader->progress.messages == 0;
  reader->first_ns = is_first || time_ns < reader->first_ns ? time_ns : reader->first_ns;
  reader->last_ns = is_first || time_ns > reader->last_ns ? time_ns : reader->last_ns;
}

// Each channel with its number of messages, and no others.
static int counts_match(const struct mcap_reader *reader) {
  for (size_t i = 0; i < reader->channel_count; i++)
    if (mcap_reader_channel_count(reader, reader->channels[i]->id) != reader->found[i])
      return 0;
  for (size_t k = 0; k < reader->count_size; k++) {
    for (size_t j = 0; j < k; j++)
      if (reader->count_ids[j] == reader->count_ids[k])
        return 0;
    if (reader->counts[k] && !mcap_find_channel(reader, reader->count_ids[k]))
      return 0;
  }
  return 1;
}

enum status mcap_check_statistics(struct mcap_reader *reader, uint64_t at, struct reason *why) {
  const struct mcap_statistics *said = &reader->said;
  const int has_messages = reader->progress.messages != 0;
  if (!is_checked(reader))
    return STATUS_OK;
  for (size_t i = 0; i < reader->index_size; i++)
    if (!reader->index[i].is_met)
      return differs(reader, "index of chunks", reader->index[i].at, why);
  if (said->metadata != reader->metadata || said->attachments != reader->attachments ||
      !is_whole(reader, count_others(reader, MCAP_METADATA), said->metadata) ||
      !is_whole(reader, count_others(reader, MCAP_ATTACHMENT), said->attachments))
    return differs(reader, "number of metadata and attachments", at, why);
  if (said->channels != reader->channel_count || said->schemas != reader->schema_count ||
      !is_whole(reader, reader->summary_channels, reader->channel_count) ||
      !is_whole(reader, reader->summary_schemas, reader->schema_count))
    return differs(reader, "list of channels and schemas", at, why);
  if (has_messages &&
      (reader->summary.start_ns != reader->first_ns || reader->summary.end_ns != reader->last_ns))
    return differs(reader, "first and last time", at, why);
  return counts_match(reader) ? STATUS_OK : differs(reader, "numbers of messages of the channels", at, why);
}
