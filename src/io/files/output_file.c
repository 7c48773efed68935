#include "io/files/output_file.h"

#include "io/files/file_lock.h"
#include "io/files/folder_sync.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double READER_S = 5;

static enum status cannot_write(const char *path, int error, struct reason *why) {
  if (error == ENXIO)
    return fail(why, STATUS_IO, "%s: cannot be written: a pipe that nobody reads, for %g s", path, READER_S);
  return fail(why, STATUS_IO, "%s: cannot be written: %s", path, strerror(error));
}

// To open a pipe waits for its reader, without an end and deaf to signals; so that waits for some seconds
// only.
static FILE *open_stream(const char *path) {
  struct stat about;
  if (stat(path, &about) < 0 || !S_ISFIFO(about.st_mode))
    return fopen(path, "w");
  int descriptor = -1;
  for (int i = 0; i < (int)(20 * READER_S) && descriptor < 0; i++) {
    descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0 && errno != ENXIO && errno != EINTR)
      return NULL;
    if (descriptor < 0)
      poll(NULL, 0, 50);
  }
  if (descriptor < 0) {
    errno = ENXIO;
    return NULL;
  }
  fcntl(descriptor, F_SETFL, O_WRONLY);
  return fdopen(descriptor, "w");
}

enum status output_file_open(struct output_file *file, const char *path, struct reason *why) {
  *file = (struct output_file){.path = path};
  if (!path)
    return STATUS_OK;

  file->stream = strcmp(path, "-") ? open_stream(path) : stdout;
  return file->stream ? STATUS_OK : cannot_write(path, errno, why);
}

static int needs_no_place(const char *path) {
  struct stat existing;
  return !path || !strcmp(path, "-") || (!stat(path, &existing) && !S_ISREG(existing.st_mode));
}

static enum status forget_names(struct output_file *file, enum status status) {
  free(file->temporary_path);
  free(file->target);
  file->temporary_path = file->target = NULL;
  return status;
}

enum status output_file_open_claimed(struct output_file *file, const struct file_claims *claims,
                                     const char *path, struct reason *why) {
  if (needs_no_place(path))
    return output_file_open(file, path, why); // a pipe or a device cannot be replaced

  *file = (struct output_file){.path = path, .target = file_target(path)};
  size_t bytes = file->target ? strlen(file->target) + sizeof PARTIAL_SUFFIX : 0;
  file->temporary_path = bytes ? malloc(bytes) : NULL;
  if (!file->temporary_path)
    return forget_names(file, fail(why, STATUS_NO_MEMORY, "%s: cannot be written: out of memory", path));
  snprintf(file->temporary_path, bytes, "%s" PARTIAL_SUFFIX, file->target);

  int held = claims ? file_claims_lock_of(claims, path) : -1;
  struct file_lock lock = {.descriptor = held >= 0 ? fcntl(held, F_DUPFD_CLOEXEC, 0) : -1};
  struct reason cause = {""};
  if (held < 0) {
    file_lock_remove_left(file->target);
    enum status status = file_lock_take(file->temporary_path, FILE_LOCK_EMPTY, &lock, &cause);
    if (status != STATUS_OK)
      return forget_names(file, fail(why, status, "%s: %s", path, cause.text));
  }
  int error = held >= 0 && (lock.descriptor < 0 || ftruncate(lock.descriptor, 0)) ? errno : 0;
  file->stream = error ? NULL : fdopen(lock.descriptor, "w");
  if (file->stream)
    return STATUS_OK;
  error = error ? error : errno;
  if (lock.descriptor >= 0)
    close(lock.descriptor);
  return forget_names(file, cannot_write(path, error, why));
}

enum status output_file_open_atomic(struct output_file *file, const char *path, struct reason *why) {
  return output_file_open_claimed(file, NULL, path, why);
}

static int stdout_reader_has_closed(void) {
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP));
}

enum status output_flush_stdout(struct reason *why) {
  int failed = fflush(stdout), error = errno;
  if ((!failed && !ferror(stdout)) || stdout_reader_has_closed())
    return STATUS_OK;
  return fail(why, STATUS_IO, "standard output cannot be written%s%s", failed ? ": " : "",
              failed ? strerror(error) : "");
}

// What is left to do on the disk before the stream is closed. Returns the errno of what failed, or 0.
static int settle(const struct output_file *file) {
  struct stat about;
  if (file->stream == stdout || fstat(fileno(file->stream), &about) || !S_ISREG(about.st_mode))
    return 0;
  if (fsync(fileno(file->stream)))
    return errno;
  return file_lock_is_at(fileno(file->stream), file->temporary_path ? file->temporary_path : file->path)
             ? 0
             : ESTALE; // somebody has removed or replaced it
}

static const char *text_of(int error) {
  return error == ESTALE ? "somebody removed or replaced it while it was written" : strerror(error);
}

enum status output_file_close(struct output_file *file, struct reason *why) {
  if (!file->stream)
    return STATUS_OK;

  int error = 0;
  if ((fflush(file->stream) || ferror(file->stream)) &&
      !(file->stream == stdout && stdout_reader_has_closed()))
    error = errno ? errno : EIO;
  error = error ? error : settle(file);
  if (file->stream != stdout && fclose(file->stream) && !error)
    error = errno;
  if (!error && file->temporary_path && rename(file->temporary_path, file->target))
    error = errno;
  else if (!error && file->temporary_path)
    error = folder_sync(file->target);
  if (error && file->temporary_path)
    unlink(file->temporary_path);

  file->stream = NULL;
  forget_names(file, STATUS_OK);
  return error ? fail(why, STATUS_IO, "%s: not written completely: %s", file->path, text_of(error))
               : STATUS_OK;
}

void output_file_abandon(struct output_file *file) {
  if (file->stream && file->stream != stdout)
    fclose(file->stream);
  if (file->temporary_path)
    unlink(file->temporary_path);
  forget_names(file, STATUS_OK);
  *file = (struct output_file){0};
}
