#include "sagbend/base/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_of(mode_t mode) {
  return S_ISDIR(mode)                    ? "a directory"
         : S_ISFIFO(mode)                 ? "a FIFO"
         : S_ISSOCK(mode)                 ? "a socket"
         : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
                                          : "something else";
}

static enum status check(const struct stat *found, uint64_t largest_bytes, struct reason *why) {
  if (!S_ISREG(found->st_mode))
    return fail(why, STATUS_BAD_INPUT, "a regular file expected, got %s", kind_of(found->st_mode));
  if ((uint64_t)found->st_size > largest_bytes)
    return fail(why, STATUS_BAD_INPUT, "a file of at most %" PRIu64 " bytes expected, got %" PRIu64,
                largest_bytes, (uint64_t)found->st_size);
  return STATUS_OK;
}

enum status regular_file_open(const char *path, uint64_t largest_bytes, struct regular_file *out,
                              struct reason *why) {
  struct stat found;
  *out = (struct regular_file){.descriptor = -1};
  if (stat(path, &found))
    return fail(why, STATUS_BAD_INPUT, "%s", strerror(errno));
  if (check(&found, largest_bytes, why) != STATUS_OK) // before opening, which can act on a device
    return STATUS_BAD_INPUT;

  int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0 || fstat(file, &found)) {
    fail(why, STATUS_BAD_INPUT, "%s", strerror(errno));
  } else if (check(&found, largest_bytes, why) == STATUS_OK) { // the path may name another file by now
    *out = (struct regular_file){file, (uint64_t)found.st_size, (found.st_mode & S_IROTH) != 0};
    return STATUS_OK;
  }

  if (file >= 0)
    close(file);
  return STATUS_BAD_INPUT;
}
