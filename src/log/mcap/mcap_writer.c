// What is outside the chunks: metadata, and the end of the file: data end, summary, footer.
#include "os/files/file_lock.h"
#include "log/mcap/mcap_writer_parts.h"

#include <unistd.h>
#include <zlib.h>

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

size_t mcap_summary_bound(const struct mcap_writer *writer) {
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
  record.failed |= index->failed;
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
