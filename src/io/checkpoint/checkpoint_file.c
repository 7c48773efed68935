// Writing and reading a checkpoint file.
#include "io/checkpoint/checkpoint.h"

#include "core/base/fnv.h"
#include "io/files/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_FILE = 1 << 30 }; // bytes

static char *partial_path(const char *path) {
  size_t size = strlen(path) + sizeof ".partial";
  char *partial = malloc(size);
  if (partial)
    snprintf(partial, size, "%s.partial", path);
  return partial;
}

// The three below return 0, or the errno of what failed.

static int write_all(int file, const void *bytes, size_t size) {
  const char *at = bytes;
  while (size > 0) {
    ssize_t written = write(file, at, size);
    if (written < 0 && errno != EINTR)
      return errno;
    if (written > 0) {
      at += written;
      size -= (size_t)written;
    }
  }
  return 0;
}

// A rename is on the disk only after its folder is synced.
static int sync_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  int file = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  int error = file < 0 || fsync(file) ? errno : 0;
  if (file >= 0)
    close(file);
  free(folder);
  return error;
}

static int write_partial(const char *partial, const void *image, size_t size) {
  uint64_t hash = fnv1a(FNV1A_START, image, size);
  int file = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return errno;

  int error = write_all(file, image, size);
  if (!error)
    error = write_all(file, &hash, sizeof hash);
  if (!error && fsync(file))
    error = errno;
  if (close(file) && !error)
    error = errno;
  return error;
}

static enum status cannot_write(const char *path, int error, struct reason *why) {
  return fail(why, STATUS_IO, "%s: the checkpoint cannot be written: %s", path, strerror(error));
}

enum status checkpoint_write(const char *path, const void *image, size_t size, struct reason *why) {
  char *partial = partial_path(path);
  if (!partial)
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory", path);

  enum status status = STATUS_OK;
  int error = write_partial(partial, image, size);
  if (!error && rename(partial, path))
    error = errno;
  if (error) {
    status = cannot_write(path, error, why);
    unlink(partial);
  } else if ((error = sync_folder(path))) {
    status = fail(why, STATUS_IO, "%s: its folder cannot be synced: %s", path, strerror(error));
  }
  free(partial);
  return status;
}

enum status checkpoint_try_path(const char *path, struct reason *why) {
  char *partial = partial_path(path);
  if (!partial)
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory", path);

  struct stat existing;
  enum status status = STATUS_OK;
  if (!stat(path, &existing) && !S_ISREG(existing.st_mode)) {
    status = fail(why, STATUS_BAD_INPUT, "%s: a file expected, something else is there", path);
  } else {
    int file = open(partial, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
      status = cannot_write(path, errno, why);
    else
      close(file);
    unlink(partial);
  }
  free(partial);
  return status;
}

enum status checkpoint_read(const char *path, void **bytes, size_t *size, struct reason *why) {
  struct regular_file found;
  struct reason what = {""};
  *bytes = NULL;
  if (regular_file_open(path, LARGEST_FILE, &found, &what) != STATUS_OK)
    return fail(why, STATUS_BAD_INPUT, "%s: not a checkpoint: %s", path, what.text);

  FILE *file = fdopen(found.descriptor, "rb");
  *size = (size_t)found.size;
  *bytes = malloc(*size + 1);
  if (!file || !*bytes || fread(*bytes, 1, *size, file) != *size) {
    fail(why, STATUS_BAD_INPUT, "%s: %zu bytes cannot be read", path, *size);
    free(*bytes);
    *bytes = NULL;
  }
  if (file)
    fclose(file);
  else
    close(found.descriptor);
  return *bytes ? STATUS_OK : STATUS_BAD_INPUT;
}
