#include "io/files/output_file.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int complain(const char *path, const char *what, int error) {
  fprintf(stderr, "sagbend: %s: %s: %s\n", path, what, strerror(error));
  return -1;
}

int output_file_open(struct output_file *f, const char *path) {
  *f = (struct output_file){.path = path};
  if (!path)
    return 0;
  f->stream = strcmp(path, "-") ? fopen(path, "w") : stdout;
  return f->stream ? 0 : complain(path, "cannot be written", errno);
}

int output_file_open_atomic(struct output_file *f, const char *path) {
  struct stat existing;
  if (!path || !strcmp(path, "-") || (!stat(path, &existing) && !S_ISREG(existing.st_mode)))
    return output_file_open(f, path); // a pipe or a device cannot be replaced
  *f = (struct output_file){.path = path};
  size_t bytes = strlen(path) + sizeof ".XXXXXX";
  f->temporary_path = malloc(bytes);
  if (!f->temporary_path)
    return complain(path, "cannot be written", ENOMEM);
  snprintf(f->temporary_path, bytes, "%s.XXXXXX", path);
  int descriptor = mkstemp(f->temporary_path);
  mode_t mask = umask(0); // mkstemp keeps others out; a result is as readable as any file
  umask(mask);
  if (descriptor >= 0)
    fchmod(descriptor, 0666 & ~mask);
  f->stream = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  if (f->stream)
    return 0;
  int error = errno;
  free(f->temporary_path);
  f->temporary_path = NULL;
  return complain(path, "cannot be written", error);
}

// Whether standard output is a pipe that nobody reads any more.
static int reader_has_gone(void) {
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP));
}

int output_stdout_end(const char *who, int status) {
  int failed = fflush(stdout), error = errno;
  if ((!failed && !ferror(stdout)) || reader_has_gone())
    return status;
  fprintf(stderr, "%s: standard output cannot be written%s%s\n", who, failed ? ": " : "",
          failed ? strerror(error) : "");
  return 1;
}

int output_file_close(struct output_file *f) {
  int error = 0;
  if (!f->stream)
    return 0;
  if ((fflush(f->stream) || ferror(f->stream)) && !(f->stream == stdout && reader_has_gone()))
    error = errno ? errno : EIO;
  if (!error && f->temporary_path && fsync(fileno(f->stream)))
    error = errno;
  if (f->stream != stdout && fclose(f->stream) && !error)
    error = errno;
  if (!error && f->temporary_path && rename(f->temporary_path, f->path))
    error = errno;
  if (error && f->temporary_path)
    unlink(f->temporary_path);
  f->stream = NULL;
  free(f->temporary_path);
  f->temporary_path = NULL;
  return error ? complain(f->path, "not written completely", error) : 0;
}

void output_file_abandon(struct output_file *f) {
  if (f->stream && f->stream != stdout)
    fclose(f->stream);
  if (f->temporary_path)
    unlink(f->temporary_path);
  free(f->temporary_path);
  *f = (struct output_file){0};
}
