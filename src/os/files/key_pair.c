#include "os/files/key_pair.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum status key_pair_begin(const char *path, char public_path[KEY_PATH], struct reason *why) {
  if (sodium_init() < 0)
    return fail(why, STATUS_IO, "the system provides no random numbers");
  if (snprintf(public_path, KEY_PATH, "%s.pub", path) >= KEY_PATH)
    return fail(why, STATUS_BAD_INPUT, "%.64s...: a shorter file name expected", path);
  if (access(public_path, F_OK) == 0)
    return fail(why, STATUS_BAD_INPUT, "%.200s: exists already; a key is never replaced", public_path);
  return STATUS_OK;
}

enum status key_write_new(const char *path, mode_t mode, const char *text, struct reason *why) {
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0 && errno == EEXIST)
    return fail(why, STATUS_BAD_INPUT, "%s: exists already; a key is never replaced", path);
  size_t size = strlen(text);
  int failed =
      file < 0 || fchmod(file, mode) < 0 || write(file, text, size) != (ssize_t)size || fsync(file) < 0;
  int error = errno;
  if (file >= 0) {
    close(file);
    if (failed)
      unlink(path);
  }
  return failed ? fail(why, STATUS_IO, "%s: cannot be written: %s", path, strerror(error)) : STATUS_OK;
}
