// Private to the reader: mcap_reader.c opens the file and returns the messages, mcap_chunk.c reads records
// and checks a chunk and its content, mcap_summary.c reads the end of the file.
#pragma once

#include "log/mcap/mcap.h"

struct mcap_record_view { // a record whose content is in the reader's buffer
  uint8_t kind;
  uint64_t at; // byte in the file
  const uint8_t *content;
  size_t size;
};

struct mcap_chunk_entry { // of the chunk index
  uint64_t start_ns, end_ns, at, length;
  uint64_t record_at; // where the entry itself stands
  int is_met;         // the data has such a chunk
};

struct mcap_other_entry { // of the index of metadata and attachments
  uint64_t at, length, record_at;
  int kind, is_met; // MCAP_METADATA, MCAP_ATTACHMENT
};

struct mcap_statistics { // what the summary states of the numbers of records
  uint32_t schemas, channels, attachments, metadata;
};

struct mcap_reader {
  char *path;
  int file;
  uint64_t file_size;
  enum mcap_access access;
  uint64_t at;  // byte of the next record
  uint32_t crc; // of all bytes before it
  int ended;    // the end of the data was reached, or nothing more can be read
  int is_own;   // this program wrote it: all that MCAP leaves to the writer is there
  struct mcap_progress progress;

  struct mcap_schema *schemas[MCAP_MAX_CHANNELS];
  struct mcap_channel *channels[MCAP_MAX_CHANNELS];
  size_t schema_count, channel_count;

  struct bytes record; // the last record
  struct bytes chunk;  // records of the last chunk, uncompressed and checked
  uint64_t chunk_at;
  size_t next_in_chunk;
  uint64_t chunk_messages, indexed_messages; // in the last chunk, and in the message indexes behind it

  int has_summary;
  int needs_no_summary; // of another program, which wrote none
  struct reason no_summary;
  struct mcap_summary summary;
  uint64_t counts[MCAP_MAX_CHANNELS];    // messages of each channel according to the statistics,
  uint16_t count_ids[MCAP_MAX_CHANNELS]; // the channels' ids,
  size_t count_size;                     // and how many there are
  struct mcap_chunk_entry *index;
  size_t index_size, next_in_index;

  int selects;
  uint64_t from_ns, to_ns;

  // What the summary states, and what was found instead (mcap_summary.c).
  struct mcap_statistics said;
  size_t summary_schemas, summary_channels; // defined there
  struct bytes others;                      // struct mcap_other_entry
  struct bytes entry;                       // a record of the summary that was read again
  const uint8_t *map;                       // of the last chunk: channels and places of its message indexes
  size_t map_size, map_used;
  uint64_t index_bytes, said_index_bytes; // of the message indexes
  uint32_t metadata, attachments;         // in the data
  uint64_t found[MCAP_MAX_CHANNELS];      // messages of each channel, in the order of channels
  uint64_t first_ns, last_ns;             // smallest and largest log time

  struct bytes header; // content of the header record; empty: damaged
  void (*on_record)(void *context, uint8_t kind, const uint8_t *content, size_t size);
  void *on_record_context;
};

// Reads fields one after the other from a record's content; failed is set when one exceeds it, and the
// results are 0 or NULL then.
struct mcap_fields {
  const uint8_t *at, *end;
  int failed;
};
struct mcap_fields mcap_fields_of(const uint8_t *content, size_t size);
uint16_t mcap_take16(struct mcap_fields *fields);
uint32_t mcap_take32(struct mcap_fields *fields);
uint64_t mcap_take64(struct mcap_fields *fields);
const uint8_t *mcap_take(struct mcap_fields *fields, uint64_t size);
const char *mcap_take_text(struct mcap_fields *fields, size_t *size); // without a final zero

// Each returns STATUS_OK, or STATUS_BAD_INPUT, STATUS_IO or STATUS_NO_MEMORY with the reason.
enum status mcap_read_bytes(struct mcap_reader *reader, uint64_t at, void *to, size_t size,
                            struct reason *why);
enum status mcap_read_record(struct mcap_reader *reader, uint64_t at, struct mcap_record_view *out,
                             struct reason *why);
enum status mcap_define_schema(struct mcap_reader *reader, const uint8_t *content, size_t size, int in_data,
                               struct reason *why);
enum status mcap_define_channel(struct mcap_reader *reader, const uint8_t *content, size_t size, int in_data,
                                struct reason *why);
enum status mcap_load_chunk(struct mcap_reader *reader, const struct mcap_record_view *record,
                            struct reason *why);
enum status mcap_load_lone_record(struct mcap_reader *reader, const struct mcap_record_view *record,
                                  struct reason *why); // outside a chunk: schema, channel, message
enum status mcap_check_index(struct mcap_reader *reader, const struct mcap_record_view *record,
                             struct reason *why);
enum status mcap_load_summary(struct mcap_reader *reader, struct reason *why);

int mcap_next_in_chunk(struct mcap_reader *reader, struct mcap_message *out);          // 0: no more messages
struct mcap_channel *mcap_find_channel(const struct mcap_reader *reader, uint16_t id); // NULL: unknown

// Each compares what was read with the summary; STATUS_OK where there is none, and with MCAP_SALVAGE. Groups
// of records that MCAP leaves to the writer may be absent as a whole from files of other programs.
enum status mcap_check_chunk_entry(struct mcap_reader *reader, const struct mcap_record_view *chunk,
                                   struct reason *why);
enum status mcap_check_index_place(struct mcap_reader *reader, const struct mcap_record_view *record,
                                   struct reason *why);
enum status mcap_check_index_end(struct mcap_reader *reader, uint64_t at, struct reason *why); // of a chunk
enum status mcap_check_other_entry(struct mcap_reader *reader, const struct mcap_record_view *record,
                                   struct reason *why);
void mcap_count_message(struct mcap_reader *reader, const struct mcap_message *message);
enum status mcap_check_statistics(struct mcap_reader *reader, uint64_t at, struct reason *why);

// ------------------------------------------------------------
// Private to the writer: mcap_writer.c has the file and the open chunk, and writes metadata and the end of
// the file.

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
  struct ZSTD_CCtx_s *compressor; // NULL before the first chunk
};
