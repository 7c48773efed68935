// Reads MCAP files, from their beginning or by their index. Every length and CRC is checked before anything
// of a chunk is given out: a message that comes out is what was written, or the writer was wrong. Memory is
// bounded by MCAP_MAX_CHUNK and the size of the summary.
#pragma once

#include "core/base/status.h"

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
};

struct mcap_message {
  const struct mcap_channel *channel;
  uint32_t sequence;
  uint64_t log_time_ns, publish_time_ns;
  const uint8_t *data; // valid until the next call with this reader
  size_t size;
};

// The file's own account, from a summary whose CRC is right.
struct mcap_summary {
  uint64_t message_count, chunk_count;
  uint64_t start_ns, end_ns;          // least and largest log time
  uint64_t stored_bytes, plain_bytes; // of all chunks, compressed and not
};

// What reading has met so far.
struct mcap_progress {
  uint64_t messages, chunks;
  uint64_t damaged_chunks; // passed over by MCAP_SALVAGE
  uint64_t lost_bytes;     // passed over by MCAP_SALVAGE, the tail included
  int complete;            // the file was read to its end and its end is in order
};

enum mcap_access {
  MCAP_STRICT, // the first damage ends reading
  MCAP_SALVAGE // damage is passed over; every good chunk is given out
};

struct mcap_reader;

// STATUS_IO: the file cannot be read; STATUS_BAD_INPUT: it is no MCAP file. Close with mcap_reader_close.
enum status mcap_reader_open(const char *path, enum mcap_access access, struct mcap_reader **out,
                             struct reason *why);
void mcap_reader_close(struct mcap_reader *r);

// NULL and the reason (if why is not NULL) when the file was not closed in order or its summary is damaged.
const struct mcap_summary *mcap_reader_summary(const struct mcap_reader *r, struct reason *why);

// Messages with from_ns <= log time <= to_ns only; with a summary only the chunks that may hold some are
// read, in the file's order. Call before the first mcap_reader_next.
void mcap_reader_select(struct mcap_reader *r, uint64_t from_ns, uint64_t to_ns);

// The next message in the file's order: 1. At the end: 0. -1: the file is damaged here, cut off or was not
// closed; why says what and at which byte; all that came before is good (MCAP_STRICT only).
int mcap_reader_next(struct mcap_reader *r, struct mcap_message *out, struct reason *why);

// The topics met so far; all of them at once where there is a summary. Both NULL beyond the last.
const struct mcap_channel *mcap_reader_channel(const struct mcap_reader *r, size_t index);
uint64_t mcap_reader_channel_count(const struct mcap_reader *r,
                                   uint16_t id); // messages, by the summary; else 0

// Calls seen for each metadata and attachment record that reading from the beginning passes over, between the
// messages before and after it. kind is the record's number in the format. Call before the first
// mcap_reader_next.
void mcap_reader_on_record(struct mcap_reader *r,
                           void (*seen)(void *context, uint8_t kind, const uint8_t *content, size_t size),
                           void *context);
const uint8_t *mcap_reader_header(const struct mcap_reader *r,
                                  size_t *size); // content of the header record; NULL: damaged

// The topic or schema of the summary that no record of the data defines, once reading has come to its end in
// order; NULL: none.
const char *mcap_reader_undefined(const struct mcap_reader *r);

const struct mcap_progress *mcap_reader_progress(const struct mcap_reader *r);
uint64_t mcap_reader_file_size(const struct mcap_reader *r);
