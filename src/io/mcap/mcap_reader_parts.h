// The insides of a reader: mcap_reader.c (the file from its beginning), mcap_chunk.c (a chunk and what is in
// it), mcap_read_summary.c (the end of the file and its index).
#pragma once

#include "io/mcap/bytes.h"
#include "io/mcap/mcap_format.h"
#include "io/mcap/mcap_reader.h"

struct mcap_record_view { // a record in the file: its content is in the reader's buffer
  uint8_t kind;
  uint64_t at; // byte in the file
  const uint8_t *content;
  size_t size;
};

struct mcap_chunk_entry { // of the index
  uint64_t start_ns, end_ns, at, length;
};

struct mcap_reader {
  char *path;
  int file;
  uint64_t file_size;
  enum mcap_access access;
  uint64_t at;  // next record
  uint32_t crc; // of all before it
  int ended;    // data end was met, or nothing more can be read
  struct mcap_progress progress;

  struct mcap_schema *schemas[MCAP_MAX_CHANNELS];
  struct mcap_channel *channels[MCAP_MAX_CHANNELS];
  size_t schema_count, channel_count;

  struct bytes record; // the last record's content
  struct bytes chunk;  // the last chunk's records, uncompressed and checked
  uint64_t chunk_at;
  size_t next_in_chunk;
  uint64_t chunk_messages, indexed_messages; // in the last chunk, in the message indexes after it

  int has_summary;
  struct reason no_summary;
  struct mcap_summary summary;
  uint64_t counts[MCAP_MAX_CHANNELS]; // messages by the statistics, as channels
  uint16_t count_ids[MCAP_MAX_CHANNELS];
  size_t count_size;
  struct mcap_chunk_entry *index;
  size_t index_size, next_in_index;

  int selects;
  uint64_t from_ns, to_ns;

  struct bytes header; // its content; empty: damaged
  void (*seen)(void *context, uint8_t kind, const uint8_t *content, size_t size);
  void *seen_context;
};

// Fields taken one after the other from a record's content; failed when one goes beyond it.
struct mcap_fields {
  const uint8_t *at, *end;
  int failed;
};
struct mcap_fields mcap_fields_of(const uint8_t *content, size_t size);
uint16_t mcap_take16(struct mcap_fields *f);
uint32_t mcap_take32(struct mcap_fields *f);
uint64_t mcap_take64(struct mcap_fields *f);
const uint8_t *mcap_take(struct mcap_fields *f, uint64_t size);
const char *mcap_take_text(struct mcap_fields *f, size_t *size); // not terminated

// Each returns STATUS_OK or STATUS_BAD_INPUT (STATUS_IO, STATUS_NO_MEMORY) with the reason.
enum status mcap_read_bytes(struct mcap_reader *r, uint64_t at, void *to, size_t size, struct reason *why);
enum status mcap_read_record(struct mcap_reader *r, uint64_t at, struct mcap_record_view *out,
                             struct reason *why);
enum status mcap_define_schema(struct mcap_reader *r, const uint8_t *content, size_t size, int in_data,
                               struct reason *why);
enum status mcap_define_channel(struct mcap_reader *r, const uint8_t *content, size_t size, int in_data,
                                struct reason *why);
enum status mcap_load_chunk(struct mcap_reader *r, const struct mcap_record_view *record, struct reason *why);
enum status mcap_check_index(struct mcap_reader *r, const struct mcap_record_view *record,
                             struct reason *why);
enum status mcap_load_summary(struct mcap_reader *r, struct reason *why);
int mcap_next_in_chunk(struct mcap_reader *r, struct mcap_message *out); // 0: no more
struct mcap_channel *mcap_find_channel(const struct mcap_reader *r, uint16_t id);
