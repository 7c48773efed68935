#include "io/files/output_file.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status cannot_write(const char *path, int error, struct reason *why) {
  return fail(why, STATUS_IO, "%s: cannot be written: %s", path, strerror(error));
}

enum status output_file_open(struct output_file *file, const char *path, struct reason *why) {
  *file = (struct output_file){.path = path};
  if (!path)
    return STATUS_OK;

  file->stream = strcmp(path, "-") ? fopen(path, "w") : stdout;
  return file->stream ? STATUS_OK : cannot_write(path, errno, why);
}

enum status output_file_open_atomic(struct output_file *file, const char *path, struct reason *why) {
  struct stat existing;
  if (!path || !strcmp(path, "-") || (!stat(path, &existing) && !S_ISREG(existing.st_mode)))
    return output_file_open(file, path, why); // a pipe or a device cannot be replaced

  *file = (struct output_file){.path = path};
  size_t bytes = strlen(path) + sizeof ".XXXXXX";
  file->temporary_path = malloc(bytes);
  if (!file->temporary_path)
    return fail(why, STATUS_NO_MEMORY, "%s: cannot be written: out of memory", path);
  snprintf(file->temporary_path, bytes, "%s.XXXXXX", path);

  int descriptor = mkstemp(file->temporary_path);
  mode_t mask = umask(0); // mkstemp sets mode 0600; results get the mode of any other file
  umask(mask);
  if (descriptor >= 0)
    fchmod(descriptor, 0666 & ~mask);
  file->stream = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  if (file->stream)
    return STATUS_OK;

  int error = errno;
  free(file->temporary_path);
  file->temporary_path = NULL;
  return cannot_write(path, error, why);
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

enum status output_file_close(struct output_file *file, struct reason *why) {
  if (!file->stream)
    return STATUS_OK;

  int error = 0;
  if ((fflush(file->stream) || ferror(file->stream)) &&
      !(file->stream == stdout && stdout_reader_has_closed()))
    error = errno ? errno : EIO;
  if (!error && file->temporary_path && fsync(fileno(file->stream)))
    error = errno;
  if (file->stream != stdout && fclose(file->stream) && !error)
    error = errno;
  if (!error && file->temporary_path && rename(file->temporary_path, file->path))
    error = errno;
  if (error && file->temporary_path)
    unlink(file->temporary_path);

  file->stream = NULL;
  free(file->temporary_path);
  file->temporary_path = NULL;
  return error ? fail(why, STATUS_IO, "%s: not written completely: %s", file->path, strerror(error))
               : STATUS_OK;
}

void output_file_abandon(struct output_file *file) {
  if (file->stream && file->stream != stdout)
    fclose(file->stream);
  if (file->temporary_path)
    unlink(file->temporary_path);
  free(file->temporary_path);
  *file = (struct output_file){0};
}
