// Private to the writer: mcap_mcap_writer.c is the file, mcap_write_chunk.c the open chunk, mcap_writer.c writes
// metadata and the end of the file.
#pragma once

#include "log/mcap/bytes.h"
#include "log/mcap/mcap_format.h"
#include "log/mcap/mcap_writer.h"

enum mcap_defined { DEFINED_NOWHERE, DEFINED_IN_OPEN_CHUNK, DEFINED_IN_FILE };

struct mcap_definition { // a schema or a channel
  struct bytes record;
  enum mcap_defined where;
  uint16_t schema;           // of a channel: id
  uint64_t written, pending; // of a channel: messages in the file and in the open chunk
};

struct mcap_place { // of a message in the open chunk
  uint16_t channel;
  uint64_t time_ns, offset;
};

struct mcap_writer {
  char *path;
  int file;
  uint32_t crc; // of all bytes written
  struct mcap_written written;
  uint64_t first_ns, last_ns; // smallest and largest log time in the file
  struct mcap_definition schemas[MCAP_MAX_CHANNELS], channels[MCAP_MAX_CHANNELS];
  uint16_t schema_count, channel_count;
  struct bytes chunk, places; // the open chunk: its records, and struct mcap_place of each message
  uint64_t start_ns, end_ns;  // smallest and largest log time in it
  struct bytes chunk_index, metadata_index; // records for the summary
  uint32_t metadata_count;
};

// Begins a record whose length is not known yet. Returns where its content begins, for mcap_end_record.
size_t mcap_begin_record(struct bytes *out, enum mcap_record kind);
void mcap_end_record(struct bytes *out, size_t content);

size_t mcap_summary_bound(const struct mcap_writer *writer); // bytes of the summary, at most

// Appends all bytes, or leaves the file unchanged; reserves disk space for reserve_bytes more.
enum status mcap_append(struct mcap_writer *writer, const struct bytes *bytes, size_t reserve_bytes,
                        struct reason *why);
enum status mcap_io_error(const struct mcap_writer *writer, const char *what,
                          struct reason *why); // with the text of errno
void mcap_writer_free(struct mcap_writer *writer);
