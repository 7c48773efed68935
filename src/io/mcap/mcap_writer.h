// Writes MCAP files: messages go into chunks (zstd, CRC, message index); closing adds summary, index and
// statistics. A chunk is written whole or not at all: room for it and for the summary that would close the
// file is reserved first, so that a file on a full disk stays valid and can still be closed. One thread owns
// a writer.
#pragma once

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>

struct mcap_writer;

struct mcap_text_pair {
  const char *key, *value;
};

struct mcap_written {
  uint64_t messages, chunks, bytes; // in the file
};

// Creates path (replaces what is there). library: name and version of the writing program.
enum status mcap_writer_open(const char *path, const char *library, struct mcap_writer **out,
                             struct reason *why);

// Before the first message. Return the id, 0 if there is no memory or too many are there. Messages and
// schemas are protobuf: schema data is a FileDescriptorSet.
uint16_t mcap_writer_schema(struct mcap_writer *w, const char *name, const void *data, size_t size);
uint16_t mcap_writer_channel(struct mcap_writer *w, uint16_t schema, const char *topic);

// Adds a message to the open chunk; nothing is written yet. STATUS_NO_MEMORY: the chunk can take no more now.
enum status mcap_writer_add(struct mcap_writer *w, uint16_t channel, uint32_t sequence, uint64_t log_time_ns,
                            const void *data, size_t size);
size_t mcap_writer_pending_bytes(const struct mcap_writer *w); // of the open chunk
uint64_t mcap_writer_pending_messages(const struct mcap_writer *w, uint16_t channel);

// Closes the open chunk and writes it. After STATUS_IO the chunk is still open and the file as it was: try
// again, or discard the chunk. Leaves room on the disk for one more chunk of reserve_bytes and the summary.
enum status mcap_writer_flush(struct mcap_writer *w, size_t reserve_bytes, struct reason *why);
void mcap_writer_discard(struct mcap_writer *w);
enum status mcap_writer_sync(struct mcap_writer *w, struct reason *why); // to the disk

// For people: a metadata record. The open chunk must be empty.
enum status mcap_writer_metadata(struct mcap_writer *w, const char *name, const struct mcap_text_pair *pairs,
                                 int count, struct reason *why);
// The same from the record's content, as mcap_metadata_content makes it.
struct bytes;
enum status mcap_metadata_content(struct bytes *out, const char *name, const struct mcap_text_pair *pairs,
                                  int count);
enum status mcap_writer_put_metadata(struct mcap_writer *w, const struct bytes *content, struct reason *why);
void mcap_header_content(struct bytes *out, const char *library); // of the header record

const struct mcap_written *mcap_writer_written(const struct mcap_writer *w);

// Flushes, writes the summary, syncs; frees w in any case. written may be NULL.
enum status mcap_writer_close(struct mcap_writer *w, struct mcap_written *written, struct reason *why);
