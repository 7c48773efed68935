// Opening and closing a file, and reading its messages: record by record, or by the index.
#include "log/mcap/mcap.h"
#include "log/mcap/mcap_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

// Whether nothing more may be read: what memory or the disk keeps back is no damage that could be skipped.
static int ends_reading(const struct mcap_reader *reader, enum status status) {
  return reader->access == MCAP_STRICT || status != STATUS_BAD_INPUT;
}

static enum mcap_next ended_by(enum status status) {
  return status == STATUS_NO_MEMORY ? MCAP_NO_MEMORY : MCAP_DAMAGED;
}

static enum status read_start(struct mcap_reader *reader, struct reason *why) {
  struct mcap_record_view header = {0};
  struct stat found;
  uint8_t magic[sizeof MCAP_MAGIC];
  reader->file = open(reader->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (reader->file < 0 || fstat(reader->file, &found) < 0)
    return fail(why, STATUS_IO, "%s: cannot be read: %s", reader->path, strerror(errno));
  if (!S_ISREG(found.st_mode))
    return fail(why, STATUS_IO, "%s: a file expected", reader->path);

  reader->file_size = (uint64_t)found.st_size;
  if (reader->file_size < sizeof magic ||
      mcap_read_bytes(reader, 0, magic, sizeof magic, NULL) != STATUS_OK ||
      memcmp(magic, MCAP_MAGIC, sizeof magic))
    return fail(why, STATUS_BAD_INPUT, "%s: not an MCAP file: its first bytes are others", reader->path);

  enum status status = mcap_read_record(reader, sizeof magic, &header, why);
  if (status == STATUS_OK && header.kind != MCAP_HEADER)
    status = fail(why, STATUS_BAD_INPUT, "%s: no header at byte %zu", reader->path, sizeof magic);
  reader->at = sizeof magic;
  if (status != STATUS_OK && ends_reading(reader, status))
    return status;

  reader->crc = (uint32_t)crc32_z(0, magic, sizeof magic);
  if (status == STATUS_OK) {
    reader->crc = (uint32_t)crc32_z(reader->crc, reader->record.data, reader->record.size);
    reader->at += reader->record.size;
    bytes_put(&reader->header, header.content, header.size);
  }
  return reader->header.failed ? fail(why, STATUS_NO_MEMORY, "%s: out of memory for its header", reader->path)
                               : STATUS_OK;
}

// The header names the library that wrote the file; the chain of a log covers it.
static int is_own(const struct mcap_reader *reader) {
  static const char name[] = "sagbend ";
  struct mcap_fields fields = mcap_fields_of(reader->header.data, reader->header.size);
  size_t size;
  mcap_take_text(&fields, &size); // the profile
  const char *library = mcap_take_text(&fields, &size);
  return !reader->header.size ||
         (library && size >= sizeof name - 1 && !memcmp(library, name, sizeof name - 1));
}

enum status mcap_reader_open(const char *path, enum mcap_access access, struct mcap_reader **out,
                             struct reason *why) {
  struct mcap_reader *reader = calloc(1, sizeof *reader);
  *out = NULL;
  if (reader) {
    reader->file = -1;
    reader->access = access;
    reader->path = strdup(path);
  }
  if (!reader || !reader->path) {
    free(reader);
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory", path);
  }
  enum status status = read_start(reader, why);
  if (status == STATUS_OK) {
    reader->is_own = is_own(reader);
    const enum status summary = mcap_load_summary(reader, &reader->no_summary);
    reader->has_summary = summary == STATUS_OK;
    if (summary == STATUS_NO_MEMORY)
      status = fail(why, summary, "%s", reader->no_summary.text);
  }
  if (status == STATUS_OK)
    *out = reader;
  else
    mcap_reader_close(reader);
  return status;
}

void mcap_reader_close(struct mcap_reader *reader) {
  if (!reader)
    return;

  if (reader->file >= 0)
    close(reader->file);
  for (size_t i = 0; i < reader->schema_count; i++)
    free(reader->schemas[i]);
  for (size_t i = 0; i < reader->channel_count; i++)
    free(reader->channels[i]);
  bytes_free(&reader->record);
  bytes_free(&reader->chunk);
  bytes_free(&reader->header);
  bytes_free(&reader->others);
  bytes_free(&reader->entry);
  free(reader->index);
  free(reader->path);
  free(reader);
}

void mcap_reader_select(struct mcap_reader *reader, uint64_t from_ns, uint64_t to_ns) {
  reader->selects = 1;
  reader->from_ns = from_ns;
  reader->to_ns = to_ns;
}

const struct mcap_channel *mcap_reader_channel(const struct mcap_reader *reader, size_t index) {
  return index < reader->channel_count ? reader->channels[index] : NULL;
}

const struct mcap_progress *mcap_reader_progress(const struct mcap_reader *reader) {
  return &reader->progress;
}

uint64_t mcap_reader_file_size(const struct mcap_reader *reader) {
  return reader->file_size;
}

void mcap_reader_on_record(struct mcap_reader *reader,
                           void (*on_record)(void *context, uint8_t kind, const uint8_t *content,
                                             size_t size),
                           void *context) {
  reader->on_record = on_record;
  reader->on_record_context = context;
}

const uint8_t *mcap_reader_header(const struct mcap_reader *reader, size_t *size) {
  *size = reader->header.size;
  return reader->header.size ? reader->header.data : NULL;
}

// ------------------------------------------------------------
// Reading the messages: from the beginning of the file, record by record, or by its index.

static enum status check_end(struct mcap_reader *reader, const struct mcap_record_view *end,
                             struct reason *why) {
  if (end->size != 4)
    return fail(why, STATUS_BAD_INPUT, "%s: the end of the data at byte %" PRIu64 " is damaged", reader->path,
                end->at);
  uint32_t crc = mcap_get32(end->content);
  if (crc && crc != reader->crc)
    return fail(why, STATUS_BAD_INPUT, "%s: the checksum of the data before byte %" PRIu64 " is wrong",
                reader->path, end->at);
  reader->progress.complete = reader->needs_no_summary;
  if (reader->needs_no_summary)
    return STATUS_OK;
  if (!reader->has_summary)
    return fail(why, STATUS_BAD_INPUT, "%s", reader->no_summary.text);

  if (reader->summary.message_count != reader->progress.messages ||
      reader->summary.chunk_count != reader->progress.chunks)
    return fail(why, STATUS_BAD_INPUT, "%s: %" PRIu64 " messages found, %" PRIu64 " stated by its summary",
                reader->path, reader->progress.messages, reader->summary.message_count);
  enum status status = mcap_check_statistics(reader, end->at, why);
  reader->progress.complete = status == STATUS_OK;
  return status;
}

static int index_is_incomplete(const struct mcap_reader *reader) {
  return reader->indexed_messages && reader->indexed_messages != reader->chunk_messages;
}

// Handles one record of the data section.
static enum status take_record(struct mcap_reader *reader, const struct mcap_record_view *record,
                               struct reason *why) {
  if (record->kind != MCAP_MESSAGE_INDEX && index_is_incomplete(reader))
    return fail(why, STATUS_BAD_INPUT, "%s: message indexes are missing before byte %" PRIu64, reader->path,
                record->at);
  enum status status =
      record->kind == MCAP_MESSAGE_INDEX ? STATUS_OK : mcap_check_index_end(reader, record->at, why);
  if (status != STATUS_OK)
    return status;
  switch (record->kind) {
  case MCAP_CHUNK:
    status = mcap_load_chunk(reader, record, why);
    return status == STATUS_OK ? mcap_check_chunk_entry(reader, record, why) : status;
  case MCAP_MESSAGE_INDEX:
    if (reader->access == MCAP_STRICT)
      status = mcap_check_index(reader, record, why);
    return status == STATUS_OK ? mcap_check_index_place(reader, record, why) : status;
  case MCAP_METADATA:
  case MCAP_ATTACHMENT:
    if (reader->on_record)
      reader->on_record(reader->on_record_context, record->kind, record->content, record->size);
    return mcap_check_other_entry(reader, record, why);
  case MCAP_SCHEMA:
  case MCAP_CHANNEL:
  case MCAP_MESSAGE:
    if (!reader->is_own && !reader->index_size && !reader->progress.chunks) // a file without chunks
      return mcap_load_lone_record(reader, record, why);
    break;
  case MCAP_DATA_END:
    reader->ended = record->size == 4;
    return reader->ended && reader->access == MCAP_SALVAGE ? (check_end(reader, record, NULL), STATUS_OK)
                                                           : check_end(reader, record, why);
  default:
    break;
  }
  return fail(why, STATUS_BAD_INPUT, "%s: the record at byte %" PRIu64 " does not belong there (kind %u)",
              reader->path, record->at, record->kind);
}

// The byte at which the next chunk may begin, found by the name of its compression; the end of the file if
// there is none.
static uint64_t find_chunk(struct mcap_reader *reader, uint64_t from) {
  static const uint8_t pattern[] = {4, 0, 0, 0, 'z', 's', 't', 'd'};
  enum { BEFORE = MCAP_RECORD_HEAD + 28, BLOCK = 32768 };
  uint8_t block[BLOCK];
  for (uint64_t at = from; at < reader->file_size; at += BLOCK - BEFORE - sizeof pattern) {
    uint64_t left = reader->file_size - at;
    size_t size = left < BLOCK ? (size_t)left : (size_t)BLOCK;
    if (mcap_read_bytes(reader, at, block, size, NULL) != STATUS_OK)
      break;
    for (size_t i = 0; i + BEFORE + sizeof pattern <= size; i++)
      if (block[i] == MCAP_CHUNK && !memcmp(block + i + BEFORE, pattern, sizeof pattern))
        return at + i;
    if (size < BLOCK)
      break;
  }

  return reader->file_size;
}

static void skip_damage(struct mcap_reader *reader, int was_chunk) {
  uint64_t next = find_chunk(reader, reader->at + 1);
  reader->progress.damaged_chunks += was_chunk != 0;
  reader->progress.lost_bytes += next - reader->at;
  reader->at = next;
  reader->ended = next == reader->file_size;
}

// Reads records until a chunk is loaded (MCAP_MESSAGE_READ).
static enum mcap_next next_chunk_in_file(struct mcap_reader *reader, struct reason *why) {
  while (!reader->ended) {
    struct mcap_record_view record = {0};
    enum status status = mcap_read_record(reader, reader->at, &record, why);
    int was_read = status == STATUS_OK;
    if (was_read)
      status = take_record(reader, &record, why);
    if (status != STATUS_OK && ends_reading(reader, status)) {
      reader->ended = 1;
      return ended_by(status);
    }
    if (status != STATUS_OK) {
      skip_damage(reader, was_read && record.kind == MCAP_CHUNK);
      continue;
    }
    reader->crc = (uint32_t)crc32_z(reader->crc, reader->record.data, reader->record.size);
    reader->at += MCAP_RECORD_HEAD + record.size;
    if (record.kind == MCAP_CHUNK || record.kind == MCAP_MESSAGE)
      return MCAP_MESSAGE_READ;
  }

  return MCAP_END;
}

static enum mcap_next next_chunk_by_index(struct mcap_reader *reader, struct reason *why) {
  while (reader->next_in_index < reader->index_size) {
    const struct mcap_chunk_entry *entry = &reader->index[reader->next_in_index++];
    struct mcap_record_view record;
    if (entry->start_ns > reader->to_ns || entry->end_ns < reader->from_ns)
      continue;
    enum status status = mcap_read_record(reader, entry->at, &record, why);
    if (status == STATUS_OK && (record.kind != MCAP_CHUNK || record.size + MCAP_RECORD_HEAD != entry->length))
      status = fail(why, STATUS_BAD_INPUT, "%s: no chunk at byte %" PRIu64 ", where the index states one",
                    reader->path, entry->at);
    if (status == STATUS_OK)
      status = mcap_load_chunk(reader, &record, why);
    if (status == STATUS_OK)
      return MCAP_MESSAGE_READ;
    if (ends_reading(reader, status)) {
      reader->next_in_index = reader->index_size;
      return ended_by(status);
    }
    reader->progress.damaged_chunks++;
  }

  return MCAP_END;
}

enum mcap_next mcap_reader_next(struct mcap_reader *reader, struct mcap_message *out, struct reason *why) {
  for (;;) {
    while (mcap_next_in_chunk(reader, out)) {
      mcap_count_message(reader, out);
      reader->progress.messages++;
      if (!reader->selects || (out->log_time_ns >= reader->from_ns && out->log_time_ns <= reader->to_ns))
        return MCAP_MESSAGE_READ;
    }
    // The index of another program's file may lack chunks, and knows no messages outside them.
    int by_index = reader->selects && reader->has_summary && reader->is_own;
    enum mcap_next next = by_index ? next_chunk_by_index(reader, why) : next_chunk_in_file(reader, why);
    if (next != MCAP_MESSAGE_READ) {
      reader->chunk.size = reader->next_in_chunk = 0;
      return next;
    }
  }
}
