// The open chunk: messages are added in memory; a flush compresses it and appends it to the file, followed by
// its message indexes.
#include "log/mcap/mcap_writer_parts.h"

#include <zlib.h>
#include <zstd.h>

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

  size_t size = ZSTD_compress(room, bound, writer->chunk.data, writer->chunk.size, ZSTD_LEVEL);
  if (ZSTD_isError(size)) { // only if memory runs out
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
