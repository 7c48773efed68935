// Opening and closing a file, and reading single records.
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
  if (status != STATUS_OK && reader->access == MCAP_STRICT)
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
    reader->has_summary = mcap_load_summary(reader, &reader->no_summary) == STATUS_OK;
    *out = reader;
  } else {
    mcap_reader_close(reader);
  }
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
