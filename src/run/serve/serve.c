#include "run/serve/logs.h"

#include "os/files/file_digest.h"
#include "run/serve/file_name.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

_Static_assert((int)FILE_DIGEST == (int)WIRE_DIGEST, "the digest fits");

static const char ENDING[] = ".mcap";

static void describe(const char *name, const struct stat *found, struct wire_log_info *out) {
  struct tm utc;
  snprintf(out->name, sizeof out->name, "%s%s", name, ENDING);
  out->size = (uint64_t)found->st_size;
  strftime(out->changed_at, sizeof out->changed_at, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&found->st_mtime, &utc));
}

enum status logs_list(const char *folder, uint32_t first, const char *session, struct wire_manager *out,
                      struct reason *why) {
  char **names, path[PATH_MAX];
  int count, growing_seen = 0;
  enum status status = file_list(folder, ENDING, &names, &count, why);
  if (status != STATUS_OK)
    return status;
  out->kind = MANAGER_LOGS;
  for (int i = count - 1; i >= 0; i--) { // names begin with the time
    struct stat found;
    if (strlen(names[i]) + sizeof ENDING > WIRE_FILE_NAME ||
        file_find(folder, names[i], ENDING, path, sizeof path, NULL) != STATUS_OK || stat(path, &found) < 0)
      continue;
    int growing = !growing_seen && *session && strstr(names[i], session) != NULL;
    growing_seen |= growing;
    if (out->total++ < first || out->count == WIRE_LISTED)
      continue;
    describe(names[i], &found, &out->as.logs[out->count]);
    out->as.logs[out->count++].growing = growing;
  }
  file_list_free(names, count);
  return STATUS_OK;
}

static enum status read_piece(int file, const struct manager_order *order, struct wire_piece *piece,
                              struct reason *why) {
  struct stat found;
  if (fstat(file, &found) < 0)
    return fail(why, STATUS_BAD_INPUT, "%s: %s", order->name, strerror(errno));
  piece->offset = order->offset;
  piece->size = (uint64_t)found.st_size;
  if (order->offset > piece->size)
    return fail(why, STATUS_BAD_INPUT, "%s: an offset of at most %llu expected, got %llu", order->name,
                (unsigned long long)piece->size, (unsigned long long)order->offset);
  if (order->digest) {
    piece->has_digest = 1;
    return file_digest(file, order->offset, order->size, piece->digest, &piece->covered, why) == STATUS_OK
               ? STATUS_OK
               : STATUS_BAD_INPUT;
  }
  ssize_t got =
      pread(file, piece->data, order->size < WIRE_PIECE ? order->size : WIRE_PIECE, (off_t)order->offset);
  if (got < 0)
    return fail(why, STATUS_BAD_INPUT, "%s: %s", order->name, strerror(errno));
  piece->covered = piece->data_size = (size_t)got;
  return STATUS_OK;
}

enum status logs_piece(const char *folder, const struct manager_order *order, struct wire_manager *out,
                       struct reason *why) {
  char name[WIRE_FILE_NAME], path[PATH_MAX];
  snprintf(name, sizeof name, "%s", order->name);
  size_t length = strlen(name), end = sizeof ENDING - 1;
  if (length <= end || strcmp(name + length - end, ENDING) != 0)
    return fail(why, STATUS_BAD_INPUT, "name: a log expected, as 'logs' lists it");
  name[length - end] = 0;
  enum status status = file_find(folder, name, ENDING, path, sizeof path, why);
  if (status != STATUS_OK)
    return status;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (file < 0)
    return fail(why, STATUS_BAD_INPUT, "%s: %s", order->name, strerror(errno));
  out->kind = MANAGER_PIECE;
  status = read_piece(file, order, &out->as.piece, why);
  close(file);
  return status;
}
