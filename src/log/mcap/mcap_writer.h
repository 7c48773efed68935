// Writes MCAP files: messages go into chunks (zstd, CRC, message index); closing adds summary, index and
// statistics. A chunk is written whole or not at all: disk space for it and for the summary that would close
// the file is reserved first, so that on a full disk the file stays valid and can still be closed. One thread
// at a time owns a writer.
#pragma once

#include "sagbend/base/status.h"

#include <stddef.h>
#include <stdint.h>

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
