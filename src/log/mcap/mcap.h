// Reads MCAP files, from the beginning or by their index. Every length and CRC of a chunk is checked before
// any message of it is returned: a returned message is what was written. Memory is bounded by MCAP_MAX_CHUNK
// and the size of the summary. One thread owns a reader.
#pragma once

#include "sagbend/base/status.h"

#include <stddef.h>
#include <stdint.h>

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

enum mcap_next { MCAP_DAMAGED = -1, MCAP_END, MCAP_MESSAGE_READ };
// Reads the next message in the file's order. MCAP_DAMAGED (MCAP_STRICT only): the file is damaged at this
// point, truncated, or was not closed; why states what is wrong and at which byte; all messages before are
// good.
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
