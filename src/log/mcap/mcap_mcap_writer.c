// Layout of the file: magic, header; chunks, each followed by its message indexes, with metadata between
// them; data end, summary, footer, magic. Schemas and channels are in the chunks, where a CRC covers them.
#define _GNU_SOURCE // fallocate
#include "log/mcap/mcap_writer.h"

#include "os/files/folder_sync.h"
#include "log/mcap/mcap_writer_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

size_t mcap_begin_record(struct bytes *bytes, enum mcap_record kind) {
  bytes_put8(bytes, (uint8_t)kind);
  bytes_put64(bytes, 0);
  return bytes->size;
}

void mcap_end_record(struct bytes *bytes, size_t content) {
  if (!bytes->failed)
    mcap_put64(bytes->data + content - 8, bytes->size - content);
}

enum status mcap_io_error(const struct mcap_writer *writer, const char *what, struct reason *why) {
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

enum status mcap_append(struct mcap_writer *writer, const struct bytes *bytes, size_t reserve_bytes,
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
    return fail(why, STATUS_IO, "%s: cannot be created: a file expected, found a pipe", path);
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

void mcap_writer_free(struct mcap_writer *writer) {
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
  free(writer->path);
  free(writer);
}
