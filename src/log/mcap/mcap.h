// MCAP files: writing and reading.
#pragma once

#include "sagbend/base/base.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// ------------------------------------------------------------
// A growing buffer of bytes with little-endian numbers. If memory runs out, failed is set and everything put
// afterwards is ignored, so that a caller can check once at the end.

struct bytes { // all zero: empty
  uint8_t *data;
  size_t size, capacity;
  int failed;
};

void bytes_put(struct bytes *bytes, const void *data, size_t size);
void bytes_put8(struct bytes *bytes, uint8_t value);
void bytes_put16(struct bytes *bytes, uint16_t value);
void bytes_put32(struct bytes *bytes, uint32_t value);
void bytes_put64(struct bytes *bytes, uint64_t value);
void bytes_put_text(struct bytes *bytes, const char *text); // length in 32 bits, then the text

// Room for size more bytes behind the content, for the caller to fill and to add to size. NULL: out of
// memory.
uint8_t *bytes_room(struct bytes *bytes, size_t size);
void bytes_free(struct bytes *bytes); // empty afterwards

// ------------------------------------------------------------
// The format of MCAP files (version 0): numbers of the records, and little-endian numbers.

static const uint8_t MCAP_MAGIC[8] = {0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};

enum mcap_record {
  MCAP_HEADER = 1,
  MCAP_FOOTER,
  MCAP_SCHEMA,
  MCAP_CHANNEL,
  MCAP_MESSAGE,
  MCAP_CHUNK,
  MCAP_MESSAGE_INDEX,
  MCAP_CHUNK_INDEX,
  MCAP_ATTACHMENT,
  MCAP_ATTACHMENT_INDEX,
  MCAP_STATISTICS,
  MCAP_METADATA,
  MCAP_METADATA_INDEX,
  MCAP_SUMMARY_OFFSET,
  MCAP_DATA_END
};

enum {
  MCAP_RECORD_HEAD = 9,       // kind and length before each record's content
  MCAP_MESSAGE_HEAD = 22,     // before each message's data
  MCAP_FOOTER_CONTENT = 20,   // bytes
  MCAP_MAX_CHUNK = 128 << 20, // bytes of the records of a chunk, written or read
  MCAP_MAX_CHANNELS = 1024    // at most, and as many schemas
};

static inline void mcap_put16(uint8_t *to, uint16_t value) {
  to[0] = (uint8_t)value;
  to[1] = (uint8_t)(value >> 8);
}

static inline void mcap_put32(uint8_t *to, uint32_t value) {
  mcap_put16(to, (uint16_t)value);
  mcap_put16(to + 2, (uint16_t)(value >> 16));
}

static inline void mcap_put64(uint8_t *to, uint64_t value) {
  mcap_put32(to, (uint32_t)value);
  mcap_put32(to + 4, (uint32_t)(value >> 32));
}

static inline uint16_t mcap_get16(const uint8_t *from) {
  return (uint16_t)(from[0] | from[1] << 8);
}

static inline uint32_t mcap_get32(const uint8_t *from) {
  return mcap_get16(from) | (uint32_t)mcap_get16(from + 2) << 16;
}

static inline uint64_t mcap_get64(const uint8_t *from) {
  return mcap_get32(from) | (uint64_t)mcap_get32(from + 4) << 32;
}

// ------------------------------------------------------------
// Reads MCAP files, from the beginning or by their index. Every length and CRC of a chunk is checked before
// any message of it is returned: a returned message is what was written. Memory is bounded by MCAP_MAX_CHUNK
// and the size of the summary. One thread owns a reader.

struct mcap_schema {
  uint16_t id;
  const char *name, *encoding;
  const uint8_t *data;
  size_t size;
  int in_data; // a chunk defines it, not only the summary
};

struct mcap_channel {
  uint16_t id;
  const char *topic, *message_encoding;
  const struct mcap_schema *schema; // NULL: none
  int in_data;                      // a chunk defines it, not only the summary
  const uint8_t *more;              // further keys and values, as MCAP stores them; this program writes none
  size_t more_size;
};

struct mcap_message {
  const struct mcap_channel *channel; // valid until the reader is closed
  uint32_t sequence;
  uint64_t log_time_ns, publish_time_ns;
  const uint8_t *data; // valid until the next call with this reader
  size_t size;
};

// What the file's summary states; its CRC is right.
struct mcap_summary {
  uint64_t message_count, chunk_count;
  uint64_t start_ns, end_ns;          // smallest and largest log time
  uint64_t stored_bytes, plain_bytes; // of all chunks, compressed and uncompressed
};

// What has been read so far.
struct mcap_progress {
  uint64_t messages, chunks;
  uint64_t damaged_chunks; // skipped by MCAP_SALVAGE
  uint64_t lost_bytes;     // skipped by MCAP_SALVAGE, including the end of the file
  int complete;            // the file was read to its end, and it is closed properly
};

enum mcap_access {
  MCAP_STRICT, // the first damage ends reading
  MCAP_SALVAGE // damage is skipped; every undamaged chunk is returned
};

struct mcap_reader;

// STATUS_IO: the file cannot be read; STATUS_BAD_INPUT: it is not an MCAP file. why names the path. Release
// with mcap_reader_close.
enum status mcap_reader_open(const char *path, enum mcap_access access, struct mcap_reader **out,
                             struct reason *why);
void mcap_reader_close(struct mcap_reader *reader);

// NULL, and the reason unless why is NULL, if the file was not closed properly or its summary is damaged.
const struct mcap_summary *mcap_reader_summary(const struct mcap_reader *reader, struct reason *why);

// Selects messages with from_ns <= log time <= to_ns. With a summary only the chunks that can contain some
// are read. Call before the first mcap_reader_next.
void mcap_reader_select(struct mcap_reader *reader, uint64_t from_ns, uint64_t to_ns);

enum mcap_next { MCAP_NO_MEMORY = -2, MCAP_DAMAGED, MCAP_END, MCAP_MESSAGE_READ };
// Reads the next message in the file's order. MCAP_DAMAGED: the file is damaged at this point, truncated, or
// was not closed (MCAP_STRICT only), or the disk fails; why states what is wrong and at which byte; all
// messages before are good. MCAP_NO_MEMORY: the file may be good.
enum mcap_next mcap_reader_next(struct mcap_reader *reader, struct mcap_message *out, struct reason *why);

// The channels found so far, by index from 0; with a summary all of them at once. NULL: no more.
const struct mcap_channel *mcap_reader_channel(const struct mcap_reader *reader, size_t index);
// Messages of a channel according to the summary; 0 without a summary.
uint64_t mcap_reader_channel_count(const struct mcap_reader *reader, uint16_t id);

// Calls on_record for each metadata and attachment record, between the messages before and after it, while
// the file is read from its beginning. kind: the record's number in the format. Call before the first
// mcap_reader_next.
void mcap_reader_on_record(struct mcap_reader *reader,
                           void (*on_record)(void *context, uint8_t kind, const uint8_t *content,
                                             size_t size),
                           void *context);
// Content of the header record; NULL: it is damaged.
const uint8_t *mcap_reader_header(const struct mcap_reader *reader, size_t *size);

// After reading to a proper end: a topic or schema in the summary that no chunk defines; NULL: none.
const char *mcap_reader_undefined(const struct mcap_reader *reader);

const struct mcap_progress *mcap_reader_progress(const struct mcap_reader *reader);
uint64_t mcap_reader_file_size(const struct mcap_reader *reader); // bytes

// ------------------------------------------------------------
// Writes MCAP files: messages go into chunks (zstd, CRC, message index); closing adds summary, index and
// statistics. A chunk is written whole or not at all: disk space for it and for the summary that would close
// the file is reserved first, so that on a full disk the file stays valid and can still be closed. One thread
// at a time owns a writer.

struct mcap_writer;

struct mcap_text_pair {
  const char *key, *value;
};

struct mcap_written { // in the file
  uint64_t messages, chunks, bytes;
};

// Creates path, or replaces the file that is there. library: name and version of the writing program. why
// names the path. A file that cannot begin is removed again. End with mcap_writer_close or
// mcap_writer_abandon.
enum status mcap_writer_open(const char *path, const char *library, struct mcap_writer **out,
                             struct reason *why);

// Define schemas and channels before the first message. Both return the id, 0 if memory runs out or there are
// too many. Messages are protobuf; the data of a schema is a FileDescriptorSet.
uint16_t mcap_writer_schema(struct mcap_writer *writer, const char *name, const void *data, size_t size);
uint16_t mcap_writer_channel(struct mcap_writer *writer, uint16_t schema, const char *topic);

// Adds a message to the open chunk in memory. STATUS_NO_MEMORY: the chunk cannot take it; flush first.
enum status mcap_writer_add(struct mcap_writer *writer, uint16_t channel, uint32_t sequence,
                            uint64_t log_time_ns, const void *data, size_t size);
// In the open chunk: bytes, and messages of a channel.
size_t mcap_writer_pending_bytes(const struct mcap_writer *writer);
uint64_t mcap_writer_pending_messages(const struct mcap_writer *writer, uint16_t channel);

// Writes the open chunk. After STATUS_IO the chunk is still open and the file unchanged: try again, or
// discard the chunk. Leaves disk space reserved for one more chunk of reserve_bytes and the summary.
enum status mcap_writer_flush(struct mcap_writer *writer, size_t reserve_bytes, struct reason *why);
void mcap_writer_discard(struct mcap_writer *writer);
enum status mcap_writer_sync(struct mcap_writer *writer, struct reason *why); // to the disk

// Removes the file, unless path is a device or a link, and frees writer.
void mcap_writer_abandon(struct mcap_writer *writer);

// Writes a metadata record, which MCAP readers show. The open chunk must be empty.
enum status mcap_writer_metadata(struct mcap_writer *writer, const char *name,
                                 const struct mcap_text_pair *pairs, int count, struct reason *why);
// The same in two steps, for callers that need the content of the record.
struct bytes;
enum status mcap_metadata_content(struct bytes *out, const char *name, const struct mcap_text_pair *pairs,
                                  int count);
enum status mcap_writer_put_metadata(struct mcap_writer *writer, const struct bytes *content,
                                     struct reason *why);
void mcap_header_content(struct bytes *out, const char *library); // content of the header record

const struct mcap_written *mcap_writer_written(const struct mcap_writer *writer);

// Flushes, writes the summary, syncs, closes; frees writer in any case. written may be NULL.
enum status mcap_writer_close(struct mcap_writer *writer, struct mcap_written *written, struct reason *why);
