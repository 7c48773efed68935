// Layout of the file: magic, header, then chunks each followed by its message indexes, metadata between them;
// at the end data end, summary, footer, magic. Schemas and channels stand in the chunks, where a CRC covers
// them.
#define _GNU_SOURCE // fallocate
#include "io/mcap/mcap_writer.h"

#include "io/mcap/bytes.h"
#include "io/mcap/mcap_format.h"
#include "io/mcap/mcap_writer_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { ZSTD_LEVEL = 3 };

size_t mcap_begin_record(struct bytes *b, enum mcap_record kind) {
  bytes_put8(b, (uint8_t)kind);
  bytes_put64(b, 0);
  return b->size;
}

void mcap_end_record(struct bytes *b, size_t content) {
  if (!b->failed)
    mcap_put64(b->data + content - 8, b->size - content);
}

enum status mcap_io_error(const struct mcap_writer *w, const char *what, struct reason *why) {
  return fail(why, STATUS_IO, "%s: %s: %s", w->path, what, strerror(errno));
}

// Keeps blocks for this many bytes from the file's end on. A file system that cannot is none of our business:
// then writing itself will tell.
static int reserve(const struct mcap_writer *w, size_t bytes) {
  int result;
  do
    result = fallocate(w->file, FALLOC_FL_KEEP_SIZE, (off_t)w->written.bytes, (off_t)bytes);
  while (result < 0 && errno == EINTR);
  return result < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO) ? -1 : 0;
}

enum status mcap_append(struct mcap_writer *w, const struct bytes *b, size_t reserve_bytes,
                        struct reason *why) {
  if (b->failed)
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory for %zu bytes", w->path, b->size);
  if (reserve(w, b->size + reserve_bytes))
    return mcap_io_error(w, "no room", why);
  for (size_t done = 0; done < b->size;) {
    ssize_t n = pwrite(w->file, b->data + done, b->size - done, (off_t)(w->written.bytes + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      int error = n < 0 ? errno : EIO;
      if (ftruncate(w->file, (off_t)w->written.bytes) < 0)
        error = errno;
      errno = error;
      return mcap_io_error(w, "cannot be written", why);
    }
    done += (size_t)n;
  }
  w->crc = (uint32_t)crc32_z(w->crc, b->data, b->size);
  w->written.bytes += b->size;
  return STATUS_OK;
}

void mcap_header_content(struct bytes *out, const char *library) {
  bytes_put_text(out, ""); // no profile
  bytes_put_text(out, library);
}

enum status mcap_writer_open(const char *path, const char *library, struct mcap_writer **out,
                             struct reason *why) {
  struct mcap_writer *w = calloc(1, sizeof *w);
  struct bytes head = {0};
  *out = NULL;
  if (!w || !(w->path = strdup(path))) {
    free(w);
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory", path);
  }
  w->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  enum status status = w->file < 0 ? mcap_io_error(w, "cannot be created", why) : STATUS_OK;
  if (status == STATUS_OK) {
    bytes_put(&head, MCAP_MAGIC, sizeof MCAP_MAGIC);
    size_t content = mcap_begin_record(&head, MCAP_HEADER);
    mcap_header_content(&head, library);
    mcap_end_record(&head, content);
    status = mcap_append(w, &head, 0, why);
  }
  bytes_free(&head);
  if (status == STATUS_OK)
    *out = w;
  else
    mcap_writer_free(w);
  return status;
}

uint16_t mcap_writer_schema(struct mcap_writer *w, const char *name, const void *data, size_t size) {
  if (w->schema_count == MCAP_MAX_CHANNELS)
    return 0;
  uint16_t id = (uint16_t)(w->schema_count + 1);
  struct mcap_definition *d = &w->schemas[w->schema_count];
  size_t content = mcap_begin_record(&d->record, MCAP_SCHEMA);
  bytes_put16(&d->record, id);
  bytes_put_text(&d->record, name);
  bytes_put_text(&d->record, "protobuf");
  bytes_put32(&d->record, (uint32_t)size);
  bytes_put(&d->record, data, size);
  mcap_end_record(&d->record, content);
  if (d->record.failed) {
    bytes_free(&d->record);
    return 0;
  }
  w->schema_count++;
  return id;
}

uint16_t mcap_writer_channel(struct mcap_writer *w, uint16_t schema, const char *topic) {
  if (w->channel_count == MCAP_MAX_CHANNELS || schema > w->schema_count)
    return 0;
  uint16_t id = (uint16_t)(w->channel_count + 1);
  struct mcap_definition *d = &w->channels[w->channel_count];
  size_t content = mcap_begin_record(&d->record, MCAP_CHANNEL);
  bytes_put16(&d->record, id);
  bytes_put16(&d->record, schema);
  bytes_put_text(&d->record, topic);
  bytes_put_text(&d->record, "protobuf");
  bytes_put32(&d->record, 0); // no metadata
  mcap_end_record(&d->record, content);
  if (d->record.failed) {
    bytes_free(&d->record);
    return 0;
  }
  d->schema = schema;
  w->channel_count++;
  return id;
}

static void define(struct mcap_writer *w, struct mcap_definition *d) {
  if (d->where == DEFINED_NOWHERE) {
    bytes_put(&w->chunk, d->record.data, d->record.size);
    d->where = DEFINED_IN_OPEN_CHUNK;
  }
}

enum status mcap_writer_add(struct mcap_writer *w, uint16_t channel, uint32_t sequence, uint64_t log_time_ns,
                            const void *data, size_t size) {
  struct mcap_definition *d = &w->channels[channel - 1];
  size_t before = w->chunk.size;
  if (size > MCAP_MAX_CHUNK / 2 || before > MCAP_MAX_CHUNK / 2)
    return STATUS_NO_MEMORY;
  struct mcap_definition *schema = d->schema ? &w->schemas[d->schema - 1] : d;
  enum mcap_defined defined_before[] = {schema->where, d->where};
  define(w, schema);
  define(w, d);
  struct mcap_place place = {channel, log_time_ns, w->chunk.size};
  size_t content = mcap_begin_record(&w->chunk, MCAP_MESSAGE);
  bytes_put16(&w->chunk, channel);
  bytes_put32(&w->chunk, sequence);
  bytes_put64(&w->chunk, log_time_ns);
  bytes_put64(&w->chunk, log_time_ns);
  bytes_put(&w->chunk, data, size);
  mcap_end_record(&w->chunk, content);
  bytes_put(&w->places, &place, sizeof place);
  if (w->chunk.failed || w->places.failed) {
    w->places.size -= w->places.failed ? 0 : sizeof place;
    w->chunk.size = before;
    w->chunk.failed = w->places.failed = 0;
    schema->where = defined_before[0];
    d->where = defined_before[1];
    return STATUS_NO_MEMORY;
  }
  int first = w->places.size == sizeof place;
  w->start_ns = first || log_time_ns < w->start_ns ? log_time_ns : w->start_ns;
  w->end_ns = first || log_time_ns > w->end_ns ? log_time_ns : w->end_ns;
  d->pending++;
  return STATUS_OK;
}

size_t mcap_writer_pending_bytes(const struct mcap_writer *w) {
  return w->chunk.size;
}

uint64_t mcap_writer_pending_messages(const struct mcap_writer *w, uint16_t channel) {
  return w->channels[channel - 1].pending;
}

const struct mcap_written *mcap_writer_written(const struct mcap_writer *w) {
  return &w->written;
}

// The chunk record into out; returns the compressed size.
static size_t put_chunk(struct mcap_writer *w, struct bytes *out) {
  size_t content = mcap_begin_record(out, MCAP_CHUNK);
  bytes_put64(out, w->start_ns);
  bytes_put64(out, w->end_ns);
  bytes_put64(out, w->chunk.size);
  bytes_put32(out, (uint32_t)crc32_z(0, w->chunk.data, w->chunk.size));
  bytes_put_text(out, "zstd");
  bytes_put64(out, 0);
  size_t bound = ZSTD_compressBound(w->chunk.size), start = out->size;
  uint8_t *room = bytes_room(out, bound);
  if (!room)
    return 0;
  size_t size = ZSTD_compress(room, bound, w->chunk.data, w->chunk.size, ZSTD_LEVEL);
  if (ZSTD_isError(size)) { // only for want of memory
    out->failed = 1;
    return 0;
  }
  out->size += size;
  mcap_put64(out->data + start - 8, size);
  mcap_end_record(out, content);
  return size;
}

// The message index of one channel into out.
static void put_index(const struct mcap_writer *w, uint16_t channel, struct bytes *out) {
  const struct mcap_place *place = (const struct mcap_place *)(const void *)w->places.data;
  size_t count = w->places.size / sizeof *place;
  size_t content = mcap_begin_record(out, MCAP_MESSAGE_INDEX);
  bytes_put16(out, channel);
  bytes_put32(out, (uint32_t)(16 * w->channels[channel - 1].pending));
  for (size_t i = 0; i < count; i++) {
    if (place[i].channel != channel)
      continue;
    bytes_put64(out, place[i].time_ns);
    bytes_put64(out, place[i].offset);
  }
  mcap_end_record(out, content);
}

// The chunk with its message indexes into block, its line of the summary into index.
static void put_chunk_and_index(struct mcap_writer *w, struct bytes *block, struct bytes *index) {
  size_t compressed = put_chunk(w, block), chunk_length = block->size;
  size_t content = mcap_begin_record(index, MCAP_CHUNK_INDEX);
  bytes_put64(index, w->start_ns);
  bytes_put64(index, w->end_ns);
  bytes_put64(index, w->written.bytes);
  bytes_put64(index, chunk_length);
  bytes_put32(index, 0);
  size_t map = index->size;
  for (uint16_t i = 0; i < w->channel_count; i++) {
    if (!w->channels[i].pending)
      continue;
    bytes_put16(index, (uint16_t)(i + 1));
    bytes_put64(index, w->written.bytes + block->size);
    put_index(w, (uint16_t)(i + 1), block);
  }
  if (!index->failed)
    mcap_put32(index->data + map - 4, (uint32_t)(index->size - map));
  bytes_put64(index, block->size - chunk_length);
  bytes_put_text(index, "zstd");
  bytes_put64(index, compressed);
  bytes_put64(index, w->chunk.size);
  mcap_end_record(index, content);
}

static void empty_chunk(struct mcap_writer *w, enum mcap_defined where, int keep) {
  struct mcap_definition *lists[] = {w->schemas, w->channels};
  const int counts[] = {w->schema_count, w->channel_count};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < counts[k]; i++) {
      struct mcap_definition *d = &lists[k][i];
      d->where = d->where == DEFINED_IN_OPEN_CHUNK ? where : d->where;
      d->written += keep ? d->pending : 0;
      d->pending = 0;
    }
  w->chunk.size = w->places.size = 0;
}

enum status mcap_writer_flush(struct mcap_writer *w, size_t reserve_bytes, struct reason *why) {
  if (!w->places.size)
    return STATUS_OK;
  struct bytes block = {0};
  size_t before = w->chunk_index.size;
  put_chunk_and_index(w, &block, &w->chunk_index);
  enum status status = w->chunk_index.failed
                           ? fail(why, STATUS_NO_MEMORY, "%s: out of memory for the index", w->path)
                           : mcap_append(w, &block, mcap_summary_bound(w) + reserve_bytes, why);
  bytes_free(&block);
  if (status != STATUS_OK) {
    w->chunk_index.size = before;
    w->chunk_index.failed = 0;
    return status;
  }
  w->first_ns = !w->written.chunks || w->start_ns < w->first_ns ? w->start_ns : w->first_ns;
  w->last_ns = !w->written.chunks || w->end_ns > w->last_ns ? w->end_ns : w->last_ns;
  w->written.chunks++;
  w->written.messages += w->places.size / sizeof(struct mcap_place);
  empty_chunk(w, DEFINED_IN_FILE, 1);
  return STATUS_OK;
}

void mcap_writer_discard(struct mcap_writer *w) {
  empty_chunk(w, DEFINED_NOWHERE, 0);
}

enum status mcap_writer_sync(struct mcap_writer *w, struct reason *why) {
  return fdatasync(w->file) < 0 ? mcap_io_error(w, "cannot be synced", why) : STATUS_OK;
}

void mcap_writer_free(struct mcap_writer *w) {
  if (w->file >= 0)
    close(w->file);
  for (int i = 0; i < w->schema_count; i++)
    bytes_free(&w->schemas[i].record);
  for (int i = 0; i < w->channel_count; i++)
    bytes_free(&w->channels[i].record);
  bytes_free(&w->chunk);
  bytes_free(&w->places);
  bytes_free(&w->chunk_index);
  bytes_free(&w->metadata_index);
  free(w->path);
  free(w);
}
