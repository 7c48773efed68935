// Deletes the oldest parts in a folder of logs: first those of other sessions, then those of the session that
// runs. Their names begin with the start and the name of their session and end with the number of the part.
// Only files with such a name are touched.
#include "log/log/log_internal.h"

#include "sagbend/base/base.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SESSION_LENGTH = 34 }; // bytes of a name before the number

struct part {
  char name[64];
  uint64_t bytes;
  int is_own;              // of the session that runs
  struct timespec changed; // time of the last modification
};

// "20260131T120000Z-0123456789abcdef-000001.mcap": d a digit, x a hexadecimal digit.
static int is_part_name(const char *name) {
  static const char pattern[] = "ddddddddTddddddZ-xxxxxxxxxxxxxxxx-dddddd.mcap";
  size_t i = 0;
  for (; pattern[i] && name[i]; i++) {
    unsigned char c = (unsigned char)name[i];
    int fits = pattern[i] == 'd'   ? isdigit(c)
               : pattern[i] == 'x' ? isxdigit(c)
                                   : c == (unsigned char)pattern[i];
    if (!fits)
      return 0;
  }
  return !pattern[i] && !name[i];
}

// Those of other sessions first, by the time of their last modification: a clock that was wrong when a
// session began does not matter. Then those of the session that runs, by number.
static int by_age(const void *a, const void *b) {
  const struct part *x = a, *y = b;
  if (x->is_own != y->is_own)
    return x->is_own ? 1 : -1;
  if (!x->is_own && x->changed.tv_sec != y->changed.tv_sec)
    return x->changed.tv_sec < y->changed.tv_sec ? -1 : 1;
  if (!x->is_own && x->changed.tv_nsec != y->changed.tv_nsec)
    return x->changed.tv_nsec < y->changed.tv_nsec ? -1 : 1;
  return strcmp(x->name, y->name);
}

// The parts in the folder, except the one called present, sorted. Returns their number. NULL: none, or they
// cannot be listed, for the reason in why.
static struct part *list_parts(const char *folder, const char *present, size_t *count, struct reason *why) {
  struct part *parts = NULL;
  size_t capacity = 0;
  const struct dirent *entry;
  DIR *directory = opendir(folder);
  *count = 0;
  if (!directory) {
    fail(why, STATUS_IO, "%s: cannot be listed: %s", folder, strerror(errno));
    return NULL;
  }
  while ((entry = readdir(directory))) { // NOLINT(concurrency-mt-unsafe): the stream is this thread's own
    struct stat about;
    int file = dirfd(directory);
    if (!is_part_name(entry->d_name) || !strcmp(entry->d_name, present) || file < 0 ||
        fstatat(file, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) || !S_ISREG(about.st_mode))
      continue;
    if (*count == capacity) {
      capacity = 2 * capacity + 64;
      struct part *more = realloc(parts, capacity * sizeof *more);
      if (!more)
        break;
      parts = more;
    }
    struct part *part = &parts[(*count)++];
    memcpy(part->name, entry->d_name, strlen(entry->d_name) + 1); // the pattern bounds it
    part->bytes = (uint64_t)about.st_size;
    part->is_own = !strncmp(part->name, present, SESSION_LENGTH);
    part->changed = about.st_mtim;
  }
  closedir(directory);
  if (parts)
    qsort(parts, *count, sizeof *parts, by_age);
  return parts;
}

// Whether a program still writes the part.
static int is_written(const char *folder, const struct part *part) {
  int written = 0, at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int file = at < 0 ? -1 : openat(at, part->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file >= 0) {
    written = flock(file, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
    close(file);
  }
  if (at >= 0)
    close(at);
  return written;
}

static int delete_part(const char *folder, const struct part *part, struct reason *why) {
  size_t size = strlen(folder) + sizeof part->name + 2;
  char *path = malloc(size);
  if (!path)
    return 0;
  snprintf(path, size, "%s/%s", folder, part->name);
  int done = remove(path) == 0;
  if (!done)
    fail(why, STATUS_IO, "%s: cannot be deleted: %s", path, strerror(errno));
  free(path);
  return done;
}

struct log_folder_result log_folder_delete_old(const char *path, const struct log_folder_limits *keep,
                                               uint64_t present_bytes) {
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, (size_t)(slash - path) + (slash == path)) : strdup(".");
  struct log_folder_result result = {0};
  size_t count = 0;
  if (!folder || (!keep->parts && !keep->bytes)) {
    free(folder);
    return result;
  }
  struct part *parts = list_parts(folder, slash ? slash + 1 : path, &count, &result.why);
  result.failed += *result.why.text != 0;
  for (size_t i = 0; i < count; i++)
    result.kept_bytes += parts[i].bytes;
  for (size_t i = 0; i < count; i++) { // the present part counts as one
    int too_many = keep->parts && count - i + 1 > keep->parts;
    int too_large = keep->bytes && result.kept_bytes + present_bytes > keep->bytes;
    if (!too_many && !too_large)
      break;
    if (is_written(folder, &parts[i]))
      continue;
    int done = delete_part(folder, &parts[i], &result.why);
    result.deleted += (uint64_t)done;
    result.failed += (uint64_t)!done;
    result.kept_bytes -= parts[i].bytes;
  }
  free(parts);
  free(folder);
  return result;
}
