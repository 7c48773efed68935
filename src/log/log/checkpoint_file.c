// Writing and reading a checkpoint file.
#include "log/log/checkpoint_file.h"

#include "sagbend/base/fnv.h"
#include "os/files/file_lock.h"
#include "os/files/file_target.h"
#include "os/files/folder_sync.h"
#include "sagbend/base/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_FILE = 1 << 30 }; // bytes

static char *partial_path(const char *target) {
  size_t size = strlen(target) + sizeof PARTIAL_SUFFIX;
  char *partial = malloc(size);
  if (partial)
    snprintf(partial, size, "%s" PARTIAL_SUFFIX, target);
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

static int write_image(int file, const void *image, size_t size) {
  uint64_t hash = fnv1a(FNV1A_START, image, size);
  int error = write_all(file, image, size);
  if (!error)
    error = write_all(file, &hash, sizeof hash);
  if (!error && fsync(file))
    error = errno;
  return error;
}

// Writes the image to partial and renames that to target. The lock lasts until then: who removes what crashed
// runs have left finds it.
static int write_and_rename(int file, const char *partial, const char *target, const void *image,
                            size_t size) {
  int error = write_image(file, image, size);
  if (!error && (!file_lock_is_at(file, partial) || rename(partial, target)))
    error = errno;
  if (error)
    unlink(partial);
  if (close(file) && !error)
    error = errno;
  return error;
}

static enum status cannot_write(const char *path, int error, struct reason *why) {
  return fail(why, STATUS_IO, "%s: the checkpoint cannot be written: %s", path, strerror(error));
}

static enum status write_to(const char *path, const char *target, const void *image, size_t size,
                            struct reason *why) {
  char *partial = partial_path(target);
  struct file_lock lock;
  struct reason cause = {""};
  if (!partial)
    return fail(why, STATUS_NO_MEMORY, "%s: out of memory", path);
  enum status status = file_lock_take(partial, FILE_LOCK_EMPTY, &lock, &cause);
  if (status != STATUS_OK) {
    fail(why, status, "%s: the checkpoint cannot be written: %s", path, cause.text);
  } else {
    int error = write_and_rename(lock.descriptor, partial, target, image, size);
    if (error)
      status = cannot_write(path, error, why);
    else if ((error = folder_sync(target)))
      status = fail(why, STATUS_IO, "%s: its folder cannot be synced: %s", path, strerror(error));
  }
  free(partial);
  return status;
}

enum status checkpoint_write(const char *path, const void *image, size_t size, struct reason *why) {
  char *target = file_target(path);
  enum status status = target ? write_to(path, target, image, size, why)
                              : fail(why, STATUS_NO_MEMORY, "%s: out of memory", path);
  free(target);
  return status;
}

enum status checkpoint_try_path(const char *path, struct reason *why) {
  struct stat existing;
  struct file_lock lock;
  struct reason cause = {""};
  if (!stat(path, &existing) && !S_ISREG(existing.st_mode))
    return fail(why, STATUS_BAD_INPUT, "%s: a file expected, something else is there", path);
  char *target = file_target(path), *partial = target ? partial_path(target) : NULL;
  enum status status = partial ? file_lock_take(partial, FILE_LOCK_EMPTY, &lock, &cause)
                               : fail(&cause, STATUS_NO_MEMORY, "out of memory");
  if (status == STATUS_OK) {
    unlink(partial);
    close(lock.descriptor);
  } else {
    fail(why, status, "%s: the checkpoint cannot be written: %s", path, cause.text);
  }
  free(partial);
  free(target);
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
