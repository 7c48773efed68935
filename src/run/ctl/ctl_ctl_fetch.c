// sagbend ctl ENDPOINT fetch LOG FILE. The log arrives in FILE.part, which becomes FILE at the end. Each
// block is compared with the manager's digest of it, as it is on this disk; a FILE.part of an earlier
// transfer keeps the blocks that are right.
#include "run/ctl/ctl.h"

#include "sagbend/base/shown_text.h"

#include "os/files/file_digest.h"
#include "os/process/process.h"

#include "sagbend/v1/operator.pb-c.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct transfer {
  struct operator_line *line;
  struct order order;
  Sagbend__V1__Receipt *receipt; // newest answer
  const char *part;              // path of FILE.part
  int file;
  uint64_t size; // of the log when the transfer began
  uint64_t kept; // bytes that an earlier transfer left
};

static const Sagbend__V1__LogPiece *piece_of(const struct transfer *t) {
  return t->receipt->manager->piece;
}

static enum status ask(struct transfer *t, uint64_t offset, uint64_t size, int digest, struct reason *why) {
  t->order.manager.offset = offset;
  t->order.manager.size = (uint32_t)size;
  t->order.manager.digest = digest;
  enum status status = ctl_exchange(t->line, &t->order, &t->receipt, why);
  if (status != STATUS_OK)
    return status;
  const Sagbend__V1__LogPiece *piece = piece_of(t);
  if (!piece || piece->offset != offset || piece->covered > size ||
      piece->digest.len != (digest ? FILE_DIGEST : 0) || (!digest && piece->data.len != piece->covered))
    return fail(why, STATUS_IO, "another answer than the piece of the log that was asked for");
  return STATUS_OK;
}

static enum status put(struct transfer *t, const uint8_t *data, size_t size, uint64_t offset,
                       struct reason *why) {
  for (size_t done = 0; done < size;) {
    ssize_t written = pwrite(t->file, data + done, size - done, (off_t)(offset + done));
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return fail(why, STATUS_IO, "%s: %s; after that the same order continues", t->part, strerror(errno));
    done += (size_t)written;
  }
  return STATUS_OK;
}

// Compares a block of FILE.part with the manager's digest. *equal: whether both have it and it is the same.
static enum status compare(struct transfer *t, uint64_t offset, uint64_t size, int *equal,
                           struct reason *why) {
  uint8_t ours[FILE_DIGEST];
  uint64_t covered;
  enum status status = file_digest(t->file, offset, size, ours, &covered, why);
  if (status == STATUS_OK)
    status = ask(t, offset, size, 1, why);
  *equal = status == STATUS_OK && covered == size && piece_of(t)->covered == size &&
           memcmp(ours, piece_of(t)->digest.data, sizeof ours) == 0;
  return status;
}

// Finds how much of an earlier transfer is right.
static enum status find_kept(struct transfer *t, struct reason *why) {
  struct stat found;
  if (fstat(t->file, &found) < 0)
    return fail(why, STATUS_IO, "%s: %s", t->part, strerror(errno));
  uint64_t there = (uint64_t)found.st_size < t->size ? (uint64_t)found.st_size : t->size;
  enum status status = STATUS_OK;
  for (int equal = 1; t->kept < there && status == STATUS_OK;) {
    uint64_t size = there - t->kept < WIRE_DIGESTED ? there - t->kept : WIRE_DIGESTED;
    status = compare(t, t->kept, size, &equal, why);
    if (!equal)
      break;
    t->kept += size;
  }
  if (status == STATUS_OK && ftruncate(t->file, (off_t)t->kept) < 0)
    status = fail(why, STATUS_IO, "%s: %s", t->part, strerror(errno));
  return status;
}

static enum status fetch_block(struct transfer *t, uint64_t from, uint64_t size, struct reason *why) {
  for (uint64_t done = 0; done < size;) {
    uint64_t wanted = size - done < WIRE_PIECE ? size - done : WIRE_PIECE;
    enum status status = ask(t, from + done, wanted, 0, why);
    if (status != STATUS_OK)
      return status;
    const Sagbend__V1__LogPiece *piece = piece_of(t);
    if (piece->covered == 0)
      return fail(why, STATUS_IO, "the log has become shorter at the manager");
    status = put(t, piece->data.data, piece->data.len, from + done, why);
    if (status != STATUS_OK)
      return status;
    done += piece->covered;
  }
  int equal;
  enum status status = compare(t, from, size, &equal, why);
  if (status == STATUS_OK && !equal)
    status = fail(why, STATUS_IO, "%s: the digest of bytes %" PRIu64 " to %" PRIu64 " differs", t->part, from,
                  from + size);
  return status;
}

static enum status transfer(struct transfer *t, struct reason *why) {
  enum status status = ask(t, 0, 1, 0, why);
  if (status != STATUS_OK)
    return status;
  t->size = piece_of(t)->size;
  t->file = open(t->part, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (t->file < 0)
    return fail(why, STATUS_IO, "%s: %s", t->part, strerror(errno));
  status = find_kept(t, why);
  for (uint64_t at = t->kept; at < t->size && status == STATUS_OK;) {
    uint64_t size = t->size - at < WIRE_DIGESTED ? t->size - at : WIRE_DIGESTED;
    status = fetch_block(t, at, size, why);
    at += size;
  }
  if (status == STATUS_OK && fsync(t->file) < 0)
    status = fail(why, STATUS_IO, "%s: %s", t->part, strerror(errno));
  if (close(t->file) < 0 && status == STATUS_OK)
    status = fail(why, STATUS_IO, "%s: %s", t->part, strerror(errno));
  return status;
}

static enum status transfer_to(struct transfer *t, const char *endpoint, const struct client_keys *keys,
                               const char *file, char *part, size_t size, struct reason *why) {
  if (access(file, F_OK) == 0)
    return fail(why, STATUS_BAD_INPUT, "%s exists already", file);
  if (snprintf(part, size, "%s.part", file) >= (int)size)
    return fail(why, STATUS_BAD_INPUT, "%.120s...: the path is too long", file);
  t->part = part;
  enum status status = operator_line_open(endpoint, keys, &t->line, why);
  if (status != STATUS_OK)
    return status;
  status = transfer(t, why);
  operator_line_close(t->line);
  if (status == STATUS_OK && rename(part, file) < 0)
    status = fail(why, STATUS_IO, "%s: %s", file, strerror(errno));
  return status;
}

enum status ctl_fetch(const char *endpoint, const struct client_keys *keys, const struct order *order,
                      const char *file, int json, struct reason *why) {
  char part[4096];
  struct transfer *t = calloc(1, sizeof *t);
  if (!t)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  t->order = *order;
  os_survive_file_limits();
  enum status status = transfer_to(t, endpoint, keys, file, part, sizeof part, why);
  if (status == STATUS_OK && json)
    printf("{\"order\":\"fetch\",\"accepted\":true,\"size\":%" PRIu64 ",\"kept\":%" PRIu64 "}\n", t->size,
           t->kept);
  else if (status == STATUS_OK)
    printf("%s: %" PRIu64 " bytes, %" PRIu64 " of them from an earlier transfer\n", shown(file).text, t->size,
           t->kept);
  wire_free_receipt(t->receipt);
  free(t);
  return status;
}
