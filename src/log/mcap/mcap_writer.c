// Writes an MCAP file.
#define _GNU_SOURCE // fallocate
// Layout of the file: magic, header; chunks, each followed by its message indexes, with metadata between
// them; data end, summary, footer, magic. Schemas and channels are in the chunks, where a CRC covers them.
#include "log/mcap/mcap.h"
#include "log/mcap/mcap_internal.h"

#include "os/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

static size_t mcap_begin_record(struct bytes *bytes, enum mcap_record kind) {
  bytes_put8(bytes, (uint8_t)kind);
  bytes_put64(bytes, 0);
  return bytes->size;
}

// Begins a record whose length is not known yet. Returns where its content begins, for mcap_end_record.
static void mcap_end_record(struct bytes *bytes, size_t content) {
  if (!bytes->failed)
    mcap_put64(bytes->data + content - 8, bytes->size - content);
}

// with the text of errno
static enum status mcap_io_error(const struct mcap_writer *writer, const char *what, struct reason *why) {
  return fail(why, STATUS_IO, "%s: %s: %s", writer->path, what, strerror(errno));
}

// Reserves disk blocks for this many bytes behind the end of the file. Returns 0 with errno set if the disk
// has no room. On a file system that cannot reserve, writing itself shows whether there is room.
static int reserve(const struct mcap_writer *writer, size_t size) {
  int result;
  do
    result = fallocate(writer->file, FALLOC_FL_KEEP_SIZE, (off_t)writer->written.bytes, (off_t)size);
  while (result < 0 && errno == EINTR);
  return result < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO) ? 0 : 1;
}

static enum status mcap_append(struct mcap_writer *writer, const struct bytes *bytes, size_t reserve_bytes,
                               struct reason *why) {
  if (bytes->failed)
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory for %zu bytes", writer->path, bytes->size);
  if (!reserve(writer, bytes->size + reserve_bytes))
    return mcap_io_error(writer, "no room on the disk", why);
  for (size_t done = 0; done < bytes->size;) {
    ssize_t n =
        pwrite(writer->file, bytes->data + done, bytes->size - done, (off_t)(writer->written.bytes + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      int error = n < 0 ? errno : EIO;
      if (ftruncate(writer->file, (off_t)writer->written.bytes) < 0)
        error = errno;
      errno = error;
      return mcap_io_error(writer, "cannot be written", why);
    }
    done += (size_t)n;
  }
  writer->crc = (uint32_t)crc32_z(writer->crc, bytes->data, bytes->size);
  writer->written.bytes += bytes->size;
  return STATUS_OK;
}

void mcap_header_content(struct bytes *out, const char *library) {
  bytes_put_text(out, ""); // no profile
  bytes_put_text(out, library);
}

enum status mcap_writer_open(const char *path, const char *library, struct mcap_writer **out,
                             struct reason *why) {
  struct mcap_writer *writer = calloc(1, sizeof *writer);
  struct bytes head = {0};
  *out = NULL;
  if (!writer || !(writer->path = strdup(path))) {
    free(writer);
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory", path);
  }
  struct stat about;
  if (!stat(path, &about) &&
      S_ISFIFO(about.st_mode)) { // to open it would wait for a reader; the end cannot be written
    free(writer->path);
    free(writer);
    return fail(why, STATUS_IO, "%s: cannot be created: a file expected, got a pipe", path);
  }
  writer->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (writer->file >= 0) // for who deletes old logs; who claims a log has the lock already
    flock(writer->file, LOCK_EX | LOCK_NB);
  enum status status = writer->file < 0 ? mcap_io_error(writer, "cannot be created", why) : STATUS_OK;
  if (status == STATUS_OK) {
    bytes_put(&head, MCAP_MAGIC, sizeof MCAP_MAGIC);
    size_t content = mcap_begin_record(&head, MCAP_HEADER);
    mcap_header_content(&head, library);
    mcap_end_record(&head, content);
    status = mcap_append(writer, &head, 0, why);
    if (status == STATUS_OK && (errno = folder_sync(path)))
      status = mcap_io_error(writer, "its folder cannot be synced", why);
  }
  bytes_free(&head);
  if (status == STATUS_OK)
    *out = writer;
  else
    mcap_writer_abandon(writer);
  return status;
}

static void mcap_writer_free(struct mcap_writer *writer);

void mcap_writer_abandon(struct mcap_writer *writer) {
  struct stat about;
  if (writer->file >= 0 && lstat(writer->path, &about) == 0 && S_ISREG(about.st_mode))
    unlink(writer->path);
  mcap_writer_free(writer);
}

uint16_t mcap_writer_schema(struct mcap_writer *writer, const char *name, const void *data, size_t size) {
  if (writer->schema_count == MCAP_MAX_CHANNELS)
    return 0;

  uint16_t id = (uint16_t)(writer->schema_count + 1);
  struct mcap_definition *definition = &writer->schemas[writer->schema_count];
  size_t content = mcap_begin_record(&definition->record, MCAP_SCHEMA);
  bytes_put16(&definition->record, id);
  bytes_put_text(&definition->record, name);
  bytes_put_text(&definition->record, "protobuf");
  bytes_put32(&definition->record, (uint32_t)size);
  bytes_put(&definition->record, data, size);
  mcap_end_record(&definition->record, content);
  if (definition->record.failed) {
    bytes_free(&definition->record);
    return 0;
  }

  writer->schema_count++;
  return id;
}

uint16_t mcap_writer_channel(struct mcap_writer *writer, uint16_t schema, const char *topic) {
  if (writer->channel_count == MCAP_MAX_CHANNELS || schema > writer->schema_count)
    return 0;

  uint16_t id = (uint16_t)(writer->channel_count + 1);
  struct mcap_definition *definition = &writer->channels[writer->channel_count];
  size_t content = mcap_begin_record(&definition->record, MCAP_CHANNEL);
  bytes_put16(&definition->record, id);
  bytes_put16(&definition->record, schema);
  bytes_put_text(&definition->record, topic);
  bytes_put_text(&definition->record, "protobuf");
  bytes_put32(&definition->record, 0); // no metadata
  mcap_end_record(&definition->record, content);
  if (definition->record.failed) {
    bytes_free(&definition->record);
    return 0;
  }

  definition->schema = schema;
  writer->channel_count++;
  return id;
}

const struct mcap_written *mcap_writer_written(const struct mcap_writer *writer) {
  return &writer->written;
}

enum status mcap_writer_sync(struct mcap_writer *writer, struct reason *why) {
  return fdatasync(writer->file) < 0 ? mcap_io_error(writer, "cannot be synced", why) : STATUS_OK;
}

// Appends all bytes, or leaves the file unchanged; reserves disk space for reserve_bytes more.
static void mcap_writer_free(struct mcap_writer *writer) {
  if (writer->file >= 0)
    close(writer->file);
  for (int i = 0; i < writer->schema_count; i++)
    bytes_free(&writer->schemas[i].record);
  for (int i = 0; i < writer->channel_count; i++)
    bytes_free(&writer->channels[i].record);
  bytes_free(&writer->chunk);
  bytes_free(&writer->places);
  bytes_free(&writer->chunk_index);
  bytes_free(&writer->metadata_index);
  ZSTD_freeCCtx(writer->compressor);
  free(writer->path);
  free(writer);
}

// ------------------------------------------------------------
// The open chunk: messages are added in memory; a flush compresses it and appends it to the file, followed by
// its message indexes.

enum { ZSTD_LEVEL = 3 };

static void define(struct mcap_writer *writer, struct mcap_definition *definition) {
  if (definition->where == DEFINED_NOWHERE) {
    bytes_put(&writer->chunk, definition->record.data, definition->record.size);
    definition->where = DEFINED_IN_OPEN_CHUNK;
  }
}

enum status mcap_writer_add(struct mcap_writer *writer, uint16_t channel, uint32_t sequence,
                            uint64_t log_time_ns, const void *data, size_t size) {
  struct mcap_definition *definition = &writer->channels[channel - 1];
  size_t before = writer->chunk.size;
  if (size > MCAP_MAX_CHUNK / 2 || before > MCAP_MAX_CHUNK / 2)
    return STATUS_NO_MEMORY;
  struct mcap_definition *schema = definition->schema ? &writer->schemas[definition->schema - 1] : definition;
  enum mcap_defined defined_before[] = {schema->where, definition->where};
  define(writer, schema);
  define(writer, definition);
  struct mcap_place place = {channel, log_time_ns, writer->chunk.size};
  size_t content = mcap_begin_record(&writer->chunk, MCAP_MESSAGE);
  bytes_put16(&writer->chunk, channel);
  bytes_put32(&writer->chunk, sequence);
  bytes_put64(&writer->chunk, log_time_ns);
  bytes_put64(&writer->chunk, log_time_ns);
  bytes_put(&writer->chunk, data, size);
  mcap_end_record(&writer->chunk, content);
  bytes_put(&writer->places, &place, sizeof place);
  if (writer->chunk.failed || writer->places.failed) {
    writer->places.size -= writer->places.failed ? 0 : sizeof place;
    writer->chunk.size = before;
    writer->chunk.failed = writer->places.failed = 0;
    schema->where = defined_before[0];
    definition->where = defined_before[1];
    return STATUS_NO_MEMORY;
  }
  int is_first = writer->places.size == sizeof place;
  writer->start_ns = is_first || log_time_ns < writer->start_ns ? log_time_ns : writer->start_ns;
  writer->end_ns = is_first || log_time_ns > writer->end_ns ? log_time_ns : writer->end_ns;
  definition->pending++;
  return STATUS_OK;
}

size_t mcap_writer_pending_bytes(const struct mcap_writer *writer) {
  return writer->chunk.size;
}

uint64_t mcap_writer_pending_messages(const struct mcap_writer *writer, uint16_t channel) {
  return writer->channels[channel - 1].pending;
}

// Appends the chunk record to out. Returns the compressed size.
static size_t put_chunk(struct mcap_writer *writer, struct bytes *out) {
  size_t content = mcap_begin_record(out, MCAP_CHUNK);
  bytes_put64(out, writer->start_ns);
  bytes_put64(out, writer->end_ns);
  bytes_put64(out, writer->chunk.size);
  bytes_put32(out, (uint32_t)crc32_z(0, writer->chunk.data, writer->chunk.size));
  bytes_put_text(out, "zstd");
  bytes_put64(out, 0);
  size_t bound = ZSTD_compressBound(writer->chunk.size), start = out->size;
  uint8_t *room = bytes_room(out, bound);
  if (!room)
    return 0;

  if (!writer->compressor) // its tables stay mapped from chunk to chunk
    writer->compressor = ZSTD_createCCtx();
  size_t size = writer->compressor ? ZSTD_compressCCtx(writer->compressor, room, bound, writer->chunk.data,
                                                       writer->chunk.size, ZSTD_LEVEL)
                                   : 0;
  if (!size || ZSTD_isError(size)) { // only if memory runs out
    out->failed = 1;
    return 0;
  }

  out->size += size;
  mcap_put64(out->data + start - 8, size);
  mcap_end_record(out, content);
  return size;
}

// Appends the message index of one channel to out.
static void put_index(const struct mcap_writer *writer, uint16_t channel, struct bytes *out) {
  const struct mcap_place *place = (const struct mcap_place *)(const void *)writer->places.data;
  size_t count = writer->places.size / sizeof *place;
  size_t content = mcap_begin_record(out, MCAP_MESSAGE_INDEX);
  bytes_put16(out, channel);
  bytes_put32(out, (uint32_t)(16 * writer->channels[channel - 1].pending));
  for (size_t i = 0; i < count; i++) {
    if (place[i].channel != channel)
      continue;
    bytes_put64(out, place[i].time_ns);
    bytes_put64(out, place[i].offset);
  }

  mcap_end_record(out, content);
}

// Appends the chunk with its message indexes to block, and its record of the summary to index.
static void put_chunk_and_index(struct mcap_writer *writer, struct bytes *block, struct bytes *index) {
  size_t compressed = put_chunk(writer, block), chunk_length = block->size;
  size_t content = mcap_begin_record(index, MCAP_CHUNK_INDEX);
  bytes_put64(index, writer->start_ns);
  bytes_put64(index, writer->end_ns);
  bytes_put64(index, writer->written.bytes);
  bytes_put64(index, chunk_length);
  bytes_put32(index, 0);
  size_t map = index->size;
  for (uint16_t i = 0; i < writer->channel_count; i++) {
    if (!writer->channels[i].pending)
      continue;
    bytes_put16(index, (uint16_t)(i + 1));
    bytes_put64(index, writer->written.bytes + block->size);
    put_index(writer, (uint16_t)(i + 1), block);
  }

  if (!index->failed)
    mcap_put32(index->data + map - 4, (uint32_t)(index->size - map));
  bytes_put64(index, block->size - chunk_length);
  bytes_put_text(index, "zstd");
  bytes_put64(index, compressed);
  bytes_put64(index, writer->chunk.size);
  mcap_end_record(index, content);
}

// Empties the open chunk. where: its definitions are from now on; is_written: its messages are in the file.
static void empty_chunk(struct mcap_writer *writer, enum mcap_defined where, int is_written) {
  struct mcap_definition *lists[] = {writer->schemas, writer->channels};
  const int counts[] = {writer->schema_count, writer->channel_count};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < counts[k]; i++) {
      struct mcap_definition *definition = &lists[k][i];
      definition->where = definition->where == DEFINED_IN_OPEN_CHUNK ? where : definition->where;
      definition->written += is_written ? definition->pending : 0;
      definition->pending = 0;
    }
  writer->chunk.size = writer->places.size = 0;
}

static size_t mcap_summary_bound(const struct mcap_writer *writer);

enum status mcap_writer_flush(struct mcap_writer *writer, size_t reserve_bytes, struct reason *why) {
  if (!writer->places.size)
    return STATUS_OK;
  struct bytes block = {0};
  size_t before = writer->chunk_index.size;
  put_chunk_and_index(writer, &block, &writer->chunk_index);
  enum status status = writer->chunk_index.failed
                           ? fail(why, STATUS_NO_MEMORY, "%s: out of memory for the index", writer->path)
                           : mcap_append(writer, &block, mcap_summary_bound(writer) + reserve_bytes, why);
  bytes_free(&block);
  if (status != STATUS_OK) {
    writer->chunk_index.size = before;
    writer->chunk_index.failed = 0;
    return status;
  }
  writer->first_ns =
      !writer->written.chunks || writer->start_ns < writer->first_ns ? writer->start_ns : writer->first_ns;
  writer->last_ns =
      !writer->written.chunks || writer->end_ns > writer->last_ns ? writer->end_ns : writer->last_ns;
  writer->written.chunks++;
  writer->written.messages += writer->places.size / sizeof(struct mcap_place);
  empty_chunk(writer, DEFINED_IN_FILE, 1);
  return STATUS_OK;
}

void mcap_writer_discard(struct mcap_writer *writer) {
  empty_chunk(writer, DEFINED_NOWHERE, 0);
}

// ------------------------------------------------------------
// What is outside the chunks: metadata, and the end of the file: data end, summary, footer.

struct group { // of equal records in the summary
  enum mcap_record kind;
  size_t start, end; // bytes in the buffer
};

// The number of schemas or channels that are defined in the chunks: the summary names no others.
static uint16_t count_defined(const struct mcap_definition *list, uint16_t count) {
  uint16_t sum = 0;
  for (uint16_t i = 0; i < count; i++)
    sum = (uint16_t)(sum + (list[i].where == DEFINED_IN_FILE));
  return sum;
}

static void put_defined(const struct mcap_definition *list, uint16_t count, struct bytes *out) {
  for (uint16_t i = 0; i < count; i++)
    if (list[i].where == DEFINED_IN_FILE)
      bytes_put(out, list[i].record.data, list[i].record.size);
}

static void put_statistics(const struct mcap_writer *writer, struct bytes *out) {
  uint16_t channels = count_defined(writer->channels, writer->channel_count);
  size_t content = mcap_begin_record(out, MCAP_STATISTICS);
  bytes_put64(out, writer->written.messages);
  bytes_put16(out, count_defined(writer->schemas, writer->schema_count));
  bytes_put32(out, channels);
  bytes_put32(out, 0); // attachments
  bytes_put32(out, writer->metadata_count);
  bytes_put32(out, (uint32_t)writer->written.chunks);
  bytes_put64(out, writer->first_ns);
  bytes_put64(out, writer->last_ns);
  bytes_put32(out, 10u * channels);
  for (uint16_t i = 0; i < writer->channel_count; i++) {
    if (writer->channels[i].where != DEFINED_IN_FILE)
      continue;
    bytes_put16(out, (uint16_t)(i + 1));
    bytes_put64(out, writer->channels[i].written);
  }

  mcap_end_record(out, content);
}

static void put_group(const struct mcap_writer *writer, enum mcap_record kind, struct bytes *out) {
  switch (kind) {
  case MCAP_SCHEMA:
    put_defined(writer->schemas, writer->schema_count, out);
    break;
  case MCAP_CHANNEL:
    put_defined(writer->channels, writer->channel_count, out);
    break;
  case MCAP_STATISTICS:
    put_statistics(writer, out);
    break;
  case MCAP_CHUNK_INDEX:
    bytes_put(out, writer->chunk_index.data, writer->chunk_index.size);
    break;
  default:
    bytes_put(out, writer->metadata_index.data, writer->metadata_index.size);
  }
}

static void put_summary(const struct mcap_writer *writer, struct bytes *out) {
  static const enum mcap_record kinds[] = {MCAP_SCHEMA, MCAP_CHANNEL, MCAP_STATISTICS, MCAP_CHUNK_INDEX,
                                           MCAP_METADATA_INDEX};
  enum { KINDS = sizeof kinds / sizeof *kinds };
  struct group groups[KINDS];
  size_t content = mcap_begin_record(out, MCAP_DATA_END);
  bytes_put32(out, writer->crc);
  mcap_end_record(out, content);
  size_t start = out->size;
  uint64_t base = writer->written.bytes;
  for (int i = 0; i < KINDS; i++) {
    groups[i].kind = kinds[i];
    groups[i].start = out->size;
    put_group(writer, kinds[i], out);
    groups[i].end = out->size;
  }

  size_t offsets = out->size;
  for (int i = 0; i < KINDS; i++) {
    if (groups[i].end == groups[i].start)
      continue;
    content = mcap_begin_record(out, MCAP_SUMMARY_OFFSET);
    bytes_put8(out, (uint8_t)groups[i].kind);
    bytes_put64(out, base + groups[i].start);
    bytes_put64(out, groups[i].end - groups[i].start);
    mcap_end_record(out, content);
  }

  content = mcap_begin_record(out, MCAP_FOOTER);
  bytes_put64(out, base + start);
  bytes_put64(out, base + offsets);
  if (!out->failed) {
    mcap_put64(out->data + content - 8, MCAP_FOOTER_CONTENT); // the CRC covers the head of the footer, too
    bytes_put32(out, (uint32_t)crc32_z(0, out->data + start, out->size - start));
  }
  bytes_put(out, MCAP_MAGIC, sizeof MCAP_MAGIC);
}

// bytes of the summary, at most
static size_t mcap_summary_bound(const struct mcap_writer *writer) {
  size_t bytes = 1024 + writer->chunk_index.size + writer->metadata_index.size + 10u * writer->channel_count;
  for (int i = 0; i < writer->schema_count; i++)
    bytes += writer->schemas[i].record.size;
  for (int i = 0; i < writer->channel_count; i++)
    bytes += writer->channels[i].record.size;
  return bytes;
}

enum status mcap_metadata_content(struct bytes *out, const char *name, const struct mcap_text_pair *pairs,
                                  int count) {
  bytes_put_text(out, name);
  bytes_put32(out, 0);
  size_t map = out->size;
  for (int i = 0; i < count; i++) {
    bytes_put_text(out, pairs[i].key);
    bytes_put_text(out, pairs[i].value);
  }
  if (out->failed)
    return STATUS_NO_MEMORY;
  mcap_put32(out->data + map - 4, (uint32_t)(out->size - map));
  return STATUS_OK;
}

enum status mcap_writer_metadata(struct mcap_writer *writer, const char *name,
                                 const struct mcap_text_pair *pairs, int count, struct reason *why) {
  struct bytes content = {0};
  enum status status = mcap_metadata_content(&content, name, pairs, count);
  status = status == STATUS_OK ? mcap_writer_put_metadata(writer, &content, why)
                               : fail(why, status, "%s: out of memory for metadata", writer->path);
  bytes_free(&content);
  return status;
}

enum status mcap_writer_put_metadata(struct mcap_writer *writer, const struct bytes *content,
                                     struct reason *why) {
  struct bytes record = {0};
  size_t start = mcap_begin_record(&record, MCAP_METADATA);
  bytes_put(&record, content->data, content->size);
  mcap_end_record(&record, start);

  struct bytes *index = &writer->metadata_index;
  size_t before = index->size, name = content->size < 4 ? 0 : mcap_get32(content->data);
  start = mcap_begin_record(index, MCAP_METADATA_INDEX);
  bytes_put64(index, writer->written.bytes);
  bytes_put64(index, record.size);
  bytes_put32(index, (uint32_t)name);
  bytes_put(index, content->data + 4, name <= content->size - 4 ? name : 0);
  mcap_end_record(index, start);
  record.failed |= index->failed || content->failed;
  enum status status = mcap_append(writer, &record, mcap_summary_bound(writer), why);
  bytes_free(&record);
  if (status == STATUS_OK)
    writer->metadata_count++;
  else
    *index = (struct bytes){index->data, before, index->capacity, 0};
  return status;
}

enum status mcap_writer_close(struct mcap_writer *writer, struct mcap_written *written, struct reason *why) {
  enum status status = mcap_writer_flush(writer, 0, why);
  struct bytes end = {0};
  if (status == STATUS_OK) {
    put_summary(writer, &end);
    status = mcap_append(writer, &end, 0, why);
  }
  bytes_free(&end);
  if (status == STATUS_OK &&
      ftruncate(writer->file, (off_t)writer->written.bytes) < 0) // releases the reserved space
    status = mcap_io_error(writer, "cannot be truncated to its end", why);
  if (status == STATUS_OK && fsync(writer->file) < 0)
    status = mcap_io_error(writer, "cannot be synced", why);
  if (status == STATUS_OK && !file_lock_is_at(writer->file, writer->path))
    status = fail(why, STATUS_IO, "%s: somebody removed or replaced it while it was written", writer->path);
  if (written)
    *written = writer->written;
  mcap_writer_free(writer);
  return status;
}
