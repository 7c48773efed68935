// The file from its beginning, record by record; or by its index.
#include "io/mcap/mcap_reader.h"

#include "io/mcap/mcap_reader_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { MAX_RECORD = MCAP_MAX_CHUNK + (MCAP_MAX_CHUNK >> 3) }; // what zstd cannot shrink it lets grow a little

enum status mcap_read_bytes(struct mcap_reader *r, uint64_t at, void *to, size_t size, struct reason *why) {
  for (size_t done = 0; done < size;) {
    ssize_t n = pread(r->file, (uint8_t *)to + done, size - done, (off_t)(at + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return fail(why, STATUS_IO, "%s: cannot be read: %s", r->path, strerror(errno));
    if (n == 0)
      return fail(why, STATUS_BAD_INPUT, "%s: cut off at byte %" PRIu64, r->path, at + done);
    done += (size_t)n;
  }
  return STATUS_OK;
}

enum status mcap_read_record(struct mcap_reader *r, uint64_t at, struct mcap_record_view *out,
                             struct reason *why) {
  uint8_t head[MCAP_RECORD_HEAD];
  if (at > r->file_size || r->file_size - at < sizeof head)
    return fail(why, STATUS_BAD_INPUT, "%s: cut off at byte %" PRIu64 ": not closed in order", r->path,
                r->file_size);
  enum status status = mcap_read_bytes(r, at, head, sizeof head, why);
  if (status != STATUS_OK)
    return status;
  uint64_t size = mcap_get64(head + 1);
  if (head[0] < MCAP_HEADER || head[0] > MCAP_DATA_END)
    return fail(why, STATUS_BAD_INPUT, "%s: no record at byte %" PRIu64 ", but one of kind %u", r->path, at,
                head[0]);
  if (size > r->file_size - at - sizeof head)
    return fail(why, STATUS_BAD_INPUT, "%s: the record at byte %" PRIu64 " is cut off", r->path, at);
  if (size > MAX_RECORD)
    return fail(why, STATUS_BAD_INPUT,
                "%s: the record at byte %" PRIu64 " has %" PRIu64 " bytes, at most %d expected", r->path, at,
                size, MAX_RECORD);
  r->record.size = 0;
  r->record.failed = 0;
  uint8_t *room = bytes_room(&r->record, sizeof head + (size_t)size);
  if (!room)
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory for a record of %" PRIu64 " bytes", r->path, size);
  memcpy(room, head, sizeof head);
  *out = (struct mcap_record_view){head[0], at, room + sizeof head, (size_t)size};
  r->record.size = sizeof head + (size_t)size;
  return mcap_read_bytes(r, at + sizeof head, room + sizeof head, (size_t)size, why);
}

static enum status read_start(struct mcap_reader *r, struct reason *why) {
  struct mcap_record_view header;
  struct stat s;
  uint8_t magic[sizeof MCAP_MAGIC];
  r->file = open(r->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (r->file < 0 || fstat(r->file, &s) < 0)
    return fail(why, STATUS_IO, "%s: cannot be read: %s", r->path, strerror(errno));
  if (!S_ISREG(s.st_mode))
    return fail(why, STATUS_IO, "%s: a file expected", r->path);
  r->file_size = (uint64_t)s.st_size;
  if (r->file_size < sizeof magic || mcap_read_bytes(r, 0, magic, sizeof magic, NULL) != STATUS_OK ||
      memcmp(magic, MCAP_MAGIC, sizeof magic))
    return fail(why, STATUS_BAD_INPUT, "%s: no MCAP file: it does not begin as one", r->path);
  enum status status = mcap_read_record(r, sizeof magic, &header, why);
  if (status == STATUS_OK && header.kind != MCAP_HEADER)
    status = fail(why, STATUS_BAD_INPUT, "%s: no header at byte %zu", r->path, sizeof magic);
  r->at = sizeof magic;
  if (status != STATUS_OK && r->access == MCAP_STRICT)
    return status;
  r->crc = (uint32_t)crc32_z(0, magic, sizeof magic);
  if (status == STATUS_OK) {
    r->crc = (uint32_t)crc32_z(r->crc, r->record.data, r->record.size);
    r->at += r->record.size;
    bytes_put(&r->header, header.content, header.size);
  }
  return r->header.failed ? fail(why, STATUS_NO_MEMORY, "%s: out of memory for its header", r->path)
                          : STATUS_OK;
}

enum status mcap_reader_open(const char *path, enum mcap_access access, struct mcap_reader **out,
                             struct reason *why) {
  struct mcap_reader *r = calloc(1, sizeof *r);
  *out = NULL;
  if (r) {
    r->file = -1;
    r->access = access;
    r->path = strdup(path);
  }
  if (!r || !r->path) {
    free(r);
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory", path);
  }
  enum status status = read_start(r, why);
  if (status == STATUS_OK) {
    r->has_summary = mcap_load_summary(r, &r->no_summary) == STATUS_OK;
    *out = r;
  } else {
    mcap_reader_close(r);
  }
  return status;
}

void mcap_reader_close(struct mcap_reader *r) {
  if (!r)
    return;
  if (r->file >= 0)
    close(r->file);
  for (size_t i = 0; i < r->schema_count; i++)
    free(r->schemas[i]);
  for (size_t i = 0; i < r->channel_count; i++)
    free(r->channels[i]);
  bytes_free(&r->record);
  bytes_free(&r->chunk);
  bytes_free(&r->header);
  free(r->index);
  free(r->path);
  free(r);
}

static enum status check_end(struct mcap_reader *r, const struct mcap_record_view *end, struct reason *why) {
  if (end->size != 4)
    return fail(why, STATUS_BAD_INPUT, "%s: the end of the data at byte %" PRIu64 " is damaged", r->path,
                end->at);
  uint32_t crc = mcap_get32(end->content);
  if (crc && crc != r->crc)
    return fail(why, STATUS_BAD_INPUT, "%s: the checksum of the data before byte %" PRIu64 " is wrong",
                r->path, end->at);
  if (!r->has_summary)
    return fail(why, STATUS_BAD_INPUT, "%s", r->no_summary.text);
  if (r->summary.message_count != r->progress.messages || r->summary.chunk_count != r->progress.chunks)
    return fail(why, STATUS_BAD_INPUT, "%s: %" PRIu64 " messages found, %" PRIu64 " by its own account",
                r->path, r->progress.messages, r->summary.message_count);
  r->progress.complete = 1;
  return STATUS_OK;
}

static int index_is_short(const struct mcap_reader *r) {
  return r->indexed_messages && r->indexed_messages != r->chunk_messages;
}

// One record of the data section.
static enum status take_record(struct mcap_reader *r, const struct mcap_record_view *record,
                               struct reason *why) {
  if (record->kind != MCAP_MESSAGE_INDEX && index_is_short(r))
    return fail(why, STATUS_BAD_INPUT, "%s: message indexes are missing before byte %" PRIu64, r->path,
                record->at);
  switch (record->kind) {
  case MCAP_CHUNK:
    return mcap_load_chunk(r, record, why);
  case MCAP_MESSAGE_INDEX:
    return r->access == MCAP_SALVAGE ? STATUS_OK : mcap_check_index(r, record, why);
  case MCAP_METADATA:
  case MCAP_ATTACHMENT:
    if (r->seen)
      r->seen(r->seen_context, record->kind, record->content, record->size);
    return STATUS_OK;
  case MCAP_DATA_END:
    r->ended = record->size == 4;
    return r->ended && r->access == MCAP_SALVAGE ? (check_end(r, record, NULL), STATUS_OK)
                                                 : check_end(r, record, why);
  default:
    return fail(why, STATUS_BAD_INPUT, "%s: the record at byte %" PRIu64 " does not belong there (kind %u)",
                r->path, record->at, record->kind);
  }
}

// The byte where the next chunk may begin, looked for by its compression's name; the file's end if there is
// none.
static uint64_t look_for_chunk(struct mcap_reader *r, uint64_t from) {
  static const uint8_t pattern[] = {4, 0, 0, 0, 'z', 's', 't', 'd'};
  enum { BEFORE = MCAP_RECORD_HEAD + 28, BLOCK = 65536 };
  uint8_t block[BLOCK];
  for (uint64_t at = from; at < r->file_size; at += BLOCK - BEFORE - sizeof pattern) {
    uint64_t left = r->file_size - at;
    size_t size = left < BLOCK ? (size_t)left : (size_t)BLOCK;
    if (mcap_read_bytes(r, at, block, size, NULL) != STATUS_OK)
      break;
    for (size_t i = 0; i + BEFORE + sizeof pattern <= size; i++)
      if (block[i] == MCAP_CHUNK && !memcmp(block + i + BEFORE, pattern, sizeof pattern))
        return at + i;
    if (size < BLOCK)
      break;
  }
  return r->file_size;
}

static void pass_over(struct mcap_reader *r, int was_chunk) {
  uint64_t next = look_for_chunk(r, r->at + 1);
  r->progress.damaged_chunks += was_chunk != 0;
  r->progress.lost_bytes += next - r->at;
  r->at = next;
  r->ended = next == r->file_size;
}

// Reads records until a chunk is loaded: 1; 0 at the end; -1.
static int next_chunk_in_file(struct mcap_reader *r, struct reason *why) {
  while (!r->ended) {
    struct mcap_record_view record = {0};
    enum status status = mcap_read_record(r, r->at, &record, why);
    int was_read = status == STATUS_OK;
    if (was_read)
      status = take_record(r, &record, why);
    if (status != STATUS_OK && (r->access == MCAP_STRICT || status == STATUS_IO)) {
      r->ended = 1;
      return -1;
    }
    if (status != STATUS_OK) {
      pass_over(r, was_read && record.kind == MCAP_CHUNK);
      continue;
    }
    r->crc = (uint32_t)crc32_z(r->crc, r->record.data, r->record.size);
    r->at += MCAP_RECORD_HEAD + record.size;
    if (record.kind == MCAP_CHUNK)
      return 1;
  }
  return 0;
}

static int next_chunk_by_index(struct mcap_reader *r, struct reason *why) {
  while (r->next_in_index < r->index_size) {
    const struct mcap_chunk_entry *e = &r->index[r->next_in_index++];
    struct mcap_record_view record;
    if (e->start_ns > r->to_ns || e->end_ns < r->from_ns)
      continue;
    enum status status = mcap_read_record(r, e->at, &record, why);
    if (status == STATUS_OK && (record.kind != MCAP_CHUNK || record.size + MCAP_RECORD_HEAD != e->length))
      status = fail(why, STATUS_BAD_INPUT, "%s: no chunk at byte %" PRIu64 ", where the index has one",
                    r->path, e->at);
    if (status == STATUS_OK)
      status = mcap_load_chunk(r, &record, why);
    if (status == STATUS_OK)
      return 1;
    if (r->access == MCAP_STRICT) {
      r->next_in_index = r->index_size;
      return -1;
    }
    r->progress.damaged_chunks++;
  }
  return 0;
}

int mcap_reader_next(struct mcap_reader *r, struct mcap_message *out, struct reason *why) {
  for (;;) {
    while (mcap_next_in_chunk(r, out)) {
      r->progress.messages++;
      if (!r->selects || (out->log_time_ns >= r->from_ns && out->log_time_ns <= r->to_ns))
        return 1;
    }
    int by_index = r->selects && r->has_summary;
    int more = by_index ? next_chunk_by_index(r, why) : next_chunk_in_file(r, why);
    if (more <= 0) {
      r->chunk.size = r->next_in_chunk = 0;
      return more;
    }
  }
}

void mcap_reader_select(struct mcap_reader *r, uint64_t from_ns, uint64_t to_ns) {
  r->selects = 1;
  r->from_ns = from_ns;
  r->to_ns = to_ns;
}

const struct mcap_channel *mcap_reader_channel(const struct mcap_reader *r, size_t index) {
  return index < r->channel_count ? r->channels[index] : NULL;
}

const struct mcap_progress *mcap_reader_progress(const struct mcap_reader *r) {
  return &r->progress;
}

uint64_t mcap_reader_file_size(const struct mcap_reader *r) {
  return r->file_size;
}

void mcap_reader_on_record(struct mcap_reader *r,
                           void (*seen)(void *context, uint8_t kind, const uint8_t *content, size_t size),
                           void *context) {
  r->seen = seen;
  r->seen_context = context;
}

const uint8_t *mcap_reader_header(const struct mcap_reader *r, size_t *size) {
  *size = r->header.size;
  return r->header.size ? r->header.data : NULL;
}
