// The insides of a writer, shared by mcap_writer.c (chunks, the file) and mcap_summary.c (metadata, what
// closes it).
#pragma once

#include "io/mcap/bytes.h"
#include "io/mcap/mcap_format.h"
#include "io/mcap/mcap_writer.h"

enum mcap_defined { DEFINED_NOWHERE, DEFINED_IN_OPEN_CHUNK, DEFINED_IN_FILE };

struct mcap_definition { // a schema or a channel
  struct bytes record;
  enum mcap_defined where;
  uint16_t schema;           // of a channel
  uint64_t written, pending; // messages of a channel: in the file, in the open chunk
};

struct mcap_place { // of a message in the open chunk
  uint16_t channel;
  uint64_t time_ns, offset;
};

struct mcap_writer {
  char *path;
  int file;
  uint32_t crc; // of all that is written
  struct mcap_written written;
  uint64_t first_ns, last_ns; // log times in the file
  struct mcap_definition schemas[MCAP_MAX_CHANNELS], channels[MCAP_MAX_CHANNELS];
  uint16_t schema_count, channel_count;
  struct bytes chunk, places;               // the open chunk: its records, the places of its messages
  uint64_t start_ns, end_ns;                // log times in it
  struct bytes chunk_index, metadata_index; // records for the summary
  uint32_t metadata_count;
};

// A record's head with the length left open; returns where its content begins, for mcap_end_record.
size_t mcap_begin_record(struct bytes *b, enum mcap_record kind);
void mcap_end_record(struct bytes *b, size_t content);

size_t mcap_summary_bound(const struct mcap_writer *w); // bytes that the summary will take, or some more

// Appends all of it, or leaves the file as it was; keeps room on the disk for reserve_bytes more.
enum status mcap_append(struct mcap_writer *w, const struct bytes *b, size_t reserve_bytes,
                        struct reason *why);
enum status mcap_io_error(const struct mcap_writer *w, const char *what,
                          struct reason *why); // errno says why
void mcap_writer_free(struct mcap_writer *w);
